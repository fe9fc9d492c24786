#pragma once
/// \file
/// Every setting of an audit, in the groups of `--set group.option=value`.

#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/episode/input_checks.hpp"
#include "antaeus/episode/smooth_motion.hpp"
#include "antaeus/estimation/published/guard_chain.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"
#include "antaeus/pose/preflight.hpp"
#include "antaeus/robot/instant.hpp"
#include "antaeus/trust/guarded_estimator.hpp"
#include "antaeus/trust/hypotheses.hpp"

namespace antaeus {

/// What counts as an event, and where the audit looks closest.
struct EventOptions {
  double target_jump = 0.25;     ///< [rad] change of a target from one step to the next that counts as a jump
  double residual_growth = 4.0;  ///< [N·m] reference residual that counts as grown
  double focus_force = 500.0;    ///< [N] force whose first step the audit takes apart; the peak when none reaches it
  double tilt = 5.0;             ///< [deg] base tilt of the sensitivity analysis
  /// [1] share of the log's steps that must hold numbers before the absence of an incident is reported.
  double least_usable_share = 0.9;
};
ANTAEUS_API const OptionTable& options_of(const EventOptions&);

/// Which rows the stacked estimator uses.
struct StackedOptions {
  /// Motors, or motors_and_base: the six rows too that no motor drives (floating base).
  StackedRows rows = StackedRows::motors;
};
ANTAEUS_API const OptionTable& options_of(const StackedOptions&);

/// Whether the posterior reads the log as it came, sample by sample, or smoothed without delay.
struct SmoothingOptions {
  /// Whether the posterior reads velocities, accelerations and torques smoothed without delay (not what a loop would
  /// have seen). Deployed and stacked always read the log as it came.
  bool zero_phase = false;
  SmoothMotionOptions motion{};
};
ANTAEUS_API const OptionTable& options_of(const SmoothingOptions&);

struct AuditOptions {
  EpisodeOptions episode;
  InstantOptions equation;
  InputCheckOptions input;
  WrenchEstimatorOptions estimator{.characteristic_length = 0.3};
  StackedOptions stacked;
  PublishedGuardOptions guard;
  ResidualOptions residual;
  PosteriorOptions posterior{.sign = Sign::on_environment};  ///< that of `estimator`: numbers stand side by side
  ConsumerGuardOptions guarded;
  ContactPlaceOptions places;
  SmoothingOptions smooth;
  FeasibilityOptions feasibility;
  HypothesisOptions hypotheses;
  PreflightOptions preflight;
  EventOptions event;

  /// Calls visit(options) for each group.
  template <class Self, class Visitor>
  static void visit_groups(Self& self, Visitor&& visit) {
    visit(self.episode);
    visit(self.equation);
    visit(self.input);
    visit(self.estimator);
    visit(self.stacked);
    visit(self.guard);
    visit(self.residual);
    visit(self.posterior);
    visit(self.guarded);
    visit(self.places);
    visit(self.smooth);
    visit(self.feasibility);
    visit(self.hypotheses);
    visit(self.preflight);
    visit(self.event);
  }
};

/// The options of a robot for these endpoints (frames or labels; empty: the profile's): defaults that follow the robot,
/// and what its profile and a caller set. \throws ModelError as Robot::endpoint_frames
ANTAEUS_API AuditOptions audit_options(const Robot& robot, const std::vector<std::string>& endpoints = {});
ANTAEUS_API AuditOptions audit_options(const Settings& settings);
/// Every option with its present value, unit, meaning, and where the value comes from.
ANTAEUS_API std::vector<OptionValue> list_audit_options(const AuditOptions& options, const Settings& settings = {});

}  // namespace antaeus
