#pragma once
// Whether a mass matrix can be inverted at all. Private to the library.

#include "antaeus/core/api.hpp"
#include "antaeus/robot/robot_model.hpp"

namespace antaeus::detail {

/// \throws ModelError where M is singular in every pose tried: a joint then accelerates without a torque; and for an
/// inertia that no body has. The message names the joint and the link that it moves.
ANTAEUS_API void check_inertia(const RobotModel& model);

}  // namespace antaeus::detail
