#pragma once
/// \file
/// Tables of numbers, read in rows: memory is that of a block, whatever the length. For files that are small, read_csv
/// and read_parquet (io/table.hpp).

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/io/table.hpp"

namespace antaeus {

class ANTAEUS_API CsvReader {
 public:
  /// Reads the file once: its rows are counted, and every cell is looked at. \throws Error as read_csv
  explicit CsvReader(const std::filesystem::path& file);
  CsvReader(CsvReader&&) noexcept;
  CsvReader& operator=(CsvReader&&) noexcept;
  ~CsvReader();

  const std::vector<std::string>& columns() const noexcept;  ///< the header
  std::size_t rows() const noexcept;
  /// Whether a cell of the column is neither a number nor empty. \throws std::out_of_range
  bool is_text(std::size_t column) const;
  /// Where a text column holds its first text. \throws std::out_of_range
  TextCell first_text(std::size_t column) const;
  /// Numbers of some columns, row by row; NaN for an empty cell, and for a text. Going back costs up to 1024 rows.
  /// \throws Error for rows that are not there, and for a file that changed
  void read(std::size_t first, std::size_t count, const std::vector<std::size_t>& columns, double* out);

  struct Impl;  ///< private to src/io

 private:
  std::unique_ptr<Impl> impl_;
};

/// The same of a Parquet file, whose rows are decoded 16 384 at a time. Going back begins at the first.
class ANTAEUS_API ParquetReader {
 public:
  /// \throws Error as read_parquet
  explicit ParquetReader(const std::filesystem::path& file);
  ParquetReader(ParquetReader&&) noexcept;
  ParquetReader& operator=(ParquetReader&&) noexcept;
  ~ParquetReader();

  const std::vector<std::string>& columns() const noexcept;
  std::size_t rows() const noexcept;
  bool is_text(std::size_t column) const;
  /// NaN for null; a text column is left as it is in \p out. \throws as CsvReader::read
  void read(std::size_t first, std::size_t count, const std::vector<std::size_t>& columns, double* out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace antaeus
