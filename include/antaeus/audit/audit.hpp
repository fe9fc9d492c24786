#pragma once
/// \file
/// An audit: an incident explained from its log, in plain structs. Every number of the verdict comes from them.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "antaeus/audit/evidence.hpp"
#include "antaeus/audit/findings.hpp"
#include "antaeus/audit/remedies.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/progress.hpp"
#include "antaeus/pose/sweep.hpp"

namespace antaeus {

/// What the audit says of the log. `cannot_be_told`: no incident in the steps that hold numbers, but they are too few.
enum class Outcome : std::uint8_t { incident, no_incident, cannot_be_told };
constexpr auto enum_names(Outcome) noexcept { return name_list<Outcome>("incident", "no_incident", "cannot_be_told"); }

struct Audit {
  std::string robot, robot_title, model_sha256, profile_sha256;
  RobotDescription description;  ///< links and joints, for drawing
  Base base = Base::free_flyer;
  BaseSource base_source = BaseSource::caller;
  std::string base_text;  ///< both, for people
  double total_mass = 0.0;
  std::vector<std::string> motor_labels;
  std::string reference_joint;
  std::string base_orientation;  ///< "identity (no IMU in the log)", "imu (mounted)", …
  std::vector<OptionValue> settings;
  std::string command;  ///< that reproduces this audit
  std::string version;

  EpisodeAudit audited;
  std::vector<EpisodeAudit> baselines;

  bool incident = false;      ///< the watchdog would have latched on an endpoint that the consumer reads
  double usable_share = 0.0;  ///< [1] share of the audited steps that hold numbers
  Outcome outcome = Outcome::cannot_be_told;
  std::string focus_endpoint;             ///< consumed endpoint with the largest deployed force
  Eigen::Index focus_step = -1;           ///< step in the log that is analysed
  int focus_axis = kFz;                   ///< largest component of the deployed force there: 0 x, 1 y, 2 z
  std::vector<Event> events;              ///< by step
  std::vector<Attribution> attributions;  ///< at the focus step: deployed and stacked
  std::vector<Counterfactual> counterfactuals;
  std::vector<PoseCounterfactual> pose_counterfactuals;
  std::vector<TiltSensitivity> tilt;
  std::vector<ReferenceRow> reference_rows;
  /// Of every consumed endpoint with a posterior: at the focus step, and in each baseline at the same row (or its last)
  std::vector<ReliabilityTable> reliability;
  std::vector<FeasibilityRow> feasibility;  ///< of the stacked estimator at the focus step; empty without feet
  CauseTest cause_test;                     ///< at the focus step
  IdentifiedSpan identified;                ///< of the audited log
  ContactFinding contact;                   ///< at the focus step
  std::vector<ContactInterval> contacts;    ///< by their first step
  std::vector<AdviceRow> advice;            ///< empty where the pre-flight lets the pose start
  std::vector<Endpoint> endpoints;          ///< the profile's, whether audited or not
  std::vector<JointGroup> groups;           ///< the profile's: figures are drawn by them
  std::vector<PoseSpectrum> spectra;  ///< of the focus endpoint: at the focus step, then each baseline's first step
  std::vector<JointSweep> sweeps;     ///< at the focus step, of the two joints that change the gain most
  JunctionLesson junction;            ///< the same poses, up to two
  std::vector<PlanarLesson> lessons;  ///< the demo adds the planar arm, else empty
  std::vector<Statement> verdict;
  std::vector<Statement> cannot_tell;
  std::vector<Statement> next_checks;  ///< what would settle what the log leaves open
};

/// What to audit.
struct AuditRequest {
  std::filesystem::path episode;
  std::vector<std::filesystem::path> baselines;
  std::vector<std::string> endpoints;  ///< frames or labels; empty: the profile's
  double from = -1.0, to = -1.0;       ///< [s]; negative: no cut
  std::string command;
};

/// Runs the whole audit. \throws EpisodeError, ModelError, OptionsError
ANTAEUS_API Audit run_audit(const Robot& robot, const AuditRequest& request, const AuditOptions& options,
                            const Progress& progress = {});
/// The same on episodes in memory; `episodes[0]` is audited, the rest are baselines.
ANTAEUS_API Audit run_audit(const Robot& robot, std::vector<Episode> episodes, const AuditRequest& request,
                            const AuditOptions& options, const Progress& progress = {});

}  // namespace antaeus
