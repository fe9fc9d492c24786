#include "antaeus/estimation/contact_prior.hpp"

#include "antaeus/core/option_table.hpp"

namespace antaeus {

const OptionTable& options_of(const ContactPrior&) {
  using O = ContactPrior;
  constexpr const char* kSource = "docs/measured/estimator_study.md#priors";
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
          });
  return table;
}

}  // namespace antaeus
