// Motions by priority, step by step, with states, targets and steps that go wrong at random.
#include "support/faulty_cycles.hpp"
#include "tasks/task_support.hpp"

namespace antaeus {
namespace {

using test::Faults;
using test::Told;

TEST(TaskSoak, StepsOfAnArmWithLimits) {
  const RobotModel model = test::own_robot("ur5e").model;
  const int n = model.nv();
  TaskProblem problem(model, {.iteration_budget = 5});
  const auto hand = problem.add(FrameTask(model, "tool0"));
  problem.add(PostureTask(model));
  problem.limit_acceleration(VectorX::Constant(n, 50.0));
  TaskSolver solver(problem);
  const VectorX home{{0.3, -1.4, 1.6, -1.7, -1.5, 0.2}};
  const Pose target = test::pose_of(model, home, "tool0");
  VectorX q = home, v = VectorX::Zero(n), copy(n);
  double dt = 0.01;
  const StepResult* step = nullptr;
  const SolveResult* solved = nullptr;
  bool turn = false;
  test::soak_faulty_cycles(
      "TaskSolver", {.seed = 3581, .sample = 3000},
      [&](Faults& faults) {
        q.resize(n), v.resize(n);
        faults.fill(q, 0.05), faults.fill(v, 0.05);
        q += home;
        dt = 0.01;
        Pose& wanted = solver[hand].target;
        wanted = target;
        faults.spoil(q);
        faults.spoil(v);
        faults.spoil_step(dt);
        faults.spoil_entry(wanted.translation);
        faults.spoil_entry(wanted.rotation.col(0));
      },
      [&] {
        step = &solver.step(q, v, dt);
        if ((turn = !turn)) solved = &solver.solve(q);
      },
      [&] {
        Told told(step->status == StepStatus::ok, step->v.allFinite());
        EXPECT_TRUE(solved->status == SolveStatus::bad_input || solved->q.allFinite());
        return told;
      });
}

}  // namespace
}  // namespace antaeus
