#include <algorithm>
#include <cmath>

#include "audit/audit_shared.hpp"

namespace antaeus::detail {

namespace {

const Counterfactual* find(const Audit& audit, Remedy remedy) {
  for (const Counterfactual& c : audit.counterfactuals) {
    if (c.remedy == remedy) return &c;
  }
  return nullptr;
}

/// Returns who set an option, what it follows, or where its default comes from: "2 × 30 N of the profile's rated_load".
std::string source_of(const Audit& audit, std::string_view group, std::string_view name) {
  for (const OptionValue& option : audit.settings) {
    if (option.group == group && option.info.name == name)
      return option.given_by.empty() ? option.source : option.given_by;
  }
  return {};
}

std::string names_of(const std::vector<Counterfactual::FalseAlarm>& alarms, bool shares) {
  std::string text;
  for (const auto& alarm : alarms) {
    if (alarm.steps == 0) continue;
    if (!text.empty()) text += ", ";
    text += alarm.baseline;
    if (shares) text += " (" + number_text(100.0 * alarm.share) + " % of its steps)";
  }
  return text;
}

class Writer {
 public:
  Writer(const Robot& robot, const Audit& audit)
      : robot_(robot),
        audit_(audit),
        deployed_(audit.audited.reconstruction.find(audit.focus_endpoint, EstimatorName::deployed)),
        row_(row_of(audit, audit.focus_step)),
        axis_(audit.focus_axis),
        label_(label_of(audit, audit.focus_endpoint)) {}

  std::vector<Statement> write() {
    if (audit_.outcome == Outcome::wrong_set_up) {
      wrong_set_up();
      return std::move(statements_);
    }
    what_happened();
    cause();
    // What the reference joint's torque would read as elsewhere, where it may be what made the force.
    if (deployed_.kind != EndpointKind::foot && !audit_.contact.found) same_torque_elsewhere();
    known_before();
    if (audit_.incident && audit_.has_deployed) guards();
    if (audit_.has_deployed) false_alarms();
    stacked();
    for (Statement& statement : identified_verdict(audit_)) statements_.push_back(std::move(statement));
    for (Statement& statement : contacts_verdict(audit_)) statements_.push_back(std::move(statement));
    for (Statement& statement : posterior_verdict(audit_)) statements_.push_back(std::move(statement));
    for (Statement& statement : advice_verdict(audit_)) statements_.push_back(std::move(statement));
    tilt();
    return std::move(statements_);
  }

 private:
  void say(Topic id, std::string text) { statements_.push_back({id, std::move(text)}); }

  /// No story is told of numbers that a mistake makes.
  void wrong_set_up() {
    const Finding& worst = audit_.check.findings.front();
    std::string text =
        "The log does not agree with the profile: " + worst.text + (worst.text.ends_with('.') ? "" : ".");
    if (!worst.remedy.empty()) text += " Remedy: " + worst.remedy + (worst.remedy.ends_with('.') ? "" : ".");
    say(Topic::what, text);
    const Eigen::Index peak = audit_.audited.reconstruction.first_step + deployed_.peak_step;
    say(Topic::contacts, "No contact and no incident is reported from it: the forces below, up to " +
                             number_text(deployed_.peak_force) + " N at the " + label_ + " (" +
                             step_text(audit_, peak) + "), are the effect of that fault and everything else together.");
  }

  void what_happened() {
    const double component = deployed_.wrench(row_, axis_), norm = deployed_.force_norm[row_];
    const Eigen::Index peak = audit_.audited.reconstruction.first_step + deployed_.peak_step;
    const Episode& episode = audit_.audited.episode;
    const Eigen::Index usable = episode.steps() - std::ssize(episode.invalid_steps);
    const std::string rests_on = std::to_string(usable) + " of " + std::to_string(episode.steps()) + " steps";
    std::string begin = "No incident:";
    if (usable < episode.steps()) begin = "No incident in the " + rests_on + " that hold numbers:";
    if (audit_.outcome == Outcome::cannot_be_told) {
      begin = "Whether there was an incident cannot be determined: only " + rests_on + " hold numbers. In them";
      if (!episode.silent.empty()) {
        begin = "No all-clear: " + episode.silent.front() + ". " + begin;
        if (usable == episode.steps()) begin = "No all-clear: " + episode.silent.front() + ". In the other channels";
      }
    }
    std::string text = begin + " the largest force that the " + estimator_word(audit_) + " reads at the " + label_ +
                       " is " + number_text(deployed_.peak_force) + " N, at " + step_text(audit_, peak);
    if (audit_.incident) {
      text = std::string(audit_.contact.beyond()
                             ? "Incident, a contact beyond what the " + reader_word(audit_) + " was made for: at "
                             : "Incident: at ") +
             step_text(audit_, audit_.focus_step) + " the " + estimator_word(audit_) +
             " reads |F| = " + number_text(norm) + " N at the " + label_ + " (" + axis_name(axis_) + " " +
             number_text(component) + " N: " + sign_in_words(deployed_.sign) + ")";
      if (peak != audit_.focus_step) {
        text += "; it peaks at " + number_text(deployed_.peak_force) + " N at " + step_text(audit_, peak);
      }
    }
    text += ".";
    if (!audit_.has_deployed) text += peak_of_posterior();
    if (audit_.noise_assumed) {
      text +=
          " The noise is assumed, not identified: antaeus identify, on a contact-free log, makes "
          "sds and forces those of this robot.";
    }
    say(Topic::what, text);
  }

  /// The number that a reader should look at, where nobody runs another.
  std::string peak_of_posterior() const {
    const EstimateSeries* series = focus_posterior(audit_);
    if (!series || series->peak_step < 0) return {};
    const Reconstruction& r = audit_.audited.reconstruction;
    return " The posterior reads up to " + number_text(series->peak_force) + " N, worst sd " +
           number_text(series->posterior->worst_sd[series->peak_step]) + " N, at " +
           step_text(audit_, r.first_step + series->peak_step) + ".";
  }

  /// Weight on a foot, and a contact that all joints agree on, are nobody's fault.
  bool told_without_blame() {
    if (deployed_.kind == EndpointKind::foot) {
      double vertical = 0.0;
      for (const EstimateSeries& s : audit_.audited.reconstruction.series) {
        if (s.estimator == EstimatorName::deployed && s.kind == EndpointKind::foot) vertical += s.wrench(row_, kFz);
      }
      say(Topic::cause, "A foot carries the robot: the " + estimator_word(audit_) +
                            "'s vertical forces at the audited feet add up to " + number_text(std::abs(vertical)) +
                            " N in this step, and the robot weighs " + number_text(robot_.weight()) + " N.");
      return true;
    }
    const ContactFinding& contact = audit_.contact;
    if (!contact.found) return false;
    std::string text = "The torques of all joints together fit a contact at the " + label_ + " of " +
                       number_text(contact.size) + " ± " + number_text(contact.size_sd) + " N";
    const CauseRow& best = audit_.cause_test.causes.front();
    if (best.kind == CauseKind::payload) {
      text += ", or a load of " + number_text(best.size) + " ± " + number_text(best.size_sd) + " " + best.unit +
              " that hangs there: the torques of one pose do not show which";
    }
    text += "; no error of a single joint's torque explains them as well. Motion was not tested. ";
    text += contact.beyond() ? "The force is beyond the " + number_text(contact.limit) + " N that the " +
                                   reader_word(audit_) + " was made for"
                             : "The " + reader_word(audit_) + " was made for " + number_text(contact.limit) + " N";
    text += " (consumer_guard.force_limit: " + source_of(audit_, "consumer_guard", "force_limit") + ").";
    say(Topic::cause, text);
    return true;
  }

  void cause() {
    if (told_without_blame()) return;
    const auto found = std::find_if(audit_.attributions.begin(), audit_.attributions.end(),
                                    [](const Attribution& a) { return a.estimator == EstimatorName::deployed; });
    if (found == audit_.attributions.end() || found->largest < 0) return;
    const auto j = found->largest;
    const double part = found->contribution(axis_, j), total = found->wrench[axis_];
    say(Topic::cause, "Of " + axis_name(axis_) + " = " + number_text(total) + " N, " + robot_.profile.motor_labels[j] +
                          " alone makes " + number_text(part) + " N: its torque beyond gravity is " +
                          number_text(found->residual[j]) + " N·m, and in this pose 1 N·m there reads as " +
                          number_text(found->residual[j] != 0 ? part / found->residual[j] : kNaN) +
                          " N. All other joints together make " + number_text(total - part) + " N.");
  }

  void same_torque_elsewhere() {
    for (const PoseCounterfactual& row : audit_.pose_counterfactuals) {
      const bool baseline_pose =
          std::any_of(audit_.baselines.begin(), audit_.baselines.end(),
                      [&](const EpisodeAudit& b) { return row.pose == b.episode.name + " step 0"; });
      if (!baseline_pose || row.residuals_of != audit_.audited.episode.name) continue;
      say(Topic::pose, "The same torque in the pose of " + row.pose + " (gain " + number_text(row.gain) +
                           " N/(N·m)) would read as " + number_text(row.force_at_focus) + " N.");
      break;
    }
    const std::string here = audit_.audited.episode.name + " step " + std::to_string(audit_.focus_step);
    for (const PoseCounterfactual& row : audit_.pose_counterfactuals) {
      if (row.pose != here || row.residuals_of == audit_.audited.episode.name) continue;
      say(Topic::pose_reversed, "The baseline " + row.residuals_of + " in this pose would have read up to " +
                                    number_text(row.largest_force) + " N from the same joint.");
    }
  }

  void known_before() {
    std::string failed;
    for (const PreflightCheck& check : audit_.audited.preflight.checks) {
      if (check.passed) continue;
      failed += (failed.empty() ? "" : "; ") +
                std::string(check.kind == PreflightCheckKind::gain ? "gain at " : "start error of ") + check.subject +
                " " + number_text(check.value) + " against " + number_text(check.limit);
    }
    if (audit_.audited.preflight.checks.empty()) {
      if (!audit_.incident || !audit_.has_deployed) return;
      say(Topic::preflight,
          "The published pre-flight has nothing to check: the robot's profile names no reference joint and no "
          "start-error joints.");
      return;
    }
    if (failed.empty()) {
      say(Topic::preflight, "The published pre-flight checks pass.");
      return;
    }
    const Counterfactual* start = find(audit_, Remedy::preflight_start_error);
    std::string text = "Before the first step the published pre-flight would have refused: " + failed + ".";
    if (start) {
      const std::string wrong = names_of(start->false_alarms, false);
      if (!wrong.empty()) text += " But its start-error check refuses the baselines too: " + wrong + ".";
    }
    say(Topic::preflight, text);
  }

  void guards() {
    for (const auto& [remedy, topic] :
         {std::pair(Remedy::watchdog, Topic::watchdog), std::pair(Remedy::clamp, Topic::clamp)}) {
      const Counterfactual* c = find(audit_, remedy);
      if (!c) continue;
      const std::string title = c->title;
      if (c->first_act < 0) {
        say(topic, "The published guard \"" + title + "\" would never have acted.");
      } else {
        say(topic, "The published guard \"" + title + "\" would first have acted at " +
                       step_text(audit_, c->first_act) + "; alone it would still have let up to " +
                       number_text(c->largest_force_read) + " N through.");
      }
    }
  }

  void false_alarms() {
    std::string text;
    for (const Counterfactual& c : audit_.counterfactuals) {
      const bool published =
          c.remedy != Remedy::all_guards && c.remedy != Remedy::nis_alarm && c.remedy != Remedy::guarded_posterior;
      if (c.kind != RemedyKind::guard || !published) continue;
      const std::string wrong = names_of(c.false_alarms, true);
      if (!wrong.empty()) text += (text.empty() ? "" : "; ") + c.title + " in " + wrong;
    }
    if (audit_.baselines.empty()) return;
    text = text.empty() ? "No published guard acts in the baselines."
                        : "Alarms of the published guards in the baselines: " + text + ".";
    // What stands out may be a contact; an alarm there need not be a false one.
    std::string contacts;
    for (const EpisodeAudit& baseline : audit_.baselines) {
      if (baseline.contact_share <= 0.0) continue;
      contacts += (contacts.empty() ? "" : ", ") + number_text(100.0 * baseline.contact_share) + " % of the steps of " +
                  baseline.episode.name;
    }
    if (!contacts.empty()) {
      text += " In " + contacts + " a force stands out in the posterior too: alarms there need not be false.";
    }
    say(Topic::false_alarms, text);
  }

  void stacked() {
    const Counterfactual* c = find(audit_, Remedy::stacked);
    if (!c) return;
    std::string text = "The stacked estimator reads " + axis_name(axis_) + " = " +
                       number_text(c->force_at_focus[axis_]) + " N at the " + label_ + " in the same step";
    std::string feet;
    for (const EstimateSeries& s : audit_.audited.reconstruction.series) {
      if (s.estimator != EstimatorName::stacked || s.kind != EndpointKind::foot) continue;
      feet += (feet.empty() ? "" : " and ") + number_text(s.wrench(row_, kFz)) + " N";
    }
    if (!feet.empty()) {
      text += ", with vertical foot forces (positive: upwards) of " + feet + " on a robot that weighs " +
              number_text(robot_.model.total_mass() * robot_.model.gravity().norm()) + " N";
    }
    text += '.';
    std::string blind;
    for (const ReferenceRow& row : audit_.reference_rows) {
      const EstimateSeries& s = audit_.audited.reconstruction.find(row.endpoint, EstimatorName::stacked);
      if (s.kind == EndpointKind::foot && row.norm == 0.0) blind += (blind.empty() ? "" : " and the ") + s.label;
    }
    std::string impossible;
    for (const FeasibilityRow& row : audit_.feasibility) {
      if (row.feasible || !row.endpoint.empty()) continue;
      impossible += (impossible.empty() ? "" : ", ") + in_words(to_string(row.margin)) + " by " +
                    number_text(-row.value) + " " + row.unit + " (sd " + number_text(row.sd) + ")";
    }
    if (!impossible.empty()) {
      text += " The robot's weight and acceleration cannot make these forces: their sum is off in " + impossible + ".";
    }
    if (!blind.empty()) {
      text += " No foot wrench can take up a torque of " + audit_.reference_joint +
              ": its row is exactly zero in the block of the " + blind + ".";
    }
    say(Topic::stacked, text);
  }

  void tilt() {
    if (audit_.audited.reconstruction.used_imu) return;  // its orientation was known
    std::string text;
    for (const TiltSensitivity& t : audit_.tilt) {
      text += (text.empty() ? "" : "; ") + t.axis + " " + number_text(t.largest_torque) + " N·m (" + t.joint + "), " +
              number_text(t.phantom_force) + " N";
    }
    if (text.empty()) return;
    say(Topic::tilt, "The base is taken for upright. A tilt of " +
                         number_text(audit_.tilt.front().angle * 57.29577951308232) +
                         " degrees would change the gravity torque of one joint, and the force, by: " + text + ".");
  }

  const Robot& robot_;
  const Audit& audit_;
  const EstimateSeries& deployed_;
  Eigen::Index row_;
  int axis_;
  std::string label_;
  std::vector<Statement> statements_;
};

}  // namespace

std::string label_of(const Audit& audit, const std::string& endpoint) {
  return audit.audited.reconstruction.find(endpoint, EstimatorName::deployed).label;
}

std::vector<Statement> verdict(const Robot& robot, const Audit& audit) {
  if (audit.focus_step < 0)
    return {{Topic::what,
             "No step of this log can be used: every row holds NaN, infinity or numbers too large to compute a force "
             "from."}};
  return Writer(robot, audit).write();
}

std::vector<Statement> cannot_tell(const Audit& audit) {
  std::vector<Statement> all;
  const Episode& episode = audit.audited.episode;
  if (audit.has_deployed)
    all.push_back({Topic::consumed,
                   "The log holds no wrench that the consumer read: the forces above are reconstructed. Whether the "
                   "consumer was given them cannot be seen in it."});
  const auto& series = audit.audited.reconstruction.series;
  const bool foot =
      std::any_of(series.begin(), series.end(), [](const EstimateSeries& s) { return s.kind == EndpointKind::foot; });
  if (audit.base == Base::free_flyer && !foot) {
    all.push_back({Topic::ground,
                   "No foot is among the audited endpoints: what the ground makes in the joints that carry the robot "
                   "is not modelled."});
  }
  if (audit.base != Base::fixed && !episode.has_imu()) {
    all.push_back(
        {Topic::imu,
         "The log holds no IMU: the base is taken for upright, and the effect of a tilt can only be bounded."});
  }
  all.push_back(
      {Topic::contact,
       "The log holds no force sensor: a true force at an endpoint cannot be distinguished from other torques by the " +
           estimator_word(audit) + "."});
  if (episode.v.rows() == 0) {
    all.push_back({Topic::velocity, "The log holds no velocities: inertial torques cannot be separated from contact."});
  } else if (audit.base != Base::fixed &&
             (episode.imu_angular_velocity.rows() == 0 || episode.imu_specific_force.rows() == 0)) {
    all.push_back({Topic::acceleration,
                   "The log holds no accelerations and no base motion: the static residual counts inertial torque "
                   "as force."});
  }
  if (!episode.has_time()) all.push_back({Topic::time, "The log holds no time stamps: durations are given in steps."});
  if (!episode.invalid_steps.empty()) {
    all.push_back({Topic::invalid, std::to_string(episode.invalid_steps.size()) +
                                       " steps hold NaN, infinity or numbers too large, and are not used."});
  }
  return all;
}

}  // namespace antaeus::detail
