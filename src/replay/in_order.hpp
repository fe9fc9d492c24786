#pragma once
// Blocks that several threads work on, and that the calling thread takes one after the other. Private to src/replay.

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "core/in_blocks.hpp"

namespace antaeus::detail {

/// Calls prepare(slot, first, last) for each block, in order and one at a time, then work(thread, slot, first, last),
/// from the same thread beside others, and then take(slot, first, last), from the calling one and in order. A slot is
/// worked on again only after what is in it was taken: \p slots bounds memory. Where take() throws, the other threads
/// end after their block. \p prepare and \p work must not throw.
template <class Prepare, class Work, class Take>
void in_order(std::ptrdiff_t count, std::ptrdiff_t block, int threads, std::ptrdiff_t slots, const Prepare& prepare,
              const Work& work, const Take& take) {
  const std::ptrdiff_t blocks = (count + block - 1) / block;
  std::mutex mutex;
  std::condition_variable changed;
  std::ptrdiff_t next = 0, taken = 0;
  bool is_over = false;
  std::vector<char> is_ready(static_cast<std::size_t>(slots), 0);
  const auto slot_of = [slots](std::ptrdiff_t b) { return static_cast<std::size_t>(b % slots); };
  const auto first_of = [block](std::ptrdiff_t b) { return b * block; };
  const auto last_of = [block, count](std::ptrdiff_t b) { return std::min((b + 1) * block, count); };
  const auto is_open = [&] { return next < blocks && next < taken + slots; };
  const auto work_on_next = [&](int thread, std::unique_lock<std::mutex>& lock) {
    const std::ptrdiff_t b = next++;
    prepare(slot_of(b), first_of(b), last_of(b));
    lock.unlock();
    work(thread, slot_of(b), first_of(b), last_of(b));
    lock.lock();
    is_ready[slot_of(b)] = 1;
    changed.notify_all();
  };
  const auto help = [&](int thread) {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return is_over || next == blocks || is_open(); });
      if (is_over || next == blocks) return;
      work_on_next(thread, lock);
    }
  };
  std::vector<std::jthread> others;
  const auto end = [&] {
    const std::scoped_lock lock(mutex);
    is_over = true;
    changed.notify_all();
  };
  try {
    add_threads(others, std::min<std::ptrdiff_t>(threads, blocks) - 1, help);
    std::unique_lock lock(mutex);
    while (taken < blocks) {
      if (is_ready[slot_of(taken)]) {
        lock.unlock();
        take(slot_of(taken), first_of(taken), last_of(taken));
        lock.lock();
        is_ready[slot_of(taken)] = 0;
        ++taken;
        changed.notify_all();
      } else if (is_open()) {
        work_on_next(0, lock);
      } else {
        changed.wait(lock, [&] { return is_ready[slot_of(taken)] != 0; });
      }
    }
  } catch (...) {
    end();
    throw;
  }
}

}  // namespace antaeus::detail
