#pragma once
/// \file
/// NaN in every number of a result that could not be computed, and copies of results, in memory that is there already.
/// Structs with a list of fields (core/fields.hpp) are worked on field by field.

#include <cmath>
#include <iterator>
#include <type_traits>

#include "antaeus/core/fields.hpp"
#include "antaeus/core/numbers.hpp"
#include "antaeus/core/pose.hpp"

namespace antaeus {

/// Vectors and matrices keep their size; counts, switches, names and texts stay as they are. \realtime
template <class Value>
void set_nan(Value& value) noexcept {
  if constexpr (std::is_floating_point_v<Value>) {
    value = kNaN;
  } else if constexpr (std::is_same_v<Value, Pose>) {
    value = {Matrix3::Constant(kNaN), Vector3::Constant(kNaN)};
  } else if constexpr (requires { value.derived().setConstant(kNaN); }) {
    if constexpr (std::is_floating_point_v<typename Value::Scalar>) value.setConstant(kNaN);
  } else if constexpr (HasFields<Value>) {
    visit_fields(static_cast<const Value*>(nullptr), [&](const auto& field) {
      if constexpr (std::is_member_object_pointer_v<std::remove_cvref_t<decltype(field.get)>>)
        set_nan(value.*field.get);
    });
  } else if constexpr (requires { std::begin(value) != std::end(value); }) {
    for (auto&& item : value) set_nan(item);
  }
}
template <class First, class... Others>
  requires(sizeof...(Others) > 0)
void set_nan(First& first, Others&... others) noexcept {
  set_nan(first);
  (set_nan(others), ...);
}

/// Whether set_nan() would find no number that is NaN or infinite already. \realtime
template <class Value>
bool all_finite(const Value& value) noexcept {
  if constexpr (std::is_floating_point_v<Value>) {
    return std::isfinite(value);
  } else if constexpr (std::is_same_v<Value, Pose>) {
    return value.rotation.allFinite() && value.translation.allFinite();
  } else if constexpr (requires { value.derived().allFinite(); }) {
    return value.allFinite();
  } else {
    bool finite = true;
    visit_fields(static_cast<const Value*>(nullptr), [&](const auto& field) {
      if constexpr (std::is_member_object_pointer_v<std::remove_cvref_t<decltype(field.get)>>) {
        finite = finite && all_finite(value.*field.get);
      }
    });
    return finite;
  }
}

/// A vector or matrix whose size differs becomes NaN in its place, as what is not there has no numbers. \realtime
template <class Value>
void copy_in_place(const Value& from, Value& to) noexcept {
  if constexpr (requires { to.derived().setConstant(kNaN); }) {
    from.rows() == to.rows() && from.cols() == to.cols() ? static_cast<void>(to = from) : set_nan(to);
  } else if constexpr (HasFields<Value>) {
    visit_fields(static_cast<const Value*>(nullptr), [&](const auto& field) {
      if constexpr (std::is_member_object_pointer_v<std::remove_cvref_t<decltype(field.get)>>) {
        copy_in_place(from.*field.get, to.*field.get);
      }
    });
  } else {
    to = from;
  }
}

}  // namespace antaeus
