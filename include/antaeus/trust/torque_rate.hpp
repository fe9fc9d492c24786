#pragma once
/// \file
/// Whether a torque changes faster than a contact can, at any sampling rate.

#include "antaeus/core/api.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/signal/ring_buffer.hpp"

namespace antaeus {

/// Compares each torque with what it was: with every sample kept of the last 20 ms, and with the youngest that is
/// older. A change of more than limit · max(age, 20 ms) is too fast. A contact may begin between two samples; over 20
/// ms its torque must have had the time to grow. Beyond 800 Hz one sample in 1.25 ms is kept.
class ANTAEUS_API TorqueRate {
 public:
  static constexpr double kWindow = 0.02;  ///< [s]

  /// \param limit [N·m/s] \param maximum_gap  time between samples after which the past is forgotten [s]
  TorqueRate(Eigen::Index motors, double limit, double maximum_gap);

  /// Takes a sample. One without a finite time, and one at the last one's time, is compared with nothing; time that
  /// goes back and gaps forget the past. \realtime (guarded_estimator_realtime_test)
  void see(double time, const VectorX& torque) noexcept;
  /// Whether a motor's torque of the last sample changed too fast.
  bool too_fast(int motor) const noexcept { return excess_[motor] > 1.0; }
  /// Largest change of a motor's torque as a share of what it may change by.
  double share(int motor) const noexcept { return excess_[motor]; }
  void reset() noexcept;

 private:
  struct Sample {
    double time;
    VectorX torque;
  };
  static constexpr int kSamples = 18;
  double limit_, maximum_gap_, last_time_;
  VectorX excess_;
  RingBuffer<Sample> past_;
};

}  // namespace antaeus
