#include "antaeus/audit/audit_options.hpp"

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"

namespace antaeus {

AuditOptions audit_options(const Settings& settings) {
  AuditOptions options;
  AuditOptions::visit_groups(options, [&](auto& group) { group = settings.get(std::move(group)); });
  return options;
}

AuditOptions audit_options(const Robot& robot, const std::vector<std::string>& endpoints) {
  return audit_options(robot.settings(robot.endpoint_frames(endpoints)));
}

std::vector<OptionValue> list_audit_options(const AuditOptions& options, const Settings& settings) {
  std::vector<OptionValue> all;
  AuditOptions::visit_groups(options, [&](const auto& group) {
    for (OptionValue& value : settings.list(group)) all.push_back(std::move(value));
  });
  return all;
}

const OptionTable& options_of(const EventOptions&) {
  using O = EventOptions;
  static const OptionTable table(
      "event",
      {
          option("target_jump", "rad", "change of a target from one step to the next that counts as a jump",
                 "RE1 and RE2 change by less at every step but their first", &O::target_jump),
          option("residual_growth", "N·m", "reference residual that counts as grown",
                 "99th percentile of the torso's torque in the good run RE1", &O::residual_growth),
          following(
              Follows::force, 50.0 / 3.0,
              option("focus_force", "N", "force whose first step the audit takes apart; the peak when none reaches it",
                     "ten times the published clamp", &O::focus_force)),
          option("tilt", "deg", "base tilt of the sensitivity analysis",
                 "docs/validation.md#the-incident: incident report, Gravity comp., 5 degrees", &O::tilt),
          option("least_usable_share", "1",
                 "share of the log's steps that must hold numbers before the absence of an incident is reported",
                 "our choice: what was not seen in a tenth of the log may have happened there", &O::least_usable_share,
                 kShare),
      });
  return table;
}
const OptionTable& options_of(const StackedOptions&) {
  using O = StackedOptions;
  static const OptionTable table(
      "stacked",
      {
          option("rows", "", "motors, or motors_and_base: the six rows too that no motor drives (floating base)",
                 "docs/concepts/incident.md: incident report, 27 × 24 motor rows", &O::rows),
      });
  return table;
}
const OptionTable& options_of(const SmoothingOptions&) {
  using O = SmoothingOptions;
  static const OptionTable table(
      "smooth",
      {
          option("zero_phase", "",
                 "whether the posterior reads velocities, accelerations and torques smoothed without delay (not what a "
                 "loop would have seen); deployed and stacked always read the log as it came",
                 "docs/validation.md#rates: usable at 50 Hz where causal derivatives are not", &O::zero_phase),
          part(&O::motion),
      });
  return table;
}
const OptionGroup kEventOptions(EventOptions{});
const OptionGroup kStackedOptions(StackedOptions{});
const OptionGroup kSmoothingOptions(SmoothingOptions{});

}  // namespace antaeus
