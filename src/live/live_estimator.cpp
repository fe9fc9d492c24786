#include "antaeus/live/live_estimator.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

#include "antaeus/core/error.hpp"
#include "antaeus/core/numbers.hpp"
#include "antaeus/trust/guarded_estimator.hpp"
#include "byte_queue.hpp"
#include "episode/channel_mapper.hpp"
#include "sample_ring.hpp"
#include "wake_up.hpp"

namespace antaeus {

namespace {

using Clock = std::chrono::steady_clock;
double seconds_now() noexcept { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

/// A set of reasons in a row of doubles: exact below 2⁵³.
static_assert(enum_names(Reason{}).size() <= 53);
double number_of(Reasons reasons) noexcept { return static_cast<double>(reasons.bits()); }

}  // namespace

struct LiveEstimator::Impl {
  Impl(const Robot& of, const std::vector<std::string>& frames, const LiveStream& how, const Settings& settings)
      : robot(of),
        endpoints(frames),
        stream(how),
        options(settings.get<LiveOptions>()),
        columns(of.model.motor_count(), std::ssize(frames)),
        queue(static_cast<std::size_t>(options.queue_bytes)),
        ring(static_cast<std::size_t>(options.samples), static_cast<std::size_t>(columns.width())),
        decoder(of, how.format, how.quaternion_order),
        watch(options),
        estimator(of, frames, settings),
        mapper(of.profile.channels, of.model.motor_count()),
        raw(columns.raw_columns.size()),
        row(columns.width()) {
    const Eigen::Index motors = columns.motors;
    for (SampleMatrix* samples : {&one.q, &one.tau, &one.v, &one.a}) samples->setConstant(1, motors, kNaN);
    one.imu_quaternion.setConstant(1, 4, kNaN);
    one.imu_angular_velocity.setConstant(1, 3, kNaN);
    one.imu_specific_force.setConstant(1, 3, kNaN);
    one.time.setConstant(1, kNaN);
    one.simulated = how.simulated;
    if (of.profile.channels.torque_delay != 0.0 || of.profile.channels.velocity_delay != 0.0) {
      notes.emplace_back(NoteCode::channels_late);
    }
    for (VectorX* vector : {&observation.q, &observation.v, &observation.a, &observation.tau}) vector->resize(motors);
  }

  // Of the estimator's thread ----------------------------------------------------------------------------------------

  void run() noexcept {
    while (!stopping.load(std::memory_order_acquire)) {
      if (take_next()) continue;
      if (ending.load(std::memory_order_acquire) && queue.empty()) {
        become(StreamState::ended);
        waiting_readers.wake();
        if (stopping.load(std::memory_order_acquire)) return;
      }
      look_for_silence();
      tell();
      sleep_until_message();
    }
  }

  bool take_next() noexcept {
    do_requests();
    QueuedMessage head;
    std::span<const std::byte> message;
    if (!queue.front(head, message)) return false;
    if (!take(head, message)) look_for_silence();  // the queue may never be empty
    queue.drop();
    return true;
  }

  void sleep_until_message() noexcept {
    constexpr std::chrono::milliseconds kLongest(20);  // silence is seen so much later at most
    incoming.prepare();
    if (!queue.empty() || stopping.load(std::memory_order_acquire)) {
      incoming.cancel();
      return;
    }
    incoming.sleep(kLongest);
  }

  void become(StreamState now) noexcept {
    if (state.exchange(now, std::memory_order_acq_rel) != now) changes.fetch_add(1, std::memory_order_release);
  }

  void look_for_silence() noexcept {
    const StreamState now = state.load(std::memory_order_relaxed);
    if (now != StreamState::running && now != StreamState::held_off) return;
    const double slow = 4.0 * (std::isnan(watch.period()) ? 0.0 : watch.period());
    if (seconds_now() - usable_at < std::max(options.silence, slow)) return;
    become(StreamState::silent);
    ++silences;
    tell();
    waiting_readers.wake();
  }

  void do_requests() noexcept {
    if (tare_wanted.load(std::memory_order_relaxed) != 0) {
      const int wanted = tare_wanted.exchange(0, std::memory_order_acq_rel);
      wanted > 0 ? estimator.begin_tare() : estimator.drop_tare();
    }
    if (!suspected.load(std::memory_order_acquire)) return;
    if (const std::unique_lock lock(requests_mutex, std::try_to_lock); lock.owns_lock()) {
      suspected.store(false, std::memory_order_relaxed);
      for (const auto& [why, motors] : requests) estimator.suspect(why, motors);
      requests.clear();
    }
  }

  /// \return whether the message held a usable sample
  bool take(const QueuedMessage& head, std::span<const std::byte> message) noexcept {
    const bool knew = knows_stream;
    const Decoded decoded = decoder.decode(message, head.part, raw);
    if (decoded != Decoded::sample) {
      if (decoded == Decoded::unusable) {
        ++undecodable;
        has_problem = true;
        tell();
      }
      return false;
    }
    if (!knew || decoder.channels() != known) learn_channels(head);
    const double scale = robot.profile.channels.time_scale;
    const double stamp = known.stamp ? scale * raw[RowLayout::kStamp] : kNaN;
    const Arrival arrival = watch.judge(stamp, raw[RowLayout::kSequence], head.received);
    bool usable = false;
    if (arrival == Arrival::taken || arrival == Arrival::anew) {
      if (arrival == Arrival::anew) begin_anew(head.received);
      usable = compute(head);
    }
    latency = seconds_now() - head.received;
    tell();
    return usable;
  }

  /// Of the first sample, and where an IMU joins later.
  void learn_channels(const QueuedMessage& head) noexcept {
    const bool first = !knows_stream;
    knows_stream = true;
    known = decoder.channels();
    const auto rows = [](bool has, SampleMatrix& samples) {
      if (!has) samples.resize(0, samples.cols());
      if (has && samples.rows() == 0) samples.setConstant(1, samples.cols(), kNaN);
    };
    rows(known.v, one.v);
    rows(known.a, one.a);
    rows(known.quaternion, one.imu_quaternion);
    rows(known.gyro, one.imu_angular_velocity);
    rows(known.accelerometer, one.imu_specific_force);
    observation.v.resize(known.v ? columns.motors : 0);
    observation.a.resize(known.a ? columns.motors : 0);
    if (!first) begin_anew(head.received);
    const std::scoped_lock lock(facts_mutex);  // once, before the first sample
    for (const Note& note : decoder.notes()) {
      if (std::ranges::count(notes, note) == 0) notes.push_back(note);
    }
    if (!known.stamp) notes.emplace_back(NoteCode::no_time_stamps);
    facts.notes = notes;
  }

  void begin_anew(double now) noexcept {
    estimator.reset();
    ++epoch;
    held_until = now + options.hold_off;
  }

  /// \return whether the sample was usable at any endpoint
  bool compute(const QueuedMessage& head) noexcept {
    const RowLayout& places = columns.raw_columns;
    const auto motors = [&](SampleMatrix& samples, Eigen::Index first) {
      if (samples.rows() > 0) samples.row(0) = raw.segment(first, columns.motors).transpose();
    };
    motors(one.q, places.q());
    motors(one.v, places.v());
    motors(one.a, places.a());
    motors(one.tau, places.tau());
    const auto imu = [&](SampleMatrix& samples, Eigen::Index first) {
      if (samples.rows() > 0) samples.row(0) = raw.segment(first, samples.cols()).transpose();
    };
    imu(one.imu_quaternion, places.quaternion());
    imu(one.imu_angular_velocity, places.gyro());
    imu(one.imu_specific_force, places.accelerometer());
    one.time[0] = known.stamp ? raw[RowLayout::kStamp] : head.received;
    mapper.apply(one);
    if (!known.stamp) one.time[0] = head.received;  // the receiver's clock has no unit of the sender's
    one.observe(0, observation);
    const std::vector<ConsumerWrench>& read = estimator.update(observation);
    const StreamState before = state.load(std::memory_order_relaxed);
    const bool usable = std::ranges::any_of(estimator.estimates(), [](const WrenchEstimate& estimate) {
      return estimate.verdict != Verdict::invalid_input;
    });
    // A sample without usable numbers does not end a silence: consumers get what they get while nothing arrives.
    const bool held = head.received < held_until || (!usable && before == StreamState::silent);
    write(head, held, read);
    shared_tare.store(estimator.tare().state(), std::memory_order_release);
    ring.write({row.data(), static_cast<std::size_t>(row.size())});
    if (usable || before == StreamState::waiting) {
      usable_at = seconds_now();
      become(held ? StreamState::held_off : StreamState::running);
    }
    waiting_readers.wake();
    return usable;
  }

  void write(const QueuedMessage& head, bool held, const std::vector<ConsumerWrench>& read) noexcept {
    using L = LiveColumns;
    row[L::kReceived] = head.received;
    row[L::kTime] = observation.time;
    row[L::kEpoch] = static_cast<double>(epoch);
    row[L::kLateBy] = watch.late_by();
    row[L::kHeldOff] = held ? 1.0 : 0.0;
    row[L::kChannels] = (known.stamp ? 1 : 0) + (known.v ? 2 : 0) + (known.a ? 4 : 0) + (known.quaternion ? 8 : 0) +
                        (known.gyro ? 16 : 0) + (known.accelerometer ? 32 : 0);
    row.segment(columns.raw(), raw.size()) = raw;
    row.segment(columns.q(), columns.motors) = one.q.row(0).transpose();
    const Residual& residual = estimator.residual();
    row.segment(columns.residual(), columns.motors) = residual.value;
    row.segment(columns.residual_sd(), columns.motors) = residual.variance.cwiseSqrt();
    const Matrix3& R = estimator.instant().base_rotation();
    for (int i = 0; i < 3; ++i) row.segment<3>(columns.base_rotation() + 3 * i) = R.row(i).transpose();
    for (std::size_t k = 0; k < read.size(); ++k) {
      const auto index = static_cast<Eigen::Index>(k);
      auto at = row.segment<L::kOfEndpoint>(columns.endpoint(index));
      const WrenchEstimate& estimate = estimator.estimates()[k];
      const Uncertainty& u = estimate.uncertainty;
      const ConsumerWrench& consumer = read[k];
      at.segment<3>(L::kWrench) = estimate.wrench.force;
      at.segment<3>(L::kWrench + 3) = estimate.wrench.torque;
      at.segment<6>(L::kSd) = u.covariance.diagonal().cwiseSqrt();
      for (int axis = 0; axis < 3; ++axis) {
        at.segment<3>(L::kAxes + 3 * axis) = u.force_sd[axis] * u.directions.col(axis);
      }
      at.segment<3>(L::kPosition) = estimator.instant().pose(static_cast<int>(k)).translation;
      at.segment<3>(L::kConsumer) = consumer.wrench.force;
      at.segment<3>(L::kConsumer + 3) = consumer.wrench.torque;
      // As an audit has it: an estimate that cannot be used keeps its own word for it.
      const bool unusable = estimate.verdict == Verdict::invalid_input || estimate.verdict == Verdict::unobservable;
      at[L::kVerdict] = static_cast<double>(unusable ? estimate.verdict : consumer.state);
      at[L::kState] = static_cast<double>(consumer.state);
      at[L::kAction] = static_cast<double>(consumer.action);
      at[L::kReasons] = number_of(consumer.reasons);
      at[L::kBecause] = number_of(consumer.because);
      stopped[k] = stopped[k] || consumer.stop_requested;
      const std::tuple word(consumer.state, consumer.action, stopped[k]);
      if (std::exchange(last_words[k], word) != word) changes.fetch_add(1, std::memory_order_release);
      at[L::kStop] = stopped[k] ? 1.0 : 0.0;
      at[L::kNis] = u.nis;
      at[L::kNisLimit] = u.nis_threshold;
    }
  }

  /// Says how the stream is, where nobody reads it just now; else with the next message, or when the thread looks
  /// again.
  void tell() noexcept {
    const std::unique_lock lock(facts_mutex, std::try_to_lock);
    if (!lock.owns_lock()) return;
    const StreamCounts& counts = watch.counts();
    facts.samples = counts.taken;
    facts.lost = counts.lost;
    facts.repeated = counts.repeated;
    facts.out_of_order = counts.out_of_order;
    facts.late = counts.late;
    facts.restarts = counts.restarts;
    facts.clock_jumps = counts.clock_jumps;
    facts.undecodable = undecodable;
    facts.silences = silences;
    facts.latency = latency;
    facts.rate = 1.0 / watch.period();
    facts.clock_offset = watch.offset();
    if (!has_problem) return;
    constexpr std::size_t kLongest = 400;
    facts.last_problem.assign(decoder.problem(), 0, kLongest);
    facts.hopeless = decoder.hopeless();
    has_problem = false;
  }

  const Robot robot;
  const std::vector<std::string> endpoints;
  const LiveStream stream;
  const LiveOptions options;
  const LiveColumns columns;
  ByteQueue queue;
  SampleRing ring;
  MessageDecoder decoder;
  StreamWatch watch;
  GuardedEstimator estimator;
  ChannelMapper mapper;
  StreamChannels known;
  bool knows_stream = false;
  VectorX raw, row;
  Episode one;
  Observation observation;
  std::vector<Note> notes;
  std::vector<char> stopped = std::vector<char>(endpoints.size(), 0);
  /// Of each endpoint: what a change of counts in `changes`.
  std::vector<std::tuple<Verdict, ConsumerAction, char>> last_words{endpoints.size()};
  std::int64_t epoch = 0;
  double held_until = -kInfinity;
  double usable_at = 0.0;  ///< [s, this machine's clock] when the last usable sample was computed
  std::int64_t undecodable = 0, silences = 0;
  double latency = kNaN;
  bool has_problem = false;  ///< one that facts() does not say yet

  mutable std::mutex facts_mutex;
  LiveFacts facts;
  std::mutex requests_mutex;
  std::vector<std::pair<Reasons, std::vector<int>>> requests;
  std::atomic<bool> suspected = false, stopping = false, ending = false;
  std::atomic<int> tare_wanted = 0;
  std::atomic<TareState> shared_tare = TareState::none;
  std::atomic<StreamState> state = StreamState::waiting;
  std::atomic<std::int64_t> changes = 0;
  std::atomic<std::int64_t> received = 0, dropped = 0, oversized = 0;
  WakeUp incoming;
  mutable WakeUps waiting_readers;
  std::thread thread;
};

LiveEstimator::LiveEstimator(const Robot& robot, const std::vector<std::string>& endpoints, const LiveStream& stream)
    : impl_(std::make_unique<Impl>(robot, robot.frames_named(endpoints), stream, robot.settings(endpoints))) {
  impl_->facts.last_problem.reserve(512);
}

LiveEstimator::~LiveEstimator() { stop(); }

void LiveEstimator::start() {
  if (impl_->thread.joinable()) return;
  impl_->stopping = false;
  impl_->thread = std::thread([this] { impl_->run(); });
}

std::int64_t LiveEstimator::work() noexcept {
  std::int64_t messages = 0;
  while (!impl_->thread.joinable() && impl_->take_next()) ++messages;
  return messages;
}

void LiveEstimator::stop() noexcept {
  if (!impl_->thread.joinable()) return;
  impl_->stopping.store(true, std::memory_order_release);
  impl_->incoming.wake();
  impl_->thread.join();
  impl_->tell();
  impl_->waiting_readers.wake();
}

bool LiveEstimator::push(std::span<const std::byte> message, double received, int part) noexcept {
  Impl& my = *impl_;
  if (std::ssize(message) > my.options.message_bytes) {
    my.oversized.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  if (!my.queue.push(message, received, part)) {
    my.dropped.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  my.received.fetch_add(1, std::memory_order_relaxed);
  my.incoming.wake();
  return true;
}

bool LiveEstimator::has_room(std::size_t size) const noexcept { return impl_->queue.has_room(size); }

void LiveEstimator::end() noexcept {
  impl_->ending.store(true, std::memory_order_release);
  impl_->incoming.wake();
}

std::int64_t LiveEstimator::changes() const noexcept { return impl_->changes.load(std::memory_order_acquire); }

std::int64_t LiveEstimator::count() const noexcept { return static_cast<std::int64_t>(impl_->ring.written()); }

std::int64_t LiveEstimator::wait(std::int64_t after, std::chrono::nanoseconds most) const noexcept {
  const auto until = Clock::now() + most;
  const auto is_over = [&] {
    return count() > after || impl_->state.load(std::memory_order_acquire) == StreamState::ended ||
           impl_->stopping.load(std::memory_order_acquire);
  };
  while (!is_over()) {
    const auto left = until - Clock::now();
    if (left <= left.zero()) break;
    WakeUp* const place = impl_->waiting_readers.take();
    if (!place) {
      std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(left, std::chrono::milliseconds(1)));
      continue;
    }
    place->prepare();
    is_over() ? place->cancel() : place->sleep(left);
    impl_->waiting_readers.give_back(place);
  }
  return count();
}

LiveBlock LiveEstimator::read(std::int64_t first, std::int64_t most) const {
  if (first < 0 || most < 0) throw OptionsError("LiveEstimator.read", "a negative number", "count samples from 0");
  const SampleRing& ring = impl_->ring;
  const std::int64_t oldest = std::max<std::int64_t>(0, count() - static_cast<std::int64_t>(ring.rows()));
  LiveBlock block;
  block.sign = impl_->estimator.estimates()[0].sign;
  block.first = std::max(first, oldest);
  const std::int64_t rows = std::clamp<std::int64_t>(count() - block.first, 0, most);
  block.columns.resize(rows, impl_->columns.width());
  std::int64_t lost = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto width = static_cast<std::size_t>(block.columns.cols());
    if (!ring.read(static_cast<std::uint64_t>(block.first + i), {block.columns.row(i).data(), width})) lost = i + 1;
  }
  if (lost > 0) {  // the writer has gone over them meanwhile
    block.first += lost;
    block.columns = SampleMatrix(block.columns.bottomRows(rows - lost));
  }
  return block;
}

LiveFacts LiveEstimator::facts() const {
  const std::scoped_lock lock(impl_->facts_mutex);
  LiveFacts facts = impl_->facts;
  facts.stream = impl_->state.load(std::memory_order_acquire);
  facts.received = impl_->received.load(std::memory_order_relaxed);
  facts.dropped = impl_->dropped.load(std::memory_order_relaxed);
  facts.oversized = impl_->oversized.load(std::memory_order_relaxed);
  return facts;
}

void LiveEstimator::suspect(Reasons why, const std::vector<int>& motors) {
  const std::scoped_lock lock(impl_->requests_mutex);
  impl_->requests.emplace_back(why, motors);
  impl_->suspected.store(true, std::memory_order_release);
}
void LiveEstimator::begin_tare() noexcept { impl_->tare_wanted = 1; }
void LiveEstimator::drop_tare() noexcept { impl_->tare_wanted = -1; }
TareState LiveEstimator::tare() const noexcept { return impl_->shared_tare.load(std::memory_order_acquire); }

const LiveColumns& LiveEstimator::columns() const noexcept { return impl_->columns; }
const std::vector<std::string>& LiveEstimator::endpoints() const noexcept { return impl_->endpoints; }
const LiveOptions& LiveEstimator::options() const noexcept { return impl_->options; }
const Robot& LiveEstimator::robot() const noexcept { return impl_->robot; }

}  // namespace antaeus
