#include <gtest/gtest.h>

#include "robot/test_robots.hpp"
#include "robot/tolerances.hpp"
#include "support/largest.hpp"

namespace antaeus {
namespace {

using test::largest;
using test::RandomStates;

/// Our own description of the H1-2 against the published one that the incident report computes with.
TEST(H1_2Parity, OursIsThePublishedRobot) {
  ANTAEUS_REQUIRE_SHARED("robots/h1_2/h1_2_handless.urdf");
  const Robot ours = test::own_robot("h1_2");
  RobotProfile other = ours.profile;
  other.model = test::shared_folder() / "robots" / "h1_2" / "h1_2_handless.urdf";
  for (const Base base : {Base::free_flyer, Base::fixed}) {
    other.options.base = base;
    const RobotModel published = make_robot(other, MeshPolicy::ignored).model;
    ModelOptions options = ours.profile.options;
    options.base = base;
    const RobotModel model(ours.model.description(), options);
    const bool floating = base == Base::free_flyer;
    ASSERT_EQ(model.nq(), floating ? 34 : 27);
    ASSERT_EQ(model.nv(), floating ? 33 : 27);
    ASSERT_EQ(published.nq(), model.nq());
    ASSERT_EQ(published.nv(), model.nv());
    EXPECT_NEAR(published.total_mass(), 66.984, 5e-4 * tolerance::scale());
    EXPECT_NEAR(model.total_mass(), published.total_mass(), tolerance::kModelParity);
    EXPECT_EQ(model.motor_rows(), published.motor_rows());
    EXPECT_EQ(model.lower_limits(), published.lower_limits());
    EXPECT_EQ(model.upper_limits(), published.upper_limits());
    EXPECT_EQ(model.effort_limits(), published.effort_limits());

    Dynamics dynamics(model), reference(published);
    const int nv = model.nv();
    MatrixX M(nv, nv), M_reference(nv, nv);
    VectorX g(nv), g_reference(nv);
    Matrix6X J(6, nv), J_reference(6, nv);
    double worst_M = 0, worst_g = 0, worst_J = 0, worst_pose = 0;
    RandomStates random(401);
    SCOPED_TRACE(random.text());
    for (int i = 0; i < 1000; ++i) {
      const VectorX q = random.configuration(model);
      ASSERT_EQ(dynamics.mass_matrix(q, M), Status::ok);
      ASSERT_EQ(reference.mass_matrix(q, M_reference), Status::ok);
      worst_M = std::max(worst_M, largest(M - M_reference));
      const PositionTerms terms = dynamics.at(q), reference_terms = reference.at(q);
      ASSERT_EQ(terms.gravity_torque(g), Status::ok);
      ASSERT_EQ(reference_terms.gravity_torque(g_reference), Status::ok);
      worst_g = std::max(worst_g, largest(g - g_reference));
      for (const Endpoint& endpoint : ours.profile.endpoints) {
        Pose X, X_reference;
        ASSERT_EQ(terms.frame_jacobian(model.frame(endpoint.frame), J), Status::ok);
        ASSERT_EQ(reference_terms.frame_jacobian(published.frame(endpoint.frame), J_reference), Status::ok);
        ASSERT_EQ(terms.frame_pose(model.frame(endpoint.frame), X), Status::ok);
        ASSERT_EQ(reference_terms.frame_pose(published.frame(endpoint.frame), X_reference), Status::ok);
        worst_J = std::max(worst_J, largest(J - J_reference));
        worst_pose = std::max(
            {worst_pose, largest(X.rotation - X_reference.rotation), largest(X.translation - X_reference.translation)});
      }
    }
    EXPECT_LE(worst_M, tolerance::kModelParity);
    EXPECT_LE(worst_g, tolerance::kModelParity);
    EXPECT_LE(worst_J, tolerance::kModelParity);
    EXPECT_LE(worst_pose, tolerance::kModelParity);
  }
}

}  // namespace
}  // namespace antaeus
