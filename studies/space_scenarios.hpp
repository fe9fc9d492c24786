#pragma once
// The flights, one function each; space_flight.cpp lists them by name.
#include "studies/space_run.hpp"

namespace antaeus {

/// What every scenario begins with.
struct FlightSetup {
  const SpaceRequest& request;
  FlightOptions options;
  FlyingRobot robot;
  VectorX theta;  // where the arm is planned to begin [n]
  VectorX q;      // the same with the base at the world's origin, upright
};

ExperimentResult fly_pose_change(const FlightSetup& setup);
ExperimentResult fly_tracking(const FlightSetup& setup);
ExperimentResult fly_inspection(const FlightSetup& setup);
ExperimentResult fly_tumble(const FlightSetup& setup);
ExperimentResult fly_singular(const FlightSetup& setup);
ExperimentResult fly_posture(const FlightSetup& setup);

}  // namespace antaeus
