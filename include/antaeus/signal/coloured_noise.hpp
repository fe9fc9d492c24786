#pragma once
/// \file
/// Noise with a memory.

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

}  // namespace antaeus
