#include "antaeus/control/line_profile.hpp"

#include <algorithm>

namespace antaeus {

LinePoint LineProfile::at(double time) const noexcept {
  const double t = std::clamp(time, 0.0, duration);
  if (shape == ProfileShape::minimum_jerk) {
    const double s = t / duration, s2 = s * s, s3 = s2 * s;
    return {length * s3 * (10.0 - 15.0 * s + 6.0 * s2), length / duration * 30.0 * s2 * (1.0 - 2.0 * s + s2),
            length / (duration * duration) * (60.0 * s - 180.0 * s2 + 120.0 * s3)};
  }
  const double ramp_time = std::clamp(ramp, 1e-3, 0.5) * duration;
  const double speed = length / (duration - ramp_time), acceleration = speed / ramp_time;
  if (t < ramp_time) return {0.5 * acceleration * t * t, acceleration * t, acceleration};
  if (t <= duration - ramp_time) return {speed * (t - 0.5 * ramp_time), speed, 0.0};
  const double left = duration - t;
  return {length - 0.5 * acceleration * left * left, acceleration * left, left > 0.0 ? -acceleration : 0.0};
}

}  // namespace antaeus
