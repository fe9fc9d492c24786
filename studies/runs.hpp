#pragma once
// The experiments, one function each; experiment.cpp lists them by name.
#include <set>
#include <string>
#include <string_view>

#include "antaeus/core/progress.hpp"
#include "antaeus/replay/replay.hpp"
#include "studies/experiment.hpp"

namespace antaeus {

/// Group "experiment".
struct RunChoice {
  bool comparisons = true;  ///< whether other laws, contacts and gains are run beside the one that was asked for
};
const OptionTable& options_of(const RunChoice&);

inline constexpr double kMilli = 1000.0;
/// The progress of a part of the work, from one share of the whole to another; empty where the whole is.
inline Progress part_of(const Progress& whole, double from, double to) {
  if (!whole) return nullptr;
  return [=](double share) { whole(from + (to - from) * share); };
}
/// Steps of an arm's control from one logged sample to the next.
inline constexpr int kStepsASample = 5;

/// What every experiment is given.
struct RunRequest {
  Settings settings;
  int seed = 1;
  Progress progress;  ///< may be empty

  int threads() const { return thread_count(settings.get<ReplayOptions>()); }
  bool compares() const { return settings.get<RunChoice>().comparisons; }
  void tell(double share) const {
    if (progress) progress(share);
  }
};

/// " --set group.option=value" for each setting of other groups than the one left out.
std::string settings_words(const Settings& settings, std::string_view left_out = {});
/// A remark for each group that was set, is not among the result's settings and not among \p others.
void tell_unread(ExperimentResult& result, const Settings& settings, std::set<std::string> others, const char* reader);

ExperimentResult run_parity(const RunRequest& request);
ExperimentResult run_hybrid_hold(const RunRequest& request);
ExperimentResult run_hybrid_trace(const RunRequest& request);
ExperimentResult run_sensorless_hold(const RunRequest& request);
ExperimentResult run_sensorless_trace(const RunRequest& request);
ExperimentResult run_stiffness_change(const RunRequest& request);
ExperimentResult run_tilted_table(const RunRequest& request);
ExperimentResult run_gravity_hold(const RunRequest& request);
ExperimentResult run_perturbation(const RunRequest& request);
ExperimentResult run_impedance(const RunRequest& request);
ExperimentResult run_incident(const RunRequest& request);

}  // namespace antaeus
