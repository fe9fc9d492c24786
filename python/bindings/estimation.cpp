// Contact equation and the published wrench estimators. Nothing here raises in a loop: results carry status, verdict
// and reasons.
#include "antaeus/estimation/contact_equation.hpp"
#include "antaeus/estimation/wrench_estimator.hpp"
#include "convert.hpp"
#include "estimates.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::ImuUse> : EnumerationCaster<antaeus::ImuUse, "antaeus.ImuUse"> {};
template <>
struct type_caster<antaeus::StackedRows> : EnumerationCaster<antaeus::StackedRows, "antaeus.StackedRows"> {};

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
          "torque", [](const ContactEquation& self) { return fresh(self.torque()); },
          "Joint torques in motor order: the channels through the profile's sign, gear, scale and offset, N·m.")
      .def(
          "base_rotation", [](const ContactEquation& self) { return fresh(self.base_rotation()); },
          "R_WB [3 × 3]: the base's axes in the world; the identity when not known.")
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
  bind_enumeration<ResidualKind>(
      module,
      "Which torque residual an estimate rests on. static: τ − g(q), right only for a robot at "
      "rest. inverse_dynamics: τ − (M a + C v + g). momentum_observer: what changes the "
      "momentum beyond τ, C and g.");
  nb::class_<Uncertainty>(module, "Uncertainty", "What a posterior says of its own doubt, in world axes.")
      .def_prop_ro("covariance", frozen_field(&Uncertainty::covariance), kOwned,
                   "[6 × 6] of the wrench, force before moment, N², N²·m, N²·m².")
      .def_prop_ro("force_sd", frozen_field(&Uncertainty::force_sd), kOwned,
                   "[3] along the principal directions of the force, ascending, N.")
      .def_prop_ro("directions", frozen_field(&Uncertainty::directions), kOwned, "[3 × 3], those directions, columns.")
      .def_ro("observable", &Uncertainty::observable, "How many of them have an sd under the limit.")
      .def_prop_ro("observable_force", frozen_field(&Uncertainty::observable_force), kOwned,
                   "[3], the force's part in their span, N; what lies outside is the prior's.")
      .def_ro("nis", &Uncertainty::nis, "Of the endpoint's rows and the reference row.")
      .def_ro("nis_threshold", &Uncertainty::nis_threshold)
      .def_ro("nis_rows", &Uncertainty::nis_rows, "Degrees of freedom.")
      .def_ro("innovation", &Uncertainty::innovation, "Reference joint: r − what the wrenches explain, N·m.")
      .def_ro("innovation_sd", &Uncertainty::innovation_sd, "Of it, when nothing is wrong, N·m.")
      .def("worst_sd", &Uncertainty::worst_sd, "N")
      .def(
          "worst_direction", [](const Uncertainty& self) { return fresh(self.worst_direction()); }, "[3], unit.")
      .def("consistent", &Uncertainty::consistent, "nis ≤ nis_threshold.");

  nb::class_<WrenchEstimate>(
      module, "WrenchEstimate",
      "A wrench at an endpoint's origin in world axes, and what is known of it. All numbers are NaN on invalid_input. "
      "Plain data of its own: later calls do not change it.")
      .def_prop_ro("status", [](const WrenchEstimate& self) { return self.status; })
      .def_prop_ro("verdict", [](const WrenchEstimate& self) { return self.verdict; })
      .def_prop_ro(
          "reasons", [](const WrenchEstimate& self) { return reason_names(self.reasons); },
          "Names of the reasons why the verdict is not ok.")
      .def_prop_ro(
          "sign", [](const WrenchEstimate& self) { return self.sign; }, "Whose wrench it is.")
      .def_prop_ro(
          "residual_kind", [](const WrenchEstimate& self) { return self.residual_kind; },
          "Which torque residual it rests on; static: τ − g(q), right only for a robot at rest.")
      .def_prop_ro("wrench", [](const WrenchEstimate& self) { return self.wrench; })
      .def_ro("has_covariance", &WrenchEstimate::has_covariance)
      .def_ro("uncertainty", &WrenchEstimate::uncertainty, "NaN unless the estimator has a covariance.")
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
      .def("__len__", [](const WrenchEstimate&) { return 6; })
      .def(
          "__getitem__",
          [](const WrenchEstimate& self, nb::handle index) {
            return nb::cast(fresh(self.wrench.to_vector())).attr("__getitem__")(index);
          },
          "index"_a, "Of (Fx Fy Fz Mx My Mz), as from the array that deployed code returns.")
      .def(
          "__array__",
          [](const WrenchEstimate& self, nb::handle dtype, nb::handle) {
            nb::object array = nb::cast(fresh(self.wrench.to_vector()));
            return dtype.is_none() ? array : array.attr("astype")(dtype);
          },
          "dtype"_a = nb::none(), "copy"_a = nb::none(), "(Fx Fy Fz Mx My Mz) for NumPy.")
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

}  // namespace

void bind_estimation(nb::module_& module) {
  bind_contact_equation(module);
  bind_wrench_estimate(module);
  bind_estimators(module);
}

}  // namespace antaeus::python
