#include <gtest/gtest.h>

#include "antaeus/robot/point_jacobian.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

using test::AllocationCounter;
using test::RandomStates;

/// Every function that the headers of the module mark \realtime, on good input and on bad.
void expect_no_allocation(const std::string& name) {
  const RobotModel model = test::own_robot(name).model;
  Dynamics dynamics(model);
  RandomStates random(601);
  SCOPED_TRACE(name + ", " + random.text());
  const int nv = model.nv();
  const FrameId frame{nv / 2};
  VectorX out(nv), q_full(model.nq()), motor(model.motor_count());
  MatrixX square(nv, nv), regressor(nv, 10 * model.body_count());
  Matrix6X J(6, nv), J_dot(6, nv);
  Pose X;
  Vector3 p_WC;
  Vector6 drift;
  const Eigen::Vector4d xyzw(0.0, 0.0, 0.0, 1.0);
  for (int i = 0; i < 50; ++i) {
    VectorX q = random.configuration(model);
    VectorX v = random.vector(nv), a = random.vector(nv);
    const VectorX q_motor = random.vector(model.motor_count());
    if (i % 5 == 3) q[0] = std::nan("");
    if (i % 5 == 4) v.conservativeResize(nv - 1);
    AllocationCounter counter;
    const PositionTerms terms = dynamics.at(q);
    terms.gravity_torque(out);
    terms.frame_pose(frame, X);
    terms.frame_jacobian(frame, J);
    point_jacobian(terms, frame, Vector3(0.1, -0.2, 0.3), PointIn::world, J);
    point_jacobian(terms, frame, Vector3(0.1, -0.2, 0.3), PointIn::frame, J);
    terms.center_of_mass(p_WC);
    terms.center_of_mass_jacobian(J.topRows<3>());
    terms.nonlinear_effects(v, out, frame, drift);
    terms.mass_matrix(square);
    const VelocityTerms moving = dynamics.at(q, v);
    moving.coriolis_matrix(square);
    moving.frame_velocity(frame, drift);
    moving.frame_jacobian(frame, J, J_dot);
    moving.position().mass_matrix(square);
    dynamics.inverse_dynamics(q, v, a, out);
    dynamics.inverse_dynamics_regressor(q, v, a, regressor);
    dynamics.forward_dynamics(q, v, a, out);
    dynamics.nonlinear_effects(q, v, out);
    dynamics.mass_matrix(q, square);
    dynamics.coriolis_matrix(q, v, square);
    model.position_from_motors(q_motor, xyzw, q_full);
    model.select_motor_rows(a, motor);
    ASSERT_EQ(counter.count(), 0) << "state " << i;
  }
}

TEST(DynamicsRealtime, NoAllocationOnTheH1_2) { expect_no_allocation("h1_2"); }
TEST(DynamicsRealtime, NoAllocationOnThePlanarArm) { expect_no_allocation("planar_3r"); }

}  // namespace
}  // namespace antaeus
