#pragma once
// Torque noise of joints of which the profile states none. Private to robot.
#include <vector>

#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// Where a figure is still assumed and the joint has an effort limit, the figure becomes a share of it.
void fill_noise(const RobotModel& model, std::vector<JointFigures>& figures);

}  // namespace antaeus
