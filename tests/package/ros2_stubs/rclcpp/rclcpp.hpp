#pragma once
// Stand-in for what a node of ROS 2 calls. Messages go by hand: a test publishes into stub::subscribed and reads
// stub::published and stub::logged.
#include <cstdarg>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rclcpp/header.hpp"

namespace rclcpp::stub {
template <class Message>
inline std::map<std::string, std::function<void(const Message&)>> subscribed;
template <class Message>
inline std::map<std::string, std::vector<Message>> published;
inline std::vector<std::string> logged;
inline std::map<std::string, std::string> parameters;
inline double clock = 0.0;  // [s]
inline void log(const char* format, ...) {
  char line[500];
  va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  logged.emplace_back(line);
}
}  // namespace rclcpp::stub

#define RCLCPP_WARN(logger, ...) (static_cast<void>(logger), rclcpp::stub::log(__VA_ARGS__))
#define RCLCPP_WARN_THROTTLE(logger, clock, milliseconds, ...) \
  (static_cast<void>(logger), static_cast<void>(clock), static_cast<void>(milliseconds), rclcpp::stub::log(__VA_ARGS__))

namespace rclcpp {
class Time {
 public:
  explicit Time(double seconds) : seconds_(seconds) {}
  Time(const builtin_interfaces::msg::Time& stamp) : seconds_(stamp.sec + 1e-9 * stamp.nanosec) {}
  double seconds() const { return seconds_; }

 private:
  double seconds_;
};
struct Clock {
  using SharedPtr = std::shared_ptr<Clock>;
};
struct Logger {};
struct QoS {
  explicit QoS(int) {}
};
struct SensorDataQoS : QoS {
  SensorDataQoS() : QoS(5) {}
};

template <class Message>
struct Publisher {
  using SharedPtr = std::shared_ptr<Publisher>;
  std::string topic;
  void publish(const Message& message) { stub::published<Message>[topic].push_back(message); }
};
template <class Message>
struct Subscription {
  using SharedPtr = std::shared_ptr<Subscription>;
};

class Node {
 public:
  explicit Node(std::string name) : name_(std::move(name)) {}
  template <class Value>
  Value declare_parameter(const std::string& name, const Value& value) {
    const auto given = stub::parameters.find(name);
    return given == stub::parameters.end() ? value : Value(given->second);
  }
  template <class Message>
  std::shared_ptr<Publisher<Message>> create_publisher(const std::string& topic, const QoS&) {
    return std::make_shared<Publisher<Message>>(Publisher<Message>{topic});
  }
  template <class Message, class Callback>
  std::shared_ptr<Subscription<Message>> create_subscription(const std::string& topic, const QoS&, Callback callback) {
    stub::subscribed<Message>[topic] = callback;
    return std::make_shared<Subscription<Message>>();
  }
  Logger get_logger() const { return {}; }
  Clock::SharedPtr get_clock() { return std::make_shared<Clock>(); }
  Time now() const { return Time(stub::clock); }

 private:
  std::string name_;
};

inline void init(int, char**) {}
inline void shutdown() {}
void spin(const std::shared_ptr<Node>& node);  // the test's
}  // namespace rclcpp
