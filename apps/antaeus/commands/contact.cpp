// antaeus contact MOTION: the wrenches of a motion's contacts, the torques behind it, and what it does not tell.
#include "antaeus/contact/contact_result.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/shell_words.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "command.hpp"
#include "delivery.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

struct ContactCommand {
  RobotChoice robot;
  std::string motion, total, limits = "none", axes = "world";
  ContactRequest request;
  Delivery delivery;

  std::string command_text() const {
    const std::string& file = total.empty() ? motion : total;
    const std::filesystem::path folder = folder_of(file);
    std::string text = "antaeus contact ";
    text += total.empty() ? file_word(motion, folder) + " --robot " + file_word(robot.robot, folder)
                          : "--total " + file_word(total, folder);
    if (!robot.base.empty()) text += " --base " + shell_word(robot.base);
    text += robot.payload_words();
    for (const std::string& contact : request.contacts) text += " --contact " + shell_word(contact);
    if (request.inverse_dynamics) text += " --inverse-dynamics";
    if (request.over_time) text += " --over-time";
    if (limits != "none") text += " --with-limits " + limits;
    if (axes != "world") text += " --wrench-frame " + axes;
    for (const std::string& assignment : robot.assignments) text += " --set " + shell_word(assignment);
    return text;
  }

  ContactResult solve(std::shared_ptr<const MeshFiles>& meshes) {
    if (total.empty() == robot.robot.empty()) {
      throw OptionsError("--robot, --total", "one of the two must be given",
                         "--robot R with a motion, or --total FILE with the wrench that a motion needs");
    }
    request.limits = parse_enum<LimitSet>(limits, "--with-limits");
    request.axes = parse_enum<WrenchAxes>(axes, "--wrench-frame");
    const auto bar = progress_bar("contact");
    if (!total.empty()) {
      if (request.inverse_dynamics) {
        throw OptionsError("--inverse-dynamics", "stands beside --total", "give a motion and --robot");
      }
      if (!robot.payloads.empty()) {
        throw OptionsError("--payload", "stands beside --total", "there is no robot that could carry it");
      }
      if (!motion.empty()) {
        throw OptionsError("MOTION", "'" + motion + "' stands beside --total", "give one of the two");
      }
      Settings settings;
      for (const std::string& assignment : robot.assignments) settings.set(assignment);
      const TotalMotion read = read_total_motion(total, request.contacts);
      return contact_split(read, request, settings.get<ContactOptions>(), settings.get<SplitOptions>(),
                           settings.get<TimingOptions>());
    }
    if (motion.empty())
      throw OptionsError("MOTION", "is missing", "give an .npz, a folder of .npy, a .csv or a .parquet");
    if (request.contacts.empty() && !request.inverse_dynamics) {
      throw OptionsError("--contact", "no contact", "name at least one frame of the robot, or give --inverse-dynamics");
    }
    // Without a choice a robot in contact floats: a bolted one takes up every force.
    RobotChoice asked = robot;
    asked.ignore_meshes = true;
    if (asked.base.empty()) asked.base = "floating";
    Robot loaded = asked.load();
    if (robot.base.empty()) loaded.profile.base_source = BaseSource::caller;
    ContactMotion read = load_contact_motion(motion);
    const Settings& settings = loaded.profile.settings;
    ContactResult result = contact_inverse_dynamics(loaded, std::move(read), request, settings.get<ContactOptions>(),
                                                    settings.get<SplitOptions>(), settings.get<TimingOptions>(), bar);
    if (!robot.ignore_meshes) {
      meshes = std::make_shared<const MeshFiles>(read_meshes(loaded.model.description(), nullptr));
    }
    return result;
  }

  int run() {
    delivery.prepare();
    std::shared_ptr<const MeshFiles> meshes;
    ContactResult result = solve(meshes);
    result.command = command_text();
    const std::string summary = contact_summary(result).dump() + "\n";
    const Page page = contact_page(result, meshes);
    if (delivery.out.empty() && (!delivery.json || delivery.pdf)) delivery.out = "antaeus-contact-" + result.motion;
    if (!delivery.out.empty()) {
      FileSet files(delivery.out);
      delivery.add_page(files, html_page(page));
      files.add("summary.json", summary);
      if (!request.inverse_dynamics) files.add("wrenches.csv", to_csv(wrenches_table(result)));
      files.add("torques.csv", to_csv(torques_table(result)));
      files.commit();
    }
    if (delivery.json) {
      print(summary);
    } else {
      std::string out = heading(page.title + ": " + plain_text(page.subtitle));
      for (const Answer& answer : page.answers) {
        out += heading(answer.question);
        for (const Paragraph& paragraph : answer.paragraphs) {
          out += wrapped((paragraph.quiet ? "Note: " : "• ") + printable(plain_text(paragraph.text)), 2);
        }
      }
      print(out);
    }
    if (!delivery.out.empty() && !delivery.json) {
      print("\n  Written to " + printable(delivery.out) + ": report.html, " + (delivery.pdf ? "report.pdf, " : "") +
            (request.inverse_dynamics ? "summary.json, torques.csv\n" : "summary.json, wrenches.csv, torques.csv\n"));
    }
    return result.fine() ? kFine : kRefused;
  }
};

}  // namespace

void add_contact(CLI::App& app, Run& run) {
  auto command = std::make_shared<ContactCommand>();
  CLI::App* verb = app.add_subcommand("contact", kContactSummary);
  verb->add_option("motion", command->motion,
                   ".npz, folder of .npy files, .csv or .parquet with q (or qpos) [N × nq] and dt or time; v and a: "
                   "independent states")
      ->option_text("MOTION");
  verb->add_option("--robot,-r", command->robot.robot,
                   "robot: a name (antaeus robot lists them), a .toml profile, a .urdf or an MJCF .xml")
      ->option_text("NAME|FILE");
  command->robot.add_model_options_to(*verb);
  verb->get_option("--base")->description("floating (default), or fixed, which is refused: it takes up every force");
  verb->add_option("--total", command->total,
                   "in place of a robot: .csv with the total wrench of a motion and the poses of its feet")
      ->option_text("FILE");
  verb->add_option("--contact,-c", command->request.contacts, "frame that touches (repeatable); with --total a foot")
      ->option_text("FRAME")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_flag("--inverse-dynamics", command->request.inverse_dynamics,
                 "no contact: the torques of the motion, and the wrench that would have to hold the root");
  verb->add_flag("--over-time", command->request.over_time, "all frames together, smooth over time");
  verb->add_option("--with-limits", command->limits,
                   "keep what contacts and motors can do: none (default), friction as a pyramid, or as a cone")
      ->option_text("none|pyramid|cone");
  verb->add_option("--wrench-frame", command->axes,
                   "axes of wrenches in and out, about the contact's origin: world (default), or its link's")
      ->option_text("world|link");
  verb->add_option("--set", command->robot.assignments,
                   "set any option, e.g. --set contact.smoothing=2 (repeatable; groups contact, split, timing)")
      ->option_text("GROUP.OPTION=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option(
          "--out,-o", command->delivery.out,
          "folder for report.html, summary.json, wrenches.csv, torques.csv (default: antaeus-contact-<motion>)")
      ->option_text("DIR");
  verb->add_flag("--json", command->delivery.json,
                 "print summary.json instead of the story; writes files only with --out or --pdf");
  command->delivery.add_pdf_to(*verb);
  verb->footer(
      "Exit code 1: limits are broken, or a root residual stays beyond contact.residual_limit.\n"
      "Example: antaeus contact walk.npz --robot biped.urdf --contact left_foot --contact right_foot --over-time");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
