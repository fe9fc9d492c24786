#include "antaeus/estimation/pose_quality.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "antaeus/conditioning/gains.hpp"
#include "antaeus/core/error.hpp"

namespace antaeus {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Row of a wrench by its name; the profile's reader has checked it.
int wrench_row(const std::string& name) {
  const auto* found = std::find(std::begin(kWrenchRowNames), std::end(kWrenchRowNames), name);
  return found == std::end(kWrenchRowNames) ? kFz : static_cast<int>(found - kWrenchRowNames);
}

/// No sample before this one, no IMU: whatever else the profile prefers for logs would only find channels missing.
ResidualOptions static_only(ResidualOptions options) {
  options.kind = ResidualChoice::static_gravity;
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
    : PoseQuality(robot, endpoints, options, profile_options<ResidualOptions>(robot.profile, "residual"),
                  profile_options<PosteriorOptions>(robot.profile, "posterior")) {}

PoseQuality::PoseQuality(const Robot& robot, const std::vector<std::string>& endpoints, PoseQualityOptions options,
                         ResidualOptions residual, PosteriorOptions posterior)
    : equation_(robot, endpoints, {.imu = ImuUse::none}),
      residual_(robot, static_only(residual)),
      posterior_(equation_, posterior),
      reliability_(equation_, posterior_),
      deployed_(equation_, {.characteristic_length = options.characteristic_length}),
      gain_row_(wrench_row(robot.profile.preflight.gain_row)) {
  const Eigen::Index motors = robot.model.motor_count();
  budget_.resize(motors);
  for (Eigen::Index m = 0; m < motors; ++m) {
    budget_[m] = options.budget_sd * robot.profile.figures[static_cast<std::size_t>(m)].static_sd;
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
    EndpointReliability& reliability = pose.reliability;
    reliability.status = status;
    reliability.redundancy.setConstant(kNaN);
    reliability.minimal_detectable_bias.setConstant(kNaN);
    reliability.external_force.setConstant(kNaN);
    reliability.total_redundancy = reliability.condition = reliability.sigma_min = kNaN;
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
  if (equation_.update(rest_) != Status::ok) {
    fail(equation_.status());
    return results_;
  }
  const RobotProfile& profile = equation_.profile();
  for (Eigen::Index m = 0; m < rest_.tau.size(); ++m) {
    const JointFigures& f = profile.figures[static_cast<std::size_t>(m)];
    rest_.tau[m] = equation_.gravity_torque()[m] / (profile.torque_sign * f.scale * f.gear) + f.torque_offset;
  }
  equation_.update(rest_);
  moving_.q = rest_.q;
  moving_.tau = rest_.tau;

  const int reference = equation_.reference_motor();
  const std::vector<WrenchEstimate>& deployed = deployed_.solve(equation_);
  for (std::size_t k = 0; k < results_.size(); ++k) {
    PoseConditioning& pose = results_[k];
    const WrenchEstimate& estimate = deployed[k];
    pose.status = estimate.status;
    pose.position = equation_.pose(static_cast<int>(k)).translation;
    pose.kappa = estimate.kappa;
    pose.kappa_scaled = estimate.kappa_scaled;
    pose.sigma_min = estimate.sigma_min;
    pose.manipulability = estimate.manipulability;
    pose.reference_gain = estimate.reference_gain;
    pose.reference_force_gain = reference < 0 ? kNaN : force_gain(estimate.gain, reference);
    pose.gain = estimate.gain;
    pose.phantom = worst_case_wrench(estimate.gain, budget_);
  }
  const Residual& residual = residual_.update(equation_, rest_);
  const std::vector<WrenchEstimate>& estimates = posterior_.solve(equation_, residual);
  const std::vector<EndpointReliability>& reliability = reliability_.solve(equation_, residual, estimates);
  for (std::size_t k = 0; k < results_.size(); ++k) {
    if (results_[k].status == Status::ok) results_[k].status = estimates[k].status;
    results_[k].rest = knowledge(estimates[k]);
    results_[k].reliability = reliability[k];
  }
  residual_.update(equation_, moving_);
  posterior_.solve(equation_, residual);
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

}  // namespace antaeus
