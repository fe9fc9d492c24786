#include "antaeus/robot/torque_limits.hpp"

#include <algorithm>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"

namespace antaeus {

namespace {

VectorX effort_of(const RobotModel& model, double share) {
  if (model.motor_count() != model.nv()) {
    throw ModelError(model.description().name, "a joint has no motor", "lock it in the model");
  }
  VectorX limit(model.nv());
  for (int motor = 0; motor < model.motor_count(); ++motor) {
    limit[model.motor_rows()[static_cast<std::size_t>(motor)]] = share * model.effort_limits()[motor];
  }
  return limit;
}

VectorX rates_of(const RobotModel& model, const TorqueLimitOptions& options) {
  check_options(options);
  return VectorX::Constant(model.nv(), options.torque_rate > 0.0 ? options.torque_rate : kInfinity);
}

}  // namespace

const OptionTable& options_of(const TorqueLimitOptions&) {
  using O = TorqueLimitOptions;
  static const OptionTable table(
      "", {
              option("torque_share", "1", "of each motor's effort limit that may be used", "the model's limits",
                     &O::torque_share, Range{1e-3, 1.0}),
              option("torque_rate", "N·m/s", "largest change of each torque; 0: any",
                     "an ideal motor; libfranka takes 1000", &O::torque_rate),
              option("torque_cycle", "s", "of the control loop", "1 kHz", &O::torque_cycle, kPositive),
          });
  return table;
}

TorqueLimits::TorqueLimits(const RobotModel& model, const TorqueLimitOptions& options)
    : TorqueLimits(effort_of(model, options.torque_share), rates_of(model, options), options.torque_cycle) {}

TorqueLimits::TorqueLimits(const VectorX& torque, const VectorX& rate, double cycle)
    : limit_(torque), step_(rate * cycle), last_(VectorX::Zero(torque.size())) {
  if (rate.size() != torque.size()) {
    throw OptionsError("torque limits", "as many rates as torques are needed", "give one of each for every motor");
  }
  if (!(cycle > 0.0) || !(torque.array() >= 0.0).all() || !(rate.array() >= 0.0).all()) {
    throw OptionsError("torque limits", "a limit is negative or NaN, or the cycle is not above zero",
                       "give infinity where there is no limit");
  }
  for (VectorX* const vector : {&result_.tau, &result_.clipped, &result_.slowed}) {
    vector->setConstant(torque.size(), kNaN);
  }
}

const LimitedTorque& TorqueLimits::fail(Status why) noexcept {
  result_.status = why;
  for (VectorX* const vector : {&result_.tau, &result_.clipped, &result_.slowed}) vector->setConstant(kNaN);
  result_.is_limited = false;
  return result_;
}

const LimitedTorque& TorqueLimits::apply(ConstVectorRef wanted) noexcept {
  if (wanted.size() != limit_.size()) return fail(Status::wrong_size);
  if (!wanted.allFinite()) return fail(Status::not_finite);
  result_.is_limited = false;
  for (Eigen::Index i = 0; i < wanted.size(); ++i) {
    const double clipped = std::clamp(wanted[i], -limit_[i], limit_[i]);
    const double given = has_last_ ? std::clamp(clipped, last_[i] - step_[i], last_[i] + step_[i]) : clipped;
    result_.tau[i] = given;
    result_.clipped[i] = wanted[i] - clipped;
    result_.slowed[i] = clipped - given;
    if (given != wanted[i]) result_.is_limited = true;
  }
  last_ = result_.tau;
  has_last_ = true;
  result_.status = Status::ok;
  return result_;
}

void TorqueLimits::reset() noexcept {
  has_last_ = false;
  fail(Status::not_computed);
}

Status TorqueLimits::reset(ConstVectorRef tau) noexcept {
  reset();
  if (tau.size() != limit_.size()) return Status::wrong_size;
  if (!tau.allFinite()) return Status::not_finite;
  last_ = tau.cwiseMax(-limit_).cwiseMin(limit_);
  has_last_ = true;
  return Status::ok;
}

}  // namespace antaeus
