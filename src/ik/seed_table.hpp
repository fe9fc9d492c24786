#pragma once
/// \file
/// Starts for inverse kinematics, filed once a chain by what of a pose two symmetries leave over.
///
/// The first joint turns the world about its axis, or slides it along, and the last one turns the tool about its own.
/// So where the last axis lies matters only up to a motion of the first: four numbers (radius, height and direction of
/// that line in the plane that it is seen from; place across the rail and direction), where a pose has six.
/// Low-discrepancy samples of the joints between are filed by them; each entry's first joint then follows from azimuths
/// or from places along the rail, its last from one angle. For a position alone two numbers are left.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ik/chain_numbers.hpp"

namespace antaeus::detail {

inline constexpr int kCellEntries = 8;

/// A grid of cells with kCellEntries entries each; field f of entry e of a cell is cell[f · kCellEntries + e].
struct SeedGrid {
  int dimensions = 0;  ///< 4 of a pose, 2 of a position; 0: there is none
  int cells[4] = {1, 1, 1, 1};
  double low[4] = {}, per_unit[4] = {};
  int joints = 0;  ///< fields 0 … joints − 1: sampled joints, from the second of the chain on
  int fields = 0;  ///< then two places and that of the first joint; of a pose also axis x y z and front x y z
  const float* data = nullptr;
};

struct SeedTable {
  SeedGrid pose, position;
  /// Between which places samples lie: radius and height, or x and y across a rail.
  double low[2] = {}, high[2] = {};
  /// From where a joint is sampled, and over how much: its limits, or a turn, or a stroke.
  double from[kMaxJoints] = {}, span[kMaxJoints] = {};
  double steps[kMaxJoints] = {};  ///< of the low-discrepancy sequence over all joints
  std::vector<float> pose_data, position_data;
  double build_seconds = 0.0;
  std::size_t bytes = 0;
};

/// Additive recurrence (Roberts' generalised golden ratio): \p d steps.
void low_discrepancy_steps(int d, double* steps);

/// The table of a chain: from memory where one of the same numbers is in use, else built. Thread-safe.
/// \param samples  of each grid
std::shared_ptr<const SeedTable> seed_table(const ChainNumbers& chain, int samples);

}  // namespace antaeus::detail
