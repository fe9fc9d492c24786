// What an audit computed step by step: the series of each endpoint and estimator. Their arrays are views.
#include <nanobind/stl/optional.h>

#include "antaeus/audit/findings.hpp"
#include "convert.hpp"
#include "shared_enumerations.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::SingleGuard> : EnumerationCaster<antaeus::SingleGuard, "antaeus.SingleGuard"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

/// Getter of what each motor adds to one component of the force.
auto contribution(std::size_t axis) {
  return [axis](nb::handle_t<EstimateSeries> self) {
    return view(nb::cast<const EstimateSeries&>(self).contribution[axis], self);
  };
}
/// Getter of a list of sets of reasons: the names of each.
template <class Class>
auto reason_lists_field(std::vector<Reasons> Class::* field) {
  return [field](const Class& self) {
    std::vector<std::vector<std::string>> lists;
    for (const Reasons reasons : self.*field) lists.push_back(reason_names(reasons));
    return lists;
  };
}

void bind_guard_trace(nb::module_& module) {
  bind_enumeration<SingleGuard>(module,
                                "The published guards that run alone; the dominance guard in both published forms.");
  nb::class_<GuardTrace>(module, "GuardTrace",
                         "One published guard by itself on one series: when it acts, and what the consumer would have "
                         "read behind it. Steps are rows of the series.")
      .def_prop_ro("guard", copied_field(&GuardTrace::guard))
      .def_prop_ro("action", codes_field(&GuardTrace::action), kOwned, "[N] places in GuardAction.")
      .def_prop_ro("saw", viewed_field(&GuardTrace::saw), kOwned, "[N] what it judged, in the unit of limit.")
      .def_ro("limit", &GuardTrace::limit)
      .def_ro("first_act", &GuardTrace::first_act, "Row; −1: never.")
      .def_ro("acts", &GuardTrace::acts, "Number of steps at which it acts.")
      .def_prop_ro("force_read", viewed_field(&GuardTrace::force_read), kOwned,
                   "[N × 3] behind this guard alone, world axes, sign of the series, N; 0 where it zeroes or stops.");
}

void bind_posterior_trace(nb::module_& module) {
  nb::class_<PosteriorTrace>(module, "PosteriorTrace",
                             "What a posterior and its guard say beside the wrench, step by step; rows of the series.")
      .def_prop_ro("sd", viewed_field(&PosteriorTrace::sd), kOwned,
                   "[N × 6] standard deviations of the wrench, N, N·m.")
      .def_prop_ro("worst_sd", viewed_field(&PosteriorTrace::worst_sd), kOwned,
                   "[N] of the force in the direction of which least is known, N.")
      .def_prop_ro("worst_direction", viewed_field(&PosteriorTrace::worst_direction), kOwned,
                   "[N × 3] that direction, unit, world axes.")
      .def_prop_ro(
          "force_axes", viewed_field(&PosteriorTrace::force_axes), kOwned,
          "[N × 9] principal axes of the force's covariance, each as long as its sd, ascending, x y z each, N.")
      .def_prop_ro("observable", viewed_field(&PosteriorTrace::observable), kOwned,
                   "[N] force directions with an sd under the limit, 0 … 3.")
      .def_prop_ro("nis", viewed_field(&PosteriorTrace::nis), kOwned, "[N] sum of the tests.")
      .def_prop_ro("nis_threshold", viewed_field(&PosteriorTrace::nis_threshold), kOwned, "[N]")
      .def_prop_ro("misfit", viewed_field(&PosteriorTrace::misfit), kOwned, "[N] what no wrench explains.")
      .def_prop_ro("misfit_limit", viewed_field(&PosteriorTrace::misfit_limit), kOwned, "[N]")
      .def_prop_ro("contact", viewed_field(&PosteriorTrace::contact), kOwned, "[N] the wrench against its prior.")
      .def_prop_ro("contact_limit", viewed_field(&PosteriorTrace::contact_limit), kOwned, "[N]")
      .def_prop_ro("innovation", viewed_field(&PosteriorTrace::innovation), kOwned,
                   "[N] of the reference joint, N·m; NaN without one.")
      .def_prop_ro("innovation_sd", viewed_field(&PosteriorTrace::innovation_sd), kOwned, "[N], N·m.")
      .def_prop_ro("rows", viewed_field(&PosteriorTrace::rows), kOwned,
                   "[R] motors whose reliability is given, in motor order.")
      .def_prop_ro("redundancy", viewed_field(&PosteriorTrace::redundancy), kOwned,
                   "[N × R] share of a torque error that shows, 0 … 1; single precision.")
      .def_prop_ro("detectable_bias", viewed_field(&PosteriorTrace::detectable_bias), kOwned,
                   "[N × R] smallest torque error that the row's test finds, N·m.")
      .def_prop_ro("external_force", viewed_field(&PosteriorTrace::external_force), kOwned,
                   "[N × R] shift of the force that such an error causes, unnoticed, N.")
      .def_prop_ro("prior_free_redundancy", viewed_field(&PosteriorTrace::prior_free_redundancy), kOwned,
                   "[N × R] redundancy without an assumption on the contact's size.")
      .def_prop_ro("prior_free_bias", viewed_field(&PosteriorTrace::prior_free_bias), kOwned,
                   "[N × R], N·m; infinite: none is found.")
      .def_prop_ro("state", codes_field(&PosteriorTrace::state), kOwned,
                   "[N] of the guard: places in Verdict, ok, degraded or refused.")
      .def_prop_ro("action", codes_field(&PosteriorTrace::action), kOwned,
                   "[N] what the consumer reads: places in ConsumerAction.")
      .def_prop_ro("because", reason_lists_field(&PosteriorTrace::because),
                   "[N] reasons of the sample that brought the state.")
      .def_prop_ro("residual_kind", codes_field(&PosteriorTrace::residual_kind), kOwned, "[N] places in ResidualKind.")
      .def_ro("alarms", &PosteriorTrace::alarms, "Steps at which a test alarms.")
      .def_ro("first_alarm", &PosteriorTrace::first_alarm, "Row; −1: never.")
      .def_ro("refusals", &PosteriorTrace::refusals, "Steps at which the guard refuses.")
      .def_ro("first_refusal", &PosteriorTrace::first_refusal, "Row; −1: never.");
}

void bind_estimate_series(nb::module_& module) {
  bind_enumeration<EstimatorName>(module, "The estimators whose numbers stand beside each other.");
  nb::class_<EstimateSeries>(
      module, "EstimateSeries",
      "One estimator at one endpoint over the N steps of an episode. Frame: endpoint's origin, world axes; `sign` says "
      "who exerts the wrench on whom. Row i is step first_step + i of the log. NaN where a step could not be used.")
      .def_ro("endpoint", &EstimateSeries::endpoint, "Frame.")
      .def_ro("label", &EstimateSeries::label, "For people.")
      .def_prop_ro("kind", copied_field(&EstimateSeries::kind))
      .def_ro("consumed", &EstimateSeries::consumed, "The deployed consumer reads it.")
      .def_prop_ro("estimator", copied_field(&EstimateSeries::estimator))
      .def_prop_ro("sign", copied_field(&EstimateSeries::sign))
      .def_prop_ro("residual_kind", copied_field(&EstimateSeries::residual_kind),
                   "Of the posterior: posterior.residual_kind.")
      .def_prop_ro("wrench", viewed_field(&EstimateSeries::wrench), kOwned, "[N × 6] Fx Fy Fz Mx My Mz, N, N·m.")
      .def_prop_ro(
          "sd",
          [](nb::handle_t<EstimateSeries> self) -> nb::object {
            const EstimateSeries& series = nb::cast<const EstimateSeries&>(self);
            return series.posterior ? nb::cast(view(series.posterior->sd, self)) : nb::object(nb::none());
          },
          nb::sig("def sd(self) -> numpy.typing.NDArray[numpy.float64] | None"),
          "[N × 6] standard deviations of the wrench, N, N·m; None: the estimator has no covariance.")
      .def_prop_ro("force_norm", viewed_field(&EstimateSeries::force_norm), kOwned, "[N] |F|, N.")
      .def_prop_ro("kappa", viewed_field(&EstimateSeries::kappa), kOwned,
                   "[N] condition number of the inverted matrix; posterior: of its whitened, unit-scaled rows.")
      .def_prop_ro("kappa_scaled", viewed_field(&EstimateSeries::kappa_scaled), kOwned,
                   "[N] with the linear rows divided by the characteristic length; NaN for stacked and posterior.")
      .def_prop_ro("sigma_min", viewed_field(&EstimateSeries::sigma_min), kOwned, "[N] smallest singular value.")
      .def_prop_ro("manipulability", viewed_field(&EstimateSeries::manipulability), kOwned, "[N]")
      .def_prop_ro("rank", viewed_field(&EstimateSeries::rank), kOwned, "[N]")
      .def_prop_ro("reference_gain", viewed_field(&EstimateSeries::reference_gain), kOwned,
                   "[N × 6] what 1 N·m at the reference joint becomes, N/(N·m) and 1; NaN without one.")
      .def_prop_ro("contribution_Fx", contribution(0), kOwned,
                   "[N × motors] what each motor's residual adds to Fx, N; single precision. Deployed estimator at "
                   "endpoints that the consumer reads, else empty.")
      .def_prop_ro("contribution_Fy", contribution(1), kOwned, "The same of Fy.")
      .def_prop_ro("contribution_Fz", contribution(2), kOwned, "The same of Fz.")
      .def_prop_ro("verdict", codes_field(&EstimateSeries::verdict), kOwned,
                   "[N] of estimate and guard: places in Verdict, so that list(antaeus.Verdict)[code] is its name.")
      .def_prop_ro("reasons", reason_lists_field(&EstimateSeries::reasons), "[N] why the verdict is not ok: names.")
      .def_prop_ro("guarded_force", viewed_field(&EstimateSeries::guarded_force), kOwned,
                   "[N × 3] behind the default chain, or the posterior's own guard, N.")
      .def_ro("guards", &EstimateSeries::guards, "The published ones, each alone; empty for the posterior.")
      .def_ro("posterior", &EstimateSeries::posterior, "None but for the posterior.")
      .def_ro("peak_force", &EstimateSeries::peak_force, "Largest |F|, N; NaN without a valid step.")
      .def_ro("peak_step", &EstimateSeries::peak_step, "Row.")
      .def_ro("peak_component", &EstimateSeries::peak_component, "Largest |Fz|, N.")
      .def_ro("peak_component_step", &EstimateSeries::peak_component_step, "Row.")
      .def("__repr__", [](const EstimateSeries& self) {
        return "EstimateSeries(" + self.label + ", " + std::string(to_string(self.estimator)) + ", " +
               std::to_string(self.wrench.rows()) + " steps)";
      });
  nb::class_<Reconstruction>(module, "Reconstruction",
                             "An episode computed again, N steps. Row i is step first_step + i of the log.")
      .def_ro("name", &Reconstruction::name)
      .def_ro("first_step", &Reconstruction::first_step, "Of the log, where a part was cut out.")
      .def_prop_ro("time", viewed_field(&Reconstruction::time), kOwned, "[N], s; NaN without time stamps.")
      .def_prop_ro("residual", viewed_field(&Reconstruction::residual), kOwned, "[N × motors] τ − g(q), N·m.")
      .def_prop_ro("gravity", viewed_field(&Reconstruction::gravity), kOwned, "[N × motors], N·m.")
      .def_ro("reference_motor", &Reconstruction::reference_motor, "−1 without a reference joint.")
      .def_prop_ro("reference_residual", viewed_field(&Reconstruction::reference_residual), kOwned,
                   "[N], N·m; NaN without a reference joint.")
      .def_ro("series", &Reconstruction::series, "Endpoint by endpoint: deployed, stacked, posterior.")
      .def_ro("used_imu", &Reconstruction::used_imu)
      .def("steps", &Reconstruction::steps, "N.");
}

void bind_attribution(nb::module_& module) {
  nb::class_<Attribution>(module, "Attribution",
                          "What each joint contributes to one wrench at one step (incident report, eq. 4). Frame and "
                          "sign: those of the endpoint's series.")
      .def_ro("step", &Attribution::step, "Of the log.")
      .def_ro("endpoint", &Attribution::endpoint)
      .def_prop_ro("estimator", copied_field(&Attribution::estimator))
      .def_prop_ro("tau", viewed_field(&Attribution::tau), kOwned, "[motors] measured, N·m.")
      .def_prop_ro("gravity", viewed_field(&Attribution::gravity), kOwned, "[motors], N·m.")
      .def_prop_ro("residual", viewed_field(&Attribution::residual), kOwned, "[motors] τ − g, N·m.")
      .def_prop_ro("contribution", frozen_field(&Attribution::contribution), kOwned,
                   "[6 × motors]; the columns sum to the wrench, N, N·m.")
      .def_prop_ro("wrench", frozen_field(&Attribution::wrench), kOwned, "[6], N, N·m.")
      .def_ro("axis", &Attribution::axis, "Component that is taken apart: 0 x, 1 y, 2 z; Audit.focus_axis.")
      .def_ro("largest", &Attribution::largest, "Motor that adds most to it.");
}

}  // namespace

void bind_series(nb::module_& module) {
  bind_guard_trace(module);
  bind_posterior_trace(module);
  bind_estimate_series(module);
  bind_attribution(module);
}

}  // namespace antaeus::python
