#pragma once
/// \file
/// A result as JSON, by its list of fields (core/fields.hpp).

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/note.hpp"
#include "antaeus/core/reasons.hpp"
#include "antaeus/io/json.hpp"

namespace antaeus {

/// A list with one item for each of \p items, made by \p make.
template <std::ranges::input_range Items, class Make>
Json list_json(const Items& items, Make&& make) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(make(item));
  return list;
}

/// The entries of a vector; −0 becomes 0.
template <class Derived>
Json vector_json(const Eigen::MatrixBase<Derived>& vector) {
  Json list = Json::array();
  for (Eigen::Index at = 0; at < vector.size(); ++at) list.push_back(vector[at] + 0.0);
  return list;
}

/// A whole number without a fraction.
inline Json to_json_number(double number) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const bool whole = std::trunc(number) == number && std::abs(number) < kExact;
  return whole ? Json(static_cast<std::int64_t>(number)) : Json(number);
}

/// Numbers, texts, names of enumerations and reasons, vectors, matrices (a list of rows), lists and structs with a list
/// of fields. NaN and infinity become null as they are written.
template <class Value>
Json to_json(const Value& value) {
  // NOLINTNEXTLINE(bugprone-branch-clone): each type by a constructor of its own
  if constexpr (std::is_same_v<Value, Json>) {
    return value;
  } else if constexpr (std::is_same_v<Value, bool> || std::is_floating_point_v<Value>) {
    return Json(value);
  } else if constexpr (std::is_integral_v<Value>) {
    return Json(static_cast<std::int64_t>(value));
  } else if constexpr (NamedEnum<Value>) {
    return Json(to_string(value));
  } else if constexpr (std::is_same_v<Value, NoteValue>) {
    return value.number ? to_json_number(*value.number) : Json(value.text);
  } else if constexpr (std::is_same_v<Value, Reasons>) {
    return Json(value.text());
  } else if constexpr (HasFields<Value>) {
    Json object = Json::object();
    visit_fields(static_cast<const Value*>(nullptr), [&](const auto& field) {
      if constexpr (std::remove_cvref_t<decltype(field)>::use != FieldUse::python_only) {
        Json item = to_json(value_of(field, value));
        if (field.is_step && item.is_integer() && item.integer() < 0) item = Json();
        if (field.may_lack && item.is_text() && item.text().empty()) item = Json();
        const std::string key = key_of(field);
        const std::size_t dot = key.find('.');
        if (dot != std::string::npos) {
          Json inner = object[key.substr(0, dot)];
          inner.set(key.substr(dot + 1), std::move(item));
          item = std::move(inner);
        }
        object.set(key.substr(0, dot), std::move(item));
      }
    });
    return object;
  } else if constexpr (requires { value.derived().IsVectorAtCompileTime; }) {
    if constexpr (Value::IsVectorAtCompileTime) {
      return vector_json(value);
    } else {
      Json rows = Json::array();
      for (Eigen::Index row = 0; row < value.rows(); ++row) rows.push_back(vector_json(value.row(row)));
      return rows;
    }
  } else if constexpr (requires {
                         *value;
                         value.has_value();
                       }) {
    return value.has_value() ? to_json(*value) : Json();
  } else if constexpr (std::is_constructible_v<Json, const Value&>) {
    return Json(value);
  } else {
    return list_json(value, [](const auto& item) { return to_json(item); });
  }
}

}  // namespace antaeus
