#include "antaeus/core/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "antaeus/core/option_table.hpp"

namespace antaeus {

namespace {

template <class Number>
std::string digits_of(Number value) {
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

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

/// Of ASCII, whatever the locale.
char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::vector<OptionGroup>& groups() {
  static std::vector<OptionGroup> all;
  return all;
}

}  // namespace

bool Range::holds(double value) const noexcept {
  if (!std::isfinite(value)) return false;
  return (lowest_allowed ? value >= lowest : value > lowest) && (highest_allowed ? value <= highest : value < highest);
}

std::string Range::text() const {
  if (lowest == -kInfinity && highest == kInfinity) return "any finite one";
  const std::string from = lowest_allowed ? (lowest == 0 ? "zero or more" : "at least " + digits_of(lowest))
                                          : (lowest == 0 ? "more than zero" : "more than " + digits_of(lowest));
  if (highest == kInfinity) return from;
  const std::string to = (highest_allowed ? "at most " : "less than ") + digits_of(highest);
  return lowest == -kInfinity ? to : from + " and " + to;
}

namespace detail {

std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(int value) { return digits_of(value); }
std::string text_of(double value) { return digits_of(value); }
std::string three_digits(double value) {
  std::array<char, 40> digits{};
  return {digits.data(),
          std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::general, 3).ptr};
}

bool parse_switch(std::string_view text, const std::string& place) {
  if (text != "true" && text != "false") {
    throw OptionsError(place, "'" + std::string(text.substr(0, 60)) + "' is not a switch", "write true or false");
  }
  return text == "true";
}
int parse_integer(std::string_view text, const Range& range, const std::string& place) {
  return parse<int>(text, range, place);
}
double parse_number(std::string_view text, const Range& range, const std::string& place) {
  return parse<double>(text, range, place);
}

void set_option(const OptionTable& table, void* options, const std::string& place, std::string_view name,
                std::string_view text) {
  const OptionRow& row = table.find(name, place);
  row.write(options, text, place + "." + row.info.name);
}

void check_options(const OptionTable& table, const void* options) {
  for (const OptionRow& row : table.rows()) {
    if (row.type != OptionType::integer && row.type != OptionType::number) continue;
    const std::string text = row.read(options);
    double value = kNaN;
    std::from_chars(text.data(), text.data() + text.size(), value);
    if (row.range.holds(value)) continue;
    const std::string place = table.group().empty() ? row.info.name : table.group() + "." + row.info.name;
    throw OptionsError(place, text + " is out of range", "give a number, " + row.range.text());
  }
}

std::vector<OptionValue> list_options(const OptionTable& table, const void* options) {
  std::vector<OptionValue> listed;
  for (const OptionRow& row : table.rows())
    listed.push_back({table.group(), row.info, row.read(options), row.info.source});
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
