#pragma once
// How many directions of a frame its motors move. Private to the library.

#include <optional>

#include "antaeus/core/api.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/robot/robot_model.hpp"

namespace antaeus::detail {

/// Positions of all motors, within their limits: the \p pose-th of a sequence that is spread over them, 0 and more. One
/// may be singular by chance, eight are not.
VectorX regular_pose(const RobotModel& model, int pose);

/// Directions in which the motors move a frame.
struct MovedDirections {
  /// Rank of its Jacobian in regular poses, 0 to 6; of a planar frame the rank of its linear rows, 0 to 2. So many
  /// singular values are the frame's own, and κ is over these.
  int count = 0;
  /// Projector onto the plane in which the frame moves, as the tool of a planar arm, in base axes; else empty.
  std::optional<Matrix3> plane;
};
ANTAEUS_API MovedDirections moved_directions(const RobotModel& model, FrameId frame);

/// Leaves of the Jacobian of a frame that moves in a plane its linear rows there: torques are then explained by a force
/// alone (incident report, Figure 1: J is 2 × 3). \param plane  projector in base axes
ANTAEUS_API void restrict_to_plane(const Matrix3& plane, const Matrix3& R_WB, Matrix6X& J) noexcept;

}  // namespace antaeus::detail
