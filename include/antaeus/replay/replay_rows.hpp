#pragma once
/// \file
/// The rows that a BatchReplay takes and gives: those of the kernel, and what the judgement of a log adds to them.

#include <cstddef>

#include "antaeus/core/reasons.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/replay/batch_fields.hpp"

namespace antaeus {

/// States in the order in which they were measured. A BatchInput is one, without a clock.
///
/// A replay with a posterior by the robot's settings takes v, a, gyro and accelerometer as Observation has them, in any
/// choice: speeds say whether the robot moves, the rest is looked at for numbers that are none. The residual is static.
struct ReplayInput : BatchInput {
  BatchRowsOf<const double> time;  ///< 1 [s], as Observation::time; absent: there is no clock
  /// Whether these states follow those of the call before: motion, gaps and the clock are remembered, as a loop does.
  bool continues = false;

  ReplayInput() noexcept = default;
  ReplayInput(const BatchInput& in) noexcept : BatchInput(in) {}
};

/// What is wanted. A BatchOutput is one, without judgement. Verdicts need BatchReplay::with_posterior(). No result
/// depends on what else is wanted: which residual they are formed of follows from the replay and its input alone.
///
/// `status` is then that of the loop's residual: `time_back` too, and `not_finite` for NaN in v, a, gyro or
/// accelerometer. Such a state has no posterior, but torques, residual, wrench and singular values of its q and tau.
struct ReplayOutput : BatchOutput {
  BatchRowsOf<Verdict> verdict;  ///< 1 an endpoint: as WrenchEstimate::verdict of PosteriorEstimator
  BatchRowsOf<Reasons> reasons;  ///< 1 an endpoint: as WrenchEstimate::reasons
  /// 1 an endpoint: how many statistics are within kNearLimit of what they are compared with, relative to that. Only
  /// there may verdict and reasons be other than the loop's, whose numbers differ in their last digits.
  BatchRowsOf<int> near_limits;

  ReplayOutput() noexcept = default;
  ReplayOutput(const BatchOutput& out) noexcept : BatchOutput(out) {}
};
inline constexpr double kNearLimit = 1e-9;

/// As for BatchInput and BatchOutput; a new field is a line here.
template <class Visit>
constexpr void visit_fields(ReplayInput& in, const BatchSizes& sizes, Visit&& visit) {
  visit_inputs(sizes, visit, in);
  visit("time", in.time, RowShape{0, 1});
}
template <class Visit>
constexpr void visit_fields(ReplayOutput& out, const BatchSizes& sizes, Visit&& visit) {
  visit_outputs(sizes, visit, out);
  visit("verdict", out.verdict, RowShape{0, sizes.endpoints});
  visit("reasons", out.reasons, RowShape{0, sizes.endpoints});
  visit("near_limits", out.near_limits, RowShape{0, sizes.endpoints});
}

namespace detail {
static_assert(sizeof(ReplayOutput) == sizeof(BatchOutput) + (field_count<ReplayOutput>() - field_count<BatchOutput>()) *
                                                                sizeof(BatchRowsOf<double>),
              "visit_fields misses a field of ReplayOutput");
}

}  // namespace antaeus
