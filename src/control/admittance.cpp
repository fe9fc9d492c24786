#include "antaeus/control/admittance.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/in_place.hpp"
#include "antaeus/core/option_table.hpp"

namespace antaeus {

namespace {

Vector6 six(double linear, double angular) {
  Vector6 values;
  values << linear, linear, linear, angular, angular, angular;
  return values;
}

/// exp(A) by its series after halving until |A| < 1/2, and squaring.
Matrix3 exponential(Matrix3 A) {
  const double size = A.cwiseAbs().rowwise().sum().maxCoeff();
  const int halvings = size > 0.5 ? std::ilogb(size) + 2 : 0;
  A *= std::ldexp(1.0, -halvings);
  Matrix3 sum = Matrix3::Identity(), term = Matrix3::Identity();
  for (int i = 1; i <= 14; ++i) {
    term = (term * A / i).eval();
    sum += term;
  }
  for (int i = 0; i < halvings; ++i) sum = (sum * sum).eval();
  return sum;
}

Vector3 shortened(const Vector3& vector, double by) {
  const double size = vector.norm();
  return size <= by ? Vector3::Zero() : Vector3(vector * (1.0 - by / size));
}

/// ω of R = exp(φ) R₀ while φ changes.
Vector3 angular_velocity(const Vector3& rotation, const Vector3& rate) {
  const double angle = rotation.norm();
  const bool is_small = angle < 1e-4;
  const double first = is_small ? 0.5 : (1.0 - std::cos(angle)) / (angle * angle);
  const double second = is_small ? 1.0 / 6.0 : (angle - std::sin(angle)) / (angle * angle * angle);
  const Vector3 cross = rotation.cross(rate);
  return rate + first * cross + second * rotation.cross(cross);
}

/// One of the two groups of axes: no faster than `speed`, no further than `range`.
struct Limited {
  bool speed = false, range = false;
};
Limited limit(Eigen::Ref<Vector3> position, Eigen::Ref<Vector3> velocity, const Vector3& before, double speed,
              double range, double cycle) {
  Limited done;
  if (const double size = velocity.norm(); size > speed) {
    velocity *= speed / size;
    done.speed = true;
  }
  const Vector3 step = position - before;
  if (const double size = step.norm(); size > speed * cycle) {
    position = before + step * (speed * cycle / size);
    done.speed = true;
  }
  if (const double size = position.norm(); size > range) {
    const Vector3 outwards = position / size;
    position = range * outwards;
    velocity -= std::fmax(0.0, velocity.dot(outwards)) * outwards;
    done.range = true;
  }
  return done;
}

}  // namespace

const OptionTable& options_of(const AdmittanceOptions&) {
  using O = AdmittanceOptions;
  constexpr const char* kOurs = "our choice: an arm led by hand";
  static const OptionTable table(
      "",
      {
          option("mass", "kg", "that is felt", kOurs, &O::mass, kPositive),
          option("inertia", "kg·m²", "that is felt in turning", kOurs, &O::inertia, kPositive),
          option("damping", "N·s/m", "of the position; above 2 k T / π for a world of stiffness k and a delay T", kOurs,
                 &O::damping, kPositive),
          option("rotational_damping", "N·m·s/rad", "of the orientation", kOurs, &O::rotational_damping, kPositive),
          option("stiffness", "N/m", "towards the nominal position; 0: it stays where it was pushed", kOurs,
                 &O::stiffness),
          option("rotational_stiffness", "N·m/rad", "towards the nominal orientation", kOurs, &O::rotational_stiffness),
          option("force_deadband", "N", "by which a force is shortened", "noise and drift of a wrist's sensor",
                 &O::force_deadband),
          option("moment_deadband", "N·m", "by which a moment is shortened", "noise and drift of a wrist's sensor",
                 &O::moment_deadband),
          option("speed_limit", "m/s", "of the compliant motion", "ISO/TS 15066's reduced speed, 0.25 m/s",
                 &O::speed_limit, kPositive),
          option("turn_limit", "rad/s", "of the compliant turning", kOurs, &O::turn_limit, kPositive),
          option("range_limit", "m", "how far it gives way", kOurs, &O::range_limit, kPositive),
          option("turn_range_limit", "rad", "how far it turns", kOurs, &O::turn_range_limit, Range{0.0, 3.0, false}),
          option("cycle", "s", "of the loop", "a position interface of 500 Hz", &O::cycle, kPositive),
      });
  return table;
}

Admittance::Admittance(const AdmittanceOptions& options)
    : Admittance(options, six(options.mass, options.inertia), six(options.damping, options.rotational_damping),
                 six(options.stiffness, options.rotational_stiffness)) {}

Admittance::Admittance(const AdmittanceOptions& options, const Vector6& mass, const Vector6& damping,
                       const Vector6& stiffness)
    : options_(options) {
  check_options(options);
  if (!(mass.array() > 0.0).all() || !(damping.array() > 0.0).all() || !(stiffness.array() >= 0.0).all() ||
      !mass.allFinite() || !damping.allFinite() || !stiffness.allFinite()) {
    throw OptionsError("admittance", "a mass or damping is not above zero, or a stiffness is negative",
                       "give finite positive numbers for each axis");
  }
  for (int i = 0; i < 6; ++i) {
    Matrix3 A = Matrix3::Zero();  // of (x, ẋ, F), F constant
    A(0, 1) = 1.0;
    A(1, 0) = -stiffness[i] / mass[i];
    A(1, 1) = -damping[i] / mass[i];
    A(1, 2) = 1.0 / mass[i];
    Axis& axis = axes_[static_cast<std::size_t>(i)];
    axis.step = exponential(options.cycle * A).topRows<2>();
    const double exponent = -damping[i] / mass[i] * options.cycle;
    axis.decay = std::exp(exponent);
    axis.glide = -std::expm1(exponent) * mass[i] / damping[i];
  }
  fail(Status::not_computed);
}

const AdmittanceReference& Admittance::fail(Status why) noexcept {
  result_.status = why;
  result_.mode = AdmittanceMode::waiting;
  result_.is_speed_limited = result_.is_range_limited = false;
  set_nan(result_.X_WT, result_.twist, result_.displacement);
  return result_;
}

void Admittance::reset() noexcept {
  position_.setZero();
  velocity_.setZero();
  fail(Status::not_computed);
}

const AdmittanceReference& Admittance::update(const Wrench& wrench, const AdmittanceTarget& target) noexcept {
  const bool is_target_finite = target.X_WT.rotation.allFinite() && target.X_WT.translation.allFinite() &&
                                target.twist.allFinite() && target.wanted.is_measurable();
  if (!is_target_finite) return fail(Status::not_finite);
  const Vector6 before = position_;
  if (wrench.is_measurable()) {
    result_.mode = AdmittanceMode::compliant;
    Vector6 F;
    F << shortened(wrench.force - target.wanted.force, options_.force_deadband),
        shortened(wrench.torque - target.wanted.torque, options_.moment_deadband);
    for (int i = 0; i < 6; ++i) {
      const Vector3 now(position_[i], velocity_[i], F[i]);
      const Eigen::Vector2d next = axes_[static_cast<std::size_t>(i)].step * now;
      position_[i] = next[0];
      velocity_[i] = next[1];
    }
  } else {
    result_.mode = AdmittanceMode::wrench_lost;
    for (int i = 0; i < 6; ++i) {
      const Axis& axis = axes_[static_cast<std::size_t>(i)];
      position_[i] += axis.glide * velocity_[i];
      velocity_[i] *= axis.decay;
    }
  }
  const Limited place = limit(position_.head<3>(), velocity_.head<3>(), before.head<3>(), options_.speed_limit,
                              options_.range_limit, options_.cycle);
  const Limited turn = limit(position_.tail<3>(), velocity_.tail<3>(), before.tail<3>(), options_.turn_limit,
                             options_.turn_range_limit, options_.cycle);
  result_.is_speed_limited = place.speed || turn.speed;
  result_.is_range_limited = place.range || turn.range;
  const Vector3 rotation = position_.tail<3>();
  const double angle = rotation.norm();
  result_.X_WT.translation = target.X_WT.translation + position_.head<3>();
  result_.X_WT.rotation =
      angle > 0.0 ? Matrix3(Eigen::AngleAxisd(angle, rotation / angle) * target.X_WT.rotation) : target.X_WT.rotation;
  result_.twist.head<3>() = target.twist.head<3>() + velocity_.head<3>();
  // R = exp(φ) R_nominal: the nominal turning is carried along.
  const Vector3 carried = angle > 0.0 ? Vector3(Eigen::AngleAxisd(angle, rotation / angle) * target.twist.tail<3>())
                                      : Vector3(target.twist.tail<3>());
  result_.twist.tail<3>() = carried + angular_velocity(rotation, velocity_.tail<3>());
  result_.displacement = position_;
  result_.status = Status::ok;
  return result_;
}

}  // namespace antaeus
