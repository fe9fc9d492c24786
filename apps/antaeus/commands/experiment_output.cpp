#include "experiment_output.hpp"

#include <cmath>
#include <memory>

#include "antaeus/experiments/clip.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/report/simulate_page.hpp"
#include "print_pdf.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

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
    const std::string page = html_page(simulate_page(result, meshes, told), {.interactive = false});
    files.add("report.pdf", print_pdf(delivery.chromium, page));
    names += ", report.pdf";
  }
  if (clip) names += ", clip.mp4 (" + told + ")";
  files.commit();
  return names;
}

std::string experiment_story(const ExperimentResult& result) {
  std::string out = heading(printable(result.title)) + wrapped(printable(result.question), 2);
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
    if (!comparison.note.empty()) out += wrapped(printable(comparison.note), 2);
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
    for (const std::string& sentence : sentences) out += wrapped("• " + printable(sentence), 2);
  };
  list("Findings", result.findings);
  list("Simulated", result.physics);
  list("Remarks", result.remarks);
  return out;
}

}  // namespace antaeus::cli
