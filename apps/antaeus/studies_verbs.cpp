// The verbs of libantaeus_studies.so, loaded by the command line when they are there.
#include <optional>
#include <string>
#include <string_view>

#include "antaeus/core/api.hpp"
#include "antaeus/sim/mujoco_robot.hpp"
#include "commands/command.hpp"
#include "ik_clip_call.hpp"
#include "studies/ik_clip.hpp"
#include "terminal.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): the number is the version of the border
extern "C" ANTAEUS_API bool antaeus_add_verb_1(const char* name, CLI::App& app, antaeus::cli::Run& run) {
  const std::string_view verb = name;
  if (verb == "simulate") antaeus::cli::add_simulate(app, run);
  if (verb == "space") antaeus::cli::add_space(app, run);
  return verb == "simulate" || verb == "space";
}

// NOLINTNEXTLINE(readability-identifier-naming): as above
extern "C" ANTAEUS_API void antaeus_ik_clip_1(const antaeus::cli::IkClipCall& call) {
  if (!call.result) return antaeus::check_clip(call.settings->get<antaeus::ClipChoice>());
  antaeus::Clip clip = antaeus::ik_clip(*call.result, call.trace, *call.settings, antaeus::cli::progress_bar("clip"));
  *call.mp4 = std::move(clip.mp4);
  *call.told = std::move(clip.of_the_run);
}

// NOLINTNEXTLINE(readability-identifier-naming): the number is the version of the border
extern "C" ANTAEUS_API void antaeus_load_mjcf_1(const std::string& file, const std::optional<antaeus::Base>& base,
                                                std::optional<antaeus::Robot>& robot) {
  robot = antaeus::load_any_robot(file, antaeus::MeshPolicy::required, base);
}
