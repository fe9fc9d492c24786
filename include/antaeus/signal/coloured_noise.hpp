#pragma once
/// \file
/// Noise with a memory, and linear tests of it.

#include <array>
#include <cstdint>

#include "antaeus/core/api.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// Rows of noise: an offset that is drawn once a run, a wander with a time constant, and what is white.
struct ColouredNoise {
  MatrixX offset_factor;  ///< F, rows × any: the offset's covariance is F Fᵀ
  VectorX slow_sd;        ///< of an Ornstein–Uhlenbeck process, each row its own; 0: none
  VectorX slow_time;      ///< [s] its time constant
  VectorX white_sd;
  /// F Fᵀ + diag(slow_sd² + white_sd²): of one sample of any run.
  ANTAEUS_API MatrixX covariance() const;
};

/// Standard normal numbers from a seed, the same on every platform that rounds log, sqrt and cos alike.
/// xoshiro256++ (Blackman & Vigna, ACM TOMS 47, 2021) and Box–Muller. \realtime (alarm_rate_test)
class ANTAEUS_API NormalNumbers {
 public:
  explicit NormalNumbers(std::uint64_t seed) noexcept;
  double operator()() noexcept;

 private:
  std::uint64_t bits() noexcept;
  std::array<std::uint64_t, 4> state_{};
  double spare_ = 0.0;
  bool has_spare_ = false;
};

/// A test that alarms where |W r|² > limit. With W S Wᵀ = I, S the covariance of r, that is χ² by chance; one row of
/// W is a normal test with limit z².
struct LinearTest {
  MatrixX weights;  ///< W, degrees of freedom × rows
  double limit = 0.0;
};

}  // namespace antaeus
