#pragma once
/// \file
/// An incident explained from its log: events, attribution, comparison with good runs, what each remedy would have
/// done, and a verdict in which every number comes from these structs.

#include <filesystem>
#include <string>
#include <vector>

#include "antaeus/audit/audit_options.hpp"
#include "antaeus/audit/reconstruction.hpp"
#include "antaeus/audit/sweep.hpp"
#include "antaeus/estimation/preflight.hpp"

namespace antaeus {

/// Something that happened at a step, found in the data.
struct Event {
  std::string kind;  ///< "force_above", "residual_grown", "guard_acts", "nis_alarm", "guard_refuses", "target_jump",
                     ///< "torque_limit", "peak_force", "peak_torque", "end"
  Eigen::Index step = 0;  ///< in the log
  double time = 0.0;      ///< [s]; NaN without time stamps
  std::string subject;    ///< endpoint, joint or guard
  double value = 0.0;
  std::string unit;
  std::string text;  ///< one sentence
};

struct JointRange {
  std::string joint, label;
  double minimum = 0.0, maximum = 0.0;  ///< [rad]
};

struct StartError {
  std::string joint, label;
  double position = 0.0, target = 0.0, error = 0.0;  ///< [rad]; error = position − target
};

/// Statistics of the reference joint's torque over an episode [N·m].
struct ReferenceStatistics {
  double mean = 0.0;            ///< of τ, signed
  double mean_magnitude = 0.0;  ///< of |τ|
  double deviation = 0.0;       ///< standard deviation of τ (divided by N)
  double maximum = 0.0;         ///< of |τ|
  double p99 = 0.0;             ///< 99th percentile of |τ|, linear between samples
  /// |gain(Fz)|·|τ| at a hand: what the joint's torque alone reads as force [N].
  struct Contamination {
    std::string endpoint;
    double mean = 0.0, worst = 0.0;
    Eigen::Index worst_step = -1;
  };
  std::vector<Contamination> contamination;
};

/// What is known of one episode by itself. The audited one and every baseline has this.
struct EpisodeAudit {
  Episode episode;
  Reconstruction reconstruction;
  std::vector<JointRange> ranges;
  std::vector<StartError> start_errors;
  ReferenceStatistics reference;
  PreflightReport preflight;  ///< at the first valid step
  double peak_torque = 0.0;   ///< largest |τ| of any motor [N·m]; NaN without a finite one
  Eigen::Index peak_torque_step = -1;
  int peak_torque_motor = -1;
};

/// One remedy: when it would have acted, what would have been read, and how often it cries wolf in the good runs.
struct Counterfactual {
  std::string remedy;  ///< "clamp", "stacked", …
  std::string title;
  std::string kind;                 ///< "guard", "preflight", "estimator"
  std::string endpoint;             ///< that it was judged on
  Eigen::Index first_act = -1;      ///< step in the log; −1: never
  double first_act_time = 0.0;      ///< [s]
  Vector3 force_at_focus;           ///< read by the consumer at the focus step [N]
  double largest_force_read = 0.0;  ///< largest |F| that it would have let through [N]
  std::string consequence;          ///< one sentence from the numbers
  /// One entry a baseline, for guards: steps at which it acts at any endpoint that the consumer reads.
  struct FalseAlarm {
    std::string baseline;
    Eigen::Index steps = 0;
    double share = 0.0;
  };
  std::vector<FalseAlarm> false_alarms;
};

/// An episode's reference residuals through the gain of another pose.
struct PoseCounterfactual {
  std::string residuals_of;  ///< episode
  std::string pose;          ///< named pose, or "<episode> step n"
  std::string endpoint;
  double gain = 0.0;  ///< Fz [N/(N·m)]
  double kappa = 0.0;
  double force_at_focus = 0.0;  ///< gain · r at the focus step, for the audited episode [N]; NaN for others
  double largest_force = 0.0;   ///< max |gain · r| [N]
};

/// Effect of a base tilt on gravity torques and on the deployed force.
struct TiltSensitivity {
  std::string axis;             ///< "roll", "pitch"
  double angle = 0.0;           ///< [rad]
  double largest_torque = 0.0;  ///< max |Δg| over the joints above the base that support a hand [N·m]
  std::string joint;
  double phantom_force = 0.0;  ///< |pinv(Jᵀ) Δg| at the focus endpoint [N]
};

/// Norm of the reference joint's row in each endpoint's block of the stacked matrix: exactly 0 means that this endpoint
/// cannot explain any torque of the reference joint.
struct ReferenceRow {
  std::string endpoint;
  double norm = 0.0;
};

/// Baarda's reliability of one endpoint's joints at one step (ReliabilityEstimator).
struct ReliabilityTable {
  std::string episode;
  Eigen::Index step = -1;  ///< in the log
  std::string endpoint, label;
  struct Row {
    std::string joint, motor_label;
    double redundancy = 0.0;       ///< 0 … 1
    double detectable_bias = 0.0;  ///< smallest error that a test finds [N·m]; infinite: none
    double torque_limit = 0.0;     ///< of the motor [N·m]
    double external_force = 0.0;   ///< shift of the posterior's force that such an error causes, unnoticed [N]
    bool undetectable = false;     ///< redundancy below kUndetectableRedundancy, or a bias above the motor's limit
  };
  std::vector<Row> rows;
};

/// One condition that the ground and the weight put on an estimator's wrenches (FeasibilityChecker).
struct FeasibilityRow {
  std::string estimator, endpoint;  ///< the endpoint is empty for the whole robot's balance
  std::string margin, unit;
  double value = 0.0, sd = 0.0;  ///< ≥ 0 where the condition holds
  bool feasible = false;
};

/// One single cause of the focus step's residuals against the others (HypothesisTest), best first.
struct CauseRow {
  std::string cause;  ///< "contact at left wrist"
  double size = 0.0, size_sd = 0.0;
  std::string unit;
  double log_likelihood_ratio = 0.0, bic = 0.0, log_evidence = 0.0;
  std::string separation;  ///< from the best
};
struct CauseTest {
  bool alarm = false, explained = false;
  double chi_squared = 0.0, threshold = 0.0;
  std::vector<CauseRow> causes;
};

/// The nearest pose found that satisfies a named set of limits at the focus endpoint (pose_advice.hpp).
struct AdviceRow {
  std::string limits, endpoint;
  Eigen::Index step = 0;  ///< of the log whose pose is advised on: its first usable one
  struct Condition {
    std::string quantity;
    double limit = 0.0;
    std::string unit;
  };
  std::vector<Condition> conditions;
  bool satisfied = false, found = false;
  double distance = 0.0;  ///< norm of the move [rad]
  struct Move {
    std::string joint;
    double from = 0.0, to = 0.0;
  };
  std::vector<Move> moves;
  /// A joint that reaches it alone, all others held: up to `below` from its place downwards, from `above` upwards; NaN
  /// where there is no opening on that side.
  struct Alone {
    std::string joint;
    double from = 0.0, below = 0.0, above = 0.0;
    double distance() const noexcept;  ///< to the nearer of the two
  };
  std::vector<Alone> alone;  ///< smallest move first
};

/// Successive steps in one state of the posterior's guard.
struct GuardInterval {
  Eigen::Index from = 0, to = 0;  ///< steps of the log, both included
  Verdict state = Verdict::refused;
  ConsumerAction action = ConsumerAction::zero;
  std::uint32_t because = 0;  ///< of the sample that brought the state
};
/// The guard's states of a posterior's series. \param first_step number of its first row in the log
std::vector<GuardInterval> guard_timeline(const EstimateSeries& series, Eigen::Index first_step);

/// One sentence of the verdict and the key of each number in it.
struct Statement {
  std::string id;
  std::string text;
};

struct Audit {
  std::string robot, robot_title, model_sha256, profile_sha256;
  RobotDescription description;  ///< links and joints, for drawing
  double total_mass = 0.0;
  std::vector<std::string> motor_labels;
  std::string reference_joint;
  std::string base_orientation;  ///< "identity (no IMU in the log)", "imu (mounted)", …
  std::vector<OptionValue> settings;
  std::string command;  ///< that reproduces this audit
  std::string version;

  EpisodeAudit audited;
  std::vector<EpisodeAudit> baselines;

  bool incident = false;                  ///< the watchdog would have latched on an endpoint that the consumer reads
  std::string focus_endpoint;             ///< consumed endpoint with the largest deployed force
  Eigen::Index focus_step = -1;           ///< step in the log that is taken apart
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
  std::vector<AdviceRow> advice;            ///< empty where the pre-flight lets the pose start
  std::vector<Endpoint> endpoints;          ///< the profile's, whether audited or not
  std::vector<JointGroup> groups;           ///< the profile's: figures are drawn by them
  std::vector<PoseSpectrum> spectra;  ///< of the focus endpoint: at the focus step, then each baseline's first step
  std::vector<JointSweep> sweeps;     ///< at the focus step, of the two joints that change the gain most
  JunctionLesson junction;            ///< the same poses, up to two
  std::vector<PlanarLesson> lessons;  ///< the demo adds the planar arm, else empty
  std::vector<Statement> verdict;
  std::vector<Statement> cannot_tell;
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
Audit run_audit(const Robot& robot, const AuditRequest& request, const AuditOptions& options,
                const Progress& progress = {});
/// The same on episodes in memory; `episodes[0]` is audited, the rest are baselines.
Audit run_audit(const Robot& robot, std::vector<Episode> episodes, const AuditRequest& request,
                const AuditOptions& options, const Progress& progress = {});

}  // namespace antaeus
