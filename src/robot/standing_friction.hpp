#pragma once
// The friction of a joint that stands, as identified noise has it. Private to src/robot.
#include <cmath>

#include "antaeus/robot/noise_model.hpp"

namespace antaeus {

/// Sd of the friction that holds a standing joint, as a share of what it has while it slides: a joint that comes to
/// rest stops near its whole friction (docs/validation.md#noise, where friction's bound has the same
/// share).
inline constexpr double kStandingFriction = 0.8;

/// √(θ̂² + C) of one parameter: how large it may be.
inline double parameter_size(const NoiseModel& noise, int parameter) {
  const double mean = noise.parameters.size() > 0 ? noise.parameters[parameter] : 0.0;
  const double variance = noise.factor.size() > 0 ? noise.factor.row(parameter).squaredNorm() : 0.0;
  return std::sqrt(mean * mean + variance);
}

/// s_f of a motor [N·m]: as identified, else of its Coulomb friction's mean and of what is unknown of it.
inline double standing_friction(const NoiseModel& noise, const TorqueParameters& at, int motor) {
  if (noise.standing_sd.size() > 0) return noise.standing_sd[motor];
  return kStandingFriction * parameter_size(noise, at.coulomb(motor));
}

}  // namespace antaeus
