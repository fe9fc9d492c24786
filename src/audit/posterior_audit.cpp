// What the posterior, its reliability and its guard say of an episode.
#include <algorithm>
#include <cmath>

#include "antaeus/audit/audit_options.hpp"
#include "antaeus/core/words.hpp"
#include "antaeus/trust/contact_place.hpp"
#include "antaeus/trust/hypotheses.hpp"
#include "audit/alarms.hpp"
#include "audit/focus_step.hpp"

namespace antaeus {

std::vector<GuardInterval> guard_timeline(const EstimateSeries& series, Eigen::Index first_step) {
  std::vector<GuardInterval> intervals;
  if (!series.posterior) return intervals;
  const PosteriorTrace& trace = *series.posterior;
  for (std::size_t i = 0; i < trace.state.size(); ++i) {
    const Eigen::Index step = first_step + static_cast<Eigen::Index>(i);
    if (!intervals.empty() && intervals.back().state == trace.state[i] && intervals.back().action == trace.action[i]) {
      intervals.back().to = step;
    } else {
      intervals.push_back({step, step, trace.state[i], trace.action[i], trace.because[i]});
    }
  }
  return intervals;
}

namespace detail {

namespace {

constexpr const char* kAxes[] = {"x", "y", "z"};

const EstimateSeries* posterior_of(const Reconstruction& r, const std::string& endpoint) {
  for (const EstimateSeries& series : r.series) {
    if (series.endpoint == endpoint && series.posterior) return &series;
  }
  return nullptr;
}

ReliabilityTable table_of(const Robot& robot, const EpisodeAudit& episode, const EstimateSeries& series,
                          Eigen::Index row) {
  ReliabilityTable table{
      episode.episode.name, episode.reconstruction.first_step + row, series.endpoint, series.label, {}};
  const PosteriorTrace& trace = *series.posterior;
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    const auto motor = static_cast<std::size_t>(trace.rows[i]);
    ReliabilityTable::Row entry{robot.model.motor_names()[motor],
                                robot.profile.motor_labels[motor],
                                trace.redundancy(row, column),
                                trace.detectable_bias(row, column),
                                robot.model.effort_limits()[trace.rows[i]],
                                trace.external_force(row, column),
                                trace.prior_free_redundancy(row, column),
                                trace.prior_free_bias(row, column),
                                false};
    entry.undetectable =
        entry.prior_free_redundancy < kUndetectableRedundancy || entry.prior_free_bias > entry.torque_limit;
    table.rows.push_back(std::move(entry));
  }
  return table;
}

/// A test of the posterior alarms.
Verdict tests_say(const EstimateSeries& series, std::size_t i) {
  return series.posterior && series.reasons[i].has_any(kTestAlarm) ? Verdict::refused : Verdict::ok;
}
/// The state of the posterior's guard; without numbers it judges nothing.
Verdict guard_says(const EstimateSeries& series, std::size_t i) {
  if (!series.posterior || series.posterior->state[i] > Verdict::refused) return Verdict::ok;
  return series.posterior->state[i];
}

/// Nobody needs the digits of what is all but certain.
std::string probability_text(double p) {
  constexpr double kNext = 0.001;
  return p < kNext ? "under 0.001" : p > 1.0 - kNext ? "over 0.999" : number_text(p);
}

/// "3 force directions", or as many as the limb can sense.
std::string force_directions(const PosteriorTrace& trace) {
  return std::to_string(3 - trace.insensible) + " force directions" +
         (trace.insensible > 0 ? " that the limb senses" : "");
}

std::string signed_with_sd(double value, double sd) { return number_text(value) + " ± " + number_text(sd) + " N"; }

}  // namespace

const EstimateSeries* focus_posterior(const Audit& audit) {
  return audit.focus_step < 0 ? nullptr : posterior_of(audit.audited.reconstruction, audit.focus_endpoint);
}

std::vector<ReliabilityTable> reliability(const Robot& robot, const Audit& audit) {
  std::vector<ReliabilityTable> tables;
  if (audit.focus_step < 0) return tables;
  const Eigen::Index focus = row_of(audit, audit.focus_step);
  const auto add = [&](const EpisodeAudit& episode) {
    const Eigen::Index row = std::min(focus, episode.reconstruction.steps() - 1);
    for (const EstimateSeries& series : episode.reconstruction.series) {
      if (series.consumed && series.posterior) tables.push_back(table_of(robot, episode, series, row));
    }
  };
  add(audit.audited);
  for (const EpisodeAudit& baseline : audit.baselines) add(baseline);
  return tables;
}

std::vector<FeasibilityRow> feasibility(const Robot& robot, const AuditOptions& options, const FocusStep& focus) {
  std::vector<FeasibilityRow> rows;
  const std::vector<std::string>& endpoints = focus.reader().endpoint_names();
  FeasibilityChecker checker(robot, endpoints, options.feasibility);
  for (const FeasibilityMargin& margin : checker.check(focus.stacked()).margins) {
    rows.push_back({EstimatorName::stacked, margin.endpoint < 0 ? "" : endpoints[margin.endpoint], margin.kind,
                    margin.unit, margin.value, margin.sd, margin.feasible});
  }
  return rows;
}

CauseTest cause_test(const AuditOptions& options, const FocusStep& focus, Residual residual) {
  CauseTest test;
  test.outside_identified = residual.reasons.has(Reason::outside_identified);
  if (test.outside_identified) return test;
  HypothesisTest hypotheses(focus.reader(), options.hypotheses);
  residual.instant = focus.now();  // of all endpoints, feet too
  const HypothesisResult& result = hypotheses.solve(residual);
  test.alarm = result.alarm;
  test.explained = result.explained;
  test.chi_squared = result.chi_squared;
  test.threshold = result.threshold;
  if (result.status != Status::ok) return test;
  for (const Cause& cause : result.causes) {
    const std::vector<std::string>& endpoints = focus.reader().endpoint_names();
    const std::string frame = cause.endpoint >= 0 ? endpoints[static_cast<std::size_t>(cause.endpoint)] : std::string();
    test.causes.push_back({hypotheses.name(cause), cause.kind, frame, cause.size, cause.size_sd, cause.unit,
                           cause.log_likelihood_ratio, cause.bic, cause.log_evidence, cause.probability,
                           cause.separation, cause.nis});
  }
  return test;
}

PlaceFinding place_finding(const Robot& robot, const AuditOptions& options, const FocusStep& focus, Residual residual) {
  PlaceFinding finding;
  if (residual.reasons.has(Reason::outside_identified)) return finding;
  PosteriorEstimator posterior(focus.reader(), options.posterior);
  ContactPlaceTest test(robot, focus.reader(), posterior, options.places);
  residual.instant = focus.now();
  const ContactPlaces& places = test.judge(posterior.solve(residual))[static_cast<std::size_t>(focus.endpoint())];
  finding.judged = places.status == Status::ok;
  if (!finding.judged) return finding;
  finding.elsewhere = places.elsewhere;
  finding.faulty = places.faulty;
  if (places.fault_motor >= 0) {
    finding.joint = robot.model.motor_names()[static_cast<std::size_t>(places.fault_motor)];
    finding.error = places.fault_size;
  }
  finding.beyond_one_contact = places.beyond_one_contact;
  const std::vector<std::string>& links = test.links(focus.endpoint());
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (places.places[i].in_set) finding.set.push_back(links[i]);
  }
  if (places.endpoint_in_set) {
    finding.set.push_back(focus.reader().endpoint_names()[static_cast<std::size_t>(focus.endpoint())]);
  }
  const auto best = static_cast<std::size_t>(places.best);
  finding.link = links[best];
  finding.probability = places.places[best].probability;
  finding.force = places.force;
  finding.point = places.point;
  finding.open_length = places.open_length;
  return finding;
}

ContactFinding contact_finding(const AuditOptions& options, const Audit& audit) {
  ContactFinding finding;
  finding.limit = options.guarded.force_limit;
  const CauseTest& test = audit.cause_test;
  if (!test.alarm || !test.explained || test.causes.empty()) return finding;
  const CauseRow& best = test.causes.front();
  const bool joint = std::any_of(test.causes.begin() + 1, test.causes.end(), [](const CauseRow& cause) {
    return cause.kind == CauseKind::joint_offset && cause.separation == Separation::indistinct;
  });
  // A payload is a contact that pushes down: which of the two it was, no torque tells.
  finding.found = (best.kind == CauseKind::contact || best.kind == CauseKind::payload) &&
                  best.endpoint == audit.focus_endpoint && !joint;
  if (!finding.found) return finding;
  const auto contact = std::find_if(test.causes.begin(), test.causes.end(), [&](const CauseRow& cause) {
    return cause.kind == CauseKind::contact && cause.endpoint == audit.focus_endpoint;
  });
  finding.size = contact->size;
  finding.size_sd = contact->size_sd;
  return finding;
}

std::vector<Counterfactual> posterior_counterfactuals(const Audit& audit) {
  const EstimateSeries* series = focus_posterior(audit);
  if (!series) return {};
  const PosteriorTrace& trace = *series->posterior;
  const Reconstruction& r = audit.audited.reconstruction;
  const Eigen::Index row = row_of(audit, audit.focus_step);
  const auto make = [&](Remedy remedy, const char* title, RemedyKind kind, Eigen::Index first) {
    Counterfactual c;
    c.remedy = remedy, c.title = title, c.kind = kind, c.endpoint = audit.focus_endpoint;
    c.first_act = first < 0 ? -1 : r.first_step + first;
    c.first_act_time = first < 0 || r.time.size() == 0 ? kNaN : r.time[first];
    return c;
  };
  const auto acts = [&](const Counterfactual& c) {
    if (c.first_act < 0) return std::string("never acts");
    if (c.first_act > audit.focus_step) return std::string("acts only after the focus step");
    return "acts " + std::to_string(audit.focus_step - c.first_act) + " steps before the focus step";
  };
  std::vector<Counterfactual> rows;

  Counterfactual number =
      make(Remedy::posterior, "posterior: the limb's own rows, with a covariance", RemedyKind::estimator, -1);
  number.force_at_focus = series->wrench.row(row).head<3>();
  number.largest_force_read = series->peak_force;
  const int axis = audit.focus_axis;
  number.consequence = "reads " + axis_name(axis) + " " +
                       signed_with_sd(series->wrench(row, axis), trace.sd(row, axis)) + " at the focus step; " +
                       std::to_string(trace.observable[row]) + " of " + force_directions(trace) + " are observable";
  rows.push_back(std::move(number));

  Counterfactual nis =
      make(Remedy::nis_alarm, "consistency tests of the posterior", RemedyKind::guard, trace.first_alarm);
  nis.force_at_focus = series->wrench.row(row).head<3>();
  nis.largest_force_read = series->peak_force;
  nis.consequence =
      acts(nis) + "; it shows that no contact of the size that the prior allows explains the torques, not what does";
  nis.false_alarms = alarms_in_baselines(audit, tests_say);
  rows.push_back(std::move(nis));

  Counterfactual guard =
      make(Remedy::guarded_posterior, "posterior behind its guard", RemedyKind::guard, trace.first_refusal);
  guard.force_at_focus = series->guarded_force.row(row);
  guard.largest_force_read = largest_norm(series->guarded_force);
  guard.consequence = (guard.first_act < 0 ? std::string("never refuses") : "refuses: " + acts(guard)) + "; the " +
                      reader_word(audit) + " would have read up to " + number_text(guard.largest_force_read) + " N";
  guard.false_alarms = alarms_in_baselines(audit, guard_says);
  rows.push_back(std::move(guard));
  return rows;
}

std::vector<Event> posterior_events(const Audit& audit) {
  std::vector<Event> events;
  const Reconstruction& r = audit.audited.reconstruction;
  for (const EstimateSeries& series : r.series) {
    if (!series.consumed || !series.posterior) continue;
    const PosteriorTrace& trace = *series.posterior;
    const auto add = [&](EventKind kind, Eigen::Index row, double value, const std::string& text) {
      const double time = r.time.size() > 0 ? r.time[row] : kNaN;
      events.push_back({kind, r.first_step + row, time, series.endpoint, value, "", text});
    };
    if (trace.first_alarm >= 0) {
      add(EventKind::nis_alarm, trace.first_alarm, trace.nis[trace.first_alarm],
          series.label + ": a consistency test of the posterior alarms for the first time (" +
              reasons_in_words(series.reasons[static_cast<std::size_t>(trace.first_alarm)] & kTestAlarm) + ")");
    }
    if (trace.first_refusal >= 0) {
      const auto at = static_cast<std::size_t>(trace.first_refusal);
      add(EventKind::guard_refuses, trace.first_refusal, trace.worst_sd[trace.first_refusal],
          series.label + ": the posterior's guard refuses for the first time (" + reasons_in_words(trace.because[at]) +
              ")" +
              (trace.because[at].has(Reason::force_limit)
                   ? ", a force beyond what its " + reader_word(audit) + " was made for"
                   : ""));
    }
  }
  return events;
}

/// Where the limb is rather touched, where that is not at the endpoint, or which joint is rather wrong.
static std::string place_text(const Audit& audit, const EstimateSeries& series) {
  const PlaceFinding& place = audit.place;
  if (place.faulty) {
    return "An error of " + number_text(std::abs(place.error)) + " N·m of " + place.joint +
           " alone explains the torques of this step better than a contact at the " + series.label + '.';
  }
  const std::string beyond =
      "no single contact, wherever on this limb, and no one joint's error leaves no more than "
      "noise: there may be two contacts, which these torques do not distinguish, or something else.";
  if (!place.elsewhere) return place.beyond_one_contact ? "At this step " + beyond : "";
  std::string text = "A contact at " + place.link + " explains the torques of this step better than one at the " +
                     series.label + ": " + number_text(place.force.norm()) + " N there. The number of the " +
                     series.label + " then applies to the wrong location.";
  if (place.set.size() > 1) text += " These torques do not distinguish " + listed(place.set) + '.';
  if (place.beyond_one_contact) text += " But " + beyond;
  return text;
}

/// What the test of single causes says, where there is something to explain: an incident. A found contact is told as
/// the cause, and nothing beside it.
static std::string causes_text(const Audit& audit) {
  const CauseTest& test = audit.cause_test;
  if (audit.incident && test.outside_identified) {
    return "Which single cause would explain the torques of this step cannot be determined: the robot moves faster "
           "than its "
           "noise was identified for.";
  }
  if (!audit.incident || audit.contact.found || !test.alarm || test.causes.size() < 2) return {};
  const auto named = [](const CauseRow& c) {
    return c.cause + " (" + number_text(c.size) + " ± " + number_text(c.size_sd) + " " + c.unit;
  };
  if (test.explained) {
    const auto weighed = [&](const CauseRow& c) {
      return named(c) + ", probability " + probability_text(c.probability) + " among those tested)";
    };
    return "Of the single causes that were tested the likeliest explains the torques of this step: " +
           weighed(test.causes[0]) + ", then " + weighed(test.causes[1]) + ". Motion was not among them.";
  }
  const CauseRow& best = test.causes[0];
  return "No single cause that was tested explains the torques of this step. The nearest, " + named(best) +
         "), reduces the misfit (χ²) from " + number_text(test.chi_squared) + " to " + number_text(best.misfit) +
         "; the stated noise explains at most " + number_text(test.threshold) +
         ": several things were wrong at once, or one that was not tested, such as motion.";
}

/// Whether no joint at the focus endpoint has a test, since six rows or fewer fit some wrench.
static bool always_blind(const Audit& audit) {
  constexpr std::size_t kWrench = 6;
  return std::ranges::all_of(audit.reliability, [&](const ReliabilityTable& table) {
    return table.endpoint != audit.focus_endpoint ||
           (table.rows.size() <= kWrench &&
            std::ranges::all_of(table.rows, [](const ReliabilityTable::Row& row) { return row.undetectable; }));
  });
}

std::vector<Statement> posterior_verdict(const Audit& audit) {
  const EstimateSeries* series = focus_posterior(audit);
  if (!series) return {};
  const PosteriorTrace& trace = *series->posterior;
  const Eigen::Index row = row_of(audit, audit.focus_step);
  std::vector<Statement> all;
  if (!std::isfinite(trace.worst_sd[row])) return all;

  std::string text = "The posterior of the " + series->label + " (" + sign_in_words(series->sign) + ") reads";
  for (int axis = 0; axis < 3; ++axis) {
    text += std::string(axis == 0 ? " F" : ", F") + kAxes[axis] + " = " +
            signed_with_sd(series->wrench(row, axis), trace.sd(row, axis));
  }
  const Eigen::Index first = audit.audited.reconstruction.first_step;
  text += " in the same step. It observes " + std::to_string(trace.observable[row]) + " of " + force_directions(trace) +
          ": along (" + number_text(trace.worst_direction(row, 0)) + ", " + number_text(trace.worst_direction(row, 1)) +
          ", " + number_text(trace.worst_direction(row, 2)) + ") its sd is " + number_text(trace.worst_sd[row]) + " N";
  if (std::isfinite(trace.worst_sd[0])) {
    text += ", and at step " + std::to_string(first) + " it was " + number_text(trace.worst_sd[0]) + " N already";
  }
  all.push_back({Topic::posterior, text + "."});
  if (!trace.senses.empty()) {
    all.push_back(
        {Topic::posterior, "The limb of the " + series->label + " " + trace.senses +
                               ": its verdicts are of the force that it can sense, and in the rest the number "
                               "is about 0 whatever acts there."});
  }

  if (const std::string place = place_text(audit, *series); !place.empty()) all.push_back({Topic::posterior, place});

  std::string reliability;
  for (const ReliabilityTable& table : audit.reliability) {
    if (table.endpoint != audit.focus_endpoint) continue;
    for (const ReliabilityTable::Row& entry : table.rows) {
      if (entry.joint != audit.reference_joint) continue;
      reliability += reliability.empty() ? "The smallest torque error of " + entry.joint + " that is detected: "
                                         : "; " + table.episode + ": ";
      reliability += number_text(entry.detectable_bias) + " N·m if contacts are as the prior states, ";
      reliability += std::isfinite(entry.prior_free_bias) ? number_text(entry.prior_free_bias) + " N·m for any contact"
                                                          : "none for contacts of any size";
      reliability += " (redundancy " + number_text(entry.prior_free_redundancy) + ")";
    }
  }
  if (!reliability.empty()) all.push_back({Topic::reliability, reliability + "."});
  std::string blind;
  for (const ReliabilityTable& table : audit.reliability) {
    if (table.endpoint != audit.focus_endpoint) continue;
    std::string joints;
    for (const ReliabilityTable::Row& entry : table.rows) {
      if (entry.undetectable) joints += (joints.empty() ? "" : ", ") + entry.motor_label;
    }
    if (!joints.empty()) blind += (blind.empty() ? "" : "; ") + table.episode + ": " + joints;
  }
  if (!blind.empty() && always_blind(audit)) {
    all.push_back(
        {Topic::undetectable,
         "An arm without a spare joint, as this one, distinguishes no torque's error from a contact, at any joint and "
         "in any pose: six torques fit some wrench whatever they are."});
  } else if (!blind.empty()) {
    all.push_back(
        {Topic::undetectable,
         "Joints whose torque could be wrong by all that their motor can exert and still be explained by some "
         "contact, however large: " +
             blind + "."});
  }

  if (const std::string causes = causes_text(audit); !causes.empty()) all.push_back({Topic::cause_test, causes});

  const double behind = largest_norm(series->guarded_force);
  const double given = audit.audited.reconstruction.find(audit.focus_endpoint, EstimatorName::deployed).peak_force;
  const std::string plain = estimator_word(audit), reader = reader_word(audit);
  text = "Behind the posterior's guard the " + reader + " would have read at most " + number_text(behind) + " N, " +
         (behind > given ? "more than the " : "where the " + plain + " gave it up to ") + number_text(given) +
         (behind > given ? " N of the " + plain + "." : " N.");
  if (trace.observable[row] < 3 - trace.insensible) {
    text += " At step " + std::to_string(audit.focus_step) + " the torques show only " +
            std::to_string(trace.observable[row]) + " of " + force_directions(trace) +
            ": a small number there means little information, not a small force.";
  }
  if (trace.first_refusal < 0) {
    text += " The guard never refuses.";
  } else {
    const Reasons because = trace.because[static_cast<std::size_t>(trace.first_refusal)];
    text += " The guard refuses from " + step_text(audit, first + trace.first_refusal) + " on" +
            (because.has(Reason::force_limit) ? " (a force beyond what its " + reader + " was made for)." : ".");
  }
  text += trace.first_alarm < 0
              ? " Its tests never alarm: some contact of the size that the prior allows always explains the torques."
              : " Its tests first alarm at " + step_text(audit, first + trace.first_alarm) +
                    ": no contact that the rows show, of the size that the prior allows, explains the torques.";
  for (const Counterfactual& c : audit.counterfactuals) {
    if (c.remedy != Remedy::guarded_posterior && c.remedy != Remedy::nis_alarm) continue;
    std::string shares;
    for (const auto& alarm : c.false_alarms) {
      shares += (shares.empty() ? "" : ", ") + number_text(100.0 * alarm.share) + " % of " + alarm.baseline;
      if (alarm.degraded_steps > 0) shares += " (degraded in " + number_text(100.0 * alarm.degraded_share) + " %)";
    }
    if (!shares.empty()) {
      text += (c.remedy == Remedy::nis_alarm ? " The tests alarm in " : " The guard refuses in ") + shares + '.';
    }
  }
  all.push_back({Topic::guarded_posterior, text});
  return all;
}

}  // namespace detail
}  // namespace antaeus
