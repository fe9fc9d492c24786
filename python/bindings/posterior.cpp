// Residuals, the posterior, its reliability, the guarded estimator and the drop-in. What C++ leaves to the caller (one
// equation for all, indices) is checked here.
#include <nanobind/stl/optional.h>

#include <optional>

#include "antaeus/estimation/contact_space_filter.hpp"
#include "antaeus/estimation/frame_wrench.hpp"
#include "antaeus/estimation/guarded_estimator.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/estimation/reliability.hpp"
#include "antaeus/estimation/residual.hpp"
#include "convert.hpp"
#include "estimates.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::ConsumerAction> : EnumerationCaster<antaeus::ConsumerAction, "antaeus.ConsumerAction"> {};
template <>
struct type_caster<antaeus::FrameWrenchMethod>
    : EnumerationCaster<antaeus::FrameWrenchMethod, "antaeus.FrameWrenchMethod"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

/// \throws OptionsError unless both numbers are the same
void require_same(Eigen::Index mine, Eigen::Index theirs, const char* place, const char* what) {
  if (mine != theirs) {
    throw OptionsError(place, std::to_string(theirs) + " " + what + " where there are " + std::to_string(mine),
                       "pass objects made from the same robot and endpoints");
  }
}

void bind_residual(nb::module_& module) {
  nb::class_<Residual>(module, "Residual",
                       "One instant's residual, motors in motor order. Torque minus model; with w on the robot, "
                       "value = −Σ Jᵀ w + error. Plain data of its own.")
      .def_prop_ro("status", [](const Residual& self) { return self.status; })
      .def_prop_ro("kind", [](const Residual& self) { return self.kind; })
      .def_prop_ro(
          "reasons", [](const Residual& self) { return reason_names(self.reasons); },
          "Why it is less than it might be.")
      .def_prop_ro("value", frozen_field(&Residual::value), kOwned, "[motors], N·m; NaN unless ok.")
      .def_prop_ro("variance", frozen_field(&Residual::variance), kOwned,
                   "[motors] of its error, N²·m²; infinite: no evidence (saturated torque).")
      .def_ro("moving", &Residual::moving, "Motion seen, or not excluded.")
      .def_ro("saturated", &Residual::saturated, "Motors at their drive's limit.");
  const std::string signature = options_signature<ResidualOptions>("def __init__(self, robot: Robot", ") -> None");
  const std::string doc = options_doc<ResidualOptions>("OptionsError for options out of range.");
  nb::class_<ResidualEstimator>(
      module, "ResidualEstimator",
      "Forms the residual that the channels allow, and says which and why: static τ − g(q); inverse dynamics "
      "τ − rnea(q, v, a), the base's acceleration from the IMU's specific force; momentum observer.")
      .def(
          "__init__",
          [](ResidualEstimator* self, const Robot& robot, const nb::kwargs& options) {
            new (self) ResidualEstimator(robot, options_from<ResidualOptions>("residual", options));
          },
          "robot"_a, "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def(
          "update",
          [](ResidualEstimator& self, ContactEquation& equation, const Observation& observation) {
            require_same(self.residual().value.size(), equation.model().motor_count(), "ResidualEstimator.update",
                         "motors");
            return Residual(self.update(equation, observation));
          },
          "equation"_a, "observation"_a, "The equation must have been updated with the same observation.")
      .def("reset", &ResidualEstimator::reset, "Forgets all history, as after a gap.")
      .def("residual", [](const ResidualEstimator& self) { return Residual(self.residual()); }, "Of the last call.");
}

void bind_contact_space_filter(nb::module_& module) {
  const std::string signature = options_signature<ContactSpaceOptions>(
      "def __init__(self, equation: ContactEquation, posterior: PosteriorEstimator", ") -> None");
  const std::string doc =
      options_doc<ContactSpaceOptions>("OptionsError for base rows or a reference row admitted by its innovation.");
  nb::class_<ContactSpaceFilter>(module, "ContactSpaceFilter",
                                 "Kalman filter with the wrenches as state: the posterior with a memory. A direction "
                                 "that the pose does not show keeps what an earlier one showed of it, fading.")
      .def(
          "__init__",
          [](ContactSpaceFilter* self, const ContactEquation& equation, const PosteriorEstimator& posterior,
             const nb::kwargs& options) {
            new (self)
                ContactSpaceFilter(equation, posterior, options_from<ContactSpaceOptions>("contact_space", options));
          },
          "equation"_a, "posterior"_a, "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def(
          "step",
          [](ContactSpaceFilter& self, const ContactEquation& equation, const Residual& residual, double dt) {
            require_same(equation.model().motor_count(), residual.variance.size(), "ContactSpaceFilter.step",
                         "residuals");
            return std::vector<WrenchEstimate>(self.step(equation, residual, dt));
          },
          "equation"_a, "residual"_a, "dt"_a, "The residual of an instant dt seconds after the last one.")
      .def("reset", &ContactSpaceFilter::reset, "Forgets everything.");
}

int endpoint_of(const PosteriorEstimator& posterior, int endpoint) {
  const auto count = static_cast<int>(posterior.results().size());
  if (endpoint < 0 || endpoint >= count) {
    throw nb::index_error(("endpoint " + std::to_string(endpoint) + " of " + std::to_string(count)).c_str());
  }
  return endpoint;
}

void bind_posterior_estimator(nb::module_& module) {
  const std::string signature =
      options_signature<PosteriorOptions>("def __init__(self, equation: ContactEquation", ") -> None");
  const std::string doc = options_doc<PosteriorOptions>("ModelError for base rows on a fixed base.");
  nb::class_<PosteriorEstimator>(
      module, "PosteriorEstimator",
      "Maximum a posteriori wrenches of all endpoints from one residual, each with its covariance: "
      "C = (Aᵀ R⁻¹ A + P₀⁻¹)⁻¹, ŵ = C Aᵀ R⁻¹ r. A direction that the rows do not see keeps the prior.")
      .def(
          "__init__",
          [](PosteriorEstimator* self, const ContactEquation& equation, const nb::kwargs& options) {
            new (self) PosteriorEstimator(equation, options_from<PosteriorOptions>("posterior", options));
          },
          "equation"_a, "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def(
          "solve",
          [](PosteriorEstimator& self, const ContactEquation& equation, const Residual& residual) {
            require_same(equation.model().motor_count(), residual.variance.size(), "PosteriorEstimator.solve",
                         "residuals");
            return std::vector<WrenchEstimate>(self.solve(equation, residual));
          },
          "equation"_a, "residual"_a, "One result an endpoint, in the equation's order.")
      .def(
          "results", [](const PosteriorEstimator& self) { return std::vector<WrenchEstimate>(self.results()); },
          "Of the last call.")
      .def(
          "set_known_direction",
          [](PosteriorEstimator& self, int endpoint, const ArrayArgument& direction) {
            constexpr const char* kPlace = "PosteriorEstimator.set_known_direction";
            require(self.set_known_direction(endpoint_of(self, endpoint), as_vector(direction, kPlace, "direction", 3)),
                    kPlace);
          },
          "endpoint"_a, "direction"_a,
          "From now on the contact there is a pure force along that direction (world axes, any length > 0).")
      .def(
          "rows", [](const PosteriorEstimator& self, int endpoint) { return self.rows(endpoint_of(self, endpoint)); },
          "endpoint"_a, "Motors whose rows speak for an endpoint.")
      .def(
          "prior_factor",
          [](const PosteriorEstimator& self, int endpoint) {
            return fresh(self.prior_factor(endpoint_of(self, endpoint)));
          },
          "endpoint"_a, "L [6 × 6] with P₀ = L Lᵀ.")
      .def("log_evidence", &PosteriorEstimator::log_evidence, "log p(r) of the last solve over all rows used.");
}

void bind_reliability(nb::module_& module) {
  nb::class_<EndpointReliability>(module, "EndpointReliability",
                                  "Which joint could lie without anybody noticing. Vectors in motor order, NaN where a "
                                  "motor's row is not used or is "
                                  "no evidence.")
      .def_prop_ro("status", [](const EndpointReliability& self) { return self.status; })
      .def_prop_ro("redundancy", frozen_field(&EndpointReliability::redundancy), kOwned,
                   "[motors], 0 … 1: the share of an error in joint j that shows in the misfit.")
      .def_prop_ro("minimal_detectable_bias", frozen_field(&EndpointReliability::minimal_detectable_bias), kOwned,
                   "[motors], N·m: smallest error that the misfit reveals (0.1 % false alarms, 80 % power).")
      .def_prop_ro("external_force", frozen_field(&EndpointReliability::external_force), kOwned,
                   "[motors], N: shift of the force that an error of that size causes, unnoticed.")
      .def_ro("total_redundancy", &EndpointReliability::total_redundancy, "Rows with evidence less rank.")
      .def_ro("condition", &EndpointReliability::condition, "κ of the whitened, unit-scaled rows.")
      .def_ro("sigma_min", &EndpointReliability::sigma_min, "Their smallest, prior sds per noise sd.");
  nb::class_<ReliabilityEstimator>(module, "ReliabilityEstimator",
                                   "Reliability of every endpoint of a posterior (Baarda).")
      .def(
          "__init__",
          [](ReliabilityEstimator* self, const ContactEquation& equation, const PosteriorEstimator& posterior) {
            require_same(equation.endpoint_count(), static_cast<Eigen::Index>(posterior.results().size()),
                         "ReliabilityEstimator", "endpoints of the posterior");
            require_same(equation.model().motor_count(), posterior.results().front().gain.cols(),
                         "ReliabilityEstimator", "motors of the posterior");
            new (self) ReliabilityEstimator(equation, posterior);
          },
          "equation"_a, "posterior"_a, "The posterior must have been made from the same equation.")
      .def(
          "solve",
          [](ReliabilityEstimator& self, const ContactEquation& equation, const Residual& residual,
             const std::vector<WrenchEstimate>& estimates) {
            constexpr const char* kPlace = "ReliabilityEstimator.solve";
            const Eigen::Index motors = self.results().front().redundancy.size();
            require_same(motors, equation.model().motor_count(), kPlace, "motors");
            require_same(motors, residual.variance.size(), kPlace, "residuals");
            for (const WrenchEstimate& estimate : estimates) {
              require_same(motors, estimate.gain.cols(), kPlace, "columns of a gain");
            }
            return std::vector<EndpointReliability>(self.solve(equation, residual, estimates));
          },
          "equation"_a, "residual"_a, "estimates"_a,
          "One result an endpoint, from the posterior's estimates for the same residual.");
}

template <class Options>
Options settings(const RobotProfile& profile, const char* group, const std::optional<nb::dict>& own) {
  return options_from<Options>(group, own.value_or(nb::dict()), profile_options<Options>(profile, group));
}

/// The flight recorder, oldest first.
std::vector<FlightSample> listed(const RingBuffer<FlightSample>& buffer) {
  std::vector<FlightSample> samples;
  for (int i = 0; i < buffer.size(); ++i) samples.push_back(buffer[i]);
  return samples;
}

void bind_guarded_results(nb::module_& module) {
  bind_enumeration<ConsumerAction>(
      module,
      "What the consumer reads. pass_raw: the deployed number. posterior: the posterior's. hold: the last number of a "
      "better state, decaying to zero. zero. stop: zero, and a request to stop that stays until reset().");
  nb::class_<GuardedWrench>(module, "GuardedWrench",
                            "What the consumer of one endpoint may use. Plain data of its own.")
      .def_prop_ro(
          "state", [](const GuardedWrench& self) { return self.state; }, "ok, degraded or refused, after hysteresis.")
      .def_prop_ro(
          "reasons", [](const GuardedWrench& self) { return reason_names(self.reasons); },
          "Of this sample; held: the state is worse than the sample.")
      .def_prop_ro(
          "because", [](const GuardedWrench& self) { return reason_names(self.because); },
          "Of the sample that brought the present state.")
      .def_prop_ro(
          "action", [](const GuardedWrench& self) { return self.action; }, "What wrench is.")
      .def_prop_ro("sign", [](const GuardedWrench& self) { return self.sign; })
      .def_prop_ro(
          "wrench", [](const GuardedWrench& self) { return self.wrench; },
          "Endpoint's origin, world axes; always finite.")
      .def_ro("stop_requested", &GuardedWrench::stop_requested, "Latched until reset().");
  nb::class_<FlightSample::AtEndpoint>(module, "FlightSampleAtEndpoint", "One endpoint in the flight recorder.")
      .def_prop_ro("wrench", frozen_field(&FlightSample::AtEndpoint::wrench), kOwned,
                   "[6], estimate before the guard; NaN on invalid input.")
      .def_ro("worst_sd", &FlightSample::AtEndpoint::worst_sd, "N")
      .def_ro("nis", &FlightSample::AtEndpoint::nis)
      .def_ro("guarded", &FlightSample::AtEndpoint::guarded);
  nb::class_<FlightSample>(module, "FlightSample", "One sample of the flight recorder.")
      .def_ro("observation", &FlightSample::observation)
      .def_prop_ro("residual", frozen_field(&FlightSample::residual), kOwned, "[motors], N·m; NaN on invalid input.")
      .def_prop_ro("residual_kind", [](const FlightSample& self) { return self.residual_kind; })
      .def_ro("endpoints", &FlightSample::endpoints);
  nb::class_<FlightRecord>(module, "FlightRecord", "What was recorded up to the moment of a refusal.")
      .def_ro("endpoint", &FlightRecord::endpoint, "That was refused; −1: nothing was refused yet.")
      .def_prop_ro("reasons", [](const FlightRecord& self) { return reason_names(self.reasons); })
      .def_ro("time", &FlightRecord::time, "s")
      .def_prop_ro(
          "samples", [](const FlightRecord& self) { return listed(self.samples); },
          "Oldest first; the last one is the refused sample.");
}

void bind_guarded_estimator(nb::module_& module) {
  std::string doc =
      "Options come from the profile; each argument is a dict that changes some of its group. OptionsError with the "
      "nearest name.";
  doc = options_doc<ContactEquationOptions>(doc + "\n\nequation");
  doc = options_doc<ResidualOptions>(doc + "\n\nresidual");
  doc = options_doc<PosteriorOptions>(doc + "\n\nposterior");
  doc = options_doc<GuardedOptions>(doc + "\n\nguarded");
  nb::class_<GuardedEstimator>(module, "GuardedEstimator",
                               "Observation → equation → residual → posterior → reliability → guard: a wrench that its "
                               "consumer may use, and why.")
      .def(
          "__init__",
          [](GuardedEstimator* self, const Robot& robot, const std::vector<std::string>& endpoints,
             const std::optional<nb::dict>& equation, const std::optional<nb::dict>& residual,
             const std::optional<nb::dict>& posterior, const std::optional<nb::dict>& guarded) {
            const RobotProfile& profile = robot.profile;
            new (self)
                GuardedEstimator(robot, endpoints, settings<ContactEquationOptions>(profile, "equation", equation),
                                 settings<ResidualOptions>(profile, "residual", residual),
                                 settings<PosteriorOptions>(profile, "posterior", posterior),
                                 settings<GuardedOptions>(profile, "guarded", guarded));
          },
          "robot"_a, "endpoints"_a, nb::kw_only(), "equation"_a = nb::none(), "residual"_a = nb::none(),
          "posterior"_a = nb::none(), "guarded"_a = nb::none(), doc.c_str())
      .def(
          "update",
          [](GuardedEstimator& self, const Observation& observation, std::optional<double> now) {
            return std::vector<GuardedWrench>(self.update(observation, now.value_or(observation.time)));
          },
          "observation"_a, "now"_a = nb::none(),
          "One result an endpoint. now: the consumer's clock, for the sample's age, s. Never raises.")
      .def("reset", &GuardedEstimator::reset, "Forgets history, states and stop requests; the last refusal stays.")
      .def("results", [](const GuardedEstimator& self) { return std::vector<GuardedWrench>(self.results()); })
      .def("estimates", [](const GuardedEstimator& self) { return std::vector<WrenchEstimate>(self.estimates()); })
      .def("reliability",
           [](const GuardedEstimator& self) { return std::vector<EndpointReliability>(self.reliability()); })
      .def("residual", [](const GuardedEstimator& self) { return Residual(self.residual()); })
      .def("equation", &GuardedEstimator::equation, nb::rv_policy::reference_internal)
      .def(
          "recorder", [](const GuardedEstimator& self) { return listed(self.recorder()); },
          "The flight recorder, oldest first.")
      .def("last_refusal", [](const GuardedEstimator& self) { return FlightRecord(self.last_refusal()); })
      .def("refusals", &GuardedEstimator::refusals);
}

void bind_frame_wrench(nb::module_& module) {
  bind_enumeration<FrameWrenchMethod>(module, "posterior: the one to use. deployed: pinv(Jᵀ)(τ − g), to compare.");
  nb::class_<FrameWrenchEstimator>(
      module, "FrameWrenchEstimator",
      "Replaces an object that has get_frame_wrench(frame_name, q, tau, imu_quat), as the H1-2's deployed code has it. "
      "The sign is the profile's deployed sign; the residual is static, and since motion cannot be excluded, every "
      "posterior is at best degraded.")
      .def(
          "__init__",
          [](FrameWrenchEstimator* self, const Robot& robot, std::string_view method,
             const std::vector<std::string>& frames) {
            new (self)
                FrameWrenchEstimator(robot, named<FrameWrenchMethod>("FrameWrenchEstimator.method", method), frames);
          },
          "robot"_a, "method"_a = "posterior", "frames"_a = nb::list(),
          "frames: those that will be asked for; empty: those that the deployed code reads.")
      .def(
          "get_frame_wrench",
          [](FrameWrenchEstimator& self, std::string_view frame_name, const ArrayArgument& q, const ArrayArgument& tau,
             const std::optional<ArrayArgument>& imu_quat) {
            constexpr const char* kPlace = "get_frame_wrench";
            Eigen::Vector4d quaternion;
            if (imu_quat) quaternion = as_vector(*imu_quat, kPlace, "imu_quat", 4);
            return WrenchEstimate(self.get_frame_wrench(frame_name, as_vector(q, kPlace, "q"),
                                                        as_vector(tau, kPlace, "tau"),
                                                        imu_quat ? &quaternion : nullptr));
          },
          "frame_name"_a, "q"_a, "tau"_a, "imu_quat"_a = nb::none(),
          "q, tau in motor order, rad, N·m; imu_quat of the IMU's frame in the profile's order, without one the base "
          "counts as upright. The result is read like the array (Fx Fy Fz Mx My Mz) that deployed code returns, and "
          "carries verdict and reasons; NaN for a frame that the constructor was not given.")
      .def("frame_names", &FrameWrenchEstimator::frame_names)
      .def("method", &FrameWrenchEstimator::method);
}

}  // namespace

void bind_posterior(nb::module_& module) {
  bind_residual(module);
  bind_posterior_estimator(module);
  bind_contact_space_filter(module);
  bind_reliability(module);
  bind_guarded_results(module);
  bind_guarded_estimator(module);
  bind_frame_wrench(module);
}

}  // namespace antaeus::python
