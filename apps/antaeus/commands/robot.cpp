// antaeus robot: what Antaeus knows of a robot.
#include "antaeus/io/json.hpp"
#include "antaeus/robot/limbs.hpp"
#include "command.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

struct RobotCommand {
  RobotChoice choice;
  bool json = false;

  int run() const {
    if (choice.robot.empty()) return list();
    const Robot robot = choice.load();
    print(json ? to_json(robot).dump() + "\n" : to_text(robot));
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

  static Json to_json(const Robot& robot) {
    const RobotModel& m = robot.model;
    Json motors = Json::array(), endpoints = Json::array(), poses = Json::array(), notes = Json::array(),
         frames = Json::array();
    for (int i = 0; i < m.motor_count(); ++i) {
      motors.push_back(Json::object()
                           .set("joint", m.motor_names()[i])
                           .set("label", robot.profile.motor_labels[i])
                           .set("lower", m.lower_limits()[i])
                           .set("upper", m.upper_limits()[i])
                           .set("effort_limit", m.effort_limits()[i])
                           .set("velocity_limit", m.velocity_limits()[i]));
    }
    for (const Endpoint& e : robot.profile.endpoints) {
      endpoints.push_back(Json::object()
                              .set("frame", e.frame)
                              .set("label", e.label)
                              .set("kind", to_string(e.kind))
                              .set("group", e.group));
    }
    for (const NamedPose& p : robot.profile.poses) poses.push_back(p.name);
    for (const std::string& f : m.frame_names()) frames.push_back(f);
    for (const std::string& n : m.description().notes) notes.push_back(n);
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
        .set("reference_joint", robot.profile.reference_joint.empty() ? Json() : Json(robot.profile.reference_joint))
        .set("imu_frame", robot.profile.imu.frame.empty() ? Json() : Json(robot.profile.imu.frame))
        .set("deployed_sign", to_string(robot.profile.deployed_sign))
        .set("motors", std::move(motors))
        .set("endpoints", std::move(endpoints))
        .set("poses", std::move(poses))
        .set("frames", std::move(frames))
        .set("notes", std::move(notes))
        .set("provenance", robot.profile.provenance);
  }

  static std::string to_text(const Robot& robot) {
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
    TextTable motors({"motor", "joint", "label", "lower rad", "upper rad", "effort N·m"});
    for (int i = 0; i < m.motor_count(); ++i) {
      motors.add({std::to_string(i), m.motor_names()[i], robot.profile.motor_labels[i], fixed(m.lower_limits()[i], 3),
                  fixed(m.upper_limits()[i], 3), fixed(m.effort_limits()[i], 0)});
    }
    TextTable endpoints({"endpoint", "label", "kind"});
    for (const Endpoint& e : robot.profile.endpoints) endpoints.add({e.frame, e.label, std::string(to_string(e.kind))});
    text += heading("Motors") + motors.text();
    if (!endpoints.empty()) text += heading("Endpoints") + endpoints.text();
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
  command->choice.add_model_options_to(*verb);
  verb->add_flag("--json", command->json, "print JSON instead of tables");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
