#include "antaeus/estimation/preflight.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/conditioning/gains.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/estimation/wrench_estimator.hpp"

namespace antaeus {

namespace {

int wrench_row(const std::string& name) {
  for (int row = 0; row < 6; ++row) {
    if (name == kWrenchRowNames[row]) return row;
  }
  return kFz;
}

}  // namespace

PreflightReport preflight(const Robot& robot, const std::vector<std::string>& endpoints, ConstVectorRef q,
                          ConstVectorRef target, const PreflightOptions& options) {
  const RobotModel& model = robot.model;
  const auto check_vector = [&](ConstVectorRef vector, const char* name) {
    if (vector.size() != model.motor_count()) {
      throw OptionsError(
          name, std::to_string(vector.size()) + " values for " + std::to_string(model.motor_count()) + " motors",
          "give one a motor");
    }
    if (!vector.allFinite()) throw OptionsError(name, "NaN or infinity among the values", "give finite numbers");
  };
  check_vector(q, "pose");
  if (target.size() > 0) check_vector(target, "target");

  ContactEquation equation(robot, endpoints);
  Observation observation;
  observation.q = q;
  observation.tau = VectorX::Zero(model.motor_count());
  equation.update(observation);
  DeployedEstimator estimator(equation, {.characteristic_length = options.characteristic_length});
  const std::vector<WrenchEstimate>& estimates = estimator.solve(equation);

  PreflightReport report;
  report.characteristic_length = options.characteristic_length;
  const PreflightFigures& figures = robot.profile.preflight;
  const int reference = robot.reference_motor();
  for (std::size_t k = 0; k < endpoints.size(); ++k) {
    const WrenchEstimate& estimate = estimates[k];
    PoseConditioning pose;
    pose.endpoint = endpoints[k];
    pose.status = estimate.status;
    pose.position = equation.pose(static_cast<int>(k)).translation;
    pose.kappa = estimate.kappa;
    pose.kappa_scaled = estimate.kappa_scaled;
    pose.sigma_min = estimate.sigma_min;
    pose.manipulability = estimate.manipulability;
    pose.reference_gain = estimate.reference_gain;
    pose.reference_force_gain = reference < 0 ? std::nan("") : force_gain(estimate.gain, reference);
    pose.gain = estimate.gain;
    if (reference >= 0) {
      const double gain = std::abs(estimate.reference_gain[wrench_row(figures.gain_row)]);
      report.checks.push_back({"gain", endpoints[k], gain, figures.gain_limit, gain < figures.gain_limit});
    }
    report.endpoints.push_back(std::move(pose));
  }
  if (target.size() > 0) {
    for (const std::string& joint : figures.start_error_joints) {
      const int motor = model.motor(joint);
      const double error = std::abs(q[motor] - target[motor]);
      report.checks.push_back(
          {"start_error", joint, error, figures.start_error_limit, error < figures.start_error_limit});
    }
  }
  report.passed = std::all_of(report.checks.begin(), report.checks.end(), [](const auto& c) { return c.passed; });
  return report;
}

}  // namespace antaeus
