#include "studies/source_law.hpp"

#include "antaeus/core/option_table.hpp"

namespace antaeus {

const OptionTable& options_of(const SourceGains&) {
  constexpr const char* kSource = "docs/sources.md#the-force-control-lab";
  constexpr const char* kNot = "not stated by the lab";
  using O = SourceGains;
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

const VectorX& SourceLaw::update(const ToolState& state, const TaskOrder& order, double force, double dt) {
  const bool presses = order.target.force_axes[2];
  filtered_ += gains_.alpha_filter * (force - filtered_);
  const Vector3 error = order.target.X_WT.translation - state.X_WT.translation;
  Vector6 W = Vector6::Zero();
  W.head<3>() = gains_.K_p * error - gains_.K_d * state.twist.head<3>();
  if (presses) {
    if (order.restarts) integral_ = 0.0;
    const double miss = order.target.wrench.force.z() - filtered_;
    integral_ += miss * dt;
    W[2] = -(gains_.K_fp * miss + gains_.K_fi * integral_) - gains_.K_dz * state.twist[2];
  }
  if (holds_orientation_) {
    W.tail<3>() = gains_.K_o * rotation_error(state.X_WT.rotation, order.target.X_WT.rotation) -
                  gains_.K_do * state.twist.tail<3>();
  }
  dynamics_.at(state.q).gravity_torque(tau_);
  tau_ += state.J.transpose() * W;
  return tau_;
}

}  // namespace antaeus
