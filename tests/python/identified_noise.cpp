// For mujoco_noise_test.py, which simulates robots: identifies the noise of one from a log of free motion, says what
// was found, and runs the default estimator over other logs of it, with the profile's figures and with what was
// identified.
//   identified_noise ROBOT LEARNT [option=value …] -- LOG …   writes LOG/figures.npy and LOG/identified.npy
// A row a step: of each wrist force on the robot [3], its covariance [9], verdict (0: ok), whether NIS is quiet.
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/identification/moving/moving_fit.hpp"
#include "antaeus/io/numpy.hpp"
#include "antaeus/robot/noise_model.hpp"

namespace {

using namespace antaeus;

constexpr int kOfWrist = 3 + 9 + 2;

Episode read_log(const Robot& robot, const std::string& folder) {
  EpisodeOptions reading;
  reading.require_target = false;
  return load_episode(folder, robot, reading);
}

/// What is said in lines; null where nothing was identified.
std::shared_ptr<const NoiseModel> identify(const Robot& robot, const Episode& log, const MovingFitOptions& options) {
  const MovingFit fit = fit_moving(robot, {{log, {}, {}}}, options);
  for (const std::string& text : fit.missing) std::printf("missing %s\n", text.c_str());
  for (const std::string& text : fit.notes) std::printf("note %s\n", text.c_str());
  std::printf("prior_scale %.17g\n", fit.prior_scale);
  std::printf("shift %.17g %.17g %d\n", fit.torque_shift.best, fit.torque_shift.sd, fit.torque_shift.differs ? 1 : 0);
  if (!fit.identified) return {};
  const TorqueParameters at = torque_parameters(robot.model);
  for (int j = 0; j < at.motors; ++j) {
    const ChannelFinding& found = fit.channels[j];
    std::printf("channel %s %s %.17g %.17g %.17g %.17g %.17g\n", found.joint.c_str(), to_string(found.use).data(),
                found.white_sd, found.integral_time, fit.parameters[at.coulomb(j)].value,
                fit.parameters[at.viscous(j)].value, fit.parameters[at.offset(j)].value);
  }
  return std::make_shared<NoiseModel>(fit.noise);
}

MatrixX judge(const Robot& robot, const Episode& log) {
  ResidualOptions options;
  options.kind = ResidualChoice::inverse_dynamics;
  InstantReader reader(robot, {"left_wrist_yaw_link", "right_wrist_yaw_link"});
  ResidualEstimator residual(robot, options);
  PosteriorEstimator posterior(reader);
  MatrixX table(log.steps(), 2 * kOfWrist);
  Observation sample;
  for (Eigen::Index i = 0; i < log.steps(); ++i) {
    log.observe(i, sample);
    const PosteriorEstimates& estimates = posterior.solve(residual.form(reader.at(sample)));
    for (int w = 0; w < 2; ++w) {
      const WrenchEstimate& one = estimates[static_cast<std::size_t>(w)];
      const Eigen::Index at = kOfWrist * w;
      table.row(i).segment<3>(at) = one.wrench.force;
      for (int k = 0; k < 9; ++k) table(i, at + 3 + k) = one.uncertainty.covariance(k / 3, k % 3);
      table(i, at + 12) = static_cast<double>(one.verdict);
      table(i, at + 13) = one.uncertainty.nis <= one.uncertainty.nis_threshold ? 1.0 : 0.0;
    }
  }
  return table;
}

void write(const std::string& file, const MatrixX& table) {
  std::ofstream stream(file, std::ios::binary);
  stream << to_npy(table);
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count < 3) throw Error("identified_noise", "too few words", "give ROBOT LEARNT [option=value …] -- LOG …");
    Robot robot = load_robot(words[1], MeshPolicy::ignored);
    robot.profile.noise = nullptr;
    MovingFitOptions options;
    int next = 3;
    for (; next < count && std::string(words[next]) != "--"; ++next) {
      const std::string word = words[next];
      const std::size_t equals = word.find('=');
      set_option(options, word, word.substr(0, equals), word.substr(equals + 1));
    }
    Robot identified = robot;
    identified.profile.noise = identify(robot, read_log(robot, words[2]), options);
    if (!identified.profile.noise) return 1;
    for (++next; next < count; ++next) {
      const std::string folder = words[next];
      const Episode log = read_log(robot, folder);
      write(folder + "/figures.npy", judge(robot, log));
      write(folder + "/identified.npy", judge(identified, log));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
