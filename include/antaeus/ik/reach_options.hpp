#pragma once
/// \file
/// When a target counts as reached, and how much work it may cost.

#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"

namespace antaeus {

struct ReachOptions {
  bool position_only = false;        ///< the frame's origin alone; its orientation is free
  double position_tolerance = 1e-4;  ///< [m] attempts end at half of it
  double rotation_tolerance = 1e-3;  ///< [rad]
  int iteration_budget = 20000;      ///< [1] of attempts; descents and the explanation of a failure are bounded besides
  double deadline = 0.0;             ///< [s] after which no stage of a failing solve is begun; 0: none
  int table_samples = 300000;        ///< [1] configurations from which the table of starts is made
  bool explain = true;               ///< whether a failure is explained: out of reach, or blocked by limits
};
ANTAEUS_API const OptionTable& options_of(const ReachOptions&);

}  // namespace antaeus
