#pragma once
/// \file
/// Contact-free projection: what the torques say of the hands whatever the ground does to the feet.

#include <string>
#include <vector>

#include "antaeus/core/options.hpp"
#include "antaeus/estimation/contact_equation.hpp"
#include "antaeus/estimation/residual.hpp"

namespace antaeus {

struct ContactFreeOptions {
  bool base_rows = true;
  double base_force_sd = 15.0;
  double base_moment_sd = 10.0;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visit) {
    visit(OptionInfo{"base_rows", "", "whether the six rows that no motor drives are used, while nothing moves",
                     "without them the legs' rows are all that the feet touch, and nothing is won"},
          self.base_rows);
    visit(OptionInfo{"base_force_sd", "N", "sd of the base's force rows at rest", "2 % of 67 kg"}, self.base_force_sd);
    visit(OptionInfo{"base_moment_sd", "N·m", "sd of the base's moment rows at rest", "2 cm of the weight's lever"},
          self.base_moment_sd);
  }
};

/// Projects the contact equation onto the motions that the feet do not resist.
///
/// With the feet's Jacobian J_f [6 k × (6 + motors)] and an orthonormal basis N of its null space, Nᵀ J_fᵀ = 0, so
///
///     Nᵀ r = −Nᵀ Σ J_hᵀ w_h + Nᵀ e,   cov(Nᵀ e) = Nᵀ R N
///
/// has only the wrenches w_h of the other endpoints, on the robot, in world axes. It is exactly what joint weighted
/// least squares says of the hands with the feet left free: nothing is assumed of the feet, and nothing learned.
/// The covariance is dense; whitened_*() are the equations after multiplication by the inverse of its Cholesky factor,
/// each row with variance 1, ready for GaussianPosterior.
///
/// What it cannot do: a joint above the feet, as the H1-2's torso, has a zero in every column of J_fᵀ, so its error
/// passes the projection whole, with base rows or without. All that the base rows do is to disagree with it, for the
/// static balance is false while anything accelerates (contact_free_test: RE3, step 8).
/// A row with infinite variance is projected out like a foot; the base rows too while the residual says `moving`.
/// Sources: Mistry, Buchli & Schaal, ICRA 2010; Righetti et al., IJRR 32 (2013); arXiv 2202.12574.
///
/// Set-up and log code: compute() allocates.
class ContactFreeProjection {
 public:
  /// \param removed  frames among the equation's endpoints whose wrenches are not to be known.
  /// \throws ModelError for a name that is no endpoint of the equation, or base rows on a fixed base
  ContactFreeProjection(const ContactEquation& equation, const std::vector<std::string>& removed,
                        ContactFreeOptions options = {});

  /// \return `wrong_size`, `not_finite` or what equation and residual say; everything is empty then. `not_computed`
  ///         for base rows with a residual that is not static: the equation has them at rest only
  Status compute(const ContactEquation& equation, const Residual& residual);

  Status status() const noexcept { return status_; }
  /// Endpoints that are left, in the equation's order: six columns of matrix() each.
  const std::vector<int>& kept() const noexcept { return kept_; }
  /// Whether the base rows were evidence in the last call.
  bool base_rows_used() const noexcept { return base_rows_used_; }
  /// N [rows × free motions], orthonormal; the six base rows first where the option asks for them.
  const MatrixX& null_space() const noexcept { return N_; }
  /// Nᵀ r
  const VectorX& residual() const noexcept { return residual_; }
  /// −Nᵀ J_hᵀ: residual() = matrix() · wrenches on the robot.
  const MatrixX& matrix() const noexcept { return matrix_; }
  /// Nᵀ R N
  const MatrixX& covariance() const noexcept { return covariance_; }
  const VectorX& whitened_residual() const noexcept { return whitened_residual_; }
  const MatrixX& whitened_matrix() const noexcept { return whitened_matrix_; }

 private:
  Status fail(Status status);
  ContactFreeOptions options_;
  std::vector<int> removed_, kept_;
  Status status_ = Status::not_computed;
  bool base_rows_used_ = false;
  MatrixX N_, matrix_, covariance_, whitened_matrix_;
  VectorX residual_, whitened_residual_;
};

}  // namespace antaeus
