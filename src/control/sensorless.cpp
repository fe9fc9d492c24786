#include "antaeus/control/sensorless.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "control/recipe.hpp"
#include "core/computable.hpp"

namespace antaeus {

namespace {

constexpr int kDirections = 36;  // that are tried for an axis, over half a turn

void check_time_step(const char* what, double time_step) {
  if (!(time_step > 0.0) || time_step > 0.1) {
    throw OptionsError(what, "time_step is not between 0 and 0.1 s", "give the control cycle's");
  }
}

}  // namespace

const OptionTable& options_of(const FrictionForwardOptions&) {
  using O = FrictionForwardOptions;
  static const OptionTable table(
      "", {
              option("friction_shape", "", "how friction answers a small motion, as fed forward", kRecipe,
                     &O::friction_shape),
              option("stick_range", "rad", "way from rest to sliding of elastic friction", kRecipe, &O::stick_range,
                     kPositive),
              option("forward_speed", "rad/s", "tanh(v / this) is friction fed forward of the shape sign", kRecipe,
                     &O::forward_speed, kPositive),
          });
  return table;
}

const OptionTable& options_of(const RockOptions&) {
  static const OptionTable table(
      "", {
              option("rock_amplitude", "rad", "of the rocking", kRecipe, &RockOptions::rock_amplitude),
              option("rock_frequency", "Hz", "of the rocking", kRecipe, &RockOptions::rock_frequency, kPositive),
              option("rock_onset", "s", "over which the rocking rises", kRecipe, &RockOptions::rock_onset, kPositive),
          });
  return table;
}

double trusted_gain(double sd, double gate) noexcept {
  const double gain = gate * gate / (gate * gate + sd * sd);
  return std::isfinite(gain) ? gain : 0.0;
}

FrictionForward::FrictionForward(int joints, double time_step, const FrictionForwardOptions& options)
    : time_step_(time_step), options_(options), stretch_(VectorX::Zero(joints)), torque_(VectorX::Zero(joints)) {
  check_options(options);
  check_time_step("friction forward", time_step);
}

const VectorX& FrictionForward::update(ConstVectorRef v, ConstVectorRef coulomb) noexcept {
  if (v.size() != torque_.size() || coulomb.size() != torque_.size() || !is_computable(v) || !is_computable(coulomb)) {
    torque_.setConstant(kNaN);
    return torque_;
  }
  for (Eigen::Index i = 0; i < torque_.size(); ++i) {
    stretch_[i] = std::clamp(stretch_[i] + v[i] * time_step_ / options_.stick_range, -1.0, 1.0);
    const bool is_elastic = options_.friction_shape == FrictionShape::elastic;
    torque_[i] = coulomb[i] * (is_elastic ? stretch_[i] : std::tanh(v[i] / options_.forward_speed));
  }
  return torque_;
}
void FrictionForward::reset() noexcept { stretch_.setZero(); }

Rock rock(double time, const RockOptions& options) noexcept {
  if (time <= 0.0) return {};
  const double w = 2.0 * std::numbers::pi * options.rock_frequency;
  double A = 1.0, A1 = 0.0, A2 = 0.0;
  if (time < options.rock_onset) {
    const double x = time / options.rock_onset;
    A = x * x * x * (10.0 + x * (6.0 * x - 15.0));
    A1 = 30.0 * x * x * (1.0 - x) * (1.0 - x) / options.rock_onset;
    A2 = 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / (options.rock_onset * options.rock_onset);
  }
  const double s = std::sin(w * time), c = std::cos(w * time), a = options.rock_amplitude;
  return {a * A * s, a * (A1 * s + A * w * c), a * (A2 * s + 2.0 * A1 * w * c - A * w * w * s)};
}

RockAxis rock_axis(const ToolState& now, const Vector3& normal) noexcept {
  RockAxis best;
  best.status = now.status;
  if (now.status != Status::ok) return best;
  best.status = Status::not_finite;
  if (!(std::abs(normal.norm() - 1.0) < 1e-3)) return best;
  best.status = Status::ok;
  const Vector3 seed = std::abs(normal.x()) < 0.8 ? Vector3::UnitX() : Vector3::UnitY();
  const Vector3 first = (seed - normal * normal.dot(seed)).normalized(), second = normal.cross(first);
  const Eigen::Index n = now.v.size();
  const auto load = [&](Eigen::Index joint) noexcept { return std::abs(now.J.col(joint).head<3>().dot(normal)); };
  double most = 0.0;
  for (Eigen::Index joint = 0; joint < n; ++joint) most = std::max(most, load(joint));
  for (int i = 0; i < kDirections; ++i) {
    const double angle = std::numbers::pi * i / kDirections;
    const Vector3 axis = std::cos(angle) * first + std::sin(angle) * second;
    Vector6 twist = Vector6::Zero();
    twist.tail<3>() = axis;
    const Vector6 impulse = now.Lambda * twist;  // joint rates are M⁻¹ Jᵀ Λ V
    double least = kInfinity;
    for (Eigen::Index joint = 0; joint < n; ++joint) {
      if (load(joint) > 0.1 * most) least = std::min(least, std::abs(now.M_inv_Jt.row(joint).dot(impulse)));
    }
    if (i == 0 || least > best.least) {
      best.least = least;
      best.axis = axis;
    }
  }
  return best;
}

}  // namespace antaeus
