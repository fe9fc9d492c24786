#include "antaeus/io/base64.hpp"

#include <array>
#include <cstdint>

namespace antaeus {

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::uint8_t kNoDigit = 64;
constexpr std::array<std::uint8_t, 256> kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}();

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  char* out = text.data();
  const auto at = [&](std::size_t i) -> unsigned { return static_cast<unsigned char>(bytes[i]); };
  const auto digit = [](unsigned group, unsigned shift) { return kDigits[group >> shift & 63U]; };
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3, out += 4) {
    const unsigned group = at(i) << 16U | at(i + 1) << 8U | at(i + 2);
    out[0] = digit(group, 18);
    out[1] = digit(group, 12);
    out[2] = digit(group, 6);
    out[3] = digit(group, 0);
  }
  if (i == bytes.size()) return text;
  const bool two = i + 2 == bytes.size();
  const unsigned group = at(i) << 16U | (two ? at(i + 1) << 8U : 0U);
  out[0] = digit(group, 18);
  out[1] = digit(group, 12);
  if (two) out[2] = digit(group, 6);
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const std::size_t padding = !last ? 0 : text[i + 3] != '=' ? 0 : text[i + 2] != '=' ? 1 : 2;
    unsigned group = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const unsigned digit = k < 4 - padding ? kValues[static_cast<unsigned char>(text[i + k])] : 0U;
      if (digit == kNoDigit) return std::nullopt;
      group = group << 6U | digit;
    }
    for (std::size_t k = 0; k < 3 - padding; ++k) bytes += static_cast<char>(group >> (16U - 8U * k) & 255U);
  }
  // What does not fill a byte must be zero, or two texts would stand for the same bytes.
  if (to_base64(bytes) != text) return std::nullopt;
  return bytes;
}

}  // namespace antaeus
