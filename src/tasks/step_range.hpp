#pragma once
// Which velocities of one joint are allowed in one step. Private to src/ik.

#include "tasks/joint_rows.hpp"

namespace antaeus::detail {

struct StepRange {
  double lower = -kInfinity, upper = kInfinity;  ///< of v, lower ≤ upper
  bool conflict = false;  ///< the limits contradict each other: the range is the one velocity that breaks the least
};

/// The velocities v with which a joint at \p position, within its limits, may move for \p dt: q + v·dt as computed is
/// within the limits, |v| within the velocity limit, |v − previous| ≤ acceleration · dt, each to the last bit, and
/// braking by `acceleration` in steps of dt stops before the limit. A range that satisfies all is followed by one: only
/// a previous velocity that came from elsewhere leads to a conflict. Then position goes before velocity, and both
/// before acceleration.
/// \param acceleration  [rad/s² | m/s²], infinity for none
StepRange step_range(const JointRow& joint, double position, double previous, double acceleration, double dt) noexcept;

/// The fastest v towards a limit `room` away, all in steps: v + (v − a) + (v − 2a) + … ≤ room while positive.
/// \param room  distance over dt, ≥ 0; \param a  acceleration · dt
double braking_speed(double room, double a) noexcept;

}  // namespace antaeus::detail
