#include <gtest/gtest.h>

#include <cstring>

#include "antaeus/live/live_estimator.hpp"
#include "live/message_bytes.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"
#include "support/faulty_cycles.hpp"

namespace antaeus {
namespace {

using test::AllocationCounter;

std::string list(const char* key, const VectorX& numbers) {
  std::string text = std::string("\"") + key + "\":[";
  for (const double number : numbers) text += (text.back() == '[' ? "" : ",") + std::to_string(number);
  return text + "]";
}

/// Good messages and bad ones, orders and clocks that go wrong, requests: nothing takes memory after the first sample.
TEST(LiveRealtime, NoAllocationAfterTheFirstSample) {
  for (const auto& [name, endpoint] : {std::pair{"h1_2", "left_wrist_yaw_link"}, std::pair{"planar_3r", "tool"}}) {
    Robot robot = test::own_robot(name);
    const int motors = robot.model.motor_count();
    for (int m = 0; m < motors; ++m) robot.profile.channels.torque_order.push_back(motors - 1 - m);
    test::RandomStates random(3920);
    LiveEstimator live(robot, {endpoint}, {.format = MessageFormat::json});
    double time = 1.0, arrives = 51.0;
    std::string last;
    for (int i = 0; i < 2000; ++i) {
      const double pause = i % 401 == 400 ? 3.0 : 0.002;
      time += i % 701 == 700 ? 20.0 : pause;
      arrives += pause;
      std::string message = "{\"time\":" + std::to_string(time) + "," + list("q", random.vector(motors, 1.0)) + "," +
                            list("dq", random.vector(motors, 1.0)) + "," + list("tau", random.vector(motors, 30.0)) +
                            "," + list("imu_quat", random.vector(4).normalized()) + "," +
                            list("imu_gyro", random.vector(3)) + "," + list("imu_acc", random.vector(3, 12.0)) + "}";
      if (i % 13 == 12) message.resize(message.size() / 2);
      if (i % 17 == 16) message = last;
      const std::size_t numbers = message.find("\"q\":[");
      if (i % 19 == 18 && numbers != message.npos) message.insert(numbers + 5, "1,");
      if (i % 23 == 22) message = "\xff\x00nothing";
      if (i == 500) live.begin_tare();
      last = message;
      ASSERT_TRUE(live.push(test::bytes_of(message), arrives));
      AllocationCounter counter;
      ASSERT_EQ(live.work(), 1);
      const std::int64_t taken = i > 0 ? counter.count() : 0;
      ASSERT_EQ(taken, 0) << name << ", message " << i;
    }
    const LiveFacts facts = live.facts();
    EXPECT_GT(facts.samples, 1000) << facts.last_problem;
    EXPECT_GT(facts.undecodable, 300);
    EXPECT_GT(facts.restarts, 2);
    EXPECT_GT(facts.clock_jumps, 0);
  }
}

/// Stamps, numbers and times of arrival that are anything: each message is judged, and time as it is told never goes
/// back within a stretch.
TEST(LiveSoak, StreamWatchOfAnything) {
  StreamWatch watch{LiveOptions{}};
  test::Faults faults(3922, 50);
  double stamp = 0.0, received = 0.0, last = -kInfinity;
  std::int64_t messages = 0;
  AllocationCounter counter;
  for (int i = 0; i < test::in_soak(1000000, 100000); ++i) {
    faults.begin_cycle();
    stamp += 0.002, received += 0.002;
    double sent = stamp, arrives = received, sequence = i;
    if (faults.burst()) {
      faults.spoil_time(sent, stamp - 0.002);
      faults.spoil(sent);
      faults.spoil(sequence);
      if (faults.below(20) == 0) received += 3.0;
    }
    const Arrival arrival = watch.judge(sent, sequence, arrives);
    ++messages;
    if (arrival == Arrival::anew) last = -kInfinity;
    if (arrival == Arrival::taken || arrival == Arrival::anew) {
      ASSERT_TRUE(std::isfinite(watch.time())) << i;
      ASSERT_GT(watch.time(), last) << i;
      last = watch.time();
    }
  }
  const std::int64_t taken = counter.count();
  EXPECT_EQ(taken, 0);
  const StreamCounts& counts = watch.counts();
  EXPECT_EQ(counts.taken + counts.repeated + counts.out_of_order, messages);
  EXPECT_GT(counts.taken, messages / 2);
  EXPECT_GT(counts.restarts + counts.clock_jumps, 0);
}

/// An hour's million faulty cycles: lost, late, repeated, out of order, NaN, clock jumps, senders that are killed.
TEST(LiveSoak, FaultyCycles) {
  const Robot robot = test::own_robot("planar_3r");
  LiveEstimator live(robot, {"tool"}, {.format = MessageFormat::arrays});
  const std::string header = R"({"channels":[["time",1],["qpos",3],["dq",3],["tau",3]]})";
  ASSERT_TRUE(live.push(test::bytes_of(header), 0.0));
  live.work();
  test::Faults faults(3921, 400);
  VectorX numbers = VectorX::Zero(10);
  double sender = 10.0, receiver = 1000.0;
  std::int64_t lost = 0, repeated = 0, older = 0, unusable = 0;
  const int cycles = test::in_soak(1000000, 20000);
  for (int i = 0; i < cycles; ++i) {
    const bool fresh = faults.begin_cycle();
    sender += 0.001;
    receiver += 0.001;
    if (fresh) {
      numbers[0] = sender;
      for (Eigen::Index j = 1; j < 10; ++j) numbers[j] = faults.number(1.0);
    }
    const bool bad = faults.burst();
    Eigen::Index size = 10;
    if (bad) {
      switch (faults.below(9)) {
        case 0: ++lost; continue;
        case 1: receiver += 0.3; break;
        case 2: ++older, numbers[0] = sender - 0.01; break;
        case 3: numbers[1 + faults.below(9)] = kNaN; break;
        case 4: ++unusable, size = faults.below(10); break;
        case 5:
          if (faults.below(50) == 0) sender += 3600.0 * faults.number(1.0);
          break;
        case 6:
          if (faults.below(50) == 0) sender = 0.0, receiver += 2.0;
          break;
        case 7: numbers[0] = faults.number(1e18); break;
        default: break;
      }
    }
    repeated += !fresh;
    const auto bytes = std::as_bytes(std::span(numbers.data(), static_cast<std::size_t>(size)));
    ASSERT_TRUE(live.push(bytes, receiver));
    AllocationCounter counter;
    live.work();
    const std::int64_t taken = i > 10 ? counter.count() : 0;
    ASSERT_EQ(taken, 0) << "cycle " << i;
  }
  const LiveFacts facts = live.facts();
  EXPECT_GT(lost, 10);
  EXPECT_GT(facts.lost, 0);
  EXPECT_GT(facts.repeated, 0);
  EXPECT_GE(facts.out_of_order, older / 2);
  EXPECT_EQ(facts.undecodable, unusable);
  EXPECT_GT(facts.late, 0);
  EXPECT_GT(facts.restarts + facts.clock_jumps, 0);
  EXPECT_GT(static_cast<double>(facts.samples), 0.8 * cycles);
  const LiveBlock block = live.read(0, 100000);
  for (Eigen::Index i = 0; i < block.columns.rows(); ++i) {
    ASSERT_TRUE(block.columns.row(i).segment<6>(live.columns().endpoint(0) + LiveColumns::kConsumer).allFinite()) << i;
  }
}

}  // namespace
}  // namespace antaeus
