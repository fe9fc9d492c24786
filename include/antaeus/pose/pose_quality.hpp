#pragma once
/// \file
/// The quality of a pose for force estimation, known before any torque is measured.
/// Pre-flight, advice and maps use it.

#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
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
  Matrix6 covariance;
  Vector3 axis_sd, force_sd;
  Matrix3 directions;
  int insensible = 0, observable = 0;

  /// As Uncertainty's.
  double worst_sd() const noexcept { return force_sd[2 - insensible]; }
  Vector3 worst_direction() const noexcept { return directions.col(2 - insensible); }
  void invalidate() noexcept;
};
constexpr void visit_fields(const ForceKnowledge*, auto&& visit) {
  using F = ForceKnowledge;
  visit(field("covariance", "N², N²·m, N²·m²", "[6 × 6] of the wrench, force before moment", &F::covariance)
            .only(FieldUse::python_only));
  visit(field("axis_sd", "N", "[3] of the force along x, y, z; axes of the upright base, with an IMU of the world",
              &F::axis_sd)
            .as("axes_N"));
  visit(field("force_sd", "N", "[3] along the principal directions, ascending", &F::force_sd).as("principal_N"));
  visit(field("directions", "1", "[3 × 3] those directions, columns, unit length", &F::directions)
            .only(FieldUse::python_only));
  visit(field("worst_sd", "N", "the last of those that the limb can sense: what the check `sd` compares",
              [](const F& f) { return f.worst_sd(); })
            .as("worst_N")
            .only(FieldUse::file_only));
  visit(field("worst_direction", "1", "its direction, unit length", [](const F& f) {
          return f.worst_direction();
        }).only(FieldUse::file_only));
  visit(field("insensible", "", "how many directions, the last ones, the limb senses in no pose, by its build",
              &F::insensible)
            .only(FieldUse::python_only));
  visit(field("observable", "", "how many directions, the first ones, have an sd up to posterior.observable_sd, 0 … 3",
              &F::observable));
}

/// How the pose of one endpoint turns joint torques into wrenches. All numbers are NaN unless `status` is `ok`.
struct PoseConditioning {
  std::string endpoint;
  Status status = Status::not_computed;
  Vector3 position = Vector3::Zero();

  /// \name Of the deployed estimator, pinv(Jᵀ), in its own sign
  ///@{
  double kappa = 0.0;
  double kappa_scaled = 0.0;
  double sigma_min = 0.0;
  double manipulability = 0.0;
  Vector6 reference_gain;
  double reference_force_gain = 0.0;
  Matrix6X gain;
  Vector6 phantom;
  ///@}

  /// \name Of the endpoint's own torques, without a prior
  ///@{
  /// [N] sd of the worst-known direction of the wrench when every own torque is off by its sd (robot moving): what
  /// such errors read as. Moments count over the characteristic length. Infinity: a direction that the limb sees in
  /// other poses is lost, the pose is singular; or the limb sees none at all.
  double error_force = 0.0;
  Vector6 error_direction;
  bool whole_wrench = false;
  ///@}

  /// \name Of the posterior
  ///@{
  ForceKnowledge rest, moving;
  EndpointReliability reliability;
  Vector6 posterior_phantom;
  ///@}
};
constexpr void visit_fields(const PoseConditioning*, auto&& visit) {
  using P = PoseConditioning;
  visit(field("endpoint", "", "frame", &P::endpoint));
  visit(field("status", "", "ok, or why there are no numbers", &P::status).only(FieldUse::python_only));
  visit(field("position", "m", "[3] of the endpoint in base axes", &P::position));
  visit(field("kappa", "",
              "condition number of its Jacobian over the directions in which its joints move it, m and rad mixed",
              &P::kappa));
  visit(field("kappa_scaled", "1", "with the linear rows divided by the characteristic length", &P::kappa_scaled));
  visit(field("sigma_min", "", "smallest singular value, m and rad mixed", &P::sigma_min));
  visit(field("manipulability", "", "product of the singular values, m and rad mixed", &P::manipulability));
  visit(field("reference_gain", "N/(N·m), 1", "[6] of the reference joint, sign on_environment; NaN without one",
              &P::reference_gain)
            .as("reference_gain"));
  visit(field("reference_force_gain", "N/(N·m)", "norm of its force rows; predicts errors better than κ does",
              &P::reference_force_gain)
            .as("reference_force_gain"));
  visit(field("gain", "N/(N·m), 1", "[6 × motors] of every joint", &P::gain).only(FieldUse::python_only));
  visit(field("phantom", "N, N·m",
              "[6] largest |wrench| that residuals within the budget make of no contact, deployed estimator",
              &P::phantom)
            .as("phantom"));
  visit(field("posterior_phantom", "N, N·m", "[6] the same by the posterior of a moving robot", &P::posterior_phantom)
            .as("posterior_phantom"));
  visit(field("error_force", "N",
              "what own torques that are each off by one sd (moving) read as in the worst direction, without a prior; "
              "infinite in a singular pose",
              &P::error_force));
  visit(field("error_direction", "1", "[6] that direction, unit: force, and moment over the characteristic length",
              &P::error_direction));
  visit(field("whole_wrench", "",
              "of force and moment; else of the force alone, because the limb cannot distinguish them in any pose",
              &P::whole_wrench));
  visit(field("rest", "", "the posterior's doubt for a robot known to stand still", &P::rest).as("sd_rest"));
  visit(field("moving", "", "the same while it moves, with a static residual", &P::moving).as("sd_moving"));
  visit(field("reliability", "", "of its rows at rest", &P::reliability).only(FieldUse::python_only));
  visit(field("total_redundancy", "1", "sum of the joints' redundancies at rest", [](const P& p) {
          return p.reliability.total_redundancy;
        }).only(FieldUse::file_only));
  visit(field("prior_free_total_redundancy", "1",
              "evidence rows less rank, at rest: own rows and the reference joint's",
              [](const P& p) { return p.reliability.prior_free_total; })
            .only(FieldUse::file_only));
}

/// One number of a pose for which there are limits.
/// `sd`, `sd_moving`: worst direction of the force that the limb can sense [N]. `gain`: magnitude of the reference
/// joint's gain in the profile's row [N/(N·m)]. `force_gain`: norm of its force rows [N/(N·m)]. `kappa`: condition
/// number of the Jacobian, over the directions in which the endpoint's joints can move it: six, or as many as there
/// are. `error_force`: what torque errors of one sd read as in the worst direction [N].
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
  static constexpr PoseParts needed_by(PoseQuantity quantity) noexcept {
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

/// \name Positions of motors
///@{
/// Whether a motor slides: its position is then in m and its torque in N, not in rad and N·m.
ANTAEUS_API bool slides(const RobotModel& model, int motor);
/// "lift at 3 m is 2.65 m outside its limits of …": one sentence; empty for a position within them.
ANTAEUS_API std::string outside_limits(const RobotModel& model, int motor, double position);
/// What people must know of a pose before they read its numbers: positions outside the limits, and of motors that carry
/// one of \p endpoints an effort limit that is no figure, from which a noise was assumed.
ANTAEUS_API std::vector<std::string> position_notes(const Robot& robot, ConstVectorRef q,
                                                    const std::vector<std::string>& endpoints);
///@}

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
  /// \param imu_xyzw  unit quaternion of the IMU in the world, read as equation.imu says; null: the base is upright.
  /// Jacobians, gains and sds are then in world axes, positions stay in those of the base.
  /// \param parts  the others are NaN, and `status` speaks of these alone
  /// \realtime (pose_quality_test)
  const std::vector<PoseConditioning>& evaluate(ConstVectorRef q, PoseParts parts = {},
                                                const Eigen::Vector4d* imu_xyzw = nullptr) noexcept;
  /// Of the last call.
  const std::vector<PoseConditioning>& results() const noexcept { return results_; }
  /// Whether the last call turned the base as an IMU told.
  bool used_imu() const noexcept { return reader_.instant().used_imu(); }

  /// A number of one result; the row of `gain` is the profile's. NaN unless `ok`, or without a reference joint.
  double value(const PoseConditioning& pose, PoseQuantity quantity) const noexcept;

  const PosteriorOptions& posterior_options() const noexcept { return posterior_.options(); }
  const RobotModel& model() const noexcept { return reader_.model(); }
  /// Motors whose rows the estimate of an endpoint uses.
  const std::vector<int>& rows(int endpoint) const noexcept { return posterior_.rows(endpoint); }
  /// Directions of the force that no pose shows (SensedForce::excused).
  int insensible(int endpoint) const noexcept { return posterior_.sensed(endpoint).excused(); }
  /// Which those are, for people: "senses x and z of the base; y not, by its build". Empty where there are none.
  std::string senses(int endpoint) const { return posterior_.sensed(endpoint).text(); }
  /// What these rows see; `error_force` is of the last of these directions.
  Seen seen(int endpoint) const noexcept { return seen_[static_cast<std::size_t>(endpoint)]; }
  /// Whether a regular pose tells the force in every direction that the limb can sense: where it does not, its worst sd
  /// is the prior's alone, in all poses. Beside a moment of contact that takes all six components of the wrench.
  bool tells_force(int endpoint) const noexcept;
  /// Why not, for people: "3 joints' torques tell 3 of …". Empty where it does.
  std::string untold_force(int endpoint) const;
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
