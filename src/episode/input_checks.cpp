#include "antaeus/episode/input_checks.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/core/possible.hpp"
#include "robot/quaternion_slack.hpp"

namespace antaeus {

namespace {

/// An angle without limits beyond this is no angle: a hundred turns [rad].
constexpr double kNoAngle = 628.3185307179586;
/// A metre of a sliding joint counts as ten radians: a joint's lever is a tenth of a metre or more.
constexpr double kMetresPerRadian = 0.1;
/// Samples on end without a change before torques are called dead, whatever the rate.
constexpr int kDeadSamples = 3;
/// Of a channel's changes, the share that turns back past three levels. White noise: two thirds; noise of one quantum,
/// or a load that grows: none.
constexpr double kNoisyShare = 0.4;
/// Changes over which that share is taken, and which a channel must have shown before it is said to carry noise.
constexpr int kNoisyChanges = 30;
/// Samples on end that a channel which carries noise must repeat: of three levels or more, one in a billion.
constexpr int kStillSamples = 20;
/// Sums of sample times round.
constexpr double kTimeSlack = 1.0 + 1e-9;
/// An accelerometer means gravity alone when its norm is within this share of it, and the gyro is below this [rad/s].
constexpr double kGravityAlone = 0.2, kQuietGyro = 1.0;
/// Of the way that a velocity says, the share that the position makes unless the velocity has an offset.
constexpr double kMadeWay = 0.5;
/// What a base is granted to turn where no gyro says otherwise [rad/s].
constexpr double kUnknownGyro = 10.0;
/// [m/s²] below, the world has too little gravity to test anything by it.
constexpr double kLeastGravity = 2.0;
/// Share of the torque limit at which a drive is saturated, as residual.saturation_share has it.
constexpr double kSaturated = 0.98;

InputCheckOptions checked(const InputCheckOptions& options) {
  check_options(options);
  return options;
}

bool usable(const Eigen::Vector4d& quaternion) noexcept {
  return quaternion.allFinite() && std::abs(quaternion.norm() - 1.0) <= kQuaternionSlack;
}

/// Whether speeds and accelerations are such as a robot can have, or no numbers: those are passed over one by one.
bool is_motion_possible(const Observation& o) noexcept {
  const auto possible = [](const auto& numbers, double bound) {
    return !numbers.allFinite() || are_possible(numbers, bound);
  };
  return possible(o.v, kImpossibleSpeed) && possible(o.a, kImpossibleAcceleration) &&
         (!o.has_gyro || possible(o.imu_angular_velocity, kImpossibleSpeed)) &&
         (!o.has_accelerometer || possible(o.imu_specific_force, kImpossibleSpecificForce));
}

/// Angle of the rotation between two unit quaternions [rad].
double turn_between(const Eigen::Vector4d& a, const Eigen::Vector4d& b) noexcept {
  return 2.0 * std::acos(std::min(1.0, std::abs(a.dot(b)) / (a.norm() * b.norm())));
}

}  // namespace

int InputFindings::motor_with(Reason reason) const noexcept {
  for (std::size_t m = 0; m < motors.size(); ++m) {
    if (motors[m].has(reason)) return static_cast<int>(m);
  }
  return -1;
}

double angle_from_up(const Eigen::Vector4d& quaternion_xyzw, const Vector3& specific_force,
                     const Vector3& gravity) noexcept {
  const double product = quaternion_xyzw.norm() * specific_force.norm() * gravity.norm();
  if (!(product > 0.0) || !std::isfinite(product)) return kNaN;
  const Eigen::Quaterniond R_WS(Eigen::Vector4d(quaternion_xyzw.normalized()));
  const double cosine = -(R_WS * specific_force.normalized()).dot(gravity.normalized());
  return std::acos(std::clamp(cosine, -1.0, 1.0));
}

Reasons check_age(double time, double clock, double maximum_age, const InputCheckOptions& options) noexcept {
  Reasons reasons;
  if (!std::isfinite(time)) reasons.add(Reason::no_clock);
  const double age = clock - time;
  // NaN and infinity are on no good side of either comparison.
  const bool fresh = std::isfinite(clock) && age <= maximum_age && age >= -options.clock_lead;
  if (std::isfinite(time) && !fresh) reasons.add(Reason::stale);
  return reasons;
}

void InputChecks::Noise::see(double from, double to) noexcept {
  // Three levels, and a way back: a load that changes is monotone, and noise of one quantum has two levels.
  const bool turns = changes > 0 && (from - before) * (to - from) < 0.0 && to != before;
  changes = std::min(changes + 1, kNoisyChanges);
  share += (static_cast<double>(turns) - share) / changes;
  before = from;
}

bool InputChecks::Noise::is_carried() const noexcept { return changes == kNoisyChanges && share >= kNoisyShare; }

InputChecks::InputChecks(const Robot& robot, InputCheckOptions options)
    : options_(checked(options)),
      profile_(robot.profile),
      gravity_(robot.model.gravity()),
      oriented_(robot.model.base() == Base::free_flyer && robot.model.gravity().norm() >= kLeastGravity) {
  const RobotModel& model = robot.model;
  for (Eigen::Index m = 0; m < model.motor_count(); ++m) {
    const std::string& name = model.motor_names()[static_cast<std::size_t>(m)];
    const auto& all = model.description().joints;
    const auto joint = std::find_if(all.begin(), all.end(), [&](const JointDescription& j) { return j.name == name; });
    const bool slides = joint != all.end() && joint->type == JointType::prismatic;
    Joint figures{};
    figures.unit = slides ? kMetresPerRadian : 1.0;
    figures.lower = model.lower_limits()[m];
    figures.upper = model.upper_limits()[m];
    const double range = figures.upper - figures.lower;
    if (!std::isfinite(range) || !(range > 0)) {
      figures.lower = -kNoAngle * figures.unit;
      figures.upper = kNoAngle * figures.unit;
      figures.margin = options_.position_margin * figures.unit;
    } else {
      figures.margin = std::max(options_.position_margin * figures.unit, options_.position_share * range);
    }
    // A URDF that gives no effort or velocity writes 0.
    figures.speed_limit = model.velocity_limits()[m] > 0 ? model.velocity_limits()[m] : kInfinity;
    const double effort = model.effort_limits()[m] > 0 ? model.effort_limits()[m] : kInfinity;
    const double drive = profile_.figures[static_cast<std::size_t>(m)].torque_limit;
    figures.torque_limit = std::min(effort, drive > 0 ? drive : kInfinity);
    joints_.push_back(figures);
  }
  findings_.motors.resize(joints_.size());
  for (VectorX* vector : {&last_q_, &last_v_, &last_tau_}) vector->setZero(model.motor_count());
  reset();
}

void InputChecks::reset() noexcept {
  forget();
  for (Joint& joint : joints_) {
    joint.offset = 0.0;
    joint.noise = Noise();
    joint.spoke = false;
  }
  turned_ = false;
  findings_.reasons = Reasons();
  for (Reasons& reasons : findings_.motors) reasons = Reasons();
  findings_.shares = InputShares();
}

void InputChecks::forget() noexcept {
  last_time_ = kNaN;
  had_v_ = had_imu_ = had_gyro_ = false;
  same_for_ = 0.0;
  same_samples_ = tilted_samples_ = 0;
  for (Joint& joint : joints_) {
    joint.still_for = joint.same_for = 0.0;
    joint.way = joint.expected_way = joint.slipped = joint.top_speed = 0.0;
    joint.same_samples = 0;
  }
  norm_ = kNaN;
}

void InputChecks::add(std::size_t motor, Reason reason) noexcept {
  findings_.motors[motor].add(reason);
  findings_.reasons.add(reason);
}

const InputFindings& InputChecks::inspect(const Observation& observation) noexcept {
  findings_.reasons = Reasons();
  for (Reasons& reasons : findings_.motors) reasons = Reasons();
  findings_.shares = InputShares();
  const Eigen::Index motors = last_q_.size();
  if (observation.q.size() != motors || observation.tau.size() != motors) return findings_;
  check_positions(observation);
  if (!observation.q.allFinite() || !observation.tau.allFinite()) return findings_;
  // Not compared, and not remembered: no good sample shall be measured against it.
  if (!are_possible(observation.q, kImpossiblePosition) || !is_motion_possible(observation)) return findings_;
  for (std::size_t m = 0; m < joints_.size(); ++m) {
    const double torque = profile_.joint_torque(m, observation.tau[static_cast<Eigen::Index>(m)]);
    if (!(std::abs(torque) < kImpossibleTorque)) return findings_;
  }

  const bool clocked = std::isfinite(observation.time);
  double dt = observation.time - last_time_;
  if (dt < 0 || dt > options_.maximum_gap) {
    forget();
    dt = kNaN;
  }
  if (dt != 0) {
    check_jumps(observation, dt);
    check_slips(observation, dt);
    check_torques(observation, dt);
  }
  check_orientation(observation, dt);
  check_scale(observation, dt);
  if (dt == 0) return findings_;

  last_time_ = clocked ? observation.time : kNaN;
  last_q_ = observation.q;
  last_tau_ = observation.tau;
  had_v_ = observation.v.size() == motors && observation.v.allFinite();
  if (had_v_) last_v_ = observation.v;
  had_imu_ = observation.has_imu && usable(observation.imu_quaternion_xyzw);
  if (had_imu_) last_quaternion_ = observation.imu_quaternion_xyzw;
  had_gyro_ = observation.has_gyro && observation.imu_angular_velocity.allFinite();
  if (had_gyro_) last_gyro_ = observation.imu_angular_velocity.norm();
  return findings_;
}

void InputChecks::check_positions(const Observation& observation) noexcept {
  for (std::size_t m = 0; m < joints_.size(); ++m) {
    const Joint& joint = joints_[m];
    const double q = observation.q[static_cast<Eigen::Index>(m)];
    if (!std::isfinite(q)) continue;
    const double beyond = std::max({0.0, joint.lower - q, q - joint.upper}) / joint.margin;
    findings_.shares.position = std::max(findings_.shares.position, beyond);
    if (beyond >= 1.0) add(m, Reason::position_out_of_limits);
  }
}

void InputChecks::check_jumps(const Observation& observation, double dt) noexcept {
  const bool measured = had_v_ && observation.v.size() == last_v_.size() && observation.v.allFinite();
  for (std::size_t m = 0; m < joints_.size(); ++m) {
    Joint& joint = joints_[m];
    const auto at = static_cast<Eigen::Index>(m);
    const double least = options_.jump * joint.unit;
    if (dt > 0) {
      double unexplained = observation.q[at] - last_q_[at], bound = 2.0 * joint.speed_limit * dt + least;
      if (measured) {
        const double top = std::max(std::abs(observation.v[at]), std::abs(last_v_[at]));
        unexplained -= 0.5 * (observation.v[at] + last_v_[at]) * dt;
        // Between samples of equal speed, A moves a joint by A Δt²/4 at most; clocks and filters of v are off by half.
        bound = least + 0.5 * top * dt + 0.25 * options_.jump_acceleration * joint.unit * dt * dt;
      }
      const double share = std::abs(unexplained) / bound;
      findings_.shares.jump = std::max(findings_.shares.jump, share);
      if (share >= 1.0) {
        joint.offset += unexplained;
        if (std::abs(joint.offset) <= bound) joint.offset = 0.0;
      }
    }
    if (joint.offset != 0.0) add(m, Reason::position_jump);
  }
}

void InputChecks::check_slips(const Observation& observation, double dt) noexcept {
  if (!(dt > 0) || !had_v_ || observation.v.size() != last_v_.size() || !observation.v.allFinite()) return;
  const double kept = std::exp(-dt / options_.slip_time);
  for (std::size_t m = 0; m < joints_.size(); ++m) {
    Joint& joint = joints_[m];
    const auto at = static_cast<Eigen::Index>(m);
    const double before = last_v_[at], now = observation.v[at];
    const double moved = observation.q[at] - last_q_[at], expected = 0.5 * (before + now) * dt;
    const double unexplained = moved - expected;
    const bool jumps = joint.offset != 0.0 || std::abs(unexplained) >= options_.jump * joint.unit;  // position_jump's
    joint.way = kept * (joint.way + std::abs(moved));
    joint.expected_way = kept * (joint.expected_way + std::abs(expected));
    joint.top_speed = std::max({kept * joint.top_speed, std::abs(before), std::abs(now)});
    joint.slipped = kept * (joint.slipped + (jumps ? 0.0 : unexplained));
    if (joint.way < kMadeWay * joint.expected_way) continue;
    const double bound = options_.slip * joint.unit * options_.slip_time + options_.slip_share * joint.expected_way +
                         (options_.slip_delay + dt) * joint.top_speed;
    const double share = std::abs(joint.slipped) / bound;
    findings_.shares.slip = std::max(findings_.shares.slip, share);
    if (share >= 1.0) findings_.motors[m].add(Reason::position_slip);
  }
}

void InputChecks::check_torques(const Observation& observation, double dt) noexcept {
  if (!(dt > 0)) return;
  const bool measured = observation.v.size() == last_v_.size();
  int compared = 0, changed = 0, noisy = 0;
  for (std::size_t m = 0; m < joints_.size(); ++m) {
    Joint& joint = joints_[m];
    const auto at = static_cast<Eigen::Index>(m);
    const double tau = observation.tau[at], limit = kSaturated * joint.torque_limit;
    const bool saturated = std::abs(profile_.joint_torque(m, tau)) >= limit, same = tau == last_tau_[at];
    const double slow = options_.stuck_speed * joint.unit;
    const bool moves = measured && std::abs(observation.v[at]) > slow;
    const bool at_rest = measured && std::abs(observation.v[at]) <= slow;  // neither where a speed is NaN
    if (!same && at_rest) joint.noise.see(last_tau_[at], tau);
    noisy += joint.noise.is_carried();
    joint.spoke = joint.spoke || tau != 0.0;
    const bool waits = same && at_rest && !saturated;
    joint.same_for = waits ? joint.same_for + dt : 0.0;
    joint.same_samples = waits ? joint.same_samples + 1 : 0;
    if (!same || saturated) joint.still_for = 0.0;
    if (saturated) continue;
    ++compared;
    if (!same) {
      ++changed;
    } else if (moves) {
      joint.still_for += dt;
    }
    const double share = joint.still_for * kTimeSlack / options_.stuck_time;
    findings_.shares.stuck = std::max(findings_.shares.stuck, share);
    if (share >= 1.0) findings_.motors[m].add(Reason::dead_torque);
  }
  const bool most_are_noisy = 2 * noisy > static_cast<int>(joints_.size());
  for (std::size_t m = 0; m < joints_.size(); ++m) {
    const Joint& joint = joints_[m];
    if (!joint.noise.is_carried() && (joint.spoke || !most_are_noisy)) continue;
    const double share = std::min(joint.same_for * kTimeSlack / options_.still_time,
                                  static_cast<double>(joint.same_samples) / kStillSamples);
    findings_.shares.still = std::max(findings_.shares.still, share);
    if (share >= 1.0) findings_.motors[m].add(Reason::dead_torque);
  }
  // At rest the torque of a single motor may stand still in a drive's coarse steps: no noise is carried then.
  const bool same = compared > 1 && changed == 0;
  same_for_ = same ? same_for_ + dt : 0.0;
  same_samples_ = same ? same_samples_ + 1 : 0;
  findings_.shares.dead =
      std::min(same_for_ * kTimeSlack / options_.dead_time, static_cast<double>(same_samples_) / kDeadSamples);
  if (findings_.shares.dead >= 1.0) findings_.reasons.add(Reason::dead_torque);
}

void InputChecks::check_orientation(const Observation& observation, double dt) noexcept {
  if (!oriented_ || !observation.has_imu || !usable(observation.imu_quaternion_xyzw)) return;
  const Eigen::Vector4d& now = observation.imu_quaternion_xyzw;
  const bool gyro = observation.has_gyro && observation.imu_angular_velocity.allFinite();
  const double speed = gyro ? observation.imu_angular_velocity.norm() : kUnknownGyro;
  if (dt > 0 && had_imu_) {
    const double fastest = had_gyro_ ? std::max(speed, last_gyro_) : speed;
    const double bound = options_.turn + 2.0 * fastest * dt;
    const double share = turn_between(now, last_quaternion_) / bound;
    findings_.shares.turn = share;
    if (share >= 1.0 && !turned_) {
      turned_ = true;
      before_turn_ = last_quaternion_;
    } else if (turned_ && turn_between(now, before_turn_) <= bound) {
      turned_ = false;
    }
  }
  const bool accelerometer = observation.has_accelerometer && observation.imu_specific_force.allFinite();
  const double g = gravity_.norm();
  const bool gravity_alone = accelerometer &&
                             std::abs(observation.imu_specific_force.norm() - g) <= kGravityAlone * g &&
                             (!gyro || speed <= kQuietGyro);
  if (!gravity_alone) {
    tilted_samples_ = 0;
  } else {
    const double share = angle_from_up(now, observation.imu_specific_force, gravity_) / options_.tilt;
    findings_.shares.tilt = share;
    tilted_samples_ = share >= 1.0 ? tilted_samples_ + 1 : 0;
    if (tilted_samples_ == 0 && findings_.shares.turn < 1.0) turned_ = false;
  }
  if (turned_ || tilted_samples_ >= 2) findings_.reasons.add(Reason::orientation_contradicts);
}

void InputChecks::check_scale(const Observation& observation, double dt) noexcept {
  const double g = gravity_.norm();
  if (!oriented_ || !observation.has_accelerometer || !observation.imu_specific_force.allFinite()) return;
  if (!std::isfinite(norm_)) norm_ = g;  // taken for right until it has shown otherwise
  if (dt > 0) {
    const double cut = std::min(observation.imu_specific_force.norm(), 2.0 * g);
    norm_ -= std::expm1(-dt / options_.scale_time) * (cut - norm_);
  }
  findings_.shares.scale = std::abs(norm_ / g - 1.0) / options_.scale_share;
  if (findings_.shares.scale >= 1.0) findings_.reasons.add(Reason::accelerometer_scale);
}

const OptionTable& options_of(const InputCheckOptions&) {
  using O = InputCheckOptions;
  static const OptionTable table(
      "input",
      {
          option("position_margin", "rad",
                 "how far beyond a joint's limit a position may be, or position_share, the larger; a metre counts as "
                 "ten radians",
                 "the incident's RE3: left hip yaw 0.12 rad beyond", &O::position_margin, kPositive),
          option("position_share", "1", "the same as a share of the joint's range", "our choice", &O::position_share),
          option("jump", "rad", "change of position that the velocity does not explain, at any rate",
                 "largest in RE1 to RE3 0.17, at −8 and +7 rad/s in the fall of RE3, else 0.03", &O::jump, kPositive),
          option("jump_acceleration", "rad/s²", "what a joint may do between two samples",
                 "the H1-2's ankle: 60 N·m against a rotor of 0.1 kg·m² is 600; the fall in RE3 has 770",
                 &O::jump_acceleration),
          option("slip", "rad/s", "mean speed of a position, over slip_time, that its velocity does not have",
                 "with the three beside it, largest share of the bound in six logs of the H1-2 at 50 Hz 0.96 (a wrist "
                 "whose velocity has an offset), in one of a TIAGo 0.72, in four of a UR10e 0.02",
                 &O::slip, kPositive),
          option("slip_time", "s", "time constant of that mean", "a slip of 0.05 rad/s is said after five seconds",
                 &O::slip_time, kPositive),
          option("slip_share", "1", "error of a velocity's scale, and of its sampling, as a share of the way",
                 "our choice", &O::slip_share),
          option("slip_delay", "s", "delay of a velocity against its position, in addition to one sample", "our choice",
                 &O::slip_delay),
          option("dead_time", "s", "how long all torques may stay exactly as they were",
                 "in six real logs of 27 motors, one of 8 and one of 2: one sample of 1 ms at most", &O::dead_time,
                 kPositive),
          option("stuck_time", "s", "how long one torque may, while its joint moves",
                 "longest in six real logs: 0.12 s, a resolution of 0.06 N·m", &O::stuck_time, kPositive),
          option("still_time", "s",
                 "how long one torque may at rest, where it carried noise of three levels or more; or has read exactly "
                 "zero from the start, and most others carry such noise",
                 "our choice: a second, and 20 samples, which such noise repeats by chance once in a billion",
                 &O::still_time, kPositive),
          option("stuck_speed", "rad/s", "speed above which a joint moves", "residual.motion_speed", &O::stuck_speed),
          option("tilt", "rad", "angle between the accelerometer's up and the quaternion's",
                 "30 degrees: neither mounting nor filter errs so", &O::tilt, kPositive),
          option("turn", "rad",
                 "turn of the quaternion from one sample to the next beyond twice the gyro's that is refused",
                 "15 rad/s at 50 Hz, with a gyro that stands still", &O::turn, kPositive),
          option("scale_share", "1", "how far the accelerometer's mean norm may be from gravity, as a share of it",
                 "in g it is 0.9 off; no walk is on average", &O::scale_share, kPositive),
          option("scale_time", "s", "time constant of that mean; 0.7 of it passes before anything is reported",
                 "half a second of free fall: a drop of 1.3 m", &O::scale_time, kPositive),
          option("clock_lead", "s", "how far a sample's stamp may be in the clock's future",
                 "half a sample at 50 Hz: two clocks of one machine", &O::clock_lead),
          option("maximum_gap", "s", "time between samples beyond which they are not compared", "residual.maximum_gap",
                 &O::maximum_gap, kPositive),
      });
  return table;
}
const OptionGroup kInputCheckOptions(InputCheckOptions{});

}  // namespace antaeus
