#include "antaeus/audit/audit_options.hpp"

#include <gtest/gtest.h>

#include "antaeus/core/error.hpp"
#include "robot/test_robots.hpp"

namespace antaeus {
namespace {

TEST(AuditOptions, ProfilesMaySetEveryGroupAndNoOther) {
  const AuditOptions options;
  std::vector<std::string> groups;
  AuditOptions::visit_groups(options, [&](const char* name, const auto&) { groups.emplace_back(name); });
  std::vector<std::string> known = RobotProfile::option_groups();
  std::sort(groups.begin(), groups.end());
  std::sort(known.begin(), known.end());
  EXPECT_EQ(groups, known);
}

TEST(AuditOptions, ProfileSettingsAreApplied) {
  RobotProfile profile = test::own_robot("planar_3r").profile;
  profile.deployed_sign = Sign::on_robot;
  profile.settings = {{"posterior", "force_prior", "35", 3}, {"guard", "clamp_force", "20", 4}};
  const AuditOptions options = audit_options(profile);
  EXPECT_EQ(options.posterior.force_prior, 35.0);
  EXPECT_EQ(options.guard.clamp_force, 20.0);
  EXPECT_EQ(options.posterior.sign, Sign::on_robot);
  EXPECT_EQ(options.estimator.sign, Sign::on_robot);
  profile.file = "robot.toml";
  profile.settings = {{"guard", "clamp_forse", "20", 7}};
  try {
    audit_options(profile);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("robot.toml:7"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("clamp_force"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace antaeus
