// The guarded estimator and the drop-in.
#include <nanobind/stl/optional.h>

#include <optional>

#include "antaeus/trust/flight_record.hpp"
#include "antaeus/trust/frame_wrench.hpp"
#include "antaeus/trust/guarded_estimator.hpp"
#include "convert.hpp"
#include "fields.hpp"
#include "shared_enumerations.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::FrameWrenchMethod>
    : EnumerationCaster<antaeus::FrameWrenchMethod, "antaeus.FrameWrenchMethod"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

template <>
struct Storage<FlightRecord> {
  static FlightRecord blank() { return {-1, {}, 0.0, RingBuffer<FlightSample>(1)}; }
};

namespace {

/// Options as the profile sets them, changed by the caller.
template <class Options>
Options changed(const Settings& settings, const std::optional<nb::dict>& own) {
  return options_from<Options>(own.value_or(nb::dict()), settings.get<Options>());
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
      "What the consumer reads. pass_raw: the deployed number. posterior: the posterior's. observable: its "
      "force in the observed directions alone. hold: the last number of a better state, decaying to zero. zero. stop: "
      "zero, and a request to stop that stays until reset().");
  bind_struct<ConsumerWrench>(module, "ConsumerWrench",
                              "What the consumer of one endpoint may use. Plain data of its own.");
  bind_struct<FlightSample::AtEndpoint>(module, "FlightSampleAtEndpoint", "One endpoint in the flight recorder.");
  bind_struct<FlightSample>(module, "FlightSample", "One sample of the flight recorder.");
  bind_struct<FlightRecord>(module, "FlightRecord", "What was recorded up to the moment of a refusal.");
  module.def("flight_record_episode", &flight_record_episode, "record"_a, "robot"_a,
             "The record as an Episode, for write_episode and an audit; `notes` name endpoint, time and reasons. "
             "EpisodeError where nothing was refused yet.");
}

void bind_guarded_estimator(nb::module_& module) {
  std::string doc =
      "Options come from the profile and from what fits the robot (its deployed sign, its loads); each argument is a "
      "dict that changes some of its group. OptionsError with the "
      "nearest name.";
  doc = options_doc<InstantOptions>(doc + "\n\nequation");
  doc = options_doc<ResidualOptions>(doc + "\n\nresidual");
  doc = options_doc<PosteriorOptions>(doc + "\n\nposterior");
  doc = options_doc<ConsumerGuardOptions>(doc + "\n\nguarded");
  doc = options_doc<FeasibilityOptions>(doc + "\n\nfeasibility");
  doc = options_doc<InputCheckOptions>(doc + "\n\ninput");
  doc = options_doc<ContactPlaceOptions>(doc + "\n\ncontact_location");
  nb::class_<GuardedEstimator>(module, "GuardedEstimator",
                               "Observation → instant → residual → posterior → reliability → guard: a wrench that its "
                               "consumer may use, and why.")
      .def(
          "__init__",
          [](GuardedEstimator* self, const Robot& robot, const std::vector<std::string>& endpoints,
             const std::optional<nb::dict>& equation, const std::optional<nb::dict>& residual,
             const std::optional<nb::dict>& posterior, const std::optional<nb::dict>& consumer_guard,
             const std::optional<nb::dict>& feasibility, const std::optional<nb::dict>& input,
             const std::optional<nb::dict>& contact_location) {
            const Settings all = robot.settings(endpoints);
            new (self) GuardedEstimator(
                robot, endpoints, changed<InstantOptions>(all, equation), changed<ResidualOptions>(all, residual),
                changed<PosteriorOptions>(all, posterior), changed<ConsumerGuardOptions>(all, consumer_guard),
                changed<FeasibilityOptions>(all, feasibility), changed<InputCheckOptions>(all, input),
                changed<ContactPlaceOptions>(all, contact_location));
          },
          "robot"_a, "endpoints"_a, nb::kw_only(), "equation"_a = nb::none(), "residual"_a = nb::none(),
          "posterior"_a = nb::none(), "consumer_guard"_a = nb::none(), "feasibility"_a = nb::none(),
          "input"_a = nb::none(), "contact_location"_a = nb::none(), doc.c_str())
      .def(
          "update",
          [](GuardedEstimator& self, const Observation& observation, std::optional<double> clock) {
            return std::vector<ConsumerWrench>(self.update(observation, clock.value_or(observation.time)));
          },
          "observation"_a, "clock"_a = nb::none(),
          "One result an endpoint. clock: the consumer's clock, for the sample's age, s. Never raises.")
      .def("reset", &GuardedEstimator::reset,
           "Forgets history, states and stop requests; the last refusal stays, and so does a tare.")
      .def(
          "suspect",
          [](GuardedEstimator& self, const std::string& reason, const std::vector<int>& motors) {
            self.suspect(parse_enum<Reason>(reason, "reason", "reason"), motors);
          },
          "reason"_a = "set_up_suspect", "motors"_a = std::vector<int>(),
          "What a check of a log of this set-up found (check): a reason in every sample from now on, also after "
          "reset(). motors: places in motor order whose torques are concerned; endpoints that use none of them are "
          "left "
          "alone. Empty: all endpoints. OptionsError for an unknown reason.")
      .def("begin_tare", &GuardedEstimator::begin_tare,
           "\"Nothing touches now\": averages residuals for residual.tare_duration and then takes them out, if its "
           "checks pass; tare() says so.")
      .def("drop_tare", &GuardedEstimator::drop_tare, "Takes out no tare any more.")
      .def("begin_day", &GuardedEstimator::begin_day,
           "\"From now on nothing touches\", until end_day(): learns today's friction and offsets of a robot whose "
           "noise "
           "was identified, and states less doubt; day() says so.")
      .def("end_day", &GuardedEstimator::end_day, "Keeps what was learnt of today.")
      .def("drop_day", &GuardedEstimator::drop_day, "Forgets what was learnt of today.")
      .def(
          "day",
          [](const GuardedEstimator& self) {
            return self.day() ? std::optional<DayEstimator>(*self.day()) : std::nullopt;
          },
          "What was learnt of today; None without identified noise.")
      .def(
          "tare", [](const GuardedEstimator& self) { return Tare(self.tare()); },
          "What is taken out of the residual, or why nothing is.")
      .def(
          "results", [](const GuardedEstimator& self) { return std::vector<ConsumerWrench>(self.results()); },
          "What the consumer may use, an endpoint each, of the last update.")
      .def(
          "estimates", [](const GuardedEstimator& self) { return PosteriorEstimates(self.estimates()); },
          "The posterior of the last update.")
      .def(
          "reliability",
          [](const GuardedEstimator& self) { return std::vector<EndpointReliability>(self.reliability()); },
          "Of each endpoint, of the last update.")
      .def(
          "residual", [](const GuardedEstimator& self) { return Residual(self.residual()); }, "Of the last update.")
      .def(
          "feasibility", [](const GuardedEstimator& self) { return Feasibility(self.feasibility()); },
          "Of the last sample; no margins without feet among the endpoints.")
      .def(
          "places", [](const GuardedEstimator& self) { return std::vector<ContactPlaces>(self.places()); },
          "Where on its limb each endpoint's contact may be, of the last update.")
      .def(
          "links",
          [](const GuardedEstimator& self, int endpoint) {
            return self.links(endpoint_index(endpoint, static_cast<int>(self.places().size())));
          },
          "endpoint"_a, "Names of the links in the order of its places.")
      .def(
          "instant", [](const GuardedEstimator& self) { return Instant(self.instant()); }, "Of the last sample.")
      .def("reader", &GuardedEstimator::reader, nb::rv_policy::reference_internal, "That reads its observations.")
      .def(
          "recorder", [](const GuardedEstimator& self) { return listed(self.recorder()); },
          "The flight recorder, oldest first.")
      .def(
          "last_refusal", [](const GuardedEstimator& self) { return FlightRecord(self.last_refusal()); },
          "What was recorded up to it; empty before the first.")
      .def("refusals", &GuardedEstimator::refusals, "How often an endpoint was refused.");
}

void bind_frame_wrench(nb::module_& module) {
  bind_enumeration<FrameWrenchMethod>(module, "posterior: the one to use. deployed: pinv(Jᵀ)(τ − g), to compare.");
  nb::class_<FrameWrenchEstimator>(
      module, "FrameWrenchEstimator",
      "Replaces an object that has get_frame_wrench(frame_name, q, tau, imu_quat), as the H1-2's deployed code has it. "
      "The sign is the profile's deployed sign, which no option turns (on_robot where the profile states none); the "
      "residual is static, and since motion cannot be excluded, every "
      "posterior is at best degraded.")
      .def(
          "__init__",
          [](FrameWrenchEstimator* self, const Robot& robot, std::string_view method,
             const std::vector<std::string>& frames, const std::optional<std::string>& imu) {
            std::optional<ImuUse> use;
            if (imu) use = parse_enum<ImuUse>(*imu, "FrameWrenchEstimator.imu");
            new (self) FrameWrenchEstimator(robot, parse_enum<FrameWrenchMethod>(method, "FrameWrenchEstimator.method"),
                                            frames, use);
          },
          "robot"_a, "method"_a = "posterior", "frames"_a = nb::list(), "imu"_a = nb::none(),
          "frames: those that will be asked for; empty: those that the deployed code reads. imu: use of imu_quat, "
          "mounted (carried from the sensor's frame to the base), as_base (used as the base's, as in the deployed "
          "code) or none; None: equation.imu of the robot's settings. ModelError for an unknown frame, OptionsError "
          "for an unknown method or imu.")
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
          "carries verdict and reasons; NaN for a frame that the constructor was not given. No error is raised for a "
          "state "
          "that cannot be used but StatusError for arrays of another shape.")
      .def("frame_names", &FrameWrenchEstimator::frame_names, "Frames that it answers for.")
      .def("method", &FrameWrenchEstimator::method, "posterior, or deployed.")
      .def("imu", &FrameWrenchEstimator::imu, "Use of imu_quat: mounted, as_base or none.");
}

}  // namespace

void bind_guard(nb::module_& module) {
  bind_guarded_results(module);
  bind_guarded_estimator(module);
  bind_frame_wrench(module);
}

}  // namespace antaeus::python
