#pragma once
// Work on many things that do not know each other, in blocks and by several threads. Private to the library.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

#include "antaeus/core/types.hpp"

namespace antaeus::detail {

/// Tells a Progress of work on \p count things, about a hundred times.
class Hundredths {
 public:
  Hundredths(const Progress& progress, std::ptrdiff_t count) : progress_(progress), count_(count) {}
  void tell(std::ptrdiff_t done) {
    if (!progress_ || done < next_) return;
    progress_(static_cast<double>(done) / static_cast<double>(count_));
    next_ = done + std::max<std::ptrdiff_t>(count_ / 100, 1);
  }

 private:
  const Progress& progress_;
  std::ptrdiff_t count_, next_ = 0;
};

/// Calls make() once in each thread, and what it returns with blocks [first, last) until all are done. Progress is told
/// from the calling thread; where it throws, the others stop after their block. Of threads that the system does not
/// give, the others do the work.
template <class Make>
void in_blocks(std::ptrdiff_t count, std::ptrdiff_t block, int threads, const Progress& progress, Make make) {
  std::atomic<std::ptrdiff_t> next = 0;
  Hundredths hundredths(progress, count);
  const auto run = [&](bool tells) {
    auto work = make();
    for (std::ptrdiff_t first = next.fetch_add(block); first < count; first = next.fetch_add(block)) {
      if (tells) hundredths.tell(first);
      work(first, std::min(first + block, count));
    }
  };
  std::vector<std::jthread> others;
  const std::ptrdiff_t most = std::min<std::ptrdiff_t>(threads, count / block + 1);
  try {
    for (std::ptrdiff_t k = 1; k < most; ++k) others.emplace_back(run, false);
  } catch (const std::system_error&) {
  }
  try {
    run(true);
  } catch (...) {
    next = count;
    throw;
  }
}

}  // namespace antaeus::detail
