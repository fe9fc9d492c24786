#pragma once
/// \file
/// Tolerances of tests/studies alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// Force control without a sensor, two to three times the worst of the seeds in
/// docs/concepts/control.md#without-a-force-sensor: mean of a hold that rocks, and with joint sensors [N].
inline constexpr Tolerance kRockedForce{0.3};
inline constexpr Tolerance kJointSensedForce{0.2};

}  // namespace antaeus::tolerance
