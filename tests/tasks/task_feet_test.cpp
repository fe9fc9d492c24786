#include "tasks/task_support.hpp"
#include "tasks/tolerances.hpp"

namespace antaeus {
namespace {

using test::kHand;
using test::moved;
using test::own_robot;
using test::pose_of;

const char* const kFeet[] = {"left_ankle_roll_link", "right_ankle_roll_link"};

/// Both soles planted, the centre of mass kept over the middle between them.
struct Planted {
  explicit Planted(const RobotModel& model, TaskSolverOptions options = {}) : problem(model, options) {
    q = test::standing(model);
    Vector3 middle = Vector3::Zero();
    for (const char* foot : kFeet) {
      FrameTask task(model, foot, {.settings = {.priority = 0}});
      task.target = pose_of(model, q, foot);
      soles.push_back(task.target);
      middle += 0.5 * task.target.translation;
      problem.add(task);
    }
    CenterOfMassTask com("xy", {.priority = 1});
    com.target = middle + Vector3(0.04, 0.0, 0.0);
    support = com.target;
    problem.add(com);
  }
  double foot_drift(const RobotModel& model, const VectorX& at) const {
    double most = 0.0;
    for (int i = 0; i < 2; ++i) {
      const Pose X = pose_of(model, at, kFeet[i]);
      most = std::max({most, (X.translation - soles[static_cast<std::size_t>(i)].translation).norm(),
                       test::angle_between(X.rotation, soles[static_cast<std::size_t>(i)].rotation)});
    }
    return most;
  }
  TaskProblem problem;
  VectorX q;
  std::vector<Pose> soles;
  Vector3 support;
};

TEST(TaskFeet, SquatAndReachEndOnPlantedFeet) {
  const RobotModel model = own_robot("h1_2").model;
  Planted stand(model);
  FrameTask pelvis(model, model.description().root, {.part = FramePart::position, .settings = {.priority = 2}});
  FrameTask hand(model, kHand, {.part = FramePart::position, .settings = {.priority = 3}});
  pelvis.target.translation = Vector3(stand.support.x() - 0.02, 0.0, -0.18);
  hand.target.translation = pose_of(model, stand.q, kHand).translation + Vector3(0.15, 0.1, -0.15);
  stand.problem.add(pelvis);
  stand.problem.add(hand);
  stand.problem.add(PostureTask(model));
  TaskSolver solver(stand.problem);
  const SolveResult& result = solver.solve(stand.q);
  ASSERT_EQ(result.levels.size(), 5u);
  EXPECT_EQ(result.levels[0].status, SolveStatus::reached);
  EXPECT_EQ(result.levels[1].status, SolveStatus::reached);
  EXPECT_LE(stand.foot_drift(model, result.q), tolerance::kPlantedFoot);
  const Vector3 com = test::center_of_mass(model, result.q);
  EXPECT_LE((com - stand.support).head<2>().norm(), tolerance::kTaskReached);
  EXPECT_LE((pose_of(model, result.q, kHand).translation - hand.target.translation).norm(), 0.05);
  for (const LevelResult& level : result.levels) {
    std::printf("priority %d: %s, error %.3g after %d iterations\n", level.priority,
                std::string(to_string(level.status)).c_str(), level.error, level.iterations);
  }
}

TEST(TaskFeet, StayAlongATrajectoryOfSteps) {
  const RobotModel model = own_robot("h1_2").model;
  Planted stand(model);
  const auto pelvis = stand.problem.add(FrameTask(
      model, model.description().root, {.part = FramePart::position, .settings = {.priority = 2, .gain = 100.0}}));
  const auto hand = stand.problem.add(
      FrameTask(model, kHand, {.part = FramePart::position, .settings = {.priority = 3, .gain = 100.0}}));
  stand.problem.add(PostureTask(model));
  stand.problem.limit_acceleration(VectorX::Constant(model.nv(), 60.0));
  TaskSolver solver(stand.problem);
  const double dt = 0.005;
  VectorX q = stand.q, v = VectorX::Zero(model.nv());
  const Vector3 pelvis_start = pose_of(model, q, model.description().root).translation;
  const Vector3 hand_start = pose_of(model, q, kHand).translation;
  double most = 0.0, lowest = 0.0, com_error = 0.0;
  int broken = 0;
  for (int i = 0; i < 400; ++i) {
    const double s = 0.5 - 0.5 * std::cos(2.0 * M_PI * i / 400.0);
    solver[pelvis].target.translation = pelvis_start + Vector3(0.0, 0.0, -0.2 * s);
    solver[hand].target.translation = hand_start + s * Vector3(0.2, 0.1, -0.1);
    const StepResult& step = solver.step(q, v, dt);
    ASSERT_TRUE(step.q.allFinite());
    broken += step.status != StepStatus::ok;
    q = step.q;
    v = step.v;
    most = std::max(most, stand.foot_drift(model, q));
    lowest = std::min(lowest, pose_of(model, q, model.description().root).translation.z() - pelvis_start.z());
    if (i > 100) com_error = std::max(com_error, (test::center_of_mass(model, q) - stand.support).head<2>().norm());
  }
  EXPECT_EQ(broken, 0);
  EXPECT_LE(most, tolerance::kPlantedFoot);
  EXPECT_LT(lowest, -0.17);     // it does squat
  EXPECT_LT(com_error, 0.005);  // well within a sole of 26 cm
  std::printf("feet %.3g, lowest %.3f, centre of mass %.3g\n", most, lowest, com_error);
}

/// Feet that cannot both be where they shall: said so, never thrown.
TEST(TaskFeet, FeetThatCannotBeThereAreNamed) {
  const RobotModel model = own_robot("h1_2").model;
  TaskProblem problem(model);
  const VectorX q = test::standing(model);
  for (const char* foot : kFeet) {
    FrameTask task(model, foot, {.settings = {.priority = 0}});
    task.target = pose_of(model, q, foot);
    if (foot == kFeet[1]) task.target.translation.y() -= 3.0;
    problem.add(task);
  }
  TaskSolver solver(problem);
  const SolveResult& result = solver.solve(q);
  EXPECT_EQ(result.status, SolveStatus::infeasible);
  EXPECT_EQ(result.levels[0].status, SolveStatus::infeasible);
  EXPECT_GE(result.task, 0);
  EXPECT_TRUE(result.q.allFinite());
  const StepResult& step = solver.step(q, VectorX::Zero(model.nv()), 0.01);
  EXPECT_EQ(step.status, StepStatus::hold_broken);
  EXPECT_GE(step.task, 0);
}

}  // namespace
}  // namespace antaeus
