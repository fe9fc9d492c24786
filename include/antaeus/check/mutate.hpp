#pragma once
/// \file
/// A good log with one mistake planted in it: the positive control of every check.

#include "antaeus/check/finding.hpp"
#include "antaeus/episode/episode.hpp"

namespace antaeus {

/// Faults that can be planted, in the order of Fault.
ANTAEUS_API std::vector<Fault> plantable_faults();

/// What is planted, and where.
struct PlantedFault {
  Fault fault = Fault::torque_sign;
  std::vector<std::string> joints = {};  ///< names or labels; empty: the fault's usual one (see mutate)
  double size = kNaN;                    ///< in the fault's unit; NaN: the fault's usual one
};

/// The log with the mistake. Written by write_episode it is what a user with that set-up would have recorded.
/// Its last note says what was planted.
/// \param planted  receives the joints and the size that were taken
/// \throws OptionsError for a fault that cannot be planted, an unknown joint, or a channel that the log does not have
ANTAEUS_API Episode mutate(const Robot& robot, const Episode& log, PlantedFault& planted);

}  // namespace antaeus
