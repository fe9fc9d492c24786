#pragma once
// Stand-in: the fields of geometry_msgs/WrenchStamped.
#include "rclcpp/header.hpp"

namespace geometry_msgs::msg {
struct Vector3 {
  double x = 0.0, y = 0.0, z = 0.0;
};
struct Wrench {
  Vector3 force, torque;
};
struct WrenchStamped {
  std_msgs::msg::Header header;
  Wrench wrench;
};
}  // namespace geometry_msgs::msg
