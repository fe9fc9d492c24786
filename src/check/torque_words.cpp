#include "check/torque_words.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "check/channel_faults.hpp"
#include "check/unit_numbers.hpp"

namespace antaeus::detail {

namespace {

std::string with_sd(double size, double sd) {
  return figure(size) + (std::isfinite(sd) && sd > 0.0 ? " ± " + significant_text(sd, 1) : "");
}

}  // namespace

bool beyond_clean(const Robot& robot, const Hypothesis& h) {
  // What clean robots have: gains within exp(±0.35), zeros to 0.06 rad, tilts to 6°, loads to 6 % of the mass, torques
  // up to 20 ms late (docs/guide/check.md).
  switch (h.fault) {
    case Fault::torque_gain:
      if (!h.sizes.empty())
        return std::ranges::any_of(h.sizes, [](double g) { return g < 0.0 || std::abs(std::log(g)) > kCleanGain; });
      return h.size < 0.0 || std::abs(std::log(h.size)) > kCleanGain;
    case Fault::position_offset: return std::abs(h.size) > 0.06;
    case Fault::base_tilted: return h.size > 6.0 / kDegreesPerRadian;
    case Fault::payload: return std::abs(h.size) > 0.06 * robot.model.total_mass();
    case Fault::torque_late: return std::abs(h.size) >= 0.02;
    case Fault::external_force: return false;
    default: return true;
  }
}

Finding finding_of(const Robot& robot, const Hypothesis& h) {
  Finding finding;
  finding.fault = h.fault;
  finding.channel = "tau";
  finding.size = h.size;
  finding.sd = h.sd;
  finding.sizes = h.sizes;
  std::string joints;
  for (const int j : h.motors) {
    finding.joints.push_back(robot.model.motor_names()[static_cast<std::size_t>(j)]);
    joints += (joints.empty() ? "" : ", ") + finding.joints.back();
  }
  std::string quoted;
  for (const std::string& joint : finding.joints) quoted += (quoted.empty() ? "\"" : ", \"") + joint + "\"";
  finding.severity = beyond_clean(robot, h) ? Severity::error : Severity::note;
  switch (h.fault) {
    case Fault::torque_sign:
      finding.size = -1.0;
      finding.sd = 0.0;
      finding.unit = "1";
      if (h.motors.empty()) {
        finding.text = "all torques have the opposite sign: the model explains them after a change of sign";
        finding.remedy = "set sign = -1 in [torque] of the profile (" + arg(Input::fix) + ")";
      } else {
        finding.text = "the torque of " + joints + " has the opposite sign";
        finding.remedy =
            "set [[joint_figures]] joints = [" + quoted + "], scale = -1 in the profile (" + arg(Input::fix) + ")";
        if (!h.sizes.empty()) {
          finding.sizes.clear();
          finding.joints.clear();
          for (std::size_t i = 0; i < h.motors.size(); ++i) {
            if (h.sizes[i] >= 0.0) continue;
            finding.joints.push_back(robot.model.motor_names()[static_cast<std::size_t>(h.motors[i])]);
            finding.sizes.push_back(-1.0);
          }
        }
      }
      break;
    case Fault::torque_gain: {
      finding.unit = "per N·m";
      const bool each = !h.sizes.empty();
      bool alike = true;
      if (each) {
        for (const double g : h.sizes) alike = alike && std::abs(std::log(std::abs(g / h.sizes.front()))) < 0.7;
      }
      const double size = std::abs(h.size);
      const bool all = h.motors.empty() || static_cast<int>(h.motors.size()) == robot.model.motor_count();
      if (all && size > 1.0 / 400.0 && size < 1.0 / 25.0 && alike) {
        finding.fault = Fault::motor_side;
        finding.text = "the torques are those of the motors before their gears: " + figure(1.0 / size) +
                       " times smaller than those of the joints";
        finding.remedy = "multiply by each joint's gear ratio: gear in [[joint_figures]] of the profile (" +
                         arg(Input::fix) +
                         " writes the ratios "
                         "found as scale)";
        finding.alternatives.emplace_back(to_string(Fault::torque_gain));
      } else if (h.motors.empty()) {
        finding.text = std::abs(std::log(size / 1000.0)) < 0.3 ? "the torques are in thousandths of a newton metre"
                                                               : "the torques are " + with_sd(h.size, h.sd) +
                                                                     " per N·m: another unit, as amperes or percent";
        finding.remedy = "divide them by " + figure(h.size) + ": scale in [[joint_figures]] of the profile (" +
                         arg(Input::fix) + ")";
      } else {
        std::string sizes;
        for (const double g : h.sizes) sizes += (sizes.empty() ? "" : ", ") + figure(g);
        finding.text = "the torque of " + joints + " reads " + (each ? sizes : with_sd(h.size, h.sd)) + " per N·m" +
                       (h.size < 0.0 ? ": another sign and unit" : ": a gear, or another unit");
        finding.remedy =
            "divide by it: [[joint_figures]] joints = [" + quoted + "], scale in the profile (" + arg(Input::fix) + ")";
      }
      break;
    }
    case Fault::torque_late:
      finding.unit = "s";
      finding.text = "the torques come " + with_sd(1000.0 * h.size, 1000.0 * h.sd) + " ms after the positions";
      finding.remedy = "align them: channels.torque_delay = " + figure(h.size) + " in a profile (" + arg(Input::fix) +
                       "), or fix the stamps";
      break;
    case Fault::torque_order:
      finding.text = "the torque columns of " + joints + " are in another order";
      finding.remedy = "exchange these columns, or set channels.torque_order in a profile (" + arg(Input::fix) + ")";
      break;
    case Fault::gravity_removed:
      finding.text = "gravity has been taken out of the torques: what is left is inertia and friction";
      finding.remedy = "log the torque of the motors, before the controller's gravity compensation is subtracted";
      break;
    case Fault::payload: {
      finding.channel = "model";
      finding.unit = "kg";
      finding.text = h.size > 0.0 ? "the robot carries " + with_sd(h.size, h.sd) + " kg more at its last link (" +
                                        h.detail + ") than the description"
                                  : "the last link (" + h.detail + ") is " + with_sd(-h.size, h.sd) +
                                        " kg lighter than the description: a hand or tool is missing";
      finding.remedy = h.size > 0.0 ? "state it: " + arg(Input::payload, "FRAME=" + figure(h.size)) +
                                          ", or [[payload]] in the profile"
                                    : "use the description without that hand or tool";
      break;
    }
    case Fault::base_tilted:
      finding.channel = "model";
      finding.unit = "rad";
      finding.text = h.size > 2.8 ? "the robot hangs upside down: gravity is opposite"
                                  : "the base is tilted by " + figure(kDegreesPerRadian * h.size) +
                                        "° against the profile's gravity";
      if (h.sizes.size() == 3) {
        finding.remedy = "set gravity = [" + figure(h.sizes[0]) + ", " + figure(h.sizes[1]) + ", " +
                         figure(h.sizes[2]) + "] in the profile";
      }
      break;
    case Fault::position_offset:
      finding.channel = "qpos";
      finding.unit = "rad";
      finding.text =
          "the position of " + joints + " reads " + with_sd(h.size, h.sd) + " too much: its zero lies elsewhere";
      finding.remedy =
          "set the zero of " + joints + ", or channels.position_offset in a profile (" + arg(Input::fix) + ")";
      break;
    case Fault::position_sign:
      finding.channel = "qpos";
      finding.size = -1.0;
      finding.sd = 0.0;
      finding.unit = "1";
      finding.text = "the position of " + joints + " counts the other way";
      finding.remedy = "change the sign of qpos and dq of " + joints +
                       ": channels.position_scale = -1 there in a profile (" + arg(Input::fix) + ")";
      break;
    case Fault::positions_degrees:
      finding.channel = "qpos";
      finding.unit = "1/rad";
      finding.text = "positions are in degrees: the torques show it";
      finding.remedy = "convert qpos to radians, or set channels.position_scale = 0.0174532925 in a profile (" +
                       arg(Input::fix) + ")";
      break;
    case Fault::joint_order:
      finding.channel = "qpos";
      finding.text = "the positions of " + joints + " are in another order";
      finding.remedy = "exchange these columns of qpos and dq, or set channels.position_order in a profile (" +
                       arg(Input::fix) + ")";
      break;
    case Fault::other_robot:
      finding.channel = "model";
      finding.text = h.detail.empty()
                         ? "no single fault explains the torques: another robot than the description, or several faults"
                         : "the torques are those of the " + h.detail + ", not of the " + robot.profile.name;
      finding.remedy = h.detail.empty() ? "check which robot made the log; then one channel after the other"
                                        : "use " + arg(Input::robot, h.detail);
      break;
    case Fault::external_force:
      finding.channel = "tau";
      finding.unit = "N";
      finding.text = "a force of up to " + figure(h.size) + " N at " + h.detail +
                     " explains the torques better than any configuration error";
      finding.remedy = "record without contact to check the configuration";
      break;
    default: break;
  }
  return finding;
}

std::string what_would_tell(Fault fault) {
  switch (fault) {
    case Fault::torque_gain: return "between 0.75 and 1.35 it looks like the description's error; weigh a known load";
    case Fault::torque_late: return "move faster";
    case Fault::position_offset: return "make contact at a known position, or carry a load off the axis";
    case Fault::position_sign: return "look at it move";
    case Fault::payload: return "the same motion without the load";
    case Fault::base_tilted: return "move joints whose axes are not vertical";
    case Fault::torque_order:
    case Fault::joint_order: return "move each joint by itself";
    case Fault::gravity_removed: return "move a joint that gravity loads";
    default: return "move each joint by 0.5 rad without contact";
  }
}

}  // namespace antaeus::detail
