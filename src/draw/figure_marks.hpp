#pragma once
// Pieces of draw_figure: numbers, text widths, the style sheet. Private.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/numbers.hpp"
#include "antaeus/draw/figure.hpp"

namespace antaeus::detail {

/// A coordinate: two decimals at most, no "-0". Callers leave out what is not finite.
std::string coordinate(double value);
/// Ticks of a logarithmic axis: powers of ten within the range; with 2 and 5 times them when there are fewer than
/// three, and evenly spaced ones when that is not enough either.
std::vector<double> log_ticks(double minimum, double maximum);
/// About the width of a text in px: fonts are not known here, so it errs on the wide side.
double text_width(std::string_view text, double size);
/// A small tick of a logarithmic axis: "10⁻⁴" for a power of ten, `digits` decimals else.
std::string power_of_ten(double value, int digits);
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

/// Smallest and largest of what an axis must hold.
class Range {
 public:
  Range(const Axis& axis, bool stands_on_zero)
      : axis_(axis), on_zero_((axis.include_zero || stands_on_zero) && !axis.logarithmic) {
    if (on_zero_) take(0.0);
  }
  void take(double value) {
    if (!std::isfinite(value) || (axis_.logarithmic && value <= 0)) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  void take(const std::vector<double>& values) {
    for (const double value : values) take(value);
  }
  /// \param margin, headroom  shares of the range added to both ends, and above
  Scale scale(double margin, double headroom = 0.0) const;

 private:
  const Axis& axis_;
  bool on_zero_;
  double low_ = kInfinity, high_ = -kInfinity;
};

/// \throws Error as draw_figure says
void check_figure(const Figure& figure);

}  // namespace antaeus::detail
