#include "antaeus/io/base64.hpp"

#include <algorithm>

namespace antaeus {

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    const auto at = [&](std::size_t k) -> unsigned { return k < left ? static_cast<unsigned char>(bytes[i + k]) : 0U; };
    const unsigned group = at(0) << 16U | at(1) << 8U | at(2);
    text += kDigits[group >> 18U];
    text += kDigits[group >> 12U & 63U];
    text += left > 1 ? kDigits[group >> 6U & 63U] : '=';
    text += left > 2 ? kDigits[group & 63U] : '=';
  }
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
      const std::size_t digit = k < 4 - padding ? kDigits.find(text[i + k]) : 0;
      if (digit == std::string_view::npos) return std::nullopt;
      group = group << 6U | static_cast<unsigned>(digit);
    }
    for (std::size_t k = 0; k < 3 - padding; ++k) bytes += static_cast<char>(group >> (16U - 8U * k) & 255U);
  }
  // What does not fill a byte must be zero, or two texts would stand for the same bytes.
  if (to_base64(bytes) != text) return std::nullopt;
  return bytes;
}

}  // namespace antaeus
