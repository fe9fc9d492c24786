#pragma once
// Programs that a verb runs: each in a process group of its own, so that it goes with all its children.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace antaeus::cli {

/// A program that runs.
struct Child {
  int process = 0;
};
/// Starts a program; what it prints is lost, what it says goes into a file. \throws Error
Child start_child(const std::vector<std::string>& command, const std::filesystem::path& said);
/// Its exit code when it has ended, 128 + the signal when one ended it; empty while it runs.
std::optional<int> ended(const Child& child);
/// Ends a program that runs, with all its children.
void end_child(const Child& child) noexcept;
/// Ends all that still run: for whoever ends this process early.
void kill_children() noexcept;

}  // namespace antaeus::cli
