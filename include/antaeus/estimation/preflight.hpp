#pragma once
/// \file
/// Checks before the consumer is switched on: what this pose would do to a torque that nobody ordered.

#include <string>
#include <vector>

#include "antaeus/estimation/contact_equation.hpp"
#include "antaeus/estimation/wrench_estimate.hpp"

namespace antaeus {

/// One check of the report's pre-flight, with what it measured.
struct PreflightCheck {
  std::string name;     ///< "gain" or "start_error"
  std::string subject;  ///< endpoint or joint
  double value = 0.0;   ///< |gain| [N/(N·m)] or |q − target| [rad]
  double limit = 0.0;
  bool passed = false;  ///< value < limit; false for NaN
};

/// How the pose of one endpoint turns joint torques into wrenches.
struct PoseConditioning {
  std::string endpoint;
  Status status = Status::not_computed;
  Vector3 position = Vector3::Zero();  ///< of the endpoint in base axes [m]
  double kappa = 0.0;
  double kappa_scaled = 0.0;  ///< with the characteristic length below
  double sigma_min = 0.0;
  double manipulability = 0.0;
  Vector6 reference_gain;             ///< of the reference joint; NaN without one
  double reference_force_gain = 0.0;  ///< norm of its force rows: predicts the error better than κ (knowledge, §7)
  Matrix6X gain;                      ///< 6 × motors
};

struct PreflightReport {
  bool passed = false;                 ///< every check
  double characteristic_length = 0.0;  ///< [m]
  std::vector<PoseConditioning> endpoints;
  std::vector<PreflightCheck> checks;
};

struct PreflightOptions {
  double characteristic_length = 0.3;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visit) {
    visit(OptionInfo{"characteristic_length", "m", "divides the linear rows for a condition number without mixed units",
                     "Angeles 1992; about the lever of a hand"},
          self.characteristic_length);
  }
};

/// Runs the report's Check A (gain of the reference joint at every hand) and Check B (start errors; left out without
/// targets) with the profile's limits. \param q motor positions, \param target motor targets or empty.
/// Set-up code: allocates. \throws OptionsError for a wrong size or NaN, ModelError for an unknown endpoint
PreflightReport preflight(const Robot& robot, const std::vector<std::string>& endpoints, ConstVectorRef q,
                          ConstVectorRef target, const PreflightOptions& options = {});

}  // namespace antaeus
