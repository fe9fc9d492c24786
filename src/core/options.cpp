#include "antaeus/core/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"

namespace antaeus {

namespace {

template <class Number>
Number parse(std::string_view text, const Range& range, const std::string& place) {
  Number parsed{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (whole && range.holds(parsed)) return parsed;
  const char* kind = std::is_integral_v<Number> ? "a whole number, " : "a number, ";
  throw OptionsError(place, "'" + std::string(text.substr(0, 60)) + "' is not a number that fits",
                     "write " + (kind + range.text()));
}

bool parse_switch(std::string_view text, const std::string& place) {
  if (text != "true" && text != "false") {
    throw OptionsError(place, "'" + std::string(text.substr(0, 60)) + "' is not a switch", "write true or false");
  }
  return text == "true";
}

/// Of ASCII, whatever the locale.
char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::vector<OptionGroup>& groups() {
  static std::vector<OptionGroup> all;
  return all;
}

}  // namespace

int detail::parse_integer(std::string_view text, const Range& range, const std::string& place) {
  return parse<int>(text, range, place);
}
double detail::parse_number(std::string_view text, const Range& range, const std::string& place) {
  return parse<double>(text, range, place);
}

bool Range::holds(double value) const noexcept {
  if (!std::isfinite(value)) return false;
  return (lowest_allowed ? value >= lowest : value > lowest) && (highest_allowed ? value <= highest : value < highest);
}

std::string Range::text() const {
  if (lowest == -kInfinity && highest == kInfinity) return "any finite one";
  const std::string from = lowest_allowed ? (lowest == 0 ? "zero or more" : "at least " + shortest_text(lowest))
                                          : (lowest == 0 ? "more than zero" : "more than " + shortest_text(lowest));
  if (highest == kInfinity) return from;
  const std::string to = (highest_allowed ? "at most " : "less than ") + shortest_text(highest);
  return lowest == -kInfinity ? to : from + " and " + to;
}

std::string OptionRow::read(const void* options) const {
  const void* field = static_cast<const char*>(options) + offset;
  switch (type) {
    case OptionType::switch_: return *static_cast<const bool*>(field) ? "true" : "false";
    case OptionType::integer: return std::to_string(*static_cast<const int*>(field));
    case OptionType::number: return shortest_text(*static_cast<const double*>(field));
    case OptionType::choice: return std::string(name_of(field));
    case OptionType::text: break;
  }
  return *static_cast<const std::string*>(field);
}

void OptionRow::write(void* options, std::string_view text, const std::string& place) const {
  void* field = static_cast<char*>(options) + offset;
  switch (type) {
    case OptionType::switch_: *static_cast<bool*>(field) = parse_switch(text, place); break;
    case OptionType::integer: *static_cast<int*>(field) = parse<int>(text, range, place); break;
    case OptionType::number: *static_cast<double*>(field) = parse<double>(text, range, place); break;
    case OptionType::choice: choose(field, text, place); break;
    case OptionType::text: *static_cast<std::string*>(field) = text; break;
  }
}

double OptionRow::number(const void* options) const noexcept {
  const void* field = static_cast<const char*>(options) + offset;
  if (type == OptionType::integer) return *static_cast<const int*>(field);
  return type == OptionType::number ? *static_cast<const double*>(field) : kNaN;
}

namespace detail {

void set_option(const OptionTable& table, void* options, const std::string& place, std::string_view name,
                std::string_view text) {
  const OptionRow& row = table.find(name, place);
  row.write(options, text, place + "." + row.info.name);
}

void check_options(const OptionTable& table, const void* options) {
  for (const OptionRow& row : table.rows()) {
    if (row.type != OptionType::integer && row.type != OptionType::number) continue;
    if (row.range.holds(row.number(options))) continue;
    const std::string place = table.group().empty() ? row.info.name : table.group() + "." + row.info.name;
    throw OptionsError(place, row.read(options) + " is out of range", "give a number, " + row.range.text());
  }
}

std::vector<OptionValue> list_options(const OptionTable& table, const void* options) {
  std::vector<OptionValue> listed;
  for (const OptionRow& row : table.rows())
    listed.push_back({table.group(), row.info, row.read(options), row.info.source, {}});
  return listed;
}

}  // namespace detail

OptionTable::OptionTable(std::string group, std::initializer_list<Entry> entries) : group_(std::move(group)) {
  for (const Entry& entry : entries) rows_.insert(rows_.end(), entry.rows.begin(), entry.rows.end());
}

const OptionRow& OptionTable::find(std::string_view name, const std::string& place) const {
  std::vector<std::string> names;
  const OptionRow* alike = nullptr;
  for (const OptionRow& row : rows_) {
    const std::string_view own = row.info.name;
    if (name == own) return row;
    if (std::ranges::equal(name, own, {}, lower_case, lower_case)) alike = &row;
    names.emplace_back(own);
  }
  if (alike) return *alike;
  throw_unknown<OptionsError>(place, "option", name, names);
}

OptionGroup::OptionGroup(const OptionTable& options, std::function<std::shared_ptr<void>()> make_defaults)
    : table(&options), make(std::move(make_defaults)) {
  std::vector<OptionGroup>& all = groups();
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const OptionGroup& other) { return other.table->group() > options.group(); });
  all.insert(at, *this);
}

const std::vector<OptionGroup>& OptionGroup::all() { return groups(); }

}  // namespace antaeus
