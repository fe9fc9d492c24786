#pragma once
/// \file
/// Constants that every room uses.

#include <limits>

namespace antaeus {

/// Stands for a number that is not known or could not be computed.
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kSecondsAnHour = 3600.0;

}  // namespace antaeus
