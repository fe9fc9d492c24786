#pragma once
/// \file
/// Writes a robot's profile: what `identify` leaves for the next run.

#include <filesystem>
#include <string>

#include "antaeus/core/api.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// The value of the key `model` of a profile in \p folder: the name of a robot that comes with Antaeus where the file
/// is that robot's (no installation's folder is then written down), else the path relative to the folder.
ANTAEUS_API std::string model_reference(const std::filesystem::path& model, const std::filesystem::path& folder);

/// A whole profile that load_robot() takes, as it stands in a profile.toml in \p folder: everything that robot.profile
/// says, `model` as model_reference() has it, and the identified noise with the standard errors that its covariance
/// holds. Read again it is the same to the last bit. Settings that did not come from the profile's own file belong to
/// one run and are left out.
/// \throws ModelError for a robot without a description file, OptionsError for a noise of another robot
ANTAEUS_API std::string profile_text(const Robot& robot, const std::filesystem::path& folder);

/// Writes FOLDER/profile.toml, whole or not at all; the folder is made where it is missing. \throws as above, Error
/// where it cannot
ANTAEUS_API void write_profile(const Robot& robot, const std::filesystem::path& folder);

}  // namespace antaeus
