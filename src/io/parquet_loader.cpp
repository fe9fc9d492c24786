#include <exception>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/table.hpp"
#include "antaeus/io/table_parts.hpp"
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
  void* const library = open_plugin(kFile, "Parquet support", kRemedy);
  const ParquetPlugin plugin = {
      reinterpret_cast<AntaeusParquetWrite*>(plugin_function(library, "antaeus_parquet_write_2")),
      reinterpret_cast<AntaeusParquetRead*>(plugin_function(library, "antaeus_parquet_read_1"))};
  if (!plugin.write || !plugin.read) throw Error(kFile, "the plugin is of another version", kRemedy);
  return plugin;
}

/// Loaded on first use; a failure is tried again, so that installing the plugin is enough.
const ParquetPlugin& parquet_plugin() {
  static const ParquetPlugin loaded = load_parquet_plugin();
  return loaded;
}

AntaeusParquetText text_of(std::string_view text) { return {text.data(), text.size()}; }
std::string string_of(AntaeusParquetText text) { return std::string(text.data, text.size); }

/// What the plugin hands back of a file.
struct TableReceiver {
  Table table;
  std::string problem;
};

void take_table_problem(void* receiver, AntaeusParquetText problem) {
  static_cast<TableReceiver*>(receiver)->problem = valid_utf8({problem.data, problem.size});
}

/// Merges levels of equal text and leaves out those that no row uses.
TextColumn text_column(const AntaeusParquetColumn& column, std::size_t rows) {
  TextColumn text;
  std::unordered_map<std::string_view, std::int32_t> known;
  std::vector<std::int32_t> code_of_level(column.level_count, -1);
  text.codes.reserve(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto level = static_cast<std::size_t>(column.codes[row]);
    if (code_of_level[level] < 0) {
      const std::string_view shown(column.levels[level].data, column.levels[level].size);
      const auto [found, is_new] = known.try_emplace(shown, static_cast<std::int32_t>(text.levels.size()));
      if (is_new) text.levels.emplace_back(shown);
      code_of_level[level] = found->second;
    }
    text.codes.push_back(code_of_level[level]);
  }
  return text;
}

void take_column(void* receiver, const AntaeusParquetColumn* column, std::size_t rows) {
  Column taken{string_of(column->name), string_of(column->unit), string_of(column->meaning), {}};
  if (column->kind == 0) {
    taken.data = std::vector<double>(column->numbers, column->numbers + rows);
  } else if (column->kind == 1) {
    taken.data = std::vector<std::int64_t>(column->integers, column->integers + rows);
  } else {
    taken.data = text_column(*column, rows);
  }
  static_cast<TableReceiver*>(receiver)->table.add(std::move(taken));
}

/// A column's texts, repaired where they are no UTF-8, for as long as the plugin looks at them.
struct SharedTexts {
  std::string name, unit, meaning;
  std::vector<std::string> levels;
  std::vector<AntaeusParquetText> shown_levels;
};

AntaeusParquetColumn shared_column(const Column& column, SharedTexts& texts) {
  texts.name = valid_utf8(column.name);
  texts.unit = valid_utf8(column.unit);
  texts.meaning = valid_utf8(column.meaning);
  AntaeusParquetColumn shared{};
  if (const auto* const numbers = std::get_if<std::vector<double>>(&column.data)) {
    shared.numbers = numbers->data();
  } else if (const auto* const integers = std::get_if<std::vector<std::int64_t>>(&column.data)) {
    shared.kind = 1;
    shared.integers = integers->data();
  } else {
    const auto& text = std::get<TextColumn>(column.data);
    for (const std::string& level : text.levels) texts.levels.push_back(valid_utf8(level));
    for (const std::string& level : texts.levels) texts.shown_levels.push_back(text_of(level));
    shared.kind = 2;
    shared.codes = text.codes.data();
    shared.levels = texts.shown_levels.data();
    shared.level_count = texts.shown_levels.size();
  }
  shared.name = text_of(texts.name);
  shared.unit = text_of(texts.unit);
  shared.meaning = text_of(texts.meaning);
  return shared;
}

/// The parts of a table that is written, one at a time, and what comes back.
struct Giver {
  /// Makes a part the one that the plugin sees.
  void show(const Table& table) {
    texts.assign(table.columns().size(), {});
    columns.clear();
    for (std::size_t c = 0; c < texts.size(); ++c) columns.push_back(shared_column(table.columns()[c], texts[c]));
    rows = table.rows();
  }

  const TableParts* next = nullptr;  ///< null: what is shown is all
  std::optional<Table> part;         ///< that is shown
  std::vector<SharedTexts> texts;
  std::vector<AntaeusParquetColumn> columns;
  std::size_t rows = 0;
  bool is_first = true;
  std::exception_ptr thrown;
  std::string bytes, problem;
};

/// The next part that holds rows. \return whether there is one
bool show_next(Giver& giver) {
  while (giver.next) {
    std::optional<Table> part = (*giver.next)();
    if (!part) return false;
    if (giver.part) check_same_columns(column_names(*giver.part), *part);
    if (part->rows() == 0) continue;
    giver.part = std::move(part);
    giver.show(*giver.part);
    return true;
  }
  return false;
}

int give_rows(void* receiver, const AntaeusParquetColumn** columns, std::size_t* rows) {
  Giver& giver = *static_cast<Giver*>(receiver);
  try {
    const bool is_there = std::exchange(giver.is_first, false) || show_next(giver);
    *columns = giver.columns.data();
    *rows = is_there ? giver.rows : 0;
    return 0;
  } catch (...) {
    giver.thrown = std::current_exception();  // no exception crosses the border
    return 1;
  }
}

void take_bytes(void* receiver, AntaeusParquetText bytes) { static_cast<Giver*>(receiver)->bytes = string_of(bytes); }
void take_write_problem(void* receiver, AntaeusParquetText problem) {
  static_cast<Giver*>(receiver)->problem = valid_utf8({problem.data, problem.size});
}

std::string written(Giver& giver) {
  if (parquet_plugin().write(giver.columns.size(), give_rows, take_bytes, take_write_problem, &giver) != 0) {
    if (giver.thrown) std::rethrow_exception(giver.thrown);
    throw Error("Parquet", giver.problem, "write CSV instead");
  }
  return std::move(giver.bytes);
}

}  // namespace

std::string to_parquet(const TableParts& next) {
  Giver giver;
  giver.next = &next;
  giver.part = next();
  if (!giver.part) return {};
  giver.show(*giver.part);
  return written(giver);
}

std::string to_parquet(const Table& table) {
  Giver giver;
  giver.show(table);
  return written(giver);
}

Table read_parquet(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  TableReceiver receiver;
  if (parquet_plugin().read(text_of(bytes), take_column, take_table_problem, &receiver) != 0) {
    throw Error(file.string(), "it cannot be read as Parquet: " + receiver.problem, "write it again with another tool");
  }
  return std::move(receiver.table);
}

}  // namespace antaeus
