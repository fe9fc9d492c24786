#pragma once
// How often a guard acts in the baselines. Private to audit.
#include <algorithm>
#include <vector>

#include "audit/audit_shared.hpp"

namespace antaeus::detail {

/// One entry a baseline: the steps at which `state(series, step)` is `refused`, and those at which it is `degraded`,
/// the worst of all endpoints that the consumer reads counted. Series that the guard does not judge say `ok`.
template <class State>
std::vector<Counterfactual::FalseAlarm> alarms_in_baselines(const Audit& audit, State&& state) {
  std::vector<Counterfactual::FalseAlarm> alarms;
  for (const EpisodeAudit& baseline : audit.baselines) {
    Counterfactual::FalseAlarm found{.baseline = baseline.episode.name};
    for (Eigen::Index i = 0; i < baseline.episode.steps(); ++i) {
      Verdict worst = Verdict::ok;
      for (const EstimateSeries& series : baseline.reconstruction.series) {
        if (series.consumed) worst = std::max<Verdict>(worst, state(series, static_cast<std::size_t>(i)));
      }
      found.steps += worst >= Verdict::refused;
      found.degraded_steps += worst == Verdict::degraded;
    }
    const auto all = static_cast<double>(baseline.episode.steps());
    found.share = static_cast<double>(found.steps) / all;
    found.degraded_share = static_cast<double>(found.degraded_steps) / all;
    alarms.push_back(std::move(found));
  }
  return alarms;
}

}  // namespace antaeus::detail
