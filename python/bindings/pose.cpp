// What a pose lets torques tell, where to move the arm instead, and the pre-flight.
#include <nanobind/stl/optional.h>

#include <optional>

#include "antaeus/pose/pose_advice.hpp"
#include "antaeus/pose/pose_quality.hpp"
#include "antaeus/pose/preflight.hpp"
#include "convert.hpp"
#include "shared_enumerations.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::PreflightCheckKind>
    : EnumerationCaster<antaeus::PreflightCheckKind, "antaeus.PreflightCheckKind"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

void bind_quality(nb::module_& module) {
  nb::class_<ForceKnowledge>(module, "ForceKnowledge",
                             "Doubt of a force that the posterior would state in a pose; world axes, base upright.")
      .def_prop_ro("covariance", frozen_field(&ForceKnowledge::covariance), kOwned,
                   "[6 × 6] of the wrench, force before moment: N², N²·m, N²·m².")
      .def_prop_ro("axis_sd", frozen_field(&ForceKnowledge::axis_sd), kOwned, "[3] along x, y, z, N.")
      .def_prop_ro("force_sd", frozen_field(&ForceKnowledge::force_sd), kOwned,
                   "[3] along the principal directions, ascending, N.")
      .def_prop_ro("directions", frozen_field(&ForceKnowledge::directions), kOwned, "[3 × 3], columns.")
      .def_ro("observable", &ForceKnowledge::observable, "How many directions have an sd under the limit.")
      .def("worst_sd", &ForceKnowledge::worst_sd, "In the direction of which least is known, N.")
      .def("worst_direction", [](const ForceKnowledge& self) { return fresh(self.worst_direction()); });
  nb::class_<PoseConditioning>(module, "PoseConditioning",
                               "How the pose of one endpoint turns joint torques into wrenches.")
      .def_ro("endpoint", &PoseConditioning::endpoint)
      .def_prop_ro("status", copied_field(&PoseConditioning::status))
      .def_prop_ro("position", frozen_field(&PoseConditioning::position), kOwned,
                   "[3] of the endpoint in base axes, m.")
      .def_ro("kappa", &PoseConditioning::kappa)
      .def_ro("kappa_scaled", &PoseConditioning::kappa_scaled, "With the characteristic length.")
      .def_ro("sigma_min", &PoseConditioning::sigma_min)
      .def_ro("manipulability", &PoseConditioning::manipulability)
      .def_prop_ro("reference_gain", frozen_field(&PoseConditioning::reference_gain), kOwned,
                   "[6] of the reference joint; NaN without one.")
      .def_ro("reference_force_gain", &PoseConditioning::reference_force_gain, "Norm of its force rows.")
      .def_prop_ro("gain", frozen_field(&PoseConditioning::gain), kOwned, "[6 × motors].")
      .def_prop_ro("phantom", frozen_field(&PoseConditioning::phantom), kOwned,
                   "[6] largest |wrench| that residuals within the budget make of nothing, deployed estimator.")
      .def_ro("error_force", &PoseConditioning::error_force,
              "What torque errors of one sd each read as in the worst direction, N; infinite in a singular pose.")
      .def_prop_ro("error_direction", frozen_field(&PoseConditioning::error_direction), kOwned,
                   "[6] that direction, unit: force, moment over the characteristic length, N.")
      .def_ro("whole_wrench", &PoseConditioning::whole_wrench, "Of force and moment; else of the force alone.")
      .def_prop_ro("posterior_phantom", frozen_field(&PoseConditioning::posterior_phantom), kOwned,
                   "[6] the same by the posterior of a moving robot.")
      .def_ro("rest", &PoseConditioning::rest, "Posterior's doubt for a robot known to stand still.")
      .def_ro("moving", &PoseConditioning::moving, "The same while it moves, with a static residual.")
      .def_ro("reliability", &PoseConditioning::reliability, "Of its rows at rest.");
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
  nb::class_<JointMove>(module, "JointMove", "What one joint must do, rad.")
      .def_ro("joint", &JointMove::joint)
      .def_ro("start", &JointMove::from, "Where it is: C++ `from`, which is a Python keyword.")
      .def_ro("to", &JointMove::to);
  const auto side = [](const Opening& opening) {
    return opening.found ? nb::object(nb::make_tuple(opening.to, opening.until)) : nb::object(nb::none());
  };
  nb::class_<SingleJointMove>(module, "SingleJointMove", "One joint moved alone, all others held, rad.")
      .def_ro("joint", &SingleJointMove::joint)
      .def_ro("start", &SingleJointMove::from, "Where it is.")
      .def_prop_ro(
          "below", [side](const SingleJointMove& self) { return side(self.below); },
          nb::sig("def below(self) -> tuple[float, float] | None"),
          "Nearest sufficient position downwards and how far the opening reaches, or None.")
      .def_prop_ro(
          "above", [side](const SingleJointMove& self) { return side(self.above); },
          nb::sig("def above(self) -> tuple[float, float] | None"), "The same upwards.");
  nb::class_<PoseAdvice>(module, "PoseAdvice", "The nearest pose found (a local optimum) that satisfies the limits.")
      .def_ro("satisfied", &PoseAdvice::satisfied, "By the present pose already.")
      .def_ro("found", &PoseAdvice::found)
      .def_prop_ro("q", frozen_field(&PoseAdvice::q), kOwned,
                   "[motors] the pose advised; the present one unless found.")
      .def_ro("distance", &PoseAdvice::distance, "Weighted norm of the move, rad.")
      .def_ro("moves", &PoseAdvice::moves, "Largest first.")
      .def_ro("before", &PoseAdvice::before)
      .def_ro("after", &PoseAdvice::after)
      .def_ro("alone", &PoseAdvice::alone, "Every joint that may move, by itself.");
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
      [](const Robot& robot, const std::vector<std::string>& endpoints, const ArrayArgument& q, std::string_view limits,
         const std::vector<std::string>& joints, const std::optional<int>& threads, const nb::kwargs& options) {
        std::optional<Robot> with_threads;
        if (threads) {
          with_threads = robot;
          with_threads->profile.settings.set("replay.threads=" + std::to_string(*threads), "advise");
        }
        return advise(with_threads ? *with_threads : robot, endpoints, as_vector(q, "advise", "q"),
                      pose_limits(robot, parse_enum<PoseLimitSet>(limits, "advise.limits"), endpoints), joints,
                      options_from<PoseAdviceOptions>(options));
      },
      "robot"_a, "endpoints"_a, "q"_a, "limits"_a = "sd", "joints"_a = std::vector<std::string>{},
      "threads"_a = nb::none(), "options"_a, nb::sig(signature.c_str()), doc.c_str());
}

void bind_preflight(nb::module_& module) {
  bind_enumeration<PreflightCheckKind>(
      module,
      "gain: of a reference joint at an endpoint that it carries. start_error: of a joint. sd: of the "
      "force at an endpoint. conditioning: what errors of its own torques read as there.");
  nb::class_<PreflightCheck>(module, "PreflightCheck", "One check, with what it measured.")
      .def_prop_ro("kind", copied_field(&PreflightCheck::kind))
      .def_ro("subject", &PreflightCheck::subject, "Endpoint or joint.")
      .def_ro("value", &PreflightCheck::value,
              "|gain|, N/(N·m), |q − target|, rad, or worst-direction sd at rest, or "
              "error_force, N.")
      .def_ro("limit", &PreflightCheck::limit)
      .def_ro("passed", &PreflightCheck::passed, "value < limit; false for NaN.")
      .def_ro("joint", &PreflightCheck::joint, "Of a gain: whose.");
  nb::class_<PreflightReport>(module, "PreflightReport", "The checks and what they rest on.")
      .def_ro("passed", &PreflightReport::passed, "Every check.")
      .def_ro("characteristic_length", &PreflightReport::characteristic_length, "m")
      .def_ro("endpoints", &PreflightReport::endpoints)
      .def_ro("checks", &PreflightReport::checks, "The incident report's: gain, then start_error.")
      .def_ro("sd_checks", &PreflightReport::sd_checks,
              "Antaeus' own: worst-direction sd at rest of every endpoint with torque rows of six joints or more.")
      .def_ro("conditioning_checks", &PreflightReport::conditioning_checks,
              "Antaeus' own: error_force of every endpoint; it refuses a singular pose.");
  const std::string signature = options_signature<PreflightOptions>(
      "def preflight(robot: Robot, endpoints: collections.abc.Sequence[str], q: numpy.typing.ArrayLike, "
      "target: numpy.typing.ArrayLike | None = None",
      ") -> PreflightReport");
  const std::string doc = options_doc<PreflightOptions>(
      "Gain of the reference joint at every endpoint and start errors (left out without targets) with the profile's "
      "limits; sd and conditioning of every endpoint. q, target: motor positions. OptionsError for a wrong size or "
      "NaN.");
  module.def(
      "preflight",
      [](const Robot& robot, const std::vector<std::string>& endpoints, const ArrayArgument& q,
         const std::optional<ArrayArgument>& target, const nb::kwargs& options) {
        return preflight(robot, endpoints, as_vector(q, "preflight", "q"),
                         target ? VectorX(as_vector(*target, "preflight", "target")) : VectorX(),
                         options_from<PreflightOptions>(options));
      },
      "robot"_a, "endpoints"_a, "q"_a, "target"_a = nb::none(), "options"_a, nb::sig(signature.c_str()), doc.c_str());
}

}  // namespace

void bind_pose(nb::module_& module) {
  bind_quality(module);
  bind_advice(module);
  bind_preflight(module);
}

}  // namespace antaeus::python
