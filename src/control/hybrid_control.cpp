#include "antaeus/control/hybrid_control.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "core/computable.hpp"

namespace antaeus {

const OptionTable& options_of(const HybridOptions&) {
  constexpr const char* kStudy = "docs/validation.md#controllers";
  static const OptionTable table(
      "", {
              option("frequency", "rad/s", "how stiffly the tool's position is held along axes of motion", kStudy,
                     &HybridOptions::frequency, kPositive),
              option("rotational_frequency", "rad/s", "how stiffly the tool's orientation is held", kStudy,
                     &HybridOptions::rotational_frequency, kPositive),
              option("damping_ratio", "1", "of both", kStudy, &HybridOptions::damping_ratio),
              option("motion_integral", "1/s", "integral action on the position, over its stiffness", kStudy,
                     &HybridOptions::motion_integral),
              option("integral_reach", "m | rad", "most error that the integral corrects", "a contact's deflection",
                     &HybridOptions::integral_reach),
              option("posture_frequency", "rad/s", "of joints that the tool leaves free", "slower than the tool",
                     &HybridOptions::posture_frequency),
              part(&HybridOptions::force),
          });
  return table;
}

namespace {

/// Six numbers of the world in the task's axes.
Vector6 in_axes(const Matrix3& R_WC, const Vector6& world) noexcept {
  return (Vector6() << R_WC.transpose() * world.head<3>(), R_WC.transpose() * world.tail<3>()).finished();
}

Vector6 in_world(const Matrix3& R_WC, const Vector6& task) noexcept {
  return (Vector6() << R_WC * task.head<3>(), R_WC * task.tail<3>()).finished();
}

bool is_sound(const HybridTarget& target) noexcept {
  return is_computable(target.R_WC) && is_computable(target.X_WT.rotation) && is_computable(target.X_WT.translation) &&
         is_computable(target.twist) && is_computable(target.acceleration) && is_computable(target.wrench.force) &&
         is_computable(target.wrench.torque) && is_computable(target.trust);
}

}  // namespace

HybridController::HybridController(int size, const HybridOptions& options)
    : options_((check_options(options), options)),
      loops_{ForceLoop(options.force), ForceLoop(options.force), ForceLoop(options.force),
             ForceLoop(options.force), ForceLoop(options.force), ForceLoop(options.force)},
      posture_(VectorX::Zero(std::max(size, 0))),
      free_(posture_) {
  if (size < 1) throw OptionsError("HybridController", std::to_string(size) + " joints", "give one or more");
  command_.tau.setConstant(size, kNaN);
  fail(Status::not_computed);
}

Status HybridController::set_posture(ConstVectorRef q) noexcept {
  if (q.size() != posture_.size()) return Status::wrong_size;
  if (!is_computable(q)) return Status::not_finite;
  posture_ = q;
  has_posture_ = true;
  return Status::ok;
}

void HybridController::restart() noexcept {
  was_force_.fill(false);
  integral_.setZero();
}

const HybridCommand& HybridController::fail(Status why) noexcept {
  command_.status = why;
  command_.tau.setConstant(kNaN);
  command_.push = command_.felt = {Vector3::Constant(kNaN), Vector3::Constant(kNaN)};
  command_.error.setConstant(kNaN);
  command_.integral_at_limit = false;
  return command_;
}

const HybridCommand& HybridController::update(const ToolState& state, const HybridTarget& target,
                                              const Wrench& measured, double dt) noexcept {
  if (state.status != Status::ok) return fail(state.status);
  if (state.q.size() != posture_.size()) return fail(Status::wrong_size);
  if (!is_sound(target) || !(dt >= 0.0) || !is_computable(dt)) return fail(Status::not_finite);

  const HybridOptions& o = options_;
  command_.error << target.X_WT.translation - state.X_WT.translation,
      rotation_error(state.X_WT.rotation, target.X_WT.rotation);
  if (target.integrates_motion && o.motion_integral > 0.0) {
    integral_ += o.motion_integral * dt * command_.error;
    integral_ = integral_.cwiseMax(-o.integral_reach).cwiseMin(o.integral_reach);
  }
  Vector6 acceleration = target.acceleration - state.drift;
  const double w = o.frequency, r = o.rotational_frequency;
  acceleration.head<3>() += 2.0 * o.damping_ratio * w * (target.twist - state.twist).head<3>() +
                            w * w * (command_.error + integral_).head<3>();
  acceleration.tail<3>() += 2.0 * o.damping_ratio * r * (target.twist - state.twist).tail<3>() +
                            r * r * (command_.error + integral_).tail<3>();
  // Along axes of force nothing is to be accelerated: a distance from the wanted place there means nothing, and through
  // Λ it would push along the others.
  Vector6 asked = in_axes(target.R_WC, acceleration);
  for (int axis = 0; axis < 6; ++axis) {
    if (target.force_axes[static_cast<std::size_t>(axis)]) asked[axis] = 0.0;
  }
  Vector6 push = in_axes(target.R_WC, state.Lambda * in_world(target.R_WC, asked));
  const Vector6 felt = in_axes(target.R_WC, measured.to_vector()), speed = in_axes(target.R_WC, state.twist);
  const Vector6 wanted = target.wrench.to_vector();
  Vector6 filtered = Vector6::Constant(kNaN), kept = in_axes(target.R_WC, integral_);
  command_.integral_at_limit = false;
  for (int axis = 0; axis < 6; ++axis) {
    const bool is_force = target.force_axes[static_cast<std::size_t>(axis)];
    if (is_force) {
      ForceLoop& loop = loops_[static_cast<std::size_t>(axis)];
      if (!was_force_[static_cast<std::size_t>(axis)]) loop.start(felt[axis]);
      push[axis] = loop.push({wanted[axis], felt[axis], speed[axis], dt, target.trust, target.integrates});
      filtered[axis] = loop.filtered();
      command_.integral_at_limit = command_.integral_at_limit || loop.at_limit();
      kept[axis] = 0.0;  // the place is not held along it
    }
    was_force_[static_cast<std::size_t>(axis)] = is_force;
  }
  integral_ = in_world(target.R_WC, kept);
  const Vector6 W = in_world(target.R_WC, push);
  if (!W.allFinite()) return fail(Status::not_finite);

  command_.status = Status::ok;
  command_.push = Wrench::from_vector(W);
  command_.felt = Wrench::from_vector(filtered);
  command_.tau = state.h;
  command_.tau.noalias() += state.J.transpose() * W;
  if (posture_.size() > 6) {
    // M (posture) less what of it would accelerate the tool: the dynamically consistent nullspace (Khatib 1987).
    free_ = -2.0 * o.posture_frequency * state.v;
    if (has_posture_) free_ += o.posture_frequency * o.posture_frequency * (posture_ - state.q);
    const Vector6 moved = state.Lambda * (state.J * free_);
    command_.tau.noalias() += state.M * free_;
    command_.tau.noalias() -= state.J.transpose() * moved;
  }
  return command_;
}

}  // namespace antaeus
