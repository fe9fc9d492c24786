#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "antaeus/core/error.hpp"
#include "antaeus/core/settings.hpp"

namespace antaeus {
namespace {

/// What the setting is answered with; "accepted" without an error.
std::string answer(Setting setting) {
  try {
    Settings().set(std::move(setting));
  } catch (const OptionsError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RenamedGroups, TheOldNameIsRefusedWithTheNewOne) {
  for (const auto& [old_name, new_name] :
       {std::pair("guard", "published_guard"), std::pair("guarded", "consumer_guard")}) {
    EXPECT_EQ(
        answer({old_name, "any", "1", "robot.toml:12"}),
        "robot.toml:12: the option group '" + std::string(old_name) + "' has a new name; write " + new_name + ".any");
  }
  EXPECT_EQ(answer({"published_guard", "clamp_force", "30", "--set"}), "accepted");
  EXPECT_EQ(answer({"split", "hidden_shortest", "0.5", "--set"}), "accepted");
}

TEST(RenamedGroups, OfAnAssignmentToo) {
  Settings settings;
  try {
    settings.set("guard.clamp_force=30");
    FAIL();
  } catch (const OptionsError& error) {
    EXPECT_STREQ(error.what(), "settings: the option group 'guard' has a new name; write published_guard.clamp_force");
  }
  EXPECT_TRUE(settings.all().empty());
}

}  // namespace
}  // namespace antaeus
