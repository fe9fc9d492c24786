#include "antaeus/io/arrow.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "antaeus/core/error.hpp"
#include "antaeus/core/numbers.hpp"
#include "io/import_arrow.hpp"
#include "io/text.hpp"

namespace antaeus {

namespace {

// Out ----------------------------------------------------------------------------------------------------------------

/// What a schema or an array that we gave points to; its `release` frees this.
template <class Struct>
struct Given {
  Given() = default;
  Given(const Given&) = delete;
  Given& operator=(const Given&) = delete;
  ~Given() {
    for (Struct& child : children) {
      if (child.release) child.release(&child);
    }
    if (dictionary && dictionary->release) dictionary->release(dictionary.get());
  }

  std::vector<Struct> children;
  std::vector<Struct*> places;
  std::unique_ptr<Struct> dictionary;
  std::shared_ptr<const Table> table;
  std::string format, name, metadata;  ///< of a schema
  std::vector<std::uint8_t> valid;     ///< bits
  std::vector<std::int32_t> offsets;   ///< of texts
  std::string texts;
  std::vector<const void*> buffers;
};

template <class Struct>
void release(Struct* given) noexcept {
  delete static_cast<Given<Struct>*>(given->private_data);
  given->release = nullptr;
}

/// Hands over: from here on, `release` frees it.
template <class Struct>
void give(std::unique_ptr<Given<Struct>> given, Struct& out) {
  for (Struct& child : given->children) given->places.push_back(&child);
  out.n_children = static_cast<std::int64_t>(given->children.size());
  out.children = given->places.data();
  out.dictionary = given->dictionary.get();
  out.release = release<Struct>;
  out.private_data = given.release();
}

void give_schema(const char* format, std::unique_ptr<Given<ArrowSchema>> given, ArrowSchema& out) {
  given->format = format;
  out = {};
  out.format = given->format.c_str();
  out.name = given->name.c_str();
  out.metadata = given->metadata.empty() ? nullptr : given->metadata.data();
  give(std::move(given), out);
}

/// Metadata as the interface writes them: a number of pairs, each text behind its length.
std::string pairs(std::initializer_list<std::pair<std::string, std::string>> all) {
  std::string bytes;
  const auto length = [&](std::size_t value) {
    const auto word = static_cast<std::int32_t>(value);
    bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
  };
  length(all.size());
  for (const auto& [key, value] : all) {
    for (const std::string& text : {key, value}) {
      length(text.size());
      bytes += text;
    }
  }
  return bytes;
}

void export_schema(const Table& table, ArrowSchema& out) {
  auto whole = std::make_unique<Given<ArrowSchema>>();
  whole->children.resize(table.columns().size());
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    const Column& column = table.columns()[c];
    auto field = std::make_unique<Given<ArrowSchema>>();
    field->name = valid_utf8(column.name);
    field->metadata = pairs({{"unit", valid_utf8(column.unit)}, {"meaning", valid_utf8(column.meaning)}});
    const bool is_text = std::holds_alternative<TextColumn>(column.data);
    if (is_text) {
      field->dictionary = std::make_unique<ArrowSchema>();
      give_schema("u", std::make_unique<Given<ArrowSchema>>(), *field->dictionary);
    }
    const bool is_number = std::holds_alternative<std::vector<double>>(column.data);
    give_schema(is_text ? "i" : is_number ? "g" : "l", std::move(field), whole->children[c]);
    whole->children[c].flags = is_number ? ARROW_FLAG_NULLABLE : 0;
  }
  give_schema("+s", std::move(whole), out);
}

void give_array(std::size_t rows, std::vector<const void*> buffers, std::unique_ptr<Given<ArrowArray>> given,
                ArrowArray& out) {
  given->buffers = std::move(buffers);
  out = {};
  out.length = static_cast<std::int64_t>(rows);
  out.n_buffers = static_cast<std::int64_t>(given->buffers.size());
  out.buffers = given->buffers.data();
  give(std::move(given), out);
}

void give_levels(const TextColumn& text, ArrowArray& out) {
  auto levels = std::make_unique<Given<ArrowArray>>();
  levels->offsets.push_back(0);
  for (const std::string& level : text.levels) {
    levels->texts += valid_utf8(level);
    if (levels->texts.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
      throw Error("table", "a text column has more than 2 GB of texts", "write CSV instead");
    }
    levels->offsets.push_back(static_cast<std::int32_t>(levels->texts.size()));
  }
  const std::vector<const void*> buffers = {nullptr, levels->offsets.data(), levels->texts.data()};
  give_array(text.levels.size(), buffers, std::move(levels), out);
}

void export_array(const std::shared_ptr<const Table>& table, ArrowArray& out) {
  auto whole = std::make_unique<Given<ArrowArray>>();
  const std::size_t rows = table->rows();
  whole->children.resize(table->columns().size());
  for (std::size_t c = 0; c < table->columns().size(); ++c) {
    const ColumnData& data = table->columns()[c].data;
    auto column = std::make_unique<Given<ArrowArray>>();
    column->table = table;
    std::int64_t nulls = 0;
    const void* values = nullptr;
    if (const auto* numbers = std::get_if<std::vector<double>>(&data)) {
      column->valid.assign((rows + 7) / 8, 0);
      for (std::size_t row = 0; row < rows; ++row) {
        if (std::isnan((*numbers)[row])) {
          ++nulls;
        } else {
          column->valid[row / 8] = static_cast<std::uint8_t>(column->valid[row / 8] | 1U << row % 8);
        }
      }
      values = numbers->data();
    } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&data)) {
      values = integers->data();
    } else {
      const auto& text = std::get<TextColumn>(data);
      values = text.codes.data();
      column->dictionary = std::make_unique<ArrowArray>();
      give_levels(text, *column->dictionary);
    }
    const void* valid = nulls > 0 ? column->valid.data() : nullptr;
    give_array(rows, {valid, values}, std::move(column), whole->children[c]);
    whole->children[c].null_count = nulls;
  }
  give_array(rows, {nullptr}, std::move(whole), out);
}

struct GivenStream {
  std::shared_ptr<const Table> first, part;
  SharedParts next;
  std::string problem;
};

/// No exception crosses the border.
template <class Work>
int guarded(ArrowArrayStream* stream, Work work) noexcept {
  auto& given = *static_cast<GivenStream*>(stream->private_data);
  try {
    try {
      work(given);
      return 0;
    } catch (const std::exception& error) {
      given.problem = error.what();
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch): there is no memory for a text, and C's callers take no exception
  }
  return EIO;
}

// In -----------------------------------------------------------------------------------------------------------------

/// Releases when it goes.
template <class Struct>
struct Taken : Struct {
  Taken() : Struct{} {}
  Taken(Taken&& other) noexcept : Struct(other) { other.release = nullptr; }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;
  Taken& operator=(Taken&&) = delete;
  ~Taken() {
    if (this->release) this->release(this);
  }
};

bool is_valid(const ArrowArray& array, std::int64_t row) noexcept {
  const auto* bits = array.null_count == 0 ? nullptr : static_cast<const std::uint8_t*>(array.buffers[0]);
  return !bits || (bits[(row + array.offset) / 8] >> (row + array.offset) % 8 & 1) != 0;
}

bool has_null(const ArrowArray& array) noexcept {
  for (std::int64_t row = 0; row < array.length; ++row) {
    if (!is_valid(array, row)) return true;
  }
  return false;
}

/// Calls with each value, nothing for null.
template <class Value, class Take>
void each(const ArrowArray& array, Take take) {
  const auto* values = static_cast<const Value*>(array.buffers[1]);
  for (std::int64_t row = 0; row < array.length; ++row) {
    take(is_valid(array, row) ? std::optional<Value>(values[row + array.offset]) : std::nullopt);
  }
}

/// The same of whole numbers of any width. \return whether the format is one
template <class Take>
bool each_integer(char format, const ArrowArray& array, Take take) {
  switch (format) {
    case 'c': return each<std::int8_t>(array, take), true;
    case 'C': return each<std::uint8_t>(array, take), true;
    case 's': return each<std::int16_t>(array, take), true;
    case 'S': return each<std::uint16_t>(array, take), true;
    case 'i': return each<std::int32_t>(array, take), true;
    case 'I': return each<std::uint32_t>(array, take), true;
    case 'l': return each<std::int64_t>(array, take), true;
    case 'L': return each<std::uint64_t>(array, take), true;
    default: break;
  }
  if (format != 'b') return false;
  const auto* bits = static_cast<const std::uint8_t*>(array.buffers[1]);
  for (std::int64_t row = 0; row < array.length; ++row) {
    const std::int64_t bit = row + array.offset;
    take(is_valid(array, row) ? std::optional<int>(bits[bit / 8] >> bit % 8 & 1) : std::nullopt);
  }
  return true;
}

template <class Offset, class Take>
void each_text(const ArrowArray& array, Take take) {
  const auto* offsets = static_cast<const Offset*>(array.buffers[1]) + array.offset;
  const auto* texts = static_cast<const char*>(array.buffers[2]);
  for (std::int64_t row = 0; row < array.length; ++row) {
    const auto size = static_cast<std::size_t>(offsets[row + 1] - offsets[row]);
    take(is_valid(array, row) && size > 0 ? std::string_view(texts + offsets[row], size) : std::string_view());
  }
}

/// One column of a stream, batch after batch.
class ColumnReader {
 public:
  ColumnReader(const ArrowSchema& schema, bool has_nulls) : schema_(schema), format_(*schema.format) {
    const bool is_one = std::strlen(schema.format) == 1;
    const std::string_view kind = schema.dictionary ? schema.dictionary->format : schema.format;
    if (kind == "u" || kind == "U") {
      column_.data = TextColumn{};
    } else if (!is_one || schema.dictionary ||
               std::string_view("gfLcCsSiIlb").find(format_) == std::string_view::npos) {
      throw std::runtime_error("a column of the kind '" + std::string(kind) + "' is not supported");
    } else if (format_ == 'g' || format_ == 'f' || format_ == 'L' || has_nulls) {
      column_.data = std::vector<double>{};
    } else {
      column_.data = std::vector<std::int64_t>{};
    }
    column_.name = schema.name ? schema.name : "";
    column_.unit = metadata("unit");
    column_.meaning = metadata("meaning");
  }

  void read(const ArrowArray& array) {
    if (auto* text = std::get_if<TextColumn>(&column_.data)) return read_texts(array, *text);
    if (auto* integers = std::get_if<std::vector<std::int64_t>>(&column_.data)) {
      each_integer(format_, array, [&](auto value) { integers->push_back(static_cast<std::int64_t>(*value)); });
      return;
    }
    auto& numbers = std::get<std::vector<double>>(column_.data);
    const auto take = [&](auto value) { numbers.push_back(value ? static_cast<double>(*value) : kNaN); };
    if (format_ == 'g') return each<double>(array, take);
    if (format_ == 'f') return each<float>(array, take);
    each_integer(format_, array, take);
  }

  Column take() { return std::move(column_); }

 private:
  std::string metadata(std::string_view key) const {
    const char* at = schema_.metadata;
    if (!at) return {};
    const auto word = [&] {
      std::int32_t value = 0;
      std::memcpy(&value, at, sizeof value);
      at += sizeof value;
      return static_cast<std::size_t>(value);
    };
    const auto text = [&] {
      const std::size_t size = word();
      return std::string_view(std::exchange(at, at + size), size);
    };
    for (std::size_t left = word(); left > 0; --left) {
      const std::string_view found = text(), value = text();
      if (found == key) return std::string(value);
    }
    return {};
  }

  std::int32_t code_of(std::string_view text, TextColumn& column) {
    const auto found = codes_.find(std::string(text));
    if (found != codes_.end()) return found->second;
    const auto code = static_cast<std::int32_t>(column.levels.size());
    column.levels.emplace_back(text);
    codes_.emplace(text, code);
    return code;
  }

  void read_texts(const ArrowArray& array, TextColumn& column) {
    const auto each_of = [](std::string_view format, const ArrowArray& texts, auto take) {
      format == "u" ? each_text<std::int32_t>(texts, take) : each_text<std::int64_t>(texts, take);
    };
    if (!schema_.dictionary) {
      each_of(schema_.format, array, [&](std::string_view text) { column.codes.push_back(code_of(text, column)); });
      return;
    }
    // Levels that no row uses are left out.
    std::vector<std::string_view> levels;
    each_of(schema_.dictionary->format, *array.dictionary, [&](std::string_view text) { levels.push_back(text); });
    std::vector<std::int32_t> known(levels.size(), -1);
    each_integer(format_, array, [&](auto index) {
      if (!index) return column.codes.push_back(code_of({}, column));
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number of 8 bits; a negative one is out of range too
      const auto level = static_cast<std::size_t>(*index);
      if (level >= levels.size()) throw std::runtime_error("a dictionary index is out of range");
      if (known[level] < 0) known[level] = code_of(levels[level], column);
      column.codes.push_back(known[level]);
    });
  }

  const ArrowSchema& schema_;
  char format_;
  Column column_;
  std::unordered_map<std::string, std::int32_t> codes_;  ///< of texts
};

}  // namespace

void export_arrow(std::shared_ptr<const Table> first, SharedParts next, ArrowArrayStream& stream) {
  auto given = std::make_unique<GivenStream>();
  given->first = first;
  given->part = std::move(first);
  given->next = std::move(next);
  stream = {};
  stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) noexcept {
    return guarded(self, [out](GivenStream& from) { export_schema(*from.first, *out); });
  };
  stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) noexcept {
    return guarded(self, [out](GivenStream& from) {
      *out = {};
      const std::shared_ptr<const Table> part = from.part   ? std::exchange(from.part, {})
                                                : from.next ? from.next()
                                                            : nullptr;
      if (!part) return;
      export_array(part, *out);
    });
  };
  stream.get_last_error = [](ArrowArrayStream* self) noexcept {
    return static_cast<GivenStream*>(self->private_data)->problem.c_str();
  };
  stream.release = [](ArrowArrayStream* self) noexcept {
    delete static_cast<GivenStream*>(self->private_data);
    self->release = nullptr;
  };
  stream.private_data = given.release();
}

struct ArrowBatches::Impl {
  explicit Impl(ArrowArrayStream& stream) {
    static_cast<ArrowArrayStream&>(from) = std::exchange(stream, {});
    check(from.get_schema(&from, &schema));
  }
  void check(int outcome) {
    if (outcome == 0) return;
    const char* problem = from.get_last_error(&from);
    throw std::runtime_error(problem ? valid_utf8(problem) : "the stream failed");
  }
  std::optional<Taken<ArrowArray>> next() {
    Taken<ArrowArray> batch;
    check(from.get_next(&from, &batch));
    return batch.release ? std::optional(std::move(batch)) : std::nullopt;
  }
  Table table_of(const std::vector<Taken<ArrowArray>>& batches) const {
    Table table;
    for (std::int64_t c = 0; c < schema.n_children; ++c) {
      bool has_nulls = false;
      for (const ArrowArray& batch : batches) has_nulls = has_nulls || has_null(*batch.children[c]);
      ColumnReader reader(*schema.children[c], has_nulls);
      for (const ArrowArray& batch : batches) reader.read(*batch.children[c]);
      table.add(reader.take());
    }
    return table;
  }

  Taken<ArrowArrayStream> from;
  Taken<ArrowSchema> schema;
};

ArrowBatches::ArrowBatches(ArrowArrayStream& stream) : impl_(std::make_unique<Impl>(stream)) {}
ArrowBatches::ArrowBatches(ArrowBatches&&) noexcept = default;
ArrowBatches& ArrowBatches::operator=(ArrowBatches&&) noexcept = default;
ArrowBatches::~ArrowBatches() = default;

Table ArrowBatches::columns() const { return impl_->table_of({}); }

std::optional<Table> ArrowBatches::next() {
  std::vector<Taken<ArrowArray>> batch;
  if (auto taken = impl_->next()) batch.push_back(std::move(*taken));
  return batch.empty() ? std::nullopt : std::optional(impl_->table_of(batch));
}

Table import_arrow(ArrowArrayStream& stream) {
  ArrowBatches all(stream);
  std::vector<Taken<ArrowArray>> batches;
  while (auto batch = all.impl_->next()) batches.push_back(std::move(*batch));
  return all.impl_->table_of(batches);
}

}  // namespace antaeus
