#pragma once
// What apply_channel_map does, over and over without taking memory. Private to the library.

#include "antaeus/core/api.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/robot/channel_map.hpp"

namespace antaeus {

/// Makes channels the robot's, but for what moves them in time: that needs the samples around.
class ANTAEUS_API ChannelMapper {
 public:
  /// \throws OptionsError for a list that is not as long as the robot has motors
  ChannelMapper(const ChannelMap& map, Eigen::Index motors);
  /// \realtime for episodes of one shape, after the first (live_realtime_test)
  void apply(Episode& episode) noexcept;

 private:
  void reorder(const std::vector<int>& order, SampleMatrix& samples) noexcept;
  ChannelMap map_;
  SampleMatrix as_logged_;
};

}  // namespace antaeus
