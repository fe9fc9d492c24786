#pragma once
/// \file
/// Bytes as text, where a text file must hold them: base64 (RFC 4648, §4), with padding and without line breaks.

#include <optional>
#include <string>
#include <string_view>

#include "antaeus/core/api.hpp"

namespace antaeus {

ANTAEUS_API std::string to_base64(std::string_view bytes);
/// Nothing for a text that to_base64() does not give.
ANTAEUS_API std::optional<std::string> from_base64(std::string_view text);

}  // namespace antaeus
