#include "studies/experiment.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/core/words.hpp"
#include "antaeus/io/shell_words.hpp"
#include "studies/runs.hpp"

namespace antaeus {

namespace {

struct Entry {
  const char* name;
  const char* summary;
  ExperimentResult (*run)(const RunRequest&);
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      {"parity", "the rigid-body dynamics compared with MuJoCo’s, over random states", run_parity},
      {"gravity-hold", "the arm held by g(q) alone, and how far it drifts", run_gravity_hold},
      {"perturbation", "a kick, and the speed of the arm after it", run_perturbation},
      {"impedance", "a push against a spring: its peak, where it rests, how it answers at each frequency",
       run_impedance},
      {"hybrid-hold", "press the table with a constant force, at rest", run_hybrid_hold},
      {"hybrid-trace", "press the table with a constant force while sliding along a line", run_hybrid_trace},
      {"tilted-table", "the same on a table whose tilt is not known", run_tilted_table},
      {"stiffness-change", "slide along a line while the table’s stiffness steps", run_stiffness_change},
      {"sensorless-hold", "press the table with a constant force, at rest, without a force sensor",
       run_sensorless_hold},
      {"sensorless-trace", "press while sliding along a line, without a force sensor", run_sensorless_trace},
      {"incident", "the H1-2 on a stand, a policy that reads a wrench out of torques, and what stops it", run_incident},
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

std::string value_text(double value) {
  if (std::isnan(value)) return "–";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  constexpr double kSmallest = 1e-3, kLargest = 1e5;  // of what is written without a power of ten
  const double size = std::abs(value);
  if (size == 0.0 || (size >= kSmallest && size < kLargest)) return significant_text(value, 4);
  const std::string text = scientific_text(value, 2);
  const std::size_t e = text.find('e');
  return without_end_zeros(text.substr(0, e)) + "·10" + raised_text(std::stoi(text.substr(e + 1)));
}

std::string criterion_text(const Metric& metric) {
  const bool has_lower = metric.lower > -kInfinity, has_upper = metric.upper < kInfinity;
  if (has_lower && has_upper) return value_text(metric.lower) + " to " + value_text(metric.upper);
  if (has_lower) return "≥ " + value_text(metric.lower);
  return has_upper ? "≤ " + value_text(metric.upper) : "";
}

std::string verdict_text(const ExperimentResult& result) {
  std::vector<std::string> missed;
  int criteria = 0;
  for (const Metric& metric : result.metrics) {
    criteria += metric.has_criterion();
    if (!metric.is_met()) missed.push_back(metric.name);
  }
  if (criteria == 0) return "No criterion was set.";
  if (missed.empty())
    return criteria == 1 ? "The criterion is met." : "All " + std::to_string(criteria) + " criteria are met.";
  if (criteria == 1) return "The criterion is missed: " + missed.front() + ".";
  return std::to_string(missed.size()) + " of " + std::to_string(criteria) + " criteria " +
         (missed.size() == 1 ? "is" : "are") + " missed: " + listed(missed) + ".";
}

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const Entry& one : entries()) names.emplace_back(one.name);
  return names;
}

std::string experiment_summary(std::string_view name) { return entry(name).summary; }

std::string settings_words(const Settings& settings, std::string_view left_out) {
  std::string words;
  for (const Setting& setting : settings.all()) {
    if (setting.group == left_out) continue;
    words += " --set " + shell_word(setting.group + "." + setting.name + "=" + setting.value);
  }
  return words;
}

void tell_unread(ExperimentResult& result, const Settings& settings, std::set<std::string> others, const char* reader) {
  for (const OptionValue& option : result.settings) others.insert(option.group);
  for (const Setting& setting : settings.all()) {
    if (!others.insert(setting.group).second) continue;
    result.remarks.push_back("Options of the group " + setting.group + " were set and are not read by " + reader + ".");
  }
}

ExperimentResult run_experiment(std::string_view name, const Settings& settings, int seed, const Progress& progress) {
  ExperimentResult result = entry(name).run({settings, seed, progress});
  result.name = name;
  result.seed = seed;
  result.command = "antaeus simulate " + result.name + (seed == 1 ? "" : " --seed " + std::to_string(seed));
  result.command += settings_words(settings, "clip");
  tell_unread(result, settings, {"clip", "experiment", "replay"}, "this experiment");
  return result;
}

}  // namespace antaeus
