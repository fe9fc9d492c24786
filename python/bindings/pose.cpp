// What a pose lets torques tell, where to move the arm instead, and the pre-flight.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <optional>

#include "antaeus/pose/pose_advice.hpp"
#include "antaeus/pose/pose_quality.hpp"
#include "antaeus/pose/preflight.hpp"
#include "convert.hpp"
#include "fields.hpp"
#include "shared_enumerations.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::PreflightCheckKind>
    : EnumerationCaster<antaeus::PreflightCheckKind, "antaeus.PreflightCheckKind"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

void bind_quality(nb::module_& module) {
  bind_struct<ForceKnowledge>(module, "ForceKnowledge",
                              "Doubt of a force that the posterior would state in a pose; world axes, base upright.")
      .def("worst_sd", &ForceKnowledge::worst_sd, "In the direction of which least is known, N.")
      .def(
          "worst_direction", [](const ForceKnowledge& self) { return fresh(self.worst_direction()); },
          "[3] in which the force is known worst, unit length.");
  bind_struct<PoseConditioning>(module, "PoseConditioning",
                                "How the pose of one endpoint turns joint torques into wrenches.");
}

void bind_advice(nb::module_& module) {
  bind_enumeration<PoseQuantity>(
      module,
      "What a condition on a pose is of. sd, sd_moving: the posterior's doubt of the force, N. gain: of the reference "
      "joint in the profile's row, force_gain: norm of its force rows, N/(N·m). kappa: condition number. error_force: "
      "what torque errors of one sd each read as, N.");
  bind_enumeration<PoseLimitSet>(
      module,
      "Named sets of conditions. sd: the posterior knows the force in every direction to within its full_use_sd. "
      "published: the incident report's own limits of the deployed estimator, gain and condition number. preflight: "
      "what preflight asks of a pose.");
  bind_struct<JointMove>(module, "JointMove", "What one joint must do, rad.");
  bind_struct<SingleJointMove>(module, "SingleJointMove", "One joint moved alone, all others held, rad.");
  bind_struct<PoseAdvice>(module, "PoseAdvice", "The nearest pose found (a local optimum) that satisfies the limits.");
  const std::string signature = options_signature<PoseAdviceOptions>(
      "def advise(robot: Robot, endpoints: collections.abc.Sequence[str], q: numpy.typing.ArrayLike, limits: str = "
      "'sd', joints: collections.abc.Sequence[str] = (), threads: int | None = None",
      ") -> PoseAdvice");
  const std::string doc = options_doc<PoseAdviceOptions>(
      "The nearest pose that satisfies a named set of limits at every endpoint: 'sd' (posterior's worst direction) or "
      "'published' (the incident report's gain and condition number) or 'preflight'. q: motor positions, rad. joints: "
      "that may move; "
      "none: those of each endpoint's group. threads: that work at a time, None: as replay.threads of the robot says, "
      "one "
      "a core; no result depends on it. ModelError, OptionsError with the nearest name.");
  module.def(
      "advise",
      [](const Robot& given, const std::vector<std::string>& endpoints, const ArrayArgument& q, std::string_view limits,
         const std::vector<std::string>& joints, const std::optional<int>& threads, const nb::kwargs& options) {
        Robot robot = given;  // the caller's may change once the lock is given away
        if (threads) robot.profile.settings.set("replay.threads=" + std::to_string(*threads), "advise");
        const auto set = parse_enum<PoseLimitSet>(limits, "advise.limits");
        const auto chosen = options_from<PoseAdviceOptions>(options);
        const VectorX from = as_vector(q, "advise", "q");
        const Unlocked unlocked;
        PoseAdvice advice = advise(robot, endpoints, from, pose_limits(robot, set, endpoints), joints, chosen);
        const std::vector<Note> notes = position_notes(robot, from, endpoints);
        advice.limits.notes.insert(advice.limits.notes.begin(), notes.begin(), notes.end());
        return advice;
      },
      "robot"_a, "endpoints"_a, "q"_a, "limits"_a = "sd", "joints"_a = std::vector<std::string>{},
      "threads"_a = nb::none(), "options"_a, nb::sig(signature.c_str()), doc.c_str());
}

void bind_preflight(nb::module_& module) {
  bind_enumeration<PreflightCheckKind>(
      module,
      "gain: of a reference joint at an endpoint that it carries. start_error: of a joint. sd: of the "
      "force at an endpoint. conditioning: what errors of its own torques read as there.");
  bind_struct<PreflightCheck>(module, "PreflightCheck", "One check, with what it measured.");
  bind_struct<PreflightReport>(module, "PreflightReport", "The checks and what they rest on.");
  const std::string signature = options_signature<PreflightOptions>(
      "def preflight(robot: Robot, endpoints: collections.abc.Sequence[str], q: numpy.typing.ArrayLike, "
      "target: numpy.typing.ArrayLike | None = None, imu_quaternion_xyzw: numpy.typing.ArrayLike | None = None",
      ") -> PreflightReport");
  const std::string doc = options_doc<PreflightOptions>(
      "Gain of the reference joint at every endpoint and start errors (left out without targets) with the profile's "
      "limits; sd and conditioning of every endpoint. q, target: motor positions. imu_quaternion_xyzw: of the IMU in "
      "the "
      "world, read as equation.imu says; None: the base is upright. OptionsError for a wrong size or NaN.");
  module.def(
      "preflight",
      [](const Robot& robot, const std::vector<std::string>& endpoints, const ArrayArgument& q,
         const std::optional<ArrayArgument>& target, const std::optional<ArrayArgument>& imu_quaternion_xyzw,
         const nb::kwargs& options) {
        Eigen::Vector4d imu;
        if (imu_quaternion_xyzw) {
          const VectorX given = as_vector(*imu_quaternion_xyzw, "preflight", "imu_quaternion_xyzw");
          if (given.size() != 4)
            throw OptionsError("preflight (imu_quaternion_xyzw)", "no unit quaternion", "give x y z w");
          imu = given;
        }
        const VectorX at = as_vector(q, "preflight", "q");
        PreflightReport report =
            preflight(robot, endpoints, at, target ? VectorX(as_vector(*target, "preflight", "target")) : VectorX(),
                      options_from<PreflightOptions>(options), imu_quaternion_xyzw ? &imu : nullptr);
        const std::vector<Note> notes = position_notes(robot, at, endpoints);
        report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
        return report;
      },
      "robot"_a, "endpoints"_a, "q"_a, "target"_a = nb::none(), "imu_quaternion_xyzw"_a = nb::none(), "options"_a,
      nb::sig(signature.c_str()), doc.c_str());
}

}  // namespace

void bind_pose(nb::module_& module) {
  bind_quality(module);
  bind_advice(module);
  bind_preflight(module);
}

}  // namespace antaeus::python
