// Writes the tables of docs/ that follow from the code: options (docs/cli.md) and columns (docs/schema/steps.md).
// usage: docs_tables [--check] DOCS_FOLDER
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "antaeus/audit/reconstruction.hpp"
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
    case Follows::weight: return "; " + share + " weights";
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

std::string column_table() {
  std::string text = "| column | unit | meaning |\n|---|---|---|\n";
  const Table steps = steps_table(Reconstruction{});
  for (const Column& column : steps.columns()) {
    text += "| `" + column.name + "` | " + cell(column.unit) + " | " + cell(column.meaning, "../") + " |\n";
  }
  return text;
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

}  // namespace

int main(int argc, char** argv) {
  const bool only_check = argc == 3 && std::string_view(argv[1]) == "--check";
  if (argc != 2 && !only_check) return std::fprintf(stderr, "usage: docs_tables [--check] FOLDER\n"), 2;
  const std::string folder = argv[argc - 1];
  const bool options = put(folder + "/cli.md", "options", option_table(), only_check);
  const bool columns = put(folder + "/schema/steps.md", "columns", column_table(), only_check);
  return options && columns ? 0 : 1;
}
