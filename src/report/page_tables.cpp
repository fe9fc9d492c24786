#include <cmath>

#include "report/html_text.hpp"
#include "report/page.hpp"

namespace antaeus::parts {

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
          .number(c.kind == "estimator" ? "–" : step_link(c.first_act))
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

void attribution_section(std::string& out, const Audit& audit) {
  for (const Attribution& a : audit.attributions) {
    if (a.estimator != "deployed") continue;
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
            .text(audit.motor_labels[static_cast<std::size_t>(j)])
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
  if (audit.audited.preflight.checks.empty()) return;
  out += "<section id=\"preflight\"><h2>Pre-flight, had it been run</h2>\n";
  {
    HtmlTable table(out, "Checks at the first valid step", {"check", "subject", "#value", "#limit", "result"});
    for (const PreflightCheck& c : audit.audited.preflight.checks) {
      table.row(c.passed ? nullptr : "failed")
          .text(c.name == "gain" ? "gain [N/(N·m)]" : "start error [rad]")
          .text(c.subject)
          .number(fixed(c.value, 3))
          .number(fixed(c.limit, 3))
          .text(c.passed ? "passes" : "refuses the start")
          .end();
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
          .text(a.peak_torque_motor < 0 ? "" : audit.motor_labels[static_cast<std::size_t>(a.peak_torque_motor)])
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
          .text(o.info.source)
          .end();
    }
  }
  out += "</details></section>\n";
}

}  // namespace antaeus::parts
