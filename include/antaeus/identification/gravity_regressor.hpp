#pragma once
/// \file
/// What a change of masses does to the torques of gravity: the part of the inertial regressor that a robot at rest
/// shows.

#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/robot/dynamics.hpp"

namespace antaeus {

/// g(q) = g₀(q) + Y(q) θ: four columns a body, its mass [kg] and first moment m c [kg·m] in the axes of its joint.
///
/// A body is all that moves with one motor: the links that fixed and locked joints hold together. Bodies that no row
/// carries have no columns. Exact for any robot: a mass m with first moment h pulls at its joint frame with the force
/// m γ and the moment (R h) × γ, γ free fall, and both reach the rows through the frame's Jacobian.
class ANTAEUS_API GravityRegressor {
 public:
  /// \param rows  motors whose torques are asked for, in the order of Y's rows
  /// \throws OptionsError for a motor that is none
  GravityRegressor(const RobotModel& model, std::vector<int> rows);

  const std::vector<int>& rows() const noexcept { return rows_; }
  /// Motors whose bodies have columns, ascending.
  const std::vector<int>& bodies() const noexcept { return bodies_; }
  /// Places in bodies() that row \p row carries: the others' columns are zero in it, whatever the pose.
  const std::vector<int>& carried(std::size_t row) const noexcept { return carried_[row]; }
  Eigen::Index parameters() const noexcept { return 4 * static_cast<Eigen::Index>(bodies_.size()); }
  /// Natural size of each parameter, for priors: max(m, 0.2 kg) · (1; 0.1 m × 3), m the description's mass of the body.
  const VectorX& scale() const noexcept { return scale_; }

  /// \param free_fall  γ in the axes that \p terms call world [m/s²]
  /// \param Y  rows × parameters() [N·m/kg, N·m/(kg·m)]; NaN unless `ok`
  /// \realtime (held_pose_realtime_test)
  Status compute(const PositionTerms& terms, const Vector3& free_fall, MatrixRef Y) noexcept;

 private:
  std::vector<int> rows_, bodies_;
  std::vector<int> velocity_rows_;  ///< row of v of each of rows_
  std::vector<std::vector<int>> carried_;
  std::vector<FrameId> frames_;
  VectorX scale_;
  Matrix6X jacobian_;
};

}  // namespace antaeus
