#include "antaeus/core/messages.hpp"

#include <gtest/gtest.h>

#include <set>

#include "antaeus/core/note.hpp"
#include "antaeus/core/reasons.hpp"

namespace antaeus {
namespace {

TEST(Messages, InputsAreSpelledByTheFrontEnd) {
  struct Row {
    std::string text, command_line, python, neutral;
  };
  const Row rows[] = {{arg(Input::contact_free), "--contact-free", "contact_free", "contact_free"},
                      {arg(Input::base, "fixed"), "--base fixed", "base=\"fixed\"", "base=fixed"},
                      {arg(Input::endpoint), "--endpoint", "endpoints", "endpoint"},
                      {arg(Input::ignore_meshes), "--ignore-meshes", "meshes=\"ignored\"", "ignore_meshes"},
                      {arg(Input::set, "posterior.rows=own"), "--set posterior.rows=own",
                       "settings={\"posterior.rows\": \"own\"}", "posterior.rows=own"},
                      {arg(Input::set, "residual.tilt_sd=0"), "--set residual.tilt_sd=0",
                       "settings={\"residual.tilt_sd\": 0}", "residual.tilt_sd=0"},
                      {arg(Input::set, "a.b=true"), "--set a.b=true", "settings={\"a.b\": True}", "a.b=true"}};
  for (const Row& row : rows) {
    const std::string text = "leave " + row.text + " out";
    EXPECT_EQ(spelled(text, FrontEnd::command_line), "leave " + row.command_line + " out");
    EXPECT_EQ(spelled(text, FrontEnd::python), "leave " + row.python + " out");
    EXPECT_EQ(spelled(text, FrontEnd::neutral), "leave " + row.neutral + " out");
  }
}

/// A user's text may look like anything: it stays, and its control characters are made visible.
TEST(Messages, TextsOfUsersStay) {
  for (const std::string text : {"log --base fixed", "a\x0e", "\x0e\x0f", "\x0enot_an_input\x0f",
                                 "\x0e"
                                 "base",
                                 "\x0f\x0e\x1f"}) {
    EXPECT_EQ(spelled(text, FrontEnd::command_line), text);
    EXPECT_EQ(Error(text, "is missing").text(FrontEnd::python), printable(text) + ": is missing");
  }
  EXPECT_EQ(spelled(arg(Input::robot, "\x0e\x1f"), FrontEnd::command_line), "--robot \\x0e\\x1f");
}

TEST(Messages, ErrorsHaveThreePartsAndOneLine) {
  const OptionsError error(arg(Input::contact_free), "'1-2' is not a span", "leave " + arg(Input::from) + " away");
  EXPECT_STREQ(error.what(), "contact_free: '1-2' is not a span; leave from away");
  EXPECT_EQ(error.text(FrontEnd::command_line), "--contact-free: '1-2' is not a span; leave --from away");
  EXPECT_EQ(error.text(FrontEnd::python), "contact_free: '1-2' is not a span; leave start away");
  EXPECT_EQ(error.problem(), "'1-2' is not a span");
  EXPECT_EQ(error.place(), arg(Input::contact_free));
}

TEST(Messages, ANoteIsASentenceOfItsParts) {
  const Note note(NoteCode::invalid_steps, "", {3, 7});
  EXPECT_EQ(note.severity, Severity::warning);
  EXPECT_EQ(note_text(note),
            "3 steps hold NaN, infinity or no unit quaternion (first: step 7); they keep their index, verdict "
            "invalid_input");
  EXPECT_TRUE(
      note_text({NoteCode::invalid_steps, "tau 1 has no reading", {3, 7}}).starts_with("tau 1 has no reading; 3 "));
  EXPECT_EQ(note_text({NoteCode::guess, "{0}", {"{subject}"}}), "{0}: {subject}") << "parts are not read again";
  EXPECT_EQ(note_text({NoteCode::guess, "base", {arg(Input::base, "fixed")}}, FrontEnd::command_line),
            "base: --base fixed");
}

/// Every placeholder of the catalogue names a part, and every sentence says something.
TEST(Messages, TheCatalogueIsWhole) {
  std::vector<NoteValue> values;
  for (int i = 0; i < 8; ++i) values.emplace_back("value" + std::to_string(i));
  for (const NoteCode code : all_values<NoteCode>()) {
    const std::string text = note_text({code, "subject", values});
    EXPECT_EQ(text.find_first_of("{}|"), std::string::npos) << to_string(code) << ": " << text;
    EXPECT_EQ(text.find("  "), std::string::npos) << text;
    EXPECT_FALSE(text.empty()) << to_string(code);
  }
}

TEST(Messages, EveryReasonHasOneRow) {
  std::set<int> ranks;
  for (const ReasonInfo& row : kReasons) {
    EXPECT_EQ(&describe(row.reason), &row) << row.name;
    EXPECT_EQ(to_string(row.reason), row.name);
    EXPECT_TRUE(ranks.insert(row.urgency).second) << row.name;
    for (const std::string_view text : {row.meaning, row.remedy}) {
      EXPECT_FALSE(text.empty()) << row.name;
      EXPECT_FALSE(text.ends_with('.')) << row.name;
    }
  }
  EXPECT_EQ(*ranks.rbegin(), static_cast<int>(ranks.size()));
}

}  // namespace
}  // namespace antaeus
