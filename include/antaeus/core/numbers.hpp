#pragma once
/// \file
/// The constants NaN and infinity.

#include <limits>

namespace antaeus {

/// Stands for a number that is not known or could not be computed.
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace antaeus
