#include "support/allocation_counter.hpp"
#include "tasks/task_support.hpp"

namespace antaeus {
namespace {

using test::AllocationCounter;
using test::own_robot;
using test::RandomStates;

/// step() and solve() with every kind of task and objective, distances and accelerations, on good input and on bad.
void expect_no_allocation(const std::string& name, const std::string& near, const std::string& far) {
  const RobotModel model = own_robot(name).model;
  RandomStates random(1360);
  SCOPED_TRACE(name + ", " + random.text());
  TaskProblem problem(model, {.iteration_budget = 5});
  FrameTask planted(model, near, {.settings = {.priority = 0}});
  planted.target = test::pose_of(model, test::within_limits(model, random, 0.1), near);
  problem.add(planted);
  const auto hand = problem.add(FrameTask(model, far, {.axes = TaskAxes::frame}));
  problem.add(FrameTask(model, far, {.part = FramePart::position, .reference = near, .settings = {.priority = 2}}));
  problem.add(CenterOfMassTask("xy", {.priority = 2}));
  problem.add(LookAtTask(model, far, Vector3::UnitX(), {.priority = 3}));
  problem.add(
      CouplingTask(model, {model.motor_names()[0], model.motor_names()[1]}, MatrixX::Ones(1, 2), VectorX::Zero(1)));
  problem.add(PostureTask(model));
  problem.add(LimitDistance(model));
  problem.add(Manipulability(model, far));
  problem.add(ForceSd(model, far, VectorX::Ones(model.nv())));
  problem.avoid(SelfCollisionModel(model));
  problem.limit_acceleration(VectorX::Constant(model.nv(), 50.0));
  TaskSolver solver(problem);
  VectorX v = VectorX::Zero(model.nv());
  for (int i = 0; i < 30; ++i) {
    VectorX q = test::within_limits(model, random, 0.3);
    if (i % 5 == 3) q[0] = kNaN;
    if (i % 5 == 4) q = VectorX::Zero(2);
    solver[hand].target = {test::random_rotation(random, 1.0), random.vector(3)};
    if (i % 5 == 2) solver[hand].target.rotation *= 2.0;
    AllocationCounter counter;
    solver.step(q, v, 0.01);
    ASSERT_EQ(counter.count(), 0) << "step " << i;
    if (i % 6 == 0) solver.solve(q);
    ASSERT_EQ(counter.count(), 0) << "solve " << i;
    solver.level_errors(q);
    ASSERT_EQ(counter.count(), 0) << "errors " << i;
  }
}

TEST(TaskRealtime, NoAllocationOnTheH1_2) {
  expect_no_allocation("h1_2", "left_ankle_roll_link", "right_wrist_yaw_link");
}
TEST(TaskRealtime, NoAllocationOnThePlanarArm) { expect_no_allocation("planar_3r", "link_1", "link_3"); }

}  // namespace
}  // namespace antaeus
