// What can be told of a torque channel before it is believed.

#include <algorithm>
#include <cmath>
#include <map>

#include "identification/moving/moving_gain.hpp"
#include "identification/moving/moving_motion.hpp"
#include "identification/moving/moving_rows.hpp"

namespace antaeus::detail {

namespace {

bool moves(const MovingRows& rows, Eigen::Index t, double speed) {
  return rows.motor_v.row(t).cwiseAbs().maxCoeff() > speed;
}

/// Share of samples that have the most frequent value. A channel that is held for some samples, as a slow bus does,
/// repeats each of its values; a dead one repeats one.
double most_frequent_share(const JointRows& joint) {
  std::map<double, Eigen::Index> counts;
  Eigen::Index most = 0, all = 0;
  for (Eigen::Index t = 0; t < joint.reading.size(); ++t) {
    if (!joint.use[t]) continue;
    ++all;
    most = std::max(most, ++counts[joint.channel[t] + 0.0]);  // + 0.0: −0 is 0
  }
  return all > 0 ? static_cast<double>(most) / static_cast<double>(all) : 1.0;
}

/// |τ| at which the drive saturates. A stated limit holds where it is reached. Else torque piles up at its largest
/// value while the arm moves: six times as dense there as just below. A sine, the densest of motions at its ends, makes
/// it 2.7 times.
double recognised_limit(const JointRows& joint, const MovingRows& rows, double stated, double moving_speed) {
  std::vector<double> sizes;
  for (Eigen::Index t = 0; t < rows.samples(); ++t) {
    if (joint.use[t] && moves(rows, t, moving_speed)) sizes.push_back(std::abs(joint.channel[t]));
  }
  constexpr std::size_t kEnough = 200;
  if (sizes.size() < kEnough) return kNaN;
  std::ranges::sort(sizes);
  const double largest = sizes[sizes.size() - 1 - sizes.size() / 1000];
  constexpr double kBelow = 0.85, kDenser = 6.0, kShare = 0.02;
  if (stated < kInfinity && sizes.back() >= kAtLimit * stated) return stated;
  if (!(largest > 0.0)) return kNaN;
  const auto from = [&sizes, largest](double share) {
    return std::ranges::lower_bound(sizes, share * largest) - sizes.begin();
  };
  const auto size = static_cast<double>(sizes.size());
  const double above = static_cast<double>(std::ssize(sizes) - from(kAtLimit)) / size;
  const double below = static_cast<double>(from(kAtLimit) - from(kBelow)) / size;
  const double density = (above / (1.0 - kAtLimit)) / std::max(below / (kAtLimit - kBelow), 1.0 / size);
  return above >= kShare && density >= kDenser ? largest : kNaN;
}

constexpr double kLeastGain = 0.7, kMostGain = 1.4;     // what a wrong description and a worn drive explain
constexpr double kSureGain = 3.0;                       // sds
constexpr double kLeastTool = 0.3, kLeastShare = 0.25;  // [kg]; of the last link: less is an inaccurate description

/// What is found of a gain that nothing else explains.
std::string gain_text(const Robot& robot, const MovingRows& rows, int motor, const ChannelFinding& found,
                      const GainFit& gains) {
  const std::string size = rounded(found.gain) + " ± " + rounded(found.gain_sd) + " N·m per unit";
  const double turned = std::abs(found.gain);
  if (const int column = better_column(rows, motor); column >= 0) {
    return found.joint + ": the channel follows the torque of " + robot.model.motor_names()[column] +
           ", not its own: columns in another order? (as its own it would be " + size + ")";
  }
  if (found.gain < 0.0 && turned > kLeastGain && turned < kMostGain) {
    return found.joint + ": the sign is the opposite of the model's, " + size +
           ": turn it, or look for a motor that is mounted the other way round";
  }
  constexpr double kFar = 2.5;  // what no description's masses make
  if (turned > kFar || turned < 1.0 / kFar) {
    return found.joint + ": the channel is not in N·m, by the model " + size +
           (found.gain < 0.0 ? ", and its sign is the opposite" : "") +
           ": amperes, torque before the gear, or mN·m; give its scale (joint_figures of a profile), or take effort "
           "units";
  }
  std::string text = found.joint + ": by the model " + size +
                     ": another gear or torque constant, or masses that the description has wrong";
  if (std::abs(gains.mass) > kSureGain * gains.mass_sd && gains.described + gains.mass > 0.0) {
    text += "; a payload or tool of " + rounded(std::abs(gains.mass)) + " kg " + (gains.mass > 0.0 ? "more" : "less") +
            " is another explanation";
  }
  return text;
}

void drop(JointRows& joint) { std::ranges::fill(joint.use, char{0}); }

/// Units and signs of the channels that are left, each beside whatever else its joint's torque may come from.
void judge_gains(const Robot& robot, MovingRows& rows, const MovingFitOptions& options,
                 std::vector<ChannelFinding>& findings) {
  const GainFit gains = fit_gains(robot, rows);
  bool another_unit = false;
  std::vector<int> wrong;
  for (int j = 0; j < rows.at.motors; ++j) {
    ChannelFinding& found = findings[j];
    const double k = gains.gain[j], sd = gains.gain_sd[j];
    if (found.use != ChannelUse::used || !gains.told[j] || !(std::abs(k) > kSureGain * sd)) continue;
    found.gain = 1.0 / k;
    found.gain_sd = sd / (k * k);
    if (options.effort_units) continue;
    // Inertia alone tells no unit, since a rotor's is in no description; a sign it tells, unless friction opposes it.
    const bool turned = k < 0.0 && !(gains.dry[j] > kSureGain * gains.dry_sd[j]);
    const bool scaled = k - kSureGain * sd > 1.0 / kLeastGain || k + kSureGain * sd < 1.0 / kMostGain;
    if (gains.right[j] || !(gains.loaded[j] ? scaled : turned)) continue;
    found.use = ChannelUse::other_unit;
    wrong.push_back(j);
    another_unit =
        another_unit || (gains.loaded[j] && std::abs(std::log(std::abs(found.gain))) > -std::log(kLeastGain));
  }
  for (const int j : wrong) findings[j].reason = gain_text(robot, rows, j, findings[j], gains);
  for (int j = 0; j < rows.at.motors; ++j) {
    ChannelFinding& found = findings[j];
    // One drive's wrong unit casts doubt on those whose unit the motion cannot tell.
    const double k = gains.gain[j], slack = kSureGain * gains.gain_sd[j];
    const bool open = std::isnan(found.gain) || k - slack > 1.0 / kLeastGain || k + slack < 1.0 / kMostGain;
    if (another_unit && found.use == ChannelUse::used && open) {
      found.use = ChannelUse::unknown_unit;
      found.reason =
          found.joint + ": its gain cannot be determined from this motion, and other channels are not in N·m";
    }
    if (found.use != ChannelUse::used) drop(rows.joints[j]);
  }
  if (!findings.empty() && gains.tip >= 0 &&
      std::abs(gains.mass) > (gains.explains ? 2.0 : kSureGain) * gains.mass_sd &&
      std::abs(gains.mass) > std::max(kLeastTool, kLeastShare * gains.described) &&
      gains.described + gains.mass > 0.0) {
    findings.back().tool = gains.mass;
    findings.back().tool_sd = gains.mass_sd;
  }
}

}  // namespace

std::vector<ChannelFinding> examine_channels(const Robot& robot, MovingRows& rows, const MovingFitOptions& options) {
  constexpr double kDead = 0.5;       // a channel that repeats one value in half of all samples
  constexpr double kSaturated = 0.5;  // a hopper's knee with 0.36 is identified, and judged so
  std::vector<ChannelFinding> findings;
  for (int j = 0; j < rows.at.motors; ++j) {
    JointRows& joint = rows.joints[j];
    ChannelFinding found;
    found.joint = robot.model.motor_names()[j];
    for (Eigen::Index t = 0; t < rows.samples(); ++t) {
      if (rows.motor_v(t, j) > options.moving_speed) found.forward += rows.step;
      if (rows.motor_v(t, j) < -options.moving_speed) found.backward += rows.step;
    }
    if (rows.grounded[j]) {
      found.use = ChannelUse::carries_foot;
      found.reason = found.joint + ": it carries a foot, and the ground pushes: its parameters stay the profile's";
      findings.push_back(std::move(found));
      continue;
    }
    found.repeated = most_frequent_share(joint);
    if (found.repeated >= kDead) {
      found.use = ChannelUse::dead;
      found.reason =
          found.joint + ": the channel is dead, one value in " + rounded(100.0 * found.repeated) + " % of the samples";
      drop(joint);
      findings.push_back(std::move(found));
      continue;
    }
    const double stated = std::min(robot.profile.figures[j].torque_limit, robot.model.effort_limits()[j]);
    found.limit = recognised_limit(joint, rows, stated, options.moving_speed);
    if (!std::isnan(found.limit)) {
      const Eigen::Index before = used_rows(joint);
      // What the low pass remembers of the limit is no evidence either.
      const auto memory = static_cast<Eigen::Index>(std::ceil(low_pass_memory(options) / rows.step));
      Eigen::Index left = 0;
      for (Eigen::Index t = 0; t < rows.samples(); ++t) {
        if (t > 0 && rows.piece[t] != rows.piece[t - 1]) left = 0;
        if (!joint.use[t]) continue;
        if (std::abs(joint.channel[t]) >= kAtLimit * found.limit) {
          joint.at_limit[t] = 1;
          left = memory + 1;
        }
        if (left > 0) {
          joint.use[t] = 0;
          --left;
        }
      }
      found.at_limit =
          static_cast<double>(before - used_rows(joint)) / static_cast<double>(std::max<Eigen::Index>(1, before));
      found.reason = found.joint + ": at its torque limit of " + rounded(found.limit) + " in " +
                     rounded(100.0 * found.at_limit) + " % of the samples, which are left out";
      if (found.at_limit > kSaturated) {
        found.use = ChannelUse::saturated;
        found.reason += ": too few remain; move slower, or with less load";
        drop(joint);
        findings.push_back(std::move(found));
        continue;
      }
    }
    findings.push_back(std::move(found));
  }
  judge_gains(robot, rows, options, findings);
  return findings;
}

}  // namespace antaeus::detail
