#include "antaeus/contact/contact_dynamics.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "contact/tolerances.hpp"
#include "robot/test_robots.hpp"
#include "support/biped.hpp"

namespace antaeus {
namespace {

using test::kSoles;

/// Positions, velocities and accelerations of one motion, from formulas: the base moves along sines and turns about
/// x by α, then about its own z by β; every joint is a sine.
struct Analytic {
  VectorX q, v, a;
};

Analytic analytic(const RobotModel& model, double t) {
  const int joints = model.nv() - 6;
  Analytic now{VectorX(model.nq()), VectorX(model.nv()), VectorX(model.nv())};
  const auto wave = [t](double size, double rate, double phase) {
    return Vector3(size * std::sin(rate * t + phase), size * rate * std::cos(rate * t + phase),
                   -size * rate * rate * std::sin(rate * t + phase));
  };
  const Vector3 x = wave(0.05, 5.0, 0.0), y = wave(0.08, 4.0, 1.0), z = wave(0.03, 7.0, 2.0);
  const Vector3 alpha = wave(0.3, 3.0, 0.4), beta = wave(0.4, 4.0, 0.9);
  const Eigen::AngleAxisd about_z(beta[0], Vector3::UnitZ());
  const Eigen::Quaterniond R = Eigen::AngleAxisd(alpha[0], Vector3::UnitX()) * about_z;
  const Vector3 e = about_z.toRotationMatrix().transpose() * Vector3::UnitX();  // x in base axes
  const Vector3 omega = alpha[1] * e + beta[1] * Vector3::UnitZ();
  now.q.head<3>() = Vector3(x[0], y[0], 0.8 + z[0]);
  now.q.segment<4>(3) = R.coeffs();
  now.v.head<3>() = R.conjugate() * Vector3(x[1], y[1], z[1]);
  now.v.segment<3>(3) = omega;
  now.a.head<3>() = R.conjugate() * Vector3(x[2], y[2], z[2]) - omega.cross(Vector3(now.v.head<3>()));
  now.a.segment<3>(3) = alpha[2] * e - alpha[1] * beta[1] * Vector3::UnitZ().cross(e) + beta[2] * Vector3::UnitZ();
  for (int j = 0; j < joints; ++j) {
    const Vector3 angle = wave(0.2, 2.0 + 0.3 * j, 0.7 * j);
    now.q[7 + j] = angle[0], now.v[6 + j] = angle[1], now.a[6 + j] = angle[2];
  }
  return now;
}

struct Sampled {
  SampleMatrix q, v, a;
};
Sampled sampled(const RobotModel& model, int frames, double dt) {
  Sampled s{SampleMatrix(frames, model.nq()), SampleMatrix(frames, model.nv()), SampleMatrix(frames, model.nv())};
  for (int t = 0; t < frames; ++t) {
    const Analytic now = analytic(model, t * dt);
    s.q.row(t) = now.q, s.v.row(t) = now.v, s.a.row(t) = now.a;
  }
  return s;
}

TEST(ContactDynamics, ForwardDynamicsWithTheResultReachesTheAskedVelocity) {
  test::RandomStates random(12);
  SCOPED_TRACE(random.text());
  const Robot robot = test::biped();
  const int nv = robot.model.nv();
  constexpr int kFrames = 30;
  constexpr double kStep = 0.004;
  for (const bool everything : {false, true}) {
    ContactMotion motion;
    motion.name = "random";
    motion.q.resize(kFrames, robot.model.nq());
    motion.v.resize(kFrames, nv), motion.v_next.resize(kFrames, nv);
    for (int t = 0; t < kFrames; ++t) {
      motion.q.row(t) = random.configuration(robot.model, 1.0);
      motion.v.row(t) = random.vector(nv, 2.0);
      motion.v_next.row(t) = motion.v.row(t) + random.vector(nv, 0.1).transpose();
    }
    motion.dt = VectorX::Constant(1, kStep);
    if (everything) {
      motion.external.resize(kFrames, nv);
      for (int t = 0; t < kFrames; ++t) motion.external.row(t) = random.vector(nv, 30.0);
      for (VectorX* values : {&motion.damping, &motion.spring, &motion.rest}) {
        *values = random.vector(nv, 2.0).cwiseAbs();
        values->head<6>().setZero();
      }
    }
    for (const bool over_time : {false, true}) {
      const ContactRequest request{kSoles, over_time};
      const MotionDynamics dynamics = motion_dynamics(robot, motion, request, {});
      const ContactSolution solution =
          over_time ? solve_over_time(dynamics.demand, {}) : solve_frames(dynamics.demand, {});
      const SampleMatrix tau = contact_torques(dynamics, solution);
      Dynamics forward(robot.model);
      for (int t = 0; t < kFrames; ++t) {
        const VectorX q = motion.q.row(t), v = motion.v.row(t);
        VectorX push =
            tau.row(t).transpose() + test::of_contacts(robot, q, kSoles, solution.wrench.middleCols(2 * t, 2));
        if (everything) {
          VectorX stretch = q.tail(nv - 6) - motion.rest.tail(nv - 6);
          push += motion.external.row(t).transpose() - motion.damping.cwiseProduct(v);
          push.tail(nv - 6) -= motion.spring.tail(nv - 6).cwiseProduct(stretch);
        }
        EXPECT_LE(tau.row(t).head<6>().cwiseAbs().maxCoeff(), tolerance::kRootResidual) << "two soles make any total";
        VectorX a(nv);
        ASSERT_EQ(forward.forward_dynamics(q, v, push, a), Status::ok);
        EXPECT_LE((v + kStep * a - motion.v_next.row(t).transpose()).cwiseAbs().maxCoeff(), tolerance::kAskedVelocity);
      }
    }
  }
}

/// Velocities and accelerations that are made of positions.
MotionDynamics differenced(const Robot& robot, const SampleMatrix& q, double dt, const ContactOptions& options = {}) {
  ContactMotion positions;
  positions.name = "sines";
  positions.q = q;
  positions.dt = VectorX::Constant(1, dt);
  return motion_dynamics(robot, positions, {kSoles}, options);
}

TEST(ContactDynamics, DifferencesAreOfSecondOrderAndLoseNoFrame) {
  const Robot robot = test::biped();
  const auto errors = [&](int frames, double dt, bool ends) {
    const Sampled truth = sampled(robot.model, frames, dt);
    const MotionDynamics made = differenced(robot, truth.q, dt);
    const SampleMatrix &v = made.v, &a = made.a;
    EXPECT_EQ(v.rows(), frames);
    EXPECT_EQ(a.rows(), frames);
    std::pair<double, double> worst{0.0, 0.0};
    for (int t = ends ? 0 : 1; t < (ends ? frames : frames - 1); t += ends ? frames - 1 : 1) {
      worst.first = std::max(worst.first, (v.row(t) - truth.v.row(t)).cwiseAbs().maxCoeff());
      worst.second = std::max(worst.second, (a.row(t) - truth.a.row(t)).cwiseAbs().maxCoeff());
    }
    return worst;
  };
  const auto coarse = errors(101, 0.008, false), fine = errors(201, 0.004, false);
  EXPECT_NEAR(coarse.first / fine.first, 4.0, tolerance::kOrderOfDifferences);
  EXPECT_NEAR(coarse.second / fine.second, 4.0, tolerance::kOrderOfDifferences);
  // One-sided at both ends: the velocity of third order, the acceleration of second.
  const auto coarse_ends = errors(101, 0.008, true), fine_ends = errors(201, 0.004, true);
  EXPECT_GT(coarse_ends.first / fine_ends.first, 4.0 - tolerance::kOrderOfDifferences);
  EXPECT_GT(coarse_ends.second / fine_ends.second, 4.0 - tolerance::kOrderOfDifferences);
  // Three frames, the fewest: one parabola for all.
  const Sampled three = sampled(robot.model, 3, 0.001);
  const SampleMatrix v = differenced(robot, three.q, 0.001).v;
  ASSERT_EQ(v.rows(), 3);
  EXPECT_LE((v - three.v).cwiseAbs().maxCoeff(), tolerance::kThreeFramesVelocity);
  // Nimble's forward differences lose two.
  EXPECT_EQ(differenced(robot, three.q, 0.001, {.compatibility = Compatibility::nimble}).v.rows(), 1);
}

TEST(ContactDynamics, PositionsGiveTheTorquesOfTheTrueMotion) {
  const Robot robot = test::biped();
  constexpr double kStep = 1e-3;
  const Sampled truth = sampled(robot.model, 50, kStep);
  ContactMotion positions, states;
  positions.name = states.name = "sines";
  positions.q = states.q = truth.q;
  states.v = truth.v, states.a = truth.a;
  positions.dt = VectorX::Constant(1, kStep);
  const ContactRequest request{kSoles};
  const MotionDynamics one = motion_dynamics(robot, positions, request, {});
  const MotionDynamics other = motion_dynamics(robot, states, request, {});
  EXPECT_LE((one.total - other.total).middleRows(1, 48).cwiseAbs().maxCoeff(), tolerance::kDifferencedTorque);
  EXPECT_EQ(one.demand.frames(), 50);
}

/// The same motion at 50, 100 and 200 Hz, each frame's forces compared where all three have one.
double rate_change(const Robot& robot, const ContactOptions& options, int factor) {
  constexpr double kSlow = 0.02;
  constexpr int kFrames = 101, kCut = 5;  // ends: one-sided differences, and a shorter past
  const auto solved = [&](int rate) {
    const double dt = kSlow / rate;
    ContactMotion motion;
    motion.name = "sines";
    motion.q = sampled(robot.model, (kFrames - 1) * rate + 3, dt).q;
    motion.dt = VectorX::Constant(1, dt);
    const MotionDynamics dynamics = motion_dynamics(robot, motion, {kSoles, true}, options);
    return solve_over_time(dynamics.demand, options).wrench;
  };
  const Matrix6X slow = solved(1), fast = solved(factor);
  double difference = 0.0, size = 0.0;
  for (int t = kCut; t < kFrames - kCut; ++t) {
    for (int c = 0; c < 2; ++c) {
      const Vector3 a = slow.col(2 * t + c).head<3>(), b = fast.col(2 * t * factor + c).head<3>();
      difference += (a - b).squaredNorm();
      size += b.squaredNorm();
    }
  }
  return std::sqrt(difference / size);
}

TEST(ContactDynamics, ForcesOverTimeDoNotDependOnTheSamplingRate) {
  const Robot robot = test::biped();
  ContactOptions principled, nimble;
  nimble.compatibility = Compatibility::nimble;
  for (const int factor : {2, 4}) {
    const double ours = rate_change(robot, principled, factor), theirs = rate_change(robot, nimble, factor);
    RecordProperty("principled_" + std::to_string(factor), std::to_string(ours));
    RecordProperty("nimble_" + std::to_string(factor), std::to_string(theirs));
    EXPECT_LE(ours, tolerance::kSamplingRate);
    EXPECT_GT(theirs, tolerance::kSamplingRate) << "Nimble's weights count frames, not seconds";
  }
}

TEST(ContactDynamics, LinkAxesAndWorldAxesTellTheSameWrench) {
  const Robot robot = test::biped();
  const Sampled truth = sampled(robot.model, 5, 0.1);
  ContactMotion motion;
  motion.name = "sines";
  motion.q = truth.q, motion.v = truth.v, motion.a = truth.a;
  const MotionDynamics dynamics = motion_dynamics(robot, motion, {kSoles}, {});
  const ContactSolution solution = solve_frames(dynamics.demand, {});
  EXPECT_EQ(in_axes(dynamics.demand, solution.wrench, WrenchAxes::world), solution.wrench);
  const Matrix6X link = in_axes(dynamics.demand, solution.wrench, WrenchAxes::link);
  for (Eigen::Index i = 0; i < link.cols(); ++i) {
    const Matrix3& R = dynamics.demand.places[static_cast<std::size_t>(i)].rotation;
    EXPECT_NEAR((R * link.col(i).head<3>() - solution.wrench.col(i).head<3>()).norm(), 0.0, tolerance::kRootResidual);
    EXPECT_NEAR((R * link.col(i).tail<3>() - solution.wrench.col(i).tail<3>()).norm(), 0.0, tolerance::kRootResidual);
  }
}

TEST(ContactDynamics, AResidualThatIsReducedIsTheBasesAcceleration) {
  const Robot robot = test::biped();
  const int nv = robot.model.nv();
  const Sampled truth = sampled(robot.model, 20, 0.05);
  ContactMotion motion;
  motion.name = "sines";
  motion.q = truth.q, motion.v = truth.v, motion.a = truth.a;
  ContactOptions options;
  options.kind = ContactType::point;  // two points make no moment about the line that joins them
  const ContactResult kept = contact_inverse_dynamics(robot, motion, {kSoles}, options);
  options.reduce_residual = true;
  const ContactResult reduced = contact_inverse_dynamics(robot, motion, {kSoles}, options);
  EXPECT_EQ(kept.root_change.size(), 0);
  ASSERT_EQ(reduced.root_change.rows(), 20);
  EXPECT_GT(kept.torque.leftCols<6>().cwiseAbs().maxCoeff(), 1.0);
  EXPECT_LE(reduced.torque.leftCols<6>().cwiseAbs().maxCoeff(), tolerance::kRootResidual);
  EXPECT_EQ(reduced.solution.wrench, kept.solution.wrench);
  Dynamics dynamics(robot.model);
  VectorX tau(nv);
  for (int t = 0; t < 20; ++t) {
    const VectorX q = truth.q.row(t);
    VectorX a = truth.a.row(t);
    a.head<6>() += reduced.root_change.row(t).transpose();
    dynamics.inverse_dynamics(q, VectorX(truth.v.row(t)), a, tau);
    tau -= test::of_contacts(robot, q, kSoles, reduced.solution.wrench.middleCols(2 * t, 2));
    EXPECT_LE((tau - reduced.torque.row(t).transpose()).cwiseAbs().maxCoeff(), tolerance::kRootResidual);
  }
}

TEST(ContactDynamics, UncertaintyNeedsOneSoleForAllContacts) {
  Robot robot = test::biped();
  ContactMotion motion;
  motion.name = "stance";
  motion.q = test::standing(robot).transpose().replicate(30, 1);
  motion.dt = VectorX::Constant(1, 0.02);
  const auto because = [&] {
    const ContactResult result = contact_inverse_dynamics(robot, motion, {kSoles, true});
    EXPECT_EQ(result.error.empty(), !result.sd_because.empty());
    return result.sd_because;
  };
  EXPECT_NE(because().find("the sole of left_sole is not known"), std::string::npos) << because();
  ContactSurface sole;
  sole.sole = {{-0.11, -0.05}, {0.11, -0.05}, {0.11, 0.05}, {-0.11, 0.05}};
  robot.profile.endpoints.push_back({"left_sole", "left", EndpointKind::foot, "", sole});
  EXPECT_NE(because().find("the sole of right_sole is not known"), std::string::npos) << because();
  robot.profile.endpoints.push_back({"right_sole", "right", EndpointKind::foot, "", sole});
  EXPECT_EQ(because(), "");
  robot.profile.endpoints[1].surface.sole_depth = 0.02;
  EXPECT_NE(because().find("left_sole and right_sole differ"), std::string::npos) << because();
}

}  // namespace
}  // namespace antaeus
