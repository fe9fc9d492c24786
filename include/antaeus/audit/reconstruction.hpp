#pragma once
/// \file
/// An episode computed again, step by step: the results of every estimator, and what every guard would have done.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/progress.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/estimation/published/guard_chain.hpp"
#include "antaeus/estimation/residual.hpp"
#include "antaeus/io/table.hpp"
#include "antaeus/trust/consumer_guard.hpp"

namespace antaeus {

struct AuditOptions;  // audit/audit_options.hpp

/// The estimators whose numbers stand beside each other.
enum class EstimatorName : std::uint8_t { deployed, stacked, posterior };
constexpr auto enum_names(EstimatorName) noexcept {
  return name_list<EstimatorName>("deployed", "stacked", "posterior");
}

/// The published guards that run alone, beside the default chain; the dominance guard in both published forms.
enum class SingleGuard : std::uint8_t {
  watchdog,
  condition,
  reference_dominance,
  reference_dominance_formula,
  clamp,
  norm_clamp,
};
constexpr auto enum_names(SingleGuard) noexcept {
  return name_list<SingleGuard>("watchdog", "condition", "reference_dominance", "reference_dominance_formula", "clamp",
                                "norm_clamp");
}

/// One published guard by itself on one series: when it acts and what the consumer would have read behind it.
struct GuardTrace {
  SingleGuard guard = SingleGuard::watchdog;
  std::vector<GuardAction> action;  ///< [N]
  std::vector<double> saw;          ///< [N] what it judged
  double limit = 0.0;
  Eigen::Index first_act = -1;  ///< step, −1: never
  Eigen::Index acts = 0;        ///< steps at which it acted
  SampleMatrix force_read;      ///< N × 3 [N]: force behind this guard alone; zero where it zeroes or stops
};

/// Results of a posterior and its guard beside the wrench, step by step.
struct ANTAEUS_API PosteriorTrace {
  SampleMatrix sd;                    ///< N × 6: standard deviations of the wrench [N, N·m]
  VectorX worst_sd;                   ///< N [N]: of the force, in the direction of which least is known
  SampleMatrix worst_direction;       ///< N × 3: that direction, world axes
  SampleMatrix force_axes;            ///< N × 9 [N]: principal axes of the force's covariance, each as long as its sd,
                                      ///< ascending: x y z | x y z | x y z
  std::vector<int> observable;        ///< N: force directions with an sd under the limit, 0 … 3
  VectorX nis, nis_threshold;         ///< N: the sum of the tests
  VectorX misfit, misfit_limit;       ///< N: what no wrench explains
  VectorX contact, contact_limit;     ///< N: the wrench against its prior
  VectorX innovation, innovation_sd;  ///< N [N·m]: of the reference joint
  std::vector<int> rows;              ///< motors whose reliability is given, in motor order
  /// N × rows, single precision: redundancy, minimal detectable bias [N·m], and the force [N] by which a torque error
  /// of that size shifts the estimate; then the first two without priors
  using Reliability = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Reliability redundancy, detectable_bias, external_force, prior_free_redundancy, prior_free_bias;
  std::vector<Verdict> state;          ///< of the guard: ok, degraded or refused
  std::vector<ConsumerAction> action;  ///< what the consumer reads
  std::vector<Reasons> because;        ///< of the sample that brought the state
  std::vector<ResidualKind> residual_kind;
  Eigen::Index alarms = 0, first_alarm = -1;      ///< steps at which a test alarms: kTestAlarm among the reasons
  Eigen::Index refusals = 0, first_refusal = -1;  ///< steps at which the guard refuses
  /// Place of a motor among `rows`, −1 when it is not there.
  int place(int motor) const noexcept;
};

/// One estimator at one endpoint over the episode. Frame: endpoint's origin, world axes; sign as stated.
struct EstimateSeries {
  std::string endpoint;  ///< frame
  std::string label;     ///< for people
  EndpointKind kind = EndpointKind::tool;
  bool consumed = false;                              ///< the deployed consumer reads it
  EstimatorName estimator = EstimatorName::deployed;  ///< the posterior at all endpoints but feet
  Sign sign = Sign::on_environment;
  ResidualKind residual_kind = ResidualKind::static_gravity;  ///< of the posterior: see its trace

  SampleMatrix wrench;                                     ///< N × 6 [N, N·m]
  VectorX force_norm;                                      ///< N [N]
  VectorX kappa, kappa_scaled, sigma_min, manipulability;  ///< N
  std::vector<int> rank;
  SampleMatrix reference_gain;  ///< N × 6
  /// N × motors [N]: what each motor's residual adds to Fx, to Fy and to Fz; single precision, for the deployed
  /// estimator at endpoints that the consumer reads, empty for the rest.
  using Contribution = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  std::array<Contribution, 3> contribution;
  std::vector<Verdict> verdict;  ///< estimate and guard: the default chain, or the posterior's own guard
  std::vector<Reasons> reasons;
  SampleMatrix guarded_force;               ///< N × 3 [N] behind that guard
  std::vector<GuardTrace> guards;           ///< the published ones; empty for the posterior
  std::optional<PosteriorTrace> posterior;  ///< of the posterior alone

  double peak_force = 0.0;  ///< largest |F| [N]; NaN without a valid step
  Eigen::Index peak_step = -1;
  double peak_component = 0.0;  ///< largest |Fz| [N]
  Eigen::Index peak_component_step = -1;
};

/// An episode, reconstructed.
struct ANTAEUS_API Reconstruction {
  std::string name;
  Eigen::Index first_step = 0;         ///< number of the first step in the log, when a part was cut out
  VectorX time;                        ///< N [s]
  SampleMatrix residual;               ///< N × motors: τ − g(q) [N·m]
  SampleMatrix gravity;                ///< N × motors [N·m]
  int reference_motor = -1;            ///< −1 without a reference joint
  VectorX reference_residual;          ///< N [N·m]; NaN without a reference joint
  std::vector<EstimateSeries> series;  ///< endpoint by endpoint: deployed, stacked, posterior, those that were wanted
  /// N: steps at which the posterior reads a static residual whose noise was identified, and those of them at which the
  /// robot moves faster than that noise is known for
  std::vector<bool> identified, outside_identified;
  VectorX envelope_speed;  ///< N [rad/s]: the speed that tells; NaN elsewhere, and where no speed bounds that noise
  bool used_imu = false;

  Eigen::Index steps() const noexcept { return residual.rows(); }
  /// \throws Error when there is no such series
  const EstimateSeries& find(std::string_view endpoint, EstimatorName estimator) const;
};

/// Which estimators a reconstruction has: an audit all, an estimate one.
struct ReconstructedEstimators {
  bool deployed = true, stacked = true, posterior = true;
};

/// Take it for one log, all estimators and every step's verdict (docs/estimator.md#which-estimator-to-take).
/// Computes an episode again, part after part: history goes on from one to the next, so that parts of any length hold
/// what the whole would hold. Steps that cannot be used are NaN with verdict `invalid_input`.
///
/// What a step says by itself (its instant, every estimate, its tests) is computed by several threads; residuals with
/// filters, guards and all else that has a history see the steps one by one, in order. Every class is the loop's, so
/// the numbers are GuardedEstimator's and GuardChain's to the bit, whatever the number of threads (replay.threads of
/// the robot's settings; test ReconstructionParts).
class ANTAEUS_API Reconstructor {
 public:
  /// \param episode  must outlive this
  /// \throws ModelError, OptionsError as the estimators do
  Reconstructor(const Robot& robot, const Episode& episode, const std::vector<std::string>& endpoints,
                const AuditOptions& options, const ReconstructedEstimators& wanted = {});
  ~Reconstructor();
  Reconstructor(const Reconstructor&) = delete;
  Reconstructor& operator=(const Reconstructor&) = delete;

  /// Steps of the episode that were computed.
  Eigen::Index done() const noexcept;
  /// The next \p steps, or as many as there are left. \param progress  of the whole episode
  Reconstruction next(Eigen::Index steps, const Progress& progress = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The whole episode at once. \param first_step  of the log that the episode was cut from
ANTAEUS_API Reconstruction reconstruct(const Robot& robot, const Episode& episode,
                                       const std::vector<std::string>& endpoints, const AuditOptions& options,
                                       const Progress& progress = {}, Eigen::Index first_step = 0);

/// Steps of the episode whose numbers are finite but too large to compute a force from, in a reconstruction of the
/// steps from \p first on.
ANTAEUS_API std::vector<Eigen::Index> overflowing_steps(const Reconstruction& reconstruction, const Episode& episode,
                                                        Eigen::Index first = 0);
/// Adds those to the episode's invalid steps, and a note. \param first_step  of the log that the episode was cut from
ANTAEUS_API void note_overflow(const std::vector<Eigen::Index>& steps, Episode& episode, Eigen::Index first_step = 0);

/// What each joint contributes to the wrench at one step (incident report, eq. 4).
struct Attribution {
  Eigen::Index step = 0;
  std::string endpoint;
  EstimatorName estimator = EstimatorName::deployed;
  VectorX tau, gravity, residual;  ///< motors [N·m]
  Matrix6X contribution;           ///< 6 × motors; columns sum to the wrench [N, N·m]
  Vector6 wrench;
  int axis = kFz;    ///< component of the force that is taken apart: Audit::focus_axis
  int largest = -1;  ///< motor that adds most to it
};
/// The table of docs/schema/steps.md: one row a step, endpoint and estimator.
ANTAEUS_API Table steps_table(const Reconstruction& reconstruction);

}  // namespace antaeus
