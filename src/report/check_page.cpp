// The page of a check: the most severe finding, how to mend it, and what the channels say of each other.
#include <algorithm>
#include <cmath>

#include "antaeus/check/check_log.hpp"
#include "antaeus/core/words.hpp"
#include "antaeus/report/pages.hpp"
#include "report/check_sections.hpp"
#include "report/page_words.hpp"

namespace antaeus {

namespace detail {

std::vector<Answer> set_up_answers(const CheckResult& result) {
  std::vector<Answer> answers;
  Answer answer{"Does the log agree with the profile?", {}};
  for (const std::string& sentence : set_up_sentences(result)) answer.paragraphs.push_back({Prose(sentence)});
  if (!answer.paragraphs.empty()) answers.push_back(std::move(answer));
  return answers;
}

namespace {

Tone tone_of(Severity severity) {
  switch (severity) {
    case Severity::error: return Tone::vermillion;
    case Severity::warning: return Tone::orange;
    default: return Tone::muted;
  }
}

std::string plain_name(std::string_view name) {
  std::string words(name);
  std::ranges::replace(words, '_', ' ');
  return words;
}

Prose number_cell(double value, const std::string& unit = {}) {
  if (!std::isfinite(value)) return "–";
  return Quantity{value, unit};
}

Section findings_section(const CheckResult& result) {
  TableBlock table{
      "Most severe first. Margin: nats of evidence over the next explanation; none where no model was needed.",
      {"severity", "fault", "channel", "joints", "#size", "#± sd", "#margin", "what to do", "or"},
      {}};
  for (const Finding& finding : result.findings) {
    std::vector<std::string> others;
    for (const std::string& one : finding.alternatives) others.push_back(plain_name(one));
    table.rows.push_back({{StateWord{std::string(to_string(finding.severity)), tone_of(finding.severity)},
                           plain_name(to_string(finding.fault)), finding.channel, listed(finding.joints),
                           number_cell(finding.size, finding.unit), number_cell(finding.sd),
                           number_cell(finding.margin), finding.remedy, listed(others)}});
  }
  if (table.rows.empty()) return {"findings", "Findings", {}};
  return {"findings", "Findings", {std::move(table)}};
}

Section torque_section(const CheckResult& result) {
  if (result.robot.empty()) return {"torque", "What the torque channel is", {}};
  const TorqueDescription& torque = result.torque;
  Definitions words{{{"Stage", std::string(to_string(torque.stage))},
                     {"Sign", torque.sign},
                     {"Unit", torque.unit},
                     {"Order of columns", torque.order},
                     {"Gravity", std::string(to_string(torque.gravity))}}};
  return {"torque", "What the torque channel is", {std::move(words)}};
}

Section checked_joints_section(const CheckResult& result) {
  TableBlock table{
      "Moved: range of positions. Gain: channel per torque of the model. Zero: offset of the position that "
      "the torques show; rad or m. What the log does not show is grey.",
      {"joint", "#moved", "#gain", "#± sd", "#zero", "#± sd", "shows"},
      {}};
  for (const CheckedJoint& joint : result.joints) {
    const char* tells = joint.tells_gain && joint.tells_zero ? "gain and zero"
                        : joint.tells_gain                   ? "gain"
                        : joint.tells_zero                   ? "zero"
                                                             : "neither";
    table.rows.push_back({{joint.joint, number_cell(joint.moved), number_cell(joint.gain), number_cell(joint.gain_sd),
                           number_cell(joint.zero), number_cell(joint.zero_sd),
                           StateWord{tells, joint.tells_gain || joint.tells_zero ? Tone::green : Tone::muted}}});
  }
  if (table.rows.empty()) return {"joints", "Joints", {}};
  if (result.repairs > 0) table.caption = "Of the log once the findings are repaired. " + table.caption;
  const bool folded = table.rows.size() > kMostRows;
  return {"joints", "Joints", {std::move(table)}, folded};
}

bool has_numbers(const std::vector<double>& values) {
  return std::ranges::any_of(values, [](double value) { return std::isfinite(value); });
}

/// d(q)/dt beside dq, and the channel beside the model's gravity.
Section channels_figure(const CheckSeries& series) {
  Figure figure;
  figure.id = "channels", figure.title = "The channels of " + series.joint + " compared";
  figure.description = "Logged velocity and the derivative of the position; torque and the gravity of the model.";
  const auto add = [&](const char* title, const char* unit, const char* first, const std::vector<double>& one,
                       const char* second, const std::vector<double>& other) {
    if (!has_numbers(one) || !has_numbers(other)) return;
    Panel panel;
    panel.title = title;
    panel.x.label = "time [s]", panel.y.label = unit;
    panel.y.include_zero = true;
    panel.curves.push_back({first, series.time, one, {.tone = Tone::vermillion, .dash = Dash::dotted, .width = 1.2}});
    panel.curves.push_back({second, series.time, other, {.tone = Tone::blue, .width = 1.0}});
    figure.panels.push_back(std::move(panel));
  };
  add("Velocity", "[rad/s or m/s]", "d(q)/dt", series.position_rate, "dq", series.velocity);
  add("Torque", "[N·m or N]", "gravity of the model", series.gravity, "channel, by the profile", series.torque);
  Section section{"channels", "The channels of " + series.joint, {}};
  if (figure.panels.empty()) return section;
  figure.panel_legends = true;
  section.blocks.emplace_back(Figures{{{figure.id, figure.title,
                                        "In a correct log the two lines of a panel coincide, except for "
                                        "friction, acceleration and contacts.",
                                        draw_figure(figure)}}});
  return section;
}

}  // namespace

}  // namespace detail

Page check_page(const CheckResult& result) {
  Page page;
  page.kicker = "Antaeus check" + (result.robot.empty() ? std::string() : " · " + result.robot);
  page.title = result.log;
  const std::vector<Finding> serious = serious_findings(result);
  const bool wrong = has_errors(result);
  page.badge = serious.empty() ? "no fault found" : wrong ? "configuration error" : "warning";
  page.badge_tone = serious.empty() ? Tone::green : wrong ? Tone::vermillion : Tone::orange;
  if (std::isfinite(result.duration)) {
    page.subtitle << Quantity{result.duration, "s"};
    if (std::isfinite(result.rate)) page.subtitle << " at " << Quantity{result.rate, "Hz"};
  }
  for (const CheckAnswer& told : check_story(result)) {
    Answer answer{told.question, {}};
    for (const std::string& sentence : told.sentences) answer.paragraphs.push_back({Prose(sentence)});
    page.answers.push_back(std::move(answer));
  }
  page.sections = {detail::findings_section(result), detail::channels_figure(result.series),
                   detail::checked_joints_section(result), detail::torque_section(result)};
  if (!result.command.empty()) page.sections.push_back({"again", "The same again", {CodeLine{result.command}}});
  return page;
}

}  // namespace antaeus
