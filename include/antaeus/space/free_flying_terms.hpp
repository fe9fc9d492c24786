#pragma once
/// \file
/// A robot that nothing holds, with one arm of n = 6 or 7 joints: its state in the velocities that its controllers use.
///
/// World W; base B, the free joint's frame; end-effector E; centre of mass C. v = [v_b; ω_b; θ̇] with v_b, ω_b in B. The
/// circumcentroidal velocities y = Γ v = [v_c; ω_b; ν_e⊕] hold three frames: v_c in W, ω_b in B, ν_e⊕ in E, linear
/// before angular. m and rad are mixed in every singular value: it depends on the unit of length and on the point E.
///
/// After A. M. Giordano, C. Ott, A. Albu-Schäffer, "Coordinated Control of Spacecraft's Attitude and End-Effector for
/// Space Robots", IEEE RA-L 4 (2019); derived anew, and where formulas differ from others' the comment says so.

#include "antaeus/core/api.hpp"
#include "antaeus/core/pose.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/numerics/three_tier_inverse.hpp"
#include "antaeus/space/null_direction.hpp"

namespace antaeus {

/// At most 13 × 13, without heap memory.
using SpaceMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 13, 13>;
using SpaceVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 13, 1>;
using Matrix63 = Eigen::Matrix<double, 6, 3>;

/// In which axes, and at which point, a twist [v; ω] of a frame F stands; as Pinocchio names them.
enum class TwistAxes : std::uint8_t {
  local,                ///< of F's origin, in F
  world,                ///< of the point of the body that is at the world's origin, in W
  local_world_aligned,  ///< of F's origin, in W
};
constexpr auto enum_names(TwistAxes) noexcept { return name_list<TwistAxes>("local", "world", "local_world_aligned"); }

/// Kinematics of one state. NaN unless `ok`.
struct FreeFlyingMotion {
  Status status = Status::not_computed;
  Pose X_WB, X_WE;
  Vector3 p_com;        ///< centre of mass, W [m]
  Vector3 p_bc;         ///< B to C, in B [m]
  Vector3 p_ec;         ///< E to C, in E [m]
  Vector3 v_c;          ///< velocity of C, W [m/s]
  Vector3 omega_b;      ///< of the base, B [rad/s]
  Vector6 nu_e;         ///< twist of E in E
  Vector6 nu_plus;      ///< ν_e⊕ = ν_e − G_vc v_c, in E: what is left when C is at rest
  Matrix63 G_omega_b;   ///< [[p_ec]× R_eb; R_eb], B → E
  Matrix63 G_v_c;       ///< [R_ec; 0], W → E
  SpaceMatrix J_v_bar;  ///< 3 × n: ∂p_bc/∂θ, in B [m/rad]
  SpaceMatrix J_e;      ///< 6 × n: of E against the base, in E
  SpaceMatrix J_plus;   ///< 6 × n: J⊕ = J_e − [R_eb; 0] J̄v; base translation removed, base rotation not
};

/// How Ĉ is formed.
enum class CoriolisForm : std::uint8_t {
  passive,    ///< Gᵀ(CG + MĠ), G = Γ⁻¹ as it was computed: M̂̇ − 2Ĉ is skew in every tier
  published,  ///< Γ⁻ᵀ(C − MΓ⁻¹Γ̇)Γ⁻¹: the same for an exact inverse of n = 6, else not passive
};
constexpr auto enum_names(CoriolisForm) noexcept { return name_list<CoriolisForm>("passive", "published"); }

/// Smallest singular values and condition numbers; κ is infinite at σ = 0.
struct FreeFlyingConditioning {
  Status status = Status::not_computed;
  double sigma_J = kNaN, kappa_J = kNaN;          ///< of J⊕
  double sigma_Gamma = kNaN, kappa_Gamma = kNaN;  ///< of Γ
};

/// The thirteenth velocity of seven joints: v_n = z_aᵀv along k̂, the motion that moves neither C, nor the base's
/// attitude, nor E. Empty for six.
struct NullTerms {
  SpaceVector n_hat, n_hat_dot;  ///< 7: kernel of J⊕, unit length
  SpaceVector k_hat, k_hat_dot;  ///< 13: [−J̄v n̂; 0; n̂], kernel of Γ
  SpaceVector z_a, z_a_dot;      ///< 13: M k̂/μ; z_aᵀk̂ = 1. A torque z_a f_n uses base torque, but no base force
  double mu = kNaN;              ///< k̂ᵀMk̂ [kg m²]
  double v_n = kNaN;             ///< z_aᵀv [rad/s]
  NullDirectionReport report;
  SpaceMatrix Gamma_a;          ///< 13 × 13: [Γ; z_aᵀ]
  SpaceMatrix Gamma_a_inverse;  ///< [G − k̂ z_aᵀG, k̂] of G = Γ⁻¹: the M-weighted inverse where J⊕ is inverted exactly
  SpaceMatrix M_hat_a;          ///< mE ⊕ M̆ ⊕ μ
  SpaceMatrix C_hat_a;          ///< in the passive form
};

/// Dynamics of one state: M̂ẏ + Ĉy = f, τ = Γᵀf, f = [f_c (W, N); τ_ω (B, N·m); w_e (E, N, N·m)].
/// NaN unless `ok`, but for the inverse: J_plus_inverse is then the last good one, and tier says `held`.
struct FreeFlyingTerms {
  Status status = Status::not_computed;
  FreeFlyingMotion motion;
  SpaceMatrix M, C;                ///< (6 + n)²: M v̇ + C v = τ, Ṁ = C + Cᵀ
  SpaceMatrix Gamma, Gamma_dot;    ///< 12 × (6 + n)
  SpaceMatrix Gamma_inverse;       ///< (6 + n) × 12, closed form: rows 0 to 5 of ΓΓ⁻¹ are [E 0] in every tier
  SpaceMatrix Gamma_inverse_dot;   ///< its own derivative, tier by tier
  SpaceMatrix M_hat, C_hat;        ///< 12²; M̂ = mE ⊕ M̆ in every tier
  SpaceMatrix M_breve, C_breve;    ///< 9²: rows and columns of ω_b and ν_e⊕
  SpaceMatrix C_c;                 ///< 9 × 3: zero up to rounding, see docs; never tune on it
  SpaceMatrix J_plus_dot;          ///< 6 × n
  SpaceMatrix J_plus_inverse;      ///< n × 6, by tiers
  SpaceMatrix J_plus_inverse_dot;  ///< n × 6
  SpaceMatrix J_hat;               ///< 6 × 12: ν_e = Ĵ y, our reading of docs/sources.md#giordano
  SpaceMatrix J_free;              ///< 6 × n, generalised Jacobian: ν_e⊕ = J_free θ̇ + G_ωb I_c⁻¹ h
  Vector3 momentum_linear;         ///< m v_c, W [N·s]
  Vector3 momentum_angular;        ///< about C, W [N·m·s]; constant without forces and torques on the base
  FreeFlyingConditioning conditioning;
  TierReport tier;
  bool passive = false;  ///< M̂̇ − 2Ĉ is skew: false for the published form where it is not exact
  NullTerms null;        ///< for n = 7
};

}  // namespace antaeus
