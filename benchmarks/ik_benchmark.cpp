// Inverse kinematics beside two baselines in the same run, each target in turns, medians and 99th percentiles of its
// smallest time: dls_restarts on the same kernel, and the same loop written plainly on Pinocchio. The aims are printed
// beside the ratios.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/parsers/urdf.hpp>
#include <pinocchio/spatial/explog.hpp>
#include <random>

#include "antaeus/ik/plain_methods.hpp"
#include "antaeus/ik/reach_path.hpp"
#include "support/reach_sets.hpp"

namespace {

using namespace antaeus;
using test::ReachArm;
using test::ReachSets;
using Clock = std::chrono::steady_clock;

double microseconds(const auto& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}
/// Processor time of the whole process: what others do on the machine does not count.
double cpu_microseconds(const auto& work) {
  timespec begin{}, end{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  work();
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  return 1e6 * static_cast<double>(end.tv_sec - begin.tv_sec) + 1e-3 * static_cast<double>(end.tv_nsec - begin.tv_nsec);
}
/// The smallest of several times, each over as many repeats as make the clock's own cost small.
double smallest(const auto& work) {
  const double once = microseconds(work);
  const int repeats = once < 20.0 ? static_cast<int>(20.0 / std::max(once, 0.2)) + 1 : 1;
  double least = once;
  for (int k = 0; k < 3; ++k) {
    const double each = microseconds([&] {
                          for (int r = 0; r < repeats; ++r) work();
                        }) /
                        repeats;
    least = std::min(least, each);
  }
  return least;
}
double quantile(std::vector<double> values, double share) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// What a user writes on Pinocchio: damped least squares, cut at the limits, random restarts.
class PlainLoop {
 public:
  PlainLoop(const std::string& urdf, const std::string& frame, const std::vector<std::string>& joints,
            const KinematicChain& chain)
      : chain_(chain) {
    pinocchio::Model whole;
    pinocchio::urdf::buildModel(urdf, whole);
    std::vector<pinocchio::JointIndex> lock;
    for (pinocchio::JointIndex j = 1; j < static_cast<pinocchio::JointIndex>(whole.njoints); ++j) {
      if (std::ranges::find(joints, whole.names[j]) == joints.end()) lock.push_back(j);
    }
    model_ = pinocchio::buildReducedModel(whole, lock, pinocchio::neutral(whole));
    data_ = pinocchio::Data(model_);
    frame_ = model_.getFrameId(frame);
    J_.setZero(6, model_.nv);
  }
  bool solve(const Pose& target, bool position_only) {
    const pinocchio::SE3 goal(target.rotation, target.translation);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> share(0.0, 1.0);
    VectorX q = chain_.middle();
    for (int start = 0; start < 1000; ++start) {
      for (int k = 0; k < 100; ++k) {
        pinocchio::computeJointJacobians(model_, data_, q);
        pinocchio::updateFramePlacement(model_, data_, frame_);
        const pinocchio::SE3& now = data_.oMf[frame_];
        Vector6 e;
        e.head<3>() = goal.translation() - now.translation();
        e.tail<3>() = now.rotation() * pinocchio::log3(now.rotation().transpose() * goal.rotation());
        if (e.head<3>().norm() < 5e-5 && (position_only || e.tail<3>().norm() < 5e-4)) return true;
        J_.setZero();
        pinocchio::getFrameJacobian(model_, data_, frame_, pinocchio::LOCAL_WORLD_ALIGNED, J_);
        if (position_only) {
          const Matrix3 M = J_.topRows<3>() * J_.topRows<3>().transpose() + 1e-4 * Matrix3::Identity();
          q += J_.topRows<3>().transpose() * M.ldlt().solve(e.head<3>());
        } else {
          const Matrix6 M = J_ * J_.transpose() + 1e-4 * Matrix6::Identity();
          q += J_.transpose() * M.ldlt().solve(e);
        }
        for (int i = 0; i < q.size(); ++i) {
          const ChainJoint& joint = chain_.joints()[static_cast<std::size_t>(i)];
          q[i] = std::clamp(q[i], joint.lower, joint.upper);
        }
      }
      for (int i = 0; i < q.size(); ++i) {
        const ChainJoint& joint = chain_.joints()[static_cast<std::size_t>(i)];
        const double low = std::max(joint.lower, -M_PI), high = std::min(joint.upper, M_PI);
        q[i] = low + (high - low) * share(random);
      }
    }
    return false;
  }

 private:
  KinematicChain chain_;
  pinocchio::Model model_;
  pinocchio::Data data_;
  pinocchio::FrameIndex frame_ = 0;
  Matrix6X J_;
};

/// What one set gave.
struct Figures {
  double success = 0.0, median = 0.0, p99 = 0.0;
  void report(benchmark::State& state, const std::string& name) const {
    state.counters[name + "_success"] = success;
    state.counters[name + "_median_us"] = median;
    state.counters[name + "_p99_us"] = p99;
  }
};

/// A cache line of every page and more: what stands there is gone afterwards.
void empty_caches() {
  static std::vector<double> junk(std::size_t{8} << 20);
  for (std::size_t k = 0; k < junk.size(); k += 4) junk[k] += 1.0;
  benchmark::DoNotOptimize(junk.data());
}

enum class Set { poses, positions, straight };

void reach(benchmark::State& state, test::Arm (*make)(), const char* robot, Set set, int count) {
  ReachArm arm(make());
  const bool position_only = set == Set::positions;
  ReachOptions options;
  options.position_only = position_only;
  const ReachModel model(arm.chain, options);
  ReachSolver solver(model);
  ReachSolver portable(model, InstructionSet::portable);
  PlainSolver same(arm.chain, {.method = PlainMethod::dls_restarts, .position_only = position_only});
  std::unique_ptr<PlainLoop> plain;
  if (*robot) {
    plain = std::make_unique<PlainLoop>((test::robots_folder() / robot / (std::string(robot) + ".urdf")).string(),
                                        arm.chain.frame(), make().joints, arm.chain);
  }
  const VectorX middle = arm.chain.middle();
  for (auto _ : state) {
    ReachSets sets(arm, 20261122);
    const std::vector<Pose> targets = set == Set::straight ? sets.straight_elbow(count) : sets.reachable(count);
    std::vector<double> ours, small, theirs, loop, cold, cold_theirs;
    int good = 0, good_same = 0, good_loop = 0;
    for (const Pose& target : targets) {
      const ReachSolution s = solver.solve(target);
      good += s.status == ReachStatus::reached && arm.judge(target, s.q).reaches(position_only);
      good_same += arm.judge(target, same.solve(target, middle).q).reaches(position_only);
      ours.push_back(smallest([&] { benchmark::DoNotOptimize(&solver.solve(target)); }));
      small.push_back(smallest([&] { benchmark::DoNotOptimize(&portable.solve(target)); }));
      theirs.push_back(smallest([&] { benchmark::DoNotOptimize(&same.solve(target, middle)); }));
      if (plain) loop.push_back(smallest([&] { good_loop += plain->solve(target, position_only); }));
      if (cold.size() < 100) {
        empty_caches();
        cold.push_back(microseconds([&] { benchmark::DoNotOptimize(&solver.solve(target)); }));
        empty_caches();
        cold_theirs.push_back(microseconds([&] { benchmark::DoNotOptimize(&same.solve(target, middle)); }));
      }
    }
    const auto figures = [&](int reached, const std::vector<double>& times) {
      return Figures{100.0 * reached / count, quantile(times, 0.5), quantile(times, 0.99)};
    };
    figures(good, ours).report(state, "antaeus");
    state.counters["portable_median_us"] = quantile(small, 0.5);
    state.counters["portable_p99_us"] = quantile(small, 0.99);
    figures(good_same, theirs).report(state, "same_kernel");
    state.counters["median_ratio"] = quantile(ours, 0.5) / quantile(theirs, 0.5);
    state.counters["p99_ratio"] = quantile(ours, 0.99) / quantile(theirs, 0.99);
    state.counters["portable_median_ratio"] = quantile(small, 0.5) / quantile(theirs, 0.5);
    state.counters["portable_p99_ratio"] = quantile(small, 0.99) / quantile(theirs, 0.99);
    if (plain) {
      state.counters["pinocchio_median_us"] = quantile(loop, 0.5);
      state.counters["pinocchio_p99_us"] = quantile(loop, 0.99);
      state.counters["pinocchio_median_ratio"] = quantile(ours, 0.5) / quantile(loop, 0.5);
    }
    state.counters["cold_median_us"] = quantile(cold, 0.5);
    state.counters["cold_same_kernel_median_us"] = quantile(cold_theirs, 0.5);
  }
}

/// Closest poses: against the best of many descents from random starts.
void unreachable(benchmark::State& state, bool position_only) {
  ReachArm arm(test::panda_arm());
  ReachOptions options;
  options.position_only = position_only;
  const ReachModel model(arm.chain, options);
  ReachSolver solver(model), reference(model);
  PlainSolver same(arm.chain, {.method = PlainMethod::dls_restarts});
  const VectorX middle = arm.chain.middle();
  for (auto _ : state) {
    ReachSets sets(arm, 20261122);
    std::vector<double> ours, baseline;
    for (const Pose& target : sets.reachable(200)) {
      baseline.push_back(smallest([&] { benchmark::DoNotOptimize(&same.solve(target, middle)); }));
    }
    int near = 0, exact = 0, told = 0;
    const std::vector<Pose> targets = sets.at_distance(200, {0, 0, 0.333}, 1.5);
    for (const Pose& target : targets) {
      const ReachSolution s = solver.solve(target);
      told += s.status == ReachStatus::out_of_reach;
      double best = kInfinity;
      for (int k = 0; k < 300; ++k) {
        best = std::min(best, arm.miss(target, reference.follow(target, sets.positions()).q, position_only));
      }
      const double excess = arm.miss(target, s.q, position_only) - best;
      near += excess <= 1e-3;
      exact += excess <= 1e-6;
      ours.push_back(smallest([&] { benchmark::DoNotOptimize(&solver.solve(target)); }));
    }
    state.counters["within_1e-3"] = near / 2.0;
    state.counters["within_1e-6"] = exact / 2.0;
    state.counters["told_out_of_reach"] = told / 2.0;
    state.counters["median_us"] = quantile(ours, 0.5);
    state.counters["times_baseline_pose_median"] = quantile(ours, 0.5) / quantile(baseline, 0.5);
  }
}

void batch(benchmark::State& state, InstructionSet set, int threads) {
  ReachArm arm(test::panda_arm());
  const ReachModel model(arm.chain);
  ReachSets sets(arm, 20261122);
  const int count = std::getenv("ANTAEUS_SOAK") ? 1000000 : 200000;
  const std::vector<Pose> targets = sets.reachable(count);
  for (auto _ : state) {
    ReachBatch answers;
    double cpu = kInfinity, wall = kInfinity;
    for (int k = 0; k < 5; ++k) {
      double once = 0.0;
      wall = std::min(wall, microseconds([&] {
                        once = cpu_microseconds([&] { answers = solve_batch(model, targets, {threads, set}); });
                      }));
      cpu = std::min(cpu, once);
    }
    int good = 0;
    for (int k = 0; k < count; ++k) {
      good += arm.judge(targets[static_cast<std::size_t>(k)], answers.q.row(k).transpose()).reaches(false);
    }
    state.counters["million_a_second_a_core"] = count / cpu;
    state.counters["million_a_second_on_the_clock"] = count / wall;
    state.counters["not_reached_of_a_million"] = (count - good) * 1e6 / count;
    state.counters["set_in_use"] = static_cast<double>(std::min(set, instruction_set()));
  }
}

void path(benchmark::State& state, bool position_only) {
  ReachArm arm(test::panda_arm());
  ReachOptions options;
  options.position_only = position_only;
  const ReachModel model(arm.chain, options);
  ReachSolver solver(model);
  for (auto _ : state) {
    std::vector<double> each;
    int jumps = 0, long_steps = 0, given_jumps = 0;
    for (unsigned seed = 1; seed <= 20; ++seed) {
      ReachSets sets(arm, seed);
      VectorX start;
      const std::vector<Pose> targets = sets.path(400, {0, 0, 0.333}, start);
      const double us = smallest([&] {
        ChainVector q = start;
        for (const Pose& target : targets) q = solver.follow(target, q).q;
      });
      each.push_back(us / 400.0);
      for (const LongStep& step : follow_path(model, targets).long_steps) {
        ++long_steps;
        jumps += !step.needed;
      }
      for (const LongStep& step : follow_path(model, targets, start).long_steps) given_jumps += !step.needed;
    }
    state.counters["us_a_waypoint_median_of_paths"] = quantile(each, 0.5);
    state.counters["us_a_waypoint_worst_path"] = quantile(each, 1.0);
    state.counters["long_steps"] = long_steps;
    state.counters["jumps_without_need"] = jumps;
    state.counters["jumps_from_a_given_start"] = given_jumps;
  }
}

void offset_on_rail(benchmark::State& state) {
  reach(state, +[] { return test::on_rail(test::offset_wrist_arm()); }, "", Set::poses, 500);
}
void panda_on_rail(benchmark::State& state) {
  reach(state, +[] { return test::on_rail(test::panda_arm()); }, "", Set::poses, 500);
}

#define ONCE ->Iterations(1)->Unit(benchmark::kMillisecond)
BENCHMARK_CAPTURE(reach, panda_poses, test::panda_arm, "panda", Set::poses, 1000) ONCE;
BENCHMARK_CAPTURE(reach, panda_straight_elbow, test::panda_arm, "panda", Set::straight, 200) ONCE;
BENCHMARK_CAPTURE(reach, panda_positions, test::panda_arm, "panda", Set::positions, 1000) ONCE;
BENCHMARK_CAPTURE(reach, ur5e_poses, test::ur5e_arm, "ur5e", Set::poses, 1000) ONCE;
BENCHMARK_CAPTURE(reach, g1_poses, test::g1_arm, "", Set::poses, 1000) ONCE;
BENCHMARK_CAPTURE(reach, h1_2_poses, test::h1_2_arm, "", Set::poses, 1000) ONCE;
BENCHMARK_CAPTURE(reach, offset_wrist_poses, test::offset_wrist_arm, "", Set::poses, 500) ONCE;
BENCHMARK(offset_on_rail) ONCE;
BENCHMARK(panda_on_rail) ONCE;
BENCHMARK_CAPTURE(unreachable, positions, true) ONCE;
BENCHMARK_CAPTURE(unreachable, poses, false) ONCE;
BENCHMARK_CAPTURE(path, positions, true) ONCE;
BENCHMARK_CAPTURE(path, poses, false) ONCE;
BENCHMARK_CAPTURE(batch, portable, InstructionSet::portable, 1) ONCE;
BENCHMARK_CAPTURE(batch, avx2, InstructionSet::avx2, 1) ONCE;
BENCHMARK_CAPTURE(batch, avx2_two_threads, InstructionSet::avx2, 2) ONCE;
BENCHMARK_CAPTURE(batch, avx512, InstructionSet::avx512, 1) ONCE;

}  // namespace
