#include "antaeus/control/cartesian_impedance.hpp"

#include <cmath>

#include "antaeus/core/option_table.hpp"
#include "control/damping_design.hpp"
#include "core/computable.hpp"
#include "core/cross_matrix.hpp"
#include "core/decompositions.hpp"
#include "core/rotation_check.hpp"

namespace antaeus {

namespace {

/// The sine of the angle along the axis.
Vector3 skew_error(const Matrix3& from, const Matrix3& to) {
  const Matrix3 turn = to * from.transpose();
  return 0.5 * Vector3(turn(2, 1) - turn(1, 2), turn(0, 2) - turn(2, 0), turn(1, 0) - turn(0, 1));
}

/// J_r⁻ᵀ(φ): the moment that belongs to the slope of an energy along φ, while R turns and R_d = exp(φ) R stays. It
/// leaves φ itself as it is, so it matters only where stiffness differs from axis to axis.
Matrix3 moment_of_slope(const Vector3& rotation) {
  const double angle = rotation.norm();
  const double half = 0.5 * angle;
  const double coefficient = angle < 1e-4 ? 1.0 / 12.0 : (1.0 - half / std::tan(half)) / (angle * angle);
  const Matrix3 cross = detail::cross_matrix(rotation);
  return Matrix3::Identity() - 0.5 * cross + coefficient * cross * cross;
}

/// Symmetric and, up to rounding, without negative eigenvalues.
bool is_semidefinite(const Matrix6& A) noexcept {
  if (!is_computable(A)) return false;
  const double size = A.cwiseAbs().maxCoeff();
  if ((A - A.transpose()).cwiseAbs().maxCoeff() > 1e-9 * size) return false;
  const Eigen::SelfAdjointEigenSolver<Matrix6> modes(A, Eigen::EigenvaluesOnly);
  return modes.eigenvalues()[0] >= -1e-9 * size;
}

/// Of a semidefinite matrix.
Matrix6 square_root(const Matrix6& A) noexcept {
  const Eigen::SelfAdjointEigenSolver<Matrix6> modes(A);
  const Vector6 roots = modes.eigenvalues().cwiseMax(0.0).cwiseSqrt();
  return modes.eigenvectors() * roots.asDiagonal() * modes.eigenvectors().transpose();
}

Matrix6 diagonal(double linear, double angular) {
  Vector6 values;
  values << linear, linear, linear, angular, angular, angular;
  return values.asDiagonal();
}

}  // namespace

struct CartesianImpedance::Workspace {
  Workspace(const RobotModel& model, const CartesianImpedanceOptions& options_in)
      : options(options_in), limits(model, options_in.limits), wanted(VectorX::Zero(model.nv())), free(wanted) {
    check_options(options_in);
    K = diagonal(options.stiffness, options.rotational_stiffness);
    root = square_root(K);
    D = given = diagonal(options.damping, options.rotational_damping);
    for (VectorX* const vector : {&result.tau, &result.clipped, &result.slowed}) {
      vector->setConstant(model.nv(), kNaN);
    }
    fail(Status::not_computed);
  }

  const CartesianTorque& fail(Status why) noexcept {
    static_cast<LimitedTorque&>(result) = limits.fail(why);
    result.error.setConstant(kNaN);
    result.commanded = {Vector3::Constant(kNaN), Vector3::Constant(kNaN)};
    result.spring_energy = kNaN;
    return result;
  }

  Status check(const ToolState& now, const CartesianTarget& target) const noexcept {
    if (now.status != Status::ok) return now.status;
    if (now.q.size() != wanted.size()) return Status::wrong_size;
    if (target.posture.size() != 0 && target.posture.size() != wanted.size()) return Status::wrong_size;
    const bool is_finite = target.X_WT.rotation.allFinite() && is_computable(target.X_WT.translation) &&
                           is_computable(target.twist) && is_computable(target.acceleration) &&
                           is_computable(target.feed_forward.force) && is_computable(target.feed_forward.torque) &&
                           is_computable(target.posture);
    if (!is_finite) return Status::not_finite;
    return detail::is_rotation(target.X_WT.rotation) ? Status::ok : Status::bad_orientation;
  }

  /// What may move the joints while the tool stays: the posture's torque, projected by I − Jᵀ Λ J M⁻¹ (Khatib 1987).
  /// Damping takes the velocity's own share of such motions, so that it only ever brakes.
  void add_posture(const ToolState& now, const VectorX& posture) noexcept {
    if (options.posture_stiffness == 0.0) return;
    const Vector6 momentum = now.Lambda * now.twist;
    free = now.v;
    free.noalias() -= now.M_inv_Jt * momentum;
    for (Eigen::Index i = 0; i < free.size(); ++i) {
      free[i] *= -2.0 * std::sqrt(options.posture_stiffness * now.M(i, i));
      if (posture.size() > 0) free[i] += options.posture_stiffness * (posture[i] - now.q[i]);
    }
    // Twice: what Λ's floor lets through once, some 0.1 %, is then some 1e-6.
    for (int i = 0; i < 2; ++i) {
      Vector6 felt;
      felt.noalias() = now.M_inv_Jt.transpose() * free;
      felt = now.Lambda * felt;
      free.noalias() -= now.J.transpose() * felt;
    }
    wanted += free;
  }

  const CartesianTorque& update(const ToolState& now, const CartesianTarget& target) noexcept {
    if (const Status status = check(now, target); status != Status::ok) return fail(status);
    const bool is_log = options.rotation_law == RotationLaw::log_map;
    result.error.head<3>() = target.X_WT.translation - now.X_WT.translation;
    result.error.tail<3>() = is_log ? rotation_error(now.X_WT.rotation, target.X_WT.rotation)
                                    : skew_error(now.X_WT.rotation, target.X_WT.rotation);
    if (options.damping_law == DampingLaw::ratio) {
      design.design(now.Lambda, root, options.damping_ratio, D);
    } else {
      D = given;
    }
    Vector6 spring = K * result.error;
    result.spring_energy = is_log ? 0.5 * result.error.dot(spring) : kNaN;
    if (is_log) spring.tail<3>() = moment_of_slope(result.error.tail<3>()) * spring.tail<3>().eval();
    Vector6 F = spring + D * (target.twist - now.twist) + now.Lambda * target.acceleration;
    F += target.feed_forward.to_vector();
    result.commanded = Wrench::from_vector(F);
    if (options.velocity_torque == VelocityTorque::natural) {
      wanted = now.g;
    } else {
      wanted = now.h;
      F -= now.Lambda * now.drift;
    }
    wanted.noalias() += now.J.transpose() * F;
    add_posture(now, target.posture);
    static_cast<LimitedTorque&>(result) = limits.apply(wanted);
    return result;
  }

  CartesianImpedanceOptions options;
  TorqueLimits limits;
  DampingDesign design{6};
  Matrix6 K, root, D, given;
  VectorX wanted, free;
  CartesianTorque result;
};

const OptionTable& options_of(const CartesianImpedanceOptions&) {
  using O = CartesianImpedanceOptions;
  static const OptionTable table(
      "", {
              option("stiffness", "N/m", "of the tool's position",
                     "docs/references.md#the-force-control-lab, middle preset", &O::stiffness),
              option("rotational_stiffness", "N·m/rad", "of the tool's orientation", "docs/validation.md#controllers",
                     &O::rotational_stiffness),
              option("damping_law", "", "ratio: shaped by the masses; given: damping and rotational_damping",
                     "Albu-Schäffer et al. (2003)", &O::damping_law),
              option("damping_ratio", "1", "of every mode", "critical", &O::damping_ratio),
              option("damping", "N·s/m", "of the position where it is given", "docs/validation.md#controllers",
                     &O::damping),
              option("rotational_damping", "N·m·s/rad", "of the orientation where it is given", "our choice",
                     &O::rotational_damping),
              option("rotation_law", "", "log_map, or to compare with it the skew form", "Bullo and Murray (1995)",
                     &O::rotation_law),
              option("velocity_torque", "", "natural: C v stays, passive; cancelled: closer to moving targets",
                     "Ott (2008), section 3.2", &O::velocity_torque),
              option("posture_stiffness", "N·m/rad", "of each joint in motions that leave the tool at rest",
                     "our choice", &O::posture_stiffness),
              part(&O::limits),
          });
  return table;
}

CartesianImpedance::CartesianImpedance(const RobotModel& model, const CartesianImpedanceOptions& options)
    : workspace_(std::make_unique<Workspace>(model, options)) {}
CartesianImpedance::~CartesianImpedance() = default;
CartesianImpedance::CartesianImpedance(CartesianImpedance&&) noexcept = default;
CartesianImpedance& CartesianImpedance::operator=(CartesianImpedance&&) noexcept = default;

Status CartesianImpedance::set_stiffness(const Matrix6& K_W) noexcept {
  if (!is_semidefinite(K_W)) return Status::not_finite;
  workspace_->K = K_W;
  workspace_->root = square_root(K_W);
  return Status::ok;
}
Status CartesianImpedance::set_damping(const Matrix6& D_W) noexcept {
  if (!is_semidefinite(D_W)) return Status::not_finite;
  workspace_->given = D_W;
  return Status::ok;
}

const CartesianTorque& CartesianImpedance::update(const ToolState& now, const CartesianTarget& target) noexcept {
  return workspace_->update(now, target);
}

const Matrix6& CartesianImpedance::stiffness() const noexcept { return workspace_->K; }
const Matrix6& CartesianImpedance::damping() const noexcept { return workspace_->D; }
void CartesianImpedance::reset() noexcept {
  workspace_->limits.reset();
  workspace_->fail(Status::not_computed);
}

}  // namespace antaeus
