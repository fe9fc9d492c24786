#include <algorithm>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/table.hpp"
#include "antaeus/io/table_parts.hpp"
#include "antaeus/io/table_reader.hpp"
#include "io/byte_source.hpp"
#include "io/import_arrow.hpp"
#include "io/parquet/parquet_abi.hpp"
#include "io/part_columns.hpp"
#include "io/plugin.hpp"
#include "io/text.hpp"

namespace antaeus {

namespace {

/// The plugin's two functions. Never unloaded: Arrow leaves static objects behind.
struct ParquetPlugin {
  AntaeusParquetWrite* write;
  AntaeusParquetRead* read;
};

ParquetPlugin load_parquet_plugin() {
  constexpr const char* kFile = "libantaeus_parquet.so";
  constexpr const char* kRemedy = "build the target antaeus_parquet and put it next to libantaeus.so, or write CSV";
  void* const library = open_plugin(kFile, "Parquet support", kRemedy, "parquet");
  const ParquetPlugin plugin = {
      reinterpret_cast<AntaeusParquetWrite*>(plugin_function(library, "antaeus_parquet_write_4")),
      reinterpret_cast<AntaeusParquetRead*>(plugin_function(library, "antaeus_parquet_read_4"))};
  if (!plugin.write || !plugin.read) throw Error(kFile, "the plugin is of another version", kRemedy);
  return plugin;
}

/// Loaded on first use; a failure is tried again, so that installing the plugin is enough.
const ParquetPlugin& parquet_plugin() {
  static const ParquetPlugin loaded = load_parquet_plugin();
  return loaded;
}

/// What comes back from the plugin. No exception crosses its border: the sink's own is thrown on this side.
struct Receiver {
  const ByteSink* sink = nullptr;
  std::string problem;
  std::exception_ptr thrown;
};

int take_bytes(void* receiver, const char* data, std::size_t size) {
  auto& my = *static_cast<Receiver*>(receiver);
  try {
    (*my.sink)({data, size});
    return 0;
  } catch (...) {
    my.thrown = std::current_exception();
    return 1;
  }
}
int take_problem(void* receiver, const char* data, std::size_t size) {
  static_cast<Receiver*>(receiver)->problem = valid_utf8({data, size});
  return 0;
}

void write(std::shared_ptr<const Table> first, const SharedParts& next, const ByteSink& sink) {
  ArrowArrayStream rows;
  export_arrow(std::move(first), next, rows);
  Receiver receiver{&sink, {}, {}};
  if (parquet_plugin().write(&rows, take_bytes, take_problem, &receiver) == 0) return;
  if (receiver.thrown) std::rethrow_exception(receiver.thrown);
  throw Error("Parquet", receiver.problem, "write CSV instead");
}

}  // namespace

std::string missing_parquet() {
  try {
    parquet_plugin();
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

void write_parquet(const TableParts& next, const ByteSink& take) {
  std::optional<Table> first = next();
  if (!first) return;
  const std::vector<std::string> names = column_names(*first);
  std::exception_ptr thrown;  // an exception crosses no border as what it is
  const auto more = [&]() -> std::shared_ptr<const Table> {
    try {
      while (std::optional<Table> part = next()) {
        check_same_columns(names, *part);
        if (part->rows() > 0) return std::make_shared<const Table>(std::move(*part));
      }
      return nullptr;
    } catch (...) {
      thrown = std::current_exception();
      throw;
    }
  };
  try {
    write(std::make_shared<const Table>(std::move(*first)), more, take);
  } catch (const Error&) {
    if (thrown) std::rethrow_exception(thrown);
    throw;
  }
}

std::string to_parquet(const Table& table) {
  std::string bytes;
  write(std::shared_ptr<const Table>(std::shared_ptr<void>(), &table), {},
        [&](std::string_view next) { bytes += next; });
  return bytes;
}

namespace {

[[noreturn]] void fail_file(const std::filesystem::path& file, const std::string& problem) {
  throw Error(file.string(), "it cannot be read as Parquet: " + problem,
              "write it again with another tool, or give it as .csv");
}

/// Rows of a file, and how many there are. \throws Error
std::int64_t open_rows(const std::filesystem::path& file, ArrowArrayStream& rows) {
  open_bytes(file);  // says what is wrong with a path in our words
  Receiver receiver;
  std::int64_t count = 0;
  const std::string path = file.string();
  if (parquet_plugin().read(path.data(), path.size(), &rows, &count, take_problem, &receiver) != 0) {
    fail_file(file, receiver.problem);
  }
  return count;
}

}  // namespace

Table read_parquet(const std::filesystem::path& file) {
  ArrowArrayStream rows{};
  open_rows(file, rows);
  try {
    return import_arrow(rows);
  } catch (const std::runtime_error& error) {
    fail_file(file, error.what());
  }
}

struct ParquetReader::Impl {
  explicit Impl(std::filesystem::path path) : file(std::move(path)) {
    restart();
    const Table columns = batches->columns();
    for (const Column& column : columns.columns()) {
      names.push_back(column.name);
      is_text.push_back(std::holds_alternative<TextColumn>(column.data));
    }
  }
  void restart() {
    batches.reset();
    ArrowArrayStream stream{};
    rows = static_cast<std::size_t>(open_rows(file, stream));
    guarded([&] { batches.emplace(stream); });
    first = 0;
    held = Table();
  }
  /// What is wrong in the file, with its name.
  template <class Work>
  void guarded(Work work) const {
    try {
      work();
    } catch (const std::runtime_error& error) {
      fail_file(file, error.what());
    }
  }
  void next() {
    first += held.rows();
    guarded([&] {
      std::optional<Table> part = batches->next();
      if (!part) throw std::runtime_error("it holds fewer rows than it states");
      held = std::move(*part);
    });
  }

  std::filesystem::path file;
  std::size_t rows = 0, first = 0;  ///< `first`: row of the file that `held` begins with
  std::vector<std::string> names;
  std::vector<bool> is_text;
  std::optional<ArrowBatches> batches;
  Table held;
};

ParquetReader::ParquetReader(const std::filesystem::path& file) : impl_(std::make_unique<Impl>(file)) {}
ParquetReader::ParquetReader(ParquetReader&&) noexcept = default;
ParquetReader& ParquetReader::operator=(ParquetReader&&) noexcept = default;
ParquetReader::~ParquetReader() = default;

const std::vector<std::string>& ParquetReader::columns() const noexcept { return impl_->names; }
std::size_t ParquetReader::rows() const noexcept { return impl_->rows; }
bool ParquetReader::is_text(std::size_t column) const { return impl_->is_text.at(column); }

void ParquetReader::read(std::size_t first, std::size_t count, const std::vector<std::size_t>& columns, double* out) {
  Impl& my = *impl_;
  if (first > my.rows || count > my.rows - first) {
    throw Error(my.file.string(), "no rows there", "it has " + std::to_string(my.rows));
  }
  if (first < my.first) my.restart();
  for (std::size_t row = 0; row < count;) {
    while (first + row >= my.first + my.held.rows()) my.next();
    const std::size_t from = first + row - my.first, here = std::min(count - row, my.held.rows() - from);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      double* to = out + row * columns.size() + c;
      const auto put = [&](const auto& numbers) {
        for (std::size_t i = 0; i < here; ++i) to[i * columns.size()] = static_cast<double>(numbers[from + i]);
      };
      const ColumnData& data = my.held.columns().at(columns[c]).data;
      if (const auto* const numbers = std::get_if<std::vector<double>>(&data)) put(*numbers);
      if (const auto* const integers = std::get_if<std::vector<std::int64_t>>(&data)) put(*integers);
    }
    row += here;
  }
}

}  // namespace antaeus
