#pragma once
/// Arms without rotors that controllers are tried on: six joints and seven.

#include <string>

#include "antaeus/robot/robot_profile.hpp"

namespace antaeus::test {

struct BareArm {
  RobotModel model;
  std::string tool;
  VectorX q;  ///< a regular pose
};

/// The UR5e, or the Panda with its fingers held; on a fixed base.
inline BareArm bare_arm(const std::string& name) {
  const Robot robot = load_robot(name);
  ModelOptions options = robot.model.options();
  options.base = Base::fixed;
  for (const std::string& joint : robot.model.row_names()) {
    if (joint.find("finger") != std::string::npos) options.locked_joints[joint] = 0.0;
  }
  if (name == "panda") {
    return {RobotModel(robot.model.description(), options), "panda_hand",
            (VectorX(7) << 0.1, -0.5, 0.2, -2.0, 0.1, 1.6, 0.8).finished()};
  }
  return {RobotModel(robot.model.description(), options), "tool0",
          (VectorX(6) << -1.5, -1.4, 1.6, -1.7, -1.5, 0.2).finished()};
}

}  // namespace antaeus::test
