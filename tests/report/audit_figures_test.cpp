#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "antaeus/audit/audit.hpp"
#include "antaeus/audit/audit_options.hpp"
#include "antaeus/audit/summary.hpp"
#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/report/figures.hpp"
#include "robot/test_robots.hpp"

namespace antaeus {
namespace {

const Robot& humanoid() {
  static const Robot robot = test::own_robot("h1_2");
  return robot;
}

Audit audit_of(std::vector<TwinKind> kinds) {
  std::vector<Episode> twins;
  for (const TwinKind kind : kinds) twins.push_back(make_twin(humanoid(), kind).episode);
  return run_audit(humanoid(), std::move(twins), AuditRequest{}, AuditOptions{});
}

std::set<std::string> ids(const std::vector<NamedFigure>& figures) {
  std::set<std::string> names;
  for (const NamedFigure& figure : figures) EXPECT_TRUE(names.insert(figure.id).second) << figure.id << " twice";
  return names;
}

void collect_numbers(const Json& json, std::vector<double>& numbers) {
  if (json.is_number()) numbers.push_back(json.number());
  if (json.is_array()) {
    for (const Json& item : json.items()) collect_numbers(item, numbers);
  }
  if (json.is_object()) {
    for (const auto& [key, value] : json.members()) collect_numbers(value, numbers);
  }
}

TEST(AuditFigures, AHumanoidWithBaselinesHasThemAll) {
  EXPECT_EQ(ids(audit_figures(audit_of({TwinKind::incident, TwinKind::good}))),
            (std::set<std::string>{"cascade-summary", "force-cascade", "joint-contribution", "singular-values",
                                   "joint-sweep", "junction", "posterior-force", "redundancy", "causal-graph"}));
}

TEST(AuditFigures, WithoutAPosteriorNothingIsSaidOfOne) {
  Audit audit = audit_of({TwinKind::incident});
  std::erase_if(audit.audited.reconstruction.series, [](const EstimateSeries& s) { return s.posterior.has_value(); });
  audit.reliability.clear();
  const std::set<std::string> names = ids(audit_figures(audit));
  EXPECT_EQ(names.count("force-cascade"), 1u);
  for (const char* id : {"posterior-force", "redundancy"}) {
    EXPECT_EQ(names.count(id), 0u) << id;
  }
}

const NamedFigure& figure_of(const std::vector<NamedFigure>& figures, const std::string& id) {
  const auto found = std::find_if(figures.begin(), figures.end(), [&](const NamedFigure& f) { return f.id == id; });
  EXPECT_NE(found, figures.end()) << id;
  return *found;
}

/// Grey print and the colour blind: joints that no test can judge are named in words too.
TEST(AuditFigures, ReliabilityIsNamedInWords) {
  const Audit audit = audit_of({TwinKind::incident, TwinKind::good});
  const std::vector<NamedFigure> figures = audit_figures(audit);
  int blind = 0;
  for (const ReliabilityTable& table : audit.reliability) {
    if (table.endpoint != audit.focus_endpoint) continue;
    for (const ReliabilityTable::Row& row : table.rows) {
      if (!row.undetectable) continue;
      ++blind;
      EXPECT_NE(figure_of(figures, "redundancy").caption.find(row.motor_label), std::string::npos) << row.motor_label;
    }
  }
  ASSERT_GT(blind, 0);
  const std::string& svg = figure_of(figures, "redundancy").svg;
  int words = 0;
  for (std::size_t at = svg.find(">undetectable<"); at != std::string::npos; at = svg.find(">undetectable<", at + 1))
    ++words;
  EXPECT_EQ(words, blind);
}

/// Every number of a caption is a number of summary.json, rounded.
TEST(AuditFigures, CaptionsSayNothingThatTheSummaryDoesNotHold) {
  const Audit audit = audit_of({TwinKind::incident, TwinKind::good, TwinKind::pushes});
  std::vector<double> known;
  collect_numbers(audit_summary(audit), known);
  const std::regex number(R"((?:−)?(\d+(?:\.(\d+))?))");
  // Numbers that are words: the 99th percentile, rows of a Jacobian.
  const std::regex words(R"(99 %|6-row)");
  int seen = 0;
  for (const NamedFigure& figure : audit_figures(audit)) {
    const std::string caption = std::regex_replace(figure.caption, words, "");
    for (std::sregex_iterator match(caption.begin(), caption.end(), number), none; match != none; ++match, ++seen) {
      const double value = std::stod((*match)[1]);
      const double rounding = 0.5 * std::pow(10.0, -static_cast<double>((*match)[2].length())) + 1e-9;
      EXPECT_TRUE(
          std::any_of(known.begin(), known.end(), [&](double n) { return std::abs(std::abs(n) - value) <= rounding; }))
          << figure.id << ": " << (*match)[0];
    }
  }
  EXPECT_GT(seen, 40);
}

/// Boxes and arrows: every clause of the graph stands in the picture, and each kind of line is told in words.
TEST(AuditFigures, TheCausalGraphIsDrawnWhole) {
  const Audit audit = audit_of({TwinKind::incident});
  ASSERT_EQ(audit.causal_graph.nodes.size(), 8u);
  const std::vector<NamedFigure> figures = audit_figures(audit);
  const std::string svg = figure_of(figures, "causal-graph").svg;
  for (const CausalState& node : audit.causal_graph.nodes) {
    EXPECT_NE(svg.find(node.text.substr(0, node.text.find(' '))), std::string::npos) << node.text;
  }
  for (const char* words : {"computed from log and model", "inferred", "absent: not seen", "Gain of"}) {
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  }
  EXPECT_NE(svg.find("stroke-dasharray"), std::string::npos);
  for (const char* alone : {">N·m</text>", ">steps</text>", ">it</text>"}) {  // a line of one word reads badly
    EXPECT_EQ(svg.find(alone), std::string::npos) << alone;
  }
}

TEST(AuditFigures, NothingIsDrawnAtNaN) {
  Audit audit = audit_of({TwinKind::incident});
  for (EstimateSeries& series : audit.audited.reconstruction.series) {
    series.force_norm.segment(2, 3).setConstant(std::nan(""));
    series.wrench.middleRows(2, 3).setConstant(std::nan(""));
  }
  for (const NamedFigure& figure : audit_figures(audit)) {
    const std::string drawn = figure.svg.substr(figure.svg.find("</defs>"));
    EXPECT_FALSE(std::regex_search(drawn, std::regex(R"([ "MLHV,-](nan|inf))"))) << figure.id;
  }
}

}  // namespace
}  // namespace antaeus
