#pragma once
/// \file
/// How fast the rest of the robot moved while its noise was identified, and whether it moves faster now.
///
/// A robot that holds its arms in a pose still steps and sways, and its residuals then hold torques that no rest noise
/// knows. They saturate: within a few tenths of a rad/s they are as large as they get, so what matters is how fast it
/// moved at most. Beyond that nothing was identified, and an estimate is refused.

#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

struct EnvelopeOptions {
  double window = 0.2;  ///< [s] of which the largest speed counts: torques lag behind the motion that causes them
  /// [1] times the largest identified speed: beyond it nothing is known. From one incident (2.57 against 1.86 rad/s).
  double factor = 1.25;
  double still_speed = 0.05;   ///< [rad/s] below it the motion adds nothing
  double moving_speed = 0.20;  ///< [rad/s] from it on the motion's torques are as large as they get
};
ANTAEUS_API const OptionTable& options_of(const EnvelopeOptions&);

/// Motors whose speed counts for a robot that holds \p endpoints in a pose: all but those of the endpoints' own groups.
/// Where none is left, as for a single arm, all motors. \throws ModelError for an unknown endpoint
ANTAEUS_API std::vector<int> envelope_motors(const Robot& robot, const std::vector<std::string>& endpoints);

/// What share of the motion's torque is there at speed L [rad/s]: 0 when still, 1 when moving, linear between. 1 for
/// NaN, as motion that is not excluded. \realtime
ANTAEUS_API double motion_share(double speed, const EnvelopeOptions& options = {}) noexcept;

/// Follows L, the largest rms speed of the motors in the last `window`.
class ANTAEUS_API SpeedEnvelope {
 public:
  /// \param identified  largest L of the logs that the noise was identified from [rad/s]; NaN: none, nothing is outside
  /// \throws OptionsError
  SpeedEnvelope(std::vector<int> motors, double identified, EnvelopeOptions options = {});

  /// One sample. \param time [s] \param v motor velocities, all motors
  /// \return `time_back` for time that does not advance and `not_finite` for NaN in either: the sample is left out and
  ///         L is NaN until the next good one. `wrong_size` if a motor is missing. \realtime (held_pose_realtime_test)
  Status step(double time, ConstVectorRef v) noexcept;
  /// Rms speed of the motors in one sample, without memory [rad/s]; NaN for NaN or a motor that is missing. \realtime
  double rms(ConstVectorRef v) const noexcept;
  /// L [rad/s]; NaN before the first sample and after a bad one.
  double speed() const noexcept { return speed_; }
  /// Whether L is beyond factor · identified. A speed that is not known is not called outside: see `speed`.
  bool outside() const noexcept { return speed_ > limit_; }
  /// factor · identified [rad/s]
  double limit() const noexcept { return limit_; }
  double share() const noexcept { return motion_share(speed_, options_); }
  void reset() noexcept;

 private:
  struct Peak {
    double time, speed;
  };
  EnvelopeOptions options_;
  std::vector<int> motors_;
  double limit_, speed_ = kNaN, last_time_ = kNaN;
  /// Falling speeds: each is the largest of all after it. A fixed ring, the oldest is dropped when it is full.
  std::vector<Peak> peaks_;
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace antaeus
