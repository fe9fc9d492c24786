#pragma once
// What TaskSolver works with. Private to src/ik: task_solver.cpp has steps, task_solve.cpp solutions.

#include <memory>
#include <optional>
#include <vector>

#include "antaeus/tasks/task_solver.hpp"
#include "tasks/joint_rows.hpp"
#include "tasks/level_solver.hpp"

namespace antaeus {

struct TaskSolver::Workspace {
  /// Tasks of one priority, stacked and weighted.
  struct Level {
    int priority = 0;
    std::vector<int> tasks;
    int rows = 0;
    VectorX error, start;  ///< at the last evaluation; where the iteration began
    MatrixX J;
  };

  explicit Workspace(const TaskProblem& given);

  int level_count() const noexcept { return static_cast<int>(levels.size()); }
  Level& level(int k) noexcept { return levels[static_cast<std::size_t>(k)]; }
  TaskState state() noexcept { return {model, terms, *at, positions, first, second}; }

  /// Puts joints that are outside onto their limits. \return how many
  int pull_in(VectorX& configuration) const noexcept;
  /// Makes \p configuration the one that the functions below speak of; it must stay where it is.
  Status look_at(const VectorX& configuration) noexcept;
  /// Errors and Jacobians of levels from \p begin to before \p end. On a failure bad_task says whose.
  Status evaluate(int begin, int end) noexcept;
  /// Σ weight · value, and its gradient.
  Status evaluate_objectives() noexcept;
  /// Finds the near pairs. No self-collision: infinity.
  Status measure() noexcept;
  /// With \p braking, a share of the acceleration limits, no faster than what stops before `wanted`.
  /// G and floors of a solver: distance + gradient · v · dt ≥ wanted + hair, or what `approach` leaves of it.
  Status guard(detail::LevelSolver& solver, double wanted, double approach, double dt, double braking = 0.0) noexcept;
  double level_error(int k) const noexcept { return levels[static_cast<std::size_t>(k)].error.norm(); }
  /// Largest entry of the errors of priority 0, weights taken out.
  double hold_error(int* worst = nullptr) const noexcept;

  // step
  /// Gives `squares` tasks as they are looked at, limits, distances, objectives. \param row  receives the first with a
  /// conflict of limits \param preferred  receives the level of the objectives; −1: there are none
  Status prepare_step(double dt, int& row, int& preferred) noexcept;
  /// Changes the step `v`, within the limits of `squares`, until holds and distances are kept at its end, `next`.
  /// \param worst  receives the task with the largest error. On a failure bad_task says whose.
  Status repair_step(double dt, int& worst, bool& kept) noexcept;
  // solve
  bool prepare_iteration(int count) noexcept;
  bool try_point(int count, double alpha) noexcept;
  bool accept(int lead, double alpha) noexcept;
  int leading_level(int count) noexcept;
  void adapt(int count, double alpha, double share) noexcept;
  SolveStatus improve_level(int k) noexcept;
  void improve_objectives() noexcept;

  TaskProblem problem;
  RobotModel model;
  TaskSolverOptions options;
  Dynamics dynamics;
  PositionTerms terms;
  std::optional<SelfCollision> collision;
  std::vector<std::unique_ptr<Task>> tasks;
  std::vector<std::unique_ptr<Objective>> objectives;
  std::vector<detail::JointRow> joints;
  std::vector<Level> levels;            // levels[0] has priority 0, possibly no rows
  detail::LevelSolver squares, repair;  // a last level of nv rows prefers a velocity
  VectorX q, next, moved, positions, scaled, v, kept_v, gradient, one_gradient, p, previous;
  VectorX reference;  // of each level: the error that must not grow
  VectorX caution;    // of each level: damping a unit of its error
  VectorX errors;     // of level_errors
  Matrix6X first, second;
  const VectorX* at = &q;
  double value = 0.0, smallest = kInfinity, need = -kInfinity, stride = 0.0, came = 0.0;
  int bad_task = -1, nearest = -1, iterations = 0;
  StepResult step;
  SolveResult solution;
};

}  // namespace antaeus
