#include "antaeus/numerics/small_svd.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "antaeus/core/error.hpp"
#include "antaeus/core/numbers.hpp"

namespace antaeus {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr std::uint64_t kMagnitudeBits = 0x7fffffffffffffffULL;
constexpr std::uint64_t kInfinityBits = 0x7ff0000000000000ULL;

/// With entries scaled to at most 1, squares and fourth powers of what is kept must not underflow: (1e-130)² does not.
constexpr double kSmallestSquaredNorm = 1e-130;

/// Rows of more different magnitude than this are sorted.
constexpr double kGraded = 1e-2;

/// A handful suffices in practice; 60 is a bound, not an expectation.
constexpr int kMostSweeps = 60;

/// Two neighbouring entries of a column. Written out, because -O2 vectorises neither sums nor loops of unknown length.
/// Every column begins at an even index and is padded with a zero to even length.
using Pair [[gnu::vector_size(16), gnu::may_alias]] = double;

constexpr int padded(int size) { return (size + 1) & ~1; }

inline Pair* pairs(double* column) { return reinterpret_cast<Pair*>(column); }

[[gnu::always_inline]] inline double dot(const double* a_column, const double* b_column, int size) {
  const auto* a = reinterpret_cast<const Pair*>(a_column);
  const auto* b = reinterpret_cast<const Pair*>(b_column);
  const int count = size / 2;
  Pair even = {0.0, 0.0};
  Pair odd = {0.0, 0.0};
  int i = 0;
#pragma GCC unroll 4
  for (; i + 1 < count; i += 2) {
    even += a[i] * b[i];
    odd += a[i + 1] * b[i + 1];
  }
  if (i < count) even += a[i] * b[i];
  even += odd;
  return even[0] + even[1];
}

/// (a, b) ← (c a + s b, c b − s a)
[[gnu::always_inline]] inline void rotate(double* a_column, double* b_column, int size, double c, double s) {
  Pair* a = pairs(a_column);
  Pair* b = pairs(b_column);
  const Pair c_pair = {c, c};
  const Pair s_pair = {s, s};
#pragma GCC unroll 8
  for (int i = 0; i < size / 2; ++i) {
    const Pair old_a = a[i];
    const Pair old_b = b[i];
    a[i] = c_pair * old_a + s_pair * old_b;
    b[i] = c_pair * old_b - s_pair * old_a;
  }
}

/// x ← x − factor v, and the new squared norm of x.
inline double subtract(double* x_column, const double* v_column, int size, double factor) {
  Pair* x = pairs(x_column);
  const auto* v = reinterpret_cast<const Pair*>(v_column);
  const Pair factor_pair = {factor, factor};
  Pair sum = {0.0, 0.0};
  for (int i = 0; i < size / 2; ++i) {
    x[i] -= factor_pair * v[i];
    sum += x[i] * x[i];
  }
  return sum[0] + sum[1];
}

/// Rotates `count` columns until their upper halves are orthogonal, in rounds of pairs that share no column, four pairs
/// at a time: their square roots and divisions overlap, which halves the time of the order by rows. The columns come in
/// sorted by pivoted QR, which is what de Rijk's order would achieve.
/// \tparam kSize  known size of half a column and number of columns, 0 for any: the sizes of one endpoint, alone and
/// with the tilt of its base, deserve unrolled loops
/// \param norm    out: squared norms of the upper halves
template <int kSize>
bool rotate_until_orthogonal(double* columns, double* norm, int any_half, int any_count, double tolerance) {
  constexpr int kBatch = 4;
  using Batch = Eigen::Array<double, kBatch, 1>;
  const int half = kSize > 0 ? kSize : any_half;
  const int count = kSize > 0 ? kSize : any_count;
  const int stride = 2 * half;
  const double squared_tolerance = tolerance * tolerance;
  const int players = (count + 1) & ~1;  // an odd column out rests for a round
  const int last = players - 1;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool rotated = false;
    for (int k = 0; k < count; ++k) norm[k] = dot(columns + k * stride, columns + k * stride, half);
    for (int round = 0; round < last; ++round) {
      for (int first = 0; first < players / 2; first += kBatch) {
        // An identity rotation in every lane that has nothing to do.
        Batch gamma = Batch::Zero();
        Batch difference = Batch::Ones();
        int pair[kBatch][2];
        bool open[kBatch];
        bool any_open = false;
#pragma GCC unroll 4
        for (int lane = 0; lane < kBatch; ++lane) {
          open[lane] = false;
          const int k = first + lane;
          if (k >= players / 2) continue;
          const int ahead = round + k < last ? round + k : round + k - last;
          const int behind = k == 0 ? last : round - k < 0 ? round - k + last : round - k;
          const int p = std::min(ahead, behind);
          const int q = std::max(ahead, behind);
          pair[lane][0] = p;
          pair[lane][1] = q;
          if (q >= count) continue;
          const double product = dot(columns + p * stride, columns + q * stride, half);
          open[lane] = product * product > squared_tolerance * norm[p] * norm[q];
          gamma[lane] = open[lane] ? product : 0.0;
          difference[lane] = open[lane] ? norm[p] - norm[q] : 1.0;
          any_open |= open[lane];
        }
        if (!any_open) continue;
        rotated = true;
        // The smaller of the two angles: tan = 2γ / (|α − β| + √((α − β)² + 4γ²)), with the sign of α − β.
        const Batch adjacent = difference.abs() + (difference.square() + 4.0 * gamma.square()).sqrt();
        const Batch opposite = (difference < 0.0).select(-2.0 * gamma, 2.0 * gamma);
        const Batch inverse = (adjacent.square() + opposite.square()).sqrt().inverse();
        const Batch c = adjacent * inverse;
        const Batch s = opposite * inverse;
        const Batch moved = opposite / adjacent * gamma;
        for (int lane = 0; lane < kBatch; ++lane) {
          if (!open[lane]) continue;
          const auto [p, q] = pair[lane];
          norm[p] += moved[lane];
          norm[q] -= moved[lane];
          rotate(columns + p * stride, columns + q * stride, stride, c[lane], s[lane]);
        }
      }
    }
    if (!rotated) return true;
  }
  return false;
}

}  // namespace

SmallSvd::SmallSvd(int max_rows, int max_columns) : max_rows_(max_rows), max_columns_(max_columns) {
  if (max_rows < 0 || max_columns < 0) {
    throw Error("SmallSvd",
                "capacity " + std::to_string(max_rows) + " x " + std::to_string(max_columns) + " is negative",
                "pass the size of the largest matrix");
  }
  const int shorter = std::min(max_rows, max_columns);
  const int longer = std::max(max_rows, max_columns);
  const auto wide = [](Eigen::Index a, Eigen::Index b) { return a * b; };
  mask_words_ = (max_rows + 63) / 64;
  sigma_.resize(shorter);
  u_.resize(wide(max_rows, shorter));
  v_.resize(wide(max_columns, shorter));
  masks_.resize(static_cast<std::size_t>(wide(max_columns, mask_words_)));
  block_mask_.resize(mask_words_);
  column_taken_.resize(max_columns);
  row_taken_.resize(max_rows);
  row_list_.resize(max_rows);
  column_list_.resize(max_columns);
  pivot_.resize(shorter);
  triplet_block_.resize(shorter);
  triplet_order_.resize(shorter);
  blocks_.resize(shorter);
  reflectors_.resize(wide(longer + 1, shorter));
  reflector_scale_.resize(shorter);
  rotated_.resize(wide(2 * (shorter + 1), shorter));
  norm_.resize(std::max(shorter, longer));
  triplet_sigma_.resize(shorter);
  long_vectors_.resize(std::max(wide(longer + 1, shorter), Eigen::Index{longer + 1}));
}

Status SmallSvd::compute(const ConstMatrixRef& A) noexcept {
  if (A.rows() > max_rows_ || A.cols() > max_columns_) {
    rows_ = columns_ = 0;
    return fail(Status::wrong_size);
  }
  return run({A.data(), 1, A.outerStride(), static_cast<int>(A.rows()), static_cast<int>(A.cols()), nullptr});
}

Status SmallSvd::compute_transposed(const ConstMatrixRef& J) noexcept {
  if (J.cols() > max_rows_ || J.rows() > max_columns_) {
    rows_ = columns_ = 0;
    return fail(Status::wrong_size);
  }
  return run({J.data(), J.outerStride(), 1, static_cast<int>(J.cols()), static_cast<int>(J.rows()), nullptr});
}

Status SmallSvd::compute_transposed(const ConstMatrixRef& J, const ConstVectorRef& row_scale) noexcept {
  if (J.cols() > max_rows_ || J.rows() > max_columns_ || row_scale.size() != J.rows()) {
    rows_ = columns_ = 0;
    return fail(Status::wrong_size);
  }
  return run({J.data(), J.outerStride(), 1, static_cast<int>(J.cols()), static_cast<int>(J.rows()), row_scale.data()});
}

int SmallSvd::rank(double relative_tolerance) const noexcept {
  if (status_ != Status::ok || !(relative_tolerance >= 0.0)) return -1;
  int rank = 0;
  while (rank < size_ && sigma_[rank] > relative_tolerance * sigma_[0]) ++rank;
  return rank;
}

Status SmallSvd::fail(Status status) noexcept {
  size_ = std::min(rows_, columns_);
  sigma_.head(size_).setConstant(kNaN);
  u_.head(rows_ * size_).setConstant(kNaN);
  v_.head(columns_ * size_).setConstant(kNaN);
  return status_ = status;
}

Status SmallSvd::run(const View& A) noexcept {
  rows_ = A.rows;
  columns_ = A.columns;
  size_ = std::min(rows_, columns_);
  if (!scan(A)) return fail(Status::not_finite);
  find_blocks(A);
  for (int b = 0; b < block_count_; ++b) {
    Block& block = blocks_[b];
    if (!gather(A, block)) return fail(Status::not_finite);
    factorise(block);
    if (!diagonalise(block)) return fail(Status::not_computed);
  }
  sort();
  for (int b = 0; b < block_count_; ++b) expand(blocks_[b]);
  u_.head(rows_ * size_).setZero();
  v_.head(columns_ * size_).setZero();
  for (int i = 0; i < triplet_count_; ++i) {
    const int triplet = triplet_order_[i];
    sigma_[i] = triplet_sigma_[triplet];
    scatter(blocks_[triplet_block_[triplet]], triplet, i);
  }
  if (triplet_count_ < size_) complete();
  return status_ = Status::ok;
}

/// The pattern of A; false when an entry or a scale is not finite.
bool SmallSvd::scan(const View& A) noexcept {
  std::uint64_t largest = 0;
  for (int c = 0; c < A.columns; ++c) {
    if (A.column_scale && !(std::isfinite(A.column_scale[c]) && A.column_scale[c] != 0.0)) return false;
    const double* entry = A.data + c * A.column_stride;
    for (int w = 0, first = 0; first < A.rows; ++w, first += 64) {
      std::uint64_t mask = 0;
      const int count = std::min(64, A.rows - first);
      for (int i = 0; i < count; ++i, entry += A.row_stride) {
        // The bits of magnitudes are ordered as the magnitudes are, with infinity and NaN on top.
        const std::uint64_t magnitude = std::bit_cast<std::uint64_t>(*entry) & kMagnitudeBits;
        largest = std::max(largest, magnitude);
        mask |= static_cast<std::uint64_t>(magnitude != 0) << i;
      }
      masks_[c * mask_words_ + w] = mask;
    }
  }
  return largest < kInfinityBits;
}

void SmallSvd::find_blocks(const View& A) noexcept {
  const int words = (A.rows + 63) / 64;
  int row_count = 0, column_count = 0, reflectors = 0, rotated = 0;
  block_count_ = triplet_count_ = 0;
  std::fill_n(column_taken_.begin(), A.columns, char{0});
  for (int c = 0; c < A.columns; ++c) {
    if (column_taken_[c]) continue;
    std::uint64_t any = 0;
    for (int w = 0; w < words; ++w) any |= block_mask_[w] = masks_[c * mask_words_ + w];
    if (!any) continue;
    Block block;
    block.first_row = row_count;
    block.first_column = column_count;
    column_list_[column_count++] = c;
    column_taken_[c] = 1;
    for (bool grown = true; grown;) {
      grown = false;
      for (int d = c + 1; d < A.columns; ++d) {
        if (column_taken_[d]) continue;
        std::uint64_t shared = 0, added = 0;
        for (int w = 0; w < words; ++w) {
          shared |= block_mask_[w] & masks_[d * mask_words_ + w];
          added |= ~block_mask_[w] & masks_[d * mask_words_ + w];
        }
        if (!shared) continue;
        column_list_[column_count++] = d;
        column_taken_[d] = 1;
        if (!added) continue;
        grown = true;
        for (int w = 0; w < words; ++w) block_mask_[w] |= masks_[d * mask_words_ + w];
      }
    }
    for (int w = 0; w < words; ++w) {
      for (std::uint64_t mask = block_mask_[w]; mask; mask &= mask - 1) {
        row_list_[row_count++] = 64 * w + std::countr_zero(mask);
      }
    }
    const int block_rows = row_count - block.first_row;
    const int block_columns = column_count - block.first_column;
    block.transposed = block_rows < block_columns;
    block.long_size = std::max(block_rows, block_columns);
    block.short_size = std::min(block_rows, block_columns);
    block.reflectors = reflectors;
    block.rotated = rotated;
    block.first_triplet = triplet_count_;
    reflectors += padded(block.long_size) * block.short_size;
    rotated += 2 * padded(block.short_size) * block.short_size;
    for (int k = 0; k < block.short_size; ++k) triplet_block_[triplet_count_++] = block_count_;
    blocks_[block_count_++] = block;
  }
}

/// Copies the block into contiguous memory, scaled by a power of two to entries of at most 1; false when a scaled entry
/// overflows.
bool SmallSvd::gather(const View& A, Block& block) noexcept {
  int* long_list = block.transposed ? &column_list_[block.first_column] : &row_list_[block.first_row];
  const int* short_list = block.transposed ? &row_list_[block.first_row] : &column_list_[block.first_column];
  const Eigen::Index long_stride = block.transposed ? A.column_stride : A.row_stride;
  const Eigen::Index short_stride = block.transposed ? A.row_stride : A.column_stride;
  const int stride = padded(block.long_size);
  double* G = reflectors_.data() + block.reflectors;
  const auto entry = [&](int i, int j) {
    const double value = A.data[i * long_stride + j * short_stride];
    return A.column_scale ? value * A.column_scale[block.transposed ? i : j] : value;
  };
  double largest = 0.0;
  double least = kInfinity;
  for (int i = 0; i < block.long_size; ++i) {
    double line = 0.0;
    for (int j = 0; j < block.short_size; ++j) {
      const double value = G[j * stride + i] = entry(long_list[i], short_list[j]);
      line = std::max(line, std::abs(value));
    }
    norm_[i] = line;
    largest = std::max(largest, line);
    least = std::min(least, line);
  }
  if (!(largest <= std::numeric_limits<double>::max())) return false;
  if (least < kGraded * largest) {
    // Householder QR keeps what small rows hold only when the large ones come first.
    for (int i = 1; i < block.long_size; ++i) {
      for (int k = i; k > 0 && norm_[k - 1] < norm_[k]; --k) {
        std::swap(norm_[k - 1], norm_[k]);
        std::swap(long_list[k - 1], long_list[k]);
      }
    }
    for (int i = 0; i < block.long_size; ++i) {
      for (int j = 0; j < block.short_size; ++j) G[j * stride + i] = entry(long_list[i], short_list[j]);
    }
  }
  if (stride != block.long_size) {
    for (int j = 0; j < block.short_size; ++j) G[j * stride + block.long_size] = 0.0;
  }
  block.exponent = largest > 0.0 ? std::ilogb(largest) + 1 : 0;
  if (block.exponent > -1000 && block.exponent < 1000) {
    const double factor = std::ldexp(1.0, -block.exponent);
    for (int k = 0; k < stride * block.short_size; ++k) G[k] *= factor;
  } else {
    for (int k = 0; k < stride * block.short_size; ++k) G[k] = std::ldexp(G[k], -block.exponent);
  }
  return true;
}

/// G P = Q R with column pivoting. The vectors of the reflectors I − v vᵀ / (½ vᵀv) stay in G, with zeros above their
/// first entry; row k of R becomes column k of rotated_, in the order of the block's own columns, so that P needs no
/// undoing.
void SmallSvd::factorise(Block& block) noexcept {
  const int size = block.short_size;
  const int stride = padded(block.long_size);
  const int half = padded(size);
  double* G = reflectors_.data() + block.reflectors;
  double* L = rotated_.data() + block.rotated;
  int* pivot = &pivot_[block.first_triplet];
  double* scale = reflector_scale_.data() + block.first_triplet;
  for (int j = 0; j < size; ++j) {
    pivot[j] = j;
    norm_[j] = dot(G + j * stride, G + j * stride, stride);
  }
  std::fill_n(L, 2 * half * size, 0.0);
  block.rank = 0;
  for (int k = 0; k < size; ++k) {
    int longest = k;
    for (int j = k + 1; j < size; ++j) {
      if (norm_[pivot[j]] > norm_[pivot[longest]]) longest = j;
    }
    std::swap(pivot[k], pivot[longest]);
    double* v = G + pivot[k] * stride;
    const double squared_norm = norm_[pivot[k]];
    if (!(squared_norm > kSmallestSquaredNorm)) break;
    const double norm = std::sqrt(squared_norm);
    const double diagonal = -std::copysign(norm, v[k]);
    scale[k] = 1.0 / (squared_norm + std::abs(v[k]) * norm);
    v[k] -= diagonal;
    double* row = L + 2 * half * k;
    row[pivot[k]] = diagonal;
    row[half + k] = 1.0;
    const int begin = k & ~1;
    for (int j = k + 1; j < size; ++j) {
      double* x = G + pivot[j] * stride;
      const double factor = dot(v + begin, x + begin, stride - begin) * scale[k];
      x[begin] -= factor * v[begin];
      x[begin + 1] -= factor * v[begin + 1];
      row[pivot[j]] = x[k];
      x[k] = 0.0;
      // Summed anew: to subtract x[k]² from the old norm would cancel.
      norm_[pivot[j]] =
          x[begin + 1] * x[begin + 1] + subtract(x + begin + 2, v + begin + 2, stride - begin - 2, factor);
    }
    ++block.rank;
  }
}

/// Rotates the columns of Rᵀ until they are orthogonal: RᵀZ = W Σ.
bool SmallSvd::diagonalise(Block& block) noexcept {
  const int size = block.short_size;
  const int half = padded(size);
  double* columns = rotated_.data() + block.rotated;
  const double tolerance = kEpsilon * std::sqrt(static_cast<double>(size));
  const auto rotates = block.rank == size && size == 6   ? rotate_until_orthogonal<6>
                       : block.rank == size && size == 8 ? rotate_until_orthogonal<8>
                                                         : rotate_until_orthogonal<0>;
  const bool converged = rotates(columns, norm_.data(), half, block.rank, tolerance);
  if (!converged) return false;
  for (int k = 0; k < size; ++k) {
    double& sigma = triplet_sigma_[block.first_triplet + k];
    sigma = 0.0;
    if (k >= block.rank) continue;
    const double length = std::sqrt(norm_[k]);
    sigma = std::ldexp(length, block.exponent);
    double* column = columns + 2 * half * k;
    for (int i = 0; i < size; ++i) column[i] /= length;
  }
  if (block.rank < size) complete_short_side(block);
  return true;
}

/// Fills the columns of W and Z that belong to zero singular values.
void SmallSvd::complete_short_side(const Block& block) noexcept {
  const int size = block.short_size;
  const int half = padded(size);
  double* columns = rotated_.data() + block.rotated;
  for (int k = block.rank; k < size; ++k) {
    double* column = columns + 2 * half * k;
    std::fill_n(column, 2 * half, 0.0);
    column[half + k] = 1.0;
    // The unit vector that the columns so far reach least; what they reach of it is removed twice, for orthogonality to
    // the last digit.
    int least = 0;
    double least_reach = kInfinity;
    for (int i = 0; i < size; ++i) {
      double reach = 0.0;
      for (int j = 0; j < k; ++j) reach += columns[2 * half * j + i] * columns[2 * half * j + i];
      if (reach < least_reach) {
        least_reach = reach;
        least = i;
      }
    }
    column[least] = 1.0;
    for (int pass = 0; pass < 2; ++pass) {
      for (int j = 0; j < k; ++j) {
        const double* other = columns + 2 * half * j;
        subtract(column, other, half, dot(column, other, half));
      }
      const double length = std::sqrt(dot(column, column, half));
      for (int i = 0; i < size; ++i) column[i] /= length;
    }
  }
}

/// Largest singular value first; equal ones keep the order of their blocks.
void SmallSvd::sort() noexcept {
  for (int i = 0; i < triplet_count_; ++i) {
    int place = i;
    for (; place > 0 && triplet_sigma_[triplet_order_[place - 1]] < triplet_sigma_[i]; --place) {
      triplet_order_[place] = triplet_order_[place - 1];
    }
    triplet_order_[place] = i;
  }
}

/// Columns ← Q columns, all at once for each reflector: one column's sums would wait for each other.
void SmallSvd::apply_reflectors(const Block& block, double* columns, int count) noexcept {
  const int stride = padded(block.long_size);
  for (int k = block.rank - 1; k >= 0; --k) {
    const int begin = k & ~1;
    const double* v = reflectors_.data() + block.reflectors + pivot_[block.first_triplet + k] * stride + begin;
    const double scale = reflector_scale_[block.first_triplet + k];
    for (int j = 0; j < count; ++j) {
      double* y = columns + j * stride + begin;
      subtract(y, v, stride - begin, dot(v, y, stride - begin) * scale);
    }
  }
}

/// The long sides of the block's triplets, Q [Z; 0].
void SmallSvd::expand(const Block& block) noexcept {
  const int stride = padded(block.long_size);
  const int half = padded(block.short_size);
  const double* Z = rotated_.data() + block.rotated + half;
  double* columns = long_vectors_.data() + block.reflectors;
  std::fill_n(columns, stride * block.short_size, 0.0);
  for (int k = 0; k < block.short_size; ++k) {
    std::copy_n(Z + 2 * half * k, block.short_size, columns + stride * k);
  }
  apply_reflectors(block, columns, block.short_size);
}

/// Writes the pair of singular vectors of a triplet to column `target` of U and V.
void SmallSvd::scatter(const Block& block, int triplet, int target) noexcept {
  const int half = padded(block.short_size);
  const double* short_vector = rotated_.data() + block.rotated + 2 * half * (triplet - block.first_triplet);
  const double* long_vector =
      long_vectors_.data() + block.reflectors + padded(block.long_size) * (triplet - block.first_triplet);
  const double* right = block.transposed ? long_vector : short_vector;
  const double* left = block.transposed ? short_vector : long_vector;
  const int right_size = block.transposed ? block.long_size : block.short_size;
  const int left_size = block.transposed ? block.short_size : block.long_size;
  int largest = 0;
  for (int i = 1; i < right_size; ++i) {
    if (std::abs(right[i]) > std::abs(right[largest])) largest = i;
  }
  const double sign = right[largest] < 0.0 ? -1.0 : 1.0;
  double* u = u_.data() + static_cast<Eigen::Index>(target) * rows_;
  double* v = v_.data() + static_cast<Eigen::Index>(target) * columns_;
  for (int i = 0; i < left_size; ++i) u[row_list_[block.first_row + i]] = sign * left[i];
  for (int i = 0; i < right_size; ++i) v[column_list_[block.first_column + i]] = sign * right[i];
}

/// The pairs that no block holds: their singular value is 0 because a block is wider than tall, or a row or column is
/// zero.
void SmallSvd::complete() noexcept {
  complete_side(u_.data(), rows_, row_list_.data(), row_taken_.data(), false);
  complete_side(v_.data(), columns_, column_list_.data(), column_taken_.data(), true);
  for (int target = triplet_count_; target < size_; ++target) sigma_[target] = 0.0;
}

/// Fills the remaining columns of one side, first from within the blocks that are long on this side, then with unit
/// vectors of zero rows (columns) of A.
void SmallSvd::complete_side(double* vectors, int size, const int* list, char* taken, bool right) noexcept {
  int target = triplet_count_;
  std::fill_n(taken, size, char{0});
  for (int b = 0; b < block_count_; ++b) {
    const Block& block = blocks_[b];
    const int* members = list + (right ? block.first_column : block.first_row);
    const int count = block.transposed == right ? block.long_size : block.short_size;
    for (int i = 0; i < count; ++i) taken[members[i]] = 1;
    if (block.transposed != right) continue;
    for (int k = block.short_size; k < block.long_size && target < size_; ++k, ++target) {
      std::fill_n(long_vectors_.data(), padded(block.long_size), 0.0);
      long_vectors_[k] = 1.0;
      apply_reflectors(block, long_vectors_.data(), 1);
      double* column = vectors + static_cast<Eigen::Index>(target) * size;
      for (int i = 0; i < count; ++i) column[members[i]] = long_vectors_[i];
    }
  }
  for (int i = 0; i < size && target < size_; ++i) {
    if (!taken[i]) vectors[static_cast<Eigen::Index>(target++) * size + i] = 1.0;
  }
}

}  // namespace antaeus
