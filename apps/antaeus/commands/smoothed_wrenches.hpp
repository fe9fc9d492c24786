#pragma once
// antaeus estimate --smooth: what the whole log says of each step's wrench, before and after it.
#include <string>
#include <vector>

#include "antaeus/io/table.hpp"

namespace antaeus {
struct AuditOptions;
struct Robot;
struct Episode;
}  // namespace antaeus

namespace antaeus::cli {

/// Columns as steps.csv (docs/schema/steps.md), `estimator` is "smoothed"; sd_Mx … beside sd_Fx ….
/// \param endpoints  no feet \param time_constant  after which a force is forgotten to 37 % [s]
/// \throws EpisodeError for a log without a clock, OptionsError
Table smoothed_wrenches(const Robot& robot, const std::vector<std::string>& endpoints, const Episode& log,
                        const AuditOptions& options, double time_constant);

}  // namespace antaeus::cli
