#pragma once
/// \file
/// A wrench (force and moment), and the sign that says who exerts it on whom.
/// Frame and sign are stated wherever one is stored.

#include <cmath>
#include <cstdint>

#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// Who exerts the wrench on whom.
/// `on_robot`: the environment on the robot, M v̇ + h = Sᵀτ + Σ Jᵀ w. Antaeus' own convention.
/// `on_environment`: the robot on the environment, the negative of the above. What pinv(Jᵀ)(τ − g) returns.
enum class Sign : std::uint8_t { on_robot, on_environment };
constexpr auto enum_names(Sign) noexcept { return name_list<Sign>("on_robot", "on_environment"); }

/// The equation r = Jᵀ ŵ has the robot's wrench on the environment for its solution; the other sign is its negative.
constexpr double sign_factor(Sign sign) noexcept { return sign == Sign::on_environment ? 1.0 : -1.0; }

/// Rows of a wrench and of pinv(Jᵀ), in storage order.
enum WrenchRow : int { kFx = 0, kFy = 1, kFz = 2, kMx = 3, kMy = 4, kMz = 5 };
constexpr auto enum_names(WrenchRow) noexcept { return name_list<WrenchRow>("Fx", "Fy", "Fz", "Mx", "My", "Mz"); }

/// A force and a moment about a stated point in stated axes. Linear part first in storage.
struct Wrench {
  Vector3 force = Vector3::Zero();   ///< [N]
  Vector3 torque = Vector3::Zero();  ///< [N·m] about the reference point

  static Wrench from_vector(const Vector6& w) noexcept { return {w.head<3>(), w.tail<3>()}; }
  /// (Fx Fy Fz Mx My Mz)
  Vector6 to_vector() const noexcept { return (Vector6() << force, torque).finished(); }
  Wrench operator-() const noexcept { return {-force, -torque}; }
  bool is_finite() const noexcept { return force.allFinite() && torque.allFinite(); }
  /// Finite, and small enough that its size is too: squares of more than 1e154 overflow, and |F| would be infinite.
  bool is_measurable() const noexcept { return std::isfinite(force.squaredNorm() + torque.squaredNorm()); }
};

}  // namespace antaeus
