#include "antaeus/control/gravity_compensation.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "core/computable.hpp"

namespace antaeus {

struct GravityCompensation::Workspace {
  Workspace(const RobotModel& model, const GravityCompensationOptions& options_in)
      : dynamics(model),
        options(options_in),
        limits(model, options_in.limits),
        wanted(VectorX::Zero(model.nv())),
        integral(VectorX::Zero(model.nv())) {
    check_options(options_in);
    if (model.base() != Base::fixed || model.nq() != model.nv()) {
      throw ModelError(model.description().name, "its base floats, or it has more positions than velocities",
                       "make the model with Base::fixed and lock continuous joints");
    }
  }

  Status carry(ConstVectorRef q, ConstVectorRef v) noexcept {
    if (q.size() != wanted.size() || v.size() != wanted.size()) return Status::wrong_size;
    if (!is_computable(q) || !is_computable(v)) return Status::not_finite;
    Status status = Status::ok;
    switch (options.carried) {
      case CarriedLoad::nothing: wanted.setZero(); break;
      case CarriedLoad::gravity: status = dynamics.at(q).gravity_torque(wanted); break;
      case CarriedLoad::nonlinear_effects: status = dynamics.nonlinear_effects(q, v, wanted); break;
    }
    wanted -= options.hold_damping * v;
    return status;
  }

  IntegralState gate(const HoldTarget& target) const noexcept {
    if (options.hold_integral == 0.0) return IntegralState::off;
    if (!target.wrench.is_measurable()) return IntegralState::frozen_no_wrench;
    if (target.verdict != Verdict::ok) return IntegralState::frozen_by_verdict;
    const bool is_felt =
        target.wrench.force.norm() >= options.integral_force || target.wrench.torque.norm() >= options.integral_moment;
    return is_felt ? IntegralState::frozen_by_wrench : IntegralState::integrating;
  }

  void integrate(ConstVectorRef q, const VectorX& q_target) noexcept {
    const double gain = options.hold_integral * options.limits.torque_cycle;
    const LimitedTorque& before = limits.last();
    for (Eigen::Index i = 0; i < integral.size(); ++i) {
      const double change = gain * (q_target[i] - q[i]);
      // What the motor could not give last time it will not give now: a larger integral would only wind up.
      const double excess = before.status == Status::ok ? before.clipped[i] : 0.0;
      const double next = std::clamp(integral[i] + change, -options.integral_limit, options.integral_limit);
      if (excess * change > 0.0 || next != integral[i] + change) state = IntegralState::at_limit;
      if (excess * change <= 0.0) integral[i] = next;
    }
  }

  Dynamics dynamics;
  GravityCompensationOptions options;
  TorqueLimits limits;
  VectorX wanted, integral;
  IntegralState state = IntegralState::off;
};

const OptionTable& options_of(const GravityCompensationOptions&) {
  using O = GravityCompensationOptions;
  static const OptionTable table(
      "", {
              option("carried", "", "what the motors carry: nothing, gravity or nonlinear_effects",
                     "docs/references.md#the-force-control-lab: tau = g(q)", &O::carried),
              option("hold_stiffness", "N·m/rad", "spring of each joint towards the held position", "none",
                     &O::hold_stiffness),
              option("hold_damping", "N·m·s/rad", "damper of each joint", "none", &O::hold_damping),
              option("hold_integral", "N·m/(rad·s)", "integral of each joint's position error; 0: none", "none",
                     &O::hold_integral),
              option("integral_limit", "N·m", "largest torque of the integral", "a tenth of a wrist's torque",
                     &O::integral_limit),
              option("integral_force", "N", "force from which on the integral stands still", "our choice",
                     &O::integral_force, kPositive),
              option("integral_moment", "N·m", "moment from which on it stands still", "our choice",
                     &O::integral_moment, kPositive),
              part(&O::limits),
          });
  return table;
}

GravityCompensation::GravityCompensation(const RobotModel& model, const GravityCompensationOptions& options)
    : workspace_(std::make_unique<Workspace>(model, options)) {}
GravityCompensation::~GravityCompensation() = default;
GravityCompensation::GravityCompensation(GravityCompensation&&) noexcept = default;
GravityCompensation& GravityCompensation::operator=(GravityCompensation&&) noexcept = default;

const LimitedTorque& GravityCompensation::update(ConstVectorRef q, ConstVectorRef v) noexcept {
  Workspace& w = *workspace_;
  w.state = IntegralState::off;
  if (const Status status = w.carry(q, v); status != Status::ok) return w.limits.fail(status);
  return w.limits.apply(w.wanted);
}

const LimitedTorque& GravityCompensation::update(ConstVectorRef q, ConstVectorRef v,
                                                 const HoldTarget& target) noexcept {
  Workspace& w = *workspace_;
  w.state = w.gate(target);
  Status status = w.carry(q, v);
  if (status == Status::ok && target.q.size() != q.size()) status = Status::wrong_size;
  if (status == Status::ok && !is_computable(target.q)) status = Status::not_finite;
  if (status != Status::ok) return w.limits.fail(status);
  if (w.state == IntegralState::integrating) w.integrate(q, target.q);
  w.wanted += w.options.hold_stiffness * (target.q - q) + w.integral;
  return w.limits.apply(w.wanted);
}

IntegralState GravityCompensation::integral_state() const noexcept { return workspace_->state; }
const VectorX& GravityCompensation::integral() const noexcept { return workspace_->integral; }
void GravityCompensation::reset() noexcept {
  workspace_->integral.setZero();
  workspace_->state = IntegralState::off;
  workspace_->limits.reset();
}

}  // namespace antaeus
