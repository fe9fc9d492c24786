#include "antaeus/control/hybrid_law.hpp"

#include <cmath>
#include <string>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "core/computable.hpp"

namespace antaeus {

const OptionTable& options_of(const HybridLawGains&) {
  constexpr const char* kSource = "docs/references.md#the-force-control-lab";
  constexpr const char* kNot = "not stated by the lab";
  using O = HybridLawGains;
  static const OptionTable table(
      "", {
              option("K_p", "N/m", "lab's laws: stiffness along the table", kSource, &O::K_p),
              option("K_d", "N·s/m", "lab's laws: damping along the table", kSource, &O::K_d),
              option("K_fp", "1", "lab's laws: push for an error of force", kSource, &O::K_fp),
              option("K_fi", "1/s", "lab's laws: push for an error of force, a second", kSource, &O::K_fi),
              option("K_dz", "N·s/m", "lab's laws: damping of the normal", kSource, &O::K_dz),
              option("alpha_filter", "1", "lab's laws: share of the newest force in its filter", kSource,
                     &O::alpha_filter, Range{0.0, 1.0, false}),
              option("K_o", "N·m/rad", "law source: stiffness of the orientation", kNot, &O::K_o),
              option("K_do", "N·m·s/rad", "law source: damping of the orientation", kNot, &O::K_do),
          });
  return table;
}

HybridLaw HybridLaw::published(int size, const HybridLawGains& gains) { return {size, gains}; }

HybridLaw::HybridLaw(int size, const HybridLawGains& gains) : gains_((check_options(gains), gains)) {
  if (size < 1) throw OptionsError("HybridLaw", std::to_string(size) + " joints", "give one or more");
  command_.tau.setConstant(size, kNaN);
  fail(Status::not_computed);
}

void HybridLaw::restart() noexcept { integral_.setZero(); }

const HybridCommand& HybridLaw::fail(Status why) noexcept {
  command_.status = why;
  command_.tau.setConstant(kNaN);
  command_.push = command_.felt = {Vector3::Constant(kNaN), Vector3::Constant(kNaN)};
  command_.error.setConstant(kNaN);
  command_.integral_at_limit = false;
  return command_;
}

const HybridCommand& HybridLaw::update(const ToolState& state, const HybridTarget& target, const Wrench& measured,
                                       double dt) noexcept {
  if (state.status != Status::ok) return fail(state.status);
  if (state.q.size() != command_.tau.size()) return fail(Status::wrong_size);
  const bool is_sound = is_computable(target.R_WC) && is_computable(target.X_WT.rotation) &&
                        is_computable(target.X_WT.translation) && is_computable(target.wrench.force);
  if (!is_sound || !(dt >= 0.0) || !is_computable(dt)) return fail(Status::not_finite);
  if (is_computable(measured.force)) {
    filtered_ += gains_.alpha_filter * (measured.force - filtered_);
    has_force_ = true;
  }
  const HybridLawGains& k = gains_;
  command_.error << target.X_WT.translation - state.X_WT.translation,
      rotation_error(state.X_WT.rotation, target.X_WT.rotation);
  Vector3 F = k.K_p * command_.error.head<3>() - k.K_d * state.twist.head<3>();
  const Vector3 M = k.K_o * command_.error.tail<3>() - k.K_do * state.twist.tail<3>();
  Vector3 felt = Vector3::Constant(kNaN);
  for (int axis = 0; axis < 3; ++axis) {
    if (!target.force_axes[static_cast<std::size_t>(axis)]) continue;
    if (!has_force_) return fail(Status::not_finite);
    const Vector3 n = target.R_WC.col(axis);
    felt[axis] = n.dot(filtered_);
    const double miss = target.wrench.force[axis] - felt[axis];
    if (target.integrates) integral_[axis] += miss * dt;
    const double push = -(k.K_fp * miss + k.K_fi * integral_[axis]) - k.K_dz * n.dot(Vector3(state.twist.head<3>()));
    F -= n * n.dot(F);
    F += n * push;
  }
  if (!F.allFinite() || !M.allFinite()) return fail(Status::not_finite);
  command_.status = Status::ok;
  command_.push = {F, M};
  command_.felt = {felt, Vector3::Constant(kNaN)};
  command_.tau = state.g;
  command_.tau.noalias() += state.J.transpose() * command_.push.to_vector();
  return command_;
}

}  // namespace antaeus
