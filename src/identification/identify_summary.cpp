// What a run of `antaeus identify` is told as: summary.json, and sentences.
#include <algorithm>
#include <cmath>

#include "antaeus/core/messages.hpp"
#include "antaeus/core/words.hpp"
#include "antaeus/identification/identify.hpp"
#include "antaeus/io/json_fields.hpp"
#include "identification/moving/moving_rows.hpp"

namespace antaeus {

namespace {

using detail::rounded;

std::string percent(double share) { return rounded(100.0 * share) + " %"; }

std::string in_words(IdentifyMethod method) {
  switch (method) {
    case IdentifyMethod::held_pose: return "a robot that holds a pose";
    case IdentifyMethod::unlabelled: return "logs without labels";
    default: return "an arm that moves";
  }
}

std::string counted(std::size_t n, const std::string& one, const std::string& many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

std::vector<std::string> names_of(const IdentifyResult& r, bool identified) {
  std::vector<std::string> names;
  for (const IdentifiedJoint& joint : r.joints) {
    if (joint.identified == identified) names.push_back(joint.label.empty() ? joint.joint : joint.label);
  }
  return names;
}

/// Root of the mean square over identified joints, of a field.
double pooled(const IdentifyResult& r, double IdentifiedJoint::* field) {
  double sum = 0.0, count = 0.0;
  for (const IdentifiedJoint& joint : r.joints) {
    if (!std::isfinite(joint.*field)) continue;
    sum += joint.*field * (joint.*field);
    count += 1.0;
  }
  return count > 0.0 ? std::sqrt(sum / count) : kNaN;
}

IdentifyAnswer verdict(const IdentifyResult& r) {
  IdentifyAnswer answer{"Is the noise identified?", {}};
  if (!r.identified) {
    answer.sentences.emplace_back("No. Nothing is written.");
    return answer;
  }
  const std::size_t known = names_of(r, true).size();
  std::vector<std::string> refused;
  for (const IdentifiedJoint& joint : r.joints) {
    if (is_refused(joint)) refused.push_back(joint.label.empty() ? joint.joint : joint.label);
  }
  const std::string share = std::to_string(known) + " of " + counted(r.joints.size(), "joint", "joints");
  answer.sentences.push_back(
      (refused.empty()
           ? "Yes, " + share
           : share + ": the rest looks like a configuration error (" + listed(refused) + "; reasons below)") +
      ". Fitted as " + in_words(r.method) + ", from " + counted(static_cast<std::size_t>(r.runs), "log", "logs") +
      ". Torques are in " + r.unit + ".");
  if (r.method == IdentifyMethod::unlabelled) {
    answer.sentences.emplace_back(
        "unlabelled: no contact-free part was declared, so only what no contact can explain "
        "was learnt, and every standard deviation is doubled.");
  }
  const double before = pooled(r, &IdentifiedJoint::rms_before), after = pooled(r, &IdentifiedJoint::rms_after);
  if (std::isfinite(before)) {
    answer.sentences.push_back("The description leaves " + rounded(before) + " " + r.unit +
                               " of the torques (root mean square a joint), the identified model " + rounded(after) +
                               ".");
  }
  if (std::isfinite(r.hold_out_covered)) {
    answer.sentences.push_back(
        "On what it was not fitted to it leaves " + rounded(pooled(r, &IdentifiedJoint::hold_out_rms)) + " " + r.unit +
        ", and " + percent(r.hold_out_covered) + " of it lies within the stated 95 % (" + r.hold_out + ").");
  } else if (!r.hold_out.empty()) {
    answer.sentences.push_back("Held out was " + r.hold_out + ".");
  }
  return answer;
}

/// What is wrong with a log, before anything is said of what was learnt from it.
IdentifyAnswer set_up(const IdentifyResult& r) {
  IdentifyAnswer answer{"Does the log agree with the profile?", set_up_sentences(r.check)};
  if (!answer.sentences.empty() && r.runs > 1) answer.sentences.push_back("This is of " + r.check.log + ".");
  return answer;
}

/// What of the stated intervals is too narrow or too wide, as far as the logs tell.
IdentifyAnswer intervals(const IdentifyResult& r) {
  IdentifyAnswer answer{"Are the intervals true?", {}};
  for (const CoverageTable& judged : r.coverage) {
    std::vector<std::string> narrow, wide;
    for (const Coverage& one : judged.rows) {
      const std::string text = one.what + " (" + percent(one.within_95) + ")";
      if (one.nees > one.nees_high) narrow.push_back(text);
      if (one.nees < one.nees_low) wide.push_back(text);
    }
    std::string text = "Judged " + judged.how + ", of the stated 95 %: ";
    if (narrow.empty() && wide.empty()) text += "they hold, as far as these logs show";
    if (!narrow.empty()) text += "too narrow: " + listed(narrow);
    if (!wide.empty()) text += (narrow.empty() ? "" : "; ") + ("too wide: " + listed(wide));
    answer.sentences.push_back(text + ".");
  }
  return answer;
}

IdentifyAnswer gaps(const IdentifyResult& r) {
  IdentifyAnswer answer{r.identified ? "What is not identified, and why?" : "What is missing?", r.missing};
  for (const IdentifiedJoint& joint : r.joints) {
    if (!joint.reason.empty() && std::ranges::find(r.missing, joint.reason) == r.missing.end()) {
      answer.sentences.push_back(joint.reason);
    }
  }
  // Many parameters, few reasons: each once, with the number of those it holds for.
  constexpr std::size_t kMostNamed = 4;
  if (r.identified && !r.omitted.empty()) {
    std::vector<std::string> names;
    for (const OmittedParameter& one : r.omitted) names.push_back(one.name);
    const std::size_t all = names.size();
    if (all > kMostNamed) {
      names.resize(kMostNamed);
      names.push_back(std::to_string(all - kMostNamed) + " more");
    }
    answer.sentences.push_back("Omitted: " + listed(names) + "; the reasons are in summary.json.");
  }
  return answer;
}

IdentifyAnswer use(const IdentifyResult& r) {
  IdentifyAnswer answer{"What may it be used for?", {}};
  if (std::isfinite(r.largest_speed)) {
    answer.sentences.push_back("While the rest of the robot moves at up to " + rounded(r.largest_speed) +
                               " rad/s: faster was not seen, and beyond 1.25 times that estimates are refused.");
  }
  if (r.method != IdentifyMethod::held_pose) {
    double fastest = 0.0;
    for (const IdentifiedJoint& joint : r.joints) {
      if (joint.identified) fastest = std::fmax(fastest, joint.largest_speed);
    }
    answer.sentences.push_back("Within the positions and speeds of the table, up to " + rounded(fastest) +
                               " rad/s or m/s; elsewhere the covariance of masses and friction grows as far as they "
                               "are unknown.");
  }
  if (r.unit != "N·m") {
    answer.sentences.push_back("Torques are taken as the channels give them: every force of this profile is in " +
                               r.unit + " over metres, no newtons.");
  }
  for (const AnotherDay& one : r.another_day) {
    answer.sentences.push_back(
        "In a later session a force at " + one.endpoint + " is known to ± " + rounded(one.sd) +
        " N (sd of an axis, median over these poses). " +
        (r.runs == 1 ? "A log of a second session" : "As many logs of other sessions again") + " would make that ± " +
        rounded(one.sd_then) + " N" +
        (r.runs == 1 ? ", and show how far days of this robot lie apart: one log cannot." : "."));
  }
  answer.sentences.emplace_back(
      "Use profile.toml instead of the robot's name: " + arg(Input::robot, "DIR/profile.toml") + ".");
  return answer;
}

}  // namespace

Json identify_summary(const IdentifyResult& r) { return to_json(r); }

std::vector<IdentifyAnswer> identify_story(const IdentifyResult& r) {
  std::vector<IdentifyAnswer> story;
  if (IdentifyAnswer answer = set_up(r); !answer.sentences.empty()) story.push_back(std::move(answer));
  story.push_back(verdict(r));
  if (IdentifyAnswer answer = intervals(r); !answer.sentences.empty()) story.push_back(std::move(answer));
  if (IdentifyAnswer answer = gaps(r); !answer.sentences.empty()) story.push_back(std::move(answer));
  if (r.payload) {
    IdentifyAnswer answer{"What does it carry?", r.payload->missing};
    if (r.payload->identified) {
      answer.sentences.push_back(rounded(r.payload->mass) + " ± " + rounded(r.payload->mass_sd) + " kg (one sd).");
      if (std::isfinite(r.payload->center_sd.sum())) {
        std::string text = "Its centre of mass is at (";
        for (int axis = 0; axis < 3; ++axis) {
          text +=
              (axis == 0 ? "" : ", ") + rounded(r.payload->center[axis]) + " ± " + rounded(r.payload->center_sd[axis]);
        }
        answer.sentences.push_back(text + ") m in the payload's frame.");
      }
      answer.sentences.emplace_back(
          "A drive whose gain is wrong by 1 % makes 1 % of all that hangs on it look like "
          "payload: the sd does not include that.");
    }
    story.push_back(std::move(answer));
  }
  if (r.identified) story.push_back(use(r));
  if (!r.notes.empty()) story.push_back({"Further notes", r.notes});
  return story;
}

}  // namespace antaeus
