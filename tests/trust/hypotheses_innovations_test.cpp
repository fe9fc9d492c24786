#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <memory>

#include "antaeus/estimation/residual.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/signal/chi_squared.hpp"
#include "antaeus/trust/hypotheses.hpp"
#include "robot/test_robots.hpp"
#include "support/alarm_rate.hpp"
#include "support/allocation_counter.hpp"
#include "support/coloured_draw.hpp"
#include "trust/tolerances.hpp"

namespace antaeus {
namespace {

const std::vector<std::string> kBothWrists = {"left_wrist_yaw_link", "right_wrist_yaw_link"};
constexpr double kInterval = 0.02;
constexpr int kMotors = 27;

/// Noise with every memory there is; constants of the rows hang together through what is unknown of the parameters.
NoiseModel remembered(const Robot& robot) {
  test::RandomStates random(84);
  const TorqueParameters at = torque_parameters(robot.model);
  NoiseModel noise;
  noise.white_sd = VectorX::Constant(kMotors, 0.05);
  noise.offset_sd = VectorX::Constant(kMotors, 0.5);
  noise.slow_sd = VectorX::Constant(kMotors, 0.2);
  noise.slow_sd[20] = 0.0;
  noise.correlation_time = VectorX::Constant(kMotors, 1.5);
  noise.correlation_time[13] = 0.2;
  noise.factor = MatrixX::Zero(at.count(), 3);
  for (int motor = 0; motor < kMotors; ++motor) noise.factor.row(at.offset(motor)) = random.vector(3, 0.5).transpose();
  return noise;
}

class Windows : public testing::Test {
 protected:
  Windows() {
    robot_.profile.noise = std::make_shared<const NoiseModel>(remembered(robot_));
    reader_ = std::make_unique<InstantReader>(robot_, kBothWrists);
    residual_ = std::make_unique<ResidualEstimator>(
        robot_, ResidualOptions{.kind = ResidualChoice::static_gravity, .tilt_sd = 0.0});
    const NoiseModel& noise = *robot_.profile.noise;
    ColouredNoise drawn{.offset_factor = MatrixX::Zero(kMotors, kMotors + 3),
                        .slow_sd = noise.slow_sd,
                        .slow_time = noise.correlation_time,
                        .white_sd = noise.white_sd};
    drawn.offset_factor.leftCols(kMotors).diagonal() = noise.offset_sd;
    drawn.offset_factor.rightCols(3) = noise.factor.middleRows(torque_parameters(robot_.model).offset(0), kMotors);
    draw_ = std::make_unique<test::ColouredDraw>(drawn, 8);
  }

  const Residual& at_rest(double time, const VectorX& beyond) {
    Observation o;
    o.time = time;
    o.q = robot_.pose("zero");
    o.v = VectorX::Zero(kMotors);
    o.tau = VectorX::Zero(kMotors);
    made_ = residual_->form(reader_->at(o));
    made_.value = beyond;
    return made_;
  }

  Robot robot_ = test::own_robot("h1_2");
  std::unique_ptr<InstantReader> reader_;
  std::unique_ptr<ResidualEstimator> residual_;
  std::unique_ptr<test::ColouredDraw> draw_;
  Residual made_;
};

// Sums of the window against Σ⁻¹ of all its samples, a row that is no evidence for a while and one of unknown memory
// included.
TEST(InnovationWindow, SumsAreThoseOfTheWholeCovariance) {
  constexpr int kRows = 4, kSamples = 12, kUnknowns = 2;
  test::RandomStates random(21);
  NoiseModel noise;
  noise.white_sd = (VectorX(kRows) << 0.1, 0.2, kNaN, 0.3).finished();
  noise.slow_sd = (VectorX(kRows) << 0.5, 0.0, 0.0, 0.4).finished();
  noise.correlation_time = (VectorX(kRows) << 0.3, 0.0, 0.0, 2.0).finished();
  InnovationWindow window(noise, {0, 1, 2, 3}, kUnknowns);
  const MatrixX shared = Eigen::Map<const MatrixX>(random.vector(16).data(), 4, 4);
  const MatrixX constant = shared * shared.transpose() + 0.2 * MatrixX::Identity(4, 4);
  const VectorX white = noise.white_sd.cwiseAbs2(), slow = noise.slow_sd.cwiseAbs2();
  struct Entry {
    double time, y;
    int row;
    VectorX b;
  };
  std::vector<Entry> entries;
  double time = 5.0;
  for (int t = 0; t < kSamples; ++t) {
    time += 0.05 * (1 + t % 3);
    MatrixX R = constant;
    for (int j = 0; j < kRows; ++j) R(j, j) += std::isnan(white[j]) ? 0.0 : white[j] + slow[j];
    VectorX r = random.vector(kRows, 2.0);
    const MatrixX B = Eigen::Map<const MatrixX>(random.vector(kRows * kUnknowns).data(), kRows, kUnknowns);
    if (t == 5) {
      R.row(1).setZero();
      R.col(1).setZero();
      R(1, 1) = kInfinity;
      r[1] = kNaN;
    }
    int rows = 0;
    ASSERT_EQ(window.add(time, r, B, R, rows), Status::ok);
    int expected = 0;
    for (int j = 0; j < kRows; ++j) {
      if ((t == 5 && j == 1) || (t > 0 && j == 2)) continue;
      entries.push_back({time, r[j], j, B.row(j).transpose()});
      ++expected;
    }
    EXPECT_EQ(rows, expected);
  }
  const auto n = std::ssize(entries);
  MatrixX S(n, n), B(n, kUnknowns);
  VectorX y(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Entry& a = entries[static_cast<std::size_t>(i)];
    y[i] = a.y;
    B.row(i) = a.b.transpose();
    for (Eigen::Index k = 0; k < n; ++k) {
      const Entry& b = entries[static_cast<std::size_t>(k)];
      S(i, k) = constant(a.row, b.row);
      if (a.row != b.row || std::isnan(white[a.row])) continue;
      if (slow[a.row] > 0.0) {
        S(i, k) += slow[a.row] * std::exp(-std::abs(a.time - b.time) / noise.correlation_time[a.row]);
      }
      if (i == k) S(i, k) += white[a.row];
    }
  }
  const Eigen::LLT<MatrixX> factor(S);
  MatrixX gram(kUnknowns, kUnknowns);
  VectorX projection(kUnknowns);
  double square = 0.0;
  ASSERT_EQ(window.solve(gram, projection, square), Status::ok);
  const double chi = y.dot(factor.solve(y)), size = 1.0 + chi + B.squaredNorm() / white[0];
  EXPECT_NEAR(square, chi, tolerance::kWindow * size);
  EXPECT_LT((gram - B.transpose() * factor.solve(B)).norm(), tolerance::kWindow * size);
  EXPECT_LT((projection - B.transpose() * factor.solve(y)).norm(), tolerance::kWindow * size);
  int rows = 0;
  EXPECT_EQ(window.add(time, VectorX::Zero(kRows), MatrixX::Zero(kRows, 2), constant, rows), Status::time_back);
  EXPECT_EQ(window.add(kNaN, VectorX::Zero(kRows), MatrixX::Zero(kRows, 2), constant, rows), Status::not_finite);
}

/// Share of windows in which zero lies in the 95 % of what was estimated of an unknown that is zero. \param drawn  the
/// errors of one row, all rows alike
double covered(const NoiseModel& noise, double slow_time, double white, int samples, std::uint64_t seed) {
  constexpr int kRows = 4, kWindows = 1500;
  constexpr double kStep = 0.004, kWithin95 = 1.959964;
  test::RandomStates random(5);
  ColouredNoise errors{.offset_factor = MatrixX::Zero(kRows, 1),
                       .slow_sd = VectorX::Constant(kRows, std::sqrt(1.0 - white * white)),
                       .slow_time = VectorX::Constant(kRows, slow_time),
                       .white_sd = VectorX::Constant(kRows, white)};
  test::ColouredDraw draw(errors, seed);
  InnovationWindow window(noise, {0, 1, 2, 3}, 1);
  int within = 0;
  for (int w = 0; w < kWindows; ++w) {
    draw.run();
    window.reset();
    const MatrixX B = random.vector(kRows);
    int rows = 0;
    for (int i = 0; i < samples; ++i) {
      EXPECT_EQ(window.add(i * kStep, draw(kStep), B, MatrixX::Identity(kRows, kRows), rows), Status::ok);
    }
    MatrixX gram(1, 1);
    VectorX projection(1);
    double square = 0.0;
    EXPECT_EQ(window.solve(gram, projection, square), Status::ok);
    within += std::abs(projection[0]) < kWithin95 * std::sqrt(gram(0, 0));
  }
  return static_cast<double>(within) / kWindows;
}

// A moving profile says one σ and the integral time T of its error: a wander of T/2, or white noise where T is the
// sample time. Windows are judged from both sides; 1500 of them know a share of 0.95 to ± 0.017 at three sds.
TEST(InnovationWindow, AMovingProfilesErrorLastsAsLongAsItSays) {
  NoiseModel noise;
  noise.white_sd = VectorX::Ones(4);
  NoiseModel forgetful = noise;  // of no memory: as profiles were read before
  noise.correlation_time = VectorX::Constant(4, 0.9);
  for (const int samples : {1, 25, 250}) {
    const double share = covered(noise, 0.45, 0.0, samples, 3);
    RecordProperty("wander" + std::to_string(samples), std::to_string(share));
    EXPECT_GT(share, 0.93) << samples;
    EXPECT_LT(share, 0.99) << samples;
  }
  EXPECT_LT(covered(forgetful, 0.45, 0.0, 250, 3), 0.5);
  noise.correlation_time.setConstant(0.004);
  const double white = covered(noise, 0.45, 1.0, 250, 4);
  RecordProperty("white", std::to_string(white));
  EXPECT_GT(white, 0.93);
}

// The rate asked is the rate, of windows of half a second under noise that wanders; taken for new at each sample the
// same windows alarm nearly always.
TEST_F(Windows, AlarmAtTheRateAsked) {
  constexpr double kRate = 0.02;
  constexpr int kWindows = 1500, kSamples = 25;
  HypothesisTest test(*reader_, {.false_alarm = kRate});
  HypothesisTest naive(*reader_, {.false_alarm = kRate, .innovations = false});
  int alarms = 0, naive_alarms = 0;
  for (int window = 0; window < kWindows; ++window) {
    draw_->run();
    test.reset();
    naive.reset();
    for (int i = 0; i < kSamples; ++i) {
      const Residual& residual = at_rest(window + i * kInterval, (*draw_)(kInterval));
      ASSERT_EQ(test.add(residual), Status::ok);
      if (window < 200) {
        ASSERT_EQ(naive.add(residual), Status::ok);
      }
    }
    alarms += test.solve().alarm;
    EXPECT_EQ(test.result().rows, kSamples * 15.0);
    if (window < 200) naive_alarms += naive.solve().alarm;
  }
  RecordProperty("share", std::to_string(static_cast<double>(alarms) / kWindows));
  RecordProperty("naive_share", std::to_string(naive_alarms / 200.0));
  const double sd = std::sqrt(kRate * (1 - kRate) * kWindows);
  EXPECT_NEAR(alarms, kRate * kWindows, 4.0 * sd);
  EXPECT_GE(naive_alarms, 50);
}

// One sample is one sample, whatever its memory.
TEST_F(Windows, OneSampleIsWhatItWasWithoutMemory) {
  HypothesisTest test(*reader_), plain(*reader_, {.innovations = false});
  const VectorX r = (*draw_)(kInterval);
  const HypothesisResult with = test.solve(at_rest(1.0, r));
  const HypothesisResult& without = plain.solve(made_);
  EXPECT_NEAR(with.chi_squared / without.chi_squared, 1.0, tolerance::kWindowOfOne);
  EXPECT_EQ(with.best().kind, without.best().kind);
  EXPECT_NEAR(with.best().log_evidence, without.best().log_evidence, tolerance::kWindowOfOne * with.chi_squared);
}

// A push that begins within the window stands out of offsets that were there before: its size is known better than from
// any sample alone.
TEST_F(Windows, FindAContactThatLasts) {
  HypothesisTest test(*reader_);
  Vector6 push = Vector6::Zero();
  push[1] = 15.0;
  int named = 0;
  constexpr int kWindows = 40;
  double share = 0.0;
  for (int window = 0; window < kWindows; ++window) {
    draw_->run();
    test.reset();
    for (int i = 0; i < 25; ++i) {
      at_rest(window + i * kInterval, (*draw_)(kInterval));
      made_.value -= made_.instant.jacobian(0).transpose() * push;
      ASSERT_EQ(test.add(made_), Status::ok);
    }
    const HypothesisResult& result = test.solve();
    named += result.alarm && result.best().kind == CauseKind::contact && result.best().endpoint == 0;
    share += result.best().size / 15.0 / kWindows;
  }
  RecordProperty("named", named);
  RecordProperty("size", std::to_string(share));
  EXPECT_GE(named, kWindows * 3 / 4);
}

TEST_F(Windows, AlarmsAnHourCountTheTimesItIsAsked) {
  HypothesisTest test(*reader_, {.false_alarms_per_hour = 10.0});
  for (int i = 0; i < 5; ++i) test.solve(at_rest(10.0 + 0.5 * i, (*draw_)(kInterval)));
  const double p = test::alarm_probability({10.0, 0.5, 1});
  EXPECT_NEAR(chi_squared_survival(test.result().threshold, 15) / p, 1.0, tolerance::kAlarmTable);
}

TEST_F(Windows, WantTimesThatAdvance) {
  HypothesisTest test(*reader_);
  EXPECT_EQ(test.add(at_rest(1.0, (*draw_)(kInterval))), Status::ok);
  EXPECT_EQ(test.add(made_), Status::time_back);
  EXPECT_EQ(test.solve().rows, 15.0);
}

TEST_F(Windows, NoAllocation) {
  HypothesisTest test(*reader_);
  at_rest(1.0, (*draw_)(kInterval));
  test::AllocationCounter counter;
  test.add(made_);
  test.solve();
  test.reset();
  EXPECT_EQ(counter.count(), 0);
}

}  // namespace
}  // namespace antaeus
