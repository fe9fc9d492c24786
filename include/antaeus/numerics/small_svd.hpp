#pragma once
/// \file
/// Singular value decomposition of the small, sparse-patterned matrices of contact estimation.

#include <cstdint>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// Thin SVD A = U diag(σ) Vᵀ of an m × n matrix, with memory taken once.
///
/// Only what is non-zero is worked on. For a hand of a humanoid A = Jᵀ is 27 × 6, but only the 8 joints between torso
/// and hand have non-zero rows. Two hands and two feet together are 27 × 24. They fall into three blocks that share no
/// row and no column, and each block is decomposed by itself. Per block: Householder QR with column pivoting, then
/// one-sided Jacobi rotations on Rᵀ. Such a decomposition finds also the small singular values of a matrix with
/// badly scaled columns to full relative accuracy, which bidiagonalisation does not.
///
/// Sources: Hestenes, J. SIAM 6 (1958) for the rotations; Brent & Luk, SIAM J. Sci. Stat. Comput. 6 (1985) for rounds
/// of disjoint pairs; Drmač & Veselić, SIAM J. Matrix Anal. Appl. 29 (2008) for working on Rᵀ of a pivoted QR, which
/// also brings the order of de Rijk (1989); Cox & Higham, BIT 38 (1998) for sorting badly scaled rows first.
///
/// \realtime after construction, conditioning_realtime_test. One object per thread.
class ANTAEUS_API SmallSvd {
 public:
  /// \param max_rows, max_columns  the largest A that compute() will take; Error when negative
  explicit SmallSvd(int max_rows, int max_columns);

  /// Decomposes A. Entries may have any scale that double precision holds.
  ///
  /// Pass matrices stored by columns, or blocks of them: anything else (a transpose, a sum) makes Eigen allocate a
  /// temporary before the call. For a transpose there is compute_transposed().
  /// \return `wrong_size` over the capacity (results empty); `not_finite` when A holds NaN or infinity (results NaN);
  ///         `not_computed` when the rotations do not converge (results NaN; no such matrix is known)
  Status compute(const ConstMatrixRef& A) noexcept;

  /// Decomposes A = Jᵀ as it stands: U belongs to the columns of J (the joints), V to its rows.
  Status compute_transposed(const ConstMatrixRef& J) noexcept;

  /// Decomposes A = (diag(row_scale) J)ᵀ, as a change of the unit of J's rows requires.
  /// \param row_scale  J.rows() factors, finite and not zero; else `wrong_size` or `not_finite`
  Status compute_transposed(const ConstMatrixRef& J, const ConstVectorRef& row_scale) noexcept;

  /// What the last compute() returned; `not_computed` before the first.
  Status status() const noexcept { return status_; }
  /// m of the last A.
  int rows() const noexcept { return rows_; }
  /// n of the last A.
  int columns() const noexcept { return columns_; }

  /// min(m, n) singular values, largest first. Below 1e-65 of the largest of their block they are returned as 0.
  Eigen::Map<const VectorX> sigma() const noexcept { return {sigma_.data(), size_}; }

  /// m × min(m, n), orthonormal columns. A zero row of A is an exactly zero row of U, except where σ is 0 and A
  /// has fewer non-zero rows than columns: orthonormal columns then need the other rows too.
  Eigen::Map<const MatrixX> U() const noexcept { return {u_.data(), rows_, size_}; }

  /// n × min(m, n), orthonormal columns. In each, the entry of largest magnitude is
  /// positive, which fixes the sign of the pair.
  Eigen::Map<const MatrixX> V() const noexcept { return {v_.data(), columns_, size_}; }

  /// Number of singular values above relative_tolerance · σ₁ (strictly, so 0 for a zero matrix);
  /// −1 without a result or for a tolerance that is negative or NaN.
  int rank(double relative_tolerance) const noexcept;

 private:
  /// Elements of A by strides, so that a transpose costs nothing.
  struct View {
    const double* data;
    Eigen::Index row_stride, column_stride;
    int rows, columns;
    const double* column_scale;  ///< null for none
  };
  /// Rows and columns of A that are connected through non-zero entries, as a tall matrix "long × short".
  struct Block {
    bool transposed = false;  ///< the long side is A's columns
    int long_size = 0, short_size = 0, rank = 0;
    int first_row = 0, first_column = 0;  ///< where its rows and columns begin in row_list_ and column_list_
    int reflectors = 0, rotated = 0;      ///< where its matrices begin in reflectors_ and rotated_
    int first_triplet = 0;                ///< where its triplets begin
    int exponent = 0;                     ///< the block was divided by 2^exponent
  };

  Status run(const View& A) noexcept;
  Status fail(Status status) noexcept;
  bool scan(const View& A) noexcept;
  void find_blocks(const View& A) noexcept;
  bool gather(const View& A, Block& block) noexcept;
  void factorise(Block& block) noexcept;
  bool diagonalise(Block& block) noexcept;
  void complete_short_side(const Block& block) noexcept;
  void sort() noexcept;
  void scatter(const Block& block, int triplet, int target) noexcept;
  void apply_reflectors(const Block& block, double* columns, int count) noexcept;
  void expand(const Block& block) noexcept;
  void complete() noexcept;
  void complete_side(double* vectors, int size, const int* list, char* taken, bool right) noexcept;

  int max_rows_, max_columns_, mask_words_;
  int rows_ = 0, columns_ = 0, size_ = 0;
  Status status_ = Status::not_computed;

  VectorX sigma_, u_, v_;

  std::vector<std::uint64_t> masks_;            ///< per column of A, one bit per row: is the entry non-zero?
  std::vector<std::uint64_t> block_mask_;       ///< rows of the block that is being collected
  std::vector<char> column_taken_, row_taken_;  ///< belongs to a block
  std::vector<int> row_list_, column_list_, pivot_, triplet_block_, triplet_order_;
  std::vector<Block> blocks_;
  int block_count_ = 0, triplet_count_ = 0;

  VectorX reflectors_;       ///< per block long × short: first the entries, then the Householder vectors
  VectorX reflector_scale_;  ///< per triplet: 1 / (½ vᵀv)
  VectorX rotated_;          ///< per block, one column per triplet: a column of RᵀZ above a column of the rotation Z
  VectorX norm_;             ///< squared column norms, scratch
  VectorX triplet_sigma_;    ///< unsorted
  VectorX long_vectors_;     ///< per block long × short: the long sides of its triplets
};

}  // namespace antaeus
