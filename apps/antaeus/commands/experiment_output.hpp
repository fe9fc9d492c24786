#pragma once
// What `antaeus simulate` and `antaeus space` tell and write of a run.
#include <string>

#include "antaeus/core/settings.hpp"
#include "antaeus/experiments/experiment.hpp"
#include "command.hpp"

namespace antaeus::cli {

/// Verdict, figures, comparisons, phases and findings, for the terminal.
std::string experiment_story(const ExperimentResult& result);
/// Into the delivery's folder, which appears whole. \return the files' names
std::string write_experiment(const ExperimentResult& result, const Settings& settings, bool clip,
                             const Delivery& delivery);

}  // namespace antaeus::cli
