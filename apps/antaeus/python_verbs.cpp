#include "python_verbs.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "antaeus/core/error.hpp"

namespace antaeus::cli {

namespace {

namespace fs = std::filesystem;

struct PythonVerb {
  const char* name;
  const char* summary;
};
constexpr PythonVerb kVerbs[] = {
    {"cmake-prefix", "Print the folder with which find_package(antaeus) finds this installation"},
};

/// Empty: none of them is there.
fs::path python() {
  std::error_code absent;
  if (const char* const named = std::getenv("ANTAEUS_PYTHON"); named && *named) return named;
  const fs::path folder = fs::read_symlink("/proc/self/exe", absent).parent_path();
  for (const fs::path& place : {folder.parent_path() / "venv/bin/python", folder / "python3"}) {
    if (fs::exists(place, absent)) return place;
  }
  return {};
}

int become(const PythonVerb& verb, const std::vector<std::string>& rest) {
  const std::string place = std::string("verb '") + verb.name + "'";
  const std::string program = python().string();
  if (program.empty()) {
    throw Error(place, "is written in Python, and this program knows no Python with the package antaeus",
                "run the antaeus that pip installed, or name an interpreter: ANTAEUS_PYTHON=…");
  }
  std::vector<std::string> words = {program, "-m", "antaeus", "--verb", verb.name};
  words.insert(words.end(), rest.begin(), rest.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  throw Error(place, "needs Python, and " + program + " cannot be run (" + std::strerror(errno) + ")",
              "name an interpreter: ANTAEUS_PYTHON=…");
}

}  // namespace

void add_python_verbs(CLI::App& app, Run& run) {
  for (const PythonVerb& each : kVerbs) {
    CLI::App* const verb = app.add_subcommand(each.name, each.summary);
    // What stands after it is Python's to read, --help too.
    verb->set_help_flag();
    verb->allow_extras()->prefix_command();
    verb->callback([verb, each, &run] { run = [verb, each] { return become(each, verb->remaining()); }; });
  }
}

}  // namespace antaeus::cli
