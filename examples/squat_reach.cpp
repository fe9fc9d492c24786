// A humanoid squats and reaches for the floor beside its feet, which stay planted, with its weight over the soles.
// prints: hand 0.0 mm from its target, feet moved by less than 1e-6 m, centre of mass 0.0 mm off, links 10 mm apart or
// more
#include <algorithm>
#include <cstdio>

#include "antaeus/robot/robot_profile.hpp"
#include "antaeus/tasks/task_solver.hpp"
#include "antaeus/tasks/tasks.hpp"

using namespace antaeus;

int main() {
  const RobotModel model = load_robot("h1_2").model;
  VectorX motors = VectorX::Zero(model.motor_count());
  for (const std::string side : {"left", "right"}) {  // knees a little bent, soles flat
    motors[model.motor(side + "_hip_pitch_joint")] = motors[model.motor(side + "_ankle_pitch_joint")] = -0.3;
    motors[model.motor(side + "_knee_joint")] = 0.6;
  }
  VectorX start(model.nq());
  if (model.position_from_motors(motors, {0.0, 0.0, 0.0, 1.0}, start) != Status::ok) return 1;
  Dynamics dynamics(model);
  const PositionTerms terms = dynamics.at(start);

  TaskProblem problem(model);
  std::vector<std::pair<std::string, Pose>> feet;
  Vector3 middle = Vector3::Zero();
  for (const std::string foot : {"left_ankle_roll_link", "right_ankle_roll_link"}) {
    FrameTask planted(model, foot, {.settings = {.priority = 0}});
    if (terms.frame_pose(model.frame(foot), planted.target) != Status::ok) return 1;
    problem.add(planted);
    feet.emplace_back(foot, planted.target);
    middle += 0.5 * planted.target.translation;
  }
  CenterOfMassTask balance("xy", {.priority = 1});
  balance.target = middle + Vector3(0.04, 0.0, 0.0);  // a sole reaches from 9 cm behind its ankle to 17 cm before it
  problem.add(balance);
  FrameTask hand(model, "left_wrist_yaw_link", {.part = FramePart::position, .settings = {.priority = 2}});
  hand.target.translation = middle + Vector3(0.3, 0.35, 0.45);
  problem.add(hand);
  PostureTask posture(model);
  if (posture.set_target(model, start) != Status::ok) return 1;
  problem.add(posture);
  problem.avoid(SelfCollisionModel(model));

  TaskSolver solver(problem);
  const SolveResult& result = solver.solve(start);
  const PositionTerms end = dynamics.at(result.q);
  double moved = 0.0;
  Pose X;
  for (const auto& [foot, planted] : feet) {
    if (end.frame_pose(model.frame(foot), X) != Status::ok) return 1;
    moved = std::max(moved, (X.translation - planted.translation).norm());
  }
  if (end.frame_pose(model.frame("left_wrist_yaw_link"), X) != Status::ok) return 1;
  const double off = (X.translation - hand.target.translation).norm();
  Vector3 p_WC;
  if (end.center_of_mass(p_WC) != Status::ok) return 1;
  for (const LevelResult& level : result.levels) {
    std::printf("priority %d: %s, error %.1e\n", level.priority, to_string(level.status).data(), level.error);
  }
  std::printf(
      "hand %.1f mm from its target, feet moved by %s than 1e-6 m, centre of mass %.1f mm off, links %.0f mm apart or "
      "more\n",
      1e3 * off, moved < 1e-6 ? "less" : "more", 1e3 * (p_WC - balance.target).head<2>().norm(),
      1e3 * std::min(result.distance, 0.010));
}
