#pragma once
/// \file
/// JSON that was written, read back by nlohmann's reader. The library writes JSON and reads none.

#include <nlohmann/json.hpp>
#include <string_view>

#include "antaeus/io/json.hpp"

namespace antaeus::test {

inline Json json_of(const nlohmann::ordered_json& value) {
  switch (value.type()) {
    case nlohmann::ordered_json::value_t::object: {
      Json object = Json::object();
      for (const auto& [key, member] : value.items()) object.set(key, json_of(member));
      return object;
    }
    case nlohmann::ordered_json::value_t::array: {
      Json array = Json::array();
      for (const auto& item : value) array.push_back(json_of(item));
      return array;
    }
    case nlohmann::ordered_json::value_t::string: return value.get<std::string>();
    case nlohmann::ordered_json::value_t::boolean: return value.get<bool>();
    case nlohmann::ordered_json::value_t::number_integer:
    case nlohmann::ordered_json::value_t::number_unsigned: return value.get<std::int64_t>();
    case nlohmann::ordered_json::value_t::number_float: return value.get<double>();
    default: return nullptr;
  }
}

/// \throws nlohmann::json::parse_error for text that is no JSON
inline Json parse_json(std::string_view text) { return json_of(nlohmann::ordered_json::parse(text)); }

}  // namespace antaeus::test
