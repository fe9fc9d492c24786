#pragma once
// Pieces of draw_figure: numbers, text widths, the style sheet. Private to src/report.
#include <string>
#include <string_view>

#include "antaeus/report/figure.hpp"

namespace antaeus::figure_parts {

/// A coordinate: two decimals at most, no "-0". Callers leave out what is not finite.
std::string coordinate(double value);
/// About the width of a text in px: fonts are not known here, so it errs on the wide side.
double text_width(std::string_view text, double size);
/// Style sheet that every figure carries.
std::string_view style_sheet();
/// Class of a tone: "t-blue", …
std::string_view tone_class(Tone tone);
/// stroke-dasharray, empty for solid.
std::string_view dash_array(Dash dash);
/// A marker's path around (0, 0).
std::string_view marker_path(Marker marker);

/// A linear or logarithmic axis mapped to pixels.
struct Scale {
  double minimum = 0.0, maximum = 1.0, from = 0.0, to = 1.0;
  bool logarithmic = false;
  double at(double value) const;
  bool holds(double value) const;  ///< finite, and positive on a logarithmic axis
};

}  // namespace antaeus::figure_parts
