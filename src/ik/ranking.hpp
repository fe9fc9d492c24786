#pragma once
/// \file
/// The entries of a cell of the seed table, ranked for one target.

#include "ik/radial_target.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

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

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
