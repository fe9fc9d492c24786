#pragma once
/// \file
/// Contact-free projection: removes the feet's unknown wrenches from the equation, so that only the hands' remain.

#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/estimation/contact_prior.hpp"
#include "antaeus/estimation/residual.hpp"

namespace antaeus {

struct ContactFreeOptions {
  bool base_rows = true;   ///< whether the six rows that no motor drives are used, while nothing moves
  BaseRowErrors errors{};  ///< of those rows
};

/// Projects the contact equation onto the motions that the feet do not resist.
///
/// With the feet's Jacobian J_f [6 k × (6 + motors)] and an orthonormal basis N of its null space, Nᵀ J_fᵀ = 0, so
///
///     Nᵀ r = −Nᵀ Σ J_hᵀ w_h + Nᵀ e,   cov(Nᵀ e) = Nᵀ R N
///
/// has only the wrenches w_h of the other endpoints, on the robot, in world axes. It is exactly the result of joint
/// weighted least squares for the hands, with the feet left free. Nothing is assumed of the feet, and nothing is
/// learned of them. The covariance is dense; whitened_*() are the equations after multiplication by the inverse of its
/// Cholesky factor, each row with variance 1, ready for GaussianPosterior.
///
/// What it cannot do: a joint above the feet, as the H1-2's torso, has a zero in every column of J_fᵀ. Its
/// error passes the projection unchanged, with base rows or without. The base rows only disagree with it, since the
/// static balance does not hold while anything accelerates (contact_free_test: RE3, step 8). A row with infinite
/// variance is projected out like a foot; the base rows too while the residual says `moving`.
/// Sources: Mistry, Buchli & Schaal, ICRA 2010; Righetti et al., IJRR 32 (2013); arXiv 2202.12574.
///
/// Set-up and log code: compute() allocates.
class ANTAEUS_API ContactFreeProjection {
 public:
  /// \param removed  frames among the reader's endpoints whose wrenches are removed.
  /// \throws ModelError for a name that is not an endpoint of the reader, or base rows on a fixed base
  ContactFreeProjection(const InstantReader& reader, const std::vector<std::string>& removed,
                        ContactFreeOptions options = {});

  /// \return `wrong_size`, `not_finite` or the status of the residual; everything is empty then. `not_computed`
  ///         for base rows with a residual that is not static: base rows exist for a static residual only
  Status compute(const Residual& residual);

  Status status() const noexcept { return status_; }
  /// Endpoints that are left, in the instant's order: six columns of matrix() each.
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
