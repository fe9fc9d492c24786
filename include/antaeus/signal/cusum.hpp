#pragma once
/// \file
/// CUSUM: finds a small, lasting shift in a noisy signal sooner than any threshold on single samples, at a stated rate
/// of false alarms.
///
/// The signal z has mean 0 and standard deviation 1 while all is well, as an innovation divided by its sd. What exceeds
/// the drift is summed, and the sum never falls below 0:
///
///     upper ← max(0, upper + z − drift),   lower ← max(0, lower − z − drift),   alarm: sum > threshold.
///
/// The stated rate holds for independent, normal samples. Correlated samples alarm more often: where k of them
/// carry about as much information as one, take every k-th and give that rate. Source: Page, Biometrika 41 (1954).

#include <cstdint>

#include "antaeus/core/api.hpp"
#include "antaeus/core/status.hpp"

namespace antaeus {

struct CusumOptions {
  double drift = 0.5;                  ///< [sd] half the shift that is to be found soonest
  double false_alarms_per_hour = 0.1;  ///< [1/h] alarms while all is well, when every alarm resets the sums
  double sample_rate = 50.0;           ///< [Hz] rate of step(), of independent samples
  bool two_sided = true;               ///< whether a negative shift alarms too
};

/// The average number of samples up to the first alarm of a one-sided CUSUM that starts at 0, for a signal of mean
/// `shift` and sd 1: the time between false alarms at shift 0, the delay of detection at shift > drift. Two sides at
/// shift 0 take half of it. NaN for a threshold that is negative or NaN. Run lengths of 100 and more are right
/// within 2 % for drifts up to ½, and up to 8 % too long for a drift of 1.
/// Source: Siegmund, "Sequential Analysis" (1985), corrected diffusion approximation: (exp(2δb) − 2δb − 1)/(2δ²),
/// δ = drift − shift, b = threshold + 1.166.
ANTAEUS_API double cusum_run_length(double drift, double threshold, double shift = 0.0) noexcept;

/// The inverse of cusum_run_length() at shift 0. NaN for a drift ≤ 0, and where even a threshold of 0 runs longer.
ANTAEUS_API double cusum_threshold(double drift, double run_length) noexcept;

/// Maps a χ² variable to one that is about standard normal: ((x/dof)^⅓ − 1 + 2/(9 dof)) / √(2/(9 dof)). From 2
/// degrees of freedom its upper tail is right within 3 % for probabilities of 1 % and more; a value of probability 1e-4
/// is taken for one of up to 1.5e-4. With it a one-sided CUSUM watches a NIS. NaN for x < 0 and dof ≤ 0.
/// Source: Wilson & Hilferty, PNAS 17 (1931).
/// \realtime signal_realtime_test
ANTAEUS_API double standardise_chi_squared(double x, double dof) noexcept;

class ANTAEUS_API Cusum {
 public:
  /// \throws OptionsError  for rates or a drift that are not positive, or for more false alarms than samples allow
  explicit Cusum(const CusumOptions& options = {});

  /// Takes one sample. \return `not_finite` for NaN and infinity, which leave everything as it is
  /// \realtime signal_realtime_test
  Status step(double z) noexcept;

  /// Whether a sum is above the threshold. The sums run on, so that the alarm ends by itself after the shift: a long or
  /// large shift takes long to be forgotten, unless reset() is called.
  bool alarm() const noexcept { return upper_ > threshold_ || lower_ > threshold_; }
  /// Sum of what was above +drift [sd].
  double upper() const noexcept { return upper_; }
  /// Sum of what was below −drift [sd]; 0 when one-sided.
  double lower() const noexcept { return lower_; }
  /// What the sums are compared with [sd].
  double threshold() const noexcept { return threshold_; }
  /// Samples taken since the larger sum left 0: the estimated age of the shift. 0 when both sums are 0.
  std::int64_t samples_since_onset() const noexcept;

  /// Both sums to 0. \realtime signal_realtime_test
  void reset() noexcept;

 private:
  double drift_, threshold_;
  bool two_sided_;
  double upper_ = 0.0, lower_ = 0.0;
  std::int64_t upper_age_ = 0, lower_age_ = 0;
};

}  // namespace antaeus
