// The page model: what html_page makes of every struct, and what it refuses.
#include "antaeus/report/page.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/json.hpp"
#include "report/page_texts.hpp"
#include "support/page_payload.hpp"

namespace antaeus {
namespace {

using test::count_of;
using test::payload_of;

constexpr Eigen::Index kRows = 300;
constexpr const char* kHostile = "</script><img src=x onerror=alert(1)>&\"'";

/// Two links that turn about y, without shapes.
RobotDescription arm() {
  RobotDescription arm;
  arm.name = arm.root = "base";
  for (const char* link : {"base", "upper", "lower"}) {
    arm.links.emplace_back();
    arm.links.back().name = link;
    arm.links.back().has_inertial = true;
    arm.links.back().inertial = {1.0, {0.25, 0, 0}, 0.02 * Matrix3::Identity()};
  }
  const auto at = [](double x) { return Pose{Matrix3::Identity(), {x, 0, 0}}; };
  arm.joints = {{"shoulder", JointType::revolute, "base", "upper", at(0.0), Vector3::UnitY()},
                {"elbow", JointType::continuous, "upper", "lower", at(0.5), Vector3::UnitY()}};
  return arm;
}

/// Views with every struct of theirs.
Views every_view() {
  Views views;
  VectorX time(kRows);
  for (Eigen::Index i = 0; i < kRows; ++i) time[i] = 0.01 * static_cast<double>(i);
  views.runs = {{"swing", kRows, 0, time}, {"other run", kRows / 2, 0, time.head(kRows / 2)}};
  const auto wave = [&](double rate, double shift = 0.0, int run = 0) {
    return views.add(
        [rate, shift](Eigen::Index i) { return i == 7 ? kNaN : shift + std::sin(rate * static_cast<double>(i)); },
        Channel::Bin::extremes, run);
  };
  const ChannelId a = wave(0.02), b = wave(0.05), big = wave(0.03, 2.0), other = wave(0.02, 0.5, 1);
  const ChannelId one = views.add([](Eigen::Index) { return 0.05; }),
                  unit = views.add([](Eigen::Index) { return 1.0; });
  const ChannelId state = views.add([](Eigen::Index i) { return static_cast<double>(i / 100); }, Channel::Bin::largest);
  const ChannelId gap = views.add([](Eigen::Index) { return kNaN; });
  views.selectors = {{"foot", "foot", {"left", "right"}}, {"joints", "joint", {"shoulder", "elbow"}, {0}, true}};
  views.panels = {
      {.id = "waves",
       .title = "Waves",
       .unit = "N",
       .lines = {{.name = "a", .channel = a, .sd = one},
                 {.name = "b", .channel = b, .low = a, .high = big, .tone = Tone::blue, .dashed = true},
                 {.name = "compared", .channel = other}},
       .limits = {{0.8, "limit"}},
       .marks = {{40, "contact"}}},
      {.id = "chosen",
       .title = "Chosen joints",
       .unit = "rad",
       .lines = {{.name = "shoulder", .channel = a, .follows_choice = true, .when = {{1, 0}}},
                 {.name = "elbow", .channel = b, .follows_choice = true, .when = {{1, 1}}}}},
      {.id = "states",
       .title = "States",
       .lanes = {{"late", state, {"", "now", "now"}, {false, true, true}, Tone::orange}},
       .texts = {{0, 99, 0, "early", "Early from step 0 to 99."}, {100, 299, 0, "late", "Late until the end."}}},
      {.id = "log",
       .title = "Logarithmic",
       .lines = {{.name = "big", .channel = big}},
       .logarithmic = true,
       .detail = true},
      {.id = "none", .title = "No numbers", .lines = {{.name = "gap", .channel = gap}}},
      {.id = "left", .title = "Only left", .lines = {{.name = "a", .channel = a}}, .when = {{0, 0}}}};
  const RobotDescription robot = arm();
  views.scenes = {
      {.title = "Both",
       .note = "Colour: torque.",
       .robots = {{.description = robot,
                   .joints = {{"shoulder", a, {{b, {{0, 0}}}}}, {"elbow", b}},
                   .base = {a, kNoChannel, big, kNoChannel, kNoChannel, kNoChannel, unit}},
                  {.description = robot, .joints = {{"shoulder", b}}, .ghost = true}},
       .arrows = {{.name = "force", .unit = "N", .anchor = {0, "lower"}, .vector = {a, b, big}, .meters_per_unit = 0.1},
                  {.name = "load", .unit = "N", .vector = {b, b, a}, .from = {a, one, one}, .meters_per_unit = 0.1}},
       .ellipsoids = {{.name = "doubt",
                       .unit = "N",
                       .anchor = {0, "lower"},
                       .axes = {one, gap, gap, gap, one, gap, gap, gap, unit},
                       .meters_per_unit = 0.1}},
       .trails = {{.name = "path", .point = {a, b, big}}},
       .frames = {{.name = "target", .X_AF = {Matrix3::Identity(), {0.4, 0, 0.4}}, .target = true},
                  {.name = "tool", .anchor = {0, "lower"}}},
       .ground = -0.5},
      {.title = "Right alone", .robots = {{.description = robot, .joints = {{"elbow", b}}}}, .when = {{0, 1}}}};
  ScenePolygon sole;
  sole.name = "sole";
  sole.anchor = {0, "base"};
  sole.points = {{0, 0, 0}, {0.2, 0, 0}, {0.2, 0.1, 0}, {0, 0.1, 0}};
  views.scenes[0].polygons.push_back(sole);
  views.bars = {{.title = "Torque",
                 .value_head = "torque",
                 .aside_head = "angle",
                 .unit = "N·m",
                 .aside_unit = "rad",
                 .rows = {{"shoulder_joint", "the shoulder", a, b, 0}, {"elbow_joint", "the elbow", b, a, 1}},
                 .selector = 1,
                 .total = big}};
  views.readings = {{.label = "a", .unit = "N", .channel = a, .sd = one},
                    {.label = "state", .channel = state, .words = {"early", "late", "last"}}};
  views.columns = views.readings;
  views.focus = 30;
  views.focus_name = "contact";
  views.comparisons_name = "Other run";
  views.note = "A note below.";
  return views;
}

/// A page with every struct of the model in it.
Page everything() {
  Page page{.kicker = "Test",
            .title = "Everything",
            .badge = "refused",
            .badge_tone = Tone::vermillion,
            .subtitle = "300 steps",
            .answers = {},
            .sections = {},
            .views = {}};
  Prose prose = "At step ";
  prose << StepLink{8} << " it reads " << Quantity{-12.345, "N"} << ", " << Strong{"no less"} << "; "
        << StateWord{"degraded", Tone::orange} << "; 5 N, -3 N·m and 2 ± 1 rad.";
  page.answers = {{"What happened?", {{prose, false, "what"}, {kHostile}}}};
  TableBlock table{"A table", {"name", "#value"}, {{{"a", Quantity{1.5, "", 2}}}, {{kHostile, StepLink{-1}}}}};
  page.sections = {{"first",
                    "First",
                    {Paragraph{"A note.", true}, Bullets{{{"one"}, {"two"}}}, Definitions{{{"term", "text"}}}, table}},
                   {"explore", "Look closer", {ViewsPlace{}}},
                   {"folded", "Folded", {Folded{"Inside", {CodeLine{"antaeus show 'a b'"}}}}, true},
                   {"story",
                    "Story",
                    {Chain{{{"one", "begins", "step 1", false, {}}, {"two", "follows", {}, true, "order only"}}},
                     Timeline{{{3, 0.03, {{"it moves", Tone::blue}}}}},
                     Columns{{{"left", "lead", {Paragraph{"l"}}}, {"empty", "", {}}}},
                     Figures{{{"figure", "A figure", "Caption", "<svg viewBox=\"0 0 10 10\"></svg>"}}}}},
                   {"nothing", "Nothing in it", {Paragraph{}, Bullets{}, TableBlock{"no rows", {"a"}, {}}}}};
  page.views = every_view();
  return page;
}

TEST(Page, EverythingIsWritten) {
  const std::string page = html_page(everything());
  // The browser's test opens it.
  if (const char* file = std::getenv("ANTAEUS_PAGE_OUT")) write_file(file, page);
  for (const char* part :
       {"<h1>Everything<span class=\"badge vermillion\">refused</span></h1>", "data-statement=\"what\"",
        "<a class=\"step\" href=\"#step=8\" data-step=\"8\">8</a>", "−12.3\u00A0N", "<strong>no less</strong>",
        "<span class=\"state orange\">degraded</span>", "5\u00A0N, −3\u00A0N·m and 2\u00A0±\u00A01\u00A0rad.",
        "<td class=\"n\">1.50</td>", "<td class=\"n\">never</td>",
        "<details class=\"section\"><summary><h2>Folded</h2>", "antaeus show &#39;a b&#39;", "class=\"arrow inferred\"",
        "<div class=\"moment\">step ", "<figure id=\"figure-figure\">", "<div id=\"viewer\">", "href=\"#story\""}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(page.find("Nothing in it"), std::string::npos) << "an empty section is left out, in the contents too";
  EXPECT_EQ(page.find("<h3>empty</h3>"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos) << "text is text";
  EXPECT_EQ(count_of(page, "</script>"), 2u);
  EXPECT_EQ(page, html_page(everything())) << "same page, same bytes";

  const Json views = payload_of(page);
  EXPECT_EQ(views["panels"].size(), 6u);
  EXPECT_EQ(views["panels"][1]["lines"][1]["when"][0][1].integer(), 1);
  EXPECT_EQ(views["scenes"][0]["robots"][0]["base"][2].integer(), 2);
  EXPECT_TRUE(views["scenes"][0]["robots"][1]["ghost"].boolean());
  EXPECT_FALSE(views["scenes"][0]["robots"][0]["links"][1]["shapes"].items().empty()) << "a stick at least";
  EXPECT_EQ(views["scenes"][0]["frames"][0]["X_AF"][11].number(), 0.4);
  EXPECT_TRUE(views["scenes"][1]["ground"].is_null()) << "NaN is not a number";
  EXPECT_EQ(views["runs"][1]["steps"].integer(), kRows / 2);
  EXPECT_EQ(views["focus"].integer(), 30);
}

/// Where the plots would stand, for readers whose browser runs no script; the viewer takes its place.
TEST(Page, SaysThatPlotsNeedJavaScript) {
  Page page = everything();
  EXPECT_EQ(count_of(html_page(page), "<div id=\"viewer\"><p class=\"quiet note\">These plots need JavaScript"), 1u);
  page.views = {};
  const std::string plain = html_page(page);
  EXPECT_EQ(count_of(plain, "JavaScript"), 0u);
  EXPECT_EQ(count_of(plain, "<script"), 0u);
  EXPECT_EQ(plain.find("#step="), std::string::npos) << "a link that leads nowhere";
}

TEST(Page, IdsAreCheckedBeforeAnythingIsWritten) {
  Page page;
  page.sections = {{"a", "A", {Paragraph{"x"}}}, {"a", "B", {Paragraph{"y"}}}};
  EXPECT_THROW(html_page(page), Error);
  page.sections[1].id = "a b";
  EXPECT_THROW(html_page(page), Error);
  page.sections[1].id = "viewer";
  EXPECT_THROW(html_page(page), Error) << "taken by the page itself";
}

TEST(Page, StepsOfThisRunBecomeLinksAndNoOthers) {
  const Prose prose = linked_steps("at step 8 (22.609 s) as in run step 0 (gain 1.5), step 9 and step x (3 s)");
  std::vector<Eigen::Index> links;
  for (const Prose::Piece& piece : prose.pieces()) {
    if (const auto* link = std::get_if<StepLink>(&piece)) links.push_back(link->step);
  }
  EXPECT_EQ(links, std::vector<Eigen::Index>{8});
  EXPECT_EQ(plain_text(prose), "at step 8 (22.609 s) as in run step 0 (gain 1.5), step 9 and step x (3 s)");
}

/// A long run is kept whole near the focus, elsewhere by bins; what is largest is never lost.
TEST(Page, ALongRunKeepsItsExtremes) {
  constexpr Eigen::Index kLong = 200'000, kPeak = 123'456;
  Page page;
  page.sections = {{"explore", "Look closer", {ViewsPlace{}}}};
  page.views.runs = {{"long", kLong, 0, {}}};
  const ChannelId peak = page.views.add([](Eigen::Index i) { return i == kPeak ? 1e6 : 0.0; });
  page.views.panels = {{.id = "p", .title = "P", .lines = {{.name = "peak", .channel = peak}}}};
  page.views.focus = 1000;
  const Json run = payload_of(html_page(page))["runs"][0];
  EXPECT_GT(run["bin"].integer(), 1);
  EXPECT_EQ(run["whole_end"].integer() - run["whole_begin"].integer(), 2001);
  EXPECT_TRUE(run["time"].is_null()) << "no time: the axis is the step";
  // 1e6 as a float, little-endian, at any of the three places that base64 can begin at.
  const std::string data = payload_of(html_page(page))["channels"][0]["data"].text();
  EXPECT_TRUE(data.find("AkdEk") != std::string::npos || data.find("CR0S") != std::string::npos ||
              data.find("JHRJ") != std::string::npos);
}

}  // namespace
}  // namespace antaeus
