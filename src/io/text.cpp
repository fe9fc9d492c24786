#include "io/text.hpp"

#include <charconv>
#include <cmath>
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

std::string excerpt(std::string_view text) {
  constexpr std::size_t kShown = 80;
  return text.size() <= kShown ? valid_utf8(text) : valid_utf8(text.substr(0, kShown)) + "…";
}

}  // namespace antaeus
