// A ROS 2 node: sensor_msgs/JointState in, the wrench that a consumer may use out, in the endpoint's own axes.
#include <algorithm>
#include <antaeus/trust/guarded_estimator.hpp>
#include <geometry_msgs/msg/wrench_stamped.hpp>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/joint_state.hpp>

using geometry_msgs::msg::WrenchStamped;
using sensor_msgs::msg::JointState;

class GuardedWrench : public rclcpp::Node {
 public:
  GuardedWrench()
      : Node("guarded_wrench"),
        robot_(antaeus::load_robot(declare_parameter<std::string>("robot", "ur5e"))),  // a name, a profile or a URDF
        endpoint_(declare_parameter<std::string>("endpoint", "tool0")),
        loop_(robot_, {endpoint_}),
        out_(create_publisher<WrenchStamped>("~/wrench", rclcpp::SensorDataQoS())),
        in_(create_subscription<JointState>("joint_states", rclcpp::SensorDataQoS(),
                                            [this](const JointState& state) { take(state); })) {}

 private:
  bool fill(const JointState& state) {  // by name: a driver sends joints in an order of its own
    const auto& motors = robot_.model.motor_names();
    const std::size_t count = state.name.size();
    if (state.position.size() != count || state.effort.size() != count) return false;
    sample_.q.resize(motors.size()), sample_.tau.resize(motors.size());
    sample_.v.resize(state.velocity.size() == count ? motors.size() : 0);  // not measured: empty
    for (std::size_t i = 0; i < motors.size(); ++i) {
      const std::size_t at = std::find(state.name.begin(), state.name.end(), motors[i]) - state.name.begin();
      if (at == count) return false;
      sample_.q[i] = state.position[at], sample_.tau[i] = state.effort[at];
      if (sample_.v.size() > 0) sample_.v[i] = state.velocity[at];
    }
    return true;
  }

  void take(const JointState& state) {
    const char* const name = robot_.profile.name.c_str();
    if (!fill(state)) {  // another device on the same topic, a wrong robot, no torques
      RCLCPP_WARN_THROTTLE(get_logger(), *get_clock(), 5000, "not position and effort of every joint of %s", name);
      return;
    }
    const double time = rclcpp::Time(state.header.stamp).seconds();
    if (time < sample_.time) {  // a bag begins again, a simulation was reset
      RCLCPP_WARN(get_logger(), "the clock went back by %.3f s: history is forgotten", sample_.time - time);
      loop_.reset();
    }
    sample_.time = time;
    const antaeus::ConsumerWrench& read = loop_.update(sample_, now().seconds())[0];  // old samples are refused
    if (read.state >= antaeus::Verdict::refused)
      RCLCPP_WARN_THROTTLE(get_logger(), *get_clock(), 1000, "refused: %s", read.reasons.text().c_str());
    const antaeus::Pose& X_WE = loop_.instant().pose(0);
    if (!X_WE.rotation.allFinite()) return;  // the sample could not be read: nothing goes out
    const antaeus::Vector3 f = X_WE.rotation.transpose() * read.wrench.force;
    const antaeus::Vector3 m = X_WE.rotation.transpose() * read.wrench.torque;
    WrenchStamped out;
    out.header.stamp = state.header.stamp, out.header.frame_id = endpoint_;
    out.wrench.force.x = f.x(), out.wrench.force.y = f.y(), out.wrench.force.z = f.z();
    out.wrench.torque.x = m.x(), out.wrench.torque.y = m.y(), out.wrench.torque.z = m.z();
    out_->publish(out);
  }

  antaeus::Robot robot_;
  std::string endpoint_;
  antaeus::GuardedEstimator loop_;
  antaeus::Observation sample_;
  rclcpp::Publisher<WrenchStamped>::SharedPtr out_;
  rclcpp::Subscription<JointState>::SharedPtr in_;
};

int main(int argc, char** argv) {
  rclcpp::init(argc, argv);
  rclcpp::spin(std::make_shared<GuardedWrench>());
  rclcpp::shutdown();
}
