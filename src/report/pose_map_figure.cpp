#include "antaeus/report/pose_map_figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "antaeus/core/error.hpp"
#include "draw/figure_parts.hpp"
#include "draw/figure_svg.hpp"

namespace antaeus {

namespace {

using namespace figure_parts;

constexpr double kPlot = 232.0, kGap = 24.0, kLeft = 62.0, kHead = 26.0, kAxisHeight = 40.0, kBar = 38.0;
constexpr double kTitleHeight = 40.0, kLegendHeight = 26.0, kRight = 18.0;
constexpr std::size_t kLevels = 7, kLimitLevel = 3;

/// Where the colour steps. An sd ends at its prior's, four times the limit; 12 N of 5 is where a direction counts as
/// unobservable (docs/estimator_study.md#guards).
std::array<double, kLevels> levels(const MappedQuantity& quantity) {
  const bool bounded = quantity.quantity == PoseQuantity::sd || quantity.quantity == PoseQuantity::sd_moving;
  std::array<double, kLevels> all = {0.3, 0.5, 0.7, 1.0, 1.5, bounded ? 2.4 : 2.5, bounded ? 3.2 : 4.0};
  for (double& level : all) level *= quantity.limit;
  return all;
}

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

std::string title_of(PoseQuantity quantity) {
  switch (quantity) {
    case PoseQuantity::sd: return "Worst-direction sd at rest [N]";
    case PoseQuantity::sd_moving: return "Worst-direction sd moving [N]";
    case PoseQuantity::gain: return "Reference gain [N/(N·m)]";
    case PoseQuantity::force_gain: return "Reference force gain [N/(N·m)]";
    case PoseQuantity::kappa: return "Condition number κ [1]";
    case PoseQuantity::error_force: return "Torque errors read as [N]";
  }
  return "?";
}

/// "0.9", "1.5", "12": as many digits as a level needs.
std::string level_text(double value) {
  const double tenths = value * 10.0;
  const int digits = value >= 10 || std::abs(value - std::round(value)) < 1e-9 ? 0
                     : std::abs(tenths - std::round(tenths)) < 1e-9            ? 1
                                                                               : 2;
  return display_number(value, digits);
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
class MapPanel {
 public:
  MapPanel(const PoseMap& map, std::size_t endpoint, const MappedQuantity& quantity, std::string id)
      : map_(map), endpoint_(endpoint), quantity_(quantity), id_(std::move(id)) {}

  void draw(Svg& svg, double left, double top, bool first_column) {
    left_ = left, top_ = top + kHead, right_ = left + kPlot, bottom_ = top_ + kPlot;
    x_.minimum = map_.x[0], x_.maximum = map_.x[map_.x.size() - 1], x_.from = left_, x_.to = right_;
    y_.minimum = map_.y[0], y_.maximum = map_.y[map_.y.size() - 1], y_.from = bottom_, y_.to = top_;
    svg.words(left_, top + 15, title_of(quantity_.quantity), "head");
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
    for (const double value : map_.x) x.push_back(x_.at(value));
    for (const double value : map_.y) y.push_back(y_.at(value));
    for (const PoseSample& sample : map_.samples[endpoint_]) {
      // An infinite κ is far above every level; what is not known is shown as nothing is: not as permitted.
      const double value = sample.value(quantity_.quantity);
      logs.push_back(std::isnan(value) ? 300.0 : std::clamp(std::log10(value), -300.0, 300.0));
    }
    const Contours contours(std::move(x), std::move(y), std::move(logs));
    svg.rectangle(left_, top_, kPlot, kPlot, "m-0");
    std::string limit;
    const std::array<double, kLevels> steps = levels(quantity_);
    for (std::size_t i = 0; i < kLevels; ++i) {
      const std::string data = contours.loops(std::log10(steps[i]));
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
    svg.words((left_ + right_) / 2, bottom_ + 33, map_.joint_x + " [rad]", "soft", "middle");
    if (first_column) {
      svg.words(left_ - 42, (top_ + bottom_) / 2, map_.joint_y + " [rad]", "soft", "middle", -90);
    }
  }

  void draw_marks(Svg& svg) const {
    std::vector<std::pair<double, double>> taken;  // left end and baseline of the labels
    // Hollow ones first and wider: one that lies under another still shows as a ring.
    for (const bool in_plane : {false, true}) {
      for (const MapMark& mark : map_.marks) {
        if (mark.in_plane != in_plane) continue;
        svg.text += "<circle cx=\"" + coordinate(x_.at(mark.x)) + "\" cy=\"" + coordinate(y_.at(mark.y)) + "\" r=\"" +
                    (in_plane ? "4\" class=\"pose" : "5.5\" class=\"hollow") + "\"/>\n";
      }
    }
    for (const MapMark& mark : map_.marks) {
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
    const std::array<double, kLevels> steps = levels(quantity_);
    for (std::size_t i = 0; i < kLevels; ++i) {
      const double x = left_ + width * static_cast<double>(i + 1);
      const bool limit = i == kLimitLevel;
      if (limit) svg.path("M" + coordinate(x) + " " + coordinate(top - 3) + "v17", "limit");
      svg.words(x, top + 25, level_text(steps[i]), limit ? "bold" : "soft small", "middle");
    }
  }

  const PoseMap& map_;
  std::size_t endpoint_;
  MappedQuantity quantity_;
  std::string id_;
  double left_ = 0, top_ = 0, right_ = 0, bottom_ = 0;
  Scale x_, y_;
};

/// Share of the map below the limit, in words for who cannot see it.
std::string described(const PoseMap& map, const std::vector<MappedQuantity>& quantities) {
  std::string text;
  for (std::size_t k = 0; k < map.endpoints.size(); ++k) {
    for (const MappedQuantity& quantity : quantities) {
      const auto& samples = map.samples[k];
      const auto below = std::count_if(samples.begin(), samples.end(), [&](const PoseSample& s) {
        return s.value(quantity.quantity) < quantity.limit;
      });
      const double share = 100.0 * static_cast<double>(below) / static_cast<double>(samples.size());
      text += map.labels[k] + ": " + std::string(to_string(quantity.quantity)) + " is below " +
              level_text(quantity.limit) + " in " + display_number(share, 0) + " % of the map. ";
    }
  }
  return text;
}

}  // namespace

std::string draw_pose_map(const PoseMap& map, const std::vector<MappedQuantity>& quantities, const std::string& id) {
  const bool named = !id.empty() && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  if (!named) throw Error("figure '" + id + "'", "an id of other characters than a-z, 0-9 and '-'", "rename it");
  if (quantities.empty()) throw Error("figure '" + id + "'", "no quantities", "give one or more");
  const auto columns = static_cast<double>(quantities.size()), rows = static_cast<double>(map.endpoints.size());
  const double row_height = kHead + kPlot + kAxisHeight + kBar;
  const double width = kLeft + columns * kPlot + (columns - 1) * kGap + kRight;
  const double height = rows * (kTitleHeight + row_height) + kLegendHeight + 6;

  Svg body;
  for (std::size_t k = 0; k < map.endpoints.size(); ++k) {
    const double top = static_cast<double>(k) * (kTitleHeight + row_height);
    body.words(kLeft, top + 22, map.labels[k], "big");
    body.words(kLeft + 1.1 * text_width(map.labels[k], 15) + 12, top + 22, "other joints as in the pose " + map.pose,
               "soft");
    for (std::size_t i = 0; i < quantities.size(); ++i) {
      MapPanel panel(map, k, quantities[i], id + "-c" + std::to_string(k * quantities.size() + i));
      panel.draw(body, kLeft + static_cast<double>(i) * (kPlot + kGap), top + kTitleHeight - 4, i == 0);
    }
  }
  // The legend wraps where the figure is narrow.
  double x = kLeft, y = height - 16;
  const auto entry = [&](const std::string& sample, const std::string& words) {
    body.text += sample;
    body.words(x + 22, y + 4, words, "soft");
    x += 22 + text_width(words, kSmallSize) + 18;
  };
  const auto circle = [&](const char* kind) {
    return "<circle cx=\"" + coordinate(x + 8) + "\" cy=\"" + coordinate(y) + "\" r=\"4\" class=\"" + kind + "\"/>\n";
  };
  const bool narrow = quantities.size() == 1;
  entry("<path class=\"limit\" d=\"M" + coordinate(x) + " " + coordinate(y) + "h16\"/>\n", "limit");
  if (std::any_of(map.marks.begin(), map.marks.end(), [](const MapMark& m) { return m.in_plane; }))
    entry(circle("pose"), narrow ? "pose" : "named pose");
  if (std::any_of(map.marks.begin(), map.marks.end(), [](const MapMark& m) { return !m.in_plane; }))
    entry(circle("hollow"), narrow ? "pose off this plane" : "named pose whose other joints stand elsewhere");

  Svg svg;
  const std::string title = "Poses over " + map.joint_x + " and " + map.joint_y;
  svg.text = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"antaeus-figure\" width=\"" + coordinate(width) +
             "\" height=\"" + coordinate(height) + "\" viewBox=\"0 0 " + coordinate(width) + " " + coordinate(height) +
             "\" role=\"img\" aria-labelledby=\"" + id + "-t " + id + "-d\">\n<title id=\"" + id + "-t\">" +
             xml_escaped(title) + "</title>\n<desc id=\"" + id + "-d\">" + xml_escaped(described(map, quantities)) +
             "</desc>\n<style>" + std::string(style_sheet()) + map_style() + "</style>\n";
  svg.rectangle(0, 0, width, height, "paper");
  svg.text += body.text + "</svg>\n";
  return svg.text;
}

Figure pose_list_figure(const PoseList& list, const std::vector<MappedQuantity>& quantities, const std::string& id) {
  constexpr std::size_t kNamed = 24;
  constexpr std::array<Marker, 5> kMarkers = {Marker::circle, Marker::diamond, Marker::square, Marker::triangle,
                                              Marker::cross};
  Figure figure;
  figure.id = id;
  figure.title = "Poses and their limits";
  figure.description = "Each pose's numbers against the limits";
  const bool named = list.poses.size() <= kNamed;
  for (const MappedQuantity& quantity : quantities) {
    Panel panel;
    panel.title = title_of(quantity.quantity);
    const std::string limit = "limit " + level_text(quantity.limit);
    // Near a singularity κ and gain have no bound; what lies far beyond the limit need not be distinguished.
    constexpr double kFarBeyond = 8.0;
    double largest = 0;
    for (std::size_t k = 0; k < list.endpoints.size(); ++k) {
      std::vector<double> values;
      for (const PoseSample& sample : list.samples[k]) values.push_back(sample.value(quantity.quantity));
      for (const double value : values) largest = std::max(largest, value);
      if (named) {
        panel.bars.push_back({list.labels[k], std::move(values), series_style(k)});
      } else {
        std::vector<double> rows(values.size());
        std::iota(rows.begin(), rows.end(), 0.0);
        panel.curves.push_back({list.labels[k], std::move(rows), std::move(values),
                                series_style(k, kMarkers[k % kMarkers.size()]), Curve::Join::none});
      }
    }
    if (named) {
      panel.horizontal_bars = panel.value_labels = true;
      for (const LabelledPose& pose : list.poses) panel.categories.push_back(pose.name);
      if (!(largest < kFarBeyond * quantity.limit)) panel.x.maximum = kFarBeyond * quantity.limit;
      const double lanes = static_cast<double>(list.poses.size() * list.endpoints.size());
      panel.height = 24.0 + 15.0 * lanes;
      panel.thresholds.push_back({quantity.limit, true, limit});
    } else {
      panel.y.logarithmic = true;
      panel.height = 190;
      panel.x.label = "row of the list";
      panel.thresholds.push_back({quantity.limit, false, limit});
    }
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

}  // namespace antaeus
