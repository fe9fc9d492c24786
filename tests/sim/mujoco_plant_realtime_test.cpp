#include <gtest/gtest.h>

#include "antaeus/sim/mujoco_plant.hpp"
#include "sim/scenes.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

void expect_no_allocation(const MujocoScene& scene, const std::string& site, const VectorX& q, const VectorX& tau) {
  MujocoPlant plant(scene, {.site = site}, {.coulomb = 0.1, .force_noise = 0.1, .delay = 0.002});
  ASSERT_EQ(plant.reset(q), Status::ok);
  const VectorX bad = VectorX::Constant(q.size(), kNaN);
  int contacts = 0;
  test::AllocationCounter counter;
  for (int i = 0; i < 500; ++i) {
    plant.push({Vector3(1.0, 0.0, i % 50 == 0 ? 5.0 : 0.0), Vector3::Zero()});
    plant.step(tau);
    contacts += plant.truth().contacts;
    if (i % 100 == 99) plant.step(bad);
    if (i == 300) plant.reset(q);
  }
  EXPECT_EQ(counter.count(), 0);
  EXPECT_GT(contacts, 0);
}

TEST(MujocoPlantRealtime, NoAllocationOfThePusher) {
  SceneDescription scene = test::scene_of(test::kPusherMjcf);
  scene.table = SceneTable{};
  scene.force_sensor_site = "ankle";
  expect_no_allocation(MujocoScene(scene), "sole", VectorX::Constant(2, -0.07), VectorX::Constant(2, -5.0));
}

TEST(MujocoPlantRealtime, NoAllocationOfTheUr5eThatFallsOnTheTable) {
  VectorX q(6);
  q << -1.5708, -1.5708, 1.5708, -1.5708, -1.5708, 0.0;
  expect_no_allocation(MujocoScene(ur5e_scene({.gripper = ToolJoints::real})), "fingertip", q, VectorX::Zero(6));
}

TEST(SceneRobotRealtime, NoAllocationOfSceneOrder) {
  const MujocoScene scene(test::scene_of(test::kMixedMjcf));
  const RobotModel model = mujoco_robot(scene).model();
  const SceneOrder order(scene, model);
  test::RandomStates random(1404);
  const VectorX q = random.configuration(model), v = random.vector(15), a = random.vector(15);
  VectorX qpos(16), qvel(15), qacc(15), q_back(16), v_back(15);
  test::AllocationCounter counter;
  order.to_scene(q, v, qpos, qvel);
  order.to_robot(qpos, qvel, q_back, v_back);
  order.acceleration_to_scene(q, v, a, qacc);
  order.acceleration_to_robot(q, v, qacc, v_back);
  order.force_to_scene(q, a, qacc);
  order.force_to_robot(q, qacc, v_back);
  EXPECT_EQ(counter.count(), 0);
}

}  // namespace
}  // namespace antaeus
