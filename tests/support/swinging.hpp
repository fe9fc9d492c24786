#pragma once
/// A humanoid on two feet whose every joint swings: the motion of the contact room's benchmark and real-time tests.

#include <cmath>
#include <string>
#include <vector>

#include "antaeus/contact/contact_motion.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus::test {

inline const std::vector<std::string> kSwingingFeet = {"left_ankle_roll_link", "right_ankle_roll_link"};

inline const Robot& swinging_humanoid() {
  static const Robot robot = load_robot("h1_2", MeshPolicy::ignored, Base::free_flyer);
  return robot;
}

/// Every joint swings, the base sways: N frames at 100 Hz.
inline ContactMotion swinging(Eigen::Index frames) {
  ContactMotion motion;
  motion.name = "swinging";
  const RobotModel& model = swinging_humanoid().model;
  motion.q.resize(frames, model.nq());
  for (Eigen::Index t = 0; t < frames; ++t) {
    const double s = 0.01 * static_cast<double>(t);
    motion.q.row(t) = model.neutral().transpose();
    motion.q(t, 0) = 0.05 * std::sin(2.0 * s);
    motion.q(t, 2) = 1.0 + 0.02 * std::cos(3.0 * s);
    for (int j = 7; j < model.nq(); ++j) motion.q(t, j) = 0.2 * std::sin(s * (1.0 + 0.1 * j) + j);
  }
  motion.dt = VectorX::Constant(1, 0.01);
  return motion;
}

}  // namespace antaeus::test
