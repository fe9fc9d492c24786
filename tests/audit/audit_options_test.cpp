#include "antaeus/audit/audit_options.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "robot/test_robots.hpp"

namespace antaeus {
namespace {

TEST(AuditOptions, ProfilesMaySetEveryGroupAndNoOther) {
  const AuditOptions options;
  std::vector<std::string> groups;
  AuditOptions::visit_groups(options, [&](const auto& group) { groups.push_back(options_of(group).group()); });
  // Not of an audit: the pose advice's, and those of contact inverse dynamics, inverse kinematics, simulation,
  // free-flying robots, identification, replay, streams, and the check before an audit.
  for (const char* other :
       {"actuators",    "advice",     "carry",  "check",        "clip",    "contact", "control",
        "damping_mode", "incident",   "det",    "experiment",   "flying",  "gamma",   "gravity",
        "held_pose",    "identify",   "ik",     "impedance",    "initial", "j_plus",  "live",
        "moving_fit",   "null_space", "parity", "perturbation", "plant",   "replay",  "scene",
        "sensorless",   "space",      "split",  "tasks",        "timing",  "trace",   "unlabelled"}) {
    groups.emplace_back(other);
  }
  std::vector<std::string> known;
  for (const OptionGroup& group : OptionGroup::all()) known.push_back(group.table->group());
  std::sort(groups.begin(), groups.end());
  EXPECT_EQ(groups, known) << "the registered groups stand in the order of their names";
}

TEST(AuditOptions, ProfileSettingsAreApplied) {
  Robot robot = test::own_robot("planar_3r");
  RobotProfile& profile = robot.profile;
  profile.deployed_sign = Sign::on_robot;
  profile.settings.set({"posterior", "force_prior", "35", "robot.toml:3"});
  profile.settings.set({"published_guard", "clamp_force", "20", "robot.toml:4"});
  const AuditOptions options = audit_options(robot);
  EXPECT_EQ(options.posterior.prior.force, 35.0);
  EXPECT_EQ(options.guard.clamp_force, 20.0);
  EXPECT_EQ(options.posterior.sign, Sign::on_robot);
  EXPECT_EQ(options.estimator.sign, Sign::on_robot);
  try {
    profile.settings.set({"published_guard", "clamp_forse", "20", "robot.toml:7"});
    FAIL();
  } catch (const OptionsError& error) {
    EXPECT_NE(std::string(error.what()).find("robot.toml:7"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("clamp_force"), std::string::npos) << error.what();
  }
  EXPECT_EQ(profile.settings.all().size(), 2u) << "what is refused is not kept";
}

TEST(AuditOptions, SignIsWhatWasSetElseTheDeployedElseOnRobot) {
  Robot robot = test::own_robot("planar_3r");
  const auto signs = [&] {
    const AuditOptions options = audit_options(robot);
    return std::pair(options.estimator.sign, options.posterior.sign);
  };
  const auto both = [](Sign sign) { return std::pair(sign, sign); };
  EXPECT_EQ(robot.profile.deployed_sign, std::nullopt);
  EXPECT_EQ(signs(), both(Sign::on_robot));
  robot.profile.deployed_sign = Sign::on_environment;
  EXPECT_EQ(signs(), both(Sign::on_environment));
  robot.profile.settings.set("estimator.sign=on_robot");
  EXPECT_EQ(signs(), both(Sign::on_robot)) << "the posterior stands beside the deployed number";
  robot.profile.settings.set("posterior.sign=on_environment");
  EXPECT_EQ(signs(), std::pair(Sign::on_robot, Sign::on_environment));
  const std::vector<OptionValue> listed = list_audit_options(audit_options(robot), robot.settings({"tool"}));
  const auto source = [&](const std::string& group) {
    return std::find_if(listed.begin(), listed.end(),
                        [&](const OptionValue& v) { return v.group == group && std::string(v.info.name) == "sign"; })
        ->source;
  };
  EXPECT_TRUE(source("posterior").starts_with("set: settings")) << source("posterior");
  EXPECT_TRUE(source("estimator").starts_with("set: settings")) << source("estimator");
}

/// What was published of the H1-2 is what its rated load gives: not one of its options differs from the struct's.
TEST(AuditOptions, TheH1KeepsItsFigures) {
  const Robot robot = test::own_robot("h1_2");
  const AuditOptions options = audit_options(robot);
  const std::vector<OptionValue> resolved = list_audit_options(options, robot.settings(robot.endpoint_frames()));
  const std::vector<OptionValue> published = list_audit_options(AuditOptions{});
  ASSERT_EQ(resolved.size(), published.size());
  int of_the_load = 0;
  for (std::size_t i = 0; i < resolved.size(); ++i) {
    EXPECT_EQ(resolved[i].value, published[i].value) << resolved[i].group << "." << resolved[i].info.name;
    of_the_load += resolved[i].source.find("N of the profile's rated_load, 3.06 kg") != std::string::npos;
  }
  EXPECT_EQ(of_the_load, 11);
}

/// Every option of an audit with its value, as files and pages show them.
TEST(AuditOptions, AreListedByGroupAndName) {
  AuditOptions options;
  options.guard.clamp_force = 21.5;
  options.smooth.motion.window = 0.125;
  const auto value = [listed = list_audit_options(options)](const std::string& group, const std::string& name) {
    const auto at = std::find_if(listed.begin(), listed.end(),
                                 [&](const OptionValue& v) { return v.group == group && v.info.name == name; });
    return at == listed.end() ? "absent" : at->value;
  };
  EXPECT_EQ(value("published_guard", "clamp_force"), "21.5");
  EXPECT_EQ(value("smooth", "window"), "0.125");
  EXPECT_EQ(value("posterior", "force_prior"), "20");
  EXPECT_EQ(value("posterior", "sign"), "on_environment");
  EXPECT_EQ(value("preflight", "characteristic_length"), "0.3");
}

}  // namespace
}  // namespace antaeus
