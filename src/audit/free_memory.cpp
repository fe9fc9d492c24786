#include <sys/resource.h>

#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "antaeus/audit/audit.hpp"

namespace antaeus {

namespace {

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

}  // namespace

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

}  // namespace antaeus
