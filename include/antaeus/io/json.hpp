#pragma once
/// \file
/// JSON as a plain tree. Keys keep their order, numbers their shortest exact form, NaN and infinity become null.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "antaeus/core/api.hpp"

namespace antaeus {

/// A JSON value. Build it with the constructors, read it with the accessors.
class ANTAEUS_API Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() = default;
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  Json(double value) : value_(value) {}
  Json(int value) : value_(std::int64_t{value}) {}
  Json(std::int64_t value) : value_(value) {}
  Json(std::size_t value) : value_(static_cast<std::int64_t>(value)) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string_view text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  Json(Array items) : value_(std::move(items)) {}
  Json(Object members) : value_(std::move(members)) {}

  static Json array() { return Json(Array{}); }
  static Json object() { return Json(Object{}); }

  /// Appends to an array (null becomes an empty array first).
  Json& push_back(Json item);
  /// Appends or replaces a member (null becomes an empty object first); returns *this, so that members chain.
  Json& set(std::string_view key, Json value);

  bool is_null() const noexcept { return std::holds_alternative<std::monostate>(value_); }
  bool is_number() const noexcept {
    return std::holds_alternative<double>(value_) || std::holds_alternative<std::int64_t>(value_);
  }
  /// A number stored without a fraction, exact over all 64 bits.
  bool is_integer() const noexcept { return std::holds_alternative<std::int64_t>(value_); }
  bool is_text() const noexcept { return std::holds_alternative<std::string>(value_); }
  bool is_array() const noexcept { return std::holds_alternative<Array>(value_); }
  bool is_object() const noexcept { return std::holds_alternative<Object>(value_); }

  /// The member, or null when absent or not an object.
  const Json& operator[](std::string_view key) const noexcept;
  /// The item, or null when out of range or not an array.
  const Json& operator[](std::size_t index) const noexcept;
  std::size_t size() const noexcept;
  /// \throws Error when the value is of another kind
  double number() const;
  std::int64_t integer() const;
  bool boolean() const;
  const std::string& text() const;
  const Array& items() const;
  const Object& members() const;

  /// Text with invalid UTF-8 is written with U+FFFD in the place of each bad byte.
  /// \param indent spaces a level; negative for one line
  std::string dump(int indent = 2) const;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

}  // namespace antaeus
