#pragma once
/// \file
/// How many limbs a description has, and how far it reaches. The number is what decides whether a robot of which nobody
/// says more stands bolted to the world.

#include "antaeus/core/api.hpp"
#include "antaeus/robot/robot_description.hpp"

namespace antaeus {

/// Legs and arms. A limb is a branch of three movable joints or more that leaves the body within three movable joints
/// of the root: waists fork the body, and what forks further out is a hand, with the fingers of its arm. Branches of
/// fewer joints (a head, a wheel, a gripper's jaw) are no limbs, unless the robot has no branch of three at all: then
/// those that are as long as its longest count. A chain has one limb, a description without movable joints none.
ANTAEUS_API int limb_count(const RobotDescription& description);

/// The farthest that links reach from the root, stretched out [m].
ANTAEUS_API double longest_reach(const RobotDescription& description);

/// Whether the description frees its own root by a joint of type floating or planar: the root is then the world.
ANTAEUS_API bool frees_itself(const RobotDescription& description);

}  // namespace antaeus
