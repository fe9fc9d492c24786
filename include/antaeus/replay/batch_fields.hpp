#pragma once
/// \file
/// The channels of BatchInput and BatchOutput by name, each once: cutting blocks, making memory, arguments of Python.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "antaeus/replay/batch.hpp"

namespace antaeus {

/// What the widths of rows follow from.
struct BatchSizes {
  int motors = 0, endpoints = 0, jacobian_width = 0;

  constexpr BatchSizes() noexcept = default;
  explicit BatchSizes(const BatchModel& model) noexcept
      : motors(model.motor_count()), endpoints(model.endpoint_count()), jacobian_width(model.jacobian_width()) {}
};

/// The numbers of one state in a channel: rows × columns, or columns alone where \p rows is 0.
struct RowShape {
  int rows = 0, columns = 0;
  constexpr std::ptrdiff_t width() const noexcept { return std::ptrdiff_t{rows == 0 ? 1 : rows} * columns; }
};

/// Calls visit(name, rows, shape) for each channel that is measured. A new field of BatchInput is a line here.
template <class Visit>
constexpr void visit_fields(BatchInput& in, const BatchSizes& sizes, Visit&& visit) {
  visit("q", in.q, RowShape{0, sizes.motors});
  visit("tau", in.tau, RowShape{0, sizes.motors});
  visit("residual", in.residual, RowShape{0, sizes.motors});
  visit("v", in.v, RowShape{0, sizes.motors});
  visit("a", in.a, RowShape{0, sizes.motors});
  visit("imu_quaternion_xyzw", in.imu_quaternion_xyzw, RowShape{0, 4});
  visit("imu_angular_velocity", in.imu_angular_velocity, RowShape{0, 3});
  visit("imu_specific_force", in.imu_specific_force, RowShape{0, 3});
  visit("base_angular_acceleration", in.base_angular_acceleration, RowShape{0, 3});
  visit("variance", in.variance, RowShape{0, sizes.motors});
  visit("least_variance", in.least_variance, RowShape{0, sizes.motors});
  visit("motion_share", in.motion_share, RowShape{0, 1});
}

/// The same for each channel of results but `status`. A new field of BatchOutput is a line here.
template <class Visit>
constexpr void visit_fields(BatchOutput& out, const BatchSizes& sizes, Visit&& visit) {
  visit("torque", out.torque, RowShape{0, sizes.motors});
  visit("residual", out.residual, RowShape{0, sizes.motors});
  visit("base_residual", out.base_residual, RowShape{0, 6});
  visit("base_rotation", out.base_rotation, RowShape{3, 3});
  visit("base_angular_velocity", out.base_angular_velocity, RowShape{0, 3});
  visit("wrench", out.wrench, RowShape{sizes.endpoints, 6});
  visit("sigma", out.sigma, RowShape{sizes.endpoints, 6});
  visit("rank", out.rank, RowShape{0, sizes.endpoints});
  visit("jacobian", out.jacobian, RowShape{0, sizes.jacobian_width});
  visit("pose", out.pose, RowShape{sizes.endpoints, 12});
  visit("posterior", out.posterior, RowShape{sizes.endpoints, 6});
  visit("covariance", out.covariance, RowShape{sizes.endpoints, 21});
  visit("force_sd", out.force_sd, RowShape{sizes.endpoints, 3});
  visit("force_directions", out.force_directions, RowShape{sizes.endpoints, 9});
  visit("nis", out.nis, RowShape{0, sizes.endpoints});
  visit("misfit", out.misfit, RowShape{0, sizes.endpoints});
  visit("null_nis", out.null_nis, RowShape{0, sizes.endpoints});
  visit("evidence_rows", out.evidence_rows, RowShape{0, sizes.endpoints});
  visit("misfit_rows", out.misfit_rows, RowShape{0, sizes.endpoints});
  visit("reference_share", out.reference_share, RowShape{sizes.endpoints, 2});
  visit("reference_nis", out.reference_nis, RowShape{0, sizes.endpoints});
  visit("innovation", out.innovation, RowShape{0, 2});
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
inline BatchInput block_of(BatchInput in, const BatchSizes& sizes, std::ptrdiff_t first,
                           std::ptrdiff_t count) noexcept {
  visit_fields(in, sizes, [&](const char*, auto& rows, const RowShape& shape) {
    rows = detail::cut(rows, shape.width(), first, count);
  });
  in.count = count;
  return in;
}
inline BatchOutput block_of(BatchOutput out, const BatchSizes& sizes, std::ptrdiff_t first,
                            std::ptrdiff_t count) noexcept {
  visit_fields(out, sizes, [&](const char*, auto& rows, const RowShape& shape) {
    rows = detail::cut(rows, shape.width(), first, count);
  });
  if (!out.status.empty()) {
    out.status = out.status.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }
  return out;
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
