#pragma once
/// \file
/// Beside a running robot: messages in, guarded wrenches out, on a thread of its own.
///
///     LiveEstimator live(robot, {"left_wrist_yaw_link"}, {.format = MessageFormat::json});
///     live.start();
///     live.push(bytes, seconds);                     // from whatever receives them
///     const LiveBlock block = live.read(0, 1000);    // from whoever looks at them

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/note.hpp"
#include "antaeus/core/reasons.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/estimation/tare.hpp"
#include "antaeus/live/message_decoder.hpp"
#include "antaeus/live/stream_watch.hpp"

namespace antaeus {

/// `waiting`: no sample yet. `held_off`: it came back after a break, and its wrenches are refused for `hold_off`.
/// `silent`: no usable sample for `silence`. `ended`: end() was called, and all messages are worked off.
enum class StreamState : std::uint8_t { waiting, running, held_off, silent, ended };
constexpr auto enum_names(StreamState) noexcept {
  return name_list<StreamState>("waiting", "running", "held_off", "silent", "ended");
}

/// How a stream is.
struct LiveFacts {
  StreamState stream = StreamState::waiting;
  std::int64_t received = 0, samples = 0, lost = 0, repeated = 0, out_of_order = 0, late = 0, undecodable = 0;
  std::int64_t dropped = 0, oversized = 0, restarts = 0, clock_jumps = 0, silences = 0;
  double rate = kNaN, clock_offset = kNaN, latency = kNaN;
  bool hopeless = false;
  std::string last_problem;
  std::vector<Note> notes;
};
constexpr void visit_fields(const LiveFacts*, auto&& visit) {
  using L = LiveFacts;
  visit(field("stream", "", "waiting, running, held_off, silent or ended", &L::stream));
  visit(field("received", "", "messages that arrived", &L::received));
  visit(field("samples", "", "of them, that were given to the estimator", &L::samples));
  visit(
      field("lost", "", "samples that are missing, by the messages' numbers or the usual time between them", &L::lost));
  visit(field("repeated", "", "messages with the stamp of the last sample", &L::repeated));
  visit(field("out_of_order", "", "messages with an older stamp, or one that no clock agrees with", &L::out_of_order));
  visit(field("late", "", "samples later than live.late above the fastest", &L::late));
  visit(field("undecodable", "", "messages that could not be read", &L::undecodable));
  visit(field("dropped", "", "messages for which the queue had no room", &L::dropped));
  visit(field("oversized", "", "messages longer than live.message_bytes", &L::oversized));
  visit(field("restarts", "", "breaks after which the estimator restarted", &L::restarts));
  visit(field("clock_jumps", "", "jumps of the sender's clock, after which it restarted", &L::clock_jumps));
  visit(field("silences", "", "times without a usable sample for live.silence", &L::silences));
  visit(field("rate", "Hz", "of the samples; NaN: not known yet", &L::rate));
  visit(field("clock_offset", "s", "receiver's clock less the sender's, of the fastest messages", &L::clock_offset));
  visit(field("latency", "s", "from a message's arrival to its wrench, of the last sample", &L::latency));
  visit(field("hopeless", "", "no message can be read: the stream is another robot's, or lacks what is needed",
              &L::hopeless));
  visit(field("last_problem", "", "of the last message that could not be read", &L::last_problem));
  visit(field("notes", "", "how the stream is read, one line each", &L::notes));
}

/// Samples that were worked on, N of them, and what was said of each. M motors, E endpoints.
struct LiveBlock {
  std::int64_t first = 0;  ///< number of its first sample
  Sign sign = Sign::on_robot;
  SampleMatrix columns;  ///< N × LiveColumns::width()
};

/// Where the numbers of a sample stand in its row of LiveBlock::columns.
struct LiveColumns {
  LiveColumns(Eigen::Index motor_count, Eigen::Index endpoint_count)
      : motors(motor_count), endpoints(endpoint_count), raw_columns(motor_count) {}
  Eigen::Index motors, endpoints;
  RowLayout raw_columns;
  static constexpr Eigen::Index kReceived = 0, kTime = 1, kEpoch = 2, kLateBy = 3, kHeldOff = 4, kChannels = 5;
  static constexpr Eigen::Index kHead = 6;
  Eigen::Index raw() const noexcept { return kHead; }                             ///< as RowLayout
  Eigen::Index q() const noexcept { return raw() + raw_columns.size(); }          ///< [M] after [channels]
  Eigen::Index residual() const noexcept { return q() + motors; }                 ///< [M] N·m
  Eigen::Index residual_sd() const noexcept { return residual() + motors; }       ///< [M] N·m
  Eigen::Index base_rotation() const noexcept { return residual_sd() + motors; }  ///< [9] row by row
  Eigen::Index endpoint(Eigen::Index k) const noexcept { return base_rotation() + 9 + k * kOfEndpoint; }
  /// Of an endpoint: wrench, sd, axes of the force's covariance, place, what the consumer reads, words, tests.
  static constexpr Eigen::Index kWrench = 0, kSd = 6, kAxes = 12, kPosition = 21, kConsumer = 24, kVerdict = 30,
                                kState = 31, kAction = 32, kReasons = 33, kBecause = 34, kStop = 35, kNis = 36,
                                kNisLimit = 37, kOfEndpoint = 38;
  Eigen::Index width() const noexcept { return endpoint(endpoints); }
};

struct LiveStream {
  MessageFormat format = MessageFormat::json;
  bool simulated = false;  ///< its torques are a simulation's: see Observation::simulated
  /// Of the stream's quaternions, whatever profile and names say; none: as in a log.
  std::optional<QuaternionOrder> quaternion_order = {};
};

/// How a wrench is written for others. `json`: one object a sample. `wrench_stamped`: geometry_msgs/WrenchStamped in
/// CDR, one an endpoint; frame_id is "<frame> world_aligned <sign> <verdict>".
enum class WrenchEncoding : std::uint8_t { json, wrench_stamped };
constexpr auto enum_names(WrenchEncoding) noexcept { return name_list<WrenchEncoding>("json", "wrench_stamped"); }
struct WrenchMessage {
  std::string topic, payload;
};

/// A guarded estimator on a thread of its own, between a bounded queue of messages and a ring of samples. Its thread
/// waits for nothing but messages: who reads too slowly misses samples, and is told which he got.
///
/// All memory is taken by the constructor and the first message. What a log of the same samples gives in an audit are
/// the same bits (live_estimator_test): late and held-off samples are computed like any other, and refused in messages
/// alone. After a break all history is forgotten, and `epoch` counts on.
class ANTAEUS_API LiveEstimator {
 public:
  /// Options are those of the robot's settings for these endpoints; its own are the group `live`.
  /// \throws ModelError, OptionsError
  LiveEstimator(const Robot& robot, const std::vector<std::string>& endpoints, const LiveStream& stream);
  ~LiveEstimator();
  LiveEstimator(const LiveEstimator&) = delete;
  LiveEstimator& operator=(const LiveEstimator&) = delete;

  void start();
  /// For who has a thread of his own, instead of start(): works off what is queued. \return messages
  /// \realtime after the first sample (live_realtime_test)
  std::int64_t work() noexcept;
  /// Ends the thread; what is queued stays undone.
  void stop() noexcept;
  /// From any thread. \return false: the queue is full, or the message too long; both are counted
  bool push(std::span<const std::byte> message, double received, int part = 0) noexcept;
  /// For who can wait: whether a message of that size has room now.
  bool has_room(std::size_t size) const noexcept;
  /// No more messages will come.
  void end() noexcept;

  /// How often a state, an action, a request to stop or the stream's own state has changed so far.
  std::int64_t changes() const noexcept;
  /// Samples so far.
  std::int64_t count() const noexcept;
  /// Until there are more than \p after, the stream has ended, or the time is over. \return count()
  std::int64_t wait(std::int64_t after, std::chrono::nanoseconds most) const noexcept;
  /// Those from \p first on that are still kept. \throws OptionsError for a negative number
  LiveBlock read(std::int64_t first, std::int64_t most) const;
  LiveFacts facts() const;
  /// The same samples as messages; late and held-off ones with state refused and a wrench of zeros. \param silent  all
  /// of them, as what is published while no usable sample arrives
  std::vector<WrenchMessage> messages(const LiveBlock& block, WrenchEncoding encoding, bool silent = false) const;

  /// Each is done by the thread, between two samples.
  void suspect(Reasons why, const std::vector<int>& motors = {});
  void begin_tare() noexcept;
  void drop_tare() noexcept;
  TareState tare() const noexcept;

  const LiveColumns& columns() const noexcept;
  const std::vector<std::string>& endpoints() const noexcept;
  const LiveOptions& options() const noexcept;
  const Robot& robot() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace antaeus
