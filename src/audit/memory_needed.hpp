#pragma once
// Whether an audit fits into this machine's memory. Private to src/audit.

#include <string>
#include <vector>

#include "antaeus/episode/episode.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus::detail {

/// What an audit holds of all steps at its end, results and the texts of its files together [bytes]: 18.5 kB a step
/// for a robot of 27 motors and four endpoints, 5.5 kB for an arm (measured by the peak of `antaeus audit`, 20 000 to
/// 60 000 steps; docs/replay.md).
double memory_of_audit(const Robot& robot, const std::vector<std::string>& endpoints, double steps);

/// Memory that this process may still take [bytes]: the machine's, its container's and its own limit; infinity where
/// nothing says.
double free_memory();

/// \throws EpisodeError that says how much is needed, how much there is, and what to do. Better than to be killed.
void check_memory(const Robot& robot, const std::vector<std::string>& endpoints, const std::vector<Episode>& episodes);

}  // namespace antaeus::detail
