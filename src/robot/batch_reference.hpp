#pragma once
/// \file
/// The reference row, which only tests the estimates, against all other rows, over lanes.
///
/// Rows whose errors have nothing to do with each other: what each endpoint's posterior makes of the row is taken out.
/// Where identified noise couples all rows: of S = R + A P₀ Aᵀ of all blocks' rows and the reference row, which stands
/// last, the Cholesky factor's last row, as in PosteriorEstimator's tests.

#include "robot/batch_noise.hpp"
#include "robot/batch_pack.hpp"
#include "robot/batch_solve.hpp"
#include "robot/batch_whiten.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

inline bool tests_reference(const BatchCall& call) { return call.innovation.data || call.reference_nis.data; }

/// Keeps a block's rows times the prior's sd for the joint test, before they are whitened.
template <class D>
ANTAEUS_LANES_INLINE void keep_loads(const BatchNumbers& model, const BatchBlock& block, const BatchCall& call,
                                     BatchLanes<D>& lanes) {
  if (!tests_reference(call) || !model.noise) return;
  D* const kept = lanes.loads + 6 * block.first;
  for (int i = 0; i < 6 * block.rows; ++i) kept[i] = lanes.B[i];
}

/// What this endpoint's contact makes of the reference row: its mean and variance there.
template <class D>
void share_in_reference(const BatchNumbers& model, const BatchBlock& block, const BatchCall& call,
                        const Whitened<D>& solved, int index, BatchLanes<D>& lanes, const Pack<D>& pack) {
  D mean = all_lanes<D>(0.0), variance = all_lanes<D>(0.0);
  if (block.reference >= 0) {
    const D* row = lanes.A + 6 * block.reference;
    D a[6];
    for (int k = 0; k < 6; ++k) a[k] = row[k] * (k < 3 ? model.moment_prior : model.force_prior);
    for (int k = 0; k < 6; ++k) {
      D through = a[0] * solved.U[0][k];
      for (int i = 1; i <= k; ++i) through = through + a[i] * solved.U[i][k];
      variance = variance + through * through;
      mean = mean + a[k] * solved.z[k];
    }
    for (int k = 0; k < 6 && model.noise; ++k) lanes.reference[6 * index + k] = a[k];
  }
  lanes.expected[index] = mean;
  lanes.spread[index] = variance;
  if (!call.reference_share.data) return;
  lanes.out[0] = mean;
  lanes.out[1] = variance;
  pack.write(call.reference_share, 2 * index, lanes.out, 2);
}

template <class D>
ANTAEUS_LANES_INLINE D product_of_six(const D* a, const D* b) {
  D sum = a[0] * b[0];
#pragma GCC unroll 5
  for (int k = 1; k < 6; ++k) sum = sum + a[k] * b[k];
  return sum;
}

/// S, its lower triangle row by row, but what contacts give the reference row's own variance.
template <class D>
void join_rows(const BatchNumbers& model, const BatchCall& call, BatchLanes<D>& lanes) {
  const BatchBlock& all = *model.noise->together;
  const int n = all.rows;
  D* const S = lanes.joint;
  noise_covariance(model, all, call, lanes, S);
  for (int b = 0; b < model.frame_count; ++b) {
    const BatchBlock& block = model.blocks[b];
    for (int i = block.first; i < block.first + block.rows; ++i) {
      const D* const load = lanes.loads + 6 * i;
      for (int j = block.first; j <= i; ++j) {
        S[n * i + j] = S[n * i + j] + product_of_six(load, lanes.loads + 6 * j);
      }
      if (block.reference < 0) continue;
      S[n * (n - 1) + i] = S[n * (n - 1) + i] + product_of_six(load, lanes.reference + 6 * b);
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
  const BatchBlock& all = *model.noise->together;
  const int n = all.rows, last = n - 1;
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
    lanes.picked[n * (count + 1) + i] = filled(lanes.residual[all.motor[from]], i);
  }
  return count;
}

/// The reference row given the rows of the blocks that are wanted, with contacts at these alone.
template <class D, class Wanted>
Innovation<D> innovation_given(const BatchNumbers& model, BatchLanes<D>& lanes, const Wanted& wanted) {
  const BatchBlock& all = *model.noise->together;
  const int n = all.rows;
  Innovation<D> left;
  const int count = pick_rows(model, lanes, wanted, left.variance);
  D* const F = lanes.picked;
  // Column by column: its entries have nothing to do with each other.
  for (int j = 0; j < count; ++j) {
    const D* const above = F + n * j;
    D pivot = above[j];
    for (int k = 0; k < j; ++k) pivot = pivot - above[k] * above[k];
    const D weight = weight_of(pivot);
    for (int i = j + 1; i < count + 2; ++i) {
      D* const row = F + n * i;
      D sum = row[j];
      for (int k = 0; k < j; ++k) sum = sum - row[k] * above[k];
      row[j] = sum * weight;
    }
  }
  const D *const row = F + n * count, *const right = F + n * (count + 1);
  left.value = lanes.residual[model.reference];
  for (int k = 0; k < count; ++k) {
    left.value = left.value - row[k] * right[k];
    left.variance = left.variance - row[k] * row[k];
  }
  return left;
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
    join_rows(model, call, lanes);
    const int n = model.noise->together->rows;
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
  if (call.innovation.data) {
    const Innovation<D> left = given([&](int b) { return select(known(b), one, zero); });
    lanes.out[0] = select(tested, left.value, nothing);
    lanes.out[1] = select(tested, square_root(left.variance), nothing);
    pack.write(call.innovation, 0, lanes.out, 2);
  }
  if (!call.reference_nis.data) return;
  for (int e = 0; e < model.frame_count; ++e) {
    D nis = nothing;
    if (model.blocks[e].reference >= 0) {
      const Innovation<D> left = given([&](int b) {
        return b == e ? one : select(known(b) & (lanes.null_nis[b] > model.blocks[b].shown), one, zero);
      });
      nis = select(tested, D(left.value * left.value / left.variance), nothing);
    }
    pack.write(call.reference_nis, e, &nis, 1);
  }
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
