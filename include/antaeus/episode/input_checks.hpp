#pragma once
/// \file
/// Whether what the sensors say can be: each sample against the model's limits, against the samples before it, and one
/// channel against another. A wrench from torques is no better than these.

#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/numbers.hpp"
#include "antaeus/core/observation.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/reasons.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// Option group "input". Where a joint slides, a metre counts as ten radians.
struct InputCheckOptions {
  double position_margin =
      0.2;  ///< [rad] how far beyond a joint's limit a position may be, or position_share, the larger
  double position_share = 0.1;        ///< [1] the same as a share of the joint's range
  double jump = 0.1;                  ///< [rad] change of position that the velocity does not explain, at any rate
  double jump_acceleration = 1000.0;  ///< [rad/s²] what a joint may do between two samples
  double slip = 0.03;         ///< [rad/s] mean speed of a position, over slip_time, that its velocity does not have
  double slip_time = 4.0;     ///< [s] time constant of that mean
  double slip_share = 0.01;   ///< [1] error of a velocity's scale, and of its sampling, as a share of the way
  double slip_delay = 0.01;   ///< [s] delay of a velocity against its position, in addition to one sample
  double dead_time = 0.05;    ///< [s] how long all torques may stay exactly as they were
  double stuck_time = 0.5;    ///< [s] how long one torque may, while its joint moves
  double still_time = 1.0;    ///< [s] how long one torque may at rest, where it carried noise
  double stuck_speed = 0.05;  ///< [rad/s] speed above which a joint moves
  double tilt = 0.52;         ///< [rad] angle between the accelerometer's up and the quaternion's
  double turn = 0.3;  ///< [rad] turn of the quaternion from one sample to the next that the gyro does not explain
  double scale_share = 0.5;  ///< [1] how far the accelerometer's mean norm may be from gravity, as a share of it
  double scale_time = 0.75;  ///< [s] time constant of that mean; 0.7 of it passes before anything is reported
  double clock_lead = 0.01;  ///< [s] how far a sample's stamp may be in the clock's future
  double maximum_gap = 0.1;  ///< [s] time between samples beyond which they are not compared
};
ANTAEUS_API const OptionTable& options_of(const InputCheckOptions&);

/// How near a sample came to each bound, as a share of it: 1 or more is a finding. 0 where nothing could be compared.
struct InputShares {
  double position = 0.0;  ///< position_out_of_limits
  double jump = 0.0;      ///< position_jump
  double slip = 0.0;      ///< position_slip
  double dead = 0.0;      ///< dead_torque, of all torques
  double stuck = 0.0;     ///< dead_torque, of the worst motor that moves
  double still = 0.0;     ///< dead_torque, of the worst motor at rest
  double tilt = 0.0;      ///< orientation_contradicts, against the accelerometer
  double turn = 0.0;      ///< orientation_contradicts, against the last sample
  double scale = 0.0;     ///< accelerometer_scale
};

struct ANTAEUS_API InputFindings {
  Reasons reasons;              ///< of the sample as a whole
  std::vector<Reasons> motors;  ///< of each motor; a slip, and a dead torque of one motor, stand here alone
  InputShares shares;
  /// First motor with this reason; −1 without one.
  int motor_with(Reason reason) const noexcept;
};

/// Angle between the measured specific force and up as the quaternion (sensor in world, x y z w) has it [rad].
/// NaN without a direction: zero or not finite. \realtime (input_checks_test)
ANTAEUS_API double angle_from_up(const Eigen::Vector4d& quaternion_xyzw, const Vector3& specific_force,
                                 const Vector3& gravity) noexcept;

/// What is wrong with a sample's age: `no_clock` for a stamp that is not a time, `stale` for one that is older than
/// \p maximum_age, that lies in the clock's future, or a clock that is not a time. \realtime (input_checks_test)
ANTAEUS_API Reasons check_age(double time, double clock, double maximum_age, const InputCheckOptions& options) noexcept;

/// Looks at samples in the order of time: workspace, one a thread.
///
/// - `position_out_of_limits`: a position beyond its joint's limits, or beyond a hundred turns where there are none.
/// - `position_jump`: Δq − v̄ Δt is larger than half the way at top speed, what jump_acceleration does in Δt, and
/// `jump`;
///   without v, |Δq|/Δt above twice the model's velocity limit. It stays until the position is back where it was, or
///   reset(): an encoder that slipped reads wrong ever after.
/// - `position_slip`: d, the mean of Δq − v̄ Δt over the last slip_time, is above slip · slip_time + slip_share ∫|v| dt
///   + (slip_delay + Δt) max|v|, all three of the same mean. Where the position makes less than half the way that the
///   velocity says, the velocity has an offset, which no force follows from.
/// - `dead_torque`: all torques exactly as before for dead_time and three samples; or one torque for stuck_time of
/// motion
///   of its joint; or one for still_time and 20 samples at rest, where it carried noise of three levels or more, or has
///   read exactly zero from the start while most others carry such noise. A torque at its limit is saturated, and not
///   dead.
/// - `orientation_contradicts`: quaternion and accelerometer disagree in two samples on end at which the latter can
/// mean
///   gravity alone (norm within a fifth, gyro quiet); or the quaternion turns by more than `turn` and twice what the
///   gyro says, until the accelerometer bears it out, it turns back, or reset().
/// - `accelerometer_scale`: the mean of its norm, cut at 2 g, is not near gravity: in g, or dead. Half a second of free
///   fall, or impacts of any size and that length, are no finding.
///
/// What is not finite, of the wrong size, or such as no robot can have (core/possible.hpp) is passed over, and no later
/// sample is compared with it: the instant's status says so. Without a clock, positions and
/// quaternion against accelerometer alone are looked at. \realtime (input_checks_test)
class ANTAEUS_API InputChecks {
 public:
  /// \throws OptionsError
  explicit InputChecks(const Robot& robot, InputCheckOptions options = {});

  const InputFindings& inspect(const Observation& observation) noexcept;
  /// Of the last call.
  const InputFindings& findings() const noexcept { return findings_; }
  const InputCheckOptions& options() const noexcept { return options_; }
  /// Forgets all history, jumps included.
  void reset() noexcept;

 private:
  /// Of one torque at rest.
  struct Noise {
    double before = 0.0;  ///< value before the last change
    double share = 0.0;   ///< of the last changes that turned back, past three levels
    int changes = 0;
    void see(double from, double to) noexcept;
    bool is_carried() const noexcept;
  };
  struct Joint {
    double lower, upper, margin;  ///< [rad|m]
    double unit;                  ///< of its position in a radian: 1, or 0.1 m
    double speed_limit, torque_limit;
    /// Distance of the position, distance of the velocity, and sum of Δq − v̄ Δt [rad|m], over the last slip_time.
    double way = 0.0, expected_way = 0.0, slipped = 0.0;
    double top_speed = 0.0;  ///< [rad/s|m/s] over that time
    double offset = 0.0;     ///< jumps that were not taken back
    double still_for = 0.0;  ///< [s] in which the torque did not change though the joint moved
    double same_for = 0.0;   ///< [s] in which it did not at rest
    int same_samples = 0;    ///< of that time
    bool spoke = false;      ///< it was not exactly zero once
    Noise noise;
  };
  void forget() noexcept;
  void check_positions(const Observation& observation) noexcept;
  void check_jumps(const Observation& observation, double dt) noexcept;
  void check_slips(const Observation& observation, double dt) noexcept;
  void check_torques(const Observation& observation, double dt) noexcept;
  void check_orientation(const Observation& observation, double dt) noexcept;
  void check_scale(const Observation& observation, double dt) noexcept;
  void add(std::size_t motor, Reason reason) noexcept;

  InputCheckOptions options_;
  RobotProfile profile_;
  Vector3 gravity_;
  bool oriented_;  ///< a free base: gravity's direction comes from the IMU
  std::vector<Joint> joints_;
  InputFindings findings_;

  double last_time_ = kNaN;
  VectorX last_q_, last_v_, last_tau_;
  bool had_v_ = false, had_imu_ = false, had_gyro_ = false;
  double same_for_ = 0.0;  ///< [s] of all torques as they were
  int same_samples_ = 0, tilted_samples_ = 0;
  double norm_ = kNaN;  ///< [m/s²] mean of the accelerometer's
  Eigen::Vector4d last_quaternion_, before_turn_;
  double last_gyro_ = 0.0;
  bool turned_ = false;
};

}  // namespace antaeus
