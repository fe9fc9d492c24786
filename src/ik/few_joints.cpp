#include "ik/few_joints.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "antaeus/core/number_text.hpp"
#include "antaeus/ik/plain_methods.hpp"

namespace antaeus::detail {

namespace {

constexpr int kRestarts = 50;         // of the position alone
constexpr int kStarts = 8;            // of the position alone: elbow up and down, and flips of the wrist
constexpr int kIterations = 60;       // Gauss–Newton ends after ten where it converges
constexpr double kHold = 100.0;       // [rad/m] a metre off the position costs as much as 100 rad off the orientation
constexpr double kDamping = 1e-4;     // [1] λ²: a chain at the edge of its reach stays bounded
constexpr double kLongest = 0.3;      // [rad] or [m] of one step
constexpr double kDifference = 1e-6;  // [rad] or [m] of a central difference

/// The turn from \p from to \p to as a rotation vector in world axes.
Vector3 turn_between(const Matrix3& from, const Matrix3& to) {
  const Eigen::AngleAxisd turn(Matrix3(to * from.transpose()));
  return turn.angle() * turn.axis();
}

/// Moves q so that the orientation comes as near as it can while the position is held.
VectorX turned_nearest(const KinematicChain& chain, const Pose& X_WF, VectorX q) {
  const Eigen::Index n = q.size();
  MatrixX J(6, n);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    Pose now;
    chain.pose(q, now);
    for (Eigen::Index j = 0; j < n; ++j) {
      Pose above, below;
      VectorX at = q;
      at[j] += kDifference;
      chain.pose(at, above);
      at[j] -= 2.0 * kDifference;
      chain.pose(at, below);
      J.col(j).head<3>() = kHold * (above.translation - below.translation) / (2.0 * kDifference);
      J.col(j).tail<3>() = turn_between(below.rotation, above.rotation) / (2.0 * kDifference);
    }
    Vector6 error;
    error << kHold * (X_WF.translation - now.translation), turn_between(now.rotation, X_WF.rotation);
    MatrixX normal = J.transpose() * J;
    normal.diagonal().array() += kDamping;
    const VectorX gradient = J.transpose() * error;
    VectorX step = normal.ldlt().solve(gradient);
    step *= std::min(1.0, kLongest / std::max(step.cwiseAbs().maxCoeff(), kLongest));
    const VectorX next = chain.pulled_in(q + step);
    const bool is_still = (next - q).cwiseAbs().maxCoeff() < kDifference;
    q = next;
    if (is_still) break;
  }
  return q;
}

std::string vector_text(const Vector3& v) {
  std::string text;
  for (const double component : v) text += (text.empty() ? "(" : ", ") + fixed_text(component, 2);
  return text + ")";
}

}  // namespace

std::string few_joints_text(const ReachModel& model, const Pose& X_WF, const ReachSolution& failed) {
  const KinematicChain& chain = model.chain();
  const ReachOptions& options = model.options();
  if (!X_WF.translation.allFinite() || !X_WF.rotation.allFinite()) return {};
  PlainSolver solver(chain, {.method = PlainMethod::dls_restarts,
                             .starts = kRestarts,
                             .position_only = true,
                             .position_tolerance = options.position_tolerance});
  Vector3 nearest = Vector3::Constant(kNaN);
  std::mt19937 random;  // seeded alike for every target
  for (int start = 0; start < kStarts; ++start) {
    VectorX from = chain.middle();
    if (start == 0 && failed.q.size() == chain.size()) from = failed.q;
    if (start > 0) {
      for (int j = 0; j < chain.size(); ++j) {
        const ChainJoint& joint = chain.joints()[static_cast<std::size_t>(j)];
        const double lower = std::max(joint.lower, -std::numbers::pi), upper = std::min(joint.upper, std::numbers::pi);
        from[j] = lower + (upper - lower) * static_cast<double>(random()) / static_cast<double>(random.max());
      }
    }
    VectorX q = solver.solve(X_WF, chain.pulled_in(from)).q;
    if (solver.solve(X_WF, q).status != ReachStatus::reached) {
      if (start == 0) break;  // no restart came there
      continue;
    }
    // The position is held only nearly: it is brought back.
    const ReachSolution& held = solver.solve(X_WF, turned_nearest(chain, X_WF, std::move(q)));
    if (held.status != ReachStatus::reached) continue;
    Pose reached;
    chain.pose(held.q, reached);
    const Vector3 miss = turn_between(reached.rotation, X_WF.rotation);
    if (!(nearest.norm() <= miss.norm())) nearest = miss;  // the first, too
  }
  const std::string joints = "the chain has " + std::to_string(chain.size()) +
                             (chain.size() == 1 ? " joint" : " joints") + " where a pose has six degrees of freedom: ";
  if (!nearest.allFinite()) return joints + "its position is not reached either, whatever the orientation";
  const double angle = nearest.norm();
  if (angle <= options.rotation_tolerance) return {};
  return joints + "the position alone is reached (--position-only), and the orientation there misses by " +
         significant_text(angle * 180.0 / std::numbers::pi, 3) + "° about the world axis " +
         vector_text(nearest / angle);
}

}  // namespace antaeus::detail
