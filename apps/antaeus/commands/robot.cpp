// antaeus robot: what Antaeus knows of a robot.
#include "antaeus/audit/audit.hpp"
#include "antaeus/audit/audit_options.hpp"
#include "antaeus/io/json_fields.hpp"
#include "antaeus/robot/limbs.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "command.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

struct RobotCommand {
  RobotChoice choice;
  std::vector<std::string> endpoints;
  bool json = false;

  int run() const {
    if (choice.robot.empty()) return list();
    const Robot robot = choice.load();
    const std::vector<std::string> frames = endpoints.empty() && robot.profile.endpoints.empty()
                                                ? endpoints
                                                : robot.endpoint_frames(endpoints, "--endpoint");
    const Settings settings = robot.settings(frames);
    std::vector<OptionValue> own;
    for (OptionValue& option : list_audit_options(audit_options(settings), settings)) {
      if (option.source != option.info.source) own.push_back(std::move(option));
    }
    print(json ? robot_json(robot, own).dump() + "\n" : to_text(robot, frames, own));
    return kFine;
  }

  int list() const {
    Json robots = Json::array();
    TextTable table({"robot", "title", "motors", "mass kg"});
    for (const std::string& known : robot_names()) {
      const Robot robot = load_robot(known);
      robots.push_back(Json::object()
                           .set("name", known)
                           .set("title", robot.profile.title)
                           .set("motors", robot.model.motor_count())
                           .set("total_mass_kg", robot.model.total_mass()));
      table.add(
          {known, robot.profile.title, std::to_string(robot.model.motor_count()), fixed(robot.model.total_mass(), 3)});
    }
    print(json ? Json::object().set("robots", std::move(robots)).dump() + "\n"
               : heading("Robots that come with Antaeus") + table.text());
    return kFine;
  }

  static Json robot_json(const Robot& robot, const std::vector<OptionValue>& own) {
    const RobotModel& m = robot.model;
    Json motors = Json::array(), endpoints = Json::array(), poses = Json::array();
    for (int i = 0; i < m.motor_count(); ++i) {
      motors.push_back(Json::object()
                           .set("joint", m.motor_names()[i])
                           .set("label", robot.profile.motor_labels[i])
                           .set("lower", m.lower_limits()[i])
                           .set("upper", m.upper_limits()[i])
                           .set("effort_limit", m.effort_limits()[i])
                           .set("velocity_limit", m.velocity_limits()[i])
                           .set("torque_sd", robot.profile.figures[i].torque_sd)
                           .set("torque_sd_from", to_string(robot.profile.figures[i].torque_sd_from))
                           .set("static_sd", robot.profile.figures[i].static_sd)
                           .set("static_sd_from", to_string(robot.profile.figures[i].static_sd_from)));
    }
    Json settings = Json::array();
    for (const OptionValue& option : own) {
      settings.push_back(Json::object()
                             .set("option", option.group + "." + option.info.name)
                             .set("value", option.value)
                             .set("unit", option.info.unit)
                             .set("source", option.source));
    }
    for (const Endpoint& e : robot.profile.endpoints) {
      endpoints.push_back(Json::object()
                              .set("frame", e.frame)
                              .set("label", e.label)
                              .set("kind", to_string(e.kind))
                              .set("group", e.group));
    }
    for (const NamedPose& p : robot.profile.poses) poses.push_back(p.name);
    return Json::object()
        .set("name", robot.profile.name)
        .set("title", robot.profile.title)
        .set("base", to_string(m.base()))
        .set("base_source", to_string(robot.profile.base_source))
        .set("limbs", limb_count(m.description()))
        .set("nq", m.nq())
        .set("nv", m.nv())
        .set("total_mass_kg", m.total_mass())
        .set("model_sha256", m.description().sha256)
        .set("reference_joint", text_or_null(robot.profile.reference_joint))
        .set("imu_frame", text_or_null(robot.profile.imu.frame))
        .set("deployed_sign", to_json(robot.profile.deployed_sign))
        .set("reported_sign", to_string(robot.profile.reported_sign().first))
        .set("rated_load_kg", robot.profile.rated_load)
        .set("settings", std::move(settings))
        .set("motors", std::move(motors))
        .set("endpoints", std::move(endpoints))
        .set("poses", std::move(poses))
        .set("frames", to_json(m.frame_names()))
        .set("notes", to_json(m.description().notes))
        .set("provenance", robot.profile.provenance);
  }

  /// Where the two standard deviations of a joint come from.
  static std::string sources(const JointFigures& figures) {
    const auto name = [](FigureSource source) {
      return source == FigureSource::effort_limit ? std::string("effort") : std::string(to_string(source));
    };
    if (figures.torque_sd_from == figures.static_sd_from) return name(figures.torque_sd_from);
    return name(figures.torque_sd_from) + ", " + name(figures.static_sd_from);
  }

  static std::string to_text(const Robot& robot, const std::vector<std::string>& frames,
                             const std::vector<OptionValue>& own) {
    const RobotModel& m = robot.model;
    std::string text =
        heading(robot.profile.title) +
        wrapped(base_line(robot) + ", nq " + std::to_string(m.nq()) + ", nv " + std::to_string(m.nv()) + ", " +
                    std::to_string(m.motor_count()) + " motors, " + fixed(m.total_mass(), 3) + " kg",
                2);
    if (!robot.profile.reference_joint.empty())
      text += "  reference joint: " + printable(robot.profile.reference_joint) + "\n";
    if (!robot.profile.imu.frame.empty()) {
      text += "  IMU: " + printable(robot.profile.imu.frame) +
              " (deployed code feeds its quaternion to: " + std::string(to_string(robot.profile.imu.deployed_as)) +
              ")\n";
    }
    const auto [sign, sign_from] = robot.profile.reported_sign();
    text += wrapped("sign of forces: " + std::string(to_string(sign)) + " (" + sign_from + ")", 2);
    TextTable motors(
        {"motor", "joint", "label", "lower rad", "upper rad", "effort N·m", "torque sd", "static sd", "sd from"});
    for (int i = 0; i < m.motor_count(); ++i) {
      motors.add({std::to_string(i), m.motor_names()[i], robot.profile.motor_labels[i], fixed(m.lower_limits()[i], 3),
                  fixed(m.upper_limits()[i], 3), fixed(m.effort_limits()[i], 0),
                  fixed(robot.profile.figures[i].torque_sd, 2), fixed(robot.profile.figures[i].static_sd, 2),
                  sources(robot.profile.figures[i])});
    }
    TextTable endpoints({"endpoint", "label", "kind"});
    for (const Endpoint& e : robot.profile.endpoints) endpoints.add({e.frame, e.label, std::string(to_string(e.kind))});
    text += heading("Motors") + motors.text();
    if (!endpoints.empty()) text += heading("Endpoints") + endpoints.text();
    TextTable settings({"setting", "value", "unit", "from"});
    for (const OptionValue& o : own) settings.add({o.group + "." + o.info.name, o.value, o.info.unit, o.source});
    text += heading("Settings that are this robot's own") + settings.text();
    if (frames.empty()) {
      text += wrapped(
          "Force limits and priors follow the frames at which forces are estimated: name them with --endpoint.", 2);
    }
    std::string poses;
    for (const NamedPose& p : robot.profile.poses) poses += (poses.empty() ? "" : ", ") + p.name;
    if (!poses.empty()) text += "\n  Poses: " + printable(poses) + "\n";
    for (const std::string& note : m.description().notes) text += wrapped("Note: " + note, 2);
    return text + wrapped(robot.profile.provenance, 2);
  }
};

}  // namespace

void add_robot(CLI::App& app, Run& run) {
  auto command = std::make_shared<RobotCommand>();
  CLI::App* verb = app.add_subcommand("robot", "list the robots, or show one");
  verb->add_option("name", command->choice.robot, "a name, a .toml profile or a .urdf; none: list them")
      ->option_text("NAME|FILE");
  verb->add_option("--endpoint,-e", command->endpoints, "frame or label whose force limits are shown (repeatable)")
      ->option_text("FRAME")
      ->take_all()
      ->allow_extra_args(false);
  command->choice.add_model_options_to(*verb);
  verb->add_flag("--json", command->json, "print JSON instead of tables");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
