#pragma once
/// \file
/// The posterior estimator: wrenches of all endpoints with their covariance, from the torque rows that carry evidence.

#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/estimation/contact_prior.hpp"
#include "antaeus/estimation/residual.hpp"
#include "antaeus/estimation/sensed_force.hpp"
#include "antaeus/numerics/gaussian_posterior.hpp"
#include "antaeus/robot/wrench_estimates.hpp"
#include "antaeus/signal/alarm_limits.hpp"

namespace antaeus {

/// Which torque rows the estimate of an endpoint uses.
/// `own`: those of its limb (the endpoint's joint group; without one, its supporting joints but the reference joint).
/// `all`: every joint that supports an endpoint, solved together; the reference joint as `reference` says.
/// `all_and_base`: the six rows too that no motor drives, while nothing moves. All feet must be endpoints, and nothing
/// else may carry the robot: a gantry that lifts 200 N reads as 38 N at a wrist
/// (docs/validation.md#base-rows).
enum class PosteriorRows { own, all, all_and_base };
constexpr auto enum_names(PosteriorRows) noexcept { return name_list<PosteriorRows>("own", "all", "all_and_base"); }

/// What the reference joint's row, which all endpoints above it share, is used for.
/// `exclude`: only to test the estimate. `innovation`: as evidence too, its variance raised to what its own innovation
/// shows. `trust`: as evidence with its stated variance.
enum class ReferenceUse { exclude, innovation, trust };
constexpr auto enum_names(ReferenceUse) noexcept { return name_list<ReferenceUse>("exclude", "innovation", "trust"); }

/// What a contact can transmit. `wrench`: force and moment. `force`: no moment about the endpoint's origin.
enum class ContactKind { wrench, force };
constexpr auto enum_names(ContactKind) noexcept { return name_list<ContactKind>("wrench", "force"); }

/// Directions of the force that its consumer needs, axes of the base: a verdict is of them. `sensed`: every direction
/// that the limb can sense in some pose. Where one that is named is sensed in none, the number is refused
/// (`insensible_direction`).
enum class ForceWant : std::uint8_t { sensed, x, y, z, xy, xz, yz, xyz };
constexpr auto enum_names(ForceWant) noexcept {
  return name_list<ForceWant>("sensed", "x", "y", "z", "xy", "xz", "yz", "xyz");
}

/// Whether it names an axis, 0 … 2.
constexpr bool wants_axis(ForceWant want, int axis) noexcept {
  return want != ForceWant::sensed && to_string(want).find("xyz"[axis]) != std::string_view::npos;
}

struct PosteriorOptions {
  Sign sign = Sign::on_robot;               ///< whose wrench is reported: on_robot or on_environment
  PosteriorRows rows = PosteriorRows::own;  ///< own, all, or all_and_base: which torques speak for an endpoint
  /// Exclude, innovation or trust: what the shared joint's torque is used for.
  ReferenceUse reference = ReferenceUse::exclude;
  ContactKind contact = ContactKind::wrench;  ///< wrench, or force: no moment about the endpoint's origin
  ForceWant want = ForceWant::sensed;         ///< directions that the consumer needs: sensed, or axes of the base
  ContactPrior prior{};                       ///< force_prior [N], moment_prior [N·m]
  double full_use_sd = 5.0;     ///< [N] sd in the worst direction up to which a force is used without reservation
  double observable_sd = 12.0;  ///< [N] sd up to which a direction counts as observed
  double false_alarm = 0.005;   ///< [1] probability per sample that a consistency test alarms while all is as assumed
  /// [1/h] false alarms of all tests together where the noise was identified, by the union bound at the interval at
  /// which samples come; 0: false_alarm there too. Of assumed figures nobody knows a rate: false_alarm.
  double false_alarms_per_hour = 60.0;
  /// base_force_sd [N], base_moment_sd [N·m], base_foot_force [N], base_foot_moment [N·m] (all_and_base)
  BaseRowErrors base_rows{};
};
ANTAEUS_API const OptionTable& options_of(const PosteriorOptions&);

/// The posterior's wrenches, with the residual that they explain.
struct PosteriorEstimates : WrenchEstimates {
  Residual residual;
  /// \name One test a torque row: this row against all others, contacts at all endpoints within their priors
  /// In motor order, NaN for rows that no endpoint uses. With S = R + Σ A P₀ Aᵀ over all these rows:
  ///@{
  VectorX row_precision;
  /// (S⁻¹)_jj / (R⁻¹)_jj, 0 … 1: the share of an error in row j that contacts leave to its test
  VectorX row_redundancy;
  VectorX row_test;
  ///@}
};
constexpr void visit_fields(const PosteriorEstimates*, auto&& visit) {
  using P = PosteriorEstimates;
  visit(field("residual", "", "that the wrenches explain", &P::residual));
  visit(field("row_precision", "1/(N²·m²)",
              "[motors], (S⁻¹)_jj with S = R + Σ A P₀ Aᵀ over all rows used: how sharply the others predict row j; NaN "
              "for rows that no endpoint uses",
              &P::row_precision));
  visit(field("row_redundancy", "1",
              "[motors], (S⁻¹)_jj / (R⁻¹)_jj, 0 … 1: the share of an error in row j that contacts leave to its test",
              &P::row_redundancy)
            .only(FieldUse::file_only));
  visit(field("row_test", "1", "[motors], e_jᵀ S⁻¹ r / √(S⁻¹)_jj: N(0, 1) while all is as assumed", &P::row_test));
}

/// Maximum a posteriori wrenches of all endpoints from one residual, each with its covariance.
///
///     C = (Aᵀ R⁻¹ A + P₀⁻¹)⁻¹,   ŵ = C Aᵀ R⁻¹ r,   A = rows of Jᵀ, R = diag(residual.variance)
///
/// or, where the noise was identified, the rows and columns of residual.covariance,
/// solved whitened and unit-scaled (GaussianPosterior). A direction that the rows do not see keeps the prior: ŵ is
/// about 0 there and the sd is the prior's, which says so. One that they see in no pose is a fact of the limb's build
/// and no reason against its numbers (SensedForce, PosteriorOptions::want). A tilt of the base that nobody measured is
/// a further unknown of each block of rows (Residual::tilt).
///
/// Tests (Uncertainty): the misfit of an endpoint's block; its wrench against its prior; and the reference row against
/// all other rows, with contacts at all endpoints within their priors. Beside them the NIS, which lets another endpoint
/// explain the reference row only where that endpoint's own rows show a contact: it speaks sooner where a pose hides
/// contacts. Endpoints that this estimator does not have cannot explain anything.
///
/// With identified noise R couples all rows: an arm's own rows and the reference row hang on the same unknown masses.
/// - An endpoint is still estimated from its block's rows alone, with their part of R: exact for what they say, and
/// what
///   errors of other limbs would tell of this limb's errors is left out. It is little, and it would let a contact at
///   one hand move the other's estimate.
/// - The reference row's test stays e_refᵀ S⁻¹ r / √(S⁻¹)_ref, which is its innovation given all other rows,
///
///       i = r_ref − s S_o⁻¹ r_o,   var i = S_ref − s S_o⁻¹ sᵀ = 1/(S⁻¹)_ref,   s = a P₀ A_oᵀ + R_ref,o
///
///   R_ref,o says how much of its error the others already show. So it is sharper than with R's diagonal, where
///   masses are to blame, and still N(0, 1). All rows share one tilt there; without identified noise each block has its
///   own.
/// - `innovation` adds max(0, i²/(4 var i) − 1) · var i to R_ref: var i grows by just that, R stays positive definite.
///   `trust` takes the row as any other.
/// - The NIS adds the reference row's innovation given the endpoint's own block and the blocks that show a contact.
/// Take it where you judge its uncertainty and tests yourself; GuardedEstimator judges them for a controller
/// (docs/concepts/estimator.md#which-estimator-to-take).
/// Source: docs/validation.md#posterior; Baarda (1968) for the test of one row.
class ANTAEUS_API PosteriorEstimator {
 public:
  /// \throws OptionsError, ModelError for base rows on a fixed base
  explicit PosteriorEstimator(const InstantReader& reader, PosteriorOptions options = {});

  /// One result an endpoint, in the instant's order; NaN with the residual's status unless that is `ok`.
  /// \realtime (estimation_realtime_test)
  const PosteriorEstimates& solve(const Residual& residual) noexcept;

  /// From now on the contact at \p endpoint is a pure force along \p direction (world axes, any length > 0).
  /// \return `wrong_size` for an unknown endpoint, `not_finite` for a direction that is none
  Status set_known_direction(int endpoint, const Vector3& direction) noexcept;

  /// \name For estimators that share out the samples of a log among them
  /// The limits of tests under identified noise go by the interval at which samples come. They are as if one estimator
  /// had solved all samples where somebody steps the limits of one through all times in order, and each takes them as
  /// they are then before it solves a sample. \realtime
  ///@{
  const AlarmLimits& identified_limits() const noexcept { return hourly_; }
  void take_limits(const AlarmLimits& limits) noexcept { hourly_ = limits; }
  ///@}

  /// Of the last call.
  const PosteriorEstimates& results() const noexcept { return estimates_; }
  const PosteriorOptions& options() const noexcept { return options_; }
  /// The limits of its tests: three a block of rows that endpoints share, and the reference row's.
  const AlarmLimits& limits() const noexcept { return estimates_.residual.correlated ? hourly_ : limits_; }
  /// Motors whose rows the estimate of an endpoint uses, in motor order.
  const std::vector<int>& rows(int endpoint) const noexcept { return blocks_[block_of(endpoint)].rows; }
  /// What these rows show of a force in the best of many poses. Directions that they show in none are left out of the
  /// verdict (Uncertainty::insensible).
  const SensedForce& sensed(int endpoint) const noexcept { return sensed_[endpoint]; }
  /// Whether `want` names a direction of the force at an endpoint that these rows show in no pose.
  bool wants_insensible(int endpoint) const noexcept { return denied_[endpoint] != 0; }
  /// L with P₀ = L Lᵀ of one endpoint, 6 × 6.
  const Matrix6& prior_factor(int endpoint) const noexcept { return prior_[endpoint]; }
  /// log p(r) of the last solve over all rows used, contacts within their priors at all endpoints.
  double log_evidence() const noexcept;

 private:
  /// Endpoints that share rows and are solved together.
  struct Block {
    std::vector<int> endpoints;
    std::vector<int> rows;  ///< motors
    bool base = false;
    MatrixX A, L;  ///< the last two columns are those of the tilt
    VectorX y, variance;
    MatrixX R;          ///< of correlated rows
    VectorX reference;  ///< the reference joint's row of A
    VectorX shared;     ///< C times that row
    GaussianPosterior posterior;
    double nis = 0.0, misfit = 0.0;  ///< before the reference row was readmitted, as the two below
    int evidence = 0, misfit_rows = 0;
    double threshold_null = 0.0;  ///< χ² above which these rows show a contact
    bool shows_contact = false;
    Eigen::Index base_rows() const noexcept { return base ? 6 : 0; }
    double reference_mean = 0.0, reference_variance = 0.0;  ///< what this block's contacts make of the reference row
    double reference_prior = 0.0;  ///< variance that contacts within their priors give the reference row
  };
  std::size_t block_of(int endpoint) const noexcept { return block_index_[endpoint]; }
  void fill(Block& block, const Residual& residual) noexcept;
  void compute(Block& block) const noexcept;
  void note_tests(Block& block) noexcept;
  bool has_reference(const Block& block) const noexcept;
  void test_rows(const Residual& residual) noexcept;
  void readmit_reference(Block& block) noexcept;
  /// Rows of all blocks and the reference row, the last of all, under a correlated R.
  struct Joint {
    MatrixX S, R;  ///< lower triangles
    VectorX r;
    std::vector<int> motors;    ///< −1: a base row
    std::vector<int> block_of;  ///< −1: the reference row
    bool reference = false;
    /// \name Of the rows that were picked, in their order
    ///@{
    MatrixX factor;  ///< of S
    VectorX whitened;
    Eigen::Index picked = 0;
    ///@}
    MatrixX AL, inverse;
    VectorX stated;  ///< diagonal of R⁻¹
  };
  void join() noexcept;
  template <class Wanted>
  bool pick(const Wanted& wanted) noexcept;
  void test_correlated_rows() noexcept;
  void describe(const Block& block, const Residual& residual) noexcept;
  double reference_spread() const noexcept;
  void add_nis(const Block& mine, Uncertainty& uncertainty) noexcept;
  ConsistencyTest test_of(double value, int dof) const noexcept { return {value, limits().limit(dof), dof}; }

  PosteriorOptions options_;
  int reference_ = -1;
  bool floating_ = false;
  double innovation_ = kNaN, innovation_sd_ = kNaN;  ///< of the reference row, given all others
  std::vector<Matrix6> prior_;
  std::vector<SensedForce> sensed_;
  std::vector<char> denied_;  ///< wants_insensible
  std::vector<Block> blocks_;
  Joint joint_;
  std::vector<std::size_t> block_index_;
  std::vector<int> place_;                                 ///< of an endpoint in its block
  AlarmLimits limits_{AlarmRate{}, 1}, hourly_ = limits_;  ///< of assumed figures, of identified noise
  PosteriorEstimates estimates_;
};

/// For people, one sentence an endpoint of which there is something to say: directions that its limb senses in no pose,
/// and those that `want` names. \throws as InstantReader and PosteriorEstimator; nothing for a robot without motors
ANTAEUS_API std::vector<std::string> sensed_sentences(const Robot& robot, const std::vector<std::string>& frames,
                                                      const PosteriorOptions& options);

}  // namespace antaeus
