#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>

#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "io/parquet/parquet_abi.hpp"

namespace {

std::string_view view(AntaeusParquetText text) { return {text.data, text.size}; }
AntaeusParquetText text_of(std::string_view view) { return {view.data(), view.size()}; }

void check(const arrow::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.message());
}

template <class Value>
Value check(arrow::Result<Value> result) {
  check(result.status());
  return std::move(result).ValueUnsafe();
}

/// Arrow's own allocators keep memory and threads behind; ours is a plug-in that comes and goes.
arrow::MemoryPool* pool() { return arrow::system_memory_pool(); }

/// Columns without rows may come as null pointers, which Arrow's builders must not see.
std::shared_ptr<arrow::Array> make_array(const AntaeusParquetColumn& column, std::size_t rows) {
  const auto length = static_cast<std::int64_t>(rows);
  if (column.kind == 0) {
    std::vector<std::uint8_t> is_number(rows);
    for (std::size_t row = 0; row < rows; ++row) is_number[row] = std::isnan(column.numbers[row]) ? 0 : 1;
    arrow::DoubleBuilder builder(pool());
    if (rows > 0) check(builder.AppendValues(column.numbers, length, is_number.data()));
    return check(builder.Finish());
  }
  if (column.kind == 1) {
    arrow::Int64Builder builder(pool());
    if (rows > 0) check(builder.AppendValues(column.integers, length));
    return check(builder.Finish());
  }
  arrow::Int32Builder codes(pool());
  if (rows > 0) check(codes.AppendValues(column.codes, length));
  arrow::StringBuilder levels(pool());
  for (std::size_t i = 0; i < column.level_count; ++i) check(levels.Append(view(column.levels[i])));
  return check(arrow::DictionaryArray::FromArrays(arrow::dictionary(arrow::int32(), arrow::utf8()),
                                                  check(codes.Finish()), check(levels.Finish())));
}

std::shared_ptr<arrow::Schema> schema_of(const AntaeusParquetColumn* columns, std::size_t column_count) {
  std::vector<std::shared_ptr<arrow::Field>> fields;
  for (std::size_t c = 0; c < column_count; ++c) {
    const AntaeusParquetColumn& column = columns[c];
    const std::vector<std::string> keys = {"unit", "meaning"};
    const std::vector<std::string> texts = {std::string(view(column.unit)), std::string(view(column.meaning))};
    fields.push_back(arrow::field(std::string(view(column.name)), make_array(column, 0)->type(), column.kind == 0,
                                  arrow::key_value_metadata(keys, texts)));
  }
  return arrow::schema(fields);
}

/// \return null where the giver gave up
std::shared_ptr<arrow::Buffer> write_table(std::size_t column_count, AntaeusParquetGiveRows give_rows, void* receiver) {
  const AntaeusParquetColumn* columns = nullptr;
  std::size_t rows = 0;
  if (give_rows(receiver, &columns, &rows) != 0) return nullptr;
  const std::shared_ptr<arrow::Schema> schema = schema_of(columns, column_count);
  const auto sink = check(arrow::io::BufferOutputStream::Create(1 << 16, pool()));
  const auto properties = parquet::WriterProperties::Builder()
                              .memory_pool(pool())
                              ->compression(parquet::Compression::ZSTD)
                              ->created_by("antaeus")
                              ->build();
  // Field metadata live in the Arrow schema only; one thread writes, so that the same table gives the same bytes.
  const auto arrow_properties =
      parquet::ArrowWriterProperties::Builder().store_schema()->set_use_threads(false)->build();
  const auto writer = check(parquet::arrow::FileWriter::Open(*schema, pool(), sink, properties, arrow_properties));
  constexpr std::int64_t kRowsOfAGroup = 1 << 20;
  do {
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    for (std::size_t c = 0; c < column_count; ++c) arrays.push_back(make_array(columns[c], rows));
    check(writer->WriteTable(*arrow::Table::Make(schema, arrays, static_cast<std::int64_t>(rows)), kRowsOfAGroup));
    if (give_rows(receiver, &columns, &rows) != 0) return nullptr;
  } while (rows > 0);
  check(writer->Close());
  return check(sink->Finish());
}

/// What a column of a file becomes.
struct ReadColumn {
  std::vector<double> numbers;
  std::vector<std::int64_t> integers;
  std::vector<std::int32_t> codes;
  std::vector<std::string> levels;
  std::int32_t kind = 0;
};

constexpr double kNull = std::numeric_limits<double>::quiet_NaN();

template <class Array>
void append_integers(ReadColumn& column, const arrow::Array& chunk, bool has_nulls) {
  const auto& array = static_cast<const Array&>(chunk);
  for (std::int64_t row = 0; row < array.length(); ++row) {
    if (has_nulls) {
      column.numbers.push_back(array.IsNull(row) ? kNull : static_cast<double>(array.Value(row)));
    } else {
      column.integers.push_back(static_cast<std::int64_t>(array.Value(row)));
    }
  }
}

template <class Array>
void append_numbers(ReadColumn& column, const arrow::Array& chunk) {
  const auto& array = static_cast<const Array&>(chunk);
  for (std::int64_t row = 0; row < array.length(); ++row) {
    column.numbers.push_back(array.IsNull(row) ? kNull : static_cast<double>(array.Value(row)));
  }
}

template <class Array>
void append_levels(ReadColumn& column, const arrow::Array& texts) {
  const auto& array = static_cast<const Array&>(texts);
  for (std::int64_t i = 0; i < array.length(); ++i) column.levels.emplace_back(array.IsNull(i) ? "" : array.GetView(i));
}

void append_texts(ReadColumn& column, const arrow::Array& texts) {
  switch (texts.type_id()) {
    case arrow::Type::STRING: return append_levels<arrow::StringArray>(column, texts);
    case arrow::Type::LARGE_STRING: return append_levels<arrow::LargeStringArray>(column, texts);
    default: throw std::runtime_error("a column of type " + texts.type()->ToString() + " is not supported");
  }
}

/// Appends the chunk as codes; equal texts may meet again as different levels, which the receiver merges.
void append_text_column(ReadColumn& column, const arrow::Array& chunk) {
  const std::size_t first = column.levels.size();
  if (chunk.type_id() != arrow::Type::DICTIONARY) {
    append_texts(column, chunk);
    for (std::size_t code = first; code < column.levels.size(); ++code)
      column.codes.push_back(static_cast<std::int32_t>(code));
    return;
  }
  const auto& array = static_cast<const arrow::DictionaryArray&>(chunk);
  append_texts(column, *array.dictionary());
  const std::size_t null_code = column.levels.size();
  column.levels.emplace_back();
  const std::int64_t level_count = array.dictionary()->length();
  for (std::int64_t row = 0; row < array.length(); ++row) {
    std::size_t code = null_code;
    if (!array.IsNull(row)) {
      const std::int64_t index = array.GetValueIndex(row);
      if (index < 0 || index >= level_count) throw std::runtime_error("a dictionary index is out of range");
      code = first + static_cast<std::size_t>(index);
    }
    column.codes.push_back(static_cast<std::int32_t>(code));
  }
}

void append_chunk(ReadColumn& column, const arrow::Array& chunk, bool has_nulls) {
  switch (chunk.type_id()) {
    case arrow::Type::DOUBLE: return append_numbers<arrow::DoubleArray>(column, chunk);
    case arrow::Type::FLOAT: return append_numbers<arrow::FloatArray>(column, chunk);
    case arrow::Type::UINT64: return append_numbers<arrow::UInt64Array>(column, chunk);
    case arrow::Type::BOOL: return append_integers<arrow::BooleanArray>(column, chunk, has_nulls);
    case arrow::Type::INT8: return append_integers<arrow::Int8Array>(column, chunk, has_nulls);
    case arrow::Type::INT16: return append_integers<arrow::Int16Array>(column, chunk, has_nulls);
    case arrow::Type::INT32: return append_integers<arrow::Int32Array>(column, chunk, has_nulls);
    case arrow::Type::INT64: return append_integers<arrow::Int64Array>(column, chunk, has_nulls);
    case arrow::Type::UINT8: return append_integers<arrow::UInt8Array>(column, chunk, has_nulls);
    case arrow::Type::UINT16: return append_integers<arrow::UInt16Array>(column, chunk, has_nulls);
    case arrow::Type::UINT32: return append_integers<arrow::UInt32Array>(column, chunk, has_nulls);
    default: append_text_column(column, chunk);
  }
}

std::int32_t kind_of(const arrow::DataType& type, bool has_nulls) {
  if (type.id() == arrow::Type::DOUBLE || type.id() == arrow::Type::FLOAT || type.id() == arrow::Type::UINT64) return 0;
  if (arrow::is_integer(type.id()) || type.id() == arrow::Type::BOOL) return has_nulls ? 0 : 1;
  return 2;
}

std::string metadata(const arrow::Field& field, const std::string& key) {
  if (!field.HasMetadata()) return {};
  const arrow::Result<std::string> text = field.metadata()->Get(key);
  return text.ok() ? *text : std::string();
}

void read_table(AntaeusParquetText bytes, AntaeusParquetTakeColumn take_column, void* receiver) {
  const auto source = std::make_shared<arrow::io::BufferReader>(std::make_shared<arrow::Buffer>(
      reinterpret_cast<const std::uint8_t*>(bytes.data), static_cast<std::int64_t>(bytes.size)));
  const auto reader = check(parquet::arrow::OpenFile(source, pool()));
  const std::shared_ptr<arrow::Table> table = check(reader->ReadTable());
  check(table->ValidateFull());
  const auto rows = static_cast<std::size_t>(table->num_rows());
  for (int c = 0; c < table->num_columns(); ++c) {
    const arrow::ChunkedArray& chunks = *table->column(c);
    const arrow::Field& field = *table->field(c);
    ReadColumn column;
    const bool has_nulls = chunks.null_count() > 0;
    column.kind = kind_of(*field.type(), has_nulls);
    for (const auto& chunk : chunks.chunks()) append_chunk(column, *chunk, has_nulls);
    if (column.levels.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
      throw std::runtime_error("a text column has more than 2^31 values");
    }
    std::vector<AntaeusParquetText> levels;
    for (const std::string& level : column.levels) levels.push_back(text_of(level));
    const std::string unit = metadata(field, "unit");
    const std::string meaning = metadata(field, "meaning");
    const AntaeusParquetColumn shown = {text_of(field.name()), text_of(unit),         text_of(meaning),
                                        column.kind,           column.numbers.data(), column.integers.data(),
                                        column.codes.data(),   levels.data(),         levels.size()};
    take_column(receiver, &shown, rows);
  }
}

/// Runs the work; whatever it throws becomes a told problem.
template <class Work>
int guarded(AntaeusParquetTakeProblem take_problem, void* receiver, Work work) noexcept {
  try {
    try {
      work();
      return 0;
    } catch (const std::exception& error) {
      take_problem(receiver, text_of(error.what()));
    } catch (...) {
      take_problem(receiver, text_of("an unknown problem"));
    }
    return 1;
  } catch (...) {
    return 1;  // the receiver had no memory left to hear why
  }
}

}  // namespace

#define ANTAEUS_EXPORT __attribute__((visibility("default")))

extern "C" ANTAEUS_EXPORT int antaeus_parquet_write_2(std::size_t column_count, AntaeusParquetGiveRows give_rows,
                                                      AntaeusParquetTakeBytes take_bytes,
                                                      AntaeusParquetTakeProblem take_problem, void* receiver) {
  return guarded(take_problem, receiver, [&] {
    const auto buffer = write_table(column_count, give_rows, receiver);
    if (!buffer) throw std::runtime_error("its rows did not come");
    take_bytes(receiver, {reinterpret_cast<const char*>(buffer->data()), static_cast<std::size_t>(buffer->size())});
  });
}

extern "C" ANTAEUS_EXPORT int antaeus_parquet_read_1(AntaeusParquetText bytes, AntaeusParquetTakeColumn take_column,
                                                     AntaeusParquetTakeProblem take_problem, void* receiver) {
  return guarded(take_problem, receiver, [&] { read_table(bytes, take_column, receiver); });
}
