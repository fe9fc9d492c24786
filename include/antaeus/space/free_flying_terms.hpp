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
#include "antaeus/core/fields.hpp"
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

/// A number of rows or columns that follows from the joints: n, and 6 + n.
inline constexpr int kJoints = -1, kVelocities = -2;
/// A field whose matrix has this shape.
template <class Get>
struct ShapedField : Field<Get> {
  int rows, columns;
};
template <class Get>
constexpr ShapedField<Get> shaped(int rows, int columns, const Field<Get>& field) noexcept {
  return {field, rows, columns};
}

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
  Vector3 p_com, p_bc, p_ec;
  Vector3 v_c, omega_b;
  Vector6 nu_e, nu_plus;
  Matrix63 G_omega_b, G_v_c;
  SpaceMatrix J_v_bar, J_e, J_plus;
};
template <class Visit>
constexpr void visit_fields(const FreeFlyingMotion*, Visit&& visit) {
  using M = FreeFlyingMotion;
  visit(field("status", "", "ok, or what of the state is wrong", &M::status));
  visit(field("X_WB", "", "pose of the base in the world", &M::X_WB));
  visit(field("X_WE", "", "pose of the end-effector in the world", &M::X_WE));
  visit(field("p_com", "m", "[3] C, in W", &M::p_com));
  visit(field("p_bc", "m", "[3] B to C, in B", &M::p_bc));
  visit(field("p_ec", "m", "[3] E to C, in E", &M::p_ec));
  visit(field("v_c", "m/s", "[3] velocity of C, in W", &M::v_c));
  visit(field("omega_b", "rad/s", "[3] of the base, in B", &M::omega_b));
  visit(field("nu_e", "", "[6] twist of E, in E", &M::nu_e));
  visit(field("nu_plus", "", "[6] ν_e⊕ = ν_e − G_vc v_c, in E: what is left when C is at rest", &M::nu_plus));
  visit(field("G_omega_b", "", "[6 × 3] [[p_ec]× R_eb; R_eb], B → E", &M::G_omega_b));
  visit(field("G_v_c", "", "[6 × 3] [R_ec; 0], W → E", &M::G_v_c));
  visit(shaped(3, kJoints, field("J_v_bar", "m/rad", "[3 × n] ∂p_bc/∂θ, in B", &M::J_v_bar)));
  visit(shaped(6, kJoints, field("J_e", "", "[6 × n] of E against the base, in E", &M::J_e)));
  visit(
      shaped(6, kJoints,
             field("J_plus", "", "[6 × n] J⊕ = J_e − [R_eb; 0] J̄v: base translation is taken out, base rotation is not",
                   &M::J_plus)));
}

/// How Ĉ is formed.
enum class CoriolisForm : std::uint8_t {
  passive,    ///< Gᵀ(CG + MĠ), G = Γ⁻¹ as it was computed: M̂̇ − 2Ĉ is skew in every tier
  published,  ///< Γ⁻ᵀ(C − MΓ⁻¹Γ̇)Γ⁻¹: the same for an exact inverse of n = 6, else not passive
};
constexpr auto enum_names(CoriolisForm) noexcept { return name_list<CoriolisForm>("passive", "published"); }

/// Smallest singular values and condition numbers; κ is infinite at σ = 0.
struct FreeFlyingConditioning {
  Status status = Status::not_computed;
  double sigma_J = kNaN, kappa_J = kNaN;
  double sigma_Gamma = kNaN, kappa_Gamma = kNaN;
};
template <class Visit>
constexpr void visit_fields(const FreeFlyingConditioning*, Visit&& visit) {
  using C = FreeFlyingConditioning;
  visit(field("status", "", "ok, or what of the state is wrong", &C::status));
  visit(field("sigma_J", "", "smallest singular value of J⊕", &C::sigma_J));
  visit(field("kappa_J", "1", "condition of J⊕", &C::kappa_J));
  visit(field("sigma_Gamma", "", "smallest singular value of Γ, m and rad mixed", &C::sigma_Gamma));
  visit(field("kappa_Gamma", "1", "condition of Γ", &C::kappa_Gamma));
}

/// The thirteenth velocity of seven joints: v_n = z_aᵀv along k̂, the motion that moves neither C, nor the base's
/// attitude, nor E. Empty for six.
struct NullTerms {
  SpaceVector n_hat, n_hat_dot;
  SpaceVector k_hat, k_hat_dot;
  SpaceVector z_a, z_a_dot;
  double mu = kNaN, v_n = kNaN;
  NullDirectionReport report;
  SpaceMatrix Gamma_a, Gamma_a_inverse;
  SpaceMatrix M_hat_a, C_hat_a;
};
template <class Visit>
constexpr void visit_fields(const NullTerms*, Visit&& visit) {
  using T = NullTerms;
  visit(shaped(7, 1, field("n_hat", "", "[7] kernel of J⊕, unit length", &T::n_hat)));
  visit(shaped(7, 1, field("n_hat_dot", "", "[7]", &T::n_hat_dot)));
  visit(shaped(13, 1, field("k_hat", "", "[13] [−J̄v n̂; 0; n̂], kernel of Γ", &T::k_hat)));
  visit(shaped(13, 1, field("k_hat_dot", "", "[13]", &T::k_hat_dot)));
  visit(shaped(
      13, 1, field("z_a", "", "[13] M k̂/μ: z_aᵀk̂ = 1; a torque z_a f_n uses base torque, but no base force", &T::z_a)));
  visit(shaped(13, 1, field("z_a_dot", "", "[13]", &T::z_a_dot)));
  visit(field("mu", "kg·m²", "k̂ᵀM k̂", &T::mu));
  visit(field("v_n", "rad/s", "z_aᵀv", &T::v_n));
  visit(field("frozen", "", "n̂ is an earlier state's: sigma_J is below freeze_floor",
              [](const T& null) { return null.report.frozen; }));
  visit(field("null_report", "", "all of it", &T::report));
  visit(shaped(13, 13, field("Gamma_a", "", "[13²] [Γ; z_aᵀ]", &T::Gamma_a)));
  visit(shaped(13, 13,
               field("Gamma_a_inverse", "",
                     "[13²] [G − k̂ z_aᵀG, k̂] of G = Γ⁻¹: the M-weighted inverse where J⊕ is inverted exactly",
                     &T::Gamma_a_inverse)));
  visit(shaped(13, 13, field("M_hat_a", "", "[13²] mE ⊕ M̆ ⊕ μ", &T::M_hat_a)));
  visit(shaped(13, 13, field("C_hat_a", "", "[13²] in the passive form", &T::C_hat_a)));
}

/// Dynamics of one state: M̂ẏ + Ĉy = f, τ = Γᵀf, f = [f_c (W, N); τ_ω (B, N·m); w_e (E, N, N·m)].
/// NaN unless `ok`, but for the inverse: J_plus_inverse is then the last good one, and tier says `held`.
struct FreeFlyingTerms {
  Status status = Status::not_computed;
  FreeFlyingMotion motion;
  SpaceMatrix M, C;
  SpaceMatrix Gamma, Gamma_dot, Gamma_inverse, Gamma_inverse_dot;
  SpaceMatrix M_hat, C_hat, M_breve, C_breve, C_c;
  SpaceMatrix J_plus_dot, J_plus_inverse, J_plus_inverse_dot;
  SpaceMatrix J_hat, J_free;
  Vector3 momentum_linear, momentum_angular;
  FreeFlyingConditioning conditioning;
  TierReport tier;
  bool passive = false;
  NullTerms null;  ///< for n = 7
};
template <class Visit>
constexpr void visit_fields(const FreeFlyingTerms*, Visit&& visit) {
  using T = FreeFlyingTerms;
  visit(field("status", "", "ok, or what of the state is wrong", &T::status));
  visit(shaped(kVelocities, kVelocities, field("M", "", "[(6 + n)²] M v̇ + C v = τ", &T::M)));
  visit(shaped(kVelocities, kVelocities, field("C", "", "[(6 + n)²] with Ṁ = C + Cᵀ", &T::C)));
  visit(shaped(12, kVelocities, field("Gamma", "", "[12 × (6 + n)]", &T::Gamma)));
  visit(shaped(kVelocities, 12,
               field("Gamma_inverse", "",
                     "[(6 + n) × 12] closed form with J_plus_inverse: rows 0 to 5 of ΓΓ⁻¹ are [E 0] in every tier",
                     &T::Gamma_inverse)));
  visit(shaped(12, kVelocities, field("Gamma_dot", "", "[12 × (6 + n)] analytic", &T::Gamma_dot)));
  visit(shaped(kVelocities, 12,
               field("Gamma_inverse_dot", "", "[(6 + n) × 12] its derivative, tier by tier", &T::Gamma_inverse_dot)));
  visit(shaped(12, 12, field("M_hat", "", "[12²] mE ⊕ M̆ in every tier", &T::M_hat)));
  visit(shaped(12, 12, field("C_hat", "", "[12²] in the form that was chosen", &T::C_hat)));
  visit(shaped(9, 9, field("M_breve", "", "[9²] rows and columns of ω_b and ν_e⊕", &T::M_breve)));
  visit(shaped(9, 9, field("C_breve", "", "[9²]", &T::C_breve)));
  visit(shaped(
      9, 3,
      field("C_c", "", "[9 × 3] zero up to rounding (docs/concepts/space.md#coordinated-control); never tune on it",
            &T::C_c)));
  visit(shaped(6, kJoints, field("J_plus_dot", "", "[6 × n]", &T::J_plus_dot)));
  visit(shaped(kJoints, 6, field("J_plus_inverse", "", "[n × 6] by tiers", &T::J_plus_inverse)));
  visit(shaped(kJoints, 6, field("J_plus_inverse_dot", "", "[n × 6]", &T::J_plus_inverse_dot)));
  visit(shaped(6, 12, field("J_hat", "", "[6 × 12] ν_e = Ĵ y: our reading of docs/references.md#giordano", &T::J_hat)));
  visit(shaped(6, kJoints,
               field("J_free", "", "[6 × n] generalised Jacobian at zero momentum: ν_e⊕ = J_free θ̇ + G_ωb I_c⁻¹ h",
                     &T::J_free)));
  visit(field("momentum_linear", "N·s", "[3] m v_c, in W", &T::momentum_linear));
  visit(field("momentum_angular", "N·m·s", "[3] about C, in W; constant without forces and torques on the base",
              &T::momentum_angular));
  visit(field("tier", "", "InverseTier of J_plus_inverse", [](const T& terms) { return terms.tier.tier; }));
  visit(field("tier_report", "", "all of it", &T::tier));
  visit(field("passive", "", "M̂̇ − 2Ĉ is skew: false for the published form where it is not exact", &T::passive));
}

}  // namespace antaeus
