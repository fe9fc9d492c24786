// The order of the check: channels, then torques by the model.
#include "antaeus/check/check_log.hpp"

#include "antaeus/core/option_table.hpp"

namespace antaeus {

const OptionTable& options_of(const CheckOptions&) {
  using O = CheckOptions;
  constexpr const char* kPage = "docs/check.md";
  static const OptionTable table(
      "check", {
                   option("least_time", "s", "below which no scale, lag or torque is judged", kPage, &O::least_time),
                   option("least_motion", "rad or m", "that a joint must move to count as moving", kPage,
                          &O::least_motion),
                   option("found", "nats", "of evidence over the log as it is, from which a mistake is named", kPage,
                          &O::found),
                   option("tie", "nats", "below which two explanations are both named", kPage, &O::tie),
                   option("other_robots", "", "whether the robots that come with Antaeus are tried, too", kPage,
                          &O::other_robots),
               });
  return table;
}
const OptionGroup kCheckGroup(CheckOptions{});

CheckResult check_log(const Robot& robot, const Episode& log, const CheckOptions&) {
  CheckResult result;
  result.log = log.name;
  result.robot = robot.profile.name;
  return result;
}

}  // namespace antaeus
