#include "antaeus/signal/savitzky_golay.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/numbers.hpp"
#include "signal/random_signals.hpp"
#include "signal/tolerances.hpp"

namespace antaeus {
namespace {

/// 2 − 3t + t² − t³/2 in the first column, its third multiple in the second.
SmoothedLog cubic(const VectorX& time) {
  SmoothedLog log;
  const Eigen::ArrayXd t = time.array();
  const VectorX value = 2.0 - 3.0 * t + t.square() - 0.5 * t.cube(), first = -3.0 + 2.0 * t - 1.5 * t.square(),
                second = 2.0 - 3.0 * t;
  const Eigen::RowVector2d both(1.0, 3.0);
  return {value * both, first * both, second * both};
}

TEST(SavitzkyGolay, ReproducesPolynomialsAtUnevenTimes) {
  test::RandomSignals random(81);
  for (const int window : {7, 11, 21}) {
    const VectorX time = random.times(80, 0.005, 0.05).array() - 1.0;
    const SmoothedLog exact = cubic(time), found = savitzky_golay(time, exact.value, {.window = window, .order = 3});
    EXPECT_LE((found.value - exact.value).cwiseAbs().maxCoeff(), tolerance::kPolynomial);
    // A derivative costs a division by half the window's length; the window of 7 may reach 0.015 s.
    EXPECT_LE((found.first - exact.first).cwiseAbs().maxCoeff(), 1e2 * tolerance::kPolynomial);
    EXPECT_LE((found.second - exact.second).cwiseAbs().maxCoeff(), 1e5 * tolerance::kPolynomial);
  }
}

TEST(SavitzkyGolay, OfAnotherDegreeDoesNot) {
  const VectorX time = VectorX::LinSpaced(50, 0.0, 5.0);
  const SmoothedLog exact = cubic(time), found = savitzky_golay(time, exact.value, {.window = 11, .order = 1});
  EXPECT_GT((found.value - exact.value).cwiseAbs().maxCoeff(), 0.1);
  EXPECT_EQ(found.second, MatrixX::Zero(50, 2));
  const SmoothedLog mean = savitzky_golay(time, exact.value, {.window = 3, .order = 0});
  EXPECT_NEAR(mean.value(7, 0), exact.value.col(0).segment<3>(6).mean(), tolerance::kPolynomial);
  EXPECT_EQ(mean.first, MatrixX::Zero(50, 2));
}

TEST(SavitzkyGolay, DoesNotDelay) {
  // The mirrored log gives the mirrored result.
  test::RandomSignals random(82);
  const VectorX time = random.times(60, 0.01, 0.03);
  const MatrixX samples = random.normals(60, 2);
  const SmoothedLog forward = savitzky_golay(time, samples),
                    backward = savitzky_golay(-time.reverse(), samples.colwise().reverse());
  EXPECT_LE((forward.value - backward.value.colwise().reverse()).cwiseAbs().maxCoeff(), tolerance::kPolynomial);
  EXPECT_LE((forward.first + backward.first.colwise().reverse()).cwiseAbs().maxCoeff(), 1e3 * tolerance::kPolynomial);
}

TEST(SavitzkyGolay, SkipsRowsThatAreNotFinite) {
  const VectorX time = VectorX::LinSpaced(40, 0.0, 0.78);
  const SmoothedLog exact = cubic(time);
  MatrixX samples = exact.value;
  samples(10, 0) = kNaN;
  samples(11, 1) = kInfinity;
  const SmoothedLog found = savitzky_golay(time, samples, {.window = 9, .order = 3});
  EXPECT_LE((found.value - exact.value).cwiseAbs().maxCoeff(), tolerance::kPolynomial) << "the gap is bridged";
}

TEST(SavitzkyGolay, SaysNothingWhereTooLittleRemains) {
  const VectorX time = VectorX::LinSpaced(40, 0.0, 0.78);
  MatrixX samples = cubic(time).value;
  samples.middleRows(10, 6).setConstant(kNaN);
  samples.bottomRows(2).setConstant(kNaN);
  samples.topRows(1).setConstant(kNaN);
  const SmoothedLog found = savitzky_golay(time, samples, {.window = 9, .order = 3});
  for (int row = 0; row < 40; ++row) {
    // In the gap, rows 11 to 14 have 3 samples in reach, rows 10 and 15 have 4 on one side. So have rows 0, 38 and 39.
    const bool expected = row == 0 || row >= 38 || (row >= 10 && row <= 15);
    EXPECT_EQ(std::isnan(found.value(row, 0)), expected) << row;
    EXPECT_EQ(std::isnan(found.first(row, 1)), expected) << row;
    EXPECT_EQ(std::isnan(found.second(row, 1)), expected) << row;
  }
  const SmoothedLog few = savitzky_golay(time.head(3), cubic(time).value.topRows(3), {.window = 9, .order = 3});
  EXPECT_TRUE(few.value.array().isNaN().all());
  EXPECT_EQ(savitzky_golay(VectorX(), MatrixX(0, 3)).value.rows(), 0);
}

TEST(SavitzkyGolay, EqualTimesAreNoMoreThanOne) {
  const VectorX time = VectorX::Constant(9, 1.0);
  EXPECT_TRUE(savitzky_golay(time, MatrixX::Ones(9, 1), {.window = 5, .order = 1}).value.array().isNaN().all());
  VectorX two_times = time;
  two_times.tail(4).setConstant(2.0);
  EXPECT_TRUE(savitzky_golay(two_times, MatrixX::Ones(9, 1), {.window = 9, .order = 2}).value.array().isNaN().all());
  EXPECT_NEAR(savitzky_golay(two_times, MatrixX::Ones(9, 1), {.window = 9, .order = 1}).value(4, 0), 1.0,
              tolerance::kPolynomial);
}

TEST(SavitzkyGolay, RefusesWhatItCannotUse) {
  const VectorX time = VectorX::LinSpaced(20, 0.0, 1.0);
  const MatrixX samples = MatrixX::Zero(20, 2);
  EXPECT_THROW(savitzky_golay(time, samples, {.window = 10}), OptionsError);
  EXPECT_THROW(savitzky_golay(time, samples, {.window = -1}), OptionsError);
  EXPECT_THROW(savitzky_golay(time, samples, {.window = 5, .order = 5}), OptionsError);
  EXPECT_THROW(savitzky_golay(time, samples, {.window = 5, .order = -1}), OptionsError);
  EXPECT_THROW(savitzky_golay(time.head(19), samples), Error);
  VectorX bad = time;
  bad[3] = kNaN;
  EXPECT_THROW(savitzky_golay(bad, samples), Error);
  bad[3] = 2.0;
  EXPECT_THROW(savitzky_golay(bad, samples), Error);
}

}  // namespace
}  // namespace antaeus
