#include "antaeus/experiments/experiment.hpp"

#include <algorithm>

#include "antaeus/core/error.hpp"
#include "experiments/runs.hpp"

namespace antaeus {

namespace {

struct Entry {
  const char* name;
  const char* summary;
  ExperimentResult (*run)(const RunRequest&);
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      {"hybrid-hold", "press the table with a constant force, at rest", run_hybrid_hold},
      {"hybrid-trace", "press the table with a constant force while sliding along a line", run_hybrid_trace},
      {"tilted-table", "the same on a table whose tilt is not known", run_tilted_table},
      {"stiffness-change", "slide along a line while the table's stiffness steps", run_stiffness_change},
      {"sensorless-hold", "press the table with a constant force, at rest, without a force sensor",
       run_sensorless_hold},
      {"sensorless-trace", "press while sliding along a line, without a force sensor", run_sensorless_trace},
  };
  return all;
}

const Entry& entry(std::string_view name) {
  for (const Entry& one : entries()) {
    if (one.name == name) return one;
  }
  throw_unknown<OptionsError>("experiment", "name", name, experiment_names());
}

}  // namespace

const OptionTable& options_of(const RunChoice&) {
  static const OptionTable table("experiment",
                                 {option("comparisons", "", "whether other laws, contacts and gains are run beside",
                                         "the whole story", &RunChoice::comparisons)});
  return table;
}
const OptionGroup kRunGroup(RunChoice{});

bool ExperimentResult::is_met() const noexcept {
  return std::all_of(metrics.begin(), metrics.end(), [](const Metric& metric) { return metric.is_met(); });
}

const Metric& ExperimentResult::metric(std::string_view wanted) const {
  std::vector<std::string> names;
  for (const Metric& one : metrics) {
    if (one.name == wanted) return one;
    names.push_back(one.name);
  }
  throw_unknown<Error>(name, "metric", wanted, names);
}

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const Entry& one : entries()) names.emplace_back(one.name);
  return names;
}

std::string experiment_summary(std::string_view name) { return entry(name).summary; }

ExperimentResult run_experiment(std::string_view name, const Settings& settings, int seed, const Progress& progress) {
  ExperimentResult result = entry(name).run({settings, seed, progress});
  result.name = name;
  return result;
}

}  // namespace antaeus
