#pragma once
// Least squares by levels: each level as far as those before allow, all between limits. Private to src/ik.

#include <vector>

#include "antaeus/numerics/bounded_least_squares.hpp"

namespace antaeus::detail {

/// For the levels k = 0, 1, … in turn: minimise ½ ‖A_k v − b_k‖² + ½ λ_k² ‖v − v_{k−1}‖² over the v with
/// A_j v = A_j v_j for all j < k, lower ≤ v ≤ upper and G v ≥ floor, where v_j is what level j found. So A_j v of a
/// level is changed by later ones by rounding alone.
///
/// Source: Escande, Mansard & Wieber, "Hierarchical quadratic programming", Int. J. Robot. Res. 33 (2014), with the
/// limits as the level above all, and a damping.
class LevelSolver {
 public:
  struct Level {
    MatrixX A;  ///< rows × nv
    VectorX b;  ///< rows
    double damping = 0.0;
  };

  /// \param rows  of each level; \param max_guards  rows of G
  LevelSolver(int nv, const std::vector<int>& rows, int max_guards);

  Level& level(int k) noexcept { return levels_[static_cast<std::size_t>(k)]; }
  VectorX lower, upper;  ///< nv, lower ≤ upper
  MatrixX G;             ///< max_guards × nv
  VectorX floor;         ///< max_guards
  int guards = 0;        ///< rows of G that count

  /// \param count  levels 0 … count − 1, then `last` where it is not −1. \return false for numbers that are not finite
  bool solve(int count, int last = -1) noexcept;
  /// The answer, within lower … upper exactly. Floors that cannot all be kept were lowered by the least common amount.
  const VectorX& v() const noexcept { return v_; }

 private:
  bool solve_level(const Level& level, bool first) noexcept;
  bool relax() noexcept;
  void keep_rows(const Level& level) noexcept;

  Eigen::Index nv_;
  std::vector<Level> levels_;
  BoundedLeastSquares squares_;
  VectorX v_, right_, low_, high_, least_;
  MatrixX Z_, C_, N_;  // Z's columns from taken_ on: the directions that are still free, orthonormal
  VectorX norms_, reflector_;
  Eigen::Index taken_ = 0;
  double slack_ = 0.0;
};

}  // namespace antaeus::detail
