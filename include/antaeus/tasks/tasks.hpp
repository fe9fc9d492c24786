#pragma once
/// \file
/// The kinds of tasks that come with the library. All are \realtime (task_realtime_test).

#include <string>
#include <vector>

#include "antaeus/tasks/task.hpp"

namespace antaeus {

enum class FramePart : std::uint8_t { position, orientation, pose };
constexpr auto enum_names(FramePart) noexcept { return name_list<FramePart>("position", "orientation", "pose"); }

/// The axes in which a frame's error is written. Both kinds are zero at the target alone.
enum class TaskAxes : std::uint8_t {
  reference,  ///< p − p_target, and log(R R_targetᵀ): axes of the reference frame, of the world without one
  frame,      ///< log(X_target⁻¹ X) on SE(3), of SO(3) for an orientation alone: axes of the moving frame
};
constexpr auto enum_names(TaskAxes) noexcept { return name_list<TaskAxes>("reference", "frame"); }

struct FrameTaskOptions {
  FramePart part = FramePart::pose;
  TaskAxes axes = TaskAxes::reference;
  std::string reference = {};  ///< frame that the target is given in, itself moving; empty: the world
  TaskSettings settings = {};
};

/// A frame at a pose, in the world or in another frame of the robot. Position 3 rows [m], orientation 3 [rad], pose 6.
class ANTAEUS_API FrameTask : public Task {
 public:
  /// \throws ModelError for an unknown frame, with the nearest name
  FrameTask(const RobotModel& model, const std::string& frame, const FrameTaskOptions& options = {});
  /// \return `bad_orientation` for a target whose rotation is not orthonormal within 1e-6
  Status evaluate(const TaskState& state, VectorRef error, MatrixRef jacobian) const noexcept override;
  std::unique_ptr<Task> clone() const override;
  /// The frame's pose in the reference frame, which is what `target` is compared with.
  Status pose(const TaskState& state, Pose& X) const noexcept;

  Pose target;  ///< of the frame in the reference frame

 private:
  FrameId frame_, reference_;  // reference_.index −1: the world
  FramePart part_;
  TaskAxes axes_;
};

/// The centre of mass at a point of the world [m].
class ANTAEUS_API CenterOfMassTask : public Task {
 public:
  /// \param axes  of "xyz", those that count: "xy" keeps it over a place
  /// \throws OptionsError for any other letter, a repeated one, or none
  explicit CenterOfMassTask(std::string axes = "xyz", TaskSettings chosen = {});
  Status evaluate(const TaskState& state, VectorRef error, MatrixRef jacobian) const noexcept override;
  std::unique_ptr<Task> clone() const override;

  Vector3 target = Vector3::Zero();  ///< in the world; axes that do not count are ignored

 private:
  std::vector<int> axes_;
};

/// Joints at a posture: q ⊖ target, the rows of the named joints [rad | m].
class ANTAEUS_API PostureTask : public Task {
 public:
  /// \param joints  revolute, continuous or prismatic ones; empty: all
  /// \throws ModelError for an unknown joint, with the nearest name
  explicit PostureTask(const RobotModel& model, const std::vector<std::string>& joints = {},
                       TaskSettings chosen = {.priority = 9, .weight = 1.0, .gain = 1.0});
  Status evaluate(const TaskState& state, VectorRef error, MatrixRef jacobian) const noexcept override;
  std::unique_ptr<Task> clone() const override;

  VectorX target;  ///< nv: positions, as TaskState::positions; at first all 0. Rows that are not named are ignored
  /// Takes the target from a configuration. \return as RobotModel::difference
  Status set_target(const RobotModel& model, ConstVectorRef q) noexcept;

 private:
  std::vector<int> rows_of_v_;
};

/// An axis of a frame points to a point of the world. Two rows [rad]: the angle, about two axes across.
class ANTAEUS_API LookAtTask : public Task {
 public:
  /// \param axis  in frame axes, not zero. \throws ModelError for an unknown frame, OptionsError for the axis
  LookAtTask(const RobotModel& model, const std::string& frame, const Vector3& axis, TaskSettings chosen = {});
  /// \return `not_finite` also for a target at the frame's own origin, which has no direction
  Status evaluate(const TaskState& state, VectorRef error, MatrixRef jacobian) const noexcept override;
  std::unique_ptr<Task> clone() const override;

  Vector3 target = Vector3::UnitX();  ///< in the world [m]

 private:
  FrameId frame_;
  Vector3 axis_;
  Eigen::Matrix<double, 3, 2> across_;  // with axis_ orthonormal
};

/// Joints in a linear relation: matrix · positions = offset.
class ANTAEUS_API CouplingTask : public Task {
 public:
  /// \param joints  single-degree joints, one a column of \p matrix
  /// \throws ModelError for an unknown joint, OptionsError for sizes that do not fit
  CouplingTask(const RobotModel& model, const std::vector<std::string>& joints, MatrixX matrix, VectorX offset,
               TaskSettings chosen = {});
  Status evaluate(const TaskState& state, VectorRef error, MatrixRef jacobian) const noexcept override;
  std::unique_ptr<Task> clone() const override;

  VectorX offset;  ///< rows; another size, or a state of another model, is `wrong_size`

 private:
  std::vector<int> rows_of_v_;
  MatrixX matrix_;
  int nv_;
};

}  // namespace antaeus
