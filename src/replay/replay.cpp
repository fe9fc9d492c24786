#include "antaeus/replay/replay.hpp"

#include <algorithm>
#include <atomic>

#include "antaeus/core/error.hpp"
#include "antaeus/replay/batch_fields.hpp"
#include "core/in_blocks.hpp"
#include "replay/in_order.hpp"

namespace antaeus {

namespace {

/// Joint torques from what the channels read.
class TorqueMap {
 public:
  TorqueMap() = default;
  explicit TorqueMap(const RobotProfile& profile) {
    bool is_identity = true;
    for (std::size_t m = 0; m < profile.figures.size(); ++m) {
      is_identity = is_identity && profile.figures[m].torque_offset == 0.0 && profile.joint_torque(m, 1.0) == 1.0;
    }
    if (!is_identity) profile_ = std::make_shared<const RobotProfile>(profile);
  }
  bool is_needed() const noexcept { return profile_ != nullptr; }

  /// Puts a block's torques into \p tau, and the block's view on them.
  void apply(BatchInput& block, std::vector<double>& tau) const noexcept {
    if (!is_needed() || block.tau.values.empty()) return;
    const std::size_t motors = profile_->figures.size();
    const auto stride = block.tau.stride == 0 ? motors : static_cast<std::size_t>(block.tau.stride);
    const double* from = block.tau.values.data();
    double* to = tau.data();
    for (std::ptrdiff_t i = 0; i < block.count; ++i, from += stride, to += motors) {
      for (std::size_t m = 0; m < motors; ++m) to[m] = profile_->joint_torque(m, from[m]);
    }
    block.tau = {std::span<const double>(tau.data(), static_cast<std::size_t>(block.count) * motors)};
  }

 private:
  std::shared_ptr<const RobotProfile> profile_;  ///< null: what the channels read is the joints' torque
};

/// What one thread needs for arrays that are there.
struct Worker {
  explicit Worker(const BatchModel& model) : workspace(model) {}
  BatchWorkspace workspace;
  std::vector<double> tau;
};

/// A block of a stream, from when it is worked on until it was taken.
struct Slot {
  std::vector<std::vector<double>> numbers;
  std::vector<std::vector<int>> integers;
  std::vector<Status> status;
  std::vector<double> tau;
  BatchOutput memory;  ///< the whole slot
  ReplayBlock block;   ///< what is in it
};

/// Memory for \p count states of what is wanted. \throws OptionsError for a name that cannot be given
Slot make_slot(const BatchSizes& sizes, const std::vector<std::string>& wanted, std::ptrdiff_t count) {
  Slot slot;
  const auto is_wanted = [&](const char* name) {
    return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  };
  visit_fields(slot.memory, sizes, [&]<class T>(const char* name, BatchRowsOf<T>& rows, const RowShape& shape) {
    if (!is_wanted(name)) return;
    if (shape.width() == 0)
      throw OptionsError(name, "the model has no endpoints", "name endpoints, or do not ask for it");
    const auto size = static_cast<std::size_t>(count * shape.width());
    if constexpr (std::is_same_v<T, int>) {
      rows = {slot.integers.emplace_back(size)};
    } else {
      rows = {slot.numbers.emplace_back(size)};
    }
  });
  slot.status.resize(static_cast<std::size_t>(count));
  slot.memory.status = slot.status;
  return slot;
}

BatchInput rows_of(const SampleMatrix& q, const SampleMatrix& tau, const SampleMatrix& quaternion) noexcept {
  const auto rows = [](const SampleMatrix& samples) -> BatchRowsOf<const double> {
    return {std::span<const double>(samples.data(), static_cast<std::size_t>(samples.size()))};
  };
  BatchInput in;
  in.count = q.rows();
  in.q = rows(q);
  in.tau = rows(tau);
  in.imu_quaternion_xyzw = rows(quaternion);
  return in;
}

}  // namespace

struct BatchReplay::Impl {
  Impl(BatchModel made, const ReplayOptions& wanted) : model(std::move(made)), sizes(model), options(wanted) {
    check_options(options);
    for (int k = 0; k < detail::thread_count(options.threads); ++k) workers.emplace_back(model);
  }

  void check(const BatchInput& in, const BatchOutput& out) const {
    if (in.count == 0) throw OptionsError("count", "no states", "give one or more");
    check_block(model, in, out);
  }

  /// What a BatchReplay at rest takes of an episode.
  BatchInput input_of(const Episode& episode) const {
    if (!knows_channels) {
      throw OptionsError("replay", "made of a BatchModel, it does not know what an episode's torques are at the joints",
                         "make the BatchReplay of a Robot");
    }
    if (episode.steps() == 0) throw EpisodeError(episode.name, "no steps", "give a log that holds some");
    if (episode.tau.cols() != sizes.motors) {
      throw EpisodeError(episode.name, "channels of " + std::to_string(episode.tau.cols()) + " motors",
                         "the robot has " + std::to_string(sizes.motors) + "; give an episode of this robot");
    }
    return rows_of(episode.q, episode.tau, episode.imu_quaternion);
  }

  void run(const BatchInput& in, const BatchOutput& out, const Progress& progress) {
    check(in, out);
    if (map.is_needed()) {
      for (Worker& worker : workers) worker.tau.resize(static_cast<std::size_t>(block_size(in) * sizes.motors));
    }
    std::atomic<std::size_t> next = 0;
    detail::in_blocks(in.count, options.block, static_cast<int>(workers.size()), progress, [&] {
      return [&, &worker = workers[next.fetch_add(1)]](std::ptrdiff_t first, std::ptrdiff_t last) {
        BatchInput block = block_of(in, sizes, first, last - first);
        map.apply(block, worker.tau);
        worker.workspace.replay(block, block_of(out, sizes, first, last - first));
      };
    });
    if (progress) progress(1.0);
  }

  void stream(const BatchInput& in, const std::vector<std::string>& wanted, const ReplaySink& sink,
              const Progress& progress) {
    const std::vector<std::string> known = field_names<BatchOutput>();
    for (const std::string& name : wanted) {
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        throw_unknown<OptionsError>("wanted", "channel of results", name, known);
      }
    }
    check(in, {});
    const std::ptrdiff_t size = block_size(in), blocks = (in.count + size - 1) / size;
    // While one is taken, each thread has one to work on and one that is done.
    const std::ptrdiff_t count = std::min<std::ptrdiff_t>(blocks, 2 * std::ssize(workers));
    std::vector<Slot> slots;
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      slots.push_back(make_slot(sizes, wanted, size));
      if (map.is_needed()) slots.back().tau.resize(static_cast<std::size_t>(size * sizes.motors));
    }
    check_block(model, block_of(in, sizes, 0, size), slots.front().memory);

    detail::Hundredths hundredths(progress, in.count);
    const auto work = [&](int thread, std::size_t at, std::ptrdiff_t first, std::ptrdiff_t last) noexcept {
      Slot& slot = slots[at];
      slot.block = {first, block_of(in, sizes, first, last - first), block_of(slot.memory, sizes, 0, last - first)};
      map.apply(slot.block.in, slot.tau);
      workers[static_cast<std::size_t>(thread)].workspace.replay(slot.block.in, slot.block.out);
    };
    const auto take = [&](std::size_t at, std::ptrdiff_t first, std::ptrdiff_t) {
      hundredths.tell(first);
      sink(slots[at].block);
    };
    detail::in_order(in.count, size, static_cast<int>(workers.size()), count, work, take);
    if (progress) progress(1.0);
  }

  std::ptrdiff_t block_size(const BatchInput& in) const noexcept {
    return std::min<std::ptrdiff_t>(options.block, in.count);
  }

  BatchModel model;
  BatchSizes sizes;
  ReplayOptions options;
  TorqueMap map;
  bool knows_channels = false;
  std::vector<Worker> workers;
};

BatchReplay::BatchReplay(BatchModel model, const ReplayOptions& options)
    : impl_(std::make_unique<Impl>(std::move(model), options)) {}

BatchReplay::BatchReplay(const Robot& robot, const std::vector<std::string>& endpoints, const ReplayOptions& options,
                         const InstantOptions& instant)
    : BatchReplay(BatchModel(robot, endpoints, instant.imu), options) {
  impl_->map = TorqueMap(robot.profile);
  impl_->knows_channels = true;
}

BatchReplay::BatchReplay(BatchReplay&&) noexcept = default;
BatchReplay& BatchReplay::operator=(BatchReplay&&) noexcept = default;
BatchReplay::~BatchReplay() = default;

const BatchModel& BatchReplay::model() const noexcept { return impl_->model; }
int BatchReplay::threads() const noexcept { return static_cast<int>(impl_->workers.size()); }

void BatchReplay::run(const BatchInput& in, const BatchOutput& out, const Progress& progress) {
  impl_->run(in, out, progress);
}
void BatchReplay::run(const Episode& episode, const BatchOutput& out, const Progress& progress) {
  impl_->run(impl_->input_of(episode), out, progress);
}
void BatchReplay::stream(const BatchInput& in, const std::vector<std::string>& wanted, const ReplaySink& sink,
                         const Progress& progress) {
  impl_->stream(in, wanted, sink, progress);
}
void BatchReplay::stream(const Episode& episode, const std::vector<std::string>& wanted, const ReplaySink& sink,
                         const Progress& progress) {
  impl_->stream(impl_->input_of(episode), wanted, sink, progress);
}

const OptionTable& options_of(const ReplayOptions&) {
  using O = ReplayOptions;
  static const OptionTable table(
      "replay",
      {
          option("threads", "1", "that work at a time; 0: one a core", "all cores", &O::threads, Range{0, 1024}),
          option("block", "1", "states that a thread takes at a time",
                 "docs/replay.md: a block's rows stay in the cache", &O::block, Range{1, 1 << 20}),
      });
  return table;
}

namespace {
const OptionGroup kGroup(ReplayOptions{});
}

}  // namespace antaeus
