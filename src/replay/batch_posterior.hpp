#pragma once
/// \file
/// The wrench at an endpoint that is most probable after its torques and its prior, and its covariance, over lanes.
/// Unknowns are solved for in base axes, moment first, and turned into the world's.

#include "replay/batch_covariance.hpp"
#include "replay/batch_principal.hpp"
#include "replay/batch_reference.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

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
  pack.write(call.covariance, 21 * index, out, 21);
}

/// The force's principal directions of the endpoints from \p first on, P of them.
template <int P, class D>
void write_principal(const BatchNumbers& model, const BatchCall& call, const Turn<D>& R_WB, int first,
                     BatchLanes<D>& lanes, const Pack<D>& pack) {
  Principal<D> principal[P];
  principal_deviations<P>(lanes.triangles + 6 * first, principal);
  D* const out = lanes.out;
  if (call.force_directions.data) {
    for (int i = 0; i < 3 * P; ++i) spread(pointed(turned(R_WB, principal[i / 3].direction[i % 3])), out + 3 * i);
    pack.write(call.force_directions, 9 * first, out, 9 * P);
  }
  if (call.force_sd.data) {
    for (int i = 0; i < 3 * P; ++i) out[i] = model.force_prior * principal[i / 3].deviation[i % 3];
    pack.write(call.force_sd, 3 * first, out, 3 * P);
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
  if (call.misfit.data) pack.write(call.misfit, index, &misfit, 1);
  if (call.misfit_rows.data) pack.write_count(call.misfit_rows, index, D(evidence - felt));
}

/// Everything of the posterior that is asked of one endpoint, whose rows of Jᵀ are in lanes.A.
template <class D>
void posterior(const BatchNumbers& model, const BatchCall& call, BatchLanes<D>& lanes, const Turn<D>& R_WB, int index,
               const Pack<D>& pack) {
  const BatchBlock& block = model.blocks[index];
  const D evidence = whitened_rows(model, index, call, lanes);
  D out = all_lanes<D>(0.0);
  if (call.null_nis.data || call.reference_nis.data) {
    for (int i = 0; i < block.rows; ++i) out = out + lanes.y[i] * lanes.y[i];
    if (call.reference_nis.data) lanes.null_nis[index] = out;
    if (call.null_nis.data) pack.write(call.null_nis, index, &out, 1);
  }
  Whitened<D> solved;
  if (block.rows >= 6) {
    solve_tall(lanes.B, lanes.y, block.rows, solved);
  } else {
    solve_short(lanes.B, lanes.y, block.rows, solved);
  }
  if (call.nis.data) {
    out = solved.nis;
    pack.write(call.nis, index, &out, 1);
  }
  if (call.evidence_rows.data) pack.write_count(call.evidence_rows, index, D(evidence + (solved.nis - solved.nis)));
  if (call.posterior.data) {
    const D force = all_lanes<D>(model.force_prior), moment = all_lanes<D>(model.moment_prior);
    spread(force * turned(R_WB, Vec3<D>{solved.z[3], solved.z[4], solved.z[5]}), lanes.out);
    spread(moment * turned(R_WB, Vec3<D>{solved.z[0], solved.z[1], solved.z[2]}), lanes.out + 3);
    pack.write(call.posterior, 6 * index, lanes.out, 6);
  }
  if (call.reference_share.data || tests_reference(call)) {
    lanes.nis[index] = solved.nis;
    share_in_reference(model, block, call, solved, index, lanes, pack);
  }
  for (int i = 0; i < 6; ++i) lanes.triangles[6 * index + i] = solved.force[i];
  const bool tested = call.misfit.data || call.misfit_rows.data;
  if (!tested && !call.covariance.data) return;
  UnitCovariance<D> C;
  unit_covariance(R_WB, solved, C);
  if (call.covariance.data) write_covariance(model, call, C, index, lanes, pack);
  if (tested) write_misfit(model, call, block, C, solved, evidence, index, lanes, pack);
}

/// Whether anything of it is asked for.
inline bool asks_posterior(const BatchCall& call) {
  return call.posterior.data || call.covariance.data || call.force_sd.data || call.force_directions.data ||
         call.nis.data || call.misfit.data || call.null_nis.data || call.reference_share.data ||
         tests_reference(call) || call.evidence_rows.data || call.misfit_rows.data;
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
