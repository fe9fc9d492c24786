// What can be told of a torque channel before it is believed.

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

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

struct Gain {
  double value = kNaN, sd = kNaN;
};

/// The channel against the description's torque, with offset and friction beside it. Its inverse is the gain that the
/// channel needs; NaN where three standard errors reach zero.
Gain gain_of(const MovingRows& rows, const JointRows& joint) {
  const int dry = rows.width() - 3;
  Eigen::Matrix4d G = Eigen::Matrix4d::Zero();
  Eigen::Vector4d h = Eigen::Vector4d::Zero();
  const auto columns = [&](Eigen::Index t) {
    return Eigen::Vector4d(joint.expected[t], joint.X(t, dry), joint.X(t, dry + 1), 1.0);
  };
  for (Eigen::Index t = 0; t < rows.samples(); ++t) {
    if (!joint.use[t]) continue;
    const Eigen::Vector4d x = columns(t);
    G += x * x.transpose();
    h += joint.reading[t] * x;
  }
  // A joint that gravity does not load, or that does not move, leaves a direction open: a trace of a ridge closes it.
  G.diagonal() *= 1.0 + 1e-9;
  G.diagonal().array() += 1e-9 * std::max(1.0, G.trace());
  const Eigen::LDLT<Eigen::Matrix4d> factor(G);
  const Eigen::Vector4d solution = factor.solve(h);
  VectorX error(rows.samples());
  for (Eigen::Index t = 0; t < rows.samples(); ++t) error[t] = joint.reading[t] - solution.dot(columns(t));
  const double period = integral_time(rows, joint, error);
  const double sd = root_mean_square(joint, error) * std::sqrt(period / rows.step) *
                    std::sqrt(factor.solve(Eigen::Matrix4d::Identity())(0, 0));
  constexpr double kSure = 3.0;
  if (!(std::abs(solution[0]) > kSure * sd)) return {};
  return {1.0 / solution[0], sd / (solution[0] * solution[0])};
}

void drop(JointRows& joint) { std::ranges::fill(joint.use, char{0}); }

}  // namespace

std::vector<ChannelFinding> examine_channels(const Robot& robot, MovingRows& rows, const MovingFitOptions& options) {
  constexpr double kDead = 0.5;                        // a channel that repeats one value in half of all samples
  constexpr double kSaturated = 0.5;                   // a hopper's knee with 0.36 is identified, and judged so
  constexpr double kLeastGain = 0.7, kMostGain = 1.4;  // what a wrong description and a worn drive explain
  std::vector<ChannelFinding> findings;
  bool another_unit = false;
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
      found.reason = found.joint + ": it carries a foot, and the ground pushes: its figures stay the profile's";
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
        findings.push_back(std::move(found));
        continue;
      }
    }
    const Gain gain = gain_of(rows, joint);
    found.gain = gain.value;
    found.gain_sd = gain.sd;
    if (!options.effort_units && !std::isnan(gain.value) && !(gain.value >= kLeastGain && gain.value <= kMostGain)) {
      another_unit = true;
      found.use = ChannelUse::other_unit;
      found.reason = found.joint + ": the channel is not in N·m, the model says " + rounded(gain.value) + " ± " +
                     rounded(gain.sd) + " N·m per unit; give its scale, or take effort units";
    }
    findings.push_back(std::move(found));
  }
  for (int j = 0; j < rows.at.motors; ++j) {
    ChannelFinding& found = findings[j];
    // One drive's wrong unit casts doubt on those whose unit the motion cannot tell.
    if (another_unit && found.use == ChannelUse::used && std::isnan(found.gain)) {
      found.use = ChannelUse::unknown_unit;
      found.reason = found.joint + ": its gain cannot be told from this motion, and other channels are not in N·m";
    }
    if (found.use != ChannelUse::used) drop(rows.joints[j]);
  }
  return findings;
}

}  // namespace antaeus::detail
