#include "antaeus/pose/pose_quality.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/conditioning/gains.hpp"
#include "antaeus/core/error.hpp"

namespace antaeus {

namespace {

/// Row of a wrench by its name; the profile's reader has checked it.
/// No sample before this one, no IMU: whatever else the profile prefers for logs would only find channels missing. A
/// pose that is asked for is upright.
ResidualOptions static_only(ResidualOptions options) {
  options.kind = ResidualChoice::static_gravity;
  options.tilt_sd = 0.0;
  return options;
}

ForceKnowledge knowledge(const WrenchEstimate& estimate) noexcept {
  const Uncertainty& u = estimate.uncertainty;
  return {u.covariance, u.covariance.diagonal().head<3>().cwiseSqrt(), u.force_sd, u.directions, u.observable};
}

}  // namespace

void ForceKnowledge::invalidate() noexcept {
  covariance.setConstant(kNaN);
  axis_sd.setConstant(kNaN);
  force_sd.setConstant(kNaN);
  directions.setConstant(kNaN);
  observable = 0;
}

PoseQuality::PoseQuality(const Robot& robot, const std::vector<std::string>& endpoints, PoseQualityOptions options)
    : PoseQuality(robot, endpoints, options, robot.settings(endpoints).get<ResidualOptions>(),
                  robot.settings(endpoints).get<PosteriorOptions>()) {}

PoseQuality::PoseQuality(const Robot& robot, const std::vector<std::string>& endpoints, PoseQualityOptions options,
                         ResidualOptions residual, PosteriorOptions posterior)
    : reader_(robot, endpoints, {.imu = ImuUse::none}),
      residual_(robot, static_only(residual)),
      posterior_(reader_, posterior),
      reliability_(reader_, posterior_),
      deployed_(reader_, {.characteristic_length = options.characteristic_length}),
      gain_row_(robot.profile.preflight.gain_row) {
  check_options(options);
  const Eigen::Index motors = robot.model.motor_count();
  budget_.resize(motors);
  for (Eigen::Index m = 0; m < motors; ++m) {
    budget_[m] = options.budget_sd * robot.profile.figures[m].static_sd;
  }
  for (Observation* observation : {&rest_, &moving_}) {
    observation->q.setZero(motors);
    observation->tau.setZero(motors);
  }
  rest_.v.setZero(motors);
  results_.resize(endpoints.size());
  for (std::size_t k = 0; k < endpoints.size(); ++k) {
    results_[k].endpoint = endpoints[k];
    results_[k].gain.resize(6, motors);
    results_[k].reliability = reliability_.results()[k];
  }
  fail(Status::not_computed);
}

void PoseQuality::fail(Status status) noexcept {
  for (PoseConditioning& pose : results_) {
    pose.status = status;
    pose.position.setConstant(kNaN);
    pose.kappa = pose.kappa_scaled = pose.sigma_min = pose.manipulability = pose.reference_force_gain = kNaN;
    pose.reference_gain.setConstant(kNaN);
    pose.gain.setConstant(kNaN);
    pose.phantom.setConstant(kNaN);
    pose.posterior_phantom.setConstant(kNaN);
    pose.rest.invalidate();
    pose.moving.invalidate();
    pose.reliability.invalidate(status);
  }
}

const std::vector<PoseConditioning>& PoseQuality::evaluate(ConstVectorRef q) noexcept {
  if (q.size() != rest_.q.size()) {
    fail(Status::wrong_size);
    return results_;
  }
  // Gravity first, for torques that balance it: the torque channel's own error grows with the torque.
  rest_.q = q;
  rest_.tau.setZero();
  if (const Status status = reader_.at(rest_).status(); status != Status::ok) {
    fail(status);
    return results_;
  }
  const RobotProfile& profile = reader_.profile();
  for (Eigen::Index m = 0; m < rest_.tau.size(); ++m) {
    const JointFigures& f = profile.figures[m];
    rest_.tau[m] = reader_.instant().gravity_torque()[m] / (profile.torque_sign * f.scale * f.gear) + f.torque_offset;
  }
  const Instant& at_rest = reader_.at(rest_);
  moving_.q = rest_.q;
  moving_.tau = rest_.tau;

  const int reference = reader_.reference_motor();
  const WrenchEstimates& deployed = deployed_.solve(at_rest);
  for (std::size_t k = 0; k < results_.size(); ++k) {
    PoseConditioning& pose = results_[k];
    const WrenchEstimate& estimate = deployed[k];
    pose.status = estimate.status;
    pose.position = at_rest.pose(static_cast<int>(k)).translation;
    pose.kappa = estimate.kappa;
    pose.kappa_scaled = estimate.kappa_scaled;
    pose.sigma_min = estimate.sigma_min;
    pose.manipulability = estimate.manipulability;
    pose.reference_gain = estimate.reference_gain;
    pose.reference_force_gain = reference < 0 ? kNaN : force_gain(estimate.gain, reference);
    pose.gain = estimate.gain;
    pose.phantom = worst_case_wrench(estimate.gain, budget_);
  }
  const PosteriorEstimates& estimates = posterior_.solve(residual_.form(at_rest));
  const std::vector<EndpointReliability>& reliability = reliability_.of(estimates);
  for (std::size_t k = 0; k < results_.size(); ++k) {
    if (results_[k].status == Status::ok) results_[k].status = estimates[k].status;
    results_[k].rest = knowledge(estimates[k]);
    results_[k].reliability = reliability[k];
  }
  posterior_.solve(residual_.form(reader_.at(moving_)));
  for (std::size_t k = 0; k < results_.size(); ++k) {
    results_[k].moving = knowledge(estimates[k]);
    results_[k].posterior_phantom = worst_case_wrench(estimates[k].gain, budget_);
  }
  return results_;
}

double PoseQuality::value(const PoseConditioning& pose, PoseQuantity quantity) const noexcept {
  switch (quantity) {
    case PoseQuantity::sd: return pose.rest.worst_sd();
    case PoseQuantity::sd_moving: return pose.moving.worst_sd();
    case PoseQuantity::gain: return std::abs(pose.reference_gain[gain_row_]);
    case PoseQuantity::force_gain: return pose.reference_force_gain;
    case PoseQuantity::kappa: return pose.kappa;
  }
  return kNaN;
}

const OptionTable& options_of(const PoseQualityOptions&) {
  using O = PoseQualityOptions;
  static const OptionTable table(
      "",
      {
          option("characteristic_length", "m", "divides the linear rows for a condition number without mixed units",
                 "Angeles 1992; about the lever of a hand", &O::characteristic_length),
          option("budget_sd", "1", "residual budget of the phantom force: each joint's static_sd (profile) times this",
                 "three sds: the H1-2's torso is allowed 6 N·m, RE3's torso reached 35", &O::budget_sd),
      });
  return table;
}

}  // namespace antaeus
