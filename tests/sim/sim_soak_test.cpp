// The plant of simulations, step by step, with torques and pushes that go wrong at random.
#include <gtest/gtest.h>

#include "antaeus/sim/mujoco_plant.hpp"
#include "sim/scenes.hpp"
#include "support/faulty_cycles.hpp"

namespace antaeus {
namespace {

using test::Faults;
using test::Told;

TEST(SimSoak, APlantThatIsGivenWhatIsNoTorque) {
  SceneDescription scene = test::scene_of(test::kPusherMjcf);
  scene.table = SceneTable{};
  scene.force_sensor_site = "ankle";
  MujocoPlant plant(MujocoScene(scene), {.site = "sole"}, {.coulomb = 0.1, .force_noise = 0.1, .delay = 0.002});
  const VectorX start = VectorX::Constant(2, -0.07);
  ASSERT_EQ(plant.reset(start), Status::ok);
  VectorX tau(2);
  Wrench push;
  Status stepped = Status::ok, pushed = Status::ok;
  bool finite = true;
  test::soak_faulty_cycles(
      "MujocoPlant", {.seed = 3631, .sample = 4000},
      [&](Faults& faults) {
        tau.resize(2);
        faults.fill(tau, 5.0);
        push = {};
        faults.spoil(tau);
        faults.spoil_entry(push.force);
      },
      [&] {
        pushed = plant.push(push);
        stepped = plant.step(tau);
        const PlantTruth& truth = plant.truth();
        finite = truth.qpos.allFinite() && truth.qvel.allFinite() && truth.tau.allFinite();
        // What is a number and larger than any motor's is far beyond the scene: begin anew.
        if (stepped != Status::ok || tau.cwiseAbs().maxCoeff() > 5.0 || push.force.norm() > 0.0) plant.reset(start);
      },
      [&] {
        Told told(stepped == Status::ok, finite);
        told.add(pushed == Status::ok, true);
        return told;
      });
}

}  // namespace
}  // namespace antaeus
