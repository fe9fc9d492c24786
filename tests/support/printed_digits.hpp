#pragma once
/// Comparison with a number as a report prints it: right when it rounds to the printed digits.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/tolerances.hpp"

namespace antaeus::test {

/// Half a unit of the last digit after the point in \p printed ("-532.91" → 0.005).
inline double half_unit(const std::string& printed) {
  const std::size_t point = printed.find('.');
  const double digits = point == std::string::npos ? 0.0 : static_cast<double>(printed.size() - point - 1);
  return 0.5 * std::pow(10.0, -digits) * tolerance::scale();
}

}  // namespace antaeus::test

/// \p printed is a text, so that its number of digits is known.
#define EXPECT_PRINTED(actual, printed) EXPECT_NEAR(actual, std::stod(printed), antaeus::test::half_unit(printed))
