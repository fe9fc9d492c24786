#include "antaeus/io/table.hpp"

#include <algorithm>
#include <utility>

#include "antaeus/core/error.hpp"
#include "antaeus/io/table_parts.hpp"
#include "io/text.hpp"

namespace antaeus {

void TextColumn::push_back(std::string_view text) {
  // Logs repeat themselves: the row before is the likeliest match.
  if (!codes.empty() && levels[codes.back()] == text) {
    codes.push_back(codes.back());
    return;
  }
  const auto found = std::find(levels.begin(), levels.end(), text);
  codes.push_back(static_cast<std::int32_t>(found - levels.begin()));
  if (found == levels.end()) levels.emplace_back(text);
}

std::size_t Column::size() const noexcept {
  if (const auto* const numbers = std::get_if<std::vector<double>>(&data)) return numbers->size();
  if (const auto* const integers = std::get_if<std::vector<std::int64_t>>(&data)) return integers->size();
  const auto* const text = std::get_if<TextColumn>(&data);
  return text ? text->size() : 0;
}

void Table::add(Column column) {
  const std::string place = "column '" + column.name + "'";
  if (places_.contains(column.name)) throw Error(place, "the table has a column of this name", "rename one of them");
  if (!columns_.empty() && column.size() != rows()) {
    throw Error(place, "has " + std::to_string(column.size()) + " rows where the table has " + std::to_string(rows()),
                "give every column the same length");
  }
  if (const auto* const text = std::get_if<TextColumn>(&column.data)) {
    const auto in_range = [&](std::int32_t code) {
      return code >= 0 && static_cast<std::size_t>(code) < text->levels.size();
    };
    if (!std::all_of(text->codes.begin(), text->codes.end(), in_range)) {
      throw Error(place, "a code points to no level", "fill text columns with push_back");
    }
  }
  columns_.push_back(std::move(column));
  places_.emplace(columns_.back().name, columns_.size() - 1);
}

std::string TextCell::place(const std::string& column) const {
  const std::string at = line > 0 ? " (line " + std::to_string(line) + ")" : "";
  return "column '" + column + "'" + at + ", row " + std::to_string(row);
}

const Column& Table::column(std::string_view name) const {
  if (const auto found = places_.find(name); found != places_.end()) return columns_[found->second];
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  const UnknownName unknown = unknown_name("column", name, names);
  throw Error("table", unknown.problem, unknown.remedy);
}

std::vector<double> Table::numbers(std::string_view name) const {
  const Column& found = column(name);
  if (const auto* const numbers = std::get_if<std::vector<double>>(&found.data)) return *numbers;
  if (const auto* const integers = std::get_if<std::vector<std::int64_t>>(&found.data)) {
    std::vector<double> converted(integers->size());
    std::transform(integers->begin(), integers->end(), converted.begin(),
                   [](std::int64_t value) { return static_cast<double>(value); });
    return converted;
  }
  const TextCell cell = first_text(name);
  if (cell.text.empty())
    throw Error("column '" + found.name + "'", "holds text where numbers are needed", "name a numeric column");
  throw Error(cell.place(found.name), "'" + cell.text + "' is text where a number is needed",
              "correct the cell or leave it empty");
}

TextCell Table::first_text(std::string_view name) const {
  const auto& text = std::get<TextColumn>(column(name).data);
  TextCell cell;
  bool stamps = false;  // a column that begins with time stamps
  for (std::size_t row = 0; row < text.size(); ++row) {
    if (text[row].empty()) continue;
    if (!cell.after_numbers) stamps = parse_time_stamp(text[row]).has_value();
    if (stamps ? parse_time_stamp(text[row]) : parse_number(text[row])) {
      cell.after_numbers = true;
      continue;
    }
    cell.row = row, cell.line = text.first_line, cell.text = excerpt(text[row]);
    break;
  }
  return cell;
}

namespace {

void append_cells(std::vector<double>& to, const std::vector<double>& rows) {
  to.insert(to.end(), rows.begin(), rows.end());
}
void append_cells(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& rows) {
  to.insert(to.end(), rows.begin(), rows.end());
}
void append_cells(TextColumn& to, const TextColumn& rows) {
  std::vector<std::int32_t> place;
  for (const std::string& level : rows.levels) {
    const auto known = std::ranges::find(to.levels, level);
    place.push_back(static_cast<std::int32_t>(known - to.levels.begin()));
    if (known == to.levels.end()) to.levels.push_back(level);
  }
  for (const std::int32_t code : rows.codes) to.codes.push_back(place[static_cast<std::size_t>(code)]);
}

}  // namespace

void join_rows(std::vector<Column>& columns, const Table& part) {
  if (columns.empty()) {
    columns = part.columns();
    return;
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto add = [&](auto& data) {
      append_cells(data, std::get<std::decay_t<decltype(data)>>(part.columns()[i].data));
    };
    std::visit(add, columns[i].data);
  }
}

}  // namespace antaeus
