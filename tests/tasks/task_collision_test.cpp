#include "support/segment_distance.hpp"
#include "tasks/task_support.hpp"

namespace antaeus {
namespace {

using test::moved;
using test::pose_of;
using test::RandomStates;
using test::segment_distance;

constexpr double kRadius = 0.04, kLength = 0.3;
const char* const kLinks[] = {"1", "2", "3", "4"};

/// Two arms of four capsules each, side by side on a root with a post between them; every joint turns about its own
/// axis, so that hands may go anywhere.
RobotModel two_arms() {
  std::string text = R"(<robot name="arms"><link name="root"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0.35 0 0.4"/><geometry><capsule radius="0.04" length="0.8"/></geometry></collision></link>)";
  const char* axes[] = {"0 0 1", "0 1 0", "0 1 0", "1 0 0"};
  for (const std::string side : {"left", "right"}) {
    std::string parent = "root", origin = side == "left" ? "0 0.25 0.4" : "0 -0.25 0.4";
    for (int i = 0; i < 4; ++i) {
      const std::string name = side + "_" + kLinks[i];
      text +=
          "<link name=\"" + name +
          R"("><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>)";
      if (i > 0) {
        text += R"(<collision><origin xyz="0.15 0 0" rpy="0 1.5707963267948966 0"/>
          <geometry><capsule radius="0.04" length="0.3"/></geometry></collision>)";
      }
      text += "</link><joint name=\"" + name + "_joint\" type=\"revolute\"><parent link=\"" + parent +
              "\"/><child link=\"" + name + "\"/><origin xyz=\"" + origin + "\"/><axis xyz=\"" +
              (i == 2 && side == "left" ? "0 0 1" : axes[i]) +
              "\"/><limit lower=\"-2.6\" upper=\"2.6\" effort=\"10\" velocity=\"3\"/></joint>";
      parent = name;
      origin = i == 0 ? "0 0 0" : "0.42 0 0";
    }
    text += "<link name=\"" + side + "_tip\"/><joint name=\"" + side + "_end\" type=\"fixed\"><parent link=\"" +
            parent + "\"/><child link=\"" + side + "_tip\"/><origin xyz=\"0.3 0 0\"/></joint>";
  }
  text += "</robot>";
  ModelOptions options;
  options.base = Base::fixed;
  return RobotModel(parse_urdf(text, "arms.urdf", ".", MeshPolicy::ignored), options);
}

/// Smallest distance of the two arms' capsules, of the post, and of each arm's first and third capsule.
double smallest_distance(const RobotModel& model, const VectorX& q) {
  Dynamics dynamics(model);
  const PositionTerms terms = dynamics.at(q);
  struct Capsule {
    std::string name;
    Vector3 from, to;
  };
  std::vector<Capsule> capsules;
  for (const std::string side : {"left", "right"}) {
    for (int i = 1; i < 4; ++i) {
      Pose X;
      EXPECT_EQ(terms.frame_pose(model.frame(side + "_" + kLinks[i]), X), Status::ok);
      capsules.push_back({side, X.translation, X.translation + kLength * X.rotation.col(0)});
    }
  }
  capsules.push_back({"post", {0.35, 0.0, 0.0}, {0.35, 0.0, 0.8}});
  double best = kInfinity;
  for (std::size_t a = 0; a < capsules.size(); ++a) {
    for (std::size_t b = a + 1; b < capsules.size(); ++b) {
      const bool neighbours = capsules[a].name == capsules[b].name && b == a + 1;
      if (neighbours) continue;
      best = std::min(best, segment_distance(capsules[a].from, capsules[a].to, capsules[b].from, capsules[b].to));
    }
  }
  return best - 2.0 * kRadius;
}

TEST(TaskCollision, ArmsThatAreSentThroughEachOtherKeepTheirDistance) {
  const RobotModel model = two_arms();
  const TaskSolverOptions options{.margin = 0.02};
  TaskProblem problem(model, options);
  const auto left =
      problem.add(FrameTask(model, "left_tip", {.part = FramePart::position, .settings = {.priority = 1}}));
  const auto right =
      problem.add(FrameTask(model, "right_tip", {.part = FramePart::position, .settings = {.priority = 1}}));
  problem.avoid(SelfCollisionModel(model));
  TaskSolver solver(problem);
  RandomStates random(1350);
  VectorX q = model.neutral(), v = VectorX::Zero(model.nv());
  for (int i = 0; i < model.nv(); ++i) q[i] = i < 4 ? 0.3 : -0.3;
  ASSERT_GT(smallest_distance(model, q), options.margin);
  double smallest = kInfinity, without = kInfinity;
  int conflicts = 0;
  // The same wishes without distances, to see that these targets do lead through.
  TaskProblem blind_problem(model);
  const auto blind_left =
      blind_problem.add(FrameTask(model, "left_tip", {.part = FramePart::position, .settings = {.priority = 1}}));
  const auto blind_right =
      blind_problem.add(FrameTask(model, "right_tip", {.part = FramePart::position, .settings = {.priority = 1}}));
  TaskSolver blind(blind_problem);
  VectorX blind_q = q;
  for (int i = 0; i < 1000; ++i) {
    if (i % 100 == 0) {
      const Vector3 a(0.6 + 0.2 * random.vector(1)[0], -0.35, 0.4 + 0.3 * random.vector(1)[0]);
      const Vector3 b(0.5 + 0.2 * random.vector(1)[0], 0.35, 0.4 + 0.3 * random.vector(1)[0]);
      solver[left].target.translation = blind[blind_left].target.translation = i % 200 == 0 ? a : b;
      solver[right].target.translation = blind[blind_right].target.translation = i % 200 == 0 ? b : a;
    }
    const StepResult& step = solver.step(q, v, 0.02);
    ASSERT_TRUE(step.q.allFinite());
    conflicts += step.status != StepStatus::ok;
    q = step.q;
    v = step.v;
    const double distance = smallest_distance(model, q);
    smallest = std::min(smallest, distance);
    if (step.distance < kInfinity) {
      ASSERT_LE(std::abs(step.distance - distance), tolerance::kGjkDistance) << i;
    }
    blind_q = blind.step(blind_q, VectorX::Zero(model.nv()), 0.02).q;
    without = std::min(without, smallest_distance(model, blind_q));
  }
  EXPECT_LT(without, -0.02);
  EXPECT_GE(smallest, options.margin);
  EXPECT_LE(smallest, options.margin + 0.001);  // it was tried
  EXPECT_EQ(conflicts, 0);
  std::printf("smallest %.9f, without %.4f\n", smallest, without);
}

/// With acceleration limits links have to brake before each other.
TEST(TaskCollision, WithAccelerationLimitsTheyBrakeInTime) {
  const RobotModel model = two_arms();
  const TaskSolverOptions options{.margin = 0.02};
  TaskProblem problem(model, options);
  const FrameTaskOptions position{.part = FramePart::position, .settings = {.priority = 1}};
  const auto left = problem.add(FrameTask(model, "left_tip", position));
  const auto right = problem.add(FrameTask(model, "right_tip", position));
  problem.avoid(SelfCollisionModel(model));
  problem.limit_acceleration(VectorX::Constant(model.nv(), 40.0));
  TaskSolver solver(problem);
  RandomStates random(1352);
  VectorX q = model.neutral(), v = VectorX::Zero(model.nv());
  for (int i = 0; i < model.nv(); ++i) q[i] = i < 4 ? 0.3 : -0.3;
  double smallest = kInfinity;
  int below = 0;
  for (int i = 0; i < 2000; ++i) {
    if (i % 200 == 0) {
      const double side = i % 400 == 0 ? 0.35 : -0.35;
      solver[left].target.translation = Vector3(0.6, -side, 0.4) + random.vector(3, 0.15);
      solver[right].target.translation = Vector3(0.6, side, 0.4) + random.vector(3, 0.15);
    }
    const StepResult& step = solver.step(q, v, 0.01);
    const double distance = smallest_distance(model, step.q);
    ASSERT_LE(test::largest(step.v - v), 0.4) << i;
    ASSERT_EQ(step.status == StepStatus::collision_conflict, step.distance < options.margin) << i;
    smallest = std::min(smallest, distance);
    below += distance < options.margin;
    q = step.q;
    v = step.v;
  }
  EXPECT_LT(smallest, options.margin + 0.01);  // it was tried
  EXPECT_EQ(below, 0);
  std::printf("smallest %.6f, %d of 2000 steps below the margin\n", smallest, below);
}

TEST(TaskCollision, SolutionsKeepTheDistanceAndSayWhereTheyStop) {
  const RobotModel model = two_arms();
  const TaskSolverOptions options{.margin = 0.02};
  TaskProblem problem(model, options);
  const auto left =
      problem.add(FrameTask(model, "left_tip", {.part = FramePart::position, .settings = {.priority = 1}}));
  problem.avoid(SelfCollisionModel(model));
  TaskSolver solver(problem);
  RandomStates random(1351);
  VectorX q = model.neutral();
  for (int i = 0; i < model.nv(); ++i) q[i] = i < 4 ? 0.3 : -0.3;
  int stopped = 0;
  for (int i = 0; i < 10; ++i) {
    // On the post, and inside the other arm.
    solver[left].target.translation = i % 2 == 0
                                          ? Vector3(0.35, 0.0, 0.3 + 0.04 * i)
                                          : Vector3(pose_of(model, q, "right_3").translation + random.vector(3, 0.03));
    const SolveResult& result = solver.solve(q);
    ASSERT_TRUE(result.q.allFinite());
    EXPECT_GE(smallest_distance(model, result.q), options.margin);
    stopped += result.status != SolveStatus::reached;
    EXPECT_NE(result.status, SolveStatus::infeasible);
  }
  EXPECT_EQ(stopped, 10);
}

/// A start inside the margin: never worse, out of it as fast as limits allow, and named until then.
TEST(TaskCollision, AStartInsideTheMarginIsLeft) {
  const RobotModel model = two_arms();
  TaskProblem problem(model, {.margin = 0.06});
  problem.add(PostureTask(model));
  problem.avoid(SelfCollisionModel(model));
  TaskSolver solver(problem);
  VectorX q = model.neutral(), v = VectorX::Zero(model.nv());
  // The left arm swings towards the post until it is nearer than 6 cm.
  for (; smallest_distance(model, q) > 0.03; q[0] -= 0.002) ASSERT_GT(q[0], -2.0);
  double last = smallest_distance(model, q);
  EXPECT_EQ(solver.step(q, v, 0.01).status, StepStatus::collision_conflict);
  for (int i = 0; i < 100; ++i) {
    const StepResult& step = solver.step(q, v, 0.01);
    q = step.q;
    v = step.v;
    const double distance = smallest_distance(model, q);
    ASSERT_GE(distance, std::min(last, 0.06) - tolerance::kGjkDistance);
    last = distance;
  }
  EXPECT_GE(last, 0.06 - tolerance::kGjkDistance);
  EXPECT_EQ(solver.step(q, v, 0.01).status, StepStatus::ok);
}

}  // namespace
}  // namespace antaeus
