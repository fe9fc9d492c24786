// Contact inverse dynamics of a humanoid on two feet, beside the passes that any answer needs (rnea, joint Jacobians,
// two frame Jacobians), in turns within one run: medians of ratios. Aims: 3 over time, 2.5 a frame.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "antaeus/contact/contact_dynamics.hpp"
#include "antaeus/contact/contact_frame_solver.hpp"
#include "plain_pinocchio.hpp"
#include "support/swinging.hpp"

namespace {

using namespace antaeus;

using test::swinging;

const std::vector<std::string>& kFeet = test::kSwingingFeet;
const Robot& robot() { return test::swinging_humanoid(); }

/// All frames of a motion.
class Plain : public PlainPinocchio {
 public:
  Plain() : PlainPinocchio(robot().profile.model.string(), kFeet) {}
  void run_all(const MatrixX& q, const MatrixX& v, const MatrixX& a) {
    for (Eigen::Index t = 0; t < q.cols(); ++t) {
      inverse_dynamics(q.col(t), v.col(t), a.col(t));
      jacobians(q.col(t));
    }
  }
};

double seconds(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}
double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
  return values[values.size() / 2];
}

/// The whole call over time: differences, dynamics, solution, torques.
void over_time(benchmark::State& state) {
  const Eigen::Index T = state.range(0);
  const ContactMotion motion = swinging(T);
  const ContactRequest request{kFeet, true, LimitSet::none, WrenchAxes::world};
  const ContactOptions options;
  const MotionDynamics once = motion_dynamics(robot(), motion, request, options);
  const MatrixX q = motion.q.transpose(), v = once.v.transpose(), a = once.a.transpose();
  Plain plain;
  std::vector<double> ratios, ours, theirs, solving;
  for (auto _ : state) {
    const double reference = seconds([&] { plain.run_all(q, v, a); });
    double solve = 0.0;
    const double whole = seconds([&] {
      const MotionDynamics dynamics = motion_dynamics(robot(), motion, request, options);
      ContactSolution solution;
      solve = seconds([&] { solution = solve_over_time(dynamics.demand, options); });
      benchmark::DoNotOptimize(contact_torques(dynamics, solution).data());
    });
    ratios.push_back(whole / reference);
    ours.push_back(whole), theirs.push_back(reference), solving.push_back(solve);
    state.SetIterationTime(whole);
  }
  const double per = 1e6 / static_cast<double>(T);
  state.counters["ratio"] = median(ratios);
  state.counters["us_per_frame"] = median(ours) * per;
  state.counters["plain_us_per_frame"] = median(theirs) * per;
  state.counters["solve_us_per_frame"] = median(solving) * per;
}
BENCHMARK(over_time)->Arg(100)->Arg(400)->Arg(1000)->Arg(10000)->Arg(100000)->UseManualTime()->Unit(
    benchmark::kMillisecond);

/// One frame at a time, as a loop would: dynamics, the two wrenches, torques.
void per_frame(benchmark::State& state) {
  const ContactMotion motion = swinging(500);
  const ContactRequest request{kFeet, false, LimitSet::none, WrenchAxes::world};
  const ContactOptions options;
  const MotionDynamics once = motion_dynamics(robot(), motion, request, options);
  const MatrixX q = motion.q.transpose(), v = once.v.transpose(), a = once.a.transpose();
  Plain plain;
  ContactFrameSolver solver(robot(), kFeet, options);
  std::vector<double> ratios, ours;
  for (auto _ : state) {
    const double reference = seconds([&] { plain.run_all(q, v, a); });
    const double whole = seconds([&] {
      for (Eigen::Index t = 0; t < q.cols(); ++t) benchmark::DoNotOptimize(&solver.solve(q.col(t), v.col(t), a.col(t)));
    });
    ratios.push_back(whole / reference);
    ours.push_back(whole);
    state.SetIterationTime(whole);
  }
  state.counters["ratio"] = median(ratios);
  state.counters["us_per_frame"] = median(ours) * 1e6 / static_cast<double>(q.cols());
}
BENCHMARK(per_frame)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
