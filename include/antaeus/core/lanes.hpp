#pragma once
/// \file
/// Several problems side by side: one number of each in a lane. A function that is written once over a type D runs with
/// D = double for one problem, and with a vector of 2, 4 or 8 doubles for as many.
///
/// A source that uses this header is compiled once for each instruction set (src/ik/reach_avx2.cpp). It defines
/// ANTAEUS_LANES as the set's name before its first include, which keeps the builds of one function apart, and is
/// compiled with -ffp-contract=off. Then each lane's bits are those of the same function of double: sums, products,
/// quotients and roots are rounded alike everywhere, and nothing here calls the mathematics library, whose results may
/// differ between machines. No Eigen, whose types are shared with other files.
///
/// Masks say which lanes something holds for: bool for double, a vector of whole numbers (0 or −1) for a vector.

#include <cstdint>
#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#ifndef ANTAEUS_LANES
#define ANTAEUS_LANES portable
#endif
#define ANTAEUS_LANES_INLINE __attribute__((always_inline)) inline

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

/// Two doubles, which every 64-bit machine has.
using Double2 = double __attribute__((vector_size(16)));
using Mask2 = std::int64_t __attribute__((vector_size(16)));
#if defined(__AVX2__)
using Double4 = double __attribute__((vector_size(32)));
using Mask4 = std::int64_t __attribute__((vector_size(32)));
#endif
#if defined(__AVX512F__)
using Double8 = double __attribute__((vector_size(64)));
using Mask8 = std::int64_t __attribute__((vector_size(64)));
#endif

/// Four floats, which every machine has: for rankings, where seven digits do.
using Float4 = float __attribute__((vector_size(16)));

/// How many lanes D has, and its masks and whole numbers.
template <class D>
struct LaneTraits;
template <>
struct LaneTraits<double> {
  static constexpr int kLanes = 1;
  using Mask = bool;
  using Whole = std::int64_t;
};
template <class D>
using Mask = LaneTraits<D>::Mask;

ANTAEUS_LANES_INLINE bool any(bool mask) { return mask; }
ANTAEUS_LANES_INLINE bool all(bool mask) { return mask; }
ANTAEUS_LANES_INLINE bool holds(bool mask, int) { return mask; }
ANTAEUS_LANES_INLINE double square_root(double x) { return __builtin_sqrt(x); }
ANTAEUS_LANES_INLINE double select(bool mask, double yes, double no) { return mask ? yes : no; }
ANTAEUS_LANES_INLINE double lane(double x, int) { return x; }
ANTAEUS_LANES_INLINE void set_lane(double& x, int, double value) { x = value; }
ANTAEUS_LANES_INLINE std::int64_t bits(double x) { return __builtin_bit_cast(std::int64_t, x); }
ANTAEUS_LANES_INLINE double from_bits(std::int64_t x) { return __builtin_bit_cast(double, x); }

template <>
struct LaneTraits<Double2> {
  static constexpr int kLanes = 2;
  using Mask = Mask2;
  using Whole = Mask2;
};
ANTAEUS_LANES_INLINE bool any(Mask2 mask) { return (mask[0] | mask[1]) != 0; }
ANTAEUS_LANES_INLINE bool all(Mask2 mask) { return (mask[0] & mask[1]) != 0; }
ANTAEUS_LANES_INLINE bool holds(Mask2 mask, int k) { return mask[k] != 0; }
ANTAEUS_LANES_INLINE Double2 square_root(Double2 x) {
#if defined(__SSE2__)
  return (Double2)_mm_sqrt_pd((__m128d)x);
#else
  return Double2{__builtin_sqrt(x[0]), __builtin_sqrt(x[1])};
#endif
}
ANTAEUS_LANES_INLINE Double2 select(Mask2 mask, Double2 yes, Double2 no) { return mask ? yes : no; }
ANTAEUS_LANES_INLINE double lane(const Double2& x, int k) { return x[k]; }
ANTAEUS_LANES_INLINE void set_lane(Double2& x, int k, double value) { x[k] = value; }
ANTAEUS_LANES_INLINE Mask2 bits(Double2 x) { return (Mask2)x; }
ANTAEUS_LANES_INLINE Double2 from_bits(Mask2 x) { return (Double2)x; }
#if defined(__AVX2__)
template <>
struct LaneTraits<Double4> {
  static constexpr int kLanes = 4;
  using Mask = Mask4;
  using Whole = Mask4;
};
ANTAEUS_LANES_INLINE bool any(Mask4 mask) { return !_mm256_testz_si256((__m256i)mask, (__m256i)mask); }
ANTAEUS_LANES_INLINE bool all(Mask4 mask) { return _mm256_movemask_pd((__m256d)mask) == 15; }
ANTAEUS_LANES_INLINE bool holds(Mask4 mask, int k) { return mask[k] != 0; }
ANTAEUS_LANES_INLINE Double4 square_root(Double4 x) { return (Double4)_mm256_sqrt_pd((__m256d)x); }
ANTAEUS_LANES_INLINE Double4 select(Mask4 mask, Double4 yes, Double4 no) { return mask ? yes : no; }
ANTAEUS_LANES_INLINE double lane(const Double4& x, int k) { return x[k]; }
ANTAEUS_LANES_INLINE void set_lane(Double4& x, int k, double value) { x[k] = value; }
ANTAEUS_LANES_INLINE Mask4 bits(Double4 x) { return (Mask4)x; }
ANTAEUS_LANES_INLINE Double4 from_bits(Mask4 x) { return (Double4)x; }
#endif
#if defined(__AVX512F__)
template <>
struct LaneTraits<Double8> {
  static constexpr int kLanes = 8;
  using Mask = Mask8;
  using Whole = Mask8;
};
ANTAEUS_LANES_INLINE bool any(Mask8 mask) { return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0; }
ANTAEUS_LANES_INLINE bool all(Mask8 mask) { return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) == 255; }
ANTAEUS_LANES_INLINE bool holds(Mask8 mask, int k) { return mask[k] != 0; }
ANTAEUS_LANES_INLINE Double8 square_root(Double8 x) { return (Double8)_mm512_sqrt_pd((__m512d)x); }
ANTAEUS_LANES_INLINE Double8 select(Mask8 mask, Double8 yes, Double8 no) { return mask ? yes : no; }
ANTAEUS_LANES_INLINE double lane(const Double8& x, int k) { return x[k]; }
ANTAEUS_LANES_INLINE void set_lane(Double8& x, int k, double value) { x[k] = value; }
ANTAEUS_LANES_INLINE Mask8 bits(Double8 x) { return (Mask8)x; }
ANTAEUS_LANES_INLINE Double8 from_bits(Mask8 x) { return (Double8)x; }
#endif

/// The same number in every lane.
template <class D>
ANTAEUS_LANES_INLINE D all_lanes(double x) {
  if constexpr (LaneTraits<D>::kLanes == 1) {
    return x;
  } else {
    return x - D{};
  }
}
template <class D>
ANTAEUS_LANES_INLINE D smaller(D a, D b) {
  return select(a < b, a, b);
}
template <class D>
ANTAEUS_LANES_INLINE D larger(D a, D b) {
  return select(a > b, a, b);
}
template <class D>
ANTAEUS_LANES_INLINE D clamped(D x, D lower, D upper) {
  return smaller(larger(x, lower), upper);
}

/// Sine and cosine without a branch: |error| below 2e-16 for |x| up to 1e5 rad; beyond, and for NaN, no promise.
/// Cody and Waite's reduction by π/2 in three parts, then the minimax polynomials of Moshier's Cephes library.
template <class D>
ANTAEUS_LANES_INLINE void sine_cosine(const D& x, D& sine, D& cosine) {
  using Whole = LaneTraits<D>::Whole;
  constexpr double kShift = 6755399441055744.0;  // 1.5 · 2^52: what is added to it is rounded to a whole number
  const D shifted = x * 0.63661977236758134308 + kShift;
  const Whole quarter = bits(shifted);
  const D k = shifted - kShift;
  // π/2 in three parts, the first two of 33 bits: k times them is exact.
  const D r = ((x - k * 1.5707963267341256) - k * 6.077100506303966e-11) - k * 2.0222662487959506e-21;
  const D z = r * r;
  const D s = r + r * z *
                      (-1.66666666666666307295e-1 +
                       z * (8.33333333332211858878e-3 +
                            z * (-1.98412698295895385996e-4 +
                                 z * (2.75573136213857245213e-6 +
                                      z * (-2.50507477628578072866e-8 + z * 1.58962301576546568060e-10)))));
  const D c = 1.0 - 0.5 * z +
              z * z *
                  (4.16666666666665929218e-2 +
                   z * (-1.38888888888730564116e-3 +
                        z * (2.48015872888517045348e-5 +
                             z * (-2.75573141792967388112e-7 +
                                  z * (2.08757008419747316778e-9 - z * 1.13585365213876817300e-11)))));
  const Whole odd = -(quarter & 1);  // all ones where sine and cosine change places
  const Whole si = bits(s), ci = bits(c);
  const Whole sine_sign = (quarter & 2) << 62, cosine_sign = ((quarter + 1) & 2) << 62;
  sine = from_bits(((si & ~odd) | (ci & odd)) ^ sine_sign);
  cosine = from_bits(((ci & ~odd) | (si & odd)) ^ cosine_sign);
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
