// What each piece of an estimate costs on the H1-2, and how the pieces add up.
#include <benchmark/benchmark.h>

#include "antaeus/estimation/published/guard_chain.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"

namespace {

using namespace antaeus;

struct Setup {
  Robot robot = load_robot("h1_2");
  Observation observation;
  Setup() {
    observation.q = robot.pose("arm_waist_target");
    observation.tau = VectorX::LinSpaced(robot.model.motor_count(), -5.0, 5.0);
  }
  std::vector<std::string> endpoints(std::size_t count) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) names.push_back(robot.profile.endpoints[i].frame);
    return names;
  }
};

const Setup& setup() {
  static const Setup once;
  return once;
}

void gravity_and_jacobian(benchmark::State& state) {
  Dynamics dynamics(setup().robot.model);
  VectorX q = setup().robot.model.neutral(), g(33);
  Matrix6X J(6, 33);
  const FrameId frame = setup().robot.model.frame("left_wrist_yaw_link");
  for (auto _ : state) {
    const PositionTerms terms = dynamics.at(q);
    terms.gravity_torque(g);
    terms.frame_jacobian(frame, J);
    benchmark::DoNotOptimize(g.data());
    benchmark::DoNotOptimize(J.data());
  }
}
BENCHMARK(gravity_and_jacobian);

void inverse_dynamics(benchmark::State& state) {
  Dynamics dynamics(setup().robot.model);
  const VectorX q = setup().robot.model.neutral(), v = VectorX::Ones(33);
  VectorX tau(33);
  for (auto _ : state) {
    dynamics.inverse_dynamics(q, v, v, tau);
    benchmark::DoNotOptimize(tau.data());
  }
}
BENCHMARK(inverse_dynamics);

void instant(benchmark::State& state) {
  InstantReader reader(setup().robot, setup().endpoints(static_cast<std::size_t>(state.range(0))));
  for (auto _ : state) benchmark::DoNotOptimize(reader.at(setup().observation).status());
}
BENCHMARK(instant)->Arg(1)->Arg(4);

void deployed_with_all_guards(benchmark::State& state) {
  InstantReader reader(setup().robot, setup().endpoints(1));
  DeployedEstimator estimator(reader);
  GuardChain guards;
  for (auto _ : state) {
    benchmark::DoNotOptimize(guards.apply(estimator.solve(reader.at(setup().observation)).front()));
  }
}
BENCHMARK(deployed_with_all_guards);

void stacked(benchmark::State& state) {
  InstantReader reader(setup().robot, setup().endpoints(4));
  StackedEstimator estimator(reader, state.range(0) ? StackedRows::motors_and_base : StackedRows::motors);
  for (auto _ : state) {
    benchmark::DoNotOptimize(estimator.solve(reader.at(setup().observation)).endpoints.data());
  }
}
BENCHMARK(stacked)->Arg(0)->Arg(1);

}  // namespace
