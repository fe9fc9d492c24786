// summary.json of a run.
#include <cmath>
#include <filesystem>

#include "studies/experiment.hpp"

namespace antaeus {

namespace {

Json texts(const std::vector<std::string>& all) {
  Json list = Json::array();
  for (const std::string& one : all) list.push_back(one);
  return list;
}

Json comparison_json(const Comparison& comparison) {
  Json variants = Json::array();
  for (const Variant& variant : comparison.variants) {
    Json values = Json::array();
    for (const double value : variant.values) values.push_back(value);
    variants.push_back(
        Json::object().set("name", variant.name).set("is_main", variant.is_main).set("values", std::move(values)));
  }
  return Json::object()
      .set("title", comparison.title)
      .set("note", comparison.note)
      .set("heads", texts(comparison.heads))
      .set("variants", std::move(variants));
}

}  // namespace

Json experiment_summary_json(const ExperimentResult& result) {
  Json metrics = Json::object(), criteria = Json::array(), comparisons = Json::array(), phases = Json::array(),
       settings = Json::object();
  for (const Metric& metric : result.metrics) {
    metrics.set(metric.name, metric.value);
    criteria.push_back(Json::object()
                           .set("metric", metric.name)
                           .set("unit", metric.unit)
                           .set("meaning", metric.meaning)
                           .set("lower", metric.lower)
                           .set("upper", metric.upper)
                           .set("met", metric.has_criterion() ? Json(metric.is_met()) : Json())
                           .set("source", metric.source));
  }
  for (const Comparison& comparison : result.comparisons) comparisons.push_back(comparison_json(comparison));
  for (const PhaseChange& change : result.phases) {
    phases.push_back(Json::object().set("time", change.time).set("phase", change.phase).set("reason", change.reason));
  }
  for (const OptionValue& option : result.settings) settings.set(option.group + "." + option.info.name, option.value);
  // Of a path the name alone: a folder is of this machine.
  const std::filesystem::path model(result.replay.description.source);
  return Json::object()
      .set("schema", "antaeus." + result.verb + ".summary/1")
      .set("command", result.command)
      .set(result.verb == "space" ? "scenario" : "experiment", result.name)
      .set("title", result.title)
      .set("question", result.question)
      .set("seed", result.seed)
      .set("met", result.is_met())
      .set("metrics", std::move(metrics))
      .set("criteria", std::move(criteria))
      .set("comparisons", std::move(comparisons))
      .set("phases", std::move(phases))
      .set("physics", texts(result.physics))
      .set("findings", texts(result.findings))
      .set("remarks", texts(result.remarks))
      .set("model", model.filename().string())
      .set("model_sha256", result.replay.description.sha256)
      .set("rows", result.samples.rows())
      .set("settings", std::move(settings));
}

}  // namespace antaeus
