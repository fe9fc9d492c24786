#pragma once
// Work on many things that do not know each other, in blocks and by several threads. Private to the library.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

#include "antaeus/core/progress.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus::detail {

/// Tells a Progress of work on \p count things, about a hundred times.
class ProgressSteps {
 public:
  ProgressSteps(const Progress& progress, std::ptrdiff_t count) : progress_(progress), count_(count) {}
  void tell(std::ptrdiff_t done) {
    if (!progress_ || done < next_) return;
    progress_(static_cast<double>(done) / static_cast<double>(count_));
    next_ = done + std::max<std::ptrdiff_t>(count_ / 100, 1);
  }

 private:
  const Progress& progress_;
  std::ptrdiff_t count_, next_ = 0;
};

/// Starts run(1) … run(\p count), each in a thread; fewer where the system does not give as many.
template <class Run>
void add_threads(std::vector<std::jthread>& threads, std::ptrdiff_t count, const Run& run) {
  try {
    for (std::ptrdiff_t k = 1; k <= count; ++k) threads.emplace_back(run, static_cast<int>(k));
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
    // Those that are there do all the work.
  }
}

/// Calls make(thread) once in each thread, the calling one being 0, and what it returns with blocks [first, last) until
/// all are done. Progress is told from the calling thread; where it throws, the others stop after their block. Of
/// threads that the system does not give, the others do the work.
template <class Make>
void in_blocks(std::ptrdiff_t count, std::ptrdiff_t block, int threads, const Progress& progress, Make make) {
  std::atomic<std::ptrdiff_t> next = 0;
  ProgressSteps progress_steps(progress, count);
  const auto run = [&](int thread) {
    auto work = make(thread);
    for (std::ptrdiff_t first = next.fetch_add(block); first < count; first = next.fetch_add(block)) {
      if (thread == 0) progress_steps.tell(first);
      work(first, std::min(first + block, count));
    }
  };
  std::vector<std::jthread> others;
  add_threads(others, std::min<std::ptrdiff_t>(threads, count / block + 1) - 1, run);
  try {
    run(0);
  } catch (...) {
    next = count;
    throw;
  }
}

}  // namespace antaeus::detail
