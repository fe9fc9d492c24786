#include "antaeus/core/settings.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/estimation/published/guard_chain.hpp"
#include "antaeus/trust/feasibility.hpp"
#include "antaeus/trust/hypotheses.hpp"

namespace antaeus {
namespace {

/// What is said to a setting, or "accepted".
template <class... Arguments>
std::string said_to_setting(const Arguments&... arguments) {
  Settings settings;
  try {
    settings.set(arguments...);
  } catch (const OptionsError& error) {
    EXPECT_TRUE(settings.all().empty()) << "refused and yet kept";
    return error.what();
  }
  return "accepted";
}

TEST(Settings, UnknownGroupsOptionsAndValuesNamePlaceAndNearest) {
  EXPECT_EQ(said_to_setting("published_gaurd.clamp_force=1"),
            "settings: unknown option group 'published_gaurd'; did you mean 'published_guard'?");
  EXPECT_EQ(said_to_setting("published_guard.clamp_forse=1"),
            "settings: published_guard: unknown option 'clamp_forse'; did you mean 'clamp_force'?");
  EXPECT_EQ(said_to_setting("published_guard.clamp_force=-1"),
            "settings: published_guard.clamp_force: '-1' is not a number that fits; write a number, zero or more");
  EXPECT_EQ(said_to_setting("equation.imu=mountd"),
            "settings: equation.imu: unknown value 'mountd'; did you mean 'mounted'?");
  EXPECT_EQ(said_to_setting("episode.require_target=maybe"),
            "settings: episode.require_target: 'maybe' is not a switch; write true or false");
  EXPECT_EQ(said_to_setting("published_guard.clamp_force=30"), "accepted");
  EXPECT_EQ(said_to_setting(Setting{"published_guard", "clamp_forse", "1", "robot.toml:12"}),
            "robot.toml:12: published_guard: unknown option 'clamp_forse'; did you mean 'clamp_force'?");
  EXPECT_EQ(
      said_to_setting(Setting{"published_guard", "clamp_force", "ten", "robot.toml:12"}),
      "robot.toml:12: published_guard.clamp_force: 'ten' is not a number that fits; write a number, zero or more");
  EXPECT_EQ(said_to_setting(Setting{"published_gaurd", "clamp_force", "1", "robot.toml:12"}),
            "robot.toml:12: unknown option group 'published_gaurd'; did you mean 'published_guard'?");
  EXPECT_EQ(said_to_setting(Setting{"published_guard", "clamp_force", "ten", ""}),
            "published_guard.clamp_force: 'ten' is not a number that fits; write a number, zero or more")
      << "without a place";
}

/// The library that a constant of ours lies in.
std::string library_of(const void* address) {
  Dl_info info{};
  return ::dladdr(address, &info) != 0 ? std::filesystem::path(info.dli_fname).filename().string() : std::string();
}

TEST(Settings, GroupsOfComponentsAreThoseOfTheirLibraries) {
  std::set<std::string> above, listed;
  for (const OptionGroup& group : OptionGroup::all()) {
    const std::string library = library_of(group.table);
    EXPECT_TRUE(library.starts_with("libantaeus")) << group.table->group() << " in " << library;
    if (!library.starts_with("libantaeus.so")) above.insert(group.table->group());
  }
  for (const std::string_view name : Settings::groups_of_components()) listed.emplace(name);
  EXPECT_EQ(listed, above);
}

TEST(Settings, AnAssignmentHasItsForm) {
  for (const char* text : {"", "guard", "published_guard.clamp_force", "clamp_force=1", "=1", "guard=clamp_force.1"}) {
    EXPECT_EQ(said_to_setting(text),
              "settings: '" + std::string(text) + "' is not an assignment; write group.option=value");
  }
  EXPECT_EQ(said_to_setting("guard", "a place"), "a place: 'guard' is not an assignment; write group.option=value");
  EXPECT_LT(said_to_setting(std::string(9999, 'x')).size(), 250u);
  EXPECT_NE(said_to_setting(".=").find("unknown option group ''"), std::string::npos);
  EXPECT_NE(said_to_setting("published_guard.=1").find("published_guard: unknown option ''"), std::string::npos);
  EXPECT_NE(said_to_setting("published_guard.clamp_force=").find("'' is not a number that fits"), std::string::npos);
}

/// Only the first equals sign and the first dot part the text: values may hold both.
TEST(Settings, ValuesMayHoldDotsAndEqualsSigns) {
  Settings settings;
  settings.set("published_guard.clamp_force=12.5");
  EXPECT_EQ(settings.all()[0].group, "published_guard");
  EXPECT_EQ(settings.all()[0].name, "clamp_force");
  EXPECT_EQ(settings.all()[0].value, "12.5");
  EXPECT_EQ(settings.all()[0].place, "settings");
  EXPECT_EQ(said_to_setting("published_guard.clamp_force=1=2"),
            "settings: published_guard.clamp_force: '1=2' is not a number that fits; write a number, zero or more");
}

TEST(Settings, TheLastOneCounts) {
  Settings settings;
  settings.set({"published_guard", "clamp_force", "30", "robot.toml:3"});
  settings.set("published_guard.clamp_force=40");
  settings.set("published_guard.watchdog_steps=5");
  settings.set("published_guard.clamp_force=35");
  ASSERT_EQ(settings.all().size(), 4u);
  EXPECT_EQ(settings.all()[0].place, "robot.toml:3");
  const PublishedGuardOptions options = settings.get<PublishedGuardOptions>();
  EXPECT_EQ(options.clamp_force, 35.0);
  EXPECT_EQ(options.watchdog_steps, 5);
}

/// A gain is K_fp in a paper and k_fp on a keyboard.
TEST(Settings, NamesAreFoundWhateverTheirCase) {
  Settings settings;
  settings.set("published_guard.Clamp_FORCE=30");
  EXPECT_EQ(settings.get<PublishedGuardOptions>().clamp_force, 30.0);
  ASSERT_NE(settings.find("published_guard", "clamp_force"), nullptr) << "kept as the table writes it";
  EXPECT_EQ(said_to_setting("Published_guard.clamp_force=30"),
            "settings: unknown option group 'Published_guard'; did you mean 'published_guard'?");
}

TEST(Settings, GetChangesWhatWasSetAndNothingElse) {
  Settings settings;
  settings.set("posterior.force_prior=35");
  settings.set("posterior.base_moment_sd=3");
  settings.set("posterior.rows=all");
  settings.set("feasibility.sole_forward=-0.03");
  const PosteriorOptions posterior = settings.get(PosteriorOptions{.full_use_sd = 4.0});
  EXPECT_EQ(posterior.prior.force, 35.0);
  EXPECT_EQ(posterior.prior.moment, PosteriorOptions{}.prior.moment);
  EXPECT_EQ(posterior.base_rows.moment_sd, 3.0);
  EXPECT_EQ(posterior.rows, PosteriorRows::all);
  EXPECT_EQ(posterior.full_use_sd, 4.0) << "the caller's default";
  EXPECT_EQ(settings.get<FeasibilityOptions>().sole_forward, -0.03);
  EXPECT_EQ(settings.get<HypothesisOptions>().contact.force, HypothesisOptions{}.contact.force)
      << "an option of the same name in another group";
  EXPECT_EQ(settings.get<PublishedGuardOptions>().clamp_force, PublishedGuardOptions{}.clamp_force);
  EXPECT_EQ(Settings().get(PosteriorOptions{.full_use_sd = 4.0}).full_use_sd, 4.0);
}

TEST(Settings, WhatIsRefusedLeavesTheRestAsItWas) {
  Settings settings;
  settings.set("published_guard.clamp_force=30");
  EXPECT_THROW(settings.set("published_guard.clamp_force=-1"), OptionsError);
  EXPECT_THROW(settings.set("published_gaurd.clamp_force=1"), OptionsError);
  ASSERT_EQ(settings.all().size(), 1u);
  EXPECT_EQ(settings.get<PublishedGuardOptions>().clamp_force, 30.0);
}

}  // namespace
}  // namespace antaeus
