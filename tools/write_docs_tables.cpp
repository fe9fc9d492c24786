// Writes the tables of docs/ that follow from the code: options (docs/cli.md), columns (docs/schema/steps.md) and
// fields of results (docs/schema/summary.md, check.md). usage: docs_tables [--check] DOCS_FOLDER
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "antaeus/audit/audit_fields.hpp"
#include "antaeus/audit/reconstruction.hpp"
#include "antaeus/check/check_log.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/core/options.hpp"

namespace {

using namespace antaeus;

/// A cell: what would end it is escaped, and a page of docs/ is a link. \param up  from the page that holds it to docs/
std::string cell(std::string_view text, const std::string& up = "") {
  std::string escaped;
  while (!text.empty()) {
    if (text.starts_with("docs/")) {
      const std::string page(text.substr(5, text.find_first_of(" :;,)", 5) - 5));
      escaped += "[" + page + "](" + up + page + ")";
      text.remove_prefix(5 + page.size());
      continue;
    }
    escaped += text.front() == '|' ? "\\|" : std::string(1, text.front());
    text.remove_prefix(1);
  }
  return escaped.empty() ? "–" : escaped;
}

/// What the default of a known robot is; the struct's own value stands before it.
std::string followed(const OptionRow& row) {
  const std::string share = significant_text(row.share, 3);
  switch (row.follows) {
    case Follows::sign: return "; [the robot's](notation.md#sign)";
    case Follows::force: return "; " + share + " [F](estimator.md#defaults-of-any-robot)";
    case Follows::limit: return "; " + share + " [F](estimator.md#defaults-of-any-robot), of a guess 100 N";
    case Follows::foot_limit: return "; " + share + " weights";
    case Follows::nothing: break;
  }
  return {};
}

std::string option_table() {
  std::string text = "| option | unit | default | values | meaning | source |\n|---|---|---|---|---|---|\n";
  for (const OptionGroup& group : OptionGroup::all()) {
    const auto defaults = group.make();
    for (const OptionRow& row : group.table->rows()) {
      std::string values;
      for (const std::string& choice : row.choices) values += (values.empty() ? "`" : ", `") + choice + "`";
      if (row.type == OptionType::switch_) values = "`true`, `false`";
      if (row.type == OptionType::integer) values = "whole, " + row.range.text();
      if (row.type == OptionType::number) values = row.range.text();
      text += "| `" + group.table->group() + "." + row.info.name + "` | " + cell(row.info.unit) + " | `" +
              row.read(defaults.get()) + "`" + followed(row) + " | " + cell(values) + " | " + cell(row.info.meaning) +
              " | " + cell(row.info.source) + " |\n";
    }
  }
  return text;
}

std::string reason_table() {
  std::vector<ReasonInfo> rows(std::begin(kReasons), std::end(kReasons));
  std::ranges::sort(rows, {}, &ReasonInfo::urgency);
  std::string text = "| reason | severity | meaning | what to do |\n|---|---|---|---|\n";
  for (const ReasonInfo& row : rows) {
    text += std::string("| `") + row.name + "` | " + std::string(to_string(row.severity)) + " | " + cell(row.meaning) +
            " | " + cell(row.remedy) + " |\n";
  }
  return text;
}

std::string column_table() {
  std::string text = "| column | unit | meaning |\n|---|---|---|\n";
  const Table steps = steps_table(Reconstruction{});
  for (const Column& column : steps.columns()) {
    text += "| `" + column.name + "` | " + cell(column.unit) + " | " + cell(column.meaning, "../") + " |\n";
  }
  return text;
}

/// One row of a table of fields, and what it is a row of.
struct FieldCell {
  std::string type, words;
};

template <class Value>
FieldCell cell_of() {
  if constexpr (NamedEnum<Value>) {
    FieldCell cell{"text", {}};
    for (const std::string& name : all_names<Value>()) cell.words += (cell.words.empty() ? "`" : ", `") + name + "`";
    return cell;
  } else if constexpr (std::is_same_v<Value, bool>) {
    return {"boolean", {}};
  } else if constexpr (std::is_integral_v<Value>) {
    return {"integer", {}};
  } else if constexpr (std::is_floating_point_v<Value>) {
    return {"number", {}};
  } else if constexpr (std::is_same_v<Value, Reasons> || std::is_convertible_v<Value, std::string_view>) {
    return {"text", {}};
  } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
    return {"numbers", {}};
  } else {
    static_assert(Value::SizeAtCompileTime != 0, "an array");
    const int size = Value::IsVectorAtCompileTime ? Value::SizeAtCompileTime : Value::RowsAtCompileTime;
    const std::string count = size == Eigen::Dynamic ? "" : std::to_string(size) + " ";
    return {count + (Value::IsVectorAtCompileTime ? "numbers" : "lists of numbers"), {}};
  }
}

/// What a list or an optional value holds; void of all others.
template <class Value>
struct Held {
  using Item = void;
};
template <class Value>
  requires requires { typename Value::value_type; }
struct Held<Value> {
  using Item = typename Value::value_type;
};

/// The leaves of a struct's file: path, type, unit, meaning. \param rows  of each key at the top
template <class Struct>
void add_fields(const std::string& before, std::map<std::string, std::string>& rows) {
  visit_fields(static_cast<const Struct*>(nullptr), [&](const auto& field) {
    if constexpr (std::remove_cvref_t<decltype(field)>::use != FieldUse::python_only) {
      using Value = std::remove_cvref_t<decltype(value_of(field, std::declval<const Struct&>()))>;
      const std::string path = before + key_of(field);
      const auto row = [&](const std::string& type, const std::string& end, const std::string& words = {}) {
        const bool shown = std::remove_cvref_t<decltype(field)>::use == FieldUse::everywhere;
        std::string text = "| `" + path + end + "` | ";
        text += shown ? "`" + std::string(field.name) + "`" : "–";
        text += " | " + type + (field.is_step || field.may_lack ? " or null" : "") + " | " + cell(field.unit) + " | " +
                (words.empty() || *field.meaning != '\0' ? cell(field.meaning, "../") : "");
        if (!words.empty()) text += std::string(*field.meaning != '\0' ? ": " : "") + words;
        rows[path.substr(0, path.find_first_of(".["))] += text + " |\n";
      };
      if constexpr (HasFields<Value>) {
        add_fields<Value>(path + ".", rows);
      } else if constexpr (HasFields<typename Held<Value>::Item>) {
        const bool optional = std::is_same_v<Value, std::optional<typename Held<Value>::Item>>;
        if (optional) row("null", "");
        add_fields<typename Held<Value>::Item>(path + (optional ? "." : "[]."), rows);
      } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
        row("text", "[]");
      } else if constexpr (std::is_same_v<Value, std::vector<NoteValue>>) {
        row("number or text", "[]");
      } else {
        const FieldCell one = cell_of<Value>();
        const bool list = one.type.ends_with("numbers");
        row(one.type, !list ? "" : one.type.find("lists") != std::string::npos ? "[][]" : "[]", one.words);
      }
    }
  });
}

/// Replaces what stands between the two marks of \p name. \return false when the file was other than it should be
bool put(const std::string& file, const std::string& name, const std::string& table, bool only_check) {
  std::ifstream in(file);
  std::stringstream whole;
  whole << in.rdbuf();
  const std::string text = whole.str(), begin = "<!-- generated: " + name + " -->\n", end = "<!-- end -->";
  const std::size_t from = text.find(begin), to = text.find(end, from);
  if (from == std::string::npos || to == std::string::npos) {
    std::fprintf(stderr, "%s: no mark '%s'\n", file.c_str(), name.c_str());
    return false;
  }
  const std::string wanted = text.substr(0, from + begin.size()) + "\n" + table + "\n" + text.substr(to);
  if (wanted == text) return true;
  if (!only_check) {
    std::ofstream(file) << wanted;
    return true;
  }
  std::fprintf(stderr, "%s: the table '%s' is not what the code says; run `make docs`\n", file.c_str(), name.c_str());
  return false;
}

/// The table of some keys of a struct's file for each mark "fields of KEY, KEY" on its page; every key has its place
/// there, but those that \p elsewhere names.
template <class Struct>
bool put_summary(const std::string& file, bool only_check, std::initializer_list<const char*> elsewhere = {}) {
  std::map<std::string, std::string> rows;
  add_fields<Struct>("", rows);
  for (const char* key : elsewhere) rows.erase(key);
  std::stringstream page;
  page << std::ifstream(file).rdbuf();  // before it is written
  bool right = true;
  for (std::string line; std::getline(page, line);) {
    const std::string begin = "<!-- generated: ", fields = begin + "fields of ";
    if (!line.starts_with(fields)) continue;
    std::string table = "| key | in C++ and Python | type | unit | meaning |\n|---|---|---|---|---|\n";
    const std::string mark = line.substr(begin.size(), line.rfind(" -->") - begin.size());
    std::istringstream keys(mark.substr(fields.size() - begin.size()));
    for (std::string key; std::getline(keys >> std::ws, key, ',');) {
      table += rows[key];
      rows.erase(key);
    }
    right = put(file, mark, table, only_check) && right;
  }
  for (const auto& [key, table] : rows) std::fprintf(stderr, "%s: no mark has '%s'\n", file.c_str(), key.c_str());
  return right && rows.empty();
}

}  // namespace

int main(int argc, char** argv) {
  const bool only_check = argc == 3 && std::string_view(argv[1]) == "--check";
  if (argc != 2 && !only_check) return std::fprintf(stderr, "usage: docs_tables [--check] FOLDER\n"), 2;
  const std::string folder = argv[argc - 1];
  const bool options = put(folder + "/cli.md", "options", option_table(), only_check);
  const bool columns = put(folder + "/schema/steps.md", "columns", column_table(), only_check);
  // Baselines are as `audited`, and what a check finds is on its own page.
  const bool fields = put_summary<Audit>(folder + "/schema/summary.md", only_check, {"baselines", "check"});
  const bool findings = put_summary<CheckResult>(folder + "/schema/check.md", only_check);
  const bool whole = put_summary<WholeLog>(folder + "/schema/whole.md", only_check);
  const bool reasons = put(folder + "/reference/reasons.md", "reasons", reason_table(), only_check);
  return options && reasons && columns && fields && findings && whole ? 0 : 1;
}
