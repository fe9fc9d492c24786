#include "antaeus/draw/figure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <random>
#include <regex>

#include "antaeus/core/error.hpp"

namespace antaeus {
namespace {

/// Checks what XML 1.0 asks of a document without DTD: tags that nest, attributes quoted and unique, entities known.
/// \return empty when well-formed, else what is wrong
std::string xml_error(const std::string& text) {
  std::vector<std::string> open;
  const std::regex tag(R"(^<(/?)([A-Za-z][\w:-]*)((?:\s+[A-Za-z][\w:-]*="[^"<]*")*)\s*(/?)>)");
  const std::regex attribute(R"(([A-Za-z][\w:-]*)=")");
  const std::regex entity(R"(^&(amp|lt|gt|quot|#39);)");
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '<') {
      const std::size_t end = text.find('>', i);
      if (end == std::string::npos) return "a tag without end";
      const std::string one = text.substr(i, end + 1 - i);
      std::smatch match;
      if (!std::regex_match(one, match, tag)) return "bad tag " + one.substr(0, 80);
      const std::string attributes = match[3];
      std::vector<std::string> names;
      for (std::sregex_iterator a(attributes.begin(), attributes.end(), attribute), none; a != none; ++a) {
        if (std::find(names.begin(), names.end(), (*a)[1]) != names.end())
          return "attribute twice in " + one.substr(0, 80);
        names.push_back((*a)[1]);
      }
      if (match[1] == "/") {
        if (open.empty() || open.back() != match[2]) return "unexpected " + one;
        open.pop_back();
      } else if (match[4] != "/") {
        open.push_back(match[2]);
      }
      i = end + 1;
    } else if (text[i] == '&') {
      if (!std::regex_search(text.substr(i, 8), entity)) return "bad entity at " + text.substr(i, 8);
      i += 2;
    } else {
      ++i;
    }
  }
  return open.empty() ? "" : "open at the end: " + open.back();
}

/// One of everything.
Figure full_figure() {
  const double nan = std::nan("");
  Panel lines;
  lines.title = "Lines";
  lines.x.label = "time [s]";
  lines.y.label = "force [N]";
  lines.curves.push_back({"a", {0, 1, 2, 3, 4}, {1, nan, -2, INFINITY, 4}, series_style(0, Marker::circle)});
  lines.curves.push_back({"b", {0, 1, 2}, {3, 2, 1}, series_style(1), Curve::Join::steps});
  lines.bands.push_back({0, 1, false, "allowed"});
  lines.thresholds.push_back({2, false, "limit"});
  lines.thresholds.push_back({1.5, true, "here"});
  lines.notes.push_back({1, 1, "note"});
  lines.ribbons.push_back({"doubt", {0, 1, 2, 3}, {0, nan, -1, -3}, {2, 2, 1, INFINITY}, series_style(2)});
  Panel logarithmic = lines;
  logarithmic.y.logarithmic = true;
  Panel bars;
  bars.categories = {"one", "two", "three"};
  bars.bars = {{"first", {1, -2, nan}, series_style(0)}, {"second", {0.5, 3, 1}, series_style(1)}};
  bars.value_labels = true;
  bars.bars[0].notes = {"named", "", "absent"};
  bars.limits = {"most", {2, nan, 1}, series_style(3)};
  Panel stacked = bars;
  stacked.stacked = true, stacked.horizontal_bars = true;
  Panel drawing;
  drawing.frame = false, drawing.equal_scale = true;
  drawing.shapes.push_back({DrawnShape::Kind::arrow, {0, 1}, {0, 1}, series_style(2)});
  drawing.shapes.push_back({DrawnShape::Kind::dot, {0, nan}, {0, 1}, series_style(3)});
  Panel lanes;
  lanes.y.names = {"good", "bad"};
  lanes.shapes.push_back({DrawnShape::Kind::polygon, {0, 2, 2, 0}, {0, 0, 0.4, 0.4}, series_style(4)});
  Panel empty;
  Figure figure;
  figure.id = "full";
  figure.title = "Full";
  figure.description = "One of everything";
  figure.columns = 2;
  figure.panels = {lines, logarithmic, bars, stacked, drawing, lanes, empty};
  return figure;
}

TEST(Figure, IsWellFormedXml) { EXPECT_EQ(xml_error(draw_figure(full_figure())), ""); }

TEST(Figure, TheCheckOfXmlCanFail) {
  EXPECT_NE(xml_error("<svg><g></svg>"), "");
  EXPECT_NE(xml_error("<svg a=\"1\" a=\"2\"/>"), "");
  EXPECT_NE(xml_error("<svg>a & b</svg>"), "");
  EXPECT_NE(xml_error("<text>1 < 2</text>"), "");
}

TEST(Figure, EqualFiguresGiveEqualBytes) { EXPECT_EQ(draw_figure(full_figure()), draw_figure(full_figure())); }

TEST(Figure, HasTitleAndDescriptionForScreenReaders) {
  const std::string svg = draw_figure(full_figure());
  EXPECT_NE(svg.find("role=\"img\""), std::string::npos);
  EXPECT_NE(svg.find("aria-labelledby=\"full-t full-d\""), std::string::npos);
  EXPECT_NE(svg.find("<title id=\"full-t\">Full</title>"), std::string::npos);
  EXPECT_NE(svg.find("<desc id=\"full-d\">One of everything</desc>"), std::string::npos);
}

TEST(Figure, NeverDrawsNaN) {
  const std::string svg = draw_figure(full_figure());
  const std::string drawn = svg.substr(svg.find("</defs>"));
  EXPECT_FALSE(std::regex_search(drawn, std::regex(R"((^|[^a-z])(nan|inf|NaN|Infinity)([^a-z]|$))")));
}

TEST(Figure, AGapBreaksTheLine) {
  Figure figure;
  figure.id = "gap";
  figure.panels.resize(1);
  figure.panels[0].curves.push_back({"", {0, 1, 2, 3, 4}, {0, 1, std::nan(""), 1, 0}, series_style(0)});
  const std::string svg = draw_figure(figure);
  std::smatch match;
  ASSERT_TRUE(std::regex_search(svg, match, std::regex("class=\"line t-blue\"[^>]* d=\"([^\"]*)\"")));
  const std::string data = match[1];
  EXPECT_EQ(std::count(data.begin(), data.end(), 'M'), 2);
  EXPECT_EQ(std::count(data.begin(), data.end(), 'L'), 2);
}

/// The strip's pieces begin and end at the gaps, closed each, and the extremes set the scale.
TEST(Figure, AGapBreaksTheRibbon) {
  Figure figure;
  figure.id = "strip";
  figure.panels.resize(1);
  const double nan = std::nan("");
  figure.panels[0].ribbons.push_back(
      {"doubt", {0, 1, 2, 3, 4}, {-1, -1, nan, -40, -1}, {1, 1, 1, 40, 1}, series_style(0)});
  const std::string svg = draw_figure(figure);
  std::smatch match;
  ASSERT_TRUE(std::regex_search(svg, match, std::regex("class=\"ribbon f-blue\" d=\"([^\"]*)\"")));
  const std::string data = match[1];
  EXPECT_EQ(std::count(data.begin(), data.end(), 'M'), 2);
  EXPECT_EQ(std::count(data.begin(), data.end(), 'Z'), 2);
  EXPECT_NE(svg.find(">−40<"), std::string::npos);
  EXPECT_NE(svg.find(">doubt</text>"), std::string::npos) << "legend";
}

TEST(Figure, LanesAndNotesAreWords) {
  const std::string svg = draw_figure(full_figure());
  for (const char* word : {">good<", ">bad<", ">named<", ">most<"})
    EXPECT_NE(svg.find(word), std::string::npos) << word;
  EXPECT_EQ(svg.find(">absent<"), std::string::npos) << "a bar that is not drawn has no note";
}

TEST(Figure, HostileTextStaysText) {
  Figure figure = full_figure();
  figure.title = "</title><script>alert(1)</script>";
  figure.panels[0].title = "\"><img src=x onerror='a'>&\x01\xff";
  figure.panels[0].curves[0].label = "<b>&amp;";
  const std::string svg = draw_figure(figure);
  EXPECT_EQ(xml_error(svg), "");
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_EQ(svg.find("<img"), std::string::npos);
  EXPECT_NE(svg.find("&lt;b&gt;&amp;amp;"), std::string::npos);
  EXPECT_EQ(svg.find('\xff'), std::string::npos);
  EXPECT_EQ(svg.find('\x01'), std::string::npos);
}

TEST(Figure, EscapingKeepsGoodUtf8AndReplacesBad) {
  EXPECT_EQ(xml_escaped("κ τ − 2°"), "κ τ − 2°");
  EXPECT_EQ(xml_escaped("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD") << "overlong";
  EXPECT_EQ(xml_escaped("a\xE2\x82"), "a\xEF\xBF\xBD\xEF\xBF\xBD") << "cut short";
  EXPECT_EQ(xml_escaped("\xED\xA0\x80").find('\xED'), std::string::npos) << "surrogate";
  // What a reader cannot see is shown; a page says no other name than the file does.
  EXPECT_EQ(xml_escaped("elbow\u202Etnioj_\u2066x\u2069"), "elbow\\u202etnioj_\\u2066x\\u2069");
  EXPECT_EQ(xml_escaped("a\u0085b\u009F\x7F\x1B[m\r"), "a\\x85b\\x9f\\x7f\\x1b[m\\x0d");
  EXPECT_EQ(xml_escaped("a\tb\nc"), "a\tb\nc");
}

TEST(Figure, RefusesWhatItCannotDraw) {
  Figure figure = full_figure();
  figure.id = "Full figure";
  EXPECT_THROW(draw_figure(figure), Error);
  figure = full_figure();
  figure.columns = 0;
  EXPECT_THROW(draw_figure(figure), Error);
  figure = full_figure();
  figure.panels[0].curves[0].y.pop_back();
  EXPECT_THROW(draw_figure(figure), Error);
  figure = full_figure();
  figure.panels[0].ribbons[0].low.pop_back();
  EXPECT_THROW(draw_figure(figure), Error);
}

TEST(Figure, StylesDifferInMoreThanColour) {
  for (std::size_t a = 0; a < 6; ++a) {
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(series_style(a).dash, series_style(b).dash);
  }
  for (std::size_t a = 0; a < 36; ++a) {
    for (std::size_t b = 0; b < a; ++b) EXPECT_FALSE(series_style(a) == series_style(b)) << a << ' ' << b;
  }
}

TEST(Figure, DecimationKeepsExtremesEndsAndOrder) {
  constexpr unsigned kSeed = 20260521;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  std::normal_distribution<double> normal;
  std::vector<double> y(100'000);
  for (double& value : y) value = normal(random);
  y[54'321] = 1000.0, y[12'345] = -1000.0;
  const std::vector<std::size_t> kept = min_max_decimation(y, 500);
  EXPECT_LE(kept.size(), 2000u);
  EXPECT_EQ(kept.front(), 0u);
  EXPECT_EQ(kept.back(), y.size() - 1);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  EXPECT_EQ(std::adjacent_find(kept.begin(), kept.end()), kept.end()) << "none twice";
  for (const std::size_t extreme : {54'321u, 12'345u}) {
    EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), extreme)) << extreme;
  }
  // In each bucket the smallest and largest of what is kept are those of all.
  for (std::size_t bucket = 0; bucket < 500; ++bucket) {
    const auto begin = y.begin() + static_cast<std::ptrdiff_t>(bucket * 200);
    double low = INFINITY, high = -INFINITY;
    for (const std::size_t i : kept) {
      if (i / 200 == bucket) low = std::min(low, y[i]), high = std::max(high, y[i]);
    }
    EXPECT_EQ(low, *std::min_element(begin, begin + 200));
    EXPECT_EQ(high, *std::max_element(begin, begin + 200));
  }
}

TEST(Figure, DecimationKeepsGaps) {
  std::vector<double> y(10'000, 1.0);
  for (std::size_t i = 4000; i < 6000; ++i) y[i] = std::nan("");
  const std::vector<std::size_t> kept = min_max_decimation(y, 100);
  EXPECT_EQ(std::count_if(kept.begin(), kept.end(), [&](std::size_t i) { return std::isnan(y[i]); }), 1);
}

TEST(Figure, LongCurvesStaySmall) {
  Figure figure;
  figure.id = "long";
  figure.panels.resize(1);
  Curve curve{"", {}, {}, series_style(0)};
  for (int i = 0; i < 300'000; ++i) curve.x.push_back(i), curve.y.push_back(std::sin(0.37 * i));
  figure.panels[0].curves.push_back(std::move(curve));
  EXPECT_LT(draw_figure(figure).size(), 100'000u);
}

TEST(Figure, TicksAreNice) {
  EXPECT_EQ(nice_ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(nice_ticks(-120, 60, 4), (std::vector<double>{-100, -50, 0, 50}));
  EXPECT_TRUE(nice_ticks(1, 1, 5).empty());
  EXPECT_TRUE(nice_ticks(std::nan(""), 1, 5).empty());
}

TEST(Figure, LogarithmicAxesHaveTicksAtPowersOfTen) {
  const auto drawn = [](std::vector<double> values) {
    Figure figure = full_figure();
    Panel panel;
    panel.y.logarithmic = true;
    panel.curves.push_back({"", {0, 1}, std::move(values), series_style(0)});
    figure.panels = {panel};
    return draw_figure(figure);
  };
  const auto has = [](const std::string& svg, const char* tick) {
    return svg.find(">" + std::string(tick) + "</text>") != std::string::npos;
  };
  const std::string wide = drawn({0.5, 2000}), narrow = drawn({1.5, 30});
  EXPECT_TRUE(has(wide, "10") && has(wide, "100"));
  EXPECT_FALSE(has(wide, "50") || has(wide, "20")) << "three powers of ten are enough";
  EXPECT_TRUE(has(narrow, "2") && has(narrow, "5") && has(narrow, "10") && has(narrow, "20"));
}

/// Relative luminance and contrast, WCAG 2.1.
double luminance(const std::string& hex) {
  std::array<double, 3> channel{};
  for (std::size_t i = 0; i < 3; ++i) {
    int value = 0;
    std::from_chars(hex.data() + 2 * i, hex.data() + 2 * i + 2, value, 16);
    const double share = value / 255.0;
    channel[i] = share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
  }
  return 0.2126 * channel[0] + 0.7152 * channel[1] + 0.0722 * channel[2];
}
double contrast(const std::string& a, const std::string& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

TEST(Figure, TextAndSeriesHaveContrastInBothSchemes) {
  const std::string svg = draw_figure(full_figure());
  const std::regex scheme(R"(\{(--f-paper:[^}]*?)(;font[^}]*)?\})");
  int schemes = 0;
  for (std::sregex_iterator rule(svg.begin(), svg.end(), scheme), none; rule != none; ++rule, ++schemes) {
    std::map<std::string, std::string> colours;
    const std::string body = (*rule)[1];
    const std::regex colour("--f-([a-z]+):#([0-9a-f]{6})");
    for (std::sregex_iterator c(body.begin(), body.end(), colour); c != none; ++c) colours[(*c)[1]] = (*c)[2];
    ASSERT_EQ(colours.size(), 12u);
    for (const char* paper : {"paper", "band"}) {
      EXPECT_GE(contrast(colours["ink"], colours[paper]), 4.5) << paper;
      EXPECT_GE(contrast(colours["soft"], colours[paper]), 4.5) << paper;
    }
    for (const char* tone : {"blue", "vermillion", "green", "purple", "orange", "sky", "muted"}) {
      EXPECT_GE(contrast(colours[tone], colours["paper"]), 3.0) << tone;
    }
  }
  EXPECT_GE(schemes, 5) << "default, dark scheme, both themes, print";
}

}  // namespace
}  // namespace antaeus
