// The quality of poses, one after the other, with positions and orientations that go wrong at random.
#include <gtest/gtest.h>

#include "antaeus/pose/pose_quality.hpp"
#include "robot/test_robots.hpp"
#include "support/faulty_cycles.hpp"

namespace antaeus {
namespace {

using test::Faults;
using test::Told;

TEST(PoseSoak, QualityOfPosesThatAreNone) {
  const Robot robot = test::own_robot("h1_2");
  PoseQuality quality(robot, test::kWrists);
  const VectorX home = robot.pose("zero");
  VectorX q = home;
  Eigen::Vector4d imu;
  test::soak_faulty_cycles(
      "PoseQuality", {.seed = 3611, .sample = 1500},
      [&](Faults& faults) {
        q.resize(home.size());
        faults.fill(q, 0.3);
        q += home;
        imu << 0.0, 0.0, 0.0, 1.0;
        faults.spoil_quaternion(imu);
        faults.spoil(q);
      },
      [&] { quality.evaluate(q, {}, &imu); },
      [&] {
        Told told;
        for (const PoseConditioning& one : quality.results()) {
          told.add(one.status == Status::ok, one.gain.allFinite() && one.phantom.allFinite() &&
                                                 !std::isnan(quality.value(one, PoseQuantity::sd)) &&
                                                 !std::isnan(quality.value(one, PoseQuantity::sd_moving)));
        }
        return told;
      });
}

}  // namespace
}  // namespace antaeus
