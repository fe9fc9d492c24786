// All frames together: per frame the null space of the six equations, then one block-tridiagonal system.
#include "contact/null_space.hpp"

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "core/cross_matrix.hpp"
#include "core/decompositions.hpp"

namespace antaeus {

namespace detail {

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
  const Vector3 moment = Vector3(demand.total.col(t).tail<3>()) + (Vector3(demand.about.col(t)) - center).cross(force);
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

/// The basis of two contacts that exert moments, in sizes that the compiler knows: as analytic_basis.
using PairBasis = Basis<12, 6>;
PairBasis pair_basis(const ContactDemand& demand, Eigen::Index t) noexcept {
  PairBasis basis;
  const Vector3 p0 = demand.places[static_cast<std::size_t>(demand.column(t, 0))].translation;
  const Vector3 p1 = demand.places[static_cast<std::size_t>(demand.column(t, 1))].translation;
  const Vector3 center = (p0 + p1) / 2.0, d = p0 - center, half = demand.total.col(t).head<3>() / 2.0;
  const Vector3 moment =
      Vector3(demand.total.col(t).tail<3>()) / 2.0 + (Vector3(demand.about.col(t)) - center).cross(half);
  basis.origin << half, moment - d.cross(half), half, moment + d.cross(half);
  constexpr double kContrast = 0.7071067811865476;
  const Matrix3 D = kContrast * cross_matrix(d);
  basis.free.setZero();
  basis.free.block<3, 3>(0, 0).diagonal().setConstant(kContrast);
  basis.free.block<3, 3>(3, 0) = -D;
  basis.free.block<3, 3>(3, 3).diagonal().setConstant(kContrast);
  basis.free.block<3, 3>(6, 0).diagonal().setConstant(-kContrast);
  basis.free.block<3, 3>(9, 0) = -D;
  basis.free.block<3, 3>(9, 3).diagonal().setConstant(-kContrast);
  return basis;
}

/// P w for the diagonal P: rows of force and moment of each contact, weighed.
template <class Rows, class Weight>
Rows scaled(const Rows& rows, Weight&& weight) noexcept(Rows::RowsAtCompileTime != Eigen::Dynamic) {
  Rows result = rows;
  for (Eigen::Index c = 0; 6 * c < rows.rows(); ++c) {
    const Weights a = weight(static_cast<int>(c));
    result.template middleRows<3>(6 * c) *= a.force;
    result.template middleRows<3>(6 * c + 3) *= a.moment;
  }
  return result;
}

/// Adds the cost of frame t and, unless `next` is null, of the change to the frame after it.
template <int wrenches, int unknowns>
void assemble(const ContactDemand& demand, const CostWeights& weights, bool over_time, Eigen::Index t,
              const Basis<wrenches, unknowns>& here, const Basis<wrenches, unknowns>* next, BlockTridiagonal& hessian,
              Eigen::VectorXd& gradients) {
  const int k = demand.contact_count(), block = static_cast<int>(t);
  const Weights smoothing = over_time ? weights.smoothing() : Weights{};
  const Weights previous = over_time && t == 0 ? weights.previous() : Weights{};
  auto gradient = gradients.segment<unknowns>(hessian.offset(block), hessian.size(block));
  using Square = Eigen::Map<Eigen::Matrix<double, unknowns, unknowns>>;
  const auto square = [](BlockTridiagonal::Block map) { return Square(map.data(), map.rows(), map.cols()); };
  const auto size = [&](int c) {
    const Weights a = weights.size(t, c);
    return Weights{a.force + previous.force, a.moment + previous.moment};
  };
  auto pull = here.origin;  // w₀ − where the cost is least, weighed
  for (int c = 0; c < k; ++c) {
    if (!demand.is_active(t, c)) continue;
    const Weights a = weights.size(t, c);
    auto part = pull.template segment<6>(6 * c);
    const Vector6 w = part;
    Vector6 aim = Vector6::Zero();
    if (demand.guess.size() > 0) aim = demand.guess.col(demand.column(t, c));
    part.template head<3>() = a.force * (w - aim).template head<3>();
    part.template tail<3>() = a.moment * (w - aim).template tail<3>();
    if (previous.moment == 0.0) continue;
    const Vector6 before = demand.previous.col(c);
    part.template head<3>() += previous.force * (w - before).template head<3>();
    part.template tail<3>() += previous.moment * (w - before).template tail<3>();
  }
  gradient.noalias() += here.free.transpose().lazyProduct(pull);
  square(hessian.diagonal(block)).noalias() += here.free.transpose().lazyProduct(scaled(here.free, size));
  if (!next || smoothing.moment == 0.0) return;

  // What is compared: contacts that touch in both frames; in link axes the earlier wrench turns with the link.
  auto origin = here.origin;
  auto free = here.free;
  const auto both = [&](int c) { return demand.is_active(t, c) && demand.is_active(t + 1, c) ? smoothing : Weights{}; };
  if (weights.smooths_in_link_axes()) {
    for (int c = 0; c < k; ++c) {
      const Matrix3 turn = demand.places[static_cast<std::size_t>(demand.column(t + 1, c))].rotation *
                           demand.places[static_cast<std::size_t>(demand.column(t, c))].rotation.transpose();
      for (int row = 6 * c; row < 6 * c + 6; row += 3) {
        origin.template segment<3>(row) = turn.lazyProduct(here.origin.template segment<3>(row));
        free.template middleRows<3>(row) = turn.lazyProduct(here.free.template middleRows<3>(row));
      }
    }
  }
  const auto after = scaled(next->free, both), before = scaled(free, both);
  auto step = next->origin;
  step -= origin;
  step = scaled(step, both);
  square(hessian.diagonal(block)).noalias() += free.transpose().lazyProduct(before);
  square(hessian.diagonal(block + 1)).noalias() += next->free.transpose().lazyProduct(after);
  square(hessian.lower(block)).noalias() -= next->free.transpose().lazyProduct(before);
  gradient.noalias() -= free.transpose().lazyProduct(step);
  gradients.segment<unknowns>(hessian.offset(block + 1), hessian.size(block + 1)).noalias() +=
      next->free.transpose().lazyProduct(step);
}

/// Wrenches of one frame from its free parameters, and what they leave.
template <class Basis, class Unknowns>
void recover_frame(const ContactDemand& demand, Eigen::Index t, const Basis& basis, const Unknowns& z,
                   ContactSolution& solution) {
  const int k = demand.contact_count();
  auto w = basis.origin;
  w.noalias() += basis.free.lazyProduct(z);
  solution.wrench.middleCols(t * k, k) = Eigen::Map<const Matrix6X>(w.data(), 6, k);
  solution.residual.col(t) = demand.total.col(t) - total_of(demand, t, solution.wrench.middleCols(t * k, k));
}

void make_room(const ContactDemand& demand, ContactSolution& solution) {
  solution.wrench.resize(6, demand.frames() * demand.contact_count());
  solution.residual.resize(6, demand.frames());
  solution.status.assign(static_cast<std::size_t>(demand.frames()), Status::ok);
}

}  // namespace

NullSpaceProblem null_space_problem(const ContactDemand& demand, const ContactOptions& options, bool over_time,
                                    bool part_of_mixed) {
  const CostWeights weights(demand, options, over_time);
  const Eigen::Index N = demand.frames();
  NullSpaceProblem problem;
  problem.frames.reserve(static_cast<std::size_t>(N));
  std::vector<int> sizes;
  for (Eigen::Index t = 0; t < N; ++t) {
    problem.frames.push_back(basis_of(demand, t, options.lever));
    sizes.push_back(static_cast<int>(problem.frames.back().free.cols()));
  }
  problem.hessian.reshape(sizes, part_of_mixed);
  problem.gradient.setZero(problem.hessian.rows());
  for (Eigen::Index t = 0; t < N; ++t) {
    const auto at = static_cast<std::size_t>(t);
    assemble(demand, weights, over_time, t, problem.frames[at], t + 1 < N ? &problem.frames[at + 1] : nullptr,
             problem.hessian, problem.gradient);
  }
  return problem;
}

void recover(const ContactDemand& demand, const NullSpaceProblem& problem, const Eigen::VectorXd& z,
             ContactSolution& solution) {
  make_room(demand, solution);
  for (Eigen::Index t = 0; t < demand.frames(); ++t) {
    const int block = static_cast<int>(t);
    recover_frame(demand, t, problem.frames[static_cast<std::size_t>(t)],
                  z.segment(problem.hessian.offset(block), problem.hessian.size(block)), solution);
  }
}

namespace {

/// z ← H⁻¹ z, from where the stretch before has left the elimination.
bool eliminate(BlockTridiagonal& hessian, StretchOverTime& stretch, Eigen::VectorXd& z) {
  const bool goes_on = stretch.carried.has_value();
  if (goes_on) {
    hessian.diagonal(0) = stretch.carried->factor;
    z.head(hessian.size(0)) = stretch.carried->right;
  }
  if (!(goes_on ? hessian.factor_on() : hessian.factor())) return false;
  hessian.solve_forward(z, goes_on);
  if (stretch.last >= 0) {
    const int last = static_cast<int>(stretch.last);
    stretch.carried = Eliminated{hessian.diagonal(last), z.segment(hessian.offset(last), hessian.size(last))};
  }
  hessian.solve_backward(z);
  return true;
}

bool solve_pairs(const ContactDemand& demand, const ContactOptions& options, StretchOverTime& stretch,
                 ContactSolution& solution) {
  const CostWeights weights(demand, options, true);
  const Eigen::Index N = demand.frames();
  BlockTridiagonal hessian;
  hessian.reshape(static_cast<int>(N), 6);
  Eigen::VectorXd z = Eigen::VectorXd::Zero(hessian.rows());
  PairBasis here = pair_basis(demand, 0), next = here;
  for (Eigen::Index t = 0; t < N; ++t) {
    if (t + 1 < N) next = pair_basis(demand, t + 1);
    assemble(demand, weights, true, t, here, t + 1 < N ? &next : nullptr, hessian, z);
    here = next;
  }
  z = -z;
  if (!eliminate(hessian, stretch, z)) return false;
  make_room(demand, solution);
  // The bases again: cheaper than to keep them.
  for (Eigen::Index t = 0; t < N; ++t) {
    recover_frame(demand, t, pair_basis(demand, t), z.segment<6>(6 * t), solution);
  }
  return true;
}

}  // namespace

OptionsError unfit_frame(Eigen::Index frame) {
  return OptionsError("frame " + std::to_string(frame), "holds NaN or infinity",
                      "forces over time need every frame; cut the motion there");
}

bool solve_stretch(const ContactDemand& demand, const ContactOptions& options, StretchOverTime& stretch,
                   ContactSolution& solution) {
  if (stretch.pair) return solve_pairs(demand, options, stretch, solution);
  NullSpaceProblem problem = null_space_problem(demand, options, true, stretch.mixed);
  Eigen::VectorXd z = -problem.gradient;
  if (!eliminate(problem.hessian, stretch, z)) return false;
  recover(demand, problem, z, solution);
  return true;
}

}  // namespace detail

ContactSolution solve_over_time(const ContactDemand& demand, const ContactOptions& options) {
  detail::StretchOverTime all{.pair = detail::is_pair(demand)};
  return detail::solve_over_time(demand, options, all, 0);
}

ContactSolution detail::solve_over_time(const ContactDemand& demand, const ContactOptions& options,
                                        StretchOverTime& stretch, Eigen::Index first) {
  check_options(options);
  if (demand.contacts.empty()) throw OptionsError(arg(Input::contact), "no contact", "name at least one frame");
  if (!(demand.dt > 0.0)) throw OptionsError("dt", "no time step", "forces over time need even frames");
  for (Eigen::Index t = 0; t < demand.frames(); ++t) {
    if (!is_finite(demand, t)) throw unfit_frame(first + t);
  }
  ContactSolution solution;
  if (!solve_stretch(demand, options, stretch, solution)) {
    throw OptionsError("contact.least_torque, contact.smoothing", "these weights leave the wrenches undetermined",
                       "give least_torque a positive weight");
  }
  return solution;
}

}  // namespace antaeus
