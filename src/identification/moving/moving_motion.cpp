#include "identification/moving/moving_motion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/signal/low_pass.hpp"
#include "antaeus/signal/savitzky_golay.hpp"

namespace antaeus::detail {

namespace {

/// Gyro and accelerometer of a floating robot, checked.
void check_imu(const Robot& robot, const Episode& episode) {
  if (robot.profile.imu.frame.empty()) {
    throw ModelError(robot.profile.name, "a floating base moves, and the profile names no IMU that measures it",
                     "add [imu] to the profile, or hold the base still (" + arg(Input::base, "fixed") + ")");
  }
  if (episode.imu_angular_velocity.rows() != episode.steps() || episode.imu_specific_force.rows() != episode.steps()) {
    throw EpisodeError(episode.name, "no gyro and accelerometer (imu_gyro, imu_acc)",
                       "a floating base moves: record both, or hold it still (" + arg(Input::base, "fixed") + ")");
  }
}

/// Values and slopes of a channel. As the loop forms them (ResidualEstimator), noise and all: the sample itself and the
/// difference to the one before. Else of cubics, without delay.
SmoothedLog derivatives(const VectorX& time, const MatrixX& samples, bool as_loop, const SavitzkyGolayOptions& fit) {
  if (!as_loop) return savitzky_golay(time, samples, fit);
  SmoothedLog log{samples, MatrixX::Constant(samples.rows(), samples.cols(), kNaN), {}};
  for (Eigen::Index i = 1; i < samples.rows(); ++i) {
    log.first.row(i) = (samples.row(i) - samples.row(i - 1)) / (time[i] - time[i - 1]);
  }
  return log;
}

/// The IMU's readings as motion of the base: the gyro less what the joints between add, and its slope; the specific
/// force at the base's origin.
class BaseMotion {
 public:
  BaseMotion(const Robot& robot, const Episode& episode, bool as_loop, const SavitzkyGolayOptions& fit,
             const MatrixX& q, const MatrixX& v, Dynamics& dynamics)
      : frame_(robot.model.frame(robot.profile.imu.frame)), omega_(episode.steps(), 3) {
    Matrix6X J(6, robot.model.nv());
    Pose X_base_imu;
    for (Eigen::Index i = 0; i < episode.steps(); ++i) {
      const VectorX configuration = q.row(i);
      const PositionTerms terms = dynamics.at(configuration);
      if (terms.frame_pose(frame_, X_base_imu) != Status::ok || terms.frame_jacobian(frame_, J) != Status::ok) {
        omega_.row(i).setConstant(kNaN);
        continue;
      }
      Vector3 omega = X_base_imu.rotation * episode.imu_angular_velocity.row(i).transpose();
      for (const int row : robot.model.motor_rows()) omega -= J.col(row).tail<3>() * v(i, row);
      omega_.row(i) = omega;
    }
    turning_ = derivatives(episode.time, omega_, as_loop, fit);
    force_ = derivatives(episode.time, episode.imu_specific_force, as_loop, fit).value;
  }

  FrameId frame() const noexcept { return frame_; }
  auto rate(Eigen::Index i) const { return turning_.value.row(i); }
  auto acceleration(Eigen::Index i) const { return turning_.first.row(i); }
  Vector3 specific_force(Eigen::Index i) const { return force_.row(i); }

 private:
  FrameId frame_;
  MatrixX omega_, force_;
  SmoothedLog turning_;
};

/// The loop's low pass over torques and motion: what it leaves in doubt is then what the loop is in doubt of, and as
/// late. It begins anew after a gap.
void filter(const Episode& episode, const MovingFitOptions& options, LogMotion& motion) {
  constexpr double kGap = 0.1;  // [s] as ResidualOptions::maximum_gap
  const Eigen::Index motors = motion.reading.cols(), nv = motion.v.cols();
  ButterworthLowPass low_pass(static_cast<int>(2 * motors + 2 * nv), options.low_pass);
  const double settled = low_pass_memory(options);
  VectorX sample(2 * motors + 2 * nv);
  double last = -kInfinity, start = -kInfinity;
  for (Eigen::Index i = 0; i < episode.steps(); ++i) {
    sample << motion.reading.row(i).transpose(), motion.expected.row(i).transpose(), motion.v.row(i).transpose(),
        motion.a.row(i).transpose();
    const double time = episode.time[i];
    if (!motion.good[i] || !sample.allFinite()) {
      motion.good[i] = 0;
      continue;
    }
    if (time - last > kGap) {
      low_pass.reset(sample);
      start = time;
    } else {
      low_pass.step(sample, time - last);
    }
    last = time;
    const VectorX& value = low_pass.value();
    motion.reading.row(i) = value.head(motors);
    motion.expected.row(i) = value.segment(motors, motors);
    motion.v.row(i) = value.segment(2 * motors, nv);
    motion.a.row(i) = value.tail(nv);
    motion.good[i] = time - start >= settled ? 1 : 0;
  }
}

}  // namespace

double low_pass_memory(const MovingFitOptions& options) {
  constexpr double kConstants = 3.0;  // as ResidualEstimator waits for its own
  return options.low_pass > 0.0 ? kConstants * std::numbers::sqrt2 / (2.0 * std::numbers::pi * options.low_pass) : 0.0;
}

LogMotion log_motion(const Robot& robot, const MovingLog& log, const MovingFitOptions& options, const Pulse& pulse) {
  const RobotModel& model = robot.model;
  const Episode& episode = log.episode;
  const bool floating = model.base() == Base::free_flyer;
  if (floating) check_imu(robot, episode);
  const Eigen::Index steps = episode.steps(), motors = model.motor_count(), nv = model.nv();
  SavitzkyGolayOptions fit;
  fit.window = std::max(5, 2 * static_cast<int>(std::round(0.5 * options.window / episode.sample_time())) + 1);
  const bool as_loop = options.low_pass > 0.0 && episode.v.rows() == steps;
  MatrixX rate, acceleration;
  if (as_loop) {
    rate = episode.v;
    acceleration = derivatives(episode.time, rate, true, fit).first;
  } else {
    SmoothedLog joints = savitzky_golay(episode.time, episode.q, fit);
    rate = std::move(joints.first);
    acceleration = std::move(joints.second);
  }
  LogMotion motion;
  motion.q.resize(steps, model.nq());
  motion.v = motion.a = MatrixX::Zero(steps, nv);
  motion.reading = motion.channel = motion.expected = MatrixX::Constant(steps, motors, kNaN);
  motion.good.assign(static_cast<std::size_t>(steps), 0);
  VectorX q(model.nq()), v(nv), a(nv), tau(nv);
  for (Eigen::Index i = 0; i < steps; ++i) {
    const VectorX q_motor = episode.q.row(i);
    const bool whole = acceleration.row(i).allFinite() && rate.row(i).allFinite() && q_motor.allFinite() &&
                       model.position_from_motors(q_motor, Eigen::Vector4d(0, 0, 0, 1), q) == Status::ok;
    motion.good[i] = whole ? 1 : 0;
    motion.q.row(i) = whole ? q : model.neutral();
    for (int j = 0; j < model.motor_count() && whole; ++j) {
      motion.v(i, model.motor_rows()[j]) = rate(i, j);
      motion.a(i, model.motor_rows()[j]) = acceleration(i, j);
    }
    for (int j = 0; j < model.motor_count(); ++j) {
      motion.channel(i, j) = robot.profile.joint_torque(static_cast<std::size_t>(j), episode.tau(i, j));
    }
  }
  motion.reading = motion.channel;
  Dynamics dynamics(model);
  std::optional<BaseMotion> base;
  if (floating) base.emplace(robot, episode, as_loop, fit, motion.q, motion.v, dynamics);
  for (Eigen::Index i = 0; i < steps; ++i) {
    if (pulse && i % 4096 == 0) pulse();
    if (!motion.good[i]) continue;
    q = motion.q.row(i);
    Status status = Status::ok;
    if (base) {
      motion.v.row(i).segment<3>(3) = base->rate(i);
      motion.a.row(i).segment<3>(3) = base->acceleration(i);
      v = motion.v.row(i);
      a = motion.a.row(i);
      Vector3 felt;
      status = dynamics.at(q).inverse_dynamics(v, a, base->frame(), base->specific_force(i), tau, &felt);
      // The regressor feels a − g only, and the base's axes are its world.
      if (status == Status::ok) motion.a.row(i).head<3>() = felt + model.gravity();
    } else {
      v = motion.v.row(i);
      a = motion.a.row(i);
      status = dynamics.inverse_dynamics(q, v, a, tau);
    }
    if (status != Status::ok) motion.good[i] = 0;
    for (int j = 0; j < model.motor_count(); ++j) {
      motion.expected(i, j) = tau[model.motor_rows()[j]];
      if (log.contact.size() > 0) motion.expected(i, j) -= log.contact(i, j);
    }
  }
  if (options.low_pass > 0.0) filter(episode, options, motion);
  return motion;
}

}  // namespace antaeus::detail
