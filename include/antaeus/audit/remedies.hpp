#pragma once
/// \file
/// What might have helped: remedies, other poses, and the effect of a tilted base.

#include <cstdint>
#include <string>
#include <vector>

#include "antaeus/audit/reconstruction.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/pose/pose_advice.hpp"

namespace antaeus {

/// What somebody might have done against the incident. The first six are the published guards, each alone.
enum class Remedy : std::uint8_t {
  watchdog,
  condition,
  reference_dominance,
  reference_dominance_formula,
  clamp,
  norm_clamp,
  all_guards,
  preflight_gain,
  preflight_start_error,
  stacked,
  stacked_with_base,
  own_rows,
  posterior,
  nis_alarm,
  guarded_posterior,
};
constexpr auto enum_names(Remedy) noexcept {
  return name_list<Remedy>("watchdog", "condition", "reference_dominance", "reference_dominance_formula", "clamp",
                           "norm_clamp", "all_guards", "preflight_gain", "preflight_start_error", "stacked",
                           "stacked_with_base", "own_rows", "posterior", "nis_alarm", "guarded_posterior");
}
enum class RemedyKind : std::uint8_t { guard, preflight, estimator };
constexpr auto enum_names(RemedyKind) noexcept { return name_list<RemedyKind>("guard", "preflight", "estimator"); }

/// One remedy: when it would have acted, what would have been read, and how often it acts in the good runs.
struct Counterfactual {
  Remedy remedy = Remedy::watchdog;
  std::string title;
  RemedyKind kind = RemedyKind::guard;
  std::string endpoint;             ///< that it was judged on
  Eigen::Index first_act = -1;      ///< step in the log; −1: never
  double first_act_time = 0.0;      ///< [s]
  Vector3 force_at_focus;           ///< read by the consumer at the focus step [N]
  double largest_force_read = 0.0;  ///< largest |F| that it would have let through [N]
  std::string consequence;          ///< one sentence from the numbers
  /// One entry a baseline, for guards: at how many steps it acts, at any endpoint that the consumer reads. Whether the
  /// alarm is false depends on what the baseline holds (EpisodeAudit::contact_share).
  struct FalseAlarm {
    std::string baseline;
    Eigen::Index steps = 0;  ///< the published guards change what is read; the posterior's guard refuses
    double share = 0.0;
    /// Steps at which a guard that knows this state is degraded: the published chain clips (counted in `steps` too),
    /// the posterior's guard passes its number with a warning.
    Eigen::Index degraded_steps = 0;
    double degraded_share = 0.0;
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
  double largest_torque = 0.0;  ///< max |Δg| over the joints between the base and an audited hand [N·m]
  std::string joint;
  double phantom_force = 0.0;  ///< |pinv(Jᵀ) Δg| at the focus endpoint [N]
};

/// Norm of the reference joint's row in each endpoint's block of the stacked matrix: exactly 0 means that this endpoint
/// cannot explain any torque of the reference joint.
struct ReferenceRow {
  std::string endpoint;
  double norm = 0.0;
};

/// The nearest pose found that satisfies a named set of limits at the focus endpoint (pose_advice.hpp).
struct ANTAEUS_API AdviceRow {
  PoseLimitSet limits = PoseLimitSet::sd;
  std::string endpoint;
  Eigen::Index step = 0;  ///< of the log whose pose is advised on: its first usable one
  struct Condition {
    PoseQuantity quantity = PoseQuantity::sd;
    double limit = 0.0;
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

}  // namespace antaeus
