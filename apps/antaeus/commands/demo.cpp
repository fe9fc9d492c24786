// antaeus demo: the incident's twin beside its good twins, made and audited in memory.
#include "antaeus/audit/audit.hpp"
#include "antaeus/audit/audit_options.hpp"
#include "antaeus/episode/episode_reader.hpp"
#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "command.hpp"
#include "delivery.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

struct DemoCommand {
  Delivery delivery{.out = "antaeus-demo", .json = false, .pdf = false, .chromium = {}};
  std::string episodes;

  int run() {
    delivery.prepare();
    const Robot robot = load_robot("h1_2");
    AuditRequest request;
    request.command = "antaeus demo";
    std::vector<EpisodeReader> logs;
    for (const TwinKind kind : {TwinKind::incident, TwinKind::good, TwinKind::pushes}) {
      Episode twin = make_twin(robot, kind).episode;
      if (!episodes.empty()) write_episode(twin, std::filesystem::path(episodes) / twin.name);
      logs.emplace_back(std::move(twin));
    }
    FileSet files(delivery.out);
    StepFiles steps(files, false);
    const auto write = [&](std::int64_t rows, const TableParts& next) { steps.write(rows, next); };
    Audit audit = run_audit(robot, std::move(logs), request, audit_options(robot), progress_bar("demo"), write);
    audit.lessons.push_back(planar_lesson(load_robot("planar_3r")));  // the smallest robot on which it can be seen
    return deliver(audit, delivery, &files, steps.names());
  }
};

}  // namespace

void add_demo(CLI::App& app, Run& run) {
  auto command = std::make_shared<DemoCommand>();
  CLI::App* verb =
      app.add_subcommand("demo", "audit a synthetic episode of the H1-2 incident and compare it with two good runs");
  verb->add_option("--out,-o", command->delivery.out, "folder for the report (default: antaeus-demo)")
      ->option_text("DIR");
  verb->add_option("--episodes", command->episodes, "also write the three synthetic episodes to this folder")
      ->option_text("DIR");
  verb->add_flag("--json", command->delivery.json, "print summary.json instead of the summary text");
  command->delivery.add_pdf_to(*verb);
  verb->footer(
      "Antaeus computes the synthetic episodes itself, with exact ground truth: the incident has no push.\n"
      "The demo ends with exit code 1: it finds the incident, as it should.");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
