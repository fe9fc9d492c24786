#pragma once
/// \file
/// Coordinated control of a free-flying robot: base forces, base torques and joint torques that bring centre of mass,
/// attitude and end-effector to a reference, each with a stiffness of its own.
///
///     FreeFlyer flying(model, "ee_link");
///     FlyingControl control(flying, q_start);
///     const FlyingCommand& command = control.update(q, v, reference, 1e-3);   // command.tau: f_b, τ_b, τ_θ
///
/// The centre of mass is a mass point of its own: f_c = m a_cd − K_c x̃_c − D_c ẋ̃_c, and its force reaches base and
/// joints by τ = Γᵀ[f_c; τ_ω; w_e] without any inverse. Laws of the other nine degrees of freedom: FlyingLaw.
///
/// After A. M. Giordano, C. Ott, A. Albu-Schäffer, IEEE RA-L 4 (2019); docs/concepts/space.md#coordinated-control
/// derives what differs.

#include <cstdint>
#include <memory>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/numerics/smooth_damping.hpp"
#include "antaeus/robot/torque_limits.hpp"
#include "antaeus/space/base_actuators.hpp"
#include "antaeus/space/flying_reference.hpp"
#include "antaeus/space/free_flyer.hpp"

namespace antaeus {

/// How base attitude and end-effector are led. x̃: errors; v̆ = [ω_b; ν_e⊕].
enum class FlyingLaw : std::uint8_t {
  regulator,  ///< [τ_ω; w_e] = −D̆(v̆ + Ğ_vc v_c) − J_xᵀK̆x̃: the published cascade. No inverse; a moving target is
              ///< followed with a lag, and the centre of mass disturbs the end-effector until it rests
  tracker,  ///< M̆v̆̇_r + C̆v̆_r + C_c v_c − D̆e − J_xᵀK̆x̃, e = v̆ − v̆_r: exact; its feed-forward needs J⊕'s three-tier inverse
            ///< and is scaled by γ near a singularity
  carried,  ///< the tracker in joint velocities that are carried through singularities (CarriedReference): no tiers
};
constexpr auto enum_names(FlyingLaw) noexcept { return name_list<FlyingLaw>("regulator", "tracker", "carried"); }

struct FlyingControlOptions {
  FlyingLaw law = FlyingLaw::carried;
  double com_rate = 0.6;           ///< ω of K = m_eff ω², D = 2ζ m_eff ω: of the centre of mass [rad/s]
  double base_rate = 1.0;          ///< of the base's attitude [rad/s]
  double end_effector_rate = 1.5;  ///< of the end-effector [rad/s]
  double damping_ratio = 1.0;      ///< ζ
  double pull = 0.75;              ///< Λ of `carried`: joint velocities also take up the end-effector's error [1/s]
  double joint_damping = 2.0;      ///< d_n of `carried`: what J⊕ does not see, D_n = d_n diag(M_θθ) [1/s]
  double null_damping = 2.0;       ///< seven joints: rate at which the null motion dies [1/s]
  double posture_rate = 0.5;       ///< seven joints: at which the posture is taken up within the null motion [1/s]
};
ANTAEUS_API const OptionTable& options_of(const FlyingControlOptions&);

/// By how much the tracker's feed-forward M̆v̆̇_r + C̆v̆_r + C_c v_c is scaled near a singularity: `floor` at and below
/// `low`, 1 at and above `high`, linear between.
struct GammaRampOptions {
  double low = 0.01, high = 0.05;  ///< of σ_min(Γ) [mixed m and 1]
  double floor = 0.25;
};
ANTAEUS_API const OptionTable& options_of(const GammaRampOptions&);
/// γ of a smallest singular value; NaN gives `floor`. \realtime
ANTAEUS_API double gamma_ramp(double sigma_Gamma, const GammaRampOptions& options) noexcept;

/// Stiffness and damping of each of four blocks: isotropic, constant.
///
/// K = m_eff ω², D = 2ζ m_eff ω, m_eff the mean eigenvalue of a block of M̆: of the base's with the end-effector free,
/// of the end-effector's places and turns with the base free (Schur complements). With turns free too, places would
/// move 1.6 instead of 3.4 kg and turns 0.004 instead of 0.024 kg m², and so soft a spring settles five times as
/// slowly.
struct FlyingGains {
  double com_stiffness = kNaN, com_damping = kNaN;
  double base_stiffness = kNaN, base_damping = kNaN;
  double position_stiffness = kNaN, position_damping = kNaN;
  double rotation_stiffness = kNaN, rotation_damping = kNaN;
};
template <class Visit>
constexpr void visit_fields(const FlyingGains*, Visit&& visit) {
  using G = FlyingGains;
  visit(field("com_stiffness", "N/m", "of the centre of mass", &G::com_stiffness));
  visit(field("com_damping", "N·s/m", "", &G::com_damping));
  visit(field("base_stiffness", "N·m/rad", "of the base's attitude", &G::base_stiffness));
  visit(field("base_damping", "N·m·s/rad", "", &G::base_damping));
  visit(field("position_stiffness", "N/m", "of the end-effector's place", &G::position_stiffness));
  visit(field("position_damping", "N·s/m", "", &G::position_damping));
  visit(field("rotation_stiffness", "N·m/rad", "of its orientation", &G::rotation_stiffness));
  visit(field("rotation_damping", "N·m·s/rad", "", &G::rotation_damping));
}
/// All that one instant's control has to say.
struct FlyingCommand {
  Status status = Status::not_computed;
  VectorX tau, wanted;
  bool is_limited = false;
  Vector3 f_c{kNaN, kNaN, kNaN};
  Vector3 x_c, x_b, x_p, x_o;
  double energy = kNaN, supply = kNaN, dissipation = kNaN;
  double gamma = 1.0;
  SmoothDampingReport carry;  ///< of `carried`
};
template <class Visit>
constexpr void visit_fields(const FlyingCommand*, Visit&& visit) {
  using F = FlyingCommand;
  visit(field("status", "", "not ok: tau is zero, the robot coasts", &F::status));
  visit(field("tau", "", "[6 + n] f_b, τ_b in base axes, τ_θ: within all limits", &F::tau));
  visit(field("wanted", "", "[6 + n] before limits", &F::wanted));
  visit(field("is_limited", "", "they differ", &F::is_limited));
  visit(field("f_c", "N", "[3] force of the centre of mass, world axes, within the thrusters' limits", &F::f_c));
  visit(field("x_c", "m", "[3] error of the centre of mass, world axes", &F::x_c));
  visit(field("x_b", "rad", "[3] of the base's attitude, base axes: 2 vec quat(R_bdᵀR_b)", &F::x_b));
  visit(field("x_p", "m", "[3] of the end-effector's place, its axes", &F::x_p));
  visit(field("x_o", "rad", "[3] of its orientation, its axes: 2 vec quat(R_edᵀR_e)", &F::x_o));
  visit(field("energy", "J", "V = ½sᵀMs (`carried`) or ½eᵀM̆e, plus ½x̃ᵀK̆x̃, without the centre of mass", &F::energy));
  visit(field("supply", "W",
              "power that may raise V. `carried`: x̃ᵀK̆J_x(Γ̆v_r − v̆_r); `tracker`: of what γ takes off its feed-forward, "
              "and the posture's; `regulator`: the posture's, and what moving centre of mass and target feed in",
              &F::supply));
  visit(field("dissipation", "W", "power that damping takes, ≥ 0: V̇ = supply − dissipation while limits are kept",
              &F::dissipation));
  visit(field("gamma", "1", "scale of the feed-forward in this cycle", &F::gamma));
}

struct FlyingControlSetup {
  FlyingControlOptions control;
  SmoothDampingOptions carry;
  GammaRampOptions gamma;
  BaseActuatorOptions base;
  TorqueLimitOptions joints;
};

/// Workspace, one a thread. \realtime after construction: flying_control_realtime_test
class ANTAEUS_API FlyingControl {
 public:
  /// Gains follow from the inertia at \p q_gains, well away from singularities: at one M̆ belongs to a damped inverse.
  /// \throws as FreeFlyer's and the options' own checks, and Error for a singular q_gains
  FlyingControl(FreeFlyer flying, ConstVectorRef q_gains, const FlyingControlSetup& setup = {});
  FlyingControl(FreeFlyer flying, const FlyingGains& gains, const FlyingControlSetup& setup = {});
  ~FlyingControl();
  FlyingControl(FlyingControl&&) noexcept;
  FlyingControl& operator=(FlyingControl&&) noexcept;

  /// Begins a new motion: inverse, carried velocity, wheels and torque rates forget.
  void reset() noexcept;
  /// Seven joints: the posture that the null motion takes up [n]; without it the null motion is only damped.
  Status set_posture(ConstVectorRef theta) noexcept;

  /// What no robot can have, or is 2²⁰ m away: `not_finite`, no trace later. \param dt  of this cycle: > 0, finite [s]
  const FlyingCommand& update(ConstVectorRef q, ConstVectorRef v, const FlyingReference& reference, double dt) noexcept;
  const FlyingCommand& last() const noexcept;

  const FlyingGains& gains() const noexcept;
  /// Terms of the last update: σ, tiers, momentum.
  const FreeFlyingTerms& terms() const noexcept;
  const BaseEffort& base_effort() const noexcept;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace antaeus
