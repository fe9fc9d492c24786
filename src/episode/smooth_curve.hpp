#pragma once
// Smooth functions of time whose derivatives or integrals are exact: what twins are moved by. Private to src/episode.

#include <vector>

namespace antaeus {

/// A coordinate and its first two derivatives at one instant.
struct Motion {
  double position = 0.0;
  double velocity = 0.0;
  double acceleration = 0.0;
};

inline Motion operator+(const Motion& a, const Motion& b) noexcept {
  return {a.position + b.position, a.velocity + b.velocity, a.acceleration + b.acceleration};
}
inline Motion operator*(double factor, const Motion& a) noexcept {
  return {factor * a.position, factor * a.velocity, factor * a.acceleration};
}
/// Product rule.
inline Motion operator*(const Motion& a, const Motion& b) noexcept {
  return {a.position * b.position, a.velocity * b.position + a.position * b.velocity,
          a.acceleration * b.position + 2.0 * a.velocity * b.velocity + a.position * b.acceleration};
}

/// sin(2π f t) and cos(2π f t).
Motion sine(double t, double frequency) noexcept;
Motion cosine(double t, double frequency) noexcept;
/// From 0 at `from` to 1 at `to` by 10u³ − 15u⁴ + 6u⁵: continuous up to the acceleration.
Motion smooth_step(double t, double from, double to) noexcept;
/// ∫ smooth_step from `from` to t.
double smooth_step_integral(double t, double from, double to) noexcept;

/// Piecewise cubic Hermite interpolation without overshoot: between two knots it stays between their values.
/// Constant outside. Source: Fritsch & Butland, SIAM J. Sci. Stat. Comput. 5 (1984), slopes at the ends by the shape-
/// preserving three-point formula (Moler, "Numerical Computing with MATLAB" (2004), 3.4).
class Pchip {
 public:
  /// \param x strictly increasing, at least two; \param y as many
  Pchip(std::vector<double> x, std::vector<double> y);
  double value(double x) const noexcept;
  /// ∫ value from the first knot to x.
  double integral(double x) const noexcept;
  /// ∫∫ value from the first knot to x.
  double double_integral(double x) const noexcept;

 private:
  std::size_t piece(double x) const noexcept;
  double slope(std::size_t knot) const noexcept;

  std::vector<double> x_, y_;
  std::vector<double> quadratic_, cubic_, slope_;         // coefficients of (x − x_i)
  std::vector<double> first_integral_, second_integral_;  // up to each knot
};

}  // namespace antaeus
