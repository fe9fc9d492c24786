#pragma once
// All steps of a log that is too long to be kept: counted, written, and where to look at it. Private to src/audit.

#include <string>
#include <vector>

#include "antaeus/audit/audit.hpp"
#include "antaeus/audit/audit_options.hpp"

namespace antaeus::detail {

/// How many steps of one log may be audited. \param logs  that share the memory
Eigen::Index steps_within(double memory, const Robot& robot, const std::vector<std::string>& endpoints,
                          std::size_t logs);

/// A long log, gone through.
struct PassedLog {
  WholeLog whole;
  Episode judged;           ///< without samples: notes, invalid steps, hashes
  Eigen::Index focus = -1;  ///< step whose deployed force would be taken apart, from the first that was read; −1: none
};
/// \throws EpisodeError as EpisodeReader::next, and where options.smooth.zero_phase wants the whole log
PassedLog pass_over(const Robot& robot, EpisodeReader& log, const std::vector<std::string>& endpoints,
                    const AuditOptions& options, const CheckResult& check, const Progress& progress,
                    const StepsWriter& write);

}  // namespace antaeus::detail
