#pragma once
/// \file
/// Kalman filter and smoother with the wrenches as state: the posterior over time.

#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"

namespace antaeus {

struct ContactSpaceOptions {
  double time_constant = 0.2;  ///< [s] after which a force is forgotten to 37 %
  double error_time = 0.2;     ///< [s] after which a lasting error of a torque is forgotten to 37 %
  double lasting_share = 0.9;  ///< [1] share of the residual's variance that lasts; the rest is white noise
};
ANTAEUS_API const OptionTable& options_of(const ContactSpaceOptions&);

/// Take it where a pose hides a direction that poses before it showed; it has no tests of its own
/// (docs/concepts/estimator.md#which-estimator-to-take).
/// The wrenches as an Ornstein–Uhlenbeck process, seen through the residual of the posterior's own rows:
///
///     w(t + dt) = φ w(t) + n,   cov n = (1 − φ²) P₀,   φ = exp(−dt/T),   r = −A w + e,
///
/// discretised exactly, so that any dt is allowed. Without evidence the wrench relaxes to the prior N(0, P₀), and never
/// beyond. After a long gap one step is PosteriorEstimator's answer for `own` rows. In a direction that the present
/// pose does not show, evidence of an earlier pose stays and fades.
///
/// Friction does not change between samples, so most of e does not average out: `lasting_share` of its variance is an
/// Ornstein–Uhlenbeck process too, one state a row. With 0 the errors are independent, and the covariance of a constant
/// wrench falls like 1/samples: true of no robot with friction.
///
/// Where the noise was identified, rows are whitened by the Cholesky factor of their part of R (and of the tilt, which
/// all rows share then), and what lasts are the whitened errors: R is as stated at every instant, and an error that
/// hangs on a mass turns with the pose as R does.
///
/// State and rows are whitened (stationary variance 1, noise 1); rows enter one after the other in Joseph's form, so no
/// matrix is inverted and none can lose its definiteness. Rows with infinite variance are no evidence.
/// Sources: Hu & Xiong, IEEE TIE 65 (2018); Wahrburg et al., T-ASE 15 (2018); Bierman, "Factorization methods" (1977).
class ANTAEUS_API ContactSpaceFilter {
 public:
  /// \param posterior  whose rows, priors and limits are used, as they are now
  /// \throws OptionsError  for times that are not positive, a share outside [0, 1), base rows, or a reference row whose
  ///                       variance depends on its innovation
  ContactSpaceFilter(const InstantReader& reader, const PosteriorEstimator& posterior,
                     ContactSpaceOptions options = {});

  /// Takes the residual of an instant \p dt seconds after the last one: infinity forgets everything, 0 adds evidence on
  /// the same instant, negative and NaN forget everything and say so (`time_back`, `gap`). The first call's is ignored.
  ///
  /// One result an endpoint, in the instant's order. The NIS is that of the innovation: what the past did not lead to
  /// expect, of all rows that the endpoint's are solved with; their sum over time is χ² too. `gain` and the reference
  /// joint's numbers are NaN. There is no settling: the first step's covariance is as true as any.
  /// On a bad input results are NaN, and the state only grows older. \realtime (contact_space_filter_test)
  const std::vector<WrenchEstimate>& step(const Residual& residual, double dt) noexcept;
  /// Forgets everything. \realtime
  void reset() noexcept;

  const std::vector<WrenchEstimate>& results() const noexcept { return estimates_; }
  const ContactSpaceOptions& options() const noexcept { return options_; }

 private:
  friend class ContactSpaceSmoother;
  /// Endpoints that share rows. State: 6 numbers z an endpoint with w = L z, then one u a row.
  struct Block {
    std::vector<int> endpoints, rows;
    MatrixX L;
    VectorX x;
    MatrixX P;
    VectorX row, gain, product;
    MatrixX R, A;  ///< of identified noise: its factor, and −Jᵀ whitened
    VectorX y;
    double nis = 0.0;
    int evidence = 0;
  };
  Status check(const Residual& residual) const noexcept;
  double remembered_wrench(double dt) const noexcept;
  double remembered_error(double dt) const noexcept;
  /// Back to what is known before any torque is seen.
  static void forget(Block& block) noexcept;
  void predict(Block& block, double dt) const noexcept;
  void update(Block& block, const Residual& residual) const noexcept;
  void take_row(Block& block, Eigen::Index row, double value) const noexcept;
  bool update_correlated(Block& block, const Residual& residual) const noexcept;
  void describe(const Block& block, const VectorX& x, const MatrixX& P,
                std::vector<WrenchEstimate>& estimates) const noexcept;
  void judge(const Block& block, const Matrix3& base, std::vector<WrenchEstimate>& estimates) const noexcept;

  ContactSpaceOptions options_;
  PosteriorOptions posterior_;
  std::vector<Block> blocks_;
  std::vector<char> denied_;                               ///< PosteriorEstimator::wants_insensible
  AlarmLimits limits_{AlarmRate{}, 1}, hourly_ = limits_;  ///< of the NIS; where the noise was identified
  bool started_ = false;
  std::vector<WrenchEstimate> estimates_;
};

/// The same for logs: every instant's wrench from the whole log, before and after it.
/// Source: Rauch, Tung & Striebel, AIAA J. 3 (1965).
///
/// Set-up and log code: it stores every step (H1-2, two wrists: 3 kB a step) and allocates.
class ANTAEUS_API ContactSpaceSmoother {
 public:
  /// \throws as ContactSpaceFilter
  ContactSpaceSmoother(const InstantReader& reader, const PosteriorEstimator& posterior,
                       ContactSpaceOptions options = {});

  /// Takes the next step of the log; arguments as of ContactSpaceFilter::step().
  /// \return status of the step: a bad one counts as a time without evidence
  Status add(const Residual& residual, double dt);

  std::size_t steps() const noexcept { return steps_.size(); }
  /// The filter's results of the last step.
  const std::vector<WrenchEstimate>& filtered() const noexcept { return filter_.results(); }
  /// [step][endpoint]. NIS as filtered. A bad step has what its neighbours say, with reason `gap` and no NIS rows.
  std::vector<std::vector<WrenchEstimate>> smooth() const;

 private:
  struct Step {
    double dt;
    Matrix3 base;  ///< its axes in the world
    std::vector<VectorX> x;
    std::vector<MatrixX> P;
    std::vector<WrenchEstimate> estimates;
  };
  ContactSpaceFilter filter_;
  std::vector<Step> steps_;
};

}  // namespace antaeus
