#pragma once
/// \file
/// The reference row given the rows of blocks, over lanes, where identified noise couples all of them.
///
/// Of S = R + A P₀ Aᵀ of all blocks' rows and the reference row, which stands last, the Cholesky factor's last row, as
/// in PosteriorEstimator's tests. R between two blocks is E_a K E_bᵀ of their independent errors E, which their own R
/// is made of already; K is a constant.

#include "replay/batch_noise.hpp"
#include "replay/batch_whiten.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

template <class D>
ANTAEUS_LANES_INLINE D product_of_six(const D* a, const D* b) {
  D sum = a[0] * b[0];
#pragma GCC unroll 5
  for (int k = 1; k < 6; ++k) sum = sum + a[k] * b[k];
  return sum;
}

/// The reference joint's row of Jᵀ times the prior's sd.
template <class D>
ANTAEUS_LANES_INLINE void load_reference(const BatchNumbers& model, const BatchBlock& block, const BatchLanes<D>& lanes,
                                         D* a) {
  const D* row = lanes.A + 6 * block.reference;
  for (int k = 0; k < 6; ++k) a[k] = row[k] * (k < 3 ? model.moment_prior : model.force_prior);
}

/// Puts a block's rows into S, before they are whitened, and what its contact gives them in common with the reference.
template <class D>
void join_block(const BatchNumbers& model, int index, BatchLanes<D>& lanes) {
  const BatchBlock& block = model.blocks[index];
  const int n = model.noise->rows;
  D* const a = lanes.reference + 6 * index;
  if (block.reference >= 0) load_reference(model, block, lanes, a);
  for (int i = 0; i < block.rows; ++i) {
    D* const row = lanes.joint + n * (block.first + i) + block.first;
    for (int j = 0; j <= i; ++j) {
      row[j] = lanes.noise[block.rows * i + j] + product_of_six(lanes.B + 6 * i, lanes.B + 6 * j);
    }
    lanes.joint[n * (n - 1) + block.first + i] =
        block.reference >= 0 ? product_of_six(lanes.B + 6 * i, a) : all_lanes<D>(0.0);
  }
}

/// Some of a row's independent errors as another block's are.
template <int kErrors, class D>
ANTAEUS_LANES_INLINE void couple(const D* errors, int length, const double* coupling, int depth, D* coupled) {
  D sum[kErrors];
#pragma GCC unroll 8
  for (int k = 0; k < kErrors; ++k) sum[k] = all_lanes<D>(0.0);
  for (int i = 0; i < length; ++i, coupling += depth) {
    const D error = errors[i];
#pragma GCC unroll 8
    for (int k = 0; k < kErrors; ++k) sum[k] = sum[k] + error * coupling[k];
  }
#pragma GCC unroll 8
  for (int k = 0; k < kErrors; ++k) coupled[k] = sum[k];
}
template <class D>
void couple(const D* errors, int length, const double* coupling, int depth, D* coupled) {
  int k = 0;
  for (; k + 8 <= depth; k += 8) couple<8>(errors, length, coupling + k, depth, coupled + k);
  for (; k < depth; ++k) couple<1>(errors, length, coupling + k, depth, coupled + k);
}

/// What rows of different blocks have in common, and the reference row's own variance but for contacts.
template <class D>
void join_blocks(const BatchNumbers& model, const BatchCall& call, BatchLanes<D>& lanes) {
  const detail::BatchNoise& noise = *model.noise;
  const int n = noise.rows, blocks = model.frame_count;
  noise_covariance(model, *noise.reference, call, lanes, lanes.joint + n * n - 1);
  const auto block_at = [&](int b) -> const BatchBlock& { return b < blocks ? model.blocks[b] : *noise.reference; };
  const auto errors_of = [&](const BatchBlock& block) -> const BatchSharedErrors& {
    return call.moving ? block.moving : block.still;
  };
  const double* const* const couplings = call.moving ? noise.moving : noise.still;
  const auto share = [&](const BatchBlock& from, const BatchBlock& to, const double* coupling, bool is_reference) {
    const BatchSharedErrors &mine = errors_of(from), &theirs = errors_of(to);
    for (int i = 0; i < from.rows; ++i) {
      couple(lanes.errors + from.errors + mine.depth * i, mine.lengths[i], coupling, theirs.depth, lanes.coupled);
      for (int j = 0; j < to.rows; ++j) {
        const D* const row = lanes.errors + to.errors + theirs.depth * j;
        D sum = all_lanes<D>(0.0);
        for (int k = 0; k < theirs.lengths[j]; ++k) sum = sum + lanes.coupled[k] * row[k];
        D& entry = lanes.joint[n * (from.first + i) + to.first + j];
        entry = is_reference ? D(entry + sum) : sum;
      }
    }
  };
  for (int a = 0; a <= blocks; ++a) {
    for (int b = 0; b < (a < blocks ? a : blocks); ++b) {
      share(block_at(a), block_at(b), couplings[a * blocks + b], a == blocks);
    }
  }
}

/// What is left of the reference row, and of its variance.
template <class D>
struct Innovation {
  D value, variance;
};

/// Copies what S says of the rows of wanted blocks, then of the reference row, and then the residuals, each a row of
/// `picked`. \param wanted(b)  1 or 0: whether a lane wants the block \return how many rows of blocks some lane wants
template <class D, class Wanted>
ANTAEUS_LANES_INLINE int pick_rows(const BatchNumbers& model, BatchLanes<D>& lanes, const Wanted& wanted, D& variance) {
  const int n = model.noise->rows, last = n - 1;
  const D zero = all_lanes<D>(0.0), one = all_lanes<D>(1.0), *const S = lanes.joint;
  int count = 0;
  bool whole = true;
  variance = S[n * last + last];
  for (int b = 0; b < model.frame_count; ++b) {
    const BatchBlock& block = model.blocks[b];
    const D used = wanted(b);
    if (!any(used > 0.0)) continue;
    for (int i = block.first; i < block.first + block.rows; ++i) {
      lanes.chosen[count] = i;
      lanes.chosen[n + count] = block.motor[i - block.first];
      lanes.used[count] = used * evidence_of(S[n * i + i]);
      whole = whole && !any(lanes.used[count] < 1.0);
      ++count;
    }
    if (block.reference < 0) continue;
    const D* const load = lanes.reference + 6 * b;
    variance = variance + select(used > 0.0, product_of_six(load, load), zero);
  }
  const auto filled = [&](const D& value, int row) {
    return whole ? value : select(lanes.used[row] > 0.0, value, zero);
  };
  for (int i = 0; i < count; ++i) {
    const int from = lanes.chosen[i];
    for (int j = 0; j < i; ++j) {
      lanes.picked[n * i + j] = filled(filled(S[n * from + lanes.chosen[j]], i), j);
    }
    lanes.picked[n * i + i] = select(lanes.used[i] > 0.0, S[n * from + from], one);
    lanes.picked[n * count + i] = filled(S[n * last + from], i);
    lanes.picked[n * (count + 1) + i] = filled(lanes.residual[lanes.chosen[n + i]], i);
  }
  return count;
}

/// Column j of Cholesky's factor in some rows at once: each waits for its own sum alone.
template <int kRows, class D>
ANTAEUS_LANES_INLINE void eliminate(D* row, int stride, const D* above, int j, const D& weight) {
  D sum[kRows];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) sum[r] = row[stride * r + j];
  for (int k = 0; k < j; ++k) {
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) sum[r] = sum[r] - row[stride * r + k] * above[k];
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) row[stride * r + j] = sum[r] * weight;
}

/// The reference row given the rows of the blocks that are wanted, with contacts at these alone.
template <class D, class Wanted>
Innovation<D> innovation_given(const BatchNumbers& model, BatchLanes<D>& lanes, const Wanted& wanted) {
  const int n = model.noise->rows;
  Innovation<D> left;
  const int count = pick_rows(model, lanes, wanted, left.variance);
  D* const F = lanes.picked;
  for (int j = 0; j < count; ++j) {
    const D* const above = F + n * j;
    D pivot = above[j];
    for (int k = 0; k < j; ++k) pivot = pivot - above[k] * above[k];
    const D weight = weight_of(pivot);
    int i = j + 1;
    for (; i + 4 <= count + 2; i += 4) eliminate<4>(F + n * i, n, above, j, weight);
    for (; i < count + 2; ++i) eliminate<1>(F + n * i, n, above, j, weight);
  }
  const D *const row = F + n * count, *const right = F + n * (count + 1);
  left.value = lanes.residual[model.reference];
  for (int k = 0; k < count; ++k) {
    left.value = left.value - row[k] * right[k];
    left.variance = left.variance - row[k] * row[k];
  }
  return left;
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
