#include "antaeus/pose/preflight.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "estimation/published/moved_directions.hpp"
#include "robot/quaternion_slack.hpp"

namespace antaeus {

PreflightReport preflight(const Robot& robot, const std::vector<std::string>& wanted, ConstVectorRef q,
                          ConstVectorRef target, const PreflightOptions& options, const Eigen::Vector4d* imu_xyzw) {
  const std::vector<std::string> endpoints = robot.frames_named(wanted);
  const RobotModel& model = robot.model;
  const auto check_vector = [&](ConstVectorRef vector, const char* name) {
    if (vector.size() != model.motor_count()) {
      throw OptionsError(
          name, std::to_string(vector.size()) + " values for " + std::to_string(model.motor_count()) + " motors",
          "give one a motor");
    }
    if (!vector.allFinite()) throw OptionsError(name, "NaN or infinity among the values", "give finite numbers");
  };
  check_vector(q, "preflight.q");
  if (target.size() > 0) check_vector(target, "preflight.target");

  if (imu_xyzw && !(std::abs(imu_xyzw->norm() - 1.0) <= kQuaternionSlack)) {
    throw OptionsError("preflight.imu_xyzw", "no unit quaternion", "give x y z w of the IMU in the world, or none");
  }

  PoseQuality quality(robot, endpoints, options.quality);
  PreflightReport report;
  report.characteristic_length = options.quality.characteristic_length;
  report.budget_sd = options.quality.budget_sd;
  report.joints = model.motor_names();
  report.endpoints = quality.evaluate(q, {}, imu_xyzw);
  report.used_imu = quality.used_imu();
  const PreflightFigures& figures = robot.profile.preflight;
  const auto check = [](PreflightCheckKind kind, const std::string& subject, double value, double limit) {
    return PreflightCheck{kind, subject, value, limit, value < limit};
  };
  const std::vector<int> gain_motors = robot.gain_motors();
  const double sd_limit = options.sd_limit > 0 ? options.sd_limit : quality.posterior_options().full_use_sd;
  const double error_force_limit =
      options.error_force_limit > 0 ? options.error_force_limit : quality.posterior_options().prior.force;
  for (std::size_t k = 0; k < endpoints.size(); ++k) {
    const PoseConditioning& pose = report.endpoints[k];
    const std::vector<int> carrying = model.supporting_motors(model.frame(endpoints[k]));
    for (const int motor : gain_motors) {
      if (std::find(carrying.begin(), carrying.end(), motor) == carrying.end()) continue;
      report.checks.push_back(check(PreflightCheckKind::gain, endpoints[k],
                                    std::abs(pose.gain(figures.gain_row, motor)), figures.gain_limit));
      report.checks.back().joint = model.motor_names()[motor];
    }
    report.conditioning_checks.push_back(
        check(PreflightCheckKind::conditioning, endpoints[k], pose.error_force, error_force_limit));
    if (const std::string senses = quality.senses(static_cast<int>(k)); !senses.empty()) {
      report.notes.push_back({NoteCode::limb_observes,
                              endpoints[k],
                              {endpoints[k] + " " + senses + ": its sds at rest and moving are of what it senses"}});
    }
    if (const std::string why = quality.untold_force(static_cast<int>(k)); !why.empty()) {
      const detail::MovedDirections moved = detail::moved_directions(model, model.frame(endpoints[k]));
      const NoteValue directions(
          moved.count, std::to_string(moved.count) + (moved.plane ? " directions of the plane" : " directions"));
      report.notes.push_back({NoteCode::sd_limit_left_out, endpoints[k], {why, directions}});
    } else {
      report.sd_checks.push_back(
          check(PreflightCheckKind::sd, endpoints[k], quality.value(pose, PoseQuantity::sd), sd_limit));
    }
  }
  if (target.size() > 0) {
    for (const std::string& joint : figures.start_error_joints) {
      const int motor = model.motor(joint);
      report.checks.push_back(
          check(PreflightCheckKind::start_error, joint, std::abs(q[motor] - target[motor]), figures.start_error_limit));
    }
  }
  const auto passed = [](const PreflightCheck& c) { return c.passed; };
  report.passed = std::all_of(report.checks.begin(), report.checks.end(), passed) &&
                  std::all_of(report.sd_checks.begin(), report.sd_checks.end(), passed) &&
                  std::all_of(report.conditioning_checks.begin(), report.conditioning_checks.end(), passed);
  return report;
}

std::vector<PreflightCheck> PreflightReport::all_checks() const {
  std::vector<PreflightCheck> all = checks;
  all.insert(all.end(), sd_checks.begin(), sd_checks.end());
  all.insert(all.end(), conditioning_checks.begin(), conditioning_checks.end());
  return all;
}

std::vector<PreflightReport::Endpoint> PreflightReport::endpoints_with_joints() const {
  std::vector<Endpoint> all;
  for (const PoseConditioning& pose : endpoints) {
    Endpoint& endpoint = all.emplace_back(Endpoint{pose, {}});
    const EndpointReliability& r = pose.reliability;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const auto at = static_cast<Eigen::Index>(j);
      if (std::isnan(r.redundancy[at])) continue;
      endpoint.joints.push_back({joints[j], r.redundancy[at], r.minimal_detectable_bias[at], r.external_force[at],
                                 r.prior_free_redundancy[at], r.prior_free_bias[at]});
    }
  }
  return all;
}

const OptionTable& options_of(const PreflightOptions&) {
  using O = PreflightOptions;
  static const OptionTable table(
      "preflight",
      {
          part(&O::quality),
          option("sd_limit", "N", "sd in the worst direction at rest that refuses a pose; 0: posterior.full_use_sd",
                 "docs/validation.md#guards: below 5 N a force is used without reservation", &O::sd_limit),
          option("error_force_limit", "N",
                 "what torque errors of one sd may read as in the worst direction, robot moving; 0: "
                 "posterior.force_prior",
                 "docs/guide/your_robot.md: errors must read as less than the forces that are expected",
                 &O::error_force_limit),
      });
  return table;
}
const OptionGroup kPreflightOptions(PreflightOptions{});

}  // namespace antaeus
