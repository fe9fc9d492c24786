#pragma once
// The experiments, one function each; experiment.cpp lists them by name.
#include "antaeus/experiments/experiment.hpp"

namespace antaeus {

/// What every experiment is given.
struct RunRequest {
  Settings settings;
  int seed = 1;
  Progress progress;  ///< may be empty

  void tell(double share) const {
    if (progress) progress(share);
  }
};

ExperimentResult run_gravity_hold(const RunRequest& request);
ExperimentResult run_perturbation(const RunRequest& request);
ExperimentResult run_impedance(const RunRequest& request);

}  // namespace antaeus
