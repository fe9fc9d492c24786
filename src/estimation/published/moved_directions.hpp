#pragma once
// How many directions of a frame its motors move. Private to the library.

#include "antaeus/core/api.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/robot/robot_model.hpp"

namespace antaeus::detail {

/// Positions of all motors, within their limits: the \p pose-th of a sequence that is spread over them, 0 and more. One
/// may be singular by chance, eight are not.
VectorX regular_pose(const RobotModel& model, int pose);

/// The rank of the frame's Jacobian in regular poses, 0 to 6. So many singular values are the frame's own, and κ is
/// over these; whatever else the robot moves adds zeros that say nothing of it.
ANTAEUS_API int moved_directions(const RobotModel& model, FrameId frame);

}  // namespace antaeus::detail
