#include "antaeus/live/live_estimator.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <thread>

#include "antaeus/trust/guarded_estimator.hpp"
#include "live/message_bytes.hpp"
#include "robot/test_robots.hpp"

namespace antaeus {
namespace {

using L = LiveColumns;

using test::bytes_of;

/// Samples as a driver has them, in the order of a header: time, qpos, dq, tau, quaternion, gyro, accelerometer.
struct Samples {
  explicit Samples(const Robot& robot, unsigned seed) : motors(robot.model.motor_count()), random(seed) {
    const std::string n = std::to_string(motors);
    header = R"({"channels":[["time",1],["qpos",)" + n + R"(],["dq",)" + n + R"(],["tau",)" + n +
             R"(],["imu_quat_xyzw",4],["imu_gyro",3],["imu_acc",3]]})";
  }
  VectorX next(double step = 0.002) {
    time += step;
    VectorX numbers(1 + 3 * motors + 10);
    phase += step;
    const VectorX wave = VectorX::LinSpaced(motors, 0.0, 3.0).unaryExpr([&](double p) { return std::sin(phase + p); });
    const VectorX rate = VectorX::LinSpaced(motors, 0.0, 3.0).unaryExpr([&](double p) { return std::cos(phase + p); });
    numbers << time, 0.3 * wave, 0.3 * rate, 4.0 * wave + random.vector(motors, 1.0), 0.0, 0.0, 0.0, 1.0,
        random.vector(3, 0.01), random.vector(2, 0.01), 9.81;
    return numbers;
  }
  Observation observation(const VectorX& numbers) const {
    Observation o;
    o.time = numbers[0];
    o.q = numbers.segment(1, motors);
    o.v = numbers.segment(1 + motors, motors);
    o.tau = numbers.segment(1 + 2 * motors, motors);
    o.has_imu = o.has_gyro = o.has_accelerometer = true;
    o.imu_quaternion_xyzw = numbers.segment<4>(1 + 3 * motors);
    o.imu_angular_velocity = numbers.segment<3>(5 + 3 * motors);
    o.imu_specific_force = numbers.segment<3>(8 + 3 * motors);
    return o;
  }
  Eigen::Index motors;
  test::RandomStates random;
  std::string header;
  double time = 100.0, phase = 0.0;
};

/// Bits, NaN included.
bool same(const SampleMatrix& columns, Eigen::Index row, Eigen::Index at, const VectorX& expected) {
  const VectorX there = columns.row(row).segment(at, expected.size()).transpose();
  return std::memcmp(there.data(), expected.data(), sizeof(double) * static_cast<std::size_t>(expected.size())) == 0;
}

void expect_same(const LiveBlock& block, Eigen::Index row, const L& columns, const GuardedEstimator& by_hand) {
  const auto& read = by_hand.results();
  ASSERT_TRUE(same(block.columns, row, columns.residual(), by_hand.residual().value)) << row;
  for (std::size_t k = 0; k < read.size(); ++k) {
    const Eigen::Index at = columns.endpoint(static_cast<Eigen::Index>(k));
    const WrenchEstimate& estimate = by_hand.estimates()[k];
    Vector6 wrench, consumer;
    wrench << estimate.wrench.force, estimate.wrench.torque;
    consumer << read[k].wrench.force, read[k].wrench.torque;
    ASSERT_TRUE(same(block.columns, row, at + L::kWrench, wrench)) << row;
    ASSERT_TRUE(same(block.columns, row, at + L::kConsumer, consumer)) << row;
    const VectorX sd = estimate.uncertainty.covariance.diagonal().cwiseSqrt();
    ASSERT_TRUE(same(block.columns, row, at + L::kSd, sd)) << row;
    ASSERT_EQ(block.columns(row, at + L::kState), static_cast<double>(read[k].state)) << row;
    ASSERT_EQ(block.columns(row, at + L::kReasons), static_cast<double>(read[k].reasons.bits())) << row;
    ASSERT_EQ(block.columns(row, at + L::kNisLimit), estimate.uncertainty.nis_threshold) << row;
  }
}

const std::vector<std::string> kWrists = {"left_wrist_yaw_link", "right_wrist_yaw_link"};

TEST(LiveEstimator, SaysTheBitsOfTheLoop) {
  for (const auto& [name, endpoints] :
       {std::pair{"h1_2", kWrists}, std::pair{"planar_3r", std::vector<std::string>{"tool"}}}) {
    const Robot robot = test::own_robot(name);
    Samples samples(robot, 3910);
    LiveEstimator live(robot, endpoints, {.format = MessageFormat::arrays});
    GuardedEstimator by_hand(robot, endpoints);
    ASSERT_TRUE(live.push(bytes_of(samples.header), 0.0));
    std::vector<VectorX> sent;
    for (int i = 0; i < 300; ++i) {
      sent.push_back(samples.next());
      ASSERT_TRUE(live.push(bytes_of(sent.back()), sent.back()[0] - 50.0));
      live.work();
    }
    const LiveBlock block = live.read(0, 1000);
    ASSERT_EQ(block.columns.rows(), 300) << live.facts().last_problem;
    int judged = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      by_hand.update(samples.observation(sent[i]));
      expect_same(block, static_cast<Eigen::Index>(i), live.columns(), by_hand);
      judged += by_hand.residual().kind != ResidualKind::static_gravity;
    }
    EXPECT_GT(judged, 200) << "the residual with a history was never formed";
  }
}

TEST(LiveEstimator, AfterABreakItIsANewOne) {
  const Robot robot = test::own_robot("h1_2");
  Samples samples(robot, 3911);
  LiveEstimator live(robot, kWrists, {.format = MessageFormat::arrays});
  live.push(bytes_of(samples.header), 0.0);
  for (int i = 0; i < 200; ++i) {
    const VectorX numbers = samples.next();
    live.push(bytes_of(numbers), numbers[0]);
  }
  live.work();
  GuardedEstimator fresh(robot, kWrists);
  std::vector<VectorX> sent;
  for (int i = 0; i < 700; ++i) {
    sent.push_back(samples.next(i == 0 ? 3.0 : 0.002));
    live.push(bytes_of(sent.back()), sent.back()[0]);
    live.work();
  }
  const LiveBlock block = live.read(200, 1000);
  ASSERT_EQ(block.columns.rows(), 700);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    fresh.update(samples.observation(sent[i]));
    const auto row = static_cast<Eigen::Index>(i);
    expect_same(block, row, live.columns(), fresh);
    ASSERT_EQ(block.columns(row, L::kEpoch), 1.0);
    ASSERT_EQ(block.columns(row, L::kHeldOff), sent[i][0] < sent[0][0] + LiveOptions{}.hold_off ? 1.0 : 0.0) << i;
  }
  EXPECT_EQ(live.facts().restarts, 1);
  // What is published while it is held off is refused, whatever the guard says.
  for (const WrenchMessage& one : live.messages(live.read(200, 1), WrenchEncoding::json)) {
    EXPECT_NE(one.payload.find(R"("state":"refused","verdict")"), std::string::npos) << one.payload;
    EXPECT_NE(one.payload.find(R"("force":[0,0,0])"), std::string::npos) << one.payload;
  }
}

/// The profile's [channels], applied once.
TEST(LiveEstimator, ChannelsAreMadeTheRobots) {
  Robot robot = test::own_robot("planar_3r");
  const Robot plain = robot;
  robot.profile.channels = {.time_scale = 0.001,
                            .position_scale = {2.0, -1.0, 1.0},
                            .position_offset = {0.1, 0.2, 0.3},
                            .velocity_scale = {0.5, 0.5, 0.5},
                            .position_order = {2, 0, 1},
                            .torque_order = {1, 0, 2}};
  Samples samples(robot, 3912);
  LiveEstimator live(robot, {"tool"}, {.format = MessageFormat::arrays});
  GuardedEstimator by_hand(plain, {"tool"});
  live.push(bytes_of(samples.header), 0.0);
  for (int i = 0; i < 50; ++i) {
    VectorX numbers = samples.next();
    numbers[0] *= 1000.0;
    live.push(bytes_of(numbers), 1e-3 * numbers[0]);
    live.work();
    Observation o = samples.observation(numbers);
    o.time = numbers[0] * 0.001;
    o.q << 2.0 * numbers[3] - 0.1, -1.0 * numbers[1] - 0.2, 1.0 * numbers[2] - 0.3;
    o.v << 0.5 * numbers[6], 0.5 * numbers[4], 0.5 * numbers[5];
    o.tau << numbers[8], numbers[7], numbers[9];
    by_hand.update(o);
    expect_same(live.read(i, 1), 0, live.columns(), by_hand);
    ASSERT_TRUE(
        same(live.read(i, 1).columns, 0, live.columns().raw() + live.columns().raw_columns.q(), numbers.segment(1, 3)))
        << "what is recorded is what came";
  }
}

TEST(LiveEstimator, RefusesWhatHasNoRoom) {
  Robot robot = test::own_robot("planar_3r");
  robot.profile.settings.set("live.queue_bytes=65536", "test");
  robot.profile.settings.set("live.message_bytes=4096", "test");
  LiveEstimator live(robot, {"tool"}, {.format = MessageFormat::json});
  EXPECT_FALSE(live.push(bytes_of(std::string(5000, ' ')), 0.0));
  const std::string message = R"({"q":[1,2,3],"tau":[1,2,3]})" + std::string(1000, ' ');
  int taken = 0;
  while (live.push(bytes_of(message), 0.001 * taken) && taken < 1000) ++taken;
  EXPECT_GT(taken, 50);
  EXPECT_LT(taken, 66);
  live.work();
  EXPECT_EQ(live.facts().samples, taken);
  EXPECT_EQ(live.facts().oversized, 1);
  EXPECT_EQ(live.facts().dropped, 1);
  EXPECT_TRUE(live.push(bytes_of(message), 1.0)) << "room again";
}

/// A slow reader is told which samples he got, and a thread that waits is woken.
TEST(LiveEstimator, ReadersWaitAndNeverHoldItUp) {
  Robot robot = test::own_robot("planar_3r");
  robot.profile.settings.set("live.samples=64", "test");
  LiveEstimator live(robot, {"tool"}, {.format = MessageFormat::arrays});
  Samples samples(robot, 3913);
  live.start();
  std::atomic<bool> done = false;
  std::vector<std::thread> readers;
  std::atomic<long> read = 0, wrong = 0;
  for (int reader = 0; reader < 3; ++reader) {
    readers.emplace_back([&] {
      std::int64_t seen = 0;
      while (!done || seen < live.count()) {
        live.wait(seen, std::chrono::milliseconds(50));
        const LiveBlock block = live.read(seen, 1000);
        for (Eigen::Index i = 0; i < block.columns.rows(); ++i) {
          const double time = block.columns(i, L::kTime), raw = block.columns(i, live.columns().raw());
          if (time != raw || !(std::abs(time - 100.0 - 0.002 * static_cast<double>(block.first + i + 1)) < 1e-6))
            ++wrong;
        }
        read += block.columns.rows();
        seen = std::max<std::int64_t>(seen, block.first + block.columns.rows());
      }
    });
  }
  live.push(bytes_of(samples.header), 0.0);
  // Until the readers have had their turns, however few a busy machine gives them.
  constexpr long kSamples = 20000, kMost = 100 * kSamples, kRead = 1000;
  long pushed = 0;
  for (; pushed < kSamples || (read <= kRead && pushed < kMost); ++pushed) {
    const VectorX numbers = samples.next();
    while (!live.push(bytes_of(numbers), numbers[0])) std::this_thread::yield();
  }
  live.end();
  while (live.facts().stream != StreamState::ended) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  done = true;
  for (std::thread& reader : readers) reader.join();
  live.stop();
  EXPECT_EQ(live.count(), pushed);
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(read, kRead);
  EXPECT_EQ(live.read(0, 1000).first, pushed - 64);
}

TEST(LiveEstimator, SilenceIsSaid) {
  const Robot robot = test::own_robot("planar_3r");
  LiveEstimator live(robot, {"tool"}, {.format = MessageFormat::arrays});
  Samples samples(robot, 3914);
  EXPECT_EQ(live.facts().stream, StreamState::waiting);
  live.push(bytes_of(samples.header), 0.0);
  live.start();
  for (int i = 0; i < 30; ++i) live.push(bytes_of(samples.next()), samples.time);
  // A busy machine may make a silence of any pause, so that each state is waited for.
  const auto become = [&](StreamState state, const std::function<void()>& meanwhile) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (live.facts().stream != state && std::chrono::steady_clock::now() < end) {
      meanwhile();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return live.facts().stream == state || std::chrono::steady_clock::now() < end;
  };
  EXPECT_TRUE(become(StreamState::silent, [] {}));
  const std::int64_t silences = live.facts().silences;
  EXPECT_GE(silences, 1);
  EXPECT_TRUE(become(StreamState::running, [&] { live.push(bytes_of(samples.next()), samples.time); }));
  EXPECT_TRUE(become(StreamState::silent, [] {}));
  EXPECT_GT(live.facts().silences, silences);
}

/// Waits for an event with a generous bound.
template <class Happened>
bool comes(const Happened& happened) {
  const auto begin = std::chrono::steady_clock::now();
  while (!happened()) {
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(20)) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

/// Messages that hold no usable sample do not keep a stream alive: consumers get what they get while nothing arrives.
TEST(LiveEstimator, MessagesWithoutAUsableSampleAreSilence) {
  const Robot robot = test::own_robot("planar_3r");
  enum class Kind { frozen_stamp, nan_stamp, stamp_backwards, nan_torque, infinite_position, cut, longer };
  for (const Kind kind : {Kind::frozen_stamp, Kind::nan_stamp, Kind::stamp_backwards, Kind::nan_torque,
                          Kind::infinite_position, Kind::cut, Kind::longer}) {
    SCOPED_TRACE(static_cast<int>(kind));
    LiveEstimator live(robot, {"tool"}, {.format = MessageFormat::arrays});
    Samples samples(robot, 3916);
    live.push(bytes_of(samples.header), 0.0);
    live.start();
    for (int i = 0; i < 30; ++i) live.push(bytes_of(samples.next()), samples.time);
    ASSERT_EQ(live.wait(29, std::chrono::seconds(20)), 30);
    const double frozen = samples.time;
    int sent = 0;
    ASSERT_TRUE(comes([&] {
      VectorX numbers = samples.next();
      if (kind == Kind::frozen_stamp) numbers[0] = frozen;
      if (kind == Kind::nan_stamp) numbers[0] = kNaN;
      if (kind == Kind::stamp_backwards) numbers[0] = frozen - 0.01 * ++sent;
      if (kind == Kind::nan_torque) numbers.segment(1 + 2 * samples.motors, samples.motors).setConstant(kNaN);
      if (kind == Kind::infinite_position) numbers.segment(1, samples.motors).setConstant(kInfinity);
      if (kind == Kind::cut) numbers.conservativeResize(numbers.size() - 1);
      if (kind == Kind::longer) numbers.conservativeResize(numbers.size() + 1);
      live.push(bytes_of(numbers), samples.time);
      return live.facts().stream == StreamState::silent;
    }));
    EXPECT_EQ(live.facts().silences, 1);
    // More of them do not end it, and what they hold is refused with zeros.
    const std::int64_t received = live.facts().received, count = live.count();
    for (int i = 0; i < 20; ++i) {
      VectorX numbers = samples.next();
      numbers.segment(1 + 2 * samples.motors, samples.motors).setConstant(kNaN);
      if (kind != Kind::nan_torque && kind != Kind::infinite_position) numbers[0] = frozen;
      live.push(bytes_of(numbers), samples.time);
    }
    ASSERT_TRUE(comes([&] {
      const LiveFacts facts = live.facts();
      return facts.samples + facts.repeated + facts.out_of_order + facts.undecodable + 1 == received + 20;
    }));
    EXPECT_EQ(live.facts().stream, StreamState::silent);
    for (const WrenchMessage& one : live.messages(live.read(count, 100), WrenchEncoding::json)) {
      EXPECT_NE(one.payload.find(R"("state":"refused")"), std::string::npos) << one.payload;
      EXPECT_NE(one.payload.find(R"("action":"zero")"), std::string::npos) << one.payload;
      EXPECT_NE(one.payload.find(R"("force":[0,0,0])"), std::string::npos) << one.payload;
    }
    // A usable sample does.
    ASSERT_TRUE(comes([&] {
      live.push(bytes_of(samples.next()), samples.time);
      return live.facts().stream != StreamState::silent;
    }));
    live.stop();
  }
}

/// The queue is never empty: a stream that floods with what cannot be used is silent all the same.
TEST(LiveEstimator, AFloodWithoutASampleIsSilence) {
  const Robot robot = test::own_robot("planar_3r");
  LiveEstimator live(robot, {"tool"}, {.format = MessageFormat::arrays});
  Samples samples(robot, 3917);
  live.push(bytes_of(samples.header), 0.0);
  for (int i = 0; i < 30; ++i) live.push(bytes_of(samples.next()), samples.time);
  live.work();
  const std::string cut = "cut";
  ASSERT_TRUE(comes([&] {
    live.push(bytes_of(cut), samples.time);
    live.work();  // as the thread does while messages wait: it does not come to sleep
    return live.facts().stream == StreamState::silent;
  }));
}

TEST(LiveEstimator, WrenchStampedIsCdr) {
  const Robot robot = test::own_robot("planar_3r");
  LiveEstimator live(robot, {"tool"}, {.format = MessageFormat::arrays});
  Samples samples(robot, 3915);
  live.push(bytes_of(samples.header), 0.0);
  const VectorX numbers = samples.next(0.25);
  live.push(bytes_of(numbers), numbers[0]);
  live.work();
  const LiveBlock block = live.read(0, 1);
  const std::vector<WrenchMessage> messages = live.messages(block, WrenchEncoding::wrench_stamped);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].topic, "wrench/tool");
  const std::string& cdr = messages[0].payload;
  std::int32_t seconds = 0;
  std::uint32_t nanoseconds = 0, length = 0;
  std::memcpy(&seconds, cdr.data() + 4, 4);
  std::memcpy(&nanoseconds, cdr.data() + 8, 4);
  std::memcpy(&length, cdr.data() + 12, 4);
  EXPECT_EQ(seconds, 100);
  EXPECT_EQ(nanoseconds, 250000000u);
  const std::string frame = cdr.substr(16, length - 1);
  EXPECT_EQ(frame.substr(0, frame.rfind(' ')), "tool world_aligned " + std::string(to_string(block.sign)));
  const std::size_t first = 4 + (12 + length + 7) / 8 * 8;
  ASSERT_EQ(cdr.size(), first + 48);
  VectorX wrench(6);
  std::memcpy(wrench.data(), cdr.data() + first, 48);
  EXPECT_TRUE(same(block.columns, 0, live.columns().endpoint(0) + L::kConsumer, wrench));
}

}  // namespace
}  // namespace antaeus
