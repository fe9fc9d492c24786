#pragma once
// Damping by double diagonalisation: Albu-Schäffer, Ott, Frese, Hirzinger (2003), "Cartesian impedance control of
// redundant robots: recent results with the DLR-light-weight-arms".
#include <cmath>

#include "antaeus/numerics/small_svd.hpp"
#include "core/decompositions.hpp"

namespace antaeus {

/// With M = Q Qᵀ and K = Q K₀ Qᵀ: D = 2 ζ Q √K₀ Qᵀ, which damps each mode of M ẍ + D ẋ + K x by ζ. Where K has no
/// stiffness, D has no damping. Its memory is taken once: Eigen's own solver of eigenvalues would allocate.
class DampingDesign {
 public:
  explicit DampingDesign(int size) : factor_(size), modes_(size, size), reduced_(size, size) {}

  /// \param M  symmetric, positive definite, \param root  symmetric with root · root = K
  void design(const ConstMatrixRef& M, const ConstMatrixRef& root, double ratio, MatrixRef D) noexcept {
    factor_.compute(M);
    // M = L Lᵀ; L⁻¹ K L⁻ᵀ has the modes and their squared frequencies: U and Σ² of L⁻¹ root = U Σ Vᵀ.
    reduced_ = root;
    factor_.matrixL().solveInPlace(reduced_);
    modes_.compute(reduced_);
    // L U √Σ, so that D is symmetric and positive to the last bit.
    reduced_.noalias() = factor_.matrixL() * modes_.U();
    for (Eigen::Index i = 0; i < reduced_.cols(); ++i) {
      reduced_.col(i) *= std::sqrt(2.0 * ratio * modes_.sigma()[i]);
    }
    D.noalias() = reduced_ * reduced_.transpose();
  }

 private:
  Eigen::LLT<MatrixX> factor_;
  SmallSvd modes_;
  MatrixX reduced_;
};

}  // namespace antaeus
