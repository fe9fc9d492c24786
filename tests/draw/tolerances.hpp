#pragma once
/// \file
/// Tolerances of tests/draw alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// A place in a figure: coordinates are written to 0.01 [px].
inline constexpr Tolerance kPixel{0.0051};

}  // namespace antaeus::tolerance
