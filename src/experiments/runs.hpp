#pragma once
// The experiments, one function each; experiment.cpp lists them by name.
#include "antaeus/experiments/experiment.hpp"

namespace antaeus {

/// Group "experiment".
struct RunChoice {
  bool comparisons = true;  ///< whether other laws, contacts and gains are run beside the one that was asked for
};
const OptionTable& options_of(const RunChoice&);

/// What every experiment is given.
struct RunRequest {
  Settings settings;
  int seed = 1;
  Progress progress;  ///< may be empty

  bool compares() const { return settings.get<RunChoice>().comparisons; }
  void tell(double share) const {
    if (progress) progress(share);
  }
};

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

}  // namespace antaeus
