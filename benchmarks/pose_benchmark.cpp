// Poses a second: a map of 200 × 200 poses against PoseQuality asked pose by pose, which is what a map did before the
// kernel, timed in turn. Medians over rounds of the time and of the ratio within a round, CPU time of the process at
// one thread; "wall_ratio" is one thread's wall time over that of one thread a core.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>

#include "antaeus/pose/pose_map.hpp"

namespace {

using namespace antaeus;

constexpr int kSteps = 200, kRounds = 3;

double seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Work>
double time_of(clockid_t clock, const Work& work) {
  const double start = seconds(clock);
  work();
  return seconds(clock) - start;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Case {
  std::string robot;
  std::vector<std::string> endpoints;
  std::string x, y;
  std::string pose = {};  ///< of the profile, in which the other joints are held; empty: at zero
};

void map_of(benchmark::State& state, const Case& what) {
  Robot robot = load_robot(what.robot);
  Robot parallel = robot;
  robot.profile.settings.set("replay.threads=1");
  parallel.profile.settings.set("replay.threads=0");
  const VectorX zero = VectorX::Zero(robot.model.motor_count());
  const LabelledPose held{"held", what.pose.empty() ? zero : robot.pose(what.pose)};
  const int x = robot.model.motor(what.x), y = robot.model.motor(what.y);
  std::vector<double> alone, together, ratio, wall_ratio;
  for (auto _ : state) {
    for (int round = 0; round < kRounds; ++round) {
      PoseMap map;
      const auto all = [&](const Robot& subject) {
        return [&] { map = map_poses(subject, what.endpoints, held, what.x, what.y, kSteps); };
      };
      together.push_back(time_of(CLOCK_PROCESS_CPUTIME_ID, all(robot)));
      alone.push_back(time_of(CLOCK_PROCESS_CPUTIME_ID, [&] {
        PoseQuality quality(robot, what.endpoints);
        VectorX q = held.q;
        for (const double at_y : map.y) {
          for (const double at_x : map.x) {
            q[x] = at_x;
            q[y] = at_y;
            benchmark::DoNotOptimize(quality.evaluate(q).data());
          }
        }
      }));
      ratio.push_back(alone.back() / together.back());
      const double one = time_of(CLOCK_MONOTONIC, all(robot));
      wall_ratio.push_back(one / time_of(CLOCK_MONOTONIC, all(parallel)));
    }
  }
  constexpr double kPoses = kSteps * kSteps;
  state.counters["us_alone"] = 1e6 * median(alone) / kPoses;
  state.counters["us_map"] = 1e6 * median(together) / kPoses;
  state.counters["poses_a_second"] = kPoses / median(together);
  state.counters["ratio"] = median(ratio);
  state.counters["wall_ratio"] = median(wall_ratio);
}

BENCHMARK_CAPTURE(
    map_of, h1_2_wrists,
    Case{"h1_2", {"left_wrist_yaw_link", "right_wrist_yaw_link"}, "left_shoulder_pitch_joint", "left_elbow_joint"})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(map_of, panda, Case{"panda", {"panda_hand"}, "panda_joint2", "panda_joint4"})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(map_of, ur5e, Case{"ur5e", {"tool0"}, "shoulder_lift_joint", "elbow_joint", "ready"})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
// All of its poses are singular: each goes the way of one pose after the other.
BENCHMARK_CAPTURE(map_of, ur5e_singular, Case{"ur5e", {"tool0"}, "shoulder_lift_joint", "elbow_joint"})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
