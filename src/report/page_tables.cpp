#include <algorithm>
#include <cmath>

#include "audit/parts.hpp"
#include "draw/html_text.hpp"
#include "report/audit_series.hpp"
#include "report/page.hpp"

namespace antaeus::parts {

namespace {

/// Changes of a guard that a page lists; the rest is in summary.json.
constexpr std::size_t kMostChanges = 40;

/// "sd [N]": a check of the pre-flight with its unit.
std::string check_title(const PreflightCheck& check) {
  constexpr const char* kUnits[] = {" [N/(N·m)]", " [rad]", " [N]", " [N]"};
  return in_words(to_string(check.kind)) + kUnits[static_cast<std::size_t>(check.kind)];
}

}  // namespace

void figure_element(std::string& out, const NamedFigure& figure) {
  out += "<figure id=\"figure-" + escaped(figure.id) + "\"><h3>" + escaped(figure.title) + "</h3>\n" + figure.svg +
         "\n<figcaption class=\"prose\">" + prose(figure.caption) + "</figcaption></figure>\n";
}

void counterfactual_section(std::string& out, const Audit& audit) {
  if (audit.counterfactuals.empty()) return;
  out += "<section id=\"remedies\"><h2>What each remedy would have done</h2>\n";
  {
    HtmlTable table(out, "Force that the consumer would have read, and alarms in the good runs",
                    {"remedy", "#first acts at step", "#Fx [N]", "#Fy [N]", "#Fz [N]", "#largest |F| [N]",
                     "consequence", "false alarms"});
    for (const Counterfactual& c : audit.counterfactuals) {
      std::string alarms;
      for (const auto& f : c.false_alarms) {
        alarms += (alarms.empty() ? "" : "; ") + f.baseline + " " +
                  (f.steps == 0 ? "none" : fixed(100.0 * f.share, 1) + " %");
      }
      if (alarms.empty()) alarms = audit.baselines.empty() ? "no good run given" : "–";
      table.row()
          .text(c.title)
          .number(c.kind == RemedyKind::estimator ? "–" : step_link(c.first_act))
          .number(fixed(c.force_at_focus.x(), 1))
          .number(fixed(c.force_at_focus.y(), 1))
          .number(fixed(c.force_at_focus.z(), 1))
          .number(fixed(c.largest_force_read, 1))
          .raw("<td class=\"prose\">" + prose(c.consequence) + "</td>")
          .text(alarms)
          .end();
    }
  }
  out += "</section>\n";
}

void guard_section(std::string& out, const Audit& audit) {
  const std::vector<const EstimateSeries*> hands = consumed_posteriors(audit);
  if (hands.empty()) return;
  out += "<section id=\"guard\"><h2>The posterior’s guard</h2>\n";
  for (const EstimateSeries* hand : hands) {
    const std::vector<GuardInterval> intervals = guard_timeline(*hand, audit.audited.reconstruction.first_step);
    {
      HtmlTable table(out, "States at the " + label_of(*hand),
                      {"#from step", "#to step", "state", "the consumer reads", "because"});
      for (std::size_t i = 0; i < std::min(intervals.size(), kMostChanges); ++i) {
        const GuardInterval& interval = intervals[i];
        const int lane = state_lane(interval.state);
        table.row()
            .number(step_link(interval.from))
            .number(step_link(interval.to))
            .raw("<td><span class=\"state " + std::string(kStateNames[lane]) + "\">" + kStateNames[lane] +
                 "</span></td>")
            .text(action_in_words(interval.action))
            .text(interval.because.empty() ? "nothing speaks against it" : reasons_in_words(interval.because))
            .end();
      }
    }
    if (intervals.size() > kMostChanges) {
      out += "<p class=\"prose quiet note\">The first " + std::to_string(kMostChanges) + " of " +
             std::to_string(intervals.size()) + " intervals; all are in summary.json.</p>\n";
    }
  }
  out += "</section>\n";
}

void reliability_section(std::string& out, const Audit& audit) {
  bool open = false;
  for (const EstimateSeries* hand : consumed_posteriors(audit)) {
    const std::vector<const ReliabilityTable*> tables = reliability_of(audit, hand->endpoint);
    if (tables.empty() || tables.front()->rows.empty()) continue;
    if (!open) {
      out +=
          "<section id=\"reliability\"><h2>Which joint could lie unnoticed</h2>\n<p class=\"quiet note "
          "lead\">Redundancy is the share of an error in a joint’s torque that shows, contacts being of the size "
          "that the prior allows. A test finds the error from the stated size on; one just below it shifts the "
          "estimated force by as much as stated, unnoticed. The last figure makes no assumption on the contact’s size: "
          "undetectable is a joint whose error, up to all that its motor can make, some large enough contact "
          "explains.</p>\n";
    }
    open = true;
    std::vector<std::string> heads = {"joint", "#motor [N·m]"};
    for (const ReliabilityTable* table : tables) {
      heads.push_back("#redundancy, " + table->episode);
      heads.emplace_back("#found from [N·m]");
      heads.emplace_back("#any contact [N·m]");
    }
    heads.push_back("#shift in " + tables.front()->episode + " [N]");
    HtmlTable table(out,
                    "Reliability of the posterior at the " + label_of(*hand) + " at step " +
                        std::to_string(tables.front()->step) + ", joint by joint",
                    heads);
    for (const ReliabilityTable::Row& first : tables.front()->rows) {
      table.row().text(first.motor_label).number(fixed(first.torque_limit, 0));
      for (const ReliabilityTable* other : tables) {
        const auto row = std::find_if(other->rows.begin(), other->rows.end(),
                                      [&](const ReliabilityTable::Row& r) { return r.joint == first.joint; });
        if (row == other->rows.end()) {
          table.number("–").number("–").number("–");
          continue;
        }
        table.number(number_text(row->redundancy))
            .number(fixed(row->detectable_bias, 1))
            .number((std::isinf(row->prior_free_bias) ? "no size" : fixed(row->prior_free_bias, 1)) +
                    (row->undetectable ? "<br><strong class=\"undetectable\">undetectable</strong>" : ""));
      }
      table.number(std::isinf(first.external_force) ? "no bound" : fixed(first.external_force, 1)).end();
    }
  }
  if (open) out += "</section>\n";
}

void attribution_section(std::string& out, const Audit& audit) {
  for (const Attribution& a : audit.attributions) {
    if (a.estimator != EstimatorName::deployed) continue;
    out += "<section id=\"attribution\"><h2>Where the force comes from</h2>\n";
    {
      HtmlTable table(out,
                      "What each joint adds to the force at step " + std::to_string(a.step) + " (" + a.endpoint +
                          "); joints that cannot reach it are left out",
                      {"joint", "#τ [N·m]", "#gravity [N·m]", "#residual [N·m]", "#adds to Fx [N]", "#adds to Fy [N]",
                       "#adds to Fz [N]"});
      for (Eigen::Index j = 0; j < a.residual.size(); ++j) {
        if (a.contribution.col(j).head<3>().isZero(0.0)) continue;
        table.row(j == a.largest ? "largest" : nullptr)
            .text(audit.motor_labels[j])
            .number(fixed(a.tau[j], 2))
            .number(fixed(a.gravity[j], 2))
            .number(fixed(a.residual[j], 2))
            .number(fixed(a.contribution(0, j), 1))
            .number(fixed(a.contribution(1, j), 1))
            .number(fixed(a.contribution(2, j), 1))
            .end();
      }
      table.row("sum").text("sum").number("").number("").number("");
      for (int row = 0; row < 3; ++row) table.number(fixed(a.wrench[row], 1));
      table.end();
    }
    out += "</section>\n";
  }
}

void pose_section(std::string& out, const Audit& audit) {
  if (audit.pose_counterfactuals.empty()) return;
  out += "<section id=\"poses\"><h2>The same torques in another pose</h2>\n";
  {
    HtmlTable table(
        out, "Reference residuals of one episode through the gain of a pose",
        {"residuals of", "pose", "#gain Fz [N/(N·m)]", "#κ", "#Fz at the focus step [N]", "#largest |Fz| [N]"});
    for (const PoseCounterfactual& p : audit.pose_counterfactuals) {
      table.row()
          .text(p.residuals_of)
          .text(p.pose)
          .number(fixed(p.gain, 2))
          .number(fixed(p.kappa, 1))
          .number(fixed(p.force_at_focus, 1))
          .number(fixed(p.largest_force, 1))
          .end();
    }
  }
  out += "</section>\n";
}

void preflight_section(std::string& out, const Audit& audit) {
  const PreflightReport& preflight = audit.audited.preflight;
  if (preflight.checks.empty() && preflight.conditioning_checks.empty()) return;
  out += "<section id=\"preflight\"><h2>Pre-flight, had it been run</h2>\n";
  {
    HtmlTable table(out, "Checks at the first valid step", {"check", "subject", "#value", "#limit", "result"});
    for (const auto* list : {&preflight.checks, &preflight.conditioning_checks}) {
      for (const PreflightCheck& c : *list) {
        table.row(c.passed ? nullptr : "failed")
            .text(check_title(c))
            .text(c.subject)
            .number(std::isinf(c.value) ? "∞" : fixed(c.value, 3))
            .number(fixed(c.limit, 3))
            .text(c.passed ? "passes" : "refuses the start")
            .end();
      }
    }
  }
  out += "</section>\n";
}

void episodes_section(std::string& out, const Audit& audit) {
  out += "<section id=\"episodes\"><h2>Episodes</h2>\n";
  {
    HtmlTable table(out, "What each log holds, and the reference joint's torque in it",
                    {"episode", "#steps", "#|mean τ| [N·m]", "#mean |τ|", "#sd", "#max |τ|", "#p99 |τ|",
                     "#peak torque [N·m]", "joint", "not recorded"});
    const auto row = [&](const EpisodeAudit& a) {
      std::string missing;
      for (const std::string& name : a.episode.missing) missing += (missing.empty() ? "" : ", ") + name;
      table.row()
          .text(a.episode.name)
          .number(std::to_string(a.episode.steps()))
          .number(fixed(std::abs(a.reference.mean), 2))
          .number(fixed(a.reference.mean_magnitude, 2))
          .number(fixed(a.reference.deviation, 2))
          .number(fixed(a.reference.maximum, 2))
          .number(fixed(a.reference.p99, 2))
          .number(fixed(a.peak_torque, 1))
          .text(a.peak_torque_motor < 0 ? "" : audit.motor_labels[a.peak_torque_motor])
          .text(missing)
          .end();
    };
    row(audit.audited);
    for (const EpisodeAudit& baseline : audit.baselines) row(baseline);
  }
  out += "</section>\n";
}

void joints_section(std::string& out, const Audit& audit) {
  out += "<section id=\"joints\"><h2>Joints</h2>\n";
  {
    HtmlTable table(out, "Range over the episode and error at its first step",
                    {"joint", "#minimum [°]", "#maximum [°]", "#first q [rad]", "#first target [rad]", "#error [rad]"});
    constexpr double kDegrees = 57.29577951308232;
    for (std::size_t j = 0; j < audit.audited.ranges.size(); ++j) {
      const JointRange& range = audit.audited.ranges[j];
      table.row()
          .text(range.label)
          .number(fixed(range.minimum * kDegrees, 1))
          .number(fixed(range.maximum * kDegrees, 1));
      if (j < audit.audited.start_errors.size()) {
        const StartError& e = audit.audited.start_errors[j];
        table.number(fixed(e.position, 3)).number(fixed(e.target, 3)).number(fixed(e.error, 3));
      } else {
        table.number("–").number("–").number("–");
      }
      table.end();
    }
  }
  out += "</section>\n";
}

void provenance_section(std::string& out, const Audit& audit) {
  out += "<section id=\"provenance\"><h2>How this was made</h2>\n<p class=\"prose\">Robot " +
         escaped(audit.robot_title) + ", " + fixed(audit.total_mass, 3) +
         " kg; base orientation: " + escaped(audit.base_orientation) +
         ". Residual: static, τ − g(q). Wrenches at the endpoint’s origin in world axes.</p>\n";
  if (!audit.command.empty()) {
    out += "<p>Reproduce it with</p><pre tabindex=\"0\"><code>" + escaped(audit.command) + "</code></pre>\n";
  }
  out += "<dl class=\"hashes\"><dt>log, SHA-256</dt><dd><code>" + escaped(audit.audited.episode.sha256) +
         "</code></dd><dt>model, SHA-256</dt><dd><code>" + escaped(audit.model_sha256) +
         "</code></dd><dt>profile, SHA-256</dt><dd><code>" + escaped(audit.profile_sha256) +
         "</code></dd><dt>Antaeus</dt><dd>" + escaped(audit.version) + "</dd></dl>\n";
  out += "<details><summary>Settings</summary>\n";
  {
    HtmlTable table(out, "Every setting of this audit", {"option", "value", "unit", "meaning", "source"});
    for (const OptionValue& o : audit.settings) {
      table.row()
          .text(o.group + "." + o.info.name)
          .text(o.value)
          .text(o.info.unit)
          .text(o.info.meaning)
          .text(o.source)
          .end();
    }
  }
  out += "</details></section>\n";
}

}  // namespace antaeus::parts
