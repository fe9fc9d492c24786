// A long log in blocks and threads: the bits of one call, in order, with every error before the first state.
#include "antaeus/replay/replay.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <thread>

#include "antaeus/core/error.hpp"
#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"
#include "antaeus/replay/batch_fields.hpp"
#include "replay/batch_states.hpp"
#include "replay/tolerances.hpp"

namespace antaeus {
namespace {

using test::BatchAnswers;
using test::BatchStates;
using test::kWrists;
using test::RandomStates;
using test::same_bits;

constexpr int kReplayedStates = 2311;  // of no block a multiple
constexpr int kThreads[] = {1, 2, 3};
constexpr int kBlocks[] = {1, 7, 256, 1024};

struct ReplayedRobot {
  std::string name;
  Robot robot;
  BatchModel model;
};
std::vector<ReplayedRobot> replayed_robots() {
  const Robot h1_2 = test::own_robot("h1_2"), panda = test::own_robot("panda");
  return {{"h1_2", h1_2, BatchModel(h1_2, kWrists)}, {"panda", panda, BatchModel(panda, {"panda_hand"})}};
}

BatchStates states_of(const RobotModel& robot, RandomStates& random, int count = kReplayedStates) {
  BatchStates states(robot, count, random);
  states.q[static_cast<std::size_t>(states.motors * 3)] = std::nan("");
  states.tau[static_cast<std::size_t>(states.motors * (count / 2) + 1)] = kInfinity;
  for (std::size_t k = 0; k < 4; ++k) states.quaternion[static_cast<std::size_t>(4 * (count - 2)) + k] *= 1.1;
  return states;
}

/// What one call of the kernel makes of all states.
BatchAnswers in_one_call(const BatchModel& model, const BatchInput& in, bool moving) {
  BatchAnswers answers(model, static_cast<int>(in.count));
  BatchWorkspace workspace(model);
  EXPECT_EQ(workspace.replay(in, answers.all(moving)), Status::ok);
  return answers;
}

/// Puts the blocks of a stream one after another. \return the sink
ReplaySink gather(const BatchModel& model, BatchOutput all, std::ptrdiff_t& done) {
  const BatchSizes sizes(model);
  return [=, &done](const ReplayBlock& block) {
    EXPECT_EQ(block.first, done) << "in order";
    EXPECT_EQ(block.in.count, std::ssize(block.out.status));
    BatchOutput to = block_of(all, sizes, block.first, block.in.count), from = block.out;
    std::vector<std::span<double>> there;
    std::vector<std::span<int>> there_too;
    visit_fields(to, sizes, [&]<class T>(const char*, BatchRowsOf<T>& rows, const RowShape&) {
      if constexpr (std::is_same_v<T, int>) there_too.push_back(rows.values);
      if constexpr (std::is_same_v<T, double>) there.push_back(rows.values);
    });
    std::size_t at = 0, at_too = 0;
    visit_fields(from, sizes, [&]<class T>(const char* name, BatchRowsOf<T>& rows, const RowShape&) {
      const auto target = [&] {
        if constexpr (std::is_same_v<T, int>) return there_too[at_too++];
        if constexpr (std::is_same_v<T, double>) return there[at++];
      }();
      ASSERT_EQ(rows.values.size(), target.size()) << name;
      std::copy(rows.values.begin(), rows.values.end(), target.begin());
    });
    std::copy(block.out.status.begin(), block.out.status.end(), to.status.begin());
    done += block.in.count;
  };
}

std::vector<std::string> all_names(const BatchModel& model, bool moving) {
  std::vector<std::string> names;
  for (const std::string& name : field_names<BatchOutput>()) {
    if (name == "posterior") break;  // those of models with rows of evidence: ThePosteriorIsTheSameInBlocks
    const bool based = name == "base_residual" || name == "base_angular_velocity";
    if (based && model.base() == Base::fixed) continue;
    if (name == "base_angular_velocity" && !moving) continue;
    names.push_back(name);
  }
  return names;
}

TEST(Replay, EveryNumberOfThreadsAndEveryBlockGivesTheSameBits) {
  for (const ReplayedRobot& subject : replayed_robots()) {
    for (const bool moving : {false, true}) {
      RandomStates random(1009);
      SCOPED_TRACE(subject.name + (moving ? ", moving, " : ", at rest, ") + random.text());
      const BatchStates states = states_of(subject.robot.model, random);
      const BatchInput in = moving ? states.moving(subject.robot.model.base()) : states.at_rest();
      const BatchAnswers expected = in_one_call(subject.model, in, moving);
      for (const int threads : kThreads) {
        for (const int block : kBlocks) {
          SCOPED_TRACE(std::to_string(threads) + " threads, block " + std::to_string(block));
          BatchReplay replay(subject.model, {threads, block});
          EXPECT_EQ(replay.threads(), threads);
          BatchAnswers filled(subject.model, kReplayedStates), streamed(subject.model, kReplayedStates);
          replay.run(in, filled.all(moving));
          std::ptrdiff_t done = 0;
          replay.stream(in, all_names(subject.model, moving), gather(subject.model, streamed.all(moving), done));
          EXPECT_EQ(done, kReplayedStates);
          for (int i = 0; i < kReplayedStates; ++i) {
            ASSERT_TRUE(same_bits(filled.of(i), expected.of(i))) << i;
            // What is not asked for keeps what was there before, in both.
            ASSERT_TRUE(same_bits(streamed.of(i), expected.of(i))) << i;
          }
        }
      }
    }
  }
}

TEST(Replay, ThePosteriorIsTheSameInBlocks) {
  const Robot robot = test::own_robot("panda");
  BatchOptions options;
  options.posterior.rows = {{0, 1, 2, 3, 4, 5, 6}};
  const BatchModel model(robot.model, {"panda_hand"}, options);
  RandomStates random(1013);
  const BatchStates states = states_of(robot.model, random);
  BatchInput in = states.at_rest();
  const std::vector<double> variance(static_cast<std::size_t>(kReplayedStates * states.motors), 0.04);
  in.variance = {variance};
  struct BlockAnswers {
    std::vector<double> mean = std::vector<double>(6 * kReplayedStates),
                        covariance = std::vector<double>(21 * kReplayedStates);
    BatchOutput all() {
      BatchOutput out;
      out.posterior = {mean};
      out.covariance = {covariance};
      return out;
    }
  } expected, filled;
  EXPECT_EQ(BatchWorkspace(model).replay(in, expected.all()), Status::ok);
  BatchReplay(model, {2, 256}).run(in, filled.all());
  EXPECT_TRUE(same_bits(filled.mean, expected.mean));
  EXPECT_TRUE(same_bits(filled.covariance, expected.covariance));
  EXPECT_TRUE(std::any_of(expected.mean.begin(), expected.mean.end(), [](double w) { return std::abs(w) > 1.0; }));
}

TEST(Replay, RowsMayStandApart) {
  const ReplayedRobot subject = replayed_robots()[1];
  RandomStates random(1013);
  SCOPED_TRACE(random.text());
  const BatchStates states = states_of(subject.robot.model, random, 100);
  const BatchAnswers expected = in_one_call(subject.model, states.at_rest(), false);
  const int motors = states.motors, stride = 2 * motors + 7;
  std::vector<double> table(static_cast<std::size_t>(stride * 100 - 1), 5.0);  // the last row ends with its last number
  for (int i = 0; i < 100; ++i) {
    for (int m = 0; m < motors; ++m) {
      table[static_cast<std::size_t>(i * stride + m)] = states.q[static_cast<std::size_t>(i * motors + m)];
      table[static_cast<std::size_t>(i * stride + motors + m)] = states.tau[static_cast<std::size_t>(i * motors + m)];
    }
  }
  BatchInput in;
  in.count = 100;
  in.q = {std::span<const double>(table).first(static_cast<std::size_t>(99 * stride + motors)), stride};
  in.tau = {std::span<const double>(table).subspan(static_cast<std::size_t>(motors)), stride};
  BatchOutput out;
  out.wrench = {std::span<double>(table).subspan(static_cast<std::size_t>(2 * motors)), stride};
  BatchReplay replay(subject.model, {2, 8});
  replay.run(in, out);
  for (int i = 0; i < 100; ++i) {
    const double* row = table.data() + i * stride + 2 * motors;
    EXPECT_TRUE(same_bits({row, row + 6}, {&expected.wrench[static_cast<std::size_t>(6 * i)],
                                           &expected.wrench[static_cast<std::size_t>(6 * i)] + 6}));
    if (i == 99) continue;
    EXPECT_EQ(row[6], 5.0);
  }
}

/// The H1-2 with channels that need every part of the torque map.
Robot with_channels() {
  Robot robot = test::own_robot("h1_2");
  robot.profile.torque_sign = -1.0;
  for (std::size_t m = 0; m < robot.profile.figures.size(); ++m) {
    JointFigures& f = robot.profile.figures[m];
    f.scale = 1.0 + 0.01 * static_cast<double>(m);
    f.gear = m % 2 == 0 ? 1.0 : 6.0;
    f.torque_offset = 0.1 * static_cast<double>(m) - 1.0;
  }
  return robot;
}

Episode episode_of(const Robot& robot) {
  Episode episode = make_twin(robot, TwinKind::pushes, {.rate = 200.0, .duration = 3.0, .torque_noise = 0.3}).episode;
  episode.tau(5, 3) = kNaN;
  episode.imu_quaternion.row(11) *= 1.01;
  return episode;
}

TEST(Replay, AnEpisodeIsWhatTheDeployedEstimatorReadsStepByStep) {
  for (const Robot& robot : {test::own_robot("h1_2"), with_channels()}) {
    const Episode episode = episode_of(robot);
    InstantReader reader(robot, kWrists);
    DeployedEstimator estimator(reader);
    BatchReplay replay(robot, kWrists, {.threads = 2, .block = 64});
    const int motors = replay.model().motor_count();
    Observation observation;
    std::ptrdiff_t done = 0;
    int well_conditioned = 0;
    replay.stream(episode, {"residual", "wrench", "sigma", "rank"}, [&](const ReplayBlock& block) {
      for (std::ptrdiff_t i = 0; i < block.in.count; ++i, ++done) {
        SCOPED_TRACE("step " + std::to_string(done));
        episode.observe(done, observation);
        const Instant& now = reader.at(observation);
        const WrenchEstimates& read = estimator.solve(now);
        ASSERT_EQ(block.out.status[static_cast<std::size_t>(i)], now.status());
        const auto row = [&](const BatchRowsOf<double>& rows, int width) {
          return Eigen::Map<const VectorX>(rows.values.data() + i * width, width);
        };
        if (now.status() != Status::ok) {
          EXPECT_TRUE(row(block.out.wrench, 12).array().isNaN().all());
          EXPECT_TRUE(row(block.out.residual, motors).array().isNaN().all());
          continue;
        }
        // The same products of the same numbers, bit for bit.
        const Eigen::Map<const VectorX> tau(block.in.tau.values.data() + i * motors, motors);
        EXPECT_TRUE((tau.array() == now.torque().array()).all());
        const VectorX& r = now.static_residual();
        EXPECT_LE((row(block.out.residual, motors) - r).cwiseAbs().maxCoeff(),
                  tolerance::kBatchParity * std::max(1.0, r.cwiseAbs().maxCoeff()));
        for (int e = 0; e < 2; ++e) {
          const WrenchEstimate& wrist = read[static_cast<std::size_t>(e)];
          const Vector6 error = row(block.out.wrench, 12).segment<6>(6 * e) - wrist.wrench.to_vector();
          const double reach = r.norm() / wrist.sigma_min;
          EXPECT_LE(error.norm(), tolerance::kBatchWrench * wrist.kappa * reach);
          EXPECT_EQ(block.out.rank.values[static_cast<std::size_t>(2 * i + e)], wrist.rank);
          EXPECT_LE(std::abs(row(block.out.sigma, 12)[6 * e] - wrist.sigma_max),
                    tolerance::kBatchParity * wrist.sigma_max);
          if (wrist.kappa > 100.0) continue;
          ++well_conditioned;
          EXPECT_LE(error.norm(), tolerance::kBatchParity * reach);
        }
      }
    });
    EXPECT_EQ(done, episode.steps());
    EXPECT_GT(well_conditioned, 0);
  }
}

TEST(Replay, TheSignIsTheOneThatWasSetAndTurnsEveryBit) {
  const auto panda = [](std::initializer_list<const char*> settings) {
    Robot robot = test::own_robot("panda");
    robot.profile.torque_sign = 1.0;  // what the channels read is the joints' torque
    for (JointFigures& f : robot.profile.figures) f.scale = f.gear = 1.0, f.torque_offset = 0.0;
    for (const char* setting : settings) robot.profile.settings.set(setting);
    return robot;
  };
  RandomStates random(1013);
  const Robot plain = panda({});
  const BatchStates states(plain.model, 40, random);
  const auto wrenches = [&](BatchReplay replay) {
    std::vector<double> wrench(40 * 6);
    BatchOutput out;
    out.wrench = {wrench};
    replay.run(states.at_rest(), out);
    return std::pair(replay.sign(), wrench);
  };
  const auto [kernels, expected] = wrenches(BatchReplay(BatchModel(plain, {"panda_hand"}), {.threads = 2, .block = 7}));
  EXPECT_EQ(kernels, kBatchSign);
  for (const auto& [robot, sign] :
       {std::pair(plain, Sign::on_robot), std::pair(panda({"estimator.sign=on_environment"}), Sign::on_environment),
        std::pair(panda({"estimator.sign=on_environment", "posterior.sign=on_robot"}), Sign::on_robot)}) {
    const auto [said, wrench] = wrenches(BatchReplay(robot, {"panda_hand"}, {.threads = 2, .block = 7}));
    EXPECT_EQ(said, sign);
    EXPECT_EQ(BatchReplay::with_posterior(robot, {"panda_hand"}).sign(), sign);
    for (std::size_t i = 0; i < wrench.size(); ++i) {
      ASSERT_EQ(wrench[i], sign == kBatchSign ? expected[i] : -expected[i]) << i;
    }
  }
  EXPECT_EQ(BatchReplay(test::own_robot("h1_2"), kWrists).sign(), Sign::on_environment) << "deployed.sign";
}

TEST(Replay, AnEpisodeInArraysIsTheStream) {
  const Robot robot = with_channels();
  const Episode episode = episode_of(robot);
  const auto steps = static_cast<int>(episode.steps());
  BatchReplay replay(robot, kWrists, {.threads = 3, .block = 50});
  BatchAnswers filled(replay.model(), steps), streamed(replay.model(), steps);
  replay.run(episode, filled.all(false));
  std::ptrdiff_t done = 0;
  replay.stream(episode, all_names(replay.model(), false), gather(replay.model(), streamed.all(false), done));
  for (int i = 0; i < steps; ++i) ASSERT_TRUE(same_bits(filled.of(i), streamed.of(i))) << i;
}

TEST(Replay, TorquesThatAreTheJointsAreNotCopied) {
  Robot robot = test::own_robot("panda");
  robot.profile.torque_sign = 1.0;
  for (JointFigures& f : robot.profile.figures) f.scale = f.gear = 1.0, f.torque_offset = 0.0;
  RandomStates random(1019);
  const BatchStates states(robot.model, 20, random);
  BatchReplay replay(robot, {"panda_hand"}, {.block = 7});
  replay.stream(states.at_rest(), {"residual"}, [&](const ReplayBlock& block) {
    EXPECT_EQ(block.in.q.values.data(), states.q.data() + block.first * states.motors);
    EXPECT_EQ(block.in.tau.values.data(), states.tau.data() + block.first * states.motors);
  });
  for (JointFigures& f : robot.profile.figures) f.torque_offset = 0.5;
  BatchReplay mapped(robot, {"panda_hand"}, {.block = 7});
  mapped.stream(states.at_rest(), {"residual"}, [&](const ReplayBlock& block) {
    EXPECT_EQ(block.in.q.values.data(), states.q.data() + block.first * states.motors);
    EXPECT_EQ(block.in.tau.values[0], states.tau[static_cast<std::size_t>(block.first * states.motors)] - 0.5);
  });
}

/// Where the message of what is thrown says it happened.
template <class Failure, class Function>
std::string place_of(const Function& function) {
  try {
    function();
  } catch (const Failure& error) {
    const std::string text = error.what();
    return text.substr(0, text.find(':'));
  }
  return "nothing thrown";
}

TEST(Replay, EveryErrorComesBeforeTheFirstState) {
  const ReplayedRobot subject = replayed_robots()[0];
  RandomStates random(1021);
  const BatchStates states(subject.robot.model, 50, random);
  BatchAnswers answers(subject.model, 50);
  BatchReplay replay(subject.model, {.threads = 2, .block = 8});
  const auto sink = [](const ReplayBlock&) { FAIL() << "handed over"; };
  const auto refused = [&](const std::string& place, const std::function<void(BatchInput&, BatchOutput&)>& change) {
    BatchInput in = states.at_rest();
    BatchOutput out = answers.all(false);
    change(in, out);
    EXPECT_EQ(place_of<OptionsError>([&] { replay.run(in, out); }), place);
    EXPECT_EQ(answers.torque.front(), -7.0) << place;
  };
  refused("count", [](BatchInput& in, BatchOutput&) { in.count = 0; });
  refused("count", [](BatchInput& in, BatchOutput&) { in.count = -3; });
  refused("q", [](BatchInput& in, BatchOutput&) { in.q = {}; });
  refused("q", [](BatchInput& in, BatchOutput&) { in.count = 51; });
  refused("q", [](BatchInput& in, BatchOutput&) { in.q.values = in.q.values.first(in.q.values.size() - 1); });
  refused("tau", [](BatchInput& in, BatchOutput&) { in.tau.stride = 26; });
  refused("wrench", [](BatchInput&, BatchOutput& out) { out.wrench.stride = 11; });
  refused("sigma", [](BatchInput&, BatchOutput& out) { out.sigma.values = out.sigma.values.first(12); });
  refused("residual", [](BatchInput& in, BatchOutput&) { in.tau = {}; });

  const auto no_stream = [&](
                             const std::string& place, const std::vector<std::string>& wanted,
                             const std::function<void(BatchInput&)>& change = [](BatchInput&) {}) {
    BatchInput in = states.at_rest();
    change(in);
    EXPECT_EQ(place_of<OptionsError>([&] { replay.stream(in, wanted, sink); }), place);
  };
  no_stream("wanted", {"wrench", "sigmas"});
  no_stream("wrench", {"wrench"}, [](BatchInput& in) { in.tau = {}; });
  no_stream("base_angular_velocity", {"base_angular_velocity"});
  no_stream("count", {"wrench"}, [](BatchInput& in) { in.count = 0; });
  no_stream("q", {"wrench"}, [](BatchInput& in) { in.q.values = in.q.values.first(27 * 49); });
  BatchReplay alone(subject.robot, {});
  EXPECT_EQ(place_of<OptionsError>([&] { alone.stream(states.at_rest(), {"wrench"}, sink); }), "wrench");

  // Episodes.
  const Episode episode = episode_of(subject.robot);
  EXPECT_EQ(place_of<OptionsError>([&] { replay.stream(episode, {"wrench"}, sink); }), "replay") << "no profile";
  BatchReplay other(test::own_robot("panda"), {"panda_hand"});
  EXPECT_EQ(place_of<EpisodeError>([&] { other.stream(episode, {"wrench"}, sink); }), episode.name);
  Episode empty;
  empty.name = "empty";
  EXPECT_EQ(place_of<EpisodeError>([&] { other.run(empty, {}); }), "empty");

  // Options and the environment.
  EXPECT_THROW(BatchReplay(subject.model, {.threads = -1}), OptionsError);
  EXPECT_THROW(BatchReplay(subject.model, {.block = 0}), OptionsError);
  EXPECT_THROW(BatchReplay(subject.robot, {"left_wrist_yaw_lnk"}), ModelError);
  const char* const before = std::getenv("ANTAEUS_INSTRUCTION_SET");
  const std::string kept = before ? before : "";
  ::setenv("ANTAEUS_INSTRUCTION_SET", "avx1024", 1);
  EXPECT_EQ(place_of<OptionsError>([&] { BatchReplay(subject.model); }), "ANTAEUS_INSTRUCTION_SET");
  before ? ::setenv("ANTAEUS_INSTRUCTION_SET", kept.c_str(), 1) : ::unsetenv("ANTAEUS_INSTRUCTION_SET");
}

TEST(Replay, WhatASinkOrAProgressThrowsEndsTheWorkAndNotTheReplay) {
  const ReplayedRobot subject = replayed_robots()[0];
  RandomStates random(1031);
  const BatchStates states(subject.robot.model, 3000, random);
  for (const int threads : kThreads) {
    BatchReplay replay(subject.model, {threads, 16});
    int taken = 0;
    const auto stops = [&](const ReplayBlock&) {
      if (++taken == 20) throw std::runtime_error("enough");
    };
    EXPECT_THROW(replay.stream(states.at_rest(), {"wrench"}, stops), std::runtime_error);
    EXPECT_EQ(taken, 20);
    BatchAnswers answers(subject.model, 3000);
    const Progress interrupted = [](double) { throw std::runtime_error("Ctrl-C"); };
    EXPECT_THROW(replay.run(states.at_rest(), answers.all(false), interrupted), std::runtime_error);
    std::ptrdiff_t done = 0;
    replay.stream(states.at_rest(), all_names(subject.model, false), gather(subject.model, answers.all(false), done));
    EXPECT_EQ(done, 3000);
    EXPECT_EQ(answers.status.back(), Status::ok);
  }
}

TEST(Replay, ProgressIsToldAboutAHundredTimesAndBlocksComeFromTheCallersThread) {
  const ReplayedRobot subject = replayed_robots()[1];
  RandomStates random(1033);
  const BatchStates states(subject.robot.model, 5000, random);
  const std::thread::id here = std::this_thread::get_id();
  BatchAnswers answers(subject.model, 5000);
  for (const int threads : kThreads) {
    BatchReplay replay(subject.model, {threads, 4});
    std::vector<double> told;
    const Progress progress = [&](double share) {
      EXPECT_EQ(std::this_thread::get_id(), here);
      told.push_back(share);
    };
    const auto check = [&] {
      EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
      EXPECT_EQ(told.back(), 1.0);
      EXPECT_LE(told.size(), 102u);
      told.clear();
    };
    replay.run(states.at_rest(), answers.all(false), progress);
    check();
    replay.stream(
        states.at_rest(), {"torque"}, [&](const ReplayBlock&) { EXPECT_EQ(std::this_thread::get_id(), here); },
        progress);
    check();
  }
}

TEST(Replay, FewerStatesThanThreadsOrThanABlock) {
  const ReplayedRobot subject = replayed_robots()[1];
  RandomStates random(1039);
  const BatchStates states(subject.robot.model, 2, random);
  const BatchAnswers expected = in_one_call(subject.model, states.at_rest(), false);
  for (const int block : {1, 1024}) {
    BatchReplay replay(subject.model, {8, block});
    BatchAnswers answers(subject.model, 2);
    replay.run(states.at_rest(), answers.all(false));
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(same_bits(answers.of(i), expected.of(i)));
  }
}

}  // namespace
}  // namespace antaeus
