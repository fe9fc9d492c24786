#include "antaeus/replay/batch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "antaeus/core/error.hpp"
#include "replay/batch_fit.hpp"
#include "replay/batch_tree.hpp"

namespace antaeus {

namespace {

using detail::BatchBuild;
using detail::BatchCall;

static_assert(detail::kBatchOk == static_cast<int>(Status::ok));
static_assert(detail::kBatchNotFinite == static_cast<int>(Status::not_finite));
static_assert(detail::kBatchBadOrientation == static_cast<int>(Status::bad_orientation));
static_assert(sizeof(Status) == sizeof(std::uint8_t));

const BatchBuild& build_of(InstructionSet set) noexcept {
#if defined(__x86_64__)
  if (set == InstructionSet::avx512) return detail::batch_build_avx512();
  if (set == InstructionSet::avx2) return detail::batch_build_avx2();
#endif
  (void)set;
  return detail::batch_build_portable();
}

/// What is wrong with a call. Texts are made for an error alone.
struct Fault {
  enum class Kind : std::uint8_t { none, count, missing, misplaced, rows };
  Kind kind = Kind::none;
  const char* name = "";
  const char* why = "";  ///< it must be empty
  detail::RowsInArray rows{};
};

/// Why a channel must be empty; null: it may be given.
const char* missing(BatchNeed need, const BatchModel& model, const BatchInput& in) noexcept {
  const detail::BatchNumbers& numbers = model.numbers();
  const bool floating = numbers.floating, dynamic = !in.v.values.empty() && !in.a.values.empty();
  const auto other = [&](BatchNeed first) { return missing(first, model, in); };
  switch (need) {
    case BatchNeed::nothing: return nullptr;
    case BatchNeed::no_torque: return in.tau.values.empty() ? nullptr : "tau is given too";
    // Speeds alone say where the noise stands; accelerations alone say nothing.
    case BatchNeed::speed_use:
      return in.a.values.empty() && !numbers.noise ? "a is absent, and so is identified noise" : nullptr;
    case BatchNeed::speeds: return in.v.values.empty() ? "v is absent" : nullptr;
    case BatchNeed::sensed_motion:
      if (!floating) return "a fixed base takes nothing from an IMU";
      return dynamic ? nullptr : "v or a is absent";
    case BatchNeed::rows:
      return !numbers.blocks ? "the model has no rows of evidence (BatchPosteriorOptions)" : other(BatchNeed::residual);
    case BatchNeed::noise: return numbers.noise ? other(BatchNeed::rows) : "it belongs to identified noise";
    case BatchNeed::residual:
      return in.tau.values.empty() && in.residual.values.empty() ? "tau is absent, and so is a residual" : nullptr;
    case BatchNeed::base: return floating ? nullptr : "a fixed base has no base rows";
    case BatchNeed::base_motion:
      if (!floating) return other(BatchNeed::base);
      return dynamic ? nullptr : "it belongs to inverse dynamics, and v or a is absent";
    case BatchNeed::endpoints: return numbers.frame_count == 0 ? "the model has no endpoints" : nullptr;
    case BatchNeed::endpoint_residual:
      return other(numbers.frame_count == 0 ? BatchNeed::endpoints : BatchNeed::residual);
    case BatchNeed::columns: return model.jacobian_width() == 0 ? "no motor moves an endpoint" : nullptr;
    case BatchNeed::evidence:
      if (const char* const why = other(BatchNeed::rows)) return why;
      return !numbers.noise && in.variance.values.empty() ? "variance is absent" : nullptr;
    case BatchNeed::reference:
      if (const char* const why = other(BatchNeed::evidence)) return why;
      return numbers.reference < 0 ? "there is no reference motor" : nullptr;
  }
  return nullptr;
}

/// The first array that is wrong.
Fault fault_of(const BatchModel& model, const BatchInput& in, const BatchOutput& out) noexcept {
  if (in.count < 0) return {Fault::Kind::count, "count"};
  if (in.count > 0 && in.q.values.empty()) return {Fault::Kind::missing, "q"};
  Fault fault;
  const auto look = [&](const char* name, const auto& rows, const RowShape& shape) {
    if (fault.kind != Fault::Kind::none || rows.values.empty()) return;
    const detail::RowsInArray array{shape.width(), rows.values.size(), rows.stride};
    if (const char* const why = missing(shape.need, model, in)) {
      fault = {Fault::Kind::misplaced, name, why};
    } else if (detail::fault_of(array, in.count) != detail::RowFault::none) {
      fault = {Fault::Kind::rows, name, "", array};
    }
  };
  const BatchSizes sizes(model);
  visit_inputs(sizes, look, in);
  visit_outputs(sizes, look, out);
  look("status", BatchRowsOf<Status>(out.status), RowShape{0, 1});
  return fault;
}

/// A call as the kernel reads it; its arrays fit.
BatchCall call_of(const BatchModel& model, const BatchInput& in, const BatchOutput& out) noexcept {
  BatchCall call;
  call.count = in.count;
  call.moving = !in.v.values.empty();
  call.dynamic = call.moving && !in.a.values.empty();
  call.status = out.status.empty() ? nullptr : reinterpret_cast<std::uint8_t*>(out.status.data());
  const auto read = [](const char*, const auto& rows, auto& to, const RowShape& shape) {
    to = {rows.values.empty() ? nullptr : rows.values.data(), rows.stride == 0 ? shape.width() : rows.stride};
  };
  const BatchSizes sizes(model);
  visit_inputs(sizes, read, in, call.in);
  visit_outputs(sizes, read, out, call.out);
  return call;
}

/// Doubles that align to a cache line when the memory itself aligns to a double.
constexpr std::size_t kLine = 64 / sizeof(double);

}  // namespace

struct BatchModel::Impl {
  Impl(const RobotModel& model, const std::vector<std::string>& endpoints, const BatchOptions& options)
      : tree(model, endpoints, options), evidence(model, options.posterior, tree) {
    for (int e = 0; e < tree.numbers.frame_count; ++e) {
      const detail::BatchFrame& frame = tree.numbers.frames[e];
      std::vector<int>& motors = supports.emplace_back();
      for (int i = 0; i < frame.supports; ++i) motors.push_back(tree.numbers.joints[frame.support[i]].motor);
      jacobian_width += 6 * frame.supports;
    }
  }
  detail::BatchTree tree;
  detail::BatchEvidence evidence;
  std::vector<std::vector<int>> supports;
  int jacobian_width = 0;
};

BatchModel::BatchModel(const RobotModel& model, const std::vector<std::string>& endpoints, const BatchOptions& options)
    : impl_(std::make_shared<const Impl>(model, endpoints, options)) {}

BatchModel::BatchModel(const Robot& robot, const std::vector<std::string>& endpoints, ImuUse imu)
    : BatchModel(robot.model, robot.frames_named(endpoints),
                 BatchOptions{.imu = imu, .imu_frame = robot.profile.imu.frame}) {}

int BatchModel::motor_count() const noexcept { return numbers().motor_count; }
int BatchModel::endpoint_count() const noexcept { return numbers().frame_count; }
Base BatchModel::base() const noexcept { return numbers().floating ? Base::free_flyer : Base::fixed; }
const std::vector<int>& BatchModel::supporting_motors(int endpoint) const {
  if (endpoint < 0 || endpoint >= endpoint_count()) {
    throw ModelError("endpoint " + std::to_string(endpoint), "the model has " + std::to_string(endpoint_count()),
                     "count from 0 in the order in which they were named");
  }
  return impl_->supports[static_cast<std::size_t>(endpoint)];
}
int BatchModel::jacobian_width() const noexcept { return impl_->jacobian_width; }
const detail::BatchNumbers& BatchModel::numbers() const noexcept { return impl_->tree.numbers; }

BatchSizes::BatchSizes(const BatchModel& model) noexcept
    : motors(model.motor_count()), endpoints(model.endpoint_count()), jacobian_width(model.jacobian_width()) {}

void check_block(const BatchModel& model, const BatchInput& in, const BatchOutput& out) {
  const Fault fault = fault_of(model, in, out);
  switch (fault.kind) {
    case Fault::Kind::none: return;
    case Fault::Kind::count: throw OptionsError(fault.name, "fewer than no states", "give 0 or more");
    case Fault::Kind::missing: throw OptionsError(fault.name, "absent", "give the motors' positions of each state");
    case Fault::Kind::misplaced: throw OptionsError(fault.name, fault.why, "leave it empty, or give what it needs");
    case Fault::Kind::rows:
      detail::throw_fault(fault.name, fault.rows, detail::fault_of(fault.rows, in.count), in.count);
  }
}

BatchWorkspace::BatchWorkspace(BatchModel model) : BatchWorkspace(std::move(model), wanted_instruction_set()) {}

BatchWorkspace::BatchWorkspace(BatchModel model, InstructionSet set) : model_(std::move(model)), set_(set) {
  require_instruction_set(set, "instruction set");
  memory_.resize(build_of(set).memory(model_.numbers()) / sizeof(double) + kLine);
}

int BatchWorkspace::lanes() const noexcept { return build_of(set_).lanes; }

Status BatchWorkspace::replay(const BatchInput& in, const BatchOutput& out) noexcept {
  if (fault_of(model_, in, out).kind != Fault::Kind::none) return Status::wrong_size;
  void* memory = memory_.data();
  std::size_t room = memory_.size() * sizeof(double);
  std::align(64, room - 64, memory, room);
  build_of(set_).run(model_.numbers(), call_of(model_, in, out), memory);
  return Status::ok;
}

}  // namespace antaeus
