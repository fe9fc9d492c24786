#pragma once
/// \file
/// The delay of one channel of a log against another, as of measured torques against the motion.
///
/// Set-up code: allocates. Log times are finite and do not go back, else Error with the row.

#include "antaeus/core/api.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

struct DelayOptions {
  double largest_delay = 0.2;  ///< [s] delays from minus to plus this are tried
  double delay_step = 0.002;   ///< [s] grid of the delays, refined by a parabola
};

/// How much later one channel is than another.
struct DelayEstimate {
  /// `ok`; `not_computed` when nothing can be said: too few common samples, a channel that does not vary, no positive
  /// correlation, or the best delay at the end of the grid. The numbers are then NaN.
  Status status = Status::not_computed;
  double delay = kNaN;        ///< [s], positive: `late` follows `early`
  double sd = kNaN;           ///< of the delay [s]
  double correlation = kNaN;  ///< at that delay, 0 … 1
  int samples = 0;            ///< of `late` that were compared
};

/// Fits late(t) = gain · early(t − delay) + offset, gain > 0, `early` being interpolated: the delay of largest
/// correlation, which for white normal noise on `late` is that of largest likelihood.
///
/// All delays are compared on the same samples of `late`. sd is what the curvature of the likelihood says, hence too
/// small by √k when the noise is correlated over k samples. Noise on `early` draws the delay towards the middle of its
/// samples, where interpolation averages most: smooth it first. A periodic signal is known up to its period only.
/// \throws Error for sizes and times that do not fit, OptionsError for options that are not positive, or a grid of more
///         than 100 000 delays
ANTAEUS_API DelayEstimate estimate_delay(const ConstVectorRef& early_time, const ConstVectorRef& early,
                                         const ConstVectorRef& late_time, const ConstVectorRef& late,
                                         const DelayOptions& options = {});

}  // namespace antaeus
