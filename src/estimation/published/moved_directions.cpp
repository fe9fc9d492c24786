#include "estimation/published/moved_directions.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/numerics/small_svd.hpp"
#include "antaeus/robot/dynamics.hpp"

namespace antaeus::detail {

namespace {

constexpr int kRegularPoses = 8;
/// Below this share of the largest a singular value is rounding. Metres count over a lever of 0.3 m.
constexpr double kMovedShare = 1e-8, kLever = 0.3;
/// Below this share of its motion a frame does not leave its plane: π/2 written as 1.57 tilts an axis by 8e-4 rad.
constexpr double kPlaneShare = 2e-3;

/// A position of a joint within its limits, and within a turn.
double within_limits(const RobotModel& model, Eigen::Index motor, double share) {
  const double lower = model.lower_limits()[motor], upper = model.upper_limits()[motor];
  const double from = std::isfinite(lower) ? lower : std::isfinite(upper) ? upper - 3.0 : -3.0;
  return from + share * ((std::isfinite(upper) ? upper : from + 6.0) - from);
}

}  // namespace

VectorX regular_pose(const RobotModel& model, int pose) {
  VectorX positions(model.motor_count());
  for (Eigen::Index m = 0; m < positions.size(); ++m) {
    // Spread by an irrational step for each motor: no two of them move alike.
    const double step = (pose + 1) * std::sqrt(static_cast<double>(m) + 2.0) + 0.1 * static_cast<double>(m);
    positions[m] = within_limits(model, m, 0.1 + 0.8 * (step - std::floor(step)));
  }
  return positions;
}

MovedDirections moved_directions(const RobotModel& model, FrameId frame) {
  MovedDirections moved;
  if (model.supporting_motors(frame).empty()) return moved;
  Dynamics dynamics(model);
  const auto motors = static_cast<Eigen::Index>(model.motor_count());
  SmallSvd svd(model.motor_count(), 6);
  VectorX q(model.nq());
  Matrix6X whole(6, model.nv()), own(6, motors);
  Matrix3 gram = Matrix3::Zero();  // of all linear columns in all poses: its null space is the plane's normal
  int linear = 0;
  for (int pose = 0; pose < kRegularPoses; ++pose) {
    if (model.position_from_motors(regular_pose(model, pose), Eigen::Vector4d(0, 0, 0, 1), q) != Status::ok) break;
    if (dynamics.at(q).frame_jacobian(frame, whole) != Status::ok) break;
    for (Eigen::Index m = 0; m < motors; ++m) own.col(m) = whole.col(model.motor_rows()[static_cast<std::size_t>(m)]);
    own.topRows<3>() /= kLever;
    if (svd.compute_transposed(own) == Status::ok) moved.count = std::max(moved.count, svd.rank(kMovedShare));
    if (svd.compute_transposed(own.topRows(3)) == Status::ok) linear = std::max(linear, svd.rank(kPlaneShare));
    gram += own.topRows<3>() * own.topRows<3>().transpose();
  }
  SmallSvd normal(3, 3);
  if (linear == 0 || normal.compute(gram) != Status::ok || normal.rank(kPlaneShare * kPlaneShare) == 3) return moved;
  moved.count = linear;
  moved.plane = Matrix3::Identity() - normal.V().col(2) * normal.V().col(2).transpose();
  return moved;
}

void restrict_to_plane(const Matrix3& plane, const Matrix3& R_WB, Matrix6X& J) noexcept {
  const Matrix3 in_world = R_WB * plane * R_WB.transpose();
  for (Eigen::Index column = 0; column < J.cols(); ++column) {
    const Vector3 linear = J.col(column).head<3>();
    J.col(column).head<3>().noalias() = in_world * linear;
  }
  J.bottomRows<3>().setZero();
}

}  // namespace antaeus::detail
