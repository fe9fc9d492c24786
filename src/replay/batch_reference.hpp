#pragma once
/// \file
/// The reference row, which only tests the estimates, against all other rows, over lanes.
///
/// Rows whose errors have nothing to do with each other: what each endpoint's posterior makes of the row is taken out.
/// Where identified noise couples all rows, they are joined (batch_joint.hpp).

#include "replay/batch_joint.hpp"
#include "replay/batch_pack.hpp"
#include "replay/batch_solve.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

inline bool tests_reference(const BatchCall& call) { return call.innovation.data || call.reference_nis.data; }

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
  if (!call.reference_share.data) return;
  lanes.out[0] = mean;
  lanes.out[1] = variance;
  pack.write(call.reference_share, 2 * index, lanes.out, 2);
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
  if (call.innovation.data) {
    left = given([&](int b) { return select(known(b), one, zero); });
    lanes.out[0] = select(tested, left.value, nothing);
    lanes.out[1] = select(tested, square_root(left.variance), nothing);
    pack.write(call.innovation, 0, lanes.out, 2);
  }
  if (!call.reference_nis.data) return;
  for (int e = 0; e < model.frame_count; ++e) {
    D nis = nothing;
    if (model.blocks[e].reference >= 0) {
      const auto wanted = [&](int b) {
        return b == e ? one : select(known(b) & (lanes.null_nis[b] > model.blocks[b].shown), one, zero);
      };
      // Where all lanes want all blocks, the sums are those of the innovation to the bit.
      bool whole = call.innovation.data != nullptr;
      for (int b = 0; b < model.frame_count; ++b) whole = whole && all(wanted(b) > 0.0) && all(known(b));
      const Innovation<D> more = whole ? left : given(wanted);
      nis = select(tested, D(more.value * more.value / more.variance), nothing);
    }
    pack.write(call.reference_nis, e, &nis, 1);
  }
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
