// summary.json of a run.
#include <filesystem>

#include "antaeus/io/json_fields.hpp"
#include "studies/experiment.hpp"

namespace antaeus {

Json ExperimentResult::numbers() const {
  Json numbers = Json::object();
  for (const Metric& metric : metrics) numbers.set(metric.name, metric.value);
  return numbers;
}

Json experiment_summary_json(const ExperimentResult& result) {
  Json json = Json::object()
                  .set("schema", "antaeus." + result.verb + ".summary/1")
                  .set("command", result.command)
                  .set(result.verb == "space" ? "scenario" : "experiment", result.name);
  const Json fields = to_json(result);
  for (const auto& [key, value] : fields.members()) json.set(key, value);
  Json settings = Json::object();
  for (const OptionValue& option : result.settings) settings.set(option.group + "." + option.info.name, option.value);
  // Of a path the name alone: a folder is of this machine.
  const std::filesystem::path model(result.replay.description.source);
  if (!result.payloads.empty()) json.set("payloads", to_json(result.payloads));
  return json.set("model", model.filename().string())
      .set("model_sha256", result.replay.description.sha256)
      .set("rows", result.samples.rows())
      .set("settings", std::move(settings));
}

}  // namespace antaeus
