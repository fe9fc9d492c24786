#pragma once
/// \file
/// Symmetric positive definite matrices of blocks on the diagonal and beside it: what couples neighbours in time.
///
///     A = | D₀  L₀ᵀ        |     D_t symmetric n_t × n_t, L_t of n_{t+1} rows and n_t columns.
///         | L₀  D₁  L₁ᵀ    |     Factorisation, solution and the blocks of the inverse cost O(Σ n_t³): linear in time.
///         |     L₁  D₂  …  |     Block Cholesky: Golub, Van Loan, "Matrix Computations", 4.5.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "antaeus/core/api.hpp"

namespace antaeus {

/// Blocks in one stretch of memory, column-major. reshape() allocates, nothing else does.
class ANTAEUS_API BlockTridiagonal {
 public:
  using Block = Eigen::Map<Eigen::MatrixXd>;
  using ConstBlock = Eigen::Map<const Eigen::MatrixXd>;

  BlockTridiagonal() = default;
  /// \param sizes  n_t of each block, ≥ 0; all entries become zero
  /// \param part_of_mixed  of a longer matrix whose blocks are not of one size: computed in its order
  void reshape(std::span<const int> sizes, bool part_of_mixed = false);
  /// The same with equal sizes.
  void reshape(int blocks, int size);
  void set_zero() noexcept;

  int blocks() const noexcept { return static_cast<int>(sizes_.size()); }
  int size(int t) const noexcept { return sizes_[static_cast<std::size_t>(t)]; }
  /// Of the first row of block t in a vector of all rows.
  Eigen::Index offset(int t) const noexcept { return rows_[static_cast<std::size_t>(t)]; }
  Eigen::Index rows() const noexcept { return rows_.empty() ? 0 : rows_.back(); }

  /// D_t. Both triangles are to be filled before factor() (which reads the lower one).
  Block diagonal(int t) noexcept { return {data_.data() + diagonal_[t], size(t), size(t)}; }
  ConstBlock diagonal(int t) const noexcept { return {data_.data() + diagonal_[t], size(t), size(t)}; }
  /// L_t: rows of block t + 1, columns of block t; t < blocks() − 1.
  Block lower(int t) noexcept { return {data_.data() + lower_[t], size(t + 1), size(t)}; }
  ConstBlock lower(int t) const noexcept { return {data_.data() + lower_[t], size(t + 1), size(t)}; }

  /// A x; sizes as rows().
  void multiply(Eigen::Ref<const Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> result) const noexcept;
  /// A = C Cᵀ in place: D_t becomes the lower Cholesky factor of its Schur complement, L_t becomes L_t C_t⁻ᵀ.
  /// \return false where a pivot is not positive; the content is then worthless. \realtime
  bool factor() noexcept;
  /// The same where D_0 holds its C already, as an earlier stretch of a longer matrix left it: what follows has the
  /// bits that factoring the longer one as a whole gives it. \realtime
  bool factor_on() noexcept;
  /// x ← A⁻¹ x, after factor(). \realtime
  void solve(Eigen::Ref<Eigen::VectorXd> x) const noexcept;
  /// The two halves of solve(): x ← C⁻¹ x, x ← C⁻ᵀ x. \param known  x's first block holds its half of the way, see
  /// factor_on(). \realtime
  void solve_forward(Eigen::Ref<Eigen::VectorXd> x, bool known = false) const noexcept;
  void solve_backward(Eigen::Ref<Eigen::VectorXd> x) const noexcept;
  /// After factor(): the blocks of A⁻¹ on the diagonal and below it (all that a covariance over time needs), into a
  /// matrix of the same shape. Takahashi, Fagan, Chin, "Formation of a sparse bus impedance matrix", 1973. \realtime
  void inverse_blocks(BlockTridiagonal& inverse) const noexcept;

 private:
  bool factor_from(int first) noexcept;
  /// Calls work with the common size of all blocks as a constant, or with Eigen::Dynamic.
  template <class Work>
  auto with_size(Work&& work) const;

  bool mixed_ = false;
  std::vector<int> sizes_;
  std::vector<Eigen::Index> rows_;              ///< offsets of the blocks, and the number of rows
  std::vector<Eigen::Index> diagonal_, lower_;  ///< places in data_
  std::vector<double> data_;
  std::vector<double> reciprocals_;  ///< of the factor's diagonal
};

}  // namespace antaeus
