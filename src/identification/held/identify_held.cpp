// A robot that holds a pose: stretches of several runs, and what leaving one out says.
#include <algorithm>
#include <cmath>
#include <set>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "identification/identify_steps.hpp"
#include "identification/moving/moving_rows.hpp"

namespace antaeus::detail {

namespace {

/// Every labelled stretch; one that cannot be read is told and left out.
std::vector<HeldStretch> read_stretches(const IdentifyTask& task, IdentifyResult& result) {
  std::vector<HeldStretch> stretches;
  for (const IdentifyLog& log : task.request.logs) {
    std::vector<TimeSpan> spans = log.spans;
    if (spans.empty()) spans.push_back({0.0, kInfinity});
    for (const TimeSpan& span : spans) {
      try {
        stretches.push_back(read_held_stretch(task.robot, task.endpoints, log.episode, span.from, span.to, task.held,
                                              {}, task.pulse()));
      } catch (const EpisodeError& error) {
        result.notes.emplace_back(error.what());
      }
    }
  }
  return stretches;
}

std::vector<ParameterEstimate> parameters_of(const RobotModel& model, const HeldPoseNoise& noise) {
  static constexpr const char* kParts[] = {"mass", "moment_x", "moment_y", "moment_z"};
  std::vector<ParameterEstimate> all;
  const GravityRegressor regressor(model, noise.motors);
  for (Eigen::Index k = 0; k < noise.parameters.size(); ++k) {
    const int motor = regressor.bodies()[static_cast<std::size_t>(k / 4)];
    ParameterEstimate one;
    one.name = model.motor_names()[static_cast<std::size_t>(motor)] + "." + kParts[k % 4];
    one.unit = k % 4 == 0 ? "kg" : "kg·m";
    one.value = noise.parameters[k];
    one.prior_sd = noise.parameter_scale[k];
    one.sd = noise.parameter_scale[k] * noise.parameter_factor.row(k).norm();
    all.push_back(std::move(one));
  }
  return all;
}

/// What is left of a stretch by noise that was, or was not, identified from it.
struct Left {
  VectorX after, sd;  ///< rows as noise.motors
};

Left left_of(const RobotModel& model, const HeldPoseNoise& noise, const HeldStretch& stretch) {
  HeldPosePredictor predictor(model, noise);
  Dynamics dynamics(model);
  VectorX q(model.nq());
  model.position_from_motors(stretch.q, Eigen::Vector4d(0, 0, 0, 1), q);
  const auto m = std::ssize(noise.motors);
  VectorX mean(m);
  MatrixX R(m, m);
  predictor.predict(dynamics.at(q), stretch.free_fall, 0.0, mean, R);
  return {stretch.residual(noise.motors) - mean, R.diagonal().cwiseSqrt()};
}

void hold_out(const IdentifyTask& task, const std::vector<HeldStretch>& stretches, const std::set<std::string>& runs,
              IdentifyResult& result) {
  if (runs.size() < 3) {
    result.hold_out = "nothing: with one of two runs left out, the other shows no spread between runs; record a third";
    return;
  }
  const auto m = result.joints.size();
  VectorX square = VectorX::Zero(static_cast<Eigen::Index>(m)), covered = square;
  double count = 0.0;
  for (const std::string& run : runs) {
    std::vector<HeldStretch> others;
    std::ranges::copy_if(stretches, std::back_inserter(others), [&](const HeldStretch& s) { return s.run != run; });
    const HeldPoseNoise noise = fit_held_pose(task.robot, task.endpoints, others, task.held);
    for (const HeldStretch& stretch : stretches) {
      if (stretch.run != run) continue;
      const Left left = left_of(task.robot.model, noise, stretch);
      square += left.after.cwiseAbs2();
      covered += (left.after.array().abs() <= kWithin95 * left.sd.array()).cast<double>().matrix();
      count += 1.0;
    }
  }
  result.hold_out = "each run, judged by a fit of the others: one median of each stretch";
  result.hold_out_covered = covered.sum() / (count * static_cast<double>(m));
  for (std::size_t i = 0; i < m; ++i) {
    result.joints[i].hold_out_rms = std::sqrt(square[static_cast<Eigen::Index>(i)] / count);
    result.joints[i].hold_out_covered = covered[static_cast<Eigen::Index>(i)] / count;
  }
}

}  // namespace

void identify_held_pose(const IdentifyTask& task, IdentifyResult& result) {
  if (task.endpoints.empty()) {
    const bool feet = !task.robot.profile.endpoints.empty();
    result.missing.push_back(
        feet ? "all endpoints are feet, and they are in contact with the ground: hang the robot up, and name them "
               "with " +
                   arg(Input::endpoint)
             : "no endpoint: name the frame that shall feel forces with " + arg(Input::endpoint));
    return;
  }
  if (!task.request.loaded.empty()) {
    result.missing.emplace_back("a payload needs an arm on a fixed base that moves; this robot holds a pose");
    return;
  }
  const std::vector<HeldStretch> stretches = read_stretches(task, result);
  task.tell(0.5);
  std::set<std::string> runs;
  for (const HeldStretch& stretch : stretches) runs.insert(stretch.run);
  result.runs = static_cast<int>(runs.size());
  if (runs.size() < 2) {
    result.missing.push_back(std::to_string(runs.size()) + (runs.size() == 1 ? " run" : " runs") +
                             " with a stretch in which the robot stands still: offsets move from run to run, so two "
                             "are needed and five advised, the robot released in between");
    return;
  }
  const HeldPoseNoise noise = fit_held_pose(task.robot, task.endpoints, stretches, task.held);
  const RobotModel& model = task.robot.model;
  result.identified = true;
  result.notes.insert(result.notes.end(), noise.notes.begin(), noise.notes.end());
  result.noise = noise_model(model, noise);
  result.largest_speed = noise.largest_speed;
  for (std::size_t i = 0; i < noise.motors.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    IdentifiedJoint joint;
    joint.motor = noise.motors[i];
    joint.joint = model.motor_names()[static_cast<std::size_t>(joint.motor)];
    joint.label = task.robot.profile.motor_labels[static_cast<std::size_t>(joint.motor)];
    joint.identified = true;
    joint.offset = noise.offset[row], joint.offset_error = noise.offset_error[row];
    joint.white_sd = noise.white_sd[row], joint.offset_sd = noise.offset_sd[row];
    joint.slow_sd = noise.slow_sd[row], joint.motion_sd = noise.motion_sd[row];
    result.joints.push_back(std::move(joint));
  }
  VectorX before = VectorX::Zero(std::ssize(noise.motors)), after = before;
  double number = 0.0;
  for (const HeldStretch& stretch : stretches) {
    number += 1.0;
    const Left left = left_of(model, noise, stretch);
    before += stretch.residual(noise.motors).cwiseAbs2();
    after += left.after.cwiseAbs2();
    for (std::size_t i = 0; i < noise.motors.size(); ++i) {
      ResidualSeries& series = result.joints[i].residual;
      series.x.push_back(number);
      series.before.push_back(stretch.residual[noise.motors[i]]);
      series.after.push_back(left.after[static_cast<Eigen::Index>(i)]);
      series.sd.push_back(left.sd[static_cast<Eigen::Index>(i)]);
    }
  }
  for (std::size_t i = 0; i < noise.motors.size(); ++i) {
    result.joints[i].rms_before = std::sqrt(before[static_cast<Eigen::Index>(i)] / number);
    result.joints[i].rms_after = std::sqrt(after[static_cast<Eigen::Index>(i)] / number);
  }
  sort_parameters(parameters_of(model, noise), result);
  if (task.request.friction) {
    result.omitted.push_back({"coulomb, viscous and rotor of all joints",
                              "a robot that stands still does not show them: dry friction is what the offsets' spread "
                              "between runs is made of"});
  }
  hold_out(task, stretches, runs, result);
}

}  // namespace antaeus::detail
