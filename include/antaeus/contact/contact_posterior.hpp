#pragma once
/// \file
/// The wrench under each foot, with its uncertainty, when a motion gives their sum alone.
///
/// Six equations a frame, twelve unknowns: the rest is knowledge about feet. Each piece of it is a deviation e(w), a
/// number without unit that is 0 on average, has unit variance and forgets itself after its correlation time τ (an
/// Ornstein–Uhlenbeck process). The wrenches w_t are those of least cost
///
///     ½ e(w_1)² + ½ Σ_t (e(w_{t+1}) − φ e(w_t))²/(1 − φ²),     φ = exp(−(t_{t+1} − t_t)/τ),
///
/// summed over all deviations: total wrench against the motion, direction of the force, centre of pressure, free
/// moment, load of a foot, differences of loads. Sampled twice as often, the cost stays the same: so does the answer.
/// Several deviations are ratios of the unknowns; Gauss–Newton linearises them with all their derivatives and searches
/// along each step. The Hessian is block-tridiagonal, its inverse's blocks are the covariances.
///
/// What errs the same way all through a trial (where a foot's frame stands on it, the direction of its force, a scaled
/// body's centre of mass) is not learned from it: a constant of each kind adds what it does to the wrenches to their
/// covariance. Within one trial a constant is one sample, so that the share of its rows whose interval holds the truth
/// is anything between 0 and 1; over persons and trials it is 95 %. The random walk of load differences helps the
/// wrenches and is left out of the covariance: of a load that follows from centre of mass and pressures it knows
/// nothing.
///
/// At strikes and toe-offs deviations are larger and forget themselves sooner. The answer is the point of least cost
/// without that, whose forces are nearer to those of plates, and the covariance is the expected square of its
/// error with it: the covariance of the linearised problem that counts steps, and the square of the way from the
/// answer to that problem's own point of least cost. Without steps the two are one. Give a motion that was
/// low-passed (6 Hz is usual): of a rough one the point of least cost favours uneven loads, since a larger load makes
/// the same rough moment a smaller deviation, and intervals that should hold 95 % held 76 % (measured
/// once).
///
/// Wrenches are those of the ground **on the foot**, world axes, moment about the origin of the foot's frame.
/// Intervals are of 95 %; of the vertical force it is the interval of highest density of the normal distribution that
/// is cut at 0, since the ground does not pull.

#include <string>
#include <vector>

#include "antaeus/contact/contact_timing.hpp"
#include "antaeus/contact/sole.hpp"
#include "antaeus/contact/total_motion.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/status.hpp"

namespace antaeus {

/// "share" is of the body's weight mg. "Correlation" is the time after which a deviation has forgotten itself by e⁻¹.
struct SplitOptions {
  // The total that the motion gives.
  double force_sd_forward = 8.0;   ///< [N]
  double force_sd_up = 9.0;        ///< [N]
  double force_sd_sideways = 5.0;  ///< [N]
  double com_sd_forward = 0.07;    ///< [m] of the centre of mass: times mg it is a moment
  double com_sd_sideways = 0.005;  ///< [m]
  double yaw_sd = 4.0;             ///< [N·m]
  double delay = 0.02;             ///< [s] sd of the motion's time, times the rate of the wrench
  double motion_share = 0.2;       ///< [1] sd of what the motion adds to weight, as a share of it
  double motion_window = 0.08;     ///< [s] half the time over which that is averaged
  double total_correlation = 0.2;  ///< [s]
  // What is the same all through a trial, beside the rest; 0: nothing.
  double com_constant_forward = 0.015;   ///< [m] sd of the centre of mass
  double com_constant_sideways = 0.003;  ///< [m]
  double lean_constant_forward = 0.03;   ///< [1] sd of each foot's force direction
  double lean_constant_sideways = 0.02;  ///< [1]
  // Force direction: f_h/f_up = κ (com − c)_h/h.
  double lean_forward = 0.9;       ///< [1] κ forward
  double lean_sideways = 0.5;      ///< [1] κ sideways
  double lean_sd_forward = 0.1;    ///< [1]
  double lean_sd_sideways = 0.05;  ///< [1]
  // Pressure and free moment; the sole's own sds stand in Sole.
  double free_moment_sd = 0.005;  ///< [m] moment about the force's line, over the vertical force
  double foot_correlation = 1.2;  ///< [s] of force direction, centre of pressure and free moment
  // Load.
  double load_sd_raised = 0.004;        ///< [1] share that a raised foot carries
  double load_sd_touching = 6.0;        ///< [1] share that a touching foot may carry: no knowledge
  double load_correlation = 0.05;       ///< [s]
  double difference_sd = 1.5;           ///< [1] share by which two feet differ
  double difference_correlation = 0.3;  ///< [s]
  double shift_rate_quiet = 0.25;       ///< [1/√s] random walk of the difference of two feet's loads
  double shift_rate_step = 5.0;         ///< [1/√s] the same near a step
  double step_window = 0.3;             ///< [s] how near
  double force_floor = 0.02;            ///< [1] share that stands for the vertical force where it is small
  // At a strike or toe-off forces change within hundredths of a second, which a low-passed motion does not hold. What
  // follows is in the covariance, not in the wrenches.
  double step_time = 0.2;              ///< [s] before and after one, fading as a cosine
  double step_correlation = 0.05;      ///< [s] of direction, pressure and free moment of the foot that steps
  double step_spread = 0.5;            ///< [1] by which their sds grow, as a share of themselves
  double step_share_up = 0.1;          ///< [1] sd of the motion's total force, vertical, as a share
  double step_share_forward = 0.05;    ///< [1] the same forward
  double step_share_sideways = 0.025;  ///< [1] the same sideways
  // A third contact: a chair, a wall, a hand.
  bool hidden_contact = false;       ///< whether one may be
  double hidden_behind = 0.08;       ///< [m] from the centre of mass backwards to where it is expected
  double hidden_location_sd = 0.06;  ///< [m] of that place, both ways
  double hidden_sd_still = 0.5;      ///< [1] share that it carries while the body stands still
  double hidden_sd_moving = 0.005;   ///< [1] share that it carries in any case
  double hidden_speed = 0.5;         ///< [m/s] horizontal speed of the centre of mass of a body that moves on
  double hidden_lean_sd = 0.001;     ///< [1] of its horizontal force, over the vertical one
  double hidden_correlation = 0.5;   ///< [s]
  double hidden_z = 3.0;             ///< [sd] above zero: it is seen
  double hidden_z_end = 1.645;       ///< [sd] above zero: what was seen is not gone yet
  double hidden_shortest = 0.3;      ///< [s] that it is seen at least
  // Solver.
  int most_iterations = 200;  ///< [1] Gauss–Newton steps
  double tolerance = 1e-10;   ///< [1] decrease of the cost per row of the problem at which it has converged
};
ANTAEUS_API const OptionTable& options_of(const SplitOptions&);

/// Of one foot, one row a time.
struct FootWrenches {
  std::string name;
  MatrixX mean;                     ///< rows × (Fx Fy Fz Mx My Mz) [N, N·m]
  MatrixX lower, upper;             ///< rows × 6, ends of the 95 % intervals
  std::vector<Matrix6> covariance;  ///< of a row's wrench [N², N·N·m, (N·m)²]
  MatrixX reference;                ///< rows × 3, point of the ground below the expected centre of pressure [m]
};

/// What two feet share. The squeeze is the horizontal force by which both press against each other along the line that
/// joins them: ½ d·(f_a − f_b), d the horizontal unit vector from a to b; positive: each is pushed towards the other.
/// No motion shows it, since it cancels in the sum.
struct FootPair {
  int a = 0, b = 0;                 ///< indices of the feet
  std::vector<Matrix6> covariance;  ///< E[(w_a − mean)(w_b − mean)ᵀ] of each row
  MatrixX direction;                ///< rows × 3, d
  VectorX squeeze, squeeze_sd;      ///< [N], one a row
};

/// A contact that was not among the feet, over an interval in which it is certain.
struct HiddenContact {
  double from = kNaN, to = kNaN;
  Vector3 place{kNaN, kNaN, kNaN};
  double place_sd = kNaN;
  double size = kNaN, sd = kNaN, lower = kNaN;
  double z = kNaN;
};
constexpr void visit_fields(const HiddenContact*, auto&& visit) {
  using H = HiddenContact;
  visit(field("from", "s", "", &H::from));
  visit(field("to", "s", "", &H::to));
  visit(field("place", "m", "on the ground below it, mean over the interval", &H::place));
  visit(field("place_sd", "m", "of each horizontal coordinate", &H::place_sd));
  visit(field("size", "N", "mean vertical force over the interval; drawn towards 0 by what is expected", &H::size));
  visit(field("size_sd", "N", "", &H::sd));
  visit(field("lower_bound", "N", "what it carries at least, on average, with 95 % probability", &H::lower));
  visit(field("z", "1", "largest of the trace's z", &H::z));
}

/// The hidden contact in every row, also where it is not certain.
struct HiddenTrace {
  VectorX force;                    ///< vertical, on the body [N]
  VectorX sd;                       ///< of it, with what an error of the place does to it [N]
  VectorX z;                        ///< force over its sd at that place: how certain it is that something touches
  VectorX lower;                    ///< one-sided 95 % bound of the force, at least 0 [N]
  MatrixX place;                    ///< rows × 3, below it on the ground [m]
  VectorX place_sd;                 ///< [m]
  std::vector<HiddenContact> seen;  ///< intervals
  double resolution = kNaN;         ///< median of sd [N]: a smaller touch is not in the motion
};

struct ANTAEUS_API ContactPosterior {
  Status status = Status::not_computed;  ///< `not_computed` where no solution was found; the numbers are then NaN
  std::string remark;                    ///< what was left out, or why there is no answer; empty: nothing
  int iterations = 0;
  bool converged = false;
  double cost = kNaN;  ///< of the solution, ½ Σ squares, without steps
  VectorX time;        ///< [s]
  int up = 2;          ///< vertical axis
  std::vector<FootWrenches> feet;
  std::vector<FootPair> pairs;  ///< all pairs of feet
  VectorX nis;                  ///< sum of squared deviations of a row; large where the feet cannot explain it
  int nis_dof = 0;              ///< what it is on average, at most
  std::vector<std::string> unobservable;  ///< directions that the motion does not hold, by name
  HiddenTrace hidden;                     ///< empty unless SplitOptions::hidden_contact
};

/// \param timing  of the same rows and feet
/// \throws Error for sizes that do not fit and more than ten contacts, OptionsError, EpisodeError for a motion without
/// weight
ANTAEUS_API ContactPosterior split_contacts(const TotalMotion& motion, const ContactTiming& timing,
                                            const Sole& sole = {}, const SplitOptions& options = {});

}  // namespace antaeus
