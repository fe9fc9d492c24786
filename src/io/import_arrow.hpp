#pragma once
// Tables out of Arrow's C Data Interface. Private to src/io.

#include <memory>
#include <optional>

#include "antaeus/io/arrow.hpp"

namespace antaeus {

/// Batches of a stream, one after the other as tables; integers with nulls become numbers. The stream is released.
/// \throws std::runtime_error for a column of another kind, and with the stream's own words where it fails
class ArrowBatches {
 public:
  explicit ArrowBatches(ArrowArrayStream& stream);
  ArrowBatches(ArrowBatches&&) noexcept;
  ArrowBatches& operator=(ArrowBatches&&) noexcept;
  ~ArrowBatches();

  /// Its columns, without rows.
  Table columns() const;
  /// The next rows; nothing after the last.
  std::optional<Table> next();

 private:
  friend Table import_arrow(ArrowArrayStream& stream);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// All of a stream as one table. \throws as above
Table import_arrow(ArrowArrayStream& stream);

}  // namespace antaeus
