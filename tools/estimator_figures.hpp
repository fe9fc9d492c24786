#pragma once
// The two figures of docs/concepts/estimator.md, drawn from our own robot and twin.
#include <vector>

#include "antaeus/audit/audit.hpp"
#include "antaeus/report/figures.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// `known-force`: what the left wrist's torques can tell, in two poses. `posterior-twin`: the incident twin through the
/// guarded posterior. Prints the numbers that the page takes from them.
std::vector<NamedFigure> estimator_figures(const Robot& humanoid);

}  // namespace antaeus
