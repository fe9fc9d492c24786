#pragma once
/// \file
/// Friction cones inside the interior point of elastic_qp.hpp, beside the rows of elastic_rows.hpp.
///
/// A cone is three rows of G with value v = G z − h = −(μ c_n, c_x, c_y), the slack s = (μ c_n + e, c_x, c_y) and the
/// multiplier y in the cone Q = {x₀ ≥ √(x₁² + x₂²)}, which is its own dual; π = ρ − y₀. The optimum has sᵀy = 0, the
/// central path s ∘ y = (μ, 0, 0) with (a ∘ b) = (aᵀb, a₀ b₁ + b₀ a₁, a₀ b₂ + b₀ a₂). In the scaling of Nesterov and
/// Todd, W y = W⁻¹ s = l, all is as for a row, with the matrix W² in place of s/λ:
///
///     dy = M⁻¹ (G dz + v + W a − b/π),  M = W² + e/π,  ds = W a − s − W² dy,  l ∘ a = (σμ, 0, 0) − second order.
///
/// A scalar that is added here is added to the first component. So the apex, a foot in the air, needs no care.
/// Source: Vandenberghe, "The CVXOPT linear and quadratic cone program solvers" (2010), 4–7.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "antaeus/numerics/elastic_qp.hpp"
#include "numerics/elastic_rows.hpp"

namespace antaeus::detail {

using Vector3 = Eigen::Vector3d;
using Three = Eigen::Map<Vector3>;
using Scaling = detail::ConeScaling;

/// Of one cone: its parts of the frame's arrays. e, π and their steps stand at the first of the three places.
struct ConeRows {
  const RowsOfFrame& frame;
  int first;

  Three three(Array index) const noexcept { return Three(frame[index] + first); }
  double& one(Array index) const noexcept { return frame[index][first]; }
};

/// x₀² − x₁² − x₂²: above 0 inside the cone and its mirror image.
inline double determinant(const Vector3& x) noexcept {
  const double across = std::sqrt(x[1] * x[1] + x[2] * x[2]);
  return (x[0] - across) * (x[0] + across);
}

/// a ∘ b
inline Vector3 product(const Vector3& a, const Vector3& b) noexcept {
  return {a.dot(b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]};
}

/// x with l ∘ x = b.
inline Vector3 divide(const Vector3& l, const Vector3& b) noexcept {
  const double first = (l[0] * b[0] - l[1] * b[1] - l[2] * b[2]) / determinant(l);
  return {first, (b[1] - first * l[1]) / l[0], (b[2] - first * l[2]) / l[0]};
}

/// Share of its way to the boundary that x goes in a full step d: x + α d is inside for α below one over it.
inline double speed(const Vector3& x, const Vector3& d) noexcept {
  const double root = std::sqrt(determinant(x));
  const Vector3 unit = x / root, step = d / root;
  const double along = unit[0] * step[0] - unit[1] * step[1] - unit[2] * step[2];
  const double pull = (along + step[0]) / (unit[0] + 1.0);
  return std::hypot(step[1] - pull * unit[1], step[2] - pull * unit[2]) - along;
}

/// On the central path of products μ, exactly feasible: e (ρ − y₀(e)) = μ has one root, which is bracketed and halved.
inline void start(const ConeRows& cone, double mu, double price) noexcept {
  const Vector3 v = cone.three(kValue);
  const double across = std::hypot(v[1], v[2]);
  const auto y0 = [&](double e) { return mu * (e - v[0]) / ((e - v[0] - across) * (e - v[0] + across)); };
  double low = std::max(0.0, v[0] + across), high = low + 4.0 * mu / price;
  for (int i = 0; i < 200 && high - low > 1e-9 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (price - y0(middle) - mu / middle > 0.0 ? high : low) = middle;
  }
  const double e = high;
  const Vector3 s(e - v[0], -v[1], -v[2]);
  cone.three(kSlack) = s;
  cone.three(kMultiplier) = mu / determinant(s) * Vector3(s[0], -s[1], -s[2]);
  cone.one(kViolation) = e;
  cone.one(kReserve) = price - cone.one(kMultiplier);
}

/// Scaling, weight and residuals at the present point.
inline Scaling weigh(const ConeRows& cone, Sums& sums) noexcept {
  const Vector3 s = cone.three(kSlack), y = cone.three(kMultiplier), v = cone.three(kValue);
  const double e = cone.one(kViolation), pi = cone.one(kReserve);
  const double det_s = determinant(s), det_y = determinant(y);
  const Vector3 unit_s = s / std::sqrt(det_s), unit_y = y / std::sqrt(det_y);
  const double gamma = std::sqrt(0.5 * (1.0 + unit_s.dot(unit_y))), eta = std::sqrt(std::sqrt(det_s / det_y));
  Vector3 w = (unit_s + Vector3(unit_y[0], -unit_y[1], -unit_y[2])) / (2.0 * gamma);
  // On the hyperboloid whatever has been rounded.
  w[0] = std::sqrt(1.0 + w[1] * w[1] + w[2] * w[2]);
  Vector3 half = w;
  half[0] += 1.0;
  half /= std::sqrt(2.0 * half[0]);
  Scaling scaling;
  scaling.W = 2.0 * eta * half * half.transpose();
  scaling.W.diagonal() += Vector3(-eta, eta, eta);
  scaling.l = scaling.W * y;
  // M⁻¹ by blocks. With k² = w₁² + w₂² and w₀² = 1 + k², the block across is η² (1 + 2 w wᵀ), what is left of the first
  // component is e/π + η²/(1 + 2 k²): sums of positive numbers, where W⁻² less its share would cancel.
  const double across = 1.0 + 2.0 * (w[1] * w[1] + w[2] * w[2]), shrink = 1.0 / (eta * eta);
  const double first = 1.0 / (e / pi + eta * eta / across);
  const Vector3 pull(-1.0, 2.0 * w[0] / across * w[1], 2.0 * w[0] / across * w[2]);
  scaling.inverse_M = first * pull * pull.transpose();
  scaling.inverse_M(1, 1) += shrink * (1.0 + 2.0 * w[2] * w[2]) / across;
  scaling.inverse_M(2, 2) += shrink * (1.0 + 2.0 * w[1] * w[1]) / across;
  scaling.inverse_M(1, 2) -= shrink * 2.0 * w[1] * w[2] / across;
  scaling.inverse_M(2, 1) = scaling.inverse_M(1, 2);
  scaling.inverse_W = scaling.W / (eta * eta);
  for (const int across_axis : {1, 2})
    scaling.inverse_W(0, across_axis) = scaling.inverse_W(across_axis, 0) = -scaling.inverse_W(0, across_axis);
  scaling.column = -first * pull;
  // M⁻¹ v, by W² y = s: v is as large as s, M⁻¹ turns what its rounding leaves along the boundary into newtons.
  const Vector3 gap = v + s - Vector3(e, 0.0, 0.0);
  // Its first component is what e/π multiplies: 1 − first · e/π is written as what it is, without a difference.
  scaling.kept = first * eta * eta / across;
  Vector3 step = scaling.inverse_M * gap - y + e * (y[0] + pi) / pi * scaling.column;
  step[0] = scaling.inverse_M.row(0).dot(gap) + e * first - y[0] * scaling.kept;
  cone.three(kStep) = step;
  const double sy = s.dot(y), e_pi = e * pi;
  sums.product[0] += sy + e_pi;
  sums.worst_product[0] = std::max({sums.worst_product[0], sy, e_pi});
  sums.worst_primal[0] = std::max(sums.worst_primal[0], gap.cwiseAbs().maxCoeff());
  return scaling;
}

/// Lower triangle of D += Gᵀ M⁻¹ G over the cone's rows.
inline void add_weighted_square(const ConeRows& cone, const Scaling& scaling, double* D) noexcept {
  const RowMatrix& G = cone.frame.G;
  for (int j = 0; j < G.unknowns; ++j) {
    const Vector3 weighted = scaling.inverse_M * Eigen::Map<const Vector3>(G.numbers + j * G.rows + cone.first);
    for (int i = j; i < G.unknowns; ++i)
      D[i + j * G.unknowns] += weighted.dot(Eigen::Map<const Vector3>(G.numbers + i * G.rows + cone.first));
  }
}

inline Vector3 values(const ConeRows& cone, const double* z) noexcept {
  const RowMatrix& G = cone.frame.G;
  Vector3 value = Vector3::Zero();
  for (int j = 0; j < G.unknowns; ++j) value += Eigen::Map<const Vector3>(G.numbers + j * G.rows + cone.first) * z[j];
  return value;
}

/// Steps of s, e and how far along them the boundary is, from that of y.
inline void follow(const ConeRows& cone, const Scaling& scaling, double b, Sums& sums) noexcept {
  const Vector3 s = cone.three(kSlack), y = cone.three(kMultiplier), dy = cone.three(kStep);
  const double e = cone.one(kViolation), pi = cone.one(kReserve), de = b / pi - e + e / pi * dy[0];
  // As G dz demands: from dy it would be a difference of numbers as large as s, and leave the row open by their
  // rounding.
  const Vector3 ds = Vector3(de, 0.0, 0.0) - scaling.demand;
  cone.three(kTargetS) = ds;
  cone.one(kTargetE) = de;
  sums.speed[0] = std::max({sums.speed[0], speed(s, ds), speed(y, dy), -de / e, dy[0] / pi});
  sums.first[0] += s.dot(dy) + y.dot(ds) + pi * de - e * dy[0];
  sums.second[0] += ds.dot(dy) - de * dy[0];
}

inline void predict(const ConeRows& cone, Scaling& scaling, const double* dz, Sums& sums) noexcept {
  const Vector3 moved = values(cone, dz);
  cone.three(kStep) += scaling.inverse_M * moved;
  scaling.demand = moved + cone.three(kValue) + cone.three(kSlack) - Vector3(cone.one(kViolation), 0.0, 0.0);
  follow(cone, scaling, 0.0, sums);
}

inline void aim(const ConeRows& cone, const Scaling& scaling, double target, double clip) noexcept {
  const Vector3 up = scaling.W * cone.three(kStep);
  const double dy0 = cone.one(kStep), de = cone.one(kTargetE);
  Vector3 second = -product(-scaling.l - up, up);
  second *= std::min(1.0, clip / std::max(second.cwiseAbs().maxCoeff(), 1e-300));
  const Vector3 a = scaling.inverse_W * divide(scaling.l, Vector3(target, 0.0, 0.0) + second);
  const double b = target + std::clamp(de * dy0, -clip, clip);
  cone.one(kTargetE) = b;
  // M⁻¹ (W a − b/π) with M = W² + e/π.
  cone.three(kValue) = a - (cone.one(kViolation) * a[0] + b) / cone.one(kReserve) * scaling.column;
  cone.one(kValue) = a[0] * scaling.kept - b / cone.one(kReserve) * scaling.column[0];
}

inline void combine(const ConeRows& cone, Scaling& scaling, const double* correction, Sums& sums) noexcept {
  const Vector3 moved = values(cone, correction);
  cone.three(kStep) += scaling.inverse_M * moved + cone.three(kValue);
  scaling.demand += moved;
  follow(cone, scaling, cone.one(kTargetE), sums);
}

inline double least_product(const ConeRows& cone, double step) noexcept {
  const Vector3 s = cone.three(kSlack) + step * cone.three(kTargetS);
  const Vector3 y = cone.three(kMultiplier) + step * cone.three(kStep);
  const double det_s = determinant(s), det_y = determinant(y);
  const double pi = cone.one(kReserve) - step * cone.one(kStep), e = cone.one(kViolation) + step * cone.one(kTargetE);
  return det_s > 0.0 && det_y > 0.0 ? std::min(std::sqrt(det_s * det_y), e * pi) : 0.0;
}

inline void advance(const ConeRows& cone, double step) noexcept {
  cone.three(kSlack) += step * cone.three(kTargetS);
  cone.three(kMultiplier) += step * cone.three(kStep);
  cone.one(kViolation) += step * cone.one(kTargetE);
  cone.one(kReserve) -= step * cone.one(kStep);
}

}  // namespace antaeus::detail
