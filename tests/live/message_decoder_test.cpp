#include "antaeus/live/message_decoder.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "live/message_bytes.hpp"
#include "robot/test_robots.hpp"

namespace antaeus {
namespace {

using test::bytes_of;

/// CDR as the standard has it, written number by number.
class CdrWriter {
 public:
  template <class Number>
  CdrWriter& put(Number value) {
    while ((text.size() - 4) % sizeof(value) != 0) text += '\0';
    text.append(reinterpret_cast<const char*>(&value), sizeof(value));
    return *this;
  }
  CdrWriter& words(const std::string& word) {
    put(static_cast<std::uint32_t>(word.size() + 1));
    text += word;
    text += '\0';
    return *this;
  }
  std::string text = std::string("\0\1\0\0", 4);
};

std::string joint_state(const std::vector<std::string>& names, double stamp, double first) {
  CdrWriter cdr;
  cdr.put(static_cast<std::int32_t>(stamp)).put(static_cast<std::uint32_t>(5e8)).words("base");
  cdr.put(static_cast<std::uint32_t>(names.size()));
  for (const std::string& name : names) cdr.words(name);
  for (int channel = 0; channel < 3; ++channel) {
    cdr.put(static_cast<std::uint32_t>(names.size()));
    for (std::size_t i = 0; i < names.size(); ++i) cdr.put(first + 100.0 * channel + static_cast<double>(i));
  }
  return cdr.text;
}

class Messages : public testing::Test {
 protected:
  const Robot robot = test::own_robot("planar_3r");
  const RowLayout layout{robot.model.motor_count()};
  VectorX row{layout.size()};
  std::vector<double> at(Eigen::Index first, Eigen::Index count = 3) const {
    return {row.data() + first, row.data() + first + count};
  }
};

TEST_F(Messages, JsonByNamesOfALog) {
  MessageDecoder decoder(robot, MessageFormat::json);
  const std::string message =
      R"({"t_ms": 1500, "q": [1, 2.5, -3e-1], "tau": [4, null, 6], "dq": [7, 8, 9], "seq": 11, "note": "x\"]", "other": {"a": [1]}})";
  ASSERT_EQ(decoder.decode(bytes_of(message), 0, row), Decoded::sample) << decoder.problem();
  EXPECT_DOUBLE_EQ(row[RowLayout::kStamp], 1.5);
  EXPECT_EQ(row[RowLayout::kSequence], 11.0);
  EXPECT_EQ(at(layout.q()), (std::vector{1.0, 2.5, -0.3}));
  EXPECT_EQ(at(layout.v()), (std::vector{7.0, 8.0, 9.0}));
  EXPECT_TRUE(std::isnan(row[layout.tau() + 1]));
  EXPECT_EQ(row[layout.tau() + 2], 6.0);
  EXPECT_TRUE(decoder.channels().stamp && decoder.channels().v && !decoder.channels().quaternion);
  // Keys in another order, and with more between them, are the same message.
  const std::string turned = R"({"dq":[1,1,1],"new":[0,0],"tau":[2,2,2],"q":[3,3,3],"t_ms":1502})";
  ASSERT_EQ(decoder.decode(bytes_of(turned), 0, row), Decoded::sample) << decoder.problem();
  EXPECT_EQ(at(layout.q()), (std::vector{3.0, 3.0, 3.0}));
  EXPECT_TRUE(std::isnan(row[RowLayout::kSequence]));
}

/// What is not there, and what is not read, is said; a truth value is no number.
TEST_F(Messages, GapsAreSaid) {
  const auto notes = [&](const std::string& message) {
    MessageDecoder decoder(robot, MessageFormat::json);
    EXPECT_EQ(decoder.decode(bytes_of(message), 0, row), Decoded::sample) << decoder.problem();
    std::string all;
    for (const Note& note : decoder.notes()) all += note_text(note) + "\n";
    return all;
  };
  const std::string said = notes(R"({"t_ms":1,"q":[1,2,3],"tau":[1,2,3],"temperature":[40,41],"ok":true})");
  EXPECT_NE(said.find("no velocities"), std::string::npos) << said;
  EXPECT_NE(said.find("not read: temperature_0, temperature_1"), std::string::npos) << said;
  EXPECT_EQ(said.find("stands still"), std::string::npos) << said;
  MessageDecoder decoder(robot, MessageFormat::json);
  EXPECT_EQ(decoder.decode(bytes_of(R"({"q":[1,2,3],"tau":[true,true,false]})"), 0, row), Decoded::unusable);
}

TEST_F(Messages, JsonNamesItsJoints) {
  std::vector<std::string> names = robot.model.motor_names();
  MessageDecoder decoder(robot, MessageFormat::json);
  const std::string message =
      R"({"header":{"stamp":{"sec":7,"nanosec":250000000}},"name":[")" + names[2] + R"(",")" + names[0] + R"(",")" +
      names[1] + R"("],"position":[3,1,2],"effort":[30,10,20],"orientation":{"x":0.1,"y":0.2,"z":0.3,"w":0.9}})";
  ASSERT_EQ(decoder.decode(bytes_of(message), 0, row), Decoded::sample) << decoder.problem();
  EXPECT_EQ(at(layout.q()), (std::vector{1.0, 2.0, 3.0}));
  EXPECT_EQ(at(layout.tau()), (std::vector{10.0, 20.0, 30.0}));
  EXPECT_DOUBLE_EQ(row[RowLayout::kStamp], 7.25);
  EXPECT_EQ(at(layout.quaternion(), 4), (std::vector{0.1, 0.2, 0.3, 0.9}));
}

TEST_F(Messages, CsvHasItsHeaderFirst) {
  MessageDecoder decoder(robot, MessageFormat::csv);
  ASSERT_EQ(decoder.decode(bytes_of("time;tau_0;tau_1;tau_2;qpos_0;qpos_1;qpos_2\n"), 0, row), Decoded::kept)
      << decoder.problem();
  ASSERT_EQ(decoder.decode(bytes_of("0,5;1;2;3;4; 5 ;\r\n"), 0, row), Decoded::sample) << decoder.problem();
  EXPECT_EQ(row[RowLayout::kStamp], 0.5);
  EXPECT_EQ(at(layout.tau()), (std::vector{1.0, 2.0, 3.0}));
  EXPECT_EQ(row[layout.q() + 1], 5.0);
  EXPECT_TRUE(std::isnan(row[layout.q() + 2]));
  EXPECT_EQ(decoder.decode(bytes_of("0,6;1;2;3;4;5"), 0, row), Decoded::unusable);
  EXPECT_EQ(decoder.decode(bytes_of("0,6;1;2;3;4;5;x"), 0, row), Decoded::unusable);
  EXPECT_NE(decoder.problem(), "");
}

TEST_F(Messages, ArraysAreBits) {
  MessageDecoder decoder(robot, MessageFormat::arrays);
  ASSERT_EQ(decoder.decode(bytes_of(R"({"channels":[["time",1],["tau",3],["qpos",3],["imu_quat_wxyz",4]]})"), 0, row),
            Decoded::kept)
      << decoder.problem();
  std::vector<double> numbers = {1.0 / 3.0, 1, 2, 3, 4, 5, 6, 0.5, 0.1, 0.2, 0.3};
  ASSERT_EQ(decoder.decode(std::as_bytes(std::span(numbers)), 0, row), Decoded::sample) << decoder.problem();
  EXPECT_EQ(row[RowLayout::kStamp], 1.0 / 3.0);
  EXPECT_EQ(at(layout.tau()), (std::vector{1.0, 2.0, 3.0}));
  EXPECT_EQ(at(layout.quaternion(), 4), (std::vector{0.1, 0.2, 0.3, 0.5}));
  numbers.pop_back();
  EXPECT_EQ(decoder.decode(std::as_bytes(std::span(numbers)), 0, row), Decoded::unusable);
}

TEST_F(Messages, JointStateByItsNames) {
  const std::vector<std::string> motors = robot.model.motor_names();
  const std::vector<std::string> names = {motors[1], motors[2], motors[0]};
  MessageDecoder decoder(robot, MessageFormat::ros2);
  EXPECT_EQ(decoder.decode(bytes_of(joint_state(names, 10.0, 1.0)), 0, row), Decoded::kept) << "an Imu may come yet";
  ASSERT_EQ(decoder.decode(bytes_of(joint_state(names, 11.0, 1.0)), 0, row), Decoded::sample) << decoder.problem();
  EXPECT_EQ(at(layout.q()), (std::vector{3.0, 1.0, 2.0}));
  EXPECT_EQ(at(layout.v()), (std::vector{103.0, 101.0, 102.0}));
  EXPECT_EQ(at(layout.tau()), (std::vector{203.0, 201.0, 202.0}));
  EXPECT_DOUBLE_EQ(row[RowLayout::kStamp], 11.5);
  // Other names of the same length, in another order: looked up anew, not read by old places.
  const std::vector<std::string> turned = {motors[0], motors[1], motors[2]};
  ASSERT_EQ(decoder.decode(bytes_of(joint_state(turned, 12.0, 5.0)), 0, row), Decoded::sample) << decoder.problem();
  EXPECT_EQ(at(layout.q()), (std::vector{5.0, 6.0, 7.0}));

  CdrWriter imu;
  imu.put(std::int32_t{12}).put(std::uint32_t{500000000}).words("imu");
  for (int i = 0; i < 37; ++i) imu.put(static_cast<double>(i));
  EXPECT_EQ(decoder.decode(bytes_of(imu.text), 1, row), Decoded::kept) << decoder.problem();
  ASSERT_EQ(decoder.decode(bytes_of(joint_state(turned, 12.0, 5.0)), 0, row), Decoded::sample);
  EXPECT_EQ(at(layout.quaternion(), 4), (std::vector{0.0, 1.0, 2.0, 3.0}));
  EXPECT_EQ(at(layout.gyro()), (std::vector{13.0, 14.0, 15.0}));
  EXPECT_EQ(at(layout.accelerometer()), (std::vector{25.0, 26.0, 27.0}));
  ASSERT_EQ(decoder.decode(bytes_of(joint_state(turned, 13.0, 5.0)), 0, row), Decoded::sample);
  EXPECT_TRUE(std::isnan(row[layout.gyro()])) << "an Imu of a second ago is not this sample's";
}

TEST_F(Messages, SkipsOtherPublishersOfTheTopic) {
  const std::vector<std::string> motors = robot.model.motor_names();
  const auto json = [](const std::vector<std::string>& names) {
    return R"({"name":[")" + names[0] + R"(",")" + names[1] + R"(",")" + names[2] +
           R"("],"position":[1,2,3],"velocity":[4,5,6],"effort":[7,8,9],"time":1})";
  };
  const std::vector<std::string> fingers = {"thumb", "index", "ring"};
  const std::string no_effort = R"({"name":["thumb"],"position":[1]})";
  struct Case {
    MessageFormat format;
    std::string own;
    std::vector<std::string> others;
  };
  for (const Case& now :
       {Case{MessageFormat::ros2,
             joint_state(motors, 10.0, 1.0),
             {joint_state(fingers, 10.0, 1.0), joint_state({"thumb"}, 10.0, 1.0), joint_state({}, 10.0, 1.0)}},
        Case{MessageFormat::json, json(motors), {json(fingers), json({motors[2], motors[1], motors[0]}), no_effort}}}) {
    const std::string& first = now.others[0];
    MessageDecoder decoder(robot, now.format);
    EXPECT_EQ(decoder.decode(bytes_of(first), 0, row), Decoded::unusable);
    decoder.decode(bytes_of(now.own), 0, row);
    for (const std::string& other : now.others) {
      for (int repeated = 0; repeated < 2; ++repeated) {
        EXPECT_EQ(decoder.decode(bytes_of(other), 0, row), Decoded::unusable);
        EXPECT_FALSE(decoder.problem().empty());
      }
      EXPECT_NE(decoder.decode(bytes_of(now.own), 0, row), Decoded::unusable) << decoder.problem();
      EXPECT_FALSE(std::isnan(row[layout.tau() + 2]));
    }
    EXPECT_FALSE(decoder.hopeless());
  }
}

/// Offsets as CycloneDDS 11.0.1 serialises the types of unitree_sdk2 (found by changing one field at a time).
TEST(LowState, OffsetsAreThoseOfTheStandardsSerialiser) {
  struct Type {
    MessageFormat format;
    std::size_t size, tick, quaternion, gyro, accelerometer, q, stride;
  };
  const Type types[] = {{MessageFormat::low_state_hg, 2092, 16, 20, 36, 48, 76, 56},
                        {MessageFormat::low_state_go, 1180, 1100, 28, 44, 56, 84, 48}};
  const Robot robot = test::own_robot("planar_3r");
  const RowLayout layout(robot.model.motor_count());
  for (const Type& type : types) {
    std::string message(type.size, '\0');
    message[1] = '\1';
    const auto put = [&](std::size_t at, auto value) { std::memcpy(message.data() + at, &value, sizeof(value)); };
    put(type.tick, std::uint32_t{4294967290u});
    for (std::size_t i = 0; i < 4; ++i) put(type.quaternion + 4 * i, 0.25f * static_cast<float>(i));
    for (std::size_t i = 0; i < 3; ++i) {
      put(type.gyro + 4 * i, 1.0f + static_cast<float>(i));
      put(type.accelerometer + 4 * i, 7.0f + static_cast<float>(i));
      for (std::size_t channel = 0; channel < 4; ++channel) {
        put(type.q + type.stride * i + 4 * channel, static_cast<float>(10 * channel + i));
      }
    }
    for (const QuaternionOrder order : {QuaternionOrder::xyzw, QuaternionOrder::wxyz}) {
      MessageDecoder decoder(robot, type.format, order);
      VectorX row(layout.size());
      ASSERT_EQ(decoder.decode(bytes_of(message), 0, row), Decoded::sample) << decoder.problem();
      EXPECT_DOUBLE_EQ(row[RowLayout::kStamp], 4294967.290);
      const bool first = order == QuaternionOrder::wxyz;
      EXPECT_EQ(row[layout.quaternion()], first ? 0.25 : 0.0);
      EXPECT_EQ(row[layout.quaternion() + 3], first ? 0.0 : 0.75);
      for (Eigen::Index i = 0; i < 3; ++i) {
        const auto number = static_cast<double>(i);
        EXPECT_EQ(row[layout.gyro() + i], 1.0 + number);
        EXPECT_EQ(row[layout.accelerometer() + i], 7.0 + number);
        EXPECT_EQ(row[layout.q() + i], number);
        EXPECT_EQ(row[layout.v() + i], 10.0 + number);
        EXPECT_TRUE(std::isnan(row[layout.a() + i]));
        EXPECT_EQ(row[layout.tau() + i], 30.0 + number);
      }
      std::string later = message;
      const std::uint32_t wrapped = 4;
      std::memcpy(later.data() + type.tick, &wrapped, sizeof(wrapped));
      ASSERT_EQ(decoder.decode(bytes_of(later), 0, row), Decoded::sample);
      EXPECT_DOUBLE_EQ(row[RowLayout::kStamp], 4294967.300) << "the clock of 49.7 days goes on";
      EXPECT_EQ(decoder.decode(bytes_of(message.substr(1)), 0, row), Decoded::unusable);
      later[1] = '\7';
      EXPECT_EQ(decoder.decode(bytes_of(later), 0, row), Decoded::unusable);
    }
  }
}

/// Whichever order is sent: the profile's unless the accelerometer bears out the other one alone.
TEST(LowState, TheAccelerometerTellsTheOrderOfTheQuaternion) {
  const Robot robot = test::own_robot("planar_3r");
  ASSERT_EQ(robot.profile.imu.order, QuaternionOrder::xyzw);
  const RowLayout layout(robot.model.motor_count());
  const auto read = [&](std::array<float, 4> four, float up, std::optional<QuaternionOrder> asked) {
    std::string message(2092, '\0');
    message[1] = '\1';
    const std::array<float, 3> force = {0.0f, 0.0f, up};
    std::memcpy(message.data() + 20, four.data(), 16);
    std::memcpy(message.data() + 48, force.data(), 12);
    MessageDecoder decoder(robot, MessageFormat::low_state_hg, asked);
    VectorX row(layout.size());
    EXPECT_EQ(decoder.decode(bytes_of(message), 0, row), Decoded::sample);
    EXPECT_EQ(decoder.notes().size(), 2u);
    return std::pair(Eigen::Vector4d(row.segment<4>(layout.quaternion())), note_text(decoder.notes().back()));
  };
  const Eigen::Vector4d upright(0.0, 0.0, 0.0, 1.0);
  EXPECT_EQ(read({0, 0, 0, 1}, 9.8f, {}).first, upright);
  const auto [turned, note] = read({1, 0, 0, 0}, 9.8f, {});
  EXPECT_EQ(turned, upright);
  EXPECT_NE(note.find("accelerometer bears it out"), std::string::npos) << note;
  EXPECT_EQ(read({1, 0, 0, 0}, 9.8f, QuaternionOrder::xyzw).first, Eigen::Vector4d(1, 0, 0, 0)) << "asked for";
  EXPECT_EQ(read({1, 0, 0, 0}, 0.1f, {}).first, Eigen::Vector4d(1, 0, 0, 0)) << "in free fall nothing tells";
}

TEST_F(Messages, ReportsAnotherRobotAtOnce) {
  const auto problem = [&](MessageFormat format, const std::string& message) {
    MessageDecoder decoder(robot, format);
    EXPECT_EQ(decoder.decode(bytes_of(message), 0, row), Decoded::unusable);
    EXPECT_EQ(decoder.hopeless(), format == MessageFormat::csv || format == MessageFormat::arrays) << decoder.problem();
    return decoder.problem();
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const std::string four = problem(MessageFormat::json, R"({"q":[1,2,3,4],"tau":[1,2,3,4]})");
  EXPECT_TRUE(has(four, "4")) << four;
  const std::string none = problem(MessageFormat::json, R"({"q":[1,2,3]})");
  EXPECT_TRUE(has(none, "tau")) << none;
  EXPECT_TRUE(has(problem(MessageFormat::csv, "time,q_0,q_1,q_2"), "tau"));
  EXPECT_TRUE(has(problem(MessageFormat::arrays, R"({"channels": [["q", 3]]})"), "tau"));
  const std::string strange = problem(MessageFormat::ros2, joint_state({"a", "b", "c"}, 1.0, 0.0));
  EXPECT_TRUE(has(strange, robot.profile.name.c_str())) << strange;
}

TEST_F(Messages, QuaternionsOrderIsTheProfilesOrAsAsked) {
  Robot turned = robot;
  turned.profile.channels.quaternion_order = QuaternionOrder::wxyz;
  const std::string unnamed = R"({"q":[1,2,3],"tau":[1,2,3],"imu_quat":[0.1,0.2,0.3,0.4]})";
  const std::string named = R"({"q":[1,2,3],"tau":[1,2,3],"imu_quat_xyzw":[0.1,0.2,0.3,0.4]})";
  const std::vector xyzw = {0.1, 0.2, 0.3, 0.4}, wxyz = {0.2, 0.3, 0.4, 0.1};
  struct Case {
    const Robot* robot;
    const std::string* message;
    std::optional<QuaternionOrder> asked;
    const std::vector<double>* expected;
  };
  for (const Case& now :
       {Case{&robot, &unnamed, {}, &xyzw}, Case{&robot, &named, {}, &xyzw}, Case{&turned, &unnamed, {}, &wxyz},
        Case{&turned, &named, {}, &wxyz}, Case{&robot, &unnamed, QuaternionOrder::wxyz, &wxyz},
        Case{&turned, &unnamed, QuaternionOrder::xyzw, &xyzw}}) {
    MessageDecoder decoder(*now.robot, MessageFormat::json, now.asked);
    ASSERT_EQ(decoder.decode(bytes_of(*now.message), 0, row), Decoded::sample) << decoder.problem();
    EXPECT_EQ(at(layout.quaternion(), 4), *now.expected);
  }
}

}  // namespace
}  // namespace antaeus
