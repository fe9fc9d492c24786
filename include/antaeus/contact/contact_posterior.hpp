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
/// The answer is the point of least cost, and the covariance that of the linearised problem. Give a motion that was
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
#include "antaeus/contact/split_options.hpp"
#include "antaeus/contact/total_motion.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/status.hpp"

namespace antaeus {

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
  double from = kNaN, to = kNaN;    ///< [s]
  Vector3 place{kNaN, kNaN, kNaN};  ///< on the ground below it, mean over the interval [m]
  double place_sd = kNaN;           ///< of each horizontal coordinate [m]
  double size = kNaN;               ///< mean vertical force over the interval [N]; drawn towards 0 by what is expected
  double sd = kNaN;                 ///< of it [N]
  double lower = kNaN;              ///< what it carries at least, on average, with 95 % probability [N]
  double z = kNaN;                  ///< largest of the trace's z
};

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
  double cost = kNaN;  ///< of the solution, ½ Σ squares
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
