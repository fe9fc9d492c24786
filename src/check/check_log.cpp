// The order of the check: channels, then torques by the model.
#include "antaeus/check/check_log.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "antaeus/core/option_table.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "check/channel_faults.hpp"
#include "check/torque_faults.hpp"
#include "check/torque_words.hpp"
#include "check/unit_numbers.hpp"

namespace antaeus {

const OptionTable& options_of(const CheckOptions&) {
  using O = CheckOptions;
  constexpr const char* kPage = "docs/guide/check.md";
  static const OptionTable table(
      "check",
      {
          option("least_time", "s", "below which no scale, lag or torque is judged", kPage, &O::least_time),
          option("least_motion", "rad or m", "that a joint must move to count as moving", kPage, &O::least_motion),
          option("found", "nats", "of evidence over the log as it is, from which a fault is reported", kPage,
                 &O::found),
          option("tie", "nats", "below which two explanations are both named", kPage, &O::tie),
          option("other_robots", "", "whether the robots that come with Antaeus are tried, too", kPage,
                 &O::other_robots),
      });
  return table;
}
const OptionGroup kCheckGroup(CheckOptions{});

namespace {

using namespace detail;

/// What a torque hypothesis and its rivals amount to, as findings: docs/guide/check.md, the rule.
class Naming {
 public:
  Naming(const Robot& robot, const CheckOptions& options, CheckResult& result)
      : robot_(robot), options_(options), result_(result) {}

  void of_torques(const TorqueJudgement& judged, ChannelFaults& channels) {
    result_.joints = judged.joints;
    if (!judged.refused.empty()) {
      refused(judged);
      return;
    }
    result_.torques_judged = true;
    const std::vector<Hypothesis>& all = judged.hypotheses;
    const Hypothesis* best = all.empty() ? nullptr : &all.front();
    const double named = best ? best->score : 0.0;
    const double unknown = judged.unknown;
    tell(judged);
    if (constant_position(judged, named)) return;
    note_locked(judged);
    if (!(named > options_.found)) {
      if (unknown > options_.found) unexplained(unknown, unknown - std::max(0.0, named));
      return;
    }
    if (unknown > named + 3.0 + 0.05 * unknown) {
      unexplained(unknown, unknown - named);
      return;
    }
    // Where a contact explains the torques about as well, nothing of the set-up is wrong for sure.
    for (const Hypothesis& other : all) {
      if (other.fault == Fault::external_force && other.score > named - options_.tie) best = &other;
    }
    Finding finding = finding_of(robot_, *best);
    finding.margin = named;  // over the log as it is, unless another explanation is nearer
    std::string or_else;
    for (const Hypothesis& other : all) {
      if (&other == best || same(other, *best)) continue;
      finding.margin = std::min(finding.margin, named - other.score);
      if (named - other.score < options_.tie) note_alternative(finding, other, or_else);
    }
    // In an arm whose joints all carry it, a load and a gain of all differ by inertia alone: both are named.
    const bool scales = best->fault == Fault::torque_gain && best->motors.size() != 1 &&
                        std::abs(std::log(std::abs(best->size))) < kOddGain;
    for (const Hypothesis& other : all) {
      if (scales && other.fault == Fault::payload && other.score > options_.found)
        note_alternative(finding, other, or_else);
    }
    if (!or_else.empty()) finding.remedy += "; or else: " + or_else;
    // Where dq and torques both say that a position counts the other way, it is the position.
    if (finding.fault == Fault::position_sign) {
      std::erase_if(channels.findings,
                    [&](const Finding& f) { return f.fault == Fault::velocity_sign && f.joints == finding.joints; });
    }
    channels.findings.push_back(std::move(finding));
  }

 private:
  static bool same(const Hypothesis& a, const Hypothesis& b) {
    if (a.fault != b.fault) return false;
    if (a.motors == b.motors) return true;
    // One of several, or all of them: the same name for the same thing.
    const auto within = [](const std::vector<int>& few, const std::vector<int>& many) {
      return many.empty() || std::ranges::all_of(few, [&](int j) { return std::ranges::find(many, j) != many.end(); });
    };
    return (a.fault == Fault::torque_gain || a.fault == Fault::torque_sign || a.fault == Fault::torque_order) &&
           (within(a.motors, b.motors) || within(b.motors, a.motors));
  }

  void note_alternative(Finding& finding, const Hypothesis& other, std::string& or_else) const {
    const Finding rival = finding_of(robot_, other);
    const std::string name(to_string(rival.fault));
    if (name != to_string(finding.fault) && std::ranges::find(finding.alternatives, name) == finding.alternatives.end())
      finding.alternatives.push_back(name);
    if (or_else.empty()) or_else = rival.text + "; then " + rival.remedy;
  }

  void unexplained(double score, double margin) {
    Hypothesis h;
    h.fault = Fault::other_robot;
    Finding finding = finding_of(robot_, h);
    finding.severity = score < 25.0 ? Severity::warning : Severity::error;
    finding.margin = margin;
    extra.push_back(std::move(finding));
  }

  /// A joint whose position never changed, in a log that the model does not explain.
  bool constant_position(const TorqueJudgement& judged, double named) {
    Finding finding;
    // Where something is wrong, a position that never changes is what is.
    if (named > options_.found) {
      for (const int j : judged.stands)
        finding.joints.push_back(robot_.model.motor_names()[static_cast<std::size_t>(j)]);
    }
    for (const int j : judged.moves_unseen)
      finding.joints.push_back(robot_.model.motor_names()[static_cast<std::size_t>(j)]);
    if (finding.joints.empty()) return false;
    finding.fault = Fault::position_frozen;
    finding.channel = "qpos";
    finding.size = 1.0;
    finding.unit = "1";
    finding.margin = 0.0;
    finding.alternatives.emplace_back(to_string(Fault::joint_locked));
    finding.text =
        "the position of " + finding.joints.front() +
        " never changes, and the torques do not fit: its channel is frozen, or the joint is locked elsewhere";
    finding.remedy = "find why this channel does not reach the log; or leave this joint out (profile: motors)";
    extra.push_back(std::move(finding));
    return true;
  }

  /// A position that never changes, and torques that do not say whether the joint stands.
  void note_locked(const TorqueJudgement& judged) {
    Finding finding;
    for (const int j : judged.stands) finding.joints.push_back(robot_.model.motor_names()[static_cast<std::size_t>(j)]);
    if (finding.joints.empty()) return;
    finding.fault = Fault::joint_locked;
    finding.channel = "qpos";
    finding.severity = Severity::note;
    finding.margin = 0.0;
    finding.alternatives.emplace_back(to_string(Fault::position_frozen));
    finding.text = "the position of " + finding.joints.front() + (finding.joints.size() > 1 ? " and others" : "") +
                   " never changes while others move: held, or its channel is frozen; the torques do not show which";
    finding.remedy = "move this joint, or look at its channel";
    extra.push_back(std::move(finding));
  }

  void refused(const TorqueJudgement& judged) {
    Finding finding;
    finding.fault = judged.refusal;
    finding.channel = "tau";
    finding.severity = Severity::note;
    for (const int j : judged.still) finding.joints.push_back(robot_.model.motor_names()[static_cast<std::size_t>(j)]);
    finding.text = "torques are not judged: " + judged.refused;
    finding.remedy = judged.remedy;
    extra.push_back(std::move(finding));
    result_.not_told.emplace_back("anything of the torques: " + judged.remedy);
  }

  /// Which faults the torques rule out, and which they cannot tell.
  void tell(const TorqueJudgement& judged) {
    std::map<Fault, double> nearest;
    for (const Hypothesis& h : judged.hypotheses) {
      const auto [at, fresh] = nearest.emplace(h.fault, h.score);
      if (!fresh) at->second = std::max(at->second, h.score);
    }
    const double found = std::max(0.0, judged.hypotheses.empty() ? 0.0 : judged.hypotheses.front().score);
    for (const auto& [fault, score] : nearest) {
      if (fault == Fault::external_force) continue;
      if (score < found - 3.0) {
        result_.excluded.emplace_back(to_string(fault));
      } else if (found <= options_.found) {
        result_.not_told.push_back(std::string(to_string(fault)) + ": " + what_would_tell(fault));
      }
    }
    std::string zeros, gains;
    for (const int j : judged.judged) {
      const CheckedJoint& joint = judged.joints[static_cast<std::size_t>(j)];
      if (!joint.tells_zero) zeros += (zeros.empty() ? "" : ", ") + joint.joint;
      if (!joint.tells_gain) gains += (gains.empty() ? "" : ", ") + joint.joint;
    }
    if (!zeros.empty()) result_.not_told.push_back("the zero of " + zeros + ": their torques hardly depend on it");
    if (!gains.empty()) result_.not_told.push_back("the gain of " + gains + ": gravity does not load them");
    TorqueDescription& torque = result_.torque;
    const auto out = [&](Fault fault) { return nearest.contains(fault) && nearest[fault] < found - 3.0; };
    const Fault best = found > options_.found ? judged.hypotheses.front().fault : Fault::too_short;
    torque.sign = best == Fault::torque_sign ? "reversed" : out(Fault::torque_sign) ? "as the model" : "unknown";
    torque.unit = best == Fault::torque_gain                           ? "not N·m"
                  : out(Fault::torque_gain) || found <= options_.found ? "N·m"
                                                                       : "unknown";
    torque.order = best == Fault::torque_order ? "another" : out(Fault::torque_order) ? "as the model" : "unknown";
    torque.gravity = best == Fault::gravity_removed ? GravityContent::excluded
                     : out(Fault::gravity_removed)  ? GravityContent::included
                                                    : GravityContent::unknown;
    if (best == Fault::too_short && judged.friction_share < 0.04 &&
        robot_.profile.torque_source == TorqueSource::motor) {
      Finding finding;
      finding.fault = Fault::friction_removed;
      finding.channel = "tau";
      finding.severity = Severity::note;
      finding.size = judged.friction_share;
      finding.unit = "1";
      finding.text = "the torques hold hardly any friction: it was subtracted, or they come from sensors at the joints";
      finding.remedy = "set source = \"joint\" in [torque] of the profile if they do";
      extra.push_back(std::move(finding));
    }
  }

 public:
  std::vector<Finding> extra;

 private:
  const Robot& robot_;
  const CheckOptions& options_;
  CheckResult& result_;
};

/// A unit that the log's format states, and of which the profile does not say how many N·m it is.
std::optional<Finding> stated_unit(const Robot& robot, const Episode& log) {
  const NoiseModel* noise = robot.profile.noise.get();
  if (log.torque_unit.empty() || (noise && noise->unit == log.torque_unit)) return {};
  const bool states_gain = std::ranges::any_of(
      robot.profile.figures, [](const JointFigures& one) { return one.gear != 1.0 || one.scale != 1.0; });
  if (states_gain) return {};
  Finding finding;
  finding.fault = Fault::torque_gain, finding.channel = "tau", finding.unit = log.torque_unit;
  finding.text =
      "tau is in " + log.torque_unit + " by the log's format, and the profile does not state how many N·m one is";
  finding.remedy = "joint_figures[].gear = N·m per " + log.torque_unit + " of each joint";
  return finding;
}

}  // namespace

CheckResult detail::check_windows(const Robot& robot, const Episode& log, const std::vector<Eigen::Index>& seams,
                                  const CheckOptions& options) {
  check_options(options);
  CheckResult result;
  result.log = log.name;
  result.robot = robot.profile.name;
  if (robot.model.motor_count() == 0) return result;  // it has no joints to be wrong about
  JudgedLog judged;
  ChannelFaults channels = channel_faults(robot, log, options, judged, seams);
  if (std::isfinite(judged.step)) {
    result.rate = 1.0 / judged.step;
    result.duration = judged.time;
  }
  std::ranges::move(imu_faults(robot, log, judged, options, result.not_told), std::back_inserter(channels.findings));
  Naming naming(robot, options, result);
  if (channels.frozen_position) {
    result.not_told.emplace_back("anything of the torques: the positions do not show where the robot is");
  } else {
    naming.of_torques(judge_torques(robot, judged, options), channels);
  }
  result.findings = std::move(channels.findings);
  std::ranges::move(naming.extra, std::back_inserter(result.findings));
  if (auto stated = stated_unit(robot, log)) result.findings.insert(result.findings.begin(), std::move(*stated));
  sort_findings(result.findings);
  return result;
}

void detail::sort_findings(std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, {}, &Finding::severity);
  // A joint that is not read goes first: what else is found may follow from it.
  std::ranges::stable_partition(findings, [](const Finding& one) {
    return one.fault == Fault::not_numbers && one.severity != Severity::note && !one.joints.empty();
  });
}

}  // namespace antaeus
