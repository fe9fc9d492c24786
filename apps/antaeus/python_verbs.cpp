#include "python_verbs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "antaeus/core/error.hpp"
#include "antaeus/episode/foreign_log.hpp"
#include "child_process.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

namespace fs = std::filesystem;

struct PythonVerb {
  const char* name;
  const char* summary;
};
constexpr PythonVerb kVerbs[] = {
    {"convert", "convert a recording (ROS bag, MCAP, HDF5, LeRobot, …) to a log, or write its forces as MCAP"},
    {"fleet", "make tables of many logs, on this machine or a cluster; report, query and compare them"},
    {"watch", "show, record and publish the forces of a running robot, from the stream that it publishes"},
    {"cmake-prefix", "print the folder with which find_package(antaeus) finds this installation"},
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
  const std::string place = std::string("command '") + verb.name + "'";
  const std::string program = python().string();
  if (program.empty()) {
    throw Error(place, "is written in Python, and this program found no Python with the package antaeus",
                "run the antaeus that pip installed, or name an interpreter: ANTAEUS_PYTHON=…");
  }
  std::vector<std::string> words = {program, "-m", "antaeus", "--verb", verb.name};
  words.insert(words.end(), rest.begin(), rest.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  // A blocked signal stays blocked across execv, and the thread that waits for it here (interruption.cpp) does not.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  ::execv(program.c_str(), argv.data());
  throw Error(place, "needs Python, and " + program + " cannot be run (" + std::strerror(errno) + ")",
              "name an interpreter: ANTAEUS_PYTHON=…");
}

/// What a child has said, in lines: "progress 0.25", and at last an error or a note.
std::vector<std::string> lines_of(const fs::path& said) {
  std::ifstream file(said);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

void convert(const fs::path& recording, const fs::path& folder) {
  const std::string program = python().string();
  if (program.empty()) {
    throw EpisodeError(recording.string(),
                       "a recording of another format is read by Python, and this program found none",
                       "run the antaeus that pip installed, or name an interpreter: ANTAEUS_PYTHON=…");
  }
  const fs::path said = folder.parent_path() / "said";
  const std::string named = recording.string();  // no option, whatever it begins with
  const Child child = start_child({program, "-m", "antaeus", "--verb", "convert", "--told-progress",
                                   named.starts_with('-') ? "./" + named : named, folder.string()},
                                  said);
  const auto progress = progress_bar("reading " + printable(recording.filename().string()));
  std::optional<int> code;
  while (!(code = ended(child))) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (!progress) continue;
    const std::vector<std::string> lines = lines_of(said);
    if (!lines.empty() && lines.back().starts_with("progress "))
      progress(std::strtod(lines.back().c_str() + 9, nullptr));
  }
  if (progress) progress(1.0);
  if (*code == 0) return;
  std::string line = recording.string() + ": the conversion ended with code " + std::to_string(*code);
  for (const std::string& one : lines_of(said)) {
    if (one.starts_with("antaeus: ")) line = one.substr(9);
  }
  const std::size_t end = std::min(line.find(": "), line.size());
  throw EpisodeError(line.substr(0, end), line.substr(std::min(end + 2, line.size())));
}

}  // namespace

void convert_recordings_by_python() { set_log_converter(convert); }

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
