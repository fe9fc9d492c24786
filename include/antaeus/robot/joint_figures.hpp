#pragma once
/// \file
/// Noise, friction and torque channel of one joint, and where these figures come from.

#include <cstdint>

#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/fields.hpp"
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
  double torque_sd = 1.0, static_sd = 1.0;
  FigureSource torque_sd_from = FigureSource::assumed, static_sd_from = FigureSource::assumed;
  double coulomb = 0.0, stribeck = 0.0, stribeck_speed = 0.05;
  double viscous = 0.0, friction_offset = 0.0;
  double armature = 0.0;
  double gear = 1.0, scale = 1.0, torque_offset = 0.0;
  double torque_limit = kInfinity;
};
template <class Visit>
constexpr void visit_fields(const JointFigures*, Visit&& visit) {
  using J = JointFigures;
  visit(field("torque_sd", "N·m", "standard deviation of the torque measurement", &J::torque_sd));
  visit(field("static_sd", "N·m",
              "standard deviation of the static residual τ − g while the robot moves, inertial torques and all",
              &J::static_sd));
  visit(field("torque_sd_from", "", "profile, effort_limit, weight or assumed", &J::torque_sd_from));
  visit(field("static_sd_from", "", "profile, effort_limit, weight or assumed", &J::static_sd_from));
  visit(field("coulomb", "N·m", "dry friction while sliding", &J::coulomb));
  visit(field("stribeck", "N·m", "what breaks loose above `coulomb`", &J::stribeck));
  visit(field("stribeck_speed", "rad/s", "where three quarters of dry friction are developed (tanh 1)",
              &J::stribeck_speed));
  visit(field("viscous", "N·m·s/rad", "friction per speed", &J::viscous));
  visit(
      field("friction_offset", "N·m", "friction at rest that has a sign, such as a cable's pull", &J::friction_offset));
  visit(field("armature", "kg·m²", "reflected rotor inertia; part of M when the torque is the motor's", &J::armature));
  visit(field("gear", "", "joint torque per unit of the channel: gear ratio times torque constant", &J::gear));
  visit(field("scale", "1", "correction of the channel's gain; negative: it is positive against the joint's axis",
              &J::scale));
  visit(field("torque_offset", "", "what the channel reads at no torque, in the channel's unit", &J::torque_offset));
  visit(field("torque_limit", "N·m", "|joint torque| at which the drive saturates", &J::torque_limit));
}

}  // namespace antaeus
