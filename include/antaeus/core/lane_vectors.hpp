#pragma once
/// \file
/// Vectors of three numbers over lanes (antaeus/core/lanes.hpp), and the angle of one of two.

#include <numbers>

#include "antaeus/core/lanes.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

template <class D>
struct Vec3 {
  D x, y, z;
};
template <class D>
ANTAEUS_LANES_INLINE Vec3<D> operator+(const Vec3<D>& a, const Vec3<D>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class D>
ANTAEUS_LANES_INLINE Vec3<D> operator-(const Vec3<D>& a, const Vec3<D>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class D>
ANTAEUS_LANES_INLINE Vec3<D> operator*(const D& s, const Vec3<D>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class D>
ANTAEUS_LANES_INLINE D dot(const Vec3<D>& a, const Vec3<D>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class D>
ANTAEUS_LANES_INLINE Vec3<D> cross(const Vec3<D>& a, const Vec3<D>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// The angle of the vector (x, y) in [−π, π], to 3e-16 rad; 0 for the zero vector. Cephes' rational approximation.
ANTAEUS_LANES_INLINE double angle_of(double y, double x) {
  const double ax = x < 0.0 ? -x : x, ay = y < 0.0 ? -y : y;
  if (!(ax > 0.0 || ay > 0.0)) return 0.0;
  // First in the octant next to the x axis, where the tangent is at most 1.
  const bool steep = ay > ax;
  double t = steep ? ax / ay : ay / ax;
  double base = 0.0, more = 0.0;
  if (t > 0.66) {
    base = 7.85398163397448309616e-1;
    more = 3.061616997868382943e-17;
    t = (t - 1.0) / (t + 1.0);
  }
  const double z = t * t;
  const double p =
      (((-8.750608600031904122785e-1 * z - 1.615753718733365076637e1) * z - 7.500855792314704667340e1) * z -
       1.228866684490136173410e2) *
          z -
      6.485021904942025371773e1;
  const double q =
      ((((z + 2.485846490142306297962e1) * z + 1.650270098316988542046e2) * z + 4.328810604912902668951e2) * z +
       4.853903996359136964868e2) *
          z +
      1.945506571482613964425e2;
  double angle = base + (t * (z * (p / q)) + t + more);
  if (steep) angle = 1.57079632679489661923 - angle;
  if (x < 0.0) angle = std::numbers::pi - angle;
  return y < 0.0 ? -angle : angle;
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
