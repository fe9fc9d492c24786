#pragma once
#include "antaeus/core/wrench.hpp"

namespace antaeus {

/// The equation r = Jᵀ ŵ has the robot's wrench on the environment for its solution; the other sign is its negative.
constexpr double sign_factor(Sign sign) noexcept { return sign == Sign::on_environment ? 1.0 : -1.0; }

}  // namespace antaeus
