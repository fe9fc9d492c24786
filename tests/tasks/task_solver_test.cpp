#include "antaeus/numerics/elastic_qp.hpp"
#include "tasks/task_support.hpp"
#include "tasks/tolerances.hpp"

namespace antaeus {
namespace {

using test::kHand;
using test::largest;
using test::moved;
using test::own_robot;
using test::pose_of;
using test::RandomStates;

/// Whether a configuration is within all joint limits, by no bit beyond.
void expect_within_limits(const RobotModel& model, const VectorX& q) {
  VectorX all(model.nv()), motors(model.motor_count());
  ASSERT_TRUE(q.allFinite());
  // Motors' positions as they stand in q: both robots have no continuous joint.
  motors = q.tail(model.motor_count());
  const int first = model.nv() - model.motor_count();
  for (int m = 0; m < model.motor_count(); ++m) {
    const double position = motors[model.motor_rows()[static_cast<std::size_t>(m)] - first];
    ASSERT_LE(position, model.upper_limits()[m]) << model.motor_names()[static_cast<std::size_t>(m)];
    ASSERT_GE(position, model.lower_limits()[m]) << model.motor_names()[static_cast<std::size_t>(m)];
  }
}

RobotModel bolted_h1_2() {
  const Robot robot = own_robot("h1_2");
  ModelOptions options = robot.profile.options;
  options.base = Base::fixed;
  return RobotModel(robot.model.description(), options);
}

const char* const kOther = "right_wrist_yaw_link";

TEST(TaskSolver, ReachesAPoseThatIsOneOfItsOwn) {
  const RobotModel model = bolted_h1_2();
  RandomStates random(1310);
  TaskProblem problem(model);
  const auto hand = problem.add(FrameTask(model, kHand));
  TaskSolver solver(problem);
  int reached = 0;
  for (int i = 0; i < 20; ++i) {
    const VectorX goal = test::within_limits(model, random, 0.6);
    solver[hand].target = pose_of(model, goal, kHand);
    const SolveResult& result = solver.solve(test::within_limits(model, random, 0.6));
    expect_within_limits(model, result.q);
    if (result.status != SolveStatus::reached) continue;
    ++reached;
    const Pose X = pose_of(model, result.q, kHand);
    EXPECT_LE((X.translation - solver[hand].target.translation).norm(), tolerance::kTaskReached);
    EXPECT_LE(test::angle_between(X.rotation, solver[hand].target.rotation), tolerance::kTaskReached);
  }
  EXPECT_GE(reached, 14);  // one start each; the rest end at limits, and say so
  std::printf("reached %d of 20\n", reached);
}

/// In a step: what the higher level gets is the same with and without the lower one.
TEST(TaskSolver, ALowerLevelLeavesAStepsHigherOnesAlone) {
  const RobotModel model = bolted_h1_2();
  RandomStates random(1311);
  const FrameTaskOptions first{.part = FramePart::position, .settings = {.priority = 1}};
  const FrameTaskOptions second{.part = FramePart::pose, .settings = {.priority = 2}};
  TaskProblem alone(model), both(model);
  FrameTask high(model, kHand, first), low(model, "left_elbow_link", second);
  Dynamics dynamics(model);
  for (int i = 0; i < 20; ++i) {
    const VectorX q = test::within_limits(model, random, 0.9), rest = VectorX::Zero(model.nv());
    high.target = {Matrix3::Identity(), pose_of(model, q, kHand).translation + random.vector(3, 0.3)};
    low.target = {test::random_rotation(random, 2.0), random.vector(3, 0.8)};
    TaskProblem one(model), two(model);
    one.add(high);
    two.add(high);
    two.add(low);
    PostureTask posture(model);
    two.add(posture);
    Matrix6X J(6, model.nv());
    ASSERT_EQ(dynamics.at(q).frame_jacobian(model.frame(kHand), J), Status::ok);
    TaskSolver solver_one(one), solver_two(two);
    const VectorX v_one = solver_one.step(q, rest, 0.01).v, v_two = solver_two.step(q, rest, 0.01).v;
    ASSERT_GT(largest(v_one - v_two), 1e-3);  // the lower levels do something
    EXPECT_LE(largest(J.topRows<3>() * (v_one - v_two)), tolerance::kTaskPriority);
  }
}

/// One level between velocity limits against the interior point of constraints/, which shares no line with the step.
TEST(TaskSolver, AStepIsTheOptimumOfItsQuadraticProgramme) {
  const RobotModel model = bolted_h1_2();
  RandomStates random(1315);
  const int nv = model.nv();
  const double dt = 0.01, gain = 60.0, damping = 1e-2;
  Dynamics dynamics(model);
  int limited = 0;
  for (int i = 0; i < 10; ++i) {
    SCOPED_TRACE(random.text());
    const VectorX q = test::within_limits(model, random, 0.5);
    FrameTask hand(model, kHand, {.settings = {.priority = 1, .gain = gain}});
    hand.target = pose_of(model, q, kHand);
    hand.target.translation += random.vector(3, 0.4);
    TaskProblem problem(model, {.damping = damping});
    problem.add(hand);
    TaskSolver solver(problem);
    const StepResult& step = solver.step(q, VectorX::Zero(nv), dt);
    ASSERT_EQ(step.status, StepStatus::ok);
    Matrix6X J(6, nv);
    ASSERT_EQ(dynamics.at(q).frame_jacobian(model.frame(kHand), J), Status::ok);
    Vector6 wanted = Vector6::Zero();  // the target keeps the orientation
    wanted.head<3>() = gain * (hand.target.translation - pose_of(model, q, kHand).translation);
    const ElasticQpOptions options{.price = 1e3, .primal = 1e-9, .complementarity = 1e-14};
    ElasticQp qp(options);
    qp.reshape(1, {.unknowns = nv, .rows = 2 * nv});
    qp.hessian().diagonal(0) = J.transpose() * J + damping * damping * MatrixX::Identity(nv, nv);
    qp.gradient(0) = -J.transpose() * wanted;
    for (int m = 0; m < nv; ++m) {
      const int row = model.motor_rows()[static_cast<std::size_t>(m)];
      const double to_upper = (model.upper_limits()[m] - q[row]) / dt,
                   to_lower = (q[row] - model.lower_limits()[m]) / dt;
      qp.rows(0)(2 * row, row) = 1.0;
      qp.rows(0)(2 * row + 1, row) = -1.0;
      qp.bounds(0)[2 * row] = std::min(model.velocity_limits()[m], to_upper);
      qp.bounds(0)[2 * row + 1] = std::min(model.velocity_limits()[m], to_lower);
    }
    ASSERT_EQ(qp.solve(), QpStatus::solved);
    EXPECT_LE(largest(qp.unknowns(0) - step.v), tolerance::kTaskOptimum);
    for (int m = 0; m < nv; ++m) {
      limited += std::abs(step.v[model.motor_rows()[static_cast<std::size_t>(m)]]) == model.velocity_limits()[m];
    }
  }
  EXPECT_GT(limited, 5);
}

/// At the end of a solve: the higher level's error is what it is without the lower one, in reach and out of it.
TEST(TaskSolver, ALowerLevelLeavesASolutionsHigherOnesAlone) {
  const RobotModel model = bolted_h1_2();
  RandomStates random(1312);
  for (int i = 0; i < 12; ++i) {
    SCOPED_TRACE("target " + std::to_string(i) + ", " + random.text());
    const VectorX start = test::within_limits(model, random, 0.5), goal = test::within_limits(model, random, 0.5);
    const bool far = i % 2 == 1;
    FrameTask high(model, kHand, {.part = FramePart::position, .settings = {.priority = 1}});
    high.target = pose_of(model, goal, kHand);
    if (far) high.target.translation *= 2.5;
    FrameTask low(model, kHand, {.part = FramePart::orientation, .settings = {.priority = 2}});
    low.target.rotation = test::random_rotation(random, 2.0);
    TaskProblem one(model), two(model);
    one.add(high);
    two.add(high);
    two.add(low);
    two.add(PostureTask(model));
    TaskSolver solver_one(one), solver_two(two);
    const SolveResult& alone = solver_one.solve(start);
    const SolveResult& both = solver_two.solve(start);
    ASSERT_NE(alone.status, SolveStatus::bad_input);
    ASSERT_EQ(both.levels.size(), 3u);
    EXPECT_LE(both.levels[0].error - alone.levels[0].error, tolerance::kTaskPriority);
    expect_within_limits(model, both.q);
    // And the lower one did gain by being there.
    const double without = solver_two.level_errors(alone.q)[1];
    EXPECT_LE(both.levels[1].error, without + 1e-12);
  }
}

TEST(TaskSolver, WeightsShareOneLevel) {
  const RobotModel model = own_robot("planar_3r").model;
  const std::string tip = model.frame_names().back();
  for (const double weight : {1.0, 100.0}) {
    TaskProblem problem(model);
    FrameTask left(model, "link_3", {.part = FramePart::position, .settings = {.priority = 1, .weight = weight}});
    FrameTask right(model, "link_3", {.part = FramePart::position, .settings = {.priority = 1, .weight = 1.0}});
    left.target.translation = {0.5, 0.3, 0.0};
    right.target.translation = {0.5, 0.5, 0.0};
    problem.add(left);
    problem.add(right);
    TaskSolver solver(problem);
    VectorX q = VectorX::Constant(3, 0.3);
    const SolveResult& result = solver.solve(q);
    EXPECT_EQ(result.status, SolveStatus::stationary);
    const double y = pose_of(model, result.q, "link_3").translation.y();
    EXPECT_LE(std::abs(y - (0.3 * weight + 0.5) / (weight + 1.0)), tolerance::kTaskStationary);
  }
}

/// Velocity, acceleration and joint limits of every step of a hand that is sent to and fro, exactly.
TEST(TaskSolver, StepsKeepEveryLimitToTheLastBit) {
  const RobotModel model = bolted_h1_2();
  RandomStates random(1313);
  TaskProblem problem(model);
  const auto hand = problem.add(FrameTask(model, kHand, {.settings = {.priority = 1, .gain = 200.0}}));
  const auto other = problem.add(FrameTask(model, kOther, {.settings = {.priority = 2, .gain = 200.0}}));
  const VectorX acceleration = VectorX::Constant(model.nv(), 150.0);
  problem.limit_acceleration(acceleration);
  TaskSolver solver(problem);
  const double dt = 0.01;
  VectorX q = test::within_limits(model, random, 0.5), v = VectorX::Zero(model.nv());
  int at_velocity = 0, at_acceleration = 0, at_position = 0;
  for (int i = 0; i < 1500; ++i) {
    if (i % 150 == 0) {
      solver[hand].target = {test::random_rotation(random, 2.0), random.vector(3, 1.5)};
      solver[other].target = {test::random_rotation(random, 2.0), random.vector(3, 1.5)};
    }
    const StepResult& step = solver.step(q, v, dt);
    ASSERT_EQ(step.status, StepStatus::ok) << i;
    for (int m = 0; m < model.motor_count(); ++m) {
      const int row = model.motor_rows()[static_cast<std::size_t>(m)];
      const double limit = model.velocity_limits()[m];
      ASSERT_LE(std::abs(step.v[row]), limit);
      ASSERT_LE(std::abs(step.v[row] - v[row]), acceleration[row] * dt);
      at_velocity += std::abs(step.v[row]) > 0.999999 * limit;
      at_acceleration += std::abs(step.v[row] - v[row]) > 0.999999 * acceleration[row] * dt;
      at_position += step.q[row] > model.upper_limits()[m] - 1e-6 || step.q[row] < model.lower_limits()[m] + 1e-6;
    }
    ASSERT_EQ(largest(moved(model, q, dt * step.v) - step.q), 0.0);  // what a caller integrates himself
    expect_within_limits(model, step.q);
    q = step.q;
    v = step.v;
  }
  EXPECT_GT(at_velocity, 100);
  EXPECT_GT(at_acceleration, 100);
  EXPECT_GT(at_position, 100);
}

TEST(TaskSolver, AConflictOfLimitsIsNamedAndBrakes) {
  const RobotModel model = own_robot("planar_3r").model;
  TaskProblem problem(model);
  problem.add(PostureTask(model));
  problem.limit_acceleration(VectorX::Constant(3, 1.0));
  TaskSolver solver(problem);
  VectorX q = VectorX::Zero(3), v = VectorX::Zero(3);
  q[1] = 3.1;
  v[1] = 5.0;  // 0.04 rad before its limit: 8 ms to brake 5 rad/s with 1 rad/s²
  const StepResult& step = solver.step(q, v, 0.001);
  EXPECT_EQ(step.status, StepStatus::limits_conflict);
  EXPECT_EQ(step.row, 1);
  EXPECT_LE(step.v[1], 5.0 - 0.001 + 1e-12);
  for (int i = 0; i < 100; ++i) {
    const StepResult& next = solver.step(q, v, 0.001);
    ASSERT_NE(next.status, StepStatus::bad_input);
    q = next.q;
    v = next.v;
    ASSERT_LE(q[1], model.upper_limits()[1]);
  }
  EXPECT_EQ(solver.step(q, v, 0.001).status, StepStatus::ok);
}

TEST(TaskSolver, BadInputIsNamedAndLeavesNoNumber) {
  const RobotModel model = own_robot("planar_3r").model;
  TaskProblem problem(model);
  const auto tip = problem.add(FrameTask(model, "link_3"));
  TaskSolver solver(problem);
  const VectorX q = VectorX::Constant(3, 0.2), rest = VectorX::Zero(3);
  const auto refused = [&](const StepResult& step, Status why) {
    EXPECT_EQ(step.status, StepStatus::bad_input);
    EXPECT_EQ(step.input, why);
    EXPECT_TRUE(step.v.array().isNaN().all());
    EXPECT_TRUE(step.q.array().isNaN().all());
  };
  refused(solver.step(VectorX::Zero(4), rest, 0.01), Status::wrong_size);
  refused(solver.step(q, VectorX::Zero(2), 0.01), Status::wrong_size);
  refused(solver.step(VectorX::Constant(3, kNaN), rest, 0.01), Status::not_finite);
  refused(solver.step(q, VectorX::Constant(3, kInfinity), 0.01), Status::not_finite);
  refused(solver.step(q, rest, 0.0), Status::time_back);
  refused(solver.step(q, rest, kNaN), Status::time_back);
  solver[tip].target.rotation *= 2.0;
  refused(solver.step(q, rest, 0.01), Status::bad_orientation);
  EXPECT_EQ(solver.step(q, rest, 0.01).task, 0);
  const SolveResult& result = solver.solve(q);
  EXPECT_EQ(result.status, SolveStatus::bad_input);
  EXPECT_EQ(result.input, Status::bad_orientation);
  EXPECT_EQ(result.task, 0);
  EXPECT_TRUE(result.q.array().isNaN().all());
  solver[tip].target = {};
  EXPECT_NE(solver.solve(q).status, SolveStatus::bad_input);
  EXPECT_EQ(solver.solve(VectorX::Zero(2)).input, Status::wrong_size);
  EXPECT_EQ(solver.solve(VectorX::Constant(3, kNaN)).input, Status::not_finite);
  // A start outside the limits is pulled in, and said so.
  EXPECT_EQ(solver.solve(VectorX::Constant(3, 9.0)).pulled_in, 3);
  EXPECT_EQ(solver.step(VectorX::Constant(3, 9.0), rest, 0.01).pulled_in, 3);
  FrameTask wrong(model, "link_3", {.settings = {.priority = -1}});
  EXPECT_THROW(problem.add(wrong), OptionsError);
  EXPECT_THROW(problem.limit_acceleration(VectorX::Zero(3)), OptionsError);
  EXPECT_THROW(TaskProblem(model, {.damping = 0.0}), OptionsError);
}

TEST(TaskSolver, ObjectivesGainWhatTasksLeaveFree) {
  const Robot robot = own_robot("h1_2");
  const RobotModel model = bolted_h1_2();
  RandomStates random(1314);
  const VectorX sd = VectorX::Constant(model.nv(), 0.3);
  for (int i = 0; i < 6; ++i) {
    SCOPED_TRACE(std::to_string(i) + ", " + random.text());
    const VectorX start = test::within_limits(model, random, 0.5);
    FrameTask hand(model, kHand, {.part = FramePart::position, .settings = {.priority = 1}});
    hand.target = pose_of(model, start, kHand);
    std::vector<std::unique_ptr<Objective>> kinds;
    kinds.push_back(LimitDistance(model).clone());
    kinds.push_back(Manipulability(model, kHand).clone());
    kinds.push_back(ForceSd(model, kHand, sd).clone());
    test::StateAt state(model);
    for (const auto& kind : kinds) {
      SCOPED_TRACE(kind->name());
      TaskProblem problem(model);
      problem.add(hand);
      problem.add(*kind);
      TaskSolver solver(problem);
      const SolveResult& result = solver.solve(start);
      EXPECT_EQ(result.status, SolveStatus::reached);
      double before = 0.0;
      VectorX gradient(model.nv());
      ASSERT_EQ(kind->evaluate(state(start), before, gradient), Status::ok);
      EXPECT_LT(result.objective, before - 0.01 * std::abs(before));
      EXPECT_LE((pose_of(model, result.q, kHand).translation - hand.target.translation).norm(),
                tolerance::kTaskReached);
      // One step at rate 1 goes down too.
      const StepResult& step = solver.step(start, VectorX::Zero(model.nv()), 1e-3);
      double after = 0.0;
      ASSERT_EQ(kind->evaluate(state(step.q), after, gradient), Status::ok);
      EXPECT_LT(after, before);
    }
  }
}

}  // namespace
}  // namespace antaeus
