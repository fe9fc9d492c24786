// ElasticQp on two feet with 22 rows a frame (46 with torque limits), half of the frames on a limit: over time, set-up
// of the numbers excluded, and frame by frame. `write FILE` stores the problem that elastic_qp.py gives to PIQP.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "support/two_feet.hpp"

namespace antaeus {
namespace {

test::TwoFeetOptions options(const benchmark::State& state, int frames) {
  return {.frames = frames,
          .friction = state.range(1) != 0 ? test::Friction::cone : test::Friction::pyramid,
          .torque_limits = state.range(2) != 0,
          .infeasible = state.range(3) != 0};
}

void over_time(benchmark::State& state) {
  const test::TwoFeet feet(options(state, static_cast<int>(state.range(0))));
  ElasticQp qp;
  feet.fill(qp);
  for (auto _ : state)
    if (qp.solve() != QpStatus::solved) state.SkipWithError("not solved");
  state.counters["iterations"] = qp.iterations();
}
BENCHMARK(over_time)
    ->ArgNames({"frames", "cones", "torques", "infeasible"})
    ->Unit(benchmark::kMillisecond)
    ->Args({100, 0, 0, 0})
    ->Args({1000, 0, 0, 0})
    ->Args({1000, 0, 0, 1})
    ->Args({1000, 0, 1, 0})
    ->Args({1000, 1, 0, 0})
    ->Args({10000, 0, 0, 0})
    ->Args({100000, 0, 0, 0});

/// 800 frames after each other; counters: median and 99th percentile of one solution in microseconds.
void frame_by_frame(benchmark::State& state) {
  const test::TwoFeet feet(options(state, 1));
  ElasticQp qp;
  feet.fill(qp);
  std::vector<double> microseconds;
  int frame = 0;
  for (auto _ : state) {
    feet.fill_frame(qp, 0, frame++ % 800);
    const auto start = std::chrono::steady_clock::now();
    if (qp.solve() != QpStatus::solved) state.SkipWithError("not solved");
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(spent.count());
    microseconds.push_back(spent.count() * 1e6);
  }
  std::sort(microseconds.begin(), microseconds.end());
  state.counters["median_us"] = microseconds[microseconds.size() / 2];
  state.counters["p99_us"] = microseconds[microseconds.size() * 99 / 100];
}
BENCHMARK(frame_by_frame)
    ->ArgNames({"frames", "cones", "torques", "infeasible"})
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond)
    ->Args({1, 0, 0, 0})
    ->Args({1, 1, 0, 0})
    ->Args({1, 0, 1, 0})
    ->Args({1, 1, 1, 0})
    ->Args({1, 1, 0, 1});

/// Of each frame: D, L, g, G, h by columns, as doubles; then our own time in milliseconds (median of 15).
int write(const char* file) {
  constexpr int kFrames = 1000;
  const test::TwoFeet feet({.frames = kFrames});
  ElasticQp qp;
  std::vector<double> times;
  for (int round = 0; round < 15; ++round) {
    ElasticQp fresh;
    feet.fill(fresh);
    const auto start = std::chrono::steady_clock::now();
    if (fresh.solve() != QpStatus::solved) return 1;
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    qp = fresh;
  }
  std::sort(times.begin(), times.end());
  std::FILE* const out = std::fopen(file, "wb");
  if (!out) return 1;
  const auto put = [out](const Eigen::MatrixXd& m) {
    std::fwrite(m.data(), sizeof(double), static_cast<std::size_t>(m.size()), out);
  };
  for (int t = 0; t < kFrames; ++t) {
    put(qp.hessian().diagonal(t));
    put(t + 1 < kFrames ? Eigen::MatrixXd(qp.hessian().lower(t)) : Eigen::MatrixXd::Zero(6, 6));
    put(qp.gradient(t));
    put(qp.rows(t));
    put(qp.bounds(t));
    put(qp.unknowns(t));
  }
  put(Eigen::MatrixXd::Constant(1, 1, times[times.size() / 2]));
  return std::fclose(out);
}

}  // namespace
}  // namespace antaeus

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "write") return antaeus::write(argv[2]);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
