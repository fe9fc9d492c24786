#include "antaeus/signal/chi_squared.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "antaeus/core/numbers.hpp"

namespace antaeus {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Series and fraction need some multiple of √a terms near the mean; this is enough for dof of 1e9.
constexpr int kMostTerms = 1000000;

/// log(x/a) − (x − a)/a, without cancellation near x = a.
double log_ratio_minus(double x, double a) noexcept {
  const double d = (x - a) / a;
  if (std::abs(d) > 0.3) return std::log(x / a) - d;
  double sum = 0.0, power = -d;
  for (int n = 2; n < 60; ++n) {
    power *= -d;
    const double term = -power / n;
    sum += term;
    if (std::abs(term) <= kEpsilon * std::abs(sum)) break;
  }
  return sum;
}

/// log of xᵃ e⁻ˣ / Γ(a + 1). For large a by Stirling's series, so that two numbers of size a log a need not cancel.
double log_term(double a, double x) noexcept {
  if (a < 20.0) return a * std::log(x) - x - std::log(std::tgamma(a + 1.0));
  const double inverse = 1.0 / a, square = inverse * inverse;
  const double stirling =
      inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0))));
  return a * log_ratio_minus(x, a) - 0.5 * std::log(2.0 * std::numbers::pi * a) - stirling;
}

/// P(a, x) and Q(a, x) = 1 − P.
struct Tails {
  double lower, upper;
};

Tails gamma_tails(double a, double x) noexcept {
  const double term = std::exp(log_term(a, x));
  if (x < a + 1.0) {
    double sum = 1.0, ratio = 1.0;
    for (int n = 1; n < kMostTerms; ++n) {
      ratio *= x / (a + n);
      sum += ratio;
      if (ratio <= kEpsilon * sum) {
        const double lower = std::min(1.0, term * sum);
        return {lower, 1.0 - lower};
      }
    }
    return {kNaN, kNaN};
  }
  // Q = xᵃ e⁻ˣ / Γ(a) · 1/(x + 1 − a − 1(1 − a)/(x + 3 − a − …)). All denominators are positive for x > a.
  double b = x + 1.0 - a, c = kInfinity, d = 1.0 / b, fraction = d;
  for (int n = 1; n < kMostTerms; ++n) {
    const double numerator = n * (a - n);
    b += 2.0;
    d = 1.0 / (b + numerator * d);
    c = b + numerator / c;
    const double factor = c * d;
    fraction *= factor;
    if (std::abs(factor - 1.0) <= kEpsilon) {
      const double upper = std::min(1.0, term * a * fraction);
      return {1.0 - upper, upper};
    }
  }
  return {kNaN, kNaN};
}

/// Whether dof is one of a distribution.
bool proper(double dof) noexcept { return dof > 0.0 && std::isfinite(dof); }

Tails chi_squared_tails(double x, double dof) noexcept {
  if (!proper(dof) || std::isnan(x)) return {kNaN, kNaN};
  if (x <= 0.0) return {0.0, 1.0};
  if (std::isinf(x)) return {1.0, 0.0};
  return gamma_tails(0.5 * dof, 0.5 * x);
}

/// Newton's method for log tail(log x) = log p. The logarithm of a χ² variable has a log-concave density, hence both
/// of its tails are log-concave and Newton's method converges from one side, wherever it starts.
double solve_tail(double p, double dof, bool upper) noexcept {
  const double a = 0.5 * dof;
  // Wilson and Hilferty's approximation; where it fails, at the lower end of few dof, the leading term of P.
  const double variance = 2.0 / (9.0 * dof), z = upper ? -normal_quantile(p) : normal_quantile(p);
  const double root = 1.0 - variance + z * std::sqrt(variance);
  const double leading = 2.0 * std::exp((std::log(p) + std::log(std::tgamma(a + 1.0))) / a);
  double x = root > 0.3 || a > 20.0 ? dof * root * root * root : leading;
  if (!(x > 0.0)) return upper ? kNaN : 0.0;
  for (int iteration = 0; iteration < 100; ++iteration) {
    const Tails tails = chi_squared_tails(x, dof);
    const double tail = upper ? tails.upper : tails.lower;
    if (std::isnan(tail)) return kNaN;
    // x f(x), f being the density: the derivative of P by log x.
    const double slope = a * std::exp(log_term(a, 0.5 * x));
    double step = (std::log(p) - std::log(tail)) * tail / (upper ? -slope : slope);
    if (!std::isfinite(step)) step = (tail > 0.0) == upper ? 1.0 : -1.0;
    step = std::clamp(step, -2.0, 2.0);
    x *= std::exp(step);
    if (std::abs(step) <= 4.0 * kEpsilon) break;
  }
  return x;
}

}  // namespace

double chi_squared_cdf(double x, double dof) noexcept { return chi_squared_tails(x, dof).lower; }

double chi_squared_survival(double x, double dof) noexcept { return chi_squared_tails(x, dof).upper; }

double chi_squared_quantile(double p, double dof) noexcept {
  if (!proper(dof) || !(p >= 0.0 && p <= 1.0)) return kNaN;
  if (p == 0.0) return 0.0;
  if (p == 1.0) return kInfinity;
  return p <= 0.5 ? solve_tail(p, dof, false) : solve_tail(1.0 - p, dof, true);
}

double chi_squared_threshold(double p, double dof) noexcept {
  if (!proper(dof) || !(p >= 0.0 && p <= 1.0)) return kNaN;
  if (p == 0.0) return kInfinity;
  if (p == 1.0) return 0.0;
  return p <= 0.5 ? solve_tail(p, dof, true) : solve_tail(1.0 - p, dof, false);
}

double normal_cdf(double z) noexcept { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double normal_quantile(double p) noexcept {
  if (!(p >= 0.0 && p <= 1.0)) return kNaN;
  if (p == 0.0) return -kInfinity;
  if (p == 0.5) return 0.0;  // exactly, where the iteration below would end at some 1e-17
  if (p > 0.5) return -normal_quantile(1.0 - p);
  // Φ is log-concave and Φ(−√(−2 log p)) ≤ p/2, so Newton's method on log Φ climbs to the solution.
  const double target = std::log(p);
  double z = -std::sqrt(-2.0 * target);
  for (int iteration = 0; iteration < 50; ++iteration) {
    const double below = normal_cdf(z);
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
    const double step = (target - std::log(below)) * below / density;
    if (!std::isfinite(step)) break;
    z += step;
    if (std::abs(step) <= 4.0 * kEpsilon) break;
  }
  return z;
}

}  // namespace antaeus
