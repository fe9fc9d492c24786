#pragma once
// UTF-8 as it may come from strangers.

#include <cstddef>
#include <string_view>

namespace antaeus {

/// Length of the well-formed sequence that begins at \p at, 0 when none does (Unicode 15, table 3-7).
std::size_t utf8_length(std::string_view text, std::size_t at) noexcept;
/// The code point of a well-formed sequence of that length.
char32_t utf8_code_point(std::string_view text, std::size_t at, std::size_t length) noexcept;
/// Whether the code point would steer who shows it rather than be shown: control characters (C0, DEL, C1), line and
/// paragraph separators, and what turns the direction of writing, which makes a name read as another one.
bool is_steering(char32_t code) noexcept;

}  // namespace antaeus
