#include "antaeus/robot/channel_map.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/episode/episode.hpp"
#include "channel_mapper.hpp"

namespace antaeus {

namespace {

template <class List>
void check_size(const char* key, const List& list, Eigen::Index motors) {
  if (list.empty() || std::ssize(list) == motors) return;
  throw OptionsError(std::string("channels.") + key,
                     std::to_string(list.size()) + " entries, not " + std::to_string(motors),
                     "give one a motor, or none");
}

void check_order(const char* key, const std::vector<int>& order, Eigen::Index motors) {
  check_size(key, order, motors);
  for (const int column : order) {
    if (column >= 0 && column < motors) continue;
    throw OptionsError(std::string("channels.") + key,
                       "column " + std::to_string(column) + " of " + std::to_string(motors), "count columns from 0");
  }
}

Eigen::Map<const VectorX> vector_of(const std::vector<double>& list) { return {list.data(), std::ssize(list)}; }

void scale(const std::vector<double>& factors, SampleMatrix& samples) {
  if (!factors.empty() && samples.rows() > 0) samples *= vector_of(factors).asDiagonal();
}

void take_off(const std::vector<double>& offsets, SampleMatrix& samples) {
  if (!offsets.empty() && samples.rows() > 0) samples.rowwise() -= vector_of(offsets).transpose();
}

bool is_clock(const VectorX& time) {
  return time.size() > 0 && time.allFinite() && std::is_sorted(time.data(), time.data() + time.size());
}

/// What stands in the samples `delay` later, now.
void advance(const VectorX& time, double delay, SampleMatrix& samples) {
  constexpr double kOnSample = 1e-9;  // [1] of a step: stamps round, and NaN must not spread to a neighbour
  const SampleMatrix late = samples;
  const double *const first = time.data(), *const end = first + time.size();
  for (Eigen::Index i = 0; i < samples.rows(); ++i) {
    const double at = time[i] + delay;
    const Eigen::Index next = std::upper_bound(first, end, at) - first;
    if (next == 0 || next == time.size()) {
      samples.row(i) = late.row(next == 0 ? 0 : next - 1);
      continue;
    }
    const double share = (at - time[next - 1]) / (time[next] - time[next - 1]);
    if (share < kOnSample || share > 1.0 - kOnSample) {
      samples.row(i) = late.row(share < 0.5 ? next - 1 : next);
    } else {
      samples.row(i) = (1.0 - share) * late.row(next - 1) + share * late.row(next);
    }
  }
}

}  // namespace

ChannelMapper::ChannelMapper(const ChannelMap& map, Eigen::Index motors) : map_(map) {
  check_order("torque_order", map.torque_order, motors);
  check_order("position_order", map.position_order, motors);
  check_size("position_scale", map.position_scale, motors);
  check_size("position_offset", map.position_offset, motors);
  check_size("velocity_scale", map.velocity_scale, motors);
}

void ChannelMapper::reorder(const std::vector<int>& order, SampleMatrix& samples) noexcept {
  if (order.empty() || samples.rows() == 0) return;
  as_logged_ = samples;
  for (Eigen::Index j = 0; j < samples.cols(); ++j) samples.col(j) = as_logged_.col(order[static_cast<std::size_t>(j)]);
}

void ChannelMapper::apply(Episode& episode) noexcept {
  if (map_.is_identity()) return;
  reorder(map_.torque_order, episode.tau);
  for (SampleMatrix* samples : {&episode.q, &episode.target, &episode.v, &episode.a}) {
    reorder(map_.position_order, *samples);
  }
  if (map_.time_scale != 1.0) episode.time *= map_.time_scale;
  for (SampleMatrix* samples : {&episode.q, &episode.target}) {
    scale(map_.position_scale, *samples);
    take_off(map_.position_offset, *samples);
  }
  for (SampleMatrix* samples : {&episode.v, &episode.a}) scale(map_.velocity_scale, *samples);
  if (episode.imu_specific_force.rows() > 0) episode.imu_specific_force *= map_.accelerometer_scale.asDiagonal();
  if (episode.imu_angular_velocity.rows() > 0) episode.imu_angular_velocity *= map_.gyro_scale.asDiagonal();
  if (map_.quaternion_inverse && episode.has_imu()) episode.imu_quaternion.leftCols<3>() *= -1.0;
}

void apply_channel_map(const ChannelMap& map, Episode& episode) {
  if (map.is_identity()) return;
  // Either may be missing, or of another robot.
  ChannelMapper(map, std::max(episode.q.cols(), episode.tau.cols())).apply(episode);
  if (map.velocity_delay == 0.0 && map.torque_delay == 0.0) return;
  if (!is_clock(episode.time)) {
    episode.notes.emplace_back(NoteCode::channels_not_moved);
    return;
  }
  const auto move = [&](double delay, SampleMatrix& samples) {
    if (delay != 0.0 && samples.rows() == episode.time.size()) advance(episode.time, delay, samples);
  };
  move(map.torque_delay, episode.tau);
  move(map.velocity_delay, episode.v);
  move(map.velocity_delay, episode.a);
}

}  // namespace antaeus
