#include "antaeus/tasks/task_problem.hpp"

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"

namespace antaeus {

const OptionTable& options_of(const TaskSolverOptions&) {
  using Options = TaskSolverOptions;
  static const OptionTable table(
      "tasks",
      {
          option("damping", "1", "damping of every level, against its Jacobian", "1e-8 of a velocity at gain 1",
                 &Options::damping, kPositive),
          option("error_damping", "1/rad", "solve: damping a unit of a level's error where it is out of reach",
                 "Sugihara, IEEE Trans. Robotics 27 (2011)", &Options::error_damping),
          option("velocity_share", "1", "share of the description's velocity limits that a step may use", "all of them",
                 &Options::velocity_share, Range{0.0, 1.0, false, true}),
          option("margin", "m", "least distance between links where self-collision is watched", "1 cm of play",
                 &Options::margin),
          option("watch", "m", "links nearer than margin and this are watched",
                 "a hand at 3 m/s that brakes by 30 m/s²", &Options::watch, kPositive),
          option("approach", "1", "share of the distance above the margin that one step may use",
                 "Faverjon and Tournassoud, ICRA 1987", &Options::approach, Range{0.0, 1.0, false, true}),
          option("error_tolerance", "m, rad", "solve: a level with a smaller error is reached",
                 "a nanometre, a nanoradian", &Options::error_tolerance, kPositive),
          option("longest_step", "rad, m", "largest change of a row of v in an iteration of solve, of a base in a step",
                 "keeps linearised errors within 5 %", &Options::longest_step, kPositive),
          option("iteration_budget", "1", "solve: iterations a level", "ten times the usual",
                 &Options::iteration_budget, at_least(1)),
      });
  return table;
}
const OptionGroup kTaskSolverGroup(TaskSolverOptions{});

TaskProblem::TaskProblem(RobotModel model, const TaskSolverOptions& options)
    : model_(std::move(model)), options_(options), acceleration_(VectorX::Constant(model_.nv(), kInfinity)) {
  check_options(options_);
}

int TaskProblem::add_task(std::shared_ptr<const Task> task) {
  const TaskSettings& settings = task->settings;
  if (!(settings.weight > 0.0) || !(settings.weight < kInfinity) || !(settings.gain > 0.0) || settings.priority < 0) {
    throw OptionsError("task '" + task->name() + "'", "a weight or gain that is not positive, or a negative priority",
                       "give weight and gain above 0, and a priority of 0 (must hold), 1, 2, …");
  }
  if (task->rows() < 1) throw OptionsError("task '" + task->name() + "'", "it has no rows", "give it at least one");
  tasks_.push_back(std::move(task));
  return static_cast<int>(tasks_.size()) - 1;
}

int TaskProblem::add_objective(std::shared_ptr<const Objective> objective) {
  if (!(objective->weight >= 0.0) || !(objective->weight < kInfinity)) {
    throw OptionsError("objective '" + objective->name() + "'", "its weight is negative", "give 0 or more");
  }
  objectives_.push_back(std::move(objective));
  return static_cast<int>(objectives_.size()) - 1;
}

void TaskProblem::avoid(SelfCollisionModel collisions) {
  if (collisions.model().nv() != model_.nv() || collisions.model().nq() != model_.nq()) {
    throw OptionsError("self collision", "it belongs to another model", "make it from the problem's");
  }
  collisions_ = std::move(collisions);
}

void TaskProblem::limit_acceleration(const VectorX& limits) {
  if (limits.size() != model_.nv() || !(limits.array() > 0.0).all()) {
    throw OptionsError("acceleration limits", "a number is missing or not positive",
                       "give one per row of v, infinity for none");
  }
  acceleration_ = limits;
}

}  // namespace antaeus
