#pragma once
/// \file
/// An audit: an incident explained from its log, in plain structs. Every number of the verdict comes from them.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "antaeus/audit/causal_graph.hpp"
#include "antaeus/audit/results.hpp"
#include "antaeus/check/check_log.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/progress.hpp"
#include "antaeus/episode/episode_reader.hpp"
#include "antaeus/io/table_parts.hpp"
#include "antaeus/pose/sweep.hpp"

namespace antaeus {

/// What the audit says of the log. `cannot_be_told`: no incident in the steps that hold numbers, but they are too few.
/// `wrong_set_up`: check_log finds an error, so that no force of this log can be trusted.
enum class Outcome : std::uint8_t { incident, no_incident, cannot_be_told, wrong_set_up };
constexpr auto enum_names(Outcome) noexcept {
  return name_list<Outcome>("incident", "no_incident", "cannot_be_told", "wrong_set_up");
}

/// An incident explained from its log. Steps count from the log's first, also where a part was cut out. The fields:
/// audit_fields.hpp.
struct Audit {
  std::string robot, robot_title, model_sha256, profile_sha256;
  RobotDescription description;
  Base base = Base::free_flyer;
  BaseSource base_source = BaseSource::caller;
  std::string base_text;
  double total_mass = 0.0;
  std::vector<Payload> payloads;
  std::vector<std::string> motor_labels;
  std::string reference_joint, base_orientation;
  std::vector<OptionValue> settings;
  std::string command, version;
  bool has_deployed = true;    ///< whether the profile knows an estimator that the robot's users run
  bool noise_assumed = false;  ///< whether the noise of this log is the profile's figures: nobody identified it

  CheckResult check;  ///< of the audited log as a whole; of an episode in memory where the request asks for it
  EpisodeAudit audited;
  std::vector<EpisodeAudit> baselines;
  WholeLog whole;  ///< of a log that is longer than its audited part

  bool incident = false;
  double usable_share = 0.0;
  Outcome outcome = Outcome::cannot_be_told;
  std::string focus_endpoint;
  Eigen::Index focus_step = -1;
  int focus_axis = kFz;
  std::vector<Event> events;
  std::vector<Attribution> attributions;
  std::vector<Counterfactual> counterfactuals;
  std::vector<PoseCounterfactual> pose_counterfactuals;
  std::vector<TiltSensitivity> tilt;
  std::vector<ReferenceRow> reference_rows;
  std::vector<ReliabilityTable> reliability;
  std::vector<FeasibilityRow> feasibility;
  CauseTest cause_test;
  PlaceFinding place;
  IdentifiedSpan identified;
  ContactFinding contact;
  CausalGraph causal_graph;
  std::vector<ContactInterval> contacts;
  std::vector<AdviceRow> advice;
  std::vector<Endpoint> endpoints;
  std::vector<JointGroup> groups;
  std::vector<PoseSpectrum> spectra;
  std::vector<JointSweep> sweeps;
  JunctionLesson junction;
  std::vector<PlanarLesson> lessons;
  std::vector<Statement> verdict, cannot_tell, next_checks;
};

/// What to audit.
struct AuditRequest {
  std::filesystem::path episode;
  std::vector<std::filesystem::path> baselines;
  std::vector<std::string> endpoints;  ///< frames or labels; empty: the profile's
  double from = -1.0, to = -1.0;       ///< [s]; negative: no cut
  std::string command;
  double memory = 450e6;  ///< [bytes] that the steps which are audited may take
  bool check = false;     ///< whether run_audit on episodes in memory checks the first; that of files always does
};

/// [bytes] that this process can still have: of the machine, of its container, of its own limit.
ANTAEUS_API double free_memory();

/// Writes the steps of the audited log, all of them, whatever its length. \param rows  of the table \param next  the
/// rows, part after part; what is not asked for is computed all the same
using StepsWriter = std::function<void(std::int64_t rows, const TableParts& next)>;

/// Runs the whole audit. A log whose steps would need more than 450 MB goes through the estimators block by block: its
/// steps are written and counted (Audit::whole), and as many as fit around its largest force are audited.
/// \throws EpisodeError, ModelError, OptionsError
ANTAEUS_API Audit run_audit(const Robot& robot, const AuditRequest& request, const AuditOptions& options,
                            const Progress& progress = {}, const StepsWriter& write = {});
/// The same on logs that are open; `logs[0]` is audited, the rest are baselines.
ANTAEUS_API Audit run_audit(const Robot& robot, std::vector<EpisodeReader> logs, const AuditRequest& request,
                            const AuditOptions& options, const Progress& progress = {}, const StepsWriter& write = {});
/// The same on episodes in memory.
ANTAEUS_API Audit run_audit(const Robot& robot, std::vector<Episode> episodes, const AuditRequest& request,
                            const AuditOptions& options, const Progress& progress = {});

}  // namespace antaeus
