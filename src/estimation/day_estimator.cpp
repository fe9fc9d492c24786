#include "antaeus/estimation/day_estimator.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/messages.hpp"
#include "antaeus/core/option_table.hpp"
#include "core/computable.hpp"

namespace antaeus {

namespace {

/// [s] between samples, as ResidualOptions::maximum_gap.
constexpr double kDayGap = 0.1;
/// [s] of an error whose time nobody could identify, as InnovationWindow.
constexpr double kAssumedPeriod = 1.0;
/// [s] in which no row may show a contact before anything is learnt of a stretch that nobody vouched for, and what its
/// sds are multiplied with.
constexpr double kQuietTime = 2.0, kFoundDoubt = 2.0;
/// [rad/s] of any motor below which a stretch that nobody vouched for is not learnt from: what rests is held.
constexpr double kMovingSpeed = 0.05;

}  // namespace

DayEstimator::DayEstimator(const NoiseModel& noise, const DayOptions& options)
    : options_(options),
      unknown_(unknown_day(noise)),
      day_(unknown_),
      period_(noise.correlation_time),
      white_(noise.white_sd) {
  check_options(options);
  if (period_.size() == 0) period_ = VectorX::Zero(white_.size());
  for (double& period : period_) {
    if (!(period > 0.0)) period = kAssumedPeriod;
  }
}

void DayEstimator::begin() noexcept { told_ = true; }
void DayEstimator::end() noexcept { told_ = false; }

void DayEstimator::drop() noexcept {
  day_.mean = unknown_.mean;
  day_.covariance = unknown_.covariance;
  state_ = DayState::unknown;
  told_ = false;
  motor_ = -1;
  learnt_ = quiet_ = 0.0;
}

void DayEstimator::refuse(int motor) noexcept {
  drop();
  state_ = DayState::refused;
  motor_ = motor;
}

bool DayEstimator::wanted(double time) const noexcept {
  return told_ || (options_.from >= 0.0 && time >= options_.from && time <= options_.until);
}

void DayEstimator::forget(double dt) noexcept {
  if (state_ != DayState::learning && state_ != DayState::known) return;
  const double keep = std::exp(-dt / options_.forget);
  day_.mean *= keep;
  day_.covariance += (1.0 - keep * keep) * (unknown_.covariance - day_.covariance);
}

bool DayEstimator::step(double time, ConstVectorRef residual, ConstVectorRef speed, const MatrixX& R) noexcept {
  const int motors = day_.motors();
  const double dt = time - last_time_;
  if (!std::isfinite(time) || residual.size() != motors || speed.size() != motors || R.rows() != motors ||
      R.cols() != motors) {
    return false;
  }
  last_time_ = time;
  if (state_ == DayState::refused && !wanted(time)) return false;
  if (dt < 0.0) {  // another clock: how long ago it was learnt is not known
    drop();
    return true;
  }
  if (!(dt > 0.0)) return false;
  forget(dt);
  if (state_ == DayState::learning) state_ = DayState::known;
  const bool vouched = wanted(time);
  if (state_ == DayState::refused || dt > kDayGap || (!vouched && options_.learn != DayLearning::found)) {
    quiet_ = 0.0;
    return state_ == DayState::known;
  }
  const auto evidence = [&](int j) {
    return std::isfinite(R(j, j)) && std::isfinite(white_[j]) && is_computable(residual[j]) && is_computable(speed[j]);
  };
  bool touched = false, moving = false;
  for (int j = 0; j < motors; ++j) {
    if (!evidence(j)) continue;
    touched = touched || residual[j] * residual[j] > options_.contact_sd * options_.contact_sd * R(j, j);
    moving = moving || std::abs(speed[j]) > kMovingSpeed;
  }
  quiet_ = touched ? 0.0 : quiet_ + dt;
  if (touched || (!vouched && (quiet_ < kQuietTime || !moving))) return state_ == DayState::known;
  const double doubt = vouched ? 1.0 : kFoundDoubt * kFoundDoubt;
  constexpr int kParts = DayDraw::kParts;
  for (int j = 0; j < motors; ++j) {
    if (!evidence(j)) continue;
    auto P = day_.covariance.middleCols<kParts>(kParts * j);
    const DayDraw::Part x = DayDraw::columns(speed[j]);
    const DayDraw::Part Px = P * x;
    const double spread = x.dot(Px);
    if (!(spread > 0.0)) continue;
    const double alone = std::max(R(j, j) - spread, white_[j] * white_[j]);
    const double total = spread + doubt * alone * std::max(1.0, period_[j] / dt);
    const DayDraw::Part gain = Px / total;
    day_.mean.col(j) += gain * residual[j];
    const Eigen::Matrix3d less = gain * Px.transpose();
    P -= less;
    for (int part = 0; part < kParts; ++part) {
      const double most = options_.largest * options_.largest * unknown_.covariance(part, kParts * j + part);
      if (day_.mean(part, j) * day_.mean(part, j) <= most) continue;
      refuse(j);
      return true;
    }
  }
  learnt_ += dt;
  state_ = DayState::learning;
  return true;
}

const OptionTable& options_of(const DayOptions&) {
  using O = DayOptions;
  static const OptionTable table(
      "", {
              option("session_learn", "", "stated or found: when friction and offsets of this session are estimated",
                     "a contact that stays looks like an offset", &O::learn),
              option("session_from", "s", "time stamp at which the contact-free interval begins; negative: none",
                     "given by contact_free", &O::from, kAnyNumber),
              option("session_until", "s", "time stamp at which the contact-free interval ends",
                     "given by contact_free", &O::until, kAnyNumber),
              option("session_forget", "s", "time constant with which the session's estimates decay",
                     "gears warm up within an hour", &O::forget, kPositive),
              option("session_contact_sd", "1", "sds of a joint torque above which a sample is treated as contact",
                     "one in 370 samples of a normal error", &O::contact_sd, kPositive),
              option("session_largest", "1", "sds of the spread between sessions above which the estimates are refused",
                     "three draws of each joint, of a spread that few sessions showed", &O::largest, kPositive),
          });
  return table;
}

}  // namespace antaeus
