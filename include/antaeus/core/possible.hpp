#pragma once
/// \file
/// Numbers that no robot can have: a finite one beyond these is a fault of a sensor, a bus or a driver, and no
/// evidence. Each is far above what any machine does, so that nothing true is refused, and small enough that a filter
/// which saw a number just below it has forgotten it within a second. Powers of two: the kernel of a replay tests
/// them without rounding.

namespace antaeus {

/// [rad|m] The Moon is nearer; a wheel at 100 rad/s turns that far in 120 days.
inline constexpr double kImpossiblePosition = 0x1p30;
/// [rad/s|m/s] 156 000 turns a minute, or an escape velocity; gyros end at 70 rad/s.
inline constexpr double kImpossibleSpeed = 0x1p14;
/// [rad/s²|m/s²] A thousand times what a leg's joint does in a fall, a hundred times a differenced coarse encoder.
inline constexpr double kImpossibleAcceleration = 0x1p20;
/// [N·m|N] A hundred times what the largest excavator's joints hold.
inline constexpr double kImpossibleTorque = 0x1p24;
/// [m/s²] 13 000 g: robots' accelerometers end at 400 g.
inline constexpr double kImpossibleSpecificForce = 0x1p17;

/// Whether all numbers of a matrix of Eigen's are within a bound; NaN is not.
template <class Matrix>
bool are_possible(const Matrix& numbers, double bound) noexcept {
  return (numbers.array().abs() < bound).all();
}

}  // namespace antaeus
