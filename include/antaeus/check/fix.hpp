#pragma once
/// \file
/// What findings say of a log's channels, as keys of a profile that every verb reads: nobody edits a log.

#include <filesystem>
#include <string>
#include <vector>

#include "antaeus/check/check_log.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// The profile with which the log is read right: order, unit, sign and delay of channels, order and sense of the
/// quaternion, the IMU's frame. A finding is taken against the profile that the log was checked with: what that says
/// already is kept, and changed by the finding. Notes change nothing.
/// \param not_fixed  receives a line for each error or warning that no key of a channel mends, with its remedy
/// \throws OptionsError for a finding that names a joint which the robot does not have, or a column that the log cannot
ANTAEUS_API RobotProfile fixed_profile(const Robot& robot, const CheckResult& result,
                                       std::vector<std::string>& not_fixed);

/// A log that is read again through the profile that states what was found, and checked again: one mistake hides
/// another.
struct RepairedCheck {
  Robot robot;             ///< with the repaired profile
  std::size_t stated = 0;  ///< findings that the profile states
  CheckResult left;        ///< of the log as the repaired profile reads it
  std::vector<std::string> not_fixed = {};
};
/// \param result  check_log of the log as \p robot reads it
/// \param rounds  how often at most it is repaired and checked again. \throws as fixed_profile and read_checked_log
ANTAEUS_API RepairedCheck check_repaired(const std::filesystem::path& log, const Robot& robot,
                                         const CheckResult& result, int rounds = 3);

}  // namespace antaeus
