#include "draw/figure_svg.hpp"

#include <algorithm>

namespace antaeus::detail {

namespace {

constexpr double kSampleWidth = 26.0;

/// What fills a bar: series beyond the first are hatched, so that grey print still tells them apart.
enum class Hatch { none, rising, falling, dots, crossed };
Hatch hatch_of(const Style& style) { return static_cast<Hatch>(std::min(static_cast<int>(style.dash), 4)); }

double entry_width(const LegendEntry& entry) { return kSampleWidth + 6 + text_width(entry.label, kTextSize) + 16; }

}  // namespace

void Svg::words(double x, double y, std::string_view content, std::string_view classes, const char* anchor,
                double turn) {
  text += "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\"";
  if (!classes.empty()) text += " class=\"" + std::string(classes) + "\"";
  if (std::string_view(anchor) != "start") text += std::string(" text-anchor=\"") + anchor + "\"";
  if (turn != 0.0)
    text += " transform=\"rotate(" + coordinate(turn) + " " + coordinate(x) + " " + coordinate(y) + ")\"";
  text += ">" + xml_escaped(content) + "</text>\n";
}

void Svg::segment(double x1, double y1, double x2, double y2, std::string_view classes) {
  path("M" + coordinate(x1) + " " + coordinate(y1) + "L" + coordinate(x2) + " " + coordinate(y2), classes);
}

void Svg::path(const std::string& data, std::string_view classes, const Style* style) {
  text += "<path class=\"" + std::string(classes) + "\"";
  if (style) {
    text += " stroke-width=\"" + coordinate(style->width) + "\"";
    if (style->dash != Dash::solid) {
      text += " stroke-dasharray=\"" + std::string(dash_array(style->dash)) + "\"";
    }
  }
  text += " d=\"" + data + "\"/>\n";
}

void Svg::rectangle(double x, double y, double width, double height, std::string_view classes,
                    const std::string& more) {
  text += "<rect x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" width=\"" + coordinate(width) +
          "\" height=\"" + coordinate(height) + "\" class=\"" + std::string(classes) + "\"" + more + "/>\n";
}

void Svg::marker(double x, double y, const Style& style) {
  if (style.marker == Marker::none) return;
  text += "<path class=\"f-" + std::string(tone_class(style.tone)) + "\" transform=\"translate(" + coordinate(x) + " " +
          coordinate(y) + ")\" d=\"" + std::string(marker_path(style.marker)) + "\"/>\n";
}

std::string line_classes(const Style& style) { return "line t-" + std::string(tone_class(style.tone)); }

std::string bar_fill(const Figure& figure, const Style& style) {
  if (hatch_of(style) == Hatch::none) return {};
  return " style=\"fill:url(#" + figure.id + "-h" + std::to_string(static_cast<int>(style.dash)) + "-" +
         std::string(tone_class(style.tone)) + ")\"";
}

void hatch_pattern(Svg& svg, const Figure& figure, const Style& style) {
  if (hatch_of(style) == Hatch::none) return;
  const std::string tone(tone_class(style.tone));
  svg.text += "<pattern id=\"" + figure.id + "-h" + std::to_string(static_cast<int>(style.dash)) + "-" + tone +
              "\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path class=\"paper\" d=\"M0 0h6v6h-6z\"/>";
  switch (hatch_of(style)) {
    case Hatch::rising:
      svg.text += "<path class=\"line t-" + tone + "\" stroke-width=\"1.6\" d=\"M-1 7L7-1M-1 1L1-1M5 7L7 5\"/>";
      break;
    case Hatch::falling:
      svg.text += "<path class=\"line t-" + tone + "\" stroke-width=\"1.6\" d=\"M-1-1L7 7M5-1L7 1M-1 5L1 7\"/>";
      break;
    case Hatch::dots: svg.text += "<path class=\"f-" + tone + "\" d=\"M2 2h2v2h-2z\"/>"; break;
    default: svg.text += "<path class=\"line t-" + tone + "\" stroke-width=\"1.2\" d=\"M0 3h6M3 0v6\"/>"; break;
  }
  svg.text += "</pattern>\n";
}

void collect_legend(const Panel& panel, std::vector<LegendEntry>& entries) {
  const auto add = [&](LegendEntry entry) {
    if (!entry.label.empty() && std::find(entries.begin(), entries.end(), entry) == entries.end())
      entries.push_back(std::move(entry));
  };
  for (const Curve& curve : panel.curves) {
    add({curve.label, curve.style,
         curve.join == Curve::Join::none ? LegendEntry::Kind::points : LegendEntry::Kind::line});
  }
  for (const Ribbon& ribbon : panel.ribbons) add({ribbon.label, ribbon.style, LegendEntry::Kind::ribbon});
  for (const Bars& bars : panel.bars) add({bars.label, bars.style, LegendEntry::Kind::bar});
  add({panel.limits.label, panel.limits.style, LegendEntry::Kind::limit});
  for (const Band& band : panel.bands) add({band.label, Style{}, LegendEntry::Kind::band});
}

int legend_rows(const std::vector<LegendEntry>& entries, double width) {
  int rows = entries.empty() ? 0 : 1;
  double x = 0;
  for (const LegendEntry& entry : entries) {
    if (x > 0 && x + entry_width(entry) - 16 > width) {
      ++rows;
      x = 0;
    }
    x += entry_width(entry);
  }
  return rows;
}

void draw_legend(Svg& svg, const Figure& figure, const std::vector<LegendEntry>& entries, double left, double top,
                 double width) {
  double x = 0, y = top + 12;
  for (const LegendEntry& entry : entries) {
    if (x > 0 && x + entry_width(entry) - 16 > width) {
      x = 0;
      y += kLegendRow;
    }
    const double from = left + x, middle = y - 4;
    const std::string tone(tone_class(entry.style.tone));
    switch (entry.kind) {
      case LegendEntry::Kind::bar:
        svg.rectangle(from + 6, middle - 6, 16, 11, "f-" + tone, bar_fill(figure, entry.style));
        break;
      case LegendEntry::Kind::ribbon: svg.rectangle(from + 1, middle - 6, 24, 11, "ribbon f-" + tone); break;
      case LegendEntry::Kind::limit:
        svg.path("M" + coordinate(from + kSampleWidth / 2) + " " + coordinate(middle - 7) + "v13",
                 line_classes(entry.style), &entry.style);
        break;
      case LegendEntry::Kind::band: svg.rectangle(from + 4, middle - 6, 20, 11, "band"); break;
      default:
        if (entry.kind != LegendEntry::Kind::points) {
          svg.path("M" + coordinate(from) + " " + coordinate(middle) + "h" + coordinate(kSampleWidth),
                   line_classes(entry.style), &entry.style);
        }
        svg.marker(from + kSampleWidth / 2, middle, entry.style);
    }
    svg.words(from + kSampleWidth + 6, y, entry.label, "");
    x += entry_width(entry);
  }
}

}  // namespace antaeus::detail
