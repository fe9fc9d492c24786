#include "antaeus/live/message_decoder.hpp"

#include <exception>
#include <new>

#include "antaeus/core/error.hpp"
#include "antaeus/core/numbers.hpp"
#include "format_reader.hpp"

namespace antaeus {

namespace {

std::unique_ptr<FormatReader> make_reader(MessageFormat format, const ReaderOptions& options) {
  switch (format) {
    case MessageFormat::json: return json_reader(options);
    case MessageFormat::csv: return csv_reader(options);
    case MessageFormat::arrays: return arrays_reader(options);
    case MessageFormat::low_state_hg: return low_state_reader(options, false);
    case MessageFormat::low_state_go: return low_state_reader(options, true);
    case MessageFormat::ros2: return ros_reader(options);
  }
  return nullptr;
}

}  // namespace

struct MessageDecoder::Impl {
  Impl(const Robot& of, MessageFormat format, std::optional<QuaternionOrder> order)
      : robot(of),
        layout(robot.model.motor_count()),
        reader(make_reader(format, {robot, layout, order})),
        names_once(format == MessageFormat::csv || format == MessageFormat::arrays) {
    constexpr std::size_t kLine = 512;
    problem.reserve(kLine);
  }
  const Robot robot;
  const RowLayout layout;
  std::unique_ptr<FormatReader> reader;
  const bool names_once;  ///< a header names all later numbers; elsewhere other publishers may share the topic
  std::string problem;
  bool hopeless = false, has_sample = false;

  /// What the stream lacks. With the first sample, since an Imu comes by itself.
  void note_gaps() {
    has_sample = true;
    LearntPlaces& learnt = reader->learnt;
    if (robot.model.base() == Base::free_flyer && !learnt.channels.quaternion) {
      learnt.notes.emplace_back(NoteCode::no_orientation);
    }
    if (!learnt.channels.v) {
      learnt.notes.emplace_back(NoteCode::no_velocities);
    }
  }
};

MessageDecoder::MessageDecoder(const Robot& robot, MessageFormat format, std::optional<QuaternionOrder> order)
    : impl_(std::make_unique<Impl>(robot, format, order)) {}
MessageDecoder::MessageDecoder(MessageDecoder&&) noexcept = default;
MessageDecoder::~MessageDecoder() = default;

Decoded MessageDecoder::decode(std::span<const std::byte> message, int part, VectorX& row) noexcept {
  Impl& my = *impl_;
  row.setConstant(kNaN);
  if (my.hopeless) return Decoded::unusable;
  try {
    const Decoded decoded = my.reader->read(message, part, row);
    if (decoded == Decoded::unusable) my.problem = my.reader->problem;
    if (decoded == Decoded::sample && !my.has_sample) my.note_gaps();
    return decoded;
  } catch (const EpisodeError& error) {  // names that are not this robot's
    my.problem = error.what();
    my.hopeless = my.names_once;
  } catch (const std::bad_alloc&) {
    my.problem = "no memory for it";
  } catch (const std::exception& error) {
    my.problem = error.what();
  }
  return Decoded::unusable;
}

const std::string& MessageDecoder::problem() const noexcept { return impl_->problem; }
bool MessageDecoder::hopeless() const noexcept { return impl_->hopeless; }
const std::vector<Note>& MessageDecoder::notes() const noexcept { return impl_->reader->learnt.notes; }
const StreamChannels& MessageDecoder::channels() const noexcept { return impl_->reader->learnt.channels; }
const RowLayout& MessageDecoder::layout() const noexcept { return impl_->layout; }

}  // namespace antaeus
