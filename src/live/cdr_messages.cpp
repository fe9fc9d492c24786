// Messages in CDR (OMG DDSI-RTPS 2.2, 10.2): Unitree's LowState, ROS 2's JointState and Imu.
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "antaeus/core/error.hpp"
#include "antaeus/core/numbers.hpp"
#include "format_reader.hpp"

namespace antaeus {

namespace {

constexpr std::size_t kHeader = 4;  ///< of the encapsulation; what follows is aligned to its own begin

template <class Number>
Number number_at(std::span<const std::byte> message, std::size_t at) noexcept {
  Number value;
  std::memcpy(&value, message.data() + at, sizeof(value));
  return value;
}

/// \return null: XCDR1, little-endian
const char* refused_encapsulation(std::span<const std::byte> message) noexcept {
  if (message.size() < kHeader) return "shorter than the header of CDR";
  if (message[0] == std::byte{0} && message[1] == std::byte{1}) return nullptr;
  if (message[0] == std::byte{0} && message[1] == std::byte{0}) return "big-endian CDR, which is not read";
  return "an encapsulation other than XCDR1 (0x0001), which is not read";
}

enum class CdrKind : std::uint8_t { octet = 1, half = 2, word = 4, real = 8 };  ///< its size and its alignment

/// A member of a type, of which nothing but what is read has a role.
struct CdrMember {
  CdrKind kind = CdrKind::octet;
  std::size_t count = 1;
  enum class Role : std::uint8_t { none, tick, quaternion, gyro, accelerometer, q, v, a, tau } role = Role::none;
  std::span<const CdrMember> members = {};  ///< of a struct; kind is not read then
};
using Role = CdrMember::Role;

constexpr CdrKind kOctet = CdrKind::octet, kShort = CdrKind::half, kWord = CdrKind::word;

// unitree_hg and unitree_go, IDL of unitree_sdk2 (BSD-3-Clause). float is a word.
constexpr std::array kImuHg = {CdrMember{kWord, 4, Role::quaternion}, CdrMember{kWord, 3, Role::gyro},
                               CdrMember{kWord, 3, Role::accelerometer}, CdrMember{kWord, 3}, CdrMember{kShort}};
constexpr std::array kMotorHg = {CdrMember{kOctet},
                                 CdrMember{kWord, 1, Role::q},
                                 CdrMember{kWord, 1, Role::v},
                                 CdrMember{kWord, 1, Role::a},
                                 CdrMember{kWord, 1, Role::tau},
                                 CdrMember{kShort, 2},
                                 CdrMember{kWord},
                                 CdrMember{kWord, 2},
                                 CdrMember{kWord},
                                 CdrMember{kWord, 4}};
constexpr std::array kLowStateHg = {CdrMember{kWord, 2},
                                    CdrMember{kOctet},
                                    CdrMember{kOctet},
                                    CdrMember{kWord, 1, Role::tick},
                                    CdrMember{kOctet, 1, Role::none, kImuHg},
                                    CdrMember{kOctet, 35, Role::none, kMotorHg},
                                    CdrMember{kOctet, 40},
                                    CdrMember{kWord, 4},
                                    CdrMember{kWord}};
constexpr std::array kImuGo = {CdrMember{kWord, 4, Role::quaternion}, CdrMember{kWord, 3, Role::gyro},
                               CdrMember{kWord, 3, Role::accelerometer}, CdrMember{kWord, 3}, CdrMember{kOctet}};
constexpr std::array kMotorGo = {CdrMember{kOctet},
                                 CdrMember{kWord, 1, Role::q},
                                 CdrMember{kWord, 1, Role::v},
                                 CdrMember{kWord, 1, Role::a},
                                 CdrMember{kWord, 1, Role::tau},
                                 CdrMember{kWord, 3},
                                 CdrMember{kOctet},
                                 CdrMember{kWord},
                                 CdrMember{kWord, 2}};
constexpr std::array kBmsGo = {CdrMember{kOctet, 4}, CdrMember{kWord},     CdrMember{kShort},
                               CdrMember{kOctet, 2}, CdrMember{kOctet, 2}, CdrMember{kShort, 15}};
constexpr std::array kLowStateGo = {CdrMember{kOctet, 2},
                                    CdrMember{kOctet},
                                    CdrMember{kOctet},
                                    CdrMember{kWord, 2},
                                    CdrMember{kWord, 2},
                                    CdrMember{kShort},
                                    CdrMember{kOctet, 1, Role::none, kImuGo},
                                    CdrMember{kOctet, 20, Role::none, kMotorGo},
                                    CdrMember{kOctet, 1, Role::none, kBmsGo},
                                    CdrMember{kShort, 4},
                                    CdrMember{kShort, 4},
                                    CdrMember{kWord, 1, Role::tick},
                                    CdrMember{kOctet, 40},
                                    CdrMember{kOctet},
                                    CdrMember{kWord},
                                    CdrMember{kOctet, 2},
                                    CdrMember{kWord, 2},
                                    CdrMember{kShort, 4},
                                    CdrMember{kWord},
                                    CdrMember{kWord}};

/// The table of offsets: `found(role, outer index, index, offset)` for each number that is read.
template <class Found>
std::size_t walk(std::span<const CdrMember> members, std::size_t at, std::size_t outer, const Found& found) {
  for (const CdrMember& member : members) {
    for (std::size_t i = 0; i < member.count; ++i) {
      if (!member.members.empty()) {
        at = walk(member.members, at, i, found);
        continue;
      }
      const auto size = static_cast<std::size_t>(member.kind);
      at = (at + size - 1) / size * size;
      if (member.role != Role::none) found(member.role, outer, i, kHeader + at);
      at += size;
    }
  }
  return at;
}

class LowStateReader : public FormatReader {
 public:
  LowStateReader(const ReaderOptions& options, bool quadruped) {
    const std::span<const CdrMember> type = quadruped ? std::span<const CdrMember>(kLowStateGo) : kLowStateHg;
    const Eigen::Index motors = options.layout.motors, all = quadruped ? 20 : 35;
    if (motors > all) {
      throw Error("stream",
                  "LowState has " + std::to_string(all) + " motors, the " + options.robot.profile.name + " " +
                      std::to_string(motors),
                  "give the robot that sends it");
    }
    const RowLayout& layout = options.layout;
    order_ = options.order();
    is_asked_ = options.asked.has_value();
    size_ = kHeader + walk(type, 0, 0, [&](Role role, std::size_t outer, std::size_t index, std::size_t offset) {
              const auto motor = static_cast<Eigen::Index>(outer), i = static_cast<Eigen::Index>(index);
              const auto add = [&](Eigen::Index at) { places_.push_back({offset, at}); };
              const auto of_motor = [&](Eigen::Index first) {
                if (motor < motors) add(first + motor);
              };
              switch (role) {
                case Role::tick: tick_ = offset; break;
                case Role::quaternion: quaternion_ = i == 0 ? offset : quaternion_; break;
                case Role::gyro: add(layout.gyro() + i); break;
                case Role::accelerometer:
                  accelerometer_ = i == 0 ? offset : accelerometer_;
                  add(layout.accelerometer() + i);
                  break;
                case Role::q: of_motor(layout.q()); break;
                case Role::v: of_motor(layout.v()); break;
                case Role::a: break;  // drivers leave it at zero, which would be an acceleration
                case Role::tau: of_motor(layout.tau()); break;
                case Role::none: break;
              }
            });
    learnt.channels = {.stamp = true, .v = true, .quaternion = true, .gyro = true, .accelerometer = true};
    learnt.notes = {Note(NoteCode::low_state, "LowState", {motors - 1})};
    first_ = layout.quaternion();
  }

  Decoded read(std::span<const std::byte> message, int, VectorX& row) override {
    constexpr std::size_t kMostPadding = 3;
    problem = refused_encapsulation(message);
    if (problem) return Decoded::unusable;
    if (message.size() < size_ || message.size() > size_ + kMostPadding) {
      problem = "not as long as a LowState is";
      return Decoded::unusable;
    }
    if (!has_tick_) decide_order(message);
    for (const Place& place : places_) row[place.at] = static_cast<double>(number_at<float>(message, place.offset));
    const Eigen::Vector4d xyzw = quaternion(message, order_);
    row.segment<4>(first_) = xyzw;
    constexpr double kMillisecond = 1e-3, kWraps = 4294967296.0;
    const auto tick = number_at<std::uint32_t>(message, tick_);
    if (has_tick_ && last_tick_ > 0xF0000000u && tick < 0x0FFFFFFFu) wraps_ += 1.0;
    has_tick_ = true;
    last_tick_ = tick;
    row[RowLayout::kStamp] = kMillisecond * (static_cast<double>(tick) + wraps_ * kWraps);
    return Decoded::sample;
  }

 private:
  struct Place {
    std::size_t offset;
    Eigen::Index at;
  };

  static Eigen::Vector3d three(std::span<const std::byte> message, std::size_t at) {
    return {number_at<float>(message, at), number_at<float>(message, at + 4), number_at<float>(message, at + 8)};
  }
  /// x y z w
  Eigen::Vector4d quaternion(std::span<const std::byte> message, QuaternionOrder order) const {
    Eigen::Vector4d four;
    for (int i = 0; i < 4; ++i) four[i] = number_at<float>(message, quaternion_ + 4 * static_cast<std::size_t>(i));
    return order == QuaternionOrder::xyzw ? four : Eigen::Vector4d(four[1], four[2], four[3], four[0]);
  }
  /// [rad] between up and what the accelerometer and a quaternion of this order say; NaN: they say nothing
  double tilt_error(std::span<const std::byte> message, QuaternionOrder order) const {
    const Eigen::Vector4d q = quaternion(message, order);
    const Eigen::Vector3d force = three(message, accelerometer_);
    if (!(std::abs(q.norm() - 1.0) < 0.1) || !(force.norm() > 7.0 && force.norm() < 12.0)) return kNaN;
    const Eigen::Vector3d up = Eigen::Quaterniond(q[3], q[0], q[1], q[2]).normalized() * force.normalized();
    return std::acos(std::clamp(up.z(), -1.0, 1.0));
  }
  /// Unitree's robots send w x y z, and logs of them are often turned to x y z w: the profile says one order, and where
  /// the accelerometer bears out the other alone, that one is read, and said.
  void decide_order(std::span<const std::byte> message) {
    constexpr double kAgrees = 0.35, kContradicts = 0.7;  // [rad] a robot that stands, its IMU mounted as described
    const QuaternionOrder other = order_ == QuaternionOrder::xyzw ? QuaternionOrder::wxyz : QuaternionOrder::xyzw;
    const bool turned =
        !is_asked_ && tilt_error(message, order_) > kContradicts && tilt_error(message, other) < kAgrees;
    const std::string before(to_string(order_));
    if (turned) order_ = other;
    learnt.notes.push_back({NoteCode::low_state_order,
                            "LowState",
                            {to_string(order_), is_asked_ ? ", as asked"
                                                : turned  ? ": the accelerometer bears it out, and contradicts " +
                                                                before + ", the profile's order"
                                                          : ", the profile's order; change it with ?quaternion="}});
  }

  std::vector<Place> places_;
  QuaternionOrder order_ = QuaternionOrder::wxyz;
  bool is_asked_ = false;
  Eigen::Index first_ = 0;
  std::size_t quaternion_ = 0, accelerometer_ = 0;
  std::size_t size_ = 0, tick_ = 0;
  std::uint32_t last_tick_ = 0;
  bool has_tick_ = false;
  double wraps_ = 0.0;
};

/// Walks a message whose lengths stand in it.
class CdrWalk {
 public:
  explicit CdrWalk(std::span<const std::byte> message) noexcept : message_(message), at_(kHeader) {}
  bool align(std::size_t size) noexcept {
    at_ = kHeader + (at_ - kHeader + size - 1) / size * size;
    return at_ <= message_.size();
  }
  bool word(std::uint32_t& value) noexcept {
    if (!align(4) || message_.size() - at_ < 4) return false;
    value = number_at<std::uint32_t>(message_, at_);
    at_ += 4;
    return true;
  }
  /// Without the 0 at its end.
  bool text(std::string_view& text) noexcept {
    std::uint32_t size = 0;
    if (!word(size) || size == 0 || message_.size() - at_ < size) return false;
    text = {reinterpret_cast<const char*>(message_.data()) + at_, size - 1};
    at_ += size;
    return true;
  }
  /// \param at  of the first of `count` numbers
  bool reals(std::size_t count, std::size_t& at) noexcept {
    if (count == 0) return true;
    if (!align(8) || (message_.size() - at_) / 8 < count) return false;
    at = at_;
    at_ += 8 * count;
    return true;
  }
  std::size_t at() const noexcept { return at_; }

 private:
  std::span<const std::byte> message_;
  std::size_t at_;
};

class RosReader : public FormatReader {
 public:
  explicit RosReader(const ReaderOptions& options) : options_(options), imu_(options.layout.size()) {}

  Decoded read(std::span<const std::byte> message, int part, VectorX& row) override {
    problem = refused_encapsulation(message);
    if (problem) return Decoded::unusable;
    if (part == 1) return read_imu(message);
    if (!known_.fits(message)) {
      if (refused_.fits(message)) {
        problem = "a JointState whose joints or channels are not the robot's";
        return Decoded::unusable;
      }
      if (!learn(message)) {
        problem = "no JointState: a length in it points behind its end";
        return Decoded::unusable;
      }
    }
    for (const Place& place : places_) row[place.at] = number_at<double>(message, place.offset);
    const double stamp = stamp_of(message);
    row[RowLayout::kStamp] = stamp;
    constexpr double kWaits = 0.5, kFresh = 0.1;  // [s]
    if (!has_imu_ && learnt.channels.stamp && !waited_) {
      if (first_stamp_ != first_stamp_) first_stamp_ = stamp;
      if (stamp - first_stamp_ < kWaits && stamp >= first_stamp_) return Decoded::kept;  // an Imu may come yet
      waited_ = true;
    }
    if (has_imu_ && std::abs(stamp - imu_stamp_) <= kFresh) {
      const Eigen::Index first = options_.layout.quaternion();
      row.segment(first, 10) = imu_.segment(first, 10);
    }
    return Decoded::sample;
  }

 private:
  struct Place {
    std::size_t offset;
    Eigen::Index at;
  };

  static double stamp_of(std::span<const std::byte> message) noexcept {
    if (message.size() < kHeader + 8) return kNaN;
    return static_cast<double>(number_at<std::int32_t>(message, kHeader)) +
           1e-9 * static_cast<double>(number_at<std::uint32_t>(message, kHeader + 4));
  }

  /// Names and counts of a message.
  struct Shape {
    std::vector<std::byte> names;  ///< all between the stamp and the counts
    std::vector<std::pair<std::size_t, std::uint32_t>> counts;
    std::size_t size = 0;

    bool fits(std::span<const std::byte> message) const noexcept {
      if (size == 0 || message.size() != size) return false;
      if (std::memcmp(message.data() + kBehindStamp, names.data(), names.size()) != 0) return false;
      return std::ranges::all_of(
          counts, [&](const auto& count) { return number_at<std::uint32_t>(message, count.first) == count.second; });
    }
  };
  static constexpr std::size_t kBehindStamp = kHeader + 8;

  bool learn(std::span<const std::byte> message) {
    constexpr std::size_t kMostJoints = 1024;
    CdrWalk walk(message);
    std::uint32_t skipped = 0, count = 0;
    std::string_view frame;
    if (!walk.word(skipped) || !walk.word(skipped) || !walk.text(frame) || !walk.word(count)) return false;
    if (count > kMostJoints) return false;
    std::vector<std::string> joints(count);
    for (std::string& joint : joints) {
      std::string_view name;
      if (!walk.text(name)) return false;
      joint = name;
    }
    const std::size_t end_of_names = walk.at();
    std::vector<std::string> names;
    std::vector<std::size_t> offsets;
    Shape shape;
    shape.names.assign(message.begin() + kBehindStamp, message.begin() + static_cast<std::ptrdiff_t>(end_of_names));
    shape.size = message.size();
    for (const char* channel : {"position", "velocity", "effort"}) {
      std::uint32_t numbers = 0;
      std::size_t first = 0;
      if (!walk.word(numbers)) return false;
      shape.counts.emplace_back(walk.at() - 4, numbers);
      if (numbers > kMostJoints || !walk.reals(numbers, first)) return false;
      if (numbers == 0) continue;
      if (numbers != count) {
        throw Error("JointState",
                    std::to_string(numbers) + " numbers of " + channel + " for " + std::to_string(count) + " joints",
                    "send one per joint, or none");
      }
      for (std::size_t i = 0; i < numbers; ++i) {
        names.push_back(std::string(channel) + "_" + joints[i]);
        offsets.push_back(first + 8 * i);
      }
    }
    refused_ = shape;  // unless what follows succeeds
    const bool imu = has_imu_;
    learnt = learn_places(names, "JointState", options_.robot, ColumnNames::by_joint);
    learnt.channels.stamp = true;
    set_imu(imu);
    places_.clear();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (learnt.places[i].at >= 0) places_.push_back({offsets[i], learnt.places[i].at});
    }
    known_ = std::move(shape);
    refused_ = {};
    return true;
  }

  void set_imu(bool has) noexcept {
    has_imu_ = has;
    learnt.channels.quaternion = learnt.channels.gyro = learnt.channels.accelerometer = has;
  }

  /// Header, quaternion x y z w, its covariance, gyro, its covariance, accelerometer, its covariance.
  Decoded read_imu(std::span<const std::byte> message) noexcept {
    CdrWalk walk(message);
    std::uint32_t skipped = 0;
    std::string_view frame;
    std::size_t first = 0;
    constexpr std::size_t kNumbers = 4 + 9 + 3 + 9 + 3 + 9, kGyro = 13, kAccelerometer = 25;
    if (!walk.word(skipped) || !walk.word(skipped) || !walk.text(frame) || !walk.reals(kNumbers, first)) {
      problem = "no Imu: it ends too early";
      return Decoded::unusable;
    }
    const auto take = [&](std::size_t from, Eigen::Index to, Eigen::Index count) {
      for (Eigen::Index i = 0; i < count; ++i) {
        imu_[to + i] = number_at<double>(message, first + 8 * (from + static_cast<std::size_t>(i)));
      }
    };
    const auto order = options_.asked ? options_.asked : options_.robot.profile.channels.quaternion_order;
    const bool scalar_first = order == QuaternionOrder::wxyz;  // the message's own order is x y z w
    take(0, options_.layout.quaternion(), 4);
    if (scalar_first) {
      const Eigen::Vector4d told = imu_.segment<4>(options_.layout.quaternion());
      imu_.segment<4>(options_.layout.quaternion()) << told[1], told[2], told[3], told[0];
    }
    take(kGyro, options_.layout.gyro(), 3);
    take(kAccelerometer, options_.layout.accelerometer(), 3);
    imu_stamp_ = stamp_of(message);
    set_imu(true);
    return Decoded::kept;
  }

  ReaderOptions options_;
  VectorX imu_;
  double imu_stamp_ = kNaN, first_stamp_ = kNaN;
  bool has_imu_ = false, waited_ = false;
  std::vector<Place> places_;
  Shape known_, refused_;  ///< of the robot; of the last message that was not the robot's
};

}  // namespace

std::unique_ptr<FormatReader> low_state_reader(const ReaderOptions& options, bool quadruped) {
  return std::make_unique<LowStateReader>(options, quadruped);
}
std::unique_ptr<FormatReader> ros_reader(const ReaderOptions& options) { return std::make_unique<RosReader>(options); }

}  // namespace antaeus
