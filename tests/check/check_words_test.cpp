// What a check says, and its page.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "antaeus/check/mutate.hpp"
#include "antaeus/episode/raw_log.hpp"
#include "antaeus/io/json.hpp"
#include "antaeus/io/json_fields.hpp"
#include "antaeus/report/pages.hpp"
#include "check/check_support.hpp"
#include "check/tolerances.hpp"

namespace antaeus {
namespace {

using test::finding_of;

CheckResult result_of(std::vector<Finding> findings) {
  CheckResult result;
  result.log = "my_log", result.robot = "ur5e";
  result.findings = std::move(findings);
  return result;
}

TEST(CheckWords, TheMostSevereFindingComesFirstWithItsRemedy) {
  Finding first = finding_of(Fault::torque_sign, {}, -1.0);
  first.text = "all torques have the other sign", first.remedy = "torque.sign = -1", first.alternatives = {"payload"};
  Finding note = finding_of(Fault::torque_quantised, {}, 0.1);
  note.severity = Severity::note;
  CheckResult result = result_of({first, note});
  result.excluded = {"time_unit", "torque_order"}, result.not_told = {"the zero of wrist_3: move it"};
  const std::vector<CheckAnswer> story = check_story(result);
  ASSERT_GE(story.size(), 4U);
  EXPECT_EQ(story[0].sentences, (std::vector<std::string>{"error, torque_sign: all torques have the other sign.",
                                                          "To fix it: torque.sign = -1", "or: payload"}));
  EXPECT_EQ(check_headline(result), "all torques have the other sign.");
  EXPECT_EQ(serious_findings(result).size(), 1U);
  EXPECT_EQ(set_up_sentences(result), story[0].sentences);
  EXPECT_TRUE(has_errors(result));
  const auto has = [&](const char* sentence) {
    return std::ranges::any_of(story, [&](const CheckAnswer& answer) {
      return std::ranges::find(answer.sentences, sentence) != answer.sentences.end();
    });
  };
  EXPECT_TRUE(has("time unit and torque order."));
  EXPECT_TRUE(has("the zero of wrist_3: move it."));
}

TEST(CheckWords, WithoutAFindingNothingIsSaidByOtherVerbs) {
  Finding note = finding_of(Fault::torque_quantised, {}, 0.1);
  note.severity = Severity::note;
  const CheckResult result = result_of({note});
  EXPECT_TRUE(set_up_sentences(result).empty());
  EXPECT_EQ(check_headline(result), "No fault found");
  EXPECT_EQ(check_story(result).front().sentences.front(), "No fault found.");
}

TEST(CheckWords, ThePageShowsFindingsAndTheirNumbers) {
  Finding found = finding_of(Fault::position_offset, {"elbow_joint"}, 0.3);
  found.text = "the zero of <elbow> is off", found.unit = "rad", found.sd = 0.01, found.margin = 44.0;
  const Robot robot = test::own_robot("ur5e");
  CheckResult result = result_of({found});
  result.series = check_series(robot, test::right_log(robot), result);
  result.command = "antaeus check my_log";
  EXPECT_EQ(result.series.joint, "elbow_joint");
  const std::string page = html_page(check_page(result));
  for (const char* part : {"configuration error", "the zero of &lt;elbow&gt; is off", "elbow_joint",
                           "antaeus check my_log", "id=\"channels\"", "position offset"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  const std::string clean = html_page(check_page(result_of({})));
  EXPECT_NE(clean.find("no fault found"), std::string::npos);
  EXPECT_EQ(clean.find("id=\"findings\""), std::string::npos);
}

TEST(CheckWords, SeriesAreTheChannelsAndTheModels) {
  const Robot robot = test::own_robot("ur5e");
  const Episode log = test::right_log(robot);
  const CheckSeries series = check_series(robot, log, result_of({finding_of(Fault::torque_sign, {"elbow_joint"}, -1)}));
  ASSERT_EQ(series.time.size(), static_cast<std::size_t>(log.steps()));
  EXPECT_EQ(series.torque[9], log.tau(9, 2));
  EXPECT_NEAR(series.position_rate[9], log.v(9, 2), 1e-3);
  EXPECT_TRUE(check_series(robot, Episode{}, CheckResult{}).time.empty());
}

// Channels of no robot in particular ----------------------------------------------------------------------------------

bool finds(const CheckResult& result, Fault fault) {
  return std::ranges::find(result.findings, fault, &Finding::fault) != result.findings.end();
}

TEST(CheckRaw, ARightLogHasNoFinding) {
  const Robot robot = test::own_robot("ur5e");
  const CheckResult result = check_log(raw_log(test::right_log(robot), robot));
  EXPECT_TRUE(result.findings.empty()) << to_json(result).dump();
  EXPECT_EQ(result.robot, "");
  EXPECT_NEAR(result.rate, 200.0, 1e-6);
}

TEST(CheckRaw, NamesWhatItsChannelsShow) {
  const Robot robot = test::own_robot("ur5e");
  const Episode log = test::right_log(robot);
  for (const Fault fault :
       {Fault::time_unit, Fault::time_gap, Fault::time_back, Fault::time_repeated, Fault::time_missing,
        Fault::velocity_scale, Fault::velocity_sign, Fault::velocity_frozen, Fault::torque_frozen,
        Fault::position_frozen, Fault::positions_degrees, Fault::accelerometer_unit, Fault::not_numbers}) {
    PlantedFault planted{fault};
    const CheckResult result = check_log(raw_log(mutate(robot, log, planted), robot));
    ASSERT_FALSE(result.findings.empty()) << to_string(fault);
    EXPECT_EQ(result.findings.front().fault, fault) << to_json(result).dump();
    EXPECT_FALSE(result.findings.front().remedy.empty());
    EXPECT_NE(result.findings.front().severity, Severity::note) << to_string(fault);
  }
  PlantedFault nanoseconds{Fault::time_unit, {}, 1e9};
  const CheckResult result = check_log(raw_log(mutate(robot, log, nanoseconds), robot));
  EXPECT_EQ(result.findings.front().size, 1e9);
  EXPECT_TRUE(has_errors(result));
}

TEST(CheckRaw, LogsThatTellNothing) {
  Episode empty;
  empty.tau.resize(1, 3), empty.tau.setZero(), empty.q = empty.tau;
  empty.time.setConstant(1, 0.0);
  EXPECT_TRUE(finds(check_log(raw_log(empty)), Fault::too_short));
  Episode nothing;
  nothing.tau.resize(50, 64), nothing.tau.setConstant(kNaN), nothing.q = nothing.tau;
  nothing.time.setLinSpaced(50, 0.0, 0.98);
  const CheckResult result = check_log(raw_log(nothing));
  EXPECT_TRUE(finds(result, Fault::not_numbers));
  EXPECT_TRUE(has_errors(result));
}

}  // namespace
}  // namespace antaeus
