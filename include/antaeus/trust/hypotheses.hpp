#pragma once
/// \file
/// Tests of the single causes that a residual may have: which fits best, and whether the data can separate them.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/estimation/contact_prior.hpp"
#include "antaeus/estimation/residual.hpp"
#include "antaeus/signal/alarm_limits.hpp"
#include "antaeus/trust/innovation_window.hpp"
#include "antaeus/trust/sequential_hypothesis.hpp"

namespace antaeus {

/// `contact`: any wrench on the robot at an endpoint. `payload`: a mass that hangs at a hand's origin.
/// `joint_offset`: friction, or a bias of the torque channel, of one joint. `torque_scale`: one gain error of all
/// channels. `base_tilt`: the vertical is not where it is taken to be; no cause of a residual that needs no vertical.
enum class CauseKind : std::uint8_t { none, contact, payload, joint_offset, torque_scale, base_tilt };
constexpr auto enum_names(CauseKind) noexcept {
  return name_list<CauseKind>("none", "contact", "payload", "joint_offset", "torque_scale", "base_tilt");
}

/// How clearly the best cause beats another: ΔBIC up to 6, to 10, above. `indistinct` also where the other would fit
/// what the best one does, whatever their sizes: then the best is preferred only
/// because it is simpler, or by its prior.
/// Source: Kass & Raftery, JASA 90 (1995), §3.2.
enum class Separation : std::uint8_t { indistinct, strong, very_strong };
constexpr auto enum_names(Separation) noexcept { return name_list<Separation>("indistinct", "strong", "very_strong"); }

/// Which motors' rows are looked at. `above_feet`: those that carry no foot, so that ground forces need no
/// explanation; a robot without feet has all. `all`: the legs' too, for a robot whose feet are in the air.
enum class HypothesisRows { above_feet, all };
constexpr auto enum_names(HypothesisRows) noexcept { return name_list<HypothesisRows>("above_feet", "all"); }

/// By what the causes are ordered. `bic`: best fit, with a penalty for every unknown. `evidence`: probability of each
/// cause given the data, under its priors, so that a fit by an improbably large force ranks low.
enum class Ranking { bic, evidence };
constexpr auto enum_names(Ranking) noexcept { return name_list<Ranking>("bic", "evidence"); }

struct HypothesisOptions {
  HypothesisRows rows = HypothesisRows::above_feet;  ///< above_feet, or all: which motors' torques are to be explained
  Ranking ranking = Ranking::evidence;               ///< evidence or bic: what orders the causes
  double false_alarm = 0.005;  ///< [1] probability that noise alone raises the alarm, each time it is asked
  /// [1/h] the same as a rate, at the interval at which it is asked; 0: false_alarm
  double false_alarms_per_hour = 0.0;
  /// Whether a window's errors have the memory that was identified (InnovationWindow): its samples count for what they
  /// are, and need no weight. Of a robot without identified noise each sample is taken for new.
  bool innovations = true;
  double none_prior = 0.5;  ///< [1] probability, before any data, that no cause is at work; the others share the rest
  ContactPrior contact{};   ///< force_prior [N], moment_prior [N·m] of a contact
  double payload_prior = 2.0;  ///< [kg] sd of a payload's mass
  double offset_prior = 10.0;  ///< [N·m] sd of one joint's friction or offset
  double scale_prior = 0.05;   ///< [1] sd of the common gain error
  double tilt_prior = 0.05;    ///< [rad] sd of each of the two tilts
};
ANTAEUS_API const OptionTable& options_of(const HypothesisOptions&);

/// One cause and how well it fits.
struct Cause {
  CauseKind kind = CauseKind::none;
  int endpoint = -1, motor = -1;
  const char* unit = "";
  int unknowns = 0;
  double log_likelihood_ratio = 0.0, bic = 0.0, log_evidence = 0.0, probability = 0.0, nis = 0.0;
  std::array<double, 6> estimate{}, deviation{};
  int components = 0;
  double size = 0.0, size_sd = 0.0;
  double misfit_of_best = 0.0;
  Separation separation = Separation::indistinct;
};
constexpr void visit_fields(const Cause*, auto&& visit) {
  using C = Cause;
  visit(field("kind", "", "what it is", &C::kind));
  visit(field("endpoint", "", "of a contact or payload; else −1", &C::endpoint));
  visit(field("motor", "", "of a joint offset; else −1", &C::motor));
  visit(field("unit", "", "of size", &C::unit));
  visit(field("unknowns", "", "that the rows can see: the rank of its columns", &C::unknowns));
  visit(field("log_likelihood_ratio", "1", "best fit against none, ≥ 0", &C::log_likelihood_ratio));
  visit(field("bic", "1", "unknowns · ln(rows) − 2 · log_likelihood_ratio; 0 of none", &C::bic));
  visit(field("log_evidence", "1", "ln p(r | cause) − ln p(r | none)", &C::log_evidence));
  visit(field("probability", "1",
              "P(cause | r) when exactly one of the causes, or none, is at work: all of them are weighed at once, so "
              "that one of many that fits by chance is no finding; they sum to 1",
              &C::probability));
  visit(field("nis", "1", "rᵀ (R + B P₀ Bᵀ)⁻¹ r: what the cause leaves when it is of a size that its prior allows",
              &C::nis));
  visit(field("estimate", "",
              "[components] posterior under its prior: wrench on the robot in world axes, N, N·m; mass, kg; torque "
              "that the channel shows too much, N·m; share; or tilts about the base's x and y, rad",
              [](const C& c) { return VectorX(Eigen::Map<const VectorX>(c.estimate.data(), c.components)); }));
  visit(field("deviation", "", "[components] sd of each",
              [](const C& c) { return VectorX(Eigen::Map<const VectorX>(c.deviation.data(), c.components)); }));
  visit(field("components", "", "how many numbers estimate and deviation hold", &C::components));
  visit(field("size", "", "in `unit`: the force's norm, the tilt's angle, else the number itself", &C::size));
  visit(field("size_sd", "", "in `unit`", &C::size_sd));
  visit(field("misfit_of_best", "1",
              "Σ of the squared, whitened residual that is left when the best cause is true as estimated and this one "
              "is fitted to it, of any size; small: they look alike",
              &C::misfit_of_best));
  visit(field("separation", "", "from the best cause", &C::separation));
}

/// What a window of residuals says of its causes.
struct HypothesisResult {
  Status status = Status::not_computed;
  bool alarm = false, explained = false;
  double chi_squared = 0.0, threshold = 0.0, rows = 0.0;
  std::vector<Cause> causes;

  const Cause& best() const noexcept { return causes[0]; }
  const Cause& runner_up() const noexcept { return causes[1]; }
};
constexpr void visit_fields(const HypothesisResult*, auto&& visit) {
  using H = HypothesisResult;
  visit(field("status", "", "ok, or why nothing was judged", &H::status));
  visit(field("alarm", "", "noise alone does not make such residuals", &H::alarm));
  visit(field("explained", "", "the best cause, of a size that its prior allows, leaves no more than noise would",
              &H::explained));
  visit(field("chi_squared", "1", "Σ of squared, whitened residuals", &H::chi_squared));
  visit(field("threshold", "1", "that noise exceeds with probability false_alarm, or as often an hour", &H::threshold));
  visit(field("rows", "1", "with evidence; sum of weights over a window", &H::rows));
  visit(field("causes", "",
              "best first; without an alarm none is the best. Causes that leave no trace in the rows are last, with 0 "
              "unknowns and the score of none",
              &H::causes));
}

/// Likelihood ratios between single causes. These are: none, a contact at each endpoint, a payload at each hand, an
/// offset of each joint among the rows, a common gain error of the torque channels, and a tilted base.
///
/// Each cause is r = −Jᵀw, or the like: columns B times unknowns x ~ N(0, prior) plus the residual's noise. All
/// columns of all causes are whitened and scaled by their priors once, and only their Gram matrix is kept: a window of
/// residuals adds up, one x for all of it. Causes are tested one at a time; two at once are `explained` = false, and
/// then `best` is only the best of the causes tested.
///
/// A best fit is no proof: read its probability, and what it is `indistinct` from. A payload of negative mass is no
/// answer: it has probability 0 and stands last. A payload is a contact that pushes
/// down, so the two are always `indistinct`. So are a fault of the torso's torque and a contact, in a pose where the
/// torso has redundancy 0 (RE3's). Source: Schwarz, Ann. Statist. 6 (1978).
class ANTAEUS_API HypothesisTest {
 public:
  /// \throws OptionsError for priors that are not positive or a probability outside 0 … 1
  explicit HypothesisTest(const InstantReader& reader, HypothesisOptions options = {});

  /// Forgets the window.
  void reset() noexcept;
  /// Adds one instant. \param weight  of its evidence, > 0: where errors last for k samples, 1/k; not read in a window
  ///        of innovations, which says `time_back` for time that does not advance
  /// \return what is wrong with the input; the window stays as it was then. \realtime (hypotheses_test)
  Status add(const Residual& residual, double weight = 1.0) noexcept;
  /// Judges the window. `not_computed` when it is empty. \realtime (hypotheses_test)
  const HypothesisResult& solve() noexcept;
  /// reset(), add() and solve().
  const HypothesisResult& solve(const Residual& residual) noexcept;

  const HypothesisResult& result() const noexcept { return result_; }
  const HypothesisOptions& options() const noexcept { return options_; }
  /// Motors whose rows are looked at, in motor order.
  const std::vector<int>& motors() const noexcept { return motors_; }
  /// "contact at left wrist", with the profile's labels. Allocates.
  std::string name(const Cause& cause) const;

 private:
  struct Columns {
    CauseKind kind;
    int endpoint, motor, first, count;
    const char* unit;
  };
  struct Fit;
  void fill(const Residual& residual) noexcept;
  Status add_innovations(const Residual& residual) noexcept;
  void judge(const Columns& columns, Cause& cause) const noexcept;
  double misfit(const Columns& truth, const Cause& fitted_truth, const Columns& other) const noexcept;
  const Columns* find(const Cause& cause) const noexcept;
  double log_prior(CauseKind kind) const noexcept;
  void weigh() noexcept;

  HypothesisOptions options_;
  RobotModel model_;
  std::shared_ptr<const NoiseModel> noise_;  ///< null: no innovations
  InnovationWindow window_;
  bool whitened_ = false;  ///< the window holds innovations
  AlarmLimits asked_{AlarmRate{}, 1};
  double time_ = kNaN;
  std::vector<int> motors_;
  std::vector<std::string> endpoint_labels_, motor_names_;
  std::vector<Columns> causes_;
  VectorX scale_;       ///< prior sd of every column
  MatrixX B_;           ///< whitened, scaled columns of one instant
  MatrixX R_;           ///< factor of a correlated residual's covariance
  VectorX y_, full_;    ///< whitened residual; generalised gravity torque
  MatrixX gram_;        ///< Σ BᵀB
  VectorX projection_;  ///< Σ Bᵀy
  double square_ = 0.0, rows_ = 0.0;
  HypothesisResult result_;
};

}  // namespace antaeus
