#pragma once
// What the flights share: the loop of plant and controller, what is counted along it, and how a result is made of it.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antaeus/core/progress.hpp"
#include "antaeus/space/flying_control.hpp"
#include "antaeus/space/initial_configuration.hpp"
#include "studies/arm_rig.hpp"
#include "studies/space_flight.hpp"
#include "studies/space_robot.hpp"

namespace antaeus {

/// All options of a flight, as they are used.
struct FlightOptions {
  SpaceChoice space;
  FreeFlyerOptions flyer;
  FlyingControlSetup control;
  FreeFlyerOptions own_flyer;  // of laws that are not flown as published
  InitialOptions initial;
  DeterministicOptions det;
  bool compares = true;
};
FlightOptions flight_options(const SpaceRequest& request);

/// What is flown.
struct FlightPlan {
  VectorX q, v;             // of the plant at the start
  VectorX q_gains;          // where the gains are taken from
  double duration;          // [s]
  VectorX posture;          // seven joints: what the null motion takes up; empty: none
  double free_until = 0.0;  // until then nothing is controlled, the joints are only braked [s]
  // The reference of an instant; the state is for plans that begin where the robot is.
  std::function<FlyingReference(double time)> reference;
  // Called when the control begins, with the terms of that state.
  std::function<void(const FreeFlyingTerms& terms)> begin = {};
  std::function<bool(double time)> is_near = {};  // when `near_torque_max` counts
};

/// What came out, over the whole flight unless the name says `end`.
struct FlightFigures {
  double base_force_max = 0.0, base_torque_max = 0.0, joint_torque_max = 0.0;
  double com_error = kNaN, base_error = kNaN, position_error = kNaN, rotation_error = kNaN;  // at the end
  double com_error_max = 0.0, base_error_max = 0.0, position_error_max = 0.0, rotation_error_max = 0.0;
  double momentum_drift = 0.0;
  double momentum_linear_end = kNaN, momentum_angular_end = kNaN;
  double sigma_min = kInfinity;                  // of Γ
  double exact = 0.0, damped = 0.0, held = 0.0;  // shares of the cycles
  double inverse_step = 0.0;                     // largest change of the law's J# in a cycle, 2-norm
  double near_torque_max = 0.0;                  // while FlightPlan::is_near
  double torque_step = 0.0;                      // largest change of a joint's torque in a cycle
  double energy_rise = 0.0;                      // largest rise of V − ∫ supply
  double back_after = kNaN;     // [s] from `back_from` on: since then within 1 mm and 5 mrad; NaN: not at the end
  double limited = 0.0;         // share of the cycles
  double posture_error = kNaN;  // at the end
  double wheel_momentum_max = 0.0;
  int coasted = 0;  // cycles without control
};

struct FlightRun {
  FlightFigures figures;
  std::optional<SampleLog> log;
  std::vector<PhaseChange> phases;
};

/// \param back_from  time from which `back_after` counts
FlightRun fly(const FlyingRobot& robot, const FlightPlan& plan, const FlightOptions& options, FlightPlant plant,
              bool is_logged, double back_from, const Progress& progress = {});

/// Metrics, plots, samples, replay, settings, remarks: all but the story. The flight's own metrics come first.
ExperimentResult flight_result(const FlyingRobot& robot, const SpaceRequest& request, const FlightOptions& options,
                               FlightRun run);
/// The eight metrics that every flight has, without criteria.
std::vector<Metric> flight_metrics(const FlightFigures& figures);

/// Rows of a comparison: the same flight under other laws, and in the other simulator.
Comparison compare_flights(const FlyingRobot& robot, const FlightPlan& plan, const FlightOptions& options,
                           const SpaceRequest& request, const FlightFigures& main, double back_from,
                           std::vector<std::string>& remarks, const Progress& progress);

}  // namespace antaeus
