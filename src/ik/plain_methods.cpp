#include "antaeus/ik/plain_methods.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/numerics/pseudo_inverse.hpp"
#include "core/computable.hpp"
#include "core/random.hpp"
#include "ik/attempt.hpp"
#include "ik/reach_model.hpp"

namespace antaeus {

namespace {

using lanes::Forward;
using lanes::kRoom;
using lanes::Target;
using lanes::Vec3;

/// The error as the method takes it, in frame 0's axes.
template <int N, bool kRotation>
void error_of(const Forward<double, N>& now, const Target<double>& target, ErrorAxes axes, double* e, double& position,
              double& rotation) {
  Vec3<double> ep = target.p - now.p, er{};
  position = std::sqrt(dot(ep, ep));
  rotation = 0.0;
  if constexpr (kRotation) er = rotation_log(now, target, rotation);
  if (axes == ErrorAxes::local && kRotation && rotation > 1e-9) {
    // V⁻¹ of the exponential map: p − ½ r × p + (1/θ² − (1 + cos θ)/(2 θ sin θ)) r × (r × p)
    const Vec3<double> c = cross(er, ep);
    const double half = 0.5 * rotation;
    const double share = (1.0 - half * std::cos(half) / std::sin(half)) / (rotation * rotation);
    ep = ep - 0.5 * c + share * cross(er, c);
  }
  e[0] = ep.x;
  e[1] = ep.y;
  e[2] = ep.z;
  if constexpr (kRotation) {
    e[3] = er.x;
    e[4] = er.y;
    e[5] = er.z;
  }
}

/// Columns of J in frame 0's axes, K rows.
template <int N, int K>
void jacobian(const detail::ChainNumbers& chain, const Forward<double, N>& now, double (*J)[K]) {
  Vec3<double> column[kRoom<N>];
  linear_columns(chain, now, column);
  for (int i = 0; i < lanes::count<N>(chain); ++i) {
    J[i][0] = column[i].x;
    J[i][1] = column[i].y;
    J[i][2] = column[i].z;
    if constexpr (K == 6) {
      const Vec3<double> z = chain.prismatic[i] ? Vec3<double>{} : now.axis[i];
      J[i][3] = z.x;
      J[i][4] = z.y;
      J[i][5] = z.z;
    }
  }
}

/// dq of dls.
template <int N, int K>
void damped_step(int n, const double (*J)[K], const double* e, double lambda, double* dq) {
  lanes::Triangle<double, K> M;
  for (double& m : M.m) m = 0.0;
  for (int k = 0; k < K; ++k) M.m[k * (k + 1) / 2 + k] = lambda * lambda;
  for (int i = 0; i < n; ++i) {
#pragma GCC unroll 8
    for (int r = 0; r < K; ++r) {
#pragma GCC unroll 8
      for (int c = 0; c <= r; ++c) M.m[r * (r + 1) / 2 + c] += J[i][r] * J[i][c];
    }
  }
  double y[K];
  lanes::solve_triangle<double, K>(M, e, y);
  for (int i = 0; i < n; ++i) {
    double sum = 0.0;
    for (int k = 0; k < K; ++k) sum += J[i][k] * y[k];
    dq[i] = sum;
  }
}

/// √det(JJᵀ) (Yoshikawa, Int. J. Robotics Research 4, 1985).
template <int N, int K>
double manipulability(int n, const double (*J)[K]) {
  Eigen::Matrix<double, K, K> M = Eigen::Matrix<double, K, K>::Zero();
  for (int i = 0; i < n; ++i) {
    const Eigen::Map<const Eigen::Matrix<double, K, 1>> column(J[i]);
    M.noalias() += column * column.transpose();
  }
  return std::sqrt(std::max(M.determinant(), 0.0));
}

/// Memory of the singular value decomposition.
struct Scratch {
  SmallSvd& svd;
  MatrixX& inverse;
};

template <int N, bool kRotation>
void one_step(const detail::ChainNumbers& chain, const PlainOptions& options, const Forward<double, N>& now,
              const double* e, Scratch& scratch, double* dq) {
  constexpr int kRows = kRotation ? 6 : 3;
  const int n = lanes::count<N>(chain);
  double J[kRoom<N>][kRows];
  jacobian<N, kRows>(chain, now, J);
  if (options.method == PlainMethod::pinv) {
    const Eigen::Map<const Eigen::Matrix<double, kRows, Eigen::Dynamic>> columns(&J[0][0], kRows, n);
    scratch.svd.compute(columns);
    moore_penrose(scratch.svd, options.pinv_tolerance, scratch.inverse);
    const Eigen::Map<const Eigen::Matrix<double, kRows, 1>> error(e);
    Eigen::Map<VectorX>(dq, n).noalias() = scratch.inverse.lazyProduct(error);
    return;
  }
  double lambda = options.lambda;
  if (options.adaptive) {
    const double share = manipulability<N, kRows>(n, J) / options.adaptive_from;
    lambda = share < 1.0 ? lambda * (1.0 - share) : 0.0;
  }
  damped_step<N, kRows>(n, J, e, lambda, dq);
}

template <int N, bool kRotation>
void plain_solve(const detail::ChainNumbers& chain, const PlainOptions& options, const Target<double>& target,
                 Scratch& scratch, const detail::Onlooker* onlooker, ReachSolution& solution) {
  constexpr int kRows = kRotation ? 6 : 3;
  const int n = lanes::count<N>(chain);
  const bool restarts = options.method == PlainMethod::dls_restarts;
  const double share = restarts ? 1.0 : options.step;
  detail::Random<detail::SplitMix64> random(options.seed);
  double q[kRoom<N>], e[kRows] = {}, dq[kRoom<N>];
  for (int i = 0; i < n; ++i) q[i] = solution.q[i];
  double best = kInfinity;
  for (int start = 0; start < (restarts ? options.starts : 1); ++start) {
    if (start > 0) {
      for (int i = 0; i < n; ++i) {
        const bool turn = !chain.prismatic[i] && !(chain.upper[i] - chain.lower[i] < 2.0 * M_PI);
        const double middle = 0.5 * (chain.lower[i] + chain.upper[i]);
        const double low = turn ? (std::isfinite(middle) ? middle : 0.0) - M_PI : std::max(chain.lower[i], -2.0);
        const double high = turn ? low + 2.0 * M_PI : std::min(chain.upper[i], 2.0);
        q[i] = low + (high - low) * random.uniform();
      }
    }
    ++solution.attempts;
    for (int iteration = 0;; ++iteration) {
      Forward<double, N> now;
      forward(chain, q, now);
      ++solution.iterations;
      if (onlooker) onlooker->see(onlooker->who, {iteration == 0, true, false}, q);
      double position, rotation;
      error_of<N, kRotation>(now, target, options.axes, e, position, rotation);
      const double f = position * position + rotation * rotation;
      if (f < best || !restarts) {  // one start ends where it ends
        best = f;
        for (int i = 0; i < n; ++i) solution.q[i] = q[i];
        solution.position_error = position;
        solution.rotation_error = rotation;
      }
      if (position <= 0.5 * options.position_tolerance && rotation <= 0.5 * options.rotation_tolerance) {
        for (int i = 0; i < n; ++i) solution.q[i] = q[i];
        solution.position_error = position;
        solution.rotation_error = rotation;
        solution.status = ReachStatus::reached;
        return;
      }
      if (iteration == options.iterations) break;
      one_step<N, kRotation>(chain, options, now, e, scratch, dq);
      // A target beyond all numbers: no step leads there.
      bool is_step = true;
      for (int i = 0; i < n; ++i) is_step = is_step && std::isfinite(dq[i]);
      if (!is_step) break;
      for (int i = 0; i < n; ++i) q[i] = std::clamp(q[i] + share * dq[i], chain.lower[i], chain.upper[i]);
    }
  }
  solution.status = ReachStatus::iteration_budget;
  solution.evidence = ReachEvidence::budget;
}

}  // namespace

PlainSolver::PlainSolver(KinematicChain chain, const PlainOptions& options)
    : chain_(std::move(chain)),
      options_(options),
      svd_(6, kMaxChainJoints),
      inverse_(chain_.size(), options.position_only ? 3 : 6) {
  const auto positive = [](const char* name, double value) {
    if (!(value > 0.0)) throw OptionsError(name, "is not above 0", "give a positive number");
  };
  positive("step", options.step);
  if (options.step > 1.0) throw OptionsError("step", "is above 1", "give a share of at most 1");
  positive("lambda", options.lambda);
  positive("adaptive_from", options.adaptive_from);
  positive("position_tolerance", options.position_tolerance);
  positive("rotation_tolerance", options.rotation_tolerance);
  positive("iterations", options.iterations);
  positive("starts", options.starts);
  if (!(options.pinv_tolerance >= 0.0)) throw OptionsError("pinv_tolerance", "is below 0", "give 0 or more");
}

const ReachSolution& PlainSolver::solve(const Pose& X_WF, ConstVectorRef start,
                                        const detail::Onlooker* onlooker) noexcept {
  const detail::ChainNumbers& chain = chain_.numbers();
  solution_ = ReachSolution{};
  solution_.q.setConstant(chain.joints, kNaN);
  detail::TargetNumbers numbers;
  if (!detail::read_target(chain, !options_.position_only, X_WF, numbers)) {
    solution_.evidence = ReachEvidence::target;
    return solution_;
  }
  if (start.size() != chain.joints || !start.allFinite()) {
    solution_.evidence = ReachEvidence::start;
    return solution_;
  }
  solution_.pulled_in = detail::outside_limits(chain, start.data());
  for (int i = 0; i < chain.joints; ++i) {
    solution_.q[i] = std::clamp(start[i], chain.lower[i], chain.upper[i]);
  }
  const double* R = numbers.R;
  const Target<double> target{
      {R[0], R[3], R[6]}, {R[1], R[4], R[7]}, {R[2], R[5], R[8]}, {numbers.p[0], numbers.p[1], numbers.p[2]}};
  Scratch scratch{svd_, inverse_};
  const auto run = [&]<int N> {
    options_.position_only ? plain_solve<N, false>(chain, options_, target, scratch, onlooker, solution_)
                           : plain_solve<N, true>(chain, options_, target, scratch, onlooker, solution_);
  };
  switch (chain.joints) {
    case 7: run.operator()<7>(); break;
    case 6: run.operator()<6>(); break;
    default: run.operator()<0>();
  }
  return solution_;
}

Status PlainSolver::step(ConstVectorRef q, ConstVectorRef error, VectorRef dq) noexcept {
  const detail::ChainNumbers& chain = chain_.numbers();
  dq.setConstant(kNaN);
  if (q.size() != chain.joints || dq.size() != chain.joints || error.size() != (options_.position_only ? 3 : 6)) {
    return Status::wrong_size;
  }
  if (!is_computable(q) || !is_computable(error)) return Status::not_finite;
  using Rows = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  const Eigen::Map<const Rows> R_0W(chain.R_0W);
  Vector6 e = Vector6::Zero();
  e.head<3>() = R_0W * error.head<3>();
  if (!options_.position_only) e.tail<3>() = R_0W * error.tail<3>();
  Forward<double, 0> now;
  forward(chain, q.data(), now);
  Scratch scratch{svd_, inverse_};
  if (options_.position_only) {
    one_step<0, false>(chain, options_, now, e.data(), scratch, dq.data());
  } else {
    one_step<0, true>(chain, options_, now, e.data(), scratch, dq.data());
  }
  if (dq.allFinite()) return Status::ok;
  dq.setConstant(kNaN);
  return Status::not_finite;  // of numbers so large that a product overflows
}

}  // namespace antaeus
