#pragma once
/// \file
/// Checks before the consumer is switched on: what this pose would do to a torque that nobody ordered, and what it lets
/// torques tell.

#include <string>
#include <vector>

#include "antaeus/estimation/pose_quality.hpp"

namespace antaeus {

/// One check, with what it measured.
struct PreflightCheck {
  std::string name;     ///< "gain", "start_error" or "sd"
  std::string subject;  ///< endpoint or joint
  double value = 0.0;   ///< |gain| [N/(N·m)], |q − target| [rad], or worst-direction sd at rest [N]
  double limit = 0.0;
  bool passed = false;  ///< value < limit; false for NaN
};

struct PreflightReport {
  bool passed = false;                 ///< every check, published or not
  double characteristic_length = 0.0;  ///< [m]
  double budget_sd = 0.0;              ///< residual budget of the phantoms, in each joint's static_sd
  std::vector<std::string> joints;     ///< motors, in the order of gains and reliability
  std::vector<PoseConditioning> endpoints;
  std::vector<PreflightCheck> checks;     ///< the incident report's: "gain", then "start_error"
  std::vector<PreflightCheck> sd_checks;  ///< "sd" of every endpoint that at least six joints speak for
};

struct PreflightOptions {
  double characteristic_length = 0.3;
  double budget_sd = 3.0;
  double sd_limit = 0.0;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visit) {
    PoseQualityOptions::visit(self, visit);
    visit(OptionInfo{"sd_limit", "N", "sd in the worst direction at rest that refuses a pose; 0: posterior.full_use_sd",
                     "study of estimators against MuJoCo's truth, §7: below 5 N a force is used without reservation"},
          self.sd_limit);
  }
};

/// Runs the report's Check A (gain of the reference joint at every hand) and Check B (start errors; left out without
/// targets) with the profile's limits, and the check of the sd, which no torque can mend: a posterior that is as wide
/// as its prior says nothing, however well its number behaves. Fewer than six joints cannot tell a wrench in any pose;
/// for such an endpoint the sd is reported and not checked.
/// \param q motor positions, \param target motor targets or empty.
/// Set-up code: allocates. \throws OptionsError for a wrong size or NaN, ModelError for an unknown endpoint
PreflightReport preflight(const Robot& robot, const std::vector<std::string>& endpoints, ConstVectorRef q,
                          ConstVectorRef target, const PreflightOptions& options = {});

}  // namespace antaeus
