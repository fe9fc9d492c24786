#pragma once
/// \file
/// The rows of one frame inside the interior point of elastic_qp.hpp: what each pass over time does with them.
///
/// A row has the value v = G z − h, slack s, violation e, multiplier λ of v + s − e = 0 and π = ρ − λ of e ≥ 0. The
/// optimum has s λ = 0 and e π = 0; the central path has both products equal. Newton's step towards products of σμ:
///
///     dλ = w (G dz + v + a/λ − b/π),   w = 1/(s/λ + e/π),   ds/s = a/(s λ) − 1 − dλ/λ,   de/e = b/(e π) − 1 + dλ/π,
///
/// where a and b are what the products shall be: 0 for the predictor, σμ less the second-order term for the corrector.
/// What has eliminated dλ adds Gᵀ w G to the matrix of dz. π is carried along: ρ − λ cancels where a limit is broken.

#include <algorithm>
#include <cmath>

#include "numerics/pair.hpp"
#include "numerics/row_products.hpp"

namespace antaeus::detail {

using detail::store;

/// Arrays of a frame behind its G, each of the padded number of rows.
enum Array : int {
  kBound,
  kValue,       ///< v, then w (a/λ − b/π)
  kSlack,       ///< s
  kViolation,   ///< e
  kMultiplier,  ///< λ
  kReserve,     ///< π
  kInverseS,    ///< 1/(s λ)
  kInverseE,    ///< 1/(e π)
  kWeight,      ///< w
  kStep,        ///< dλ
  kTargetS,     ///< a, then ds/s
  kTargetE,     ///< b, then de/e
  kArrays,
};

/// One frame: G, and the arrays behind it. The first `linear` (even) rows are treated here, cones after them elsewhere.
struct RowsOfFrame {
  RowMatrix G;
  double* arrays;
  int linear;

  double* operator[](Array index) const noexcept { return arrays + index * G.rows; }
};

/// What a pass gathers over all rows of all frames.
struct Sums {
  Pair product = {}, first = {}, second = {};  ///< of the products after a step α: product + α first + α² second
  Pair speed = {};                             ///< largest share of itself that a variable loses in a full step
  Pair worst_product = {}, worst_primal = {};
};

/// Start: on the central path of products μ, exactly feasible.
inline void start(const RowsOfFrame& rows, double mu, double price) noexcept {
  for (int r = 0; r < rows.linear; ++r) {
    const double slack = -rows[kValue][r], scaled = slack * price;
    // Of the two roots' forms the one that does not cancel: λ for a kept limit, π for a broken one.
    const double root = std::sqrt(scaled * scaled + 4.0 * mu * mu);
    const double small = 2.0 * mu * price / (std::abs(scaled) + 2.0 * mu + root), large = price - small;
    const double lambda = slack >= 0.0 ? small : large, pi = slack >= 0.0 ? large : small;
    rows[kMultiplier][r] = lambda;
    rows[kReserve][r] = pi;
    rows[kSlack][r] = mu / lambda;
    rows[kViolation][r] = mu / pi;
  }
}

/// v, of the cones too.
template <int N>
inline void evaluate(const RowsOfFrame& rows, const double* z) noexcept {
  for (int r = 0; r < rows.G.rows; r += 2)
    store(rows[kValue] + r, row_values<N>(rows.G, r, z) - load(rows[kBound] + r));
}

/// Weights and residuals at the present point.
inline void weigh(const RowsOfFrame& rows, Sums& sums) noexcept {
  for (int r = 0; r < rows.linear; r += 2) {
    const Pair v = load(rows[kValue] + r), s = load(rows[kSlack] + r), e = load(rows[kViolation] + r);
    const Pair lambda = load(rows[kMultiplier] + r), pi = load(rows[kReserve] + r);
    const Pair products = s * lambda, producte = e * pi, is = 1.0 / products, ie = 1.0 / producte;
    store(rows[kInverseS] + r, is);
    store(rows[kInverseE] + r, ie);
    const Pair w = 1.0 / (s * s * is + e * e * ie);
    store(rows[kWeight] + r, w);
    store(rows[kStep] + r, w * v);
    sums.product += products + producte;
    sums.worst_product = detail::largest(sums.worst_product, detail::largest(products, producte));
    sums.worst_primal = detail::largest(sums.worst_primal, detail::magnitude(v + s - e));
  }
}

/// dλ of the predictor, and what the products would become.
template <int N>
inline void predict(const RowsOfFrame& rows, const double* dz, Sums& sums) noexcept {
  for (int r = 0; r < rows.linear; r += 2) {
    const Pair s = load(rows[kSlack] + r), e = load(rows[kViolation] + r);
    const Pair G_dz = row_values<N>(rows.G, r, dz);
    const Pair step = load(rows[kWeight] + r) * (G_dz + load(rows[kValue] + r));
    store(rows[kStep] + r, step);
    const Pair x = step * s * load(rows[kInverseS] + r), y = step * e * load(rows[kInverseE] + r);
    // ds/s = −1 − x and de/e = y − 1: no division.
    sums.speed =
        detail::largest(sums.speed, detail::largest(detail::largest(1.0 + x, -x), detail::largest(1.0 - y, y)));
    const Pair product_s = s * load(rows[kMultiplier] + r), product_e = e * load(rows[kReserve] + r);
    sums.first -= product_s + product_e;
    sums.second -= product_s * x * (1.0 + x) + product_e * y * (y - 1.0);
  }
}

/// Targets of the corrector: σμ less the second-order term of the predictor, which is clipped.
inline void aim(const RowsOfFrame& rows, double target, double clip) noexcept {
  const auto clipped = [clip](Pair x) { return detail::smallest(detail::largest(x, both(-clip)), both(clip)); };
  for (int r = 0; r < rows.linear; r += 2) {
    const Pair s = load(rows[kSlack] + r), e = load(rows[kViolation] + r), step = load(rows[kStep] + r);
    const Pair is = load(rows[kInverseS] + r), ie = load(rows[kInverseE] + r);
    const Pair x = step * s * is, y = step * e * ie;
    const Pair product_s = s * load(rows[kMultiplier] + r), product_e = e * load(rows[kReserve] + r);
    const Pair a = target + clipped(product_s * x * (1.0 + x)), b = target + clipped(product_e * y * (y - 1.0));
    store(rows[kTargetS] + r, a);
    store(rows[kTargetE] + r, b);
    store(rows[kValue] + r, load(rows[kWeight] + r) * (a * s * is - b * e * ie));
  }
}

/// The whole step from the corrector's change of dz, and the products along it.
template <int N>
inline void combine(const RowsOfFrame& rows, const double* correction, Sums& sums) noexcept {
  for (int r = 0; r < rows.linear; r += 2) {
    const Pair s = load(rows[kSlack] + r), e = load(rows[kViolation] + r);
    const Pair is = load(rows[kInverseS] + r), ie = load(rows[kInverseE] + r);
    const Pair a = load(rows[kTargetS] + r), b = load(rows[kTargetE] + r);
    const Pair change = row_values<N>(rows.G, r, correction);
    const Pair step = load(rows[kStep] + r) + load(rows[kWeight] + r) * change + load(rows[kValue] + r);
    const Pair x = step * s * is, y = step * e * ie;
    const Pair ds = a * is - 1.0 - x, de = b * ie - 1.0 + y;
    store(rows[kStep] + r, step);
    store(rows[kTargetS] + r, ds);
    store(rows[kTargetE] + r, de);
    sums.speed = detail::largest(sums.speed, detail::largest(detail::largest(-ds, -x), detail::largest(-de, y)));
    const Pair product_s = s * load(rows[kMultiplier] + r), product_e = e * load(rows[kReserve] + r);
    sums.first += product_s * (ds + x) + product_e * (de - y);
    sums.second += product_s * ds * x - product_e * de * y;
  }
}

/// The smallest product after a step.
inline void least_product(const RowsOfFrame& rows, double step, Pair& least) noexcept {
  for (int r = 0; r < rows.linear; r += 2) {
    const Pair s = load(rows[kSlack] + r), e = load(rows[kViolation] + r), d = step * load(rows[kStep] + r);
    const Pair product_s = (s + step * s * load(rows[kTargetS] + r)) * (load(rows[kMultiplier] + r) + d);
    const Pair product_e = (e + step * e * load(rows[kTargetE] + r)) * (load(rows[kReserve] + r) - d);
    least = detail::smallest(least, detail::smallest(product_s, product_e));
  }
}

inline void advance(const RowsOfFrame& rows, double step) noexcept {
  for (int r = 0; r < rows.linear; r += 2) {
    const Pair s = load(rows[kSlack] + r), e = load(rows[kViolation] + r), d = step * load(rows[kStep] + r);
    store(rows[kSlack] + r, s + step * s * load(rows[kTargetS] + r));
    store(rows[kViolation] + r, e + step * e * load(rows[kTargetE] + r));
    store(rows[kMultiplier] + r, load(rows[kMultiplier] + r) + d);
    store(rows[kReserve] + r, load(rows[kReserve] + r) - d);
  }
}

}  // namespace antaeus::detail
