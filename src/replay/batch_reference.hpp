#pragma once
/// \file
/// The reference row, which only tests the estimates, against all other rows, over lanes.
///
/// Of rows whose errors have nothing to do with each other, what each endpoint's posterior makes of the row is taken
/// out. Where identified noise couples all rows: of S = R + A P₀ Aᵀ of all blocks' rows and the reference row, which
/// stands last, the Cholesky factor's last row, as in PosteriorEstimator's tests. R between two blocks is E_a K E_bᵀ of
/// their independent errors E, which their own R is made of already; K is a constant.

#include "replay/batch_io.hpp"
#include "replay/batch_noise.hpp"
#include "replay/batch_solve.hpp"

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

// Its tests -----------------------------------------------------------------------------------------------------------

inline bool tests_reference(const BatchCall& call) { return call.out.innovation.data || call.out.reference_nis.data; }

/// What this endpoint's contact makes of the reference row: its mean and variance there.
template <class D>
void share_in_reference(const BatchNumbers& model, const BatchBlock& block, const BatchCall& call,
                        const Whitened<D>& solved, int index, BatchLanes<D>& lanes, const Pack<D>& pack) {
  D mean = all_lanes<D>(0.0), variance = all_lanes<D>(0.0);
  if (block.reference >= 0) {
    D a[6];
    load_reference(model, block, lanes, a);
    for (int k = 0; k < 6; ++k) {
      D through = a[0] * solved.U[0][k];
      for (int i = 1; i <= k; ++i) through = through + a[i] * solved.U[i][k];
      variance = variance + through * through;
      mean = mean + a[k] * solved.z[k];
    }
  }
  lanes.expected[index] = mean;
  lanes.spread[index] = variance;
  if (!call.out.reference_share.data) return;
  lanes.out[0] = mean;
  lanes.out[1] = variance;
  pack.write(call.out.reference_share, 2 * index, lanes.out, 2);
}

/// The same where no row's error has to do with another's.
template <class D, class Wanted>
ANTAEUS_LANES_INLINE Innovation<D> innovation_apart(const BatchNumbers& model, const BatchLanes<D>& lanes,
                                                    const Wanted& wanted) {
  const D zero = all_lanes<D>(0.0);
  D expected = zero, spread = zero;
  for (int b = 0; b < model.frame_count; ++b) {
    const Mask<D> used = wanted(b) > 0.0;
    expected = expected + select(used, lanes.expected[b], zero);
    spread = spread + select(used, lanes.spread[b], zero);
  }
  return {lanes.residual[model.reference] - expected, lanes.variance[model.reference] + spread};
}

/// The reference row's innovation, and what it adds to the endpoints' NIS.
template <class D>
void test_reference(const BatchNumbers& model, const BatchCall& call, BatchLanes<D>& lanes, const Pack<D>& pack) {
  const D zero = all_lanes<D>(0.0), one = all_lanes<D>(1.0), nothing = all_lanes<D>(__builtin_nan(""));
  D own = lanes.variance[model.reference];
  if (model.noise) {
    join_blocks(model, call, lanes);
    const int n = model.noise->rows;
    own = lanes.joint[n * n - 1];
  }
  Mask<D> tested = (own > 0.0) & (own < __builtin_inf());
  // What an endpoint would explain whose rows say nothing is not known, unless the reference does not move it.
  const auto known = [&](int b) { return (lanes.nis[b] - lanes.nis[b]) == 0.0; };
  for (int b = 0; b < model.frame_count; ++b) {
    if (model.blocks[b].reference >= 0) tested = tested & known(b);
  }
  const auto given = [&](const auto& wanted) {
    return model.noise ? innovation_given(model, lanes, wanted) : innovation_apart(model, lanes, wanted);
  };
  Innovation<D> left{nothing, nothing};
  if (call.out.innovation.data) {
    left = given([&](int b) { return select(known(b), one, zero); });
    lanes.out[0] = select(tested, left.value, nothing);
    lanes.out[1] = select(tested, square_root(left.variance), nothing);
    pack.write(call.out.innovation, 0, lanes.out, 2);
  }
  if (!call.out.reference_nis.data) return;
  for (int e = 0; e < model.frame_count; ++e) {
    D nis = nothing;
    if (model.blocks[e].reference >= 0) {
      const auto wanted = [&](int b) {
        return b == e ? one : select(known(b) & (lanes.null_nis[b] > model.blocks[b].shown), one, zero);
      };
      // Where all lanes want all blocks, the sums are those of the innovation to the bit.
      bool whole = call.out.innovation.data != nullptr;
      for (int b = 0; b < model.frame_count; ++b) whole = whole && all(wanted(b) > 0.0) && all(known(b));
      const Innovation<D> more = whole ? left : given(wanted);
      nis = select(tested, D(more.value * more.value / more.variance), nothing);
    }
    pack.write(call.out.reference_nis, e, &nis, 1);
  }
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
