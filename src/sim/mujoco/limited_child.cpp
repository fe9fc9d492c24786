#include "sim/mujoco/limited_child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <thread>

#include "antaeus/core/error.hpp"

namespace antaeus::detail {

namespace {

/// CPU time may be spread over this many times as much on a loaded machine.
constexpr unsigned kMostSlowdown = 20;

void limit(int resource, std::uint64_t most) {
  rlimit now{};
  ::getrlimit(static_cast<__rlimit_resource>(resource), &now);
  now.rlim_cur = std::min<rlim_t>(most, now.rlim_max);
  ::setrlimit(static_cast<__rlimit_resource>(resource), &now);
}

/// Bytes of data in use; 0 where /proc is not mounted. Address space would count what each thread's heap reserves.
std::uint64_t data_size() {
  unsigned long pages = 0;
  if (std::FILE* const file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void write_all(int to, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t count = ::write(to, data, size);
    if (count < 0 && errno != EINTR) ::_exit(1);
    if (count > 0) data += count, size -= static_cast<std::size_t>(count);
  }
}

[[noreturn]] void work_in_child(int to, pid_t parent, const ChildLimits& limits,
                                const std::function<std::string()>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  // Handlers of this process, as Python's faulthandler, would print; Ctrl-C reaches the parent, whose end ends the
  // child.
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGTERM, SIGPIPE}) {
    std::signal(signal, SIG_DFL);
  }
  std::signal(SIGINT, SIG_IGN);
  const int nowhere = ::open("/dev/null", O_RDWR);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, limits.seconds);
  constexpr std::uint64_t kStack = std::uint64_t{16} << 20;  // of each thread that MuJoCo starts
  const std::uint64_t stacks = kStack * std::thread::hardware_concurrency();
  if (const std::uint64_t used = data_size(); used > 0) limit(RLIMIT_DATA, used + stacks + limits.memory);
  std::string bytes;
  char kind = 'e';
  try {
    bytes = work();
    kind = 'b';
  } catch (const std::bad_alloc&) {
    kind = 'm';
  } catch (const std::exception& error) {
    bytes = error.what();
  }
  const std::uint64_t size = bytes.size();
  write_all(to, &kind, 1);
  write_all(to, reinterpret_cast<const char*>(&size), sizeof size);
  write_all(to, bytes.data(), bytes.size());
  ::_exit(0);
}

/// Everything that comes until the child closes its end; ends a child that takes too long.
std::string read_all(int from, pid_t child, unsigned seconds) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::seconds(std::uint64_t{kMostSlowdown} * seconds);
  std::string all;
  std::string block(std::size_t{1} << 16, '\0');
  for (;;) {
    pollfd ready{from, POLLIN, 0};
    const int events = ::poll(&ready, 1, 1000);
    if (events == 0 && Clock::now() > deadline) ::kill(child, SIGXCPU);
    if (events <= 0) continue;
    const ssize_t count = ::read(from, block.data(), block.size());
    if (count == 0 || (count < 0 && errno != EINTR)) return all;
    if (count > 0) all.append(block.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

ChildResult run_in_child(const ChildLimits& limits, const std::function<std::string()>& work) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error("MuJoCo", std::strerror(errno), "close files and try again");
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    work_in_child(ends[1], parent, limits, work);
  }
  ::close(ends[1]);
  if (child < 0) {
    const int problem = errno;
    ::close(ends[0]);
    throw Error("MuJoCo", std::string("no process can be started for it: ") + std::strerror(problem),
                "end other processes and try again");
  }
  std::string all = read_all(ends[0], child, limits.seconds);
  ::close(ends[0]);
  int status = 0;
  rusage used{};
  while (::wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
  constexpr std::size_t kHead = 1 + sizeof(std::uint64_t);
  std::uint64_t size = 0;
  if (all.size() >= kHead) std::memcpy(&size, all.data() + 1, sizeof size);
  ChildResult result;
  const std::string out_of_memory = "needs more than " + std::to_string(limits.memory >> 20) + " MiB of memory";
  if (all.size() < kHead || all.size() - kHead != size) {
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : SIGKILL;
    const bool is_large = static_cast<std::uint64_t>(used.ru_maxrss) * 1024 > limits.memory / 2;
    result.failure = signal == SIGXCPU ? "needs more than " + std::to_string(limits.seconds) + " s of CPU time"
                     : is_large        ? out_of_memory
                                       : std::string("crashes MuJoCo (") + ::strsignal(signal) + ")";
    return result;
  }
  const char kind = all[0];
  all.erase(0, kHead);
  if (kind == 'b') result.bytes = std::move(all);
  if (kind == 'e') result.error = std::move(all);
  if (kind == 'm') result.failure = out_of_memory;
  return result;
}

}  // namespace antaeus::detail
