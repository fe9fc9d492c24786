#pragma once
/// \file
/// Pre-flight: checks of a pose before the consumer of the forces is switched on.
/// They cover the amplification of torque errors, start errors, and the sd of the posterior's force.

#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
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
  std::string subject;
  double value = 0.0, limit = 0.0;
  bool passed = false;
  std::string joint{};
};
constexpr void visit_fields(const PreflightCheck*, auto&& visit) {
  using P = PreflightCheck;
  visit(field("kind", "", "gain and start_error of the incident report, then sd, then conditioning", &P::kind)
            .as("check"));
  visit(field("subject", "", "endpoint or joint", &P::subject));
  visit(field("joint", "", "of a gain: whose", &P::joint).or_null());
  visit(field("value", "",
              "|gain|, N/(N·m), |q − target|, rad, worst-direction sd at rest, N, or error_force, N; infinite in a "
              "singular pose",
              &P::value));
  visit(field("limit", "", "what the value is compared with, of the same unit", &P::limit));
  visit(field("passed", "", "value < limit; false for NaN", &P::passed));
}

/// Reliability of one joint at an endpoint, as files list it.
struct JointReliability {
  std::string joint;
  double redundancy, minimal_detectable_bias, external_force, prior_free_redundancy, prior_free_bias;
};
constexpr void visit_fields(const JointReliability*, auto&& visit) {
  using J = JointReliability;
  visit(field("joint", "", "joints whose rows are evidence", &J::joint));
  visit(field("redundancy", "1", "share of an error of this torque that shows, contacts within their priors, 0 … 1",
              &J::redundancy));
  visit(field("minimal_detectable_bias", "N·m",
              "smallest error that the test of its row finds (0.1 % false alarms, 80 % power)",
              &J::minimal_detectable_bias));
  visit(field("external_force", "N", "force that an error of that size adds unnoticed; infinite: without bound",
              &J::external_force));
  visit(field("prior_free_redundancy", "1",
              "redundancy without an assumption on the size of a contact at this endpoint", &J::prior_free_redundancy));
  visit(field("prior_free_bias", "N·m", "the bias of the same; infinite: no error of any size is found",
              &J::prior_free_bias)
            .as("prior_free_detectable_bias_Nm"));
}

/// The checks and what they rest on.
struct ANTAEUS_API PreflightReport {
  bool passed = false;
  bool used_imu = false;  ///< the base is turned as the IMU measured; else it is upright
  double characteristic_length = 0.0, budget_sd = 0.0;
  std::vector<std::string> joints;  ///< motors, in the order of gains and reliability
  std::vector<PoseConditioning> endpoints;
  std::vector<PreflightCheck> checks, sd_checks, conditioning_checks;
  std::vector<Note> notes;  ///< checks that no pose can pass, which are left out, and why; for people

  /// The three lists as one.
  std::vector<PreflightCheck> all_checks() const;
  /// An endpoint and the reliability of its joints, as files list them.
  struct Endpoint {
    PoseConditioning pose;
    std::vector<JointReliability> joints;  ///< those whose rows are evidence
  };
  std::vector<Endpoint> endpoints_with_joints() const;
};
constexpr void visit_fields(const PreflightReport::Endpoint*, auto&& visit) {
  using E = PreflightReport::Endpoint;
  visit_part<PoseConditioning>(&E::pose, visit);
  visit(field("joints", "", "one per joint", &E::joints));
}
constexpr void visit_fields(const PreflightReport*, auto&& visit) {
  using P = PreflightReport;
  visit(field("passed", "", "every check, published or not", &P::passed));
  visit(field("used_imu", "", "the base is turned as the IMU measured; else it is upright", &P::used_imu)
            .only(FieldUse::python_only));
  visit(field("characteristic_length", "m", "of kappa_scaled", &P::characteristic_length));
  visit(field("budget_sd", "1", "residual budget of the phantoms: each joint's static_sd times this", &P::budget_sd)
            .only(FieldUse::file_only));
  visit(field("endpoints", "", "how each pose turns torques into wrenches", &P::endpoints).only(FieldUse::python_only));
  visit(field("checks", "", "the incident report's: gain, then start_error", &P::checks).only(FieldUse::python_only));
  visit(field("sd_checks", "",
              "Antaeus' own: worst-direction sd at rest of every endpoint whose torques determine a whole force",
              &P::sd_checks)
            .only(FieldUse::python_only));
  visit(field("conditioning_checks", "", "Antaeus' own: error_force of every endpoint; it refuses a singular pose",
              &P::conditioning_checks)
            .only(FieldUse::python_only));
  visit(field("notes", "", "positions outside limits; checks that no pose can pass, which are left out, and why",
              &P::notes)
            .only(FieldUse::python_only));
  visit(field("checks", "", "all of them", [](const P& p) { return p.all_checks(); }).only(FieldUse::file_only));
  visit(field("endpoints", "", "consumed endpoints other than feet", [](const P& p) {
          return p.endpoints_with_joints();
        }).only(FieldUse::file_only));
}

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
/// pose; for such an endpoint the sd is reported and not checked, and a note says so.
///
/// A singular pose is refused by its conditioning, with or without a reference joint: torque errors of one sd must read
/// as less than the contact forces that are expected. That is in newtons, where κ mixes metres with radians and knows
/// nothing of how good the torques are; and the prior, which makes the sd of a singular pose look fine wherever a
/// moment is as good an explanation as a force, has no part in it.
/// \param q motor positions, \param target motor targets or empty.
/// \param imu_xyzw  unit quaternion of the IMU in the world, read as equation.imu says; null: the base is upright
/// Set-up code: allocates. \throws OptionsError for a wrong size, NaN or no unit quaternion, ModelError for an unknown
/// endpoint
ANTAEUS_API PreflightReport preflight(const Robot& robot, const std::vector<std::string>& endpoints, ConstVectorRef q,
                                      ConstVectorRef target, const PreflightOptions& options = {},
                                      const Eigen::Vector4d* imu_xyzw = nullptr);

}  // namespace antaeus
