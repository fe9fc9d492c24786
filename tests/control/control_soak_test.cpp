// Every controller, cycle by cycle, with states, targets and measurements that go wrong at random: torques are numbers
// within their limits, or the status says that they are none.
#include <gtest/gtest.h>

#include "antaeus/control/admittance.hpp"
#include "antaeus/control/cartesian_impedance.hpp"
#include "antaeus/control/contact_task.hpp"
#include "antaeus/control/damping_mode.hpp"
#include "antaeus/control/gravity_compensation.hpp"
#include "antaeus/control/hybrid_law.hpp"
#include "antaeus/control/joint_impedance.hpp"
#include "antaeus/control/joint_path_reference.hpp"
#include "antaeus/control/sensorless_control.hpp"
#include "antaeus/control/wrench_tare.hpp"
#include "core/computable.hpp"
#include "support/controlled_arms.hpp"
#include "support/faulty_cycles.hpp"

namespace antaeus {
namespace {

using test::Faults;
using test::soak_faulty_cycles;
using test::Told;

constexpr double kLoop = 1e-3;  // [s]

/// An arm that stays near its home: q, v, τ of its motors, and a wrench.
struct LoopInputs {
  explicit LoopInputs(const test::ControlledArm& arm) : home(arm.home), q(home), v(0.0 * home), tau(v) {}

  void next(Faults& faults) {
    const Eigen::Index n = home.size();
    for (VectorX* one : {&q, &v, &tau}) one->resize(n);
    faults.fill(q, 0.01);
    q += home;
    faults.fill(v, 0.01);
    faults.fill(tau, 5.0);
    dt = kLoop;
  }
  void spoil_state(Faults& faults) {
    faults.spoil(q);
    faults.spoil(v);
  }
  static void fill(Faults& faults, Wrench& wrench) {
    wrench.force = Vector3(faults.number(1.0), faults.number(1.0), 5.0 + faults.number(1.0));
    wrench.torque = Vector3(faults.number(0.1), faults.number(0.1), faults.number(0.1));
  }
  static void spoil(Faults& faults, Wrench& wrench) {
    faults.spoil_entry(wrench.force);
    faults.spoil_entry(wrench.torque);
  }

  VectorX home, q, v, tau;
  double dt = kLoop;
};

bool within(const LimitedTorque& torque, const RobotModel& model) {
  return torque.tau.allFinite() && (torque.tau.cwiseAbs() - model.effort_limits()).maxCoeff() <= 0.0;
}

class ControlSoak : public testing::TestWithParam<const char*> {
 protected:
  static test::ControlledArm arm() {
    return std::string(GetParam()) == "panda" ? test::controlled_panda() : test::controlled_ur5e();
  }
};

TEST_P(ControlSoak, Impedance) {
  const test::ControlledArm arm = this->arm();
  const RobotModel& model = arm.model;
  const int n = model.nv();
  LoopInputs in(arm);
  ToolDynamics tool(model, arm.tool);
  const Pose home = tool.at(arm.home, VectorX::Zero(n)).X_WT;
  GravityCompensation gravity(model, {.hold_stiffness = 10.0, .hold_integral = 10.0});
  JointImpedance joints(model);
  CartesianImpedance cartesian(model);
  HoldTarget hold{.q = arm.home};
  JointTarget joint_target{.q = arm.home, .v = VectorX::Zero(n)};
  CartesianTarget target{.X_WT = home, .posture = arm.home};
  VectorX stiffness = VectorX::Constant(n, 100.0);
  Status changed = Status::ok;
  soak_faulty_cycles(
      std::string("impedance of the ") + GetParam(), {.seed = 3551, .sample = 6000},
      [&](Faults& faults) {
        in.next(faults);
        LoopInputs::fill(faults, hold.wrench);
        LoopInputs::spoil(faults, hold.wrench);
        stiffness.setConstant(n, 100.0);
        faults.spoil(stiffness);
        faults.pass_over();  // the integral stands still, and the stiffness stays
        hold.q = joint_target.q = target.posture = arm.home;
        joint_target.v.setZero(n);
        target.X_WT = home;
        target.twist.setZero();
        in.spoil_state(faults);
        faults.spoil(hold.q);
        faults.spoil(joint_target.q);
        faults.spoil(joint_target.v);
        faults.spoil(target.posture);
        faults.spoil_entry(target.X_WT.translation);
        faults.spoil_entry(target.X_WT.rotation.col(1));
        faults.spoil_entry(target.twist);
      },
      [&] {
        const ToolState& now = tool.at(in.q, in.v);
        gravity.update(in.q, in.v, hold);
        changed = joints.set_stiffness(stiffness);
        joints.update(now, joint_target);
        cartesian.update(now, target);
      },
      [&] {
        const ToolState& now = tool.state();
        Told told(now.status == Status::ok, now.M.allFinite() && now.Lambda.allFinite() && now.h.allFinite() &&
                                                now.twist.allFinite() && now.drift.allFinite());
        EXPECT_TRUE(changed != Status::ok || (stiffness.allFinite() && stiffness.size() == n));
        const LimitedTorque& carried = gravity.update(in.q, in.v, hold);
        told.add(carried.status == Status::ok, within(carried, model));
        EXPECT_TRUE(gravity.integral().allFinite()) << "the integral outlives bad input";
        const LimitedTorque& sprung = joints.update(now, joint_target);
        told.add(sprung.status == Status::ok, within(sprung, model));
        const CartesianTorque& held = cartesian.update(now, target);
        told.add(held.status == Status::ok, within(held, model) && held.error.allFinite());
        return told;
      });
}

TEST_P(ControlSoak, HybridAndTask) {
  const test::ControlledArm arm = this->arm();
  const int n = arm.model.nv();
  LoopInputs in(arm);
  ToolDynamics tool(arm.model, arm.tool);
  const Pose home = tool.at(arm.home, VectorX::Zero(n)).X_WT;
  HybridController control(n, {.motion_integral = 10.0, .force = {.filter = ForceFilter::butterworth}});
  HybridLaw law = HybridLaw::published(n);
  ContactTask task;
  WrenchTare tare;
  HybridTarget target;
  Wrench felt;
  ASSERT_EQ(control.set_posture(arm.home), Status::ok);
  Status begun = Status::ok;
  int cycle = 0;
  // A force that never came, and one that is lost, are bridged by the last one.
  soak_faulty_cycles(
      std::string("hybrid control of the ") + GetParam(), {.seed = 3552, .sample = 10000},
      [&](Faults& faults) {
        in.next(faults);
        LoopInputs::fill(faults, felt);
        LoopInputs::spoil(faults, felt);
        faults.pass_over();
        target = HybridTarget{};
        target.force_axes = {false, false, true};
        target.X_WT = home;
        target.wrench.force.z() = 5.0;
        in.spoil_state(faults);
        faults.spoil_step(in.dt);
        faults.spoil_entry(target.twist.head<2>());
        faults.spoil_entry(target.X_WT.translation.head<2>());
        faults.spoil(target.wrench.force.z());
      },
      [&] {
        const ToolState& now = tool.at(in.q, in.v);
        if (++cycle % 500 == 1) begun = task.begin(now), control.restart(), law.restart();
        control.update(now, target, felt, in.dt);
        law.update(now, target, felt, in.dt);
        tare.add(felt);
        task.update(now, {.measured = tare.tared(felt), .dt = in.dt});
      },
      [&] {
        Told told;
        for (const HybridCommand* one : {&control.command(), &law.command()}) {
          told.add(one->status == Status::ok, one->tau.allFinite() && one->push.is_finite());
        }
        EXPECT_TRUE(tare.offset().is_finite()) << "bad wrenches are not added";
        EXPECT_TRUE(test::is_finite(task.order().target.X_WT)) << "an order is always one: cycle " << cycle;
        EXPECT_TRUE(task.order().target.twist.allFinite() && task.order().target.acceleration.allFinite());
        EXPECT_TRUE(std::isfinite(task.time()));
        return told;
      });
  static_cast<void>(begun);
}

TEST_P(ControlSoak, SensorlessForce) {
  const test::ControlledArm arm = this->arm();
  const int n = arm.model.nv();
  LoopInputs in(arm);
  ToolDynamics tool(arm.model, arm.tool);
  const VectorX coulomb = VectorX::Constant(n, 0.5);
  ContactForceEstimator estimator(n, kLoop);
  FrictionTare tare(JointFriction::told(coulomb, 0.2, 1.0), kLoop);
  FrictionForward forward(n, kLoop);
  SensorlessControl control(coulomb, kLoop);
  VectorX told_coulomb = coulomb;
  double time = 0.0, clock = 0.0, gain = 0.0, at_rest = 0.0;
  int cycle = 0;
  soak_faulty_cycles(
      std::string("force from torques, ") + GetParam(), {.seed = 3553, .recovers_within = 2, .sample = 8000},
      [&](Faults& faults) {
        in.next(faults);
        clock = clock > 5.0 ? 0.0 : clock + kLoop;
        time = clock;
        told_coulomb = coulomb;
        faults.spoil_time(time, time);
        faults.spoil(told_coulomb);
        faults.pass_over();  // NaN in, NaN out: looked at below
        in.spoil_state(faults);
        faults.spoil(in.tau);
      },
      [&] {
        const ToolState& now = tool.at(in.q, in.v);
        estimator.update(now, in.tau, {.press = 5.0});
        at_rest = estimator.sd_at_rest(now, {.press = 5.0});
        tare.add(estimator.residual(), estimator.direction());
        forward.update(tare.motion(time).v, told_coulomb);
        gain = trusted_gain(estimator.felt().sd);
        if (++cycle % 700 == 0) estimator.set_friction(tare.friction());
        if (cycle % 900 == 1) control.begin(now);
        control.update(now, in.tau);
      },
      [&] {
        const ContactForce& felt = estimator.felt();
        Told told(felt.status == Status::ok, std::isfinite(felt.force) && felt.sd >= 0.0);
        EXPECT_TRUE(felt.verdict != Verdict::ok || felt.status == Status::ok);
        EXPECT_TRUE(gain >= 0.0 && gain <= 1.0);
        EXPECT_TRUE(std::isnan(at_rest) || at_rest >= 0.0);
        const JointFriction& friction = tare.friction();
        EXPECT_TRUE(friction.coulomb.allFinite() && friction.bias_variance.minCoeff() > 0.0);
        const SensorlessCommand& command = control.command();
        Told whole(command.status == Status::ok, command.tau.allFinite());
        EXPECT_TRUE(whole.honest()) << "cycle " << cycle;
        // A time or friction that is none gives none, and the next good one a number.
        const bool good = is_computable(time) && is_computable(told_coulomb) && told_coulomb.size() == n;
        const VectorX& torque = forward.update(tare.motion(time).v, told_coulomb);
        EXPECT_EQ(good, torque.size() == n && torque.allFinite()) << "cycle " << cycle << ", time " << time;
        return told;
      });
}

INSTANTIATE_TEST_SUITE_P(Arms, ControlSoak, testing::Values("panda", "ur5e"));

TEST(ControlSoakParts, ForceLoop) {
  for (const ForceFilter filter : {ForceFilter::none, ForceFilter::exponential, ForceFilter::butterworth}) {
    ForceLoop loop({.filter = filter});
    ForceLoop::Input input;
    double push = 0.0;
    int cycle = 0;
    soak_faulty_cycles(
        "ForceLoop, " + std::string(to_string(filter)), {.seed = 3554},
        [&](Faults& faults) {
          input = {.wanted = 5.0, .measured = 5.0 + faults.number(1.0), .speed = faults.number(0.01), .dt = kLoop};
          faults.spoil(input.measured);
          faults.pass_over();  // the last one is kept
          faults.spoil(input.wanted);
          faults.spoil(input.speed);
          faults.spoil_step(input.dt);
        },
        [&] {
          if (cycle++ == 0) loop.start(5.0);
          push = loop.push(input);
        },
        [&] {
          EXPECT_LE(std::abs(loop.integral()), 20.0) << "also after bad input: cycle " << cycle;
          return Told(std::isfinite(push), true);
        });
  }
}

TEST(ControlSoakParts, Admittance) {
  Admittance admittance({.stiffness = 100.0, .rotational_stiffness = 10.0});
  Wrench wrench;
  AdmittanceTarget target;
  soak_faulty_cycles(
      "Admittance", {.seed = 3555},
      [&](Faults& faults) {
        LoopInputs::fill(faults, wrench);
        LoopInputs::spoil(faults, wrench);
        faults.pass_over();  // wrench_lost
        target = {};
        faults.spoil_entry(target.X_WT.translation);
        faults.spoil_entry(target.X_WT.rotation.col(0));
        faults.spoil_entry(target.twist);
        faults.spoil_entry(target.wanted.force);
      },
      [&] { admittance.update(wrench, target); },
      [&] {
        const AdmittanceReference& last = admittance.last();
        return Told(last.status == Status::ok, test::is_finite(last.X_WT) && last.twist.allFinite() &&
                                                   last.displacement.head<3>().norm() <= 0.3 * (1.0 + 1e-12));
      });
}

TEST(ControlSoakParts, DampingMode) {
  const Robot robot = test::own_robot("h1_2");
  const int n = robot.model.motor_count();
  VectorX v(n), q(n), hold(n), tau(n), held(n);
  DampingModeOptions options;
  Status braked = Status::ok, stayed = Status::ok;
  soak_faulty_cycles(
      "damping_mode", {.seed = 3556},
      [&](Faults& faults) {
        options = {};
        for (VectorX* one : {&v, &q, &hold}) {
          one->resize(n);
          faults.fill(*one, 1.0);
          faults.spoil(*one);
        }
        faults.spoil(options.damping);
      },
      [&] {
        braked = damping_mode(robot, v, options, tau);
        stayed = damping_mode(robot, v, q, hold, options, held);
      },
      [&] {
        Told told(braked == Status::ok, tau.allFinite());
        told.add(stayed == Status::ok, held.allFinite());
        EXPECT_TRUE(braked != Status::ok || tau.dot(v) <= 0.0) << tau.dot(v);
        return told;
      });
}

TEST(ControlSoakParts, JointPathReference) {
  const RobotModel model = test::own_robot("spacecraft_ur3").model;
  VectorX q = model.neutral();
  q.tail(6) << 0.3, -1.2, 1.5, -0.3, 1.3, 0.2;
  JointPathReference path(FreeFlyer(model, "ee_link"), q);
  VectorX theta(6), rate(6), acceleration(6);
  MovingNumber offset;
  soak_faulty_cycles(
      "JointPathReference", {.seed = 3557, .sample = 6000},
      [&](Faults& faults) {
        for (VectorX* one : {&theta, &rate, &acceleration}) {
          one->resize(6);
          faults.fill(*one, 1.0);
          faults.spoil(*one);
        }
        offset = {0.01, 0.0, 0.0};
        faults.spoil(offset.value);
      },
      [&] {
        path.offset_at(q.tail(6));
        path.at(theta, rate, acceleration, offset);
      },
      [&] {
        return Told(path.status() == Status::ok,
                    path.q().allFinite() && path.v().allFinite() && path.v_dot().allFinite() && path.tau().allFinite());
      });
}

}  // namespace
}  // namespace antaeus
