#include "tables.hpp"

#include "antaeus/io/arrow.hpp"

namespace antaeus::python {

nb::object numpy_column(const std::shared_ptr<const Table>& table, const Column& column) {
  using Shared = std::shared_ptr<const Table>;
  const nb::capsule owner(new Shared(table), [](void* p) noexcept { delete static_cast<Shared*>(p); });
  if (const auto* numbers = std::get_if<std::vector<double>>(&column.data)) {
    return nb::cast(view(*numbers, owner), kOwned);
  }
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&column.data)) {
    return nb::cast(view(*integers, owner), kOwned);
  }
  const auto& text = std::get<TextColumn>(column.data);
  nb::object array = nb::module_::import_("numpy")
                         .attr("array")(text.levels, "dtype"_a = "object")
                         .attr("take")(nb::cast(view(text.codes, owner), kOwned));
  array.attr("setflags")("write"_a = false);
  return array;
}

nb::dict numpy_columns(const std::shared_ptr<const Table>& table) {
  nb::dict columns;
  for (const Column& column : table->columns()) columns[column.name.c_str()] = numpy_column(table, column);
  return columns;
}

nb::capsule arrow_stream(std::shared_ptr<const Table> table) {
  auto* const stream = new ArrowArrayStream{};
  nb::capsule owner(stream, "arrow_array_stream", [](void* p) noexcept {
    auto* const given = static_cast<ArrowArrayStream*>(p);
    if (given->release) given->release(given);
    delete given;
  });
  export_arrow(std::move(table), {}, *stream);
  return owner;
}

nb::object to_arrow(nb::handle self) {
  nb::object arrow;
  try {
    arrow = nb::module_::import_("pyarrow");
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_ImportError)) throw;
    throw nb::import_error("to_arrow: pyarrow is not there; pip install antaeus[parquet]");
  }
  return arrow.attr("RecordBatchReader").attr("from_stream")(self).attr("read_all")();
}

}  // namespace antaeus::python
