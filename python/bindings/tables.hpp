#pragma once
// Tables of results for Python: columns as arrays of NumPy, or all of them as Arrow's stream.

#include <memory>

#include "antaeus/io/table.hpp"
#include "convert.hpp"

namespace antaeus::python {

/// A read-only array: numbers are a view of the table, which lives as long as the array; texts are an array of str.
nb::object numpy_column(const std::shared_ptr<const Table>& table, const Column& column);
/// Column → such an array.
nb::dict numpy_columns(const std::shared_ptr<const Table>& table);
/// For whoever reads Arrow's streams: pyarrow, pandas, polars, DuckDB. Numbers are not copied.
nb::capsule arrow_stream(std::shared_ptr<const Table> table);
/// A pyarrow.Table of what has __arrow_c_stream__. \throws ImportError that says how to get pyarrow
nb::object to_arrow(nb::handle self);

}  // namespace antaeus::python
