#pragma once
/// \file
/// Causal low-pass filters for vectors, exact also for samples at uneven times.
///
/// Both hold the newest sample over the interval that it ends (zero-order hold) and solve the filter's differential
/// equation over that interval exactly. Hence no step is too long to be stable. Two steps with one input equal one step
/// of their total time, and a constant input is returned to the last digit. A sine of frequency f sampled every dt
/// comes out as from the continuous filter, times sin(π f dt)/(π f dt), and dt/2 earlier; images at the sample rate and
/// above are filtered like any other frequency.
///
/// Before the first sample the output is NaN; the first sample starts the filter at rest there, whatever its dt.
/// Bad input (a sample of 1e150 and more too) changes nothing, so that a lost sample is bridged: give the next one
/// the whole time since the last good one.

#include "antaeus/core/api.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// ẏ = λ (x − y): y ← y + (1 − exp(−λ dt)) (x − y).
class ANTAEUS_API ExponentialLowPass {
 public:
  /// \param size  of the vector, ≥ 1
  /// \param rate  λ [1/s], > 0; the cut-off (−3 dB) is λ/2π Hz, the delay of slow signals 1/λ
  /// \throws OptionsError
  ExponentialLowPass(int size, double rate);

  /// Takes one sample. \param dt  time since the last one [s], ≥ 0; 0 leaves the output as it is
  /// \return `wrong_size`, `not_finite` (sample or dt), `not_computed` for dt < 0; the state is then untouched
  /// \realtime signal_realtime_test
  Status step(const ConstVectorRef& sample, double dt) noexcept;

  /// Puts the filter at rest at `value`. Bad input as in step(). \realtime signal_realtime_test
  Status reset(const ConstVectorRef& value) noexcept;

  /// The output; NaN before the first sample.
  const VectorX& value() const noexcept { return value_; }

 private:
  double rate_;
  bool started_ = false;
  VectorX value_;
};

/// Butterworth's second order: ÿ + √2 ω ẏ + ω² y = ω² x, flat up to its cut-off and 12 dB an octave beyond; slow
/// signals come out √2/ω late. Source: Butterworth, "On the theory of filter amplifiers", Wireless Engineer 7 (1930).
class ANTAEUS_API ButterworthLowPass {
 public:
  /// \param size     of the vector, ≥ 1
  /// \param cut_off  ω/2π [Hz], > 0, where the gain is 1/√2
  /// \throws OptionsError
  ButterworthLowPass(int size, double cut_off);

  /// As ExponentialLowPass::step. \realtime signal_realtime_test
  Status step(const ConstVectorRef& sample, double dt) noexcept;

  /// As ExponentialLowPass::reset. \realtime signal_realtime_test
  Status reset(const ConstVectorRef& value) noexcept;

  /// The output; NaN before the first sample.
  const VectorX& value() const noexcept { return value_; }
  /// ẏ, the output's derivative [per second]; 0 at rest, NaN before the first sample.
  const VectorX& rate() const noexcept { return rate_; }

 private:
  double omega_;
  bool started_ = false;
  VectorX value_, rate_;
};

}  // namespace antaeus
