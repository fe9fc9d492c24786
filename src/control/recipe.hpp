#pragma once

namespace antaeus {

/// Where the defaults of force control without a force sensor come from.
inline constexpr const char* kRecipe = "docs/concepts/control.md#where-the-defaults-come-from";

}  // namespace antaeus
