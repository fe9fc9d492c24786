// The tables of an audit's page: what few need, but whoever needs it needs it whole.
#include <algorithm>
#include <cmath>

#include "antaeus/core/number_text.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "audit/audit_shared.hpp"
#include "report/audit_sections.hpp"
#include "report/audit_series.hpp"
#include "report/page_words.hpp"

namespace antaeus::detail {

namespace {

/// Changes of a guard that a page lists; the rest is in summary.json.
constexpr std::size_t kMostChanges = 40;
/// Steps of a log's begin that stand side by side: up to the focus step, within these.
constexpr Eigen::Index kFewestSteps = 9, kMostSteps = 40;
using Mark = TableBlock::Row::Mark;

Prose number(double value, int digits) { return Quantity{value, "", digits}; }

/// "sd [N]": a check of the pre-flight with its unit.
std::string check_title(const PreflightCheck& check) {
  constexpr const char* kUnits[] = {" [N/(N·m)]", " [rad]", " [N]", " [N]"};
  return in_words(to_string(check.kind)) + kUnits[static_cast<std::size_t>(check.kind)];
}

}  // namespace

StateWord state_word(Verdict state) {
  constexpr Tone kTones[] = {Tone::green, Tone::orange, Tone::vermillion};
  const int lane = state_lane(state);
  return {kStateNames[lane], kTones[lane]};
}

Section remedies_section(const Audit& audit) {
  const bool compared = !audit.baselines.empty();
  TableBlock table{
      "Force that the " + reader_word(audit) + " would have read" + (compared ? ", and alarms in the baselines" : ""),
      {"remedy", "#first acts at step", "#Fx [N]", "#Fy [N]", "#Fz [N]", "#largest |F| [N]", "consequence"},
      {}};
  if (compared) table.heads.emplace_back("alarms");
  for (const Counterfactual& c : audit.counterfactuals) {
    std::string alarms;
    for (const auto& f : c.false_alarms) {
      alarms += (alarms.empty() ? "" : "; ") + f.baseline + " " +
                (f.steps == 0 ? "none" : display_number(100.0 * f.share, 1) + " %");
      if (f.degraded_steps > 0) alarms += ", degraded " + display_number(100.0 * f.degraded_share, 1) + " %";
    }
    if (alarms.empty()) alarms = "–";
    table.rows.push_back({{c.title, c.kind == RemedyKind::estimator ? Prose("–") : Prose(StepLink{c.first_act}),
                           number(c.force_at_focus.x(), 1), number(c.force_at_focus.y(), 1),
                           number(c.force_at_focus.z(), 1), number(c.largest_force_read, 1), c.consequence}});
    if (compared) table.rows.back().cells.emplace_back(alarms);
  }
  return {"remedies", "What each remedy would have done", {table}, true};
}

Section guard_section(const Audit& audit) {
  Section section{"guard", "The posterior’s guard", {}, true};
  for (const EstimateSeries* hand : consumed_posteriors(audit)) {
    const std::vector<GuardInterval> intervals = guard_timeline(*hand, audit.audited.reconstruction.first_step);
    TableBlock table{"States at the " + label_of(*hand),
                     {"#from step", "#to step", "state", "the " + reader_word(audit) + " reads", "because"},
                     {}};
    for (std::size_t i = 0; i < std::min(intervals.size(), kMostChanges); ++i) {
      const GuardInterval& interval = intervals[i];
      table.rows.push_back({{StepLink{interval.from}, StepLink{interval.to}, state_word(interval.state),
                             action_in_words(interval.action),
                             interval.because.empty() ? "no reason against it" : reasons_in_words(interval.because)}});
    }
    section.blocks.emplace_back(table);
    if (intervals.size() > kMostChanges) {
      section.blocks.emplace_back(Paragraph{"The first " + std::to_string(kMostChanges) + " of " +
                                                std::to_string(intervals.size()) +
                                                " intervals; all are in summary.json.",
                                            true});
    }
  }
  return section;
}

Section reliability_section(const Audit& audit) {
  Section section{"reliability", "Which joint could lie unnoticed", {}, true};
  for (const EstimateSeries* hand : consumed_posteriors(audit)) {
    const std::vector<const ReliabilityTable*> tables = reliability_of(audit, hand->endpoint);
    if (tables.empty() || tables.front()->rows.empty()) continue;
    if (section.blocks.empty()) {
      section.blocks.emplace_back(Paragraph{
          "Redundancy is the share of an error in a joint’s torque that shows, contacts being of the size that the "
          "prior allows. A test finds the error from the stated size on; one just below it shifts the estimated force "
          "by as much as stated, unnoticed. The last value makes no assumption on the contact’s size: undetectable is "
          "a joint whose error, up to all that its motor can make, some large enough contact explains.",
          true});
    }
    TableBlock table{"Reliability of the posterior at the " + label_of(*hand) + " at step " +
                         std::to_string(tables.front()->step) + ", joint by joint",
                     {"joint", "#motor [N·m]"},
                     {}};
    for (const ReliabilityTable* one : tables) {
      for (const char* head : {"#redundancy, ", "#found from [N·m]", "#any contact [N·m]"}) {
        table.heads.push_back(std::string(head) + (std::string_view(head).ends_with(' ') ? one->episode : ""));
      }
    }
    table.heads.push_back("#shift in " + tables.front()->episode + " [N]");
    for (const ReliabilityTable::Row& first : tables.front()->rows) {
      std::vector<Prose> cells = {first.motor_label, number(first.torque_limit, 0)};
      for (const ReliabilityTable* other : tables) {
        const auto row = std::find_if(other->rows.begin(), other->rows.end(),
                                      [&](const ReliabilityTable::Row& r) { return r.joint == first.joint; });
        if (row == other->rows.end()) {
          cells.insert(cells.end(), 3, "–");
          continue;
        }
        cells.emplace_back(Quantity{row->redundancy});
        cells.push_back(number(row->detectable_bias, 1));
        Prose any = std::isinf(row->prior_free_bias) ? Prose("no size") : number(row->prior_free_bias, 1);
        if (row->undetectable) any << " " << Strong{"undetectable"};
        cells.push_back(any);
      }
      cells.push_back(std::isinf(first.external_force) ? Prose("no bound") : number(first.external_force, 1));
      table.rows.push_back({cells});
    }
    section.blocks.emplace_back(table);
  }
  return section;
}

Section attribution_section(const Audit& audit) {
  Section section{"attribution", "Where the force comes from", {}, true};
  for (const Attribution& a : audit.attributions) {
    if (a.estimator != EstimatorName::deployed) continue;
    TableBlock table{"What each joint adds to the force at step " + std::to_string(a.step) + " (" + a.endpoint +
                         "); joints that cannot reach it are left out",
                     {"joint", "#τ [N·m]", "#gravity [N·m]", "#residual [N·m]", "#adds to Fx [N]", "#adds to Fy [N]",
                      "#adds to Fz [N]"},
                     {}};
    for (Eigen::Index j = 0; j < a.residual.size(); ++j) {
      if (a.contribution.col(j).head<3>().isZero(0.0)) continue;
      table.rows.push_back(
          {{audit.motor_labels[j], number(a.tau[j], 2), number(a.gravity[j], 2), number(a.residual[j], 2),
            number(a.contribution(0, j), 1), number(a.contribution(1, j), 1), number(a.contribution(2, j), 1)},
           j == a.largest ? Mark::strong : Mark::none});
    }
    table.rows.push_back(
        {{"sum", "", "", "", number(a.wrench[0], 1), number(a.wrench[1], 1), number(a.wrench[2], 1)}, Mark::strong});
    section.blocks.emplace_back(table);
  }
  return section;
}

Section poses_section(const Audit& audit) {
  TableBlock table{
      "Reference residuals of one episode through the gain of a pose",
      {"residuals of", "pose", "#gain Fz [N/(N·m)]", "#κ", "#Fz at the focus step [N]", "#largest |Fz| [N]"},
      {}};
  for (const PoseCounterfactual& p : audit.pose_counterfactuals) {
    table.rows.push_back({{p.residuals_of, p.pose, number(p.gain, 2), number(p.kappa, 1), number(p.force_at_focus, 1),
                           number(p.largest_force, 1)}});
  }
  return {"poses", "The same torques in another pose", {table}, true};
}

Section preflight_section(const Audit& audit) {
  TableBlock table{"Checks at the first valid step", {"check", "subject", "#value", "#limit", "result"}, {}};
  const PreflightReport& preflight = audit.audited.preflight;
  for (const auto* list : {&preflight.checks, &preflight.conditioning_checks}) {
    for (const PreflightCheck& c : *list) {
      table.rows.push_back({{check_title(c), c.subject, std::isinf(c.value) ? Prose("∞") : number(c.value, 3),
                             number(c.limit, 3), c.passed ? "passes" : "refuses the start"},
                            c.passed ? Mark::none : Mark::failed});
    }
  }
  Section section{"preflight", "Pre-flight, had it been run", {table}, true};
  if (preflight.used_imu) {
    section.blocks.emplace_back(Paragraph{"The base was turned as the logged IMU measured at that step.", true});
  }
  return section;
}

Section contacts_section(const Audit& audit) {
  TableBlock table{"Intervals in which the posterior’s force is larger than its noise and friction can make",
                   {"endpoint", "#from step", "#from [s]", "#to step", "#to [s]", "#median |F| [N]", "#sd [N]"},
                   {}};
  for (const ContactInterval& c : audit.contacts) {
    table.rows.push_back({{c.label, StepLink{c.from}, number(c.from_time, 2), StepLink{c.to}, number(c.to_time, 2),
                           number(c.size, 1), number(c.size_sd, 1)}});
  }
  const Paragraph note{"Each is a contact, or an error of the torques larger than the robot’s profile states.", true};
  Section section{"contacts", "Forces that stand out", {}, table.rows.size() > 12};
  if (!table.rows.empty()) section.blocks = {table, note};
  return section;
}

Section episodes_section(const Audit& audit) {
  const bool reference = !audit.reference_joint.empty();
  TableBlock table{
      reference ? "What each log holds, and the torque of " + audit.reference_joint + " in it" : "What each log holds",
      {"episode", "#steps", "#peak torque [N·m]", "joint", "not recorded"},
      {}};
  if (reference) {
    const std::initializer_list<std::string> heads = {"#|mean τ| [N·m]", "#mean |τ|", "#sd", "#max |τ|", "#p99 |τ|"};
    table.heads.insert(table.heads.begin() + 2, heads);
  }
  const auto row = [&](const EpisodeAudit& a) {
    std::string missing;
    for (const std::string& name : a.episode.missing) missing += (missing.empty() ? "" : ", ") + name;
    std::vector<Prose> cells = {a.episode.name, number(static_cast<double>(a.episode.steps()), 0)};
    if (reference) {
      for (const double value : {std::abs(a.reference.mean), a.reference.mean_magnitude, a.reference.deviation,
                                 a.reference.maximum, a.reference.p99}) {
        cells.push_back(number(value, 2));
      }
    }
    cells.push_back(number(a.peak_torque, 1));
    cells.emplace_back(a.peak_torque_motor < 0 ? "" : audit.motor_labels[a.peak_torque_motor]);
    cells.emplace_back(missing);
    table.rows.push_back({cells});
  };
  row(audit.audited);
  for (const EpisodeAudit& baseline : audit.baselines) row(baseline);
  return {"episodes", "Episodes", {table}, true};
}

Section first_steps_section(const Audit& audit) {
  Section section{"first-steps", "First steps, side by side", {}, true};
  if (audit.baselines.empty() || audit.focus_step < 0) return section;
  const bool reference = !audit.reference_joint.empty();
  TableBlock table{"The first steps at the " + label_of(audit, audit.focus_endpoint) + " " + as_deployed(audit) +
                       (reference ? "; r: torque of " + audit.reference_joint +
                                        " beyond gravity [N·m], g: its gain into Fz [N/(N·m)]"
                                  : ""),
                   {"#step"},
                   {}};
  std::vector<const EpisodeAudit*> episodes = {&audit.audited};
  for (const EpisodeAudit& baseline : audit.baselines) episodes.push_back(&baseline);
  for (const EpisodeAudit* e : episodes) {
    if (reference) {
      table.heads.push_back("#r, " + e->episode.name);
      table.heads.emplace_back("#g");
    }
    table.heads.push_back(reference ? "#κ" : "#κ, " + e->episode.name);
    table.heads.emplace_back("#Fz [N]");
    table.heads.emplace_back("#|F| [N]");
  }
  const Eigen::Index rows = std::clamp<Eigen::Index>(row_of(audit, audit.focus_step) + 1, kFewestSteps, kMostSteps);
  for (Eigen::Index i = 0; i < rows && i < audit.audited.reconstruction.steps(); ++i) {
    const Eigen::Index step = audit.audited.reconstruction.first_step + i;
    std::vector<Prose> cells = {StepLink{step}};
    for (const EpisodeAudit* e : episodes) {
      const EstimateSeries* s = series_of(*e, audit.focus_endpoint, EstimatorName::deployed);
      if (!s || i >= e->reconstruction.steps()) {
        cells.insert(cells.end(), reference ? 5 : 3, "–");
        continue;
      }
      if (reference) {
        cells.push_back(number(e->reconstruction.reference_residual[i], 2));
        cells.push_back(number(s->reference_gain(i, kFz), 2));
      }
      cells.push_back(number(s->kappa[i], 1));
      cells.push_back(number(s->wrench(i, kFz), 1));
      cells.push_back(number(s->force_norm[i], 1));
    }
    table.rows.push_back({cells, step == audit.focus_step ? Mark::strong : Mark::none});
  }
  section.blocks.emplace_back(std::move(table));
  return section;
}

Section joints_section(const Audit& audit) {
  const bool compared = !audit.baselines.empty();
  TableBlock table{compared ? "Range over the episode and error at its first step, with the baselines"
                            : "Range over the episode and error at its first step",
                   {"joint", "#minimum [°]", "#maximum [°]", "#first q [rad]", "#first target [rad]", "#error [rad]"},
                   {}};
  for (const EpisodeAudit& baseline : audit.baselines) {
    table.heads.push_back("#minimum [°], " + baseline.episode.name);
    table.heads.insert(table.heads.end(), {"#maximum [°]", "#error [rad]"});
  }
  const auto add_range = [](std::vector<Prose>& cells, const JointRange& range) {
    cells.push_back(number(range.minimum * kDegrees, 1));
    cells.push_back(number(range.maximum * kDegrees, 1));
  };
  for (std::size_t j = 0; j < audit.audited.ranges.size(); ++j) {
    const JointRange& range = audit.audited.ranges[j];
    std::vector<Prose> cells = {range.label};
    add_range(cells, range);
    if (j < audit.audited.start_errors.size()) {
      const StartError& e = audit.audited.start_errors[j];
      for (const double value : {e.position, e.target, e.error}) cells.push_back(number(value, 3));
    } else {
      cells.insert(cells.end(), 3, "–");
    }
    for (const EpisodeAudit& baseline : audit.baselines) {
      add_range(cells, baseline.ranges[j]);
      cells.push_back(j < baseline.start_errors.size() ? number(baseline.start_errors[j].error, 3) : Prose("–"));
    }
    table.rows.push_back({cells});
  }
  return {"joints", "Joints", {table}, true};
}

/// What the page calls things.
static Definitions words(const Audit& audit) {
  return {{{estimator_word(audit), std::string(audit.has_deployed ? "the one that the robot runs: " : "") +
                                       "pseudo-inverse of the endpoint’s Jacobian times torque beyond "
                                       "gravity"},
           {"residual", "torque beyond gravity, τ − g(q)"},
           {"gain", "what 1 N·m of error in one joint’s torque adds to the estimated force"},
           {"condition number κ",
            "largest over smallest gain of the inverted matrix; large: some force direction hardly "
            "shows in the torques"},
           {"prior", "how large a contact, friction or error is expected to be before the torques are read"},
           {"posterior", "what is known of the force after the torques are read: a number and its standard deviation"},
           {"sd",
            "standard deviation: the true value lies within two of them in 19 of 20 cases, if noise and priors "
            "are as stated"},
           {"NIS",
            "normalised innovation squared: how far the torques are from what the posterior expects; above its "
            "limit they contradict every contact within the prior"},
           {"guard", "passes, warns or refuses a number before anything acts on it"},
           {reader_word(audit),
            std::string("the ") + (audit.has_deployed ? "policy or controller" : "program") + " that reads the force"},
           {"baseline", "a log to compare with, given by whoever ran the audit; it was not checked for contacts"}}};
}

static TableBlock settings_table(const std::vector<OptionValue>& settings) {
  TableBlock table{"Every setting of this audit", {"option", "value", "unit", "meaning", "source"}, {}};
  for (const OptionValue& o : settings) {
    table.rows.push_back({{o.group + "." + o.info.name, o.value, o.info.unit, o.info.meaning, o.source}});
  }
  return table;
}

Section provenance_section(const Audit& audit) {
  Section section{"provenance", "How this was made", {}, false};
  Prose made = "Robot " + audit.robot_title + ", ";
  made << Quantity{audit.total_mass, "kg", 3} << "; base: " + audit.base_text + payloads_text(audit.payloads);
  if (audit.base != Base::fixed) made << "; its orientation: " + audit.base_orientation;
  made << ". Residual: static, τ − g(q). Wrenches at the endpoint’s origin in world axes.";
  section.blocks.emplace_back(Paragraph{made});
  if (!audit.command.empty()) {
    section.blocks.emplace_back(Paragraph{"Reproduce it with this line, in the folder that holds the log:"});
    section.blocks.emplace_back(CodeLine{audit.command});
  }
  section.blocks.emplace_back(Folded{"Words used on this page", {words(audit)}});
  section.blocks.emplace_back(Folded{"Hashes, and every setting",
                                     {Definitions{{{"log, SHA-256", audit.audited.episode.sha256},
                                                   {"model, SHA-256", audit.model_sha256},
                                                   {"profile, SHA-256", audit.profile_sha256},
                                                   {"Antaeus", audit.version}}},
                                      settings_table(audit.settings)}});
  return section;
}

}  // namespace antaeus::detail
