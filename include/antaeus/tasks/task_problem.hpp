#pragma once
/// \file
/// What inverse kinematics by tasks is asked for: tasks, objectives, limits, self-collision. The model of TaskSolver.

#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/robot/self_collision.hpp"
#include "antaeus/tasks/task.hpp"

namespace antaeus {

struct TaskSolverOptions {
  double damping = 1e-4;          ///< of every level, against its Jacobian [m/rad, 1], > 0
  double error_damping = 0.1;     ///< solve: damping a unit of a level's error where it cannot be reached [1/rad], ≥ 0
  double velocity_share = 1.0;    ///< of the description's velocity limits that step() may use [1]
  double margin = 0.01;           ///< least distance between links, where self-collision is watched [m], ≥ 0
  double watch = 0.15;            ///< links nearer than margin + this are watched [m], > 0
  double approach = 0.5;          ///< share of what is left above the margin that one step may use [1]
  double error_tolerance = 1e-9;  ///< solve: a level with a smaller error is reached [m, rad], > 0
  double longest_step =
      0.3;  ///< largest change of a row of v in an iteration of solve, of a base in a step [rad, m], > 0
  int iteration_budget = 200;  ///< solve: iterations a level
};
ANTAEUS_API const OptionTable& options_of(const TaskSolverOptions&);

/// Names a task of a problem, to change its target in a solver. \tparam Kind  of the task or objective
template <class Kind>
struct TaskHandle {
  int index = -1;
};

/// Fixed once it is given to a solver, which copies it.
class ANTAEUS_API TaskProblem {
 public:
  /// \throws OptionsError for an option out of its range
  explicit TaskProblem(RobotModel model, const TaskSolverOptions& options = {});

  /// \throws OptionsError for a weight or gain that is not positive, or a negative priority
  template <class Kind>
  TaskHandle<Kind> add(const Kind& task) {
    if constexpr (std::is_base_of_v<Objective, Kind>) {
      return {add_objective(task.clone())};
    } else {
      return {add_task(task.clone())};
    }
  }
  /// Keeps all pairs of the model at options.margin.
  void avoid(SelfCollisionModel collisions);
  /// For step(): nv, each > 0 [rad/s² | m/s²], infinity for none. Rows of a floating base are not limited.
  /// \throws OptionsError
  void limit_acceleration(const VectorX& limits);

  const RobotModel& model() const noexcept { return model_; }
  const TaskSolverOptions& options() const noexcept { return options_; }
  const std::vector<std::shared_ptr<const Task>>& tasks() const noexcept { return tasks_; }
  const std::vector<std::shared_ptr<const Objective>>& objectives() const noexcept { return objectives_; }
  const std::optional<SelfCollisionModel>& collisions() const noexcept { return collisions_; }
  const VectorX& acceleration_limits() const noexcept { return acceleration_; }

 private:
  int add_task(std::shared_ptr<const Task> task);
  int add_objective(std::shared_ptr<const Objective> objective);

  RobotModel model_;
  TaskSolverOptions options_;
  std::vector<std::shared_ptr<const Task>> tasks_;
  std::vector<std::shared_ptr<const Objective>> objectives_;
  std::optional<SelfCollisionModel> collisions_;
  VectorX acceleration_;
};

}  // namespace antaeus
