#pragma once
/// \file
/// A figure as data, and its drawing as SVG text.
///
/// One SVG serves light, dark and print: colours are custom properties of CSS that follow the reader's scheme, or an
/// ancestor's data-theme="light" or "dark". No series is told by colour alone: each style has a dash, a marker or a
/// hatching of its own. Equal figures give equal bytes; nothing is read from clock, locale or fonts.
/// Set-up code: allocates. NaN and infinity leave gaps, they are never drawn.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/numbers.hpp"

namespace antaeus {

/// Colours of Okabe and Ito (2008), each made darker or lighter where its contrast against the paper would fall below
/// 3:1, and two greys.
enum class Tone : std::uint8_t { blue, vermillion, green, purple, orange, sky, ink, muted };
constexpr auto enum_names(Tone) noexcept {
  return name_list<Tone>("blue", "vermillion", "green", "purple", "orange", "sky", "ink", "muted");
}
enum class Dash : std::uint8_t { solid, dashed, dotted, dash_dot, long_dash, dash_dot_dot };
enum class Marker : std::uint8_t { none, circle, square, triangle, diamond, cross };

/// How a line, a point or a bar looks. In bars the dash selects the hatching.
struct Style {
  Tone tone = Tone::blue;
  Dash dash = Dash::solid;
  Marker marker = Marker::none;
  double width = 1.6;  ///< [px]

  bool operator==(const Style&) const = default;
};

/// The n-th of a sequence of styles that differ in tone and in dash.
ANTAEUS_API Style series_style(std::size_t n, Marker marker = Marker::none);

/// Points joined by lines, by steps (the value holds until the next point), or not at all.
struct Curve {
  enum class Join : std::uint8_t { lines, steps, none };
  std::string label;  ///< in the legend; empty: not there
  std::vector<double> x, y;
  Style style;
  Join join = Join::lines;
};

/// A shaded strip between two lines, for example a value with its uncertainty. A gap in either is a gap of the strip.
struct Ribbon {
  std::string label;
  std::vector<double> x, low, high;
  Style style;
};

/// One series of bars, one value a category.
struct Bars {
  std::string label;
  std::vector<double> values;
  Style style;
  std::vector<std::string> notes = {};  ///< where not empty: what `value_labels` writes at a bar's end, not its value
};

/// A shaded strip of one axis, for example "allowed".
struct Band {
  double from = 0.0, to = 0.0;
  bool vertical = false;  ///< a strip of x
  std::string label;
};

/// A line across the panel, for example a guard's limit.
struct Threshold {
  double value = 0.0;
  bool vertical = false;  ///< at an x
  std::string label;      ///< at the line's end
  Style style{Tone::ink, Dash::dashed, Marker::none, 1.0};
  bool below = false;  ///< the label of a horizontal one stands below it
};

/// A short text at a point of the panel. The offsets are in px, y downwards.
struct Annotation {
  double x = 0.0, y = 0.0;
  std::string text;
  double dx = 6.0, dy = -6.0;
  enum class Anchor : std::uint8_t { start, middle, end } anchor = Anchor::start;
  bool strong = false;
};

/// A piece of a drawing, in the panel's coordinates: a bar of an arm, a joint, a force.
struct DrawnShape {
  enum class Kind : std::uint8_t { line, arrow, dot, polygon };
  Kind kind = Kind::line;
  std::vector<double> x, y;
  Style style;  ///< the width of a dot is its diameter
};

struct Axis {
  std::string label;      ///< with its unit in brackets
  double minimum = kNaN;  ///< NaN: from the data
  double maximum = kNaN;
  bool logarithmic = false;  ///< values ≤ 0 are gaps
  bool include_zero = false;
  bool ticks = true;
  std::vector<std::string> names = {};  ///< of y without bars: lanes, name i at i, instead of numbers
};

/// One pair of axes and what stands between them.
struct Panel {
  std::string title;
  Axis x, y;
  std::vector<Curve> curves;
  std::vector<Ribbon> ribbons;
  std::vector<std::string> categories;  ///< of the bars
  std::vector<Bars> bars;
  Bars limits;                   ///< one mark a category, drawn across its bars
  bool horizontal_bars = false;  ///< categories downwards: for long names
  bool stacked = false;          ///< bars of one category end to end, not side by side
  bool value_labels = false;     ///< each bar ends in its value (not when stacked)
  std::vector<Band> bands;
  std::vector<Threshold> thresholds;
  std::vector<Annotation> notes;
  std::vector<DrawnShape> shapes;
  bool equal_scale = false;  ///< one metre is as long in x as in y
  bool frame = true;         ///< axes, grid and ticks; false for a drawing
  double height = 0.0;       ///< [px] of the plot; 0: the figure's
};

/// Panels row by row in a grid.
struct Figure {
  std::string id;           ///< [a-z0-9-], unique in a page
  std::string title;        ///< for screen readers and above the figure's own panels nowhere else
  std::string description;  ///< what the figure shows, for readers who cannot see it
  std::vector<Panel> panels;
  int columns = 1;
  double width = 760.0;         ///< [px]; the drawing scales with its place
  double panel_height = 200.0;  ///< [px] of a plot, without titles and ticks
  bool panel_legends = false;   ///< a legend above each panel, not one for all
  bool letters = true;          ///< a, b, c … before the panels' titles, when there are several
};

/// The figure as one <svg> element. The same text stands in a page and, as a file, on its own.
/// \throws Error for an id with other characters, columns < 1, or a curve or ribbon with unequal x and y
ANTAEUS_API std::string draw_figure(const Figure& figure);

/// A drawn figure with what is told beside it, ready to stand in a page or in a file.
struct NamedFigure {
  std::string id;       ///< "singular-values", …: [a-z0-9-], unique in a page
  std::string title;    ///< plain text, as the caption: not escaped
  std::string caption;  ///< each number in it is one of the results'
  std::string svg;      ///< one <svg> element without an XML declaration
};

/// Ticks of 1, 2 or 5 times a power of ten within [minimum, maximum], about `count` of them; empty when minimum is not
/// below maximum.
ANTAEUS_API std::vector<double> nice_ticks(double minimum, double maximum, int count);

/// Points above this number are thinned.
inline constexpr std::size_t kDecimationLimit = 2000;
/// Indices, rising, of at most 4 points a bucket: first, smallest, largest and last finite y of each of `buckets` equal
/// parts, and the first NaN of every gap. A curve drawn from them covers the same pixels.
ANTAEUS_API std::vector<std::size_t> min_max_decimation(const std::vector<double>& y, std::size_t buckets);

/// Text for XML content and attributes; control characters that XML 1.0 forbids become U+FFFD.
ANTAEUS_API std::string xml_escaped(std::string_view text);

}  // namespace antaeus
