#pragma once

namespace antaeus {

/// Where the defaults of force control without a force sensor come from.
inline constexpr const char* kRecipe = "sensorless_force_control.md";

}  // namespace antaeus
