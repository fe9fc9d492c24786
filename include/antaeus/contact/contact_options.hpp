#pragma once
/// \file
/// Options of contact inverse dynamics: what is minimised where a motion leaves the contact wrenches open.

#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"

namespace antaeus {

/// `none`: the principled form, whose answer does not depend on the sampling rate. `nimble`: every choice that
/// nimblephysics 0.10.52 makes (docs/contact.md lists them), for comparison with its results.
enum class Compatibility : std::uint8_t { none, nimble };
constexpr auto enum_names(Compatibility) noexcept { return name_list<Compatibility>("none", "nimble"); }

/// What a contact can exert: a force and a moment, or a force alone.
enum class ContactType : std::uint8_t { wrench, point };
constexpr auto enum_names(ContactType) noexcept { return name_list<ContactType>("wrench", "point"); }

/// Axes in which a contact's wrench is written and read; its point is always the contact frame's origin.
enum class WrenchAxes : std::uint8_t { world, link };
constexpr auto enum_names(WrenchAxes) noexcept { return name_list<WrenchAxes>("world", "link"); }

/// Limits that are kept: none; friction as a pyramid; friction as Coulomb's cone. Both with unilateral force, centre of
/// pressure and yaw friction where a sole is known, caps and torque limits.
enum class LimitSet : std::uint8_t { none, pyramid, cone };
constexpr auto enum_names(LimitSet) noexcept { return name_list<LimitSet>("none", "pyramid", "cone"); }

/// The cost, m the moment about the contact's origin, f the force, ℓ `lever`:
///
///     none:   ∫ least_torque (|m|² + ℓ²|f|²) + smoothing T² (|ṁ|² + ℓ²|ḟ|²) + (velocity_penalty |v|² + magnitude)(…)
///     dt nimble: Σ least_torque (|m|² + 0.01 |f|²) + smoothing |Δw|² + (velocity_penalty |v|² + magnitude) |w|²,
///
/// T = `smoothing_time`, Δw in world axes (none) or in link axes (nimble); v the velocity of the contact's origin.
struct ContactOptions {
  Compatibility compatibility = Compatibility::none;
  ContactType kind = ContactType::wrench;  ///< what each contact can exert
  double least_torque = 1.0;               ///< [1] weight of the wrenches' size
  double smoothing = 1.0;                  ///< [1] weight of their change over time
  double smoothing_time = 0.05;            ///< [s] T: changes slower than this cost less than the wrench itself
  double lever = 0.1;                      ///< [m] ℓ: 1 N counts as much as ℓ N·m
  double velocity_penalty = 0.0;           ///< [s²/m²] weight of the squared speed of the contact's origin
  double previous_weight = 0.0;            ///< [1] weight of the first frame's distance to `previous`
  bool detect = false;                     ///< contact times are found in the motion, unless it has `active`
  double friction = 0.7;                   ///< [1] coefficient of friction, where the profile states none
  double torsion = 0.05;                   ///< [m] |M_z| ≤ torsion · F_z, where the profile states none
  double half_length = 0.0;                ///< [m] half the sole's length along the frame's x; 0: unknown
  double half_width = 0.0;                 ///< [m] half the sole's width; 0: unknown
  double force_cap = 0.0;                  ///< [N] largest normal force of one contact; 0: none
  bool torque_limits = true;               ///< with limits: those of the motors too
  double residual_limit = 0.05;            ///< [1] root force that no contact explains, as a share of the weight
  bool reduce_residual = false;            ///< root accelerations are changed as little as removes the residual
};
ANTAEUS_API const OptionTable& options_of(const ContactOptions&);

}  // namespace antaeus
