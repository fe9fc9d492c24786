#pragma once
/// \file
/// Where attempts begin: entries of the seed table's cell, then of cells of jittered targets, then a low-discrepancy
/// sequence. The k-th start of a target depends on nothing but k and the target.

#include "ik/ranking.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

inline constexpr int kFirstEntries = 4;                             ///< attempts from the target's own cell
inline constexpr int kEntriesAJitter = 4;                           ///< attempts from the cell of each jittered target
inline constexpr int kFirstStarts = 68;                             ///< attempts before the low-discrepancy sequence
inline constexpr double kJitterDistance = 0.1, kJitterAngle = 0.3;  ///< [m], [rad]

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
      if (!table || k >= kFirstStarts) {
        sequence(chain, seeds, table ? k - kFirstStarts : k, q);
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
