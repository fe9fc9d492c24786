#include "smooth_curve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace antaeus {

namespace {

constexpr double kTwoPi = 6.283185307179586476925;

}  // namespace

Motion sine(double t, double frequency) noexcept {
  const double rate = kTwoPi * frequency, s = std::sin(rate * t), c = std::cos(rate * t);
  return {s, rate * c, -rate * rate * s};
}

Motion cosine(double t, double frequency) noexcept {
  const double rate = kTwoPi * frequency, s = std::sin(rate * t), c = std::cos(rate * t);
  return {c, -rate * s, -rate * rate * c};
}

Motion smooth_step(double t, double from, double to) noexcept {
  const double length = to - from, u = (t - from) / length;
  if (u <= 0.0) return {};
  if (u >= 1.0) return {1.0, 0.0, 0.0};
  return {u * u * u * (10.0 + u * (6.0 * u - 15.0)), 30.0 * u * u * (1.0 - u) * (1.0 - u) / length,
          60.0 * u * (1.0 - u) * (1.0 - 2.0 * u) / (length * length)};
}

double smooth_step_integral(double t, double from, double to) noexcept {
  const double length = to - from, u = (t - from) / length;
  if (u <= 0.0) return 0.0;
  if (u >= 1.0) return length * (u - 0.5);
  return length * u * u * u * u * (2.5 + u * (u - 3.0));
}

Pchip::Pchip(std::vector<double> x, std::vector<double> y) : x_(std::move(x)), y_(std::move(y)) {
  const std::size_t pieces = x_.size() - 1;
  for (std::size_t i = 0; i <= pieces; ++i) slope_.push_back(slope(i));
  first_integral_.push_back(0.0);
  second_integral_.push_back(0.0);
  for (std::size_t i = 0; i < pieces; ++i) {
    const double h = x_[i + 1] - x_[i], secant = (y_[i + 1] - y_[i]) / h;
    quadratic_.push_back((3.0 * secant - 2.0 * slope_[i] - slope_[i + 1]) / h);
    cubic_.push_back((slope_[i] + slope_[i + 1] - 2.0 * secant) / (h * h));
    first_integral_.push_back(integral(x_[i + 1]));
    second_integral_.push_back(double_integral(x_[i + 1]));
  }
}

double Pchip::slope(std::size_t knot) const noexcept {
  const std::size_t last = x_.size() - 1;
  const auto step = [&](std::size_t i) { return x_[i + 1] - x_[i]; };
  const auto secant = [&](std::size_t i) { return (y_[i + 1] - y_[i]) / step(i); };
  if (last == 1) return secant(0);
  if (knot > 0 && knot < last) {
    const double before = secant(knot - 1), after = secant(knot);
    if (before * after <= 0.0) return 0.0;
    const double w1 = 2.0 * step(knot) + step(knot - 1), w2 = step(knot) + 2.0 * step(knot - 1);
    return (w1 + w2) / (w1 / before + w2 / after);
  }
  const std::size_t near = knot == 0 ? 0 : last - 1, far = knot == 0 ? 1 : last - 2;
  const double end =
      ((2.0 * step(near) + step(far)) * secant(near) - step(near) * secant(far)) / (step(near) + step(far));
  if (end * secant(near) <= 0.0) return 0.0;
  if (secant(near) * secant(far) <= 0.0 && std::abs(end) > 3.0 * std::abs(secant(near))) return 3.0 * secant(near);
  return end;
}

std::size_t Pchip::piece(double x) const noexcept {
  // While the integrals are being built, the last piece is the one whose coefficients came last.
  const auto after = std::upper_bound(x_.begin(), x_.end(), x) - x_.begin();
  const auto last = static_cast<std::ptrdiff_t>(cubic_.size()) - 1;
  return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(after - 1, 0, last));
}

double Pchip::value(double x) const noexcept {
  if (x <= x_.front()) return y_.front();
  if (x >= x_.back()) return y_.back();
  const std::size_t i = piece(x);
  const double s = x - x_[i];
  return y_[i] + s * (slope_[i] + s * (quadratic_[i] + s * cubic_[i]));
}

double Pchip::integral(double x) const noexcept {
  if (x < x_.front()) return y_.front() * (x - x_.front());
  if (x > x_.back()) return first_integral_.back() + y_.back() * (x - x_.back());
  const std::size_t i = piece(x);
  const double s = x - x_[i];
  return first_integral_[i] + s * (y_[i] + s * (slope_[i] / 2.0 + s * (quadratic_[i] / 3.0 + s * cubic_[i] / 4.0)));
}

double Pchip::double_integral(double x) const noexcept {
  if (x < x_.front()) return y_.front() * (x - x_.front()) * (x - x_.front()) / 2.0;
  if (x > x_.back()) {
    const double s = x - x_.back();
    return second_integral_.back() + s * (first_integral_.back() + s * y_.back() / 2.0);
  }
  const std::size_t i = piece(x);
  const double s = x - x_[i];
  const double local = y_[i] / 2.0 + s * (slope_[i] / 6.0 + s * (quadratic_[i] / 12.0 + s * cubic_[i] / 20.0));
  return second_integral_[i] + s * (first_integral_[i] + s * local);
}

}  // namespace antaeus
