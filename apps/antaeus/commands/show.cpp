// antaeus show LOG: any log as a page, without any verdict.
#include <memory>
#include <optional>

#include "antaeus/check/check_log.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/episode/log_summary.hpp"
#include "antaeus/episode/raw_log.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/json_fields.hpp"
#include "antaeus/io/shell_words.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "command.hpp"
#include "delivery.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

std::string story(const Page& page) {
  std::string out = heading(page.title + ": " + plain_text(page.subtitle));
  for (const Answer& answer : page.answers) {
    out += heading(answer.question);
    for (const Paragraph& paragraph : answer.paragraphs) {
      out += wrapped((paragraph.quiet ? "Note: " : "• ") + plain_text(paragraph.text), 2);
    }
  }
  return out;
}

struct ShowCommand {
  RobotChoice robot;
  std::string log;
  Delivery delivery;

  /// What makes the page again, without the folders of this machine.
  std::string command_text() const {
    const std::filesystem::path folder = folder_of(log);
    const std::string with = robot.robot.empty() ? "" : " --robot " + file_word(robot.robot, folder);
    const std::string base = robot.base.empty() ? "" : " --base " + shell_word(robot.base);
    return "antaeus show " + file_word(log, folder) + with + base + robot.payload_words() +
           (robot.ignore_meshes ? " --ignore-meshes" : "");
  }

  int run() {
    delivery.prepare();
    const auto bar = progress_bar("show");
    const auto progress = [&](double share) {
      if (bar) bar(share);
    };
    std::optional<Robot> loaded;
    // Meshes that are there are drawn, and the page says which are not.
    RobotChoice asked = robot;
    asked.ignore_meshes = true;
    if (!robot.robot.empty()) loaded = asked.load();
    if (!loaded && !robot.payloads.empty()) {
      throw OptionsError("--payload", "no robot is given for it", "give --robot, or leave it out");
    }
    const RawLog read = loaded ? load_raw_log(log, *loaded) : load_raw_log(log);
    progress(0.4);
    std::shared_ptr<const MeshFiles> meshes;
    if (loaded && !robot.ignore_meshes)
      meshes = std::make_shared<const MeshFiles>(read_meshes(loaded->model.description(), nullptr));
    const Robot* known = loaded ? &*loaded : nullptr;
    const CheckResult check = check_shown_log(log, read, known);
    const Page page = show_page(read, known, meshes, command_text(), &check);
    progress(0.6);
    const std::string summary = log_summary(read, known).set("check", to_json(check)).dump() + "\n";
    if (delivery.out.empty() && (!delivery.json || delivery.pdf)) delivery.out = "antaeus-show-" + read.name;
    if (!delivery.out.empty()) {
      FileSet files(delivery.out);
      delivery.add_page(files, html_page(page));
      progress(0.9);
      files.add("summary.json", summary);
      files.commit();
    }
    progress(1.0);
    print(delivery.json ? summary : story(page));
    if (!delivery.out.empty() && !delivery.json) {
      print("\n  Written to " + printable(delivery.out) + ": report.html, " + (delivery.pdf ? "report.pdf, " : "") +
            "summary.json\n");
    }
    return kFine;
  }
};

}  // namespace

void add_show(CLI::App& app, Run& run) {
  auto command = std::make_shared<ShowCommand>();
  CLI::App* verb =
      app.add_subcommand("show", "show any log as a page: what is in it and what is missing, without a verdict");
  verb->add_option("LOG", command->log, "folder of .npy files, .npz, .csv or .parquet, of any robot")
      ->required()
      ->option_text(" ");
  verb->add_option("--robot,-r", command->robot.robot,
                   "draw this robot: a name (antaeus robot lists them), a .toml profile, a .urdf or an MJCF .xml")
      ->option_text("NAME|FILE");
  command->robot.add_model_options_to(*verb);
  verb->add_option("--out,-o", command->delivery.out,
                   "folder for report.html and summary.json (default: antaeus-show-<log>)")
      ->option_text("DIR");
  verb->add_flag("--json", command->delivery.json,
                 "print summary.json instead of the summary text; writes files only with --out or --pdf");
  command->delivery.add_pdf_to(*verb);
  verb->footer("Example: antaeus show re3 --robot h1_2 --out re3-shown");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
