// antaeus space: fly a robot on a free base under coordinated control.
#include <algorithm>

#include "antaeus/core/error.hpp"
#include "command.hpp"
#include "delivery.hpp"
#include "experiment_output.hpp"
#include "studies/space_flight.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

RunList space_runs() { return {"space", "Scenarios", "what is flown", space_scenario_names(), space_scenario_summary}; }

struct SpaceCommand {
  RobotChoice choice;
  std::string name, frame, plant = "pinocchio";
  int seed = 1;
  Delivery delivery;

  int run() {
    if (name.empty()) return space_runs().print_list(delivery.json);
    delivery.prepare();
    static_cast<void>(space_scenario_summary(name));  // an unknown name is told before all else
    SpaceRequest request{.robot = choice.robot, .frame = frame};
    request.payloads = choice.loads();
    request.plant = parse_enum<FlightPlant>(plant, "--plant", "plant");
    std::vector<std::string> assignments(choice.assignments);
    std::ranges::transform(assignments, assignments.begin(), space_assignment);
    apply_assignments(request.settings, assignments);
    if (seed < 0) throw OptionsError("--seed", std::to_string(seed) + " is below zero", "give 0 or more");
    request.seed = seed;
    request.progress = progress_bar(name);
    if (delivery.out.empty() && (!delivery.json || delivery.pdf)) delivery.out = "antaeus-space-" + name;
    const ExperimentResult result = run_space_scenario(name, request);
    return deliver_experiment(result, request.settings, false, delivery);
  }
};

}  // namespace

void add_space(CLI::App& app, Run& run) {
  auto command = std::make_shared<SpaceCommand>();
  CLI::App* verb = app.add_subcommand("space", kSpaceSummary);
  verb->add_option("SCENARIO", command->name, "name of a scenario; without it: list the scenarios")->option_text(" ");
  verb->add_option("--robot,-r", command->choice.robot,
                   "robot: a name (antaeus robot lists them), a .toml profile, a .urdf or an MJCF .xml; its base flies "
                   "(default: spacecraft_ur3, for posture spacecraft_panda)")
      ->option_text("NAME|FILE");
  command->choice.add_payload_to(*verb);
  verb->add_option("--frame", command->frame,
                   "the end-effector, by frame or label (default: the profile's only endpoint, else the chain's end)")
      ->option_text("FRAME");
  verb->add_option("--plant", command->plant, "simulator that moves the robot (default pinocchio)")
      ->option_text("pinocchio|mujoco");
  verb->add_option("--seed", command->seed, "seed of the start and the goals (default 1)")->option_text("N");
  verb->add_option("--set", command->choice.assignments,
                   "set any option of its groups, e.g. --set space.speed=0.2, --set flying.law=tracker (repeatable)")
      ->option_text("GROUP.OPTION=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--out,-o", command->delivery.out,
                   "folder for report.html, summary.json, samples.parquet, samples.csv (default: "
                   "antaeus-space-<scenario>)")
      ->option_text("DIR");
  verb->add_flag("--json", command->delivery.json,
                 "print summary.json instead of the summary text; writes files only with --out or --pdf");
  command->delivery.add_pdf_to(*verb);
  verb->footer("Scenarios:\n" + space_runs().table() +
               "Exit code 1: a criterion is missed.\nExample: antaeus space pose-change --plant mujoco --out flight");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
