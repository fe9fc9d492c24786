#include <gtest/gtest.h>

#include "antaeus/space/published_scheme.hpp"
#include "space/flying_rig.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

TEST(FlyingControlRealtime, NoAllocationInAnyLawOrTier) {
  for (const char* robot : {"spacecraft_ur3", "spacecraft_panda"}) {
    for (const FlyingLaw law : {FlyingLaw::regulator, FlyingLaw::tracker, FlyingLaw::carried}) {
      SCOPED_TRACE(std::string(robot) + " " + std::string(to_string(law)));
      FlyingControlSetup setup;
      setup.control.law = law;
      setup.joints.torque_rate = 100.0;
      setup.base.thruster_force = 1.0;
      setup.base.wheel_torque = 1.0;
      test::Rig rig(robot, setup);
      const RobotModel& model = rig.flight.model();
      test::RandomStates random(6161);
      const int n = rig.flying.joints();
      FlyingReference reference = test::here(rig.flying, test::ready(robot, model));
      for (int i = 0; i < 60; ++i) {
        VectorX q = i % 6 == 0 ? model.neutral() : random.configuration(model), v = random.vector(6 + n);
        const VectorX posture = random.vector(i % 9 == 8 ? 3 : n);
        if (i % 5 == 3) v[2] = kNaN;
        if (i % 7 == 6) q.conservativeResize(4);
        reference.com.position.x() = i % 11 == 10 ? kNaN : 0.1;
        test::AllocationCounter counter;
        rig.control.update(q, v, reference, i % 13 == 12 ? -1.0 : 1e-3);
        rig.control.set_posture(posture);
        if (i % 17 == 16) rig.control.reset();
        ASSERT_EQ(counter.count(), 0) << "state " << i;
      }
    }
  }
}

TEST(FlyingControlRealtime, NoAllocationInThePublishedScheme) {
  for (const char* robot : {"spacecraft_ur3", "spacecraft_panda"}) {
    for (const FlyingLaw law : {FlyingLaw::tracker, FlyingLaw::regulator}) {
      FlyingScheme own;
      own.control.control.law = law;
      const FlyingScheme scheme = published_scheme(own);
      const RobotModel model = test::own_robot(robot).model;
      FlyingControl control(test::flyer(robot, scheme.flyer), test::ready(robot, model), scheme.control);
      FreeFlyer flying = test::flyer(robot);
      test::RandomStates random(6262);
      const FlyingReference reference = test::here(flying, test::ready(robot, model));
      for (int i = 0; i < 60; ++i) {  // neutral is singular: held, and frozen
        const VectorX q = i % 3 == 0 ? model.neutral() : random.configuration(model), v = random.vector(model.nv());
        test::AllocationCounter counter;
        control.update(q, v, reference, 1e-3);
        ASSERT_EQ(counter.count(), 0) << robot << " " << to_string(law) << ", state " << i;
      }
    }
  }
}

}  // namespace
}  // namespace antaeus
