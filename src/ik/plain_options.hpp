#pragma once
#include "antaeus/ik/ik_run.hpp"

namespace antaeus::detail {

/// What a plain method takes from the options of a run.
PlainOptions plain_options(IkMethod method, const ReachOptions& options);

}  // namespace antaeus::detail
