#pragma once
/// \file
/// CPU time of one thread: a busy machine changes it little, where a clock would count other processes too.

#include <time.h>

#include <algorithm>
#include <limits>

namespace antaeus::test {

/// Returns the CPU time of this thread [s].
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Returns the CPU time of the cheapest of some rounds of work [s].
template <class Work>
double cheapest_cpu_seconds(int rounds, Work work) {
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const double begin = cpu_seconds();
    work();
    best = std::min(best, cpu_seconds() - begin);
  }
  return best;
}

}  // namespace antaeus::test
