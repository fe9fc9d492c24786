#include "antaeus/estimation/tare.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/option_table.hpp"

namespace antaeus {

namespace {

/// [s] between samples, as ResidualOptions::maximum_gap.
constexpr double kGap = 0.1;
constexpr int kFewest = 8;  ///< samples of each half

}  // namespace

Tare::Tare(VectorX torque_limits, const TareOptions& options) : options_(options), limits_(std::move(torque_limits)) {
  check_options(options);
  const Eigen::Index n = limits_.size();
  sums_.setZero(n, 2);
  for (VectorX* vector : {&squares_, &first_, &q_, &offset_}) vector->setZero(n);
  drop();
}

void Tare::drop() noexcept {
  state_ = TareState::none;
  problem_ = TareProblem::none;
  motor_ = -1;
  begin_ = end_ = last_time_ = kNaN;
  offset_.setZero();
}

void Tare::begin() noexcept {
  drop();
  state_ = TareState::collecting;
  counts_[0] = counts_[1] = 0;
  sums_.setZero();
  squares_.setZero();
}

void Tare::lose(TareState state, TareProblem problem, int motor) noexcept {
  drop();
  state_ = state;
  problem_ = problem;
  motor_ = motor;
}

void Tare::bad_sample() noexcept {
  if (state_ == TareState::collecting) lose(TareState::refused, TareProblem::bad_sample);
}

void Tare::step(double time, ConstVectorRef q, ConstVectorRef speed, ConstVectorRef residual,
                ConstVectorRef variance) noexcept {
  if (state_ == TareState::none && options_.at >= 0.0 && !done_by_itself_ && time >= options_.at) {
    done_by_itself_ = true;
    begin();
  }
  if (state_ != TareState::collecting && state_ != TareState::holding) return;
  if (!std::isfinite(time) || time <= last_time_) {
    return lose(state_ == TareState::holding ? TareState::expired : TareState::refused, TareProblem::bad_sample);
  }
  if (state_ == TareState::holding) {
    last_time_ = time;
    if (time - end_ > options_.expiry) return lose(TareState::expired, TareProblem::time_over);
    Eigen::Index motor = 0;
    if ((q - q_).cwiseAbs().maxCoeff(&motor) > options_.range) {
      lose(TareState::expired, TareProblem::pose_left, static_cast<int>(motor));
    }
    return;
  }
  if (std::isnan(begin_)) {
    begin_ = time;
    q_ = q;
    first_ = residual;
  } else if (time - last_time_ > kGap) {
    return lose(TareState::refused, TareProblem::gap);
  }
  last_time_ = time;
  collect(q, speed, residual, variance);
}

void Tare::collect(ConstVectorRef q, ConstVectorRef speed, ConstVectorRef residual, ConstVectorRef variance) noexcept {
  const int half = last_time_ - begin_ < 0.5 * options_.duration ? 0 : 1;
  for (Eigen::Index m = 0; m < residual.size(); ++m) {
    const bool moved = std::abs(speed[m]) > options_.still || std::abs(q[m] - q_[m]) > options_.range;
    if (moved) return lose(TareState::refused, TareProblem::moved, static_cast<int>(m));
    // No evidence at any time: no offset.
    if (!std::isfinite(variance[m]) || !std::isfinite(residual[m])) squares_[m] = kInfinity;
    if (std::isinf(squares_[m])) continue;
    sums_(m, half) += residual[m] - first_[m];
    squares_[m] += variance[m];
  }
  ++counts_[half];
  if (last_time_ - begin_ >= options_.duration) finish();
}

void Tare::finish() noexcept {
  const double early = counts_[0], late = counts_[1], all = early + late;
  if (std::min(early, late) < kFewest) return lose(TareState::refused, TareProblem::gap);
  for (Eigen::Index m = 0; m < offset_.size(); ++m) {
    if (std::isinf(squares_[m])) continue;
    const double offset = first_[m] + sums_.row(m).sum() / all;
    const double drift = sums_(m, 1) / late - sums_(m, 0) / early;
    const int motor = static_cast<int>(m);
    if (std::abs(drift) > options_.drift * std::sqrt(squares_[m] / all)) {
      return lose(TareState::refused, TareProblem::drifted, motor);
    }
    if (std::abs(offset) > options_.largest * limits_[m]) {
      return lose(TareState::refused, TareProblem::too_large, motor);
    }
    offset_[m] = offset;
  }
  state_ = TareState::holding;
  end_ = last_time_;
}

const OptionTable& options_of(const TareOptions&) {
  using O = TareOptions;
  static const OptionTable table(
      "", {
              option("tare_at", "s", "time stamp of a contact-free log at which a tare begins; below zero: never",
                     "an act of the user (docs/concepts/estimator.md)", &O::at, kAnyNumber),
              option("tare_duration", "s", "over which a tare averages residuals",
                     "1.3 s took out the offsets of RE1 and RE2 in simulation", &O::duration, kPositive),
              option("tare_expiry", "s", "after which a tare no longer holds", "our choice: ten minutes", &O::expiry,
                     kPositive),
              option("tare_range", "rad", "by which any joint may move until a tare no longer holds",
                     "our choice: a wrong mass pulls elsewhere by half of it (rad; m of a sliding joint)", &O::range,
                     kPositive),
              option("tare_largest", "1", "share of the torque limit above which an offset is refused",
                     "RE1, RE2: up to 0.12 of the elbow's", &O::largest, kPositive),
              option("tare_drift", "sd", "between a tare's two halves, above which it is refused",
                     "our choice: more than noise makes of a mean", &O::drift, kPositive),
              option("tare_still", "rad/s", "joint speed above which a tare is refused", "as residual.motion_speed",
                     &O::still, kPositive),
          });
  return table;
}

}  // namespace antaeus
