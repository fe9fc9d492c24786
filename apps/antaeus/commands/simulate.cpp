// antaeus simulate: a named run in simulation, against its criteria.
#include "antaeus/core/error.hpp"
#include "antaeus/experiments/clip.hpp"
#include "antaeus/experiments/experiment.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/report/simulate_page.hpp"
#include "command.hpp"
#include "print_pdf.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

std::string list_text() {
  TextTable table({"name", "what it tries"});
  for (const std::string& name : experiment_names()) table.add({name, experiment_summary(name)});
  return table.text();
}

struct SimulateCommand {
  std::string name;
  int seed = 1;
  std::vector<std::string> assignments;
  bool clip = false;
  Delivery delivery;

  int list() const {
    if (!delivery.json) {
      print(heading("Experiments") + list_text() + "\n" + wrapped("Run one: antaeus simulate NAME", 2));
      return kFine;
    }
    Json experiments = Json::array();
    for (const std::string& one : experiment_names()) {
      experiments.push_back(Json::object().set("name", one).set("summary", experiment_summary(one)));
    }
    print(Json::object().set("schema", "antaeus.simulate.list/1").set("experiments", experiments).dump() + "\n");
    return kFine;
  }

  int run() {
    if (name.empty()) return list();
    delivery.prepare();
    static_cast<void>(experiment_summary(name));  // an unknown name is told before all else
    Settings settings;
    for (const std::string& assignment : assignments) settings.set(assignment);
    if (clip) check_clip(settings.get<ClipChoice>());
    if (delivery.out.empty() && (!delivery.json || delivery.pdf || clip)) delivery.out = "antaeus-simulate-" + name;
    if (seed < 0) throw OptionsError("--seed", std::to_string(seed) + " is below zero", "give 0 or more");
    const ExperimentResult result = run_experiment(name, settings, seed, progress_bar(name));
    std::string written;
    if (!delivery.out.empty()) written = write(result, settings);
    if (delivery.json) {
      print(experiment_summary_json(result).dump() + "\n");
    } else {
      print(story(result));
      if (!written.empty()) print("\n  Written to " + printable(delivery.out) + ": " + written + "\n");
    }
    return result.is_met() ? kFine : kRefused;
  }

  /// \return the files' names
  std::string write(const ExperimentResult& result, const Settings& settings) const {
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

  static std::string story(const ExperimentResult& result) {
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
};

}  // namespace

void add_simulate(CLI::App& app, Run& run) {
  auto command = std::make_shared<SimulateCommand>();
  CLI::App* verb = app.add_subcommand("simulate", "an experiment in simulation, against its criteria");
  verb->add_option("name", command->name, "the experiment; none: list them")->option_text("NAME");
  verb->add_option("--seed", command->seed, "of all noise and all random states (default 1)")->option_text("N");
  verb->add_option("--set", command->assignments,
                   "set any option of its groups, e.g. --set scene.friction=0.3 (repeatable)")
      ->option_text("GROUP.OPTION=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_flag("--clip", command->clip, "also render clip.mp4 (needs EGL and the package imageio-ffmpeg)");
  verb->add_option("--out,-o", command->delivery.out,
                   "folder for report.html, summary.json, samples.parquet, samples.csv (default: "
                   "antaeus-simulate-<name>)")
      ->option_text("DIR");
  verb->add_flag("--json", command->delivery.json,
                 "print summary.json instead of the story; writes files only with --out, --pdf or --clip");
  command->delivery.add_pdf_to(*verb);
  verb->footer("Experiments:\n" + list_text() +
               "Exit code 1: a criterion is missed.\nExample: antaeus simulate parity --out parity");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
