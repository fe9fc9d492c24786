#pragma once
/// \file
/// The hyperbolic tangent over lanes, without the mathematics library, whose results may differ between machines.

#include <numbers>

#include "antaeus/core/lanes.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

/// eˣ for x in 0 … 700, to 2 ε: Cody and Waite's reduction by ln 2, then the rational approximation of Cephes.
template <class D>
ANTAEUS_LANES_INLINE D exponential(const D& x) {
  constexpr double kShift = 6755399441055744.0;  // as in sine_cosine()
  const D shifted = x * std::numbers::log2e + kShift;
  const D k = shifted - kShift;
  // ln 2 in two parts, the first of few bits. NOLINTNEXTLINE(modernize-use-std-numbers)
  const D r = (x - k * 6.93145751953125e-1) - k * 1.42860682030941723212e-6;
  const D z = r * r;
  const D p = r * ((1.26177193074810590878e-4 * z + 3.02994407707441961300e-2) * z + 9.99999999999999999910e-1);
  const D q = ((3.00198505138664455042e-6 * z + 2.52448340349684104192e-3) * z + 2.27265548208155028766e-1) * z + 2.0;
  return (1.0 + 2.0 * p / (q - p)) * from_bits((bits(shifted) + 1023) << 52);
}

/// Hyperbolic tangent to 2 ε; Cephes' rational approximation where the exponential would cancel.
template <class D>
ANTAEUS_LANES_INLINE D hyperbolic_tangent(const D& x) {
  const D z = x * x;
  const D p = (-9.64399179425052238628e-1 * z - 9.92877231001918586564e1) * z - 1.61468768441708447952e3;
  const D q = ((z + 1.12811678491632931402e2) * z + 2.23548839060100448583e3) * z + 4.84406305325125486048e3;
  const D near = x + x * z * (p / q);
  const D size = select(x < 0.0, D(-x), x);
  const D far = 1.0 - 2.0 / (exponential(D(2.0 * smaller(size, all_lanes<D>(22.0)))) + 1.0);
  return select(size < 0.625, near, select(x < 0.0, D(-far), far));
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
