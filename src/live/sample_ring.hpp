#pragma once
// The last samples, written by one thread and read by others that it never waits for. Private to src/live.

#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace antaeus {

/// Rows of numbers. A reader copies, and then asks whether the writer has gone over what it copied.
class SampleRing {
 public:
  SampleRing(std::size_t rows, std::size_t width) : rows_(rows), width_(width), words_(rows * width) {}

  /// The next row.
  void write(std::span<const double> row) noexcept {
    const std::uint64_t index = written_.load(std::memory_order_relaxed);
    begun_.store(index + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    std::uint64_t* const to = words_.data() + index % rows_ * width_;
    for (std::size_t i = 0; i < width_; ++i) {
      std::atomic_ref(to[i]).store(std::bit_cast<std::uint64_t>(row[i]), std::memory_order_relaxed);
    }
    written_.store(index + 1, std::memory_order_release);
  }
  std::uint64_t written() const noexcept { return written_.load(std::memory_order_acquire); }
  /// \return whether the row is the one of that number, whole
  bool read(std::uint64_t index, std::span<double> row) const noexcept {
    if (index >= written() || index + rows_ < begun_.load(std::memory_order_relaxed)) return false;
    const std::uint64_t* const from = words_.data() + index % rows_ * width_;
    for (std::size_t i = 0; i < width_; ++i) {
      row[i] =
          std::bit_cast<double>(std::atomic_ref(const_cast<std::uint64_t&>(from[i])).load(std::memory_order_relaxed));
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    return begun_.load(std::memory_order_relaxed) <= index + rows_;
  }
  std::size_t rows() const noexcept { return rows_; }
  std::size_t width() const noexcept { return width_; }

 private:
  std::size_t rows_, width_;
  std::vector<std::uint64_t> words_;
  std::atomic<std::uint64_t> begun_ = 0, written_ = 0;
};

}  // namespace antaeus
