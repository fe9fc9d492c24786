// All frames together: per frame the null space of the six equations, then one block-tridiagonal system.
#include "contact/null_space.hpp"

#include <Eigen/QR>

#include "antaeus/core/error.hpp"

namespace antaeus {

namespace contact_parts {

namespace {

/// Contrasts of k contacts: k × (k − 1), orthonormal columns, each orthogonal to (1 … 1) (Helmert).
double contrast(int b, int j) noexcept {
  const double scale = 1.0 / std::sqrt(static_cast<double>((j + 1) * (j + 2)));
  return b <= j ? scale : b == j + 1 ? -(j + 1) * scale : 0.0;
}

/// Contacts that exert moments: the null space without any decomposition. The total is shared in equal parts; what is
/// left are forces and moments that add up to nothing, each contact's moment giving back what its force's lever makes.
void analytic_basis(const ContactDemand& demand, Eigen::Index t, const std::vector<int>& active, FrameBasis& basis) {
  const int k = demand.contact_count(), m = static_cast<int>(active.size());
  Vector3 center = Vector3::Zero();
  for (const int c : active) center += demand.places[static_cast<std::size_t>(demand.column(t, c))].translation;
  center /= m;
  const Vector3 force = demand.total.col(t).head<3>();
  const Vector3 moment =
      Vector3(demand.total.col(t).tail<3>()) + (Vector3(demand.about.col(t)) - center).cross(force);
  basis.origin.setZero(6 * k);
  basis.free.setZero(6 * k, 6 * (m - 1));
  for (int b = 0; b < m; ++b) {
    const int c = active[static_cast<std::size_t>(b)];
    const Vector3 d = demand.places[static_cast<std::size_t>(demand.column(t, c))].translation - center;
    basis.origin.segment<3>(6 * c) = force / m;
    basis.origin.segment<3>(6 * c + 3) = moment / m - d.cross(Vector3(force / m));
    const Matrix3 D = cross_matrix(d);
    for (int j = 0; j + 1 < m; ++j) {
      const double q = contrast(b, j);
      if (q == 0.0) continue;
      basis.free.block<3, 3>(6 * c, 6 * j).diagonal().setConstant(q);
      basis.free.block<3, 3>(6 * c + 3, 6 * j) = -q * D;
      basis.free.block<3, 3>(6 * c + 3, 6 * j + 3).diagonal().setConstant(q);
    }
  }
}

/// Points among the contacts, or too few to make the total: a rank-revealing decomposition of the six equations.
void decomposed_basis(const ContactDemand& demand, Eigen::Index t, const std::vector<int>& active, double lever,
                      FrameBasis& basis) {
  const int k = demand.contact_count();
  std::vector<int> rows;  // of the frame's 6 k that these contacts can use
  Eigen::MatrixXd A(6, 6 * static_cast<Eigen::Index>(active.size()));
  A.setZero();
  for (const int c : active) {
    const Vector3 d = demand.places[static_cast<std::size_t>(demand.column(t, c))].translation - demand.about.col(t);
    const auto at = static_cast<Eigen::Index>(rows.size());
    A.block<3, 3>(0, at).setIdentity();
    A.block<3, 3>(3, at) = cross_matrix(d) / lever;
    for (int i = 0; i < 3; ++i) rows.push_back(6 * c + i);
    if (demand.kinds[static_cast<std::size_t>(c)] == ContactType::point) continue;
    A.block<3, 3>(3, at + 3).diagonal().setConstant(1.0 / lever);
    for (int i = 3; i < 6; ++i) rows.push_back(6 * c + i);
  }
  const auto n = static_cast<Eigen::Index>(rows.size());
  basis.origin.setZero(6 * k);
  if (n == 0) {
    basis.free.resize(6 * k, 0);
    return;
  }
  Vector6 b = demand.total.col(t);
  b.tail<3>() /= lever;
  constexpr double kRank = 1e-10;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> whole;
  whole.setThreshold(kRank);
  whole.compute(A.leftCols(n));
  const Eigen::VectorXd origin = whole.solve(b);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> rows_of;
  rows_of.setThreshold(kRank);
  rows_of.compute(A.leftCols(n).transpose());
  const Eigen::MatrixXd Q = rows_of.householderQ() * Eigen::MatrixXd::Identity(n, n);
  const Eigen::MatrixXd free = Q.rightCols(n - rows_of.rank());
  basis.free.setZero(6 * k, free.cols());
  for (Eigen::Index i = 0; i < n; ++i) {
    basis.origin[rows[static_cast<std::size_t>(i)]] = origin[i];
    basis.free.row(rows[static_cast<std::size_t>(i)]) = free.row(i);
  }
}

FrameBasis basis_of(const ContactDemand& demand, Eigen::Index t, double lever) {
  FrameBasis basis;
  std::vector<int> active;
  bool moments = true;
  for (int c = 0; c < demand.contact_count(); ++c) {
    if (!demand.is_active(t, c)) continue;
    active.push_back(c);
    moments = moments && demand.kinds[static_cast<std::size_t>(c)] == ContactType::wrench;
  }
  if (moments && !active.empty()) {
    analytic_basis(demand, t, active, basis);
  } else {
    decomposed_basis(demand, t, active, lever, basis);
  }
  return basis;
}

/// Adds weights times the wrenches of one frame: P w, for the diagonal P.
template <class Weight>
Eigen::MatrixXd scaled(const Eigen::MatrixXd& rows, Weight&& weight) {
  Eigen::MatrixXd result = rows;
  for (Eigen::Index c = 0; 6 * c < rows.rows(); ++c) {
    const Weights a = weight(static_cast<int>(c));
    result.middleRows<3>(6 * c) *= a.force;
    result.middleRows<3>(6 * c + 3) *= a.moment;
  }
  return result;
}

}  // namespace

NullSpaceProblem null_space_problem(const ContactDemand& demand, const ContactOptions& options, bool over_time) {
  const CostWeights weights(demand, options, over_time);
  const Eigen::Index N = demand.frames();
  const int k = demand.contact_count();
  NullSpaceProblem problem;
  problem.frames.reserve(static_cast<std::size_t>(N));
  std::vector<int> sizes;
  for (Eigen::Index t = 0; t < N; ++t) {
    problem.frames.push_back(basis_of(demand, t, options.lever));
    sizes.push_back(static_cast<int>(problem.frames.back().free.cols()));
  }
  problem.hessian.reshape(sizes);
  problem.gradient.setZero(problem.hessian.rows());
  const Weights smoothing = over_time ? weights.smoothing() : Weights{};
  const Weights previous = over_time ? weights.previous() : Weights{};
  for (Eigen::Index t = 0; t < N; ++t) {
    const int block = static_cast<int>(t);
    const FrameBasis& here = problem.frames[static_cast<std::size_t>(t)];
    auto gradient = problem.gradient.segment(problem.hessian.offset(block), problem.hessian.size(block));
    const auto size = [&](int c) {
      Weights a = weights.size(t, c);
      if (t == 0) a.force += previous.force, a.moment += previous.moment;
      return a;
    };
    Eigen::VectorXd pull = here.origin;  // w₀ − where the cost is least, weighed
    for (int c = 0; c < k; ++c) {
      if (!demand.is_active(t, c)) continue;
      const Weights a = weights.size(t, c);
      Vector6 aim = Vector6::Zero();
      if (demand.guess.size() > 0) aim = demand.guess.col(demand.column(t, c));
      auto part = pull.segment<6>(6 * c);
      const Vector6 w = part;
      part.head<3>() = a.force * (w - aim).head<3>();
      part.tail<3>() = a.moment * (w - aim).tail<3>();
      if (t > 0 || previous.moment == 0.0) continue;
      const Vector6 before = demand.previous.col(c);
      part.head<3>() += previous.force * (w - before).head<3>();
      part.tail<3>() += previous.moment * (w - before).tail<3>();
    }
    gradient.noalias() += here.free.transpose() * pull;
    problem.hessian.diagonal(block).noalias() += here.free.transpose() * scaled(here.free, size);
    if (t + 1 == N || smoothing.moment == 0.0) continue;

    const FrameBasis& next = problem.frames[static_cast<std::size_t>(t + 1)];
    // What is compared: contacts that touch in both frames; in link axes the earlier wrench turns with the link.
    Eigen::VectorXd origin = here.origin;
    Eigen::MatrixXd free = here.free;
    const auto both = [&](int c) {
      return demand.is_active(t, c) && demand.is_active(t + 1, c) ? smoothing : Weights{};
    };
    if (weights.smooths_in_link_axes()) {
      for (int c = 0; c < k; ++c) {
        const Matrix3 turn = demand.places[static_cast<std::size_t>(demand.column(t + 1, c))].rotation *
                             demand.places[static_cast<std::size_t>(demand.column(t, c))].rotation.transpose();
        for (int part = 0; part < 2; ++part) {
          origin.segment<3>(6 * c + 3 * part) = turn * origin.segment<3>(6 * c + 3 * part).eval();
          free.middleRows<3>(6 * c + 3 * part) = turn * free.middleRows<3>(6 * c + 3 * part).eval();
        }
      }
    }
    const Eigen::MatrixXd after = scaled(next.free, both), before = scaled(free, both);
    const Eigen::VectorXd step = scaled(Eigen::MatrixXd(next.origin - origin), both);
    problem.hessian.diagonal(block).noalias() += free.transpose() * before;
    problem.hessian.diagonal(block + 1).noalias() += next.free.transpose() * after;
    problem.hessian.lower(block).noalias() -= next.free.transpose() * before;
    gradient.noalias() -= free.transpose() * step;
    problem.gradient.segment(problem.hessian.offset(block + 1), problem.hessian.size(block + 1)).noalias() +=
        next.free.transpose() * step;
  }
  return problem;
}

void recover(const ContactDemand& demand, const NullSpaceProblem& problem, const Eigen::VectorXd& z,
             ContactSolution& solution) {
  const int k = demand.contact_count();
  solution.wrench.resize(6, demand.frames() * k);
  solution.residual.resize(6, demand.frames());
  solution.status.assign(static_cast<std::size_t>(demand.frames()), Status::ok);
  for (Eigen::Index t = 0; t < demand.frames(); ++t) {
    const int block = static_cast<int>(t);
    const FrameBasis& frame = problem.frames[static_cast<std::size_t>(t)];
    Eigen::VectorXd w = frame.origin;
    w.noalias() += frame.free * z.segment(problem.hessian.offset(block), problem.hessian.size(block));
    solution.wrench.middleCols(t * k, k) = Eigen::Map<const Matrix6X>(w.data(), 6, k);
    solution.residual.col(t) = demand.total.col(t) - total_of(demand, t, solution.wrench.middleCols(t * k, k));
  }
}

}  // namespace contact_parts

ContactSolution solve_over_time(const ContactDemand& demand, const ContactOptions& options) {
  using namespace contact_parts;
  check_options(options);
  if (demand.contacts.empty()) throw OptionsError("--contact", "no contact", "name at least one frame");
  if (!(demand.dt > 0.0)) throw OptionsError("dt", "no time step", "forces over time need even frames");
  for (Eigen::Index t = 0; t < demand.frames(); ++t) {
    if (is_finite(demand, t)) continue;
    throw OptionsError("frame " + std::to_string(t), "holds NaN or infinity",
                       "forces over time need every frame; cut the motion there");
  }
  NullSpaceProblem problem = null_space_problem(demand, options);
  ContactSolution solution;
  BlockTridiagonal factor = problem.hessian;
  if (!factor.factor()) {
    throw OptionsError("contact.least_torque, contact.smoothing", "these weights leave the wrenches undetermined",
                       "give least_torque a positive weight");
  }
  Eigen::VectorXd z = -problem.gradient;
  factor.solve(z);
  recover(demand, problem, z, solution);
  return solution;
}

}  // namespace antaeus
