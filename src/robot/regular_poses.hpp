#pragma once
// What a robot can do in regular poses: one pose may be singular by chance, several are not. Private to the library.

#include "antaeus/core/api.hpp"
#include "antaeus/robot/robot_model.hpp"

namespace antaeus::detail {

/// \throws ModelError where M is singular in every pose tried: a joint then accelerates without a torque. The message
/// names the joint and the link that it moves.
ANTAEUS_API void check_inertia(const RobotModel& model);

/// How many directions of a frame its motors move, 0 to 6: the rank of its Jacobian in regular poses. So many singular
/// values are the frame's own, and κ is over these; whatever else the robot moves adds zeros that say nothing of it.
ANTAEUS_API int moved_directions(const RobotModel& model, FrameId frame);

}  // namespace antaeus::detail
