// antaeus identify LOG…: what the torques read while nothing touches, as a profile that loads.
#include "antaeus/identification/identify.hpp"

#include <algorithm>

#include "antaeus/core/error.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/episode/raw_log.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/shell_words.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/robot/files/profile_writer.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "command.hpp"
#include "delivery.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kNoiseMark = " Identified noise: ";

struct IdentifyCommand {
  RobotChoice robot;
  std::vector<std::string> logs, contact_free, endpoints, loaded;
  std::string fit, payload_frame, force_frame;
  bool effort_units = false;
  Delivery delivery;

  std::string command_text() const {
    const fs::path folder = folder_of(logs.front());
    std::string text = "antaeus identify";
    for (const std::string& log : logs) text += " " + file_word(log, folder);
    text += " --robot " + file_word(robot.robot, folder);
    if (!robot.base.empty()) text += " --base " + shell_word(robot.base);
    text += robot.payload_words();
    for (const std::string& stretch : contact_free) text += " --contact-free " + shell_word(stretch);
    if (!fit.empty()) text += " --fit " + shell_word(fit);
    for (const std::string& log : loaded) text += " --loaded " + file_word(log, folder);
    if (!payload_frame.empty()) text += " --payload-frame " + shell_word(payload_frame);
    if (!force_frame.empty()) text += " --measured-force " + shell_word(force_frame);
    for (const std::string& endpoint : endpoints) text += " --endpoint " + shell_word(endpoint);
    if (effort_units) text += " --effort-units";
    for (const std::string& assignment : robot.assignments) text += " --set " + shell_word(assignment);
    return text;
  }

  /// --fit: which terms. Noise is in any fit: it is what all else is weighed by.
  void read_terms(IdentifyRequest& request) const {
    bool payload = fit.empty() && !loaded.empty();
    if (!fit.empty()) {
      request.friction = request.inertia = false;
      for (std::size_t at = 0; at <= fit.size();) {
        const std::size_t end = std::min(fit.find(',', at), fit.size());
        const std::string term = fit.substr(at, end - at);
        at = end + 1;
        if (term == "friction") {
          request.friction = true;
        } else if (term == "inertia") {
          request.inertia = true;
        } else if (term == "payload") {
          payload = true;
        } else if (term != "noise") {
          throw_unknown<OptionsError>("--fit", "term", term, {"noise", "friction", "inertia", "payload"});
        }
      }
    }
    if (payload && loaded.empty()) {
      throw OptionsError("--fit", "payload without a log of the loaded robot",
                         "give --loaded LOG --payload-frame FRAME");
    }
    if (!payload && !loaded.empty())
      throw OptionsError("--loaded", "--fit does not ask for it", "add payload to --fit");
    if (loaded.empty() != payload_frame.empty()) {
      throw OptionsError(loaded.empty() ? "--payload-frame" : "--loaded", "the other one is missing",
                         "give --loaded LOG and --payload-frame FRAME together");
    }
  }

  IdentifyLog read_log(const Robot& known, const std::string& path) const {
    IdentifyLog log;
    log.episode = load_episode(path, known, known.profile.settings.get<EpisodeOptions>());
    log.date = recorded_on(path, log.episode);
    if (force_frame.empty()) return log;
    const RawLog raw = load_raw_log(path);
    const auto force = std::ranges::find(raw.channels, "force", &RawChannel::name);
    if (force == raw.channels.end()) {
      throw EpisodeError(path, "no channel 'force', which --measured-force reads", "log force_x, force_y, force_z [N]");
    }
    log.contact = measured_contact(known, log.episode, force_frame, force->values);
    return log;
  }

  IdentifyResult solve(Robot& known) const {
    IdentifyRequest request;
    read_terms(request);
    request.effort_units = effort_units;
    request.check = true;
    request.payload_frame = payload_frame;
    request.endpoints = endpoints;
    for (const std::string& path : logs) request.logs.push_back(read_log(known, path));
    label_contact_free(request.logs, contact_free);
    // Who measured the only contact says that no other was there.
    for (IdentifyLog& log : request.logs) log.labelled = log.labelled || !force_frame.empty();
    for (const std::string& path : loaded) request.loaded.push_back(read_log(known, path));
    return identify(known, std::move(request), progress_bar("identify"));
  }

  /// A hand-written profile has comments and is somebody's work.
  void check_folder(const Robot& known) const {
    std::error_code failed;
    const fs::path profile = fs::path(delivery.out) / "profile.toml";
    if (known.profile.file.empty() || !fs::equivalent(profile, known.profile.file, failed) || failed) return;
    throw OptionsError("--out", "'" + delivery.out + "' holds the profile that --robot reads, which would be replaced",
                       "name another folder");
  }

  int run() {
    delivery.prepare();
    RobotChoice asked = robot;
    asked.ignore_meshes = true;
    Robot known = asked.load();
    if (delivery.out.empty() && (!delivery.json || delivery.pdf)) {
      delivery.out = "antaeus-identify-" + known.profile.name;
      std::ranges::replace(delivery.out, '/', '_');
    }
    if (!delivery.out.empty()) check_folder(known);
    IdentifyResult result = solve(known);
    result.command = command_text();
    const std::string summary = identify_summary(result).dump() + "\n";
    std::string names;
    if (result.identified && !delivery.out.empty()) {
      const Page page = identify_page(result);
      RobotProfile& profile = known.profile;
      profile.noise = std::make_shared<const NoiseModel>(result.noise);
      profile.provenance =
          profile.provenance.substr(0, profile.provenance.find(kNoiseMark)) + kNoiseMark + result.provenance + ".";
      FileSet files(delivery.out);
      const auto add = [&](const std::string& name, std::string bytes) {
        names += (names.empty() ? "" : ", ") + name;
        files.add(name, std::move(bytes));
      };
      add("profile.toml", profile_text(known, delivery.out));
      add("summary.json", summary);
      delivery.add_page(files, html_page(page));
      names += delivery.pdf ? ", report.html, report.pdf" : ", report.html";
      files.commit();
    }
    if (delivery.json) {
      print(summary);
    } else {
      print(story(result));
      if (!names.empty()) print("\n  Written to " + printable(delivery.out) + ": " + names + "\n");
    }
    const bool whole = result.identified && (!result.payload || result.payload->identified);
    return whole && std::ranges::none_of(result.joints, is_refused) ? kFine : kRefused;
  }

  static std::string story(const IdentifyResult& result) {
    std::string out;
    for (const IdentifyAnswer& answer : identify_story(result)) {
      out += heading(answer.question);
      for (const std::string& sentence : answer.sentences) out += wrapped("• " + sentence, 2);
    }
    if (!result.joints.empty() && result.identified) {
      TextTable table({"joint", "offset", "± se", "σ", "σ_b", "left before", "after", "held out", "covered %"});
      for (const IdentifiedJoint& joint : result.joints) {
        if (!joint.identified) continue;
        table.add({printable(joint.label), fixed(joint.offset, 2), fixed(joint.offset_error, 2),
                   fixed(joint.white_sd, 3), fixed(joint.offset_sd, 2), fixed(joint.rms_before, 2),
                   fixed(joint.rms_after, 2), fixed(joint.hold_out_rms, 2), fixed(100.0 * joint.hold_out_covered, 0)});
      }
      out += heading("Joints, in " + result.unit) + table.text();
    }
    return out;
  }
};

}  // namespace

void add_identify(CLI::App& app, Run& run) {
  auto command = std::make_shared<IdentifyCommand>();
  CLI::App* verb = app.add_subcommand(
      "identify",
      "identify noise, friction and masses of a robot from its logs; write a profile that all other commands read");
  verb->add_option("LOGS", command->logs, "folders of .npy files, .npz, .csv or .parquet, with torques and positions")
      ->required()
      ->option_text(" ");
  command->robot.add_to(*verb);
  command->robot.add_threads_to(*verb);
  verb->add_option("--contact-free", command->contact_free,
                   "contact-free time: all, FROM:TO in seconds from each log's first sample, or LOG=FROM:TO of one "
                   "log (repeatable); without it, what no contact can explain")
      ->option_text("STRETCH")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--fit", command->fit,
                   "terms, with commas: noise, friction, inertia, payload (default: all; payload with --loaded)")
      ->option_text("TERMS");
  verb->add_option("--loaded", command->loaded, "a log with the payload; LOG is without it (repeatable)")
      ->option_text("LOG")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--payload-frame", command->payload_frame, "link or joint that carries the payload")
      ->option_text("FRAME");
  verb->add_option(
          "--measured-force", command->force_frame,
          "the logs' channel force (x, y, z; on the robot, world axes, N) acts at this frame, and nothing else")
      ->option_text("FRAME");
  verb->add_option("--endpoint,-e", command->endpoints,
                   "frame or label that contacts may be at (repeatable; default: those that the consumer reads)")
      ->option_text("FRAME")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_flag("--effort-units", command->effort_units,
                 "accept torque channels in any unit; every output names the unit");
  verb->add_option("--out,-o", command->delivery.out,
                   "folder for profile.toml, summary.json and report.html (default: antaeus-identify-<robot>)")
      ->option_text("DIR");
  verb->add_flag("--json", command->delivery.json,
                 "print summary.json instead of the summary text; writes files only with --out or --pdf");
  command->delivery.add_pdf_to(*verb);
  verb->footer(
      "Exit code 1: nothing was identified, and nothing is written; or no payload; or joints were refused (dead, at "
      "their limit, wrong sign, gain or column), and the profile has only the others.\n"
      "Example: antaeus identify free_motion --robot panda --contact-free all --out panda-identified");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
