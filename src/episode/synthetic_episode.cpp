#include "antaeus/episode/synthetic_episode.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/numerics/pseudo_inverse.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "channels.hpp"
#include "core/random.hpp"
#include "inertial_sensor.hpp"
#include "smooth_curve.hpp"
#include "twin_script.hpp"

namespace antaeus {

namespace {

constexpr double kLogRate = 50.0;  // at this rate samples fall on the script's own, uneven stamps
constexpr double kMostSamples = 1e7;
constexpr Eigen::Index kBaseRows = 6;
constexpr Eigen::Index kBaseYaw = 5;  // row of v: rotation about the base's z
constexpr Eigen::Index kFeetUnknowns = 12;
constexpr Eigen::Index kMostFeetRows = 12;
constexpr double kFootMomentLever = 0.03;  // [m] weight of the feet's moments against their forces
constexpr double kTableEnd = 8.0;          // step at which the report's tables end and thrashing begins

/// The parts of a robot that a twin moves.
struct Cast {
  std::vector<Endpoint> endpoints;  // hands, then feet
  std::vector<FrameId> frames;
  std::array<std::array<int, kLegJoints>, 2> legs{};
  std::array<std::vector<int>, 2> arms;
  int reference = -1;
};

[[noreturn]] void refuse(const Robot& robot, const std::string& problem) {
  throw ModelError(robot.profile.name, problem, "twins need two hands, two feet and a reference joint, as the H1-2");
}

bool contains(const std::vector<int>& motors, int motor) {
  return std::find(motors.begin(), motors.end(), motor) != motors.end();
}

/// Roles by axes: yaw is the first joint about z, pitch, knee and ankle pitch those about y, roll and ankle roll about
/// x.
std::array<int, kLegJoints> leg_roles(const Robot& robot, const Endpoint& foot, const std::vector<int>& motors) {
  constexpr int kRoleAxis[kLegJoints] = {2, 1, 0, 1, 1, 0};
  std::array<int, kLegJoints> roles{};
  std::vector<int> left = motors;
  for (std::size_t role = 0; role < kLegJoints; ++role) {
    const auto found = std::find_if(left.begin(), left.end(), [&](int motor) {
      const auto& joints = robot.model.description().joints;
      const auto joint = std::find_if(joints.begin(), joints.end(), [&](const JointDescription& j) {
        return j.name == robot.model.motor_names()[motor];
      });
      return joint != joints.end() && joint->axis[kRoleAxis[role]] > 0.9;
    });
    if (found == left.end()) refuse(robot, "the leg of " + foot.frame + " is no yaw-pitch-roll-knee-ankle chain");
    roles[role] = *found;
    left.erase(found);
  }
  return roles;
}

Cast find_cast(const Robot& robot) {
  if (robot.model.base() != Base::free_flyer) refuse(robot, "the base is fixed");
  Cast cast;
  cast.reference = robot.reference_motor();
  if (cast.reference < 0) refuse(robot, "no reference joint");
  for (const EndpointKind kind : {EndpointKind::hand, EndpointKind::foot}) {
    std::size_t count = 0;
    for (const Endpoint& endpoint : robot.profile.endpoints) {
      if (endpoint.kind != kind) continue;
      const FrameId frame = robot.model.frame(endpoint.frame);
      std::vector<int> motors = robot.model.supporting_motors(frame);
      const bool is_hand = kind == EndpointKind::hand;
      if (contains(motors, cast.reference) != is_hand) {
        refuse(robot, endpoint.frame + (is_hand ? " is not carried" : " is carried") + " by the reference joint");
      }
      if (count < 2 && is_hand) {
        motors.erase(std::find(motors.begin(), motors.end(), cast.reference));
        if (motors.size() < kShoulderJoints + 1) refuse(robot, "the arm of " + endpoint.frame + " is too short");
        cast.arms[count] = std::move(motors);
      } else if (count < 2) {
        cast.legs[count] = leg_roles(robot, endpoint, motors);
      }
      cast.endpoints.push_back(endpoint);
      cast.frames.push_back(frame);
      ++count;
    }
    if (count != 2) refuse(robot, std::to_string(count) + " endpoints of kind " + std::string(to_string(kind)));
  }
  return cast;
}

/// Everything about the robot's motion at one instant.
struct Instant {
  VectorX q, v, a;  // full
  VectorX motor_q, motor_v, motor_a;
};

class TwinMaker {
 public:
  TwinMaker(const Robot& robot, const TwinScript& script, const TwinOptions& options)
      : robot_(robot),
        script_(script),
        options_(options),
        cast_(find_cast(robot)),
        dynamics_(robot.model),
        svd_(robot.model.motor_count(), 6),
        pose_(robot.pose(script.pose)) {
    const auto nv = robot.model.nv(), motors = robot.model.motor_count();
    tau_.resize(nv);
    gravity_.resize(nv);
    motor_tau_.resize(motors);
    motor_gravity_.resize(motors);
    motor_jacobian_.resize(6, motors);
    inverse_.resize(6, motors);
    jacobians_.assign(cast_.frames.size(), Matrix6X::Zero(6, nv));
    for (std::size_t leg = 0; leg < 2; ++leg) {
      for (std::size_t j = 0; j < kLegJoints; ++j) pose_[cast_.legs[leg][j]] = script.legs[leg][j];
    }
    plan_yaw();
    reference_residual_ = curve(script.reference_residual);
    plan_shoulder();
    for (const auto& [leg, joint, torque] : script.held_torques)
      held_torques_.emplace_back(cast_.legs[leg][joint], *curve(torque));
    for (std::size_t leg = 0; leg < 2; ++leg) {
      for (std::size_t j = 0; j < kLegJoints; ++j) {
        leg_targets_.emplace_back(cast_.legs[leg][j], *curve(script.leg_targets[leg][j]));
      }
    }
  }

  SyntheticEpisode make();

 private:
  double seconds(double step) const { return twin_clock(script_, step); }
  std::optional<Pchip> curve(const Course& course) const {
    std::vector<double> times;
    for (const double step : course.steps) times.push_back(seconds(step));
    return Pchip(std::move(times), course.values);
  }

  void plan_yaw();
  void plan_shoulder();
  Motion yaw(double t) const;
  void move_arms(double t, Instant& now) const;
  void move_legs(double t, Instant& now) const;
  Instant instant(double t) const;
  void compute(const Instant& now);
  VectorX motor_side(double t) const;
  Eigen::Matrix<double, kFeetUnknowns, 1> feet(double t, const VectorX& without_feet) const;
  VectorX stamps() const;
  VectorX friction(const VectorX& motor_v) const;

  const Robot& robot_;
  const TwinScript& script_;
  TwinOptions options_;
  Cast cast_;
  Dynamics dynamics_;
  SmallSvd svd_;
  VectorX pose_;  // motors at the start

  std::optional<Pchip> yaw_acceleration_;
  std::vector<double> yaw_steps_;  // rate that each settling adds
  std::optional<Pchip> reference_residual_;
  std::vector<Pchip> shoulder_residuals_;
  std::vector<std::pair<int, Pchip>> held_torques_, leg_targets_;

  // Of the last compute().
  VectorX tau_, gravity_, motor_tau_, motor_gravity_;
  std::vector<Matrix6X> jacobians_;
  Matrix6X motor_jacobian_;
  MatrixX inverse_;
};

/// The pelvis turns so that the upper body's inertia about the reference joint gives its rigid residual.
void TwinMaker::plan_yaw() {
  yaw_acceleration_ = Pchip({0.0, 1.0}, {1.0, 1.0});  // 1 rad/s², to measure that inertia
  Instant now = instant(0.0);
  now.v.setZero();
  compute(now);
  const double inertia = motor_tau_[cast_.reference] - motor_gravity_[cast_.reference];
  Course course = script_.rigid_residual;
  for (double& value : course.values) value /= inertia;
  yaw_acceleration_ = curve(course);

  const double end = seconds(static_cast<double>(script_.steps - 1));
  const double rate = yaw_acceleration_->integral(end), angle = yaw_acceleration_->double_integral(end);
  const auto reached = [&](const Settling& s) { return smooth_step_integral(end, seconds(s.from), seconds(s.to)); };
  if (script_.settlings.size() == 1) {
    yaw_steps_ = {-rate};
  } else if (script_.settlings.size() == 2) {
    const double first = reached(script_.settlings[0]), second = reached(script_.settlings[1]);
    const double step = (rate * second - angle) / (first - second);
    yaw_steps_ = {step, -rate - step};
  }
}

Motion TwinMaker::yaw(double t) const {
  Motion motion{yaw_acceleration_->double_integral(t), yaw_acceleration_->integral(t), yaw_acceleration_->value(t)};
  for (std::size_t i = 0; i < yaw_steps_.size(); ++i) {
    const double from = seconds(script_.settlings[i].from), to = seconds(script_.settlings[i].to);
    const Motion step = smooth_step(t, from, to);
    motion = motion + yaw_steps_[i] * Motion{smooth_step_integral(t, from, to), step.position, step.velocity};
  }
  return motion;
}

/// The shoulder residuals with which the deployed estimator finds the script's Fz, nearest to what the script says.
void TwinMaker::plan_shoulder() {
  if (script_.hand_force.empty()) return;
  const std::vector<int>& arm = cast_.arms[0];
  std::vector<double> times;
  std::vector<std::vector<double>> residuals(kShoulderJoints);
  Vector3 shoulder = Vector3::Zero();
  for (std::size_t step = 0; step < script_.hand_force.size(); ++step) {
    const double t = seconds(static_cast<double>(step));
    compute(instant(t));
    svd_.compute_transposed(motor_jacobian_);
    moore_penrose(svd_, kNumpyRelativeTolerance, inverse_);
    const bool last = step + 1 == script_.hand_force.size();
    VectorX residual = motor_tau_ - motor_gravity_;
    residual[cast_.reference] = reference_residual_->value(t);
    Vector3 gain;
    for (std::size_t j = 0; j < kShoulderJoints; ++j) {
      gain[j] = inverse_(kFz, arm[j]);
      residual[arm[j]] = last ? script_.last_shoulder[j] : 0.0;
    }
    const double lacking = script_.hand_force[step] - inverse_.row(kFz).dot(residual);
    times.push_back(t);
    for (std::size_t j = 0; j < kShoulderJoints; ++j) {
      const auto k = static_cast<Eigen::Index>(j);
      shoulder[k] = residual[arm[j]] + gain[k] * lacking / gain.squaredNorm();
      residuals[j].push_back(shoulder[k]);
    }
  }
  constexpr double kFadeSteps = 12.0;
  times.push_back(seconds(static_cast<double>(script_.hand_force.size()) + kFadeSteps));
  for (std::size_t j = 0; j < kShoulderJoints; ++j) {
    residuals[j].push_back(script_.shoulder_remainder * shoulder[j]);
    shoulder_residuals_.emplace_back(times, residuals[j]);
  }
}

void move(Instant& now, int motor, const Motion& motion) {
  now.motor_q[motor] += motion.position;
  now.motor_v[motor] += motion.velocity;
  now.motor_a[motor] += motion.acceleration;
}

void TwinMaker::move_arms(double t, Instant& now) const {
  if (script_.sways) {
    for (std::size_t side = 0; side < 2; ++side) {
      const Motion start = smooth_step(t, 0.0, 2.0);
      const double sign = side == 0 ? 1.0 : -1.0;
      move(now, cast_.arms[side][0], 0.015 * (start * sine(t, 0.31)));
      move(now, cast_.arms[side][kShoulderJoints], 0.010 * sign * (start * sine(t, 0.23)));
    }
  }
  if (script_.thrashes) {
    // The first arm swings towards the singular pose and back: the gain, and with it the force, peaks at step 46.
    constexpr double kSwing = 0.167;
    const double start = seconds(kTableEnd), peak = seconds(46.0), end = seconds(76.0);
    move(now, cast_.arms[0][0], kSwing * smooth_step(t, start, peak));
    move(now, cast_.arms[0][0], -kSwing * smooth_step(t, peak, end));
  }
}

void TwinMaker::move_legs(double t, Instant& now) const {
  const Motion turn = yaw(t);
  for (std::size_t leg = 0; leg < 2; ++leg) {
    move(now, cast_.legs[leg][kHipYaw], -1.0 * turn);  // the feet keep their direction
    if (!script_.thrashes) continue;
    constexpr double kPitch[2] = {-0.4, 0.4}, kKneeBend[2] = {0.15, 0.2}, kFrequency = 2.884;
    const double start = seconds(kTableEnd), since = t - start;
    const Motion rise = smooth_step(t, start, start + 0.5);
    move(now, cast_.legs[leg][kHipPitch], kPitch[leg] * (rise * sine(since, kFrequency)));
    move(now, cast_.legs[leg][kKnee],
         kKneeBend[leg] * (rise * (Motion{1.0, 0.0, 0.0} + -1.0 * cosine(since, kFrequency))));
  }
}

Instant TwinMaker::instant(double t) const {
  const RobotModel& model = robot_.model;
  Instant now;
  now.motor_q = pose_;
  now.motor_v = now.motor_a = VectorX::Zero(model.motor_count());
  move_arms(t, now);
  move_legs(t, now);
  const Motion turn = yaw(t);
  now.q.resize(model.nq());
  model.position_from_motors(now.motor_q, {0.0, 0.0, std::sin(turn.position / 2.0), std::cos(turn.position / 2.0)},
                             now.q);
  now.v = now.a = VectorX::Zero(model.nv());
  now.v[kBaseYaw] = turn.velocity;
  now.a[kBaseYaw] = turn.acceleration;
  for (int motor = 0; motor < model.motor_count(); ++motor) {
    const int row = model.motor_rows()[motor];
    now.v[row] = now.motor_v[motor];
    now.a[row] = now.motor_a[motor];
  }
  return now;
}

void TwinMaker::compute(const Instant& now) {
  dynamics_.inverse_dynamics(now.q, now.v, now.a, tau_);
  const PositionTerms terms = dynamics_.at(now.q);
  terms.gravity_torque(gravity_);
  for (std::size_t k = 0; k < cast_.frames.size(); ++k) terms.frame_jacobian(cast_.frames[k], jacobians_[k]);
  robot_.model.select_motor_rows(tau_, motor_tau_);
  robot_.model.select_motor_rows(gravity_, motor_gravity_);
  for (int motor = 0; motor < robot_.model.motor_count(); ++motor) {
    motor_jacobian_.col(motor) = jacobians_[0].col(robot_.model.motor_rows()[motor]);
  }
}

/// What the script's residuals need beyond rigid bodies.
VectorX TwinMaker::motor_side(double t) const {
  VectorX torque = VectorX::Zero(robot_.model.motor_count());
  if (!options_.motor_side_torque || shoulder_residuals_.empty()) return torque;
  const auto rigid = [&](int motor) { return motor_tau_[motor] - motor_gravity_[motor]; };
  torque[cast_.reference] = reference_residual_->value(t) - rigid(cast_.reference);
  for (std::size_t j = 0; j < kShoulderJoints; ++j) {
    const int motor = cast_.arms[0][j];
    torque[motor] = shoulder_residuals_[j].value(t) - rigid(motor);
  }
  return torque;
}

/// Feet wrenches of weighted minimum norm that balance the six base rows and leave the held motors their torques.
Eigen::Matrix<double, kFeetUnknowns, 1> TwinMaker::feet(double t, const VectorX& without_feet) const {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, kFeetUnknowns, 0, kMostFeetRows, kFeetUnknowns>;
  using Right = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostFeetRows, 1>;
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostFeetRows, kMostFeetRows>;
  const auto count = kBaseRows + static_cast<Eigen::Index>(held_torques_.size());
  Rows A(count, kFeetUnknowns);
  Right b(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    Eigen::Index row = i;
    double left_over = 0.0;
    if (i >= kBaseRows) {
      const auto& [motor, torque] = held_torques_[i - kBaseRows];
      row = robot_.model.motor_rows()[motor];
      left_over = torque.value(t);
    }
    A.row(i) << jacobians_[2].col(row).transpose(), jacobians_[3].col(row).transpose();
    b[i] = without_feet[row] - left_over;
  }
  Eigen::Matrix<double, kFeetUnknowns, 1> weight;
  weight.setOnes();
  weight.segment<3>(3).setConstant(kFootMomentLever * kFootMomentLever);
  weight.segment<3>(9).setConstant(kFootMomentLever * kFootMomentLever);
  const Square normal = A * weight.asDiagonal() * A.transpose();
  const Eigen::LDLT<Square> factor(normal);
  Eigen::Matrix<double, kFeetUnknowns, 1> w = weight.asDiagonal() * A.transpose() * factor.solve(b);
  // One step of refinement: the base rows shall balance to rounding, not to rounding times the condition number.
  const Right rest = b - A * w;
  w += weight.asDiagonal() * A.transpose() * factor.solve(rest);
  return w;
}

VectorX TwinMaker::stamps() const {
  const double own = seconds(static_cast<double>(script_.steps - 1));
  const double length = options_.duration > 0.0 ? options_.duration : own;
  if (script_.thrashes && length > own + 1e-9) {
    throw OptionsError("duration", "the incident lasts " + shortest_text(own) + " s", "give no more");
  }
  constexpr double kSlack = 1e-9;
  std::vector<double> stamps;
  if (length * options_.rate > kMostSamples)
    throw OptionsError("duration", "too many samples", "give less time or a lower rate");
  for (double i = 0.0;; i += 1.0) {
    const double t = options_.rate == kLogRate ? seconds(i) : i / options_.rate;
    if (t > length + kSlack) break;
    stamps.push_back(t);
  }
  return Eigen::Map<const VectorX>(stamps.data(), static_cast<Eigen::Index>(stamps.size()));
}

/// White noise.
void add_noise(SampleMatrix& samples, double deviation, std::uint64_t seed) {
  if (deviation <= 0.0) return;
  detail::Random<> random(seed);
  for (double& value : samples.reshaped<Eigen::RowMajor>()) value += random.single_normal(deviation);
}

/// What the drives' sliding friction adds to the torques that move the joints.
VectorX TwinMaker::friction(const VectorX& motor_v) const {
  VectorX torque = VectorX::Zero(motor_v.size());
  for (Eigen::Index m = 0; m < torque.size(); ++m) {
    const double bound = robot_.profile.figures[m].coulomb;
    torque[m] = options_.friction * bound * static_cast<double>((motor_v[m] > 0.0) - (motor_v[m] < 0.0));
  }
  return torque;
}

SyntheticEpisode TwinMaker::make() {
  const RobotModel& model = robot_.model;
  const VectorX times = stamps();
  const Eigen::Index steps = times.size(), motors = model.motor_count();
  const bool has_imu = !robot_.profile.imu.frame.empty();
  SyntheticEpisode twin;
  Episode& episode = twin.episode;
  episode.name = script_.name;
  episode.simulated = true;
  episode.notes.push_back({NoteCode::synthetic, "", {script_.note}});
  episode.time = times.array() + script_.first_stamp;
  for (SampleMatrix* matrix : {&episode.q, &episode.tau, &episode.target, &episode.v, &twin.motor_side_torque}) {
    matrix->setZero(steps, motors);
  }
  if (has_imu) episode.imu_quaternion.resize(steps, 4);
  if (options_.accelerations) episode.a.resize(steps, motors);
  if (options_.inertial) {
    if (!has_imu) throw OptionsError("inertial", "the robot's profile names no IMU", "give [imu] a frame");
    episode.imu_angular_velocity.resize(steps, 3);
    episode.imu_specific_force.resize(steps, 3);
  }
  const Eigen::AngleAxisd tilt(options_.imu_tilt, Vector3::UnitY());
  twin.full_q.resize(steps, model.nq());
  twin.full_v.resize(steps, model.nv());
  twin.full_a.resize(steps, model.nv());
  for (const Endpoint& endpoint : cast_.endpoints) {
    twin.endpoints.push_back(endpoint.frame);
    twin.wrenches.emplace_back(SampleMatrix::Zero(steps, 6));
  }
  const VectorX arm_targets = robot_.pose(script_.thrashes ? "arm_waist_target" : script_.pose);
  const FrameId imu = has_imu ? model.frame(robot_.profile.imu.frame) : FrameId{};

  VectorX motor_rows(motors);
  for (Eigen::Index i = 0; i < steps; ++i) {
    const double t = times[i];
    const Instant now = instant(t);
    compute(now);
    if (script_.pushed) {
      const TwinPush push = twin_push(t);
      twin.wrenches[push.hand].row(i).head<3>() = push.force.transpose();
    }
    VectorX balance = tau_;
    for (std::size_t hand = 0; hand < 2; ++hand) {
      balance -= jacobians_[hand].transpose() * twin.wrenches[hand].row(i).transpose();
    }
    const auto w = feet(t, balance);
    for (std::size_t foot = 0; foot < 2; ++foot) {
      twin.wrenches[2 + foot].row(i) = w.segment<6>(static_cast<Eigen::Index>(6 * foot)).transpose();
      balance -= jacobians_[2 + foot].transpose() * twin.wrenches[2 + foot].row(i).transpose();
    }
    model.select_motor_rows(balance, motor_rows);
    const VectorX beside = motor_side(t) + friction(now.motor_v);
    twin.motor_side_torque.row(i) = beside.transpose();
    episode.tau.row(i) = (motor_rows + beside).transpose();
    episode.q.row(i) = now.motor_q.transpose();
    episode.v.row(i) = now.motor_v.transpose();
    if (options_.accelerations) episode.a.row(i) = now.motor_a.transpose();
    episode.target.row(i) = arm_targets.transpose();
    for (const auto& [motor, target] : leg_targets_) episode.target(i, motor) = target.value(t);
    twin.full_q.row(i) = now.q.transpose();
    twin.full_v.row(i) = now.v.transpose();
    twin.full_a.row(i) = now.a.transpose();
    if (!has_imu) continue;
    const PositionTerms terms = dynamics_.at(now.q);
    if (options_.inertial) {
      const InertialReading measured = inertial_reading(model, terms, imu, now.q, now.v, now.a);
      episode.imu_angular_velocity.row(i) = (tilt.inverse() * measured.angular_velocity).transpose();
      episode.imu_specific_force.row(i) = (tilt.inverse() * measured.specific_force).transpose();
    }
    Pose X_WI;
    terms.frame_pose(imu, X_WI);
    Eigen::Quaterniond quaternion(X_WI.rotation);
    if (options_.imu_tilt != 0.0) quaternion = quaternion * tilt;
    if (i > 0 && quaternion.coeffs().dot(episode.imu_quaternion.row(i - 1).transpose()) < 0.0)
      quaternion.coeffs() *= -1.0;
    episode.imu_quaternion.row(i) = quaternion.coeffs().transpose();
  }
  // Seeds of their own, so that one channel's noise does not depend on another's.
  add_noise(episode.tau, options_.torque_noise, options_.seed);
  add_noise(episode.imu_angular_velocity, options_.gyro_noise, options_.seed + 0x9e3779b97f4a7c15U);
  add_noise(episode.imu_specific_force, options_.accelerometer_noise, options_.seed + 2 * 0x9e3779b97f4a7c15U);
  name_channels(episode);
  return twin;
}

}  // namespace

SyntheticEpisode make_twin(const Robot& robot, TwinKind kind, const TwinOptions& options) {
  if (!std::isfinite(options.rate) || options.rate <= 0.0)
    throw OptionsError("rate", "not above zero", "give samples per second");
  if (!std::isfinite(options.duration) || options.duration < 0.0)
    throw OptionsError("duration", "negative or not finite", "give seconds, or 0 for the kind's own length");
  for (const auto& [name, value] :
       {std::pair("torque_noise", options.torque_noise), std::pair("gyro_noise", options.gyro_noise),
        std::pair("accelerometer_noise", options.accelerometer_noise), std::pair("friction", options.friction)}) {
    if (!std::isfinite(value) || value < 0.0)
      throw OptionsError(name, "negative or not finite", "give a number from zero up");
  }
  if (!std::isfinite(options.imu_tilt)) throw OptionsError("imu_tilt", "not finite", "give an angle in rad");
  return TwinMaker(robot, twin_script(kind), options).make();
}

}  // namespace antaeus
