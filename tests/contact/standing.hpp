#pragma once
/// \file
/// Synthetic motions of a body on two feet, whose wrenches are known, and what the sampling rate does to an estimate.

#include <cmath>
#include <numbers>
#include <random>

#include "antaeus/contact/contact_posterior.hpp"
#include "contact/wander.hpp"
#include "support/human_plates.hpp"

namespace antaeus::test {

inline constexpr double kWeight = 600.0, kHeight = 0.9, kRate = 100.0;
inline const std::vector<Vector3> kTwo{{0, 0.15, 0}, {0, -0.15, 0}};

/// A standing body whose feet deviate as the options say, so that the truth is known. z is up, the body faces x.
struct Standing {
  TotalMotion motion;
  std::vector<MatrixX> truth;  ///< of each foot rows × 6, about the origin of its frame
};

/// \param places  of the feet's frames on the ground
inline Standing standing(const std::vector<Vector3>& places, int rows, unsigned seed, const SplitOptions& o,
                         const Sole& sole) {
  std::mt19937 random(seed);
  Standing result;
  TotalMotion& motion = result.motion;
  motion.name = "standing";
  motion.time = VectorX::LinSpaced(rows, 0, (rows - 1) / kRate);
  motion.wrench = MatrixX::Zero(rows, 6);
  motion.com = Vector3(sole.flat, 0, kHeight).transpose().replicate(rows, 1);
  const auto feet = places.size();
  std::vector<std::vector<VectorX>> own;
  for (std::size_t f = 0; f < feet; ++f) {
    motion.feet.push_back({std::string(1, static_cast<char>('a' + f)), {}});
    motion.feet[f].pose.assign(static_cast<std::size_t>(rows), {Matrix3::Identity(), places[f]});
    result.truth.emplace_back(rows, 6);
    own.emplace_back();
    for (int k = 0; k < 5; ++k) own[f].push_back(wander(random, rows, kRate, o.foot_correlation));
    own[f].push_back(wander(random, rows, kRate, 2.0));
  }
  std::vector<VectorX> errors;
  for (int k = 0; k < 6; ++k) errors.push_back(wander(random, rows, kRate, o.total_correlation));
  const Vector6 sd = (Vector6() << o.force_sd_forward, o.force_sd_sideways, o.force_sd_up, o.com_sd_sideways * kWeight,
                      o.com_sd_forward * kWeight, o.yaw_sd)
                         .finished();
  for (Eigen::Index t = 0; t < rows; ++t) {
    const Vector3 com = motion.com.row(t).transpose(), ground(com.x(), com.y(), 0);
    VectorX load(std::ssize(own));
    for (std::size_t f = 0; f < feet; ++f) load[static_cast<Eigen::Index>(f)] = 1 + 0.16 * own[f][5][t];
    load *= kWeight / load.sum();
    Vector6 total = Vector6::Zero();
    for (std::size_t f = 0; f < feet; ++f) {
      const double up = load[static_cast<Eigen::Index>(f)];
      const Vector3 c = places[f] + Vector3(sole.flat, 0, -places[f].z());
      const Vector3 lean = (com - c) / kHeight;
      const Vector3 force(up * (o.lean_forward * lean.x() + o.lean_sd_forward * own[f][0][t]),
                          up * (o.lean_sideways * lean.y() + o.lean_sd_sideways * own[f][1][t]), up);
      const Vector3 pressure(sole.along_sd * own[f][2][t], sole.across_sd * own[f][3][t], 0);
      Vector3 moment(pressure.y() * up, -pressure.x() * up, 0);
      const double free = o.free_moment_sd * own[f][4][t];
      moment.z() = (free * up * up - moment.dot(force)) / up;
      result.truth[f].row(t) << force.transpose(), (moment + (c - places[f]).cross(force)).transpose();
      total.head<3>() += force;
      total.tail<3>() += moment + (c - ground).cross(force);
    }
    // Along and about (forward, right, up) = (x, −y, z).
    for (int k = 0; k < 6; ++k) total[k] += sd[k] * errors[static_cast<std::size_t>(k)][t];
    motion.wrench.row(t) << total.head<3>().transpose(), (total.tail<3>() + ground.cross(total.head<3>())).transpose();
  }
  return result;
}

inline Sole flat_sole() { return Sole::rectangle(0.04, 0.13, 0.05, 0.0); }

inline SplitOptions exact() {
  SplitOptions options;
  options.delay = options.motion_share = 0.0;  // the synthetic motion's errors are those of a slow one
  return options;
}

/// Returns a body that moves its centre of mass over foot a, lifts foot b from 1.5 s to 2.5 s, and moves back: F = m (a
/// − g), M = com × F. z is up, the body faces x.
inline TotalMotion lifted_foot() {
  constexpr int kRows = 401;
  constexpr double kShift = 1.5, kMass = kWeight / 9.80665;  // [s], [kg]
  TotalMotion motion;
  motion.name = "lifted foot";
  motion.time = VectorX::LinSpaced(kRows, 0, (kRows - 1) / kRate);
  motion.wrench = MatrixX::Zero(kRows, 6);
  motion.com = MatrixX::Zero(kRows, 3);
  motion.feet = {{"a", {}}, {"b", {}}};
  for (Eigen::Index i = 0; i < kRows; ++i) {
    const double t = motion.time[i], s = std::clamp(t < 2.0 ? t / kShift : (4.0 - t) / kShift, 0.0, 1.0);
    // The polynomial of least jerk from 0 to 1, and its second derivative.
    const double y = 0.15 * s * s * s * (10 + s * (-15 + 6 * s));
    const double a = 0.15 * s * (60 + s * (-180 + 120 * s)) / (kShift * kShift);
    const Vector3 com(0.04, y, kHeight), force(0, kMass * a, kWeight);
    motion.com.row(i) = com.transpose();
    motion.wrench.row(i) << force.transpose(), com.cross(force).transpose();
    const double lift = std::sin(std::numbers::pi * std::clamp(t - 1.5, 0.0, 1.0));
    motion.feet[0].pose.push_back({Matrix3::Identity(), kTwo[0]});
    motion.feet[1].pose.push_back({Matrix3::Identity(), kTwo[1] + Vector3(0, 0, 0.1 * lift * lift)});
  }
  return motion;
}

/// Difference of an estimate from every second row.
struct RateEffect {
  double force = 0.0;     ///< largest rms of a foot's vertical force [N]
  double sd_ratio = 0.0;  ///< geometric mean over rows and feet
};
inline RateEffect halve_rate(const TotalMotion& motion, const Sole& sole, const SplitOptions& options) {
  const auto split = [&](const TotalMotion& one) {
    return split_contacts(one, detect_contacts(one, sole), sole, options);
  };
  const ContactPosterior fast = split(motion), slow = split(thinned(motion, 2));
  RateEffect effect;
  double sd = 0.0;
  for (std::size_t f = 0; f < 2; ++f) {
    VectorX off(slow.time.size());
    for (Eigen::Index i = 0; i < off.size(); ++i) {
      off[i] = slow.feet[f].mean(i, motion.up) - fast.feet[f].mean(2 * i, motion.up);
      sd += std::log(slow.feet[f].covariance[static_cast<std::size_t>(i)](motion.up, motion.up) /
                     fast.feet[f].covariance[static_cast<std::size_t>(2 * i)](motion.up, motion.up));
    }
    effect.force = std::max(effect.force, std::sqrt(off.squaredNorm() / static_cast<double>(off.size())));
  }
  effect.sd_ratio = std::exp(0.5 * sd / static_cast<double>(2 * slow.time.size()));
  return effect;
}

}  // namespace antaeus::test
