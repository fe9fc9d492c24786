// Contact equation, wrench estimators, guards, pre-flight. Nothing here raises in a loop: results carry status, verdict
// and reasons.
#include <nanobind/stl/optional.h>

#include <optional>

#include "antaeus/estimation/contact_equation.hpp"
#include "antaeus/estimation/guard.hpp"
#include "antaeus/estimation/preflight.hpp"
#include "antaeus/estimation/wrench_estimator.hpp"
#include "convert.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::ImuUse> : EnumerationCaster<antaeus::ImuUse, "antaeus.ImuUse"> {};
template <>
struct type_caster<antaeus::StackedRows> : EnumerationCaster<antaeus::StackedRows, "antaeus.StackedRows"> {};
template <>
struct type_caster<antaeus::GuardKind> : EnumerationCaster<antaeus::GuardKind, "antaeus.GuardKind"> {};
template <>
struct type_caster<antaeus::GuardAction> : EnumerationCaster<antaeus::GuardAction, "antaeus.GuardAction"> {};
template <>
struct type_caster<antaeus::DominanceForm> : EnumerationCaster<antaeus::DominanceForm, "antaeus.DominanceForm"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

/// Index of an endpoint of the equation, as Python checks it. C++ leaves it to the caller.
int endpoint_index(const ContactEquation& equation, int endpoint) {
  if (endpoint < 0 || endpoint >= equation.endpoint_count()) {
    throw nb::index_error(
        ("endpoint " + std::to_string(endpoint) + " of " + std::to_string(equation.endpoint_count())).c_str());
  }
  return endpoint;
}

void bind_contact_equation(nb::module_& module) {
  bind_enumeration<ImuUse>(module,
                           "What the base's orientation is taken from. mounted: the IMU's quaternion, carried from the "
                           "sensor's frame to the base. as_base: used as the base's, wherever the sensor sits (as "
                           "deployed on the H1-2). none: the identity.");
  const std::string signature = options_signature<ContactEquationOptions>(
      "def __init__(self, robot: Robot, endpoints: collections.abc.Sequence[str]", ") -> None");
  const std::string doc = options_doc<ContactEquationOptions>(
      "Endpoints by frame name; ModelError with the nearest name, OptionsError for an unknown option.");
  nb::class_<ContactEquation>(
      module, "ContactEquation",
      "Residual and Jacobians of one observation, computed once and read by every estimator. The residual is static, "
      "r = τ − g(q). At rest r = −Σ Jᵀ w, w on the robot: an estimator that solves r = Jᵀ ŵ, as the deployed one does, "
      "finds the wrench of the robot on the environment.")
      .def(
          "__init__",
          [](ContactEquation* self, const Robot& robot, const std::vector<std::string>& endpoints,
             const nb::kwargs& options) {
            new (self) ContactEquation(robot, endpoints, options_from<ContactEquationOptions>("equation", options));
          },
          "robot"_a, "endpoints"_a, "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def("update", &ContactEquation::update, "observation"_a,
           "Reads the observation. On any Status but ok all results are NaN. Never raises.")
      .def("status", &ContactEquation::status)
      .def(
          "model", [](const ContactEquation& self) { return self.model(); }, "The model; a cheap handle.")
      .def("endpoint_count", &ContactEquation::endpoint_count)
      .def("endpoint_names", &ContactEquation::endpoint_names)
      .def("reference_motor", &ContactEquation::reference_motor, "−1 without one.")
      .def("used_imu", &ContactEquation::used_imu,
           "Whether the base's orientation came from an IMU; otherwise it is the identity.")
      .def(
          "residual", [](const ContactEquation& self) { return fresh(self.residual()); },
          "τ − g(q) in motor order, N·m.")
      .def(
          "gravity_torque", [](const ContactEquation& self) { return fresh(self.gravity_torque()); },
          "g(q) in motor order, N·m.")
      .def(
          "base_residual", [](const ContactEquation& self) { return fresh(self.base_residual()); },
          "−g(q) of the six base rows (force, moment; base axes), N, N·m; NaN for a fixed base.")
      .def(
          "jacobian",
          [](const ContactEquation& self, int endpoint) {
            return fresh(self.jacobian(endpoint_index(self, endpoint)));
          },
          "endpoint"_a, "Motor columns of J [6 × motors]: frame origin, world axes, linear rows first.")
      .def(
          "base_jacobian",
          [](const ContactEquation& self, int endpoint) {
            return fresh(self.base_jacobian(endpoint_index(self, endpoint)));
          },
          "endpoint"_a, "Base columns of J [6 × 6]; NaN for a fixed base.")
      .def(
          "pose",
          [](const ContactEquation& self, int endpoint) { return Pose(self.pose(endpoint_index(self, endpoint))); },
          "endpoint"_a, "X_WE, the base at the world's origin.");
}

void bind_wrench_estimate(nb::module_& module) {
  nb::class_<WrenchEstimate>(
      module, "WrenchEstimate",
      "A wrench at an endpoint's origin in world axes, and what is known of it. All numbers are NaN on invalid_input. "
      "Plain data of its own: later calls do not change it.")
      .def_prop_ro("status", [](const WrenchEstimate& self) { return self.status; })
      .def_prop_ro("verdict", [](const WrenchEstimate& self) { return self.verdict; })
      .def_prop_ro(
          "reasons", [](const WrenchEstimate& self) { return reason_names(kAllReasons, self.reasons); },
          "Names of the reasons why the verdict is not ok.")
      .def_prop_ro(
          "sign", [](const WrenchEstimate& self) { return self.sign; }, "Whose wrench it is.")
      .def_prop_ro(
          "residual_kind", [](const WrenchEstimate& self) { return to_string(self.residual_kind); },
          "Which torque residual it rests on; static: τ − g(q), right only for a robot at rest.")
      .def_prop_ro("wrench", [](const WrenchEstimate& self) { return self.wrench; })
      .def_ro("has_covariance", &WrenchEstimate::has_covariance)
      .def_ro("rank", &WrenchEstimate::rank, "Of the matrix that was inverted.")
      .def_ro("kappa", &WrenchEstimate::kappa, "Its condition number; mixes m and rad.")
      .def_ro("kappa_scaled", &WrenchEstimate::kappa_scaled,
              "With linear rows divided by the characteristic length; NaN where not asked for.")
      .def_ro("sigma_min", &WrenchEstimate::sigma_min, "Its smallest singular value.")
      .def_ro("sigma_max", &WrenchEstimate::sigma_max)
      .def_ro("manipulability", &WrenchEstimate::manipulability, "Product of its singular values.")
      .def_prop_ro("gain", frozen_field(&WrenchEstimate::gain), kOwned,
                   "[6 × motors]: wrench = gain · residual; N/(N·m), N·m/(N·m).")
      .def_ro("reference_residual", &WrenchEstimate::reference_residual,
              "r of the reference motor, N·m; NaN without one.")
      .def_prop_ro("reference_gain", frozen_field(&WrenchEstimate::reference_gain), kOwned,
                   "[6], its column of gain; NaN without one.")
      .def("__repr__", [](const WrenchEstimate& self) {
        return "WrenchEstimate(" + std::string(to_string(self.verdict)) + ", " + std::string(to_string(self.sign)) +
               ", " + nb::repr(nb::cast(self.wrench)).c_str() + ")";
      });
}

void bind_estimators(nb::module_& module) {
  bind_enumeration<StackedRows>(module,
                                "Rows of the stacked estimator: the motors', or the base's six too, which no motor "
                                "drives.");
  const std::string deployed =
      options_signature<WrenchEstimatorOptions>("def __init__(self, equation: ContactEquation", ") -> None");
  const std::string stacked = options_signature<WrenchEstimatorOptions>(
      "def __init__(self, equation: ContactEquation, rows: str = 'motors'", ") -> None");
  const std::string doc = options_doc<WrenchEstimatorOptions>("OptionsError for an unknown option.");
  nb::class_<DeployedEstimator>(module, "DeployedEstimator",
                                "ŵ = pinv(J_kᵀ) r for each endpoint k by itself: every torque that g does not explain "
                                "is taken for a force there. As deployed on the H1-2.")
      .def(
          "__init__",
          [](DeployedEstimator* self, const ContactEquation& equation, const nb::kwargs& options) {
            new (self) DeployedEstimator(equation, options_from<WrenchEstimatorOptions>("estimator", options));
          },
          "equation"_a, "options"_a, nb::sig(deployed.c_str()), doc.c_str())
      .def(
          "solve",
          [](DeployedEstimator& self, const ContactEquation& equation) {
            return std::vector<WrenchEstimate>(self.solve(equation));
          },
          "equation"_a, "One result an endpoint, in the equation's order. Never raises.");
  nb::class_<StackedEstimator>(module, "StackedEstimator",
                               "ŵ = pinv([J_1ᵀ … J_kᵀ]) r for all endpoints at once, least squares or minimum norm.")
      .def(
          "__init__",
          [](StackedEstimator* self, const ContactEquation& equation, std::string_view rows,
             const nb::kwargs& options) {
            new (self) StackedEstimator(equation, named<StackedRows>("estimator.rows", rows),
                                        options_from<WrenchEstimatorOptions>("estimator", options));
          },
          "equation"_a, "rows"_a = "motors", "options"_a, nb::sig(stacked.c_str()), doc.c_str())
      .def(
          "solve",
          [](StackedEstimator& self, const ContactEquation& equation) {
            return std::vector<WrenchEstimate>(self.solve(equation));
          },
          "equation"_a, "One result an endpoint; rank, κ and σ are those of the whole stacked matrix. Never raises.")
      .def(
          "matrix", [](const StackedEstimator& self) { return fresh(self.matrix()); },
          "The matrix A of the last call [rows × 6 endpoints]: base rows first where used.");
}

void bind_guards(nb::module_& module) {
  bind_enumeration<GuardKind>(module, "The published guards.");
  bind_enumeration<GuardAction>(module, "What a guard did to the wrench that it was given.");
  bind_enumeration<DominanceForm>(module,
                                  "The two published forms of the dominance ratio. per_joint (the report's code): "
                                  "‖(B_zj r_j)_j‖ over the other joints. formula: ‖Σ_j B_{xyz,j} r_j‖ over them.");
  nb::class_<GuardRecord>(module, "GuardRecord", "One guard at one step.")
      .def_prop_ro("kind", [](const GuardRecord& self) { return self.kind; })
      .def_prop_ro("action", [](const GuardRecord& self) { return self.action; })
      .def_ro("saw", &GuardRecord::saw, "The quantity it judges: max |F_i| or |F| in N, κ, ρ; NaN without input.")
      .def_ro("limit", &GuardRecord::limit, "What it was compared with.")
      .def("acted", &GuardRecord::acted);
  nb::class_<GuardedWrench>(module, "GuardedWrench", "What the consumer reads behind a chain. Plain data of its own.")
      .def_prop_ro("verdict", [](const GuardedWrench& self) { return self.verdict; })
      .def_prop_ro("reasons", [](const GuardedWrench& self) { return reason_names(kAllReasons, self.reasons); })
      .def_prop_ro(
          "wrench", [](const GuardedWrench& self) { return self.wrench; },
          "NaN without input; zero only where a record says zeroed.")
      .def_ro("damping_mode", &GuardedWrench::damping_mode, "Latched by the watchdog until reset().")
      .def_prop_ro(
          "records", [](const GuardedWrench& self) { return std::vector<GuardRecord>(self.records); },
          "In the order of the chain.");

  const std::string signature = options_signature<GuardOptions>(
      "def __init__(self, order: collections.abc.Sequence[str] | None = None", ") -> None");
  const std::string doc = options_doc<GuardOptions>("Guards in order; without one, default_order().");
  nb::class_<GuardChain>(module, "GuardChain",
                         "Guards in order, with the state of one endpoint: use one chain an endpoint. A chain never "
                         "changes a number in silence: the records say what each guard saw and did.")
      .def(
          "__init__",
          [](GuardChain* self, const std::optional<std::vector<std::string>>& order, const nb::kwargs& options) {
            std::vector<GuardKind> kinds;
            for (const std::string& name : order.value_or(std::vector<std::string>())) {
              kinds.push_back(named<GuardKind>("guard.order", name));
            }
            new (self) GuardChain(order ? std::move(kinds) : GuardChain::default_order(),
                                  options_from<GuardOptions>("guard", options));
          },
          "order"_a = nb::none(), "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def_static("default_order", &GuardChain::default_order)
      .def(
          "apply",
          [](GuardChain& self, const WrenchEstimate& estimate, const ArrayArgument& residual, int reference_motor) {
            return GuardedWrench(
                self.apply(estimate, as_vector(residual, "GuardChain.apply", "residual"), reference_motor));
          },
          "estimate"_a, "residual"_a, "reference_motor"_a,
          "Each guard sees what the one before it let through. A clamp makes the verdict degraded, every other guard "
          "that acts refused.")
      .def("reset", &GuardChain::reset, "Forgets the watchdog's count and latch.");
  module.def(
      "reference_dominance",
      [](const WrenchEstimate& estimate, const ArrayArgument& residual, int reference_motor, std::string_view form) {
        return reference_dominance(estimate, as_vector(residual, "reference_dominance", "residual"), reference_motor,
                                   named<DominanceForm>("reference_dominance.form", form));
      },
      "estimate"_a, "residual"_a, "reference_motor"_a, "form"_a,
      "ρ: |B_zk r_k| over itself plus the part of the other joints, k the reference motor. 0 where it does not reach "
      "the endpoint; NaN without input.");
}

void bind_preflight(nb::module_& module) {
  nb::class_<PreflightCheck>(module, "PreflightCheck", "One check, with what it measured.")
      .def_ro("name", &PreflightCheck::name, "gain or start_error.")
      .def_ro("subject", &PreflightCheck::subject, "Endpoint or joint.")
      .def_ro("value", &PreflightCheck::value, "|gain|, N/(N·m), or |q − target|, rad.")
      .def_ro("limit", &PreflightCheck::limit)
      .def_ro("passed", &PreflightCheck::passed, "value < limit; false for NaN.");
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
      .def_prop_ro("gain", frozen_field(&PoseConditioning::gain), kOwned, "[6 × motors].");
  nb::class_<PreflightReport>(module, "PreflightReport", "The checks and what they rest on.")
      .def_ro("passed", &PreflightReport::passed, "Every check.")
      .def_ro("characteristic_length", &PreflightReport::characteristic_length, "m")
      .def_ro("endpoints", &PreflightReport::endpoints)
      .def_ro("checks", &PreflightReport::checks);
  const std::string signature = options_signature<PreflightOptions>(
      "def preflight(robot: Robot, endpoints: collections.abc.Sequence[str], q: numpy.typing.ArrayLike, "
      "target: numpy.typing.ArrayLike | None = None",
      ") -> PreflightReport");
  const std::string doc = options_doc<PreflightOptions>(
      "Gain of the reference joint at every endpoint and start errors (left out without targets) with the profile's "
      "limits. q, target: motor positions. OptionsError for a wrong size or NaN.");
  module.def(
      "preflight",
      [](const Robot& robot, const std::vector<std::string>& endpoints, const ArrayArgument& q,
         const std::optional<ArrayArgument>& target, const nb::kwargs& options) {
        return preflight(robot, endpoints, as_vector(q, "preflight", "q"),
                         target ? VectorX(as_vector(*target, "preflight", "target")) : VectorX(),
                         options_from<PreflightOptions>("preflight", options));
      },
      "robot"_a, "endpoints"_a, "q"_a, "target"_a = nb::none(), "options"_a, nb::sig(signature.c_str()), doc.c_str());
}

}  // namespace

void bind_estimation(nb::module_& module) {
  bind_contact_equation(module);
  bind_wrench_estimate(module);
  bind_estimators(module);
  bind_guards(module);
  bind_preflight(module);
}

}  // namespace antaeus::python
