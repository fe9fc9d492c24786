#pragma once
// What the verbs share. One file a verb; each adds its subcommand and leaves its work in `run`.
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "antaeus/audit/audit.hpp"

namespace antaeus::cli {

/// The contract of the exit code: docs/cli.md.
enum ExitCode : int { kFine = 0, kRefused = 1, kBadInput = 2 };

/// The work of the verb that was given; set by the subcommand's callback.
using Run = std::function<int()>;

/// Options that several verbs take.
struct RobotChoice {
  std::string robot;
  bool ignore_meshes = false;
  void add_to(CLI::App& verb, bool required = true);
  Robot load() const;
};

/// --set and the settings that it changes.
struct Settings {
  std::vector<std::string> assignments;
  void add_to(CLI::App& verb);
  /// The profile's sign, then --set. \throws OptionsError
  AuditOptions options(const Robot& robot) const;
};

void add_audit(CLI::App& app, Run& run);
void add_demo(CLI::App& app, Run& run);
void add_estimate(CLI::App& app, Run& run);
void add_preflight(CLI::App& app, Run& run);
void add_robot(CLI::App& app, Run& run);

/// Prints an audit, or its JSON, writes its files into `out` when not empty, and gives the exit code.
int deliver(const Audit& audit, const std::string& out, bool json);
/// The audit's story for the terminal.
std::string audit_story(const Audit& audit);
/// Motor positions "joint=value,joint=value" on top of zero. \throws OptionsError
VectorX parse_positions(const Robot& robot, const std::string& text);

}  // namespace antaeus::cli
