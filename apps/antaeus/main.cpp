// antaeus: the command line over the library. Results on stdout, talk on stderr.
#include <fcntl.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string_view>
#include <vector>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "commands/command.hpp"
#include "components.hpp"
#include "interruption.hpp"
#include "python_verbs.hpp"
#include "terminal.hpp"

namespace {

using antaeus::cli::kBadInput;
using antaeus::cli::say;

/// Of an option that takes one value and stands there more than once; empty: none does.
std::string given_twice(const CLI::App& verb, int argc, char** argv) {
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_items_expected_max() != 1 || option->get_multi_option_policy() != CLI::MultiOptionPolicy::Throw) {
      continue;
    }
    std::vector<std::string> names;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    int count = 0;
    for (int i = 2; i < argc; ++i) {
      const std::string given(argv[i]);
      count += std::find(names.begin(), names.end(), given.substr(0, given.find('='))) != names.end();
    }
    if (count > 1)
      return names.front() + " is given " + (count == 2 ? "twice" : std::to_string(count) + " times") +
             "; give it once";
  }
  return {};
}

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  return verbs;
}

/// Returns what is wrong with the verb, empty if nothing is.
std::string unknown_verb(const CLI::App& app, int argc, char** argv) {
  const std::vector<std::string> verbs = verb_names(app);
  if (argc < 2 || argv[1][0] == '-' || std::ranges::find(verbs, argv[1]) != verbs.end()) return "";
  const auto text = antaeus::unknown_name("command", argv[1], verbs);
  return text.problem + "; " + text.remedy;
}

/// Names the nearest option: CLI11 states only what was wrong.
std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const std::vector<std::string> verbs = verb_names(app);
  const CLI::App* verb = &app;
  for (const CLI::App* candidate : app.get_subcommands({})) {
    if (argc > 1 && candidate->get_name() == argv[1]) verb = candidate;
  }
  if (verb == &app && argc > 1) {
    for (int i = 2; i < argc; ++i) {
      if (std::find(verbs.begin(), verbs.end(), argv[i]) == verbs.end()) continue;
      return "'" + std::string(argv[1]) + "' comes before the command; write antaeus " + argv[i] + " first, then " +
             argv[1];
    }
  }
  if (const std::string twice = given_twice(*verb, argc, argv); !twice.empty()) return twice;
  std::vector<std::string> options;
  for (const CLI::Option* option : verb->get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  }
  for (int i = 2; i < argc; ++i) {
    const std::string given = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (!given.starts_with("--") || std::find(options.begin(), options.end(), given) != options.end()) continue;
    const auto text = antaeus::unknown_name("option", given, options);
    return text.problem + "; " + text.remedy;
  }
  std::string line = error.what();
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  return line + "; see antaeus " + (verb == &app ? "" : verb->get_name() + " ") + "--help";
}

/// A stream that is closed (`>&-`) is opened on nothing: else the next file that is opened would take its number, and
/// receive what is printed. Stdout is opened for reading, so that printing fails and is told.
void open_closed_streams() {
  for (const int stream : {0, 1, 2}) {
    if (::fcntl(stream, F_GETFD) < 0) static_cast<void>(::open("/dev/null", stream == 2 ? O_WRONLY : O_RDONLY));
  }
}

/// A pipe's reader may leave early, but a full disk must not pass for success. What the work found is not lost by it.
int after_printing(int code) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return code;
  say("antaeus: stdout: cannot be written; free disk space, or redirect it");
  return code == antaeus::cli::kFine ? kBadInput : code;
}

/// The verb's work; what fails is told in one line. \param cuts  whether the verb can cut its log
int run_told(const antaeus::cli::Run& run, bool cuts) {
  try {
    return run();
  } catch (const antaeus::Error& error) {
    say("antaeus: " + error.text(antaeus::FrontEnd::command_line));
  } catch (const std::bad_alloc&) {
    say(std::string("antaeus: not enough memory; cut the log") +
        (cuts ? " (--from, --to)" : ", or take a robot of fewer joints if it is short"));
  } catch (const std::filesystem::filesystem_error& error) {
    say("antaeus: " + error.path1().string() + ": cannot be used (" + error.code().message() + "); check the path");
  } catch (const std::exception& error) {
    say(std::string("antaeus: ") + error.what() + "; please report this");
  }
  return kBadInput;
}

/// Where an installation has the pages that messages point to; empty in a checkout, which has them in docs/.
std::string reference_pages() {
  const std::filesystem::path folder = antaeus::robots_folder().parent_path() / "docs";
  std::error_code absent;
  if (!std::filesystem::is_directory(folder, absent)) return {};
  return "\nPages that messages name as docs/…: " + antaeus::printable(folder.string());
}

/// "help", "help COMMAND" and "version", as people try them, become the options --help and --version; a command's name
/// in the previous release becomes today's. \param words  argv with its null at the end
void rewrite_words(std::vector<char*>& words) {
  static char help[] = "--help", version[] = "--version", inject[] = "inject";
  if (words.size() < 3) return;
  const std::string_view first = words[1];
  if (first == "version" && words.size() == 3) words[1] = version;
  if (first == "help") {
    words.erase(words.begin() + 1);
    words.insert(words.end() - 1, help);
  }
  if (words[1] != std::string_view("mutate")) return;
  say("antaeus: write 'inject' for 'mutate': the old spelling is accepted for one release");
  words[1] = inject;
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): memory that runs out while options are declared may end the process
int main(int argc, char** argv) {
  using namespace antaeus::cli;
  open_closed_streams();
  std::signal(SIGPIPE, SIG_DFL);  // a reader of a pipe may leave early, whatever a parent such as Python has set
  std::vector<char*> words(argv, argv + argc + 1);
  rewrite_words(words);
  argv = words.data();
  argc = static_cast<int>(words.size()) - 1;
  clean_up_when_interrupted();
  convert_recordings_by_python();
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes becomes an error that is told, not the end of the process
  CLI::App app("Contact forces of a robot from its joint torques, each with an uncertainty and a verdict.", "antaeus");
  app.set_version_flag("--version", "antaeus " ANTAEUS_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer([] {
    return "antaeus help COMMAND explains one of them." + reference_pages() +
           "\nExit codes: 0 fine, 1 ran and refused or found an incident, 2 bad input.";
  });
  Run run;
  add_demo(app, run);
  add_check(app, run);
  add_show(app, run);
  add_audit(app, run);
  add_estimate(app, run);
  add_preflight(app, run);
  add_advise(app, run);
  add_map(app, run);
  add_identify(app, run);
  add_inject(app, run);
  add_verb_of(kMotion, "contact", kContactSummary, app, run);
  add_verb_of(kMotion, "ik", kIkSummary, app, run);
  add_verb_of(kStudies, "simulate", kSimulateSummary, app, run);
  add_verb_of(kStudies, "space", kSpaceSummary, app, run);
  add_robot(app, run);
  add_tour(app, run);
  add_python_verbs(app, run);
  // CLI11 would print the program's help for an unknown verb that --help follows.
  if (const std::string problem = unknown_verb(app, argc, argv); !problem.empty()) {
    say("antaeus: " + problem);
    return kBadInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return after_printing(app.exit(help));
  } catch (const CLI::ParseError& error) {
    if (argc < 2) {
      print(app.help());
      return kBadInput;
    }
    say("antaeus: " + explain(app, error, argc, argv));
    return kBadInput;
  }
  const auto verbs = app.get_subcommands();
  return after_printing(run_told(run, !verbs.empty() && verbs.front()->get_option_no_throw("--from") != nullptr));
}
