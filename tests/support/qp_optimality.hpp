#pragma once
/// \file
/// Whether an answer of ElasticQp is the optimum: the conditions of Karush, Kuhn and Tucker, from dense algebra on the
/// problem and the answer. The problem is convex, so they are sufficient.

#include <Eigen/Dense>
#include <algorithm>

#include "antaeus/numerics/elastic_qp.hpp"

namespace antaeus::test {

struct Optimality {
  double stationarity = 0.0;  ///< largest |H z + g + Σ λ ∇row|, of the largest of g and Σ λ ∇row [1]
  double infeasible = 0.0;    ///< largest of row − bound − e, −e [N]
  double price = 0.0;         ///< largest of −λ and λ − ρ, of ρ [1]
  double product = 0.0;       ///< largest of λ · (bound + e − row) and e · (ρ − λ), of ρ [N]
};

inline Optimality optimality(ElasticQp& qp, const ElasticQpOptions& options) {
  Optimality result;
  const Eigen::Index size = qp.hessian().rows();
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd z(size), g(size), pull = Eigen::VectorXd::Zero(size);
  for (int t = 0; t < qp.frames(); ++t) {
    const Eigen::Index at = qp.hessian().offset(t), n = qp.shape(t).unknowns;
    H.block(at, at, n, n) = qp.hessian().diagonal(t);
    if (t + 1 < qp.frames()) {
      const Eigen::Index m = qp.shape(t + 1).unknowns;
      H.block(at + n, at, m, n) = qp.hessian().lower(t);
      H.block(at, at + n, n, m) = qp.hessian().lower(t).transpose();
    }
    z.segment(at, n) = qp.unknowns(t);
    g.segment(at, n) = qp.gradient(t);
    const auto row = [&](int index, double value, const Eigen::VectorXd& gradient) {
      const double lambda = qp.multipliers(t)[index], e = qp.violations(t)[index], rho = options.price;
      pull.segment(at, n) += lambda * gradient;
      result.infeasible = std::max({result.infeasible, value - e, -e});
      result.price = std::max({result.price, -lambda / rho, (lambda - rho) / rho});
      result.product = std::max({result.product, lambda * (e - value) / rho, e * (rho - lambda) / rho});
    };
    for (int r = 0; r < qp.shape(t).rows; ++r) {
      const Eigen::VectorXd G = qp.rows(t).row(r);
      row(r, G.dot(qp.unknowns(t)) - qp.bounds(t)[r], G);
    }
    for (int k = 0; k < qp.shape(t).cones; ++k) {
      const Eigen::Vector3d c = qp.cone(t, k) * qp.unknowns(t) + qp.cone_offset(t, k), y = qp.cone_multiplier(t, k);
      const double mu = qp.friction(t, k), e = qp.cone_violation(t, k), rho = options.price;
      const Eigen::Vector3d direction(y.x(), y.y(), mu * y.z());
      pull.segment(at, n) -= qp.cone(t, k).transpose() * direction;
      result.infeasible = std::max({result.infeasible, c.head<2>().norm() - mu * c.z() - e, -e});
      result.price = std::max({result.price, (y.head<2>().norm() - y.z()) / rho, (y.z() - rho) / rho});
      result.product = std::max({result.product, (direction.dot(c) + y.z() * e) / rho, e * (rho - y.z()) / rho});
    }
  }
  if (size == 0) return result;
  const double scale = std::max(g.cwiseAbs().maxCoeff(), pull.cwiseAbs().maxCoeff());
  result.stationarity = (H * z + g + pull).cwiseAbs().maxCoeff() / std::max(scale, 1e-9 * options.price);
  return result;
}

}  // namespace antaeus::test
