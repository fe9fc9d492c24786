#include <gtest/gtest.h>

#include "space/space_robots.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

TEST(FreeFlyerRealtime, NoAllocationWithSixJointsOrSevenInAnyTier) {
  for (const char* name : {"spacecraft_ur3", "spacecraft_panda"}) {
    SCOPED_TRACE(name);
    FreeFlyer flying = test::flyer(name);
    test::RandomStates random(1511);
    const int nv = flying.model().nv();
    Vector6 twist;
    MatrixX Gamma(12, nv);
    Matrix6X J(6, nv - 6);
    for (int i = 0; i < 60; ++i) {
      VectorX q = i % 4 == 0 ? flying.model().neutral() : random.configuration(flying.model()), v = random.vector(nv);
      if (i % 5 == 3) v[2] = std::nan("");
      if (i % 7 == 6) q.conservativeResize(4);
      test::AllocationCounter counter;
      flying.at(q, v);
      flying.twist(flying.frame(), TwistAxes::world, twist);
      flying.motion_at(q, v);
      flying.conditioning_at(q);
      flying.gamma(q, Gamma);
      flying.j_plus(q, J);
      if (i % 11 == 10) flying.reset();
      ASSERT_EQ(counter.count(), 0) << "state " << i;
    }
  }
}

}  // namespace
}  // namespace antaeus
