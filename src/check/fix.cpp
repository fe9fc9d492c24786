// A finding becomes a key of the profile. Finding::size says what a channel reads for one unit of the truth.
#include "antaeus/check/fix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "antaeus/core/error.hpp"
#include "antaeus/episode/episode_reader.hpp"

namespace antaeus {

namespace {

class Fix {
 public:
  Fix(const Robot& robot, RobotProfile& profile)
      : robot_(robot),
        profile_(profile),
        map_(profile.channels),
        motors_(static_cast<std::size_t>(robot.model.motor_count())) {}

  /// \return whether the finding could be stated
  bool state(const Finding& finding) {
    finding_ = &finding;
    switch (finding.fault) {
      case Fault::time_unit: return is_scale(finding.size) && (map_.time_scale /= finding.size, true);
      case Fault::positions_degrees:
      case Fault::position_unit: return divide_positions(finding.channel.find("dq") != std::string::npos);
      case Fault::position_sign: return flip_positions();
      case Fault::position_offset: return take_off_offsets();
      // Velocities alone that stand in other columns: no key says that.
      case Fault::joint_order: return finding.channel != "dq" && reorder(map_.position_order, true);
      case Fault::torque_order: return reorder(map_.torque_order, false);
      case Fault::velocity_scale: return divide(map_.velocity_scale);
      case Fault::velocity_sign: return flip(map_.velocity_scale);
      case Fault::velocity_late: return add_delay(map_.velocity_delay);
      case Fault::torque_late: return add_delay(map_.torque_delay);
      case Fault::torque_sign: return flip_torques();
      case Fault::torque_gain:
      case Fault::motor_side: return divide_gains();
      case Fault::quaternion_order: return set_order();
      case Fault::quaternion_inverse: return (map_.quaternion_inverse = !map_.quaternion_inverse, true);
      case Fault::imu_link: return set_frame();
      case Fault::accelerometer_unit: return divide(map_.accelerometer_scale);
      case Fault::accelerometer_sign: return (map_.accelerometer_scale *= -1.0, true);
      case Fault::gyro_unit: return divide(map_.gyro_scale);
      case Fault::gyro_sign: return (map_.gyro_scale *= -1.0, true);
      default: return false;
    }
  }

 private:
  static bool is_scale(double value) { return std::isfinite(value) && value != 0.0; }

  /// Motors that the finding names; all where it names none.
  std::vector<std::size_t> motors() const {
    std::vector<std::size_t> all(motors_);
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (finding_->joints.empty()) return all;
    all.clear();
    for (const std::string& joint : finding_->joints) {
      all.push_back(static_cast<std::size_t>(motor_named(robot_.model, joint, "finding " + name())));
    }
    return all;
  }
  std::string name() const { return std::string(to_string(finding_->fault)); }
  double size_of(std::size_t at) const { return at < finding_->sizes.size() ? finding_->sizes[at] : finding_->size; }
  /// Calls function(motor, size) where every size can be divided by.
  template <class Function>
  bool for_each_scale(Function&& function) const {
    const std::vector<std::size_t> all = motors();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!is_scale(size_of(i))) return false;
    }
    for (std::size_t i = 0; i < all.size(); ++i) function(all[i], size_of(i));
    return true;
  }
  std::vector<double>& filled(std::vector<double>& list, double usual) const {
    if (list.empty()) list.assign(motors_, usual);
    return list;
  }

  bool divide(std::vector<double>& scale) const {
    return for_each_scale([&](std::size_t motor, double size) { filled(scale, 1.0)[motor] /= size; });
  }
  bool flip(std::vector<double>& scale) const {
    for (const std::size_t motor : motors()) filled(scale, 1.0)[motor] *= -1.0;
    return true;
  }
  bool divide(Vector3& scale) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!is_scale(size_of(axis))) return false;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) scale[static_cast<Eigen::Index>(axis)] /= size_of(axis);
    return true;
  }
  bool add_delay(double& delay) const { return std::isfinite(finding_->size) && (delay += finding_->size, true); }

  /// q = s r − o becomes (s r − o) / size.
  bool divide_positions(bool rates) {
    const bool done = divide(map_.position_scale) && (!rates || divide(map_.velocity_scale));
    if (!done || map_.position_offset.empty()) return done;
    return for_each_scale([&](std::size_t motor, double size) { map_.position_offset[motor] /= size; });
  }
  bool flip_positions() {
    if (!map_.position_offset.empty()) flip(map_.position_offset);
    return flip(map_.position_scale) && flip(map_.velocity_scale);
  }
  bool take_off_offsets() {
    const std::vector<std::size_t> all = motors();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!std::isfinite(size_of(i))) return false;
    }
    for (std::size_t i = 0; i < all.size(); ++i) filled(map_.position_offset, 0.0)[all[i]] += size_of(i);
    return true;
  }

  /// `sizes`: the column, as the log was checked, that holds each motor of `joints`, or of all.
  bool reorder(std::vector<int>& order, bool positions) {
    if (finding_->sizes.empty()) return false;
    std::vector<std::size_t> all = motors();
    if (finding_->sizes.size() == motors_ && all.size() != motors_) {
      all.resize(motors_);
      std::iota(all.begin(), all.end(), std::size_t{0});
    }
    std::vector<std::size_t> column(motors_);
    std::iota(column.begin(), column.end(), std::size_t{0});
    for (std::size_t i = 0; i < all.size() && i < finding_->sizes.size(); ++i) {
      const double wanted = finding_->sizes[i];
      if (!(wanted >= 0.0) || !(wanted < static_cast<double>(motors_)) || wanted != std::floor(wanted)) {
        throw OptionsError("finding " + name(), "its columns are not in the log", "check the log again");
      }
      column[all[i]] = static_cast<std::size_t>(wanted);
    }
    std::vector<std::size_t> sorted = column;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) {
      throw OptionsError("finding " + name(), "it gives one column to two motors", "check the log again");
    }
    if (order.empty()) {
      order.resize(motors_);
      std::iota(order.begin(), order.end(), 0);
    }
    const auto taken = [&](auto& list) {
      if (list.empty()) return;
      auto before = list;
      for (std::size_t m = 0; m < motors_; ++m) list[m] = before[column[m]];
    };
    taken(order);
    // Scales were of what had been taken for these motors.
    if (positions) taken(map_.position_scale), taken(map_.position_offset), taken(map_.velocity_scale);
    return true;
  }

  bool flip_torques() {
    const std::vector<std::size_t> all = motors();
    if (all.size() == motors_) {
      profile_.torque_sign *= -1.0;
    } else {
      for (const std::size_t motor : all) profile_.figures[motor].scale *= -1.0;
    }
    return true;
  }
  bool divide_gains() {
    return for_each_scale([&](std::size_t motor, double size) { profile_.figures[motor].scale /= size; });
  }
  bool set_order() {
    for (const QuaternionOrder order : {QuaternionOrder::xyzw, QuaternionOrder::wxyz}) {
      if (finding_->unit == to_string(order)) return (map_.quaternion_order = order, true);
    }
    return false;
  }
  bool set_frame() {
    if (finding_->joints.size() != 1 || !robot_.model.has_frame(finding_->joints.front())) return false;
    profile_.imu.frame = finding_->joints.front();
    return true;
  }

  const Robot& robot_;
  RobotProfile& profile_;
  ChannelMap& map_;
  std::size_t motors_;
  const Finding* finding_ = nullptr;
};

bool is_order(const Finding& finding) {
  return finding.fault == Fault::joint_order || finding.fault == Fault::torque_order;
}

}  // namespace

RobotProfile fixed_profile(const Robot& robot, const CheckResult& result, std::vector<std::string>& not_fixed) {
  RobotProfile profile = robot.profile;
  not_fixed.clear();
  // Orders first: what else is found of a joint is of the column that holds it.
  std::vector<Finding> serious = serious_findings(result);
  std::stable_partition(serious.begin(), serious.end(), is_order);
  Fix fix(robot, profile);
  for (const Finding& finding : serious) {
    if (fix.state(finding)) continue;
    not_fixed.push_back(std::string(to_string(finding.fault)) +
                        (finding.remedy.empty() ? ": no key of a channel corrects it" : ": " + finding.remedy));
  }
  return profile;
}

RepairedCheck check_repaired(const std::filesystem::path& log, const Robot& robot, const CheckResult& result,
                             int rounds) {
  RepairedCheck repaired{robot, 0, result};
  for (int round = 0; round < rounds && !serious_findings(repaired.left).empty(); ++round) {
    repaired.robot.profile = fixed_profile(repaired.robot, repaired.left, repaired.not_fixed);
    const std::size_t stated = serious_findings(repaired.left).size() - repaired.not_fixed.size();
    if (stated == 0) break;
    repaired.stated += stated;
    repaired.left = check_log(repaired.robot, read_checked_log(log, repaired.robot),
                              repaired.robot.profile.settings.get<CheckOptions>());
  }
  if (serious_findings(repaired.left).empty()) repaired.not_fixed.clear();
  return repaired;
}

}  // namespace antaeus
