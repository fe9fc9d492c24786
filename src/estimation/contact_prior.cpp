#include "antaeus/estimation/contact_prior.hpp"

#include "antaeus/core/option_table.hpp"

namespace antaeus {

const OptionTable& options_of(const ContactPrior&) {
  using O = ContactPrior;
  constexpr const char* kSource = "docs/validation.md#priors";
  static const OptionTable table(
      "", {
              following(Follows::force, 2.0 / 3.0,
                        option("force_prior", "N", "sd of each force component before any torque is seen", kSource,
                               &O::force, kPositive)),
              following(Follows::force, 0.05,
                        option("moment_prior", "N·m", "sd of each moment component before any torque is seen", kSource,
                               &O::moment, kPositive)),
          });
  return table;
}

const OptionTable& options_of(const BaseRowErrors&) {
  using O = BaseRowErrors;
  static const OptionTable table(
      "", {
              option("base_force_sd", "N", "sd of the base's force rows at rest (all_and_base)", "2 % of 67 kg",
                     &O::force_sd, kPositive),
              option("base_moment_sd", "N·m", "sd of the base's moment rows at rest (all_and_base)",
                     "2 cm of the weight's lever", &O::moment_sd, kPositive),
              following(Follows::foot_limit, 1.0,
                        option("base_foot_force", "N",
                               "sd of each force component of a foot before any torque is seen (all_and_base)",
                               "the weight: feet carry it", &O::foot_force, kPositive)),
              following(Follows::foot_limit, 0.1,
                        option("base_foot_moment", "N·m",
                               "sd of each moment component of a foot before any torque is seen (all_and_base)",
                               "the weight on 10 cm of sole", &O::foot_moment, kPositive)),
          });
  return table;
}

}  // namespace antaeus
