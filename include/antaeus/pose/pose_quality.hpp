#pragma once
/// \file
/// The quality of a pose for force estimation, known before any torque is measured.
/// Pre-flight, advice and maps use it.

#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/observation.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"
#include "antaeus/estimation/residual.hpp"
#include "antaeus/numerics/small_svd.hpp"
#include "antaeus/robot/instant.hpp"
#include "antaeus/trust/reliability.hpp"

namespace antaeus {

/// The uncertainty of a force that the posterior would state in a pose, in world axes with the base upright.
struct ANTAEUS_API ForceKnowledge {
  Matrix6 covariance;  ///< of the wrench, force before moment [N², N²·m, N²·m²]
  Vector3 axis_sd;     ///< along x, y, z [N]
  Vector3 force_sd;    ///< along the principal directions, ascending [N]
  Matrix3 directions;  ///< those directions, columns, unit length
  int observable = 0;  ///< how many have an sd under posterior.observable_sd: columns 0 … observable − 1

  double worst_sd() const noexcept { return force_sd[2]; }
  Vector3 worst_direction() const noexcept { return directions.col(2); }
  void invalidate() noexcept;
};

/// How the pose of one endpoint turns joint torques into wrenches. All numbers are NaN unless `status` is `ok`.
struct PoseConditioning {
  std::string endpoint;
  Status status = Status::not_computed;
  Vector3 position = Vector3::Zero();  ///< of the endpoint in base axes [m]

  /// \name Of the deployed estimator, pinv(Jᵀ), in its own sign
  ///@{
  double kappa = 0.0;
  double kappa_scaled = 0.0;  ///< with the characteristic length
  double sigma_min = 0.0;
  double manipulability = 0.0;
  Vector6 reference_gain;             ///< of the reference joint; NaN without one
  double reference_force_gain = 0.0;  ///< norm of its force rows; predicts errors better than κ does
  Matrix6X gain;                      ///< 6 × motors
  Vector6 phantom;                    ///< largest |wrench| from residuals within the budget, no contact [N, N·m]
  ///@}

  /// \name Of the endpoint's own torques, without a prior
  ///@{
  /// [N] sd of the worst-known direction of the wrench when every own torque is off by its sd (robot moving): what
  /// such errors read as. Moments count over the characteristic length. Infinity: a direction that the limb sees in
  /// other poses is lost, the pose is singular; or the limb sees none at all.
  double error_force = 0.0;
  Vector6 error_direction;    ///< that direction, unit: force [N], moment over the characteristic length [N]
  bool whole_wrench = false;  ///< of force and moment; else of the force alone, where the limb cannot tell both apart
  ///@}

  /// \name Of the posterior
  ///@{
  ForceKnowledge rest;              ///< robot known to stand still
  ForceKnowledge moving;            ///< it moves, and the residual is static
  EndpointReliability reliability;  ///< of its rows at rest
  Vector6 posterior_phantom;        ///< as `phantom`, by the gain of the moving posterior [N, N·m]
  ///@}
};

/// One number of a pose for which there are limits.
/// `sd`, `sd_moving`: worst direction of the force [N]. `gain`: magnitude of the reference joint's gain in the
/// profile's row [N/(N·m)]. `force_gain`: norm of its force rows [N/(N·m)]. `kappa`: condition number of the Jacobian.
/// `error_force`: what torque errors of one sd read as in the worst direction [N].
enum class PoseQuantity { sd, sd_moving, gain, force_gain, kappa, error_force };
constexpr auto enum_names(PoseQuantity) noexcept {
  return name_list<PoseQuantity>("sd", "sd_moving", "gain", "force_gain", "kappa", "error_force");
}
constexpr std::string_view unit_of(PoseQuantity quantity) noexcept {
  switch (quantity) {
    case PoseQuantity::sd:
    case PoseQuantity::sd_moving:
    case PoseQuantity::error_force: return "N";
    case PoseQuantity::gain:
    case PoseQuantity::force_gain: return "N/(N·m)";
    case PoseQuantity::kappa: return "1";
  }
  return "?";
}

/// What of a pose is evaluated. A search that asks for one number of thousands of poses leaves the rest out.
struct PoseParts {
  bool deployed = true;  ///< gains, condition numbers, phantom
  bool rest = true;      ///< the posterior at rest
  bool reliability = true;
  bool moving = true;  ///< the posterior of a moving robot, and `error_force`

  /// What `value` of that quantity reads.
  static constexpr PoseParts of(PoseQuantity quantity) noexcept {
    const bool rest = quantity == PoseQuantity::sd;
    const bool moving = quantity == PoseQuantity::sd_moving || quantity == PoseQuantity::error_force;
    return {!rest && !moving, rest, false, moving};
  }
  constexpr PoseParts operator|(const PoseParts& o) const noexcept {
    return {deployed || o.deployed, rest || o.rest, reliability || o.reliability, moving || o.moving};
  }
};

struct PoseQualityOptions {
  double characteristic_length = 0.3;  ///< [m] divides the linear rows for a condition number without mixed units
  double budget_sd = 3.0;  ///< [1] residual budget of the phantom force: each joint's static_sd (profile) times this
  /// figures, or identified: the noise by which a pose is judged. Figures compare poses alike; what was identified
  /// knows the poses of its logs, and in others it counts every mass as doubtful.
  NoiseUse noise = NoiseUse::figures;
};
ANTAEUS_API const OptionTable& options_of(const PoseQualityOptions&);

/// Evaluates poses one after the other: the workspace of search and map. One object a thread.
///
/// The noise is ResidualEstimator's, for torques that hold the pose against gravity: at rest with velocities of
/// zero, moving without velocities. Posterior and reliability are then solved as in the loop.
class ANTAEUS_API PoseQuality {
 public:
  /// Residual and posterior as the profile sets them.
  /// \throws ModelError for an unknown endpoint (with the nearest name) or for none, OptionsError
  PoseQuality(const Robot& robot, const std::vector<std::string>& endpoints, PoseQualityOptions options = {});
  PoseQuality(const Robot& robot, const std::vector<std::string>& endpoints, PoseQualityOptions options,
              ResidualOptions residual, PosteriorOptions posterior);

  /// Directions that an endpoint's own rows see in regular poses, of the force alone or of the whole wrench.
  struct Seen {
    bool wrench = false;
    int rank = 0;
  };

  /// One result an endpoint. \param q motor positions; of the wrong size or with NaN every status says so.
  /// \param parts  the others are NaN, and `status` speaks of these alone
  /// \realtime (pose_quality_test)
  const std::vector<PoseConditioning>& evaluate(ConstVectorRef q, PoseParts parts = {}) noexcept;
  /// Of the last call.
  const std::vector<PoseConditioning>& results() const noexcept { return results_; }

  /// A number of one result; the row of `gain` is the profile's. NaN unless `ok`, or without a reference joint.
  double value(const PoseConditioning& pose, PoseQuantity quantity) const noexcept;

  const PosteriorOptions& posterior_options() const noexcept { return posterior_.options(); }
  const RobotModel& model() const noexcept { return reader_.model(); }
  /// Motors whose rows the estimate of an endpoint uses.
  const std::vector<int>& rows(int endpoint) const noexcept { return posterior_.rows(endpoint); }
  /// What these rows see; `error_force` is of the last of these directions.
  Seen seen(int endpoint) const noexcept { return seen_[static_cast<std::size_t>(endpoint)]; }
  /// Bound of each motor's residual for the phantoms [N·m].
  const VectorX& budget() const noexcept { return budget_; }
  /// Wrench row of `gain`.
  int gain_row() const noexcept { return gain_row_; }

 private:
  void fail(Status status) noexcept;
  void learn_ranks();
  void fill_deployed(const Instant& at_rest) noexcept;
  void fill_rest(const Instant& at_rest, bool reliability) noexcept;
  void fill_moving() noexcept;
  void fill_error_force(const Instant& now, const VectorX& variance, std::size_t endpoint) noexcept;

  InstantReader reader_;
  ResidualEstimator residual_;
  PosteriorEstimator posterior_;
  ReliabilityEstimator reliability_;
  DeployedEstimator deployed_;
  double length_;  ///< characteristic [m]
  SmallSvd svd_;
  Matrix6X whitened_;  ///< columns of J in sds of their torques
  std::vector<Seen> seen_;
  std::vector<int> gain_motors_;
  VectorX budget_;
  int gain_row_ = kFz;
  Observation rest_, moving_;
  std::vector<PoseConditioning> results_;
};

}  // namespace antaeus
