#include "antaeus/contact/contact_blocks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "antaeus/core/error.hpp"
#include "antaeus/core/settings.hpp"
#include "antaeus/io/table_parts.hpp"
#include "antaeus/report/pages.hpp"
#include "contact/tolerances.hpp"
#include "support/biped.hpp"

namespace antaeus {
namespace {

constexpr int kLongFrames = 40'000;  ///< two blocks, and part of a third
constexpr double kLongStep = 0.005;

/// Sways for 200 s; its feet are lifted by turns where asked for.
ContactMotion swaying(const Robot& robot, int frames, bool steps) {
  const VectorX standing = test::standing(robot);
  ContactMotion motion;
  motion.name = "sway";
  motion.q.resize(frames, robot.model.nq());
  motion.dt = VectorX::Constant(1, kLongStep);
  if (steps) motion.active.resize(frames, 2);
  for (int t = 0; t < frames; ++t) {
    const double time = kLongStep * t;
    VectorX q = standing;
    q[0] += 0.03 * std::sin(0.7 * time);
    q[1] += 0.05 * std::cos(0.9 * time);
    for (Eigen::Index i = 7; i < q.size(); ++i) q[i] += 0.1 * std::sin((0.5 + 0.1 * static_cast<double>(i)) * time);
    motion.q.row(t) = q;
    if (steps) motion.active.row(t) << (std::sin(3.0 * time) > -0.5), (std::sin(3.0 * time) < 0.5);
  }
  return motion;
}

struct ContactCase {
  const char* name;
  ContactRequest request;
  const char* set = "";
  bool steps = false, stamped = false;
  int frames = kLongFrames;
};
const std::vector<ContactCase> kCases = {
    {"frames", {test::kSoles}},
    {"frames with stamps and steps, link axes",
     {test::kSoles, false, LimitSet::none, WrenchAxes::link},
     "",
     true,
     true},
    {"over time", {test::kSoles, true}},
    {"over time, contacts come and go", {test::kSoles, true}, "contact.smoothing=3", true},
    {"over time, one contact", {{"left_sole"}, true}},
    {"over time, as Nimble", {test::kSoles, true}, "contact.compatibility=nimble"},
    {"over time, slow ones cost", {test::kSoles, true}, "contact.velocity_penalty=3"},
    {"inverse dynamics", {{}, false, LimitSet::none, WrenchAxes::world, true}},
    {"limits", {test::kSoles, false, LimitSet::cone}, "contact.torque_limits=false", true, false, 20'000},
    {"residual taken out", {test::kSoles}, "contact.reduce_residual=true", true},
};

ContactOptions options_for(const std::string& set) {
  Settings settings;
  if (!set.empty()) settings.set(set);
  return settings.get<ContactOptions>();
}

std::string rows_of(const ContactResult& block, bool head) {
  return (block.request.inverse_dynamics ? std::string() : csv_rows(wrenches_table(block), head)) +
         csv_rows(torques_table(block), head);
}

/// Every sentence of the page, without what is said of bins.
std::vector<std::string> sentences(const Page& page) {
  std::vector<std::string> all = {plain_text(page.subtitle), page.badge};
  for (const Answer& answer : page.answers) {
    for (const Paragraph& paragraph : answer.paragraphs) all.push_back(plain_text(paragraph.text));
  }
  return all;
}

TEST(ContactBlocks, JoinedAreTheWholeMotionToTheBit) {
  const Robot robot = test::biped();
  for (const ContactCase& one : kCases) {
    SCOPED_TRACE(one.name);
    ContactMotion motion = swaying(robot, one.frames, one.steps);
    if (one.stamped) motion.time = VectorX::LinSpaced(one.frames, 7.0, 7.0 + kLongStep * (one.frames - 1));
    const ContactOptions options = options_for(one.set);
    const ContactResult whole = contact_inverse_dynamics(robot, motion, one.request, options);
    ContactBlocks blocks(robot, ContactMotionReader(motion), one.request, options);
    ASSERT_GT(blocks.count(), 1);
    EXPECT_EQ(blocks.frames(), whole.frames());
    ContactPageOfBlocks shown(blocks.frames());
    Eigen::Index frames = 0;
    for (Eigen::Index i = 0; i < blocks.count(); ++i) {
      const ContactResult block = blocks.block(i);
      const Eigen::Index count = block.dynamics.demand.frames(), k = block.dynamics.demand.contact_count();
      ASSERT_EQ(block.first_frame, frames);
      EXPECT_TRUE(block.torque == whole.torque.middleRows(frames, count));
      EXPECT_TRUE(block.solution.wrench == whole.solution.wrench.middleCols(frames * k, count * k));
      EXPECT_TRUE(block.solution.residual == whole.solution.residual.middleCols(frames, count));
      if (i == 1) {
        EXPECT_EQ(rows_of(block, true), rows_of(blocks.block(i), true)) << "asked for again";
      }
      shown.take(block);
      frames += count;
    }
    EXPECT_EQ(frames, whole.frames());
    const auto [first, end] = shown.shown_whole(blocks.whole());
    for (Eigen::Index i = blocks.block_of(first); i <= blocks.block_of(end - 1); ++i) shown.take_again(blocks.block(i));
    // A sum of squares goes on block by block: its last digits may differ.
    Json summary = contact_summary(blocks.whole()), known = contact_summary(whole);
    for (Json* json : {&summary, &known}) {
      if (options.reduce_residual) json->set("root_change_rms", 0.0);
      json->set("broken_limits", 0);
    }
    summary.set("broken_limits_left_out", 0), known.set("broken_limits_left_out", 0);
    EXPECT_EQ(summary.dump(), known.dump());
    EXPECT_EQ(std::ssize(blocks.whole().violations) + blocks.whole().violations_left_out, std::ssize(whole.violations));
    const Page page = shown.finish(blocks.whole()), of_whole = contact_page(whole);
    EXPECT_EQ(sentences(page), sentences(of_whole));
    EXPECT_EQ(page.views.focus, of_whole.views.focus);
    EXPECT_EQ(page.views.panels.size(), of_whole.views.panels.size());
    EXPECT_LT(html_page(page).size(), 10'000'000U);
  }
}

TEST(ContactBlocks, WhatNeedsAllFramesIsOneBlock) {
  const Robot robot = test::biped();
  const ContactMotion motion = swaying(robot, 17'000, false);
  const ContactRequest over_time{test::kSoles, true};
  const auto count = [&](const ContactRequest& request, const std::vector<const char*>& sets) {
    Settings settings;
    for (const char* set : sets) settings.set(set);
    return ContactBlocks(robot, ContactMotionReader(motion), request, settings.get<ContactOptions>()).count();
  };
  EXPECT_EQ(count(over_time, {}), 2);
  EXPECT_EQ(count(over_time, {"contact.half_length=0.1", "contact.half_width=0.05"}), 1);
  EXPECT_EQ(count({test::kSoles}, {"contact.detect=true"}), 1);
  EXPECT_EQ(count({test::kSoles, true, LimitSet::cone}, {}), 1);
  EXPECT_EQ(count({test::kSoles, false, LimitSet::cone}, {}), 2);
  EXPECT_EQ(count(over_time, {"contact.least_torque=0", "contact.velocity_penalty=1"}), 1);
  EXPECT_EQ(count(over_time, {"contact.smoothing_time=10"}), 1);
  EXPECT_EQ(count({test::kSoles}, {"contact.smoothing_time=10"}), 2);
}

TEST(ContactBlocks, NameTheFrameOfTheMotion) {
  const Robot robot = test::biped();
  ContactMotion motion = swaying(robot, 20'000, false);
  motion.q(18'000, 9) = kNaN;
  ContactBlocks blocks(robot, ContactMotionReader(motion), {test::kSoles});
  blocks.block(0);
  try {
    blocks.block(1);
    ADD_FAILURE() << "took NaN";
  } catch (const EpisodeError& error) {
    EXPECT_NE(std::string(error.what()).find("[q]: holds NaN or infinity in frame 18000"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace antaeus
