#pragma once
/// \file
/// An inverse of a wide or square matrix J that never grows without bound: exact, then damped, then held. It is what
/// published coordinated controllers of space robots run; smooth_damping.hpp has the one to prefer for control.

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/numerics/small_svd.hpp"

namespace antaeus {

/// Which rule made the inverse. σ: the smallest singular value of J.
enum class InverseTier : std::uint8_t {
  exact,   ///< σ ≥ soft_floor: the inverse, or Moore-Penrose's where J is wide
  damped,  ///< between the floors: V diag(s/(s² + λ²)) Uᵀ with λ = max(damping, soft_floor − σ)
  held,    ///< σ ≤ hard_floor, J not finite or the result over inverse_norm_max: the last inverse, unchanged
};
constexpr auto enum_names(InverseTier) noexcept { return name_list<InverseTier>("exact", "damped", "held"); }

/// Floors have the unit of J: for a Jacobian a mixture of m and 1, and so they depend on the unit of length and on the
/// point that the Jacobian belongs to.
struct ThreeTierOptions {
  double hard_floor = 5e-3;   ///< at or below it the last inverse is held [unit of J]
  double soft_floor = 2e-2;   ///< at or above it nothing is damped [unit of J]
  double damping = 1e-4;      ///< least λ between the floors [unit of J]
  double inv_norm_max = 1e3;  ///< largest 2-norm of an inverse that is returned [1/unit of J]; cannot fire from
                              ///< conditioning unless soft_floor < 1.21/inv_norm_max: the gain's peak is
                              ///< (1 + √2)/(2 soft_floor)
  double exit_step = 0.5;     ///< after a hold the jump to the new inverse is spread over calls, each taking off this
                              ///< much of its Frobenius norm [1/unit of J]; 0: at once, as published
  double exit_reach = 0.1;    ///< a J of which an entry differs by more from the last call's is a new state, not a
                              ///< motion: nothing is spread [unit of J]
};
ANTAEUS_API const OptionTable& options_of(const ThreeTierOptions&);

/// What became of J.
struct TierReport {
  /// `ok`; `not_finite`: J or its rate hold NaN or infinity, the inverse is the last one; `wrong_size`: all is NaN.
  Status status = Status::not_computed;
  InverseTier tier = InverseTier::held;
  double sigma_min = kNaN, condition = kNaN, lambda = kNaN, norm = kNaN, remaining = 0.0;
  bool initial = false;
};
constexpr void visit_fields(const TierReport*, auto&& visit) {
  using T = TierReport;
  visit(field("status", "", "ok, or what of J is wrong", &T::status));
  visit(field("tier", "", "the rule that made the inverse", &T::tier));
  visit(field("sigma_min", "", "smallest singular value of J, its unit", &T::sigma_min));
  visit(field("condition", "1", "σ₁/σ_min of J; infinite at σ_min = 0", &T::condition));
  visit(
      field("lambda_", "", "damping that was applied, in the unit of J's singular values; NaN while held", &T::lambda));
  visit(field("norm", "", "2-norm of the tier's inverse; of one that is held or blended: Frobenius, an upper bound",
              &T::norm));
  visit(field("remaining", "", "Frobenius norm of what of a jump is still to be taken off; 0: the tier's own inverse",
              &T::remaining));
  visit(field("initial", "", "held, and there was nothing to hold: the inverse is zero", &T::initial));
}

/// What one motion leaves behind: the last inverse, and the rest of a jump. Plain data that the caller owns; the same
/// inputs on a copy give the same outputs.
class ANTAEUS_API InverseMemory {
 public:
  /// For J of rows × columns. Error when one is below 1
  InverseMemory(int rows, int columns);
  /// As new: nothing to hold, no jump. \realtime
  void reset() noexcept;
  /// Nothing was stored yet: a first call that cannot invert returns zero, says `held` and `initial`.
  bool empty() const noexcept { return empty_; }
  /// columns × rows; zero while empty.
  const MatrixX& last() const noexcept { return last_; }

 private:
  friend class ThreeTierInverse;
  MatrixX last_, jump_, last_J_;
  double weight_ = 0.0;  // of jump_
  bool empty_ = true, held_ = false;
};

/// Workspace, one a thread. \realtime after construction, conditioning_realtime_test.
class ANTAEUS_API ThreeTierInverse {
 public:
  /// \throws OptionsError for an option out of its range, or hard_floor ≥ soft_floor; Error unless 1 ≤ rows ≤ columns
  ThreeTierInverse(int rows, int columns, const ThreeTierOptions& options = {});

  /// Inverts J [rows × columns] and differentiates the inverse along J_dot.
  ///
  /// The rate is that of the tier's own formula, so GᵀMG and Gᵀ(CG + MĠ) stay a passive pair in every tier: of the
  /// damped one with λ̇, zero while held. The weight of a jump that is taken off counts as constant between calls.
  /// \param memory  of this motion; wrong shape: `wrong_size`
  TierReport compute(const ConstMatrixRef& J, const ConstMatrixRef& J_dot, InverseMemory& memory) noexcept;

  /// J# [columns × rows] of the last compute().
  const MatrixX& inverse() const noexcept { return inverse_; }
  /// dJ#/dt [columns × rows].
  const MatrixX& rate() const noexcept { return rate_; }
  /// The decomposition of the last finite J.
  const SmallSvd& svd() const noexcept { return svd_; }
  const ThreeTierOptions& options() const noexcept { return options_; }

 private:
  void hold(TierReport& report, InverseMemory& memory) noexcept;
  void blend(TierReport& report, InverseMemory& memory, bool moved_on) noexcept;

  int rows_, columns_;
  ThreeTierOptions options_;
  SmallSvd svd_;
  MatrixX inverse_, rate_, gram_inverse_, change_, scaled_;
};

}  // namespace antaeus
