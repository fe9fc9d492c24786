// What predicts torques from an identified pose, cycle by cycle, with poses that go wrong at random.
#include <gtest/gtest.h>

#include "antaeus/identification/held/held_pose.hpp"
#include "identification/held_stretches.hpp"
#include "support/faulty_cycles.hpp"

namespace antaeus {
namespace {

using test::Faults;
using test::Told;

TEST(IdentificationSoak, HeldPosePredictorAndGravityRegressor) {
  const Robot robot = test::own_robot("panda");
  test::Noise normal(3);
  std::vector<HeldStretch> stretches;
  for (int run = 0; run < 3; ++run) stretches.push_back(test::drawn_stretch(robot, run, 1.0, normal));
  HeldPosePredictor predictor(robot.model, fit_held_pose(robot, {}, stretches, {.ridge = true}));
  Dynamics dynamics(robot.model);
  const auto m = std::ssize(predictor.noise().motors);
  const VectorX home = robot.model.neutral();
  VectorX q = home, mean(m);
  MatrixX R(m, m);
  Vector3 free_fall;
  double share = 0.0;
  Status status = Status::ok;
  test::soak_faulty_cycles(
      "HeldPosePredictor", {.seed = 3641, .sample = 6000},
      [&](Faults& faults) {
        q.resize(home.size());
        faults.fill(q, 0.3);
        q += home;
        free_fall = robot.model.gravity();
        share = 0.0;
        faults.spoil(q);
        faults.spoil_entry(free_fall);
        faults.spoil(share);
      },
      [&] { status = predictor.predict(dynamics.at(q), free_fall, share, mean, R); },
      [&] { return Told(status == Status::ok, mean.allFinite() && !R.hasNaN() && R.diagonal().minCoeff() > 0.0); });
}

}  // namespace
}  // namespace antaeus
