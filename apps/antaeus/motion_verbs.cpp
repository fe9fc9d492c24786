// The verbs of libantaeus_motion.so, loaded by the command line when they are there.
#include <string_view>

#include "antaeus/core/api.hpp"
#include "commands/command.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): the number is the version of the border
extern "C" ANTAEUS_API bool antaeus_add_verb_1(const char* name, CLI::App& app, antaeus::cli::Run& run) {
  const std::string_view verb = name;
  if (verb == "contact") antaeus::cli::add_contact(app, run);
  if (verb == "ik") antaeus::cli::add_ik(app, run);
  return verb == "contact" || verb == "ik";
}
