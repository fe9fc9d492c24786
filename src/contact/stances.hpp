#pragma once
/// Where a foot presses on the ground while it is planted. A planted foot does not move, though inverse kinematics lets
/// it slide, turn and roll by centimetres and tens of degrees: its place, heading and flat pitch are those of the
/// stance.

#include <vector>

#include "antaeus/contact/contact_timing.hpp"
#include "antaeus/contact/sole.hpp"
#include "antaeus/contact/total_motion.hpp"

namespace antaeus {

/// Of one foot in one row. Axes: x, y level, z up (see `level_axes`).
struct Footing {
  Vector3 c = Vector3::Zero();         ///< on the ground, below the expected centre of pressure [m]
  Vector3 forward = Vector3::UnitX();  ///< level, unit
  double turn = 0.0;                   ///< θ: 0 flat, −1 on the heel, 1 on the ball
};

/// How far ahead of a flat foot's the expected centre of pressure is [m].
inline double rolled(const Sole& sole, double turn) {
  return turn * (turn > 0 ? sole.heel_up - sole.flat : sole.flat - sole.toes_up);
}

/// Rotation from the world's axes to axes whose z is up.
Matrix3 level_axes(int up);

/// Feet × rows. \param timing  of the same rows and feet
std::vector<std::vector<Footing>> footings(const TotalMotion& motion, const ContactTiming& timing, const Sole& sole);

}  // namespace antaeus
