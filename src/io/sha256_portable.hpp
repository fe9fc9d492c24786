#pragma once
// For the test that holds the processor's own instructions to it.
#include <string>
#include <string_view>

#include "antaeus/core/api.hpp"

namespace antaeus::detail {

/// sha256() by what every processor can do.
ANTAEUS_API std::string sha256_portable(std::string_view bytes);

}  // namespace antaeus::detail
