#pragma once
/// \file
/// The wrench at an endpoint that is most probable after its torques and its prior, and its covariance, over lanes.
/// Unknowns are solved for in base axes, moment first, and turned into the world's.

#include "replay/batch_jacobi.hpp"
#include "replay/batch_kinematics.hpp"
#include "replay/batch_reference.hpp"
#include "replay/batch_solve.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

/// C / (L L) in world axes: upper triangles of its force and moment blocks, and the block between row by row.
template <class D>
struct UnitCovariance {
  D force[6], moment[6], between[9];
};

template <class D>
ANTAEUS_LANES_INLINE void unit_covariance(const Turn<D>& R_WB, const Whitened<D>& solved, UnitCovariance<D>& C) {
  Vec3<D> m[6], f[6];
#pragma GCC unroll 6
  for (int c = 0; c < 6; ++c) {
    const D zero = all_lanes<D>(0.0);
    m[c] = turned(R_WB, Vec3<D>{solved.U[0][c], c > 0 ? solved.U[1][c] : zero, c > 1 ? solved.U[2][c] : zero});
    if (c > 2) {
      f[c] = turned(R_WB, Vec3<D>{solved.U[3][c], c > 3 ? solved.U[4][c] : zero, c > 4 ? solved.U[5][c] : zero});
    }
  }
  const auto sum = [](const Vec3<D>* x, const Vec3<D>* y, int from, auto one, auto other) {
    D total = one(x[from]) * other(y[from]);
#pragma GCC unroll 6
    for (int c = from + 1; c < 6; ++c) total = total + one(x[c]) * other(y[c]);
    return total;
  };
  const auto x = [](const Vec3<D>& v) { return v.x; };
  const auto y = [](const Vec3<D>& v) { return v.y; };
  const auto z = [](const Vec3<D>& v) { return v.z; };
  const auto upper = [&](const Vec3<D>* v, int from, D* out) {
    out[0] = sum(v, v, from, x, x);
    out[1] = sum(v, v, from, x, y);
    out[2] = sum(v, v, from, x, z);
    out[3] = sum(v, v, from, y, y);
    out[4] = sum(v, v, from, y, z);
    out[5] = sum(v, v, from, z, z);
  };
  upper(f, 3, C.force);
  upper(m, 0, C.moment);
  const auto row = [&](auto one, D* out) {
    out[0] = sum(f, m, 3, one, x);
    out[1] = sum(f, m, 3, one, y);
    out[2] = sum(f, m, 3, one, z);
  };
  row(x, C.between);
  row(y, C.between + 3);
  row(z, C.between + 6);
}

/// Whether every direction is felt for certain: an eigenvalue of the unit-scaled covariance is 1/(1 + σ²), so whether
/// all are below what the least σ makes of it is whether the difference has positive pivots.
template <class D>
ANTAEUS_LANES_INLINE Mask<D> surely_felt(const UnitCovariance<D>& C, double least) {
  const double bound = 1.0 / (1.0 + least * least);
  D M[6][6];  // lower triangle
  int force = 0, moment = 0;
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
#pragma GCC unroll 3
    for (int i = k; i < 3; ++i) {
      M[i][k] = -C.force[force++];
      M[3 + i][3 + k] = -C.moment[moment++];
    }
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) M[3 + i][k] = -C.between[3 * k + i];
  }
  Mask<D> all = all_lanes<D>(0.0) == 0.0;
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    const D pivot = M[k][k] + bound;
    all = all & (pivot > 1e-9);  // what rounding could decide is not certain
    const D inverse = 1.0 / pivot;
#pragma GCC unroll 6
    for (int j = k + 1; j < 6; ++j) {
      const D share = M[j][k] * inverse;
#pragma GCC unroll 6
      for (int i = j; i < 6; ++i) M[i][j] = M[i][j] - share * M[i][k];
    }
  }
  return all;
}

// What is asked of it -------------------------------------------------------------------------------------------------

/// Fills B, y and the evidence of a block, whitened. \param A  the endpoint's rows of Jᵀ \return rows of evidence
template <class D>
D whitened_rows(const BatchNumbers& model, int index, const BatchCall& call, BatchLanes<D>& lanes) {
  const BatchBlock& block = model.blocks[index];
  const int n = block.rows;
  for (int i = 0; i < n; ++i) {
    const D* row = lanes.A + 6 * block.support[i];
    for (int k = 0; k < 3; ++k) lanes.B[6 * i + k] = row[k] * model.moment_prior;
    for (int k = 3; k < 6; ++k) lanes.B[6 * i + k] = row[k] * model.force_prior;
    lanes.y[i] = lanes.residual[block.motor[i]];
  }
  if (model.noise) {
    noise_covariance(model, block, call, lanes, lanes.noise);
    if (tests_reference(call)) join_block(model, index, lanes);
    for (int i = 0; i < n; ++i) lanes.evidence[i] = evidence_of(lanes.noise[n * i + i]);
    const D count = count_evidence(lanes.B, lanes.y, lanes.evidence, n);
    const bool whole = !any(count < static_cast<double>(n));
    whiten_together(lanes.noise, lanes.B, lanes.y, lanes.evidence, whole, n);
    return count;
  }
  for (int i = 0; i < n; ++i) {
    const D variance = lanes.variance[block.motor[i]], weight = weight_of(variance);
    lanes.evidence[i] = evidence_of(variance);
    for (int k = 0; k < 6; ++k) lanes.B[6 * i + k] = lanes.B[6 * i + k] * weight;
    lanes.y[i] = lanes.y[i] * weight;
  }
  return count_evidence(lanes.B, lanes.y, lanes.evidence, n);
}

/// C, the upper triangle of it.
template <class D>
void write_covariance(const BatchNumbers& model, const BatchCall& call, const UnitCovariance<D>& C, int index,
                      BatchLanes<D>& lanes, const Pack<D>& pack) {
  D* const out = lanes.out;
  const double ff = model.force_prior * model.force_prior, fm = model.force_prior * model.moment_prior,
               mm = model.moment_prior * model.moment_prior;
  int at = 0, force = 0, moment = 0;
  for (int i = 0; i < 3; ++i) {
    for (int k = i; k < 3; ++k) out[at++] = ff * C.force[force++];
    for (int k = 0; k < 3; ++k) out[at++] = fm * C.between[3 * i + k];
  }
  for (int i = 0; i < 3; ++i) {
    for (int k = i; k < 3; ++k) out[at++] = mm * C.moment[moment++];
  }
  pack.write(call.out.covariance, 21 * index, out, 21);
}

/// The force's principal directions of the endpoints from \p first on, P of them.
template <int P, class D>
void write_principal(const BatchNumbers& model, const BatchCall& call, const Turn<D>& R_WB, int first,
                     BatchLanes<D>& lanes, const Pack<D>& pack) {
  Principal<D> principal[P];
  principal_deviations<P>(lanes.triangles + 6 * first, principal);
  D* const out = lanes.out;
  if (call.out.force_directions.data) {
    for (int i = 0; i < 3 * P; ++i) spread(pointed(turned(R_WB, principal[i / 3].direction[i % 3])), out + 3 * i);
    pack.write(call.out.force_directions, 9 * first, out, 9 * P);
  }
  if (call.out.force_sd.data) {
    for (int i = 0; i < 3 * P; ++i) out[i] = model.force_prior * principal[i / 3].deviation[i % 3];
    pack.write(call.out.force_sd, 3 * first, out, 3 * P);
  }
}
template <class D>
ANTAEUS_LANES_INLINE void write_principal(const BatchNumbers& model, const BatchCall& call, const Turn<D>& R_WB,
                                          BatchLanes<D>& lanes, const Pack<D>& pack) {
  int first = 0;
  for (; first + 2 <= model.frame_count; first += 2) write_principal<2>(model, call, R_WB, first, lanes, pack);
  if (first < model.frame_count) write_principal<1>(model, call, R_WB, first, lanes, pack);
}

/// The misfit of a block's rows, and how many of them no wrench can explain.
template <class D>
void write_misfit(const BatchNumbers& model, const BatchCall& call, const BatchBlock& block, const UnitCovariance<D>& C,
                  const Whitened<D>& solved, const D& evidence, int index, BatchLanes<D>& lanes, const Pack<D>& pack) {
  D misfit = solved.remainder, felt = all_lanes<D>(6.0);
  Mask<D> unsure = !(all_lanes<D>(0.0) > 0.0);
  if (block.rows >= 6) unsure = !surely_felt(C, model.felt);
  if (any(unsure)) {
    D unfelt, count;
    find_unfelt(lanes.B, lanes.y, block.rows, unsure, model.felt, unfelt, count);
    misfit = select(unsure, D(solved.remainder + unfelt), misfit);
    felt = select(unsure, count, felt);
  }
  if (call.out.misfit.data) pack.write(call.out.misfit, index, &misfit, 1);
  if (call.out.misfit_rows.data) pack.write_count(call.out.misfit_rows, index, D(evidence - felt));
}

/// Everything of the posterior that is asked of one endpoint, whose rows of Jᵀ are in lanes.A.
template <class D>
void posterior(const BatchNumbers& model, const BatchCall& call, BatchLanes<D>& lanes, const Turn<D>& R_WB, int index,
               const Pack<D>& pack) {
  const BatchBlock& block = model.blocks[index];
  const D evidence = whitened_rows(model, index, call, lanes);
  D out = all_lanes<D>(0.0);
  if (call.out.null_nis.data || call.out.reference_nis.data) {
    for (int i = 0; i < block.rows; ++i) out = out + lanes.y[i] * lanes.y[i];
    if (call.out.reference_nis.data) lanes.null_nis[index] = out;
    if (call.out.null_nis.data) pack.write(call.out.null_nis, index, &out, 1);
  }
  Whitened<D> solved;
  if (block.rows >= 6) {
    solve_tall(lanes.B, lanes.y, block.rows, solved);
  } else {
    solve_short(lanes.B, lanes.y, block.rows, solved);
  }
  if (call.out.nis.data) {
    out = solved.nis;
    pack.write(call.out.nis, index, &out, 1);
  }
  if (call.out.evidence_rows.data)
    pack.write_count(call.out.evidence_rows, index, D(evidence + (solved.nis - solved.nis)));
  if (call.out.posterior.data) {
    const D force = all_lanes<D>(model.force_prior), moment = all_lanes<D>(model.moment_prior);
    spread(force * turned(R_WB, Vec3<D>{solved.z[3], solved.z[4], solved.z[5]}), lanes.out);
    spread(moment * turned(R_WB, Vec3<D>{solved.z[0], solved.z[1], solved.z[2]}), lanes.out + 3);
    pack.write(call.out.posterior, 6 * index, lanes.out, 6);
  }
  if (call.out.reference_share.data || tests_reference(call)) {
    lanes.nis[index] = solved.nis;
    share_in_reference(model, block, call, solved, index, lanes, pack);
  }
  for (int i = 0; i < 6; ++i) lanes.triangles[6 * index + i] = solved.force[i];
  const bool tested = call.out.misfit.data || call.out.misfit_rows.data;
  if (!tested && !call.out.covariance.data) return;
  UnitCovariance<D> C;
  unit_covariance(R_WB, solved, C);
  if (call.out.covariance.data) write_covariance(model, call, C, index, lanes, pack);
  if (tested) write_misfit(model, call, block, C, solved, evidence, index, lanes, pack);
}

/// Whether anything of it is asked for.
inline bool asks_posterior(const BatchCall& call) {
  return call.out.posterior.data || call.out.covariance.data || call.out.force_sd.data ||
         call.out.force_directions.data || call.out.nis.data || call.out.misfit.data || call.out.null_nis.data ||
         call.out.reference_share.data || tests_reference(call) || call.out.evidence_rows.data ||
         call.out.misfit_rows.data;
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
