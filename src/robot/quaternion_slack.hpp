#pragma once

namespace antaeus {

/// How far a quaternion's length may be from one: rounding of a log, and no other convention.
inline constexpr double kQuaternionSlack = 1e-3;

}  // namespace antaeus
