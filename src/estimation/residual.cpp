#include "antaeus/estimation/residual.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/core/in_place.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "estimation/residual_rows.hpp"

namespace antaeus {

namespace {

/// Clocks jitter: samples that are 5 % late are not a lower rate.
constexpr double kRateSlack = 1.05;
/// Nor is a fifth of them lost, and as many more by chance, once they came fast enough.
constexpr double kLossSlack = 1.5;
/// Time over which the rate is taken, of 32 samples at most [s].
constexpr double kRateTime = 0.15;
/// Time constants after which a filter has forgotten how it began (5 %).
constexpr double kSettlingConstants = 3.0;
constexpr double kTwoPi = 6.283185307179586;

/// The next value of a filter; the first sample begins it.
template <class Filter>
Status advance(Filter& filter, const VectorX& sample, bool first, double dt) noexcept {
  return first ? filter.reset(sample) : filter.step(sample, dt);
}

ResidualOptions checked(const ResidualOptions& options) {
  check_options(options);
  return options;
}

}  // namespace

ResidualEstimator::ResidualEstimator(const Robot& robot, ResidualOptions options)
    : options_(checked(options)),
      model_(robot.model),
      figures_(robot.profile.figures),
      friction_use_(robot.profile.friction),
      // A cut-off of zero means no filter; the object is there all the same.
      low_pass_(robot.model.motor_count(), options.cut_off > 0 ? options.cut_off : 1.0),
      dynamic_low_pass_(low_pass_),
      observer_(robot.model.motor_count(), options.observer_rate),
      dynamic_observer_(observer_),
      motion_low_pass_(2 * robot.model.nv(), options.cut_off > 0 ? options.cut_off : 1.0),
      motion_observer_(2 * robot.model.nv(), options.observer_rate),
      tare_(detail::torque_limits(robot), options.tare),
      motion_(VectorX::Zero(2 * robot.model.nv())) {
  minimum_rate_ = minimum_rate(robot.profile, options);
  if (!robot.profile.imu.frame.empty()) imu_frame_ = model_.frame(robot.profile.imu.frame);
  const Eigen::Index motors = model_.motor_count(), nv = model_.nv();
  torque_limit_ = detail::torque_limits(robot);
  residual_.value.setConstant(motors, kNaN);
  residual_.variance.setConstant(motors, kNaN);
  residual_.lag.setZero(motors);
  residual_.lag_variance.setZero(motors);
  residual_.tilt.setZero(motors, 2);
  for (VectorX* vector : {&last_q_, &last_v_, &speed_, &day_speed_, &raw_, &raw_dynamic_part_, &dynamic_part_,
                          &momentum_, &drive_, &lag_before_, &lag_step_, &lag_noise_}) {
    vector->setZero(motors);
  }
  for (VectorX* vector : {&full_v_, &full_a_, &full_tau_, &full_tau_static_}) vector->setZero(nv);
  imu_jacobian_.setZero(6, nv);
  if (options.kind == ResidualChoice::momentum_observer) {
    momentum_dynamics_.emplace(robot.model);
    coriolis_.setZero(nv, nv);
  }
  if (robot.profile.noise && options.noise == NoiseUse::identified) {
    const NoiseModel& identified = *robot.profile.noise;
    outside_until_.setConstant(motors, -kInfinity);
    if (!identified.envelope_motors.empty()) {
      envelope_.emplace(identified.envelope_motors, identified.identified_speed, options.envelope);
    }
    noise_.emplace(robot.model, *robot.profile.noise);
    day_.emplace(*robot.profile.noise, options.day);
    residual_.covariance.setConstant(motors, motors, kNaN);
    residual_.correlated = true;
  }
  reset();
}

void ResidualEstimator::reset() noexcept {
  last_time_ = kNaN;
  moving_until_ = -kInfinity;
  since_reset_ = 0.0;
  covariance_time_ = kNaN;
  outside_until_.setConstant(-kInfinity);
  if (envelope_) envelope_->reset();
  has_velocity_ = has_rates_ = false;
  times_.clear();
  fast_ = slow_ = false;
  omega_.setZero();
  last_omega_.setZero();
}

bool ResidualEstimator::identified(Eigen::Index motor) const noexcept {
  return counts_ && !std::isnan(noise_->model().white_sd[motor]);
}

double ResidualEstimator::friction(std::size_t motor, double speed) const noexcept {
  // Identified with the rest: noise_ has it in its mean.
  if (identified(static_cast<Eigen::Index>(motor))) return 0.0;
  return detail::friction_torque(figures_[motor], friction_use_, speed);
}

ResidualKind ResidualEstimator::choose(const Observation& observation) noexcept {
  if (options_.kind == ResidualChoice::static_gravity) return ResidualKind::static_gravity;
  const bool floating = model_.base() == Base::free_flyer;
  const bool asked = options_.kind != ResidualChoice::automatic;
  const bool channels = observation.v.size() > 0 && std::isfinite(observation.time) &&
                        (!floating || (observation.has_gyro && observation.has_accelerometer && imu_frame_.index >= 0));
  if (!channels) {
    if (asked) residual_.reasons.add(Reason::missing_channels);
    return ResidualKind::static_gravity;
  }
  if (options_.kind == ResidualChoice::momentum_observer) return ResidualKind::momentum_observer;
  // Accelerations that somebody measured or smoothed offline have no minimal rate.
  if (observation.a.size() == 0 && slow_) {
    if (asked) residual_.reasons.add(Reason::low_rate);
    return ResidualKind::static_gravity;
  }
  return ResidualKind::inverse_dynamics;
}

/// Whether samples come fast enough for differences, on average of the last ones. Once they do, it takes more than
/// losses to say that they do not.
void ResidualEstimator::watch_rate(double time) noexcept {
  if (!std::isfinite(time)) return;
  times_.push() = time;
  int first = 0;
  while (first < times_.size() - 2 && time - times_[first] > kRateTime) ++first;
  const int intervals = times_.size() - 1 - first;
  if (intervals < 1) return;
  const double mean = (time - times_[first]) / intervals;
  fast_ = mean * minimum_rate_ <= (fast_ ? kLossSlack : kRateSlack);
  slow_ = !fast_;
}

void ResidualEstimator::watch_motion(const Observation& observation, double dt) noexcept {
  const bool measured = observation.v.size() > 0;
  const bool differenced = !measured && std::isfinite(dt) && dt > 0 && has_rates_;
  if (!measured && !differenced) {
    speed_.setZero();
    residual_.moving = true;
    residual_.reasons.add(Reason::motion_unknown);
    return;
  }
  if (measured) {
    speed_ = observation.v;
  } else {
    speed_ = (observation.q - last_q_) / dt;
  }
  const double clock = std::isfinite(observation.time) ? observation.time : 0.0;
  residual_.moving =
      detail::watch_motion(options_, clock, speed_.cwiseAbs().maxCoeff(),
                           observation.has_gyro ? &observation.imu_angular_velocity : nullptr, moving_until_);
}

/// How fast the robot moves, measured against what was seen while its noise was identified.
void ResidualEstimator::watch_envelope(const Observation& observation) noexcept {
  motion_share_ = 1.0;
  if (!counts_ || residual_.reasons.has(Reason::motion_unknown)) return;
  motion_share_ = detail::watch_envelope(
      options_, noise_->model(), envelope_, observation.time, speed_, residual_.moving,
      residual_.kind == ResidualKind::static_gravity, [this](Eigen::Index m) { return identified(m); }, outside_until_,
      residual_.reasons);
}

const Residual& ResidualEstimator::form(const Instant& now) noexcept {
  const auto refuse = [&](Status status, Reasons reasons) noexcept -> const Residual& {
    residual_.status = status;
    residual_.reasons = reasons;
    residual_.kind = ResidualKind::static_gravity;
    residual_.moving = true;
    residual_.saturated = 0;
    set_nan(residual_.value, residual_.variance, residual_.lag, residual_.lag_variance, residual_.covariance);
    tare_.bad_sample();
    return residual_;
  };
  residual_.instant = now;
  const Eigen::Index motors = model_.motor_count();
  if (now.status() != Status::ok) return refuse(now.status(), Reason::invalid_input);
  if (now.motor_count() != motors) return refuse(Status::wrong_size, Reason::invalid_input);
  if (now.motion_status() != Status::ok) return refuse(now.motion_status(), Reason::invalid_input);
  const Observation& observation = now.observation();
  const double time = std::isfinite(observation.time) ? observation.time : kNaN;
  residual_.reasons = Reasons();
  const double dt = detail::time_step(options_, time, last_time_, [this] { reset(); }, residual_.reasons);
  if (dt <= 0) return refuse(Status::time_back, Reason::invalid_input | Reason::time_back);
  residual_.status = Status::ok;
  counts_ = noise_ && noise_->model().simulated == observation.simulated;
  residual_.correlated = counts_;
  watch_rate(time);
  residual_.kind = choose(observation);
  watch_motion(observation, dt);
  watch_envelope(observation);

  residual_.lag.setZero();
  residual_.lag_variance.setZero();
  Status status = Status::ok;
  bool settled = true;
  if (residual_.kind != ResidualKind::static_gravity) {
    status = compute_dynamic(now, dt);
    const double constant = residual_.kind == ResidualKind::momentum_observer ? 1.0 / options_.observer_rate
                            : options_.cut_off > 0 ? std::numbers::sqrt2 / (kTwoPi * options_.cut_off)
                                                   : 0.0;
    settled = since_reset_ >= kSettlingConstants * constant;
  } else {
    since_reset_ = 0.0;
    has_velocity_ = false;
    for (Eigen::Index m = 0; m < motors; ++m) {
      residual_.value[m] =
          now.static_residual()[m] - friction(static_cast<std::size_t>(m), speed_[m]) - limit_offset(now, m);
    }
    if (counts_) {
      full_v_.setZero();
      full_a_.setZero();
      for (Eigen::Index m = 0; m < motors; ++m) full_v_[model_.motor_rows()[m]] = speed_[m];
      status = see_motion(-(now.base_rotation().transpose() * model_.gravity()), true, kNaN);
      if (status == Status::ok) status = evaluate_noise(now);
      take_mean_out();
    }
    dynamic_part_.setZero();
    if (residual_.moving && !residual_.reasons.has(Reason::motion_unknown)) residual_.reasons.add(Reason::motion);
  }
  if (status != Status::ok) return refuse(status, Reason::invalid_input);
  if (!settled) residual_.reasons.add(Reason::settling);
  counts_ ? fill_covariance(now) : fill_variance(now);
  fill_tilt(now);
  learn_day(time);
  tare_.step(time, observation.q, speed_, residual_.value, residual_.variance);
  residual_.value -= tare_.offset();
  if (tare_.lost()) residual_.reasons.add(Reason::not_tared);
  last_time_ = time;
  last_q_ = observation.q;
  has_rates_ = std::isfinite(observation.time);
  return residual_;
}

Status ResidualEstimator::compute_dynamic(const Instant& now, double dt) noexcept {
  const Observation& observation = now.observation();
  const PositionTerms& terms = now.base_terms();
  const std::vector<int>& rows = model_.motor_rows();
  const bool floating = model_.base() == Base::free_flyer;
  const bool first = !has_velocity_ || !std::isfinite(dt);
  full_v_.setZero();
  full_a_.setZero();
  for (std::size_t m = 0; m < rows.size(); ++m) {
    const auto at = static_cast<Eigen::Index>(m);
    full_v_[rows[m]] = observation.v[at];
    full_a_[rows[m]] = observation.a.size() > 0 ? observation.a[at]
                       : first                  ? 0.0
                                                : (observation.v[at] - last_v_[at]) / dt;
  }
  if (floating) {
    Pose X_base_imu;
    if (const Status status = terms.frame_pose(imu_frame_, X_base_imu); status != Status::ok) return status;
    if (const Status status = terms.frame_jacobian(imu_frame_, imu_jacobian_); status != Status::ok) return status;
    omega_.noalias() = X_base_imu.rotation * observation.imu_angular_velocity;
    // The sensor turns with its link: take out what the joints between base and sensor add.
    for (const int row : rows) omega_ -= imu_jacobian_.col(row).tail<3>() * full_v_[row];
    full_v_.segment<3>(3) = omega_;
    if (!first) full_a_.segment<3>(3) = (omega_ - last_omega_) / dt;
  }
  Vector3 base_specific_force = Vector3::Zero();
  const Status status = floating ? terms.inverse_dynamics(full_v_, full_a_, imu_frame_, observation.imu_specific_force,
                                                          full_tau_static_, &base_specific_force)
                                 : terms.inverse_dynamics(full_v_, full_a_, full_tau_static_);
  if (status != Status::ok) return status;
  for (std::size_t m = 0; m < rows.size(); ++m) {
    const auto at = static_cast<Eigen::Index>(m);
    raw_dynamic_part_[at] = full_tau_static_[rows[m]] - now.gravity_torque()[at];
    drive_[at] = now.torque()[at] - friction(m, full_v_[rows[m]]) - limit_offset(now, at);
    raw_[at] = drive_[at] - full_tau_static_[rows[m]];
  }
  if (counts_) {
    if (const Status s = see_motion(base_specific_force, first, dt); s != Status::ok) return s;
    if (const Status s = evaluate_noise(now); s != Status::ok) return s;
  }
  since_reset_ = first ? 0.0 : since_reset_ + dt;
  last_v_ = observation.v;
  last_omega_ = omega_;
  has_velocity_ = true;
  if (residual_.kind == ResidualKind::inverse_dynamics) {
    if (options_.cut_off == 0) {
      residual_.value = raw_;
      take_mean_out();
      dynamic_part_ = raw_dynamic_part_;
      return Status::ok;
    }
    // The first sample knows no acceleration: what it yields is static, and named so by `settling`.
    const Status filtered = advance(low_pass_, raw_, first, dt);
    residual_.value = low_pass_.value();
    see_lag(first, dt);
    take_mean_out();
    if (filtered != Status::ok) return filtered;
    // An error of the inertial torque reaches the estimate through the same filter.
    const Status doubt = advance(dynamic_low_pass_, raw_dynamic_part_, first, dt);
    dynamic_part_ = dynamic_low_pass_.value();
    return doubt;
  }
  return observe_momentum(now, floating ? Vector3(-base_specific_force) : model_.gravity(), first, dt);
}

/// What the low pass holds back, and how much of that is noise. Noise of velocities, differenced, is as large at 200 Hz
/// as at 20, where no force changes by hand or by walking: second differences have it and little else.
void ResidualEstimator::see_lag(bool first, double dt) noexcept {
  constexpr double kMemory = 0.5;              // [s]
  constexpr double kOfSecondDifference = 6.0;  // 1 + 4 + 1
  residual_.lag = low_pass_.rate() * (std::numbers::sqrt2 / (kTwoPi * options_.cut_off));
  if (first) {
    lags_ = 0;
    lag_step_.setZero();
    lag_noise_.setZero();
  } else {
    ++lags_;
    const double weight = std::max(1.0 / std::max(lags_ - 1, 1), -std::expm1(-dt / kMemory));
    for (Eigen::Index m = 0; m < lag_step_.size(); ++m) {
      const double step = residual_.lag[m] - lag_before_[m], change = step - lag_step_[m];
      lag_step_[m] = step;
      if (lags_ > 1) lag_noise_[m] += weight * (change * change / kOfSecondDifference - lag_noise_[m]);
    }
  }
  lag_before_ = residual_.lag;
  residual_.lag_variance = lag_noise_;
}

/// Momentum of the motors' rows in the frame that moves with the base's origin, where gravity is \p gravity.
Status ResidualEstimator::observe_momentum(const Instant& now, const Vector3& gravity, bool first, double dt) noexcept {
  const PositionTerms& terms = now.base_terms();
  const std::vector<int>& rows = model_.motor_rows();
  // M v by the same recursion as τ.
  full_a_.setZero();
  if (const Status s = terms.inverse_dynamics(full_a_, full_v_, full_tau_); s != Status::ok) return s;
  if (const Status s = terms.gravity_torque(model_.gravity(), full_tau_static_); s != Status::ok) return s;
  full_tau_ -= full_tau_static_;
  if (const Status s = terms.gravity_torque(gravity, full_tau_static_); s != Status::ok) return s;
  if (const Status s = momentum_dynamics_->coriolis_matrix(now.base_q(), full_v_, coriolis_); s != Status::ok) return s;
  for (std::size_t m = 0; m < rows.size(); ++m) {
    const auto at = static_cast<Eigen::Index>(m);
    const double momentum = full_tau_[rows[m]];
    drive_[at] += coriolis_.col(rows[m]).dot(full_v_) - full_tau_static_[rows[m]];
    // ṙ = λ (u − ṗ − r). The mean of ṗ over the step is exactly Δp/Δt, so inertia passes with weight 1 at any rate. To
    // hold p over the step instead would leave 1 − x/(eˣ − 1) of the inertial torque in r, x = λ Δt.
    if (!first) drive_[at] -= (momentum - momentum_[at]) / dt;
    momentum_[at] = momentum;
  }
  // It begins with what the static residual says rather than with "nothing touches the robot".
  const Status filtered = advance(observer_, first ? raw_ : drive_, first, dt);
  residual_.value = observer_.value();
  take_mean_out();
  if (filtered != Status::ok) return filtered;
  const Status doubt = advance(dynamic_observer_, raw_dynamic_part_, first, dt);
  dynamic_part_ = dynamic_observer_.value();
  return doubt;
}

/// full_v_ and full_a_ as the noise sees them: through the residual's low pass. The noise was identified from filtered
/// motion, and its mean must be as late as the residual that it is taken from.
/// \param specific_force  of a floating base's origin, in its axes
Status ResidualEstimator::see_motion(const Vector3& specific_force, bool first, double dt) noexcept {
  const Eigen::Index nv = model_.nv();
  motion_.head(nv) = full_v_;
  motion_.tail(nv) = full_a_;
  // The regressor feels a − g only, and base axes are the world of base_q.
  if (model_.base() == Base::free_flyer) motion_.segment<3>(nv) = specific_force + model_.gravity();
  Status status = Status::ok;
  if (residual_.kind == ResidualKind::momentum_observer) {
    status = advance(motion_observer_, motion_, first, dt);
    motion_ = motion_observer_.value();
  } else if (residual_.kind == ResidualKind::inverse_dynamics && options_.cut_off > 0) {
    status = advance(motion_low_pass_, motion_, first, dt);
    motion_ = motion_low_pass_.value();
  }
  return status;
}

/// What a held pose showed of static residuals is no mean of dynamic ones: there it is in doubt (fill_covariance).
bool ResidualEstimator::mean_counts() const noexcept {
  return noise_->model().origin != NoiseOrigin::held_pose || residual_.kind == ResidualKind::static_gravity;
}

void ResidualEstimator::take_mean_out() noexcept {
  if (counts_ && mean_counts()) residual_.value -= noise_->mean();
}

Status ResidualEstimator::evaluate_noise(const Instant& now) noexcept {
  const bool dynamic = residual_.kind != ResidualKind::static_gravity;
  const bool held = noise_->model().origin == NoiseOrigin::held_pose;
  // What a dynamic residual holds of the motion is not what a static one was seen to hold.
  const double share = held && dynamic ? 0.0 : motion_share_;
  const Eigen::Index nv = model_.nv();
  // Masses and friction are in doubt at the pace of the motion, not of the samples.
  const double time = now.observation().time, age = time - covariance_time_;
  if (age >= 0.0 && age < options_.covariance_period) {
    return noise_->evaluate_mean(now.base_terms(), motion_.head(nv), motion_.tail(nv), share);
  }
  covariance_time_ = time;
  return noise_->evaluate(now.base_terms(), motion_.head(nv), motion_.tail(nv), share);
}

void ResidualEstimator::drop_day() noexcept {
  if (!day_) return;
  day_->drop();
  noise_->set_day(day_->day());
}

/// From the present residual, for those that follow.
void ResidualEstimator::learn_day(double time) noexcept {
  if (!day_ || !counts_) return;
  if (!mean_counts()) return;
  if (residual_.reasons.has(Reason::settling) || residual_.reasons.has(Reason::motion_unknown)) return;
  const std::vector<int>& rows = model_.motor_rows();
  for (std::size_t m = 0; m < rows.size(); ++m) day_speed_[static_cast<Eigen::Index>(m)] = motion_[rows[m]];
  if (day_->step(time, residual_.value, day_speed_, residual_.covariance)) noise_->set_day(day_->day());
  if (day_->state() == DayState::refused) residual_.reasons.add(Reason::not_tared);
}

bool ResidualEstimator::saturated(const Instant& now, Eigen::Index motor) const noexcept {
  return detail::is_saturated(options_, torque_limit_[motor], noise_ ? &noise_->model() : nullptr, identified(motor),
                              now.torque()[motor], motor);
}

bool ResidualEstimator::at_identified_limit(const Instant& now, Eigen::Index motor) const noexcept {
  return detail::is_at_identified_limit(noise_ ? &noise_->model() : nullptr, identified(motor), now.torque()[motor],
                                        motor);
}

double ResidualEstimator::limit_offset(const Instant& now, Eigen::Index motor) const noexcept {
  return detail::limit_offset(noise_ ? &noise_->model() : nullptr, identified(motor), now.torque()[motor], motor);
}

void ResidualEstimator::fill_covariance(const Instant& now) noexcept {
  MatrixX& R = residual_.covariance;
  R = noise_->covariance();
  residual_.saturated = 0;
  const bool dynamic = residual_.kind != ResidualKind::static_gravity && !residual_.reasons.has(Reason::settling);
  const bool held = noise_->model().origin == NoiseOrigin::held_pose;
  const bool unknown_motion = !dynamic && residual_.moving && noise_->model().motion_sd.size() == 0;
  const double clock = std::isfinite(now.observation().time) ? now.observation().time : 0.0;
  for (Eigen::Index m = 0; m < R.rows(); ++m) {
    if (saturated(now, m)) {
      R.row(m).setZero();
      R.col(m).setZero();
      R(m, m) = kInfinity;
      ++residual_.saturated;
      continue;
    }
    if (at_identified_limit(now, m)) {
      R(m, m) += noise_->model().limit_sd[m] * noise_->model().limit_sd[m];
      residual_.reasons.add(Reason::saturated);
    }
    if (!identified(m)) {
      R(m, m) = assumed_variance(now, m, dynamic);  // what stands beside it is zero already
    } else if (held) {
      // Its own friction and inertia, which a held pose shows little of.
      if (dynamic) R(m, m) += std::pow(options_.dynamic_share * dynamic_part_[m], 2);
      if (!mean_counts()) R(m, m) += noise_->mean()[m] * noise_->mean()[m];
      if (clock < outside_until_[m]) R(m, m) = std::max(R(m, m), assumed_variance(now, m, dynamic));
    } else if (unknown_motion) {
      R(m, m) = std::max(R(m, m), detail::moving_variance(figures_[m]));
    }
  }
  residual_.variance = R.diagonal();
  if (residual_.saturated > 0) residual_.reasons.add(Reason::saturated);
}

void ResidualEstimator::fill_variance(const Instant& now) noexcept {
  residual_.saturated = 0;
  const bool dynamic = residual_.kind != ResidualKind::static_gravity && !residual_.reasons.has(Reason::settling);
  for (Eigen::Index m = 0; m < residual_.variance.size(); ++m) {
    if (saturated(now, m)) {
      residual_.variance[m] = kInfinity;
      ++residual_.saturated;
      continue;
    }
    residual_.variance[m] = assumed_variance(now, m, dynamic);
  }
  if (residual_.saturated > 0) residual_.reasons.add(Reason::saturated);
}

/// Of one row by the profile's figures [N²·m²].
double ResidualEstimator::assumed_variance(const Instant& now, Eigen::Index m, bool dynamic) const noexcept {
  const JointFigures& f = figures_[m];
  const double variance =
      detail::still_variance(f, friction_use_, options_, speed_[m]) + detail::gain_variance(options_, now.torque()[m]);
  if (dynamic) {
    const double inertial = options_.dynamic_share * dynamic_part_[m];
    return variance + inertial * inertial;
  }
  return residual_.moving ? std::max(variance, detail::moving_variance(f)) : variance;
}

void ResidualEstimator::fill_tilt(const Instant& now) noexcept {
  const bool needed = residual_.kind == ResidualKind::static_gravity || residual_.reasons.has(Reason::settling);
  residual_.tilted = needed && options_.tilt_sd > 0 && model_.base() == Base::free_flyer && !now.used_imu();
  residual_.tilt.setZero();
  if (!residual_.tilted) return;
  const std::vector<int>& rows = model_.motor_rows();
  for (int axis = 0; axis < 2; ++axis) {
    if (tilt_torque(now, model_.gravity(), axis, full_tau_static_) != Status::ok) continue;
    for (std::size_t m = 0; m < rows.size(); ++m) {
      residual_.tilt(static_cast<Eigen::Index>(m), axis) = options_.tilt_sd * full_tau_static_[rows[m]];
    }
  }
}

double minimum_rate(const RobotProfile& profile, const ResidualOptions& options) {
  if (!profile.noise || options.noise != NoiseUse::identified || !(profile.noise->rate > 0.0)) {
    return options.minimum_rate;
  }
  return std::min(options.minimum_rate, profile.noise->rate);
}

const OptionTable& options_of(const ResidualOptions&) {
  using O = ResidualOptions;
  static const OptionTable table(
      "residual",
      {
          option("kind", "", "automatic, static, inverse_dynamics or momentum_observer",
                 "docs/validation.md#residuals: a static residual cannot be calibrated in motion", &O::kind),
          option("noise", "", "identified or assumed: which noise of the profile is used",
                 "docs/concepts/estimator.md: assumed for simulations, which have none of the robot's errors",
                 &O::noise),
          option("minimum_rate", "Hz", "samples per second, on average, below which accelerations are not differenced",
                 "docs/validation.md#rates: at 50 Hz causal derivatives give coverage 0.5; 200 to 500 Hz "
                 "are needed",
                 &O::minimum_rate, kPositive),
          option("cut_off", "Hz", "of the one causal low pass that every signal of the dynamic residual goes through",
                 "docs/validation.md#rates: 10 to 20 Hz", &O::cut_off),
          option("observer_rate", "1/s", "bandwidth of the momentum observer",
                 "docs/validation.md#rates: its value, not tuned", &O::observer_rate, kPositive),
          option("maximum_gap", "s", "time between samples after which filters start again", "five samples at 50 Hz",
                 &O::maximum_gap, kPositive),
          option("motion_speed", "rad/s", "speed of any motor, or of the gyro, above which the robot counts as moving",
                 "3 degrees a second; RE1's legs move at 0.1 rad/s rms", &O::motion_speed),
          option("motion_hold", "s",
                 "how long it counts as moving afterwards: where speed reverses, acceleration peaks",
                 "half a period of balancing", &O::motion_hold),
          option("coulomb_share", "1", "sd of dry friction as a share of its bound",
                 "docs/validation.md#noise: coverage 0.93 to 1.00 in 95 % intervals", &O::coulomb_share),
          option("torque_share", "1", "sd of the torque channel's gain, as a share of the torque",
                 "docs/validation.md#noise", &O::torque_share),
          option("dynamic_share", "1", "sd of the inertial torque, as a share of it",
                 "docs/validation.md#noise: calibrated together with coulomb_share", &O::dynamic_share),
          option("tilt_sd", "rad", "sd of each tilt of a floating base without a measured orientation",
                 "our choice: 2 degrees, a robot that stands", &O::tilt_sd),
          option("covariance_period", "s",
                 "after which an identified noise's covariance is computed again; 0: at every sample",
                 "one sample at 50 Hz: at 2 rad/s an arm turns by 0.04 rad meanwhile", &O::covariance_period),
          option("saturation_share", "1", "share of the torque limit at which a sample is not used as evidence",
                 "2 % below the limit: a clamped torque reads its limit exactly, a regulated one just below",
                 &O::saturation_share, kPositive),
          part(&O::envelope),
          part(&O::tare),
          part(&O::day),
      });
  return table;
}
const OptionGroup kResidualOptions(ResidualOptions{});

}  // namespace antaeus
