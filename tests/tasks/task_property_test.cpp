#include <map>

#include "tasks/task_support.hpp"
#include "tasks/tolerances.hpp"

namespace antaeus {
namespace {

using test::largest;
using test::moved;
using test::NamedModel;
using test::RandomStates;
using test::StateAt;

constexpr double kStep = 1e-6;

/// The last joint's frame, and the one of a joint in the middle.
std::pair<std::string, std::string> two_frames(const RobotModel& model) {
  const std::vector<std::string>& rows = model.row_names();
  std::size_t middle = rows.size() / 2;
  while (!model.has_frame(rows[middle])) ++middle;
  return {rows.back(), rows[middle]};
}

std::vector<std::unique_ptr<Task>> every_kind(const RobotModel& model, RandomStates& random) {
  std::vector<std::unique_ptr<Task>> tasks;
  const auto [far, near] = two_frames(model);
  for (const FramePart part : all_values<FramePart>()) {
    for (const TaskAxes axes : all_values<TaskAxes>()) {
      for (const std::string& reference : {std::string(), near}) {
        FrameTask task(model, far, {.part = part, .axes = axes, .reference = reference});
        task.target = {test::random_rotation(random, 2.5), random.vector(3)};
        tasks.push_back(task.clone());
      }
    }
  }
  CenterOfMassTask com("xz");
  com.target = random.vector(3);
  tasks.push_back(com.clone());
  PostureTask posture(model);
  posture.target = random.vector(model.nv());
  tasks.push_back(posture.clone());
  LookAtTask look(model, far, Vector3(1.0, -2.0, 0.5));
  look.target = random.vector(3, 3.0);
  tasks.push_back(look.clone());
  const VectorX offset = random.vector(2);
  MatrixX matrix(2, 2);
  matrix << 1.0, -2.0, 0.5, 3.0;
  std::vector<std::string> joints;
  for (std::size_t i = model.base() == Base::free_flyer ? 6 : 0; joints.size() < 2; ++i) {
    joints.push_back(model.row_names()[i]);
  }
  tasks.push_back(CouplingTask(model, joints, matrix, offset).clone());
  return tasks;
}

TEST(TaskProperty, JacobianIsTheErrorsDerivative) {
  for (const NamedModel& robot : test::all_models()) {
    RandomStates random(1301);
    StateAt state(robot.model);
    const int nv = robot.model.nv();
    const auto tasks = every_kind(robot.model, random);
    for (int i = 0; i < 3; ++i) {
      const VectorX q = random.configuration(robot.model, i == 2 ? 0.05 : 1.2);
      for (const auto& task : tasks) {
        SCOPED_TRACE(robot.name + ", " + task->name() + ", " + random.text());
        VectorX error(task->rows()), ahead(task->rows()), behind(task->rows());
        MatrixX J(task->rows(), nv), scratch(task->rows(), nv), slope(task->rows(), nv);
        ASSERT_EQ(task->evaluate(state(q), error, J), Status::ok);
        // Near a half turn the logarithm jumps to the other side.
        if (error.size() >= 3 && error.tail<3>().norm() > 2.9 && task->name().find("centre") == std::string::npos)
          continue;
        for (int j = 0; j < nv; ++j) {
          ASSERT_EQ(task->evaluate(state(moved(robot.model, q, kStep * VectorX::Unit(nv, j))), ahead, scratch),
                    Status::ok);
          ASSERT_EQ(task->evaluate(state(moved(robot.model, q, -kStep * VectorX::Unit(nv, j))), behind, scratch),
                    Status::ok);
          slope.col(j) = (ahead - behind) / (2.0 * kStep);
        }
        EXPECT_LE(largest(J - slope), tolerance::kTaskDifference);
      }
    }
  }
}

TEST(TaskProperty, GradientIsTheObjectivesDerivative) {
  for (const NamedModel& robot : test::all_models()) {
    RandomStates random(1302);
    StateAt state(robot.model);
    const int nv = robot.model.nv();
    const auto [far, near] = two_frames(robot.model);
    std::vector<std::unique_ptr<Objective>> objectives;
    objectives.push_back(LimitDistance(robot.model).clone());
    // Five and six rows need as many columns; what a robot has not is still differentiable by the shift of 1e-12.
    objectives.push_back(Manipulability(robot.model, far, true, false).clone());
    if (nv > 6) objectives.push_back(Manipulability(robot.model, far, true, true, 0.3).clone());
    VectorX sd = VectorX::Constant(nv, 0.5);
    if (robot.model.base() == Base::free_flyer) sd.head(6).setConstant(kInfinity);
    objectives.push_back(ForceSd(robot.model, far, sd).clone());
    for (int i = 0; i < 3; ++i) {
      const VectorX q = test::within_limits(robot.model, random);
      for (const auto& objective : objectives) {
        SCOPED_TRACE(robot.name + ", " + objective->name() + ", " + random.text());
        double value = 0.0, ahead = 0.0, behind = 0.0;
        VectorX gradient(nv), scratch(nv), slope(nv);
        ASSERT_EQ(objective->evaluate(state(q), value, gradient), Status::ok);
        if (std::abs(value) > 8.0 && objective->name().starts_with("manip")) continue;  // a planar arm's lost rows
        for (int j = 0; j < nv; ++j) {
          ASSERT_EQ(objective->evaluate(state(moved(robot.model, q, kStep * VectorX::Unit(nv, j))), ahead, scratch),
                    Status::ok);
          ASSERT_EQ(objective->evaluate(state(moved(robot.model, q, -kStep * VectorX::Unit(nv, j))), behind, scratch),
                    Status::ok);
          slope[j] = (ahead - behind) / (2.0 * kStep);
        }
        EXPECT_LE(largest(gradient - slope), tolerance::kObjectiveDifference * std::max(1.0, largest(gradient)));
      }
    }
  }
}

/// The world moved as a whole, targets with it: error norms stay, and errors in frame axes too.
TEST(TaskProperty, ErrorsDoNotDependOnWhereTheWorldBegins) {
  RandomStates random(1303);
  const RobotModel model = test::own_robot("h1_2").model;
  StateAt state(model);
  for (int i = 0; i < 5; ++i) {
    SCOPED_TRACE(random.text());
    const Pose X_VW{test::random_rotation(random, 2.0), random.vector(3, 4.0)};
    const VectorX q = random.configuration(model, 0.8);
    const Pose X_WB = test::pose_of(model, q, model.description().root), X_VB = X_VW * X_WB;
    VectorX there = q;
    there.head<3>() = X_VB.translation;
    there.segment<4>(3) = Eigen::Quaterniond(X_VB.rotation).coeffs();
    for (const FramePart part : all_values<FramePart>()) {
      for (const TaskAxes axes : all_values<TaskAxes>()) {
        FrameTask task(model, "left_wrist_yaw_link", {.part = part, .axes = axes});
        task.target = {test::random_rotation(random, 1.0), random.vector(3)};
        VectorX before(task.rows()), after(task.rows());
        MatrixX J(task.rows(), model.nv()), J_after(task.rows(), model.nv());
        ASSERT_EQ(task.evaluate(state(q), before, J), Status::ok);
        task.target = X_VW * task.target;
        ASSERT_EQ(task.evaluate(state(there), after, J_after), Status::ok);
        if (axes == TaskAxes::frame) {
          EXPECT_LE(largest(after - before), tolerance::kTaskInvariance);
          EXPECT_LE(largest(J_after - J), tolerance::kTaskInvariance);
        } else {
          EXPECT_LE(std::abs(after.norm() - before.norm()), tolerance::kTaskInvariance);
        }
      }
    }
  }
}

TEST(TaskProperty, ATargetThatIsNoneIsRefused) {
  const RobotModel model = test::own_robot("planar_3r").model;
  StateAt state(model);
  FrameTask task(model, model.frame_names().back());
  VectorX error(6);
  MatrixX J(6, 3);
  task.target.translation.x() = kNaN;
  EXPECT_EQ(task.evaluate(state(model.neutral()), error, J), Status::not_finite);
  task.target = {2.0 * Matrix3::Identity(), Vector3::Zero()};
  EXPECT_EQ(task.evaluate(state(model.neutral()), error, J), Status::bad_orientation);
  EXPECT_TRUE(error.array().isNaN().all());
  EXPECT_THROW(FrameTask(model, "no_such_frame"), ModelError);
  EXPECT_THROW(PostureTask(model, {"no_such_joint"}), ModelError);
  EXPECT_THROW(CenterOfMassTask("xq"), OptionsError);
  EXPECT_THROW(LookAtTask(model, model.frame_names().back(), Vector3::Zero()), OptionsError);
  EXPECT_THROW(CouplingTask(model, {}, MatrixX::Ones(1, 1), VectorX::Ones(1)), OptionsError);
}

/// It would read and write beyond what the solver has.
TEST(TaskProperty, WhatIsOfAnotherModelIsRefused) {
  const RobotModel small = test::own_robot("planar_3r").model, big = test::own_robot("panda").model;
  const auto last = [](const RobotModel& model) {
    const std::vector<std::string>& motors = model.motor_names();
    return CouplingTask(model, {motors[motors.size() - 1], motors[motors.size() - 2]}, MatrixX::Ones(1, 2),
                        VectorX::Zero(1));
  };
  for (const auto& [model, other] : {std::pair(&small, &big), std::pair(&big, &small)}) {
    StateAt state(*model);
    VectorX error(1), gradient(model->nv());
    MatrixX J(1, model->nv());
    double value = 0.0;
    EXPECT_EQ(last(*other).evaluate(state(model->neutral()), error, J), Status::wrong_size);
    EXPECT_EQ(LimitDistance(*other).evaluate(state(model->neutral()), value, gradient), Status::wrong_size);
    TaskProblem coupled(*model), kept(*model);
    coupled.add(last(*other));
    kept.add(LimitDistance(*other));
    EXPECT_EQ(TaskSolver(coupled).solve(model->neutral()).status, SolveStatus::bad_input);
    EXPECT_EQ(TaskSolver(kept).solve(model->neutral()).status, SolveStatus::bad_input);
  }
}

/// Where the angle is small and where the axis points backwards.
TEST(TaskProperty, LookAtIsTheAngle) {
  const RobotModel model = test::own_robot("planar_3r").model;
  StateAt state(model);
  LookAtTask task(model, "link_1", Vector3::UnitX());
  VectorX error(2);
  MatrixX J(2, 3);
  for (const double angle : {0.0, 1e-9, 1e-3, 9.9e-3, 1.01e-2, 1.0, 3.0}) {
    task.target = {2.0 * std::cos(angle), 2.0 * std::sin(angle), 0.0};
    ASSERT_EQ(task.evaluate(state(model.neutral()), error, J), Status::ok);
    EXPECT_LE(std::abs(error.norm() - angle), tolerance::kTaskInvariance);
  }
}

}  // namespace
}  // namespace antaeus
