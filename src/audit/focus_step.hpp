#pragma once
// The step that an audit takes apart, read once. Private to audit.
#include <algorithm>
#include <string>
#include <vector>

#include "antaeus/audit/audit_options.hpp"
#include "audit/audit_shared.hpp"

namespace antaeus::detail {

/// The focus step's instant, and what the published estimators say of it.
class FocusStep {
 public:
  /// Needs audit.focus_step and audit.focus_endpoint.
  FocusStep(const Robot& robot, const std::vector<std::string>& endpoints, const AuditOptions& options,
            const Audit& audit)
      : reader_(robot, endpoints, options.equation),
        endpoint_(
            static_cast<int>(std::find(endpoints.begin(), endpoints.end(), audit.focus_endpoint) - endpoints.begin())),
        deployed_(reader_, options.estimator),
        stacked_(reader_, options.stacked.rows, options.estimator) {
    Observation observation;
    audit.audited.episode.observe(row_of(audit, audit.focus_step), observation);
    deployed_.solve(reader_.at(observation));
    stacked_.solve(now());
  }

  const InstantReader& reader() const noexcept { return reader_; }
  const Instant& now() const noexcept { return reader_.instant(); }
  /// Of the focus, in the order of the endpoints.
  int endpoint() const noexcept { return endpoint_; }
  const WrenchEstimates& deployed() const noexcept { return deployed_.results(); }
  const WrenchEstimates& stacked() const noexcept { return stacked_.results(); }

 private:
  InstantReader reader_;
  int endpoint_;
  DeployedEstimator deployed_;
  StackedEstimator stacked_;
};

}  // namespace antaeus::detail
