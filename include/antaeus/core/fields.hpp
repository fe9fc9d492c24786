#pragma once
/// \file
/// The fields of a result, each written once: name, unit and meaning. JSON, Python and the tables of docs read them.
///
/// Beside the struct, in its header:
///
///     struct ReferenceRow {
///       std::string endpoint;
///       double norm = 0.0;
///     };
///     constexpr void visit_fields(const ReferenceRow*, auto&& visit) {
///       using R = ReferenceRow;
///       visit(field("endpoint", "", "frame whose block it is", &R::endpoint));
///       visit(field("norm", "1", "of the reference joint's row in that block", &R::norm));
///     }
///
/// The order is that of the file. The key in a file is the name and the unit: `force` in newtons is "force_N". A key
/// with a dot, "focus.step", is that of an object in the file's own.

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

namespace antaeus {

/// What shows a field: everywhere, file_only or python_only. Each is a type of its own, so that nothing is compiled for
/// what does not show it.
struct FieldUse {
  enum class Where : unsigned char { everywhere, file_only, python_only };
  static constexpr std::integral_constant<Where, Where::everywhere> everywhere{};
  static constexpr std::integral_constant<Where, Where::file_only> file_only{};
  static constexpr std::integral_constant<Where, Where::python_only> python_only{};
};

/// One field of a result struct. \tparam Get  a pointer to a member, or a captureless function of the struct
template <class Get, FieldUse::Where where = FieldUse::Where::everywhere>
struct Field {
  static constexpr FieldUse::Where use = where;
  const char* name;     ///< in C++ and Python
  const char* unit;     ///< "N", "N·m", "rad", "1"; "" for names, switches, counts and structs
  const char* meaning;  ///< a sentence, or the part of one that says what the name does not
  Get get;
  const char* key = nullptr;  ///< in files, where it is not the name and the unit
  bool is_step = false;       ///< an index of the log: null in files where it is below 0
  bool may_lack = false;      ///< a text: null in files where it is empty

  /// The same under another key in files.
  constexpr Field as(const char* other_key) const noexcept {
    Field other = *this;
    other.key = other_key;
    return other;
  }
  /// The same text, null in files where it is empty.
  constexpr Field or_null() const noexcept {
    Field other = *this;
    other.may_lack = true;
    return other;
  }
  /// The same in files alone, or in Python alone.
  template <FieldUse::Where other>
  constexpr Field<Get, other> only(std::integral_constant<FieldUse::Where, other>) const noexcept {
    return {name, unit, meaning, get, key, is_step, may_lack};
  }
};

template <class Get>
constexpr Field<Get> field(const char* name, const char* unit, const char* meaning, Get get) noexcept {
  return {name, unit, meaning, get};
}
/// An index of a step of the log; −1: none.
template <class Get>
constexpr Field<Get> step_field(const char* name, const char* meaning, Get get) noexcept {
  return {name, "", meaning, get, nullptr, true};
}
/// What files alone show, and their schema's page explains.
template <class Get>
constexpr Field<Get, FieldUse::Where::file_only> file_field(const char* name, const char* unit, Get get) noexcept {
  return {name, unit, "", get};
}

/// The field's value in a struct.
template <class Struct, class Get, FieldUse::Where where>
constexpr decltype(auto) value_of(const Field<Get, where>& field, const Struct& from) {
  if constexpr (std::is_member_object_pointer_v<Get>) {
    return (from.*field.get);
  } else {
    return field.get(from);
  }
}

namespace detail {
struct IgnoreField {
  constexpr void operator()(const auto&) const noexcept {}
};
}  // namespace detail

/// A struct that lists its fields.
template <class Struct>
concept HasFields = requires { visit_fields(static_cast<const Struct*>(nullptr), detail::IgnoreField{}); };

namespace detail {
/// A field of a part, read from the whole.
template <class Outer, class Inner>
struct Through {
  Outer part;
  Inner get;
  template <class Whole>
  constexpr decltype(auto) operator()(const Whole& whole) const {
    return std::invoke(get, std::invoke(part, whole));
  }
};
}  // namespace detail

/// The fields of a part in the list of the whole. \param part  a pointer to a member, or a captureless function that
/// returns a reference
template <class Part, class Get, class Visit>
constexpr void visit_part(Get part, Visit&& visit) {
  visit_fields(static_cast<const Part*>(nullptr),
               [&]<class Inner, FieldUse::Where where>(const Field<Inner, where>& f) {
                 visit(Field<detail::Through<Get, Inner>, where>{
                     f.name, f.unit, f.meaning, {part, f.get}, f.key, f.is_step, f.may_lack});
               });
}

/// The end of a key that says the unit: "_N", "_Nm", "_rad_per_s"; "" for "" and "1".
inline std::string unit_suffix(std::string_view unit) {
  if (unit.empty() || unit == "1") return {};
  std::string suffix = "_";
  for (std::size_t at = 0; at < unit.size(); ++at) {
    const std::string_view rest = unit.substr(at);
    if (rest.starts_with("·")) {
      ++at;  // two bytes
    } else if (rest.starts_with("²")) {
      suffix += '2';
      ++at;
    } else if (rest.front() == '/') {
      suffix += "_per_";
    } else {
      suffix += rest.front();
    }
  }
  return suffix;
}

/// The field's key in files.
template <class Get, FieldUse::Where where>
std::string key_of(const Field<Get, where>& field) {
  return field.key != nullptr ? std::string(field.key) : field.name + unit_suffix(field.unit);
}

}  // namespace antaeus
