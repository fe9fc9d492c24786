#pragma once
/// \file
/// An episode computed again, step by step: the results of every estimator, and what every guard would have done.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/progress.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/estimation/published/guard_chain.hpp"
#include "antaeus/estimation/residual.hpp"
#include "antaeus/io/table.hpp"
#include "antaeus/trust/consumer_guard.hpp"

namespace antaeus {

struct AuditOptions;  // audit/audit_options.hpp
struct CheckResult;   // check/check_log.hpp

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

/// One published guard by itself on one series: when it acts and what the consumer would have read behind it. Steps are
/// rows of the series.
struct GuardTrace {
  SingleGuard guard = SingleGuard::watchdog;
  std::vector<GuardAction> action;
  std::vector<double> saw;
  double limit = 0.0;
  Eigen::Index first_act = -1, acts = 0;
  SampleMatrix force_read;
};
constexpr void visit_fields(const GuardTrace*, auto&& visit) {
  using G = GuardTrace;
  visit(field("guard", "", "which one", &G::guard));
  visit(field("action", "", "[N] places in GuardAction", &G::action));
  visit(field("saw", "", "[N] what it judged, in the unit of limit", &G::saw));
  visit(field("limit", "", "what it compares with, in the unit of its values", &G::limit));
  visit(step_field("first_act", "row at which it acts first; −1: never", &G::first_act));
  visit(field("acts", "", "number of steps at which it acts", &G::acts));
  visit(field("force_read", "N",
              "[N × 3] behind this guard alone, world axes, sign of the series; 0 where it zeroes or stops",
              &G::force_read));
}

/// Results of a posterior and its guard beside the wrench, step by step; rows of the series.
struct ANTAEUS_API PosteriorTrace {
  /// N × rows, single precision
  using Reliability = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  SampleMatrix sd;
  VectorX worst_sd;
  SampleMatrix worst_direction, force_axes;
  int insensible = 0;
  std::string senses;
  std::vector<int> observable;
  VectorX nis, nis_threshold, misfit, misfit_limit, contact, contact_limit;
  VectorX innovation, innovation_sd;
  std::vector<int> rows;
  Reliability redundancy, detectable_bias, external_force, prior_free_redundancy, prior_free_bias;
  std::vector<Verdict> state;
  std::vector<ConsumerAction> action;
  std::vector<Reasons> because;
  std::vector<ResidualKind> residual_kind;
  Eigen::Index alarms = 0, first_alarm = -1, refusals = 0, first_refusal = -1;
  /// Place of a motor among `rows`, −1 when it is not there.
  int place(int motor) const noexcept;
};
constexpr void visit_fields(const PosteriorTrace*, auto&& visit) {
  using P = PosteriorTrace;
  visit(field("sd", "N, N·m", "[N × 6] standard deviations of the wrench", &P::sd));
  visit(field("worst_sd", "N",
              "[N] of the force in the direction, of those that the limb senses, of which least is known",
              &P::worst_sd));
  visit(field("insensible", "", "force directions that the limb senses in no pose, by its build", &P::insensible));
  visit(field("senses", "", "which those are, for people; empty: it senses all", &P::senses));
  visit(field("worst_direction", "1", "[N × 3] that direction, unit length, world axes", &P::worst_direction));
  visit(field("force_axes", "N",
              "[N × 9] principal axes of the force's covariance, each as long as its sd, ascending, x y z each",
              &P::force_axes));
  visit(field("observable", "", "[N] force directions with an sd under the limit, 0 … 3", &P::observable));
  visit(field("nis", "1", "[N] sum of the tests", &P::nis));
  visit(field("nis_threshold", "1", "[N] above which it alarms", &P::nis_threshold));
  visit(field("misfit", "1", "[N] what no wrench explains", &P::misfit));
  visit(field("misfit_limit", "1", "[N] above which it alarms", &P::misfit_limit));
  visit(field("contact", "1", "[N] the wrench against its prior", &P::contact));
  visit(field("contact_limit", "1", "[N] above which it alarms", &P::contact_limit));
  visit(field("innovation", "N·m", "[N] of the reference joint; NaN without one", &P::innovation));
  visit(field("innovation_sd", "N·m", "[N] of the innovation", &P::innovation_sd));
  visit(field("rows", "", "[R] motors whose reliability is given, in motor order", &P::rows));
  visit(
      field("redundancy", "1", "[N × R] share of a torque error that shows, 0 … 1; single precision", &P::redundancy));
  visit(
      field("detectable_bias", "N·m", "[N × R] smallest torque error that the row's test finds", &P::detectable_bias));
  visit(field("external_force", "N", "[N × R] shift of the force that such an error causes, unnoticed",
              &P::external_force));
  visit(field("prior_free_redundancy", "1", "[N × R] redundancy without an assumption on the contact's size",
              &P::prior_free_redundancy));
  visit(field("prior_free_bias", "N·m", "[N × R] infinite: none is found", &P::prior_free_bias));
  visit(field("state", "", "[N] of the guard: places in Verdict, ok, degraded or refused", &P::state));
  visit(field("action", "", "[N] what the consumer reads: places in ConsumerAction", &P::action));
  visit(field("because", "", "[N] reasons of the sample that brought the state", &P::because));
  visit(field("residual_kind", "", "[N] places in ResidualKind", &P::residual_kind));
  visit(field("alarms", "", "steps at which a test alarms: kTestAlarm among the reasons", &P::alarms));
  visit(step_field("first_alarm", "row; −1: never", &P::first_alarm));
  visit(field("refusals", "", "steps at which the guard refuses", &P::refusals));
  visit(step_field("first_refusal", "row; −1: never", &P::first_refusal));
}

/// One estimator at one endpoint over the N steps of an episode. Frame: endpoint's origin, world axes; `sign` says who
/// exerts the wrench on whom. NaN where a step could not be used.
struct EstimateSeries {
  /// N × motors, single precision
  using Contribution = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  std::string endpoint, label;
  EndpointKind kind = EndpointKind::tool;
  bool consumed = false;
  EstimatorName estimator = EstimatorName::deployed;  ///< the posterior at all endpoints but feet
  Sign sign = Sign::on_environment;
  ResidualKind residual_kind = ResidualKind::static_gravity;

  SampleMatrix wrench;
  VectorX force_norm, kappa, kappa_scaled, sigma_min, manipulability;
  std::vector<int> rank;
  SampleMatrix reference_gain;
  std::array<Contribution, 3> contribution;  ///< to Fx, to Fy and to Fz
  std::vector<Verdict> verdict;
  std::vector<Reasons> reasons;
  SampleMatrix guarded_force;
  std::vector<GuardTrace> guards;
  std::optional<PosteriorTrace> posterior;

  double peak_force = 0.0;
  Eigen::Index peak_step = -1;
  double peak_component = 0.0;
  Eigen::Index peak_component_step = -1;
};
constexpr void visit_fields(const EstimateSeries*, auto&& visit) {
  using E = EstimateSeries;
  visit(field("endpoint", "", "frame", &E::endpoint));
  visit(field("label", "", "for people", &E::label));
  visit(field("kind", "", "of the endpoint", &E::kind));
  visit(field("consumed", "", "the deployed consumer reads it", &E::consumed));
  visit(field("estimator", "", "whose numbers these are", &E::estimator));
  visit(field("sign", "", "who exerts the wrench on whom", &E::sign));
  visit(field("residual_kind", "", "the posterior's is posterior.residual_kind", &E::residual_kind));
  visit(field("wrench", "N, N·m", "[N × 6] Fx Fy Fz Mx My Mz", &E::wrench));
  visit(field("force_norm", "N", "[N] |F|", &E::force_norm));
  visit(field("kappa", "1", "[N] condition number of the inverted matrix; posterior: of its whitened, unit-scaled rows",
              &E::kappa));
  visit(field("kappa_scaled", "1",
              "[N] with the linear rows divided by the characteristic length; NaN for stacked and posterior",
              &E::kappa_scaled));
  visit(field("sigma_min", "", "[N] smallest singular value", &E::sigma_min));
  visit(field("manipulability", "", "[N] product of the singular values", &E::manipulability));
  visit(field("rank", "", "[N] of the inverted matrix", &E::rank));
  visit(field("reference_gain", "N/(N·m), 1", "[N × 6] what 1 N·m at the reference joint becomes; NaN without one",
              &E::reference_gain));
  visit(field("contribution_Fx", "N",
              "[N × motors] what each motor's residual adds to Fx; single precision. Deployed estimator at endpoints "
              "that the consumer reads, else empty",
              [](const E& e) -> const E::Contribution& { return e.contribution[0]; }));
  visit(field("contribution_Fy", "N", "the same of Fy",
              [](const E& e) -> const E::Contribution& { return e.contribution[1]; }));
  visit(field("contribution_Fz", "N", "the same of Fz",
              [](const E& e) -> const E::Contribution& { return e.contribution[2]; }));
  visit(field("verdict", "",
              "[N] of estimate and guard, the default chain or the posterior's own: places in Verdict, so that "
              "list(antaeus.Verdict)[code] is its name",
              &E::verdict));
  visit(field("reasons", "", "[N] why the verdict is not ok: names", &E::reasons));
  visit(
      field("guarded_force", "N", "[N × 3] behind the default chain, or the posterior's own guard", &E::guarded_force));
  visit(field("guards", "", "the published ones, each alone; empty for the posterior", &E::guards));
  visit(field("posterior", "", "None but for the posterior", &E::posterior));
  visit(field("peak_force", "N", "largest |F|; NaN without a valid step", &E::peak_force));
  visit(step_field("peak_step", "row", &E::peak_step));
  visit(field("peak_component", "N", "largest |Fz|", &E::peak_component));
  visit(step_field("peak_component_step", "row", &E::peak_component_step));
}

/// An episode computed again, N steps. Row i is step first_step + i of the log.
struct ANTAEUS_API Reconstruction {
  std::string name;
  Eigen::Index first_step = 0;
  VectorX time;
  SampleMatrix residual, gravity;
  int reference_motor = -1;
  VectorX reference_residual;
  std::vector<EstimateSeries> series;  ///< of the estimators that were wanted
  /// N: steps at which the posterior reads a static residual whose noise was identified, and those of them at which the
  /// robot moves faster than that noise is known for
  std::vector<bool> identified, outside_identified;
  VectorX envelope_speed;  ///< N [rad/s]: the speed that tells; NaN elsewhere, and where no speed bounds that noise
  bool used_imu = false;

  Eigen::Index steps() const noexcept { return residual.rows(); }
  /// \throws Error when there is no such series
  const EstimateSeries& find(std::string_view endpoint, EstimatorName estimator) const;
};
constexpr void visit_fields(const Reconstruction*, auto&& visit) {
  using R = Reconstruction;
  visit(field("name", "", "of the episode", &R::name));
  visit(field("first_step", "", "of the log, where a part was cut out", &R::first_step));
  visit(field("time", "s", "[N] NaN without time stamps", &R::time));
  visit(field("residual", "N·m", "[N × motors] τ − g(q)", &R::residual));
  visit(field("gravity", "N·m", "[N × motors] g(q)", &R::gravity));
  visit(field("reference_motor", "", "−1 without a reference joint", &R::reference_motor));
  visit(field("reference_residual", "N·m", "[N] NaN without a reference joint", &R::reference_residual));
  visit(field("series", "", "endpoint by endpoint: deployed, stacked, posterior", &R::series));
  visit(field("used_imu", "", "the base's orientation was measured", &R::used_imu));
}

/// Which estimators a reconstruction has: an audit all, an estimate one.
struct ReconstructedEstimators {
  bool deployed = true, stacked = true, posterior = true;
};

/// The step that an audit would take apart at an endpoint that the consumer reads: the first whose deployed force is
/// past event.focus_force, else that of the largest.
struct FocusCandidate {
  std::string endpoint;
  Eigen::Index row = -1;  ///< of the episode; −1: no step with a force
  double force = 0.0;     ///< there [N]
  bool past = false;      ///< of event.focus_force: nothing after it counts
  Residual residual;      ///< of that step, as options.residual forms it of the log as it is
};

/// Take it for one log, all estimators and every step's verdict (docs/concepts/estimator.md#which-estimator-to-take).
/// Computes an episode again, part after part: history goes on from one to the next, so that parts of any length hold
/// what the whole would hold. Steps that cannot be used are NaN with verdict `invalid_input`.
///
/// What a step says by itself (its instant, every estimate, its tests) is computed by several threads; residuals with
/// filters, guards and all else that has a history see the steps one by one, in order. Every class is the loop's, so
/// the numbers are GuardedEstimator's and GuardChain's to the bit, whatever the number of threads (replay.threads of
/// the robot's settings; test ReconstructionParts).
class ANTAEUS_API Reconstructor {
 public:
  /// \param episode  must outlive this, or the first block of a log that comes in blocks. Smoothed without a delay
  ///                 (smooth.zero_phase), it must be the whole log
  /// \throws ModelError, OptionsError as the estimators do
  Reconstructor(const Robot& robot, const Episode& episode, const std::vector<std::string>& endpoints,
                const AuditOptions& options, const ReconstructedEstimators& wanted = {});
  ~Reconstructor();
  Reconstructor(const Reconstructor&) = delete;
  Reconstructor& operator=(const Reconstructor&) = delete;

  /// What check_log says of the log: errors take `ok` away from the posterior at every step, under `set_up_suspect`.
  void suspect(const CheckResult& check) noexcept;
  /// Steps of the episode that were computed.
  Eigen::Index done() const noexcept;
  /// One a consumed endpoint, of the steps so far; where the deployed estimator and the posterior were wanted.
  const std::vector<FocusCandidate>& focus_candidates() const noexcept;
  /// The next \p steps, or as many as there are left. \param progress  of the whole episode
  Reconstruction next(Eigen::Index steps, const Progress& progress = {});
  /// All steps of a block that follows the one before. \param of_all  steps of the log, for the progress
  Reconstruction next(const Episode& block, Eigen::Index of_all, const Progress& progress = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Steps of the episode whose numbers are finite but too large to compute a force from, in a reconstruction of the
/// steps from \p first on.
ANTAEUS_API std::vector<Eigen::Index> overflowing_steps(const Reconstruction& reconstruction, const Episode& episode,
                                                        Eigen::Index first = 0);
/// Adds those to the episode's invalid steps, and a note. \param first_step  of the log that the episode was cut from
ANTAEUS_API void note_overflow(const std::vector<Eigen::Index>& steps, Episode& episode, Eigen::Index first_step = 0);

/// Why the residuals of a log with velocities and a clock are static all the same, in words for this robot: channels or
/// the profile's [imu] frame are missing, or samples come too slowly. Empty: they are not, or the log has no
/// velocities or no clock, or static residuals were asked for.
ANTAEUS_API std::string why_static(const Robot& robot, const Episode& episode, const ResidualOptions& options);

/// What one joint contributes to a wrench.
struct JointShare {
  std::string joint, label;
  double tau = 0.0, gravity = 0.0, residual = 0.0;
  Vector6 contribution;
};
constexpr void visit_fields(const JointShare*, auto&& visit) {
  using J = JointShare;
  visit(field("joint", "", "motors in order", &J::joint));
  visit(field("label", "", "short name", &J::label));
  visit(field("tau", "N·m", "measured", &J::tau));
  visit(field("gravity", "N·m", "g(q)", &J::gravity));
  visit(field("residual", "N·m", "τ − g(q)", &J::residual));
  visit(field("contribution", "N, N·m", "to the wrench", &J::contribution).as("contribution"));
}

/// What each joint contributes to one wrench at one step (incident report, eq. 4): wrench = sum of the joints'
/// contributions. Frame and sign: those of the endpoint's series.
struct ANTAEUS_API Attribution {
  Eigen::Index step = 0;
  std::string endpoint;
  EstimatorName estimator = EstimatorName::deployed;
  std::vector<std::string> joints, labels;
  VectorX tau, gravity, residual;
  Matrix6X contribution;
  Vector6 wrench;
  int axis = kFz, largest = -1;
  /// One joint after the other.
  std::vector<JointShare> shares() const;
};
constexpr void visit_fields(const Attribution*, auto&& visit) {
  using A = Attribution;
  visit(field("step", "", "of the log: the focus step", &A::step));
  visit(field("endpoint", "", "the focus endpoint", &A::endpoint));
  visit(field("estimator", "", "deployed or stacked", &A::estimator));
  visit(field("tau", "N·m", "[motors] measured", &A::tau).only(FieldUse::python_only));
  visit(field("gravity", "N·m", "[motors] g(q)", &A::gravity).only(FieldUse::python_only));
  visit(field("residual", "N·m", "[motors] τ − g", &A::residual).only(FieldUse::python_only));
  visit(field("contribution", "N, N·m", "[6 × motors] the columns sum to the wrench", &A::contribution)
            .only(FieldUse::python_only));
  visit(field("wrench", "N, N·m", "[6] Fx Fy Fz Mx My Mz", &A::wrench).as("wrench"));
  visit(field("axis", "", "component that is taken apart: 0 x, 1 y, 2 z; Audit.focus_axis", &A::axis)
            .only(FieldUse::python_only));
  visit(field("largest", "", "motor that adds most to it; −1: none", &A::largest).only(FieldUse::python_only));
  visit(field("joints", "", "one after the other", [](const A& a) { return a.shares(); }).only(FieldUse::file_only));
}
/// The table of docs/reference/schemas.md: one row per step, endpoint and estimator.
ANTAEUS_API Table steps_table(const Reconstruction& reconstruction);

}  // namespace antaeus
