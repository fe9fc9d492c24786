// One cycle of hybrid control, from joint positions to torques, against the two Pinocchio calls that no controller of
// this kind can do without, in turns within one run. The aim is 4.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "antaeus/control/contact_task.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "plain_pinocchio.hpp"

namespace {

using namespace antaeus;

constexpr int kCalls = 500, kRounds = 201;

class Plain : public PlainPinocchio {
 public:
  Plain(const std::string& urdf, const std::string& frame, const VectorX& q)
      : PlainPinocchio(urdf, {frame}, false), q_(q), v_(VectorX::Constant(q.size(), 0.1)) {}
  void run(int i) {
    q_[1] += (i % 2 == 0 ? 1e-6 : -1e-6);
    inverse_dynamics(q_, v_, v_);
    jacobians(q_);
  }

 private:
  VectorX q_, v_;
};

class Cycle {
 public:
  Cycle(const RobotModel& model, const std::string& frame, const VectorX& q)
      : q_(q), v_(VectorX::Constant(q.size(), 1e-3)), dynamics_(model, frame), task_(options()), hybrid_(model.nv()) {
    task_.begin(dynamics_.at(q_, v_));
  }
  void run(int i) {
    q_[1] += (i % 2 == 0 ? 1e-6 : -1e-6);
    const ToolState& state = dynamics_.at(q_, v_);
    const Wrench felt{Vector3(0.0, 0.0, 5.0), Vector3::Zero()};
    const TaskOrder& order = task_.update(state, {felt, 0.0, false, 1e-6});
    if (order.restarts) hybrid_.restart();
    benchmark::DoNotOptimize(hybrid_.update(state, order.target, felt, 1e-3).tau.data());
  }
  TaskPhase phase() const { return task_.order().phase; }

 private:
  static ContactTaskOptions options() {
    ContactTaskOptions options;
    options.wait_time = 0.0;
    options.settle_time = 1e-4;
    options.line = {.length = 0.05, .duration = 1e6};
    return options;
  }
  VectorX q_, v_;
  ToolDynamics dynamics_;
  ContactTask task_;
  HybridController hybrid_;
};

template <class Call>
void time_calls(Call&& call, double& mean, std::vector<double>* each) {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  for (int i = 0; i < kCalls; ++i) call(i);
  mean = std::chrono::duration<double, std::micro>(clock::now() - begin).count() / kCalls;
  if (!each) return;
  for (int i = 0; i < kCalls; ++i) {
    const auto start = clock::now();
    call(i);
    each->push_back(std::chrono::duration<double, std::micro>(clock::now() - start).count());
  }
}

double quantile(std::vector<double> values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

void compare(const char* name, const char* frame, const VectorX& q) {
  const Robot robot = load_robot(name);
  ModelOptions options = robot.model.options();
  options.base = Base::fixed;
  const RobotModel model(robot.model.description(), options);
  Plain plain(robot.profile.model.string(), frame, q);
  Cycle cycle(model, frame, q);
  std::vector<double> ratios, ours, theirs, each;
  for (int round = 0; round < kRounds; ++round) {
    double a = 0.0, b = 0.0;
    time_calls([&](int i) { plain.run(i); }, a, nullptr);
    time_calls([&](int i) { cycle.run(i); }, b, &each);
    theirs.push_back(a), ours.push_back(b), ratios.push_back(b / a);
  }
  std::printf("%-8s %-8s ratio %.2f (median of %d rounds; %.2f against %.2f µs); p99.9 of a cycle %.1f µs\n", name,
              std::string(to_string(cycle.phase())).c_str(), quantile(ratios, 0.5), kRounds, quantile(ours, 0.5),
              quantile(theirs, 0.5), quantile(each, 0.999));
}

}  // namespace

int main() {
  compare("ur5e", "tool0", (VectorX(6) << -1.57, -1.57, 1.57, -1.57, -1.57, 0.0).finished());
  return 0;
}
