#include "robot/files/channel_keys.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/number_text.hpp"
#include "robot/files/toml_keys.hpp"

namespace antaeus {

namespace {

/// One number for all, or a list of \p count.
std::vector<double> read_numbers(Keys& table, const char* key, std::size_t count, const char* one_each, bool is_scale) {
  const toml::node* node = table.find(key);
  if (!node) return {};
  std::vector<double> values;
  if (node->is_number()) {
    values.assign(count, table.number_of(*node, key));
  } else {
    for (const toml::node& item : table.array_of(*node, key)) values.push_back(table.number_of(item, key));
  }
  if (values.size() != count && count > 0) {
    table.fail(
        node,
        "'" + std::string(key) + "' has " + std::to_string(values.size()) + " numbers, not " + std::to_string(count),
        std::string("give one ") + one_each + ", or one number for all");
  }
  if (is_scale && std::find(values.begin(), values.end(), 0.0) != values.end()) {
    table.fail(node, "'" + std::string(key) + "' holds 0", "give what one unit of the channel is worth");
  }
  return values;
}

Vector3 read_axes(Keys& table, const char* key) {
  const std::vector<double> values = read_numbers(table, key, 3, "an axis", true);
  return values.empty() ? Vector3::Ones() : Vector3(values[0], values[1], values[2]);
}

/// Each column once.
std::vector<int> read_order(Keys& table, const char* key, std::size_t motors) {
  const toml::node* node = table.find(key);
  if (!node) return {};
  const std::string name(key);
  std::vector<int> order;
  for (const toml::node& item : table.array_of(*node, name)) {
    const auto column = item.value_exact<std::int64_t>();
    const bool known = column && *column >= 0 && (motors == 0 || *column < static_cast<std::int64_t>(motors));
    if (!known || *column > 100000) {
      table.fail(&item, "'" + name + "' holds what is no column",
                 "write numbers from 0 to " + std::to_string(std::max<std::size_t>(motors, 1) - 1));
    }
    if (std::find(order.begin(), order.end(), static_cast<int>(*column)) != order.end()) {
      table.fail(&item, "'" + name + "' names column " + std::to_string(*column) + " twice", "name each column once");
    }
    order.push_back(static_cast<int>(*column));
  }
  if (order.size() != motors && motors > 0) {
    table.fail(node, "'" + name + "' has " + std::to_string(order.size()) + " columns, not " + std::to_string(motors),
               "give one a motor");
  }
  return order;
}

template <class Number>
std::string list_text(const std::vector<Number>& values) {
  std::string items;
  for (const Number value : values) items += (items.empty() ? "" : ", ") + shortest_text(static_cast<double>(value));
  return "[" + items + "]";
}

}  // namespace

ChannelMap read_channels(Keys table, std::size_t motors) {
  ChannelMap map;
  map.time_scale = table.positive_or("time_scale", map.time_scale);
  map.position_scale = read_numbers(table, "position_scale", motors, "a motor", true);
  map.position_offset = read_numbers(table, "position_offset", motors, "a motor", false);
  map.velocity_scale = read_numbers(table, "velocity_scale", motors, "a motor", true);
  map.position_order = read_order(table, "position_order", motors);
  map.torque_order = read_order(table, "torque_order", motors);
  map.velocity_delay = table.number_or("velocity_delay", map.velocity_delay);
  map.torque_delay = table.number_or("torque_delay", map.torque_delay);
  if (table.find("quaternion_order")) {
    map.quaternion_order = table.choice_or("quaternion_order", QuaternionOrder::xyzw);
  }
  map.quaternion_inverse = table.flag_or("quaternion_inverse", map.quaternion_inverse);
  map.accelerometer_scale = read_axes(table, "accelerometer_scale");
  map.gyro_scale = read_axes(table, "gyro_scale");
  table.finish();
  return map;
}

std::string channels_text(const ChannelMap& map) {
  std::string out;
  const auto line = [&out](const char* key, const std::string& value) { out += key + (" = " + value) + "\n"; };
  const auto number = [&](const char* key, double value, double usual) {
    if (value != usual) line(key, shortest_text(value));
  };
  const auto numbers = [&](const char* key, const std::vector<double>& values) {
    if (values.empty()) return;
    const bool same = std::all_of(values.begin(), values.end(), [&](double value) { return value == values[0]; });
    line(key, same ? shortest_text(values[0]) : list_text(values));
  };
  const auto order = [&](const char* key, const std::vector<int>& columns) {
    if (!columns.empty()) line(key, list_text(columns));
  };
  const auto axes = [&](const char* key, const Vector3& scale) {
    if (scale != Vector3::Ones()) numbers(key, {scale[0], scale[1], scale[2]});
  };
  number("time_scale", map.time_scale, 1.0);
  numbers("position_scale", map.position_scale);
  numbers("position_offset", map.position_offset);
  numbers("velocity_scale", map.velocity_scale);
  order("position_order", map.position_order);
  order("torque_order", map.torque_order);
  number("velocity_delay", map.velocity_delay, 0.0);
  number("torque_delay", map.torque_delay, 0.0);
  if (map.quaternion_order) {
    line("quaternion_order", "\"" + std::string(to_string(*map.quaternion_order)) + "\"");
  }
  if (map.quaternion_inverse) line("quaternion_inverse", "true");
  axes("accelerometer_scale", map.accelerometer_scale);
  axes("gyro_scale", map.gyro_scale);
  return out.empty() ? out : "\n[channels]\n" + out;
}

}  // namespace antaeus
