#include "audit/memory_needed.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"

namespace antaeus::detail {

namespace {

constexpr double kBytesASeries = 1600.0, kBytesAMotor = 90.0;  // a step

/// The number in a file's first line that begins with \p key; infinity where there is none.
double number_in(const char* file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    double value = 0.0;
    if (std::istringstream(line.substr(key.size())) >> value) return value;
    break;
  }
  return std::numeric_limits<double>::infinity();
}

std::string gigabytes(double bytes) { return fixed_text(1e-9 * bytes, 1) + " GB"; }

}  // namespace

double memory_of_audit(const Robot& robot, const std::vector<std::string>& endpoints, double steps) {
  double series = 0.0;
  for (const std::string& endpoint : endpoints) series += robot.kind_of(endpoint) == EndpointKind::foot ? 2.0 : 3.0;
  return steps * (kBytesASeries * series + kBytesAMotor * robot.model.motor_count());
}

double free_memory() {
  const double machine = 1024.0 * number_in("/proc/meminfo", "MemAvailable:");
  const double container = number_in("/sys/fs/cgroup/memory.max", "") - number_in("/sys/fs/cgroup/memory.current", "");
  double own = std::numeric_limits<double>::infinity();
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    own = static_cast<double>(limit.rlim_cur) - 1024.0 * number_in("/proc/self/status", "VmSize:");
  }
  double least = machine;
  for (const double bytes : {container, own}) {
    if (bytes < least) least = bytes;  // NaN where nothing is limited
  }
  return least;
}

void check_memory(const Robot& robot, const std::vector<std::string>& endpoints, const std::vector<Episode>& episodes) {
  double steps = 0.0;
  for (const Episode& episode : episodes) steps += static_cast<double>(episode.steps());
  const double needed = memory_of_audit(robot, endpoints, steps), free = free_memory();
  if (needed <= free) return;
  throw EpisodeError(episodes.front().name,
                     "an audit of " + std::to_string(static_cast<long long>(steps)) + " steps needs about " +
                         gigabytes(needed) + " of memory, and " + gigabytes(std::max(free, 0.0)) + " are free",
                     "audit a part of it, or write the wrenches of all steps alone (antaeus estimate)");
}

}  // namespace antaeus::detail
