#pragma once
/// \file
/// Text helpers that the readers and writers of this module share; exported where components use them.

#include <optional>
#include <string>
#include <string_view>

#include "antaeus/core/api.hpp"

namespace antaeus {

/// The text with each byte that is no part of well-formed UTF-8 replaced by U+FFFD (RFC 3629: no surrogates, no
/// overlong forms).
std::string valid_utf8(std::string_view text);

/// The number that a cell holds: spaces around it and a plus sign are allowed, "nan" and "inf" count, nothing may
/// follow. Empty when it holds none, or one beyond the range of a double.
ANTAEUS_API std::optional<double> parse_number(std::string_view cell);

/// A stranger's text, short enough to be shown in a message.
ANTAEUS_API std::string excerpt(std::string_view text);

}  // namespace antaeus
