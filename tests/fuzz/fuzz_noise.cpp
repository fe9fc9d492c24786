/// \file
/// Arbitrary bytes as a profile that holds an identified noise, as `identify` writes it: what is read evaluates to
/// finite numbers, or says that it does not.

#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/files/profile_writer.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "fuzz/fuzz_target.hpp"
#include "fuzz/scratch_file.hpp"
#include "support/source_folder.hpp"

namespace {

using namespace antaeus;

Robot planar() { return load_robot((antaeus::test::source_folder() / "robots" / "planar_3r").string()); }

/// A profile with a noise of all terms, its model by an absolute path: inputs lie elsewhere.
std::string identified(NoiseOrigin origin) {
  Robot robot = planar();
  const TorqueParameters at = torque_parameters(robot.model);
  NoiseModel noise;
  noise.origin = origin;
  noise.white_sd = VectorX::Constant(at.motors, 0.2);
  noise.white_sd[1] = kInfinity;
  noise.parameters = VectorX::LinSpaced(at.count(), -0.3, 0.7);
  noise.factor = 0.01 * MatrixX::Identity(at.count(), at.count());
  noise.correlation_time = VectorX::Constant(at.motors, 0.3);
  noise.coulomb_sd = noise.viscous_sd = noise.standing_sd = VectorX::Constant(at.motors, 0.2);
  noise.logs = 3;
  noise.limit = VectorX::Constant(at.motors, 20.0);
  noise.limit_offset = VectorX::Constant(at.motors, 0.1);
  noise.limit_sd = VectorX::Constant(at.motors, 0.5);
  noise.provenance = "two logs";
  if (origin == NoiseOrigin::held_pose) {
    noise.offset_sd = noise.slow_sd = noise.motion_sd = VectorX::Constant(at.motors, 0.1);
    noise.identified_speed = 1.5;
    noise.envelope_motors = {0, 2};
    noise.joint_speed = noise.largest_residual = VectorX::Constant(at.motors, 2.0);
    noise.limit = noise.limit_offset = noise.limit_sd = VectorX();
  }
  robot.profile.noise = std::make_shared<const NoiseModel>(noise);
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  std::string text = profile_text(robot, folder);
  const std::string key = "model = \"";
  const std::size_t from = text.find(key) + key.size();
  text.replace(from, text.find('"', from) - from, robot.profile.model.string());
  return text;
}

}  // namespace

std::vector<std::string> antaeus::fuzz::seeds() {
  return {identified(NoiseOrigin::moving), identified(NoiseOrigin::held_pose)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::ScratchFile file("noise.toml");
  try {
    const RobotProfile profile = read_profile(file.write(data, size));
    // An input may name any file: only the robot's own is read.
    if (profile.model.filename() != planar().profile.model.filename()) return 0;
    const Robot robot = make_robot(profile);
    if (!robot.profile.noise) return 0;
    fuzz::accept();
    TorqueNoise noise(robot.model, *robot.profile.noise);
    const VectorX v = VectorX::Constant(robot.model.nv(), 0.3);
    const Status status = noise.evaluate(robot.model.neutral(), v, v, 0.5);
    // Infinite where a channel is no evidence; NaN is never `ok` where its row was identified.
    for (Eigen::Index j = 0; j < noise.mean().size() && status == Status::ok; ++j) {
      if (std::isnan(robot.profile.noise->white_sd[j])) continue;
      fuzz::require(std::isfinite(noise.mean()[j]) && !(noise.covariance()(j, j) < 0.0));
    }
    // What was read is written again and read again.
    const std::string text = profile_text(robot, std::filesystem::temp_directory_path());
    fuzz::require(!text.empty());
  } catch (const Error&) {
  }
  return 0;
}
