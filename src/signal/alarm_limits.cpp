#include "antaeus/signal/alarm_limits.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/numbers.hpp"
#include "antaeus/signal/chi_squared.hpp"

namespace antaeus {

namespace {

constexpr double kShortest = 1e-4, kLongest = 10.0;  // [s]
/// ln p of χ² is nearly linear in the limit: nodes a factor of two apart are enough.
constexpr int kNodes = 18;
constexpr int kGaps = 32;
constexpr double kLargestProbability = 0.5;

double node_interval(int node) noexcept { return kShortest * std::exp2(node); }

}  // namespace

AlarmLimits::AlarmLimits(const AlarmRate& rate, int most_dof)
    : rate_(rate), most_dof_(most_dof), times_(kGaps + 1, kNaN) {
  if (!(rate.probability > 0.0) || !(rate.probability < 1.0)) {
    throw OptionsError("false_alarm", "it is not a probability", "give a number between 0 and 1");
  }
  if (!(rate.per_hour >= 0.0) || !std::isfinite(rate.per_hour)) {
    throw OptionsError("false_alarms_per_hour", "it is not a rate", "give 0 or a positive number");
  }
  if (rate.tests < 1 || most_dof < 1)
    throw OptionsError("alarm limits", "there is nothing to test", "give one or more");
  const int nodes = rate.per_hour > 0.0 ? kNodes : 1;
  for (int node = 0; node < nodes; ++node) {
    const double p = at(node_interval(node));
    limits_.push_back(kInfinity);
    for (int dof = 1; dof <= most_dof; ++dof) limits_.push_back(chi_squared_threshold(p, dof));
  }
  reset();
}

double AlarmLimits::at(double interval) const noexcept {
  if (!(rate_.per_hour > 0.0)) return rate_.probability;
  return std::min(rate_.per_hour * interval / (kSecondsAnHour * rate_.tests), kLargestProbability);
}

double AlarmLimits::probability() const noexcept { return at(std::clamp(interval_, kShortest, kLongest)); }

void AlarmLimits::step(double time) noexcept {
  if (!(rate_.per_hour > 0.0) || !std::isfinite(time)) return;
  if (!times_.empty()) {
    const double gap = time - *times_.newest();
    if (gap == 0.0) return;
    if (gap < 0.0 || gap > kLongest) times_.clear();
  }
  times_.push() = time;
  if (times_.size() < 2) return;
  interval_ = (time - *times_.oldest()) / (times_.size() - 1);
  const double place = std::clamp(std::log2(interval_ / kShortest), 0.0, kNodes - 1.0);
  node_ = std::min(static_cast<int>(place), kNodes - 2);
  share_ = place - node_;
}

double AlarmLimits::limit(int dof) const noexcept {
  if (dof < 1) return kInfinity;
  const int column = std::min(dof, most_dof_), width = most_dof_ + 1;
  const double low = limits_[static_cast<std::size_t>(node_ * width + column)];
  if (!(rate_.per_hour > 0.0)) return low;
  return low + share_ * (limits_[static_cast<std::size_t>((node_ + 1) * width + column)] - low);
}

void AlarmLimits::reset() noexcept {
  times_.clear();
  interval_ = kAssumedInterval;
  node_ = 0;
  share_ = 0.0;
  if (!(rate_.per_hour > 0.0)) return;
  const double place = std::log2(interval_ / kShortest);
  node_ = static_cast<int>(place);
  share_ = place - node_;
}

}  // namespace antaeus
