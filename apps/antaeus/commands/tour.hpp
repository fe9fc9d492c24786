#pragma once
// The stops of `antaeus tour`, and what is told of each. Private to the verb.
#include <filesystem>
#include <string>
#include <vector>

#include "antaeus/contact/contact_motion.hpp"
#include "antaeus/io/json.hpp"

namespace antaeus::cli {

struct Component;

/// What a stop shows: sentences and a figure, each number out of the run's own files.
struct Told {
  std::vector<std::string> sentences;  ///< three
  std::string svg;
};

/// One system of Antaeus: the verb that shows it, as a command of its own.
struct Stop {
  std::string folder, kicker, title;
  std::vector<std::string> command;      ///< without `antaeus` and --out; files are relative to the tour's folder
  const Component* component = nullptr;  ///< null: it is in the command line itself
  int expected = 0;                      ///< exit code: 1 where the run shows an incident or a refusal
  Told (*tell)(const std::filesystem::path& folder, const Json& summary) = nullptr;
};

const std::vector<Stop>& tour_stops();

/// walk.npz: q and time of the H1-2, walking. Its centre of mass moves as a pendulum on the feet's pressure does, in
/// closed form, so that the walk is one that a floor can carry.
std::string walking_motion();

/// Reads JSON that Antaeus wrote. \throws Error that names the file
Json read_json(const std::filesystem::path& file);

}  // namespace antaeus::cli
