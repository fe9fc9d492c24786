#include "antaeus/control/joint_impedance.hpp"

#include <cmath>

#include "antaeus/core/option_table.hpp"
#include "control/damping_design.hpp"
#include "core/computable.hpp"

namespace antaeus {

struct JointImpedance::Workspace {
  Workspace(const RobotModel& model, const JointImpedanceOptions& options_in)
      : options(options_in), limits(model, options_in.limits), design(model.nv()), wanted(VectorX::Zero(model.nv())) {
    check_options(options_in);
    const Eigen::Index n = model.nv();
    K = options.joint_stiffness * MatrixX::Identity(n, n);
    root = std::sqrt(options.joint_stiffness) * MatrixX::Identity(n, n);
    D = given = options.joint_damping * MatrixX::Identity(n, n);
    difference.setZero(n);
  }

  /// Empty, or as long as there are joints and finite.
  Status check(const VectorX& part) const noexcept {
    if (part.size() == 0) return Status::ok;
    if (part.size() != wanted.size()) return Status::wrong_size;
    return is_computable(part) ? Status::ok : Status::not_finite;
  }
  Status check(const ToolState& now, const JointTarget& target) const noexcept {
    if (now.status != Status::ok) return now.status;
    if (now.q.size() != wanted.size() || target.q.size() != wanted.size()) return Status::wrong_size;
    for (const VectorX* const part : {&target.q, &target.v, &target.a, &target.tau_feed}) {
      if (const Status status = check(*part); status != Status::ok) return status;
    }
    return Status::ok;
  }

  Status set_diagonal(ConstVectorRef values, MatrixX& matrix) const noexcept {
    if (values.size() != wanted.size()) return Status::wrong_size;
    if (!is_computable(values) || (values.array() < 0.0).any()) return Status::not_finite;
    matrix.diagonal() = values;
    return Status::ok;
  }

  JointImpedanceOptions options;
  TorqueLimits limits;
  DampingDesign design;
  MatrixX K, root, D, given;
  VectorX wanted, difference;
};

const OptionTable& options_of(const JointImpedanceOptions&) {
  using O = JointImpedanceOptions;
  static const OptionTable table(
      "", {
              option("joint_stiffness", "N·m/rad", "of each joint", "our choice", &O::joint_stiffness),
              option("joint_damping_law", "", "ratio: shaped by the masses; given: joint_damping",
                     "Albu-Schäffer et al. (2003)", &O::joint_damping_law),
              option("joint_damping_ratio", "1", "of every mode", "critical", &O::joint_damping_ratio),
              option("joint_damping", "N·m·s/rad", "of each joint where it is given", "our choice", &O::joint_damping),
              option("velocity_torque", "", "natural: C v stays, passive; cancelled: closer to moving targets",
                     "Ott (2008), section 3.2", &O::velocity_torque),
              part(&O::limits),
          });
  return table;
}

JointImpedance::JointImpedance(const RobotModel& model, const JointImpedanceOptions& options)
    : workspace_(std::make_unique<Workspace>(model, options)) {}
JointImpedance::~JointImpedance() = default;
JointImpedance::JointImpedance(JointImpedance&&) noexcept = default;
JointImpedance& JointImpedance::operator=(JointImpedance&&) noexcept = default;

Status JointImpedance::set_stiffness(ConstVectorRef stiffness) noexcept {
  const Status status = workspace_->set_diagonal(stiffness, workspace_->K);
  if (status == Status::ok) workspace_->root.diagonal() = stiffness.cwiseSqrt();
  return status;
}
Status JointImpedance::set_damping(ConstVectorRef damping) noexcept {
  return workspace_->set_diagonal(damping, workspace_->given);
}

const LimitedTorque& JointImpedance::update(const ToolState& now, const JointTarget& target) noexcept {
  Workspace& w = *workspace_;
  if (const Status status = w.check(now, target); status != Status::ok) return w.limits.fail(status);
  if (w.options.joint_damping_law == DampingLaw::ratio) {
    w.design.design(now.M, w.root, w.options.joint_damping_ratio, w.D);
  } else {
    w.D = w.given;
  }
  w.wanted = w.options.velocity_torque == VelocityTorque::natural ? now.g : now.h;
  w.difference = target.q - now.q;
  w.wanted.noalias() += w.K * w.difference;
  w.difference = -now.v;
  if (target.v.size() > 0) w.difference += target.v;
  w.wanted.noalias() += w.D * w.difference;
  if (target.a.size() > 0) w.wanted.noalias() += now.M * target.a;
  if (target.tau_feed.size() > 0) w.wanted += target.tau_feed;
  return w.limits.apply(w.wanted);
}

const MatrixX& JointImpedance::damping() const noexcept { return workspace_->D; }
void JointImpedance::reset() noexcept { workspace_->limits.reset(); }

}  // namespace antaeus
