#include "antaeus/control/force_loop.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/option_table.hpp"
#include "core/computable.hpp"

namespace antaeus {

const OptionTable& options_of(const ForceLoopOptions&) {
  constexpr const char* kStudy = "docs/validation.md#controllers";
  static const OptionTable table(
      "",
      {
          option("force_gain", "1", "push for an error of force", kStudy, &ForceLoopOptions::proportional),
          option("force_integral", "1/s", "push for an error of force, a second", kStudy, &ForceLoopOptions::integral),
          option("integral_limit", "N", "most push of the integral", "four times the force",
                 &ForceLoopOptions::integral_limit),
          option("normal_damping", "N·s/m", "against the tool's speed along the axis of force", kStudy,
                 &ForceLoopOptions::damping),
          option("feed_forward", "", "whether the wanted force itself is pushed", kStudy,
                 &ForceLoopOptions::feed_forward),
          option("blend", "s", "in which the set-point goes from the force at contact to the wanted one", kStudy,
                 &ForceLoopOptions::blend),
          option("force_filter", "", "of the measured force", "a clean force needs none", &ForceLoopOptions::filter),
          option("filter_share", "1", "of the newest sample in an exponential filter",
                 "docs/references.md#the-force-control-lab", &ForceLoopOptions::filter_share, Range{0.0, 1.0, false}),
          option("filter_cut_off", "Hz", "of a Butterworth filter of second order", "ten times the loop's bandwidth",
                 &ForceLoopOptions::filter_cut_off, kPositive),
      });
  return table;
}

ForceLoop::ForceLoop(const ForceLoopOptions& options) : options_(options) { check_options(options); }

void ForceLoop::start(double measured) noexcept {
  begun_ = set_point_ = filtered_ = is_computable(measured) ? measured : kNaN;  // NaN: the next force begins
  elapsed_ = filter_rate_ = integral_ = 0.0;
  at_limit_ = false;
}

void ForceLoop::filter(double measured, double dt) noexcept {
  if (!is_computable(measured)) return;
  if (!std::isfinite(filtered_)) {
    start(measured);
    return;
  }
  switch (options_.filter) {
    case ForceFilter::none: filtered_ = measured; break;
    case ForceFilter::exponential: filtered_ += options_.filter_share * (measured - filtered_); break;
    case ForceFilter::butterworth: {
      // ÿ + √2 ω ẏ + ω² y = ω² x, solved exactly over dt with x held.
      const double w = 2.0 * std::numbers::pi * options_.filter_cut_off, s = w / std::numbers::sqrt2;
      const double off = filtered_ - measured, decay = std::exp(-s * dt), c = std::cos(s * dt), d = std::sin(s * dt);
      const double along = (filter_rate_ + s * off) / s;
      filtered_ = measured + decay * (off * c + along * d);
      filter_rate_ = decay * ((along * s - s * off) * c - (s * off + along * s) * d);
      break;
    }
  }
}

double ForceLoop::push(const Input& in) noexcept {
  if (!is_computable(in.speed) || !is_computable(in.wanted) || !(in.dt >= 0.0) || !is_computable(in.dt)) return kNaN;
  if (std::isnan(in.trust)) return kNaN;
  filter(in.measured, in.dt);
  if (!std::isfinite(filtered_)) return kNaN;
  elapsed_ += in.dt;
  const double share = options_.blend > 0.0 ? std::min(elapsed_ / options_.blend, 1.0) : 1.0;
  set_point_ = begun_ + share * (in.wanted - begun_);
  const double error = set_point_ - filtered_, trust = std::clamp(in.trust, 0.0, 1.0);
  if (in.integrates) {
    const double next = integral_ + trust * options_.integral * error * in.dt;
    integral_ = std::clamp(next, -options_.integral_limit, options_.integral_limit);
    at_limit_ = integral_ != next;
  }
  const double ahead = options_.feed_forward ? set_point_ : 0.0;
  return -(ahead + trust * options_.proportional * error + integral_) - options_.damping * in.speed;
}

}  // namespace antaeus
