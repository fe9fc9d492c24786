#pragma once
/// \file
/// Inverse kinematics by tasks: one differential step, or a solution with a verified end.
///
///     TaskProblem problem(robot.model);
///     problem.add(FrameTask(robot.model, "left_foot", {.settings = {.priority = 0}}));   // planted
///     const auto hand = problem.add(FrameTask(robot.model, "hand", {.settings = {.priority = 1}}));
///     TaskSolver solver(problem);
///     solver[hand].target = X_WH;
///     const StepResult& step = solver.step(q, v, 0.01);     // or solver.solve(q)

#include <cstdint>
#include <memory>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/tasks/task_problem.hpp"

namespace antaeus {

/// Outcome of one step, from best to worst.
enum class StepStatus : std::uint8_t {
  ok,
  limits_conflict,  ///< `row` came too fast to brake before its limit: it brakes as hard as position and velocity allow
  collision_conflict,  ///< the distances of `pair` and others cannot all be kept: v keeps them as far as can be
  hold_broken,         ///< `task`, of priority 0, is not kept: limits, distances or other tasks of priority 0 forbid it
  bad_input,           ///< see `input`; q and v are NaN
};
constexpr auto enum_names(StepStatus) noexcept {
  return name_list<StepStatus>("ok", "limits_conflict", "collision_conflict", "hold_broken", "bad_input");
}

struct StepResult {
  StepStatus status = StepStatus::bad_input;
  Status input = Status::not_computed;
  int task = -1, row = -1, pair = -1;
  int pulled_in = 0;
  double distance = kNaN, hold_error = kNaN;
  VectorX v, q;
};
constexpr void visit_fields(const StepResult*, auto&& visit) {
  using R = StepResult;
  visit(field("status", "", "ok, or what prevented the step", &R::status));
  visit(field("input", "", "why bad_input: `time_back` for dt not positive, else of q, v or `task`", &R::input));
  visit(field("task", "", "the one at fault, of bad_input and hold_broken; −1: none", &R::task));
  visit(field("row", "", "of v: first with a conflict of limits; −1: none", &R::row));
  visit(field("pair", "", "nearest after the step, of SelfCollisionModel.pairs; −1: none watched", &R::pair));
  visit(field("pulled_in", "", "joints that were put onto their limits before the step", &R::pulled_in));
  visit(field("distance", "m", "smallest after the step; infinity: none watched", &R::distance));
  visit(field("hold_error", "", "largest entry of the errors of priority 0 after the step, m or rad", &R::hold_error));
  visit(field("v", "", "[nv]", &R::v));
  visit(field("q", "", "[nq] RobotModel.integrate(q, v dt), within the limits to the last bit", &R::q));
}

/// Why a level, or all of a solve, ended.
enum class SolveStatus : std::uint8_t {
  reached,     ///< errors below error_tolerance
  stationary,  ///< no further improvement that keeps the limits and the levels above: out of reach, or a local end
  iteration_budget,  ///< still improving
  infeasible,        ///< priority 0 not reached, or a margin that the start broke: see levels[0] and distance
  bad_input,         ///< see `input` and `task`; q is NaN
};
constexpr auto enum_names(SolveStatus) noexcept {
  return name_list<SolveStatus>("reached", "stationary", "iteration_budget", "infeasible", "bad_input");
}

/// How one priority ended.
struct LevelResult {
  int priority = 0;
  SolveStatus status = SolveStatus::bad_input;
  double error = kNaN;
  int iterations = 0;
};
constexpr void visit_fields(const LevelResult*, auto&& visit) {
  using L = LevelResult;
  visit(field("priority", "", "of its tasks", &L::priority));
  visit(field("status", "", "how its minimisation ended", &L::status));
  visit(field("error", "", "√Σ weight · error² at the end of all, m and rad mixed", &L::error));
  visit(field("iterations", "", "of this level", &L::iterations));
}

struct SolveResult {
  SolveStatus status = SolveStatus::bad_input;
  Status input = Status::not_computed;
  int task = -1;
  int pulled_in = 0;
  VectorX q;
  std::vector<LevelResult> levels;
  std::vector<int> at_limit;
  double distance = kNaN, objective = kNaN;
  int objective_iterations = 0;
};
constexpr void visit_fields(const SolveResult*, auto&& visit) {
  using R = SolveResult;
  visit(field("status", "", "the worst of the levels'; `infeasible` before all others", &R::status));
  visit(field("input", "", "why bad_input", &R::input));
  visit(field("task", "", "the task at fault; −1: none", &R::task));
  visit(field("pulled_in", "", "joints whose start was outside their limits", &R::pulled_in));
  visit(field("levels", "", "LevelResult of each priority", &R::levels));
  visit(field("at_limit", "", "[nv]: −1 or 1 for a joint at its lower or upper limit, else 0", &R::at_limit));
  visit(field("distance", "m", "smallest at the end; infinity: none watched", &R::distance));
  visit(field("objective", "", "Σ weight · value at the end, no unit; 0 without objectives", &R::objective));
  visit(field("q", "", "[nq]", &R::q));
}

/// Workspace of one thread. \realtime step() and solve(), task_realtime_test.
class ANTAEUS_API TaskSolver {
 public:
  explicit TaskSolver(const TaskProblem& problem);
  ~TaskSolver();
  TaskSolver(TaskSolver&&) noexcept;
  TaskSolver& operator=(TaskSolver&&) noexcept;

  /// This solver's own copy of a task or objective, with its target and settings.
  template <class Kind>
  Kind& operator[](TaskHandle<Kind> handle) noexcept {
    if constexpr (std::is_base_of_v<Objective, Kind>) {
      return static_cast<Kind&>(objective(handle.index));
    } else {
      return static_cast<Kind&>(task(handle.index));
    }
  }

  /// One step of \p dt [s]: tasks by priority, as far as joint, velocity and acceleration limits, brakes and distances
  /// allow. Tasks of priority 0 hold after the step to kHoldTolerance where they held before.
  /// \param q           nq. \param v_previous  nv, velocity of the step before; zeros at rest
  const StepResult& step(ConstVectorRef q, ConstVectorRef v_previous, double dt) noexcept;

  /// Iterates to where no level can be improved, a level at a time: each starts where those before it ended, and no
  /// iteration is accepted that raises the error of one of those by more than 1e-10. Joint limits and distances hold
  /// on the whole way, velocity and acceleration limits do not apply.
  const SolveResult& solve(ConstVectorRef q_start) noexcept;

  /// Weighted error norm of each priority at \p q, in their order; NaN for bad input.
  const VectorX& level_errors(ConstVectorRef q) noexcept;
  /// A task's error at \p q [rows]. \return as Task::evaluate and Dynamics::at
  Status error(int index, ConstVectorRef q, VectorRef result) noexcept;

 private:
  Task& task(int index) noexcept;
  Objective& objective(int index) noexcept;
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace antaeus
