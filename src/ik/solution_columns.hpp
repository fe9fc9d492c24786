#pragma once
// The columns of solutions.csv that are no joint's.
namespace antaeus::detail {

inline constexpr const char* kSolutionColumns[] = {"target",         "status",          "reason",     "reached",
                                                   "position_error", "rotation_error",  "iterations", "attempts",
                                                   "blocked_by",     "agreeing_starts", "gradient",   "cpu_us"};

}  // namespace antaeus::detail
