#pragma once
// What the runs of force control tell: metrics, plots, sentences.
#include <string>

#include "antaeus/core/progress.hpp"
#include "studies/force_run.hpp"

namespace antaeus {

std::string force_text(double newtons);
std::string seconds_text(double seconds);
std::string degrees_text(double radians);

/// Samples, plots, phases, replay.
void describe_force_run(ExperimentResult& result, const ArmRig& rig, const ForceSetup& setup, const ForceRun& run);

/// What a stretch of a run has to keep; infinite or 0: nothing.
struct ForceCriteria {
  std::string span;  ///< "while it slides"
  double wanted = 5.0;
  double mean_within = kInfinity;  ///< of the wanted force [N]
  double least_within_1N = 0.0, least_within_01N = 0.0;
  double most_off = kInfinity;  ///< [m]
  double source_mean = kNaN, source_within_1N = kNaN, source_off = kNaN;
};
/// force_mean, force_within_1N, force_within_01N, tangent_error_max.
void add_force_metrics(ExperimentResult& result, const ForceFigures& figures, const ForceCriteria& criteria);

void tell_hold(ExperimentResult& result, const ForceRun& run, double from);
void tell_trace(ExperimentResult& result, const ArmRig& rig, const ForceRun& run);
void tell_tilt(ExperimentResult& result, const ForceRun& run, double tilt);
/// A run that backed off says so first.
void tell_end(ExperimentResult& result, const ForceRun& run);

/// The lab's law with and without its filter and its damping, on two contacts (filter_study.cpp).
struct FilterStudy {
  Comparison table;
  NamedFigure figure;
  std::string finding;
};
FilterStudy filter_study(const ForceSetup& published, const Progress& progress);

}  // namespace antaeus
