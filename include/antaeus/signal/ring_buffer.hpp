#pragma once
/// \file
/// A ring buffer: keeps the last N elements, for flight recorders and windows.

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "antaeus/core/error.hpp"

namespace antaeus {

/// Keeps the newest `capacity` elements; a further one replaces the oldest. All memory is taken by the constructor,
/// where every slot is a copy of a prototype. So an element with memory of its own (a VectorX, a struct of them) is
/// filled by assignment of equal size, without allocation.
///
///     RingBuffer<Sample> recorder(500, Sample(motors));
///     Sample& slot = recorder.push();
///     slot.tau = observation.tau;
///
/// A slot keeps what it last held: overwrite all of it. \realtime after construction, signal_realtime_test
template <class T>
class RingBuffer {
  static_assert(!std::is_same_v<T, bool>, "std::vector<bool> hands out no references");

 public:
  /// \throws Error  for a capacity below 1
  explicit RingBuffer(int capacity, const T& prototype = T()) {
    if (capacity < 1) throw Error("RingBuffer", "capacity " + std::to_string(capacity) + " is below 1", "give one");
    slots_.assign(static_cast<std::size_t>(capacity), prototype);
  }

  /// The slot of a new, newest element, to be filled by the caller.
  T& push() noexcept {
    if (size_ < slots_.size()) {
      ++size_;
    } else {
      first_ = next(first_);
    }
    return slots_[index(size_ - 1)];
  }

  /// Element i from the oldest (0) to the newest (size() − 1). As with std::vector, i must be in that range.
  const T& operator[](int i) const noexcept { return slots_[index(static_cast<std::size_t>(i))]; }
  T& operator[](int i) noexcept { return slots_[index(static_cast<std::size_t>(i))]; }

  /// The oldest and the newest element; null when empty.
  const T* oldest() const noexcept { return empty() ? nullptr : &slots_[first_]; }
  const T* newest() const noexcept { return empty() ? nullptr : &slots_[index(size_ - 1)]; }

  int size() const noexcept { return static_cast<int>(size_); }
  int capacity() const noexcept { return static_cast<int>(slots_.size()); }
  bool empty() const noexcept { return size_ == 0; }
  bool full() const noexcept { return size_ == slots_.size(); }

  /// Forgets all elements; their memory stays.
  void clear() noexcept { first_ = size_ = 0; }

 private:
  std::size_t next(std::size_t slot) const noexcept { return slot + 1 == slots_.size() ? 0 : slot + 1; }
  std::size_t index(std::size_t i) const noexcept {
    const std::size_t slot = first_ + i;
    return slot < slots_.size() ? slot : slot - slots_.size();
  }

  std::vector<T> slots_;
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace antaeus
