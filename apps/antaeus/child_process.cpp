#include "child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <mutex>

#include "antaeus/core/error.hpp"

namespace antaeus::cli {

namespace {

/// A process group with a watcher in it that ends it once the rope is cut: by us, or by our own end, however it comes.
struct Group {
  pid_t leader = 0, watcher = 0;
  int rope = -1;
};
struct Running {
  std::mutex mutex;
  std::vector<Group> groups;
  bool over = false;  ///< nothing may be started any more
};
Running& running() {
  static auto* const one = new Running;  // never destroyed: an interruption may come while the process ends
  return *one;
}

/// A shell that waits at the other end of the rope. What cannot be watched runs all the same.
void watch(Group& group, const posix_spawnattr_t& attributes) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[0], 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  char shell[] = "/bin/sh", option[] = "-c", code[] = "read -r end; kill -KILL 0";
  char* const arguments[] = {shell, option, code, nullptr};
  if (posix_spawn(&group.watcher, shell, &files, &attributes, arguments, environ) == 0) {
    group.rope = ends[1];
  } else {
    group.watcher = 0;
    ::close(ends[1]);
  }
  ::close(ends[0]);
  posix_spawn_file_actions_destroy(&files);
}

/// Ends what is left of a group, and its watcher.
void cut(const Group& group) noexcept {
  if (group.rope < 0) return;
  ::close(group.rope);
  int status = 0;
  while (::waitpid(group.watcher, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

Child start_child(const std::vector<std::string>& command, const std::filesystem::path& said) {
  std::vector<char*> arguments;
  for (const std::string& part : command) arguments.push_back(const_cast<char*>(part.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t none;  // this process waits for its signals in a thread (interruption.hpp); the child shall not
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  pid_t child = 0;
  int failed = 0;
  {
    const std::lock_guard<std::mutex> hold(running().mutex);
    failed = running().over ? 1 : posix_spawn(&child, arguments[0], &files, &attributes, arguments.data(), environ);
    if (failed == 0) {
      Group& group = running().groups.emplace_back();
      group.leader = child;
      posix_spawnattr_setpgroup(&attributes, child);
      watch(group, attributes);
    }
  }
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) throw Error(command.front(), "cannot be started", "check that it can be run");
  return {child};
}

std::optional<int> ended(const Child& child) {
  int status = 0;
  const std::lock_guard<std::mutex> hold(running().mutex);
  if (::waitpid(child.process, &status, WNOHANG) == 0) return std::nullopt;
  std::erase_if(running().groups, [&](const Group& group) {
    if (group.leader != child.process) return false;
    cut(group);
    return true;
  });
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void end_child(const Child& child) noexcept {
  const std::lock_guard<std::mutex> hold(running().mutex);
  const bool runs = std::ranges::find(running().groups, child.process, &Group::leader) != running().groups.end();
  if (runs) ::kill(-child.process, SIGKILL);
}

void kill_children() noexcept {
  const std::lock_guard<std::mutex> hold(running().mutex);
  running().over = true;
  for (const Group& group : running().groups) ::kill(-group.leader, SIGKILL);
}

}  // namespace antaeus::cli
