// The audit for the terminal: the same numbers as in summary.json, in the order in which they explain each other.
#include <algorithm>
#include <cmath>

#include "antaeus/audit/audit.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "command.hpp"
#include "delivery.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

std::string step_text(Eigen::Index step) { return step < 0 ? "never" : std::to_string(step); }

/// First and last row of the tables by step.
std::pair<Eigen::Index, Eigen::Index> told_rows(const Audit& audit) {
  const Reconstruction& r = audit.audited.reconstruction;
  const Eigen::Index last = std::min(r.steps() - 1, std::max<Eigen::Index>(audit.focus_step - r.first_step, 8));
  return {std::max<Eigen::Index>(0, last - 8), last};
}

/// The sign of the deployed and the stacked numbers.
std::string sign_text(const Audit& audit) {
  const auto& series = audit.audited.reconstruction.series;
  return series.empty() ? std::string() : sign_in_words(series.front().sign);
}

std::string steps_section(const Audit& audit) {
  if (audit.focus_step < 0) return {};
  const Reconstruction& r = audit.audited.reconstruction;
  const EstimateSeries& s = r.find(audit.focus_endpoint, EstimatorName::deployed);
  const bool referred = !audit.reference_joint.empty();
  std::vector<std::string> heads = {"step", "time s"};
  if (referred) heads.insert(heads.end(), {"residual N·m", "gain N/(N·m)"});
  heads.insert(heads.end(), {"kappa", "Fx N", "Fy N", "Fz N", "|F| N", "verdict"});
  TextTable table(std::move(heads));
  const auto [first, last] = told_rows(audit);
  for (Eigen::Index i = first; i <= last; ++i) {
    std::vector<std::string> cells = {std::to_string(r.first_step + i), fixed(r.time[i], 3)};
    if (referred) {
      cells.push_back(fixed(r.reference_residual[i], 2));
      cells.push_back(fixed(s.reference_gain(i, kFz), 2));
    }
    for (std::string& cell : std::vector<std::string>{
             condition(s.kappa[i], 1), fixed(s.wrench(i, 0), 1), fixed(s.wrench(i, 1), 1), fixed(s.wrench(i, 2), 1),
             fixed(s.force_norm[i], 1), std::string(to_string(s.verdict[i]))}) {
      cells.push_back(std::move(cell));
    }
    table.add(std::move(cells));
  }
  return heading((audit.has_deployed ? "Deployed estimator at the " : "Plain estimator pinv(Jᵀ)(τ − g) at the ") +
                 s.label + " (" + sign_in_words(s.sign) + ", world axes" +
                 (referred ? "; residual and gain of " + audit.reference_joint : std::string()) + ")") +
         table.text();
}

const EstimateSeries* focus_posterior(const Audit& audit) {
  for (const EstimateSeries& s : audit.audited.reconstruction.series) {
    if (s.endpoint == audit.focus_endpoint && s.posterior) return &s;
  }
  return nullptr;
}

std::string posterior_section(const Audit& audit) {
  const EstimateSeries* s = focus_posterior(audit);
  if (audit.focus_step < 0 || !s) return {};
  const PosteriorTrace& trace = *s->posterior;
  const Reconstruction& r = audit.audited.reconstruction;
  const int axis = audit.focus_axis;
  const std::string component = axis_name(axis);
  TextTable table(
      {"step", component + " N", "± sd N", "worst sd N", "NIS", "limit", component + " read N", "state", "because"});
  const auto [first, last] = told_rows(audit);
  for (Eigen::Index i = first; i <= last; ++i) {
    const auto at = static_cast<std::size_t>(i);
    table.add({std::to_string(r.first_step + i), fixed(s->wrench(i, axis), 1), fixed(trace.sd(i, axis), 1),
               fixed(trace.worst_sd[i], 1), fixed(trace.nis[i], 1), fixed(trace.nis_threshold[i], 1),
               fixed(s->guarded_force(i, axis), 1), std::string(to_string(trace.state[at])), s->reasons[at].text()});
  }
  return heading("Posterior at the " + s->label + " and its guard (" + sign_in_words(s->sign) +
                 ", world axes; sd in the direction of which least is known)") +
         table.text();
}

std::string reliability_section(const Audit& audit) {
  std::vector<const ReliabilityTable*> tables;
  for (const ReliabilityTable& table : audit.reliability) {
    if (table.endpoint == audit.focus_endpoint) tables.push_back(&table);
  }
  if (tables.empty()) return {};
  std::vector<std::string> heads = {"joint", "motor N·m"};
  for (const ReliabilityTable* table : tables) heads.push_back(table->episode);
  TextTable text(heads);
  for (const ReliabilityTable::Row& row : tables.front()->rows) {
    std::vector<std::string> cells = {row.motor_label, fixed(row.torque_limit, 0)};
    for (const ReliabilityTable* table : tables) {
      const auto found = std::find_if(table->rows.begin(), table->rows.end(),
                                      [&](const ReliabilityTable::Row& other) { return other.joint == row.joint; });
      const bool there = found != table->rows.end();
      const auto size = [](double bias) { return std::isinf(bias) ? std::string("none") : fixed(bias, 1); };
      cells.push_back(!there ? "–"
                             : size(found->detectable_bias) + ", " + size(found->prior_free_bias) +
                                   (found->undetectable ? " (undetectable)" : ""));
    }
    text.add(std::move(cells));
  }
  return heading("Smallest torque error that a test finds at the " + tables.front()->label + " [N·m], at step " +
                 std::to_string(tables.front()->step) + ": with contacts within the prior, with contacts of any size") +
         text.text();
}

std::string attribution_section(const Audit& audit) {
  for (const Attribution& a : audit.attributions) {
    if (a.estimator != EstimatorName::deployed) continue;
    std::vector<Eigen::Index> joints;
    for (Eigen::Index j = 0; j < a.residual.size(); ++j) {
      if (!a.contribution.col(j).isZero(0.0)) joints.push_back(j);
    }
    std::stable_sort(joints.begin(), joints.end(), [&](Eigen::Index x, Eigen::Index y) {
      return std::abs(a.contribution(a.axis, x)) > std::abs(a.contribution(a.axis, y));
    });
    TextTable table({"joint", "tau N·m", "gravity N·m", "residual N·m", "d" + axis_name(a.axis) + " N"});
    for (const Eigen::Index j : joints) {
      table.add({audit.motor_labels[j], fixed(a.tau[j], 2), fixed(a.gravity[j], 2), fixed(a.residual[j], 2),
                 fixed(a.contribution(a.axis, j), 1)});
    }
    const Eigen::Index others = a.residual.size() - static_cast<Eigen::Index>(joints.size());
    std::string nothing;
    if (others > 0)
      nothing = "; the other " + std::to_string(others) + (others == 1 ? " joint" : " joints") + ": exactly 0";
    return heading("Sources of " + axis_name(a.axis) + " at step " + std::to_string(a.step) + " (" + sign_text(audit) +
                   nothing + ")") +
           table.text();
  }
  return {};
}

std::string counterfactual_section(const Audit& audit) {
  if (audit.counterfactuals.empty()) return {};
  std::vector<std::string> heads = {"remedy", "acts at", axis_name(audit.focus_axis) + " N", "max |F| N"};
  for (const EpisodeAudit& b : audit.baselines) heads.push_back("alarms in " + b.episode.name);
  TextTable table(heads);
  for (const Counterfactual& c : audit.counterfactuals) {
    std::vector<std::string> cells = {c.title, c.kind == RemedyKind::estimator ? "–" : step_text(c.first_act),
                                      fixed(c.force_at_focus[audit.focus_axis], 1), fixed(c.largest_force_read, 1)};
    for (std::size_t b = 0; b < audit.baselines.size(); ++b) {
      std::string share = "–";
      if (b < c.false_alarms.size()) {
        const Counterfactual::FalseAlarm& alarm = c.false_alarms[b];
        share = fixed(100.0 * alarm.share, 1) + " %";
        if (alarm.degraded_steps > 0) share += " (degraded " + fixed(100.0 * alarm.degraded_share, 1) + " %)";
      }
      cells.push_back(std::move(share));
    }
    table.add(std::move(cells));
  }
  return heading("What each remedy would have done (" + axis_name(audit.focus_axis) + " read at step " +
                 std::to_string(audit.focus_step) + ", " + sign_text(audit) +
                 "; largest |F| let through; share of steps with an alarm in each baseline)") +
         table.text();
}

std::string statistics_section(const Audit& audit) {
  if (audit.reference_joint.empty()) return {};
  TextTable table(
      {"episode", "steps", "|mean| N·m", "mean | |", "sd", "max", "p99", "peak torque N·m", "joint", "largest |Fz| N"});
  const auto add = [&](const EpisodeAudit& a) {
    std::string vertical;
    for (const EstimateSeries& s : a.reconstruction.series) {
      if (s.estimator == EstimatorName::deployed && s.consumed)
        vertical += (vertical.empty() ? "" : ", ") + s.label + " " + fixed(s.peak_component, 1);
    }
    table.add({a.episode.name, std::to_string(a.episode.steps()), fixed(std::abs(a.reference.mean), 2),
               fixed(a.reference.mean_magnitude, 2), fixed(a.reference.deviation, 2), fixed(a.reference.maximum, 2),
               fixed(a.reference.p99, 2), fixed(a.peak_torque, 1),
               a.peak_torque_motor < 0 ? "" : audit.motor_labels[a.peak_torque_motor], vertical});
  };
  add(audit.audited);
  for (const EpisodeAudit& b : audit.baselines) add(b);
  return heading("Torque of " + audit.reference_joint + " over each episode") + table.text();
}

}  // namespace

std::string audit_story(const Audit& audit) {
  std::string out = heading("Audit of " + audit.audited.episode.name + " (" + audit.robot_title + ")");
  out += "  base: " + audit.base_text + printable(payloads_text(audit.payloads)) + "\n";
  if (const std::vector<std::string> set_up = set_up_sentences(audit.check); !set_up.empty()) {
    out += set_up_text(set_up);
    out += heading("What happened?");
  }
  for (const Statement& s : audit.verdict) out += wrapped("• " + s.text, 2);
  out += heading("What this log cannot show");
  for (const Statement& s : audit.cannot_tell) out += wrapped("• " + s.text, 2);
  TextTable events({"step", "time s", "event"});
  for (const Event& e : audit.events) events.add({std::to_string(e.step), fixed(e.time, 3), e.text});
  out += heading("Events found in the data") + events.text();
  out += steps_section(audit) + posterior_section(audit) + reliability_section(audit) + attribution_section(audit) +
         counterfactual_section(audit) + statistics_section(audit);
  if (audit.base_orientation.starts_with("identity")) {
    out += "\n  Base orientation: " + printable(audit.base_orientation) + ".\n";
  }
  for (const Note& note : audit.audited.episode.notes) out += wrapped("Note: " + note_text(note) + ".", 2);
  return out;
}

}  // namespace antaeus::cli
