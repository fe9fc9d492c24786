#include "tasks/step_range.hpp"

#include <algorithm>
#include <cmath>

namespace antaeus::detail {

namespace {

/// Braking is planned to end this short of a limit [rad | m], so that rounding on the way costs no limit a bit.
constexpr double kReserve = 1e-10;

/// The largest v ≤ start that `holds`, a few roundings below it.
template <class Condition>
double shrink_to(double start, double unit, Condition&& holds) noexcept {
  double v = start;
  for (int i = 0; i < 8 && !holds(v); ++i) {
    v = std::min(std::nextafter(v, -kInfinity), v - unit);
    unit *= 2.0;
  }
  return v;
}

}  // namespace

double braking_speed(double room, double a) noexcept {
  if (!(a < kInfinity) || !(room > 0.0)) return std::max(room, 0.0);
  if (a <= 0.0) return 0.0;
  // With m further steps of braking: (m + 1) v − a m (m + 1)/2 = room, and v between m a and (m + 1) a.
  const double m = std::max(0.0, std::ceil(0.5 * (std::sqrt(1.0 + 8.0 * room / a) - 1.0)) - 1.0);
  double best = 0.0;
  for (const double steps : {std::max(0.0, m - 1.0), m, m + 1.0}) {  // rounding of the root may be one off
    const double v = room / (steps + 1.0) + 0.5 * a * steps;
    if (v <= (steps + 1.0) * a * (1.0 + 1e-12)) {
      best = v;
      break;
    }
  }
  return best;
}

StepRange step_range(const JointRow& joint, double position, double previous, double acceleration, double dt) noexcept {
  constexpr double kUlp = 0x1p-52;
  const double ulp = kUlp * (std::abs(position) + 1e-300) / dt;
  // Upper and lower end by one rule, mirrored.
  const auto end = [&](double sign, double limit, double& position_end, double& braked) {
    position_end = kInfinity;
    if (std::isfinite(limit)) {
      const double start = std::max(0.0, sign * (limit - position)) / dt;
      position_end = start == 0.0 ? 0.0 : shrink_to(start, ulp, [&](double v) {
        return sign * (position + (sign * v) * dt) <= sign * limit;
      });
      position_end = std::max(position_end, 0.0);
    }
    braked = std::min(position_end, braking_speed(std::max(0.0, position_end - kReserve / dt), acceleration * dt));
  };
  double highest, braked_high, lowest, braked_low;
  end(1.0, joint.upper, highest, braked_high);
  end(-1.0, joint.lower, lowest, braked_low);
  const double hard_high = std::min(highest, joint.velocity), hard_low = -std::min(lowest, joint.velocity);
  StepRange range{std::max(hard_low, -braked_low), std::min(hard_high, braked_high)};
  if (!(acceleration < kInfinity)) return {hard_low, hard_high};
  const double change = acceleration * dt, unit = kUlp * (std::abs(previous) + change);
  const double fastest = shrink_to(previous + change, unit, [&](double v) { return v - previous <= change; });
  const double slowest = -shrink_to(change - previous, unit, [&](double v) { return v + previous <= change; });
  // What rounding on the way has taken from the reserve is no conflict.
  const double rounding = 0.1 * kReserve / dt;
  if (slowest > range.upper + rounding || fastest < range.lower - rounding) {
    const double v = std::clamp(slowest > range.upper ? slowest : fastest, hard_low, hard_high);
    return {v, v, true};
  }
  range.lower = std::max(range.lower, slowest);
  range.upper = std::min(range.upper, fastest);
  if (range.lower > range.upper) {
    const double v = std::clamp(slowest > range.upper ? slowest : fastest, hard_low, hard_high);
    range.lower = range.upper = v;
  }
  return range;
}

}  // namespace antaeus::detail
