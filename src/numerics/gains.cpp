#include "antaeus/numerics/gains.hpp"

#include <cmath>

#include "antaeus/core/numbers.hpp"

namespace antaeus {

namespace {

bool holds(const ConstMatrix6XRef& B, int joint) noexcept { return joint >= 0 && joint < B.cols(); }

}  // namespace

double gain(const ConstMatrix6XRef& B, int row, int joint) noexcept {
  return row >= 0 && row < 6 && holds(B, joint) ? B(row, joint) : kNaN;
}

double force_gain(const ConstMatrix6XRef& B, int joint) noexcept {
  return holds(B, joint) ? B.col(joint).head<3>().stableNorm() : kNaN;
}

Status attribution(const ConstMatrix6XRef& B, const ConstVectorRef& residual, Matrix6XRef out) noexcept {
  out.setConstant(kNaN);
  if (residual.size() != B.cols() || out.cols() != B.cols()) return Status::wrong_size;
  if (!B.allFinite() || !residual.allFinite()) return Status::not_finite;
  for (Eigen::Index joint = 0; joint < B.cols(); ++joint) out.col(joint) = B.col(joint) * residual[joint];
  return Status::ok;
}

Contributor largest_contributor(const ConstMatrix6XRef& contributions, int row) noexcept {
  const Contributor none{-1, kNaN, kNaN};
  if (row < 0 || row >= 6) return none;
  Contributor largest = none;
  double sum = 0.0;
  for (int joint = 0; joint < contributions.cols(); ++joint) {
    const double amount = contributions(row, joint);
    if (std::isnan(amount)) return none;
    sum += std::abs(amount);
    if (largest.joint < 0 || std::abs(amount) > std::abs(largest.amount)) largest = {joint, amount, kNaN};
  }
  if (sum > 0.0) largest.share = std::abs(largest.amount) / sum;
  return largest;
}

Vector6 worst_case_wrench(const ConstMatrix6XRef& B, const ConstVectorRef& budget) noexcept {
  Vector6 worst = Vector6::Constant(kNaN);
  if (budget.size() != B.cols() || !(budget.array() >= 0.0).all()) return worst;
  worst.setZero();
  for (Eigen::Index joint = 0; joint < B.cols(); ++joint) worst += B.col(joint).cwiseAbs() * budget[joint];
  return worst;
}

Vector6 worst_case_wrench(const ConstMatrix6XRef& B, double budget) noexcept {
  if (!(budget >= 0.0)) return Vector6::Constant(kNaN);
  Vector6 squares = Vector6::Zero();
  for (Eigen::Index joint = 0; joint < B.cols(); ++joint) squares += B.col(joint).cwiseAbs2();
  return squares.cwiseSqrt() * budget;
}

}  // namespace antaeus
