// Each frame for itself: a weighted least-squares problem with six equations.

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "contact/frame_algebra.hpp"
#include "core/cross_matrix.hpp"
#include "core/decompositions.hpp"

namespace antaeus {

using detail::CostWeights;
using detail::Weights;

namespace {

/// Directions of the total that contacts cannot make are those whose gain is this much below the largest.
constexpr double kNoGain = 1e-12;

/// S⁻¹ b for the symmetric S; where S is singular, the least-squares answer.
Vector6 divide(const Matrix6& S, const Vector6& b) noexcept {
  const Eigen::LLT<Matrix6> cholesky(S);
  if (cholesky.info() == Eigen::Success && cholesky.rcond() > kNoGain) return cholesky.solve(b);
  const Eigen::SelfAdjointEigenSolver<Matrix6> eigen(S);
  const double least = kNoGain * eigen.eigenvalues()[5];
  Vector6 turned = eigen.eigenvectors().transpose() * b;
  for (int i = 0; i < 6; ++i) turned[i] = eigen.eigenvalues()[i] > least ? turned[i] / eigen.eigenvalues()[i] : 0.0;
  return eigen.eigenvectors() * turned;
}

}  // namespace

ContactSplitter::ContactSplitter(const ContactOptions& options) : options_(options) { check_options(options); }

Status ContactSplitter::solve(const ContactDemand& demand, Eigen::Index t, Eigen::Ref<Matrix6X> wrench,
                              Vector6& residual) const noexcept {
  if (!detail::is_finite(demand, t)) {
    wrench.setConstant(kNaN);
    residual.setConstant(kNaN);
    return Status::not_finite;
  }
  const CostWeights weights(demand, options_, false);
  // Moments in units of the lever, so that a force and a moment count alike where the total cannot be made.
  const double lever = options_.lever, per_lever = 1.0 / lever;
  const int k = demand.contact_count();
  Matrix6 S = Matrix6::Zero();
  wrench.setZero();
  for (int c = 0; c < k; ++c) {
    if (!demand.is_active(t, c)) continue;
    if (demand.guess.size() > 0) wrench.col(c) = demand.guess.col(demand.column(t, c));
    const Weights a = weights.size(t, c);
    const Vector3 d = demand.places[static_cast<std::size_t>(demand.column(t, c))].translation - demand.about.col(t);
    const Matrix3 D = detail::cross_matrix(d) * per_lever;
    S.topLeftCorner<3, 3>().diagonal().array() += 1.0 / a.force;
    S.bottomLeftCorner<3, 3>() += D / a.force;
    S.bottomRightCorner<3, 3>() += D * D.transpose() / a.force;
    if (demand.kinds[static_cast<std::size_t>(c)] == ContactType::wrench) {
      S.bottomRightCorner<3, 3>().diagonal().array() += per_lever * per_lever / a.moment;
    } else {
      wrench.col(c).tail<3>().setZero();
    }
  }
  residual = demand.total.col(t) - detail::total_of(demand, t, wrench);
  if (S(0, 0) == 0.0) return Status::ok;  // no contact: all of it is left
  S.topRightCorner<3, 3>() = S.bottomLeftCorner<3, 3>().transpose();
  Vector6 missing = residual;
  missing.tail<3>() *= per_lever;
  const Vector6 y = divide(S, missing);
  for (int c = 0; c < k; ++c) {
    if (!demand.is_active(t, c)) continue;
    const Weights a = weights.size(t, c);
    const Vector3 d = demand.places[static_cast<std::size_t>(demand.column(t, c))].translation - demand.about.col(t);
    const Vector3 moment = y.tail<3>() * per_lever;
    wrench.col(c).head<3>() += (y.head<3>() - d.cross(moment)) / a.force;
    if (demand.kinds[static_cast<std::size_t>(c)] == ContactType::wrench) wrench.col(c).tail<3>() += moment / a.moment;
  }
  residual = demand.total.col(t) - detail::total_of(demand, t, wrench);
  if (wrench.allFinite() && residual.allFinite()) return Status::ok;
  wrench.setConstant(kNaN);  // weights so far apart that their products overflow
  residual.setConstant(kNaN);
  return Status::not_computed;
}

ContactSolution solve_frames(const ContactDemand& demand, const ContactOptions& options) {
  const ContactSplitter splitter(options);
  if (demand.contacts.empty()) throw OptionsError(arg(Input::contact), "no contact", "name at least one frame");
  const int k = demand.contact_count();
  const CostWeights weights(demand, options, false);
  for (Eigen::Index t = 0; t < demand.frames(); ++t) {
    for (int c = 0; c < k; ++c) {
      const Weights a = weights.size(t, c);
      if (a.force > 0.0 && a.moment > 0.0) continue;
      throw OptionsError("contact.least_torque", "0 leaves the wrenches undetermined",
                         "give it a positive weight, or a guess");
    }
  }
  ContactSolution solution;
  solution.wrench.resize(6, demand.frames() * k);
  solution.residual.resize(6, demand.frames());
  solution.status.resize(static_cast<std::size_t>(demand.frames()));
  Vector6 residual;
  for (Eigen::Index t = 0; t < demand.frames(); ++t) {
    solution.status[static_cast<std::size_t>(t)] =
        splitter.solve(demand, t, solution.wrench.middleCols(t * k, k), residual);
    solution.residual.col(t) = residual;
  }
  return solution;
}

}  // namespace antaeus
