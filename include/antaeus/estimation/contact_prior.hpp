#pragma once
/// \file
/// The prior of a contact's wrench, and the errors of the base rows. The estimators and the test of causes share them.

#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"

namespace antaeus {

/// Standard deviations of a contact's wrench before any torque is seen; its mean is zero.
/// Option names: force_prior, moment_prior.
struct ContactPrior {
  double force = 20.0;  ///< [N] each component of the force
  double moment = 1.5;  ///< [N·m] each component of the moment about the endpoint's origin
};
ANTAEUS_API const OptionTable& options_of(const ContactPrior&);

/// Errors of the six rows that no motor drives, while the robot stands still, and what its feet, which then carry it,
/// are allowed for in place of a hand's ContactPrior.
/// Option names: base_force_sd, base_moment_sd, base_foot_force, base_foot_moment.
struct BaseRowErrors {
  double force_sd = 15.0;     ///< [N] each force row; 2 % of 67 kg
  double moment_sd = 10.0;    ///< [N·m] each moment row; 2 cm of the weight's lever
  double foot_force = 660.0;  ///< [N] sd of each component of a foot's force before any torque is seen: the weight
  double foot_moment = 66.0;  ///< [N·m] the same of the moment about its origin: the weight on 10 cm
};
ANTAEUS_API const OptionTable& options_of(const BaseRowErrors&);

}  // namespace antaeus
