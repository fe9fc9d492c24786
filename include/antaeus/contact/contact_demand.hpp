#pragma once
/// \file
/// What a motion asks of its contacts: the wrench that all of them together must exert, and where they are. And what is
/// minimised where the motion leaves their wrenches open.

#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/pose.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// `none`: the principled form, whose answer does not depend on the sampling rate. `nimble`: every choice that
/// nimblephysics 0.10.52 makes (docs/concepts/contact.md lists them), for comparison with its results.
enum class Compatibility : std::uint8_t { none, nimble };
constexpr auto enum_names(Compatibility) noexcept { return name_list<Compatibility>("none", "nimble"); }

/// What a contact can exert: a force and a moment, or a force alone.
enum class ContactType : std::uint8_t { wrench, point, automatic };
constexpr auto enum_names(ContactType) noexcept { return name_list<ContactType>("wrench", "point", "automatic"); }

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
  /// Wrench or force of each contact. automatic: a force alone where the frame's link is a ball, else force and moment;
  /// always both under Nimble's choices.
  ContactType kind = ContactType::automatic;
  double least_torque = 1.0;      ///< [1] weight of the wrenches' size
  double smoothing = 1.0;         ///< [1] weight of their change over time
  double smoothing_time = 0.05;   ///< [s] T: changes slower than this cost less than the wrench itself
  double lever = 0.1;             ///< [m] ℓ: 1 N counts as much as ℓ N·m
  double velocity_penalty = 0.0;  ///< [s²/m²] weight of the squared speed of the contact's origin
  double previous_weight = 0.0;   ///< [1] weight of the first frame's distance to `previous`
  bool detect = false;            ///< contact times are found in the motion, unless it has `active`
  double friction = 0.7;          ///< [1] coefficient of friction, where the profile states none
  double torsion = 0.05;          ///< [m] |M_z| ≤ torsion · F_z, where the profile states none
  double half_length = 0.0;       ///< [m] half the sole's length along the frame's x; 0: unknown
  double half_width = 0.0;        ///< [m] half the sole's width; 0: unknown
  double force_cap = 0.0;         ///< [N] largest normal force of one contact; 0: none
  bool torque_limits = true;      ///< with limits: those of the motors too
  double residual_limit = 0.05;   ///< [1] root force that no contact explains, as a share of the weight
  bool reduce_residual = false;   ///< root accelerations are changed as little as removes the residual
};
ANTAEUS_API const OptionTable& options_of(const ContactOptions&);

using Matrix3X = Eigen::Matrix<double, 3, Eigen::Dynamic>;

/// k contacts over N frames. Column t · k + c belongs to contact c in frame t.
struct ContactDemand {
  std::vector<std::string> contacts;  ///< names, in order
  std::vector<ContactType> kinds;     ///< k
  VectorX time;                       ///< N [s]
  double dt = kNaN;                   ///< [s] of even frames; NaN: independent states
  /// 6 × N: the wrench that the motion needs from all contacts, on the robot, world axes, about `about` [N, N·m].
  Matrix6X total;
  Matrix3X about;             ///< 3 × N [m], world
  std::vector<Pose> places;   ///< N · k: contact frames in the world
  Matrix3X speeds;            ///< 3 × N·k [m/s]: velocity of their origins, world axes; or empty
  std::vector<bool> active;   ///< N · k; empty: all, always
  Matrix6X guess;             ///< 6 × N·k, world axes about the origins, or empty: zero
  Matrix6X previous;          ///< 6 × k, in the axes of the first frame's world, or empty
  Eigen::MatrixXd magnitude;  ///< k × N [1]: weights of the wrenches' size, or empty

  int contact_count() const noexcept { return static_cast<int>(contacts.size()); }
  Eigen::Index frames() const noexcept { return total.cols(); }
  Eigen::Index column(Eigen::Index t, int c) const noexcept { return t * contact_count() + c; }
  bool is_active(Eigen::Index t, int c) const noexcept {
    return active.empty() || active[static_cast<std::size_t>(column(t, c))];
  }
};

/// Wrenches of the contacts and what they leave.
struct ContactSolution {
  Matrix6X wrench;             ///< 6 × N·k: on the robot, world axes, about the contacts' origins; 0 where inactive
  Matrix6X residual;           ///< 6 × N: total − what the wrenches make, as `total`
  std::vector<Status> status;  ///< N: `not_finite` where the demand holds NaN; the frame's numbers are NaN then
};

/// Each frame for itself: the wrenches nearest to `guess` (nearest to zero: least torque) that make the total.
///
///     minimise Σ a_m |m − m₀|² + a_f |f − f₀|²   subject to   Σ (f, m + (p − about) × f) = total
///
/// Where contacts cannot make the total (two points, none), the residual is the least, moments counting 1/lever.
class ANTAEUS_API ContactSplitter {
 public:
  /// \throws OptionsError for weights that are all zero or negative
  explicit ContactSplitter(const ContactOptions& options);
  /// One frame. \param wrench  6 × k, receives the result; \param residual  receives what is left
  /// \realtime (contact_realtime_test)
  Status solve(const ContactDemand& demand, Eigen::Index t, Eigen::Ref<Matrix6X> wrench,
               Vector6& residual) const noexcept;

 private:
  ContactOptions options_;
};

/// All frames, each for itself. \throws OptionsError
ANTAEUS_API ContactSolution solve_frames(const ContactDemand& demand, const ContactOptions& options);

/// All frames together, smoothed over time (ContactOptions has the cost): null space and block-tridiagonal
/// Cholesky, time and memory linear in the number of frames.
/// \throws OptionsError for weights that leave the wrenches undetermined
ANTAEUS_API ContactSolution solve_over_time(const ContactDemand& demand, const ContactOptions& options);

}  // namespace antaeus
