#pragma once
// What functions take that read a log of a robot, and the line that does the same on the command line.

#include <nanobind/stl/variant.h>

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "antaeus/episode/episode.hpp"
#include "convert.hpp"

namespace antaeus::python {

using Log = std::variant<Episode, std::filesystem::path>;
using RobotChoice = std::variant<Robot, std::filesystem::path>;

/// Text that may hold the bytes of a file's name; others than UTF-8 are as os.fsdecode has them.
nb::str decoded(const std::string& text);

/// What --set would be given for 'group.option' → value. \param place  of the settings, for messages
std::vector<std::string> assignments_of(const nb::dict& settings, const std::string& place);

}  // namespace antaeus::python
