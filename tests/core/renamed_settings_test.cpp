#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "antaeus/core/settings.hpp"

namespace antaeus {
namespace {

TEST(RenamedSettings, AcceptsTheSpellingOfThePreviousReleaseWithANote) {
  for (const auto& [old_spelling, spelling] :
       {std::pair("guard.clamp_force=30", "published_guard.clamp_force=30"),
        std::pair("contact_place.ratio=9", "contact_location.ratio=9"),
        std::pair("residual.day_from=2", "residual.session_from=2"),
        std::pair("residual.day_learn=told", "residual.session_learn=stated"),
        std::pair("residual.noise=figures", "residual.noise=assumed"),
        std::pair("held_pose.envelope_factor=2", "held_pose.speed_range_factor=2"),
        std::pair("split.hidden_place_sd=0.1", "split.hidden_location_sd=0.1")}) {
    Settings settings;
    settings.set(old_spelling, "--set");
    const Setting& set = settings.all().at(0);
    EXPECT_EQ(set.group + "." + set.name + "=" + set.value, spelling);
    ASSERT_EQ(settings.notes().size(), 1u) << old_spelling;
    EXPECT_EQ(note_text(settings.notes()[0]), "--set: write '" + std::string(spelling) + "' for '" + old_spelling +
                                                  "': the old spelling is accepted for one release");
  }
}

TEST(RenamedSettings, NotesNothingInTodaysSpelling) {
  Settings settings;
  for (const char* const assignment : {"published_guard.clamp_force=30", "residual.noise=assumed",
                                       "residual.noise=identified", "split.hidden_location_sd=0.5"}) {
    settings.set(assignment);
  }
  EXPECT_TRUE(settings.notes().empty());
}

}  // namespace
}  // namespace antaeus
