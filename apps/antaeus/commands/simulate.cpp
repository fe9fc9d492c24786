// antaeus simulate: a named run in simulation, against its criteria.
#include "antaeus/core/error.hpp"
#include "command.hpp"
#include "delivery.hpp"
#include "experiment_output.hpp"
#include "studies/clip.hpp"
#include "studies/experiment.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

RunList simulate_runs() { return {"simulate", "Experiments", "what it tries", experiment_names(), experiment_summary}; }

struct SimulateCommand {
  std::string name;
  int seed = 1;
  std::vector<std::string> assignments;
  bool clip = false;
  Delivery delivery;

  int run() {
    if (name.empty()) return simulate_runs().print_list(delivery.json);
    delivery.prepare();
    static_cast<void>(experiment_summary(name));  // an unknown name is told before all else
    Settings settings;
    apply_assignments(settings, assignments);
    if (clip) check_clip(settings.get<ClipChoice>());
    if (delivery.out.empty() && (!delivery.json || delivery.pdf || clip)) delivery.out = "antaeus-simulate-" + name;
    if (seed < 0) throw OptionsError("--seed", std::to_string(seed) + " is below zero", "give 0 or more");
    const ExperimentResult result = run_experiment(name, settings, seed, progress_bar(name));
    return deliver_experiment(result, settings, clip, delivery);
  }
};

}  // namespace

void add_simulate(CLI::App& app, Run& run) {
  auto command = std::make_shared<SimulateCommand>();
  CLI::App* verb = app.add_subcommand("simulate", kSimulateSummary);
  verb->add_option("NAME", command->name, "name of an experiment; without it: list the experiments")->option_text(" ");
  verb->add_option("--seed", command->seed, "seed of all noise and random states (default 1)")->option_text("N");
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
                 "print summary.json instead of the summary text; writes files only with --out, --pdf or --clip");
  command->delivery.add_pdf_to(*verb);
  verb->footer("Experiments:\n" + simulate_runs().table() +
               "Exit code 1: a criterion is missed.\nExample: antaeus simulate parity --out parity");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
