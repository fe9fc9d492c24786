#pragma once
// Stand-in: the fields of sensor_msgs/JointState that a node reads.
#include <string>
#include <vector>

#include "rclcpp/header.hpp"

namespace sensor_msgs::msg {
struct JointState {
  std_msgs::msg::Header header;
  std::vector<std::string> name;
  std::vector<double> position, velocity, effort;
};
}  // namespace sensor_msgs::msg
