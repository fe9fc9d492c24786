#pragma once
/// \file
/// How often tests alarm: the limits that a rate of false alarms asks for, what a count of alarms proves of a rate, and
/// the simulation that a stated rate is checked by.

#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "antaeus/core/numbers.hpp"
#include "antaeus/signal/chi_squared.hpp"
#include "antaeus/signal/coloured_noise.hpp"

namespace antaeus::test {

/// False alarms that are accepted, and the tests that share them.
struct AlarmBudget {
  double per_hour = 1.0;   ///< [1/h] of all tests together
  double interval = 0.02;  ///< [s] between two samples
  int tests = 1;           ///< run side by side
};

/// p = per_hour · interval / (3600 tests): the probability a sample and test.
inline double alarm_probability(const AlarmBudget& budget) {
  return budget.per_hour * budget.interval / (kSecondsAnHour * budget.tests);
}
/// The limit of |z|, z standard normal [sd].
inline double normal_alarm_limit(const AlarmBudget& budget) {
  return -normal_quantile(0.5 * alarm_probability(budget));
}
/// The limit of a χ² variable.
inline double chi_squared_alarm_limit(const AlarmBudget& budget, double dof) {
  return chi_squared_threshold(alarm_probability(budget), dof);
}

/// Bounds of a rate of which \p events were counted in \p hours, each wrong with probability 1 − confidence [1/h].
/// No event in one hour: at most 3.0 an hour, and no lower bound (0). Source: Garwood, Biometrika 28 (1936).
inline double poisson_rate_above(double events, double hours, double confidence = 0.95) {
  return 0.5 * chi_squared_threshold(1.0 - confidence, 2.0 * (events + 1.0)) / hours;
}
inline double poisson_rate_below(double events, double hours, double confidence = 0.95) {
  return events == 0.0 ? 0.0 : 0.5 * chi_squared_quantile(1.0 - confidence, 2.0 * events) / hours;
}

struct AlarmSimulation {
  double interval = 0.02;  ///< [s] between two samples
  double hours = 1.0;      ///< simulated
  double run = 60.0;       ///< [s] after which a new offset is drawn
  std::uint64_t seed = 1;
};

struct AlarmCount {
  double hours = 0.0;
  std::int64_t samples = 0;    ///< in alarm
  std::int64_t events = 0;     ///< alarms of any test, each counted once however long it lasts
  std::int64_t runs_with = 0;  ///< runs in which anything alarmed
  std::int64_t runs = 0;
};

/// Counts the alarms of tests that run side by side under noise alone.
inline AlarmCount count_alarms(const ColouredNoise& noise, const std::vector<LinearTest>& tests,
                               const AlarmSimulation& simulation = {}) {
  const Eigen::Index m = noise.white_sd.size();
  Eigen::Index numbers = 0;
  for (const LinearTest& test : tests) {
    if (test.weights.cols() != m) throw std::invalid_argument("a test has not the noise's rows");
    numbers += test.weights.rows();
  }
  // All that the tests see of a sample is W r, so only that is drawn: a few numbers in place of all rows'.
  MatrixX W(numbers, m);
  Eigen::Index at = 0;
  for (const LinearTest& test : tests) {
    W.middleRows(at, test.weights.rows()) = test.weights;
    at += test.weights.rows();
  }
  // B with B Bᵀ = the covariance, which may be singular.
  const Eigen::SelfAdjointEigenSolver<MatrixX> spread(W * noise.white_sd.cwiseAbs2().asDiagonal() * W.transpose());
  const MatrixX white = spread.eigenvectors() * spread.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
  const MatrixX offset = W * noise.offset_factor;
  std::vector<Eigen::Index> wandering;
  for (Eigen::Index j = 0; j < m; ++j) {
    if (noise.slow_sd[j] > 0.0) wandering.push_back(j);
  }
  const MatrixX slow = W(Eigen::all, wandering);
  const VectorX slow_sd = noise.slow_sd(wandering);
  const VectorX keep = (-simulation.interval / noise.slow_time(wandering).array()).exp();
  const VectorX kick = slow_sd.array() * (1.0 - keep.array().square()).sqrt();

  NormalNumbers normal(simulation.seed);
  const auto draw = [&](VectorX& values) {
    for (double& value : values) value = normal();
  };
  VectorX drawn_offset(offset.cols()), drawn_white(numbers), drawn_slow(slow.cols());
  VectorX wander(slow.cols()), constant(numbers), z(numbers);
  const auto run_samples = static_cast<std::int64_t>(std::llround(simulation.run / simulation.interval));
  const auto samples = static_cast<std::int64_t>(std::llround(simulation.hours * kSecondsAnHour / simulation.interval));
  AlarmCount count;
  count.hours = simulation.hours;
  std::int64_t last_alarm = -2;
  bool run_has = false;
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    if (sample % run_samples == 0) {
      draw(drawn_offset);
      constant.noalias() = offset * drawn_offset;
      draw(drawn_slow);
      wander = slow_sd.cwiseProduct(drawn_slow);
      ++count.runs;
      run_has = false;
      last_alarm = sample - 2;  // another run's alarm is another event
    }
    draw(drawn_white);
    draw(drawn_slow);
    wander = keep.cwiseProduct(wander) + kick.cwiseProduct(drawn_slow);
    z = constant;
    z.noalias() += white * drawn_white;
    z.noalias() += slow * wander;
    bool alarm = false;
    Eigen::Index first = 0;
    for (const LinearTest& test : tests) {
      alarm = alarm || z.segment(first, test.weights.rows()).squaredNorm() > test.limit;
      first += test.weights.rows();
    }
    if (!alarm) continue;
    ++count.samples;
    if (sample > last_alarm + 1) ++count.events;
    last_alarm = sample;
    if (!run_has) ++count.runs_with;
    run_has = true;
  }
  return count;
}

}  // namespace antaeus::test
