#pragma once
/// \file
/// A chain as the solvers read it: plain numbers, no Eigen, for sources that are compiled for several instruction sets.

namespace antaeus::detail {

inline constexpr int kMaxJoints = 32;

/// The way from frame i to frame i + 1: Rz(angle) · Tz(offset) · Tx(length) · Rx(twist) · Ry(tilt). The joint turns
/// about z by q + angle, or slides along z by q + offset. Frame i's z is joint i's axis.
struct ChainLink {
  double angle = 0.0, offset = 0.0, length = 0.0;
  double cos_twist = 1.0, sin_twist = 0.0;
  double cos_tilt = 1.0, sin_tilt = 0.0;
};

struct ChainNumbers {
  int joints = 0;
  bool tilted = false;  ///< some link has a tilt
  bool prismatic[kMaxJoints] = {};
  ChainLink links[kMaxJoints] = {};
  double lower[kMaxJoints] = {}, upper[kMaxJoints] = {};  ///< infinite where there is none
  double tool[2] = {};                        ///< from the last axis to F's origin, along x and y of the last frame [m]
  double tool_length = 0.0;                   ///< of both
  double R_0W[9] = {}, world_origin[3] = {};  ///< world in frame 0 (row by row)
  double R_FN[9] = {};                        ///< last frame in F
  double reach = 0.0;                         ///< [m] from frame 0's origin
};

/// Where F shall be, in frame 0 and without the tool's own rotation: R row by row, and F's origin.
struct TargetNumbers {
  double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, p[3] = {};
};

}  // namespace antaeus::detail
