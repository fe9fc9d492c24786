// A joint controller follows a path that inverse kinematics maps out: the Panda's hand draws a circle.
// follow() keeps each point on the branch of the one before, so that no joint jumps. A PD controller with gravity
// compensation, within the motors' limits, moves the joints. The Python twin plays it in MuJoCo, and prints the same.
// prints: hand within 4.8 mm of its place, largest torque 27.9 N·m
#include <cstdio>

#include "antaeus/ik/reach.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/robot_profile.hpp"

using namespace antaeus;
constexpr double kStep = 0.001;  // [s]
constexpr int kSteps = 4000;
constexpr double kArmature = 0.1;  // [kg·m²] of each motor's rotor behind its gear, assumed
constexpr double kRadius = 0.15;   // [m]
int main() {
  const VectorX stiffness{{600, 600, 600, 600, 250, 150, 50}};  // [N·m/rad]
  const VectorX damping{{50, 50, 50, 50, 30, 25, 10}};          // [N·m·s/rad]
  const Robot robot = load_robot("panda");
  ReachSolver solver(ReachModel(KinematicChain(robot.model, "panda_hand")));
  std::vector<Vector3> path;
  std::vector<VectorX> wanted = {robot.pose("ready")};
  int reached = 0;
  double jump = 0.0;
  for (int i = 0; i <= kSteps; ++i) {
    const double s = static_cast<double>(i) / kSteps;
    const double angle = 2 * M_PI * s * s * s * (10 - 15 * s + 6 * s * s);  // once round, at rest at both ends
    path.emplace_back(0.45, kRadius * std::sin(angle), 0.45 + kRadius * std::cos(angle));
    const Matrix3 down = Vector3(1, -1, -1).asDiagonal();
    const ReachSolution& found = solver.follow({down, path.back()}, wanted.back());
    if (i > 0) jump = std::max(jump, (found.q - wanted.back()).cwiseAbs().maxCoeff());
    wanted.emplace_back(found.q);
    reached += found.status == ReachStatus::reached;
  }
  wanted.erase(wanted.begin());

  ModelOptions held = robot.model.options();
  held.locked_joints = {{"panda_finger_joint1", 0.0}, {"panda_finger_joint2", 0.0}};
  for (const std::string& joint : robot.model.motor_names()) held.armature[joint] = kArmature;
  Dynamics dynamics(RobotModel(robot.model.description(), held));
  const FrameId hand = dynamics.model().frame("panda_hand");
  const VectorX limit = robot.model.effort_limits();
  VectorX q = wanted[0], v = VectorX::Zero(7), gravity(7), tau(7), a(7);
  double miss = 0.0, torque = 0.0;
  for (int i = 0; i < kSteps; ++i) {
    const VectorX speed = (wanted[i + 1] - wanted[i]) / kStep;
    dynamics.at(q).gravity_torque(gravity);
    tau = stiffness.cwiseProduct(wanted[i] - q) + damping.cwiseProduct(speed - v) + gravity;
    tau = tau.cwiseMin(limit).cwiseMax(-limit);
    dynamics.forward_dynamics(q, v, tau, a);
    v += kStep * a;
    q += kStep * v;
    Pose X_WH;
    dynamics.at(q).frame_pose(hand, X_WH);
    miss = std::max(miss, (X_WH.translation - path[i + 1]).norm());
    torque = std::max(torque, tau.cwiseAbs().maxCoeff());
  }
  std::printf("%d of %zu points reached, no joint moves more than %.2f mrad between two\n", reached, path.size(),
              1000.0 * jump);
  std::printf("hand within %.1f mm of its place, largest torque %.1f N·m\n", 1000.0 * miss, torque);
}
