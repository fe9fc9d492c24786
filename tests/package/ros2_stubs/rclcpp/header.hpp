#pragma once
// Stand-in: stamps and headers of messages.
#include <cstdint>
#include <string>

namespace builtin_interfaces::msg {
struct Time {
  std::int32_t sec = 0;
  std::uint32_t nanosec = 0;
};
}  // namespace builtin_interfaces::msg

namespace std_msgs::msg {
struct Header {
  builtin_interfaces::msg::Time stamp;
  std::string frame_id;
};
}  // namespace std_msgs::msg
