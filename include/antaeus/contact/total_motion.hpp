#pragma once
/// \file
/// What a motion needs: the total wrench of all contacts on a body over time, its centre of mass and its feet.
///
/// By Newton and Euler, with weight and inertia brought to one side, the contacts together exert
///
///     F = m (a_com − g),        M = d(angular momentum)/dt + com × F     (about the world's origin).
///
/// The motion holds their sum and nothing else: which of them exerts how much is what contact_posterior.hpp estimates.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/pose.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// Where the frame of a foot (a human's heel, a robot's sole) was.
struct FootMotion {
  std::string name;
  std::vector<Pose> pose;  ///< of the foot's frame in the world, one a row
};

struct ANTAEUS_API TotalMotion {
  std::string name;              ///< of the file, for messages
  VectorX time;                  ///< [s], increasing
  MatrixX wrench;                ///< rows × (Fx Fy Fz Mx My Mz) on the body, world axes, M about the world's origin
  MatrixX com;                   ///< rows × 3, centre of mass in the world [m]
  std::vector<FootMotion> feet;  ///< those that may touch the ground
  int up = 2;                    ///< the vertical axis of the world: 1 for y, 2 for z

  Eigen::Index rows() const noexcept { return time.size(); }
  /// The body's weight m·g [N]: the mean vertical force, less what accelerated the centre of mass from one end to the
  /// other.
  double weight() const;
};

/// Reads a .csv or .parquet file, whose columns have these names; `<foot>` is a name of one's own.
///
///     t [s] · kin_Fx … kin_Fz [N] · kin_Tx … kin_Tz [N·m] · com_x … com_z [m]
///     <foot>_px … <foot>_pz [m] · <foot>_R00, R01 … R22 (row, column)
///
/// Other columns are not read. A foot is whatever has `<foot>_px` and `<foot>_R00`; \p feet selects among them and
/// sets their order, an empty one takes all. The vertical is the axis (y or z) along which the total force points.
/// \throws EpisodeError that names file, place and remedy: a missing column, fewer than three rows, NaN, time that does
///         not increase, a rotation that is none (2e-3), a force without a vertical
ANTAEUS_API TotalMotion read_total_motion(const std::filesystem::path& file, std::span<const std::string> feet = {});

/// Checks a motion that was not read from a file. \throws EpisodeError as above, also for sizes that do not fit
ANTAEUS_API void check(const TotalMotion& motion);

}  // namespace antaeus
