#pragma once
/// \file
/// Tolerances of tests/core alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// Functions with results of up to 4, half a unit in the last place of their own and of the library's.
inline constexpr Tolerance kLastDigit{9e-16};

}  // namespace antaeus::tolerance
