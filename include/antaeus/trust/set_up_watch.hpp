#pragma once
/// \file
/// What a loop sees, sample by sample, that is a set-up mistake rather than a contact: a force that was there from the
/// start, a residual that follows gravity or velocity, a NIS that stays high.

#include <cstddef>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/reasons.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"

namespace antaeus {

/// Reasons that SetUpWatch gives.
inline constexpr Reasons kSetUpSigns = Reason::contact_since_start | Reason::residual_follows_gravity |
                                       Reason::residual_follows_velocity | Reason::nis_stays_high;

/// Watches the estimates of a loop, in the order of time. Of samples whose residual is static while the robot moves,
/// that settle, or that have no time, it learns nothing.
///
/// - `contact_since_start`: never since the start was the force within its noise for half a second, and it stood out
///   for `time`. A robot that works as set up has once touched nothing.
/// - `residual_follows_gravity`: over the last `time` the residuals of the endpoint's rows are one negative multiple of
///   their gravity torques, as where gravity is not in the torques. A load's are a positive one.
/// - `residual_follows_velocity`: one row's residual is a multiple of its joint's velocity, beyond what its noise
///   (friction is in it) allows.
/// - `nis_stays_high`: the mean of the NIS over `time`, each standardised, is above what one sample in twenty exceeds.
class ANTAEUS_API SetUpWatch {
 public:
  /// \param rows  motors of each endpoint's rows; none for an endpoint that is not watched (feet)
  /// \param time  [s] see above; 0: nothing is watched
  SetUpWatch(std::vector<std::vector<int>> rows, Eigen::Index motors, double time);

  /// One call a sample. \realtime (guarded_estimator_realtime_test)
  void see(const PosteriorEstimates& estimates) noexcept;
  Reasons against(std::size_t endpoint) const noexcept { return endpoints_[endpoint].reasons; }
  /// The start is the next sample. \realtime
  void reset() noexcept;

 private:
  struct Endpoint {
    std::vector<int> rows;
    bool once_free = false;
    double forced = 0.0, quiet = 0.0;          ///< [s] that a force stood out; that none did, without a break
    double nis = 0.0, weight = 0.0, of = 0.0;  ///< sums of standardised NIS, and [s] of what they are
    Reasons reasons;
  };
  void see_force(Endpoint& endpoint, const WrenchEstimate& estimate, double dt) const noexcept;
  void see_nis(Endpoint& endpoint, const WrenchEstimate& estimate, double dt) const noexcept;
  void see_rows(const PosteriorEstimates& estimates, double dt) noexcept;
  bool follows_gravity(const std::vector<int>& rows) const noexcept;
  bool follows_velocity(int motor) const noexcept;

  double time_, threshold_;  ///< of the force's normalised square
  double last_time_ = kNaN;
  double watched_ = 0.0;  ///< [s] of the sums over rows
  std::vector<Endpoint> endpoints_;
  /// Forgetting sums over samples, motors × 9: weight, r, g, v, rr, gg, vv, rg, rv; r and g in sds of the row.
  Eigen::Matrix<double, Eigen::Dynamic, 9> sums_;
};

}  // namespace antaeus
