#pragma once
// Messages on their way from those who receive them to the one thread that reads them. Private to src/live.

#include <atomic>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <span>
#include <vector>

namespace antaeus {

/// What stands before a message's bytes.
struct QueuedMessage {
  std::size_t size = 0;
  double received = 0.0;  ///< receiver's clock [s]
  int part = 0;
};

/// A ring of bytes, all taken by the constructor. Those who push wait for each other; the one who pops for nobody.
class ByteQueue {
 public:
  explicit ByteQueue(std::size_t bytes) : bytes_(bytes / kStep * kStep) {}

  /// \return false: no room, and nothing was done
  bool push(std::span<const std::byte> message, double received, int part) noexcept {
    const std::scoped_lock lock(pushing_);
    const std::size_t needed = kHead + round_up(message.size());
    const std::size_t end = end_.load(std::memory_order_relaxed), begin = begin_.load(std::memory_order_acquire);
    const std::size_t capacity = bytes_.size(), place = end % capacity, behind = capacity - place;
    // A message is not split: what is left behind the last one is skipped.
    const std::size_t skipped = behind < needed ? behind : 0;
    if (end + skipped + needed - begin > capacity) return false;
    if (skipped >= kHead) write({kSkip, 0.0, 0}, place);
    const std::size_t at = (end + skipped) % capacity;
    write({message.size(), received, part}, at);
    if (!message.empty()) std::memcpy(bytes_.data() + at + kHead, message.data(), message.size());
    end_.store(end + skipped + needed, std::memory_order_release);
    return true;
  }

  /// The oldest message; its bytes stay until drop(). \return false: none
  bool front(QueuedMessage& head, std::span<const std::byte>& message) noexcept {
    for (;;) {
      const std::size_t begin = begin_.load(std::memory_order_relaxed);
      if (begin == end_.load(std::memory_order_acquire)) return false;
      const std::size_t place = begin % bytes_.size(), behind = bytes_.size() - place;
      if (behind >= kHead) std::memcpy(&head, bytes_.data() + place, sizeof(head));
      if (behind < kHead || head.size == kSkip) {
        begin_.store(begin + behind, std::memory_order_release);
        continue;
      }
      message = {bytes_.data() + place + kHead, head.size};
      next_ = begin + kHead + round_up(head.size);
      return true;
    }
  }
  void drop() noexcept { begin_.store(next_, std::memory_order_release); }
  /// Whether a message of that size fits wherever it comes to stand.
  bool has_room(std::size_t size) const noexcept {
    const std::size_t used = end_.load(std::memory_order_acquire) - begin_.load(std::memory_order_acquire);
    return used + 2 * (kHead + round_up(size)) <= bytes_.size();
  }
  bool empty() const noexcept { return begin_.load(std::memory_order_acquire) == end_.load(std::memory_order_acquire); }

 private:
  static constexpr std::size_t kStep = 8, kSkip = ~std::size_t{0};
  static constexpr std::size_t round_up(std::size_t size) noexcept { return (size + kStep - 1) / kStep * kStep; }
  static constexpr std::size_t kHead = (sizeof(QueuedMessage) + kStep - 1) / kStep * kStep;
  void write(const QueuedMessage& head, std::size_t at) noexcept {
    std::memcpy(bytes_.data() + at, &head, sizeof(head));
  }

  std::vector<std::byte> bytes_;
  std::mutex pushing_;
  std::atomic<std::size_t> begin_ = 0, end_ = 0;  ///< counted on for ever
  std::size_t next_ = 0;
};

}  // namespace antaeus
