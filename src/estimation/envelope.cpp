#include "antaeus/estimation/envelope.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"

namespace antaeus {

namespace {

/// Strictly falling speeds within one window: even at 10 kHz no motion falls that long.
constexpr std::size_t kPeaks = 2048;

}  // namespace

const OptionTable& options_of(const EnvelopeOptions&) {
  using O = EnvelopeOptions;
  constexpr const char* kSource = "measured on five H1-2 runs and one incident";
  static const OptionTable table(
      "",
      {
          option("speed_range_window", "s", "of which the largest speed of the other joints counts", kSource,
                 &O::window),
          option("speed_range_factor", "1", "times the largest identified speed, beyond which estimates are refused",
                 kSource, &O::factor, kPositive),
          option("speed_range_still_speed", "rad/s", "rms speed below which motion adds no torque", kSource,
                 &O::still_speed),
          option("speed_range_moving_speed", "rad/s", "rms speed from which motion adds its whole torque", kSource,
                 &O::moving_speed, kPositive),
      });
  return table;
}

std::vector<int> envelope_motors(const Robot& robot, const std::vector<std::string>& endpoints) {
  std::vector<bool> own(static_cast<std::size_t>(robot.model.motor_count()), false);
  for (const std::string& frame : robot.endpoint_frames(endpoints)) {
    if (const JointGroup* group = robot.profile.group_of(frame)) {
      for (const std::string& joint : group->joints) own[robot.model.motor(joint)] = true;
    } else {
      for (const int motor : robot.model.supporting_motors(robot.model.frame(frame))) own[motor] = true;
    }
  }
  std::vector<int> motors;
  const bool none_left = std::ranges::all_of(own, [](bool is_own) { return is_own; });
  for (int motor = 0; motor < robot.model.motor_count(); ++motor) {
    if (none_left || !own[motor]) motors.push_back(motor);
  }
  return motors;
}

double motion_share(double speed, const EnvelopeOptions& options) noexcept {
  if (!(speed < options.moving_speed)) return 1.0;
  const double width = options.moving_speed - options.still_speed;
  return std::clamp((speed - options.still_speed) / width, 0.0, 1.0);
}

SpeedEnvelope::SpeedEnvelope(std::vector<int> motors, double identified, EnvelopeOptions options)
    : options_(options),
      motors_(std::move(motors)),
      limit_(std::isnan(identified) ? kInfinity : options.factor * identified),
      peaks_(kPeaks) {
  check_options(options);
  if (!(options.moving_speed > options.still_speed)) {
    throw OptionsError("speed_range_moving_speed", "it is not above still_speed", "give a larger one");
  }
  if (motors_.empty() || std::ranges::min(motors_) < 0) {
    throw OptionsError("motors", "no motor, or a negative one", "name the motors whose speed counts");
  }
  if (identified < 0.0) throw OptionsError("identified", "the largest speed is negative", "give one in rad/s, or NaN");
}

void SpeedEnvelope::reset() noexcept {
  count_ = 0;
  speed_ = last_time_ = kNaN;
}

double SpeedEnvelope::rms(ConstVectorRef v) const noexcept {
  double sum = 0.0;
  for (const int motor : motors_) sum += motor < v.size() ? v[motor] * v[motor] : kNaN;
  return std::sqrt(sum / static_cast<double>(motors_.size()));
}

Status SpeedEnvelope::step(double time, ConstVectorRef v) noexcept {
  speed_ = kNaN;
  if (!std::isfinite(time)) return Status::not_finite;
  if (time <= last_time_) return Status::time_back;
  for (const int motor : motors_) {
    if (motor >= v.size()) return Status::wrong_size;
  }
  const double now = rms(v);
  if (!std::isfinite(now)) return Status::not_finite;
  last_time_ = time;
  const auto place = [this](std::size_t i) { return (first_ + i) % kPeaks; };
  while (count_ > 0 && peaks_[first_].time < time - options_.window) first_ = place(1), --count_;
  while (count_ > 0 && peaks_[place(count_ - 1)].speed <= now) --count_;
  if (count_ == kPeaks) first_ = place(1), --count_;
  peaks_[place(count_++)] = {time, now};
  speed_ = peaks_[first_].speed;
  return Status::ok;
}

}  // namespace antaeus
