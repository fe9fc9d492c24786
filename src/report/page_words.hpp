#pragma once
// Words and sizes that several pages share.
#include <string>

namespace antaeus::detail {

inline constexpr std::size_t kMostRows = 30;  ///< of a table that is not folded
inline constexpr double kDegrees = 57.29577951308232;

inline std::string counted(std::ptrdiff_t n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}
/// With a capital letter in front.
inline std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace antaeus::detail
