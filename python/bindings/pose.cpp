// What a pose lets torques tell, and where to move the arm instead.
#include "antaeus/estimation/pose_advice.hpp"
#include "antaeus/estimation/pose_quality.hpp"
#include "convert.hpp"
#include "estimates.hpp"

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
      .def_prop_ro("status", [](const PoseConditioning& self) { return self.status; })
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
      .def_prop_ro("posterior_phantom", frozen_field(&PoseConditioning::posterior_phantom), kOwned,
                   "[6] the same by the posterior of a moving robot.")
      .def_ro("rest", &PoseConditioning::rest, "Posterior's doubt for a robot known to stand still.")
      .def_ro("moving", &PoseConditioning::moving, "The same while it moves, with a static residual.")
      .def_ro("reliability", &PoseConditioning::reliability, "Of its rows at rest.");
}

void bind_advice(nb::module_& module) {
  nb::class_<JointMove>(module, "JointMove", "What one joint must do, rad.")
      .def_ro("joint", &JointMove::joint)
      .def_ro("start", &JointMove::from, "Where it is: C++ `from`, which is a Python keyword.")
      .def_ro("to", &JointMove::to);
  const auto side = [](const Opening& opening) {
    return opening.found ? nb::object(nb::make_tuple(opening.to, opening.until)) : nb::object(nb::none());
  };
  nb::class_<LoneMove>(module, "LoneMove", "One joint moved alone, all others held, rad.")
      .def_ro("joint", &LoneMove::joint)
      .def_ro("start", &LoneMove::from, "Where it is.")
      .def_prop_ro(
          "below", [side](const LoneMove& self) { return side(self.below); },
          nb::sig("def below(self) -> tuple[float, float] | None"),
          "Nearest sufficient position downwards and how far the opening reaches, or None.")
      .def_prop_ro(
          "above", [side](const LoneMove& self) { return side(self.above); },
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
      "'sd', joints: collections.abc.Sequence[str] = ()",
      ") -> PoseAdvice");
  const std::string doc = options_doc<PoseAdviceOptions>(
      "The nearest pose that satisfies a named set of limits at every endpoint: 'sd' (posterior's worst direction) or "
      "'published' (the incident report's gain and condition number). q: motor positions, rad. joints: that may move; "
      "none: those of each endpoint's group. ModelError, OptionsError with the nearest name.");
  module.def(
      "advise",
      [](const Robot& robot, const std::vector<std::string>& endpoints, const ArrayArgument& q,
         const std::string& limits, const std::vector<std::string>& joints, const nb::kwargs& options) {
        return advise(robot, endpoints, as_vector(q, "advise", "q"), pose_limits(robot, limits), joints,
                      options_from<PoseAdviceOptions>("advise", options));
      },
      "robot"_a, "endpoints"_a, "q"_a, "limits"_a = "sd", "joints"_a = std::vector<std::string>{}, "options"_a,
      nb::sig(signature.c_str()), doc.c_str());
}

}  // namespace

void bind_poses(nb::module_& module) {
  bind_quality(module);
  bind_advice(module);
}

}  // namespace antaeus::python
