#pragma once
/// \file
/// The fields of a whole audit, for summary.json, Python and the tables of docs/reference/schemas.md.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antaeus/audit/audit.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"

namespace antaeus {

// A series as summary.json has it: the whole of it, and the steps that an event or the focus names.

enum class Told { any, posterior };

template <Told told>
struct ToldStep {
  const EstimateSeries& of;
  Eigen::Index row, step;

  std::size_t at() const { return static_cast<std::size_t>(row); }
  Vector3 force() const { return of.wrench.row(row).head<3>().transpose(); }
};
constexpr void visit_fields(const ToldStep<Told::any>*, auto&& visit) {
  using T = ToldStep<Told::any>;
  visit(step_field("step", "that an event or the focus names", &T::step));
  visit(field("force", "N", "there, in the sign of the series", [](const T& t) { return t.force(); }));
  visit(field("norm", "N", "its norm", [](const T& t) { return t.of.force_norm[t.row]; }));
}
constexpr void visit_fields(const ToldStep<Told::posterior>*, auto&& visit) {
  using T = ToldStep<Told::posterior>;
  visit(step_field("step", "that an event or the focus names", &T::step));
  visit(field("force", "N", "posterior's force", [](const T& t) { return t.force(); }));
  visit(field("sd", "N", "of its components",
              [](const T& t) { return Vector3(t.of.posterior->sd.row(t.row).head<3>().transpose()); }));
  visit(field("worst_sd", "N", "in the least known direction",
              [](const T& t) { return t.of.posterior->worst_sd[t.row]; }));
  visit(field("worst_direction", "1", "that direction, world axes",
              [](const T& t) { return Vector3(t.of.posterior->worst_direction.row(t.row).transpose()); }));
  visit(field("observable_directions", "", "0 … 3", [](const T& t) { return t.of.posterior->observable[t.at()]; }));
  visit(field("nis", "1", "as in steps.csv", [](const T& t) { return t.of.posterior->nis[t.row]; }));
  visit(field("nis_threshold", "1", "the same", [](const T& t) { return t.of.posterior->nis_threshold[t.row]; }));
  visit(field("misfit", "1", "the same", [](const T& t) { return t.of.posterior->misfit[t.row]; }));
  visit(field("misfit_limit", "1", "the same", [](const T& t) { return t.of.posterior->misfit_limit[t.row]; }));
  visit(field("contact_size", "1", "the same", [](const T& t) { return t.of.posterior->contact[t.row]; }));
  visit(field("contact_size_limit", "1", "the same", [](const T& t) { return t.of.posterior->contact_limit[t.row]; }));
  visit(field("innovation", "N·m", "the same", [](const T& t) { return t.of.posterior->innovation[t.row]; }));
  visit(field("innovation_sd", "N·m", "the same", [](const T& t) { return t.of.posterior->innovation_sd[t.row]; }));
  visit(field("residual_kind", "", "of the sample", [](const T& t) { return t.of.posterior->residual_kind[t.at()]; }));
  visit(field("state", "", "of the guard: ok, degraded, refused",
              [](const T& t) { return t.of.posterior->state[t.at()]; }));
  visit(field("action", "", "what the consumer reads", [](const T& t) { return t.of.posterior->action[t.at()]; }));
  visit(field("guarded_force", "N", "what the consumer would have read",
              [](const T& t) { return Vector3(t.of.guarded_force.row(t.row).transpose()); }));
  visit(field("reasons", "", "as in steps.csv", [](const T& t) { return t.of.reasons[t.at()]; }));
}

struct ToldGuard {
  const GuardTrace& of;
  Eigen::Index first_act;
};
constexpr void visit_fields(const ToldGuard*, auto&& visit) {
  using T = ToldGuard;
  visit(field("guard", "", "each by itself", [](const T& t) { return t.of.guard; }));
  visit(field("limit", "", "what it compares with", [](const T& t) { return t.of.limit; }));
  visit(step_field("first_act_step", "at which it acts first", &T::first_act));
  visit(field("steps_acted", "", "at how many it acts", [](const T& t) { return t.of.acts; }));
}

template <Told told>
struct ToldSeries {
  const EstimateSeries& of;
  const EpisodeAudit& in;

  Eigen::Index step(Eigen::Index row) const { return row < 0 ? -1 : in.reconstruction.first_step + row; }
  std::vector<ToldStep<told>> steps() const {
    std::vector<ToldStep<told>> all;
    for (const Eigen::Index step : in.told_steps) all.push_back({of, step - in.reconstruction.first_step, step});
    return all;
  }
};
template <Verdict verdict>
std::int64_t count_of(const std::vector<Verdict>& all) {
  return std::count(all.begin(), all.end(), verdict);
}
constexpr void visit_fields(const ToldSeries<Told::posterior>*, auto&& visit) {
  using T = ToldSeries<Told::posterior>;
  visit(field("nis_alarms", "", "steps at which a test alarms: contradiction, unexplained or beyond_prior",
              [](const T& t) { return t.of.posterior->alarms; }));
  visit(step_field("first_nis_alarm_step", "the first of them",
                   [](const T& t) { return t.step(t.of.posterior->first_alarm); }));
  visit(step_field("first_refusal_step", "the first that the guard refuses",
                   [](const T& t) { return t.step(t.of.posterior->first_refusal); }));
  visit(field("steps_ok", "", "steps in this state of the guard",
              [](const T& t) { return count_of<Verdict::ok>(t.of.posterior->state); }));
  visit(field("steps_degraded", "", "the same",
              [](const T& t) { return count_of<Verdict::degraded>(t.of.posterior->state); }));
  visit(field("steps_refused", "", "the same",
              [](const T& t) { return count_of<Verdict::refused>(t.of.posterior->state); }));
  visit(field("first_worst_sd", "N", "sd in the worst direction at the first step",
              [](const T& t) { return t.of.posterior->worst_sd.size() > 0 ? t.of.posterior->worst_sd[0] : kNaN; }));
  visit(field("largest_guarded_force", "N", "largest force that the consumer would have read",
              [](const T& t) { return largest_norm(t.of.guarded_force); }));
  visit(field("at", "", "what it says in single steps", [](const T& t) { return t.steps(); }));
  visit(field("guard_timeline", "", "one a stretch in one state",
              [](const T& t) { return guard_timeline(t.of, t.in.reconstruction.first_step); }));
}
constexpr void visit_fields(const ToldSeries<Told::any>*, auto&& visit) {
  using T = ToldSeries<Told::any>;
  visit(field("endpoint", "", "frame", [](const T& t) { return t.of.endpoint; }));
  visit(field("label", "", "for people", [](const T& t) { return t.of.label; }));
  visit(field("kind", "", "of the endpoint", [](const T& t) { return t.of.kind; }));
  visit(field("consumed", "", "the deployed consumer reads it", [](const T& t) { return t.of.consumed; }));
  visit(
      field("estimator", "", "the posterior: at endpoints other than feet", [](const T& t) { return t.of.estimator; }));
  visit(field("sign", "", "who exerts the wrench on whom", [](const T& t) { return t.of.sign; }));
  visit(field("residual_kind", "", "static; the posterior's stands in posterior.at[]",
              [](const T& t) { return t.of.residual_kind; }));
  visit(field("peak_force", "N", "largest norm of the force", [](const T& t) { return t.of.peak_force; }));
  visit(step_field("peak_force_step", "where", [](const T& t) { return t.step(t.of.peak_step); }));
  visit(field("largest_Fz", "N", "largest Fz, in magnitude", [](const T& t) { return t.of.peak_component; }));
  visit(step_field("largest_Fz_step", "where", [](const T& t) { return t.step(t.of.peak_component_step); }));
  const auto count = [&]<Verdict verdict>(const char* key, const char* meaning) {
    visit(field(key, "", meaning, [](const T& t) { return count_of<verdict>(t.of.verdict); }));
  };
  count.template operator()<Verdict::ok>("verdict_counts.ok", "steps with this verdict");
  count.template operator()<Verdict::degraded>("verdict_counts.degraded", "the same");
  count.template operator()<Verdict::refused>("verdict_counts.refused", "the same");
  count.template operator()<Verdict::unobservable>("verdict_counts.unobservable", "the same");
  count.template operator()<Verdict::invalid_input>("verdict_counts.invalid_input", "the same");
  visit(field("forces", "", "in single steps", [](const T& t) { return t.steps(); }));
  visit(field("guards", "", "the published ones, each by itself", [](const T& t) {
    std::vector<ToldGuard> guards;
    for (const GuardTrace& guard : t.of.guards) guards.push_back({guard, t.step(guard.first_act)});
    return guards;
  }));
  visit(field("posterior", "", "null for other estimators", [](const T& t) {
    std::optional<ToldSeries<Told::posterior>> posterior;
    if (t.of.posterior) posterior.emplace(ToldSeries<Told::posterior>{t.of, t.in});
    return posterior;
  }));
}

constexpr void visit_fields(const EpisodeAudit*, auto&& visit) {
  using E = EpisodeAudit;
  constexpr auto kFile = FieldUse::file_only;
  constexpr auto kPython = FieldUse::python_only;
  visit(
      field("episode", "", "as it was read; of the audited one, the part that was cut out", &E::episode).only(kPython));
  visit(field("reconstruction", "", "computed again, step by step", &E::reconstruction).only(kPython));
  visit(field("name", "", "last part of its path", [](const E& e) { return e.episode.name; }).only(kFile));
  visit(field("sha256", "", "of its channels' hashes", [](const E& e) { return e.episode.sha256; }).only(kFile));
  visit(field("steps", "", "after a cut", [](const E& e) { return e.episode.steps(); }).only(kFile));
  visit(field("first_step", "", "number of its first step in the log", [](const E& e) {
          return e.reconstruction.first_step;
        }).only(kFile));
  visit(field("time_begin", "s", "first time stamp", [](const E& e) {
          return e.episode.has_time() ? e.episode.time[0] : kNaN;
        }).only(kFile));
  visit(field("time_end", "s", "last time stamp", [](const E& e) {
          return e.episode.has_time() ? e.episode.time[e.episode.steps() - 1] : kNaN;
        }).only(kFile));
  visit(field("sample_time", "s", "median distance of time stamps", [](const E& e) {
          return e.episode.sample_time();
        }).only(kFile));
  visit(field("channels", "", "one a channel of the log", [](const E& e) { return e.episode.channels; }).only(kFile));
  visit(field("missing", "", "optional channels that the log does not hold", [](const E& e) {
          return e.episode.missing;
        }).only(kFile));
  visit(field("notes", "", "what was found while reading", [](const E& e) {
          return note_texts(e.episode.notes);
        }).only(kFile));
  visit(field("note_details", "", "the same as codes and values", [](const E& e) {
          return e.episode.notes;
        }).only(kFile));
  visit(field("invalid_steps", "", "steps with NaN, infinity or no unit quaternion", [](const E& e) {
          return e.episode.invalid_steps.size();
        }).only(kFile));
  visit(field("series", "", "endpoint by endpoint: deployed, stacked, posterior", [](const E& e) {
          std::vector<ToldSeries<Told::any>> all;
          for (const EstimateSeries& series : e.reconstruction.series) all.push_back({series, e});
          return all;
        }).only(kFile));
  visit(field("contact_share", "1",
              "share of the steps within an interval of a force that stands out in the posterior (as contacts), 0 … 1",
              &E::contact_share));
  visit(field("peak_torque", "N·m", "largest |τ| of any motor; NaN without a finite one", &E::peak_torque));
  visit(step_field("peak_torque_step", "of the log", &E::peak_torque_step));
  visit(field("peak_torque_motor", "", "whose it is; −1: none", &E::peak_torque_motor).only(kPython));
  visit(field("peak_torque_joint", "", "whose it is",
              [](const E& e) {
                return e.peak_torque_motor < 0 ? std::string()
                                               : e.ranges[static_cast<std::size_t>(e.peak_torque_motor)].joint;
              })
            .or_null()
            .only(kFile));
  visit(field("ranges", "rad", "where the joints were", &E::ranges).as("joint_ranges_rad"));
  visit(field("start_errors", "rad", "of the joints at the first valid step", &E::start_errors).as("start_errors_rad"));
  visit(field("reference", "N·m", "the reference joint's torque", &E::reference).as("reference_torque"));
  visit(field("preflight", "", "at the first valid step", &E::preflight));
}

constexpr void visit_fields(const Audit*, auto&& visit) {
  using A = Audit;
  constexpr auto kFile = FieldUse::file_only;
  constexpr auto kPython = FieldUse::python_only;
  visit(field("schema", "", "antaeus.audit.summary/1", [](const A&) { return "antaeus.audit.summary/1"; }).only(kFile));
  visit(field("version", "", "of the library", &A::version).as("antaeus_version"));
  visit(field("command", "",
              "the command line that does the same, without folders; empty where a Robot or an Episode was handed over",
              &A::command)
            .only(kFile));
  visit(field("robot", "", "name of the profile", &A::robot).as("robot.name"));
  visit(field("robot_title", "", "for people", &A::robot_title).as("robot.title"));
  visit(field("model_sha256", "", "of the description file's bytes", &A::model_sha256).as("robot.model_sha256"));
  visit(field("profile_sha256", "", "of the profile's bytes; empty for a bare description", &A::profile_sha256)
            .as("robot.profile_sha256"));
  visit(field("description", "", "links and joints", &A::description).only(kPython));
  visit(field("base", "", "floating or fixed", &A::base).as("robot.base"));
  visit(field("base_source", "",
              "who decided it: the option base, the profile, the number of limbs (one: fixed, several: floating), or "
              "a program",
              &A::base_source)
            .as("robot.base_source"));
  visit(field("base_text", "", "both, for people", &A::base_text).only(kPython));
  visit(field("total_mass", "kg", "payloads included", &A::total_mass).as("robot.total_mass_kg"));
  visit(field("payloads", "", "loads that the description does not hold", &A::payloads).as("robot.payloads"));
  visit(field("motor_labels", "", "of the robot", &A::motor_labels).only(kPython));
  visit(field("reference_joint", "", "joint whose torque the endpoints share; empty: none", &A::reference_joint)
            .as("robot.reference_joint")
            .or_null());
  visit(field("base_orientation", "", "what it was taken from: \"imu (mounted)\", …", &A::base_orientation));
  visit(field("check", "", "of the audited log: what is wrong with its set-up", &A::check));
  visit(field("incident", "", "the watchdog would have latched on an endpoint that the consumer reads", &A::incident));
  visit(
      field("outcome", "",
            "what the audit says of the log; cannot_be_told: no incident in the steps that hold numbers, but they are "
            "less than event.least_usable_share of it",
            &A::outcome));
  visit(field("usable_share", "1", "of the audited steps, those that hold numbers, 0 … 1", &A::usable_share));
  visit(field("focus_endpoint", "",
              "frame of the consumed endpoint with the largest deployed force; empty when no step can be used",
              &A::focus_endpoint)
            .as("focus.endpoint"));
  visit(step_field("focus_step", "that is taken apart: the first past event.focus_force, else the peak; −1: none",
                   &A::focus_step)
            .as("focus.step"));
  visit(field("focus_axis", "", "largest component of the deployed force there: 0 x, 1 y, 2 z", &A::focus_axis)
            .only(kPython));
  visit(field("focus_component", "",
              "`Fx`, `Fy` or `Fz`: the largest of the deployed force there, which is taken apart",
              [](const A& a) { return axis_name(a.focus_axis); })
            .as("focus.component")
            .only(kFile));
  visit(field("verdict", "", "what is said of the log", &A::verdict));
  visit(field("cannot_tell", "", "what the log cannot say", &A::cannot_tell));
  visit(field("next_checks", "", "what would settle what the log leaves open", &A::next_checks).only(kFile));
  visit(field("events", "", "by step", &A::events));
  visit(field("counterfactuals", "", "what each remedy would have done", &A::counterfactuals));
  visit(field("attributions", "", "at the focus step: deployed and stacked", &A::attributions));
  visit(field("pose_counterfactuals", "", "the same torques in other poses", &A::pose_counterfactuals));
  visit(field("tilt", "", "what a tilted base would have done", &A::tilt).as("tilt_sensitivity"));
  visit(field("reference_rows", "", "of the stacked matrix", &A::reference_rows));
  visit(
      field("reliability", "",
            "of every consumed endpoint with a posterior: at the focus step, and in each baseline at the same row (or "
            "its last)",
            &A::reliability));
  visit(field("feasibility", "", "of the stacked estimator at the focus step; empty without feet", &A::feasibility));
  visit(field("cause_test", "", "at the focus step", &A::cause_test));
  visit(field("place", "", "at the focus step", &A::place));
  visit(field("identified", "", "of the audited log", &A::identified).only(kFile));
  visit(field("contact", "", "at the focus step", &A::contact));
  visit(
      field("causal_graph", "", "how the force at the focus step comes about, and what follows it", &A::causal_graph));
  visit(field("contacts", "", "by their first step", &A::contacts).only(kFile));
  visit(field("advice", "", "empty where the pre-flight lets the pose start", &A::advice));
  visit(field("endpoints", "", "the profile's, whether audited or not", &A::endpoints).only(kPython));
  visit(field("groups", "", "the profile's: figures are drawn by them", &A::groups).only(kPython));
  visit(field("spectra", "", "of the focus endpoint: at the focus step, then each baseline's first step", &A::spectra)
            .only(kFile));
  visit(field("sweeps", "", "at the focus step, of the two joints that change the gain most", &A::sweeps).only(kFile));
  visit(field("junction", "", "the same poses, up to two", &A::junction).only(kFile));
  visit(field("lessons", "", "the demo adds the planar arm, else empty", &A::lessons).only(kFile));
  visit(field("audited", "", "the episode", &A::audited));
  visit(field("baselines", "", "good runs, each with the same fields", &A::baselines));
  visit(field("settings", "",
              "every option with its value and the source of that; those of feet only where the robot has one",
              &A::settings));
}

}  // namespace antaeus
