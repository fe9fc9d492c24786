#include "antaeus/replay/batch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "antaeus/core/error.hpp"
#include "replay/batch_evidence.hpp"
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

/// What an array must hold; looks at all of them and tells \p fault of each that is wrong, until it returns true.
struct Wanted {
  const char* name;
  detail::RowsInArray rows;
  const char* misplaced;  ///< why it must be empty; null: it may be given
};

template <class T>
Wanted wanted(const char* name, std::ptrdiff_t width, const BatchRowsOf<T>& rows, const char* misplaced = nullptr) {
  return {name, {width, rows.values.size(), rows.stride}, misplaced};
}

/// What is wrong with a call: the array, the problem, the remedy. Texts are made for an error alone.
enum class Fault : std::uint8_t { none, count, missing, misplaced, rows };

Fault fault_of(const Wanted& array, std::ptrdiff_t count) noexcept {
  if (array.rows.size != 0 && array.misplaced) return Fault::misplaced;
  return detail::fault_of(array.rows, count) == detail::RowFault::none ? Fault::none : Fault::rows;
}

/// Calls \p tell(array, fault) for the first array that is wrong. \return whether there is none
template <class Tell>
bool fits(const BatchModel& model, const BatchInput& in, const BatchOutput& out,
          const Tell& tell) noexcept(noexcept(tell(Wanted{}, Fault::none))) {
  const bool floating = model.base() == Base::free_flyer, dynamic = !in.v.values.empty() && !in.a.values.empty();
  const int motors = model.motor_count(), endpoints = model.endpoint_count();
  const char* const still = dynamic ? nullptr : "it belongs to inverse dynamics, and v or a is absent";
  const char* const sensed =
      !floating ? "a fixed base takes nothing from an IMU" : (dynamic ? nullptr : "v or a is absent");
  const char* const based = floating ? nullptr : "a fixed base has no base rows";
  const bool given = !in.residual.values.empty();
  const char* const unloaded = in.tau.values.empty() && !given ? "tau is absent, and so is a residual" : nullptr;
  const char* const none = endpoints == 0 ? "the model has no endpoints" : nullptr;
  const detail::BatchNumbers& numbers = model.numbers();
  const char* const weighed = !numbers.blocks ? "the model has no rows of evidence (BatchPosteriorOptions)" : unloaded;
  const char* const evident =
      weighed ? weighed : (!numbers.noise && in.variance.values.empty() ? "variance is absent" : nullptr);
  const char* const referred = evident ? evident : (numbers.reference < 0 ? "there is no reference motor" : nullptr);
  if (in.count < 0) {
    tell(Wanted{"count", {}, nullptr}, Fault::count);
    return false;
  }
  // Speeds alone say where the noise stands; accelerations alone say nothing.
  const char* const slow = in.a.values.empty() && !numbers.noise ? "a is absent, and so is identified noise" : nullptr;
  const char* const unidentified = numbers.noise ? weighed : "it belongs to identified noise";
  const Wanted arrays[] = {
      wanted("q", motors, in.q),
      wanted("tau", motors, in.tau),
      wanted("residual", motors, in.residual, in.tau.values.empty() ? nullptr : "tau is given too"),
      wanted("v", motors, in.v, slow),
      wanted("a", motors, in.a, in.v.values.empty() ? "v is absent" : nullptr),
      wanted("imu_quaternion_xyzw", 4, in.imu_quaternion_xyzw),
      wanted("imu_angular_velocity", 3, in.imu_angular_velocity, sensed),
      wanted("imu_specific_force", 3, in.imu_specific_force, sensed),
      wanted("base_angular_acceleration", 3, in.base_angular_acceleration, sensed),
      wanted("variance", motors, in.variance, weighed),
      wanted("least_variance", motors, in.least_variance, unidentified),
      wanted("motion_share", 1, in.motion_share, unidentified),
      wanted("torque", motors, out.torque),
      wanted("residual", motors, out.residual, unloaded),
      wanted("base_residual", 6, out.base_residual, based),
      wanted("base_rotation", 9, out.base_rotation),
      wanted("base_angular_velocity", 3, out.base_angular_velocity, based ? based : still),
      wanted("wrench", 6 * endpoints, out.wrench, none ? none : unloaded),
      wanted("sigma", 6 * endpoints, out.sigma, none),
      wanted("rank", endpoints, out.rank, none),
      wanted("jacobian", model.jacobian_width(), out.jacobian,
             model.jacobian_width() == 0 ? "no motor moves an endpoint" : nullptr),
      wanted("pose", 12 * endpoints, out.pose, none),
      Wanted{"status", {1, out.status.size(), 0}, nullptr},
      wanted("posterior", 6 * endpoints, out.posterior, evident),
      wanted("covariance", 21 * endpoints, out.covariance, evident),
      wanted("force_sd", 3 * endpoints, out.force_sd, evident),
      wanted("force_directions", 9 * endpoints, out.force_directions, evident),
      wanted("nis", endpoints, out.nis, evident),
      wanted("misfit", endpoints, out.misfit, evident),
      wanted("null_nis", endpoints, out.null_nis, evident),
      wanted("evidence_rows", endpoints, out.evidence_rows, evident),
      wanted("misfit_rows", endpoints, out.misfit_rows, evident),
      wanted("reference_share", 2 * endpoints, out.reference_share, referred),
      wanted("reference_nis", endpoints, out.reference_nis, referred),
      wanted("innovation", 2, out.innovation, referred),
  };
  if (in.count > 0 && in.q.values.empty()) {
    tell(arrays[0], Fault::missing);
    return false;
  }
  for (const Wanted& array : arrays) {
    const Fault fault = fault_of(array, in.count);
    if (fault == Fault::none) continue;
    tell(array, fault);
    return false;
  }
  return true;
}

template <class Rows, class T>
Rows rows_of(const BatchRowsOf<T>& rows, std::ptrdiff_t width) noexcept {
  return {rows.values.empty() ? nullptr : rows.values.data(), rows.stride == 0 ? width : rows.stride};
}

/// A call as the kernel reads it; its arrays fit.
BatchCall call_of(const BatchModel& model, const BatchInput& in, const BatchOutput& out) noexcept {
  using In = detail::BatchRows;
  using Out = detail::BatchRowsOut;
  using Counts = detail::BatchCounts;
  const int motors = model.motor_count(), endpoints = model.endpoint_count();
  BatchCall call;
  call.count = in.count;
  call.moving = !in.v.values.empty();
  call.dynamic = call.moving && !in.a.values.empty();
  call.q = rows_of<In>(in.q, motors);
  call.tau = rows_of<In>(in.tau, motors);
  call.given = rows_of<In>(in.residual, motors);
  call.v = rows_of<In>(in.v, motors);
  call.a = rows_of<In>(in.a, motors);
  call.quaternion = rows_of<In>(in.imu_quaternion_xyzw, 4);
  call.gyro = rows_of<In>(in.imu_angular_velocity, 3);
  call.specific_force = rows_of<In>(in.imu_specific_force, 3);
  call.base_acceleration = rows_of<In>(in.base_angular_acceleration, 3);
  call.torque = rows_of<Out>(out.torque, motors);
  call.residual = rows_of<Out>(out.residual, motors);
  call.base_residual = rows_of<Out>(out.base_residual, 6);
  call.base_rotation = rows_of<Out>(out.base_rotation, 9);
  call.base_velocity = rows_of<Out>(out.base_angular_velocity, 3);
  call.wrench = rows_of<Out>(out.wrench, 6 * endpoints);
  call.sigma = rows_of<Out>(out.sigma, 6 * endpoints);
  call.jacobian = rows_of<Out>(out.jacobian, model.jacobian_width());
  call.pose = rows_of<Out>(out.pose, 12 * endpoints);
  call.rank = rows_of<Counts>(out.rank, endpoints);
  call.status = out.status.empty() ? nullptr : reinterpret_cast<std::uint8_t*>(out.status.data());
  call.variance = rows_of<In>(in.variance, motors);
  call.least_variance = rows_of<In>(in.least_variance, motors);
  call.motion_share = rows_of<In>(in.motion_share, 1);
  call.posterior = rows_of<Out>(out.posterior, 6 * endpoints);
  call.covariance = rows_of<Out>(out.covariance, 21 * endpoints);
  call.force_sd = rows_of<Out>(out.force_sd, 3 * endpoints);
  call.force_directions = rows_of<Out>(out.force_directions, 9 * endpoints);
  call.nis = rows_of<Out>(out.nis, endpoints);
  call.misfit = rows_of<Out>(out.misfit, endpoints);
  call.null_nis = rows_of<Out>(out.null_nis, endpoints);
  call.evidence_rows = rows_of<Counts>(out.evidence_rows, endpoints);
  call.misfit_rows = rows_of<Counts>(out.misfit_rows, endpoints);
  call.reference_share = rows_of<Out>(out.reference_share, 2 * endpoints);
  call.reference_nis = rows_of<Out>(out.reference_nis, endpoints);
  call.innovation = rows_of<Out>(out.innovation, 2);
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
    : BatchModel(robot.model, endpoints, BatchOptions{.imu = imu, .imu_frame = robot.profile.imu.frame}) {}

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

void check_block(const BatchModel& model, const BatchInput& in, const BatchOutput& out) {
  fits(model, in, out, [&](const Wanted& array, Fault fault) {
    const std::string place = array.name;
    switch (fault) {
      case Fault::none: return;
      case Fault::count: throw OptionsError(place, "fewer than no states", "give 0 or more");
      case Fault::missing: throw OptionsError(place, "absent", "give the motors' positions of each state");
      case Fault::misplaced: throw OptionsError(place, array.misplaced, "leave it empty, or give what it needs");
      case Fault::rows: detail::throw_fault(place, array.rows, detail::fault_of(array.rows, in.count), in.count);
    }
  });
}

BatchWorkspace::BatchWorkspace(BatchModel model) : BatchWorkspace(std::move(model), wanted_instruction_set()) {}

BatchWorkspace::BatchWorkspace(BatchModel model, InstructionSet set) : model_(std::move(model)), set_(set) {
  require_instruction_set(set, "instruction set");
  memory_.resize(build_of(set).memory(model_.numbers()) / sizeof(double) + kLine);
}

int BatchWorkspace::lanes() const noexcept { return build_of(set_).lanes; }

Status BatchWorkspace::replay(const BatchInput& in, const BatchOutput& out) noexcept {
  if (!fits(model_, in, out, [](const Wanted&, Fault) noexcept {})) return Status::wrong_size;
  void* memory = memory_.data();
  std::size_t room = memory_.size() * sizeof(double);
  std::align(64, room - 64, memory, room);
  build_of(set_).run(model_.numbers(), call_of(model_, in, out), memory);
  return Status::ok;
}

}  // namespace antaeus
