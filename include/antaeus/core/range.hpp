#pragma once
/// \file
/// Which numbers a setting may have.

#include <string>

#include "antaeus/core/api.hpp"
#include "antaeus/core/numbers.hpp"

namespace antaeus {

/// Which numbers an option may have. Never NaN, never infinity.
struct ANTAEUS_API Range {
  double lowest = 0.0, highest = kInfinity;
  bool lowest_allowed = true, highest_allowed = true;

  bool holds(double value) const noexcept;
  std::string text() const;  ///< "more than zero", "zero or more and at most 1"
};
inline constexpr Range kNotNegative{};
inline constexpr Range kPositive{.lowest_allowed = false};
inline constexpr Range kAnyNumber{.lowest = -kInfinity};
/// A probability, 0 and 1 excluded.
inline constexpr Range kProbability{0.0, 1.0, false, false};
/// A share; 0 is allowed and 1 is not.
inline constexpr Range kBelowOne{0.0, 1.0, true, false};
/// A share, both ends included.
inline constexpr Range kShare{0.0, 1.0};
constexpr Range at_least(double lowest) noexcept { return {.lowest = lowest}; }

}  // namespace antaeus
