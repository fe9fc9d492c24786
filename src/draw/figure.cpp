#include "antaeus/draw/figure.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "antaeus/core/number_text.hpp"
#include "draw/figure_marks.hpp"
#include "draw/figure_svg.hpp"

namespace antaeus {

namespace detail {

namespace {

constexpr double kTickLength = 4.0, kEdge = 8.0;

/// A panel with its scales: measured first, drawn when its place is known.
class PanelDrawing {
 public:
  PanelDrawing(const Figure& figure, const Panel& panel, std::size_t index)
      : figure_(figure), panel_(panel), index_(index) {
    if (figure.panel_legends) collect_legend(panel, legend_);
    height_ = panel.height > 0 ? panel.height : figure.panel_height;
    if (panel.horizontal_bars)
      height_ = std::max(height_, 16.0 * static_cast<double>(panel.categories.size() * bar_lanes()));
    find_scales();
    for (const std::string& label : y_labels()) label_width_ = std::max(label_width_, text_width(label, kSmallSize));
  }

  bool categorical() const { return !panel_.bars.empty(); }
  double left_margin() const {
    if (!panel_.frame) return kEdge;
    return kEdge + label_width_ + kTickLength + 4 + (panel_.y.label.empty() ? 0 : 18);
  }
  double top_margin(double width) const {
    return (heading().empty() ? 8 : 24) + kLegendRow * legend_rows(legend_, width);
  }
  double bottom_margin() const {
    if (!panel_.frame) return 6;
    return (panel_.x.ticks ? 20.0 + category_drop() : 6.0) + (panel_.x.label.empty() ? 0 : 17);
  }
  double height() const { return height_; }

  void draw(Svg& svg, double left, double top, double width) {
    const double header = top_margin(width);
    if (!heading().empty()) svg.words(left, top + 14, heading(), "head");
    draw_legend(svg, figure_, legend_, left, top + (heading().empty() ? 4 : 22), width);
    left_ = left, right_ = left + width, top_ = top + header, bottom_ = top_ + height_;
    place_scales();
    const std::string clip = figure_.id + "-c" + std::to_string(index_);
    svg.text += "<clipPath id=\"" + clip + "\"><rect x=\"" + coordinate(left_ - 1) + "\" y=\"" + coordinate(top_ - 1) +
                "\" width=\"" + coordinate(width + 2) + "\" height=\"" + coordinate(height_ + 2) + "\"/></clipPath>\n";
    draw_bands(svg);
    if (panel_.frame) draw_axes(svg);
    svg.text += "<g clip-path=\"url(#" + clip + ")\">\n";
    draw_shapes(svg);
    draw_bars(svg);
    draw_limits(svg);
    for (const Ribbon& ribbon : panel_.ribbons) draw_ribbon(svg, ribbon);
    for (const Threshold& threshold : panel_.thresholds) draw_threshold_line(svg, threshold);
    for (const Curve& curve : panel_.curves) draw_curve(svg, curve);
    svg.text += "</g>\n";
    draw_threshold_labels(svg);
    draw_bar_values(svg);
    for (const Annotation& note : panel_.notes) draw_note(svg, note);
  }

 private:
  std::string heading() const {
    if (figure_.panels.size() < 2 || !figure_.letters || index_ > 25) return panel_.title;
    return std::string(1, static_cast<char>('a' + index_)) + (panel_.title.empty() ? "" : "  " + panel_.title);
  }
  std::size_t bar_lanes() const { return panel_.stacked ? 1 : std::max<std::size_t>(panel_.bars.size(), 1); }

  void find_scales() {
    Range x(panel_.x, categorical() && panel_.horizontal_bars), y(panel_.y, categorical() && !panel_.horizontal_bars);
    for (const Curve& curve : panel_.curves) x.take(curve.x), y.take(curve.y);
    for (const Ribbon& ribbon : panel_.ribbons) x.take(ribbon.x), y.take(ribbon.low), y.take(ribbon.high);
    for (const DrawnShape& shape : panel_.shapes) x.take(shape.x), y.take(shape.y);
    for (const Threshold& threshold : panel_.thresholds) (threshold.vertical ? x : y).take(threshold.value);
    if (categorical()) {
      Range& values = panel_.horizontal_bars ? x : y;
      if (panel_.stacked) {
        for (std::size_t c = 0; c < panel_.categories.size(); ++c) {
          double positive = 0, negative = 0;
          for (const Bars& bars : panel_.bars) {
            if (c < bars.values.size() && std::isfinite(bars.values[c]))
              (bars.values[c] < 0 ? negative : positive) += bars.values[c];
          }
          values.take(positive), values.take(negative);
        }
      } else {
        for (const Bars& bars : panel_.bars) values.take(bars.values);
        values.take(panel_.limits.values);
      }
    }
    const bool drawing = !panel_.shapes.empty() && panel_.curves.empty();
    // Room for the values that stand at the bars' ends.
    double names = 0;
    for (const std::string& name : panel_.categories) names = std::max(names, text_width(name, kSmallSize));
    const double plot = std::max(figure_.width / figure_.columns - names - 60, 80.0);
    const double bar_margin = !panel_.value_labels     ? 0.05
                              : panel_.horizontal_bars ? 48.0 / std::max(plot - 96, 48.0)
                                                       : 0.10;
    x_ = x.scale(categorical() && panel_.horizontal_bars ? bar_margin : drawing ? 0.06 : 0.0);
    // Labels of upright thresholds stand at the top.
    const bool labelled = std::any_of(panel_.thresholds.begin(), panel_.thresholds.end(),
                                      [](const Threshold& t) { return t.vertical && !t.label.empty(); });
    y_ = y.scale(categorical() && !panel_.horizontal_bars ? bar_margin : 0.06, labelled ? 16.0 / height_ : 0.0);
    if (!panel_.y.names.empty()) {
      y_.minimum = -0.5;
      y_.maximum = static_cast<double>(panel_.y.names.size()) - (labelled ? 0.0 : 0.4);
    }
  }

  void place_scales() {
    x_.from = left_, x_.to = right_, y_.from = bottom_, y_.to = top_;
    if (!panel_.equal_scale) return;
    const double per_x = (x_.maximum - x_.minimum) / (right_ - left_),
                 per_y = (y_.maximum - y_.minimum) / (bottom_ - top_);
    const double per = std::max(per_x, per_y);
    const auto widen = [&](Scale& scale, double length) {
      const double middle = (scale.minimum + scale.maximum) / 2, half = per * length / 2;
      scale.minimum = middle - half, scale.maximum = middle + half;
    };
    widen(x_, right_ - left_), widen(y_, bottom_ - top_);
  }

  std::vector<double> ticks(const Scale& scale, double pixels, double pixels_per_tick) const {
    if (scale.logarithmic) return log_ticks(scale.minimum, scale.maximum);
    return nice_ticks(scale.minimum, scale.maximum, std::max(2, static_cast<int>(pixels / pixels_per_tick)));
  }
  std::vector<std::string> labels(const std::vector<double>& values, bool logarithmic) const {
    int digits = 0;
    if (values.size() > 1 && !logarithmic) {
      digits = std::clamp(static_cast<int>(-std::floor(std::log10(values[1] - values[0]) + 1e-9)), 0, 9);
    }
    std::vector<std::string> texts;
    for (const double value : values) {
      const int own = logarithmic ? std::max(0, static_cast<int>(-std::floor(std::log10(value) + 1e-9))) : digits;
      texts.push_back(own > 2 ? power_of_ten(value, own) : display_number(value, own));
    }
    return texts;
  }
  std::vector<double> y_ticks() const {
    if (panel_.y.names.empty()) return ticks(y_, height_, 34);
    std::vector<double> lanes(panel_.y.names.size());
    for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] = static_cast<double>(i);
    return lanes;
  }
  std::vector<std::string> y_labels() const {
    if (!panel_.frame || !panel_.y.ticks) return {};
    if (panel_.horizontal_bars) return panel_.categories;
    if (!panel_.y.names.empty()) return panel_.y.names;
    return labels(y_ticks(), y_.logarithmic);
  }
  /// Long category names below vertical bars are turned; this is how far they then hang down.
  double category_drop() const {
    if (!categorical() || panel_.horizontal_bars || !turn_categories()) return 0;
    double longest = 0;
    for (const std::string& name : panel_.categories) longest = std::max(longest, text_width(name, kSmallSize));
    return longest * 0.72;
  }
  bool turn_categories() const {
    double total = 0;
    for (const std::string& name : panel_.categories) total = std::max(total, text_width(name, kSmallSize) + 8);
    return total * static_cast<double>(panel_.categories.size()) > figure_.width / figure_.columns - 80;
  }
  double category_center(std::size_t c) const {
    const double share = (static_cast<double>(c) + 0.5) / static_cast<double>(panel_.categories.size());
    return panel_.horizontal_bars ? top_ + share * (bottom_ - top_) : left_ + share * (right_ - left_);
  }

  void draw_bands(Svg& svg) const {
    for (const Band& band : panel_.bands) {
      const Scale& scale = band.vertical ? x_ : y_;
      const double low = std::min(scale.from, scale.to), high = std::max(scale.from, scale.to);
      const auto place = [&](double value) {
        if (std::isnan(value)) return low;
        if (scale.logarithmic && value <= 0) return scale.from;
        return std::clamp(scale.at(value), low, high);
      };
      const double a = place(band.from), b = place(band.to);
      if (band.vertical) {
        svg.rectangle(std::min(a, b), top_, std::abs(b - a), bottom_ - top_, "band");
      } else {
        svg.rectangle(left_, std::min(a, b), right_ - left_, std::abs(b - a), "band");
      }
    }
  }

  void draw_axes(Svg& svg) const {
    std::string grid;
    if (!panel_.horizontal_bars) {
      const std::vector<double> values = y_ticks();
      const std::vector<std::string> texts = panel_.y.names.empty() ? labels(values, y_.logarithmic) : panel_.y.names;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double y = y_.at(values[i]);
        grid += "M" + coordinate(left_) + " " + coordinate(y) + "H" + coordinate(right_);
        if (panel_.y.ticks) svg.words(left_ - kTickLength - 2, y + 4, texts[i], "soft", "end");
      }
    } else {
      for (std::size_t c = 0; c < panel_.categories.size(); ++c) {
        svg.words(left_ - kTickLength - 2, category_center(c) + 4, panel_.categories[c], "soft", "end");
      }
    }
    if (!categorical() || panel_.horizontal_bars) {
      const std::vector<double> values = ticks(x_, right_ - left_, 66);
      const std::vector<std::string> texts = labels(values, x_.logarithmic);
      std::string marks;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double x = x_.at(values[i]);
        if (panel_.horizontal_bars) {
          grid += "M" + coordinate(x) + " " + coordinate(top_) + "V" + coordinate(bottom_);
        } else {
          marks += "M" + coordinate(x) + " " + coordinate(bottom_) + "v" + coordinate(kTickLength);
        }
        if (panel_.x.ticks) svg.words(x, bottom_ + 16, texts[i], "soft", "middle");
      }
      if (!marks.empty()) svg.path(marks, "axis");
    } else if (panel_.x.ticks) {
      for (std::size_t c = 0; c < panel_.categories.size(); ++c) {
        const double x = category_center(c);
        if (turn_categories()) {
          svg.words(x + 3, bottom_ + 13, panel_.categories[c], "soft", "end", -45);
        } else {
          svg.words(x, bottom_ + 16, panel_.categories[c], "soft", "middle");
        }
      }
    }
    if (!grid.empty()) svg.path(grid, "grid");
    svg.segment(left_, bottom_, right_, bottom_, "axis");
    const Scale& values = panel_.horizontal_bars ? x_ : y_;
    if (!values.logarithmic && values.minimum < 0 && values.maximum > 0 && panel_.y.names.empty()) {
      const double zero = values.at(0.0);
      if (panel_.horizontal_bars) {
        svg.segment(zero, top_, zero, bottom_, "axis");
      } else {
        svg.segment(left_, zero, right_, zero, "axis");
      }
    }
    if (!panel_.x.label.empty()) {
      svg.words((left_ + right_) / 2, bottom_ + (panel_.x.ticks ? 34 + category_drop() : 18), panel_.x.label, "soft",
                "middle");
    }
    if (!panel_.y.label.empty()) {
      const double x = left_ - kTickLength - 10 - label_width_;
      svg.words(x, (top_ + bottom_) / 2, panel_.y.label, "soft", "middle", -90);
    }
  }

  void draw_bars(Svg& svg) const {
    if (!categorical() || panel_.categories.empty()) return;
    const Scale& scale = panel_.horizontal_bars ? x_ : y_;
    const double span =
        (panel_.horizontal_bars ? bottom_ - top_ : right_ - left_) / static_cast<double>(panel_.categories.size());
    const double thickness = std::min(span * 0.78 / static_cast<double>(bar_lanes()), 34.0);
    const double base = scale.logarithmic ? scale.minimum : 0.0;
    for (std::size_t c = 0; c < panel_.categories.size(); ++c) {
      double positive = base, negative = base;
      for (std::size_t s = 0; s < panel_.bars.size(); ++s) {
        const Bars& bars = panel_.bars[s];
        if (c >= bars.values.size() || !scale.holds(bars.values[c])) continue;
        const double value = bars.values[c];
        double from = base, to = value;
        if (panel_.stacked) {
          double& end = value < 0 ? negative : positive;
          from = end, to = end += value;
        }
        const double center = bar_center(c, s);
        const double a = scale.at(from), b = scale.at(to);
        const std::string classes = "f-" + std::string(tone_class(bars.style.tone));
        const double wide = thickness - (bar_lanes() > 1 ? 1.5 : 0.0);
        if (panel_.horizontal_bars) {
          svg.rectangle(std::min(a, b), center - wide / 2, std::abs(b - a), wide, classes,
                        bar_fill(figure_, bars.style));
        } else {
          svg.rectangle(center - wide / 2, std::min(a, b), wide, std::abs(b - a), classes,
                        bar_fill(figure_, bars.style));
        }
      }
    }
  }

  /// One mark a category, from the first of its bars to the last.
  void draw_limits(Svg& svg) const {
    const Scale& scale = panel_.horizontal_bars ? x_ : y_;
    std::string data;
    for (std::size_t c = 0; c < std::min(panel_.categories.size(), panel_.limits.values.size()); ++c) {
      if (!scale.holds(panel_.limits.values[c])) continue;
      const double at = scale.at(panel_.limits.values[c]), half = 0.45 * bar_span(), center = category_center(c);
      data += panel_.horizontal_bars
                  ? "M" + coordinate(at) + " " + coordinate(center - half) + "V" + coordinate(center + half)
                  : "M" + coordinate(center - half) + " " + coordinate(at) + "H" + coordinate(center + half);
    }
    if (!data.empty()) svg.path(data, line_classes(panel_.limits.style), &panel_.limits.style);
  }

  double bar_span() const {
    return (panel_.horizontal_bars ? bottom_ - top_ : right_ - left_) / static_cast<double>(panel_.categories.size());
  }
  double bar_thickness() const { return std::min(bar_span() * 0.78 / static_cast<double>(bar_lanes()), 34.0); }
  double bar_center(std::size_t category, std::size_t series) const {
    const double lane = panel_.stacked ? 0.0 : static_cast<double>(series) - (static_cast<double>(bar_lanes()) - 1) / 2;
    return category_center(category) + lane * bar_thickness();
  }

  /// The values stand on top of thresholds and outside the clip.
  void draw_bar_values(Svg& svg) const {
    if (!panel_.value_labels || panel_.stacked) return;
    const Scale& scale = panel_.horizontal_bars ? x_ : y_;
    for (std::size_t c = 0; c < panel_.categories.size(); ++c) {
      for (std::size_t s = 0; s < panel_.bars.size(); ++s) {
        if (c >= panel_.bars[s].values.size() || !scale.holds(panel_.bars[s].values[c])) continue;
        const double value = panel_.bars[s].values[c], size = std::abs(value), end = scale.at(value);
        const std::vector<std::string>& notes = panel_.bars[s].notes;
        const std::string label = c < notes.size() ? notes[c]
                                                   : display_number(value, size >= 100  ? 0
                                                                           : size >= 10 ? 1
                                                                                        : 2);
        if (label.empty()) continue;
        if (panel_.horizontal_bars) {
          svg.words(value < 0 ? end - 4 : end + 4, bar_center(c, s) + 4, label, "soft halo",
                    value < 0 ? "end" : "start");
        } else {
          svg.words(bar_center(c, s), value < 0 ? end + 12 : end - 4, label, "soft halo", "middle");
        }
      }
    }
  }

  void draw_curve(Svg& svg, const Curve& curve) const {
    std::vector<std::size_t> points(curve.x.size());
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = i;
    if (points.size() > kDecimationLimit)
      points = min_max_decimation(curve.y, static_cast<std::size_t>(std::max(right_ - left_, 1.0)));
    std::string data;
    bool pen_down = false;
    for (const std::size_t i : points) {
      if (!x_.holds(curve.x[i]) || !y_.holds(curve.y[i])) {
        pen_down = false;
        continue;
      }
      const std::string x = coordinate(x_.at(curve.x[i])), y = coordinate(y_.at(curve.y[i]));
      if (curve.join != Curve::Join::none) {
        if (pen_down && curve.join == Curve::Join::steps) data += "H" + x;
        data += pen_down ? (curve.join == Curve::Join::steps ? "V" + y : "L" + x + " " + y) : "M" + x + " " + y;
      }
      pen_down = true;
    }
    if (!data.empty()) svg.path(data, line_classes(curve.style), &curve.style);
    // Marks on a dense line say nothing; without a line they are all there is.
    const bool dense = points.size() > 200 && curve.join != Curve::Join::none;
    if (curve.style.marker == Marker::none || dense) return;
    for (const std::size_t i : points) {
      if (x_.holds(curve.x[i]) && y_.holds(curve.y[i])) svg.marker(x_.at(curve.x[i]), y_.at(curve.y[i]), curve.style);
    }
  }

  /// Piece by piece between the gaps, there along the upper line and back along the lower one.
  void draw_ribbon(Svg& svg, const Ribbon& ribbon) const {
    std::string data, back;
    const auto close = [&] {
      if (!back.empty()) data += back + "Z";
      back.clear();
    };
    for (std::size_t i = 0; i < ribbon.x.size(); ++i) {
      if (!x_.holds(ribbon.x[i]) || !y_.holds(ribbon.low[i]) || !y_.holds(ribbon.high[i])) {
        close();
        continue;
      }
      const std::string x = coordinate(x_.at(ribbon.x[i]));
      data += (back.empty() ? "M" : "L") + x + " " + coordinate(y_.at(ribbon.high[i]));
      back = "L" + x + " " + coordinate(y_.at(ribbon.low[i])) + back;
    }
    close();
    if (!data.empty()) svg.path(data, "ribbon f-" + std::string(tone_class(ribbon.style.tone)));
  }

  void draw_threshold_line(Svg& svg, const Threshold& threshold) const {
    const Scale& scale = threshold.vertical ? x_ : y_;
    if (!scale.holds(threshold.value)) return;
    const double place = scale.at(threshold.value);
    svg.path(threshold.vertical ? "M" + coordinate(place) + " " + coordinate(top_) + "V" + coordinate(bottom_)
                                : "M" + coordinate(left_) + " " + coordinate(place) + "H" + coordinate(right_),
             line_classes(threshold.style), &threshold.style);
  }

  /// Labels of horizontal thresholds stand at the right end above their lines, of vertical ones at the top; those that
  /// would cover one another are moved on.
  void draw_threshold_labels(Svg& svg) const {
    std::vector<double> taken;
    double next_row = top_ + 12;
    double last_end = -1e9, shifted = 0;
    for (const Threshold& threshold : panel_.thresholds) {
      const Scale& scale = threshold.vertical ? x_ : y_;
      if (threshold.label.empty() || !scale.holds(threshold.value)) continue;
      const double place = scale.at(threshold.value);
      const double width = text_width(threshold.label, kSmallSize);
      if (threshold.vertical) {
        if (place < left_ - 1 || place > right_ + 1) continue;
        const bool fits = place + 4 + width < right_;
        const double begin = fits ? place + 4 : place - 4 - width;
        if (begin < last_end) next_row += 13;
        last_end = begin + width;
        svg.words(fits ? place + 4 : place - 4, next_row, threshold.label, "soft halo", fits ? "start" : "end");
      } else {
        if (place < top_ - 1 || place > bottom_ + 1) continue;
        // Above its line, below it, or above and moved left past the label that is in the way.
        const auto free = [&](double y) {
          const auto covers = [&](double other, double before, double after) {
            return other > y - before && other < y + after;
          };
          for (const double label : taken) {
            if (covers(label, 12, 12)) return false;
          }
          for (const Threshold& line : panel_.thresholds) {
            if (!line.vertical && line.value != threshold.value && scale.holds(line.value) &&
                covers(scale.at(line.value), 9, 2))
              return false;
          }
          return y > top_ + 8 && y < bottom_;
        };
        double y = threshold.below && place + 14 < bottom_ ? place + 12 : place - 4, x = right_ - 4;
        if (!free(y) && free(place + 12)) {
          y = place + 12;
        } else if (!free(y)) {
          y = std::max(y, top_ + 9);
          x -= shifted;
        }
        shifted += width + 12;
        taken.push_back(y);
        svg.words(x, y, threshold.label, "soft halo", "end");
      }
    }
  }

  void draw_note(Svg& svg, const Annotation& note) const {
    if (!x_.holds(note.x) || !y_.holds(note.y)) return;
    const char* anchor = note.anchor == Annotation::Anchor::middle ? "middle"
                         : note.anchor == Annotation::Anchor::end  ? "end"
                                                                   : "start";
    const double width = text_width(note.text, kSmallSize);
    const double before = note.anchor == Annotation::Anchor::end      ? width
                          : note.anchor == Annotation::Anchor::middle ? width / 2
                                                                      : 0;
    // Words stay inside the panel.
    const double x = std::clamp(x_.at(note.x) + note.dx, left_ + before + 2,
                                std::max(right_ - (width - before) - 2, left_ + before + 2));
    const double y = std::clamp(y_.at(note.y) + note.dy, top_ + 10, bottom_ - 3);
    svg.words(x, y, note.text, note.strong ? "halo strong" : "soft halo", anchor);
  }

  void draw_shapes(Svg& svg) const {
    for (const DrawnShape& shape : panel_.shapes) {
      std::string data;
      std::vector<std::pair<double, double>> points;
      for (std::size_t i = 0; i < shape.x.size(); ++i) {
        if (!x_.holds(shape.x[i]) || !y_.holds(shape.y[i])) continue;
        points.emplace_back(x_.at(shape.x[i]), y_.at(shape.y[i]));
        data += (data.empty() ? "M" : "L") + coordinate(points.back().first) + " " + coordinate(points.back().second);
      }
      if (points.empty()) continue;
      const std::string tone(tone_class(shape.style.tone));
      if (shape.kind == DrawnShape::Kind::dot) {
        const double r = shape.style.width / 2;
        for (const auto& [x, y] : points) {
          svg.text += "<circle cx=\"" + coordinate(x) + "\" cy=\"" + coordinate(y) + "\" r=\"" + coordinate(r) +
                      "\" class=\"f-" + tone + "\"/>\n";
        }
      } else if (shape.kind == DrawnShape::Kind::polygon) {
        svg.path(data + "Z", "f-" + tone);
      } else {
        svg.text +=
            "<g stroke-linecap=\"" + std::string(shape.kind == DrawnShape::Kind::line ? "round" : "butt") + "\">";
        svg.path(data, line_classes(shape.style), &shape.style);
        svg.text += "</g>\n";
        if (shape.kind == DrawnShape::Kind::arrow && points.size() > 1)
          arrow_head(svg, points[points.size() - 2], points.back(), shape.style);
      }
    }
  }

  static void arrow_head(Svg& svg, std::pair<double, double> from, std::pair<double, double> tip, const Style& style) {
    const double dx = tip.first - from.first, dy = tip.second - from.second, length = std::hypot(dx, dy);
    if (length < 1e-9) return;
    const double size = std::min(6.0 + 1.6 * style.width, 0.9 * length), ux = dx / length, uy = dy / length;
    const auto corner = [&](double back, double side) {
      return coordinate(tip.first - back * ux - side * uy) + " " + coordinate(tip.second - back * uy + side * ux);
    };
    svg.path("M" + corner(-1, 0) + "L" + corner(size, size * 0.45) + "L" + corner(size, -size * 0.45) + "Z",
             "f-" + std::string(tone_class(style.tone)));
  }

  const Figure& figure_;
  const Panel& panel_;
  std::size_t index_;
  std::vector<LegendEntry> legend_;
  double height_ = 0, label_width_ = 0;
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;
  Scale x_, y_;
};

}  // namespace

}  // namespace detail

std::string draw_figure(const Figure& figure) {
  detail::check_figure(figure);
  std::vector<detail::PanelDrawing> drawings;
  std::vector<detail::LegendEntry> legend;
  std::vector<Style> hatched;
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    drawings.emplace_back(figure, figure.panels[i], i);
    if (!figure.panel_legends) detail::collect_legend(figure.panels[i], legend);
    for (const Bars& bars : figure.panels[i].bars) {
      const auto same = [&](const Style& s) { return s.tone == bars.style.tone && s.dash == bars.style.dash; };
      if (std::none_of(hatched.begin(), hatched.end(), same)) hatched.push_back(bars.style);
    }
  }
  const auto columns = static_cast<std::size_t>(figure.columns);
  constexpr double kGap = 14.0;
  const double cell = (figure.width - kGap * static_cast<double>(columns - 1)) / static_cast<double>(columns);
  // Panels of one column share their left edge, panels of one row their baseline.
  std::vector<double> margins(columns, 0.0);
  for (std::size_t i = 0; i < drawings.size(); ++i) {
    // Names as long as that are cut at the edge: the drawing needs its room.
    margins[i % columns] = std::max(margins[i % columns], std::min(drawings[i].left_margin(), 0.6 * cell));
  }

  detail::Svg body;
  double y = 4;
  if (!legend.empty()) {
    detail::draw_legend(body, figure, legend, detail::kEdge, y, figure.width - 2 * detail::kEdge);
    y += detail::kLegendRow * detail::legend_rows(legend, figure.width - 2 * detail::kEdge) + 6;
  }
  for (std::size_t row = 0; row * columns < drawings.size(); ++row) {
    const std::size_t end = std::min(drawings.size(), (row + 1) * columns);
    double header = 0, below = 0;
    for (std::size_t i = row * columns; i < end; ++i) {
      const double width = cell - margins[i % columns] - detail::kEdge;
      header = std::max(header, drawings[i].top_margin(width));
      below = std::max(below, drawings[i].height() + drawings[i].bottom_margin());
    }
    for (std::size_t i = row * columns; i < end; ++i) {
      const double left = static_cast<double>(i % columns) * (cell + kGap) + margins[i % columns];
      const double width = cell - margins[i % columns] - detail::kEdge;
      drawings[i].draw(body, left, y + header - drawings[i].top_margin(width), width);
    }
    y += header + below + 10;
  }

  const std::string width = detail::coordinate(figure.width), height = detail::coordinate(y);
  detail::Svg svg;
  svg.text = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"antaeus-figure\" width=\"" + width + "\" height=\"" +
             height + "\" viewBox=\"0 0 " + width + " " + height + "\" role=\"img\" aria-labelledby=\"" + figure.id +
             "-t " + figure.id + "-d\">\n<title id=\"" + figure.id + "-t\">" + xml_escaped(figure.title) +
             "</title>\n<desc id=\"" + figure.id + "-d\">" + xml_escaped(figure.description) + "</desc>\n<style>" +
             std::string(detail::style_sheet()) + "</style>\n<defs>\n";
  for (const Style& style : hatched) detail::hatch_pattern(svg, figure, style);
  svg.text += "</defs>\n";
  svg.rectangle(0, 0, figure.width, y, "paper");
  svg.text += body.text + "</svg>\n";
  return svg.text;
}

}  // namespace antaeus
