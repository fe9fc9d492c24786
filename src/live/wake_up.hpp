#pragma once
// Threads that wait for another, which never waits for them. Private to src/live.

#include <semaphore.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <ctime>

namespace antaeus {

/// One thread sleeps, others wake it. `wake` costs an atomic read while nobody sleeps, and never blocks.
class WakeUp {
 public:
  WakeUp() noexcept { sem_init(&semaphore_, 0, 0); }
  ~WakeUp() { sem_destroy(&semaphore_); }
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  /// Before the condition is looked at once more: who makes it true from here on, wakes.
  void prepare() noexcept { sleeps_.store(true, std::memory_order_seq_cst); }
  void cancel() noexcept {
    if (!sleeps_.exchange(false, std::memory_order_seq_cst)) sem_wait_once();
  }
  /// Until wake(), or the time is over.
  void sleep(std::chrono::nanoseconds time) noexcept {
    timespec until{};
    clock_gettime(CLOCK_MONOTONIC, &until);
    constexpr long kSecond = 1000000000L;
    const long long nanoseconds = until.tv_nsec + time.count();
    until.tv_sec += static_cast<time_t>(nanoseconds / kSecond);
    until.tv_nsec = static_cast<long>(nanoseconds % kSecond);
    int result = 0;
    do {
      result = sem_clockwait(&semaphore_, CLOCK_MONOTONIC, &until);
    } while (result != 0 && errno == EINTR);
    if (result != 0) cancel();
  }
  void wake() noexcept {
    // Orders what was made true before the look at who sleeps (prepare() does the same the other way round).
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (sleeps_.load(std::memory_order_relaxed) && sleeps_.exchange(false, std::memory_order_seq_cst)) {
      sem_post(&semaphore_);
    }
  }

 private:
  /// A wake-up is on its way: it is taken, so that the next sleep does not end at once.
  void sem_wait_once() noexcept {
    while (sem_wait(&semaphore_) != 0 && errno == EINTR) {
    }
  }
  sem_t semaphore_;
  std::atomic<bool> sleeps_ = false;
};

/// Several threads that may sleep at once.
class WakeUps {
 public:
  static constexpr int kMost = 16;
  /// \return null: too many sleep already
  WakeUp* take() noexcept {
    for (Place& place : places_) {
      if (!place.taken.exchange(true, std::memory_order_acquire)) return &place.one;
    }
    return nullptr;
  }
  void give_back(WakeUp* one) noexcept {
    for (Place& place : places_) {
      if (&place.one == one) place.taken.store(false, std::memory_order_release);
    }
  }
  void wake() noexcept {
    for (Place& place : places_) place.one.wake();
  }

 private:
  struct Place {
    WakeUp one;
    std::atomic<bool> taken = false;
  };
  std::array<Place, kMost> places_;
};

}  // namespace antaeus
