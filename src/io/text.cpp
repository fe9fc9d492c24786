#include "io/text.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <string>
#include <system_error>

#include "core/utf8.hpp"

namespace antaeus {

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) {
      valid += "\xEF\xBF\xBD";
      ++at;
    } else {
      valid.append(text, at, length);
      at += length;
    }
  }
  return valid;
}

std::optional<double> parse_number(std::string_view cell) {
  constexpr std::string_view kBlank = " \t";
  const std::size_t first = cell.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return std::nullopt;
  cell = cell.substr(first, cell.find_last_not_of(kBlank) - first + 1);
  if (cell.front() == '+') {
    cell.remove_prefix(1);
    if (cell.empty() || cell.front() == '-') return std::nullopt;
  }
  double value = 0.0;
  const auto [end, failure] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (failure != std::errc{} || end != cell.data() + cell.size()) return std::nullopt;
  return value;
}

namespace {

/// Days from 1970-01-01 to a date of the Gregorian calendar; empty for a day that does not exist.
std::optional<int> days_since_1970(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return static_cast<int>(std::chrono::sys_days(date).time_since_epoch().count());
}

}  // namespace

std::optional<double> parse_time_stamp(std::string_view cell) {
  constexpr std::string_view kBlank = " \t";
  cell.remove_prefix(std::min(cell.find_first_not_of(kBlank), cell.size()));
  cell.remove_suffix(cell.size() - std::min(cell.find_last_not_of(kBlank) + 1, cell.size()));
  // "2026-03-04T10:00:00": digits and what is between them.
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  if (cell.size() < kForm.size()) return std::nullopt;
  std::string part(cell.substr(0, kForm.size()));
  if (part[10] == ' ' || part[10] == 't') part[10] = 'T';
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = part[i] >= '0' && part[i] <= '9';
    if (kForm[i] == '0' ? !digit : part[i] != kForm[i]) return std::nullopt;
  }
  const auto number = [](std::string_view digits) {
    int value = 0;
    for (const char c : digits) value = 10 * value + (c - '0');
    return value;
  };
  const auto of = [&](std::size_t at, std::size_t count) { return number(std::string_view(part).substr(at, count)); };
  const std::optional<int> days = days_since_1970(of(0, 4), of(5, 2), of(8, 2));
  const int hour = of(11, 2), minute = of(14, 2), second = of(17, 2);
  if (!days || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  double seconds = 86400.0 * *days + 3600.0 * hour + 60.0 * minute + second;

  cell.remove_prefix(kForm.size());
  if (cell.starts_with('.') || cell.starts_with(',')) {
    const std::size_t digits = std::min(cell.find_first_not_of("0123456789", 1), cell.size()) - 1;
    const std::optional<double> fraction = parse_number("0." + std::string(cell.substr(1, digits)));
    if (digits == 0 || !fraction) return std::nullopt;
    seconds += *fraction;
    cell.remove_prefix(digits + 1);
  }
  if (cell.starts_with(' ')) cell.remove_prefix(1);
  if (cell.empty() || cell == "Z" || cell == "z" || cell == "UTC") return seconds;
  const double sign = cell.front() == '+' ? 1.0 : cell.front() == '-' ? -1.0 : 0.0;
  std::string offset;
  for (const char c : cell.substr(1)) {
    if (c != ':') offset += c;
  }
  const bool digits = offset.find_first_not_of("0123456789") == std::string::npos;
  if (sign == 0.0 || !digits || (offset.size() != 2 && offset.size() != 4)) return std::nullopt;
  const int minutes = offset.size() == 4 ? number(std::string_view(offset).substr(2)) : 0;
  return seconds - sign * (3600.0 * number(std::string_view(offset).substr(0, 2)) + 60.0 * minutes);
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t kShown = 80;
  return text.size() <= kShown ? valid_utf8(text) : valid_utf8(text.substr(0, kShown)) + "…";
}

}  // namespace antaeus
