#pragma once
/// \file
/// One interface for all that inverse kinematics may be asked for: an error e(q) and its Jacobian.
///
///     e(q ⊕ v dt) = e(q) + J v dt + …,    rows × nv, v as the model's (free flyer: linear, angular, in base axes)
///
/// A task of one's own derives from Task; the kinds that come with the library are in tasks.hpp.

#include <memory>
#include <string>

#include "antaeus/core/api.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/robot/dynamics.hpp"

namespace antaeus {

/// The robot at one q, as tasks and objectives see it. Their scratch memory is here, so that they hold none.
struct TaskState {
  const RobotModel& model;
  PositionTerms terms;
  const VectorX& q;          ///< nq
  const VectorX& positions;  ///< nv: of revolute and prismatic joints the position [rad | m], q ⊖ neutral of the others
  Matrix6X& first;           ///< scratch, 6 × nv
  Matrix6X& second;          ///< scratch, 6 × nv
};

/// Where a task stands among the others.
struct TaskSettings {
  /// 0: must hold; every step ends where it does, to kHoldTolerance, whatever the other tasks want (a planted foot).
  /// 1, 2, …: a lower number is never given up for a higher one. Equal numbers are weighed against each other.
  int priority = 1;
  double weight = 1.0;  ///< of the squared error among tasks of one priority, > 0
  double gain = 10.0;   ///< TaskSolver::step reduces the error at this rate [1/s], at most by all of it in one step
};

/// Errors of priority 0 are below this [m, rad] after a step or solve, or the status says that they are not.
inline constexpr double kHoldTolerance = 1e-10;

/// An error that shall become zero. Fixed but for targets and settings, which may be changed between steps.
class ANTAEUS_API Task {
 public:
  /// \param name  for results and messages; \param rows  of the error, ≥ 1
  Task(std::string name, int rows, const TaskSettings& chosen)
      : settings(chosen), name_(std::move(name)), rows_(rows) {}
  Task(const Task&) = default;
  Task& operator=(const Task&) = default;
  Task(Task&&) = default;
  Task& operator=(Task&&) = default;
  virtual ~Task();

  const std::string& name() const noexcept { return name_; }
  int rows() const noexcept { return rows_; }

  /// Error [rows] and Jacobian [rows × nv] at the state, both wholly overwritten. To be noexcept, total and free of
  /// allocation. On any status but `ok`, for a target that is not finite or no rotation, they are not used.
  virtual Status evaluate(const TaskState& state, VectorRef error, MatrixRef jacobian) const noexcept = 0;
  virtual std::unique_ptr<Task> clone() const = 0;

  TaskSettings settings;  ///< weight and gain may change between steps, the priority not

 private:
  std::string name_;
  int rows_;
};

/// A wish without a target, for what tasks leave free: a number that shall become small.
class ANTAEUS_API Objective {
 public:
  /// \param how_much  the weight, ≥ 0: TaskSolver::step moves with −weight · gradient as far as all tasks allow [1/s
  /// per unit of value]
  Objective(std::string name, double how_much) : weight(how_much), name_(std::move(name)) {}
  Objective(const Objective&) = default;
  Objective& operator=(const Objective&) = default;
  Objective(Objective&&) = default;
  Objective& operator=(Objective&&) = default;
  virtual ~Objective();

  const std::string& name() const noexcept { return name_; }
  /// Value and its derivative with respect to v [nv], under the rules of Task::evaluate.
  virtual Status evaluate(const TaskState& state, double& value, VectorRef gradient) const noexcept = 0;
  virtual std::unique_ptr<Objective> clone() const = 0;

  double weight;

 private:
  std::string name_;
};

}  // namespace antaeus
