#pragma once
/// \file
/// What a log tells of the noise when nobody says in which parts of it something touched the robot.
///
/// A contact may be at every endpoint at any time, so only that part of a residual speaks which no contact can make:
/// the null space of Aᵀ (parity space). It sees offsets, friction and masses as it sweeps through the rows while the
/// robot moves. A robot with six joints or fewer a limb has none, and in one pose an offset and a contact are the same
/// thing: then nothing is identified, and the result says why. Also where it moves a row may stay hidden: the elbow of
/// an arm whose shoulder and wrist are spherical never takes part in its self-motion, so a force along the line from
/// shoulder to wrist looks like the elbow's offset in every pose.
/// Even where it works the misfit does not know the noise in wrench space: every sd is doubled (TIAGo's log:
/// coverage 0.7–1.0 before, 1.00 after). Torques cannot show their own scale against all masses together.

#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/pulse.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

struct UnlabelledOptions {
  double force = 60.0;         ///< [N] sd of each force component that may be there at any time
  double moment = 5.0;         ///< [N·m] the same of moments
  double effort_share = 0.01;  ///< [1] of its effort limit: a row's sd before κ; only their ratios matter
  double doubt = 2.0;          ///< [1] what every sd is multiplied with in the end
  /// [1] mean share of a direction of rows that lies in parity space, from which on it counts as swept. At 0.01 an
  /// error of the other rows comes back ten times as large.
  double least_swept = 0.01;
  double most_hidden = 0.1;        ///< [1] share of a parameter's torque that may lie in directions that are not swept
  double suspicious_share = 0.02;  ///< [1] of the effort limit: above it contact all along is the likelier cause
};
ANTAEUS_API const OptionTable& options_of(const UnlabelledOptions&);

/// One sample of one robot; the same rows and parameters in all.
struct UnlabelledSample {
  MatrixX A;         ///< rows × 6 endpoints: residual = A w + …, forces before moments of each endpoint
  MatrixX X;         ///< rows × parameters: what offsets, friction, masses make of the residual
  VectorX residual;  ///< [N·m]
};

struct UnlabelledResult {
  bool identified = false;
  std::string reason;  ///< why nothing is, one line; empty if identified
  int parity = 0;      ///< rows of parity space, median of the samples
  int swept = 0;       ///< directions of rows that parity space swept over the log, at most the number of rows
  /// \name NaN or empty unless identified
  ///@{
  double kappa = 0.0;              ///< κ: σ_j = κ · effort_share · limit_j, before `doubt`
  double effective_samples = 0.0;  ///< samples over the integral time of the misfit
  VectorX sd;                      ///< σ_j, doubled [N·m]
  VectorX parameters;              ///< θ; 0 where not `known`
  VectorX parameter_sd;            ///< of each, doubled
  MatrixX factor;                  ///< L, the parameters' whole covariance is L Lᵀ, sds doubled
  std::vector<bool> known;         ///< the log halves the prior's variance, and no contact hides it
  ///@}
  std::vector<std::string> notes;  ///< what to beware of, one line each
};

/// Ridge regression in which every sample's covariance holds a contact of any plausible size:
///
///     Σ_t Δ/T |r_t − X_t θ|²_(diag(σ²) + A_t P_u A_tᵀ)⁻¹ + Σ_k θ_k²/s_k²
///
/// κ² from what is left in parity space alone, T its integral time, three rounds.
/// \param effort_limits  of the rows [N·m]  \param prior_sd  s, of each parameter; 0 < s
/// \throws OptionsError for sizes that differ, limits or sds that are not positive, or no samples
/// \param pulse  may be null
ANTAEUS_API UnlabelledResult fit_unlabelled(const std::vector<UnlabelledSample>& samples, const VectorX& effort_limits,
                                            const VectorX& prior_sd, const UnlabelledOptions& options = {},
                                            const Pulse& pulse = nullptr);

}  // namespace antaeus
