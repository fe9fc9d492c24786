// What a run of `antaeus identify` is told as: summary.json, and sentences.
#include <algorithm>
#include <cmath>

#include "antaeus/core/words.hpp"
#include "antaeus/identification/identify.hpp"
#include "identification/moving/moving_rows.hpp"

namespace antaeus {

namespace {

using detail::rounded;

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json texts(const std::vector<std::string>& all) {
  Json list = Json::array();
  for (const std::string& one : all) list.push_back(one);
  return list;
}

Json joint_json(const IdentifiedJoint& j) {
  return Json::object()
      .set("joint", j.joint)
      .set("identified", j.identified)
      .set("use", to_string(j.use))
      .set("reason", j.reason)
      .set("gain", number_or_null(j.gain))
      .set("gain_sd", number_or_null(j.gain_sd))
      .set("offset", number_or_null(j.offset))
      .set("offset_error", number_or_null(j.offset_error))
      .set("white_sd", number_or_null(j.white_sd))
      .set("offset_sd", number_or_null(j.offset_sd))
      .set("slow_sd", number_or_null(j.slow_sd))
      .set("motion_sd", number_or_null(j.motion_sd))
      .set("integral_time_s", number_or_null(j.integral_time))
      .set("rms_before", number_or_null(j.rms_before))
      .set("rms_after", number_or_null(j.rms_after))
      .set("hold_out_rms", number_or_null(j.hold_out_rms))
      .set("hold_out_covered", number_or_null(j.hold_out_covered))
      .set("largest_speed", number_or_null(j.largest_speed))
      .set("least_position", number_or_null(j.least_position))
      .set("largest_position", number_or_null(j.largest_position));
}

Json payload_json(const PayloadFit& fit) {
  Json centre = Json::array(), centre_sd = Json::array();
  for (int axis = 0; axis < 3; ++axis) {
    centre.push_back(number_or_null(fit.center[axis]));
    centre_sd.push_back(number_or_null(fit.center_sd[axis]));
  }
  return Json::object()
      .set("identified", fit.identified)
      .set("mass_kg", number_or_null(fit.mass))
      .set("mass_sd_kg", number_or_null(fit.mass_sd))
      .set("center_m", std::move(centre))
      .set("center_sd_m", std::move(centre_sd))
      .set("missing", texts(fit.missing));
}

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
  answer.sentences.push_back("Yes, of " + in_words(r.method) + ": " + counted(known, "joint", "joints") + " of " +
                             std::to_string(r.joints.size()) + ", from " +
                             counted(static_cast<std::size_t>(r.runs), "log", "logs") + ". Torques are in " + r.unit +
                             ".");
  if (r.method == IdentifyMethod::unlabelled) {
    answer.sentences.emplace_back(
        "unlabelled: nobody said where nothing touched, so only what no contact can explain "
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
    answer.sentences.push_back("Omitted: " + listed(names) + "; summary.json says why of each.");
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
  answer.sentences.emplace_back("Use profile.toml in place of the robot's name: --robot DIR/profile.toml.");
  return answer;
}

}  // namespace

Json identify_summary(const IdentifyResult& r) {
  Json joints = Json::array(), parameters = Json::array(), omitted = Json::array(), stretches = Json::array();
  for (const IdentifiedJoint& joint : r.joints) joints.push_back(joint_json(joint));
  for (const ParameterEstimate& one : r.parameters) {
    parameters.push_back(Json::object()
                             .set("name", one.name)
                             .set("unit", one.unit)
                             .set("value", number_or_null(one.value))
                             .set("sd", number_or_null(one.sd))
                             .set("prior_sd", number_or_null(one.prior_sd)));
  }
  for (const OmittedParameter& one : r.omitted) {
    omitted.push_back(Json::object().set("name", one.name).set("reason", one.reason));
  }
  for (const IdentifiedStretch& one : r.stretches) {
    stretches.push_back(Json::object()
                            .set("log", one.log)
                            .set("from_s", number_or_null(one.from))
                            .set("to_s", number_or_null(one.to))
                            .set("still_s", number_or_null(one.still))
                            .set("moving_s", number_or_null(one.moving)));
  }
  return Json::object()
      .set("schema", "antaeus.identify/1")
      .set("command", r.command)
      .set("robot", r.robot)
      .set("base", r.base_text)
      .set("identified", r.identified)
      .set("method", to_string(r.method))
      .set("unlabelled", r.method == IdentifyMethod::unlabelled)
      .set("unit", r.unit)
      .set("endpoints", texts(r.endpoints))
      .set("missing", texts(r.missing))
      .set("notes", texts(r.notes))
      .set("stretches", std::move(stretches))
      .set("runs", r.runs)
      .set("motion_s", number_or_null(r.motion))
      .set("prior_scale", number_or_null(r.prior_scale))
      .set("joints", std::move(joints))
      .set("parameters", std::move(parameters))
      .set("omitted", std::move(omitted))
      .set("hold_out", Json::object().set("what", r.hold_out).set("covered", number_or_null(r.hold_out_covered)))
      .set("envelope", Json::object().set("largest_speed", number_or_null(r.largest_speed)))
      .set("payload", r.payload ? payload_json(*r.payload) : Json())
      .set("provenance", r.provenance);
}

std::vector<IdentifyAnswer> identify_story(const IdentifyResult& r) {
  std::vector<IdentifyAnswer> story = {verdict(r)};
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
          "payload: the sd does not know that.");
    }
    story.push_back(std::move(answer));
  }
  if (r.identified) story.push_back(use(r));
  if (!r.notes.empty()) story.push_back({"What else is to know?", r.notes});
  return story;
}

}  // namespace antaeus
