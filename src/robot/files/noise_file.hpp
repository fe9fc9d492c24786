#pragma once
// The identified noise as a profile's [noise] table holds it: by names of joints. Private to
// robot.

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "antaeus/robot/noise_model.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

class Keys;

/// One row of noise.joints; NaN: the key is not there.
struct NoiseFileJoint {
  std::string joint;
  bool evidence = true;           ///< false: the channel says nothing
  bool motion_identified = true;  ///< false: no stretch held motion
  double white_sd = kNaN, offset_sd = kNaN, slow_sd = kNaN, motion_sd = kNaN, correlation_time = kNaN;
  double coulomb_sd = kNaN, viscous_sd = kNaN, standing_sd = kNaN;
  double joint_speed = kNaN, largest_residual = kNaN, limit = kNaN, limit_offset = kNaN, limit_sd = kNaN;
  int line = 0;
};

/// One of noise.parameters.
struct NoiseFileParameter {
  std::string name;
  double value = 0.0, se = 0.0;
  VectorX row;  ///< of F, zeros at its end left out
  int line = 0;
};

struct NoiseFile {
  std::filesystem::path file;
  NoiseOrigin origin = NoiseOrigin::moving;
  std::string unit = "N·m", provenance;
  bool simulated = false;
  double identified_speed = kNaN, rate = kNaN;
  int logs = -1;
  std::vector<std::string> envelope_motors;
  std::map<std::string, int> lines;  ///< of names in envelope_motors
  std::vector<NoiseFileJoint> joints;
  std::vector<NoiseFileParameter> parameters;
};

/// Null where the profile has no [noise]. \throws ModelError that names file, line and key
std::shared_ptr<const NoiseFile> read_noise(Keys& keys, const RobotProfile& profile);

/// For one model: parameters by name. What belongs to joints that are locked in it is left out.
/// \throws ModelError for a joint that the robot does not have
NoiseModel noise_for(const RobotModel& model, const NoiseFile& file);

/// In quotes, as TOML has it.
std::string toml_text(const std::string& text);

/// The [noise] part of a profile.
std::string noise_text(const RobotModel& model, const NoiseModel& noise);

}  // namespace antaeus
