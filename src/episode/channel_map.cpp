#include "antaeus/robot/channel_map.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/episode/episode.hpp"

namespace antaeus {

namespace {

template <class List>
void check_size(const char* key, const List& list, Eigen::Index motors) {
  if (list.empty() || std::ssize(list) == motors) return;
  throw OptionsError(std::string("channels.") + key,
                     std::to_string(list.size()) + " entries, not " + std::to_string(motors),
                     "give one a motor, or none");
}

void reorder(const char* key, const std::vector<int>& order, SampleMatrix& samples) {
  if (order.empty() || samples.rows() == 0) return;
  check_size(key, order, samples.cols());
  for (const int column : order) {
    if (column >= 0 && column < samples.cols()) continue;
    throw OptionsError(std::string("channels.") + key,
                       "column " + std::to_string(column) + " of " + std::to_string(samples.cols()),
                       "count columns from 0");
  }
  samples = SampleMatrix(samples(Eigen::all, order));
}

void scale(const char* key, const std::vector<double>& factors, SampleMatrix& samples) {
  if (factors.empty() || samples.rows() == 0) return;
  check_size(key, factors, samples.cols());
  samples *= Eigen::Map<const VectorX>(factors.data(), std::ssize(factors)).asDiagonal();
}

void take_off(const char* key, const std::vector<double>& offsets, SampleMatrix& samples) {
  if (offsets.empty() || samples.rows() == 0) return;
  check_size(key, offsets, samples.cols());
  samples.rowwise() -= Eigen::Map<const VectorX>(offsets.data(), std::ssize(offsets)).transpose();
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

void apply_channel_map(const ChannelMap& map, Episode& episode) {
  if (map.is_identity()) return;
  reorder("torque_order", map.torque_order, episode.tau);
  for (SampleMatrix* samples : {&episode.q, &episode.target, &episode.v, &episode.a}) {
    reorder("position_order", map.position_order, *samples);
  }
  if (map.time_scale != 1.0) episode.time *= map.time_scale;
  for (SampleMatrix* samples : {&episode.q, &episode.target}) {
    scale("position_scale", map.position_scale, *samples);
    take_off("position_offset", map.position_offset, *samples);
  }
  for (SampleMatrix* samples : {&episode.v, &episode.a}) scale("velocity_scale", map.velocity_scale, *samples);
  if (episode.imu_specific_force.rows() > 0) episode.imu_specific_force *= map.accelerometer_scale.asDiagonal();
  if (episode.imu_angular_velocity.rows() > 0) episode.imu_angular_velocity *= map.gyro_scale.asDiagonal();
  if (map.quaternion_inverse && episode.has_imu()) episode.imu_quaternion.leftCols<3>() *= -1.0;
  if (map.velocity_delay == 0.0 && map.torque_delay == 0.0) return;
  if (!is_clock(episode.time)) {
    episode.notes.emplace_back("[channels] moves nothing in time: the log has no clock that runs forward");
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
