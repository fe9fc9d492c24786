#pragma once
/// \file
/// What is known of the wrenches under feet beyond their sum: the numbers of contact_posterior.hpp.

#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"

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
  // A third contact: a chair, a wall, a hand.
  bool hidden_contact = false;      ///< whether one may be
  double hidden_behind = 0.08;      ///< [m] from the centre of mass backwards to where it is expected
  double hidden_place_sd = 0.06;    ///< [m] of that place, both ways
  double hidden_sd_still = 0.5;     ///< [1] share that it carries while the body stands still
  double hidden_sd_moving = 0.005;  ///< [1] share that it carries in any case
  double hidden_speed = 0.5;        ///< [m/s] horizontal speed of the centre of mass of a body that moves on
  double hidden_lean_sd = 0.001;    ///< [1] of its horizontal force, over the vertical one
  double hidden_correlation = 0.5;  ///< [s]
  double hidden_z = 3.0;            ///< [sd] above zero: it is seen
  double hidden_z_end = 1.645;      ///< [sd] above zero: what was seen is not gone yet
  double hidden_shortest = 0.3;     ///< [s] that it is seen at least
  // Solver.
  int most_iterations = 200;  ///< [1] Gauss–Newton steps
  double tolerance = 1e-10;   ///< [1] decrease of the cost per row of the problem at which it has converged
};
ANTAEUS_API const OptionTable& options_of(const SplitOptions&);

}  // namespace antaeus
