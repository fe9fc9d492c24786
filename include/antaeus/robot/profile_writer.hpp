#pragma once
/// \file
/// Writes a robot's profile: what `identify` leaves for the next run.

#include <filesystem>

#include "antaeus/core/api.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// Writes FOLDER/profile.toml, and FOLDER/noise.npz where robot.profile.noise is there: a whole profile that
/// load_robot() takes, with everything that robot.profile says, `model` relative to FOLDER, and the identified noise with
/// the standard errors that its covariance holds. The folder is made where it is missing. Both files are written whole
/// or not at all. Noise that the same robot is loaded with again is the same to the last bit.
/// \throws ModelError for a robot without a description file, or a noise of another robot; IoError where it cannot write
ANTAEUS_API void write_profile(const Robot& robot, const std::filesystem::path& folder);

}  // namespace antaeus
