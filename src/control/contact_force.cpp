#include "antaeus/control/contact_force.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/signal/ring_buffer.hpp"
#include "control/recipe.hpp"
#include "core/computable.hpp"
#include "core/decompositions.hpp"

namespace antaeus {

namespace {

struct WindowSample {
  double force = 0.0, variance = 0.0;
};

bool is_variance(const VectorX& values) noexcept { return is_computable(values) && (values.array() >= 0.0).all(); }

}  // namespace

const OptionTable& options_of(const ContactForceOptions&) {
  using O = ContactForceOptions;
  static const OptionTable table(
      "",
      {
          option("observer_rate", "1/s", "K of the momentum observer", kRecipe, &O::observer_rate, kPositive),
          option("window", "s", "over which the estimate is averaged without a dither", kRecipe, &O::window,
                 Range{0.0, ContactForceEstimator::kLongestWindow, false}),
          option("sign_speed", "rad/s", "tanh(v / this) is the direction of friction", kRecipe, &O::sign_speed,
                 kPositive),
          option("contact_friction", "1", "friction of the contact, as far as known", kRecipe, &O::contact_friction),
          option("contact_friction_sd", "1", "its sd while the tool slides", kRecipe, &O::contact_friction_sd),
          option("across_sd", "1", "sd of the force across the sliding, as a share of the press", kRecipe,
                 &O::across_sd),
          option("slip_speed", "m/s", "speed along the surface above which the tool slides", "half a mm/s",
                 &O::slip_speed, kPositive),
          option("lever", "m", "sd of the contact's location from the tool's origin", kRecipe, &O::lever),
          option("torque_sd", "N·m", "of each motor's sensed torque, white", kRecipe, &O::torque_sd),
          option("velocity_sd", "rad/s", "of each joint's sensed velocity, white", kRecipe, &O::velocity_sd),
          option("bias_floor", "N·m", "sd of each joint's bias that no tare removes: it changes with the pose",
                 "2 % of the UR5e's torque of gravity over 25 mm", &O::bias_floor),
          option("coulomb_floor", "1", "sd of Coulomb friction that no tare removes, as a share of it", kRecipe,
                 &O::coulomb_floor),
          option("usable_sd", "1", "sd as a share of the press above which the estimate is degraded", kRecipe,
                 &O::usable_sd, kPositive),
          option("blind_sd", "1", "sd as a share of the press above which the force is unobservable",
                 "the press itself", &O::blind_sd, kPositive),
      });
  return table;
}

JointFriction JointFriction::told(ConstVectorRef coulomb, double share, double bias_sd) {
  const Eigen::Index n = coulomb.size();
  return {VectorX::Zero(n), coulomb, VectorX::Constant(n, bias_sd * bias_sd),
          (share * coulomb.array()).square().matrix(), VectorX::Zero(n)};
}

struct ContactForceEstimator::Workspace {
  Workspace(int joints, double time_step_in, const ContactForceOptions& options_in)
      : n(joints),
        time_step(time_step_in),
        options(options_in),
        share(1.0 - std::exp(-options_in.observer_rate * time_step_in)),
        window(static_cast<int>(std::ceil(kLongestWindow / time_step_in))),
        factor(joints) {
    friction = JointFriction::told(VectorX::Zero(n), 0.0, 0.0);
    for (VectorX* const vector : {&residual, &direction, &v_before, &h_before, &y, &rest, &h, &weighted, &rotated}) {
      vector->setConstant(n, kNaN);
    }
    M_before.setConstant(n, n, kNaN);
    S.setZero(n, n);
    levers.setZero(n, 3);
  }

  void reset() noexcept {
    window.clear();
    has_before = false;
    residual.setConstant(kNaN);
    direction.setConstant(kNaN);
    slip.setZero();
    felt = {};
  }

  const ContactForce& fail(Status why) noexcept {
    reset();
    felt.status = why;
    return felt;
  }

  // p' − Cᵀv + g = M v̇ + Ṁv − Cᵀv + g = M v̇ + (C v + g), for Ṁ = C + Cᵀ. Over one cycle M v̇ is the mean M times the
  // difference of v: exactly p's difference less Ṁv, without a pass of Cᵀv.
  void observe(const ToolState& now, ConstVectorRef tau) noexcept {
    weighted = (now.v - v_before) / time_step;
    y.noalias() = 0.5 * (now.M * weighted);
    y.noalias() += 0.5 * (M_before * weighted);
    y += 0.5 * (now.h + h_before) - tau;
    residual += share * (y - residual);
    direction.array() += share * ((now.v.array() / options.sign_speed).tanh() - direction.array());
  }

  // S of y, without the contact's part: friction that moves and friction at rest, bias, noise of r.
  void joint_variance(const ToolState& now, bool is_at_rest) noexcept {
    const double kept = share / (2.0 - share);  // of white noise by the observer
    const double difference = share * share * 2.0 / (2.0 - share) / (time_step * time_step);  // of M (v − v_before)/dt
    for (int i = 0; i < n; ++i) {
      const double s = is_at_rest ? 0.0 : direction[i];
      const double c = friction.coulomb[i], floor = options.coulomb_floor * c;
      rest[i] = c * std::max(0.0, 1.0 - s * s);
      double variance = friction.bias_variance[i] - 2.0 * s * friction.covariance[i] +
                        s * s * (friction.coulomb_variance[i] + floor * floor) + rest[i] * rest[i];
      variance += options.bias_floor * options.bias_floor + kept * options.torque_sd * options.torque_sd;
      variance += difference * options.velocity_sd * options.velocity_sd * now.M.row(i).squaredNorm();
      S(i, i) += std::max(variance, 1e-12);
    }
  }

  // Of the contact: the force along the surface and where it acts. \param along  of unit length \param sliding  0 … 1
  void contact_variance(const ToolState& now, const Vector3& normal, const Vector3& along, double sliding,
                        double press) noexcept {
    const double sticking = 0.5 * options.contact_friction * options.contact_friction;
    const double along_variance = sliding * options.contact_friction_sd * options.contact_friction_sd;
    const double across_variance = sliding * options.across_sd * options.across_sd;
    const Vector3 across = normal.cross(along);
    const auto add = [&](const Vector3& axis, double variance) noexcept {
      rotated.noalias() = now.J.topRows<3>().transpose() * axis;
      S.noalias() += (variance * press * press) * rotated * rotated.transpose();
    };
    add(along, along_variance + (1.0 - sliding) * sticking);
    add(across, across_variance + (1.0 - sliding) * sticking);
    levers = now.J.bottomRows<3>().transpose();
    const double lever = options.lever * press;
    S.noalias() += (lever * lever) * levers * levers.transpose();
  }

  // S factored, h in place: \return h'S⁻¹h
  double information(const ToolState& now, const ContactSituation& contact, const Vector3& along, double sliding,
                     double press, bool is_at_rest) noexcept {
    S.setZero();
    joint_variance(now, is_at_rest);
    contact_variance(now, contact.normal, along, sliding, press);
    const Vector3 pushed = contact.normal - sliding * options.contact_friction * along;
    h.noalias() = now.J.topRows<3>().transpose() * pushed;
    factor.compute(S);
    weighted = h;
    factor.solveInPlace(weighted);
    return h.dot(weighted);
  }

  static bool is_usable(const ToolState& now, const ContactSituation& contact, int n) noexcept {
    return now.status == Status::ok && now.v.size() == n && contact.normal.allFinite() &&
           std::abs(contact.normal.norm() - 1.0) < 1e-3 && is_computable(contact.press) && contact.press >= 0.0 &&
           contact.window >= 0.0;
  }

  static Vector3 any_tangent(const Vector3& normal) noexcept {
    const Vector3 axis = std::abs(normal.x()) < 0.8 ? Vector3::UnitX() : Vector3::UnitY();
    return (axis - normal * normal.dot(axis)).normalized();
  }

  const ContactForce& update(const ToolState& now, ConstVectorRef tau, const ContactSituation& contact) noexcept {
    if (now.v.size() != n || tau.size() != n) return fail(Status::wrong_size);
    if (now.status != Status::ok) return fail(now.status);
    if (!is_computable(tau) || !is_usable(now, contact, n)) return fail(Status::not_finite);
    const Vector3& normal = contact.normal;
    if (!has_before) {
      residual = now.h - tau;
      direction = (now.v.array() / options.sign_speed).tanh();
      slip.setZero();
      has_before = true;
      settled = 0.0;
    } else {
      observe(now, tau);
      settled += time_step;
    }
    v_before = now.v;
    h_before = now.h;
    M_before = now.M;
    const Vector3 tip = now.twist.head<3>();
    slip += share * (tip - normal * normal.dot(tip) - slip);

    const double speed = slip.norm();
    const double ratio = speed / options.slip_speed;
    const double sliding = ratio * ratio / (1.0 + ratio * ratio);
    const Vector3 along = speed > 0.1 * options.slip_speed ? Vector3(slip / speed) : any_tangent(normal);
    const double certainty = information(now, contact, along, sliding, contact.press, false);
    y = residual - friction.bias + friction.coulomb.cwiseProduct(direction);
    felt.status = Status::ok;
    felt.instant = weighted.dot(y) / certainty;
    felt.instant_sd = 1.0 / std::sqrt(certainty);
    if (!(certainty > 0.0) || !std::isfinite(felt.instant)) return fail_blind();
    felt.hidden = weighted.cwiseAbs().dot(rest) / certainty;
    const double all = weighted.cwiseAbs().dot(friction.coulomb) / certainty;
    felt.moving = all > 0.0 ? 1.0 - felt.hidden / all : 1.0;
    average(contact.window > 0.0 ? contact.window : options.window);
    judge(contact.press);
    return felt;
  }

  // No joint feels a force along the normal.
  const ContactForce& fail_blind() noexcept {
    felt = {.status = Status::ok,
            .verdict = Verdict::unobservable,
            .reasons = Reason::unobservable_direction,
            .sd = kInfinity,
            .instant_sd = kInfinity};
    return felt;
  }

  void average(double time) noexcept {
    window.push() = {felt.instant, felt.instant_sd * felt.instant_sd};
    wanted = std::clamp(static_cast<int>(std::lround(time / time_step)), 1, window.capacity());
    const int count = std::min(wanted, window.size());
    // Each sample counts by what it knows: those of a reversal, and of the rest before a motion, hardly do.
    double force = 0.0, weights = 0.0, scatter = 0.0;
    for (int i = window.size() - count; i < window.size(); ++i) {
      weights += 1.0 / window[i].variance;
      force += window[i].force / window[i].variance;
    }
    force /= weights;
    for (int i = window.size() - count; i < window.size(); ++i) {
      scatter += (window[i].force - force) * (window[i].force - force);
    }
    felt.force = force;
    // Friction and bias are the same in all samples: their mean knows no more than one of them.
    felt.sd = std::sqrt(count / weights + scatter / count);
  }

  void judge(double press) noexcept {
    felt.verdict = Verdict::ok;
    felt.reasons = {};
    const auto lower = [&](Verdict verdict, Reason reason) noexcept {
      felt.verdict = std::max(felt.verdict, verdict);
      felt.reasons.add(reason);
    };
    if (window.size() < wanted || settled * options.observer_rate < 3.0) lower(Verdict::degraded, Reason::settling);
    if (press <= 0.0) return;
    if (felt.sd > options.usable_sd * press) lower(Verdict::degraded, Reason::uncertain);
    if (felt.sd > options.blind_sd * press) lower(Verdict::unobservable, Reason::unobservable_direction);
  }

  int n;
  double time_step;
  ContactForceOptions options;
  double share;  // of the way to its input that the observer goes in a cycle
  RingBuffer<WindowSample> window;
  Eigen::LLT<MatrixX> factor;
  JointFriction friction;
  bool has_before = false;
  double settled = 0.0;
  int wanted = 1;
  VectorX residual, direction, v_before, h_before, y, rest, h, weighted, rotated;
  MatrixX M_before, S, levers;
  Vector3 slip = Vector3::Zero();
  ContactForce felt;
};

ContactForceEstimator::ContactForceEstimator(int joints, double time_step, const ContactForceOptions& options) {
  check_options(options);
  if (joints < 1) throw OptionsError("contact force", "no joints", "give the arm's number of motors");
  if (!(time_step > 0.0) || time_step > 0.1) {
    throw OptionsError("contact force", "time_step is not between 0 and 0.1 s", "give the control cycle's");
  }
  workspace_ = std::make_unique<Workspace>(joints, time_step, options);
}
ContactForceEstimator::~ContactForceEstimator() = default;
ContactForceEstimator::ContactForceEstimator(ContactForceEstimator&&) noexcept = default;
ContactForceEstimator& ContactForceEstimator::operator=(ContactForceEstimator&&) noexcept = default;

Status ContactForceEstimator::set_friction(const JointFriction& friction) noexcept {
  for (const VectorX* const vector :
       {&friction.bias, &friction.coulomb, &friction.bias_variance, &friction.coulomb_variance, &friction.covariance}) {
    if (vector->size() != workspace_->n) return Status::wrong_size;
  }
  if (!is_computable(friction.bias) || !is_variance(friction.coulomb) || !is_variance(friction.bias_variance) ||
      !is_variance(friction.coulomb_variance) || !is_computable(friction.covariance)) {
    return Status::not_finite;
  }
  workspace_->friction = friction;
  workspace_->window.clear();
  return Status::ok;
}
const JointFriction& ContactForceEstimator::friction() const noexcept { return workspace_->friction; }

const ContactForce& ContactForceEstimator::update(const ToolState& now, ConstVectorRef tau,
                                                  const ContactSituation& contact) noexcept {
  return workspace_->update(now, tau, contact);
}
const ContactForce& ContactForceEstimator::felt() const noexcept { return workspace_->felt; }
const VectorX& ContactForceEstimator::residual() const noexcept { return workspace_->residual; }
const VectorX& ContactForceEstimator::direction() const noexcept { return workspace_->direction; }

double ContactForceEstimator::sd_at_rest(const ToolState& now, const ContactSituation& contact) noexcept {
  Workspace& w = *workspace_;
  if (!Workspace::is_usable(now, contact, w.n)) return kNaN;
  const Vector3 along = Workspace::any_tangent(contact.normal);
  const double certainty = w.information(now, contact, along, 0.0, contact.press, true);
  return certainty > 0.0 ? 1.0 / std::sqrt(certainty) : kInfinity;
}

void ContactForceEstimator::reset() noexcept { workspace_->reset(); }

}  // namespace antaeus
