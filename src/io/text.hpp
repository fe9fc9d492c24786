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

/// Seconds since 1970 of a time stamp as ISO 8601 and RFC 3339 write it: "2026-03-04T10:00:00.005Z", with a space for
/// the T, an offset "+01:00" or none, which is UTC, and a comma for the point. Empty for anything else.
ANTAEUS_API std::optional<double> parse_time_stamp(std::string_view cell);

/// A third-party text, short enough to be shown in a message.
ANTAEUS_API std::string excerpt(std::string_view text);

}  // namespace antaeus
