#pragma once
/// \file
/// What is new in a sample of noise with a memory: innovations, and a CUSUM that watches them.
///
/// A residual that was wrong by 1 N·m a moment ago is wrong by about 1 N·m now. A CUSUM of such samples adds up the
/// same error again and again: asked for 0.1 alarms an hour it gave 240 (docs/estimator_evidence.md#cusum). An
/// innovation is the sample less what the noise model predicts from all samples before it. While the model holds
/// innovations are independent, and the stated rate is the rate.

#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/numbers.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/signal/coloured_noise.hpp"
#include "antaeus/signal/cusum.hpp"

namespace antaeus {

/// Of one signal: a constant of the run, any number of wanders (Ornstein–Uhlenbeck), and what is white. In the signal's
/// unit².
struct NoiseShares {
  double constant_variance = 0.0;
  VectorX slow_variance;  ///< of each wander
  VectorX slow_time;      ///< [s] of each
  double white_variance = 1.0;
};

/// The shares of one linear test \p weights · r under a noise: a wander for each time constant.
/// \throws OptionsError for sizes that differ
ANTAEUS_API NoiseShares noise_shares(const ColouredNoise& noise, ConstVectorRef weights);

/// A Kalman filter whose states are the constant and the wanders: value = their sum + white.
class ANTAEUS_API InnovationFilter {
 public:
  /// \throws OptionsError for a negative share, no white one, or a wander without a time
  explicit InnovationFilter(const NoiseShares& shares = {});

  /// Takes one sample. \param time [s] \param value  in the unit of the shares' root
  /// \return `not_finite`, `time_back` for time that does not advance: the sample is left out and the innovation is NaN
  /// \realtime (innovations_test)
  Status step(double time, double value) noexcept;
  /// Innovation over its sd: N(0, 1) and independent of all before while the shares hold. NaN before the first sample.
  double standardised() const noexcept { return innovation_ / deviation_; }
  double innovation() const noexcept { return innovation_; }
  double deviation() const noexcept { return deviation_; }
  /// A new run: the constant is unknown again.
  void reset() noexcept;

 private:
  NoiseShares shares_;
  VectorX state_;  ///< the constant and the wanders
  MatrixX P_;      ///< their covariance
  VectorX gain_, keep_;
  double time_ = kNaN, innovation_ = kNaN, deviation_ = kNaN;
};

struct InnovationMonitorOptions {
  double false_alarms_per_hour = 1.0;  ///< [1/h] of all its sums together, when every alarm resets it
  double interval = 0.02;              ///< [s] at which samples come
  double drift = 0.5;                  ///< [sd] half the lasting shift of an innovation that is to be found soonest
};

/// CUSUMs, both sides, of the innovations of a linear test's numbers W r, one a row of W.
///
/// A shift that comes with the run's start cannot be told from the run's constant, and is found no better than by its
/// size. One that comes later and stays is: only the part that wanders follows it. A contact that no column of the test
/// leaves out is such a shift too.
class ANTAEUS_API InnovationMonitor {
 public:
  /// \param weights  W, numbers × rows of the noise \throws OptionsError for sizes that differ, and as InnovationFilter
  ///        and Cusum
  InnovationMonitor(const MatrixX& weights, const ColouredNoise& noise, const InnovationMonitorOptions& options = {});

  /// One sample of all rows. \return `wrong_size`, and as InnovationFilter; nothing changes then \realtime
  /// (innovations_test)
  Status step(double time, ConstVectorRef r) noexcept;
  bool alarm() const noexcept;
  /// The largest sum over its threshold; an alarm is above 1.
  double level() const noexcept;
  /// Standardised innovations of the last sample, one a row of W.
  const VectorX& innovations() const noexcept { return innovations_; }
  /// Forgets the sums, as after an alarm; what was learnt of the noise stays.
  void acknowledge() noexcept;
  /// A new run.
  void reset() noexcept;

 private:
  MatrixX weights_;
  VectorX values_, innovations_;
  std::vector<InnovationFilter> filters_;
  std::vector<Cusum> sums_;
  double time_ = kNaN;
};

}  // namespace antaeus
