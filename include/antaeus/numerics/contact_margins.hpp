#pragma once
/// \file
/// Signed margins that tell whether the ground can have exerted a wrench, their uncertainty, and the balance of forces.
///
/// Wrenches are those of the ground **on the robot** at the origin of the contact frame, in its axes: the origin is the
/// middle of the sole, z the ground's outward normal. So a foot that is pushed by the ground has f_z > 0. Every margin
/// is ≥ 0 when its condition holds and grows with the distance from its limit. All functions are total and noexcept.
/// \realtime all of them, constraints_realtime_test

#include <cstdint>
#include <optional>

#include "antaeus/core/api.hpp"
#include "antaeus/core/numbers.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/wrench.hpp"

namespace antaeus {

/// What bounds the tangential force at a point of the ground.
enum class FrictionModel : std::uint8_t {
  cone,     ///< √(f_x² + f_y²) ≤ μ f_z: Coulomb's
  pyramid,  ///< |f_x| ≤ μ f_z and |f_y| ≤ μ f_z: the cone's circumscribed pyramid, as linear programmes use it
};

/// A rectangle of one body flat on the ground.
struct SurfaceContact {
  double mu = 0.6;             ///< coefficient of friction [1], ≥ 0
  double half_length_x = 0.1;  ///< X [m], ≥ 0: half the sole's length
  double half_width_y = 0.05;  ///< Y [m], ≥ 0
  FrictionModel friction = FrictionModel::cone;
  /// |τ_z| ≤ this · f_z [m], ≥ 0; without one the moment is bounded by the friction at the corners.
  std::optional<double> torsional_coefficient = std::nullopt;
};

namespace detail {
inline constexpr double kUnknown = kNaN;
}

/// Signed margins; NaN unless `ok`. The contact is impossible where one is negative.
///
/// In the pyramid model without torsional coefficient they are exact: all are ≥ 0 if and only if forces at the four
/// corners, each inside its pyramid, add up to the wrench. In the cone model `yaw` keeps the bound of the circumscribed
/// pyramid: a negative margin proves that the wrench is impossible, margins ≥ 0 do not prove the opposite.
/// Source: Caron, Pham, Nakamura, "Stability of surface contacts for humanoid robots", ICRA 2015, arXiv 1501.04719.
struct ANTAEUS_API ContactMargins {
  /// `not_finite` for a wrench or contact with NaN or infinity; `not_computed` for a negative size or coefficient.
  Status status = Status::not_computed;
  /// f_z [N]: the ground pushes and does not pull.
  double unilateral = detail::kUnknown;
  /// μ f_z − √(f_x² + f_y²), or μ f_z − max(|f_x|, |f_y|) for the pyramid [N]: the sole does not slide.
  double friction = detail::kUnknown;
  /// X f_z − |τ_y| and Y f_z − |τ_x| [N·m]: the centre of pressure is on the sole, which does not tip.
  double cop_x = detail::kUnknown, cop_y = detail::kUnknown;
  /// The smaller of τ_z − τ_min and τ_max − τ_z [N·m]: the sole does not turn on the ground.
  double yaw = detail::kUnknown;
  /// X − |τ_y|/f_z and Y − |τ_x|/f_z [m], from the centre of pressure to the nearer edge; NaN unless f_z > 0.
  double cop_distance_x = detail::kUnknown, cop_distance_y = detail::kUnknown;

  /// Every margin but the distances, which say the same as cop_x and cop_y, is ≥ 0. False for NaN.
  bool feasible() const noexcept;
};

ANTAEUS_API ContactMargins contact_margins(const Wrench& wrench, const SurfaceContact& contact) noexcept;

/// The standard deviation of each margin (same names and units; NaN unless `ok`) for a wrench of small uncertainty.
///
/// First order: σ² = ∇ᵀ Σ ∇. Where a margin has a kink, because two of its conditions are equally near, the larger of
/// their sds is given; for the friction cone without tangential force the bound μ sd(f_z) + the largest tangential sd.
/// \param covariance  6 × 6, of (f_x f_y f_z τ_x τ_y τ_z), symmetric, [N², N·N·m, (N·m)²]. NaN or infinity in it is
///                    `not_finite`; where it gives a negative variance, that sd is NaN
ANTAEUS_API ContactMargins margin_deviation(const Wrench& wrench, const SurfaceContact& contact,
                                            const Matrix6& covariance) noexcept;

/// Newton's second law for the whole robot: ΣF = m (a_com − gravity). All vectors in the same, inertial axes.
struct ForceBalance {
  Vector3 total_force = Vector3::Zero();             ///< ΣF of all contacts on the robot, without weight [N]
  Matrix3 total_force_covariance = Matrix3::Zero();  ///< [N²]
  double mass = 0.0;                                 ///< [kg], > 0
  double mass_sd = 0.0;                              ///< [kg], ≥ 0, an unknown payload for example
  Vector3 gravity{0.0, 0.0, -9.81};                  ///< [m/s²]
  Vector3 com_acceleration = Vector3::Zero();        ///< a_com [m/s²]
  Vector3 com_acceleration_sd = Vector3::Zero();     ///< [m/s²], ≥ 0, the axes independent
};

/// How far the contact forces are from what the motion needs, per axis; NaN unless `ok`.
struct TotalForceMargin {
  /// `not_finite` for NaN or infinity; `not_computed` for a mass ≤ 0, a negative sd or variance, or a negative k.
  Status status = Status::not_computed;
  /// ΣF − m (a_com − gravity) [N]
  Vector3 difference = Vector3::Constant(detail::kUnknown);
  /// Of the difference, first order [N].
  Vector3 sd = Vector3::Constant(detail::kUnknown);
  /// k·sd − |difference| [N]: negative when noise of that size does not explain the difference.
  Vector3 margin = Vector3::Constant(detail::kUnknown);
};

/// \param k  how many standard deviations are accepted, ≥ 0: 3 is exceeded by chance 27 times in 10 000 on each axis
ANTAEUS_API TotalForceMargin total_force_margin(const ForceBalance& balance, double k = 3.0) noexcept;

}  // namespace antaeus
