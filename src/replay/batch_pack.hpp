#pragma once
/// \file
/// The states that are worked on side by side: their rows in and out, and which of them have no result.

#include "replay/batch_numbers.hpp"
#include "replay/batch_rows.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

using detail::BatchCall;
using detail::BatchCounts;
using detail::BatchRows;
using detail::BatchRowsOut;

/// The states from `first` on that a pack holds; the last one again where there are fewer than lanes.
template <class D>
class Pack {
 public:
  static constexpr int kLanes = LaneTraits<D>::kLanes;

  ANTAEUS_LANES_INLINE Pack(const BatchCall& call, std::ptrdiff_t first) : call_(call), first_(first) {
    const std::ptrdiff_t rest = call.count - first;
    count_ = rest < kLanes ? static_cast<int>(rest) : kLanes;
  }
  ANTAEUS_LANES_INLINE void read(const BatchRows& from, int width, D* packs) {
    read_any(from, width, packs);
    // Zero, or NaN of what is not finite; in four sums, none of which waits for another.
    const auto trace = [&](int i) { return packs[i] - packs[i]; };  // NOLINT(misc-redundant-expression)
    D sums[4] = {finite_, all_lanes<D>(0.0), all_lanes<D>(0.0), all_lanes<D>(0.0)};
    int i = 0;
    for (; i + 4 <= width; i += 4) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) sums[k] = sums[k] + trace(i + k);
    }
    for (; i < width; ++i) sums[0] = sums[0] + trace(i);
    finite_ = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  /// Of a channel in which infinity and NaN have a meaning.
  ANTAEUS_LANES_INLINE void read_any(const BatchRows& from, int width, D* packs) const {
    const double* rows[kLanes];
    for (int k = 0; k < kLanes; ++k) rows[k] = from.data + (first_ + (k < count_ ? k : count_ - 1)) * from.stride;
    read_rows(rows, width, packs);
  }
  /// Brings the next pack's rows near.
  ANTAEUS_LANES_INLINE void fetch(const BatchRows& from, int width) const {
    if (first_ + 2 * kLanes > call_.count) return;
    for (int k = kLanes; k < 2 * kLanes; ++k) {
      const double* row = from.data + (first_ + k) * from.stride;
      for (int i = 0; i < width; i += 8) __builtin_prefetch(row + i);
    }
  }
  /// Closes the reading of what must be finite.
  ANTAEUS_LANES_INLINE void judge() {
    not_finite_ = finite_ != 0.0;
    bad_ = not_finite_;
  }
  ANTAEUS_LANES_INLINE void refuse_orientation(const Mask<D>& tilted) { bad_ = bad_ | tilted; }
  /// Lanes without a result work on zeros, and on nobody else's time.
  ANTAEUS_LANES_INLINE void clear(D* packs, int width) const {
    if (!any(bad_)) return;
    for (int i = 0; i < width; ++i) packs[i] = select(bad_, all_lanes<D>(0.0), packs[i]);
  }
  ANTAEUS_LANES_INLINE void write(const BatchRowsOut& to, std::ptrdiff_t offset, D* packs, int width) const {
    if (any(bad_)) {
      for (int i = 0; i < width; ++i) packs[i] = select(bad_, all_lanes<D>(__builtin_nan("")), packs[i]);
    }
    double* rows[kLanes];
    for (int k = 0; k < kLanes; ++k) {
      rows[k] = to.data + (first_ + (k < count_ ? k : count_ - 1)) * to.stride + offset;
    }
    write_rows(packs, width, count_, rows);
  }
  ANTAEUS_LANES_INLINE void write_status() const {
    for (int k = 0; k < count_; ++k) {
      call_.status[first_ + k] = holds(not_finite_, k) ? detail::kBatchNotFinite
                                 : holds(bad_, k)      ? detail::kBatchBadOrientation
                                                       : detail::kBatchOk;
    }
  }
  /// A whole number that is not negative, else −1 is written.
  ANTAEUS_LANES_INLINE void write_count(const BatchCounts& to, std::ptrdiff_t offset, const D& count) const {
    for (int k = 0; k < count_; ++k) {
      const double value = lane(count, k);
      const bool known = !holds(bad_, k) && value >= 0.0;
      to.data[(first_ + k) * to.stride + offset] = known ? static_cast<int>(value) : -1;
    }
  }

 private:
  const BatchCall& call_;
  std::ptrdiff_t first_;
  int count_ = 0;
  D finite_ = all_lanes<D>(0.0);
  Mask<D> not_finite_{}, bad_{};
};

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
