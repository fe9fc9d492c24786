#include "antaeus/signal/coloured_noise.hpp"

#include <bit>
#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "core/decompositions.hpp"

namespace antaeus {

namespace {

void check(bool good, const char* place, const char* problem, const char* remedy) {
  if (!good) throw OptionsError(place, problem, remedy);
}

/// B with B Bᵀ = the matrix, as many columns as rows. The matrix may be singular.
MatrixX square_root(const MatrixX& covariance) {
  const Eigen::SelfAdjointEigenSolver<MatrixX> solver(covariance);
  return solver.eigenvectors() * solver.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
}

/// Fills with standard normal numbers.
void draw(NormalNumbers& normal, VectorX& values) noexcept {
  for (double& value : values) value = normal();
}

}  // namespace

MatrixX ColouredNoise::covariance() const {
  MatrixX result = offset_factor * offset_factor.transpose();
  result.diagonal() += slow_sd.cwiseAbs2() + white_sd.cwiseAbs2();
  return result;
}

NormalNumbers::NormalNumbers(std::uint64_t seed) noexcept {
  // SplitMix64, as the generator's authors ask: near seeds give unrelated states, none of them zero.
  for (std::uint64_t& word : state_) {
    seed += 0x9e3779b97f4a7c15U;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    word = z ^ (z >> 31U);
  }
}

std::uint64_t NormalNumbers::bits() noexcept {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t shifted = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double NormalNumbers::operator()() noexcept {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  // 53 bits, in (0, 1]: the logarithm is finite. The largest number is 8.6; alarms of interest lie at 4 to 6.
  const double u = static_cast<double>((bits() >> 11U) + 1) * 0x1p-53;
  const double angle = 2.0 * std::numbers::pi * static_cast<double>(bits() >> 11U) * 0x1p-53;
  const double radius = std::sqrt(-2.0 * std::log(u));
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

AlarmCount count_alarms(const ColouredNoise& noise, const std::vector<LinearTest>& tests,
                        const AlarmSimulation& simulation) {
  const Eigen::Index m = noise.white_sd.size();
  check(m > 0 && noise.slow_sd.size() == m && noise.slow_time.size() == m && noise.offset_factor.rows() == m, "noise",
        "its parts have different numbers of rows", "give each row an offset, a slow and a white part");
  check(!tests.empty(), "tests", "there are none", "give one or more");
  Eigen::Index numbers = 0;
  for (const LinearTest& test : tests) {
    check(test.weights.cols() == m && test.weights.rows() > 0, "tests", "a test has not the noise's rows",
          "give W with one column a row of noise");
    numbers += test.weights.rows();
  }
  check(simulation.interval > 0.0 && simulation.hours > 0.0 && simulation.run >= simulation.interval &&
            simulation.rearm >= 0.0,
        "simulation", "a time is not positive", "give interval, hours and run above zero");

  // All that the tests see of a sample is W r, so only that is drawn: a few numbers in place of all rows'.
  MatrixX W(numbers, m);
  Eigen::Index at = 0;
  for (const LinearTest& test : tests) {
    W.middleRows(at, test.weights.rows()) = test.weights;
    at += test.weights.rows();
  }
  const MatrixX white = square_root(W * noise.white_sd.cwiseAbs2().asDiagonal() * W.transpose());
  const MatrixX offset = W * noise.offset_factor;
  std::vector<Eigen::Index> wandering;
  for (Eigen::Index j = 0; j < m; ++j) {
    if (!(noise.slow_sd[j] > 0.0)) continue;
    check(noise.slow_time[j] > 0.0, "noise.slow_time", "a row wanders without a time constant", "give it in seconds");
    wandering.push_back(j);
  }
  const MatrixX slow = W(Eigen::all, wandering);
  const VectorX slow_sd = noise.slow_sd(wandering);
  const VectorX keep = (-simulation.interval / noise.slow_time(wandering).array()).exp();
  const VectorX kick = slow_sd.array() * (1.0 - keep.array().square()).sqrt();

  NormalNumbers normal(simulation.seed);
  VectorX drawn_offset(offset.cols()), drawn_white(numbers), drawn_slow(slow.cols());
  VectorX wander(slow.cols()), constant(numbers), z(numbers);
  const auto run_samples = static_cast<std::int64_t>(std::llround(simulation.run / simulation.interval));
  const auto samples = static_cast<std::int64_t>(std::llround(simulation.hours * 3600.0 / simulation.interval));
  const auto rearm_samples = static_cast<std::int64_t>(std::llround(simulation.rearm / simulation.interval));
  AlarmCount count;
  count.hours = simulation.hours;
  std::int64_t last_alarm = -rearm_samples - 2;
  bool run_has = false;
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    if (sample % run_samples == 0) {
      draw(normal, drawn_offset);
      constant.noalias() = offset * drawn_offset;
      draw(normal, drawn_slow);
      wander = slow_sd.cwiseProduct(drawn_slow);
      ++count.runs;
      run_has = false;
      last_alarm = sample - rearm_samples - 2;  // another run's alarm is another event
    }
    draw(normal, drawn_white);
    draw(normal, drawn_slow);
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
    if (sample > last_alarm + 1 + rearm_samples) ++count.events;
    last_alarm = sample;
    if (!run_has) ++count.runs_with;
    run_has = true;
  }
  return count;
}

}  // namespace antaeus
