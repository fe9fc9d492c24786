#pragma once
/// \file
/// Where attempts begin: entries of the seed table's cell, then of cells of jittered targets, then a low-discrepancy
/// sequence. The k-th start of a target depends on nothing but k and the target.

#include <cstdint>

#include "ik/forward.hpp"
#include "ik/seed_table.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

using detail::kCellEntries;
using detail::SeedGrid;
using detail::SeedTable;

inline constexpr int kFirstEntries = 4;                             ///< attempts from the target's own cell
inline constexpr int kEntriesAJitter = 4;                           ///< attempts from the cell of each jittered target
inline constexpr int kFirstStarts = 20;                             ///< attempts before the closest pose is looked for
inline constexpr int kTableStarts = 68;                             ///< attempts before the low-discrepancy sequence
inline constexpr double kJitterDistance = 0.1, kJitterAngle = 0.3;  ///< [m], [rad]

constexpr double kTurn = 6.28318530717958647693;

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
  angle = ay > ax ? 1.57079637F - angle : angle;
  angle = x < 0.0F ? 3.14159274F - angle : angle;
  return y < 0.0F ? -angle : angle;
}
ANTAEUS_LANES_INLINE Float4 load4(const float* from) {
  Float4 x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}
ANTAEUS_LANES_INLINE void store4(float* to, Float4 x) { __builtin_memcpy(to, &x, sizeof x); }

/// v turned by the unit quaternion (w, u).
ANTAEUS_LANES_INLINE Vec3<double> turned(double w, const Vec3<double>& u, const Vec3<double>& v) {
  const Vec3<double> c = cross(u, v);
  return v + (2.0 * w) * c + 2.0 * cross(u, c);
}

/// A target moved by \p shift and turned by about the vector \p turn.
ANTAEUS_LANES_INLINE Target<double> displaced(const Target<double>& target, const Vec3<double>& shift,
                                              const Vec3<double>& turn) {
  const double w = 1.0 / __builtin_sqrt(1.0 + 0.25 * dot(turn, turn));
  const Vec3<double> u = (0.5 * w) * turn;
  return {turned(w, u, target.x), turned(w, u, target.y), turned(w, u, target.z), target.p + shift};
}

/// Number k of a low-discrepancy sequence in [−1, 1).
ANTAEUS_LANES_INLINE double symmetric(int k, double step) {
  const double share = 0.5 + (k + 1) * step;
  return 2.0 * (share - __builtin_floor(share)) - 1.0;
}
/// Steps of six numbers side by side (detail::low_discrepancy_steps(6)).
inline constexpr double kSixSteps[6] = {0.8986537126286992, 0.8075784952213447, 0.7257334129697597,
                                        0.6521830259439715, 0.5860866975779693, 0.5266889867007357};

/// The entries of one cell, ranked for one target.
struct Ranking {
  const float* cell = nullptr;
  /// Cost of each entry as a whole number that orders like it, its last three bits the entry's place: the best is found
  /// without a branch.
  std::int32_t order[kCellEntries];
  float first[kCellEntries], last[kCellEntries];

  static constexpr std::int32_t kTaken = 0x7f000000;    ///< above every cost
  static constexpr std::int32_t kNowhere = 0x4cbebc20;  ///< 1e8F: an empty slot
  void set_cost(const float* cost) {
    for (int e = 0; e < kCellEntries; ++e) {
      std::int32_t bits;
      __builtin_memcpy(&bits, cost + e, sizeof bits);
      order[e] = (bits & ~7) | e;
    }
  }
  /// The entry that is best and was not given yet. \return whether there is one
  bool take(int& entry) {
    std::int32_t best = order[0];
    for (int e = 1; e < kCellEntries; ++e) best = order[e] < best ? order[e] : best;
    entry = best & 7;
    if (best >= kNowhere) return false;
    order[entry] = kTaken | entry;
    return true;
  }
  /// Of the entries whose first sampled joint is on the other side of \p middle than \p value the best; else the best.
  bool take_across(float middle, float value, int& entry) {
    std::int32_t best = kTaken;
    for (int e = 0; e < kCellEntries; ++e) {
      if ((cell[e] > middle) != (value > middle) && order[e] < best) best = order[e];
    }
    if (best >= kNowhere) return take(entry);
    entry = best & 7;
    order[entry] = kTaken | entry;
    return true;
  }
};

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

/// Orders the entries of a cell: squared distance of the keys, and squared overrun of the limits.
template <bool kRotation>
void rank(const ChainNumbers& chain, const SeedTable& seeds, const RadialTarget& target, Ranking& ranking) {
  const SeedGrid& grid = kRotation ? seeds.pose : seeds.position;
  ranking.cell = target.cell;
  const float* keys = target.cell + grid.joints * kCellEntries;
  const auto r = static_cast<float>(target.place[0]), h = static_cast<float>(target.place[1]);
  const auto along = static_cast<float>(target.first);
  const FirstJoint first(chain, seeds);
  float costs[kCellEntries];
  const auto field = [&](int f, int e) { return load4(keys + f * kCellEntries + e); };
  for (int e = 0; e < kCellEntries; e += 4) {
    const Float4 dr = field(0, e) - r, dh = field(1, e) - h;
    Float4 outside2;
    store4(ranking.first + e, first.into(along - field(2, e), outside2));
    Float4 cost = dr * dr + dh * dh + outside2;
    if constexpr (kRotation) {
      const Turned end(chain, seeds, chain.joints - 1);
      const auto zx = static_cast<float>(target.z.x), zy = static_cast<float>(target.z.y);
      const auto zz = static_cast<float>(target.z.z), xx = static_cast<float>(target.x.x);
      const auto xy = static_cast<float>(target.x.y), xz = static_cast<float>(target.x.z);
      const auto yx = static_cast<float>(target.y.x), yy = static_cast<float>(target.y.y);
      const auto yz = static_cast<float>(target.y.z);
      const Float4 ax = field(3, e), ay = field(4, e), az = field(5, e);
      const Float4 fx = field(6, e), fy = field(7, e), fz = field(8, e);
      const Float4 sx = ay * fz - az * fy, sy = az * fx - ax * fz, sz = ax * fy - ay * fx;  // side = axis × front
      const Float4 sine = (sx * xx + sy * xy + sz * xz) - (fx * yx + fy * yy + fz * yz);
      const Float4 cosine = (fx * xx + fy * xy + fz * xz) + (sx * yx + sy * yy + sz * yz);
      const Float4 dx = ax - zx, dy = ay - zy, dz = az - zz;
      store4(ranking.last + e, end.into(rough_angle(sine, cosine), outside2));
      cost = cost + 0.2F * (dx * dx + dy * dy + dz * dz) + outside2;
    }
    store4(costs + e, cost);
  }
  ranking.set_cost(costs);
}
template <bool kRotation>
ANTAEUS_LANES_INLINE void rank(const ChainNumbers& chain, const SeedTable& seeds, const Target<double>& target,
                               Ranking& ranking) {
  rank<kRotation>(chain, seeds, radial_target<kRotation>(chain, seeds, target), ranking);
}

/// The configuration of an entry, within the limits.
template <bool kRotation>
void entry_start(const ChainNumbers& chain, const SeedTable& seeds, const Ranking& ranking, int entry, double* q) {
  const SeedGrid& grid = kRotation ? seeds.pose : seeds.position;
  q[0] = ranking.first[entry];
  for (int i = 0; i < grid.joints; ++i) q[i + 1] = ranking.cell[i * kCellEntries + entry];
  if constexpr (kRotation) q[chain.joints - 1] = ranking.last[entry];
  for (int i = 0; i < chain.joints; ++i) q[i] = clamped(q[i], chain.lower[i], chain.upper[i]);
}

/// The starts of one target in their order.
struct Starts {
  Ranking ranking;
  int given = 0;

  /// Start number `given`. \param last  the number at which there are no more
  template <bool kRotation>
  bool next(const ChainNumbers& chain, const SeedTable& seeds, const Target<double>& target, int last, double* q) {
    const bool table = (kRotation ? seeds.pose : seeds.position).dimensions > 0;
    while (given < last) {
      const int k = given++;
      if (!table || k >= kTableStarts) {
        sequence(chain, seeds, table ? k - kTableStarts : k, q);
        return true;
      }
      if (k == 0) {
        rank<kRotation>(chain, seeds, target, ranking);
      } else if (k >= kFirstEntries && (k - kFirstEntries) % kEntriesAJitter == 0) {
        const int jitter = (k - kFirstEntries) / kEntriesAJitter;
        double six[6];
        for (int i = 0; i < 6; ++i) six[i] = symmetric(jitter, kSixSteps[i]);
        const Target<double> moved =
            displaced(target, {kJitterDistance * six[0], kJitterDistance * six[1], kJitterDistance * six[2]},
                      {kJitterAngle * six[3], kJitterAngle * six[4], kJitterAngle * six[5]});
        rank<kRotation>(chain, seeds, moved, ranking);
      }
      int entry;
      if (!ranking.take(entry)) continue;
      entry_start<kRotation>(chain, seeds, ranking, entry, q);
      return true;
    }
    return false;
  }

  /// The middle of the ranges, then the sequence.
  static void sequence(const ChainNumbers& chain, const SeedTable& seeds, int k, double* q) {
    for (int i = 0; i < chain.joints; ++i) {
      const double share = k == 0 ? 0.5 : 0.5 * (symmetric(k, seeds.steps[i]) + 1.0);
      q[i] = clamped(seeds.from[i] + share * seeds.span[i], chain.lower[i], chain.upper[i]);
    }
  }
};

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
