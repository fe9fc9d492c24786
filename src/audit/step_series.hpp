#pragma once
// The series of a reconstruction, written step by step. Private to src/audit.
//
// What a step's numbers alone say (record_numbers, record_posterior) may be written by any thread, a row each; what
// guards with a history say (record_guards, record_consumer) in the order of time.

#include <string>
#include <vector>

#include "antaeus/audit/audit_options.hpp"
#include "antaeus/audit/reconstruction.hpp"
#include "antaeus/estimation/published/guard_chain.hpp"
#include "antaeus/estimation/sensed_force.hpp"
#include "antaeus/trust/consumer_guard.hpp"
#include "antaeus/trust/reliability.hpp"

namespace antaeus::detail {

/// One series being written: its results, the default chain, and each guard alone.
struct Recorder {
  EstimateSeries head;    ///< what the series is of; no steps
  EstimateSeries series;  ///< of the steps at hand
  GuardChain chain;
  std::vector<GuardChain> alone;
};

/// Frames that the consumer reads. Where the profile says nothing: all that are audited, but feet only where there is
/// nothing else, because weight on a foot is no force that a policy asked for.
std::vector<std::string> consumed_frames(const Robot& robot, const std::vector<std::string>& endpoints);

/// Of no step yet.
Recorder make_recorder(const Robot& robot, const std::string& endpoint, EstimatorName estimator,
                       const AuditOptions& options, const std::vector<std::string>& consumed);
/// Begins the series anew, with NaN and `invalid_input` in every step; what guards have seen stays.
/// \param reliability_rows, sensed  of a posterior
void make_room(Recorder& recorder, Eigen::Index steps, Eigen::Index motors,
               const std::vector<int>& reliability_rows = {}, const SensedForce& sensed = {});

void record_numbers(EstimateSeries& series, Eigen::Index step, const WrenchEstimate& estimate) noexcept;
void record_guards(Recorder& recorder, Eigen::Index step, const WrenchEstimate& estimate);

void record_posterior(EstimateSeries& series, Eigen::Index step, const WrenchEstimate& estimate,
                      const EndpointReliability& reliability) noexcept;
void record_consumer(EstimateSeries& series, Eigen::Index step, const WrenchEstimate& estimate,
                     const ConsumerWrench& read);

void find_peaks(EstimateSeries& series);

}  // namespace antaeus::detail
