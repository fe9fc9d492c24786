// How a replay's cost depends on threads, on the size of a block and on the number of joints, for every instruction set
// of this machine, as a table: docs_figures draws docs/figures/replay-scaling.svg from it.
// Usage: replay_scaling FILE.csv
//
// Sizes are measured in turns, round after round. Times are the thread's own or the process's own, medians over rounds;
// for the speed-up of threads the wall's, the shortest of all rounds: the one in which other processes disturbed least.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>

#include "antaeus/core/number_text.hpp"
#include "antaeus/io/table.hpp"
#include "antaeus/replay/replay.hpp"
#include "replay_subjects.hpp"

namespace {

using namespace antaeus;

const std::vector<std::string> kWrists = {"left_wrist_yaw_link", "right_wrist_yaw_link"};

struct Measured {
  TextColumn what, set;
  std::vector<double> x, value;

  void add(const std::string& kind, InstructionSet of, double at, double number) {
    what.push_back(kind);
    set.push_back(to_string(of));
    x.push_back(at);
    value.push_back(rounded_to(number, 4));  // more than a timing has
  }
};

/// Of one piece of work [s].
struct Times {
  double wall = 0.0, process = 0.0, thread = 0.0;
};
double process_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
Times timed(const std::function<void()>& work) {
  const auto wall = std::chrono::steady_clock::now();
  const double process = process_seconds(), thread = thread_seconds();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count(), process_seconds() - process,
          thread_seconds() - thread};
}

/// Each work in turn, round after round. \return of each its times
std::vector<std::vector<Times>> in_turns(const std::vector<std::function<void()>>& works, int rounds) {
  std::vector<std::vector<Times>> all(works.size());
  for (const auto& work : works) work();
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < works.size(); ++i) all[i].push_back(timed(works[i]));
  }
  return all;
}
double median_of(const std::vector<Times>& times, double Times::* which) {
  std::vector<double> values;
  for (const Times& one : times) values.push_back(one.*which);
  return median(values);
}

/// A log that no cache holds, to wrenches and singular values of the H1-2's two wrists.
class Log {
 public:
  Log() : subject_(shipped_subject("h1_2", kWrists)), states_(subject_.robot.model, 65536) {}
  std::function<void()> replay(const ReplayOptions& options) const {
    const auto made = std::make_shared<BatchReplay>(BatchModel(subject_.robot, kWrists), options);
    return [made, this] {
      made->stream(states_.input(false), {"residual", "wrench", "sigma"}, [](const ReplayBlock&) {});
    };
  }
  double count() const { return static_cast<double>(states_.count); }

 private:
  Subject subject_;
  RandomStates states_;
};

void measure_threads(const Log& log, InstructionSet set, Measured& into) {
  std::vector<std::function<void()>> works;
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  for (int threads = 1; threads <= cores; ++threads) works.push_back(log.replay({.threads = threads}));
  const auto times = in_turns(works, 61);
  const auto shortest = [](const std::vector<Times>& of) { return std::ranges::min(of, {}, &Times::wall).wall; };
  for (int threads = 1; threads <= cores; ++threads) {
    const auto& of = times[static_cast<std::size_t>(threads - 1)];
    into.add("speed-up", set, threads, shortest(times[0]) / shortest(of));
    into.add("speed-up by CPU time", set, threads,
             threads * median_of(times[0], &Times::process) / median_of(of, &Times::process));
  }
}

void measure_blocks(const Log& log, InstructionSet set, Measured& into) {
  std::vector<std::function<void()>> works;
  std::vector<int> blocks;
  for (int block = 16; block <= 16384; block *= 2) {
    blocks.push_back(block);
    works.push_back(log.replay({.threads = 1, .block = block}));
  }
  const auto times = in_turns(works, 15);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    into.add("block", set, blocks[i], 1e9 * median_of(times[i], &Times::thread) / log.count());
  }
}

/// Chains on a fixed base: gravity's torques alone, and with the wrench and the singular values at their ends.
void measure_joints(InstructionSet set, Measured& into) {
  constexpr std::ptrdiff_t kStates = 1024;
  struct Chain {
    RandomStates states;
    BatchWorkspace workspace;
    std::vector<double> residual, wrench, sigma;
  };
  std::vector<std::function<void()>> works;
  const int sizes[] = {3, 6, 9, 12, 15, 20, 25, 30, 36, 42, 48, 54, 60};
  for (const bool solved : {false, true}) {
    for (const int joints : sizes) {
      const Subject subject = chain(joints);
      const auto room = [&](int each) { return std::vector<double>(static_cast<std::size_t>(each * kStates)); };
      const auto made = std::make_shared<Chain>(RandomStates(subject.robot.model, kStates),
                                                BatchWorkspace(BatchModel(subject.robot, subject.endpoints), set),
                                                room(joints), room(6), room(6));
      works.push_back([made, solved] {
        BatchOutput out;
        out.residual = {made->residual};
        if (solved) {
          out.wrench = {made->wrench};
          out.sigma = {made->sigma};
        }
        made->workspace.replay(made->states.input(false), out);
      });
    }
  }
  const auto times = in_turns(works, 31);
  for (std::size_t i = 0; i < works.size(); ++i) {
    const std::size_t count = std::size(sizes);
    into.add(i < count ? "joints, torques" : "joints", set, sizes[i % count],
             1e9 * median_of(times[i], &Times::thread) / kStates);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: replay_scaling FILE.csv\n"), 2;
  try {
    const Log log;
    Measured measured;
    for (const InstructionSet set : all_values<InstructionSet>()) {
      if (set > instruction_set()) continue;
      // What a BatchReplay is made with.
      setenv("ANTAEUS_INSTRUCTION_SET", std::string(to_string(set)).c_str(), 1);
      std::printf("%s: threads\n", std::string(to_string(set)).c_str());
      measure_threads(log, set, measured);
      std::printf("  blocks\n");
      measure_blocks(log, set, measured);
      std::printf("  joints\n");
      measure_joints(set, measured);
    }
    Table table;
    table.add({"measure", "", "what was varied", std::move(measured.what)});
    table.add({"set", "", "instruction set", std::move(measured.set)});
    table.add({"x", "1", "threads, states of a block, joints", std::move(measured.x)});
    table.add({"value", "", "speed-up against one thread [1], or cost of a state [ns]", std::move(measured.value)});
    write_file(argv[1], to_csv(table));
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "replay_scaling: %s\n", error.what()), 2;
  }
  return 0;
}
