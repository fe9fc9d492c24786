#pragma once
/// Every deviation of a row's wrenches from what is expected, with its derivatives. Axes are level: z is up.
///
/// Unknowns w = (f₁ m₁ f₂ m₂ …): force on each contact, moment about its reference point c. Ratios have f⁺ = ½ (f_z +
/// √(f_z² + 4 ε²)) in place of f_z, which is f_z where the contact is loaded, and never 0. Linear rows weighted with
/// some frozen f_z would pull every force towards zero; the ratio itself, of degree 0 in w, does not.

#include <vector>

#include "antaeus/contact/contact_posterior.hpp"
#include "antaeus/contact/sole.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// What is known of one contact in one row.
struct KnownContact {
  Vector3 c = Vector3::Zero();         ///< reference point [m]
  Vector3 forward = Vector3::UnitX();  ///< of the foot, level, unit
  double turn = 0.0;                   ///< θ of Sole
  double load_sd = 1.0;                ///< [1] share of the weight
  double step = 0.0;                   ///< 0 … 1: how near its own strike or toe-off is
};

/// What is known in one row.
struct KnownRow {
  std::vector<KnownContact> contacts;  ///< feet, then the hidden contact if there may be one
  Vector3 com = Vector3::Zero();       ///< [m]
  Vector3 ground = Vector3::Zero();    ///< below it: where the total's moment is about
  Vector3 forward = Vector3::UnitX();  ///< of the body, level, unit
  Vector6 total = Vector6::Zero();     ///< wrench of all contacts about `ground` [N, N·m]
  Vector6 total_sd = Vector6::Ones();  ///< along and about (forward, right, up), away from steps

  /// How near the next step of any contact is.
  double step() const noexcept;
};

/// What is the same in all rows.
struct KnownBody {
  int feet = 2;
  bool hidden = false;
  bool steps = false;       ///< whether strikes and toe-offs widen sds and shorten memories
  double weight = 1.0;      ///< [N]
  double com_height = 1.0;  ///< of the standing body above the ground [m]
  Sole sole;
  SplitOptions options;

  int contacts() const noexcept { return feet + (hidden ? 1 : 0); }
  int unknowns() const noexcept { return 6 * contacts(); }
};

/// How a deviation changes with time.
struct Memory {
  double correlation = 1.0;  ///< τ [s]
  bool walks = false;        ///< a random walk, of `KnownBody`'s shift rate, instead of an Ornstein–Uhlenbeck process
  int steps_of = -1;         ///< the contact whose strikes and toe-offs shorten τ; −1: none
};

/// In the order of the rows of evaluate().
std::vector<Memory> memories(const KnownBody& body);

/// \param e         one number a deviation
/// \param gradient  deviations × unknowns, overwritten; null: not wanted
void evaluate(const KnownBody& body, const KnownRow& row, const ConstVectorRef& w, VectorX& e, MatrixX* gradient);

/// What errs the same way all through a trial, beside the deviations that forget themselves: of each foot the force's
/// direction, the centre of pressure and the heading, of the body the centre of mass.
int constants(const KnownBody& body);
/// \param off  by how much constant \p c, one sd large, changes each deviation of the row; overwritten
void shift(const KnownBody& body, const KnownRow& row, int c, VectorX& off);

}  // namespace antaeus
