#pragma once
/// \file
/// The processor's time of one thread: what others do on the machine hardly counts.

#include <ctime>

namespace antaeus::detail {

/// [s], from some start.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace antaeus::detail
