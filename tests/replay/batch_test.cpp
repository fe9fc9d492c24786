// What a replayed state does not depend on: instruction set, block, neighbours, layout. And arrays that do not fit.
#include <gtest/gtest.h>

#include <cstdlib>

#include "antaeus/core/error.hpp"
#include "replay/batch_numbers.hpp"
#include "replay/batch_states.hpp"

namespace antaeus {
namespace {

using test::BatchAnswers;
using test::BatchStates;
using test::input_of;
using test::RandomStates;
using test::same_bits;

constexpr int kStates = 101;

/// Those that this machine has.
std::vector<InstructionSet> sets() {
  std::vector<InstructionSet> all;
  for (const InstructionSet set : all_values<InstructionSet>()) {
    if (set <= instruction_set()) all.push_back(set);
  }
  return all;
}

struct Subject {
  std::string name;
  BatchModel model;
  RobotModel robot;
};

std::vector<Subject> subjects() {
  const Robot h1_2 = test::own_robot("h1_2"), panda = test::own_robot("panda"), planar = test::own_robot("planar_3r");
  RandomStates random(5);
  const RobotModel tree(test::random_tree(random, 25));
  return {
      {"h1_2", BatchModel(h1_2, {"left_wrist_yaw_link", "right_wrist_yaw_link", "left_ankle_roll_link"}), h1_2.model},
      {"panda", BatchModel(panda, {"panda_hand"}), panda.model},
      {"planar_3r", BatchModel(planar, {planar.profile.endpoints[0].frame}), planar.model},
      {"tree", BatchModel(tree, {"link_25", "link_12"}, {.imu_frame = "link_7"}), tree}};
}

/// Random states, and among them such as no robot has: NaN, infinity, huge numbers, all zero, a tilted quaternion.
BatchStates hostile_states(const RobotModel& robot, RandomStates& random) {
  BatchStates states(robot, kStates, random);
  const int motors = states.motors;
  const auto at = [motors](std::vector<double>& channel, int state, int motor) -> double& {
    return channel[static_cast<std::size_t>(state * motors + motor % motors)];
  };
  at(states.q, 3, 1) = std::nan("");
  at(states.tau, 9, 2) = kInfinity;
  at(states.q, 20, 0) = -kInfinity;
  at(states.q, 21, 0) = 1e300;
  at(states.tau, 22, 1) = 1e300;
  at(states.q, 30, 2) = 3000.0 * 6.28;
  at(states.v, 33, 0) = std::nan("");
  for (int m = 0; m < motors; ++m) at(states.q, 40, m) = at(states.tau, 40, m) = 0.0;
  for (int m = 0; m < motors; ++m) at(states.q, 41, m) = -0.0;
  states.quaternion[4 * 50] = std::nan("");
  for (int k = 0; k < 4; ++k) states.quaternion[4 * 51 + static_cast<std::size_t>(k)] *= 1.01;
  for (int k = 0; k < 4; ++k) states.quaternion[4 * 52 + static_cast<std::size_t>(k)] = 0.0;
  return states;
}

/// Each state alone in a block of its own.
std::vector<std::vector<double>> one_by_one(const Subject& subject, const BatchStates& states, bool dynamic,
                                            InstructionSet set) {
  BatchWorkspace workspace(subject.model, set);
  const BatchInput all = input_of(states, subject.robot, dynamic);
  std::vector<std::vector<double>> results;
  for (int i = 0; i < kStates; ++i) {
    BatchInput in;
    in.count = 1;
    const auto row = [&](const BatchRowsOf<const double>& from, int width) -> BatchRowsOf<const double> {
      if (from.values.empty()) return {};
      return {from.values.subspan(static_cast<std::size_t>(i * width), static_cast<std::size_t>(width))};
    };
    in.q = row(all.q, states.motors);
    in.tau = row(all.tau, states.motors);
    in.v = row(all.v, states.motors);
    in.a = row(all.a, states.motors);
    in.imu_quaternion_xyzw = row(all.imu_quaternion_xyzw, 4);
    in.imu_angular_velocity = row(all.imu_angular_velocity, 3);
    in.imu_specific_force = row(all.imu_specific_force, 3);
    in.base_angular_acceleration = row(all.base_angular_acceleration, 3);
    BatchAnswers answers(subject.model, 1);
    EXPECT_EQ(workspace.replay(in, answers.all(dynamic)), Status::ok);
    results.push_back(answers.of(0));
  }
  return results;
}

TEST(Batch, EveryInstructionSetAndEveryNeighbourhoodGivesTheSameBits) {
  for (const Subject& subject : subjects()) {
    for (const bool dynamic : {false, true}) {
      RandomStates random(907);
      SCOPED_TRACE(subject.name + (dynamic ? ", moving, " : ", at rest, ") + random.text());
      const BatchStates states = hostile_states(subject.robot, random);
      const auto expected = one_by_one(subject, states, dynamic, InstructionSet::portable);
      for (const InstructionSet set : sets()) {
        SCOPED_TRACE(to_string(set));
        BatchWorkspace workspace(subject.model, set);
        // The first states of all: full packs and every tail.
        for (const int count : {kStates, 64, 9, 8, 7, 5, 4, 3, 2, 1}) {
          BatchInput in = input_of(states, subject.robot, dynamic);
          in.count = count;
          const auto cut = [count](BatchRowsOf<const double>& rows, int width) {
            if (!rows.values.empty()) rows.values = rows.values.first(static_cast<std::size_t>(count * width));
          };
          cut(in.q, states.motors);
          cut(in.tau, states.motors);
          cut(in.v, states.motors);
          cut(in.a, states.motors);
          cut(in.imu_quaternion_xyzw, 4);
          cut(in.imu_angular_velocity, 3);
          cut(in.imu_specific_force, 3);
          cut(in.base_angular_acceleration, 3);
          BatchAnswers answers(subject.model, count);
          ASSERT_EQ(workspace.replay(in, answers.all(dynamic)), Status::ok);
          for (int i = 0; i < count; ++i) {
            EXPECT_TRUE(same_bits(answers.of(i), expected[static_cast<std::size_t>(i)])) << i << " of " << count;
          }
        }
      }
    }
  }
}

TEST(Batch, OneStateAtATimeInPlainDoublesGivesTheSameBits) {
  for (const Subject& subject : subjects()) {
    RandomStates random(911);
    SCOPED_TRACE(subject.name + ", " + random.text());
    const BatchStates states = hostile_states(subject.robot, random);
    BatchWorkspace workspace(subject.model, InstructionSet::portable);
    BatchAnswers packed(subject.model, kStates), plain(subject.model, kStates);
    ASSERT_EQ(workspace.replay(states.at_rest(), packed.all(false)), Status::ok);
    const detail::BatchNumbers& numbers = subject.model.numbers();
    detail::BatchCall call;
    call.count = kStates;
    call.in.q = {states.q.data(), states.motors};
    call.in.tau = {states.tau.data(), states.motors};
    call.in.imu_quaternion_xyzw = {states.quaternion.data(), 4};
    call.out.residual = {plain.residual.data(), states.motors};
    call.out.wrench = {plain.wrench.data(), 6 * plain.endpoints};
    call.out.sigma = {plain.sigma.data(), 6 * plain.endpoints};
    const detail::BatchBuild& build = detail::batch_build_single();
    std::vector<double> memory(build.memory(numbers) / sizeof(double));
    build.run(numbers, call, memory.data());
    EXPECT_TRUE(same_bits(plain.residual, packed.residual));
    EXPECT_TRUE(same_bits(plain.wrench, packed.wrench));
    EXPECT_TRUE(same_bits(plain.sigma, packed.sigma));
  }
}

TEST(Batch, AStateWithoutAResultIsNaNAndSaysWhy) {
  const Subject subject = subjects()[0];
  RandomStates random(919);
  SCOPED_TRACE(random.text());
  const BatchStates states = hostile_states(subject.robot, random);
  BatchWorkspace workspace(subject.model);
  BatchAnswers answers(subject.model, kStates);
  ASSERT_EQ(workspace.replay(states.moving(subject.robot.base()), answers.all(true)), Status::ok);
  for (int i = 0; i < kStates; ++i) {
    // 1e300 too: a number that no robot can have.
    const bool not_finite = i == 3 || i == 9 || i == 20 || i == 21 || i == 22 || i == 33 || i == 50;
    const bool tilted = i == 51 || i == 52;
    const Status status = answers.status[static_cast<std::size_t>(i)];
    EXPECT_EQ(status, not_finite ? Status::not_finite : tilted ? Status::bad_orientation : Status::ok) << i;
    std::vector<double> numbers = answers.of(i);
    numbers.resize(numbers.size() - static_cast<std::size_t>(answers.endpoints) - 1);
    if (not_finite || tilted) {
      EXPECT_TRUE(std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); })) << i;
      EXPECT_EQ(answers.rank[static_cast<std::size_t>(i * answers.endpoints)], -1) << i;
    } else {
      EXPECT_TRUE(std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); })) << i;
    }
  }
}

TEST(Batch, ArraysThatDoNotFitAreErrorsAndNothingIsWritten) {
  const Subject subject = subjects()[0];
  RandomStates random(937);
  const BatchStates states(subject.robot, kStates, random);
  BatchWorkspace workspace(subject.model);
  BatchAnswers answers(subject.model, kStates);
  const auto refused = [&](const std::string& array, auto change) {
    BatchInput in = states.at_rest();
    BatchOutput out = answers.all(false);
    change(in, out);
    try {
      check_block(subject.model, in, out);
      FAIL() << array;
    } catch (const OptionsError& error) {
      EXPECT_EQ(std::string(error.what()).rfind(array + ":", 0), 0u) << error.what();
    }
    EXPECT_EQ(workspace.replay(in, out), Status::wrong_size) << array;
    EXPECT_EQ(answers.torque.front(), -7.0) << array;
  };
  const auto shorter = [](auto& rows) { rows.values = rows.values.first(rows.values.size() - 1); };
  refused("count", [](BatchInput& in, BatchOutput&) { in.count = -1; });
  refused("q", [](BatchInput& in, BatchOutput&) { in.q = {}; });
  refused("q", [&](BatchInput& in, BatchOutput&) { shorter(in.q); });
  refused("q", [](BatchInput& in, BatchOutput&) { in.q.stride = 26; });
  refused("q", [](BatchInput& in, BatchOutput&) { in.q.stride = 28; });
  refused("q", [](BatchInput& in, BatchOutput&) { in.q.stride = -27; });
  refused("tau", [&](BatchInput& in, BatchOutput&) { shorter(in.tau); });
  refused("residual", [](BatchInput& in, BatchOutput&) { in.tau = {}; });
  refused("v", [&](BatchInput& in, BatchOutput&) { in.v = {states.v}; });
  refused("a", [&](BatchInput& in, BatchOutput&) { in.a = {states.a}; });
  refused("imu_angular_velocity", [&](BatchInput& in, BatchOutput&) { in.imu_angular_velocity = {states.gyro}; });
  refused("imu_quaternion_xyzw", [&](BatchInput& in, BatchOutput&) { shorter(in.imu_quaternion_xyzw); });
  refused("wrench", [&](BatchInput&, BatchOutput& out) { shorter(out.wrench); });
  refused("rank", [&](BatchInput&, BatchOutput& out) { shorter(out.rank); });
  refused("jacobian", [](BatchInput&, BatchOutput& out) { out.jacobian.stride = 5; });
  refused("status", [](BatchInput&, BatchOutput& out) { out.status = out.status.first(2); });
  refused("base_angular_velocity",
          [&](BatchInput&, BatchOutput& out) { out.base_angular_velocity = {answers.base_velocity}; });

  const RobotModel bolted(subject.robot.description(), test::fixed_base());
  const BatchModel fixed(bolted, {});
  BatchInput in = states.moving(Base::free_flyer);
  EXPECT_THROW(check_block(fixed, in, {}), OptionsError) << "no IMU on a fixed base";
  in = states.at_rest();
  check_block(fixed, in, {});
  BatchOutput out;
  out.wrench = {answers.wrench};
  EXPECT_THROW(check_block(fixed, in, out), OptionsError) << "no endpoints";
}

TEST(Batch, NoStatesAreNoError) {
  const Subject subject = subjects()[0];
  BatchWorkspace workspace(subject.model);
  check_block(subject.model, {}, {});
  EXPECT_EQ(workspace.replay({}, {}), Status::ok);
}

TEST(Batch, ModelsThatCannotBeAreErrors) {
  const Robot h1_2 = test::own_robot("h1_2");
  EXPECT_THROW(BatchModel(h1_2, {"left_wrist_yaw_lin"}), ModelError);
  EXPECT_THROW(BatchModel(h1_2.model, {}, {.imu_frame = "imu_lin"}), ModelError);
  EXPECT_THROW(BatchModel(h1_2.model, {}, {.relative_tolerance = -1e-9}), OptionsError);
  EXPECT_THROW(BatchModel(h1_2.model, {}, {.relative_tolerance = kNaN}), OptionsError);
  EXPECT_THROW(BatchModel(h1_2, {}).supporting_motors(0), ModelError);
  RobotDescription rigid;
  rigid.name = rigid.root = "block";
  rigid.links.resize(1);
  rigid.links[0].name = "block";
  rigid.links[0].has_inertial = true;
  rigid.links[0].inertial.mass = 1.0;
  rigid.links[0].inertial.inertia = Matrix3::Identity();
  EXPECT_THROW(BatchModel(RobotModel(rigid), {}), ModelError) << "no motors";
}

TEST(Batch, TheEnvironmentMayChooseTheInstructionSet) {
  const BatchModel model(test::own_robot("panda"), {});
  const char* const before = std::getenv("ANTAEUS_INSTRUCTION_SET");
  const std::string kept = before ? before : "";
  ::setenv("ANTAEUS_INSTRUCTION_SET", "portable", 1);
  EXPECT_EQ(BatchWorkspace(model).set(), InstructionSet::portable);
  EXPECT_EQ(BatchWorkspace(model).lanes(), 2);
  ::setenv("ANTAEUS_INSTRUCTION_SET", "avx1024", 1);
  EXPECT_THROW(BatchWorkspace{model}, OptionsError);
  if (instruction_set() != InstructionSet::avx512) {
    ::setenv("ANTAEUS_INSTRUCTION_SET", "avx512", 1);
    EXPECT_THROW(BatchWorkspace{model}, OptionsError);
  }
  ::setenv("ANTAEUS_INSTRUCTION_SET", "", 1);
  EXPECT_EQ(BatchWorkspace(model).set(), instruction_set());
  if (before) {
    ::setenv("ANTAEUS_INSTRUCTION_SET", kept.c_str(), 1);
  } else {
    ::unsetenv("ANTAEUS_INSTRUCTION_SET");
  }
}

}  // namespace
}  // namespace antaeus
