#pragma once
/// \file
/// Every setting of an audit, in named groups: `--set group.option=value`.

#include <string_view>
#include <vector>

#include "antaeus/episode/episode.hpp"
#include "antaeus/episode/smooth_motion.hpp"
#include "antaeus/estimation/contact_equation.hpp"
#include "antaeus/estimation/guard.hpp"
#include "antaeus/estimation/guarded_estimator.hpp"
#include "antaeus/estimation/hypotheses.hpp"
#include "antaeus/estimation/preflight.hpp"
#include "antaeus/estimation/wrench_estimator.hpp"

namespace antaeus {

/// What counts as an event, and where the audit looks closest.
struct EventOptions {
  double target_jump = 0.25;
  double residual_growth = 4.0;
  double focus_force = 500.0;
  double tilt = 5.0;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visit) {
    visit(OptionInfo{"target_jump", "rad", "change of a target from one step to the next that counts as a jump",
                     "RE1 and RE2 change by less at every step but their first"},
          self.target_jump);
    visit(OptionInfo{"residual_growth", "N·m", "reference residual that counts as grown",
                     "99th percentile of the torso's torque in the good run RE1"},
          self.residual_growth);
    visit(OptionInfo{"focus_force", "N", "force whose first step the audit takes apart; the peak when none reaches it",
                     "ten times the published clamp"},
          self.focus_force);
    visit(OptionInfo{"tilt", "deg", "base tilt of the sensitivity analysis", "incident report, Gravity comp."},
          self.tilt);
  }
};

/// Which rows the stacked estimator uses.
struct StackedOptions {
  StackedRows rows = StackedRows::motors;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visit) {
    visit(OptionInfo{"rows", "", "motors, or motors_and_base: the six rows too that no motor drives (floating base)",
                     "incident report, Better estimator: 27 × 24 motor rows"},
          self.rows);
  }
};

/// Whether the posterior reads the log as it came, sample by sample, or smoothed without delay.
struct SmoothingOptions : SmoothMotionOptions {
  bool zero_phase = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visit) {
    visit(
        OptionInfo{"zero_phase", "",
                   "whether the posterior reads velocities, accelerations and torques smoothed without delay (not what "
                   "a loop would have seen); deployed and stacked always read the log as it came",
                   "study of estimators against MuJoCo's truth, §4: usable at 50 Hz where causal differences are not"},
        self.zero_phase);
    SmoothMotionOptions::visit(self, visit);
  }
};

struct AuditOptions {
  EpisodeOptions episode;
  ContactEquationOptions equation;
  WrenchEstimatorOptions estimator{.characteristic_length = 0.3};
  StackedOptions stacked;
  GuardOptions guard;
  ResidualOptions residual;
  PosteriorOptions posterior{.sign = Sign::on_environment};  ///< beside the deployed number: one sign
  GuardedOptions guarded;
  SmoothingOptions smooth;
  FeasibilityOptions feasibility;
  HypothesisOptions hypotheses;
  PreflightOptions preflight;
  EventOptions event;

  /// Calls visit(name, group) for each group.
  template <class Self, class Visitor>
  static void visit_groups(Self& self, Visitor&& visit) {
    visit("episode", self.episode);
    visit("equation", self.equation);
    visit("estimator", self.estimator);
    visit("stacked", self.stacked);
    visit("guard", self.guard);
    visit("residual", self.residual);
    visit("posterior", self.posterior);
    visit("guarded", self.guarded);
    visit("smooth", self.smooth);
    visit("feasibility", self.feasibility);
    visit("hypotheses", self.hypotheses);
    visit("preflight", self.preflight);
    visit("event", self.event);
  }
};

/// The options of a robot: its deployed sign, and its profile's [options] tables.
/// \throws ModelError that names file and line of an option that does not exist or does not fit
AuditOptions audit_options(const RobotProfile& profile);
/// Sets "group.option=value". \throws OptionsError with the nearest group or option
void set_audit_option(AuditOptions& options, std::string_view assignment);
/// Every option with its present value, unit, meaning and source.
std::vector<OptionValue> list_audit_options(const AuditOptions& options);

}  // namespace antaeus
