#pragma once
/// \file
/// Noise, friction and torque channel of one joint, and where these figures come from.

#include <cstdint>

#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/numbers.hpp"

namespace antaeus {

/// Where a joint's figure comes from. `effort_limit`: a share of it, because the profile states none. `weight`: a share
/// of the torque that holds the whole robot at its longest reach, because the effort limit is ten times that and more:
/// a placeholder. `assumed`: there is no limit either.
enum class FigureSource : std::uint8_t { assumed, effort_limit, profile, weight };
constexpr auto enum_names(FigureSource) noexcept {
  return name_list<FigureSource>("assumed", "effort_limit", "profile", "weight");
}

/// Noise, friction and torque channel of one joint. The profile names the source of the figures.
struct JointFigures {
  double torque_sd = 1.0;  ///< standard deviation of the torque measurement [N·m]
  /// Standard deviation of the static residual τ − g while the robot moves, inertial torques and all [N·m]
  double static_sd = 1.0;
  FigureSource torque_sd_from = FigureSource::assumed, static_sd_from = FigureSource::assumed;
  double coulomb = 0.0;             ///< dry friction while sliding [N·m]
  double stribeck = 0.0;            ///< what breaks loose above `coulomb` [N·m]
  double stribeck_speed = 0.05;     ///< where three quarters of dry friction are developed (tanh 1) [rad/s]
  double viscous = 0.0;             ///< friction per speed [N·m·s/rad]
  double friction_offset = 0.0;     ///< friction at rest that has a sign, such as a cable's pull [N·m]
  double armature = 0.0;            ///< reflected rotor inertia [kg·m²]; part of M when the torque is the motor's
  double gear = 1.0;                ///< joint torque per unit of the channel: gear ratio times torque constant
  double scale = 1.0;               ///< identified correction of the channel's gain
  double torque_offset = 0.0;       ///< what the channel reads at no torque, in the channel's unit
  double torque_limit = kInfinity;  ///< |joint torque| at which the drive saturates [N·m]
};

}  // namespace antaeus
