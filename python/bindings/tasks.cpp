// Inverse kinematics by tasks: tasks and objectives go in, steps and solutions come out as plain values.
#include "antaeus/tasks/tasks.hpp"

#include <memory>

#include "antaeus/tasks/objectives.hpp"
#include "antaeus/tasks/task_solver.hpp"
#include "convert.hpp"
#include "fields.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::StepStatus> : EnumerationCaster<antaeus::StepStatus, "antaeus.StepStatus"> {};
template <>
struct type_caster<antaeus::SolveStatus> : EnumerationCaster<antaeus::SolveStatus, "antaeus.SolveStatus"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

TaskSettings settings_of(int priority, double weight, double gain) {
  return {.priority = priority, .weight = weight, .gain = gain};
}

/// A solver with the names and sizes that messages and checks need.
struct Solver {
  explicit Solver(const TaskProblem& given) : problem(given), solver(given) {}
  TaskProblem problem;
  TaskSolver solver;

  Task& task(int index) {
    if (index < 0 || index >= std::ssize(problem.tasks())) throw nb::index_error("no task of that number");
    return solver[TaskHandle<Task>{index}];
  }
};

void set_target(Solver& self, int index, const nb::object& target) {
  constexpr const char* kPlace = "TaskSolver.set_target";
  Task& task = self.task(index);
  const auto read = [&] {
    ArrayArgument numbers;
    if (!nb::try_cast(target, numbers)) {
      throw OptionsError(kPlace, "a target of type " + std::string(nb::inst_name(target).c_str()),
                         "give a Pose for a frame, or an array of numbers");
    }
    return numbers;
  };
  if (auto* frame = dynamic_cast<FrameTask*>(&task)) {
    if (nb::isinstance<Pose>(target)) {
      frame->target = nb::cast<Pose>(target);
    } else {
      frame->target.translation = as_vector(read(), kPlace, "target", 3);
    }
    return;
  }
  const ArrayArgument numbers = read();
  if (auto* com = dynamic_cast<CenterOfMassTask*>(&task)) com->target = as_vector(numbers, kPlace, "target", 3);
  if (auto* look = dynamic_cast<LookAtTask*>(&task)) look->target = as_vector(numbers, kPlace, "target", 3);
  if (auto* coupling = dynamic_cast<CouplingTask*>(&task)) {
    coupling->offset = as_vector(numbers, kPlace, "target", task.rows());
  }
  if (auto* posture = dynamic_cast<PostureTask*>(&task)) {
    const RobotModel& model = self.problem.model();
    require(posture->set_target(model, as_vector(numbers, kPlace, "target", model.nq())), kPlace);
  }
}

void bind_kinds(nb::module_& module) {
  nb::class_<Task>(module, "Task", "An error that shall become zero. `target` may change in a TaskSolver.")
      .def_prop_ro("name", &Task::name, "As results call it.")
      .def_prop_ro("rows", &Task::rows, "Size of its error.");
  nb::class_<FrameTask, Task>(module, "FrameTask",
                              "A frame at a pose, in the world or in another frame of the robot. `part` is position, "
                              "orientation or pose; `axes` of the error: reference, or frame (log on SE(3)).")
      .def(
          "__init__",
          [](FrameTask* self, const RobotModel& model, const std::string& frame, const Pose& target,
             std::string_view part, std::string_view axes, const std::string& reference, int priority, double weight,
             double gain) {
            const FrameTaskOptions options{.part = parse_enum<FramePart>(part, "FrameTask.part"),
                                           .axes = parse_enum<TaskAxes>(axes, "FrameTask.axes"),
                                           .reference = reference,
                                           .settings = settings_of(priority, weight, gain)};
            new (self) FrameTask(model, frame, options);
            self->target = target;
          },
          "model"_a, "frame"_a, "target"_a = Pose(), "part"_a = "pose", "axes"_a = "reference", "reference"_a = "",
          "priority"_a = 1, "weight"_a = 1.0, "gain"_a = 10.0,
          "Priority 0 must hold; a lower number is never given up for a higher one. gain: 1/s, of step().");
  nb::class_<CenterOfMassTask, Task>(module, "CenterOfMassTask", "The centre of mass at a point of the world, m.")
      .def(
          "__init__",
          [](CenterOfMassTask* self, const ArrayArgument& target, const std::string& axes, int priority, double weight,
             double gain) {
            const Vector3 point = as_vector(target, "CenterOfMassTask", "target", 3);
            new (self) CenterOfMassTask(axes, settings_of(priority, weight, gain));
            self->target = point;
          },
          "target"_a, "axes"_a = "xyz", "priority"_a = 1, "weight"_a = 1.0, "gain"_a = 10.0,
          "axes: those of \"xyz\" that count; \"xy\" keeps it over a place. OptionsError for others.");
  nb::class_<PostureTask, Task>(module, "PostureTask", "Joints at a posture, by the least of what is left.")
      .def(
          "__init__",
          [](PostureTask* self, const RobotModel& model, const ArrayArgument& q, const std::vector<std::string>& joints,
             int priority, double weight, double gain) {
            const VectorX posture = as_vector(q, "PostureTask", "q", model.nq());
            PostureTask made(model, joints, settings_of(priority, weight, gain));
            require(made.set_target(model, posture), "PostureTask");
            new (self) PostureTask(made);
          },
          "model"_a, "q"_a, "joints"_a = std::vector<std::string>(), "priority"_a = 9, "weight"_a = 1.0, "gain"_a = 1.0,
          "q [nq]; joints: those that count, all where none is named.");
  nb::class_<LookAtTask, Task>(module, "LookAtTask", "An axis of a frame points to a point of the world.")
      .def(
          "__init__",
          [](LookAtTask* self, const RobotModel& model, const std::string& frame, const ArrayArgument& axis,
             const ArrayArgument& target, int priority, double weight, double gain) {
            const Vector3 along = as_vector(axis, "LookAtTask", "axis", 3);
            const Vector3 point = as_vector(target, "LookAtTask", "target", 3);
            new (self) LookAtTask(model, frame, along, settings_of(priority, weight, gain));
            self->target = point;
          },
          "model"_a, "frame"_a, "axis"_a, "target"_a, "priority"_a = 1, "weight"_a = 1.0, "gain"_a = 10.0,
          "axis [3] of the frame; target [3], m, of the world. ModelError for an unknown frame.");
  nb::class_<CouplingTask, Task>(module, "CouplingTask", "Joints in a linear relation: matrix · positions = offset.")
      .def(
          "__init__",
          [](CouplingTask* self, const RobotModel& model, const std::vector<std::string>& joints,
             const ArrayArgument& matrix, const ArrayArgument& offset, int priority, double weight, double gain) {
            const VectorX rows = as_vector(offset, "CouplingTask", "offset");
            const MatrixX relation =
                as_matrix(matrix, "CouplingTask", "matrix", rows.size(), static_cast<Eigen::Index>(joints.size()));
            new (self) CouplingTask(model, joints, relation, rows, settings_of(priority, weight, gain));
          },
          "model"_a, "joints"_a, "matrix"_a, "offset"_a, "priority"_a = 1, "weight"_a = 1.0, "gain"_a = 10.0,
          "matrix [rows × joints], offset [rows]. ModelError for an unknown joint.");
}

void bind_objectives(nb::module_& module) {
  nb::class_<Objective>(module, "Objective", "A number that shall become small with what all tasks leave free.")
      .def_prop_ro("name", &Objective::name, "As results call it.")
      .def_ro("weight", &Objective::weight, "Of its value among the objectives, no unit.");
  nb::class_<LimitDistance, Objective>(module, "LimitDistance", "Keeps joints away from their limits.")
      .def(nb::init<const RobotModel&, double>(), "model"_a, "weight"_a = 1.0,
           "weight: against other objectives, no unit.");
  nb::class_<Manipulability, Objective>(module, "Manipulability",
                                        "Keeps a frame away from singularities: −½ log det(J Jᵀ).")
      .def(nb::init<const RobotModel&, const std::string&, bool, bool, double, const std::vector<std::string>&,
                    double>(),
           "model"_a, "frame"_a, "linear"_a = true, "angular"_a = true, "length"_a = 1.0,
           "joints"_a = std::vector<std::string>(), "weight"_a = 1.0,
           "length: m that compares with 1 rad. ModelError for an unknown frame or joint.");
  nb::class_<ForceSd, Objective>(module, "ForceSd",
                                 "Places a limb where its forces can be known: the sd, N, of the worst-known "
                                 "direction of a force at a frame, measured by joint torques.")
      .def(
          "__init__",
          [](ForceSd* self, const RobotModel& model, const std::string& frame, const ArrayArgument& torque_sd,
             double prior_force, double prior_moment, double weight) {
            const VectorX sd = as_vector(torque_sd, "ForceSd", "torque_sd", model.nv());
            new (self) ForceSd(model, frame, sd, {.force = prior_force, .moment = prior_moment}, weight);
          },
          "model"_a, "frame"_a, "torque_sd"_a, "prior_force"_a = WrenchPriorSd{}.force,
          "prior_moment"_a = WrenchPriorSd{}.moment, "weight"_a = 1.0,
          "torque_sd [nv], N·m; inf: the row is not measured. ModelError for an unknown frame.");
}

void bind_results(nb::module_& module) {
  bind_enumeration<StepStatus>(module, "Outcome of one step, from best to worst.");
  bind_enumeration<SolveStatus>(module, "Why a level, or all of a solve, ended.");
  bind_struct<StepResult>(module, "StepResult", "One step: q and v, NaN for bad_input, and what was in the way.");
  bind_struct<LevelResult>(module, "LevelResult", "How one priority ended.");
  bind_struct<SolveResult>(module, "SolveResult", "A solution, NaN for bad_input, and how each priority ended.");
}

}  // namespace

void bind_tasks(nb::module_& module) {
  bind_kinds(module);
  bind_objectives(module);
  bind_results(module);
  const std::string signature =
      options_signature<TaskSolverOptions>("def __init__(self, model: RobotModel", ") -> None");
  nb::class_<TaskProblem>(module, "TaskProblem", "What inverse kinematics is asked for: tasks, objectives, limits.")
      .def(
          "__init__",
          [](TaskProblem* self, const RobotModel& model, const nb::kwargs& options) {
            new (self) TaskProblem(model, options_from<TaskSolverOptions>(options));
          },
          "model"_a, "options"_a, nb::sig(signature.c_str()), options_doc<TaskSolverOptions>("Options:").c_str())
      .def(
          "add", [](TaskProblem& self, const Task& task) { return self.add(task).index; }, "task"_a,
          "Its number, for TaskSolver.set_target.")
      .def(
          "add", [](TaskProblem& self, const Objective& objective) { return self.add(objective).index; }, "objective"_a)
      .def("avoid", &TaskProblem::avoid, "collisions"_a, "Keeps all pairs at `margin`.")
      .def(
          "limit_acceleration",
          [](TaskProblem& self, const ArrayArgument& limits) {
            self.limit_acceleration(as_vector(limits, "TaskProblem.limit_acceleration", "limits", self.model().nv()));
          },
          "limits"_a, "For step(): [nv], rad/s² or m/s², inf for none.");
  nb::class_<Solver>(module, "TaskSolver", "Steps and solutions of a problem, which it copies. One per thread.")
      .def(nb::init<const TaskProblem&>(), "problem"_a)
      .def("set_target", &set_target, "task"_a, nb::arg("target").none(),
           nb::sig("def set_target(self, task: int, target: object) -> None"),
           "A Pose or a point [3] for a frame, a point for the centre of mass and look-at, q [nq] for a posture, the "
           "offset for a coupling.")
      .def(
          "step",
          [](Solver& self, const ArrayArgument& q, const ArrayArgument& v, double dt) -> StepResult {
            const RobotModel& model = self.problem.model();
            return self.solver.step(as_vector(q, "TaskSolver.step", "q", model.nq()),
                                    as_vector(v, "TaskSolver.step", "v", model.nv()), dt);
          },
          "q"_a, "v"_a, "dt"_a, "One step of dt [s] from q [nq], v [nv] the velocity of the step before.")
      .def(
          "solve",
          [](Solver& self, const ArrayArgument& q) -> SolveResult {
            return self.solver.solve(as_vector(q, "TaskSolver.solve", "q", self.problem.model().nq()));
          },
          "q"_a, "From q [nq] to where no priority can be improved.");
}

}  // namespace antaeus::python
