#pragma once
/// \file
/// Pre-flight: checks of a pose before the consumer of the forces is switched on.
/// They cover the amplification of torque errors, start errors, and the sd of the posterior's force.

#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/pose/pose_quality.hpp"

namespace antaeus {

/// `gain`: of a reference joint at an endpoint that it carries. `start_error`: of a joint. `sd`: of the force at an
/// endpoint. `conditioning`: what errors of its own torques read as there.
enum class PreflightCheckKind : std::uint8_t { gain, start_error, sd, conditioning };
constexpr auto enum_names(PreflightCheckKind) noexcept {
  return name_list<PreflightCheckKind>("gain", "start_error", "sd", "conditioning");
}

/// One check, with what it measured.
struct PreflightCheck {
  PreflightCheckKind kind = PreflightCheckKind::gain;
  std::string subject;  ///< endpoint or joint
  double value = 0.0;   ///< |gain| [N/(N·m)], |q − target| [rad], worst-direction sd at rest [N], or error_force [N]
  double limit = 0.0;
  bool passed = false;  ///< value < limit; false for NaN
  std::string joint{};  ///< of a `gain`: whose
};

struct PreflightReport {
  bool passed = false;                 ///< every check, published or not
  double characteristic_length = 0.0;  ///< [m]
  double budget_sd = 0.0;              ///< residual budget of the phantoms, in each joint's static_sd
  std::vector<std::string> joints;     ///< motors, in the order of gains and reliability
  std::vector<PoseConditioning> endpoints;
  std::vector<PreflightCheck> checks;               ///< the incident report's: "gain", then "start_error"
  std::vector<PreflightCheck> sd_checks;            ///< "sd" of every endpoint with torque rows of six joints or more
  std::vector<PreflightCheck> conditioning_checks;  ///< "conditioning" of every endpoint
};

struct PreflightOptions {
  PoseQualityOptions quality{};  ///< characteristic_length [m], budget_sd [1]
  double sd_limit = 0.0;  ///< [N] sd in the worst direction at rest that refuses a pose; 0: posterior.full_use_sd
  /// [N] error_force in the worst direction that refuses a pose; 0: posterior.force_prior
  double error_force_limit = 0.0;
};
ANTAEUS_API const OptionTable& options_of(const PreflightOptions&);

/// Runs the report's Check A (gain of the reference joints at every endpoint that they carry) and Check B (start
/// errors; left out without targets) with the profile's limits. It also checks the sd: where the posterior is as wide
/// as its prior, the torques hold no information on the force. Fewer than six joints cannot determine a wrench in any
/// pose; for such an endpoint the sd is reported and not checked.
///
/// A singular pose is refused by its conditioning, with or without a reference joint: torque errors of one sd must read
/// as less than the contact forces that are expected. That is in newtons, where κ mixes metres with radians and knows
/// nothing of how good the torques are; and the prior, which makes the sd of a singular pose look fine wherever a
/// moment is as good an explanation as a force, has no part in it.
/// \param q motor positions, \param target motor targets or empty.
/// Set-up code: allocates. \throws OptionsError for a wrong size or NaN, ModelError for an unknown endpoint
ANTAEUS_API PreflightReport preflight(const Robot& robot, const std::vector<std::string>& endpoints, ConstVectorRef q,
                                      ConstVectorRef target, const PreflightOptions& options = {});

}  // namespace antaeus
