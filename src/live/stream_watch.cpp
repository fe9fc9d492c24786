#include "antaeus/live/stream_watch.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/numbers.hpp"
#include "antaeus/core/option_table.hpp"

namespace antaeus {

namespace {

constexpr int kAgree = 3;              ///< messages that make a new time base
constexpr double kOffsetSpan = 2.0;    ///< [s] a sender's clock may be 2 % slow
constexpr double kPeriodShare = 0.02;  ///< of a new step in the usual one
/// A stream is broken after `break_gap`, or so many of its own periods where it is slow. Before its period is known it
/// may be any stream.
constexpr double kPeriodsOfABreak = 4.0, kUnknownPeriod = 5.0;  // [s]

}  // namespace

StreamWatch::StreamWatch(const LiveOptions& options) : options_(options) {
  check_options(options);
  time_ = last_sequence_ = last_received_ = candidate_ = period_ = offsets_since_ = kNaN;
  offsets_.fill(kInfinity);
}

double StreamWatch::offset() const noexcept {
  const double smallest = std::min(offsets_[0], offsets_[1]);
  return std::isfinite(smallest) ? smallest : kNaN;
}

void StreamWatch::begin(double received) noexcept {
  offsets_.fill(kInfinity);
  offsets_since_ = received;
  period_ = kNaN;
  known_steps_ = 0;
}

void StreamWatch::learn_period(double step) noexcept {
  if (!std::isnan(period_)) {
    // A lost sample is no longer step, and a burst no shorter one.
    period_ += kPeriodShare * (std::clamp(step, 0.5 * period_, 1.5 * period_) - period_);
    return;
  }
  steps_[static_cast<std::size_t>(known_steps_)] = step;
  if (++known_steps_ < std::ssize(steps_)) return;
  std::nth_element(steps_.begin(), steps_.begin() + std::ssize(steps_) / 2, steps_.end());
  period_ = steps_[steps_.size() / 2];
  known_steps_ = 0;
}

Arrival StreamWatch::take(double stamp, double sequence, double received, Arrival as) noexcept {
  const double time = stamped_ ? stamp : received;
  if (as == Arrival::anew) {
    begin(received);
  } else if (begun_) {
    const double step = time - time_;
    const double missing = sequence - last_sequence_ - 1.0;
    if (std::isfinite(missing)) {
      if (missing > 0.0) counts_.lost += std::llround(std::min(missing, 1e9));
    } else if (!std::isnan(period_) && period_ > 0.0 && stamped_) {
      counts_.lost += std::max<std::int64_t>(0, std::llround(std::min(step / period_, 1e9)) - 1);
    }
    learn_period(step);
  }
  begun_ = true;
  ++counts_.taken;
  time_ = time;
  last_sequence_ = sequence;
  last_received_ = received;
  candidate_ = kNaN;
  agreeing_ = 0;
  late_by_ = 0.0;
  if (!stamped_) return as;
  if (!(received - offsets_since_ < kOffsetSpan)) {
    offsets_ = {offsets_[1], kInfinity};
    offsets_since_ = received;
  }
  offsets_[1] = std::min(offsets_[1], received - stamp);
  late_by_ = received - stamp - offset();
  if (is_late()) ++counts_.late;
  return as;
}

double StreamWatch::break_gap() const noexcept {
  return std::max(options_.break_gap, std::isnan(period_) ? kUnknownPeriod : kPeriodsOfABreak * period_);
}

Arrival StreamWatch::judge(double stamp, double sequence, double received) noexcept {
  if (!begun_) {
    stamped_ = std::isfinite(stamp);
    begin(received);
    return take(stamp, sequence, received, Arrival::taken);
  }
  const double silent = received - last_received_, gap = break_gap();
  if (!stamped_) {
    if (silent == 0.0) {  // of samples that come at one time nothing tells when they were
      ++counts_.repeated;
      return Arrival::repeated;
    }
    if (silent < 0.0) {
      ++counts_.out_of_order;
      return Arrival::out_of_order;
    }
    if (!(silent > gap)) return take(stamp, sequence, received, Arrival::taken);
    ++counts_.restarts;
    return take(stamp, sequence, received, Arrival::anew);
  }
  if (!std::isfinite(stamp)) {
    ++counts_.out_of_order;
    return Arrival::out_of_order;
  }
  const double step = stamp - time_;
  if (step == 0.0) {
    ++counts_.repeated;
    return Arrival::repeated;
  }
  // Forward by as much as the receiver saw: time went on, with or without samples.
  const bool forward = step > 0.0 && step < silent + gap;
  if (forward) {
    if (step < gap) return take(stamp, sequence, received, Arrival::taken);
    ++counts_.restarts;
    return take(stamp, sequence, received, Arrival::anew);
  }
  const double since = stamp - candidate_;
  agreeing_ = since > 0.0 && since < gap ? agreeing_ + 1 : 1;
  candidate_ = stamp;
  // Behind, by as little as messages overtake each other: no new clock, however many.
  const bool overtaken = step < 0.0 && step > -options_.late && silent < gap;
  if (agreeing_ < kAgree || overtaken) {
    ++counts_.out_of_order;
    return Arrival::out_of_order;
  }
  ++(silent > gap ? counts_.restarts : counts_.clock_jumps);
  return take(stamp, sequence, received, Arrival::anew);
}

const OptionTable& options_of(const LiveOptions&) {
  using O = LiveOptions;
  static const OptionTable table(
      "live",
      {
          option("hold_off", "s", "after a break of the stream during which its wrenches are refused",
                 "our choice: an operator sees it, and filters have settled", &O::hold_off, kNotNegative),
          option("silence", "s",
                 "without a usable sample after which the stream counts as silent, and what is published is refused",
                 "as consumer_guard.maximum_age", &O::silence, kPositive),
          option("break_gap", "s", "without a sample after which the estimator starts again",
                 "our choice: five times residual.maximum_gap", &O::break_gap, kPositive),
          option("late", "s", "by which a message may be later than the fastest ones until it is refused as stale",
                 "as consumer_guard.maximum_age", &O::late, kPositive),
          option("queue_bytes", "B", "of messages that wait for the estimator, at most",
                 "our choice: a second of JSON at 5 kHz", &O::queue_bytes, {1 << 16, 1 << 30}),
          option("message_bytes", "B", "of a message, at most", "our choice: the largest datagram", &O::message_bytes,
                 {256, 1 << 20}),
          option("samples", "1", "that are kept for readers", "our choice: four seconds at 5 kHz", &O::samples,
                 {16, 10000000}),
      });
  return table;
}

namespace {
const OptionGroup kLiveOptions(LiveOptions{});
}  // namespace

}  // namespace antaeus
