// Reliability of torques, feasibility of wrenches, and tests of causes. Nothing here raises in a loop.
#include "antaeus/trust/contact_place.hpp"
#include "antaeus/trust/feasibility.hpp"
#include "antaeus/trust/hypotheses.hpp"
#include "antaeus/trust/reliability.hpp"
#include "convert.hpp"
#include "fields.hpp"
#include "shared_enumerations.hpp"

namespace antaeus::python {

namespace {

void bind_reliability(nb::module_& module) {
  bind_struct<EndpointReliability>(module, "EndpointReliability",
                                   "Which torque errors stay undetected, and how far they shift the force. Vectors in "
                                   "motor order, NaN where a motor's row is not used or is not evidence.");
  nb::class_<ReliabilityEstimator>(module, "ReliabilityEstimator",
                                   "Reliability of every endpoint of a posterior (Baarda).")
      .def(
          "__init__",
          [](ReliabilityEstimator* self, const InstantReader& reader, const PosteriorEstimator& posterior) {
            constexpr const char* kPlace = "ReliabilityEstimator";
            require_same(reader.endpoint_count(), static_cast<Eigen::Index>(posterior.results().size()), kPlace,
                         "endpoints of the posterior");
            require_same(reader.model().motor_count(), posterior.results().residual.value.size(), kPlace,
                         "motors of the posterior");
            new (self) ReliabilityEstimator(reader, posterior);
          },
          "reader"_a, "posterior"_a, "The posterior must have been made from the same reader.")
      .def(
          "judge",
          [](ReliabilityEstimator& self, const PosteriorEstimates& estimates) {
            constexpr const char* kPlace = "ReliabilityEstimator.of";
            const std::vector<EndpointReliability>& last = self.results();
            require_same(static_cast<Eigen::Index>(last.size()), static_cast<Eigen::Index>(estimates.size()), kPlace,
                         "endpoints");
            require_same(last.front().redundancy.size(), estimates.residual.value.size(), kPlace, "motors");
            return std::vector<EndpointReliability>(self.judge(estimates));
          },
          "estimates"_a, "One result an endpoint. Never raises.")
      .def(
          "rows",
          [](const ReliabilityEstimator& self, int endpoint) {
            return self.rows(
                static_cast<std::size_t>(endpoint_index(endpoint, static_cast<int>(self.results().size()))));
          },
          "endpoint"_a, "Motors whose rows are analysed, in motor order.");
}

void bind_feasibility(nb::module_& module) {
  bind_enumeration<MarginKind>(module,
                               "What a margin is of. total_x … total_z: the whole robot's balance, world axes.");
  bind_struct<FeasibilityMargin>(module, "FeasibilityMargin", "One condition.");
  bind_struct<Feasibility>(module, "Feasibility", "The margins of one instant. Plain data of its own.")
      .def("feasible", &Feasibility::feasible, "Every margin, with status ok.")
      .def("violations", &Feasibility::violations, "Margins that do not hold.");
  const std::string signature = options_signature<FeasibilityOptions>(
      "def __init__(self, robot: Robot, endpoints: collections.abc.Sequence[str]", ") -> None");
  const std::string doc = options_doc<FeasibilityOptions>(
      "Endpoints by frame name, in the order of the estimates. ModelError, OptionsError.");
  nb::class_<FeasibilityChecker>(module, "FeasibilityChecker",
                                 "Whether ground and weight can have made the estimated wrenches: margins of every "
                                 "foot, and of ΣF = m (a_com − g). It needs no true force.")
      .def(
          "__init__",
          [](FeasibilityChecker* self, const Robot& robot, const std::vector<std::string>& endpoints,
             const nb::kwargs& options) {
            new (self) FeasibilityChecker(robot, endpoints, options_from<FeasibilityOptions>(options));
          },
          "robot"_a, "endpoints"_a, "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def(
          "check",
          [](FeasibilityChecker& self, const WrenchEstimates& estimates) { return Feasibility(self.check(estimates)); },
          "estimates"_a,
          "Of any estimator, either sign; their covariance counts where they have one. Never raises: estimates of "
          "other "
          "endpoints have status wrong_size.");
}

void bind_contact_place(nb::module_& module) {
  bind_enumeration<Unplaced>(module,
                             "Why an endpoint's contact is not placed: foot: it carries the robot. few_rows: too few "
                             "torque rows of its own. base_rows: these see every link alike.");
  bind_struct<ContactPlace>(module, "ContactPlace", "One link of a limb that may be touched. Plain data of its own.");
  bind_struct<ContactPlaces>(module, "ContactPlaces",
                             "Where the contact is that one limb's torques speak of. Plain data of its own.");
  const std::string signature = options_signature<ContactPlaceOptions>(
      "def __init__(self, robot: Robot, reader: InstantReader, posterior: PosteriorEstimator", ") -> None");
  const std::string doc =
      options_doc<ContactPlaceOptions>("Robot, reader and posterior are of one another. OptionsError.");
  nb::class_<ContactPlaceTest>(module, "ContactPlaceTest",
                               "Compares where on a limb a contact may be: at the endpoint's link, at each other link, "
                               "nowhere, or whether one joint's torque is wrong.")
      .def(
          "__init__",
          [](ContactPlaceTest* self, const Robot& robot, const InstantReader& reader,
             const PosteriorEstimator& posterior, const nb::kwargs& options) {
            constexpr const char* kPlace = "ContactPlaceTest";
            require_same(reader.endpoint_count(), static_cast<Eigen::Index>(posterior.results().size()), kPlace,
                         "endpoints of the posterior");
            require_same(reader.model().motor_count(), posterior.results().residual.value.size(), kPlace,
                         "motors of the posterior");
            require_same(reader.model().motor_count(), robot.model.motor_count(), kPlace, "motors of the robot");
            new (self) ContactPlaceTest(robot, reader, posterior, options_from<ContactPlaceOptions>(options));
          },
          "robot"_a, "reader"_a, "posterior"_a, "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def(
          "judge",
          [](ContactPlaceTest& self, const PosteriorEstimates& estimates) {
            return std::vector<ContactPlaces>(self.judge(estimates));
          },
          "estimates"_a, "One result per endpoint. Never raises: estimates of other limbs have status wrong_size.")
      .def(
          "links",
          [](const ContactPlaceTest& self, int endpoint) {
            return self.links(endpoint_index(endpoint, static_cast<int>(self.results().size())));
          },
          "endpoint"_a, "Names of the links in the order of the places.")
      .def(
          "rows",
          [](const ContactPlaceTest& self, int endpoint) {
            return self.rows(endpoint_index(endpoint, static_cast<int>(self.results().size())));
          },
          "endpoint"_a, "Motors whose torques they are computed from, from the limb's root.");
}

void bind_cause(nb::module_& module) {
  bind_enumeration<CauseKind>(
      module,
      "contact: any wrench on the robot at an endpoint. payload: a mass that hangs at a hand's origin. joint_offset: "
      "friction, or a bias of the torque channel, of one joint. torque_scale: one gain error of all channels. "
      "base_tilt: "
      "the vertical is not where it is taken to be.");
  bind_enumeration<Separation>(module,
                               "How clearly the best cause beats another. indistinct also where the other would fit "
                               "what the best one does, whatever their sizes.");
  bind_struct<Cause>(module, "Cause", "One cause and how well it fits. Plain data of its own.");
  bind_struct<HypothesisResult>(module, "HypothesisResult", "What a window of residuals says of its causes.")
      .def("best", &HypothesisResult::best, nb::rv_policy::reference_internal, "The most probable cause.")
      .def("runner_up", &HypothesisResult::runner_up, nb::rv_policy::reference_internal, "The second.");
}

void bind_hypotheses(nb::module_& module) {
  const std::string signature =
      options_signature<HypothesisOptions>("def __init__(self, reader: InstantReader", ") -> None");
  const std::string doc = options_doc<HypothesisOptions>("OptionsError for an unknown option.");
  nb::class_<HypothesisTest>(module, "HypothesisTest",
                             "Likelihood ratios between the single causes that a residual may have. A best fit is no "
                             "proof: a payload is a contact that pushes down, so the two are always indistinct.")
      .def(
          "__init__",
          [](HypothesisTest* self, const InstantReader& reader, const nb::kwargs& options) {
            new (self) HypothesisTest(reader, options_from<HypothesisOptions>(options));
          },
          "reader"_a, "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def("reset", &HypothesisTest::reset, "Forgets the window.")
      .def("add", &HypothesisTest::add, "residual"_a, "weight"_a = 1.0,
           "Adds one instant; weight: of its evidence, 1/k where errors last for k samples. The Status says what is "
           "wrong with the input; the window stays as it was then. Never raises.")
      .def(
          "solve", [](HypothesisTest& self) { return HypothesisResult(self.solve()); },
          "Judges the window; not_computed when it is empty.")
      .def(
          "solve",
          [](HypothesisTest& self, const Residual& residual) { return HypothesisResult(self.solve(residual)); },
          "residual"_a, "reset(), add() and solve().")
      .def("motors", &HypothesisTest::motors, "Motors whose rows are looked at, in motor order.")
      .def(
          "name",
          [](const HypothesisTest& self, const Cause& cause) {
            const bool at_endpoint = cause.kind == CauseKind::contact || cause.kind == CauseKind::payload;
            const auto known = [&](const Cause& mine) {
              return mine.kind == cause.kind && mine.endpoint == cause.endpoint && mine.motor == cause.motor;
            };
            const std::vector<Cause>& mine = self.result().causes;
            // Before the first solve the result holds no causes to compare with.
            if ((at_endpoint || cause.kind == CauseKind::joint_offset) &&
                std::none_of(mine.begin(), mine.end(), known)) {
              throw OptionsError("HypothesisTest.name", "the cause is of another test", "pass one of its last result");
            }
            return self.name(cause);
          },
          "cause"_a, "\"contact at left wrist\", with the profile's labels.");

  const SequentialOptions defaults;
  nb::class_<SequentialHypothesis>(module, "SequentialHypothesis",
                                   "Watches the NIS of an endpoint over time: finds a contradiction too small for the "
                                   "threshold on single samples, at a stated rate of false alarms.")
      .def(
          "__init__",
          [](SequentialHypothesis* self, double false_alarms_per_hour, double independent_rate, double drift) {
            new (self) SequentialHypothesis(
                {.false_alarms_per_hour = false_alarms_per_hour, .independent_rate = independent_rate, .drift = drift});
          },
          nb::kw_only(), "false_alarms_per_hour"_a = defaults.false_alarms_per_hour,
          "independent_rate"_a = defaults.independent_rate, "drift"_a = defaults.drift,
          "false_alarms_per_hour: 1/h, while all is well; independent_rate: of samples whose errors are about "
          "independent, Hz, others are skipped; drift: half the lasting shift that is to be found soonest, sd. "
          "OptionsError unless positive.")
      .def("step", &SequentialHypothesis::step, "time"_a, "nis"_a, "nis_rows"_a,
           "Status: ok also for a skipped sample; not_finite, time_back: the sample changes nothing. Never raises.")
      .def("alarm", &SequentialHypothesis::alarm, "Whether the level is above the threshold.")
      .def("level", &SequentialHypothesis::level, "What the alarm compares with 1.")
      .def("onset", &SequentialHypothesis::onset, "Time of the first sample of the shift, s; NaN when there is none.")
      .def("reset", &SequentialHypothesis::reset, "Level to 0.");
}

}  // namespace

void bind_trust(nb::module_& module) {
  bind_reliability(module);
  bind_feasibility(module);
  bind_contact_place(module);
  bind_cause(module);
  bind_hypotheses(module);
}

}  // namespace antaeus::python
