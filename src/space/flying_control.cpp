#include "antaeus/space/flying_control.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "antaeus/core/error.hpp"
#include "antaeus/core/in_place.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/core/possible.hpp"
#include "core/computable.hpp"
#include "core/rotation_check.hpp"

namespace antaeus {

namespace {

constexpr double kSingularGains = 1e-3;
/// [m] Beyond, a double has no tenth of a nanometre left, and an error of that size is no error of control.
constexpr double kFarthest = 0x1p20;

using Vector9 = Eigen::Matrix<double, 9, 1>;

/// Scalar part, ≥ 0, and twice the vector part of the quaternion of R.
struct HalfTurn {
  double eta;
  Vector3 error;
};
HalfTurn half_turn(const Matrix3& R) noexcept {
  const Eigen::Quaterniond turn = Eigen::Quaterniond(R).normalized();
  const double sign = turn.w() < 0.0 ? -1.0 : 1.0;
  return {sign * turn.w(), 2.0 * sign * turn.vec()};
}

/// d(2ε)/dt where the body turns with ω against what the error is of, both in the body's axes.
Vector3 rate_of(const HalfTurn& turn, const Vector3& omega) noexcept {
  return turn.eta * omega + 0.5 * turn.error.cross(omega);
}

bool is_possible(const FlyingReference& r) noexcept {
  const auto within = [](std::initializer_list<const Vector3*> all, double bound) {
    return std::ranges::all_of(all, [bound](const Vector3* one) { return are_possible(*one, bound); });
  };
  const PoseReference& e = r.end_effector;
  return within({&e.X_WE.translation, &r.com.position}, kFarthest) &&
         within({&e.velocity, &e.omega, &r.base.omega, &r.com.velocity}, kImpossibleSpeed) &&
         within({&e.acceleration, &e.omega_dot, &r.base.omega_dot, &r.com.acceleration}, kImpossibleAcceleration);
}

struct Block {
  double stiffness, damping;
};
Block gains_of(double inertia, double rate, double ratio) noexcept {
  return {inertia * rate * rate, 2.0 * ratio * inertia * rate};
}

}  // namespace

const OptionTable& options_of(const FlyingControlOptions&) {
  using O = FlyingControlOptions;
  constexpr const char* kFlights = "flights of a UR3 and a Panda on a base of 150 kg";
  constexpr const char* kCrossings = "crossings of a UR3's elbow and wrist on a 150 kg base";
  static const OptionTable table(
      "flying",
      {
          option("law", "", "how base attitude and end-effector are led", kCrossings, &O::law),
          option("com_rate", "rad/s", "natural frequency of the centre of mass", kFlights, &O::com_rate, kPositive),
          option("base_rate", "rad/s", "natural frequency of the base's attitude", kFlights, &O::base_rate, kPositive),
          option("end_effector_rate", "rad/s", "natural frequency of the end-effector", kFlights, &O::end_effector_rate,
                 kPositive),
          option("damping_ratio", "1", "of all blocks", kFlights, &O::damping_ratio, kPositive),
          option("pull", "1/s", "law carried: how fast joint velocities take up the end-effector's error", kCrossings,
                 &O::pull),
          option("joint_damping", "1/s", "law carried: damping of joint motion that the Jacobian does not see",
                 kCrossings, &O::joint_damping),
          option("null_damping", "1/s", "seven joints: how fast the null motion dies", kFlights, &O::null_damping),
          option("posture_rate", "1/s", "seven joints: how fast the null motion takes up the posture",
                 "a quarter of null_damping damps critically", &O::posture_rate),
      });
  return table;
}
const OptionGroup kFlyingGroup(FlyingControlOptions{});

const OptionTable& options_of(const GammaRampOptions&) {
  using O = GammaRampOptions;
  constexpr const char* kSource = "docs/references.md#giordano";
  static const OptionTable table(
      "gamma", {
                   option("low", "mixed", "smallest singular value of the map at and below which the floor holds",
                          kSource, &O::low),
                   option("high", "mixed", "at and above it the feed-forward is whole", kSource, &O::high, kPositive),
                   option("floor", "1", "least share of the tracker's feed-forward", kSource, &O::floor, Range{0, 1}),
               });
  return table;
}
const OptionGroup kGammaGroup(GammaRampOptions{});

double gamma_ramp(double sigma_Gamma, const GammaRampOptions& options) noexcept {
  if (!(sigma_Gamma > options.low)) return options.floor;  // NaN too
  if (sigma_Gamma >= options.high) return 1.0;
  const double share = (sigma_Gamma - options.low) / (options.high - options.low);
  return options.floor + (1.0 - options.floor) * share;
}

struct FlyingControl::Workspace {
  Workspace(FreeFlyer flyer, const FlyingGains& with, const FlyingControlSetup& setup)
      : flying(std::move(flyer)),
        n(flying.joints()),
        options((check_options(setup.control), setup.control)),
        ramp((check_options(setup.gamma), setup.gamma)),
        gains(with),
        carried(6, n, setup.carry),
        base(setup.base),
        limits(joint_limits(flying.model(), setup.joints)) {
    if (!(ramp.low < ramp.high)) throw OptionsError("gamma.low", "it is not below gamma.high", "give a lower one");
    for (const double gain :
         {gains.com_stiffness, gains.com_damping, gains.base_stiffness, gains.base_damping, gains.position_stiffness,
          gains.position_damping, gains.rotation_stiffness, gains.rotation_damping}) {
      if (!(gain >= 0.0) || !std::isfinite(gain)) {
        throw Error("flying control", "a gain is negative or not finite", "give a pose, from which they are made");
      }
    }
    const int nv = 6 + n;
    for (VectorX* vector :
         {&tau, &v_r, &v_r_dot, &s, &now_v, &from_neutral, &command.tau, &command.wanted, &inertia_s}) {
      vector->setZero(nv);
    }
    for (VectorX* vector : {&posture, &theta, &kernel, &still, &unseen}) vector->setZero(n);
    fail(Status::not_computed);
  }

  static TorqueLimits joint_limits(const RobotModel& model, const TorqueLimitOptions& options) {
    check_options(options);
    const int n = model.nv() - 6;
    VectorX limit = VectorX::Constant(n, kInfinity);
    for (int motor = 0; motor < model.motor_count(); ++motor) {
      limit[model.motor_rows()[static_cast<std::size_t>(motor)] - 6] =
          options.torque_share * model.effort_limits()[motor];
    }
    return {limit, VectorX::Constant(n, options.torque_rate > 0.0 ? options.torque_rate : kInfinity),
            options.torque_cycle};
  }

  /// No torque at all: the robot coasts. The torques' rate then starts from zero.
  const FlyingCommand& fail(Status why) noexcept {
    set_nan(command);
    command.status = why;
    command.tau.setZero();
    command.is_limited = false;
    command.gamma = ramp.floor;
    command.carry = {};
    limits.reset(still);
    return command;
  }

  const FlyingCommand& update(ConstVectorRef q, ConstVectorRef v, const FlyingReference& reference,
                              double dt) noexcept {
    const FreeFlyingTerms& t = flying.at(q, v);
    if (t.status != Status::ok) return fail(t.status);
    if (!all_finite(reference) || !is_computable(dt) || dt <= 0.0) return fail(Status::not_finite);
    // Before anything that remembers: the carried motion, the wheels and the limits of torques never see it.
    if (!are_possible(q.head<3>(), kFarthest) || !is_possible(reference)) return fail(Status::not_finite);
    if (!detail::is_rotation(reference.end_effector.X_WE.rotation) || !detail::is_rotation(reference.base.R_WB)) {
      return fail(Status::bad_orientation);
    }
    command.status = Status::ok;
    now_v = v;
    if (has_posture) {
      // By difference from neutral: a continuous joint has two numbers in q.
      flying.model().difference(flying.model().neutral(), q, from_neutral);
      theta = from_neutral.tail(n);
    }
    lead(t, reference);
    command.gamma = t.tier.tier == InverseTier::held ? ramp.floor : gamma_ramp(t.conditioning.sigma_Gamma, ramp);
    if (options.law == FlyingLaw::carried) {
      if (const Status status = carry(t, dt); status != Status::ok) return fail(status);
    } else if (const Status status = follow(t); status != Status::ok) {
      return fail(status);
    }
    // What the thrusters are asked for is f_c itself; the sums above have it up to rounding.
    tau.head<3>() = t.motion.X_WB.rotation.transpose() * command.f_c;
    if (!tau.allFinite()) return fail(Status::not_finite);
    command.wanted << force_wanted, tau.tail(3 + n);
    const BaseEffort& effort = base.apply(tau.head<3>(), tau.segment<3>(3), t.motion.omega_b, dt);
    const LimitedTorque& joints = limits.apply(tau.tail(n));
    if (effort.status != Status::ok || joints.status != Status::ok) return fail(Status::not_finite);
    command.tau.head<3>() = effort.force;
    command.tau.segment<3>(3) = effort.torque;
    command.tau.tail(n) = joints.tau;
    command.is_limited = is_force_limited || effort.is_limited || joints.is_limited;
    return command;
  }

  /// Errors, their rates, and the velocities and accelerations that are asked for.
  void lead(const FreeFlyingTerms& t, const FlyingReference& r) noexcept {
    const FreeFlyingMotion& m = t.motion;
    const Matrix3 R_bc = m.X_WB.rotation.transpose(), R_ec = m.X_WE.rotation.transpose();
    const Vector3 omega_b = m.omega_b, omega_e = m.nu_e.tail<3>();
    mass = t.M(0, 0);

    command.x_c = m.p_com - r.com.position;
    const Vector3 wanted =
        mass * r.com.acceleration - gains.com_stiffness * command.x_c - gains.com_damping * (m.v_c - r.com.velocity);
    force_wanted = R_bc * wanted;
    const Vector3 given = base.force_within(force_wanted);
    is_force_limited = given != force_wanted;
    command.f_c = m.X_WB.rotation * given;
    v_c_dot = command.f_c / mass;

    omega_r = R_bc * r.base.omega;
    omega_r_dot = R_bc * r.base.omega_dot - omega_b.cross(omega_r);
    turn_b = half_turn(r.base.R_WB.transpose() * m.X_WB.rotation);
    command.x_b = turn_b.error;

    const Vector3 linear = R_ec * r.end_effector.velocity, angular = R_ec * r.end_effector.omega;
    nu_r << linear, angular;
    nu_r_dot << R_ec * r.end_effector.acceleration - omega_e.cross(linear),
        R_ec * r.end_effector.omega_dot - omega_e.cross(angular);
    command.x_p = R_ec * (m.X_WE.translation - r.end_effector.X_WE.translation);
    turn_o = half_turn(r.end_effector.X_WE.rotation.transpose() * m.X_WE.rotation);
    command.x_o = turn_o.error;
    x_e << command.x_p, command.x_o;
    x_e_dot << m.nu_e.head<3>() - linear - omega_e.cross(command.x_p), rate_of(turn_o, omega_e - angular);
    // J_xᵀK̆x̃: with one stiffness for all axes the cross products drop out, and what is left of a turn is its cosine.
    spring << gains.base_stiffness * turn_b.eta * command.x_b, gains.position_stiffness * command.x_p,
        gains.rotation_stiffness * turn_o.eta * command.x_o;
    const Vector3 v_c_E = R_ec * m.v_c;
    plus_r = nu_r;
    plus_r.head<3>() -= v_c_E;
    plus_r_dot = nu_r_dot;
    plus_r_dot.head<3>() -= R_ec * v_c_dot - omega_e.cross(v_c_E);
    spring_energy =
        0.5 * (gains.base_stiffness * command.x_b.squaredNorm() + gains.position_stiffness * command.x_p.squaredNorm() +
               gains.rotation_stiffness * command.x_o.squaredNorm());
  }

  Vector9 damped(const Vector9& velocity) const noexcept {
    Vector9 result;
    result << gains.base_damping * velocity.head<3>(), gains.position_damping * velocity.segment<3>(3),
        gains.rotation_damping * velocity.tail<3>();
    return result;
  }

  /// tau = Γᵀ[f_c; w], triangular: no inverse.
  void actuate(const FreeFlyingTerms& t, const Vector9& w) noexcept {
    Eigen::Matrix<double, 12, 1> f;
    f << command.f_c, w;
    tau.noalias() = t.Gamma.transpose() * f;
  }

  /// Regulator and tracker.
  Status follow(const FreeFlyingTerms& t) noexcept {
    const FreeFlyingMotion& m = t.motion;
    const bool is_seven = n == 7;
    const bool is_tracker = options.law == FlyingLaw::tracker;
    Vector9 breve, breve_r = Vector9::Zero(), breve_r_dot = Vector9::Zero(), target;
    breve << m.omega_b, m.nu_plus;
    target << omega_r, nu_r;
    if (is_tracker) {
      breve_r << omega_r, plus_r;
      breve_r_dot << omega_r_dot, plus_r_dot;
    }
    const Vector9 error = breve - breve_r;
    Eigen::Matrix<double, 9, 9> M = t.M_breve, C = t.C_breve;
    Eigen::Matrix<double, 9, 3> C_c = t.C_c;
    Eigen::Matrix<double, 1, 9> C_n = Eigen::Matrix<double, 1, 9>::Zero();
    if (is_seven && flying.coriolis() == CoriolisForm::passive) {
      M = t.null.M_hat_a.block<9, 9>(3, 3);
      C = t.null.C_hat_a.block<9, 9>(3, 3);
      C_c = t.null.C_hat_a.block<9, 3>(3, 0);
      C_n = t.null.C_hat_a.block<1, 9>(12, 3);
    }
    Vector9 w = -spring;
    const Vector9 kinetic = M * error;
    command.energy = 0.5 * error.dot(kinetic) + spring_energy;
    double null_forward = 0.0;
    if (is_tracker) {
      const Vector9 forward = M * breve_r_dot + C * breve_r + C_c * m.v_c;
      const Vector9 braking = damped(error);
      null_forward = command.gamma * C_n.dot(breve_r);
      w += command.gamma * forward - braking;
      command.dissipation = error.dot(braking);
      command.supply = (command.gamma - 1.0) * error.dot(forward);
    } else {
      Vector9 by_com = Vector9::Zero();
      by_com.segment<3>(3) = m.X_WE.rotation.transpose() * m.v_c;
      const Vector9 braking = damped(breve + by_com);
      w -= braking;
      command.dissipation = breve.dot(damped(breve));
      command.supply = spring.dot(by_com - target) - breve.dot(damped(by_com));
    }
    if (!w.allFinite()) return Status::not_finite;
    actuate(t, w);
    if (is_seven) {
      // Scaled by the null motion's own inertia μ, so that damping and posture are rates.
      const NullTerms& null = t.null;
      const double away = has_posture ? null.n_hat.dot(theta - posture) : 0.0;
      const double f_damping = -null.mu * options.null_damping * null.v_n;
      const double f_posture = -null.mu * options.null_damping * options.posture_rate * away;
      tau += null.z_a * (f_damping + f_posture + null_forward);
      command.energy += 0.5 * null.mu * null.v_n * null.v_n;
      command.dissipation -= f_damping * null.v_n;
      command.supply += f_posture * null.v_n;
      if (is_tracker) command.supply += (command.gamma - 1.0) * C_n.dot(breve_r) * null.v_n;
    }
    return Status::ok;
  }

  /// The law of docs/concepts/space.md#coordinated-control in joint velocities that pass through singularities.
  Status carry(const FreeFlyingTerms& t, double dt) noexcept {
    const FreeFlyingMotion& m = t.motion;
    const auto theta_dot = now_v.tail(n);
    const Matrix63 G_dot = t.Gamma_dot.block<6, 3>(6, 3);
    const Vector6 b = plus_r - options.pull * x_e - m.G_omega_b * omega_r;
    const Vector6 b_dot = plus_r_dot - options.pull * x_e_dot - G_dot * omega_r - m.G_omega_b * omega_r_dot;
    if (n == 6) {
      command.carry = carried.update(m.J_plus, t.J_plus_dot, b, b_dot, dt);
    } else {
      kernel.setZero();
      if (has_posture) kernel = -options.posture_rate * (theta - posture);
      command.carry = carried.update(m.J_plus, t.J_plus_dot, b, b_dot, dt, kernel);
    }
    if (command.carry.status != Status::ok) return command.carry.status;
    const VectorX& theta_r_dot = carried.velocity();
    const VectorX& theta_r_ddot = carried.acceleration();

    const Matrix3 R_bc = m.X_WB.rotation.transpose();
    const Vector3 v_c_B = R_bc * m.v_c;
    Vector3 p_bc_dot = Vector3::Zero(), arm = Vector3::Zero(), arm_dot = Vector3::Zero();
    for (int k = 0; k < n; ++k) {
      const Vector3 rate = (t.C.block<3, 1>(0, 6 + k) + t.C.block<1, 3>(6 + k, 0).transpose()) / mass;
      p_bc_dot += m.J_v_bar.col(k) * theta_dot[k];
      arm += m.J_v_bar.col(k) * theta_r_dot[k];
      arm_dot += m.J_v_bar.col(k) * theta_r_ddot[k] + rate * theta_r_dot[k];
    }
    v_r.head<3>() = v_c_B + m.p_bc.cross(omega_r) - arm;
    v_r.segment<3>(3) = omega_r;
    v_r.tail(n) = theta_r_dot;
    v_r_dot.head<3>() =
        R_bc * v_c_dot - m.omega_b.cross(v_c_B) + p_bc_dot.cross(omega_r) + m.p_bc.cross(omega_r_dot) - arm_dot;
    v_r_dot.segment<3>(3) = omega_r_dot;
    v_r_dot.tail(n) = theta_r_ddot;
    s = now_v - v_r;

    Vector9 breve_s;
    breve_s << s.segment<3>(3), m.G_omega_b * s.segment<3>(3);
    for (int k = 0; k < n; ++k) breve_s.tail<6>() += m.J_plus.col(k) * s[6 + k];
    const Vector9 braking = damped(breve_s);
    Eigen::Matrix<double, 12, 1> f;
    f << Vector3::Zero(), -(braking + spring);
    tau.noalias() = t.Gamma.transpose() * f;
    tau.noalias() += t.M * v_r_dot;
    tau.noalias() += t.C * v_r;
    // P D_n P s_θ: what J⊕ does not see of s is damped by each joint's own inertia.
    project(m, s.tail(n));
    command.dissipation = breve_s.dot(braking);
    for (int k = 0; k < n; ++k) {
      const double given = options.joint_damping * t.M(6 + k, 6 + k) * unseen[k];
      command.dissipation += given * unseen[k];
      unseen[k] = given;
    }
    kernel = unseen;
    project(m, kernel);
    tau.tail(n) -= unseen;

    inertia_s.noalias() = t.M * s;
    command.energy = 0.5 * s.dot(inertia_s) + spring_energy;
    Vector6 off = -plus_r + m.G_omega_b * omega_r;  // G_ωb ω_r + J⊕θ̇_r − ν_⊕r
    for (int k = 0; k < n; ++k) off += m.J_plus.col(k) * theta_r_dot[k];
    command.supply = spring.tail<6>().dot(off);
    return Status::ok;
  }

  /// unseen = (E − J#J⊕) velocity.
  void project(const FreeFlyingMotion& m, ConstVectorRef velocity) noexcept {
    Vector6 moved = Vector6::Zero();
    for (int k = 0; k < n; ++k) moved += m.J_plus.col(k) * velocity[k];
    unseen = velocity;
    unseen.noalias() -= carried.damping().inverse() * moved;
  }

  FreeFlyer flying;
  int n;
  FlyingControlOptions options;
  GammaRampOptions ramp;
  FlyingGains gains;
  CarriedReference carried;
  BaseActuators base;
  TorqueLimits limits;
  FlyingCommand command;
  VectorX posture, kernel, still, unseen, theta, from_neutral;
  bool has_posture = false;
  VectorX tau, now_v, v_r, v_r_dot, s, inertia_s;

  // Of the present cycle.
  double mass = kNaN, spring_energy = kNaN;
  Vector3 force_wanted, v_c_dot, omega_r, omega_r_dot;
  bool is_force_limited = false;
  HalfTurn turn_b{1.0, Vector3::Zero()}, turn_o{1.0, Vector3::Zero()};
  Vector6 nu_r, nu_r_dot, plus_r, plus_r_dot, x_e, x_e_dot;
  Vector9 spring;
};

namespace {

FlyingGains flying_gains(const FreeFlyingTerms& terms, const FlyingControlOptions& options) {
  check_options(options);
  if (terms.status != Status::ok) {
    throw Error("flying gains", "the terms are not ok: " + std::string(to_string(terms.status)), "give a good state");
  }
  if (!(terms.conditioning.sigma_J > kSingularGains)) {
    throw Error("flying gains", "the arm is singular there", "take gains from a state away from singularities");
  }
  const Eigen::Matrix<double, 9, 9> M = terms.null.M_hat_a.size() > 0
                                            ? Eigen::Matrix<double, 9, 9>(terms.null.M_hat_a.block<9, 9>(3, 3))
                                            : Eigen::Matrix<double, 9, 9>(terms.M_breve);
  const Matrix3 M_b = M.topLeftCorner<3, 3>();
  const Matrix63 M_eb = M.bottomLeftCorner<6, 3>();
  const Matrix6 M_e = M.bottomRightCorner<6, 6>();
  const Matrix3 base_free = M_b - M_eb.transpose() * M_e.inverse() * M_eb;
  const Matrix6 tool_free = M_e - M_eb * M_b.inverse() * M_eb.transpose();
  const double inertia[3] = {base_free.trace() / 3.0, tool_free.topLeftCorner<3, 3>().trace() / 3.0,
                             tool_free.bottomRightCorner<3, 3>().trace() / 3.0};
  for (const double value : inertia) {
    if (!(value > 0.0) || !std::isfinite(value)) {
      throw Error("flying gains", "an inertia is not positive", "take gains from a state away from singularities");
    }
  }
  const double ratio = options.damping_ratio;
  const Block com = gains_of(terms.M(0, 0), options.com_rate, ratio);
  const Block base = gains_of(inertia[0], options.base_rate, ratio);
  const Block position = gains_of(inertia[1], options.end_effector_rate, ratio);
  const Block rotation = gains_of(inertia[2], options.end_effector_rate, ratio);
  return {com.stiffness,      com.damping,      base.stiffness,     base.damping,
          position.stiffness, position.damping, rotation.stiffness, rotation.damping};
}

FlyingGains gains_at(FreeFlyer& flying, ConstVectorRef q, const FlyingControlOptions& options) {
  const VectorX rest = VectorX::Zero(flying.model().nv());
  const FlyingGains gains = flying_gains(flying.at(q, rest), options);
  flying.reset();
  return gains;
}

}  // namespace

FlyingControl::FlyingControl(FreeFlyer flying, ConstVectorRef q_gains, const FlyingControlSetup& setup) {
  const FlyingGains gains = gains_at(flying, q_gains, setup.control);
  workspace_ = std::make_unique<Workspace>(std::move(flying), gains, setup);
}

FlyingControl::FlyingControl(FreeFlyer flying, const FlyingGains& gains, const FlyingControlSetup& setup)
    : workspace_(std::make_unique<Workspace>(std::move(flying), gains, setup)) {}

FlyingControl::~FlyingControl() = default;
FlyingControl::FlyingControl(FlyingControl&&) noexcept = default;
FlyingControl& FlyingControl::operator=(FlyingControl&&) noexcept = default;

void FlyingControl::reset() noexcept {
  workspace_->flying.reset();
  workspace_->carried.reset();
  workspace_->base.reset();
  workspace_->fail(Status::not_computed);
  workspace_->limits.reset();
}

Status FlyingControl::set_posture(ConstVectorRef theta) noexcept {
  if (theta.size() != workspace_->n) return Status::wrong_size;
  if (!theta.allFinite()) return Status::not_finite;
  workspace_->posture = theta;
  workspace_->has_posture = true;
  return Status::ok;
}

const FlyingCommand& FlyingControl::update(ConstVectorRef q, ConstVectorRef v, const FlyingReference& reference,
                                           double dt) noexcept {
  return workspace_->update(q, v, reference, dt);
}
const FlyingCommand& FlyingControl::last() const noexcept { return workspace_->command; }
const FlyingGains& FlyingControl::gains() const noexcept { return workspace_->gains; }
const FreeFlyingTerms& FlyingControl::terms() const noexcept { return workspace_->flying.terms(); }
const BaseEffort& FlyingControl::base_effort() const noexcept { return workspace_->base.last(); }

}  // namespace antaeus
