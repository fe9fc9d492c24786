#include <gtest/gtest.h>

#include "space/flying_rig.hpp"
#include "space/tolerances.hpp"

namespace antaeus {
namespace {

constexpr const char* kPanda = "spacecraft_panda";

struct Seven {
  test::FlyingErrors errors;
  double null_speed, posture, drift;  // v_n; what of θ − θ_p lies in the kernel; how far the joints went [rad]
};

/// Starts off the target and with null motion.
Seven fly(FlyingLaw law, bool has_posture, double null_damping, double duration) {
  FlyingControlSetup setup;
  setup.control.law = law;
  setup.control.null_damping = null_damping;
  if (null_damping == 0.0) setup.control.joint_damping = 0.0;
  test::Rig rig(kPanda, setup, 4e-3);
  const RobotModel& model = rig.flight.model();
  const VectorX q = test::ready(kPanda, model);
  FlyingReference goal = test::here(rig.flying, q);
  goal.end_effector.X_WE.translation += Vector3(0.04, -0.03, 0.05);
  goal.com.position += Vector3(0.03, 0.02, -0.02);
  VectorX v = VectorX::Zero(13), theta = q.tail(7);
  v.tail(7) = 0.2 * rig.flying.at(q, v).null.n_hat;
  EXPECT_EQ(rig.flight.reset(q, v), Status::ok);
  theta[0] += 0.3;
  theta[2] -= 0.3;
  theta[4] += 0.2;
  if (has_posture) {
    EXPECT_EQ(rig.control.set_posture(theta), Status::ok);
  }
  rig.run(duration, [&](double) { return goal; }, [&](const FlyingCommand& c) { ASSERT_EQ(c.status, Status::ok); });
  const FreeFlyingTerms& t = rig.control.terms();
  return {test::errors_of(rig.control.last()), std::abs(t.null.v_n),
          std::abs(t.null.n_hat.dot(rig.flight.q().tail(7) - theta)),
          test::largest(rig.flight.q().tail(7) - q.tail(7))};
}

void print(FlyingLaw law, const char* what, const Seven& s) {
  std::cout << to_string(law) << ", " << what << ": errors " << s.errors.x_c << " " << s.errors.x_b << " "
            << s.errors.x_p << " " << s.errors.x_o << ", v_n " << s.null_speed << ", posture " << s.posture
            << ", joints moved " << s.drift << "\n";
}

TEST(FlyingSeven, PostureIsTakenUpWhileTheEndEffectorReachesItsTarget) {
  for (const FlyingLaw law : {FlyingLaw::regulator, FlyingLaw::tracker, FlyingLaw::carried}) {
    SCOPED_TRACE(to_string(law));
    const Seven with = fly(law, true, 2.0, 20.0);
    print(law, "posture", with);
    EXPECT_LT(std::max({with.errors.x_c, with.errors.x_b, with.errors.x_p, with.errors.x_o}), tolerance::kSevenReached);
    EXPECT_LT(with.posture, tolerance::kPosture);
    EXPECT_LT(with.null_speed, tolerance::kPosture);
  }
}

/// A regulator for six of seven joints leaves the seventh motion to itself: it goes on, and its coupling leaves an
/// error.
TEST(FlyingSeven, WithoutNullDampingTheRegulatorDriftsAway) {
  const Seven none = fly(FlyingLaw::regulator, false, 0.0, 15.0), damped = fly(FlyingLaw::regulator, false, 2.0, 15.0);
  print(FlyingLaw::regulator, "no damping", none);
  print(FlyingLaw::regulator, "damping", damped);
  EXPECT_GT(none.null_speed, 0.02);
  EXPECT_LT(damped.null_speed, tolerance::kPosture);
  EXPECT_GT(none.errors.x_p, 5.0 * damped.errors.x_p);
  EXPECT_GT(none.drift, 0.5);
}

}  // namespace
}  // namespace antaeus
