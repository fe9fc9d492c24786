#pragma once
#include <filesystem>
#include <variant>

#include "antaeus/contact/contact_motion.hpp"
#include "convert.hpp"

namespace antaeus::python {

/// The arrays of a motion by their names in files. \throws EpisodeError for a name or shape that no motion has
ContactMotion contact_motion_of(const nb::dict& arrays);
/// A motion's arrays or, for contact(), its path. \throws TypeError where the motion does not come first
std::variant<std::filesystem::path, nb::dict> motion_first(nb::handle motion, nb::handle robot, const char* call);

}  // namespace antaeus::python
