// Residuals, the posterior and its filter. Nothing here raises in a loop: results carry status, verdict and reasons.
// What C++ leaves to the caller (one robot for all, indices) is checked here.
#include "antaeus/estimation/contact_space_filter.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/estimation/residual.hpp"
#include "convert.hpp"
#include "fields.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::TareState> : EnumerationCaster<antaeus::TareState, "antaeus.TareState"> {};
template <>
struct type_caster<antaeus::TareProblem> : EnumerationCaster<antaeus::TareProblem, "antaeus.TareProblem"> {};
template <>
struct type_caster<antaeus::DayLearning> : EnumerationCaster<antaeus::DayLearning, "antaeus.DayLearning"> {};
template <>
struct type_caster<antaeus::DayState> : EnumerationCaster<antaeus::DayState, "antaeus.DayState"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

void bind_tare(nb::module_& module) {
  bind_enumeration<TareState>(module,
                              "none: never asked for, or dropped. collecting: residuals are averaged. holding: the "
                              "offset is taken out. refused, expired: it is not, and TareProblem says why.");
  bind_enumeration<TareProblem>(
      module,
      "Why a tare was refused or has ended: a bad sample, a gap, a joint that moved, torques that drifted, an offset "
      "too large for the drive, time over, the pose left.");
  nb::class_<Tare>(module, "Tare", "What the user said nothing touched at, and what the residuals read then. A copy.")
      .def_prop_ro(
          "state", [](const Tare& self) { return self.state(); }, "Whether one is held, or why not.")
      .def_prop_ro(
          "problem", [](const Tare& self) { return self.problem(); }, "What prevented it; none: nothing.")
      .def_prop_ro("motor", &Tare::motor, "Whose the problem is; −1: no motor's.")
      .def_prop_ro(
          "offset", [](const Tare& self) { return frozen(self.offset()); },
          "[motors], N·m: subtracted from the residual; zero unless holding.")
      .def_prop_ro("time", &Tare::time, "Time stamp at which it began to hold, s; NaN unless holding.");
}

void bind_day(nb::module_& module) {
  bind_enumeration<DayLearning>(module,
                                "When friction and offsets of today are learnt: where the user says that "
                                "nothing touches, or also while no torque says otherwise.");
  bind_enumeration<DayState>(module,
                             "unknown: nothing was learnt. learning, known: something was. refused: what was learnt is "
                             "beyond what days are.");
  nb::class_<DayEstimator>(module, "DayEstimator",
                           "What Coulomb and viscous friction and offsets are today beyond the mean of all days that "
                           "were identified. A copy.")
      .def_prop_ro(
          "state", [](const DayEstimator& self) { return self.state(); }, "Whether anything was learnt.")
      .def_prop_ro("learnt", &DayEstimator::learnt, "Of samples that were learnt from, s.")
      .def_prop_ro("motor", &DayEstimator::motor, "Whose draw was refused; −1: no motor's.")
      .def_prop_ro(
          "mean", [](const DayEstimator& self) { return frozen(MatrixX(self.day().mean)); },
          "[3 × motors]: Coulomb friction N·m, viscous friction N·m·s/rad, offset N·m.")
      .def_prop_ro(
          "covariance", [](const DayEstimator& self) { return frozen(MatrixX(self.day().covariance)); },
          "[3 × 3 motors], a block a motor, in the same order.");
}

void bind_residual(nb::module_& module) {
  nb::class_<Residual> residual(module, "Residual",
                                "One instant's residual, motors in motor order. Torque minus model; with w on the "
                                "robot, value = −Σ Jᵀ w + error. Plain data of its own.");
  bind_fields(residual).def("current", &Residual::current,
                            "status, or not_computed once the instant is stale: its Jacobians are gone then.");
  const std::string signature = options_signature<ResidualOptions>("def __init__(self, robot: Robot", ") -> None");
  const std::string doc = options_doc<ResidualOptions>("OptionsError for options out of range.");
  nb::class_<ResidualEstimator>(
      module, "ResidualEstimator",
      "Forms the residual that the channels allow, and says which and why: static τ − g(q); inverse dynamics "
      "τ − rnea(q, v, a), the base's acceleration from the IMU's specific force; momentum observer.")
      .def(
          "__init__",
          [](ResidualEstimator* self, const Robot& robot, const nb::kwargs& options) {
            new (self) ResidualEstimator(robot, options_from<ResidualOptions>(options));
          },
          "robot"_a, "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def(
          "form",
          [](ResidualEstimator& self, const Instant& now) {
            require_same(self.residual().value.size(), now.motor_count(), "ResidualEstimator.form", "motors");
            return Residual(self.form(now));
          },
          "now"_a, "One call an instant, in the order of time. Never raises.")
      .def("reset", &ResidualEstimator::reset, "Forgets all history, as after a gap; a tare stays.")
      .def("begin_tare", &ResidualEstimator::begin_tare,
           "\"Nothing touches now\": averages residuals for tare_duration and then takes them out, if its checks pass.")
      .def("drop_tare", &ResidualEstimator::drop_tare, "Takes out no tare any more.")
      .def("begin_day", &ResidualEstimator::begin_day,
           "\"From now on nothing touches\", until end_day(): learns today's friction and offsets of a robot whose "
           "noise "
           "was identified, and states less doubt.")
      .def("end_day", &ResidualEstimator::end_day, "Keeps what was learnt of today.")
      .def("drop_day", &ResidualEstimator::drop_day, "Forgets what was learnt of today.")
      .def(
          "day",
          [](const ResidualEstimator& self) {
            return self.day() ? std::optional<DayEstimator>(*self.day()) : std::nullopt;
          },
          "What was learnt of today; None without identified noise.")
      .def(
          "tare", [](const ResidualEstimator& self) { return Tare(self.tare()); },
          "What is taken out, or why nothing is.")
      .def("residual", [](const ResidualEstimator& self) { return Residual(self.residual()); }, "Of the last call.");
}

int endpoint_of(const PosteriorEstimator& posterior, int endpoint) {
  return endpoint_index(endpoint, static_cast<int>(posterior.results().size()));
}

void bind_posterior_estimator(nb::module_& module) {
  const std::string signature =
      options_signature<PosteriorOptions>("def __init__(self, reader: InstantReader", ") -> None");
  const std::string doc = options_doc<PosteriorOptions>("ModelError for base rows on a fixed base.");
  nb::class_<PosteriorEstimates, WrenchEstimates> estimates(
      module, "PosteriorEstimates", "The posterior's wrenches, with the residual that they explain.");
  bind_fields(estimates);
  bind_struct<SensedForce>(module, "SensedForce",
                           "What the torques of a limb show of a force in the best of many poses: a fact of its build.")
      .def("excused", &SensedForce::excused,
           "Directions that verdicts leave out: all that no pose shows, 0 of a limb that "
           "senses no force.")
      .def("text", &SensedForce::text, "\"senses x and z of the base; y not, by its build\"; empty: it senses all.");
  nb::class_<PosteriorEstimator>(
      module, "PosteriorEstimator",
      "Maximum a posteriori wrenches of all endpoints from one residual, each with its covariance: "
      "C = (Aᵀ R⁻¹ A + P₀⁻¹)⁻¹, ŵ = C Aᵀ R⁻¹ r. A direction that the rows do not see keeps the prior.")
      .def(
          "__init__",
          [](PosteriorEstimator* self, const InstantReader& reader, const nb::kwargs& options) {
            new (self) PosteriorEstimator(reader, options_from<PosteriorOptions>(options));
          },
          "reader"_a, "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def(
          "solve",
          [](PosteriorEstimator& self, const Residual& residual) {
            constexpr const char* kPlace = "PosteriorEstimator.solve";
            const PosteriorEstimates& last = self.results();
            require_same(last.residual.value.size(), residual.value.size(), kPlace, "motors");
            require_same(static_cast<Eigen::Index>(last.size()), residual.instant.endpoint_count(), kPlace,
                         "endpoints");
            return PosteriorEstimates(self.solve(residual));
          },
          "residual"_a, "One result an endpoint, in the instant's order. Never raises.")
      .def(
          "results", [](const PosteriorEstimator& self) { return PosteriorEstimates(self.results()); },
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
          "endpoint"_a, "Motors whose rows the estimate of an endpoint uses, in motor order.")
      .def(
          "sensed",
          [](const PosteriorEstimator& self, int endpoint) {
            return SensedForce(self.sensed(endpoint_of(self, endpoint)));
          },
          "endpoint"_a, "What these rows show of a force in the best of many poses.")
      .def(
          "wants_insensible",
          [](const PosteriorEstimator& self, int endpoint) {
            return self.wants_insensible(endpoint_of(self, endpoint));
          },
          "endpoint"_a,
          "Whether posterior.want names a direction that these rows show in no pose: every number is refused.")
      .def(
          "prior_factor",
          [](const PosteriorEstimator& self, int endpoint) {
            return fresh(self.prior_factor(endpoint_of(self, endpoint)));
          },
          "endpoint"_a, "L [6 × 6] with P₀ = L Lᵀ.")
      .def("log_evidence", &PosteriorEstimator::log_evidence, "log p(r) of the last solve over all rows used, nats.");
}

void bind_contact_space_filter(nb::module_& module) {
  const std::string signature = options_signature<ContactSpaceOptions>(
      "def __init__(self, reader: InstantReader, posterior: PosteriorEstimator", ") -> None");
  const std::string doc =
      options_doc<ContactSpaceOptions>("OptionsError for base rows or a reference row admitted by its innovation.");
  nb::class_<ContactSpaceFilter>(module, "ContactSpaceFilter",
                                 "Kalman filter with the wrenches as state: the posterior with a memory. A direction "
                                 "that the pose does not show keeps what an earlier one showed of it, fading.")
      .def(
          "__init__",
          [](ContactSpaceFilter* self, const InstantReader& reader, const PosteriorEstimator& posterior,
             const nb::kwargs& options) {
            constexpr const char* kPlace = "ContactSpaceFilter";
            require_same(reader.endpoint_count(), static_cast<Eigen::Index>(posterior.results().size()), kPlace,
                         "endpoints of the posterior");
            require_same(reader.model().motor_count(), posterior.results().residual.value.size(), kPlace,
                         "motors of the posterior");
            new (self) ContactSpaceFilter(reader, posterior, options_from<ContactSpaceOptions>(options));
          },
          "reader"_a, "posterior"_a, "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def(
          "step",
          [](ContactSpaceFilter& self, const Residual& residual, double dt) {
            constexpr const char* kPlace = "ContactSpaceFilter.step";
            const std::vector<WrenchEstimate>& last = self.results();
            require_same(static_cast<Eigen::Index>(last.size()), residual.instant.endpoint_count(), kPlace,
                         "endpoints");
            require_same(last.front().gain.cols(), residual.value.size(), kPlace, "motors");
            return std::vector<WrenchEstimate>(self.step(residual, dt));
          },
          "residual"_a, "dt"_a,
          "One result an endpoint, from the residual of an instant dt seconds after the last one. Never raises.")
      .def("reset", &ContactSpaceFilter::reset, "Forgets everything.");
}

}  // namespace

void bind_estimation(nb::module_& module) {
  bind_tare(module);
  bind_day(module);
  bind_residual(module);
  bind_posterior_estimator(module);
  bind_contact_space_filter(module);
}

}  // namespace antaeus::python
