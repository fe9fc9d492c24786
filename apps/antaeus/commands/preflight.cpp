// antaeus preflight: what this pose would do to a torque that nobody ordered, and what it lets torques tell.
#include "antaeus/pose/preflight.hpp"

#include <cmath>

#include "antaeus/audit/audit.hpp"
#include "antaeus/audit/audit_options.hpp"
#include "antaeus/audit/summary.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/io/json.hpp"
#include "antaeus/numerics/gains.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "command.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

/// [N·m] Error of one torque in the incident report's planar example.
constexpr double kTorqueError = 5.0;

struct PreflightCommand {
  RobotChoice robot;
  PoseChoice pose;
  EndpointChoice endpoints;
  bool json = false;

  int run() const {
    const Robot loaded = robot.load();
    const std::vector<std::string> frames = endpoints.frames(loaded);
    const AuditOptions options = audit_options(loaded, frames);
    VectorX target;
    std::optional<Eigen::Vector4d> imu;
    const LabelledPose posed = pose.load(loaded, options.episode, &target, &imu);
    const bool turns = imu && loaded.model.base() == Base::free_flyer && options.equation.imu != ImuUse::none;
    if (turns && !imu->allFinite()) {
      throw OptionsError("--step", "the IMU's quaternion of step " + std::to_string(pose.step) + " is not finite",
                         "take another step, or --set equation.imu=none");
    }
    const PreflightReport report =
        preflight(loaded, frames, posed.q, target, options.preflight, turns ? &*imu : nullptr);
    std::vector<Note> notes = pose_notes(loaded, posed.q, pose.typed(), frames);
    notes.insert(notes.end(), report.notes.begin(), report.notes.end());
    if (json) {
      Json out = with_base(with_notes(to_json(report), notes), loaded);
      if (loaded.profile.reference_joint.empty()) out.set("joint_readings", readings_json(report, loaded.model));
      if (imu) out.set("used_imu", report.used_imu);
      print(out.dump() + "\n");
    } else {
      print(to_text(report, loaded, notes, imu.has_value()));
    }
    return report.passed ? kFine : kRefused;
  }

  static Json to_json(const PreflightReport& report) {
    Json json = Json::object().set("schema", "antaeus.preflight/1");
    const Json summary = preflight_summary(report);
    for (const auto& [key, value] : summary.members()) json.set(key, value);
    return json;
  }

  static std::string knowledge(const PreflightReport& report) {
    TextTable table({"endpoint", "robot", "sd Fx", "sd Fy", "sd Fz", "worst", "in direction", "seen"});
    for (const PoseConditioning& p : report.endpoints) {
      for (const auto& [name, known] : {std::pair("at rest", &p.rest), std::pair("moving", &p.moving)}) {
        const Vector3 d = known->worst_direction();
        table.add({p.endpoint, name, fixed(known->axis_sd.x(), 1), fixed(known->axis_sd.y(), 1),
                   fixed(known->axis_sd.z(), 1), fixed(known->worst_sd(), 1), vector_text(d),
                   std::to_string(known->observable) + " of " + std::to_string(3 - known->insensible)});
      }
    }
    return heading("What torques can show of a force here: sd [N] before any is measured (static residual)") +
           table.text();
  }

  static std::string phantoms(const PreflightReport& report) {
    TextTable table({"endpoint", "estimator", "Fx N", "Fy N", "Fz N", "Mx N·m", "My N·m", "Mz N·m"});
    for (const PoseConditioning& p : report.endpoints) {
      for (const auto& [name, phantom] :
           {std::pair("deployed", &p.phantom), std::pair("posterior", &p.posterior_phantom)}) {
        std::vector<std::string> cells = {p.endpoint, name};
        for (int row = 0; row < 6; ++row) cells.push_back(fixed((*phantom)[row], 1));
        table.add(std::move(cells));
      }
    }
    return heading("Phantom: what no contact may read as, every residual up to " + fixed(report.budget_sd, 1) +
                   " × its static_sd") +
           table.text();
  }

  /// Calls back with each endpoint, each joint that moves it, and the force that an error of its torque reads as. For a
  /// robot without a reference joint: the first table has that joint's gain.
  template <class Use>
  static void each_reading(const PreflightReport& report, const RobotModel& model, Use&& use) {
    for (const PoseConditioning& p : report.endpoints) {
      for (const int m : model.supporting_motors(model.frame(p.endpoint))) {
        use(p.endpoint, report.joints[static_cast<std::size_t>(m)], kTorqueError * force_gain(p.gain, m));
      }
    }
  }
  static Json readings_json(const PreflightReport& report, const RobotModel& model) {
    Json list = Json::array();
    each_reading(report, model, [&](const std::string& endpoint, const std::string& joint, double force) {
      list.push_back(Json::object()
                         .set("endpoint", endpoint)
                         .set("joint", joint)
                         .set("error", kTorqueError)
                         .set("force_N", force));
    });
    return list;
  }
  static std::string readings(const PreflightReport& report, const RobotModel& model) {
    TextTable table({"endpoint", "joint", "|F| N"});
    each_reading(report, model, [&](const std::string& endpoint, const std::string& joint, double force) {
      table.add({endpoint, joint, fixed(force, 1)});
    });
    if (table.empty()) return {};
    return heading("Force that an error of " + fixed(kTorqueError, 0) + " N·m in one torque reads as, pinv(Jᵀ)") +
           table.text();
  }

  static std::string joints(const PreflightReport& report, const PoseConditioning& p, const RobotModel& model) {
    const auto told = [&](std::size_t j) {
      return !std::isnan(p.reliability.redundancy[static_cast<Eigen::Index>(j)]);
    };
    bool some = false;  // that slide: then the cells say the unit
    for (std::size_t j = 0; j < report.joints.size(); ++j)
      some = some || (told(j) && slides(model, static_cast<int>(j)));
    const std::string heads = some ? "" : " N·m";
    TextTable table({"joint", "redundancy", "found from" + heads, "force till then N", "any contact: from" + heads});
    for (std::size_t j = 0; j < report.joints.size(); ++j) {
      const auto at = static_cast<Eigen::Index>(j);
      const EndpointReliability& r = p.reliability;
      if (!told(j)) continue;
      const bool never = r.prior_free_redundancy[at] < kUndetectableRedundancy;
      const std::string unit = !some ? "" : slides(model, static_cast<int>(j)) ? " N" : " N·m";
      table.add({report.joints[j], fixed(r.redundancy[at], 4), fixed(r.minimal_detectable_bias[at], 2) + unit,
                 fixed(r.external_force[at], 1), never ? "never" : fixed(r.prior_free_bias[at], 2) + unit});
    }
    if (table.empty()) return {};
    return heading("Undetected torque errors, " + p.endpoint +
                   " (0.1 % false alarms, 80 % power; contact within the prior, of any size)") +
           table.text();
  }

  /// \param several  reference joints, so that one must be named
  /// \param slides  the joint that it is of
  static std::string check_title(const PreflightCheck& check, bool several, bool slides) {
    switch (check.kind) {
      case PreflightCheckKind::gain: return "gain N/(N·m)" + (several ? " of " + check.joint : std::string());
      case PreflightCheckKind::start_error: return slides ? "start error m" : "start error rad";
      case PreflightCheckKind::sd: return "sd N";
      case PreflightCheckKind::conditioning: return "torque errors N";
    }
    return {};
  }

  static std::string vector_text(const Vector3& v) {
    return "(" + fixed(v.x(), 2) + ", " + fixed(v.y(), 2) + ", " + fixed(v.z(), 2) + ")";
  }

  /// Why the conditioning refuses a pose, in one sentence an endpoint.
  static std::string singular(const PreflightReport& report, const Robot& loaded) {
    std::string text;
    for (std::size_t k = 0; k < report.endpoints.size(); ++k) {
      const PoseConditioning& p = report.endpoints[k];
      const PreflightCheck& check = report.conditioning_checks[k];
      if (check.passed) continue;
      const Vector3 force = p.error_direction.head<3>(), moment = p.error_direction.tail<3>();
      const bool blind = std::isinf(p.error_force);
      std::string what = "• " + p.endpoint + (blind ? " is singular" : " is nearly singular") + " here";
      if (p.whole_wrench) {
        what += " (kappa " + condition(p.kappa, 1);
        if (p.reference_force_gain > 0) what += " with the torque of " + loaded.profile.reference_joint;
        what += ')';
      }
      what += ": ";
      if (blind && p.error_direction.isZero(0.0)) {
        what += "no torque depends on a force there";
      } else {
        what += blind ? "no torque depends on "
                      : "torques that are each off by one sd (moving) read as " + fixed(p.error_force, 0) +
                            " N against a limit of " + fixed(check.limit, 0) + " N, along ";
        what += "the force " + vector_text(force);
        if (p.whole_wrench) {
          what += " N with the moment " + vector_text(moment * report.characteristic_length) + " N·m";
        } else {
          what += " N, taken for a force without moment";
        }
      }
      text += wrapped(what + ".", 2);
    }
    return text.empty() ? text : heading("Singular") + text;
  }

  /// \param logged  an IMU, in the episode that the pose was taken from
  static std::string to_text(const PreflightReport& report, const Robot& loaded, const std::vector<Note>& notes,
                             bool logged) {
    TextTable poses({"endpoint", "x m", "y m", "z m", "kappa", "kappa scaled", "sigma min", "gain Fz", "gain |F|"});
    for (const PoseConditioning& p : report.endpoints) {
      poses.add({p.endpoint, fixed(p.position.x(), 3), fixed(p.position.y(), 3), fixed(p.position.z(), 3),
                 condition(p.kappa, 2), condition(p.kappa_scaled, 2), fixed(p.sigma_min, 4),
                 fixed(p.reference_gain[kFz], 3), fixed(p.reference_force_gain, 3)});
    }
    const bool several = loaded.gain_motors().size() > 1;
    TextTable checks({"check", "of", "value", "limit", "whose", "result"});
    for (const auto* list : {&report.checks, &report.sd_checks, &report.conditioning_checks}) {
      for (const PreflightCheck& c : *list) {
        const bool own = c.kind == PreflightCheckKind::sd || c.kind == PreflightCheckKind::conditioning;
        const bool of_joint = c.kind == PreflightCheckKind::start_error;
        checks.add({check_title(c, several, of_joint && slides(loaded.model, loaded.model.motor(c.subject))), c.subject,
                    fixed(c.value, c.value < 1000 ? 3 : 0), fixed(c.limit, 3), own ? "Antaeus" : "published",
                    c.passed ? "pass" : "REFUSED"});
      }
    }
    std::string text = heading("Pose (position in base axes; gain of " +
                               (loaded.profile.reference_joint.empty() ? std::string("no reference joint")
                                                                       : loaded.profile.reference_joint) +
                               " in N/(N·m); scaled by " + fixed(report.characteristic_length, 2) + " m)") +
                       poses.text() + knowledge(report) + phantoms(report) +
                       (loaded.profile.reference_joint.empty() ? readings(report, loaded.model) : std::string());
    for (const PoseConditioning& p : report.endpoints) text += joints(report, p, loaded.model);
    if (!checks.empty()) text += heading("Checks") + checks.text();
    text += singular(report, loaded);
    std::string turned;
    if (logged) {
      turned = report.used_imu ? "\n  orientation: the logged IMU turns the base; forces and gains in world axes"
                               : "\n  orientation: upright; the logged IMU was not used (base fixed, or equation.imu)";
    }
    return text + "\n" + notes_text(notes) + "  " + base_line(loaded) + turned + "\n  " +
           (report.passed
                ? "Pre-flight passed.\n"
                : "Pre-flight REFUSED: do not switch the consumer on in this pose.\n  antaeus advise --limits "
                  "preflight looks for the nearest that passes.\n");
  }
};

}  // namespace

void add_preflight(CLI::App& app, Run& run) {
  auto command = std::make_shared<PreflightCommand>();
  CLI::App* verb = app.add_subcommand("preflight", "check a pose before the consumer is switched on");
  command->robot.add_to(*verb);
  command->pose.add_to(*verb);
  command->endpoints.add_to(*verb);
  verb->add_flag("--json", command->json, "print JSON instead of tables");
  verb->footer("Exit code 1: a check refused. Example: antaeus preflight --robot h1_2 --pose arm_waist_target");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
