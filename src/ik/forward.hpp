#pragma once
/// \file
/// Forward kinematics of a flattened chain, once over all joints: their axes, the end frame, and the error to a target.
/// Written over lanes (antaeus/core/lanes.hpp): D is double or a vector of doubles, one target each.

#include "antaeus/core/lane_vectors.hpp"
#include "ik/chain_numbers.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

using detail::ChainLink;
using detail::ChainNumbers;
using detail::kMaxJoints;

/// Where F shall be, in frame 0 and without the tool's own rotation: the columns of R, and the origin p.
template <class D>
struct Target {
  Vec3<D> x, y, z, p;
};

/// A loop's bound: N where it is known when this is compiled, else the chain's own.
template <int N>
ANTAEUS_LANES_INLINE int count(const ChainNumbers& chain) {
  if constexpr (N > 0) {
    return N;
  } else {
    return chain.joints;
  }
}
template <int N>
inline constexpr int kRoom = N > 0 ? N : kMaxJoints;

/// All that one configuration gives: axis z and a point o on it of each joint; last frame x y z with F's origin p.
template <class D, int N>
struct Forward {
  Vec3<D> axis[kRoom<N>], point[kRoom<N>];
  Vec3<D> x, y, z, p;
};

template <class D, int N>
ANTAEUS_LANES_INLINE void forward(const ChainNumbers& chain, const D* q, Forward<D, N>& out) {
  const int n = count<N>(chain);
  D s[kRoom<N>], c[kRoom<N>];
  for (int i = 0; i < n; ++i) {
    const D angle = (chain.prismatic[i] ? all_lanes<D>(0.0) : q[i]) + chain.links[i].angle;
    sine_cosine(angle, s[i], c[i]);
  }
  const D zero = all_lanes<D>(0.0), one = all_lanes<D>(1.0);
  Vec3<D> x{one, zero, zero}, y{zero, one, zero}, z{zero, zero, one}, o{zero, zero, zero};
  for (int i = 0; i < n; ++i) {
    const ChainLink& link = chain.links[i];
    out.axis[i] = z;
    out.point[i] = o;
    const D length = all_lanes<D>(link.length);
    const D offset = (chain.prismatic[i] ? q[i] : zero) + link.offset;
    const D ct = all_lanes<D>(link.cos_twist), st = all_lanes<D>(link.sin_twist);
    Vec3<D> turned, side;
    if (i == 0) {
      turned = {c[0], s[0], zero};
      side = {-s[0], c[0], zero};
      o = {length * c[0], length * s[0], offset};
    } else {
      turned = c[i] * x + s[i] * y;
      side = c[i] * y - s[i] * x;
      o = o + offset * z + length * turned;
    }
    y = ct * side + st * z;
    z = ct * z - st * side;
    x = turned;
    if (chain.tilted) {
      const D cb = all_lanes<D>(link.cos_tilt), sb = all_lanes<D>(link.sin_tilt);
      const Vec3<D> front = cb * x - sb * z;
      z = cb * z + sb * x;
      x = front;
    }
  }
  out.x = x;
  out.y = y;
  out.z = z;
  out.p = o + all_lanes<D>(chain.tool[0]) * x + all_lanes<D>(chain.tool[1]) * y;
}

/// Half the rotation's skew part, w = sin θ · u, and its cosine, of the rotation that leads from the frame to the
/// target.
template <class D, int N>
ANTAEUS_LANES_INLINE void turn_to(const Forward<D, N>& now, const Target<D>& target, Vec3<D>& w, D& cosine) {
  const D half = all_lanes<D>(0.5);
  w = half * (cross(now.x, target.x) + cross(now.y, target.y) + cross(now.z, target.z));
  cosine = half * (dot(now.x, target.x) + dot(now.y, target.y) + dot(now.z, target.z) - 1.0);
}

/// The rotation error 2 sin(θ/2) u: of the length of the chord, smooth nearly up to half a turn, and without an angle.
template <class D, int N>
ANTAEUS_LANES_INLINE Vec3<D> chordal_error(const Forward<D, N>& now, const Target<D>& target) {
  Vec3<D> w;
  D cosine;
  turn_to(now, target, w, cosine);
  const D share = larger(D(0.5 + 0.5 * cosine), all_lanes<D>(1e-4));
  return square_root(D(1.0 / share)) * w;
}

/// The rotation error θ u, |θ| ≤ π; where half a turn leaves the axis open, about the axis that R + Rᵀ has.
template <int N>
ANTAEUS_LANES_INLINE Vec3<double> rotation_log(const Forward<double, N>& now, const Target<double>& target,
                                               double& angle) {
  Vec3<double> w;
  double cosine;
  turn_to(now, target, w, cosine);
  const double sine = __builtin_sqrt(dot(w, w));
  angle = angle_of(sine, cosine);
  if (sine > 1e-7) return (angle / sine) * w;
  if (cosine > 0.0) return w;
  // E = target · nowᵀ = 2uuᵀ − I: its largest column + e is along u.
  const double xx = now.x.x * target.x.x + now.y.x * target.y.x + now.z.x * target.z.x;
  const double yy = now.x.y * target.x.y + now.y.y * target.y.y + now.z.y * target.z.y;
  const double zz = now.x.z * target.x.z + now.y.z * target.y.z + now.z.z * target.z.z;
  Vec3<double> u;
  if (xx >= yy && xx >= zz) {
    u = {xx + 1.0, target.x.y * now.x.x + target.y.y * now.y.x + target.z.y * now.z.x,
         target.x.z * now.x.x + target.y.z * now.y.x + target.z.z * now.z.x};
  } else if (yy >= zz) {
    u = {target.x.x * now.x.y + target.y.x * now.y.y + target.z.x * now.z.y, yy + 1.0,
         target.x.z * now.x.y + target.y.z * now.y.y + target.z.z * now.z.y};
  } else {
    u = {target.x.x * now.x.z + target.y.x * now.y.z + target.z.x * now.z.z,
         target.x.y * now.x.z + target.y.y * now.y.z + target.z.y * now.z.z, zz + 1.0};
  }
  return (angle / __builtin_sqrt(dot(u, u))) * u;
}

/// Columns of the Jacobian's upper half: velocity of F's origin for one unit of each joint.
template <class D, int N>
ANTAEUS_LANES_INLINE void linear_columns(const ChainNumbers& chain, const Forward<D, N>& now, Vec3<D>* columns) {
  const int n = count<N>(chain);
  for (int i = 0; i < n; ++i) {
    columns[i] = chain.prismatic[i] ? now.axis[i] : cross(now.axis[i], now.p - now.point[i]);
  }
}

/// Pose of the last frame in frame 0, with F's origin: R row by row. For callers that have no lanes.
inline void chain_pose(const ChainNumbers& chain, const double* q, double* R, double* p) {
  Forward<double, 0> now;
  forward(chain, q, now);
  const Vec3<double>* columns[3] = {&now.x, &now.y, &now.z};
  for (int c = 0; c < 3; ++c) {
    R[c] = columns[c]->x;
    R[3 + c] = columns[c]->y;
    R[6 + c] = columns[c]->z;
  }
  p[0] = now.p.x;
  p[1] = now.p.y;
  p[2] = now.p.z;
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
