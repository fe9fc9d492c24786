#pragma once
/// \file
/// What goes into the batched kernel and what comes out, a channel a field, and the list of these channels: checking
/// calls, cutting blocks, making memory and the arguments of Python follow from it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/wrench.hpp"

namespace antaeus {

class BatchModel;

/// Whose wrenches the kernel computes, `wrench` and `posterior` alike: pinv(Jᵀ) r as it stands. BatchReplay turns them
/// to the sign that was set, BatchReplay::sign().
inline constexpr Sign kBatchSign = Sign::on_environment;

/// A number of each state, or a row of them. Empty: absent.
template <class T>
struct BatchRowsOf {
  std::span<T> values;
  std::ptrdiff_t stride = 0;  ///< between the beginnings of two rows; 0: one follows the other

  BatchRowsOf() noexcept = default;
  BatchRowsOf(std::span<T> all, std::ptrdiff_t between = 0) noexcept : values(all), stride(between) {}
};

/// What was measured, a row for each state. Motor channels are in motor order. No NaN is taken for a number: a state
/// with one in any channel that is given is `not_finite`.
struct BatchInput {
  std::ptrdiff_t count = 0;       ///< states
  BatchRowsOf<const double> q;    ///< motor positions [rad|m]; always needed
  BatchRowsOf<const double> tau;  ///< joint torques, RobotProfile::joint_torque [N·m|N]
  /// motors, in place of tau: torque minus model as it is known already, as of filtered signals [N·m|N]. The noise's
  /// mean is taken out of it as out of tau − torque; torques are computed only if asked for.
  BatchRowsOf<const double> residual;
  /// Motor velocities and accelerations. Both: inverse dynamics in place of gravity, and noise of that motion. v alone,
  /// with identified noise only: gravity, and noise of a base at rest whose motors have these speeds.
  BatchRowsOf<const double> v, a;
  BatchRowsOf<const double> imu_quaternion_xyzw;   ///< 4; absent: the base stands upright; a fixed base ignores it
  BatchRowsOf<const double> imu_angular_velocity;  ///< 3, sensor axes [rad/s]; absent: 0. With v and a only
  /// 3, sensor axes [m/s²]; absent: the base's origin is not accelerated. With v and a, and a floating base, only
  BatchRowsOf<const double> imu_specific_force;
  /// 3, of the base against the world in base axes [rad/s²]; absent: 0. With v and a, and a floating base, only
  BatchRowsOf<const double> base_angular_acceleration;
  /// motors: of each row's error [N²·m²]. Infinity: the row is no evidence. NaN, or not above zero: the posteriors that
  /// use it are NaN. With identified noise it comes on top of that, and may be zero, but of rows that were not
  /// identified it is all; absent: 0. For the posterior only
  BatchRowsOf<const double> variance;
  BatchRowsOf<const double> least_variance;  ///< motors: R's diagonal is at least this. With identified noise only
  BatchRowsOf<const double> motion_share;  ///< 1: as in TorqueNoise::evaluate(); absent: 0. With identified noise only
};

/// What is wanted, a row for each state; what is empty is not computed. NaN where the state's status is not `ok`.
struct BatchOutput {
  BatchRowsOf<double> torque;         ///< motors: g(q), or M a + C v + g [N·m|N]
  BatchRowsOf<double> residual;       ///< motors: tau − torque, and less the mean of identified noise
  BatchRowsOf<double> base_residual;  ///< 6, floating base: minus force and moment of its rows, base axes [N, N·m]
  BatchRowsOf<double> base_rotation;  ///< 9: R_WB row by row
  BatchRowsOf<double> base_angular_velocity;  ///< 3, base axes [rad/s]; with v and a only
  BatchRowsOf<double> wrench;    ///< 6 an endpoint: pinv(Jᵀ) residual with the sign kBatchSign (of a BatchReplay: its
                                 ///< sign()), at the frame's origin in world axes, force first [N, N·m]
  BatchRowsOf<double> sigma;     ///< 6 an endpoint: singular values of J, largest first; 0 where joints are missing
  BatchRowsOf<int> rank;         ///< 1 an endpoint: how many of them count; −1 where the state's status is not `ok`
  BatchRowsOf<double> jacobian;  ///< BatchModel::jacobian_width(): J_WF_W column by column
  BatchRowsOf<double> pose;      ///< 12 an endpoint: R_WF row by row, then its origin; base at the world's origin [m]
  std::span<Status> status;      ///< of each state: `ok`, `not_finite` or `bad_orientation`
  /// \name The posterior of each endpoint given its own rows, where BatchPosteriorOptions::rows says which
  /// NaN, and −1 for a number of rows, where the rows' variances are none.
  ///
  /// With either noise they hold all that PosteriorEstimator judges by: wrench, covariance and its principal
  /// directions; the tests misfit (misfit_rows), contact = max(nis − misfit, 0) (evidence_rows − misfit_rows) and, of
  /// endpoints that the reference moves, reference = (innovation / its sd)² (1 row); and the NIS, nis + reference_nis
  /// (evidence_rows + 1). Gains, and tests of each row, are the loop's alone.
  ///@{
  BatchRowsOf<double> posterior;         ///< 6 an endpoint: mean, as `wrench` whose, where and in which order
  BatchRowsOf<double> covariance;        ///< 21 an endpoint: upper triangle of its covariance row by row
  BatchRowsOf<double> force_sd;          ///< 3 an endpoint: along the force's principal directions, ascending [N]
  BatchRowsOf<double> force_directions;  ///< 9 an endpoint: those directions one after the other, world axes
  BatchRowsOf<double> nis;               ///< 1 an endpoint: as GaussianPosterior::nis() of its rows, and so on:
  BatchRowsOf<double> misfit;            ///< 1 an endpoint
  BatchRowsOf<double> null_nis;          ///< 1 an endpoint
  BatchRowsOf<int> evidence_rows;        ///< 1 an endpoint
  BatchRowsOf<int> misfit_rows;          ///< 1 an endpoint
  /// 2 an endpoint: of the reference row, what the posterior's contact makes of it [N·m] and the variance of that
  BatchRowsOf<double> reference_share;
  /// 1 an endpoint: what the reference row adds to its `nis`, as one row more: its squared innovation, over the
  /// variance, given this endpoint's rows and those of endpoints whose null_nis shows a contact, contacts at these
  /// alone. NaN where there is no innovation, and of endpoints that the reference does not move
  BatchRowsOf<double> reference_nis;
  /// 2: the reference row's innovation given all other rows, contacts at all endpoints within their priors, and its sd
  /// [N·m]; identified noise couples all of them. NaN where the row is no evidence
  BatchRowsOf<double> innovation;
  ///@}
};

/// What the widths of rows follow from.
struct ANTAEUS_API BatchSizes {
  int motors = 0, endpoints = 0, jacobian_width = 0;

  constexpr BatchSizes() noexcept = default;
  explicit BatchSizes(const BatchModel& model) noexcept;
};

/// What a channel needs to be given or asked for; check_block() says of each what is missing.
enum class BatchNeed : std::uint8_t {
  nothing,
  no_torque,          ///< in place of tau
  speed_use,          ///< speeds are of use with accelerations or identified noise alone
  speeds,             ///< accelerations need them
  sensed_motion,      ///< inverse dynamics of a floating base
  rows,               ///< rows of evidence, and a residual
  noise,              ///< the same, and identified noise
  residual,           ///< tau, or a residual that is given
  base,               ///< a floating base
  base_motion,        ///< and inverse dynamics
  endpoints,          ///< at least one
  endpoint_residual,  ///< and a residual
  columns,            ///< a motor that moves one
  evidence,           ///< rows of evidence, a residual, and variances or identified noise
  reference           ///< the same, and a reference motor
};

/// The numbers of one state in a channel: rows × columns, or columns alone where \p rows is 0.
struct RowShape {
  int rows = 0, columns = 0;
  BatchNeed need = BatchNeed::nothing;
  constexpr std::ptrdiff_t width() const noexcept { return std::ptrdiff_t{rows == 0 ? 1 : rows} * columns; }
};

/// Calls visit(name, rows…, shape) for each channel that is measured, with that channel of each of \p in: structs whose
/// fields have these names. A new field of BatchInput is a line here.
template <class Visit, class... In>
constexpr void visit_inputs(const BatchSizes& sizes, Visit&& visit, In&... in) {
  visit("q", in.q..., RowShape{0, sizes.motors});
  visit("tau", in.tau..., RowShape{0, sizes.motors});
  visit("residual", in.residual..., RowShape{0, sizes.motors, BatchNeed::no_torque});
  visit("v", in.v..., RowShape{0, sizes.motors, BatchNeed::speed_use});
  visit("a", in.a..., RowShape{0, sizes.motors, BatchNeed::speeds});
  visit("imu_quaternion_xyzw", in.imu_quaternion_xyzw..., RowShape{0, 4});
  visit("imu_angular_velocity", in.imu_angular_velocity..., RowShape{0, 3, BatchNeed::sensed_motion});
  visit("imu_specific_force", in.imu_specific_force..., RowShape{0, 3, BatchNeed::sensed_motion});
  visit("base_angular_acceleration", in.base_angular_acceleration..., RowShape{0, 3, BatchNeed::sensed_motion});
  visit("variance", in.variance..., RowShape{0, sizes.motors, BatchNeed::rows});
  visit("least_variance", in.least_variance..., RowShape{0, sizes.motors, BatchNeed::noise});
  visit("motion_share", in.motion_share..., RowShape{0, 1, BatchNeed::noise});
}
/// The same for each channel of results but `status`. A new field of BatchOutput is a line here.
template <class Visit, class... Out>
constexpr void visit_outputs(const BatchSizes& sizes, Visit&& visit, Out&... out) {
  visit("torque", out.torque..., RowShape{0, sizes.motors});
  visit("residual", out.residual..., RowShape{0, sizes.motors, BatchNeed::residual});
  visit("base_residual", out.base_residual..., RowShape{0, 6, BatchNeed::base});
  visit("base_rotation", out.base_rotation..., RowShape{3, 3});
  visit("base_angular_velocity", out.base_angular_velocity..., RowShape{0, 3, BatchNeed::base_motion});
  visit("wrench", out.wrench..., RowShape{sizes.endpoints, 6, BatchNeed::endpoint_residual});
  visit("sigma", out.sigma..., RowShape{sizes.endpoints, 6, BatchNeed::endpoints});
  visit("rank", out.rank..., RowShape{0, sizes.endpoints, BatchNeed::endpoints});
  visit("jacobian", out.jacobian..., RowShape{0, sizes.jacobian_width, BatchNeed::columns});
  visit("pose", out.pose..., RowShape{sizes.endpoints, 12, BatchNeed::endpoints});
  visit("posterior", out.posterior..., RowShape{sizes.endpoints, 6, BatchNeed::evidence});
  visit("covariance", out.covariance..., RowShape{sizes.endpoints, 21, BatchNeed::evidence});
  visit("force_sd", out.force_sd..., RowShape{sizes.endpoints, 3, BatchNeed::evidence});
  visit("force_directions", out.force_directions..., RowShape{sizes.endpoints, 9, BatchNeed::evidence});
  visit("nis", out.nis..., RowShape{0, sizes.endpoints, BatchNeed::evidence});
  visit("misfit", out.misfit..., RowShape{0, sizes.endpoints, BatchNeed::evidence});
  visit("null_nis", out.null_nis..., RowShape{0, sizes.endpoints, BatchNeed::evidence});
  visit("evidence_rows", out.evidence_rows..., RowShape{0, sizes.endpoints, BatchNeed::evidence});
  visit("misfit_rows", out.misfit_rows..., RowShape{0, sizes.endpoints, BatchNeed::evidence});
  visit("reference_share", out.reference_share..., RowShape{sizes.endpoints, 2, BatchNeed::reference});
  visit("reference_nis", out.reference_nis..., RowShape{0, sizes.endpoints, BatchNeed::reference});
  visit("innovation", out.innovation..., RowShape{0, 2, BatchNeed::reference});
}
template <class Visit>
constexpr void visit_fields(BatchInput& in, const BatchSizes& sizes, Visit&& visit) {
  visit_inputs(sizes, visit, in);
}
template <class Visit>
constexpr void visit_fields(BatchOutput& out, const BatchSizes& sizes, Visit&& visit) {
  visit_outputs(sizes, visit, out);
}

namespace detail {

template <class Block>
consteval std::size_t field_count() {
  std::size_t count = 0;
  Block block;
  visit_fields(block, BatchSizes{}, [&](const auto&...) { ++count; });
  return count;
}
static_assert(sizeof(BatchInput) == sizeof(std::ptrdiff_t) + field_count<BatchInput>() * sizeof(BatchRowsOf<double>),
              "visit_fields misses a field of BatchInput");
static_assert(sizeof(BatchOutput) ==
                  sizeof(std::span<Status>) + field_count<BatchOutput>() * sizeof(BatchRowsOf<double>),
              "visit_fields misses a field of BatchOutput");

/// \p count rows from the row \p first on; of no rows, none.
template <class T>
BatchRowsOf<T> cut(const BatchRowsOf<T>& rows, std::ptrdiff_t width, std::ptrdiff_t first,
                   std::ptrdiff_t count) noexcept {
  if (rows.values.empty() || count == 0) return {};
  const std::ptrdiff_t stride = rows.stride == 0 ? width : rows.stride;
  return {rows.values.subspan(static_cast<std::size_t>(first * stride),
                              static_cast<std::size_t>((count - 1) * stride + width)),
          rows.stride};
}

}  // namespace detail

/// States [first, first + count) of arrays that fit check_block(). \realtime (replay_realtime_test)
template <class Block>
Block block_of(Block block, const BatchSizes& sizes, std::ptrdiff_t first, std::ptrdiff_t count) noexcept {
  visit_fields(block, sizes, [&](const char*, auto& rows, const RowShape& shape) {
    rows = detail::cut(rows, shape.width(), first, count);
  });
  if constexpr (std::is_base_of_v<BatchInput, Block>) {
    block.count = count;
  } else if (!block.status.empty()) {
    block.status = block.status.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }
  // What follows a block's first states follows them in time.
  if constexpr (requires { block.continues; }) block.continues = block.continues || first > 0;
  return block;
}

/// Names of a BatchInput's or a BatchOutput's channels.
template <class Block>
std::vector<std::string> field_names() {
  std::vector<std::string> names;
  Block block;
  visit_fields(block, BatchSizes{}, [&](const char* name, auto&, const RowShape&) { names.emplace_back(name); });
  return names;
}

}  // namespace antaeus
