#include "antaeus/trust/torque_rate.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/numbers.hpp"

namespace antaeus {

namespace {

/// Two samples of the ring are at least this far apart, so that it spans the window at any rate [s].
constexpr double kSpacing = TorqueRate::kWindow / 16.0;
/// Sums of sample times round.
constexpr double kTimeSlack = 1.0 - 1e-9;

}  // namespace

TorqueRate::TorqueRate(Eigen::Index motors, double limit, double maximum_gap)
    : limit_(limit),
      maximum_gap_(maximum_gap),
      last_time_(kNaN),
      excess_(VectorX::Zero(motors)),
      past_(kSamples, Sample{0.0, VectorX::Zero(motors)}) {}

void TorqueRate::reset() noexcept {
  past_.clear();
  excess_.setZero();
  last_time_ = kNaN;
}

void TorqueRate::see(double time, const VectorX& torque) noexcept {
  excess_.setZero();
  if (!std::isfinite(time)) return reset();
  const double dt = time - last_time_;
  if (dt == 0) return;
  if (dt < 0 || dt > maximum_gap_) past_.clear();
  last_time_ = time;
  for (int i = past_.size() - 1; i >= 0; --i) {
    const double age = time - past_[i].time;
    excess_ = excess_.cwiseMax((torque - past_[i].torque).cwiseAbs() / (limit_ * std::max(age, kWindow)));
    if (age >= kWindow * kTimeSlack) break;  // those before it are older than need be
  }
  if (!past_.empty() && time - past_.newest()->time < kSpacing * kTimeSlack) return;
  Sample& kept = past_.push();
  kept.time = time;
  kept.torque = torque;  // of equal size: nothing is allocated
}

}  // namespace antaeus
