#include "antaeus/replay/replay.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <tuple>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "core/in_blocks.hpp"
#include "replay/batch_fit.hpp"
#include "replay/in_order.hpp"
#include "replay/judgement.hpp"

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
  void apply(ReplayInput& block, std::vector<double>& tau) const noexcept {
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
  std::tuple<std::vector<std::vector<double>>, std::vector<std::vector<int>>, std::vector<std::vector<Verdict>>,
             std::vector<std::vector<Reasons>>>
      numbers;
  std::vector<Status> status;
  std::vector<double> tau;
  ReplayOutput memory;  ///< the whole slot
  ReplayBlock block;    ///< what is in it
};

/// What a block is judged by, from when its history was read until it was judged.
struct Judged {
  Judged(const detail::Judgement& judgement, std::ptrdiff_t count)
      : rows(count, judgement.model().motor_count(), judgement.kept_limits(), judgement.is_correlated()),
        numbers(count, judgement.model().endpoint_count()),
        status(static_cast<std::size_t>(count)) {}
  detail::HistoryRows rows;
  detail::JudgedNumbers numbers;
  std::vector<Status> status;
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
    rows = {std::get<std::vector<std::vector<T>>>(slot.numbers).emplace_back(size)};
  });
  slot.status.resize(static_cast<std::size_t>(count));
  slot.memory.status = slot.status;
  return slot;
}

/// The kernel's wrenches of a block, as the sign that was set has them. The negative of a number is exact.
void turn_wrenches(const ReplayOutput& out, Sign sign, std::ptrdiff_t count, int endpoints) noexcept {
  if (sign == kBatchSign) return;
  const int width = 6 * endpoints;
  for (const BatchRowsOf<double>* rows : {&out.wrench, &out.posterior}) {
    if (rows->values.empty()) continue;
    const std::ptrdiff_t stride = rows->stride == 0 ? width : rows->stride;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      double* row = rows->values.data() + i * stride;
      for (int k = 0; k < width; ++k) row[k] = -row[k];
    }
  }
}

BatchRowsOf<const double> rows_of(const SampleMatrix& samples) noexcept {
  return {std::span<const double>(samples.data(), static_cast<std::size_t>(samples.size()))};
}

}  // namespace

struct BatchReplay::Impl {
  Impl(BatchModel made, const ReplayOptions& wanted) : model(std::move(made)), sizes(model), options(wanted) {
    check_options(options);
    for (int k = 0; k < thread_count(options); ++k) workers.emplace_back(model);
  }

  void check(const ReplayInput& in, const ReplayOutput& out) const {
    if (in.count == 0) throw OptionsError("count", "no states", "give one or more");
    const std::pair<const char*, bool> judged[] = {{"time", !in.time.values.empty()},
                                                   {"verdict", !out.verdict.values.empty()},
                                                   {"reasons", !out.reasons.values.empty()},
                                                   {"near_limits", !out.near_limits.values.empty()}};
    for (const auto& [name, is_given] : judged) {
      if (!is_given || judgement) continue;
      throw OptionsError(name, "it belongs to a posterior by a robot's settings, and this replay has none",
                         "make it with BatchReplay::with_posterior (Python: ask for verdict or reasons)");
    }
    if (!judgement) return check_block(model, in, out);
    judgement->check(in);
    BatchInput kernels = in;
    // History makes the others of these.
    kernels.v = kernels.a = kernels.imu_angular_velocity = kernels.imu_specific_force = {};
    kernels.base_angular_acceleration = kernels.motion_share = {};
    kernels.variance = in.tau;
    check_block(model, kernels, out);
    const auto look = [&](const char* name, const auto& rows, const RowShape& shape) {
      const detail::RowsInArray array{shape.width(), rows.values.size(), rows.stride};
      detail::throw_fault(name, array, detail::fault_of(array, in.count), in.count);
    };
    ReplayInput inputs = in;
    ReplayOutput outputs = out;
    visit_fields(inputs, sizes, look);
    visit_fields(outputs, sizes, look);
  }

  /// What a BatchReplay at rest takes of an episode.
  ReplayInput input_of(const Episode& episode) const {
    if (!knows_channels) {
      throw OptionsError("replay", "made of a BatchModel, it does not have an episode's torques at the joints",
                         "make the BatchReplay of a Robot");
    }
    if (episode.steps() == 0) throw EpisodeError(episode.name, "no steps", "give a log that holds some");
    if (episode.tau.cols() != sizes.motors) {
      throw EpisodeError(episode.name, "channels of " + std::to_string(episode.tau.cols()) + " motors",
                         "the robot has " + std::to_string(sizes.motors) + "; give an episode of this robot");
    }
    ReplayInput in;
    in.count = episode.q.rows();
    in.q = rows_of(episode.q);
    in.tau = rows_of(episode.tau);
    in.imu_quaternion_xyzw = rows_of(episode.imu_quaternion);
    if (!judgement) return in;
    judgement->check_origin(episode);
    in.v = rows_of(episode.v);
    in.a = rows_of(episode.a);
    in.imu_angular_velocity = rows_of(episode.imu_angular_velocity);
    in.imu_specific_force = rows_of(episode.imu_specific_force);
    in.time = {std::span<const double>(episode.time.data(), static_cast<std::size_t>(episode.time.size()))};
    return in;
  }

  void run(const ReplayInput& in, const ReplayOutput& out, bool is_episode, const Progress& progress) {
    check(in, out);
    if (judgement) {
      detail::ProgressSteps progress_steps(progress, in.count);
      judge(
          in, is_episode, workers.size() == 1 ? 1 : 2 * std::ssize(workers),
          [&](std::size_t, std::ptrdiff_t first, std::ptrdiff_t last) {
            return block_of(out, sizes, first, last - first);
          },
          [&](std::size_t, std::ptrdiff_t first, std::ptrdiff_t) { progress_steps.tell(first); });
      if (progress) progress(1.0);
      return;
    }
    if (map.is_needed()) {
      for (Worker& worker : workers) worker.tau.resize(static_cast<std::size_t>(block_size(in) * sizes.motors));
    }
    detail::in_blocks(in.count, options.block, static_cast<int>(workers.size()), progress, [&](int thread) {
      return [&, &worker = workers[static_cast<std::size_t>(thread)]](std::ptrdiff_t first, std::ptrdiff_t last) {
        ReplayInput block = block_of(in, sizes, first, last - first);
        map.apply(block, worker.tau);
        const ReplayOutput results = block_of(out, sizes, first, last - first);
        worker.workspace.replay(block, results);
        turn_wrenches(results, sign, last - first, sizes.endpoints);
      };
    });
    if (progress) progress(1.0);
  }

  void stream(const ReplayInput& in, bool is_episode, const std::vector<std::string>& wanted, const ReplaySink& sink,
              const Progress& progress) {
    const std::vector<std::string> known = field_names<ReplayOutput>();
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
      if (map.is_needed() && !judgement) slots.back().tau.resize(static_cast<std::size_t>(size * sizes.motors));
    }
    check(block_of(in, sizes, 0, size), slots.front().memory);

    detail::ProgressSteps progress_steps(progress, in.count);
    const auto results = [&](std::size_t at, std::ptrdiff_t first, std::ptrdiff_t last) {
      Slot& slot = slots[at];
      slot.block = {first, block_of(in, sizes, first, last - first), block_of(slot.memory, sizes, 0, last - first)};
      return slot.block.out;
    };
    const auto work = [&](int thread, std::size_t at, std::ptrdiff_t first, std::ptrdiff_t last) noexcept {
      const ReplayOutput out = results(at, first, last);
      Slot& slot = slots[at];
      map.apply(slot.block.in, slot.tau);
      workers[static_cast<std::size_t>(thread)].workspace.replay(slot.block.in, out);
      turn_wrenches(out, sign, last - first, sizes.endpoints);
    };
    const auto take = [&](std::size_t at, std::ptrdiff_t first, std::ptrdiff_t) {
      progress_steps.tell(first);
      if (judgement) slots[at].block.in.tau = judgement->input_of(slots[at].block.in, scratch[at].rows).tau;
      sink(slots[at].block);
    };
    if (judgement) {
      judge(in, is_episode, count, results, take);
    } else {
      detail::in_order(
          in.count, size, static_cast<int>(workers.size()), count, [](std::size_t, std::ptrdiff_t, std::ptrdiff_t) {},
          work, take);
    }
    if (progress) progress(1.0);
  }

  /// Blocks with their history. \param results(slot, first, last)  where a block's results go
  template <class Results, class Take>
  void judge(const ReplayInput& in, bool is_episode, std::ptrdiff_t slots, const Results& results, const Take& take) {
    const std::ptrdiff_t size = block_size(in);
    if (size > scratch_size) scratch.clear();
    scratch_size = std::max(scratch_size, size);
    while (std::ssize(scratch) < slots) scratch.emplace_back(*judgement, scratch_size);
    if (!in.continues) history->begin();
    std::atomic<std::ptrdiff_t> near = 0;
    const auto prepare = [&](std::size_t at, std::ptrdiff_t first, std::ptrdiff_t last) noexcept {
      history->read(block_of(in, sizes, first, last - first), is_episode, scratch[at].rows);
    };
    const auto work = [&](int thread, std::size_t at, std::ptrdiff_t first, std::ptrdiff_t last) noexcept {
      Judged& judged = scratch[at];
      ReplayOutput out = results(at, first, last);
      const bool asks = !out.verdict.values.empty() || !out.reasons.values.empty() || !out.near_limits.values.empty();
      if (asks) judged.numbers.complete(out, judgement->has_reference(), judgement->is_correlated());
      if (out.status.empty()) out.status = judged.status;
      out = block_of(out, sizes, 0, last - first);
      const BatchInput kernels = judgement->input_of(block_of(in, sizes, first, last - first), judged.rows);
      workers[static_cast<std::size_t>(thread)].workspace.replay(kernels, out);
      near += judgement->judge(out, judged.rows, last - first);
      turn_wrenches(out, sign, last - first, sizes.endpoints);
    };
    detail::in_order(in.count, size, static_cast<int>(workers.size()), slots, prepare, work, take);
    close_calls = near;
  }

  std::ptrdiff_t block_size(const BatchInput& in) const noexcept {
    return std::min<std::ptrdiff_t>(options.block, in.count);
  }

  BatchModel model;
  BatchSizes sizes;
  ReplayOptions options;
  TorqueMap map;
  Sign sign = kBatchSign;
  bool knows_channels = false;
  std::vector<Worker> workers;
  /// \name Of a replay with a posterior by a robot's settings
  ///@{
  std::unique_ptr<const detail::Judgement> judgement;
  std::optional<detail::StaticHistory> history;
  std::vector<Judged> scratch;  ///< one a slot, kept from call to call
  std::ptrdiff_t scratch_size = 0, close_calls = 0;
  ///@}
};

BatchReplay::BatchReplay(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

BatchReplay::BatchReplay(BatchModel model, const ReplayOptions& options)
    : impl_(std::make_unique<Impl>(std::move(model), options)) {}

BatchReplay::BatchReplay(const Robot& robot, const std::vector<std::string>& endpoints, const ReplayOptions& options,
                         const InstantOptions& instant)
    : BatchReplay(BatchModel(robot, endpoints, instant.imu), options) {
  impl_->map = TorqueMap(robot.profile);
  impl_->sign = robot.settings(endpoints).get<PosteriorOptions>().sign;
  impl_->knows_channels = true;
}

BatchReplay BatchReplay::with_posterior(const Robot& robot, const std::vector<std::string>& endpoints,
                                        const ReplayOptions& options) {
  const Settings settings = robot.settings(endpoints);
  return with_posterior(robot, endpoints, options,
                        {.instant = settings.get<InstantOptions>(),
                         .residual = settings.get<ResidualOptions>(),
                         .posterior = settings.get<PosteriorOptions>()});
}

BatchReplay BatchReplay::with_posterior(const Robot& robot, const std::vector<std::string>& endpoints,
                                        const ReplayOptions& options, const ReplayPosterior& posterior) {
  auto judgement = std::make_unique<const detail::Judgement>(robot, robot.frames_named(endpoints), posterior);
  auto impl = std::make_unique<Impl>(judgement->model(), options);
  impl->sign = posterior.posterior.sign;
  impl->knows_channels = true;
  impl->history.emplace(judgement->history());
  impl->judgement = std::move(judgement);
  return BatchReplay(std::move(impl));
}

BatchReplay::BatchReplay(BatchReplay&&) noexcept = default;
BatchReplay& BatchReplay::operator=(BatchReplay&&) noexcept = default;
BatchReplay::~BatchReplay() = default;

const BatchModel& BatchReplay::model() const noexcept { return impl_->model; }
Sign BatchReplay::sign() const noexcept { return impl_->sign; }
int BatchReplay::threads() const noexcept { return static_cast<int>(impl_->workers.size()); }

std::ptrdiff_t BatchReplay::close_calls() const noexcept { return impl_->close_calls; }

void BatchReplay::run(const ReplayInput& in, const ReplayOutput& out, const Progress& progress) {
  impl_->run(in, out, false, progress);
}
void BatchReplay::run(const Episode& episode, const ReplayOutput& out, const Progress& progress) {
  impl_->run(impl_->input_of(episode), out, true, progress);
}
void BatchReplay::stream(const ReplayInput& in, const std::vector<std::string>& wanted, const ReplaySink& sink,
                         const Progress& progress) {
  impl_->stream(in, false, wanted, sink, progress);
}
void BatchReplay::stream(const Episode& episode, const std::vector<std::string>& wanted, const ReplaySink& sink,
                         const Progress& progress) {
  impl_->stream(impl_->input_of(episode), true, wanted, sink, progress);
}

int thread_count(const ReplayOptions& options) noexcept {
  return options.threads > 0 ? options.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

const OptionTable& options_of(const ReplayOptions&) {
  using O = ReplayOptions;
  static const OptionTable table(
      "replay",
      {
          option("threads", "1", "that work at a time; 0: one per core", "all cores", &O::threads, Range{0, 1024}),
          option("block", "1", "states that a thread takes at a time",
                 "docs/guide/in_your_project.md: a block's rows stay in the cache", &O::block, Range{1, 1 << 20}),
      });
  return table;
}

namespace {
const OptionGroup kGroup(ReplayOptions{});
}

}  // namespace antaeus
