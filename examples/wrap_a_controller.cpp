// A Cartesian impedance behind the two interfaces that arms are driven by: a callback as libfranka's, and a controller
// as ros2_control's. Neither library is needed here: stand-ins have the same shapes.
// prints: callback: pushed by 10 N, gives way by 20.0 mm
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "antaeus/control/cartesian_impedance.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/robot_profile.hpp"

using namespace antaeus;

// ---------------------------------------------------------------- libfranka: robot.control(callback), once each 1 ms
struct RobotState {  // franka::RobotState
  std::array<double, 7> q, dq;
};
using Torques = std::array<double, 7>;  // franka::Torques; the robot adds gravity by itself

class CallbackImpedance {
 public:
  CallbackImpedance(const RobotModel& model, const RobotState& start)
      : tool_(model, "panda_hand_tcp"), control_(model, {.limits = {.torque_rate = 1000.0}}) {
    target_.posture = VectorX::Map(start.q.data(), 7);
    target_.X_WT = tool_.at(target_.posture, VectorX::Zero(7)).X_WT;
  }
  Torques operator()(const RobotState& state) {
    const ToolState& now = tool_.at(VectorX::Map(state.q.data(), 7), VectorX::Map(state.dq.data(), 7));
    const CartesianTorque& given = control_.update(now, target_);
    Torques tau{};  // on any other status: zero, and gravity is carried by the robot
    if (given.status == Status::ok) VectorX::Map(tau.data(), 7) = given.tau - now.g;
    return tau;
  }

 private:
  ToolDynamics tool_;
  CartesianImpedance control_;
  CartesianTarget target_;
};

// ---------------------------------------------------------------- ros2_control: ControllerInterface with effort
// commands
struct Interface {  // hardware_interface::LoanedStateInterface and LoanedCommandInterface
  double value = 0.0;
  double get_value() const { return value; }
  void set_value(double next) { value = next; }
};
enum class return_type { OK, ERROR };

class EffortImpedance {
 public:
  EffortImpedance(const RobotModel& model, const std::vector<Interface>& state)
      : tool_(model, "panda_hand_tcp"), control_(model), q_(7), v_(7) {
    read(state);
    target_ = {.X_WT = tool_.at(q_, v_).X_WT, .posture = q_};
  }
  return_type update(const std::vector<Interface>& state, std::vector<Interface>& command) {
    read(state);
    const CartesianTorque& given = control_.update(tool_.at(q_, v_), target_);
    if (given.status != Status::ok) return return_type::ERROR;  // the manager stops the controller
    for (int i = 0; i < 7; ++i) command[i].set_value(given.tau[i]);
    return return_type::OK;
  }

 private:
  void read(const std::vector<Interface>& state) {
    for (int i = 0; i < 7; ++i) q_[i] = state[2 * i].get_value(), v_[i] = state[2 * i + 1].get_value();
  }
  ToolDynamics tool_;
  CartesianImpedance control_;
  CartesianTarget target_;
  VectorX q_, v_;
};

// ---------------------------------------------------------------- an arm for both, pushed along x at its fingertip
template <class Torque>
double pushed_by(const RobotModel& model, double force, Torque&& torque) {
  Dynamics dynamics(model);
  ToolDynamics tool(model, "panda_hand_tcp");
  VectorX q = (VectorX(7) << 0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785).finished(), v = VectorX::Zero(7), a(7);
  const double start = tool.at(q, v).X_WT.translation.x();
  for (int cycle = 0; cycle < 8000; ++cycle) {
    const ToolState& now = tool.at(q, v);
    const VectorX push = now.J.transpose() * (force * Vector6::Unit(0));
    dynamics.forward_dynamics(q, v, torque(q, v, now) + push, a);
    v += 1e-3 * a;
    q += 1e-3 * v;
  }
  return tool.at(q, v).X_WT.translation.x() - start;
}

int main() {
  const Robot robot = load_robot("panda");
  ModelOptions options = robot.profile.options;
  options.locked_joints = {{"panda_finger_joint1", 0.02}, {"panda_finger_joint2", 0.02}};  // of this hand, on this arm
  const RobotModel model(robot.model.description(), options);

  std::vector<CallbackImpedance> callback;  // made at the first cycle, where the arm stands
  const double by_callback = pushed_by(model, 10.0, [&](const VectorX& q, const VectorX& v, const ToolState& now) {
    RobotState state{};
    for (int i = 0; i < 7; ++i) state.q[i] = q[i], state.dq[i] = v[i];
    if (callback.empty()) callback.emplace_back(model, state);
    const Torques tau = callback.front()(state);
    return VectorX(VectorX::Map(tau.data(), 7) + now.g);
  });
  std::printf("callback: pushed by 10 N, gives way by %.1f mm\n", 1e3 * by_callback);

  std::vector<EffortImpedance> controller;
  std::vector<Interface> states(14), commands(7);
  const double by_controller = pushed_by(model, 10.0, [&](const VectorX& q, const VectorX& v, const ToolState&) {
    for (int i = 0; i < 7; ++i) states[2 * i].value = q[i], states[2 * i + 1].value = v[i];
    if (controller.empty()) controller.emplace_back(model, states);
    VectorX tau = VectorX::Zero(7);
    if (controller.front().update(states, commands) == return_type::OK) {
      for (int i = 0; i < 7; ++i) tau[i] = commands[i].get_value();
    }
    return tau;
  });
  std::printf("controller: pushed by 10 N, gives way by %.1f mm\n", 1e3 * by_controller);
  return std::abs(by_callback - by_controller) < 1e-6 ? 0 : 1;
}
