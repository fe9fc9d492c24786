#include "studies/simulate_page.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace antaeus {
namespace {

/// A run of 3 s with a phase that begins at 1 s, and what every part of a page is made of.
ExperimentResult small_run() {
  ExperimentResult result;
  result.name = "hold", result.title = "Hold <5 N>", result.question = "Does it hold?";
  result.command = "antaeus simulate hold";
  result.metrics = {{"force_mean", 4.9, "N", "mean of the force", 4.98, 5.02, 4.89},
                    {"within", 0.25, "1", "share of the time"}};
  result.comparisons = {{"Laws", "As printed, and ours.", {"mean [N]"}, {{"printed", {kNaN}}, {"ours", {4.9}, true}}}};
  result.physics = {"Soft contact."}, result.findings = {"It holds."}, result.remarks = {"By hand."};
  result.phases = {{0.0, "approach", ""}, {1.0, "hold", "contact was felt"}};
  std::vector<double> time, force, q;
  for (int i = 0; i < 30; ++i) {
    time.push_back(0.1 * i), force.push_back(std::sin(0.3 * i)), q.push_back(0.01 * i);
  }
  result.samples.add({"time", "s", "", time});
  for (const char* const name : {"F_x", "F_y", "F_z", "p_x", "p_y", "p_z"}) result.samples.add({name, "N", "", force});
  result.samples.add({"q_turn", "rad", "", q});
  result.plots = {{"Force", "N", {{"F_z", "normal", "F_x"}, {"absent", "absent"}}, {4.0, 6.0}}};
  SceneReplay& replay = result.replay;
  replay.description.name = replay.description.root = "base";
  replay.description.links.resize(2);
  replay.description.links[0].name = "base", replay.description.links[1].name = "arm";
  JointDescription turn;
  turn.name = "turn", turn.type = JointType::revolute, turn.parent = "base", turn.child = "arm";
  replay.description.joints.push_back(turn);
  replay.joints = {"turn"}, replay.columns = {"q_turn"};
  replay.force = {"F_x", "F_y", "F_z"}, replay.place = {"p_x", "p_y", "p_z"}, replay.wanted = replay.place;
  replay.has_table = true, replay.size = {0.4, 0.2, 0.05}, replay.X_WT.translation.z() = 0.3;
  return result;
}

TEST(SimulatePage, TellsWhatWasMissed) {
  const ExperimentResult result = small_run();
  const Page page = simulate_page(result, nullptr, "30 pictures");
  EXPECT_EQ(page.badge, "missed");
  EXPECT_EQ(page.badge_tone, Tone::vermillion);
  const std::string html = html_page(page);
  for (const char* const words : {"The criterion is missed: force_mean.", "4.98 to 5.02", "Hold &lt;5 N&gt;", "4.89",
                                  "Soft contact.", "As printed, and ours.", "contact was felt",
                                  "clip.mp4 next to this page: 30 pictures.", "antaeus simulate hold"}) {
    EXPECT_NE(html.find(words), std::string::npos) << words;
  }
  EXPECT_EQ(html_page(simulate_page(result, nullptr, "30 pictures")), html);
}

TEST(SimulatePage, ReplaysTheRun) {
  const ExperimentResult result = small_run();
  const Views views = simulate_page(result).views;
  ASSERT_EQ(views.runs.size(), 1u);
  EXPECT_EQ(views.runs[0].rows, 30);
  EXPECT_NEAR(views.runs[0].time[29], 2.9, 1e-12);
  ASSERT_EQ(views.panels.size(), 2u) << "phases and the plot";
  ASSERT_EQ(views.panels[0].texts.size(), 2u);
  EXPECT_EQ(views.panels[0].texts[1].from, 10);
  EXPECT_EQ(views.panels[0].texts[1].to, 29);
  ASSERT_EQ(views.panels[1].lines.size(), 1u) << "a column that is absent draws no line";
  const auto value = [&](ChannelId id, int row) { return views.channels[static_cast<std::size_t>(id)].value(row); };
  EXPECT_EQ(value(views.panels[1].lines[0].channel, 7), std::sin(2.1));
  EXPECT_EQ(value(views.panels[0].lanes[0].channel, 9), 1.0);
  EXPECT_EQ(value(views.panels[0].lanes[0].channel, 10), 2.0);
  ASSERT_EQ(views.scenes.size(), 1u);
  const Scene& scene = views.scenes[0];
  EXPECT_EQ(value(scene.robots[0].joints[0].position, 12), 0.12);
  ASSERT_EQ(scene.polygons.size(), 1u);
  EXPECT_EQ(scene.polygons[0].points[2], Vector3(0.2, 0.1, 0.3));
  EXPECT_EQ(scene.arrows.size(), 1u);
  EXPECT_EQ(scene.trails.size(), 2u);
}

TEST(SimulatePage, StandsWithoutSamples) {
  ExperimentResult result = small_run();
  result.samples = {};
  result.phases.clear(), result.replay = {}, result.plots.clear(), result.metrics.resize(1);
  result.metrics[0].value = 5.0;
  const Page page = simulate_page(result);
  EXPECT_TRUE(page.views.empty());
  EXPECT_EQ(page.badge, "met");
  EXPECT_NE(html_page(page).find("The criterion is met."), std::string::npos);
}

}  // namespace
}  // namespace antaeus
