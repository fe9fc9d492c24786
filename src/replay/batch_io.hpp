#pragma once
/// \file
/// Rows of several states, each with its numbers side by side in memory, into lanes and back; which states are worked
/// on side by side, and which of them have no result.

#include "antaeus/core/lanes.hpp"
#include "replay/batch_numbers.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

/// Transposes a square of lanes in place: of W rows with W numbers each, W packs with one number of each row.
ANTAEUS_LANES_INLINE void transpose(double*) {}
ANTAEUS_LANES_INLINE void transpose(Double2* m) {
  const Double2 a = m[0], b = m[1];
  m[0] = __builtin_shufflevector(a, b, 0, 2);
  m[1] = __builtin_shufflevector(a, b, 1, 3);
}
#if defined(__AVX2__)
ANTAEUS_LANES_INLINE void transpose(Double4* m) {
  Double4 t[4];
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    t[2 * i] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 0, 4, 2, 6);
    t[2 * i + 1] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 1, 5, 3, 7);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    m[i] = __builtin_shufflevector(t[i], t[i + 2], 0, 1, 4, 5);
    m[i + 2] = __builtin_shufflevector(t[i], t[i + 2], 2, 3, 6, 7);
  }
}
#endif
#if defined(__AVX512F__)
ANTAEUS_LANES_INLINE void transpose(Double8* m) {
  Double8 t[8], u[8];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    t[2 * i] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    t[2 * i + 1] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
#pragma GCC unroll 2
    for (int k = 0; k < 2; ++k) {
      u[4 * i + k] = __builtin_shufflevector(t[4 * i + k], t[4 * i + 2 + k], 0, 1, 8, 9, 4, 5, 12, 13);
      u[4 * i + 2 + k] = __builtin_shufflevector(t[4 * i + k], t[4 * i + 2 + k], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    m[k] = __builtin_shufflevector(u[k], u[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    m[k + 4] = __builtin_shufflevector(u[k], u[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}
#endif

/// \p width numbers of each row, as packs.
template <class D>
void read_rows(const double* const* rows, int width, D* packs) {
  constexpr int kLanes = LaneTraits<D>::kLanes;
  if (width < kLanes) {
    for (int i = 0; i < width; ++i) {
      D pack = all_lanes<D>(0.0);
      for (int k = 0; k < kLanes; ++k) set_lane(pack, k, rows[k][i]);
      packs[i] = pack;
    }
    return;
  }
  for (int begin = 0; begin < width; begin += kLanes) {
    const int from = begin + kLanes <= width ? begin : width - kLanes;  // the last square overlaps the one before
    D square[kLanes];
#pragma GCC unroll 8
    for (int k = 0; k < kLanes; ++k) __builtin_memcpy(&square[k], rows[k] + from, sizeof(D));
    transpose(square);
#pragma GCC unroll 8
    for (int k = 0; k < kLanes; ++k) packs[from + k] = square[k];
  }
}

/// The way back; writes the first \p count rows.
template <class D>
void write_rows(const D* packs, int width, int count, double* const* rows) {
  constexpr int kLanes = LaneTraits<D>::kLanes;
  if (width == 1) {
    double numbers[kLanes];
    __builtin_memcpy(numbers, packs, sizeof(D));
    for (int k = 0; k < count; ++k) *rows[k] = numbers[k];
    return;
  }
  if (width < kLanes) {
    D square[kLanes];
#pragma GCC unroll 8
    for (int k = 0; k < kLanes; ++k) square[k] = k < width ? packs[k] : all_lanes<D>(0.0);
    transpose(square);
    for (int k = 0; k < count; ++k) {
      // Pieces of a size that is known here.
      const double* from = reinterpret_cast<const double*>(&square[k]);
      double* to = rows[k];
      if constexpr (kLanes > 4) {
        if (width & 4) {
          __builtin_memcpy(to, from, 32);
          from += 4;
          to += 4;
        }
      }
      if constexpr (kLanes > 2) {
        if (width & 2) {
          __builtin_memcpy(to, from, 16);
          from += 2;
          to += 2;
        }
      }
      if (width & 1) *to = *from;
    }
    return;
  }
  for (int begin = 0; begin < width; begin += kLanes) {
    const int from = begin + kLanes <= width ? begin : width - kLanes;
    D square[kLanes];
#pragma GCC unroll 8
    for (int k = 0; k < kLanes; ++k) square[k] = packs[from + k];
    transpose(square);
    if (count == kLanes) {
#pragma GCC unroll 8
      for (int k = 0; k < kLanes; ++k) __builtin_memcpy(rows[k] + from, &square[k], sizeof(D));
    } else {
      for (int k = 0; k < count; ++k) __builtin_memcpy(rows[k] + from, &square[k], sizeof(D));
    }
  }
}

// A pack --------------------------------------------------------------------------------------------------------------

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
  /// \param scale  so that a number that no robot can have overflows: 2^1024 over its bound
  ANTAEUS_LANES_INLINE void read(const BatchRows& from, int width, D* packs, double scale) {
    read_any(from, width, packs);
    // Zero, or NaN of what is not finite then; in four sums, none of which waits for another.
    const D scales = all_lanes<D>(scale);
    const auto trace = [&](int i) {
      const D scaled = packs[i] * scales;
      return scaled - scaled;  // NOLINT(misc-redundant-expression)
    };
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
  /// Closes the reading of what must be possible.
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
