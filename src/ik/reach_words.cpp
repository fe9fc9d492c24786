#include <algorithm>
#include <cmath>

#include "antaeus/core/number_text.hpp"
#include "antaeus/core/words.hpp"
#include "antaeus/ik/reach.hpp"

namespace antaeus {

namespace {

std::string number_word(double value) { return significant_text(value, 3); }

/// "12 mm" or "12 mm and 0.1 rad".
std::string miss(const ReachModel& model, const ReachSolution& s) {
  std::string text = s.position_error < 1.0            ? number_word(1000.0 * s.position_error) + " mm"
                     : std::isfinite(s.position_error) ? number_word(s.position_error) + " m"
                                                       : "more than 1e150 m";  // its square is beyond a double
  if (!model.options().position_only) text += " and " + number_word(s.rotation_error) + " rad";
  return text;
}

std::string starts(const ReachSolution& s) {
  return std::to_string(s.agreeing_starts) + " of " + std::to_string(s.descents) +
         " descents came to this distance, and the gradient along free joints is " + scientific_text(s.gradient, 1);
}

/// By how much each joint of `rejected` is outside.
std::string overrun(const KinematicChain& chain, const ReachSolution& s) {
  std::vector<std::string> parts;
  for (int i = 0; i < chain.size(); ++i) {
    if (!(s.blocked_by >> i & 1U)) continue;
    const ChainJoint& joint = chain.joints()[static_cast<std::size_t>(i)];
    const bool above = s.rejected[i] > joint.upper;
    const double over = above ? s.rejected[i] - joint.upper : joint.lower - s.rejected[i];
    parts.push_back(joint.name + " " + number_word(over) + (joint.prismatic ? " m " : " rad ") +
                    (above ? "above its upper limit" : "below its lower limit"));
  }
  return listed(parts);
}

}  // namespace

std::vector<std::string> joint_names(const KinematicChain& chain, std::uint32_t mask) {
  std::vector<std::string> names;
  for (int i = 0; i < chain.size(); ++i) {
    if (mask >> i & 1U) names.push_back(chain.joints()[static_cast<std::size_t>(i)].name);
  }
  return names;
}

std::string reason_text(const ReachModel& model, const ReachSolution& s) {
  std::string text;
  const std::string closest = "; the closest pose within the limits misses it by " + miss(model, s);
  switch (s.evidence) {
    case ReachEvidence::none:
      text = s.status == ReachStatus::reached ? "within tolerance and limits" : "not solved yet";
      break;
    case ReachEvidence::link_lengths:
      text = "farther from the first joint than all links stretched out (" + number_word(model.chain().reach()) +
             " m)" + closest;
      break;
    case ReachEvidence::agreement:
      text = (s.status == ReachStatus::out_of_reach && model.chain().limited()
                  ? "not found without limits either" + closest
                  : "no start reached it" + closest) +
             ": " + starts(s);
      break;
    case ReachEvidence::one_descent:
      text = "no start reached it, and no second descent confirms that the pose found is the closest: it misses by " +
             miss(model, s) + "; " + starts(s);
      break;
    case ReachEvidence::branch_only:
      text = "the closest pose on the branch of the start misses it by " + miss(model, s) +
             "; other branches were not asked";
      break;
    case ReachEvidence::other_branch:
      text = "another branch reaches it; the closest pose on the branch of the start misses it by " + miss(model, s);
      break;
    case ReachEvidence::no_limits: text = "reached only with " + overrun(model.chain(), s) + closest; break;
    case ReachEvidence::budget:
      text = "the budget of iterations was used up; the best so far misses by " + miss(model, s);
      break;
    case ReachEvidence::deadline: text = "the deadline passed; the best so far misses by " + miss(model, s); break;
    case ReachEvidence::target:
      text = "the target holds a number that is not finite, or its rotation is not orthonormal within 1e-6";
      break;
    case ReachEvidence::start: text = "the start is not finite, or not one number for each joint of the chain"; break;
  }
  if (s.pulled_in != 0) {
    text += "; the start was outside the limits of " + listed(joint_names(model.chain(), s.pulled_in)) +
            " and was pulled to them";
  }
  return text;
}

}  // namespace antaeus
