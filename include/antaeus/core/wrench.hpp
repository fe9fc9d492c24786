#pragma once
/// \file
/// A wrench and whose it is. Frame and sign are stated wherever one is stored.

#include <cmath>
#include <string_view>

#include "antaeus/core/types.hpp"

namespace antaeus {

/// Who exerts the wrench on whom.
/// `on_robot`: the environment on the robot, M v̇ + h = Sᵀτ + Σ Jᵀ w. Antaeus' own convention.
/// `on_environment`: the robot on the environment, the negative of the above. What pinv(Jᵀ)(τ − g) returns.
enum class Sign { on_robot, on_environment };

/// A force and a moment about a stated point in stated axes. Linear part first in storage.
struct Wrench {
  Vector3 force = Vector3::Zero();   ///< [N]
  Vector3 torque = Vector3::Zero();  ///< [N·m] about the reference point

  static Wrench from_vector(const Vector6& w) noexcept { return {w.head<3>(), w.tail<3>()}; }
  /// (Fx Fy Fz Mx My Mz)
  Vector6 to_vector() const noexcept { return (Vector6() << force, torque).finished(); }
  Wrench operator-() const noexcept { return {-force, -torque}; }
  bool is_finite() const noexcept { return force.allFinite() && torque.allFinite(); }
};

constexpr std::string_view to_string(Sign sign) noexcept {
  return sign == Sign::on_robot ? "on_robot" : "on_environment";
}

}  // namespace antaeus
