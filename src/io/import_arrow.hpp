#pragma once
// Tables out of Arrow's C Data Interface. Private to src/io.

#include "antaeus/io/arrow.hpp"

namespace antaeus {

/// All of a stream; integers with nulls become numbers. The stream is released.
/// \throws std::runtime_error for a column of another kind, and with the stream's own words where it fails
Table import_arrow(ArrowArrayStream& stream);

}  // namespace antaeus
