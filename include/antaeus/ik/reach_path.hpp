#pragma once
/// \file
/// A path of targets, followed on one branch from its first to its last.

#include <optional>
#include <span>
#include <vector>

#include "antaeus/core/progress.hpp"
#include "antaeus/ik/reach.hpp"

namespace antaeus {

/// A step between two waypoints in which some joint moves by more than kLongStep.
struct LongStep {
  int waypoint = 0;   ///< the later of the two
  double step = 0.0;  ///< largest change of a joint [rad] or [m]
  /// Largest change in a part of it, with kPathParts targets put between, up to the first that is too long. 0: not
  /// looked into, after two hundred others.
  double finest = 0.0;
  bool needed = true;  ///< finest is below kNeededPart: the motion is continuous, and fast. Else the branch ended
};

inline constexpr double kLongStep = 0.2;  ///< [rad] or [m]
inline constexpr int kPathParts = 512;
inline constexpr double kNeededPart = 0.16;  ///< [rad] or [m]

struct ReachPath {
  std::vector<ReachSolution> solutions;  ///< of each target; `explain` has been asked for those not reached
  std::vector<double> follow_seconds;    ///< thread's processor time of each follow(); empty unless timed
  std::vector<LongStep> long_steps;
  int beginnings = 0;  ///< solutions of the first target from which the path was tried
};

/// Follows the targets with ReachSolver::follow. At the edge of the workspace the closest pose moves like the square
/// root of depth, so that long steps can be needed; and a branch can end in the middle of a path, where its minimum
/// disappears: then the motion jumps. Without a start, several solutions of the first target are tried, and the path
/// with the fewest such jumps is taken, of several that with the most targets reached. Set-up code: allocates.
/// \param start  [chain's size] from which the first target is followed
ANTAEUS_API ReachPath follow_path(const ReachModel& model, std::span<const Pose> targets,
                                  const std::optional<VectorX>& start = {}, bool timed = false,
                                  const Progress& progress = nullptr);

}  // namespace antaeus
