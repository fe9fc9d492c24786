#include "replay/static_history.hpp"

#include <cmath>

#include "antaeus/core/possible.hpp"
#include "estimation/residual_rows.hpp"

namespace antaeus::detail {

namespace {

constexpr double kQuaternionSlack = 1e-3;

using Numbers = Eigen::Map<const VectorX>;

/// Zero times a number is zero, times all else NaN.
bool is_finite(const double* values, Eigen::Index count) noexcept {
  return (Numbers(values, count).array() * 0.0).sum() == 0.0;
}

/// The row \p i of a channel; null where there is none.
const double* row(const BatchRowsOf<const double>& rows, Eigen::Index width, std::ptrdiff_t i) noexcept {
  return rows.values.empty() ? nullptr : rows.values.data() + i * (rows.stride == 0 ? width : rows.stride);
}

}  // namespace

HistoryRows::HistoryRows(std::ptrdiff_t count, int motors, int dofs, bool correlated) {
  const auto n = static_cast<std::size_t>(count);
  tau.resize(n * static_cast<std::size_t>(motors));
  variance.resize(tau.size());
  share.resize(correlated ? n : 0);
  speed.resize(correlated ? tau.size() : 0);
  least.resize(speed.size(), -kInfinity);
  limits.resize(n * static_cast<std::size_t>(dofs));
  status.resize(n);
  reasons.resize(n);
}

StaticHistory::StaticHistory(const Robot& robot, const ResidualOptions& options, bool uses_imu, bool noise,
                             std::optional<AlarmLimits> limits, int most_dof)
    : options_(options),
      profile_(robot.profile),
      motors_(robot.model.motor_count()),
      uses_imu_(uses_imu),
      identified_friction_(robot.profile.friction == FrictionUse::identified),
      noise_(noise ? robot.profile.noise : nullptr),
      limits_(std::move(limits)),
      most_dof_(most_dof),
      torque_limit_(torque_limits(robot)),
      least_saturated_(options.saturation_share * torque_limit_),
      still_(motors_),
      moving_(motors_),
      last_q_(VectorX::Zero(motors_)),
      speed_(last_q_),
      outside_until_(last_q_) {
  for (Eigen::Index m = 0; m < motors_; ++m) {
    const JointFigures& figures = profile_.figures[static_cast<std::size_t>(m)];
    still_[m] = still_variance(figures, profile_.friction, options, 0.0);
    moving_[m] = moving_variance(figures);
    has_friction_ = has_friction_ || identified_friction_ || figures.viscous != 0.0 || figures.friction_offset != 0.0;
  }
  has_limits_ = noise_ && noise_->limit.size() > 0;
  if (noise_ && !noise_->envelope_motors.empty()) {
    envelope_.emplace(noise_->envelope_motors, noise_->identified_speed, options.envelope);
  }
  begin();
}

bool StaticHistory::known(Eigen::Index motor) const noexcept { return noise_ && !std::isnan(noise_->white_sd[motor]); }

void StaticHistory::begin() noexcept {
  reset();
  if (limits_) limits_->reset();
}

void StaticHistory::reset() noexcept {
  last_time_ = kNaN;
  moving_until_ = -kInfinity;
  has_rates_ = false;
  outside_until_.setConstant(-kInfinity);
  if (envelope_) envelope_->reset();
}

void StaticHistory::read(const ReplayInput& block, bool is_episode, HistoryRows& rows) noexcept {
  const auto width = static_cast<std::size_t>(motors_), dofs = static_cast<std::size_t>(most_dof_) + 1;
  for (std::ptrdiff_t i = 0; i < block.count; ++i) {
    const double* const time = row(block.time, 1, i);
    const Sample sample = {row(block.q, motors_, i),
                           row(block.tau, motors_, i),
                           row(block.v, motors_, i),
                           row(block.a, motors_, i),
                           row(block.imu_angular_velocity, 3, i),
                           row(block.imu_specific_force, 3, i),
                           row(block.imu_quaternion_xyzw, 4, i),
                           time ? *time : kNaN};
    const auto at = static_cast<std::size_t>(i);
    Reasons& reasons = rows.reasons[at];
    reasons = Reasons();
    Sample seen = sample;
    // As Episode::observe(): no number, no measurement.
    if (is_episode && seen.gyro && !is_finite(seen.gyro, 3)) seen.gyro = nullptr;
    if (is_episode) seen.force = nullptr;
    Status status = refusal_of(seen);
    if (status == Status::ok) {
      status = step(seen, rows, at);
    } else {
      reasons = Reason::invalid_input;
    }
    rows.status[at] = status;
    double *const tau = rows.tau.data() + at * width, *const variance = rows.variance.data() + at * width;
    if (status == Status::ok) {
      fill(seen, reasons, tau, variance);
      if (noise_) {
        const double clock = std::isfinite(seen.time) ? seen.time : 0.0;
        fill_noise(clock, reasons, seen.tau, variance, rows.least.data() + at * width);
      }
      if (limits_) limits_->step(seen.time);
    } else {
      for (std::size_t m = 0; m < width; ++m) tau[m] = profile_.joint_torque(m, seen.tau[m]);
      Eigen::Map<VectorX>(variance, motors_).setConstant(kNaN);
    }
    if (noise_) {
      rows.share[at] = motion_share_;
      // A state that was refused has no speed, and no posterior that would need one.
      for (std::size_t m = 0; m < width; ++m) {
        rows.speed[at * width + m] = status == Status::ok ? speed_[static_cast<Eigen::Index>(m)] : 0.0;
      }
    }
    if (!limits_) continue;
    for (std::size_t dof = 0; dof < dofs; ++dof) rows.limits[at * dofs + dof] = limits_->limit(static_cast<int>(dof));
  }
}

/// What InstantReader and the residual's first look refuse.
Status StaticHistory::refusal_of(const Sample& sample) const noexcept {
  if (!are_possible(Numbers(sample.q, motors_), kImpossiblePosition)) return Status::not_finite;
  for (std::size_t m = 0; m < static_cast<std::size_t>(motors_); ++m) {
    if (!(std::abs(profile_.joint_torque(m, sample.tau[m])) < kImpossibleTorque)) return Status::not_finite;
  }
  if (uses_imu_ && sample.quaternion) {
    if (!is_finite(sample.quaternion, 4)) return Status::not_finite;
    if (std::abs(Numbers(sample.quaternion, 4).norm() - 1.0) > kQuaternionSlack) return Status::bad_orientation;
  }
  const struct {
    const double* numbers;
    Eigen::Index size;
    double bound;
  } channels[] = {{sample.v, motors_, kImpossibleSpeed},
                  {sample.a, motors_, kImpossibleAcceleration},
                  {sample.gyro, 3, kImpossibleSpeed},
                  {sample.force, 3, kImpossibleSpecificForce}};
  for (const auto& [numbers, size, bound] : channels) {
    if (numbers && !are_possible(Numbers(numbers, size), bound)) return Status::not_finite;
  }
  return Status::ok;
}

/// As ResidualEstimator::form().
Status StaticHistory::step(const Sample& sample, HistoryRows& rows, std::size_t at) noexcept {
  Reasons& reasons = rows.reasons[at];
  const double time = std::isfinite(sample.time) ? sample.time : kNaN;
  const double dt = time_step(options_, time, last_time_, [this] { reset(); }, reasons);
  if (dt <= 0) {
    reasons = Reason::invalid_input | Reason::time_back;
    return Status::time_back;
  }
  see_speed(sample, dt, reasons);
  motion_share_ = 1.0;
  const bool is_known = !reasons.has(Reason::motion_unknown);
  if (noise_ && is_known) {
    motion_share_ = watch_envelope(
        options_, *noise_, envelope_, sample.time, speed_, is_moving_, true,
        [this](Eigen::Index m) { return known(m); }, outside_until_, reasons);
  }
  if (is_moving_ && is_known) reasons.add(Reason::motion);
  last_time_ = time;
  last_q_ = Numbers(sample.q, motors_);
  has_rates_ = std::isfinite(sample.time);
  return Status::ok;
}

void StaticHistory::see_speed(const Sample& sample, double dt, Reasons& reasons) noexcept {
  const bool differenced = !sample.v && std::isfinite(dt) && dt > 0 && has_rates_;
  if (!sample.v && !differenced) {
    speed_.setZero();
    is_moving_ = true;
    reasons.add(Reason::motion_unknown);
    return;
  }
  if (sample.v) {
    speed_ = Numbers(sample.v, motors_);
  } else {
    speed_ = (Numbers(sample.q, motors_) - last_q_) / dt;
  }
  const double clock = std::isfinite(sample.time) ? sample.time : 0.0;
  Vector3 gyro;
  if (sample.gyro) gyro = Eigen::Map<const Vector3>(sample.gyro);
  is_moving_ =
      watch_motion(options_, clock, speed_.cwiseAbs().maxCoeff(), sample.gyro ? &gyro : nullptr, moving_until_);
}

/// Torques and variances of a state's rows.
void StaticHistory::fill(const Sample& sample, Reasons& reasons, double* tau, double* variance) const noexcept {
  Eigen::Map<VectorX> R(variance, motors_), torque(tau, motors_);
  for (Eigen::Index m = 0; m < motors_; ++m) {
    torque[m] = profile_.joint_torque(static_cast<std::size_t>(m), sample.tau[m]);
  }
  R = still_.array() + (options_.torque_share * torque.array()).square();
  if (identified_friction_) {
    for (Eigen::Index m = 0; m < motors_; ++m) {
      const JointFigures& figures = profile_.figures[static_cast<std::size_t>(m)];
      R[m] = still_variance(figures, profile_.friction, options_, speed_[m]) + gain_variance(options_, torque[m]);
    }
  }
  if (is_moving_) R = R.cwiseMax(moving_);
  // Most rows of most states have neither a friction that was identified nor a limit that they are at.
  if (!has_friction_ && !has_limits_ && !(torque.array().abs() >= least_saturated_.array()).any()) return;
  for (Eigen::Index m = 0; m < motors_; ++m) {
    const bool is_known = known(m);
    const double reading = torque[m];
    if (is_saturated(options_, torque_limit_[m], noise(), is_known, reading, m)) {
      R[m] = kInfinity;
      reasons.add(Reason::saturated);
    }
    const JointFigures& figures = profile_.figures[static_cast<std::size_t>(m)];
    if (!is_known) torque[m] -= friction_torque(figures, profile_.friction, speed_[m]);
    torque[m] -= limit_offset(noise(), is_known, reading, m);
  }
}

/// What identified noise makes of the variances by figures: they are those of rows that nobody identified; the others'
/// come from the kernel, which wants what is on top, and below what they are not. As ResidualEstimator's covariance.
void StaticHistory::fill_noise(double clock, Reasons& reasons, const double* tau, double* variance,
                               double* least) const noexcept {
  const bool is_held = noise_->origin == NoiseOrigin::held_pose;
  const bool is_unknown_motion = is_moving_ && noise_->motion_sd.size() == 0;
  for (Eigen::Index m = 0; m < motors_; ++m) {
    least[m] = -kInfinity;
    if (!known(m) || std::isinf(variance[m])) continue;
    const double assumed = variance[m], torque = profile_.joint_torque(static_cast<std::size_t>(m), tau[m]);
    variance[m] = 0.0;
    if (is_at_identified_limit(noise(), true, torque, m)) {
      variance[m] = noise_->limit_sd[m] * noise_->limit_sd[m];
      reasons.add(Reason::saturated);
    }
    if (is_held) {
      if (clock < outside_until_[m]) least[m] = assumed;
    } else if (is_unknown_motion) {
      least[m] = moving_[m];
    }
  }
}

}  // namespace antaeus::detail
