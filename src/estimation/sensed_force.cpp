#include "antaeus/estimation/sensed_force.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "antaeus/core/number_text.hpp"
#include "antaeus/numerics/gaussian_posterior.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "estimation/published/moved_directions.hpp"

namespace antaeus {

namespace {

/// Poses in which a limb is tried: a direction that some pose shows is shown by one of so many.
constexpr int kPosesTried = 32;
/// Below this share of the best sensed direction one is not sensed: π/2 written as 1.57 tilts an axis by 8e-4 rad, and
/// what a drawing's rounding shows of a direction is no sense for it.
constexpr double kRoundedDrawing = 2e-3;
/// Within 0.6° of an axis people call a direction by the axis' name.
constexpr double kAlong = 0.9999, kAcross = 1.0 - kAlong;

/// Of three in ascending order those that are not zero beside the last.
int count_sensed(const Vector3& deviations) {
  int count = 0;
  for (const double one : deviations) count += one > kRoundedDrawing * deviations[2];
  return count;
}

std::string listed_axes(const std::array<bool, 3>& chosen) {
  std::string text;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (chosen[axis]) text += (text.empty() ? "" : " and ") + std::string(1, "xyz"[axis]);
  }
  return text;
}

}  // namespace

double SensedForce::never(const Vector3& direction) const noexcept {
  double share = 0.0;
  for (int column = 0; column < fixed; ++column) share += std::pow(directions.col(column).dot(direction), 2);
  return share;
}

std::string SensedForce::text() const {
  if (insensible == 0) return {};
  if (insensible == 3) return "senses no force, by its build";
  // The fixed ones by the axes' names where each axis is among them or square to them all.
  std::array<bool, 3> lost{}, kept{};
  bool named = true;
  for (int axis = 0; axis < 3; ++axis) {
    const double share = never(Vector3::Unit(axis));
    lost[static_cast<std::size_t>(axis)] = share > kAlong;
    kept[static_cast<std::size_t>(axis)] = share < kAcross;
    named = named && (share > kAlong || share < kAcross);
  }
  std::string lost_names;
  if (named) {
    lost_names = listed_axes(lost);
  } else {
    for (int column = 0; column < fixed; ++column) {
      lost_names += (column > 0 ? " and (" : "(");
      for (int axis = 0; axis < 3; ++axis) {
        lost_names += (axis > 0 ? ", " : "") + display_number(directions(axis, column), 2);
      }
      lost_names += ")";
    }
  }
  const std::string count = insensible == 1 ? "two of three directions" : "one of three directions";
  if (fixed == insensible) {
    return "senses " +
           (named ? listed_axes(kept) + " of the base; " + lost_names + " not"
                  : count + "; " + lost_names + " of the base not") +
           ", by its build";
  }
  return "senses " + count + ", which turn with the pose" +
         (fixed > 0 ? "; " + lost_names + " of the base in none" : "") + ", by its build";
}

SensedForce sensed_force(const RobotModel& model, FrameId frame, const std::vector<int>& rows) {
  Dynamics dynamics(model);
  VectorX q(model.nq());
  Matrix6X J(6, model.nv());
  Matrix3 all = Matrix3::Zero();  // of all poses: what it does not hold no pose shows
  int most = 0;
  const Eigen::Vector4d upright(0.0, 0.0, 0.0, 1.0);
  for (int pose = 0; pose < kPosesTried && most < 3; ++pose) {
    if (model.position_from_motors(detail::regular_pose(model, pose), upright, q) != Status::ok) continue;
    if (dynamics.at(q).frame_jacobian(frame, J) != Status::ok) continue;
    Matrix3 shown = Matrix3::Zero();
    for (const int motor : rows) {
      const Vector3 column = J.col(model.motor_rows()[static_cast<std::size_t>(motor)]).head<3>();
      shown += column * column.transpose();
    }
    if (!(shown.trace() > 0)) continue;
    most = std::max(most, count_sensed(principal_deviations(shown).deviation));
    all += shown / shown.trace();
  }
  SensedForce sensed;
  sensed.insensible = 3 - most;
  if (sensed.insensible == 0) return sensed;
  const PrincipalDeviations whole = principal_deviations(all);
  sensed.fixed = most == 0 ? 3 : 3 - count_sensed(whole.deviation);
  sensed.directions = whole.direction;
  return sensed;
}

}  // namespace antaeus
