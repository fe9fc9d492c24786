#pragma once
// Findings of torque hypotheses: severity, sentence, remedy. Private to src/check.
#include "check/torque_faults.hpp"

namespace antaeus::detail {

Finding finding_of(const Robot& robot, const Hypothesis& hypothesis);
/// What would tell a fault that a log does not tell.
std::string what_would_tell(Fault fault);
/// Whether a size is outside of what clean robots have.
bool beyond_clean(const Robot& robot, const Hypothesis& hypothesis);

}  // namespace antaeus::detail
