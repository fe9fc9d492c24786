#pragma once
// Threads that stay for many short turns of work. Private to the library.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

#include "core/in_blocks.hpp"

namespace antaeus::detail {

/// The calling thread and others that wait between its turns: to start a thread anew takes longer than a turn may last.
/// Of threads that the system does not give, the others do the work.
class Team {
 public:
  explicit Team(int threads) {
    add_threads(others_, threads - 1, [this](int thread) { serve(thread); });
  }
  ~Team() {
    {
      const std::scoped_lock lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Calls work(thread, i) for each i below \p count, \p block at a time and from any thread, the calling one among
  /// them as thread 0. \p work must not throw.
  template <class Work>
  void run(std::ptrdiff_t count, std::ptrdiff_t block, const Work& work) {
    const auto turn = [&](int thread) {
      for (std::ptrdiff_t first = next_.fetch_add(block); first < count; first = next_.fetch_add(block)) {
        for (std::ptrdiff_t i = first; i < std::min(first + block, count); ++i) work(thread, i);
      }
    };
    {
      const std::scoped_lock lock(mutex_);
      next_ = 0;
      context_ = &turn;
      call_ = [](const void* context, int thread) { (*static_cast<const decltype(turn)*>(context))(thread); };
      busy_ = std::ssize(others_);
      ++turns_;
    }
    if (!others_.empty()) changed_.notify_all();
    turn(0);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void serve(int thread) {
    std::ptrdiff_t seen = 0;
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return is_over_ || turns_ > seen; });
      if (is_over_) return;
      seen = turns_;
      lock.unlock();
      call_(context_, thread);
      lock.lock();
      if (--busy_ == 0) changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<std::ptrdiff_t> next_ = 0;
  const void* context_ = nullptr;
  void (*call_)(const void* context, int thread) = nullptr;
  std::ptrdiff_t busy_ = 0, turns_ = 0;
  bool is_over_ = false;
  std::vector<std::jthread> others_;  ///< the last: they end before what they wait on
};

}  // namespace antaeus::detail
