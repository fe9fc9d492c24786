// Drives examples/ros2_node over the stand-ins: what it publishes and what it says, one line each, for the test to
// read.
#include "antaeus/robot/instant.hpp"
#include "geometry_msgs/msg/wrench_stamped.hpp"
#include "rclcpp/rclcpp.hpp"
#include "sensor_msgs/msg/joint_state.hpp"

namespace {

using sensor_msgs::msg::JointState;

/// A UR5e that holds still, its joints in an order of the driver's own, and is pushed with \p up newtons upwards.
JointState state_of(antaeus::InstantReader& reader, const antaeus::Robot& robot, double time, double up) {
  antaeus::Observation sample;
  sample.q = robot.pose("ready");
  sample.tau.setZero(6);
  const antaeus::Instant& now = reader.at(sample);
  const antaeus::VectorX tau = now.gravity_torque() - up * now.jacobian(0).row(antaeus::kFz).transpose();
  JointState state;
  state.header.stamp.sec = static_cast<std::int32_t>(time);
  state.header.stamp.nanosec = static_cast<std::uint32_t>(1e9 * (time - state.header.stamp.sec) + 0.5);
  const int tick = static_cast<int>(500.0 * time + 0.5);
  for (int motor : {2, 1, 0, 3, 4, 5}) {  // as a UR's driver sends them: elbow first
    state.name.push_back(robot.model.motor_names()[static_cast<std::size_t>(motor)]);
    state.position.push_back(sample.q[motor]);
    state.velocity.push_back(0.0);
    state.effort.push_back(tau[motor] + 0.01 * ((tick * (motor + 3)) % 7 - 3));  // no channel stays as it was
  }
  return state;
}

}  // namespace

void rclcpp::spin(const std::shared_ptr<Node>&) {
  const antaeus::Robot robot = antaeus::load_robot("ur5e");
  antaeus::InstantReader reader(robot, {"tool0"});
  auto& out = stub::published<geometry_msgs::msg::WrenchStamped>["~/wrench"];
  auto& in = stub::subscribed<JointState>.at("joint_states");
  const auto send = [&](const JointState& state) {
    stub::clock = state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec + 0.001;
    in(state);
  };
  const auto tell = [&](const char* what) {
    std::printf("%s: %zu published", what, out.size());
    if (!out.empty()) {
      const auto& f = out.back().wrench.force;
      std::printf(", in %s %.1f %.1f %.1f", out.back().header.frame_id.c_str(), f.x, f.y, f.z);
    }
    std::printf("; %zu said%s%s\n", stub::logged.size(), stub::logged.empty() ? "" : ": ",
                stub::logged.empty() ? "" : stub::logged.back().c_str());
    out.clear(), stub::logged.clear();
  };
  double time = 100.0;
  for (int i = 0; i < 1000; ++i) send(state_of(reader, robot, time += 0.002, i < 500 ? 0.0 : 20.0));
  tell("pushed");
  JointState gripper;
  gripper.name = {"finger_joint"}, gripper.position = gripper.effort = {0.0};
  in(gripper);
  tell("gripper");
  JointState silent = state_of(reader, robot, time += 0.002, 0.0);
  silent.effort.clear();
  in(silent);
  tell("without torques");
  for (int i = 0; i < 500; ++i) send(state_of(reader, robot, 10.0 + 0.002 * i, 20.0));
  tell("clock back");
  JointState late = state_of(reader, robot, 11.0, 20.0);
  stub::clock = 12.0;
  in(late);
  tell("late");
}
