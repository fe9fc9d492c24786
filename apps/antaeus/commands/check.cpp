// antaeus check LOG: is this log what the profile says?
#include <algorithm>
#include <memory>
#include <optional>

#include "antaeus/check/check_log.hpp"
#include "antaeus/check/fix.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/episode/episode_reader.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/json_fields.hpp"
#include "antaeus/io/shell_words.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/robot/files/profile_writer.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "command.hpp"
#include "delivery.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

namespace fs = std::filesystem;

struct CheckCommand {
  RobotChoice robot;
  std::string log, fix;
  bool force = false;
  Delivery delivery;

  std::string command_text() const {
    const fs::path folder = folder_of(log);
    std::string text = "antaeus check " + file_word(log, folder);
    if (!robot.robot.empty()) text += " --robot " + file_word(robot.robot, folder);
    if (!robot.base.empty()) text += " --base " + shell_word(robot.base);
    text += robot.payload_words();
    if (robot.ignore_meshes) text += " --ignore-meshes";
    for (const std::string& assignment : robot.assignments) text += " --set " + shell_word(assignment);
    return text;
  }

  /// A folder, or the file itself.
  static bool names_file(const std::string& path) { return fs::path(path).extension() == ".toml"; }
  std::string fixed_file() const { return names_file(fix) ? fix : (fs::path(fix) / "profile.toml").string(); }
  /// A hand-written profile has comments and is somebody's work.
  void check_fix(const std::optional<Robot>& known) const {
    if (!known) throw OptionsError("--fix", "a profile is of a robot", "name it: --robot");
    std::error_code failed;
    if (!known->profile.file.empty() && fs::equivalent(fixed_file(), known->profile.file, failed) && !failed) {
      throw OptionsError("--fix", "'" + fixed_file() + "' is the profile that --robot reads, which would be replaced",
                         "name another file");
    }
    if (force || !fs::exists(fs::symlink_status(fixed_file(), failed))) return;
    throw OptionsError("--fix", "'" + fixed_file() + "' already exists",
                       "name another file, or replace it with --force");
  }
  std::string write_fix(const Robot& known, const CheckResult& result) const {
    const RepairedCheck repaired = check_repaired(log, known, result);
    fs::path folder = names_file(fix) ? fs::path(fix).parent_path() : fs::path(fix);
    if (folder.empty()) folder = ".";
    FileSet files(folder, force ? Existing::any : Existing::own);
    files.add(fs::path(fixed_file()).filename().string(), profile_text(repaired.robot, folder));
    files.commit();
    const std::string file = printable(fixed_file());
    if (repaired.stated == 0 && repaired.not_fixed.empty())
      return "\n" + wrapped("Written to " + file + ": the profile as it was.", 2);
    std::string text =
        "\n" + wrapped("Written to " + file + ": a profile that states " +
                           (repaired.stated == 1 ? std::string("one finding")
                                                 : std::to_string(repaired.stated) + " findings") +
                           ". Use it instead of the robot's name: --robot " + shell_word(fixed_file()) + ".",
                       2, "--robot " + shell_word(fixed_file()));
    if (repaired.stated > 0)
      text += wrapped(
          "• Through it: " + check_headline(repaired.left) + (serious_findings(repaired.left).empty() ? "." : ""), 2);
    for (const std::string& one : repaired.not_fixed) text += wrapped("• Not fixed: " + one, 2);
    return text;
  }

  static std::string joints_table(const CheckResult& result) {
    TextTable table({"joint", "moved", "gain", "± sd", "zero", "± sd"});
    for (const CheckedJoint& joint : result.joints) {
      table.add({printable(joint.joint), fixed(joint.moved, 2), fixed(joint.gain, 2), fixed(joint.gain_sd, 2),
                 fixed(joint.zero, 3), fixed(joint.zero_sd, 3)});
    }
    return table.empty()
               ? std::string()
               : heading(std::string("Joints") + (result.repairs > 0 ? ", once the findings above are repaired" : "") +
                         " (gain: channel per torque of the model; zero: offset of the position)") +
                     table.text();
  }
  static std::string story(const CheckResult& result) {
    std::string out = heading("Check of " + printable(result.log) +
                              (result.robot.empty() ? "" : " (" + printable(result.robot) + ")"));
    for (const CheckAnswer& answer : check_story(result)) {
      out += heading(answer.question);
      for (const std::string& sentence : answer.sentences) out += wrapped("• " + sentence, 2);
    }
    return out + joints_table(result);
  }

  int run() {
    delivery.prepare();
    std::optional<Robot> known;
    RobotChoice asked = robot;
    asked.ignore_meshes = true;
    if (!robot.robot.empty()) {
      known = asked.load();
    } else if (!robot.assignments.empty() || !robot.payloads.empty() || !robot.base.empty()) {
      throw OptionsError("--robot", "--set, --payload and --base are of a robot", "name it");
    }
    if (force && fix.empty()) throw OptionsError("--force", "it is for --fix alone", "add --fix FILE");
    if (!fix.empty()) check_fix(known);
    CheckResult result = check_file(log, known ? &*known : nullptr);
    result.command = command_text();
    const std::string summary = to_json(result).dump() + "\n";
    if (delivery.out.empty() && (!delivery.json || delivery.pdf)) {
      delivery.out = "antaeus-check-" + (result.log.empty() ? std::string("log") : result.log);
    }
    std::string written;
    if (!delivery.out.empty()) {
      const Page page = check_page(result);
      FileSet files(delivery.out);
      delivery.add_page(files, html_page(page));
      files.add("summary.json", summary);
      files.commit();
      written = "\n  Written to " + printable(delivery.out) + ": report.html, " + (delivery.pdf ? "report.pdf, " : "") +
                "summary.json\n";
    }
    if (!fix.empty()) written += write_fix(*known, result);
    print(delivery.json ? summary : story(result) + written);
    return serious_findings(result).empty() ? kFine : kRefused;
  }
};

}  // namespace

void add_check(CLI::App& app, Run& run) {
  auto command = std::make_shared<CheckCommand>();
  CLI::App* verb = app.add_subcommand(
      "check", "check a log against the robot's profile: units, clock, order and signs, and how to fix it");
  verb->add_option("LOG", command->log, "folder of .npy files, .npz, .csv or .parquet")->required()->option_text(" ");
  command->robot.add_to(*verb, RobotChoice::Needed::no);
  verb->add_option("--out,-o", command->delivery.out,
                   "folder for report.html and summary.json (default: antaeus-check-<log>)")
      ->option_text("DIR");
  verb->add_flag("--json", command->delivery.json,
                 "print summary.json instead of the summary text; writes files only with --out, --fix or --pdf");
  verb->add_option("--fix", command->fix,
                   "write a profile that states what was found: a file.toml, or a folder for profile.toml")
      ->option_text("FILE|DIR");
  verb->add_flag("--force", command->force, "replace the profile of --fix if it exists");
  command->delivery.add_pdf_to(*verb);
  verb->footer(
      "Exit code 1: a finding of severity error or warning. Without --robot only the channels are checked.\n"
      "Example: antaeus check my_log --robot ur10e --fix my_robot.toml");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
