#pragma once
/// \file
/// Tolerances of tests/audit alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// A difference of two numbers that were each rounded to 0.001 before they were subtracted, as the report did.
inline constexpr Tolerance kSubtractedPrintedDigits{1e-3};

}  // namespace antaeus::tolerance
