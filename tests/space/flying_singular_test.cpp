#include <gtest/gtest.h>

#include "space/flying_rig.hpp"
#include "space/tolerances.hpp"
#include "support/soak.hpp"

namespace antaeus {
namespace {

using test::CrossingFigures;
using test::CrossingRun;
using test::is_soak;

/// One passage of the UR3: the path joint at this speed, the others with it at random rates.
CrossingRun ur3_run(bool is_elbow, double speed, bool has_offset, unsigned seed, double error = 0.01) {
  test::RandomStates random(seed);
  CrossingRun run;
  run.crossing = test::ur3_crossing(is_elbow, speed, &random);
  if (has_offset) run.crossing.offset = is_elbow ? 0.010 : 0.020;
  run.name = std::string(is_elbow ? "E" : "W") + (has_offset ? "m " : " ") + std::to_string(seed);
  run.start_error = test::start_error(random, 6, error);
  return run;
}

/// Feasible: an inverse and a torque that change by little in a step, and a torque near the ideal one, all as
/// docs/concepts/space.md#coordinated-control has it. A torque is that within 0.1 rad of the singular pose, against the
/// ideal peak of the whole path: at 0.05 rad/s the springs of a start error of 0.01 rad alone take more than the whole
/// slow path does.
bool is_back(const CrossingRun& run, const CrossingFigures& f) {
  // An offset can be left behind when its window ends, at 0.05 rad/s six seconds after s = 0.
  return run.crossing.offset > 0.0 ? f.back <= run.crossing.window / run.crossing.speed + 10.0 : f.back <= 3.0;
}
void expect_feasible(const CrossingRun& run, const CrossingFigures& f, double share) {
  SCOPED_TRACE(run.name + " at " + std::to_string(run.crossing.speed));
  EXPECT_TRUE(f.ok);
  EXPECT_LT(f.sigma, 1e-3) << "it went through";
  EXPECT_LE(f.inverse_step, 0.5);
  EXPECT_LE(f.torque_step, 0.03);
  EXPECT_LE(f.torque_near, share * f.ideal);
  EXPECT_LE(f.rise, tolerance::kSingularRiseOfCycle);
  if (share < 2.0) {
    EXPECT_TRUE(is_back(run, f)) << f.back;
  }
}
void expect_offset(const CrossingRun& run, const CrossingFigures& f) {
  SCOPED_TRACE(run.name + " at " + std::to_string(run.crossing.speed));
  EXPECT_TRUE(f.ok);
  EXPECT_LE(f.inverse_step, 0.5);
  EXPECT_LE(f.torque, 3.0);
  EXPECT_LE(f.rise, 1e-4);
  EXPECT_TRUE(is_back(run, f)) << f.back;
}

TEST(FlyingSingular, CarriedGoesThroughElbowAndWrist) {
  test::print_head();
  for (const bool is_elbow : {true, false}) {
    CrossingRun run = ur3_run(is_elbow, 0.5, false, 6131);
    run.hold = 3.0;
    const CrossingFigures f = test::cross(run);
    test::print(run, f);
    expect_feasible(run, f, 1.2);
  }
}

TEST(FlyingSingular, CarriedComesBackFromWhatCannotBeReached) {
  for (const bool is_elbow : {true, false}) {
    CrossingRun run = ur3_run(is_elbow, 0.5, true, 6131);
    const CrossingFigures f = test::cross(run);
    test::print(run, f);
    expect_offset(run, f);
  }
}

/// V − ∫supply falls but for what a torque does that is constant through a cycle: a shorter cycle leaves less.
TEST(FlyingSingular, WhatRisesIsTheCyclesOwn) {
  CrossingRun run = ur3_run(false, 0.2, false, 6140);
  run.hold = 1.0;
  const CrossingFigures whole = test::cross(run);
  test::print(run, whole);
  run.cycle = 5e-4;
  const CrossingFigures half = test::cross(run);
  test::print(run, half);
  EXPECT_LE(whole.rise, tolerance::kSingularRiseOfCycle);
  EXPECT_LE(half.rise, tolerance::kSingularRise);
  EXPECT_LT(half.rise, 0.6 * whole.rise);
}

/// What holding the last inverse does on the same paths: the reason of the default.
TEST(FlyingSingular, HoldingTheLastInverseIsWorse) {
  for (const bool is_elbow : {true, false}) {
    CrossingRun run = ur3_run(is_elbow, 0.5, false, 6131);
    run.hold = 3.0;
    run.law = FlyingLaw::tracker;
    const CrossingFigures f = test::cross(run);
    test::print(run, f);
    EXPECT_TRUE(f.ok);
    EXPECT_GT(f.inverse_step, 0.5);
    EXPECT_GT(f.turn, 0.02);
  }
}

/// The matrix: every speed, elbow and wrist, feasible and not, start errors of 0.01 and 0.02 rad, random other joints.
TEST(FlyingSingular, WholeMatrixSoak) {
  test::print_head();
  const int seeds = is_soak() ? 3 : 0;
  int rows = 0, missed = 0;
  for (const bool is_elbow : {true, false}) {
    for (const bool has_offset : {false, true}) {
      for (const double speed : {0.05, 0.1, 0.2, 0.5}) {
        for (int i = 0; i < seeds; ++i) {
          for (const double error : {0.01, 0.02}) {
            CrossingRun run = ur3_run(is_elbow, speed, has_offset, 6140 + i, error);
            run.name += error > 0.015 ? " 2" : " 1";
            const CrossingFigures f = test::cross(run);
            test::print(run, f);
            if (has_offset) {
              expect_offset(run, f);
            } else {
              expect_feasible(run, f, error > 0.015 ? 5.0 : 1.2);
            }
            const double share = error > 0.015 ? 5.0 : 1.2;
            const bool good = has_offset ? f.torque <= 3.0 && f.rise <= 1e-4 && f.back <= 10.0 && f.inverse_step <= 0.5
                                         : f.torque_near <= share * f.ideal && f.rise <= 1e-9 &&
                                               (f.back <= 3.0 || share > 2.0) && f.inverse_step <= 0.5 &&
                                               f.torque_step <= 0.03;
            ++rows;
            missed += good ? 0 : 1;
            if (!good) std::cout << "  ^ misses a criterion\n";
          }
        }
      }
    }
  }
  std::cout << "rows " << rows << ", missed " << missed << "\n";
}

TEST(FlyingSingular, HeldMatrixSoak) {
  test::print_head();
  const int seeds = is_soak() ? 1 : 0;
  for (const bool is_elbow : {true, false}) {
    for (const bool has_offset : {false, true}) {
      for (const double speed : {0.05, 0.2, 0.5}) {
        for (int i = 0; i < seeds; ++i) {
          CrossingRun run = ur3_run(is_elbow, speed, has_offset, 6140 + i);
          run.law = FlyingLaw::tracker;
          test::print(run, test::cross(run));
        }
      }
    }
  }
}

/// The joints nearest to \p theta where σ of J⊕ is least: steps along its falling gradient, within limits.
VectorX singular_near(FreeFlyer& flying, VectorX theta) {
  VectorX q = flying.model().neutral();
  const int n = flying.joints();
  const auto sigma = [&](const VectorX& at) {
    q.tail(n) = at;
    return flying.conditioning_at(q).sigma_J;
  };
  double now = sigma(theta);
  for (int i = 0; i < 400 && now > 1e-7; ++i) {
    VectorX slope(n);
    for (int k = 0; k < n; ++k) {
      VectorX up = theta, down = theta;
      up[k] += 1e-6;
      down[k] -= 1e-6;
      slope[k] = (sigma(up) - sigma(down)) / 2e-6;
    }
    VectorX next;
    double length = now / slope.squaredNorm(), after = kInfinity;
    for (int j = 0; j < 20 && !(after < now); ++j, length *= 0.5) {
      next = (theta - length * slope)
                 .cwiseMax(flying.model().lower_limits().tail(n))
                 .cwiseMin(flying.model().upper_limits().tail(n));
      after = sigma(next);
    }
    if (!(after < now)) break;
    theta = next;
    now = after;
  }
  return theta;
}

CrossingRun panda_run(double speed, unsigned seed, double offset) {
  const std::string robot = "spacecraft_panda";
  FreeFlyer flying = test::flyer(robot);
  const RobotModel& model = flying.model();
  test::RandomStates random(seed);
  CrossingRun run;
  run.robot = robot;
  run.name = "7 joints " + std::to_string(seed) + (offset > 0.0 ? "m" : "");
  VectorX middle = 0.5 * (model.lower_limits() + model.upper_limits());
  run.crossing.theta = singular_near(flying, middle.tail(7) + random.vector(7, 1.2));
  run.crossing.direction = random.vector(7);
  run.crossing.direction /= run.crossing.direction.cwiseAbs().maxCoeff();
  run.crossing.speed = speed;
  run.crossing.offset = offset;
  run.start_error = test::start_error(random, 7, 0.01);
  return run;
}

/// No figures were known: loose bars, well above what was measured and below what would break a robot.
void expect_bounded(const CrossingFigures& f) {
  EXPECT_TRUE(f.ok);
  EXPECT_LE(f.inverse_step, 2.0);
  EXPECT_LE(f.torque, 20.0);
  EXPECT_LE(f.place_end, 0.02);
  EXPECT_LE(f.turn_end, 0.1);
}

TEST(FlyingSingular, SevenJointsGoThroughAsWell) {
  CrossingRun run = panda_run(0.5, 6151, 0.0);
  run.hold = 3.0;
  const CrossingFigures f = test::cross(run);
  test::print(run, f);
  EXPECT_LT(f.sigma, 1e-2);
  expect_bounded(f);
}

TEST(FlyingSingular, SevenJointsSoak) {
  test::print_head();
  const int seeds = is_soak() ? 4 : 0;
  for (const double speed : {0.1, 0.5}) {
    for (const double offset : {0.0, 0.01}) {
      for (int i = 0; i < seeds; ++i) {
        const CrossingRun run = panda_run(speed, 6151 + i, offset);
        const CrossingFigures f = test::cross(run);
        test::print(run, f);
        expect_bounded(f);
      }
    }
  }
}

/// Elbow and wrist through zero at once, and a hundredth and a tenth of a radian apart.
TEST(FlyingSingular, TwoSingularitiesAtOnceSoak) {
  test::print_head();
  for (const double speed : {0.1, 0.5}) {
    for (const double apart : {0.0, 0.01, 0.1}) {
      if (!is_soak()) continue;
      CrossingRun run = ur3_run(true, speed, false, 6140);
      run.crossing.theta[4] = apart;
      run.crossing.direction[4] = -0.8;
      run.name = "E and W, apart " + std::to_string(apart).substr(0, 4);
      const CrossingFigures f = test::cross(run);
      test::print(run, f);
      expect_bounded(f);
    }
  }
}

/// Motors that give a two-hundredth of their torque, and a base whose wheels and thrusters saturate.
TEST(FlyingSingular, AtLimitsSoak) {
  test::print_head();
  for (const bool is_elbow : {true, false}) {
    for (const bool has_offset : {false, true}) {
      if (!is_soak()) continue;
      CrossingRun run = ur3_run(is_elbow, 0.5, has_offset, 6140);
      run.name = std::string(is_elbow ? "E" : "W") + (has_offset ? "m" : "") + " limited";
      run.setup.joints.torque_share = 1e-3;
      run.setup.base.wheel_torque = 0.2;
      const CrossingFigures f = test::cross(run);
      test::print(run, f);
      expect_bounded(f);
    }
  }
}

// What carried pays for carrying on: z keeps what J# does not see, also where the path comes to rest next to a second
// singular pose. Known and bounded, not cured; docs/concepts/space.md#coordinated-control.
TEST(FlyingSingular, RestBesideASecondSingularPoseDriftsSlowly) {
  CrossingRun run;
  run.name = "E, then rest at another";
  run.crossing.theta = VectorX(6);
  run.crossing.theta << -0.028, -1.4475, 0.0, -0.58, 1.9336, -0.099;
  run.crossing.direction = VectorX(6);
  run.crossing.direction << 0.345, -0.03, 1.0, -0.455, 0.014, -0.486;
  run.crossing.speed = 0.5;
  run.start_error = VectorX::Zero(6);
  test::print_head();
  const CrossingFigures f = cross(run);
  print(run, f);
  EXPECT_TRUE(f.ok);
  EXPECT_LE(f.inverse_step, 0.5);
  EXPECT_LE(f.torque_step, 0.03);
  // Looser than elsewhere, as the drift is what the test is about: a centimetre and a degree after ten seconds.
  EXPECT_LE(f.place_end, 0.01);
  EXPECT_LE(f.turn_end, 0.02);
  EXPECT_GT(f.joints_end, 0.1) << "if it no longer drifts, say so in the docs";
}

}  // namespace
}  // namespace antaeus
