// antaeus preflight: what this pose would do to a torque that nobody ordered.
#include "antaeus/estimation/preflight.hpp"

#include "antaeus/audit/summary.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/io/json.hpp"
#include "command.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

struct PreflightCommand {
  RobotChoice robot;
  Settings settings;
  std::string pose, positions, episode;
  std::vector<std::string> endpoints;
  int step = 0;
  bool json = false;

  int run() {
    if (!pose.empty() + !positions.empty() + !episode.empty() != 1) {
      throw OptionsError("preflight", "no pose, or more than one", "give one of --pose, --positions, --episode");
    }
    const Robot loaded = robot.load();
    const AuditOptions options = settings.options(loaded);
    VectorX q, target;
    if (!pose.empty()) q = loaded.pose(pose);
    if (!positions.empty()) q = parse_positions(loaded, positions);
    if (!episode.empty()) {
      const Episode log = load_episode(episode, loaded, options.episode);
      if (step >= log.steps()) {
        throw OptionsError("--step", std::to_string(step) + " is past the end",
                           "the log has steps 0 to " + std::to_string(log.steps() - 1));
      }
      q = log.q.row(step);
      if (log.target.rows() > 0) target = log.target.row(step);
    }
    const bool consumed = endpoints.empty() && !loaded.profile.deployed_endpoints.empty();
    const std::vector<std::string> frames =
        loaded.endpoint_frames(consumed ? loaded.profile.deployed_endpoints : endpoints);
    const PreflightReport report = preflight(loaded, frames, q, target, options.preflight);
    print(json ? to_json(report).dump() + "\n" : to_text(report, loaded));
    return report.passed ? kFine : kRefused;
  }

  static Json to_json(const PreflightReport& report) {
    Json json = Json::object().set("schema", "antaeus.preflight/1");
    const Json summary = preflight_summary(report);
    for (const auto& [key, value] : summary.members()) json.set(key, value);
    return json;
  }

  static std::string to_text(const PreflightReport& report, const Robot& loaded) {
    TextTable poses({"endpoint", "x m", "y m", "z m", "kappa", "kappa scaled", "sigma min", "gain Fz", "gain |F|"});
    for (const PoseConditioning& p : report.endpoints) {
      poses.add({p.endpoint, fixed(p.position.x(), 3), fixed(p.position.y(), 3), fixed(p.position.z(), 3),
                 fixed(p.kappa, 2), fixed(p.kappa_scaled, 2), fixed(p.sigma_min, 4), fixed(p.reference_gain[kFz], 3),
                 fixed(p.reference_force_gain, 3)});
    }
    TextTable checks({"check", "of", "value", "limit", "result"});
    for (const PreflightCheck& c : report.checks) {
      checks.add({c.name == "gain" ? "gain N/(N·m)" : "start error rad", c.subject, fixed(c.value, 3),
                  fixed(c.limit, 3), c.passed ? "pass" : "REFUSED"});
    }
    std::string text = heading("Pose (position in base axes; gain of " +
                               (loaded.profile.reference_joint.empty() ? std::string("no reference joint")
                                                                       : loaded.profile.reference_joint) +
                               " in N/(N·m); scaled by " + fixed(report.characteristic_length, 2) + " m)") +
                       poses.text();
    if (!checks.empty()) text += heading("Published checks") + checks.text();
    return text + "\n  " +
           (report.passed ? "Pre-flight passed.\n"
                          : "Pre-flight REFUSED: do not switch the consumer on in this pose.\n");
  }
};

}  // namespace

void add_preflight(CLI::App& app, Run& run) {
  auto command = std::make_shared<PreflightCommand>();
  CLI::App* verb = app.add_subcommand("preflight", "check a pose before the consumer is switched on");
  command->robot.add_to(*verb);
  verb->add_option("--pose", command->pose, "a pose that the robot's profile names")->option_text("NAME");
  verb->add_option("--positions", command->positions, "motor positions; joints that are not named are at zero")
      ->option_text("JOINT=RAD,...");
  verb->add_option("--episode", command->episode, "the pose (and targets) of a recorded step")->option_text("EPISODE");
  verb->add_option("--step", command->step, "which step of the episode (default 0)")
      ->check(CLI::NonNegativeNumber)
      ->option_text("N");
  verb->add_option("--endpoint,-e", command->endpoints,
                   "frame or label (repeatable; default: those that the consumer reads)")
      ->option_text("FRAME")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_flag("--json", command->json, "print JSON instead of tables");
  command->settings.add_to(*verb);
  verb->footer("Exit code 1: a check refused. Example: antaeus preflight --robot h1_2 --pose arm_waist_target");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
