#pragma once
// The channels of an episode that are matrices, under the names that their files have. Private to the library.

#include <array>

#include "antaeus/core/error.hpp"
#include "antaeus/episode/episode.hpp"

namespace antaeus {

struct NamedChannel {
  const char* name;
  SampleMatrix Episode::* samples;
};

/// In the order in which a loader reads them: one column a motor, then (after the time stamps) the IMU's.
inline constexpr std::array kMotorChannels = {NamedChannel{"tau", &Episode::tau}, NamedChannel{"qpos", &Episode::q},
                                              NamedChannel{"target_dof", &Episode::target},
                                              NamedChannel{"dq", &Episode::v}, NamedChannel{"ddq", &Episode::a}};
inline constexpr std::array kImuChannels = {NamedChannel{"imu_quat_xyzw", &Episode::imu_quaternion},
                                            NamedChannel{"imu_gyro", &Episode::imu_angular_velocity},
                                            NamedChannel{"imu_acc", &Episode::imu_specific_force}};

template <class Function>
void for_each_channel(Function&& function) {
  for (const NamedChannel& channel : kMotorChannels) function(channel);
  for (const NamedChannel& channel : kImuChannels) function(channel);
}

/// Hash of an episode by those of its channels.
std::string hash_of_channels(const std::vector<EpisodeChannel>& channels);

/// Lists the channels of an episode that was made, not read, as load_episode would list them after write_episode, so
/// that both have one hash.
void name_channels(Episode& episode);

/// Of a cut that leaves nothing: which times there are.
EpisodeError no_step_between(const std::string& name, double from, double to, double begin, double end);

/// True if so many steps without a number are more than lost samples: above 1 % of all, and not a single step.
constexpr bool is_silent(Eigen::Index count, Eigen::Index steps) noexcept {
  return count > 1 && static_cast<double>(count) > 0.01 * static_cast<double>(steps);
}

/// Sets `invalid_steps`.
void find_invalid_steps(Episode& episode);

}  // namespace antaeus
