// What friction and offsets are today: learnt where nothing touches, with the doubt that is left, and not from a
// contact.
#include "antaeus/estimation/day_estimator.hpp"

#include <gtest/gtest.h>

#include "antaeus/core/error.hpp"
#include "antaeus/estimation/residual.hpp"
#include "antaeus/robot/instant.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"
#include "support/noise.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

constexpr int kJointsOfDay = 3;
constexpr double kDayStep = 0.01, kErrorTime = 0.2;  // [s]

DayDraw::Part columns(double speed) { return {std::tanh(speed / kCoulombSpeed), speed, 1.0}; }

/// White errors of 0.1 N·m; friction and offset of a day within 0.5 N·m, 0.4 N·m s/rad and 0.3 N·m.
NoiseModel noise_of_days() {
  NoiseModel noise;
  noise.white_sd = VectorX::Constant(kJointsOfDay, 0.1);
  noise.coulomb_sd = VectorX::Constant(kJointsOfDay, 0.5);
  noise.viscous_sd = VectorX::Constant(kJointsOfDay, 0.4);
  noise.offset_sd = VectorX::Constant(kJointsOfDay, 0.3);
  noise.correlation_time = VectorX::Constant(kJointsOfDay, kErrorTime);
  noise.logs = 4;
  return noise;
}

/// A day's joints, which swing, and whose errors last for kErrorTime.
struct Day {
  explicit Day(unsigned seed, const DayOptions& options = {}) : estimator(noise_of_days(), options), normal(seed) {
    const NoiseModel noise = noise_of_days();
    for (int j = 0; j < kJointsOfDay; ++j) {
      truth.col(j) << noise.coulomb_sd[j] * normal(), noise.viscous_sd[j] * normal(), noise.offset_sd[j] * normal();
      slow[j] = 0.1 * normal();
    }
  }
  /// One sample; \p contact [N·m] on the first joint.
  bool step(double contact = 0.0) {
    time += kDayStep;
    const double keep = std::exp(-2.0 * kDayStep / kErrorTime);  // an integral time of kErrorTime
    MatrixX R = MatrixX::Zero(kJointsOfDay, kJointsOfDay);
    VectorX r(kJointsOfDay), v(kJointsOfDay);
    for (int j = 0; j < kJointsOfDay; ++j) {
      slow[j] = keep * slow[j] + 0.1 * std::sqrt(1.0 - keep * keep) * normal();
      v[j] = 0.8 * std::sin((0.9 + 0.3 * j) * time + j);
      const DayDraw::Part x = columns(v[j]);
      r[j] = x.dot(truth.col(j)) + slow[j] + (j == 0 ? contact : 0.0) - estimator.day().torque(j, x);
      R(j, j) = 0.1 * 0.1 + estimator.day().variance(j, x);
    }
    return estimator.step(time, r, v, R);
  }
  double time = 100.0;
  DayEstimator estimator;
  test::Noise normal;
  Eigen::Matrix<double, 3, Eigen::Dynamic> truth{3, kJointsOfDay};
  VectorX slow{kJointsOfDay};
};

TEST(DayEstimator, LearnsTheDayAndSaysHowWell) {
  double square = 0.0, count = 0.0, inside = 0.0, left = 0.0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Day day(300 + seed, {.forget = 1e6, .largest = 10.0});  // a day that does not change
    day.estimator.begin();
    for (int i = 0; i < 600; ++i) day.step();
    day.estimator.end();
    for (int j = 0; j < kJointsOfDay; ++j) {
      for (int part = 0; part < 3; ++part) {
        const double sd = std::sqrt(day.estimator.day().covariance(part, 3 * j + part));
        const double z = (day.estimator.day().mean(part, j) - day.truth(part, j)) / sd;
        square += z * z;
        inside += std::abs(z) < 1.96;
        count += 1.0;
        if (part == 2) left += sd / kJointsOfDay / 200.0;
      }
    }
  }
  // 1800 numbers, 95 %: binomial sd 0.5 %. T seconds of an error count as one, which is right for an offset and too
  // careful where friction changes its sign meanwhile.
  EXPECT_GE(inside / count, 0.935);
  EXPECT_LE(inside / count, 0.985);
  EXPECT_GE(square / count, 0.7);
  EXPECT_LE(square / count, 1.1);
  EXPECT_LT(left, 0.1) << "an offset of 0.3 N·m is known to a third of that after 6 s";
}

TEST(DayEstimator, LearnsOnlyWhereItIsTold) {
  Day day(11);
  for (int i = 0; i < 300; ++i) EXPECT_FALSE(day.step());
  EXPECT_EQ(day.estimator.state(), DayState::unknown);
  EXPECT_TRUE(day.estimator.day().mean.isZero(0.0));
  Day by_time(11, {.from = 101.0, .until = 103.0});
  for (int i = 0; i < 600; ++i) by_time.step();
  EXPECT_EQ(by_time.estimator.state(), DayState::known);
  EXPECT_NEAR(by_time.estimator.learnt(), 2.0, 0.05);
}

// A contact in the vouched stretch: what is beyond 3 sds is not learnt from; what is smaller and stays takes 5 sds of a
// day away at most, and then ends it.
TEST(DayEstimator, AContactIsNotLearntAndAFalseTareIsBounded) {
  Day hard(21);
  hard.estimator.begin();
  for (int i = 0; i < 300; ++i) hard.step();
  const double before = hard.estimator.day().mean(2, 0);
  for (int i = 0; i < 300; ++i) hard.step(5.0);
  EXPECT_NEAR(hard.estimator.day().mean(2, 0), before, 0.01) << "5 N·m, fifty sds";
  double most = 0.0;
  for (double contact = 0.2; contact < 4.0; contact *= 1.2) {
    Day soft(22);
    soft.estimator.begin();
    for (int i = 0; i < 2000; ++i) {
      soft.step(contact * std::min(1.0, i / 1500.0));  // it creeps in
      const DayDraw& day = soft.estimator.day();
      most = std::max(most, std::abs(day.mean(2, 0)));
    }
  }
  EXPECT_GT(most, 0.3) << "a contact that nothing tells from an offset is learnt";
  EXPECT_LE(most, 5.0 * 0.3 + 1e-9) << "and bounded by five sds of a day";
}

TEST(DayEstimator, ForgetsAtTheStatedRate) {
  Day day(31, {.forget = 60.0});
  day.estimator.begin();
  for (int i = 0; i < 600; ++i) day.step();
  day.estimator.end();
  const DayDraw known = day.estimator.day();
  for (int i = 0; i < 6000; ++i) day.step(50.0);  // 60 s, touched
  EXPECT_NEAR(day.estimator.day().mean(2, 1), std::exp(-1.0) * known.mean(2, 1), tolerance::kSameQuantity);
  const double unknown = 0.3 * 0.3, spread = known.covariance(2, 5);
  EXPECT_NEAR(day.estimator.day().covariance(2, 5), unknown - std::exp(-2.0) * (unknown - spread),
              tolerance::kSameQuantity);
}

TEST(DayEstimator, FoundByItselfItDoubtsTwice) {
  Day told(41), found(41, {.learn = DayLearning::found});
  told.estimator.begin();
  for (int i = 0; i < 1000; ++i) told.step(), found.step();
  EXPECT_EQ(found.estimator.state(), DayState::learning);
  EXPECT_GT(found.estimator.day().covariance(2, 2), 2.0 * told.estimator.day().covariance(2, 2));
  EXPECT_LT(found.estimator.day().covariance(2, 2), 0.5 * 0.3 * 0.3);
}

TEST(DayEstimator, BadInputIsNoDay) {
  Day day(51);
  day.estimator.begin();
  for (int i = 0; i < 100; ++i) day.step();
  EXPECT_FALSE(day.estimator.step(kNaN, VectorX::Zero(3), VectorX::Zero(3), MatrixX::Identity(3, 3)));
  EXPECT_FALSE(day.estimator.step(day.time + 0.01, VectorX::Zero(2), VectorX::Zero(3), MatrixX::Identity(3, 3)));
  day.estimator.step(day.time + 0.01, VectorX::Constant(3, kNaN), VectorX::Zero(3), MatrixX::Identity(3, 3));
  EXPECT_TRUE(day.estimator.day().mean.allFinite());
  EXPECT_TRUE(day.estimator.step(0.0, VectorX::Zero(3), VectorX::Zero(3), MatrixX::Identity(3, 3)));
  EXPECT_EQ(day.estimator.state(), DayState::unknown) << "a clock that was set back: nobody knows how long ago";
  EXPECT_THROW(DayEstimator(noise_of_days(), {.forget = 0.0}), OptionsError);
}

TEST(DayEstimator, DoesNotAllocate) {
  Day day(61);
  day.estimator.begin();
  VectorX r = VectorX::Constant(3, 0.05), v = VectorX::Constant(3, 0.4);
  MatrixX R = MatrixX::Identity(3, 3);
  const test::AllocationCounter counter;
  for (int i = 1; i < 100; ++i) day.estimator.step(i * kDayStep, r, v, R);
  day.estimator.end();
  day.estimator.drop();
  EXPECT_EQ(counter.count(), 0);
}

// The residual of an arm whose offset is another today: its mean goes out, its doubt shrinks, the reset keeps both.
TEST(DayEstimator, TheResidualIsThatOfToday) {
  Robot robot = test::own_robot("panda");
  auto noise = std::make_shared<NoiseModel>();
  noise->white_sd = VectorX::Constant(7, 0.05);
  noise->offset_sd = VectorX::Constant(7, 0.5);
  noise->coulomb_sd = VectorX::Constant(7, 0.2);
  noise->viscous_sd = VectorX::Constant(7, 0.2);
  noise->standing_sd = VectorX::Zero(7);
  noise->correlation_time = VectorX::Constant(7, 0.05);
  noise->logs = 1;
  robot.profile.noise = noise;
  InstantReader reader(robot, {"panda_hand_tcp"});
  ResidualEstimator residual(robot, {.kind = ResidualChoice::static_gravity});
  Observation now;
  now.time = 0.0;
  now.q = robot.pose("ready");
  now.v = VectorX::Zero(7);
  test::Noise normal(71);
  const auto step = [&]() -> const Residual& {
    now.time += 0.01;
    now.tau = VectorX::Zero(7);
    now.tau = reader.at(now).gravity_torque();
    for (int j = 0; j < 7; ++j) now.tau[j] += 0.1 * j + 0.05 * normal();
    return residual.form(reader.at(now));
  };
  const double before = step().covariance(3, 3);
  EXPECT_NEAR(before, 0.05 * 0.05 + 0.5 * 0.5, tolerance::kSameQuantity);
  residual.begin_day();
  for (int i = 0; i < 400; ++i) step();
  residual.end_day();
  residual.reset();
  double mean = 0.0;
  for (int i = 0; i < 100; ++i) mean += step().value[3] / 100.0;
  EXPECT_NEAR(mean, 0.0, 0.03) << "0.3 N·m before";
  EXPECT_LT(residual.residual().covariance(3, 3), 0.1 * before);
  residual.drop_day();
  EXPECT_NEAR(step().covariance(3, 3), before, tolerance::kSameQuantity);
}

}  // namespace
}  // namespace antaeus
