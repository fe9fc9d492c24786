#pragma once
// What unit a torque channel is in, once everything else that could look like a wrong one is fitted beside it. Private
// to src/identification.

#include <vector>

#include "identification/moving/moving_rows.hpp"

namespace antaeus::detail {

/// Of all joints that are evidence, fitted at once; NaN for the others.
///
///     τ_j = k_j (rnea + X θ)_j + rotor_j a_j + friction_j + offset_j
///
/// θ, the error of the description's masses, is shared by all joints and has a prior: 30 % of each body, and 1 kg at
/// least where a tool is held. The rotor's inertia, which no URDF states, is at least zero. So the sd of k_j is that of
/// a gain whose rotor, friction and masses are unknown too.
struct GainFit {
  VectorX gain, gain_sd;     ///< k_j: channel units per N·m of the model
  std::vector<char> told;    ///< whether the motion tells the gain at all, three sds from none
  std::vector<char> right;   ///< whether the channel follows the description as it is, rotor and masses left out
  VectorX dry, dry_sd;       ///< Coulomb friction, in the channel's unit
  std::vector<char> loaded;  ///< whether gravity loads the joint, by a fifth of what its channel reads
  int tip = -1;              ///< body that a tool hangs on; −1: several
  double mass = kNaN, mass_sd = kNaN;  ///< of the tip, beyond the description's, were every gain right [kg]
  bool explains = false;    ///< whether a loaded joint seemed of another unit until the masses were fitted beside it
  double described = kNaN;  ///< mass of the tip in the description [kg]
};
GainFit fit_gains(const Robot& robot, const MovingRows& rows);

/// The joint whose torque by the model the channel of \p joint follows clearly better than its own; −1: none.
int better_column(const MovingRows& rows, int joint);

}  // namespace antaeus::detail
