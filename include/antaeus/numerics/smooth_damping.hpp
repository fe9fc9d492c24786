#pragma once
/// \file
/// Passing through a singularity without a jump: an inverse whose damping sets in smoothly, and a joint velocity that
/// is carried across where the inverse has no gain.
///
/// The pole of 1/σ changes sign at a singularity, so whatever inverse is continuous has zero gain there in the singular
/// direction. Damping alone then stalls or bounces to the mirror branch. What moves the joints on is their own
/// reference velocity z, which only what the inverse sees pulls to the demand.

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/numerics/small_svd.hpp"

namespace antaeus {

struct SmoothDampingOptions {
  double damping = 0.03;  ///< λ₀: damping at the singularity itself [unit of J]
  double band = 0.06;     ///< ε: at or above this smallest singular value nothing is damped [unit of J]
  double pull = 5.0;      ///< κ: how fast the carried velocity follows the demand [1/s]
};
ANTAEUS_API const OptionTable& options_of(const SmoothDampingOptions&);

struct SmoothDampingReport {
  /// `ok`; `wrong_size`, `not_finite`: the results are NaN, and what is carried stays.
  Status status = Status::not_computed;
  double sigma_min = kNaN, condition = kNaN, lambda = kNaN;
};
constexpr void visit_fields(const SmoothDampingReport*, auto&& visit) {
  using S = SmoothDampingReport;
  visit(field("status", "", "ok, or what of J is wrong", &S::status));
  visit(field("sigma_min", "", "smallest singular value of J, its unit", &S::sigma_min));
  visit(field("condition", "1", "σ₁/σ_min; infinite at σ_min = 0", &S::condition));
  visit(
      field("lambda_", "", "λ, in the unit of J's singular values; 0: the exact or Moore-Penrose inverse", &S::lambda));
}

/// J# = Jᵀ(JJᵀ + λ²E)⁻¹ with λ² = λ₀²(1 − σ²/ε²)² for σ < ε, else 0: once continuously differentiable in σ. Largest
/// gain 21.6 at the defaults. Has no memory. \realtime after construction, conditioning_realtime_test.
class ANTAEUS_API SmoothDamping {
 public:
  /// \throws OptionsError for an option out of its range; Error unless 1 ≤ rows ≤ columns
  SmoothDamping(int rows, int columns, const SmoothDampingOptions& options = {});

  /// Inverts J [rows × columns] and differentiates the inverse along J_dot.
  SmoothDampingReport compute(const ConstMatrixRef& J, const ConstMatrixRef& J_dot) noexcept;

  /// J# [columns × rows] of the last compute().
  const MatrixX& inverse() const noexcept { return inverse_; }
  /// dJ#/dt [columns × rows].
  const MatrixX& rate() const noexcept { return rate_; }
  const SmallSvd& svd() const noexcept { return svd_; }
  const SmoothDampingOptions& options() const noexcept { return options_; }

 private:
  int rows_, columns_;
  SmoothDampingOptions options_;
  SmallSvd svd_;
  MatrixX inverse_, rate_, gram_inverse_, change_, scaled_;
};

/// The reference velocity of joints that shall make J θ̇ = b, through singularities as well:
///
///     θ̇_r = z + J#(b − J z),    ż = κ J# J J#(b − J z),    z(0) = J# b.
///
/// Away from singularities J θ̇_r = b exactly. Across one, z keeps its motion in the direction that J# does not see.
///
/// A wide J also has a kernel, in which z would go on for ever. There a demand u may lead it:
///
///     ż += κ (1 − λ²/λ₀²) K(u − z),    K = E − VVᵀ, the projection onto the kernel.
///
/// K has no sign to choose. It swings the faster the nearer σ is to 0; the weight, of the size of 2σ²/ε² there, keeps ż
/// continuous. Memory: z and whether it was set. \realtime after construction, conditioning_realtime_test.
class ANTAEUS_API CarriedReference {
 public:
  /// \throws as SmoothDamping
  CarriedReference(int rows, int columns, const SmoothDampingOptions& options = {});

  /// Forgets z: the next update() begins with z = J# b. \realtime
  void reset() noexcept { empty_ = true; }

  /// The reference of this instant; then z is moved on by \p dt for the next call.
  /// \param b      rows: demanded J θ̇
  /// \param b_dot  its derivative, for the acceleration
  /// \param dt     ≥ 0, finite [s]; else `not_finite`. Beyond 1/κ z moves by that: more would overshoot
  SmoothDampingReport update(const ConstMatrixRef& J, const ConstMatrixRef& J_dot, const ConstVectorRef& b,
                             const ConstVectorRef& b_dot, double dt) noexcept;
  /// The same with a demand in the kernel.
  /// \param kernel_demand  u [columns]: joint velocities, of which the kernel's part counts [1/s]
  SmoothDampingReport update(const ConstMatrixRef& J, const ConstMatrixRef& J_dot, const ConstVectorRef& b,
                             const ConstVectorRef& b_dot, double dt, const ConstVectorRef& kernel_demand) noexcept;

  /// θ̇_r [columns].
  const VectorX& velocity() const noexcept { return velocity_; }
  /// θ̈_r [columns], the derivative of velocity() while z moves as said.
  const VectorX& acceleration() const noexcept { return acceleration_; }
  /// z [columns] for the next call.
  const VectorX& carried() const noexcept { return z_; }
  const SmoothDamping& damping() const noexcept { return damping_; }

 private:
  SmoothDampingReport move(const ConstMatrixRef& J, const ConstMatrixRef& J_dot, const ConstVectorRef& b,
                           const ConstVectorRef& b_dot, double dt, const ConstVectorRef* kernel_demand) noexcept;

  SmoothDamping damping_;
  VectorX z_, z_dot_, velocity_, acceleration_, missing_, missing_dot_, seen_, wanting_, seen_wanting_;
  bool empty_ = true;
};

}  // namespace antaeus
