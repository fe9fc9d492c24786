#pragma once
/// \file
/// Tolerances of tests/identification alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// Torque of a smoothed motion [N·m]: cubics of 30 ms through sines of up to 5.5 rad/s leave some 1e-3 of the
/// accelerations, and arms of 3 kg with forearms of 2 kg swing at up to 12 rad/s².
inline constexpr Tolerance kSmoothedTorque{0.05};
/// Share of dry friction that a low pass of 15 Hz hides from rows formed as the loop forms them: it rounds off the step
/// at each turn, 20 ms of some 0.5 s.
inline constexpr Tolerance kRoundedFriction{0.05};
/// Figures of another program, printed with two digits [N·m]: half a digit, and what differs where "still" is told from
/// the speeds instead of the first 2.5 s (0.02).
inline constexpr Tolerance kIdentifiedOffset{0.025};
/// The same for the motion's sd, relative where it is above 1 N·m: two digits, and which samples count as in motion.
inline constexpr Tolerance kIdentifiedMotion{0.06};
/// Spreads of offsets after the turns of held_pose stand still, at 1e-6 N·m a turn with each turn half of the last.
inline constexpr Tolerance kHeldPoseTurns{5e-6};
/// The gravity regressor against models with other masses: gravity is linear in them, so only rounding is left, of
/// torques up to 700 N·m.
inline constexpr Tolerance kGravityRegressor{1e-11};

}  // namespace antaeus::tolerance
