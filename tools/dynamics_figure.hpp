#pragma once
// The figure of docs/concepts/incident.md, "M, C and g": recursive Newton–Euler on the planar arm.
#include "antaeus/draw/figure.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// `newton-euler`: accelerations outwards, forces inwards, and each joint's torque by its parts; in the motion of
/// examples/equation_of_motion.py.
NamedFigure newton_euler_figure(const Robot& planar);

}  // namespace antaeus
