#pragma once
/// \file
/// A CUSUM of an endpoint's NIS: a contradiction too small for the threshold on single samples.

#include "antaeus/core/api.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/signal/cusum.hpp"

namespace antaeus {

struct SequentialOptions {
  double false_alarms_per_hour = 0.1;  ///< [1/h] alarms while all is well
  double independent_rate = 10.0;      ///< [Hz] rate of samples whose errors are about independent; others are skipped
  double drift = 0.5;  ///< [sd] half the lasting shift of the standardised NIS that is to be found soonest
};

/// Watches the NIS of an endpoint over time: finds a contradiction too small for the threshold on single samples, at a
/// stated rate of false alarms. One-sided CUSUM of standardise_chi_squared(nis).
///
/// The rate holds while errors are as stated and independent at `independent_rate`. It is made to find a small misfit
/// that stays, such as friction or a load that the model lacks: in RE1 the NIS of 8 rows doubles after 37 s, below any
/// threshold on single samples, and it alarms. A jump is found sooner by that
/// threshold (RE3: before step 8, here at 21).
class ANTAEUS_API SequentialHypothesis {
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
