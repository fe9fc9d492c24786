#pragma once
// The part of a pose that a chain of fewer than six joints does not reach. Private to src/ik.

#include <string>

#include "antaeus/ik/reach.hpp"

namespace antaeus::detail {

inline constexpr int kJointsOfAPose = 6;  ///< as many as a pose has degrees of freedom

/// Says whether the position of a failed target is reached without its orientation, and by how much and about which
/// axis the nearest orientation found there misses. Empty where the target is not finite, and where the orientation is
/// reached from another start. \param model  of a chain of fewer joints, asked for whole poses. \param failed  its
/// answer
std::string few_joints_text(const ReachModel& model, const Pose& X_WF, const ReachSolution& failed);

}  // namespace antaeus::detail
