#pragma once
/// \file
/// Words of the language that messages and reports are written in.

#include <string>
#include <vector>

#include "antaeus/core/api.hpp"

namespace antaeus {

/// "a", "a and b", "a, b and c"; empty for none.
ANTAEUS_API std::string listed(const std::vector<std::string>& words);

}  // namespace antaeus
