// Writes the tables that follow from the code: options (docs/reference/options.md), columns of steps.csv and fields of
// results (docs/reference/schemas.md). usage: docs_tables [--check] DOCS_FOLDER
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

/// Text for a cell: vertical bars are escaped, and a page of docs/ becomes a link from docs/reference.
std::string cell(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    if (text.starts_with("docs/")) {
      const std::string page(text.substr(5, text.find_first_of(" :;,)", 5) - 5));
      escaped += "[" + page + "](../" + page + ")";
      text.remove_prefix(5 + page.size());
      continue;
    }
    escaped += text.front() == '|' ? "\\|" : std::string(1, text.front());
    text.remove_prefix(1);
  }
  return escaped.empty() ? "–" : escaped;
}

/// What the default follows once the robot is known. F is the force that the endpoints are made for.
std::string followed(const OptionRow& row) {
  const std::string share = significant_text(row.share, 3);
  switch (row.follows) {
    case Follows::sign: return "; the robot's";
    case Follows::force: return "; " + share + " F";
    case Follows::limit: return "; " + share + " F, else 100 N";
    case Follows::foot_limit: return "; " + share + " weights";
    case Follows::nothing: break;
  }
  return {};
}

/// Units as tables show them: none for counts, ratios and names.
std::string unit_text(std::string_view unit) { return unit.empty() || unit == "1" || unit == "–" ? "" : cell(unit); }

/// Replaces every \p words in \p text.
void replace_all(std::string& text, std::string_view words, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(words, at)) != std::string::npos; at += by.size()) {
    text.replace(at, words.size(), by);
  }
}

/// Values that an option takes; empty where they are not negative or `true` and `false`, as the page says.
std::string values_text(const OptionRow& row) {
  std::string values;
  for (const std::string& choice : row.choices) values += (values.empty() ? "`" : ", `") + choice + "`";
  const bool is_number = row.type == OptionType::integer || row.type == OptionType::number;
  if (!is_number) return values;
  const std::string range = row.range.text();
  if (range != "zero or more" && range != "more than zero") values = range;
  if (row.type == OptionType::integer) values = values.empty() ? "whole" : "whole, " + values;
  replace_all(values, "zero or more", "≥ 0");
  replace_all(values, "more than zero", "> 0");
  replace_all(values, "at least", "≥");
  replace_all(values, "at most", "≤");
  replace_all(values, "more than", ">");
  replace_all(values, "less than", "<");
  replace_all(values, " and ", ", ");
  return values;
}

std::string option_table() {
  std::string text = "| option | default | meaning |\n|---|---|---|\n";
  for (const OptionGroup& group : OptionGroup::all()) {
    const auto defaults = group.make();
    for (const OptionRow& row : group.table->rows()) {
      const std::string unit = unit_text(row.info.unit), values = values_text(row);
      text += "| `" + group.table->group() + "." + row.info.name + "` | `" + row.read(defaults.get()) + "`" +
              (unit.empty() ? "" : " " + unit) + followed(row) + " | " + cell(row.info.meaning) +
              (values.empty() ? "" : " (" + values + ")") + " |\n";
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
    text += "| `" + column.name + "` | " + cell(column.unit) + " | " + cell(column.meaning) + " |\n";
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

/// The fields of a result: for each key at the top the objects below it, each with the rows of its members.
class FieldTables {
 public:
  /// Adds the members of \p Struct. \param object  path of the object; empty: the file itself
  template <class Struct>
  void add(const std::string& object) {
    visit_fields(static_cast<const Struct*>(nullptr), [&](const auto& field) {
      if constexpr (std::remove_cvref_t<decltype(field)>::use != FieldUse::python_only) {
        using Value = std::remove_cvref_t<decltype(value_of(field, std::declval<const Struct&>()))>;
        const std::string path = (object.empty() ? "" : object + ".") + key_of(field);
        const auto row = [&](const std::string& type, const std::string& end, std::string words = {}) {
          if (!words.empty()) {
            const auto [first, is_new] = words_of_.try_emplace(words, path);
            if (!is_new) words = "as `" + first->second + "`";
          }
          const std::string unit = unit_text(field.unit);
          const std::size_t dot = path.rfind('.');  // a key may name an object, too
          const std::string parent = dot == std::string::npos ? "" : path.substr(0, dot);
          const std::string leaf = dot == std::string::npos ? path : path.substr(dot + 1);
          rows_of(parent, path).text += "| `" + leaf + end + "` | " + type +
                                        (field.is_step || field.may_lack ? " or null" : "") +
                                        (unit.empty() ? "" : " [" + unit + "]") + " | " +
                                        (words.empty() || *field.meaning != '\0' ? cell(field.meaning) : "") +
                                        (!words.empty() && *field.meaning != '\0' ? ": " : "") + words + " |\n";
        };
        if constexpr (HasFields<Value>) {
          add_object<Value>(path);
        } else if constexpr (HasFields<typename Held<Value>::Item>) {
          const bool optional = std::is_same_v<Value, std::optional<typename Held<Value>::Item>>;
          if (optional) row("null", "");
          add_object<typename Held<Value>::Item>(path + (optional ? "" : "[]"));
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

  /// Removes a key of the file. Its own row goes to \p top, the rows of each object below it to \p objects, after a
  /// row with the object's path.
  void take(const std::string& key, std::string& top, std::string& objects) {
    for (const Object& object : objects_[key]) {
      if (object.path.empty()) {
        top += object.text;
      } else {
        objects +=
            "| **`" + object.path + "`** |" + (object.as.empty() ? "" : " | " + object.as + " |") + "\n" + object.text;
      }
    }
    objects_.erase(key);
  }

  std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    for (const auto& [key, objects] : objects_) keys.push_back(key);
    return keys;
  }

 private:
  struct Object {
    std::string path, text, as;
  };

  /// Adds an object, or names the one before it that has the same members.
  template <class Struct>
  void add_object(const std::string& path) {
    static const char kType = 0;
    const auto [first, is_new] = paths_.try_emplace(&kType, path);
    if (is_new) return add<Struct>(path);
    rows_of(path, path).as = "as `" + first->second + "`";
  }

  Object& rows_of(const std::string& object, const std::string& path) {
    std::vector<Object>& objects = objects_[path.substr(0, path.find_first_of(".["))];
    for (Object& one : objects) {
      if (one.path == object) return one;
    }
    return objects.emplace_back(Object{object, {}, {}});
  }

  std::map<std::string, std::vector<Object>> objects_;  // by key of the file
  std::map<const void*, std::string> paths_;            // by type: where it was first
  std::map<std::string, std::string> words_of_;         // by names of an enumeration: the first key that takes them
};

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

/// Writes a table for each mark "NAME: KEY, KEY" of the page; every key of the file has a mark, except \p elsewhere.
template <class Struct>
bool put_fields(const std::string& page, const std::string& name, bool only_check,
                std::initializer_list<const char*> elsewhere = {}) {
  FieldTables tables;
  tables.add<Struct>("");
  std::string left_out;
  for (const char* key : elsewhere) tables.take(key, left_out, left_out);
  std::stringstream text;
  text << std::ifstream(page).rdbuf();  // before it is written
  bool right = true;
  for (std::string line; std::getline(text, line);) {
    const std::string begin = "<!-- generated: ";
    if (!line.starts_with(begin + name + ": ")) continue;
    const std::string mark = line.substr(begin.size(), line.rfind(" -->") - begin.size());
    std::string top = "| key | type | meaning |\n|---|---|---|\n", objects;
    std::istringstream keys(mark.substr(name.size() + 2));
    for (std::string key; std::getline(keys >> std::ws, key, ',');) tables.take(key, top, objects);
    right = put(page, mark, top + objects, only_check) && right;
  }
  for (const std::string& key : tables.keys()) {
    std::fprintf(stderr, "%s: no mark of '%s' has '%s'\n", page.c_str(), name.c_str(), key.c_str());
    right = false;
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  const bool only_check = argc == 3 && std::string_view(argv[1]) == "--check";
  if (argc != 2 && !only_check) return std::fprintf(stderr, "usage: docs_tables [--check] FOLDER\n"), 2;
  const std::string folder = std::string(argv[argc - 1]) + "/reference", schemas = folder + "/schemas.md";
  const bool options = put(folder + "/options.md", "options", option_table(), only_check);
  const bool reasons = put(folder + "/reasons.md", "reasons", reason_table(), only_check);
  const bool columns = put(schemas, "columns", column_table(), only_check);
  // Baselines are as `audited`, and a check has tables of its own.
  const bool audit = put_fields<Audit>(schemas, "audit", only_check, {"baselines", "check"});
  const bool check = put_fields<CheckResult>(schemas, "check", only_check);
  const bool whole = put_fields<WholeLog>(schemas, "whole", only_check);
  return options && reasons && columns && audit && check && whole ? 0 : 1;
}
