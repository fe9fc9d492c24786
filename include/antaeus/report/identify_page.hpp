#pragma once
/// \file
/// antaeus identify: what the torques read while nothing touches, how sure that is, and what it is good for.

#include "antaeus/core/api.hpp"
#include "antaeus/identification/identify.hpp"
#include "antaeus/report/page.hpp"

namespace antaeus {

/// Also of a result in which nothing was identified: it says what is missing.
ANTAEUS_API Page identify_page(const IdentifyResult& result);

}  // namespace antaeus
