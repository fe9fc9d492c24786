#include "io/text.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include "antaeus/io/files.hpp"

namespace antaeus {

namespace {

/// Length of the well-formed sequence that begins at \p at, 0 when none does (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool overlong = lead == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = lead == 0xED && byte(1) > 0x9F;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool overlong = lead == 0xF0 && byte(1) < 0x90;
    const bool beyond = lead == 0xF4 && byte(1) > 0x8F;
    return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
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

std::string shortest_text(double value) {
  if (std::isnan(value)) return "nan";  // to_chars would show the sign of a NaN, which means nothing
  char buffer[32];
  const auto [end, failure] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return failure == std::errc{} ? std::string(buffer, end) : std::string("nan");
}

}  // namespace antaeus
