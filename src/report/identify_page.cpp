// The page of an identification: the verdict, the estimates, what is left of the torques, and where it holds.
#include <algorithm>
#include <cmath>

#include "antaeus/identification/identify.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

namespace {

constexpr double kWithin95 = 1.959964;
constexpr std::size_t kMostOpen = 24;  ///< rows of a table that is not folded

class IdentifyPage {
 public:
  explicit IdentifyPage(const IdentifyResult& result) : r_(result) {}

  Page make() {
    page_.kicker = "Antaeus identify · " + r_.robot;
    page_.title = "Torque readings without contact";
    const bool unlabelled = r_.method == IdentifyMethod::unlabelled;
    page_.badge = !r_.identified ? "not identified" : unlabelled ? "unlabelled" : "identified";
    page_.badge_tone = !r_.identified ? Tone::vermillion : unlabelled ? Tone::orange : Tone::green;
    page_.subtitle = subtitle();
    for (const IdentifyAnswer& told : identify_story(r_)) {
      Answer answer{told.question, {}};
      for (const std::string& sentence : told.sentences) answer.paragraphs.push_back({Prose(sentence)});
      page_.answers.push_back(std::move(answer));
    }
    if (r_.identified) {
      add("left", "What is left of the torques", {Figures{{errors(), residuals()}}});
      add("joints", "Joints", {joints()});
    }
    if (!r_.coverage.empty()) add("coverage", "Do the intervals hold what was not fitted?", coverage());
    if (!r_.days.empty()) add("days", "How days differ", days(), r_.days.size() > 1);
    if (!r_.parameters.empty()) add("parameters", "Masses, friction and offsets", {parameters()}, many(r_.parameters));
    if (!r_.omitted.empty()) add("omitted", "What is omitted", {omitted()}, many(r_.omitted));
    if (!r_.joints.empty()) add("range", "Where it was identified", {ranges()});
    if (!r_.stretches.empty()) add("stretches", "Intervals that were used", {stretches()});
    if (!r_.joints.empty()) add("channels", "Torque channels", {channels()}, true);
    if (!r_.command.empty()) add("again", "The same again", {CodeLine{r_.command}});
    return std::move(page_);
  }

 private:
  template <class Rows>
  static bool many(const Rows& rows) {
    return rows.size() > kMostOpen;
  }

  void add(const char* id, const char* title, std::vector<Block> blocks, bool folded = false) {
    page_.sections.push_back({id, title, std::move(blocks), folded});
  }

  Prose subtitle() const {
    std::string text;
    switch (r_.method) {
      case IdentifyMethod::held_pose: text = "A robot that holds a pose"; break;
      case IdentifyMethod::unlabelled: text = "Logs without labels"; break;
      default: text = "An arm that moves";
    }
    double length = 0.0;
    for (const IdentifiedStretch& one : r_.stretches) length += one.to - one.from;
    Prose prose = text + "; " + std::to_string(r_.runs) + (r_.runs == 1 ? " log, " : " logs, ");
    prose << Quantity{length, "s"} << "; base " << r_.base_text << payloads_text(r_.payloads) << "; torques in "
          << r_.unit << ".";
    if (!r_.check.log.empty() && serious_findings(r_.check).empty()) prose << " Set-up: nothing found.";
    return prose;
  }

  static Quantity number(double value, int digits = -1) { return {value, "", digits}; }
  static const std::string& name_of(const IdentifiedJoint& joint) {
    return joint.label.empty() ? joint.joint : joint.label;
  }

  TableBlock joints() const {
    const bool held = r_.method == IdentifyMethod::held_pose;
    TableBlock table{"All in " + r_.unit +
                         ". se: standard error. Held out: on what was not fitted; covered: share of it within the "
                         "stated 95 %.",
                     {"joint", "#offset", "#± se", "#white sd"},
                     {}};
    if (held) table.heads.insert(table.heads.end(), {"#sd between runs", "#sd within a run", "#sd in motion"});
    table.heads.insert(table.heads.end(), {"#left before", "#left after", "#held out", "#covered [%]"});
    for (const IdentifiedJoint& joint : r_.joints) {
      if (!joint.identified) {
        table.rows.push_back({{name_of(joint), std::string("not identified")}, TableBlock::Row::Mark::failed});
        table.rows.back().cells.resize(table.heads.size());
        continue;
      }
      TableBlock::Row row{{name_of(joint), number(joint.offset), number(joint.offset_error), number(joint.white_sd)}};
      if (held) {
        row.cells.insert(row.cells.end(), {number(joint.offset_sd), number(joint.slow_sd), number(joint.motion_sd)});
      }
      row.cells.insert(row.cells.end(), {number(joint.rms_before), number(joint.rms_after), number(joint.hold_out_rms),
                                         number(100.0 * joint.hold_out_covered, 0)});
      table.rows.push_back(std::move(row));
    }
    return table;
  }

  /// "too narrow", or how far the few independent samples allow to say that it is right.
  static StateWord verdict_of(const Coverage& one) {
    if (one.nees > one.nees_high) return {"too narrow", Tone::vermillion};
    if (one.nees < one.nees_low) return {"too wide", Tone::orange};
    return {"holds", Tone::green};
  }

  std::vector<Block> coverage() const {
    std::vector<Block> blocks;
    for (const CoverageTable& judged : r_.coverage) {
      TableBlock table{"Judged: " + judged.how +
                           ". Shares within the stated 50, 80, 95 and 99 %; z²: mean square of the error over "
                           "its stated sd, 1 where that is right, and what 95 % of as many independent samples would "
                           "show. Forces: from contact-free torques, so the true one is zero.",
                       {"what", "#independent samples", "#error (rms)", "unit", "#50 %", "#80 %", "#95 %", "#99 %",
                        "#z²", "#from", "#to", "sd"},
                       {}};
      for (const Coverage& one : judged.rows) {
        table.rows.push_back(
            {{one.what, number(one.samples, 0), number(one.rms), one.unit, number(100.0 * one.within_50, 0),
              number(100.0 * one.within_80, 0), number(100.0 * one.within_95, 0), number(100.0 * one.within_99, 0),
              number(one.nees), number(one.nees_low), number(one.nees_high), verdict_of(one)}});
      }
      blocks.emplace_back(std::move(table));
    }
    return blocks;
  }

  std::vector<Block> days() const {
    TableBlock spread{
        r_.days.size() > 1 ? "Standard deviations between sessions, from these logs and from data of other robots."
                           : "Standard deviations between sessions. One log shows none: these are other robots'.",
        {"joint", "#Coulomb [" + r_.unit + "]", "#viscous [" + r_.unit + " s/rad]", "#offset [" + r_.unit + "]"},
        {}};
    for (const IdentifiedJoint& joint : r_.joints) {
      if (joint.identified)
        spread.rows.push_back(
            {{name_of(joint), number(joint.coulomb_sd), number(joint.viscous_sd), number(joint.offset_sd)}});
    }
    if (r_.days.size() < 2) return {std::move(spread)};
    TableBlock draws{"Of each log, beyond the mean of all.",
                     {"log", "joint", "#Coulomb", "#± se", "#viscous", "#± se", "#offset", "#± se"},
                     {}};
    for (const LogOfRobot& day : r_.days) {
      for (const IdentifiedJoint& joint : r_.joints) {
        if (!joint.identified) continue;
        const int j = joint.motor;
        draws.rows.push_back(
            {{day.log, name_of(joint), number(day.coulomb[j]), number(day.coulomb_sd[j]), number(day.viscous[j]),
              number(day.viscous_sd[j]), number(day.offset[j]), number(day.offset_sd[j])}});
      }
    }
    return {std::move(spread), std::move(draws)};
  }

  TableBlock parameters() const {
    TableBlock table{
        "Masses, moments and inertias are added to the description's; all that hangs on a joint up to the "
        "next counts as its. What is not here was not identified.",
        {"parameter", "#value", "#± se", "#known before to ±", "unit"},
        {}};
    for (const ParameterEstimate& one : r_.parameters) {
      table.rows.push_back({{one.name, number(one.value), number(one.sd), number(one.prior_sd), one.unit}});
    }
    return table;
  }

  TableBlock omitted() const {
    TableBlock table{"", {"parameter", "why"}, {}};
    for (const OmittedParameter& one : r_.omitted) table.rows.push_back({{one.name, one.reason}});
    return table;
  }

  TableBlock ranges() const {
    TableBlock table{"Positions in rad or m, speeds in rad/s or m/s, of all intervals.",
                     {"joint", "#least position", "#largest position", "#largest speed"},
                     {}};
    for (const IdentifiedJoint& joint : r_.joints) {
      table.rows.push_back({{name_of(joint), number(joint.least_position), number(joint.largest_position),
                             number(joint.largest_speed)}});
    }
    return table;
  }

  TableBlock stretches() const {
    TableBlock table{"Seconds from each log's first sample.", {"log", "#from", "#to", "#still", "#moving"}, {}};
    for (const IdentifiedStretch& one : r_.stretches) {
      table.rows.push_back(
          {{one.log, number(one.from, 1), number(one.to, 1), number(one.still, 1), number(one.moving, 1)}});
    }
    return table;
  }

  TableBlock channels() const {
    TableBlock table{"Gain: joint torque of the description for one unit of the channel.",
                     {"joint", "channel", "#gain", "#± se", "#error's time [s]", "remark"},
                     {}};
    for (const IdentifiedJoint& joint : r_.joints) {
      std::string use(to_string(joint.use));
      std::ranges::replace(use, '_', ' ');
      table.rows.push_back(
          {{name_of(joint), StateWord{use, joint.use == ChannelUse::used ? Tone::green : Tone::vermillion},
            number(joint.gain), number(joint.gain_sd), number(joint.integral_time), joint.reason}});
    }
    return table;
  }

  /// Root mean squares of each joint, before and after.
  NamedFigure errors() const {
    Figure figure;
    figure.id = "errors", figure.title = "What is left of each joint's torque";
    figure.description =
        "Bars: root mean square of each joint's residual by the description alone, by the identified "
        "model, and on what was held out.";
    Panel panel;
    panel.x.label = "root mean square [" + r_.unit + "]";
    panel.horizontal_bars = true;
    panel.value_labels = true;
    Bars before{"by the description", {}, series_style(0)}, after{"identified", {}, series_style(1)},
        held{"held out", {}, series_style(2)};
    for (const IdentifiedJoint& joint : r_.joints) {
      if (!joint.identified) continue;
      panel.categories.push_back(name_of(joint));
      before.values.push_back(joint.rms_before);
      after.values.push_back(joint.rms_after);
      held.values.push_back(joint.hold_out_rms);
    }
    const bool has_held = std::ranges::any_of(held.values, [](double value) { return std::isfinite(value); });
    panel.bars = {std::move(before), std::move(after)};
    if (has_held) panel.bars.push_back(std::move(held));
    figure.panel_height = 26.0 + 15.0 * static_cast<double>(panel.categories.size() * panel.bars.size());
    figure.panels = {std::move(panel)};
    return {figure.id, figure.title, has_held ? "Held out: " + r_.hold_out + "." : "On the logs that were fitted.",
            draw_figure(figure)};
  }

  NamedFigure residuals() const {
    const bool held = r_.method == IdentifyMethod::held_pose;
    Figure figure;
    figure.id = "residuals", figure.title = "Residuals before and after";
    figure.description =
        "One panel per joint: torque minus the description, and minus the identified mean, with the band "
        "that holds 95 % by the identified covariance.";
    figure.columns = 2;
    figure.panel_height = 90.0;
    figure.letters = false;
    for (const IdentifiedJoint& joint : r_.joints) {
      if (!joint.identified) continue;
      const ResidualSeries& s = joint.residual;
      Panel panel;
      panel.title = name_of(joint);
      panel.x.label = held ? "stretch" : "time [s]";
      panel.y.label = "[" + r_.unit + "]";
      panel.y.include_zero = true;
      Ribbon band{"95 % by the model", s.x, s.sd, s.sd, {.tone = Tone::sky}};
      for (double& low : band.low) low *= -kWithin95;
      for (double& high : band.high) high *= kWithin95;
      panel.ribbons.push_back(std::move(band));
      const Curve::Join join = held ? Curve::Join::none : Curve::Join::lines;
      const Marker first = held ? Marker::square : Marker::none, second = held ? Marker::circle : Marker::none;
      panel.curves.push_back({"before",
                              s.x,
                              s.before,
                              {.tone = Tone::vermillion, .dash = Dash::dotted, .marker = first, .width = 1.0},
                              join});
      panel.curves.push_back({"after", s.x, s.after, {.tone = Tone::blue, .marker = second, .width = 1.0}, join});
      figure.panels.push_back(std::move(panel));
    }
    return {figure.id, figure.title,
            held ? "One point a stretch: the median of torque minus gravity while the robot stood still, before and "
                   "after the identified mean is taken out."
                 : "Torque minus the description’s, before and after the identified mean is taken out, over all "
                   "intervals one after another. Gaps: at the drive’s limit, or no evidence.",
            draw_figure(figure)};
  }

  const IdentifyResult& r_;
  Page page_;
};

}  // namespace

Page identify_page(const IdentifyResult& result) { return IdentifyPage(result).make(); }

}  // namespace antaeus
