#pragma once
/// \file
/// Rows of several states, each with its numbers side by side in memory, into lanes and back.

#include "antaeus/core/lanes.hpp"

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

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
