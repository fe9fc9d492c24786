#pragma once
/// \file
/// What a joint's position does to all that hangs on it.

#include "antaeus/core/api.hpp"
#include "antaeus/core/pose.hpp"
#include "antaeus/robot/robot_description.hpp"

namespace antaeus {

/// X of the joint's frame at \p position [rad|m] in the same frame at zero; identity for a joint that does not move.
ANTAEUS_API Pose joint_pose(const JointDescription& joint, double position);

}  // namespace antaeus
