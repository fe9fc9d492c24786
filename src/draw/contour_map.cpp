#include "antaeus/draw/contour_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "draw/figure_marks.hpp"
#include "draw/figure_svg.hpp"

namespace antaeus {

namespace detail {

namespace {

constexpr double kPlot = 232.0, kGap = 24.0, kLeft = 62.0, kHead = 26.0, kAxisHeight = 40.0, kBar = 38.0;
constexpr double kTitleHeight = 40.0, kLegendHeight = 26.0, kRight = 18.0;
constexpr std::size_t kLevels = 7, kLimitLevel = 3;

/// Colours of the eight steps. Both schemes are palest at the limit, seen against their paper, so that strength is
/// distance from it. Blue against orange: the pair that no common colour blindness confuses.
std::string map_style() {
  const std::string light =
      "--m-0:#5b9bd0;--m-1:#8fbce0;--m-2:#bcd8ee;--m-3:#e2eff9;--m-4:#fdeedd;--m-5:#f9cd9d;--m-6:#ee9c50;--m-7:#cf6a12";
  const std::string dark =
      "--m-0:#3f86bf;--m-1:#2f658f;--m-2:#234861;--m-3:#1d3240;--m-4:#3d2c1c;--m-5:#6b4318;--m-6:#a8641b;--m-7:#e8943a";
  std::string css = ".antaeus-figure{" + light + "}@media (prefers-color-scheme:dark){.antaeus-figure{" + dark +
                    "}}[data-theme=light] .antaeus-figure{" + light + "}[data-theme=dark] .antaeus-figure{" + dark +
                    "}@media print{.antaeus-figure,[data-theme] .antaeus-figure{" + light + "}}";
  for (int i = 0; i < 8; ++i) {
    const std::string n = std::to_string(i);
    css += ".antaeus-figure .m-" + n + "{fill:var(--m-" + n + ")}";
  }
  return css +
         ".antaeus-figure .limit{fill:none;stroke:var(--f-ink);stroke-width:2;stroke-linejoin:round}"
         ".antaeus-figure .pose{fill:var(--f-ink);stroke:var(--f-paper);stroke-width:2;paint-order:stroke}"
         ".antaeus-figure .hollow{fill:var(--f-paper);stroke:var(--f-ink);stroke-width:1.6}"
         ".antaeus-figure .small{font-size:10.5px}.antaeus-figure .bold{font-size:10.5px;font-weight:700}"
         ".antaeus-figure .big{font-size:15px;font-weight:600}";
}

/// Numbers at the points of a grid whose columns and rows have places on paper.
class Contours {
 public:
  /// \param values x fastest
  Contours(std::vector<double> x, std::vector<double> y, std::vector<double> values)
      : x_(std::move(x)), y_(std::move(y)), values_(std::move(values)) {}

  /// Closed loops around all places with values above the level, as path data; where the field ends, they run along
  /// its edge just outside the paper that is shown. Even-odd filling needs no orientation.
  std::string loops(double level) const {
    // Segments from edge to edge of the cells, each edge crossed at most once: an edge's number finds its partner.
    std::map<long, std::array<long, 2>> next;
    const auto width = static_cast<long>(x_.size()) + 2, height = static_cast<long>(y_.size()) + 2;
    const auto link = [&](long a, long b) {
      for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
        auto [at, fresh] = next.try_emplace(from, std::array<long, 2>{-1, -1});
        (fresh ? at->second[0] : at->second[1]) = to;
      }
    };
    for (long r = 0; r + 1 < height; ++r) {
      for (long c = 0; c + 1 < width; ++c) {
        const std::array<bool, 4> above = {over(c, r, level), over(c + 1, r, level), over(c + 1, r + 1, level),
                                           over(c, r + 1, level)};
        const std::array<long, 4> edge = {horizontal(c, r), vertical(c + 1, r), horizontal(c, r + 1), vertical(c, r)};
        std::array<long, 4> crossed{};
        std::size_t count = 0;
        for (std::size_t i = 0; i < 4; ++i) {
          if (above[i] != above[(i + 1) % 4]) crossed[count++] = edge[i];
        }
        if (count == 2) link(crossed[0], crossed[1]);
        if (count < 4) continue;
        const double mean = (at(c, r) + at(c + 1, r) + at(c + 1, r + 1) + at(c, r + 1)) / 4;
        const bool joined = (mean > level) == above[0];  // corner 0 is connected with corner 2
        link(edge[0], joined ? edge[1] : edge[3]);
        link(edge[2], joined ? edge[3] : edge[1]);
      }
    }
    std::string data;
    while (!next.empty()) {
      const long first = next.begin()->first;
      long current = first, before = -1;
      bool begun = false;
      do {
        const auto found = next.find(current);
        if (found == next.end()) break;
        const auto [px, py] = crossing(current, level);
        data += (begun ? "L" : "M") + coordinate(px) + " " + coordinate(py);
        begun = true;
        const long follow = found->second[0] != before ? found->second[0] : found->second[1];
        before = current;
        next.erase(found);
        current = follow;
      } while (current != first);
      data += 'Z';
    }
    return data;
  }

 private:
  // The field has a frame of one more column and row on each side that is below everything.
  long horizontal(long c, long r) const { return 2 * (r * (static_cast<long>(x_.size()) + 2) + c); }
  long vertical(long c, long r) const { return horizontal(c, r) + 1; }
  bool framed(long c, long r) const {
    return c == 0 || r == 0 || c > static_cast<long>(x_.size()) || r > static_cast<long>(y_.size());
  }
  double at(long c, long r) const {
    if (framed(c, r)) return -kInfinity;
    return values_[static_cast<std::size_t>(r - 1) * x_.size() + static_cast<std::size_t>(c - 1)];
  }
  bool over(long c, long r, double level) const { return at(c, r) > level; }
  static double place(const std::vector<double>& places, long i) {
    constexpr double kOutside = 6.0;  // [px], behind the clip path
    if (i == 0) return places.front() + (places.front() < places.back() ? -kOutside : kOutside);
    if (i > static_cast<long>(places.size())) {
      return places.back() + (places.front() < places.back() ? kOutside : -kOutside);
    }
    return places[i - 1];
  }
  std::pair<double, double> crossing(long edge, double level) const {
    const long width = static_cast<long>(x_.size()) + 2, node = edge / 2, c = node % width, r = node / width;
    const long c2 = edge % 2 ? c : c + 1, r2 = edge % 2 ? r + 1 : r;
    double share = 0.5;
    if (!framed(c, r) && !framed(c2, r2)) share = (level - at(c, r)) / (at(c2, r2) - at(c, r));
    return {std::lerp(place(x_, c), place(x_, c2), share), std::lerp(place(y_, r), place(y_, r2), share)};
  }

  std::vector<double> x_, y_;
  std::vector<double> values_;
};

/// One map with its axes and its bar of colours.
class MapPanelDrawing {
 public:
  MapPanelDrawing(const ContourMap& map, const MapPanel& panel, std::string id)
      : map_(map), panel_(panel), id_(std::move(id)) {
    for (std::size_t i = 0; i < kLevels; ++i) levels_[i] = panel.steps[i] * panel.limit;
  }

  void draw(Svg& svg, double left, double top, bool first_column) {
    left_ = left, top_ = top + kHead, right_ = left + kPlot, bottom_ = top_ + kPlot;
    x_.minimum = map_.x.values.front(), x_.maximum = map_.x.values.back(), x_.from = left_, x_.to = right_;
    y_.minimum = map_.y.values.front(), y_.maximum = map_.y.values.back(), y_.from = bottom_, y_.to = top_;
    svg.words(left_, top + 15, panel_.title, "head");
    svg.text += "<clipPath id=\"" + id_ + "\"><rect x=\"" + coordinate(left_) + "\" y=\"" + coordinate(top_) +
                "\" width=\"" + coordinate(kPlot) + "\" height=\"" + coordinate(kPlot) +
                "\"/></clipPath>\n<g clip-path=\"url(#" + id_ + ")\">\n";
    draw_field(svg);
    svg.text += "</g>\n";
    svg.path("M" + coordinate(left_) + " " + coordinate(top_) + "h" + coordinate(kPlot) + "v" + coordinate(kPlot) +
                 "h" + coordinate(-kPlot) + "z",
             "axis");
    draw_axes(svg, first_column);
    draw_marks(svg);
    draw_bar(svg);
  }

 private:
  void draw_field(Svg& svg) const {
    std::vector<double> x, y, logs;
    for (const double value : map_.x.values) x.push_back(x_.at(value));
    for (const double value : map_.y.values) y.push_back(y_.at(value));
    for (const double value : panel_.values) {
      // Infinity is far above every level; what is not known is shown as nothing is: not as permitted.
      const double log = std::log10(value);
      logs.push_back(std::isnan(log) ? 300.0 : std::clamp(log, -300.0, 300.0));
    }
    const Contours contours(std::move(x), std::move(y), std::move(logs));
    svg.rectangle(left_, top_, kPlot, kPlot, "m-0");
    std::string limit;
    for (std::size_t i = 0; i < kLevels; ++i) {
      const std::string data = contours.loops(std::log10(levels_[i]));
      if (i == kLimitLevel) limit = data;
      if (!data.empty()) {
        svg.text += "<path class=\"m-" + std::to_string(i + 1) + "\" fill-rule=\"evenodd\" d=\"" + data + "\"/>\n";
      }
    }
    if (!limit.empty()) svg.path(limit, "limit");
  }

  static std::vector<std::string> tick_texts(const std::vector<double>& ticks) {
    std::vector<std::string> texts;
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1.0;
    for (const double tick : ticks) texts.push_back(display_number(tick, step < 0.95 ? 1 : 0));
    return texts;
  }

  void draw_axes(Svg& svg, bool first_column) const {
    std::string marks;
    const std::vector<double> xs = nice_ticks(x_.minimum, x_.maximum, 5), ys = nice_ticks(y_.minimum, y_.maximum, 5);
    const std::vector<std::string> x_texts = tick_texts(xs), y_texts = tick_texts(ys);
    for (std::size_t i = 0; i < xs.size(); ++i) {
      marks += "M" + coordinate(x_.at(xs[i])) + " " + coordinate(bottom_) + "v4";
      svg.words(x_.at(xs[i]), bottom_ + 16, x_texts[i], "soft", "middle");
    }
    for (std::size_t i = 0; i < ys.size(); ++i) {
      marks += "M" + coordinate(left_) + " " + coordinate(y_.at(ys[i])) + "h-4";
      if (first_column) svg.words(left_ - 7, y_.at(ys[i]) + 4, y_texts[i], "soft", "end");
    }
    svg.path(marks, "axis");
    svg.words((left_ + right_) / 2, bottom_ + 33, map_.x.label, "soft", "middle");
    if (first_column) {
      svg.words(left_ - 42, (top_ + bottom_) / 2, map_.y.label, "soft", "middle", -90);
    }
  }

  void draw_marks(Svg& svg) const {
    std::vector<std::pair<double, double>> taken;  // left end and baseline of the labels
    // Hollow ones first and wider: one that lies under another still shows as a ring.
    for (const bool hollow : {true, false}) {
      for (const MapPoint& mark : map_.points) {
        if (mark.hollow != hollow) continue;
        svg.text += "<circle cx=\"" + coordinate(x_.at(mark.x)) + "\" cy=\"" + coordinate(y_.at(mark.y)) + "\" r=\"" +
                    (hollow ? "5.5\" class=\"hollow" : "4\" class=\"pose") + "\"/>\n";
      }
    }
    for (const MapPoint& mark : map_.points) {
      const double px = x_.at(mark.x), py = y_.at(mark.y), width = text_width(mark.name, kSmallSize);
      const bool right = px + 8 + width < right_ - 2;
      const double begin = right ? px + 8 : std::max(px - 8 - width, left_ + 2);
      // Below the other labels that are in the way, else above.
      double y = py + 4;
      const auto free = [&](double candidate) {
        return candidate > top_ + 10 && candidate < bottom_ - 3 &&
               std::none_of(
                   taken.begin(), taken.end(),
                   [&](const auto& t) {
                     return std::abs(t.second - candidate) < 13 && std::abs(t.first - begin) < 120;
                   });
      };
      for (const double shift : {0.0, 13.0, -13.0, 26.0, -26.0}) {
        if (!free(py + 4 + shift)) continue;
        y = py + 4 + shift;
        break;
      }
      taken.emplace_back(begin, y);
      svg.words(right ? begin : begin + width, y, mark.name, "halo small", right ? "start" : "end");
    }
  }

  void draw_bar(Svg& svg) const {
    const double top = bottom_ + kAxisHeight, width = kPlot / 8.0;
    for (std::size_t i = 0; i <= kLevels; ++i) {
      svg.rectangle(left_ + width * static_cast<double>(i), top, width, 11, "m-" + std::to_string(i));
    }
    svg.path(
        "M" + coordinate(left_) + " " + coordinate(top) + "h" + coordinate(kPlot) + "v11h" + coordinate(-kPlot) + "z",
        "axis");
    for (std::size_t i = 0; i < kLevels; ++i) {
      const double x = left_ + width * static_cast<double>(i + 1);
      const bool limit = i == kLimitLevel;
      if (limit) svg.path("M" + coordinate(x) + " " + coordinate(top - 3) + "v17", "limit");
      svg.words(x, top + 25, level_text(levels_[i]), limit ? "bold" : "soft small", "middle");
    }
  }

  const ContourMap& map_;
  const MapPanel& panel_;
  std::string id_;
  std::array<double, kLevels> levels_{};
  double left_ = 0, top_ = 0, right_ = 0, bottom_ = 0;
  Scale x_, y_;
};

void check(const ContourMap& map, const std::string& id) {
  const std::string place = "figure '" + id + "'";
  const bool named = !id.empty() && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  if (!named) throw Error(place, "an id of other characters than a-z, 0-9 and '-'", "rename it");
  if (map.x.values.size() < 2 || map.y.values.size() < 2) {
    throw Error(place, "an axis of fewer than two values", "give two or more");
  }
  std::size_t panels = 0;
  for (const MapRow& row : map.rows) {
    panels += row.panels.size();
    for (const MapPanel& panel : row.panels) {
      if (panel.values.size() == map.x.values.size() * map.y.values.size()) continue;
      throw Error(place, "panel '" + panel.title + "' has " + std::to_string(panel.values.size()) + " values",
                  "give " + std::to_string(map.x.values.size() * map.y.values.size()) + ", as the grid has points");
    }
  }
  if (panels == 0) throw Error(place, "no panels", "give one or more");
}

}  // namespace

}  // namespace detail

std::string level_text(double value) {
  const double tenths = value * 10.0;
  const int digits = value >= 10 || std::abs(value - std::round(value)) < 1e-9 ? 0
                     : std::abs(tenths - std::round(tenths)) < 1e-9            ? 1
                                                                               : 2;
  return display_number(value, digits);
}

std::string draw_contour_map(const ContourMap& map, const std::string& id) {
  detail::check(map, id);
  std::size_t widest = 0;
  for (const MapRow& row : map.rows) widest = std::max(widest, row.panels.size());
  const auto columns = static_cast<double>(widest), rows = static_cast<double>(map.rows.size());
  const double row_height = detail::kHead + detail::kPlot + detail::kAxisHeight + detail::kBar;
  const double width = detail::kLeft + columns * detail::kPlot + (columns - 1) * detail::kGap + detail::kRight;
  const double height = rows * (detail::kTitleHeight + row_height) + detail::kLegendHeight + 6;

  detail::Svg body;
  std::size_t drawn = 0;
  for (std::size_t k = 0; k < map.rows.size(); ++k) {
    const MapRow& row = map.rows[k];
    const double top = static_cast<double>(k) * (detail::kTitleHeight + row_height);
    body.words(detail::kLeft, top + 22, row.title, "big");
    if (!row.note.empty())
      body.words(detail::kLeft + 1.1 * detail::text_width(row.title, 15) + 12, top + 22, row.note, "soft");
    for (std::size_t i = 0; i < row.panels.size(); ++i) {
      detail::MapPanelDrawing panel(map, row.panels[i], id + "-c" + std::to_string(drawn++));
      panel.draw(body, detail::kLeft + static_cast<double>(i) * (detail::kPlot + detail::kGap),
                 top + detail::kTitleHeight - 4, i == 0);
    }
  }
  // The legend wraps where the figure is narrow.
  double x = detail::kLeft, y = height - 16;
  const auto entry = [&](const std::string& sample, const std::string& words) {
    body.text += sample;
    body.words(x + 22, y + 4, words, "soft");
    x += 22 + detail::text_width(words, detail::kSmallSize) + 18;
  };
  const auto circle = [&](const char* kind) {
    return "<circle cx=\"" + detail::coordinate(x + 8) + "\" cy=\"" + detail::coordinate(y) + "\" r=\"4\" class=\"" +
           kind + "\"/>\n";
  };
  const auto any = [&](bool hollow) {
    return std::any_of(map.points.begin(), map.points.end(), [&](const MapPoint& p) { return p.hollow == hollow; });
  };
  entry("<path class=\"limit\" d=\"M" + detail::coordinate(x) + " " + detail::coordinate(y) + "h16\"/>\n",
        map.limit_label);
  if (any(false)) entry(circle("pose"), map.full_label);
  if (any(true)) entry(circle("hollow"), map.hollow_label);

  detail::Svg svg;
  svg.text = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"antaeus-figure\" width=\"" + detail::coordinate(width) +
             "\" height=\"" + detail::coordinate(height) + "\" viewBox=\"0 0 " + detail::coordinate(width) + " " +
             detail::coordinate(height) + "\" role=\"img\" aria-labelledby=\"" + id + "-t " + id +
             "-d\">\n<title id=\"" + id + "-t\">" + xml_escaped(map.title) + "</title>\n<desc id=\"" + id + "-d\">" +
             xml_escaped(map.description) + "</desc>\n<style>" + std::string(detail::style_sheet()) +
             detail::map_style() + "</style>\n";
  svg.rectangle(0, 0, width, height, "paper");
  svg.text += body.text + "</svg>\n";
  return svg.text;
}

}  // namespace antaeus
