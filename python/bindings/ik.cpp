// Inverse kinematics: a chain, the solver that knows its limits, batches, and the methods of the textbooks.
#include "ik.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>

#include <Eigen/Geometry>
#include <cmath>
#include <optional>
#include <variant>

#include "antaeus/ik/plain_methods.hpp"
#include "fields.hpp"
#include "interruption.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::ReachStatus> : EnumerationCaster<antaeus::ReachStatus, "antaeus.ReachStatus"> {};
template <>
struct type_caster<antaeus::ReachEvidence> : EnumerationCaster<antaeus::ReachEvidence, "antaeus.ReachEvidence"> {};
template <>
struct type_caster<antaeus::PlainMethod> : EnumerationCaster<antaeus::PlainMethod, "antaeus.PlainMethod"> {};
template <>
struct type_caster<antaeus::ErrorAxes> : EnumerationCaster<antaeus::ErrorAxes, "antaeus.ErrorAxes"> {};
template <>
struct type_caster<antaeus::InstructionSet> : EnumerationCaster<antaeus::InstructionSet, "antaeus.InstructionSet"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

// Targets ------------------------------------------------------------------------------------------------------------

using TargetChoice = std::variant<Pose, ArrayArgument>;
using TargetsChoice = std::variant<std::vector<Pose>, ArrayArgument>;

/// A quaternion whose length is further from 1 is a mistake and no rounding.
constexpr double kUnitLength = 1e-3;

Pose position_target(const double* numbers) {
  return {Matrix3::Identity(), Vector3(numbers[0], numbers[1], numbers[2])};
}

/// x y z qx qy qz qw. A quaternion that is none becomes NaN, which solvers answer with bad_input.
Pose quaternion_target(const double* numbers) {
  Pose X_WF = position_target(numbers);
  const Eigen::Quaterniond given(numbers[6], numbers[3], numbers[4], numbers[5]);
  const double length = given.norm();
  if (std::abs(length - 1.0) <= kUnitLength) {
    X_WF.rotation = Eigen::Quaterniond(given.coeffs() / length).toRotationMatrix();
  } else {
    X_WF.rotation.setConstant(kNaN);
  }
  return X_WF;
}

Pose matrix_target(const double* numbers, const char* place) {
  const Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> T(numbers);
  if (T.row(3).allFinite() && T.row(3) != Eigen::RowVector4d(0, 0, 0, 1)) {
    throw StatusError(place, Status::bad_orientation, "the last row of a 4 × 4 target is not 0 0 0 1",
                      "give [R p; 0 0 0 1]");
  }
  return {T.topLeftCorner<3, 3>(), T.topRightCorner<3, 1>()};
}

std::string shape_of(const ArrayArgument& target) {
  std::string text;
  for (std::size_t i = 0; i < target.array.ndim(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(target.array.shape(i));
  }
  return "(" + text + (target.array.ndim() == 1 ? ",)" : ")");
}

}  // namespace

std::vector<Pose> read_targets(const ArrayArgument& targets, std::size_t outer, bool position_only, const char* place) {
  const auto& array = targets.array;
  const auto is = [&](std::size_t dimension, std::size_t size) { return array.shape(dimension) == size; };
  const bool vectors = array.ndim() == outer + 1;
  const bool matrices = array.ndim() == outer + 2 && is(outer, 4) && is(outer + 1, 4);
  if (vectors && is(outer, 3) && !position_only) {
    throw OptionsError(place, "three numbers are a position, and the solver is asked for poses",
                       "add a quaternion x y z w, or make the model with position_only=True");
  }
  if (!matrices && !(vectors && (is(outer, 3) || is(outer, 7)))) {
    throw StatusError(place, Status::wrong_size, "the target has shape " + shape_of(targets),
                      outer > 0 ? "give N × 3 (x y z), N × 7 (x y z qx qy qz qw), N × 4 × 4, or a list of Pose"
                                : "give a Pose, x y z, x y z qx qy qz qw, or 4 × 4");
  }
  const std::size_t count = outer > 0 ? array.shape(0) : 1, stride = matrices ? 16 : array.shape(outer);
  std::vector<Pose> poses;
  poses.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double* numbers = array.data() + i * stride;
    poses.push_back(matrices ? matrix_target(numbers, place)
                             : (stride == 7 ? quaternion_target(numbers) : position_target(numbers)));
  }
  return poses;
}

namespace {

Pose target_of(const TargetChoice& target, bool position_only, const char* place) {
  if (const Pose* pose = std::get_if<Pose>(&target)) return *pose;
  return read_targets(std::get<ArrayArgument>(target), 0, position_only, place).front();
}

// Chain --------------------------------------------------------------------------------------------------------------

void bind_chain(nb::module_& module) {
  bind_struct<ChainJoint>(module, "ChainJoint", "A joint of a chain.").def("__repr__", [](const ChainJoint& self) {
    return "ChainJoint(" + self.name + ")";
  });
  nb::class_<KinematicChain>(
      module, "KinematicChain",
      "The joints between a robot's root and one frame F. The base stands at the world's origin, upright, whether it "
      "floats or not; joints without a motor stand at zero, locked joints where they are locked. Fixed and shared.")
      .def(nb::init<const RobotModel&, std::string_view>(), "model"_a, "frame"_a,
           "ModelError that names the frame (with the nearest) or the joint: none, a mimic, one of several degrees of "
           "freedom, limits that cross.")
      .def("size", &KinematicChain::size, "Number of joints.")
      .def("joints", &KinematicChain::joints, "From the root on.")
      .def("frame", &KinematicChain::frame, "Name of F.")
      .def(
          "model", [](const KinematicChain& self) { return self.model(); }, "The model; a cheap handle.")
      .def("reach", &KinematicChain::reach,
           "Farthest that F can be from the first joint's axis system, all links stretched out, m.")
      .def(
          "pose",
          [](const KinematicChain& self, const ArrayArgument& q) {
            Pose X_WF;
            require(self.pose(as_vector(q, "KinematicChain.pose", "q", self.size()), X_WF), "KinematicChain.pose");
            return X_WF;
          },
          "q"_a, "X_WF at joint positions q [size], rad or m. StatusError for another shape or NaN.")
      .def(
          "middle", [](const KinematicChain& self) { return fresh(self.middle()); },
          "[size] the middle of the limits; 0 where a limit is missing.")
      .def(
          "from_motors",
          [](const KinematicChain& self, const ArrayArgument& q_motor) {
            return fresh(self.from_motors(
                as_vector(q_motor, "KinematicChain.from_motors", "q_motor", self.model().motor_count())));
          },
          "q_motor"_a, "[size] the chain's joints out of positions of all motors [motors].")
      .def(
          "pulled_in",
          [](const KinematicChain& self, const ArrayArgument& q) {
            std::vector<std::string> moved;
            const VectorX inside = self.pulled_in(as_vector(q, "KinematicChain.pulled_in", "q", self.size()), &moved);
            return nb::make_tuple(fresh(inside), moved);
          },
          "q"_a,
          nb::sig("def pulled_in(self, q: numpy.typing.ArrayLike) -> "
                  "tuple[numpy.typing.NDArray[numpy.float64], list[str]]"),
          "The nearest positions within the limits [size], and the names of the joints that were outside.")
      .def("without_limits", &KinematicChain::without_limits, "The same chain whose joints turn and slide freely.")
      .def("limited", &KinematicChain::limited,
           "Whether some revolute joint cannot make a full turn, or some prismatic one has an end.")
      .def("__repr__", [](const KinematicChain& self) {
        return "KinematicChain(" + self.frame() + ", " + std::to_string(self.size()) + " joints)";
      });
}

// The solver ---------------------------------------------------------------------------------------------------------

void bind_solution(nb::module_& module) {
  bind_enumeration<ReachStatus>(
      module,
      "How a target ended. reached: both errors within tolerance, every joint within its limits. out_of_reach: not "
      "even "
      "without joint limits. blocked_by_limits: `rejected` would reach it. local_minimum: q cannot be improved by "
      "small "
      "steps, and nothing more is known. iteration_budget: budget or deadline ended the search. bad_input: target or "
      "start cannot be used, q is NaN. In the second to fifth q is the closest pose within the limits, or the best so "
      "far.");
  bind_enumeration<ReachEvidence>(
      module,
      "What stands behind a status. link_lengths: proven, farther away than all links stretched out. agreement: "
      "stationary within the limits, and several descents agree. one_descent: stationary, one alone came there. "
      "branch_only: follow() asked no other branch. other_branch: explain() found one that reaches it. no_limits: "
      "`rejected`, found with the limits lifted. budget, deadline: what ended the search. target, start: what is bad.");
  bind_struct<ReachSolution>(module, "ReachSolution",
                             "What became of one target. Plain data of its own; reason_text says it in a sentence.")
      .def("__repr__", [](const ReachSolution& self) {
        return "ReachSolution(" + std::string(to_string(self.status)) +
               ", position_error=" + nb::repr(nb::float_(self.position_error)).c_str() +
               ", rotation_error=" + nb::repr(nb::float_(self.rotation_error)).c_str() + ")";
      });
  module.def("joint_names", &joint_names, "chain"_a, "mask"_a,
             "Joints that a mask of a solution names: `blocked_by`, `pulled_in`.");
  module.def("reason_text", &reason_text, "model"_a, "solution"_a, "One sentence: why, and how sure that is.");
}

void bind_model(nb::module_& module) {
  nb::class_<ReachOptions>(module, "ReachOptions",
                           "When a target counts as reached, and how much work it may cost. ReachModel takes them as "
                           "keywords.")
      .def_ro("position_only", &ReachOptions::position_only, "The frame's origin alone; its orientation is free.")
      .def_ro("position_tolerance", &ReachOptions::position_tolerance, "m")
      .def_ro("rotation_tolerance", &ReachOptions::rotation_tolerance, "rad")
      .def_ro("iteration_budget", &ReachOptions::iteration_budget, "Of attempts within the limits.")
      .def_ro("deadline", &ReachOptions::deadline, "s after which no stage of a failing solve is begun; 0: none.")
      .def_ro("table_samples", &ReachOptions::table_samples, "Random postures that the tables are made of.")
      .def_ro("explain", &ReachOptions::explain, "Whether out of reach and blocked by limits are distinguished.");
  bind_value<ReachOptions>(module.attr("ReachOptions"));
  const std::string signature =
      options_signature<ReachOptions>("def __init__(self, chain: KinematicChain", ") -> None");
  const std::string doc = options_doc<ReachOptions>(
      "Builds the tables of starts, 0.2 s for seven joints, unless one of an equal chain exists; the interpreter's "
      "lock "
      "is released meanwhile.");
  nb::class_<ReachModel>(module, "ReachModel",
                         "What solvers share: chain, options, tables of starts. Fixed; may be used by several threads.")
      .def(
          "__init__",
          [](ReachModel* self, const KinematicChain& chain, const nb::kwargs& keywords) {
            const auto options = options_from<ReachOptions>(keywords);
            const Unlocked unlocked;
            new (self) ReachModel(chain, options);
          },
          "chain"_a, "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def(
          "chain", [](const ReachModel& self) { return self.chain(); }, "The chain; a cheap handle.")
      .def(
          "options", [](const ReachModel& self) { return ReachOptions(self.options()); }, "A copy.")
      .def("table_seconds", &ReachModel::table_seconds, "What building the tables took, s.")
      .def("table_bytes", &ReachModel::table_bytes, "Their memory.")
      .def(
          "has_table", &ReachModel::has_table,
          "Whether starts come from a table; else (first or last joint prismatic, or fewer than three) from a sequence "
          "over all joints: slower.");
}

InstructionSet set_of(const std::optional<std::string>& set, const char* place) {
  return set ? parse_enum<InstructionSet>(*set, place) : instruction_set();
}

void bind_solver(nb::module_& module) {
  bind_enumeration<InstructionSet>(module,
                                   "Vector instructions, in ascending order; every set gives the same bits. portable: "
                                   "what every 64-bit processor of its family has.");
  module.def("instruction_set", &instruction_set, "The largest set that this machine and this build have.");
  nb::class_<ReachSolver>(
      module, "ReachSolver",
      "Joint positions that bring a frame to a target within the limits, or what prevents it. A workspace, one a "
      "thread. A target X_WF is a Pose, x y z qx qy qz qw, 4 × 4, or x y z for a model with position_only; world axes, "
      "m. Nothing here raises for the numbers of a target or a start: NaN, a rotation that is not orthonormal within "
      "1e-6 and a quaternion off unit length by more than 1e-3 are bad_input. The same target gives the same bits.")
      .def(
          "__init__",
          [](ReachSolver* self, const ReachModel& model, const std::optional<std::string>& set) {
            new (self) ReachSolver(model, set_of(set, "ReachSolver.set"));
          },
          "model"_a, "set"_a = nb::none(),
          "set: an InstructionSet; one that this machine does not have is replaced by the next smaller. None: the "
          "largest.")
      .def(
          "model", [](const ReachSolver& self) { return self.model(); }, "The model; a cheap handle.")
      .def(
          "solve",
          [](ReachSolver& self, const TargetChoice& X_WF, const std::optional<ArrayArgument>& start) {
            constexpr const char* kPlace = "ReachSolver.solve";
            const Pose target = target_of(X_WF, self.model().options().position_only, kPlace);
            return ReachSolution(start ? self.solve(target, as_vector(*start, kPlace, "start")) : self.solve(target));
          },
          "X_WF"_a, "start"_a = nb::none(),
          "From the table's starts: any branch that reaches the target. start: positions of the chain's joints, pulled "
          "into the limits, from which one attempt is made first.")
      .def(
          "follow",
          [](ReachSolver& self, const TargetChoice& X_WF, const ArrayArgument& start) {
            constexpr const char* kPlace = "ReachSolver.follow";
            return ReachSolution(self.follow(target_of(X_WF, self.model().options().position_only, kPlace),
                                             as_vector(start, kPlace, "start")));
          },
          "X_WF"_a, "start"_a,
          "On the branch of start [joints] alone, for servo loops and paths: one descent. Where it fails the status is "
          "out_of_reach if link lengths prove it, else local_minimum (branch_only); q is the closest pose on the "
          "branch. A start of another length is bad_input; one outside the limits is pulled in (`pulled_in`).")
      .def(
          "explain",
          [](ReachSolver& self, const TargetChoice& X_WF, const ReachSolution& followed) {
            return self.explain(target_of(X_WF, self.model().options().position_only, "ReachSolver.explain"), followed);
          },
          "X_WF"_a, "followed"_a,
          "What solve() says of a target that follow() did not reach; q stays that of followed.");
}

// Batches ------------------------------------------------------------------------------------------------------------

ReachBatch batch_of(const ReachModel& model, const TargetsChoice& targets, int threads,
                    const std::optional<std::string>& set) {
  constexpr const char* kPlace = "solve_batch.targets";
  const BatchWork work{threads, set_of(set, "solve_batch.set")};
  const auto* array = std::get_if<ArrayArgument>(&targets);
  // An empty list has no second dimension.
  const bool empty = array && array->array.ndim() == 1 && array->array.size() == 0;
  std::vector<Pose> read;
  if (array && !empty) {
    if (array->array.ndim() < 1) {
      throw StatusError(kPlace, Status::wrong_size, "one number is not a target", "give N × 3, N × 7 or N × 4 × 4");
    }
    read = read_targets(*array, 1, model.options().position_only, kPlace);
  }
  const std::vector<Pose>& poses = array ? read : std::get<std::vector<Pose>>(targets);
  const Progress interrupted = until_interrupted();
  const Unlocked unlocked;
  return solve_batch(model, poses, work, interrupted);
}

void bind_batch(nb::module_& module) {
  bind_struct<ReachBatch, Arrays::views>(
      module, "ReachBatch", "Answers of N independent targets, in their order. Arrays are views of its own memory.")
      .def(
          "solution",
          [](const ReachBatch& self, Py_ssize_t target) {
            if (target < 0 || target >= self.q.rows()) throw nb::index_error("no target of that number");
            return self.solution(target);
          },
          "target"_a, "The whole solution of one target, as ReachSolver.solve gives it.")
      .def("__len__", [](const ReachBatch& self) { return self.status.size(); })
      .def("__repr__", [](const ReachBatch& self) {
        return "ReachBatch(" + std::to_string(self.reached) + " of " + std::to_string(self.status.size()) + " reached)";
      });
  module.def("solve_batch", &batch_of, "model"_a, "targets"_a, nb::kw_only(), "threads"_a = 1, "set"_a = nb::none(),
             "Solves each target as ReachSolver.solve does, to the bit, several side by side and in several threads. "
             "targets: N × 7 (x y z qx qy qz qw), N × 4 × 4, N × 3 for a model with position_only, or a list of Pose; "
             "world axes, m. set: an InstructionSet. Answers depend on neither. The interpreter's lock is released "
             "meanwhile, and Ctrl-C ends it. OptionsError for targets of another shape or an unknown set.");
}

// Plain methods ------------------------------------------------------------------------------------------------------

PlainOptions plain_options(std::string_view method, std::string_view axes, double step, double lambda, bool adaptive,
                           double adaptive_from, double pinv_tolerance, int iterations, int starts, std::uint64_t seed,
                           bool position_only, double position_tolerance, double rotation_tolerance) {
  return {.method = parse_enum<PlainMethod>(method, "PlainSolver.method"),
          .axes = parse_enum<ErrorAxes>(axes, "PlainSolver.axes"),
          .step = step,
          .lambda = lambda,
          .adaptive = adaptive,
          .adaptive_from = adaptive_from,
          .pinv_tolerance = pinv_tolerance,
          .iterations = iterations,
          .starts = starts,
          .seed = seed,
          .position_only = position_only,
          .position_tolerance = position_tolerance,
          .rotation_tolerance = rotation_tolerance};
}

/// The solver with what the shapes of its arguments depend on.
struct Plain {
  PlainSolver solver;
  int joints;
  bool position_only;
};

void bind_plain(nb::module_& module) {
  bind_enumeration<PlainMethod>(
      module,
      "pinv: dq = V diag(1/σ) Uᵀ e over singular values above a tolerance, the smallest dq with J dq = e. dls: "
      "Jᵀ(JJᵀ + λ²I)⁻¹ e. dls_restarts: full steps of dls, from random starts until one reaches.");
  bind_enumeration<ErrorAxes>(module,
                              "In which axes the error is taken. world: p* − p and log(R* Rᵀ). local: the twist "
                              "log(X⁻¹ X*) of SE(3), whose linear part is not the straight line.");
  const PlainOptions standard;
  nb::class_<Plain>(
      module, "PlainSolver",
      "The methods of the textbooks on the solver's own kernel, to teach and to compare with. Each iteration takes a "
      "share `step` of dq and cuts every joint at its limit, which makes them stall and jump. None says why it failed.")
      .def(
          "__init__",
          [](Plain* self, const KinematicChain& chain, std::string_view method, std::string_view axes, double step,
             double damping, bool adaptive, double adaptive_from, double pinv_tolerance, int iterations, int starts,
             std::uint64_t seed, bool position_only, double position_tolerance, double rotation_tolerance) {
            new (self) Plain{PlainSolver(chain, plain_options(method, axes, step, damping, adaptive, adaptive_from,
                                                              pinv_tolerance, iterations, starts, seed, position_only,
                                                              position_tolerance, rotation_tolerance)),
                             chain.size(), position_only};
          },
          "chain"_a, nb::kw_only(), "method"_a = to_string(standard.method), "axes"_a = to_string(standard.axes),
          "step"_a = standard.step, "lambda_"_a = standard.lambda, "adaptive"_a = standard.adaptive,
          "adaptive_from"_a = standard.adaptive_from, "pinv_tolerance"_a = standard.pinv_tolerance,
          "iterations"_a = standard.iterations, "starts"_a = standard.starts, "seed"_a = standard.seed,
          "position_only"_a = standard.position_only, "position_tolerance"_a = standard.position_tolerance,
          "rotation_tolerance"_a = standard.rotation_tolerance,
          "method: a PlainMethod. axes: an ErrorAxes. step: share of dq that is taken, in (0, 1]; dls_restarts takes "
          "1. "
          "lambda_: of dls, m and m/rad (lambda is a word of Python). adaptive: λ grows to its value as the "
          "manipulability √det(JJᵀ) falls from adaptive_from to zero. pinv_tolerance: share of the largest singular "
          "value below which one is dropped. iterations: of one start. starts, seed: of dls_restarts. Tolerances in m "
          "and rad; iterations end at half of them. OptionsError for one out of its range.")
      .def(
          "solve",
          [](Plain& self, const TargetChoice& X_WF, const ArrayArgument& start) {
            constexpr const char* kPlace = "PlainSolver.solve";
            return ReachSolution(
                self.solver.solve(target_of(X_WF, self.position_only, kPlace), as_vector(start, kPlace, "start")));
          },
          "X_WF"_a, "start"_a,
          "Target as ReachSolver.solve; start [joints], pulled into the limits. Status reached, iteration_budget or "
          "bad_input.")
      .def(
          "step",
          [](Plain& self, const ArrayArgument& q, const ArrayArgument& error) {
            constexpr const char* kPlace = "PlainSolver.step";
            VectorX dq(self.joints);
            require(self.solver.step(as_vector(q, kPlace, "q", self.joints),
                                     as_vector(error, kPlace, "error", self.position_only ? 3 : 6), dq),
                    kPlace);
            return fresh(dq);
          },
          "q"_a, "error"_a,
          "One dq [joints] for an error [6: m, rad, or 3 for positions] at q, world axes, before step and limits.");
}

}  // namespace

void bind_ik(nb::module_& module) {
  bind_chain(module);
  bind_solution(module);
  bind_model(module);
  bind_solver(module);
  bind_batch(module);
  bind_plain(module);
  bind_ik_run(module);
}

}  // namespace antaeus::python
