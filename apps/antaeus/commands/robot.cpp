// antaeus robot: what Antaeus knows of a robot, and a profile of one that it does not know.
#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "antaeus/audit/audit.hpp"
#include "antaeus/audit/audit_options.hpp"
#include "antaeus/check/describe.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/json_fields.hpp"
#include "antaeus/io/shell_words.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/robot/limbs.hpp"
#include "antaeus/robot/robot_meshes.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "command.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

struct ListedRobot {
  std::string name, title;
  int motors;
  double total_mass;
};
constexpr void visit_fields(const ListedRobot*, auto&& visit) {
  visit(file_field("name", "", &ListedRobot::name));
  visit(file_field("title", "", &ListedRobot::title));
  visit(file_field("motors", "", &ListedRobot::motors));
  visit(file_field("total_mass", "kg", &ListedRobot::total_mass));
}

struct ShownMotor {
  const Robot& robot;
  int at;
  const JointFigures& figures() const { return robot.profile.figures[static_cast<std::size_t>(at)]; }
};
constexpr void visit_fields(const ShownMotor*, auto&& visit) {
  using M = ShownMotor;
  visit(file_field("joint", "", [](const M& m) { return m.robot.model.motor_names()[m.at]; }));
  visit(file_field("label", "", [](const M& m) { return m.robot.profile.motor_labels[m.at]; }));
  visit(file_field("lower", "", [](const M& m) { return m.robot.model.lower_limits()[m.at]; }));
  visit(file_field("upper", "", [](const M& m) { return m.robot.model.upper_limits()[m.at]; }));
  visit(file_field("effort_limit", "", [](const M& m) { return m.robot.model.effort_limits()[m.at]; }));
  visit(file_field("velocity_limit", "", [](const M& m) { return m.robot.model.velocity_limits()[m.at]; }));
  visit(file_field("torque_sd", "", [](const M& m) { return m.figures().torque_sd; }));
  visit(file_field("torque_sd_from", "", [](const M& m) { return m.figures().torque_sd_from; }));
  visit(file_field("static_sd", "", [](const M& m) { return m.figures().static_sd; }));
  visit(file_field("static_sd_from", "", [](const M& m) { return m.figures().static_sd_from; }));
}

struct ShownSetting {
  const OptionValue& option;
};
constexpr void visit_fields(const ShownSetting*, auto&& visit) {
  using S = ShownSetting;
  visit(file_field("option", "", [](const S& s) { return s.option.group + "." + s.option.info.name; }));
  visit(file_field("value", "", [](const S& s) { return s.option.value; }));
  visit(file_field("unit", "", [](const S& s) { return s.option.info.unit; }));
  visit(file_field("source", "", [](const S& s) { return s.option.source; }));
}

struct ShownRobot {
  const Robot& robot;
  const std::vector<OptionValue>& own;
  const RobotFacts& facts;
  const std::vector<std::string>& senses;
  const RobotProfile& profile() const { return robot.profile; }
  const RobotModel& model() const { return robot.model; }
  std::vector<ShownMotor> motors() const {
    std::vector<ShownMotor> all;
    for (int i = 0; i < model().motor_count(); ++i) all.push_back({robot, i});
    return all;
  }
};
constexpr void visit_fields(const ShownRobot*, auto&& visit) {
  using R = ShownRobot;
  visit(file_field("name", "", [](const R& r) { return r.profile().name; }));
  visit(file_field("title", "", [](const R& r) { return r.profile().title; }));
  visit(file_field("base", "", [](const R& r) { return r.model().base(); }));
  visit(file_field("base_source", "", [](const R& r) { return r.profile().base_source; }));
  visit(file_field("limbs", "", [](const R& r) { return limb_count(r.model().description()); }));
  visit(file_field("nq", "", [](const R& r) { return r.model().nq(); }));
  visit(file_field("nv", "", [](const R& r) { return r.model().nv(); }));
  visit(file_field("total_mass", "kg", [](const R& r) { return r.model().total_mass(); }));
  visit(file_field("payloads", "", [](const R& r) { return r.model().options().payloads; }));
  visit(file_field("model_sha256", "", [](const R& r) { return r.model().description().sha256; }));
  visit(file_field("reference_joint", "", [](const R& r) { return r.profile().reference_joint; }).or_null());
  visit(file_field("imu_frame", "", [](const R& r) { return r.profile().imu.frame; }).or_null());
  visit(file_field("deployed_sign", "", [](const R& r) { return r.profile().deployed_sign; }));
  visit(file_field("reported_sign", "", [](const R& r) { return r.profile().reported_sign().first; }));
  visit(file_field("rated_load", "kg", [](const R& r) { return r.profile().rated_load; }));
  visit(file_field("settings", "",
                   [](const R& r) { return list_json(r.own, [](auto& o) { return to_json(ShownSetting{o}); }); }));
  visit(file_field("motors", "", [](const R& r) { return r.motors(); }));
  visit(file_field("endpoints", "", [](const R& r) { return r.profile().endpoints; }));
  visit(file_field("poses", "", [](const R& r) { return r.robot.pose_names(); }));
  visit(file_field("frames", "", [](const R& r) { return r.model().frame_names(); }));
  visit(file_field("joints", "", [](const R& r) { return r.facts.joints; }));
  visit(file_field("frames_to_touch", "", [](const R& r) { return r.facts.endpoints; }));
  visit(file_field("senses", "", [](const R& r) { return r.senses; }));
  visit(file_field("missing", "", [](const R& r) { return r.facts.missing; }));
  visit(file_field("notes", "", [](const R& r) { return note_texts(r.model().description().notes); }));
  visit(file_field("note_details", "", [](const R& r) { return r.model().description().notes; }));
  visit(file_field("provenance", "", [](const R& r) { return r.profile().provenance; }));
}

struct RobotCommand {
  RobotChoice choice;
  std::vector<std::string> endpoints;
  bool json = false, force = false;
  std::string profile, log, out;

  int run() const {
    if (choice.robot.empty()) {
      for (const auto& [option, value] : {std::pair{"--write", &profile}, {"--log", &log}, {"--out", &out}}) {
        if (!value->empty()) throw OptionsError(option, "no robot is named", "give a .urdf, an MJCF .xml or a name");
      }
      return list();
    }
    if (profile.empty() && (!log.empty() || force)) {
      throw OptionsError(log.empty() ? "--force" : "--log", "it is for --write alone", "add --write profile.toml");
    }
    std::error_code absent;
    if (!profile.empty() && !force && std::filesystem::exists(std::filesystem::symlink_status(profile, absent))) {
      throw OptionsError("--write", "'" + profile + "' exists already", "name another file, or replace it by --force");
    }
    const Robot robot = choice.load();
    return profile.empty() ? show(robot) : write(robot);
  }

  int write(const Robot& robot) const {
    if (!robot.model.options().payloads.empty()) {
      throw OptionsError("--payload", "a described profile holds none", "add [[payload]] to the file that is written");
    }
    const RobotFacts facts = describe(robot, log);
    write_described_profile(facts, profile);
    print(json ? to_json(facts).dump() + "\n" : written_text(facts));
    return kFine;
  }

  std::string written_text(const RobotFacts& facts) const {
    std::string text = heading("Profile of " + printable(facts.title) + ": " + printable(profile));
    const auto say = [&](const std::string& line) { text += wrapped("• " + line, 2); };
    say(std::to_string(facts.motors.size()) + (facts.motors.size() == 1 ? " motor" : " motors") + ", base " +
        (facts.base == Base::fixed ? "fixed" : "floating") + " (" + facts.base_why + ")");
    for (const EndpointFacts& e : facts.endpoints) {
      if (e.chosen)
        say(std::string(to_string(e.endpoint.kind)) + " " + e.endpoint.frame + " (" + e.endpoint.label + "): " + e.why);
    }
    if (!facts.imu_frame.empty() && facts.base == Base::free_flyer)
      say("IMU " + facts.imu_frame + ": " + facts.imu_why);
    if (!facts.log.empty()) {
      for (const LogChannelFacts& c : facts.log_channels) say("log, " + c.channel + ": " + c.source);
      for (const Note& note : facts.log_notes) say("log: " + note_text(note, FrontEnd::command_line));
    }
    for (const Note& guess : facts.guesses) say("guessed: " + note_text(guess, FrontEnd::command_line));
    if (!facts.missing.empty()) text += heading("Missing in the description");
    for (const std::string& one : facts.missing) say(one);
    return text + "\n" +
           wrapped("Use it as --robot " + shell_word(profile) +
                       (log.empty() ? "; with --log LOG its columns are found too." : "."),
                   2, "--robot " + shell_word(profile));
  }

  /// What writes a profile of it.
  std::string write_command() const {
    return "antaeus robot " + file_word(choice.robot, folder_of(choice.robot)) + " --write profile.toml";
  }

  int show(const Robot& robot) const {
    const std::vector<std::string> frames = endpoints.empty() && robot.profile.endpoints.empty()
                                                ? endpoints
                                                : robot.endpoint_frames(endpoints, "--endpoint");
    const Settings settings = robot.settings(frames);
    std::vector<std::string> shown = frames;
    for (const Endpoint& endpoint : robot.profile.endpoints) shown.push_back(endpoint.frame);
    const bool any_foot =
        std::ranges::any_of(shown, [&](const auto& frame) { return robot.kind_of(frame) == EndpointKind::foot; });
    const bool fixed = robot.model.base() == Base::fixed;
    std::vector<OptionValue> own;
    for (OptionValue& option : list_audit_options(audit_options(settings), settings)) {
      // A fixed arm has no foot to set down, and none that carries its weight.
      const bool of_feet = std::string_view(option.info.name).find("foot") != std::string_view::npos;
      if (of_feet && !any_foot && (fixed || std::string_view(option.info.name) == "foot_force_limit")) continue;
      if (option.source != option.info.source) own.push_back(std::move(option));
    }
    const RobotFacts facts = describe(robot);
    const std::vector<std::string> senses = sensed_sentences(robot, frames, settings.get<PosteriorOptions>());
    const std::string summary = to_json(ShownRobot{robot, own, facts, senses}).dump() + "\n";
    std::string written;
    if (!out.empty()) {
      std::shared_ptr<const MeshFiles> meshes;
      if (!choice.ignore_meshes) {
        meshes = std::make_shared<MeshFiles>(read_meshes(robot.model.description(), nullptr));
      }
      const Page page = robot_page(robot, facts, std::move(meshes), write_command());
      FileSet files(out);
      files.add("report.html", html_page(page));
      files.add("summary.json", summary);
      files.commit();
      written = "\n  Written to " + printable(out) + ": report.html, summary.json\n";
    }
    print(json ? summary : to_text(robot, frames, own, facts, senses) + written);
    return kFine;
  }

  int list() const {
    std::vector<ListedRobot> robots;
    TextTable table({"robot", "title", "motors", "mass kg"});
    for (const std::string& known : robot_names()) {
      const Robot robot = load_robot(known, MeshPolicy::ignored);
      robots.push_back({known, robot.profile.title, robot.model.motor_count(), robot.model.total_mass()});
      const ListedRobot& r = robots.back();
      table.add({r.name, r.title, std::to_string(r.motors), fixed(r.total_mass, 3)});
    }
    print(json ? Json::object().set("robots", to_json(robots)).dump() + "\n"
               : heading("Robots that come with Antaeus") + table.text());
    return kFine;
  }

  /// Where the two standard deviations of a joint come from.
  static std::string sources(const JointFigures& figures) {
    const auto name = [](FigureSource source) {
      return source == FigureSource::effort_limit ? std::string("effort") : std::string(to_string(source));
    };
    if (figures.torque_sd_from == figures.static_sd_from) return name(figures.torque_sd_from);
    return name(figures.torque_sd_from) + ", " + name(figures.static_sd_from);
  }

  /// From −3.1 to 3.1 rad: the tree, one line a joint that moves.
  static std::string joints_text(const Robot& robot, const RobotFacts& facts) {
    TextTable table({"joint", "parent", "lower", "upper", "unit", "link kg", "use"});
    std::map<std::string, std::string> indent;
    for (const JointFacts& j : facts.joints) {
      const bool moves = j.use != JointUse::fixed;
      const std::string before = indent[j.joint.parent];
      indent[j.joint.child] = before + (moves ? "· " : "");
      if (!moves) continue;
      table.add({before + printable(j.joint.name), printable(j.joint.parent), fixed(j.joint.lower, 3),
                 fixed(j.joint.upper, 3), j.slides() ? "m" : "rad", fixed(j.mass, 3),
                 std::string(to_string(j.use)) + (j.why.empty() ? "" : ": " + j.why)});
    }
    return table.empty() ? "" : heading("Tree of " + printable(robot.model.description().root)) + table.text();
  }

  static std::string to_text(const Robot& robot, const std::vector<std::string>& frames,
                             const std::vector<OptionValue>& own, const RobotFacts& facts,
                             const std::vector<std::string>& senses) {
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
        {"motor", "joint", "label", "lower", "upper", "unit", "effort", "torque sd", "static sd", "unit", "sd from"});
    std::set<std::string> sliding;
    for (const JointFacts& j : facts.joints) {
      if (j.slides()) sliding.insert(j.joint.name);
    }
    for (int i = 0; i < m.motor_count(); ++i) {
      const bool slides = sliding.contains(m.motor_names()[i]);
      motors.add({std::to_string(i), m.motor_names()[i], robot.profile.motor_labels[i], fixed(m.lower_limits()[i], 3),
                  fixed(m.upper_limits()[i], 3), slides ? "m" : "rad", fixed(m.effort_limits()[i], 0),
                  fixed(robot.profile.figures[i].torque_sd, 2), fixed(robot.profile.figures[i].static_sd, 2),
                  slides ? "N" : "N·m", sources(robot.profile.figures[i])});
    }
    TextTable endpoints({"endpoint", "label", "kind", "why"});
    for (const Endpoint& e : robot.profile.endpoints)
      endpoints.add({e.frame, e.label, std::string(to_string(e.kind)), "of the profile"});
    const bool found = endpoints.empty();
    for (const EndpointFacts& e : facts.endpoints) {
      if (!found || !e.chosen) continue;
      endpoints.add(
          {printable(e.endpoint.frame), printable(e.endpoint.label), std::string(to_string(e.endpoint.kind)), e.why});
    }
    text += heading("Motors") + motors.text() + joints_text(robot, facts);
    if (!endpoints.empty())
      text += heading(found ? "Contact points (no profile; from tree and names)" : "Endpoints") + endpoints.text();
    if (!senses.empty()) text += heading("What limbs sense of a force");
    for (const std::string& one : senses) text += wrapped("• " + one, 2);
    if (!facts.missing.empty()) text += heading("Missing in the description");
    for (const std::string& one : facts.missing) text += wrapped("• " + one, 2);
    TextTable settings({"setting", "value", "unit", "from"});
    for (const OptionValue& o : own) settings.add({o.group + "." + o.info.name, o.value, o.info.unit, o.source});
    text += heading("Settings that are this robot's own") + settings.text();
    if (frames.empty()) {
      text += wrapped(
          "Force limits and priors follow the frames at which forces are estimated: name them with --endpoint.", 2);
    }
    std::string poses;
    for (const std::string& name : robot.pose_names()) poses += (poses.empty() ? "" : ", ") + name;
    text += "\n  Poses: " + printable(poses) + "\n";
    if (robot.profile.file.empty()) {
      text += "  A profile of it; with --log LOG its columns are found too:\n    antaeus robot " +
              printable(shell_word(robot.profile.model.string())) + " --write profile.toml\n";
    }
    return text + wrapped(robot.profile.provenance, 2);
  }
};

}  // namespace

void add_robot(CLI::App& app, Run& run) {
  auto command = std::make_shared<RobotCommand>();
  CLI::App* verb = app.add_subcommand("robot", "list the robots, show one, or write a profile of another robot");
  verb->add_option("ROBOT", command->choice.robot,
                   "a name, a .toml profile, a .urdf or an MJCF .xml; without it: list the robots")
      ->option_text(" ");
  verb->add_option("--endpoint,-e", command->endpoints,
                   "frame or label whose force limits and unobservable directions are shown (repeatable)")
      ->option_text("FRAME")
      ->take_all()
      ->allow_extra_args(false);
  command->choice.add_model_options_to(*verb);
  verb->add_option("--write", command->profile,
                   "write a commented profile: motors, limbs, endpoints, base, IMU; guesses are marked")
      ->option_text("FILE.toml");
  verb->add_option("--log", command->log, "a log of the robot; the profile takes its motors, order and columns")
      ->option_text("LOG");
  verb->add_flag("--force", command->force, "replace an existing file");
  verb->add_option("--out,-o", command->out, "folder for report.html and summary.json")->option_text("DIR");
  verb->add_flag("--json", command->json, "print JSON instead of tables");
  verb->footer("Example: antaeus robot my_arm.urdf --write profile.toml --log free_motion.csv");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
