#pragma once
/// \file
/// What of a target the seed table is asked for, and its cell. Angles of starts need four digits: floats, four at a
/// time.

#include "ik/forward.hpp"
#include "ik/seed_table.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

using detail::kCellEntries;
using detail::SeedGrid;
using detail::SeedTable;

template <class F>
ANTAEUS_LANES_INLINE F absolute(F x) {
  return x < 0.0F ? -x : x;
}
/// The angle of (x, y) to 1e-4 rad: for starts alone. F is float or Float4.
template <class F>
ANTAEUS_LANES_INLINE F rough_angle(F y, F x) {
  const F ax = absolute(x), ay = absolute(y);
  const F high = ax > ay ? ax : ay, low = ax > ay ? ay : ax;
  const F t = low / (high + 1e-30F);
  const F s = t * t;
  F angle = ((-0.0464964749F * s + 0.15931422F) * s - 0.327622764F) * s * t + t;
  angle = ay > ax ? 0.5F * std::numbers::pi_v<float> - angle : angle;
  angle = x < 0.0F ? std::numbers::pi_v<float> - angle : angle;
  return y < 0.0F ? -angle : angle;
}
ANTAEUS_LANES_INLINE Float4 load4(const float* from) {
  Float4 x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}
ANTAEUS_LANES_INLINE void store4(float* to, Float4 x) { __builtin_memcpy(to, &x, sizeof x); }

/// The nearest turn of an angle to the middle of a joint's limits, and by how much it is still outside them, squared.
struct Turned {
  float middle, half;
  ANTAEUS_LANES_INLINE Turned(const ChainNumbers& chain, const SeedTable& seeds, int joint)
      : middle(static_cast<float>(seeds.from[joint] + 0.5 * seeds.span[joint])),
        half(static_cast<float>(0.5 * (chain.upper[joint] - chain.lower[joint]))) {}
  ANTAEUS_LANES_INLINE Float4 into(Float4 angle, Float4& outside2) const {
    constexpr float kTurnF = 6.28318531F, kWhole = 12582912.0F;  // 1.5 · 2^23: what is added to it is rounded
    const Float4 turns = ((middle - angle) * (1.0F / kTurnF) + kWhole) - kWhole;
    const Float4 q = angle + turns * kTurnF;
    const Float4 outside = absolute(q - middle) - half;
    outside2 = outside > 0.0F ? outside * outside : Float4{};
    return q;
  }
};

/// Where the first joint stands for an entry, a turn or a slide, and by how much that is outside its limits, squared.
struct FirstJoint {
  Turned turn;
  float lower, upper;
  bool rail;
  ANTAEUS_LANES_INLINE FirstJoint(const ChainNumbers& chain, const SeedTable& seeds)
      : turn(chain, seeds, 0),
        lower(static_cast<float>(chain.lower[0])),
        upper(static_cast<float>(chain.upper[0])),
        rail(chain.prismatic[0]) {}
  ANTAEUS_LANES_INLINE Float4 into(Float4 value, Float4& outside2) const {
    if (!rail) return turn.into(value, outside2);
    const Float4 below = lower - value, above = value - upper;
    const Float4 outside = below > above ? below : above;
    outside2 = outside > 0.0F ? outside * outside : Float4{};
    return value;
  }
};

/// What of a target the table is asked for: seen in the plane of its azimuth, or across the rail.
struct RadialTarget {
  double place[2], first = 0.0;
  Vec3<double> x{}, y{}, z{};
  const float* cell;
};

template <bool kRotation>
ANTAEUS_LANES_INLINE RadialTarget radial_target(const ChainNumbers& chain, const SeedTable& seeds,
                                                const Target<double>& target) {
  RadialTarget out;
  const SeedGrid& grid = kRotation ? seeds.pose : seeds.position;
  Vec3<double> c = target.p;
  if constexpr (kRotation) c = c - chain.tool[0] * target.x - chain.tool[1] * target.y;
  double cosine = 1.0, sine = 0.0;  // of the azimuth
  if (chain.prismatic[0]) {
    out.place[0] = c.x;
    out.place[1] = c.y;
    out.first = c.z;
  } else {
    out.place[0] = __builtin_sqrt(c.x * c.x + c.y * c.y);
    out.place[1] = c.z;
    if (out.place[0] > 1e-6) {
      cosine = c.x / out.place[0];
      sine = c.y / out.place[0];
    } else if constexpr (kRotation) {
      const double flat = __builtin_sqrt(target.z.x * target.z.x + target.z.y * target.z.y);
      if (flat > 1e-6) {
        cosine = target.z.x / flat;
        sine = target.z.y / flat;
      }
    }
    out.first = rough_angle(static_cast<float>(sine), static_cast<float>(cosine));
  }
  double key[4] = {out.place[0], out.place[1], 0.0, 0.0};
  if constexpr (kRotation) {
    const auto radial = [&](const Vec3<double>& v) {
      return Vec3<double>{cosine * v.x + sine * v.y, cosine * v.y - sine * v.x, v.z};
    };
    out.z = radial(target.z);
    out.x = radial(target.x);
    out.y = radial(target.y);
    key[2] = out.z.z;
    key[3] = rough_angle(static_cast<float>(out.z.y), static_cast<float>(out.z.x));
  }
  int index = 0;
  for (int d = 0; d < grid.dimensions; ++d) {
    const double at = (key[d] - grid.low[d]) * grid.per_unit[d];
    const int last = grid.cells[d] - 1;
    index = index * grid.cells[d] + (at > 0.0 ? (at < last ? static_cast<int>(at) : last) : 0);
  }
  out.cell = grid.data + static_cast<std::ptrdiff_t>(index) * grid.fields * kCellEntries;
  return out;
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
