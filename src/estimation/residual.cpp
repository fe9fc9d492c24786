#include "antaeus/estimation/residual.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"

namespace antaeus {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Share of dry friction that stays in doubt where it was identified and taken out.
constexpr double kIdentifiedDoubt = 0.2;
/// Clocks jitter: a sample that is 5 % late is not a lower rate.
constexpr double kRateSlack = 1.05;
/// Time constants after which a filter has forgotten how it began (5 %).
constexpr double kSettlingConstants = 3.0;
constexpr double kTwoPi = 6.283185307179586;

double checked(double value, const char* name) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw OptionsError(std::string("residual.") + name, "must be more than zero", "give a positive number");
  }
  return value;
}

}  // namespace

ResidualEstimator::ResidualEstimator(const Robot& robot, ResidualOptions options)
    : options_(options),
      model_(robot.model),
      figures_(robot.profile.figures),
      friction_use_(robot.profile.friction),
      // A cut-off of zero means no filter; the object is there all the same.
      low_pass_(robot.model.motor_count(), options.cut_off > 0 ? options.cut_off : 1.0),
      observer_(robot.model.motor_count(), checked(options.observer_rate, "observer_rate")) {
  checked(options.minimum_rate, "minimum_rate");
  checked(options.maximum_gap, "maximum_gap");
  checked(options.saturation_share, "saturation_share");
  if (!robot.profile.imu.frame.empty()) imu_frame_ = model_.frame(robot.profile.imu.frame);
  const Eigen::Index motors = model_.motor_count(), nv = model_.nv();
  torque_limit_ = model_.effort_limits();
  for (Eigen::Index m = 0; m < motors; ++m) {
    torque_limit_[m] = std::min(torque_limit_[m], figures_[static_cast<std::size_t>(m)].torque_limit);
    // A URDF that gives no effort writes 0.
    if (!(torque_limit_[m] > 0)) torque_limit_[m] = kInfinity;
  }
  residual_.value.setConstant(motors, kNaN);
  residual_.variance.setConstant(motors, kNaN);
  for (VectorX* vector : {&last_q_, &last_v_, &speed_, &raw_, &dynamic_part_, &momentum_, &drive_}) {
    vector->setZero(motors);
  }
  for (VectorX* vector : {&full_v_, &full_a_, &full_tau_, &full_tau_felt_}) vector->setZero(nv);
  imu_jacobian_.setZero(6, nv);
  coriolis_.setZero(options.kind == ResidualChoice::momentum_observer ? nv : 0,
                    options.kind == ResidualChoice::momentum_observer ? nv : 0);
  reset();
}

void ResidualEstimator::reset() noexcept {
  last_time_ = kNaN;
  moving_until_ = -kInfinity;
  since_reset_ = 0.0;
  has_velocity_ = has_rates_ = false;
  omega_.setZero();
  last_omega_.setZero();
}

double ResidualEstimator::friction(std::size_t motor, double speed) const noexcept {
  const JointFigures& f = figures_[motor];
  double torque = f.viscous * speed + f.friction_offset;
  if (friction_use_ == FrictionUse::identified) {
    const double relative = speed / f.stribeck_speed;
    torque += (f.coulomb + f.stribeck * std::exp(-relative * relative)) * std::tanh(relative);
  }
  return torque;
}

ResidualKind ResidualEstimator::choose(const Observation& observation, double dt) noexcept {
  if (options_.kind == ResidualChoice::static_gravity) return ResidualKind::static_gravity;
  const bool floating = model_.base() == Base::free_flyer;
  const bool asked = options_.kind != ResidualChoice::automatic;
  const bool channels = observation.v.size() > 0 && std::isfinite(observation.time) &&
                        (!floating || (observation.has_gyro && observation.has_accelerometer && imu_frame_.index >= 0));
  if (!channels) {
    if (asked) residual_.reasons |= kReasonMissingChannels;
    return ResidualKind::static_gravity;
  }
  if (options_.kind == ResidualChoice::momentum_observer) return ResidualKind::momentum_observer;
  // Accelerations that somebody measured or smoothed offline have no minimal rate.
  const bool slow = observation.a.size() == 0 && std::isfinite(dt) && dt * options_.minimum_rate > kRateSlack;
  if (slow) {
    if (asked) residual_.reasons |= kReasonLowRate;
    return ResidualKind::static_gravity;
  }
  return ResidualKind::inverse_dynamics;
}

void ResidualEstimator::watch_motion(const Observation& observation, double dt) noexcept {
  const bool measured = observation.v.size() > 0;
  const bool differenced = !measured && std::isfinite(dt) && dt > 0 && has_rates_;
  if (!measured && !differenced) {
    speed_.setZero();
    residual_.moving = true;
    residual_.reasons |= kReasonMotionUnknown;
    return;
  }
  if (measured) {
    speed_ = observation.v;
  } else {
    speed_ = (observation.q - last_q_) / dt;
  }
  const double clock = std::isfinite(observation.time) ? observation.time : 0.0;
  double fastest = speed_.cwiseAbs().maxCoeff();
  // A base that turns under still joints is motion too.
  if (observation.has_gyro) fastest = std::max(fastest, observation.imu_angular_velocity.norm());
  if (fastest > options_.motion_speed) moving_until_ = clock + options_.motion_hold;
  residual_.moving = clock < moving_until_;
}

const Residual& ResidualEstimator::update(ContactEquation& equation, const Observation& observation) noexcept {
  const auto refuse = [&](Status status, std::uint32_t reasons) noexcept -> const Residual& {
    residual_.status = status;
    residual_.reasons = reasons;
    residual_.kind = ResidualKind::static_gravity;
    residual_.moving = true;
    residual_.saturated = 0;
    residual_.value.setConstant(kNaN);
    residual_.variance.setConstant(kNaN);
    return residual_;
  };
  const Eigen::Index motors = model_.motor_count();
  if (equation.status() != Status::ok) return refuse(equation.status(), kReasonInvalidInput);
  for (const VectorX* optional : {&observation.v, &observation.a}) {
    if (optional->size() == 0) continue;
    if (optional->size() != motors) return refuse(Status::wrong_size, kReasonInvalidInput);
    if (!optional->allFinite()) return refuse(Status::not_finite, kReasonInvalidInput);
  }
  if ((observation.has_gyro && !observation.imu_angular_velocity.allFinite()) ||
      (observation.has_accelerometer && !observation.imu_specific_force.allFinite())) {
    return refuse(Status::not_finite, kReasonInvalidInput);
  }
  residual_.reasons = 0;
  double dt = observation.time - last_time_;  // NaN without a clock, and for the first sample
  if (dt <= 0) {
    // A clock that was set back is a new clock; a repeated stamp is the old one.
    if (dt < 0) {
      reset();
      last_time_ = observation.time;
    }
    return refuse(Status::time_back, kReasonInvalidInput | kReasonTimeBack);
  }
  if (dt > options_.maximum_gap) {
    reset();
    residual_.reasons |= kReasonGap;
    dt = kNaN;
  }
  residual_.status = Status::ok;
  residual_.kind = choose(observation, dt);
  watch_motion(observation, dt);

  Status status = Status::ok;
  bool settled = true;
  if (residual_.kind != ResidualKind::static_gravity) {
    status = compute_dynamic(equation, observation, dt);
    const double constant = residual_.kind == ResidualKind::momentum_observer ? 1.0 / options_.observer_rate
                            : options_.cut_off > 0 ? std::sqrt(2.0) / (kTwoPi * options_.cut_off)
                                                   : 0.0;
    settled = since_reset_ >= kSettlingConstants * constant;
  } else {
    since_reset_ = 0.0;
    has_velocity_ = false;
    for (Eigen::Index m = 0; m < motors; ++m) {
      residual_.value[m] = equation.residual()[m] - friction(static_cast<std::size_t>(m), speed_[m]);
    }
    dynamic_part_.setZero();
    if (residual_.moving && !(residual_.reasons & kReasonMotionUnknown)) residual_.reasons |= kReasonMotion;
  }
  if (status != Status::ok) return refuse(status, kReasonInvalidInput);
  if (!settled) residual_.reasons |= kReasonSettling;
  fill_variance(equation);
  last_time_ = observation.time;
  last_q_ = observation.q;
  has_rates_ = std::isfinite(observation.time);
  return residual_;
}

Status ResidualEstimator::compute_dynamic(ContactEquation& equation, const Observation& observation,
                                          double dt) noexcept {
  const PositionTerms& terms = equation.base_terms();
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
  Vector3 base_felt = Vector3::Zero();
  const Status status = floating ? terms.inverse_dynamics(full_v_, full_a_, imu_frame_, observation.imu_specific_force,
                                                          full_tau_felt_, &base_felt)
                                 : terms.inverse_dynamics(full_v_, full_a_, full_tau_felt_);
  if (status != Status::ok) return status;
  for (std::size_t m = 0; m < rows.size(); ++m) {
    const auto at = static_cast<Eigen::Index>(m);
    dynamic_part_[at] = full_tau_felt_[rows[m]] - equation.gravity_torque()[at];
    drive_[at] = equation.torque()[at] - friction(m, full_v_[rows[m]]);
    raw_[at] = drive_[at] - full_tau_felt_[rows[m]];
  }
  since_reset_ = first ? 0.0 : since_reset_ + dt;
  last_v_ = observation.v;
  last_omega_ = omega_;
  has_velocity_ = true;
  if (residual_.kind == ResidualKind::inverse_dynamics) {
    if (options_.cut_off == 0) {
      residual_.value = raw_;
      return Status::ok;
    }
    // The first sample knows no acceleration: what it yields is static, and named so by `settling`.
    const Status filtered = first ? low_pass_.reset(raw_) : low_pass_.step(raw_, dt);
    residual_.value = low_pass_.value();
    return filtered;
  }
  // Momentum of the motors' rows in the frame that moves with the base's origin; M v by the same recursion as τ.
  const Vector3 gravity = floating ? Vector3(-base_felt) : model_.gravity();
  full_a_.setZero();
  if (const Status s = terms.inverse_dynamics(full_a_, full_v_, full_tau_); s != Status::ok) return s;
  if (const Status s = terms.gravity_torque(model_.gravity(), full_tau_felt_); s != Status::ok) return s;
  full_tau_ -= full_tau_felt_;
  if (const Status s = terms.gravity_torque(gravity, full_tau_felt_); s != Status::ok) return s;
  // Last of all: it overwrites what the terms hold.
  if (const Status s = equation.dynamics().coriolis_matrix(equation.base_q(), full_v_, coriolis_); s != Status::ok) {
    return s;
  }
  for (std::size_t m = 0; m < rows.size(); ++m) {
    const auto at = static_cast<Eigen::Index>(m);
    momentum_[at] = options_.observer_rate * full_tau_[rows[m]];
    drive_[at] += coriolis_.col(rows[m]).dot(full_v_) - full_tau_felt_[rows[m]];
  }
  Status filtered = Status::ok;
  if (first) {
    // It begins with what the static residual says rather than with "nothing touches the robot".
    drive_ = momentum_ + raw_;
    filtered = observer_.reset(drive_);
  } else {
    drive_ += momentum_;
    filtered = observer_.step(drive_, dt);
  }
  residual_.value = observer_.value() - momentum_;
  return filtered;
}

void ResidualEstimator::fill_variance(const ContactEquation& equation) noexcept {
  residual_.saturated = 0;
  const bool dynamic = residual_.kind != ResidualKind::static_gravity && !(residual_.reasons & kReasonSettling);
  for (Eigen::Index m = 0; m < residual_.variance.size(); ++m) {
    const JointFigures& f = figures_[static_cast<std::size_t>(m)];
    const double torque = equation.torque()[m];
    if (std::abs(torque) >= options_.saturation_share * torque_limit_[m]) {
      residual_.variance[m] = kInfinity;
      ++residual_.saturated;
      continue;
    }
    const double dry = f.coulomb + f.stribeck;
    double friction_sd = options_.coulomb_share * dry;
    if (friction_use_ == FrictionUse::identified) {
      const double relative = speed_[m] / f.stribeck_speed;
      friction_sd = std::max(kIdentifiedDoubt * dry, friction_sd * std::exp(-relative * relative));
    }
    const double channel = options_.torque_share * torque;
    double variance = f.torque_sd * f.torque_sd + friction_sd * friction_sd + channel * channel;
    if (dynamic) {
      const double inertial = options_.dynamic_share * dynamic_part_[m];
      variance += inertial * inertial;
    } else if (residual_.moving) {
      variance = std::max(variance, f.static_sd * f.static_sd);
    }
    residual_.variance[m] = variance;
  }
  if (residual_.saturated > 0) residual_.reasons |= kReasonSaturated;
}

}  // namespace antaeus
