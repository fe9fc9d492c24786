#pragma once
/// \file
/// Writes a robot's profile: what `identify` leaves for the next run.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// Names and bytes of a whole profile that load_robot() takes: profile.toml, and noise_factor.npy where the identified
/// noise is in doubt. It has everything that robot.profile says, `model` relative to \p folder, and the noise with the
/// standard errors that its covariance holds; read again it is the same to the last bit. Settings that did not come
/// from the profile's own file belong to one run and are left out.
/// \throws ModelError for a robot without a description file, OptionsError for a noise of another robot
ANTAEUS_API std::vector<std::pair<std::string, std::string>> profile_files(const Robot& robot,
                                                                           const std::filesystem::path& folder);

/// Writes them, whole or not at all; the folder is made where it is missing. \throws as above, Error where it cannot
ANTAEUS_API void write_profile(const Robot& robot, const std::filesystem::path& folder);

}  // namespace antaeus
