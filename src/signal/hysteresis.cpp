#include "antaeus/signal/hysteresis.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/numbers.hpp"

namespace antaeus {

namespace {}  // namespace

Hysteresis::Hysteresis(int highest, const HysteresisOptions& options, int initial)
    : options_(options), highest_(highest), level_(initial), last_time_(kNaN) {
  const auto dwell = [](double value) { return value >= 0.0 && std::isfinite(value); };
  if (highest < 1) throw OptionsError("Hysteresis", "there is no level above 0", "give the number of the worst level");
  if (initial < 0 || initial > highest)
    throw OptionsError("Hysteresis", "the initial level does not exist", "give one from 0 to the worst");
  if (!dwell(options.rise_dwell))
    throw OptionsError("hysteresis.rise_dwell", "is not a time", "give seconds, zero or more");
  if (!dwell(options.fall_dwell))
    throw OptionsError("hysteresis.fall_dwell", "is not a time", "give seconds, zero or more");
  if (!dwell(options.longest_step) || options.longest_step == 0.0)
    throw OptionsError("hysteresis.longest_step", "is not a positive time",
                       "give some periods of the loop, in seconds");
  for_.assign(static_cast<std::size_t>(highest) + 1, 0.0);
}

int Hysteresis::bounded(int level) const noexcept { return level < 0 || level > highest_ ? highest_ : level; }

int Hysteresis::step(int wanted, double time) noexcept {
  wanted = bounded(wanted);
  double elapsed = 0.0;
  if (std::isfinite(time)) {
    if (time > last_time_) elapsed = std::min(time - last_time_, options_.longest_step);
    last_time_ = time;
  }
  for (int level = 1; level <= highest_; ++level) {
    const bool same_side = asked_ && (wanted >= level) == (last_wanted_ >= level);
    for_[level] = same_side ? for_[level] + elapsed : 0.0;
  }
  last_wanted_ = wanted;
  asked_ = true;

  // Upwards from the held level as far as requests have lasted; else downwards.
  const auto lasted = [&](int level, double dwell) { return for_[level] >= dwell; };
  const int before = level_;
  while (level_ < wanted && lasted(level_ + 1, options_.rise_dwell)) ++level_;
  if (level_ == before)
    while (level_ > wanted && lasted(level_, options_.fall_dwell)) --level_;
  return level_;
}

void Hysteresis::reset(int level) noexcept {
  level_ = bounded(level);
  asked_ = false;
  last_time_ = kNaN;
  std::fill(for_.begin(), for_.end(), 0.0);
}

}  // namespace antaeus
