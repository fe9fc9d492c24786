#include "audit/step_columns.hpp"

#include <cmath>

#include "antaeus/core/error.hpp"

namespace antaeus::detail {

namespace {

using At = StepOfSeries;

/// A number that the posterior alone has.
template <class Get>
StepNumber of_posterior(Get get) {
  return [get](const At& s) { return s.trace() ? static_cast<double>(get(*s.trace(), s)) : kNaN; };
}
/// A text that the posterior alone has.
template <class Get>
StepText text_of_posterior(Get get) {
  return [get](const At& s) { return s.trace() ? std::string(to_string(get(*s.trace(), s))) : std::string(); };
}
/// Reliability of the reference joint's torque.
StepNumber of_reference(PosteriorTrace::Reliability PosteriorTrace::* matrix) {
  return of_posterior([matrix](const PosteriorTrace& t, const At& s) {
    const int place = s.reconstruction.reference_motor >= 0 ? t.place(s.reconstruction.reference_motor) : -1;
    return place >= 0 ? static_cast<double>((t.*matrix)(s.row, place)) : kNaN;
  });
}

/// The columns, in the order of the file.
class Columns {
 public:
  std::vector<StepColumn> write() {
    what_it_is_of();
    wrench();
    posterior();
    posterior_tests();
    return std::move(all_);
  }

 private:
  void number(const char* name, const char* unit, std::string meaning, StepNumber get) {
    all_.push_back({name, unit, std::move(meaning), std::move(get)});
  }
  void text(const char* name, const char* meaning, StepText get) {
    all_.push_back({name, "", meaning, std::move(get)});
  }

  void what_it_is_of() {
    all_.push_back(
        {"step", "1", "index in the log, from 0; a step with NaN keeps its index, and so does every step of a cut",
         StepInteger([](const At& s) { return static_cast<std::int64_t>(s.reconstruction.first_step + s.row); })});
    number("time", "s", "time stamp of the log; empty where it has none",
           [](const At& s) { return s.reconstruction.time.size() > 0 ? s.reconstruction.time[s.row] : kNaN; });
    text("endpoint", "the model's name of the frame at whose origin the wrench acts",
         [](const At& s) { return s.series.endpoint; });
    text("estimator",
         "deployed: pinv(Jᵀ)(τ − g) of this endpoint by itself; stacked: all endpoints of the audit at once, motor "
         "rows; "
         "posterior: the limb's own rows with a prior (docs/concepts/estimator.md), for all endpoints but feet",
         [](const At& s) { return std::string(to_string(s.series.estimator)); });
    text("sign", "on_environment: robot on world; on_robot: world on robot",
         [](const At& s) { return std::string(to_string(s.series.sign)); });
    text("frame", "world_aligned: origin of the endpoint, axes of the world",
         [](const At&) { return std::string("world_aligned"); });
    text("residual_kind",
         "static: τ − g(q); inverse_dynamics; momentum_observer. The posterior takes the best that the log's channels "
         "allow, the other two are static",
         [](const At& s) {
           return std::string(to_string(s.trace() ? s.trace()->residual_kind[s.at()] : s.series.residual_kind));
         });
  }

  void wrench() {
    constexpr const char* kWrenchMeanings[] = {"force along the world's x",
                                               "force along y",
                                               "force along z, up",
                                               "moment about the endpoint's origin, along x",
                                               "moment along y",
                                               "moment along z"};
    for (int i = 0; i < 6; ++i) {
      number(enum_names(WrenchRow{})[i], i < 3 ? "N" : "N·m", kWrenchMeanings[i],
             [i](const At& s) { return s.series.wrench(s.row, i); });
    }
    constexpr const char* kDeviations[][2] = {
        {"sd_Fx", "standard deviation of Fx; empty where the estimator has no covariance: deployed and stacked"},
        {"sd_Fy", "the same of Fy"},
        {"sd_Fz", "the same of Fz"}};
    for (int i = 0; i < 3; ++i) {
      number(kDeviations[i][0], "N", kDeviations[i][1],
             of_posterior([i](const PosteriorTrace& t, const At& s) { return t.sd(s.row, i); }));
    }
    number(
        "kappa", "1",
        "condition number of the inverted matrix (the endpoint's Jacobian, or the whole stacked matrix); mixes m and "
        "rad. posterior: of the whitened, unit-scaled rows, which has no unit",
        [](const At& s) { return s.series.kappa[s.row]; });
    number("sigma_min", "m or 1", "its smallest singular value; mixes m and rad. posterior: in prior sds per noise sd",
           [](const At& s) { return s.series.sigma_min[s.row]; });
    number("reference_gain_Fz", "N/(N·m)",
           "what 1 N·m at the reference joint becomes in Fz; empty without a reference joint",
           [](const At& s) { return s.series.reference_gain(s.row, kFz); });
    number("reference_residual", "N·m", "τ − g of the reference joint; empty without one",
           [](const At& s) { return s.reconstruction.reference_residual[s.row]; });
    text("verdict", "below", [](const At& s) { return std::string(to_string(s.series.verdict[s.at()])); });
    text("reasons", "why the verdict is not ok: words separated by a space; empty for ok",
         [](const At& s) { return s.series.reasons[s.at()].text(); });
    number("F_norm", "N", "norm of the force", [](const At& s) { return s.series.force_norm[s.row]; });
    number(
        "kappa_scaled", "1",
        "condition number with the linear rows divided by the characteristic length; empty for stacked and posterior",
        [](const At& s) { return s.series.kappa_scaled[s.row]; });
    constexpr const char* kGuarded[][2] = {
        {"guarded_Fx",
         "Fx behind the default guard chain, 0 only where a guard zeroes; posterior: "
         "behind its own guard, by guard_action"},
        {"guarded_Fy", "the same of Fy"},
        {"guarded_Fz", "the same of Fz"}};
    for (int i = 0; i < 3; ++i) {
      number(kGuarded[i][0], "N", kGuarded[i][1], [i](const At& s) { return s.series.guarded_force(s.row, i); });
    }
  }

  void posterior() {
    number("worst_sd", "N",
           "posterior, as all that follow, empty for the others: sd of the force in its least known direction",
           of_posterior([](const PosteriorTrace& t, const At& s) { return t.worst_sd[s.row]; }));
    constexpr const char* kWorst[][2] = {
        {"worst_x", "that direction, world axes"}, {"worst_y", "the same"}, {"worst_z", "the same"}};
    for (int i = 0; i < 3; ++i) {
      number(kWorst[i][0], "1", kWorst[i][1],
             of_posterior([i](const PosteriorTrace& t, const At& s) { return t.worst_direction(s.row, i); }));
    }
    number("observable_directions", "1",
           "principal directions of the force with an sd under posterior.observable_sd, 0 … 3",
           of_posterior([](const PosteriorTrace& t, const At& s) {
             return std::isfinite(t.worst_sd[s.row]) ? static_cast<double>(t.observable[s.at()]) : kNaN;
           }));
  }

  void posterior_tests() {
    number(
        "nis", "1",
        "normalised innovation squared of the endpoint's rows and the reference row, where another endpoint explains "
        "only "
        "what its own rows show; a guard, not a test with a stated rate",
        of_posterior([](const PosteriorTrace& t, const At& s) { return t.nis[s.row]; }));
    number("nis_threshold", "1", "its limit, by posterior.false_alarm or false_alarms_per_hour",
           of_posterior([](const PosteriorTrace& t, const At& s) { return t.nis_threshold[s.row]; }));
    number("innovation", "N·m",
           "residual of the reference joint less what the wrenches estimated without it explain; empty without one",
           of_posterior([](const PosteriorTrace& t, const At& s) { return t.innovation[s.row]; }));
    number("innovation_sd", "N·m", "its standard deviation without faults and with contacts as in their priors",
           of_posterior([](const PosteriorTrace& t, const At& s) { return t.innovation_sd[s.row]; }));
    number("reference_redundancy", "1",
           "share of an error in the reference torque that shows, contacts within their priors",
           of_reference(&PosteriorTrace::redundancy));
    number("reference_detectable_bias", "N·m",
           "smallest error of it that the test of its row finds (0.1 % false alarms, 80 % power); empty without one",
           of_reference(&PosteriorTrace::detectable_bias));
    text("guard_state", "ok, degraded or refused, after hysteresis",
         text_of_posterior([](const PosteriorTrace& t, const At& s) { return t.state[s.at()]; }));
    text("guard_action", "what guarded_F* is: pass_raw, posterior, observable, hold, zero or stop",
         text_of_posterior([](const PosteriorTrace& t, const At& s) { return t.action[s.at()]; }));
    number("misfit", "1", "what no wrench at the endpoint explains, whatever its size: χ² when the stated noise holds",
           of_posterior([](const PosteriorTrace& t, const At& s) { return t.misfit[s.row]; }));
    number("misfit_limit", "1",
           "its limit, by posterior.false_alarm or false_alarms_per_hour; inf where the rows leave nothing to test",
           of_posterior([](const PosteriorTrace& t, const At& s) { return t.misfit_limit[s.row]; }));
    number("contact_size", "1", "the wrench against its prior: χ² when contacts are drawn from the prior",
           of_posterior([](const PosteriorTrace& t, const At& s) { return t.contact[s.row]; }));
    number("contact_size_limit", "1", "its limit, by posterior.false_alarm or false_alarms_per_hour",
           of_posterior([](const PosteriorTrace& t, const At& s) { return t.contact_limit[s.row]; }));
    number("reference_prior_free_redundancy", "1", "as reference_redundancy, contacts of any size at this endpoint",
           of_reference(&PosteriorTrace::prior_free_redundancy));
    number("reference_prior_free_detectable_bias", "N·m",
           "as reference_detectable_bias, contacts of any size at this endpoint; empty: no size is found",
           of_reference(&PosteriorTrace::prior_free_bias));
  }

  std::vector<StepColumn> all_;
};

}  // namespace

const std::vector<StepColumn>& step_columns() {
  static const std::vector<StepColumn> columns = Columns().write();
  return columns;
}

const StepNumber& step_number(std::string_view column) {
  for (const StepColumn& candidate : step_columns()) {
    const auto* number = std::get_if<StepNumber>(&candidate.value);
    if (number && column == candidate.name) return *number;
  }
  throw Error("steps", "no column of numbers '" + std::string(column) + "'");
}

}  // namespace antaeus::detail

namespace antaeus {

Table steps_table(const Reconstruction& r) {
  const std::size_t rows = r.series.size() * static_cast<std::size_t>(r.steps());
  Table table;
  for (const detail::StepColumn& column : detail::step_columns()) {
    std::visit(
        [&](const auto& get) {
          using Value = decltype(get(std::declval<const detail::StepOfSeries&>()));
          std::conditional_t<std::is_same_v<Value, std::string>, TextColumn, std::vector<Value>> values;
          if constexpr (!std::is_same_v<Value, std::string>) values.reserve(rows);
          for (Eigen::Index i = 0; i < r.steps(); ++i) {
            for (const EstimateSeries& series : r.series) values.push_back(get(detail::StepOfSeries{r, series, i}));
          }
          table.add({column.name, column.unit, column.meaning, std::move(values)});
        },
        column.value);
  }
  return table;
}

}  // namespace antaeus
