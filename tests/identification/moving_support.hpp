#pragma once
/// \file
/// Measured logs and a made-up arm for identification, and what a force estimate makes of an identified noise.

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "antaeus/identification/moving/moving_fit.hpp"
#include "antaeus/io/table.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/signal/savitzky_golay.hpp"
#include "support/noise.hpp"
#include "support/shared.hpp"

namespace antaeus::test {

/// A robot of a description of which only some joints move.
inline Robot robot_of(const std::filesystem::path& urdf, const std::vector<std::string>& joints) {
  RobotProfile profile;
  profile.name = urdf.stem().string();
  profile.model = urdf;
  profile.options.base = Base::fixed;
  profile.options.motors = profile.motor_labels = joints;
  profile.figures.assign(joints.size(), JointFigures{});
  // Antennas of TIAGo's base have inertias that no body can have; what does not move may be without.
  std::ifstream file(urdf);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t at = text.find("<link name=\"base_"); at != std::string::npos;
       at = text.find("<link name=\"base_", at + 1)) {
    const std::size_t end = text.find("<link ", at + 1), from = text.find("<inertial>", at),
                      to = text.find("</inertial>", at);
    if (urdf.stem() == "tiago" && from < end && to < end) text.erase(from, to + 11 - from);
  }
  const RobotDescription description = parse_urdf(text, urdf.filename(), urdf.parent_path(), MeshPolicy::ignored);
  for (const JointDescription& joint : description.joints) {
    if (joint.type != JointType::fixed && std::ranges::find(joints, joint.name) == joints.end()) {
      profile.options.locked_joints[joint.name] = 0.0;
    }
  }
  RobotModel model(description, profile.options);
  return {std::move(profile), std::move(model)};
}

// ------------------------------------------------------------------------------------------------ hopper

struct Hopper {
  Robot robot;
  MovingLog log;       ///< with the measured force as a known contact
  SampleMatrix force;  ///< of the ground on the foot, world axes [N]
};

inline std::map<long, std::vector<double>> numbered_rows(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::map<long, std::vector<double>> rows;
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    double index = 0.0;
    words >> index;
    std::vector<double> values;
    for (double value = 0.0; words >> value;) values.push_back(value);
    rows[std::lround(index)] = values;
  }
  return rows;
}

inline Hopper load_hopper() {
  const std::filesystem::path folder = shared_folder() / "measured/hopper";
  Hopper hopper{robot_of(folder / "teststand.urdf", {"HFE", "KFE"}), {}, {}};
  const auto q = numbered_rows(folder / "long_joint_positions.dat"),
             tau = numbered_rows(folder / "long_joint_torques.dat"),
             force = numbered_rows(folder / "long_ati_force.dat");
  std::vector<long> steps;
  for (const auto& [step, values] : force) {
    if (q.contains(step) && tau.contains(step)) steps.push_back(step);
  }
  const auto n = static_cast<Eigen::Index>(steps.size());
  Episode& episode = hopper.log.episode;
  episode.name = "hopper";
  episode.time.resize(n);
  episode.q.resize(n, 2);
  episode.tau.resize(n, 2);
  hopper.force.resize(n, 3);
  hopper.log.contact.resize(n, 2);
  Dynamics dynamics(hopper.robot.model);
  const FrameId foot = hopper.robot.model.frame("contact");
  Matrix6X J(6, 2);
  for (Eigen::Index i = 0; i < n; ++i) {
    episode.time[i] = 1e-3 * static_cast<double>(steps[i] - steps[0]);
    for (int j = 0; j < 2; ++j) {
      episode.q(i, j) = q.at(steps[i])[j];
      episode.tau(i, j) = tau.at(steps[i])[j];
    }
    for (int axis = 0; axis < 3; ++axis) hopper.force(i, axis) = force.at(steps[i])[axis];
    const VectorX q_motor = episode.q.row(i);
    dynamics.at(q_motor).frame_jacobian(foot, J);
    hopper.log.contact.row(i) = (J.topRows<3>().transpose() * hopper.force.row(i).transpose()).transpose();
  }
  return hopper;
}

// ------------------------------------------------------------------------------------------------ TIAGo

inline std::filesystem::path tiago_urdf() { return example_robots_folder() / "tiago_description/robots/tiago.urdf"; }

inline std::pair<Robot, MovingLog> load_tiago() {
  std::vector<std::string> joints = {"torso_lift_joint"};
  for (int i = 1; i <= 7; ++i) joints.push_back("arm_" + std::to_string(i) + "_joint");
  const std::filesystem::path folder = shared_folder() / "measured/tiago_free";
  const Table q = read_csv(folder / "tiago_position.csv"), tau = read_csv(folder / "tiago_effort.csv");
  MovingLog log;
  Episode& episode = log.episode;
  episode.name = "tiago";
  const std::vector<double> time = q.numbers("t");
  const auto n = static_cast<Eigen::Index>(std::min(time.size(), tau.rows()));
  episode.time = Eigen::Map<const VectorX>(time.data(), n);
  episode.q.resize(n, 8);
  episode.tau.resize(n, 8);
  for (int j = 0; j < 8; ++j) {
    const std::vector<double> position = q.numbers("- " + joints[j] + "_position");
    const std::vector<double> effort = tau.numbers("- " + joints[j] + "_effort");
    for (Eigen::Index i = 0; i < n; ++i) {
      episode.q(i, j) = position[i];
      episode.tau(i, j) = effort[i];
    }
  }
  return {robot_of(tiago_urdf(), joints), std::move(log)};
}

// ------------------------------------------------------------------------------------------------ UR10e

/// Four days on which nothing touches; motor currents times the gains that the set states [N·m].
inline std::pair<Robot, std::vector<MovingLog>> load_ur10e() {
  const std::filesystem::path folder = shared_folder() / "measured/ur10e";
  static constexpr std::array<double, 6> kGains = {10.0, 10.6956, 8.4566, 9.0029, 9.48, 10.1232};  // [N·m/A]
  std::vector<MovingLog> logs;
  for (const char* name :
       {"19_12_23_free.csv", "20_01_31-unload.csv", "20_02_06-20sec_5harm.csv", "20_02_12-40sec_12harm.csv"}) {
    std::vector<std::vector<double>> rows;
    std::ifstream stream(folder / name);
    for (std::string line; std::getline(stream, line);) {
      std::ranges::replace(line, ',', ' ');
      std::istringstream words(line);
      std::vector<double> values;
      for (double value = 0.0; words >> value;) values.push_back(value);
      if (values.size() < 19 || (!rows.empty() && !(values[0] > rows.back()[0]))) continue;  // a few stamps repeat
      rows.push_back(values);
    }
    MovingLog log;
    Episode& episode = log.episode;
    episode.name = name;
    const auto n = static_cast<Eigen::Index>(rows.size());
    episode.time.resize(n);
    episode.q.resize(n, 6);
    episode.v.resize(n, 6);
    episode.tau.resize(n, 6);
    for (Eigen::Index i = 0; i < n; ++i) {
      episode.time[i] = rows[i][0];
      for (int j = 0; j < 6; ++j) {
        episode.q(i, j) = rows[i][1 + j];
        episode.v(i, j) = rows[i][7 + j];
        episode.tau(i, j) = kGains[j] * rows[i][13 + j];
      }
    }
    logs.push_back(std::move(log));
  }
  return {robot_of(folder / "ur10e.urdf", {"shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint",
                                           "wrist_2_joint", "wrist_3_joint"}),
          std::move(logs)};
}

// ------------------------------------------------------------------------------------------------ forces

/// What a force estimate of prior \p prior_sd at \p frame reads where nothing unknown touches.
struct Phantoms {
  std::vector<double> size;              ///< |F| [N]
  std::vector<Vector3> force, axis_sd;   ///< of each sample [N]
  Vector3 rms = Vector3::Zero();         ///< of each axis [N]
  Vector3 sd = Vector3::Zero();          ///< that is stated, mean [N]
  Vector3 covered = Vector3::Zero();     ///< share of samples whose axis covers zero
  double nees = 0.0, pooled_rows = 0.0;  ///< mean NEES of the force; share of rows covered
  double median() const { return at(0.5); }
  double largest() const { return at(1.0); }
  double at(double share) const {
    std::vector<double> sorted = size;
    std::ranges::sort(sorted);
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  }
};

/// \param stride  every how many samples
/// \param limit   |τ| of any joint beyond which a sample is not judged [N·m]
inline Phantoms phantoms(const Robot& robot, const NoiseModel& noise, const MovingLog& log, const std::string& frame,
                         double prior_sd, Eigen::Index stride, double limit = kInfinity) {
  const Episode& episode = log.episode;
  const RobotModel& model = robot.model;
  const int motors = model.motor_count();
  SavitzkyGolayOptions fit;
  fit.window = 2 * static_cast<int>(std::round(0.07 / episode.sample_time())) + 1;
  const SmoothedLog motion = savitzky_golay(episode.time, episode.q, fit);
  Dynamics dynamics(model);
  TorqueNoise torque_noise(model, noise);
  Phantoms result;
  Matrix6X J(6, model.nv());
  VectorX tau(model.nv());
  double samples = 0.0, rows_seen = 0.0, rows_covered = 0.0;
  std::vector<int> rows;
  for (int j = 0; j < motors; ++j) {
    if (!std::isinf(noise.white_sd[j])) rows.push_back(j);
  }
  for (Eigen::Index i = fit.window; i < episode.steps() - fit.window; i += stride) {
    bool inside = log.spans.empty();
    for (const TimeSpan& span : log.spans) inside |= episode.time[i] >= span.from && episode.time[i] <= span.to;
    if (!inside || episode.tau.row(i).cwiseAbs().maxCoeff() >= limit) continue;
    const VectorX q = episode.q.row(i), v = motion.first.row(i), a = motion.second.row(i);
    if (dynamics.inverse_dynamics(q, v, a, tau) != Status::ok || torque_noise.evaluate(q, v, a) != Status::ok) continue;
    dynamics.at(q).frame_jacobian(model.frame(frame), J);
    const auto m = static_cast<Eigen::Index>(rows.size());
    VectorX r(m);
    MatrixX A(m, 3), R(m, m);
    for (Eigen::Index k = 0; k < m; ++k) {
      const int j = rows[k];
      r[k] = episode.tau(i, j) - tau[j] - torque_noise.mean()[j];
      if (log.contact.size() > 0) r[k] += log.contact(i, j);
      A.row(k) = -J.topRows<3>().col(j).transpose();
      for (Eigen::Index l = 0; l < m; ++l) R(k, l) = torque_noise.covariance()(j, rows[l]);
      if (noise.limit.size() > 0 && std::abs(episode.tau(i, j)) >= noise.limit[j]) {
        r[k] -= episode.tau(i, j) < 0.0 ? -noise.limit_offset[j] : noise.limit_offset[j];
        R(k, k) += noise.limit_sd[j] * noise.limit_sd[j];
      }
      rows_seen += 1.0;
      rows_covered += std::abs(r[k]) <= 1.96 * std::sqrt(R(k, k));
    }
    const MatrixX S = R + prior_sd * prior_sd * A * A.transpose();
    const MatrixX G = prior_sd * prior_sd * A.transpose() * S.inverse();
    const Vector3 F = G * r;
    const Matrix3 C = prior_sd * prior_sd * (Matrix3::Identity() - G * A);
    result.size.push_back(F.norm());
    result.force.push_back(F);
    result.axis_sd.push_back(C.diagonal().cwiseSqrt());
    for (int axis = 0; axis < 3; ++axis) result.covered[axis] += std::abs(F[axis]) <= 1.96 * std::sqrt(C(axis, axis));
    result.nees += F.dot(C.ldlt().solve(F));
    result.rms += F.cwiseAbs2();
    result.sd += C.diagonal().cwiseSqrt();
    samples += 1.0;
  }
  result.covered /= samples;
  result.sd /= samples;
  result.rms = (result.rms / samples).cwiseSqrt();
  result.nees /= samples;
  result.pooled_rows = rows_covered / rows_seen;
  return result;
}

}  // namespace antaeus::test
