#include "experiment_output.hpp"

#include <cctype>
#include <cmath>
#include <memory>

#include "antaeus/io/files.hpp"
#include "print_pdf.hpp"
#include "studies/clip.hpp"
#include "studies/simulate_page.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

/// \return the files' names
std::string write_experiment(const ExperimentResult& result, const Settings& settings, bool clip,
                             const Delivery& delivery) {
  FileSet files(delivery.out);
  std::string names, told;
  if (clip) {
    Clip made = experiment_clip(result, settings, progress_bar("clip"));
    files.add("clip.mp4", std::move(made.mp4));
    told = made.of_the_run;
  }
  for (const std::string& file : add_simulation_files(result, files, told)) {
    names += (names.empty() ? "" : ", ") + file;
  }
  if (delivery.pdf) {
    const auto meshes = std::make_shared<const MeshFiles>(read_meshes(result.replay.description, nullptr));
    const std::string page = html_page(simulate_page(result, meshes, told));
    files.add("report.pdf", print_pdf(delivery.chromium, page));
    names += ", report.pdf";
  }
  if (clip) names += ", clip.mp4 (" + told + ")";
  commit(files, "samples");
  return names;
}

std::string experiment_story(const ExperimentResult& result) {
  std::string out = heading(result.title) + wrapped(result.question, 2);
  TextTable metrics({"figure", "value", "unit", "criterion", "", "published", "meaning"});
  for (const Metric& one : result.metrics) {
    metrics.add({one.name, value_text(one.value), one.unit, criterion_text(one),
                 one.has_criterion() ? (one.is_met() ? "met" : "MISSED") : "",
                 std::isnan(one.source) ? "" : value_text(one.source), one.meaning});
  }
  out += heading(verdict_text(result)) + metrics.text();
  for (const Comparison& comparison : result.comparisons) {
    std::vector<std::string> heads = {""};
    heads.insert(heads.end(), comparison.heads.begin(), comparison.heads.end());
    TextTable table(heads);
    for (const Variant& variant : comparison.variants) {
      std::vector<std::string> cells = {(variant.is_main ? "→ " : "") + variant.name};
      for (const double value : variant.values) cells.push_back(value_text(value));
      cells.resize(heads.size());
      table.add(std::move(cells));
    }
    out += heading(comparison.title) + table.text();
    if (!comparison.note.empty()) out += wrapped(comparison.note, 2);
  }
  if (!result.phases.empty()) {
    TextTable phases({"time s", "phase", "because"});
    for (const PhaseChange& change : result.phases) {
      phases.add({fixed(change.time, 3), change.phase, change.reason});
    }
    out += heading("Phases") + phases.text();
  }
  const auto list = [&out](const char* title, const std::vector<std::string>& sentences) {
    if (sentences.empty()) return;
    out += heading(title);
    for (const std::string& sentence : sentences) out += wrapped("• " + sentence, 2);
  };
  list("Findings", result.findings);
  list("Simulated", result.physics);
  list("Remarks", result.remarks);
  return out;
}

}  // namespace

std::string RunList::table() const {
  TextTable table({"name", head});
  for (const std::string& name : names) table.add({name, summary(name)});
  return table.text();
}

int RunList::print_list(bool json) const {
  std::string key = title;
  key.front() = static_cast<char>(std::tolower(key.front()));
  if (!json) {
    print(heading(title) + table() + "\n" +
          wrapped("Run one: antaeus " + verb + " NAME", 2, "antaeus " + verb + " NAME") + "\n");
    return kFine;
  }
  Json list = Json::array();
  for (const std::string& one : names) list.push_back(Json::object().set("name", one).set("summary", summary(one)));
  print(Json::object().set("schema", "antaeus." + verb + ".list/1").set(key, list).dump() + "\n");
  return kFine;
}

int deliver_experiment(const ExperimentResult& result, const Settings& settings, bool clip, const Delivery& delivery) {
  std::string written;
  if (!delivery.out.empty()) written = write_experiment(result, settings, clip, delivery);
  if (delivery.json) {
    print(experiment_summary_json(result).dump() + "\n");
  } else {
    print(experiment_story(result));
    if (!written.empty()) print("\n  Written to " + printable(delivery.out) + ": " + written + "\n");
  }
  return result.is_met() ? kFine : kRefused;
}

}  // namespace antaeus::cli
