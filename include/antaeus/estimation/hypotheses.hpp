#pragma once
/// \file
/// What made this residual? Named causes against each other, and whether the data can tell them apart at all.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/options.hpp"
#include "antaeus/estimation/contact_equation.hpp"
#include "antaeus/estimation/residual.hpp"
#include "antaeus/signal/cusum.hpp"

namespace antaeus {

/// `contact`: any wrench on the robot at an endpoint. `payload`: a mass that hangs at a hand's origin.
/// `joint_offset`: friction, or a bias of the torque channel, of one joint. `torque_scale`: one gain error of all
/// channels. `base_tilt`: the vertical is not where it is taken to be; no cause of a residual that needs no vertical.
enum class CauseKind : std::uint8_t { none, contact, payload, joint_offset, torque_scale, base_tilt };
constexpr std::string_view to_string(CauseKind kind) noexcept {
  constexpr std::string_view names[] = {"none", "contact", "payload", "joint_offset", "torque_scale", "base_tilt"};
  return names[static_cast<std::size_t>(kind)];
}

/// How clearly the best cause beats another: ΔBIC up to 6, to 10, above. `indistinct` also where the other would fit
/// what the best one does, whatever their sizes: then only its being simpler, or its prior, speaks for the best.
/// Source: Kass & Raftery, JASA 90 (1995), §3.2.
enum class Separation : std::uint8_t { indistinct, strong, very_strong };
constexpr std::string_view to_string(Separation separation) noexcept {
  constexpr std::string_view names[] = {"indistinct", "strong", "very_strong"};
  return names[static_cast<std::size_t>(separation)];
}

/// Which motors' rows are looked at. `above_feet`: those that carry no foot, so that standing is no riddle; a robot
/// without feet has all. `all`: the legs' too, for a robot whose feet are in the air.
enum class HypothesisRows { above_feet, all };
template <>
struct EnumNames<HypothesisRows> {
  static constexpr std::pair<const char*, HypothesisRows> table[] = {{"above_feet", HypothesisRows::above_feet},
                                                                     {"all", HypothesisRows::all}};
};

/// By what the causes are ordered. `bic`: best fit, with a fine for every unknown. `evidence`: probability of the data
/// under each cause's prior, so that a fit by an impossible force counts for nothing.
enum class Ranking { bic, evidence };
template <>
struct EnumNames<Ranking> {
  static constexpr std::pair<const char*, Ranking> table[] = {{"bic", Ranking::bic}, {"evidence", Ranking::evidence}};
};

struct HypothesisOptions {
  HypothesisRows rows = HypothesisRows::above_feet;
  Ranking ranking = Ranking::evidence;
  double false_alarm = 0.005;
  double force_prior = 20.0;
  double moment_prior = 1.5;
  double payload_prior = 2.0;
  double offset_prior = 10.0;
  double scale_prior = 0.05;
  double tilt_prior = 0.05;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visit) {
    visit(
        OptionInfo{"rows", "", "above_feet, or all: which motors' torques are to be explained", "see the enumeration"},
        self.rows);
    visit(OptionInfo{"ranking", "", "evidence or bic: what orders the causes",
                     "hypotheses_test: evidence names the simulated cause more often"},
          self.ranking);
    visit(OptionInfo{"false_alarm", "1", "probability that noise alone raises the alarm, each time it is asked",
                     "as the posterior's NIS test"},
          self.false_alarm);
    visit(OptionInfo{"force_prior", "N", "sd of each component of a contact's force", "posterior.force_prior"},
          self.force_prior);
    visit(OptionInfo{"moment_prior", "N·m", "sd of each component of a contact's moment", "posterior.moment_prior"},
          self.moment_prior);
    visit(OptionInfo{"payload_prior", "kg", "sd of a payload's mass", "what such a hand lifts"}, self.payload_prior);
    visit(OptionInfo{"offset_prior", "N·m", "sd of one joint's friction or offset", "RE3's torso: 34 N·m at the worst"},
          self.offset_prior);
    visit(OptionInfo{"scale_prior", "1", "sd of the common gain error", "our choice"}, self.scale_prior);
    visit(OptionInfo{"tilt_prior", "rad", "sd of each of the two tilts", "3 degrees"}, self.tilt_prior);
  }
};

/// One cause and how well it fits.
struct Cause {
  CauseKind kind = CauseKind::none;
  int endpoint = -1;  ///< of a contact or payload
  int motor = -1;     ///< of a joint offset
  const char* unit = "";

  int unknowns = 0;                   ///< that the rows can see: the rank of its columns
  double log_likelihood_ratio = 0.0;  ///< best fit against `none`, ≥ 0
  double bic = 0.0;                   ///< unknowns · ln(rows) − 2 · log_likelihood_ratio; 0 of `none`
  double log_evidence = 0.0;          ///< ln p(r | cause) − ln p(r | none)

  /// Posterior under its prior, in `components` numbers: wrench on the robot in world axes [N, N·m], mass [kg], torque
  /// that the channel shows too much [N·m], share, or tilts about the base's x and y [rad].
  std::array<double, 6> estimate{};
  std::array<double, 6> deviation{};  ///< sd of each
  int components = 0;
  double size = 0.0;  ///< of it, in `unit`: the force's norm, the tilt's angle, else the number itself
  double size_sd = 0.0;

  /// Σ of the squared, whitened residual that would be left if the best cause were true as estimated and this one
  /// were fitted to it, whatever its size. Small: this one imitates the best.
  double misfit_of_best = 0.0;
  Separation separation = Separation::indistinct;  ///< from the best cause
};

struct HypothesisResult {
  Status status = Status::not_computed;
  bool alarm = false;        ///< noise alone does not make such residuals
  bool explained = false;    ///< the best cause leaves no more than noise would
  double chi_squared = 0.0;  ///< Σ of squared, whitened residuals
  double threshold = 0.0;    ///< that noise exceeds with probability `false_alarm`
  double rows = 0.0;         ///< with evidence; sum of weights over a window
  /// Best first. Causes that leave no trace in the rows are last, with 0 unknowns and the score of `none`.
  std::vector<Cause> causes;

  const Cause& best() const noexcept { return causes[0]; }
  const Cause& runner_up() const noexcept { return causes[1]; }
};

/// Likelihood ratios between none, a contact at each endpoint, a payload at each hand, an offset of each joint among
/// the rows, a common gain error of the torque channels, and a tilted base.
///
/// Each cause is r = −Jᵀw, or the like: columns B times unknowns x ~ N(0, prior) plus noise of residual.variance. All
/// columns of all causes are whitened and scaled by their priors once, and only their Gram matrix is kept: a window of
/// residuals adds up, one x for all of it. Causes are tested one at a time; two at once are `explained` = false, and
/// then `best` is no more than the best of those asked about.
///
/// What is estimated is not what is certain: a payload is a contact that pushes down, so the two are always
/// `indistinct`, and so are a torso's fault and a contact in a pose where the torso has redundancy 0 (RE3's).
/// Sources: Schwarz, Ann. Statist. 6 (1978); estimation_and_users.md §3.5.
class HypothesisTest {
 public:
  /// \throws OptionsError for priors that are not positive or a probability outside 0 … 1
  explicit HypothesisTest(const ContactEquation& equation, HypothesisOptions options = {});

  /// Forgets the window.
  void reset() noexcept;
  /// Adds one instant. \param weight  of its evidence, > 0: where errors last for k samples, 1/k
  /// \return what is wrong with the input; the window stays as it was then. \realtime (hypotheses_test)
  Status add(const ContactEquation& equation, const Residual& residual, double weight = 1.0) noexcept;
  /// Judges the window. `not_computed` when it is empty. \realtime (hypotheses_test)
  const HypothesisResult& solve() noexcept;
  /// reset(), add() and solve().
  const HypothesisResult& solve(const ContactEquation& equation, const Residual& residual) noexcept;

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
  void fill(const ContactEquation& equation, const Residual& residual) noexcept;
  void judge(const Columns& columns, Cause& cause) const noexcept;
  double misfit(const Columns& truth, const Cause& fitted_truth, const Columns& other) const noexcept;
  const Columns* find(const Cause& cause) const noexcept;

  HypothesisOptions options_;
  std::vector<int> motors_;
  std::vector<std::string> endpoint_labels_, motor_names_;
  std::vector<Columns> causes_;
  VectorX scale_;       ///< prior sd of every column
  MatrixX B_;           ///< whitened, scaled columns of one instant
  VectorX y_, full_;    ///< whitened residual; generalised gravity torque
  MatrixX gram_;        ///< Σ BᵀB
  VectorX projection_;  ///< Σ Bᵀy
  double square_ = 0.0, rows_ = 0.0;
  HypothesisResult result_;
};

struct SequentialOptions {
  double false_alarms_per_hour = 0.1;
  double independent_rate = 10.0;
  double drift = 0.5;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visit) {
    visit(OptionInfo{"false_alarms_per_hour", "1/h", "alarms while all is well", "our choice: one in ten hours"},
          self.false_alarms_per_hour);
    visit(OptionInfo{"independent_rate", "Hz", "rate of samples whose errors are about independent; others are skipped",
                     "our choice: friction's sign and the low pass last for 0.1 s"},
          self.independent_rate);
    visit(OptionInfo{"drift", "sd", "half the lasting shift of the standardised NIS that is to be found soonest",
                     "Page 1954"},
          self.drift);
  }
};

/// Watches the NIS of an endpoint over time: finds a contradiction too small for the threshold on single samples, at a
/// stated rate of false alarms. One-sided CUSUM of standardise_chi_squared(nis).
///
/// The rate holds while errors are as stated and independent at `independent_rate`. A small misfit that stays, friction
/// or a load that the model lacks, is what it is made to find: in RE1 the NIS of 8 rows doubles after 37 s, below any
/// threshold on single samples, and it alarms. A jump is found sooner by that threshold (RE3: before step 8, here at
/// 21).
class SequentialHypothesis {
 public:
  /// \throws OptionsError for rates or a drift that are not positive
  explicit SequentialHypothesis(const SequentialOptions& options = {});

  /// \param time  [s]; a sample sooner than 1/independent_rate after the last used one is skipped
  /// \return `ok` also for a skipped sample; `not_finite` for NaN or no rows, `time_back`: nothing changes then, but
  ///         that the next sample is used. \realtime (hypotheses_test)
  Status step(double time, double nis, int nis_rows) noexcept;

  bool alarm() const noexcept { return cusum_.alarm(); }
  /// What the alarm compares with 1: the sum over its threshold.
  double level() const noexcept { return cusum_.upper() / cusum_.threshold(); }
  /// Time of the first sample of the shift [s]; NaN when there is none.
  double onset() const noexcept { return onset_; }
  void reset() noexcept;

 private:
  double period_;
  Cusum cusum_;
  double last_, onset_;
};

}  // namespace antaeus
