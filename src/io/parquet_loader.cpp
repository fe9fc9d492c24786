#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/table.hpp"
#include "antaeus/io/table_parts.hpp"
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
  constexpr const char* kRemedy = "build the target antaeus_parquet and put it beside libantaeus.so, or write CSV";
  void* const library = open_plugin(kFile, "Parquet support", kRemedy, "parquet");
  const ParquetPlugin plugin = {
      reinterpret_cast<AntaeusParquetWrite*>(plugin_function(library, "antaeus_parquet_write_4")),
      reinterpret_cast<AntaeusParquetRead*>(plugin_function(library, "antaeus_parquet_read_3"))};
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

Table read_parquet(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  const auto fail = [&](const std::string& problem) {
    throw Error(file.string(), "it cannot be read as Parquet: " + problem, "write it again with another tool");
  };
  ArrowArrayStream rows{};
  Receiver receiver;
  if (parquet_plugin().read(bytes.data(), bytes.size(), &rows, take_problem, &receiver) != 0) fail(receiver.problem);
  try {
    return import_arrow(rows);
  } catch (const std::runtime_error& error) {
    fail(error.what());
  }
  return {};
}

}  // namespace antaeus
