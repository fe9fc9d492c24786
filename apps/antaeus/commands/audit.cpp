// antaeus audit LOG: the incident, explained and written down.
#include "antaeus/audit/audit.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "antaeus/audit/audit_options.hpp"
#include "antaeus/audit/summary.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/episode/episode_reader.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/shell_words.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "command.hpp"
#include "delivery.hpp"
#include "print_pdf.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

/// What the robot is drawn from. \param required  whether a missing or damaged file is an error
MeshFiles meshes_of(const RobotDescription& description, bool required) {
  std::vector<std::string> notes;
  MeshFiles meshes = read_meshes(description, &notes);
  if (required && !notes.empty()) throw Error("--meshes", notes.front(), "repair the file, or leave --meshes out");
  return meshes;
}

struct AuditCommand {
  RobotChoice robot;
  AuditRequest request;
  Delivery delivery;
  bool meshes = false, always_csv = false;

  /// What reproduces the audit, without the folders of this machine.
  std::string command_text() const {
    const std::filesystem::path folder = folder_of(request.episode);
    std::string text =
        "antaeus audit " + file_word(request.episode, folder) + " --robot " + file_word(robot.robot, folder);
    for (const auto& baseline : request.baselines) text += " --baseline " + file_word(baseline, folder);
    for (const auto& endpoint : request.endpoints) text += " --endpoint " + shell_word(endpoint);
    if (request.from >= 0) text += " --from " + shortest_text(request.from);
    if (request.to >= 0) text += " --to " + shortest_text(request.to);
    if (!robot.base.empty()) text += " --base " + shell_word(robot.base);
    text += robot.payload_words();
    if (robot.ignore_meshes) text += " --ignore-meshes";
    for (const auto& assignment : robot.assignments) text += " --set " + shell_word(assignment);
    return text;
  }

  int run() {
    delivery.prepare();
    const Robot loaded = robot.load();
    std::shared_ptr<const MeshFiles> drawn;
    if (!robot.ignore_meshes) {
      drawn = std::make_shared<const MeshFiles>(meshes_of(loaded.model.description(), meshes));
    }
    request.command = command_text();
    const std::vector<std::string> frames = loaded.endpoint_frames(request.endpoints, "--endpoint");
    const AuditOptions options = audit_options(loaded, frames);
    std::vector<EpisodeReader> logs;
    logs.emplace_back(request.episode, loaded, options.episode);
    for (const auto& baseline : request.baselines) logs.emplace_back(baseline, loaded, options.episode);
    request.check = true;
    if (delivery.out.empty() && (!delivery.json || delivery.pdf)) {
      delivery.out = "antaeus-audit-" + logs[0].about().name;
    }
    const Progress progress = progress_bar("audit");
    if (delivery.out.empty()) {
      return deliver(run_audit(loaded, std::move(logs), request, options, progress), delivery, nullptr, {});
    }
    FileSet files(delivery.out);
    StepFiles steps(files, always_csv);
    const auto write = [&](std::int64_t rows, const TableParts& next) { steps.write(rows, next); };
    const Audit audit = run_audit(loaded, std::move(logs), request, options, progress, write);
    return deliver(audit, delivery, &files, steps.names(), std::move(drawn));
  }
};

}  // namespace

void Delivery::add_pdf_to(CLI::App& verb) {
  verb.add_flag("--pdf", pdf, "also print the report to report.pdf, through the Chromium of this machine");
}

void Delivery::prepare() {
  if (pdf) chromium = find_chromium();
}

void Delivery::add_page(FileSet& files, std::string html) const {
  if (pdf) files.add("report.pdf", print_pdf(chromium, html));
  files.add("report.html", std::move(html));
}

std::string add_table(FileSet& files, const std::string& stem, const Table& table) {
  files.add(stem + ".csv", to_csv(table));
  if (!missing_parquet().empty()) return stem + ".csv";
  files.add(stem + ".parquet", to_parquet(table));
  return stem + ".csv, " + stem + ".parquet";
}

void commit(FileSet& files, const std::string& stem) {
  files.commit();
  const std::string missing = missing_parquet();
  if (!missing.empty()) say("antaeus: " + stem + ".parquet is left out: " + missing);
}

void StepFiles::write(std::int64_t rows, const TableParts& next) {
  constexpr std::int64_t kMostRows = 200'000;
  const bool has_parquet = missing_parquet().empty();
  const bool has_csv = rows <= kMostRows || always_csv_ || !has_parquet;
  std::optional<FileStream> csv;
  if (has_csv) csv = files_.stream("steps.csv");
  bool is_first = true;
  const auto taken = [&]() -> std::optional<Table> {
    std::optional<Table> part = next();
    if (part && csv) csv->write(csv_rows(*part, std::exchange(is_first, false)));
    return part;
  };
  if (has_parquet) {
    FileStream parquet = files_.stream("steps.parquet");
    write_parquet(taken, [&](std::string_view bytes) { parquet.write(bytes); });
  } else {
    while (taken()) {
    }
  }
  names_ = has_csv && has_parquet ? "steps.csv, steps.parquet" : has_csv ? "steps.csv" : "steps.parquet";
  if (!has_csv) names_ += " (" + std::to_string(rows) + " rows; --csv writes steps.csv, too)";
}

int deliver(const Audit& audit, const Delivery& delivery, FileSet* files, const std::string& tables,
            std::shared_ptr<const MeshFiles> meshes) {
  const std::string summary = audit_summary(audit).dump() + "\n";
  const std::string& out = delivery.out;
  if (files) {
    delivery.add_page(*files, html_report(audit, std::move(meshes)));
    files->add("summary.json", summary);
    if (audit.whole.steps > 0) files->add("whole.json", whole_log(audit).dump() + "\n");
    commit(*files, "steps");
  }
  print(delivery.json ? summary : audit_story(audit));
  if (files && !delivery.json) {
    print("\n  Written to " + printable(out) + ": report.html, " + (delivery.pdf ? "report.pdf, " : "") +
          "summary.json, " + (audit.whole.steps > 0 ? "whole.json, " : "") + tables + "\n");
  }
  std::string unusable;
  const auto note = [&](const Episode& episode) {
    const bool all = &episode == &audit.audited.episode && audit.whole.invalid_steps > 0;
    if (episode.invalid_steps.empty() && !all) return;
    const Note* const why = why_invalid(episode.notes);
    if (why) unusable += (unusable.empty() ? "" : "; ") + episode.name + ": " + note_text(*why);
  };
  note(audit.audited.episode);
  for (const EpisodeAudit& baseline : audit.baselines) note(baseline.episode);
  if (!unusable.empty()) say("antaeus: " + unusable);
  if (audit.incident || audit.outcome != Outcome::no_incident) return kRefused;
  ExitCode code = code_of_readings(audit.audited.episode, audit.focus_step >= 0);
  for (const EpisodeAudit& baseline : audit.baselines) code = std::max(code, code_of_readings(baseline.episode, true));
  return code;
}

void add_audit(CLI::App& app, Run& run) {
  auto command = std::make_shared<AuditCommand>();
  CLI::App* verb = app.add_subcommand("audit", "reconstruct a recorded episode and explain it");
  // A negative limit means "none" to the library, and NaN compares with nothing: both would pass for a whole log.
  const CLI::Validator time_stamp(
      [](const std::string& text) {
        double value = 0;
        const bool good = CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value >= 0;
        return good ? std::string() : "'" + text + "' is not a time stamp: write seconds, zero or more";
      },
      "");
  verb->add_option(
          "LOG", command->request.episode,
          "folder of .npy files (tau, qpos; target_dof, dq, time, imu_quat_xyzw optional), .npz, .csv or .parquet")
      ->required()
      ->option_text(" ");
  command->robot.add_to(*verb);
  command->robot.add_threads_to(*verb);
  verb->add_option("--out,-o", command->delivery.out,
                   "folder for report.html, summary.json, steps.csv, steps.parquet (default: antaeus-audit-<episode>)")
      ->option_text("DIR");
  verb->add_option("--baseline,-b", command->request.baselines, "a good run to compare with (repeatable)")
      ->option_text("LOG")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--endpoint,-e", command->request.endpoints,
                   "frame or label of an endpoint (repeatable; default: the profile's)")
      ->option_text("FRAME")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--from", command->request.from, "audit from this time stamp on [s]")
      ->check(time_stamp)
      ->option_text("T");
  verb->add_option("--to", command->request.to, "audit up to this time stamp [s]")->check(time_stamp)->option_text("T");
  verb->add_flag("--json", command->delivery.json,
                 "print summary.json instead of the summary text; writes files only with --out or --pdf");
  command->delivery.add_pdf_to(*verb);
  verb->add_flag("--csv", command->always_csv,
                 "write steps.csv whatever its length; else steps.parquet alone beyond 200 000 rows");
  verb->add_flag("--meshes", command->meshes,
                 "require the robot's meshes: a missing or damaged file is an error, instead of a stick in report.html")
      ->excludes("--ignore-meshes");
  verb->footer(
      "Exit code 1: the watchdog would have latched on an endpoint that the consumer reads, or the set-up is wrong.\n"
      "Example: antaeus audit re3 --robot h1_2 --baseline re2 --baseline re1 --out re3-audit");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
