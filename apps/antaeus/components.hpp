#pragma once
// Verbs of components that stand on libantaeus.so: found when they are built, named with what builds them when not.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "antaeus/robot/robot_profile.hpp"
#include "commands/command.hpp"

namespace antaeus::cli {

/// A library of verbs beside libantaeus.so.
struct Component {
  const char* file;    ///< "libantaeus_motion_verbs.so"
  const char* target;  ///< what builds it: make motion
};
inline constexpr Component kMotion{"libantaeus_motion_verbs.so", "motion"};
inline constexpr Component kStudies{"libantaeus_studies_verbs.so", "studies"};

/// The function that such a library exports: adds one of its verbs, and says whether it has it.
using AddVerb = bool(const char* name, CLI::App& app, Run& run);

/// The function that kStudies exports for MJCF files: `robot` receives what it holds.
using LoadMjcf = void(const std::string& file, const std::optional<Base>& base, std::optional<Robot>& robot);

/// A robot out of an MJCF (.xml), by the component that stands on MuJoCo, which is loaded for this alone.
/// \throws ModelError as load_any_robot, Error where the component is not built
Robot load_mjcf(const std::string& file, const std::optional<Base>& base);

/// Adds a verb of a component. Where the component is not built or does not load, the verb only says so and fails.
/// \param summary  what the list of verbs says of it
void add_verb_of(const Component& component, const char* name, const std::string& summary, CLI::App& app, Run& run);

}  // namespace antaeus::cli
