// What room robot computes once a cycle, with inputs that go wrong at random.
#include <gtest/gtest.h>

#include "antaeus/robot/instant.hpp"
#include "antaeus/robot/self_collision.hpp"
#include "antaeus/robot/torque_limits.hpp"
#include "support/faulty_samples.hpp"
#include "support/made_up_noise.hpp"

namespace antaeus {
namespace {

using test::Faults;
using test::soak_faulty_cycles;
using test::Told;

void soak_instants(const char* name, const std::string& pose, unsigned seed) {
  const Robot robot = test::own_robot(name);
  const std::string frame = robot.profile.endpoints.front().frame;
  InstantReader reader(robot, {frame});
  test::FaultySamples samples(
      robot, pose.empty() ? VectorX::Constant(robot.model.motor_count(), 0.3).eval() : robot.pose(pose));
  VectorX tilt(robot.model.nv());
  Status tilted = Status::not_computed;
  soak_faulty_cycles(
      std::string("InstantReader of ") + name, {.seed = seed}, [&](Faults& faults) { samples.next(faults); },
      [&] { tilted = tilt_torque(reader.at(samples.sample), robot.model.gravity(), 0, tilt); },
      [&] {
        const Instant& now = reader.instant();
        const bool ok = now.status() == Status::ok;
        Told told(ok, now.torque().allFinite() && now.gravity_torque().allFinite() &&
                          now.static_residual().allFinite() && now.jacobian(0).allFinite() &&
                          now.pose(0).translation.allFinite());
        told.add(now.motion_status() == Status::ok, now.observation().v.allFinite() && now.observation().a.allFinite());
        EXPECT_EQ(tilted == Status::ok, ok);
        told.add(tilted == Status::ok, tilt.allFinite());
        return told;
      });
}

TEST(RobotSoak, InstantReaderOfAHumanoid) { soak_instants("h1_2", "zero", 3511); }
TEST(RobotSoak, InstantReaderOfAnArm) { soak_instants("panda", "", 3512); }

TEST(RobotSoak, Dynamics) {
  const RobotModel model = test::own_robot("ur5e").model;
  const int n = model.nv();
  Dynamics dynamics(model);
  VectorX q(n), v(n), a(n), tau(n), h(n), g(n), back(n);
  MatrixX M(n, n), C(n, n);
  Matrix6X J(6, n);
  Vector3 p;
  Status id = Status::ok, fd = id, ne = id, mm = id, cm = id, gt = id, fj = id, com = id;
  const FrameId tool = model.frame("tool0");
  soak_faulty_cycles(
      "Dynamics", {.seed = 3513},
      [&](Faults& faults) {
        for (VectorX* one : {&q, &v, &a}) {
          one->resize(n);
          faults.fill(*one, 2.0);
          faults.spoil(*one);
        }
      },
      [&] {
        id = dynamics.inverse_dynamics(q, v, a, tau);
        fd = dynamics.forward_dynamics(q, v, a, back);
        ne = dynamics.nonlinear_effects(q, v, h);
        cm = dynamics.coriolis_matrix(q, v, C);
        const PositionTerms now = dynamics.at(q);
        mm = now.mass_matrix(M);
        gt = now.gravity_torque(g);
        fj = now.frame_jacobian(tool, J);
        com = now.center_of_mass(p);
      },
      [&] {
        Told told(id == Status::ok, tau.allFinite());
        told.add(fd == Status::ok, back.allFinite());
        told.add(ne == Status::ok, h.allFinite());
        told.add(cm == Status::ok, C.allFinite());
        told.add(mm == Status::ok, M.allFinite());
        told.add(gt == Status::ok, g.allFinite());
        told.add(fj == Status::ok, J.allFinite());
        told.add(com == Status::ok, p.allFinite());
        return told;
      });
}

TEST(RobotSoak, TorqueLimits) {
  const int n = 7;
  TorqueLimits limits(VectorX::Constant(n, 40.0), VectorX::Constant(n, 500.0), 0.001);
  VectorX wanted(n);
  soak_faulty_cycles(
      "TorqueLimits", {.seed = 3514},
      [&](Faults& faults) {
        wanted.resize(n);
        faults.fill(wanted, 60.0);
        faults.spoil(wanted);
      },
      [&] { limits.apply(wanted); },
      [&] {
        const LimitedTorque& last = limits.last();
        return Told(last.status == Status::ok,
                    last.tau.allFinite() && last.tau.cwiseAbs().maxCoeff() <= 40.0 && !last.clipped.hasNaN());
      });
}

TEST(RobotSoak, TorqueNoise) {
  const RobotModel model = test::own_robot("ur5e").model;
  const int n = model.nv();
  TorqueNoise noise(model, test::made_up_noise(model, NoiseOrigin::moving, 0, 1.0, 5));
  VectorX q(n), v(n), a(n);
  double share = 0.0;
  bool turn = false;
  Status whole = Status::ok;
  soak_faulty_cycles(
      "TorqueNoise", {.seed = 3515},
      [&](Faults& faults) {
        for (VectorX* one : {&q, &v, &a}) {
          one->resize(n);
          faults.fill(*one, 1.0);
          faults.spoil(*one);
        }
        share = 0.5;
        faults.spoil(share);
      },
      [&] { whole = (turn = !turn) ? noise.evaluate(q, v, a, share) : noise.evaluate_mean(q, v, a, share); },
      [&] { return Told(whole == Status::ok, noise.mean().allFinite() && noise.covariance().allFinite()); });
}

TEST(RobotSoak, SelfCollision) {
  const RobotModel model = test::own_robot("h1_2").model;
  Dynamics dynamics(model);
  SelfCollision collision{SelfCollisionModel(model)};
  const VectorX home = model.neutral();
  VectorX q = home, slope(model.nv());
  double within = 0.05;
  Status status = Status::ok, sloped = Status::ok;
  soak_faulty_cycles(
      "SelfCollision", {.seed = 3516, .sample = 3000},
      [&](Faults& faults) {
        q = home;
        for (Eigen::Index i = 7; i < q.size(); ++i) q[i] += faults.number(0.3);
        within = 0.05;
        faults.spoil(within);
        if (!std::isnan(within)) faults.pass_over();  // infinity: all pairs
        faults.spoil(q);
      },
      [&] {
        const PositionTerms now = dynamics.at(q);
        status = collision.compute(now, within);
        if (collision.count() > 0) sloped = collision.gradient(now, 0, slope);
      },
      [&] {
        EXPECT_TRUE(!std::isnan(within) || status != Status::ok);
        bool finite = !std::isnan(collision.smallest());
        for (int i = 0; i < collision.count(); ++i) finite = finite && std::isfinite(collision.near(i).distance);
        Told told(status == Status::ok, finite);
        if (collision.count() > 0) told.add(sloped == Status::ok, slope.allFinite());
        return told;
      });
}

}  // namespace
}  // namespace antaeus
