#include "antaeus/report/html_report.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "io/text.hpp"

namespace antaeus {

namespace {

std::string escaped(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : valid_utf8(text)) {  // names of files may hold any byte
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      case '\'': safe += "&#39;"; break;
      default: safe += c;
    }
  }
  return safe;
}

std::string fixed(double value, int digits) {
  if (!std::isfinite(value)) return "–";
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, digits);
  if (end.ec != std::errc{}) return "–";
  std::string text(buffer.data(), end.ptr);
  if (text[0] == '-') text.replace(0, 1, text.find_first_not_of("-0.") == std::string::npos ? "" : "−");
  return text;
}

std::string step_cell(Eigen::Index step) { return step < 0 ? "never" : std::to_string(step); }

/// A table written row by row; numbers are aligned right.
class HtmlTable {
 public:
  HtmlTable(std::string& out, const char* caption, std::initializer_list<const char*> heads) : out_(out) {
    out_ += "<div class=\"scroll\"><table><caption>" + escaped(caption) + "</caption><thead><tr>";
    for (const char* head : heads) out_ += "<th scope=\"col\">" + escaped(head) + "</th>";
    out_ += "</tr></thead><tbody>\n";
  }
  ~HtmlTable() { out_ += "</tbody></table></div>\n"; }
  HtmlTable& row() {
    out_ += "<tr>";
    return *this;
  }
  HtmlTable& text(std::string_view t) {
    out_ += "<td>" + escaped(t) + "</td>";
    return *this;
  }
  HtmlTable& number(const std::string& n) {
    out_ += "<td class=\"n\">" + n + "</td>";
    return *this;
  }
  void end() { out_ += "</tr>\n"; }

 private:
  std::string& out_;
};

constexpr const char* kStyle = R"css(
:root{color-scheme:light dark;--ink:#1a1c1e;--paper:#fff;--line:#c9ced3;--soft:#f2f4f6;--accent:#b3261e}
@media (prefers-color-scheme:dark){:root{--ink:#e6e8ea;--paper:#15181b;--line:#3a4046;--soft:#1f2428;--accent:#ff8a80}}
body{margin:0 auto;max-width:72rem;padding:1.5rem;font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.2rem;margin-top:2.2rem;border-bottom:1px solid var(--line)}
.verdict{border-left:4px solid var(--accent);padding:.2rem 1rem;background:var(--soft)}
.scroll{overflow-x:auto}table{border-collapse:collapse;margin:1rem 0;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding:.3rem 0}th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
td.n{text-align:right;white-space:nowrap}code{font-size:.85em;overflow-wrap:anywhere}
)css";

void episodes_section(std::string& out, const Audit& audit) {
  out += "<h2>Episodes</h2>\n";
  HtmlTable table(out, "What each log holds, and the reference joint's torque in it",
                  {"episode", "steps", "|mean τ| [N·m]", "mean |τ|", "sd", "max |τ|", "p99 |τ|", "peak torque [N·m]",
                   "joint", "not recorded"});
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

void steps_section(std::string& out, const Audit& audit) {
  if (audit.focus_step < 0) return;
  const Reconstruction& r = audit.audited.reconstruction;
  const EstimateSeries& s = r.find(audit.focus_endpoint, "deployed");
  const Eigen::Index last = std::min(r.steps() - 1, std::max<Eigen::Index>(8, audit.focus_step - r.first_step));
  const Eigen::Index first = std::max<Eigen::Index>(0, last - 15);
  HtmlTable table(out, "Up to the focus step: deployed estimator at the focus endpoint",
                  {"step", "time [s]", "reference residual [N·m]", "gain Fz [N/(N·m)]", "κ", "Fx [N]", "Fy [N]",
                   "Fz [N]", "|F| [N]", "verdict"});
  for (Eigen::Index i = first; i <= last; ++i) {
    table.row()
        .number(std::to_string(r.first_step + i))
        .number(fixed(r.time.size() > 0 ? r.time[i] : std::nan(""), 3))
        .number(fixed(r.reference_residual[i], 2))
        .number(fixed(s.reference_gain(i, kFz), 2))
        .number(fixed(s.kappa[i], 1))
        .number(fixed(s.wrench(i, 0), 1))
        .number(fixed(s.wrench(i, 1), 1))
        .number(fixed(s.wrench(i, 2), 1))
        .number(fixed(s.force_norm[i], 1))
        .text(to_string(s.verdict[static_cast<std::size_t>(i)]))
        .end();
  }
}

void attribution_section(std::string& out, const Audit& audit) {
  for (const Attribution& a : audit.attributions) {
    if (a.estimator != "deployed") continue;
    out += "<h2>Where the force comes from</h2>\n";
    HtmlTable table(out, "Contribution of each joint at the focus step (joints that contribute nothing are left out)",
                    {"joint", "τ [N·m]", "gravity [N·m]", "residual [N·m]", "ΔFx [N]", "ΔFy [N]", "ΔFz [N]"});
    for (Eigen::Index j = 0; j < a.residual.size(); ++j) {
      if (a.contribution.col(j).head<3>().isZero(0.0)) continue;
      table.row()
          .text(audit.motor_labels[static_cast<std::size_t>(j)])
          .number(fixed(a.tau[j], 2))
          .number(fixed(a.gravity[j], 2))
          .number(fixed(a.residual[j], 2))
          .number(fixed(a.contribution(0, j), 1))
          .number(fixed(a.contribution(1, j), 1))
          .number(fixed(a.contribution(2, j), 1))
          .end();
    }
  }
}

void counterfactual_section(std::string& out, const Audit& audit) {
  if (audit.counterfactuals.empty()) return;
  out += "<h2>What each remedy would have done</h2>\n";
  HtmlTable table(
      out, "Force that the consumer would have read, and alarms in the good runs",
      {"remedy", "first acts at step", "Fx [N]", "Fy [N]", "Fz [N]", "largest |F| [N]", "consequence", "false alarms"});
  for (const Counterfactual& c : audit.counterfactuals) {
    std::string alarms;
    for (const auto& f : c.false_alarms) {
      alarms +=
          (alarms.empty() ? "" : "; ") + f.baseline + " " + (f.steps == 0 ? "none" : fixed(100.0 * f.share, 1) + " %");
    }
    table.row()
        .text(c.title)
        .number(c.kind == "estimator" ? "–" : step_cell(c.first_act))
        .number(fixed(c.force_at_focus.x(), 1))
        .number(fixed(c.force_at_focus.y(), 1))
        .number(fixed(c.force_at_focus.z(), 1))
        .number(fixed(c.largest_force_read, 1))
        .text(c.consequence)
        .text(alarms)
        .end();
  }
}

void pose_section(std::string& out, const Audit& audit) {
  if (audit.pose_counterfactuals.empty()) return;
  out += "<h2>The same torques in another pose</h2>\n";
  HtmlTable table(out, "Reference residuals of one episode through the gain of a pose",
                  {"residuals of", "pose", "gain Fz [N/(N·m)]", "κ", "Fz at the focus step [N]", "largest |Fz| [N]"});
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

void joints_section(std::string& out, const Audit& audit) {
  out += "<h2>Joints</h2>\n";
  HtmlTable table(out, "Range over the episode and error at its first step",
                  {"joint", "minimum [°]", "maximum [°]", "first q [rad]", "first target [rad]", "error [rad]"});
  constexpr double kDegrees = 57.29577951308232;
  for (std::size_t j = 0; j < audit.audited.ranges.size(); ++j) {
    const JointRange& range = audit.audited.ranges[j];
    table.row().text(range.label).number(fixed(range.minimum * kDegrees, 1)).number(fixed(range.maximum * kDegrees, 1));
    if (j < audit.audited.start_errors.size()) {
      const StartError& e = audit.audited.start_errors[j];
      table.number(fixed(e.position, 3)).number(fixed(e.target, 3)).number(fixed(e.error, 3));
    } else {
      table.number("–").number("–").number("–");
    }
    table.end();
  }
}

void provenance_section(std::string& out, const Audit& audit) {
  out += "<h2>How this was made</h2>\n<p>Robot " + escaped(audit.robot_title) + ", " + fixed(audit.total_mass, 3) +
         " kg; base orientation: " + escaped(audit.base_orientation) +
         ". Residual: static, τ − g(q). Wrenches at the endpoint's origin in world axes.</p>\n";
  out += "<p>SHA-256 of the log <code>" + escaped(audit.audited.episode.sha256) + "</code>, model <code>" +
         escaped(audit.model_sha256) + "</code>, profile <code>" + escaped(audit.profile_sha256) + "</code>. Antaeus " +
         escaped(audit.version) + ".</p>\n";
  if (!audit.command.empty()) out += "<p>Reproduce: <code>" + escaped(audit.command) + "</code></p>\n";
  HtmlTable table(out, "Settings", {"option", "value", "unit", "meaning", "source"});
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

}  // namespace

std::string html_report(const Audit& audit) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n<title>" +
      escaped("Antaeus audit: " + audit.audited.episode.name) + "</title><style>" + kStyle + "</style></head><body>\n";
  out += "<h1>" + escaped("Audit of " + audit.audited.episode.name) +
         "</h1>\n<section class=\"verdict\" aria-label=\"verdict\">\n";
  for (const Statement& s : audit.verdict) out += "<p id=\"" + escaped(s.id) + "\">" + escaped(s.text) + "</p>\n";
  out += "</section>\n<h2>What this log cannot tell</h2>\n<ul>\n";
  for (const Statement& s : audit.cannot_tell) out += "<li>" + escaped(s.text) + "</li>\n";
  out += "</ul>\n<h2>What happened</h2>\n";
  {
    HtmlTable table(out, "Events found in the data", {"step", "time [s]", "event"});
    for (const Event& e : audit.events)
      table.row().number(std::to_string(e.step)).number(fixed(e.time, 3)).text(e.text).end();
  }
  steps_section(out, audit);
  attribution_section(out, audit);
  counterfactual_section(out, audit);
  pose_section(out, audit);
  episodes_section(out, audit);
  joints_section(out, audit);
  provenance_section(out, audit);
  out += "</body></html>\n";
  return out;
}

}  // namespace antaeus
