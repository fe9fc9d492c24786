#pragma once
// SVG elements, hatchings and legends, from which draw_figure builds. Private.
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/draw/figure.hpp"
#include "draw/figure_marks.hpp"

namespace antaeus::detail {

inline constexpr double kTextSize = 12.0, kSmallSize = 11.0, kLegendRow = 18.0;

/// SVG text, element by element.
class Svg {
 public:
  std::string text;

  void words(double x, double y, std::string_view content, std::string_view classes, const char* anchor = "start",
             double turn = 0.0);
  void segment(double x1, double y1, double x2, double y2, std::string_view classes);
  void path(const std::string& data, std::string_view classes, const Style* style = nullptr);
  void rectangle(double x, double y, double width, double height, std::string_view classes,
                 const std::string& more = {});
  void marker(double x, double y, const Style& style);
};

std::string line_classes(const Style& style);
/// Attribute that fills a bar with its hatching; empty for plain colour.
std::string bar_fill(const Figure& figure, const Style& style);
/// The <pattern> that bar_fill refers to.
void hatch_pattern(Svg& svg, const Figure& figure, const Style& style);

/// What the legend shows for one series.
struct LegendEntry {
  std::string label;
  Style style;
  enum class Kind { line, points, bar, band, ribbon, limit } kind;
  bool operator==(const LegendEntry&) const = default;
};
/// Appends the panel's entries that are not there yet.
void collect_legend(const Panel& panel, std::vector<LegendEntry>& entries);
int legend_rows(const std::vector<LegendEntry>& entries, double width);
void draw_legend(Svg& svg, const Figure& figure, const std::vector<LegendEntry>& entries, double left, double top,
                 double width);

}  // namespace antaeus::detail
