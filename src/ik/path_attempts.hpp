#pragma once
/// \file
/// Whether a long step between two waypoints is needed: the way between them in many parts.

#include "antaeus/ik/reach_path.hpp"

namespace antaeus::detail {

/// Largest change of a joint in one of kPathParts parts of the way, followed from \p at; one part above kNeededPart is
/// enough to know, and ends it. Positions are divided evenly, rotations on their arc.
double largest_part(ReachSolver& solver, const Pose& from, const Pose& to, ChainVector at);

}  // namespace antaeus::detail
