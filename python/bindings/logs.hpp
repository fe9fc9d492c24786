#pragma once
// What functions take that read a log of a robot, and the line that does the same on the command line.

#include <nanobind/stl/variant.h>

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "antaeus/episode/episode.hpp"
#include "convert.hpp"

namespace antaeus::python {

using Log = std::variant<Episode, std::filesystem::path>;
using RobotChoice = std::variant<Robot, std::filesystem::path>;

// A log comes first, then its robot, in every function that takes both.

/// Refuses the other order in one line. \param call  "identify(logs, robot)": how the function is called
/// \throws TypeError
void require_log_first(nb::handle log, nb::handle robot, const std::string& call);
/// A path or an Episode, a name or a Robot. \throws TypeError that names function and argument
Log log_from(nb::handle value, const std::string& place);
std::vector<Log> logs_from(nb::handle values, const std::string& place);
RobotChoice robot_from(nb::handle value, const std::string& place);
/// None: there is none.
std::optional<RobotChoice> robot_or_none(nb::handle value, const std::string& place);
/// The robot as the command line loads it. The interpreter's lock need not be held.
Robot loaded_robot(const RobotChoice& robot);

/// \throws EpisodeError where the columns of an episode in memory are not the robot's
void require_fits(const Episode& episode, const Robot& robot);

/// Has recordings in formats of others converted by antaeus.formats, in this interpreter.
void convert_recordings_here();

/// Text that may hold the bytes of a file's name; others than UTF-8 are as os.fsdecode has them.
nb::str decoded(const std::string& text);

/// What --set would be given for 'group.option' → value. \param place  of the settings, for messages
std::vector<std::string> assignments_of(const nb::dict& settings, const std::string& place);

}  // namespace antaeus::python
