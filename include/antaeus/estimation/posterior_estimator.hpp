#pragma once
/// \file
/// The estimator that knows what it knows: wrenches with a covariance, from the rows that can tell.

#include <string>
#include <vector>

#include "antaeus/conditioning/gaussian_posterior.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/estimation/contact_equation.hpp"
#include "antaeus/estimation/residual.hpp"
#include "antaeus/estimation/wrench_estimate.hpp"
#include "antaeus/estimation/wrench_estimator.hpp"

namespace antaeus {

/// Which joints speak for an endpoint.
/// `own`: those of its limb (the endpoint's joint group; without one, its supporting joints but the reference joint).
/// `all`: every joint that supports an endpoint, solved together; the reference joint as `reference` says.
/// `all_and_base`: the six rows too that no motor drives, while nothing moves. All feet must be endpoints, and nothing
/// else may carry the robot: a gantry that lifts 200 N reads as 38 N at a wrist (study, §4).
enum class PosteriorRows { own, all, all_and_base };
template <>
struct EnumNames<PosteriorRows> {
  static constexpr std::pair<const char*, PosteriorRows> table[] = {
      {"own", PosteriorRows::own}, {"all", PosteriorRows::all}, {"all_and_base", PosteriorRows::all_and_base}};
};

/// What the reference joint's row, which all endpoints above it share, is used for.
/// `exclude`: only to test the estimate. `innovation`: as evidence too, its variance raised to what its own innovation
/// shows. `trust`: as evidence with its stated variance.
enum class ReferenceUse { exclude, innovation, trust };
template <>
struct EnumNames<ReferenceUse> {
  static constexpr std::pair<const char*, ReferenceUse> table[] = {
      {"exclude", ReferenceUse::exclude}, {"innovation", ReferenceUse::innovation}, {"trust", ReferenceUse::trust}};
};

/// What a contact can transmit. `wrench`: force and moment. `force`: no moment about the endpoint's origin.
enum class ContactKind { wrench, force };
template <>
struct EnumNames<ContactKind> {
  static constexpr std::pair<const char*, ContactKind> table[] = {{"wrench", ContactKind::wrench},
                                                                  {"force", ContactKind::force}};
};

struct PosteriorOptions {
  Sign sign = Sign::on_robot;
  PosteriorRows rows = PosteriorRows::own;
  ReferenceUse reference = ReferenceUse::exclude;
  ContactKind contact = ContactKind::wrench;
  double force_prior = 20.0;
  double moment_prior = 1.5;
  double full_use_sd = 5.0;
  double observable_sd = 12.0;
  double false_alarm = 0.005;
  double base_force_sd = 15.0;
  double base_moment_sd = 10.0;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visit) {
    constexpr const char* kStudy = "study of estimators against MuJoCo's truth, §7";
    visit(OptionInfo{"sign", "", "whose wrench is reported: on_robot or on_environment", "Antaeus' convention"},
          self.sign);
    visit(OptionInfo{"rows", "", "own, all, or all_and_base: which torques speak for an endpoint", kStudy}, self.rows);
    visit(
        OptionInfo{"reference", "", "exclude, innovation or trust: what the shared joint's torque is used for", kStudy},
        self.reference);
    visit(OptionInfo{"contact", "", "wrench, or force: no moment about the endpoint's origin",
                     "study, §4: for a push 8 cm off the wrist, `force` doubles the error (1.6 to 3.3 N)"},
          self.contact);
    visit(OptionInfo{"force_prior", "N", "sd of each force component before any torque is seen", kStudy},
          self.force_prior);
    visit(OptionInfo{"moment_prior", "N·m", "sd of each moment component before any torque is seen", kStudy},
          self.moment_prior);
    visit(OptionInfo{"full_use_sd", "N", "sd in the worst direction up to which a force is used without reservation",
                     kStudy},
          self.full_use_sd);
    visit(OptionInfo{"observable_sd", "N", "sd up to which a direction counts as observed", kStudy},
          self.observable_sd);
    visit(OptionInfo{"false_alarm", "1", "probability per sample that the NIS test calls noise a contradiction",
                     "half of the one in a hundred that is allowed in RE1 and RE2"},
          self.false_alarm);
    visit(OptionInfo{"base_force_sd", "N", "sd of the base's force rows at rest (all_and_base)", "2 % of 67 kg"},
          self.base_force_sd);
    visit(OptionInfo{"base_moment_sd", "N·m", "sd of the base's moment rows at rest (all_and_base)",
                     "2 cm of the weight's lever"},
          self.base_moment_sd);
  }
};

/// Maximum a posteriori wrenches of all endpoints from one residual, each with its covariance.
///
///     C = (Aᵀ R⁻¹ A + P₀⁻¹)⁻¹,   ŵ = C Aᵀ R⁻¹ r,   A = rows of Jᵀ, R = diag(residual.variance)
///
/// solved whitened and unit-scaled (GaussianPosterior). A direction that the rows do not see keeps the prior: ŵ is
/// about 0 there and the sd is the prior's, which says so. The NIS of an endpoint tests its own rows and the reference
/// row together: could a contact here, within prior and noise, explain what they say? Contact at another endpoint is
/// admitted as explanation where that endpoint's own rows show one.
/// Source: study of estimators against MuJoCo's truth, §7.
class PosteriorEstimator {
 public:
  /// \throws OptionsError, ModelError for base rows on a fixed base
  PosteriorEstimator(const ContactEquation& equation, PosteriorOptions options = {});

  /// One result an endpoint, in the equation's order. \realtime (estimation_realtime_test)
  const std::vector<WrenchEstimate>& solve(const ContactEquation& equation, const Residual& residual) noexcept;

  /// From now on the contact at \p endpoint is a pure force along \p direction (world axes, any length > 0).
  /// \return `wrong_size` for an unknown endpoint, `not_finite` for a direction that is none
  Status set_known_direction(int endpoint, const Vector3& direction) noexcept;

  /// Of the last call.
  const std::vector<WrenchEstimate>& results() const noexcept { return estimates_; }
  const PosteriorOptions& options() const noexcept { return options_; }
  /// Motors whose rows speak for an endpoint, in motor order.
  const std::vector<int>& rows(int endpoint) const noexcept { return blocks_[block_of(endpoint)].rows; }
  /// L with P₀ = L Lᵀ of one endpoint, 6 × 6.
  const Matrix6& prior_factor(int endpoint) const noexcept { return prior_[static_cast<std::size_t>(endpoint)]; }
  /// log p(r) of the last solve over all rows used, contacts within their priors at all endpoints.
  double log_evidence() const noexcept;

 private:
  /// Endpoints that share rows and are solved together.
  struct Block {
    std::vector<int> endpoints;
    std::vector<int> rows;  ///< motors
    bool base = false;
    MatrixX A, L;
    VectorX y, variance;
    GaussianPosterior posterior;
    double threshold_null = 0.0;  ///< χ² above which these rows show a contact
  };
  std::size_t block_of(int endpoint) const noexcept { return block_index_[static_cast<std::size_t>(endpoint)]; }
  void solve_block(Block& block, const ContactEquation& equation, const Residual& residual) noexcept;
  void test_reference(const ContactEquation& equation, const Residual& residual) noexcept;
  void judge(WrenchEstimate& estimate, const Residual& residual) const noexcept;

  PosteriorOptions options_;
  int reference_ = -1;
  std::vector<Matrix6> prior_;
  std::vector<Block> blocks_;
  std::vector<std::size_t> block_index_;
  std::vector<int> place_;              ///< of an endpoint in its block
  std::vector<double> nis_thresholds_;  ///< by degrees of freedom
  std::vector<WrenchEstimate> estimates_;
};

}  // namespace antaeus
