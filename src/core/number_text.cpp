#include "antaeus/core/number_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace antaeus {

namespace {

// A double has up to 309 digits before the point; nobody asks for so many behind it that 64 more are too few.
constexpr std::size_t kLongest = 384;

std::string formatted(double value, std::chars_format format, int digits) {
  if (std::isnan(value)) return "nan";  // to_chars would show its sign, which means nothing
  std::array<char, kLongest> buffer;
  const auto [end, failure] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, digits);
  return failure == std::errc{} ? std::string(buffer.data(), end) : shortest_text(value);
}

}  // namespace

void append_shortest(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "nan";
    return;
  }
  std::array<char, 32> buffer;  // of which the longest double takes 24
  text.append(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr);
}

std::string shortest_text(double value) {
  std::string text;
  append_shortest(text, value);
  return text;
}

std::string significant_text(double value, int digits) { return formatted(value, std::chars_format::general, digits); }
std::string fixed_text(double value, int digits) { return formatted(value, std::chars_format::fixed, digits); }
std::string scientific_text(double value, int digits) {
  return formatted(value, std::chars_format::scientific, digits);
}

double rounded_to(double value, int digits) {
  if (!std::isfinite(value)) return value;
  const std::string text = scientific_text(value, digits - 1);
  double rounded = value;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

std::string without_end_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string raised_text(int number) {
  constexpr std::array<std::string_view, 10> kRaised = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : std::to_string(number)) text += c == '-' ? "⁻" : kRaised[static_cast<std::size_t>(c - '0')];
  return text;
}

std::string display_number(double value, int digits) {
  if (!std::isfinite(value)) return "–";
  std::string text = fixed_text(value, digits);
  if (text[0] != '-') return text;
  text.erase(0, 1);
  return text.find_first_not_of("0.") == std::string::npos ? text : "−" + text;
}

int display_digits(double value) {
  const double size = std::abs(value);
  if (!(size < 100.0)) return 0;
  if (size >= 10.0) return 1;
  if (size >= 1.0) return 2;
  if (size >= 0.01 || size == 0.0) return 3;
  return std::min(12, 1 - static_cast<int>(std::floor(std::log10(size))));
}

}  // namespace antaeus
