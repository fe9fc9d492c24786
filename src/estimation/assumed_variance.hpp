#pragma once
/// \file
/// The variance of a torque row of which nothing was identified, by the profile's figures.

#include <algorithm>
#include <cmath>

#include "antaeus/estimation/residual.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus::detail {

/// Share of dry friction that stays in doubt where it was identified and taken out.
inline constexpr double kIdentifiedDoubt = 0.2;

/// Of a row whose joint turns with \p speed, without what inertia and other joints' motion add [N²·m²].
/// \param torque  that the joint exerts [N·m]
inline double assumed_variance(const JointFigures& figures, FrictionUse friction, const ResidualOptions& options,
                               double torque, double speed) noexcept {
  const double dry = figures.coulomb + figures.stribeck;
  double friction_sd = options.coulomb_share * dry;
  if (friction == FrictionUse::identified) {
    const double relative = speed / figures.stribeck_speed;
    friction_sd = std::max(kIdentifiedDoubt * dry, friction_sd * std::exp(-relative * relative));
  }
  const double channel = options.torque_share * torque;
  return figures.torque_sd * figures.torque_sd + friction_sd * friction_sd + channel * channel;
}

/// The same of a static residual while the robot moves.
inline double moving_variance(const JointFigures& figures, double assumed) noexcept {
  return std::max(assumed, figures.static_sd * figures.static_sd);
}

/// Of model and profile; infinity where neither says one: a URDF that gives no effort writes 0.
inline VectorX torque_limits(const Robot& robot) {
  VectorX limits = robot.model.effort_limits();
  for (Eigen::Index m = 0; m < limits.size(); ++m) {
    limits[m] = std::min(limits[m], robot.profile.figures[static_cast<std::size_t>(m)].torque_limit);
    if (!(limits[m] > 0)) limits[m] = kInfinity;
  }
  return limits;
}

}  // namespace antaeus::detail
