#pragma once
/// \file
/// A result struct as a Python class, by its list of fields (antaeus/core/fields.hpp).

#include <nanobind/stl/optional.h>

#include <functional>
#include <optional>
#include <string>
#include <type_traits>

#include "antaeus/core/fields.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/reasons.hpp"
#include "convert.hpp"
#include "values.hpp"

namespace antaeus::python {

/// "Shift of the force [N]." from a field's meaning and unit: the attribute's docstring.
std::string field_doc(const char* meaning, const char* unit);

/// How Python gets arrays: as frozen copies, or as read-only views of the object, which they keep alive. Lists of
/// numbers are arrays there too, and lists of enumeration members are arrays of their places.
enum class Arrays { copies, views };

namespace arrays_shown {

template <class Value>
inline constexpr bool is_matrix = requires(const Value& value) { value.derived().IsVectorAtCompileTime; };
/// What `view` can show: numbers that lie one after the other, as many as there are.
template <class Value>
constexpr bool has_view() {
  if constexpr (is_matrix<Value>) {
    return Value::SizeAtCompileTime == Eigen::Dynamic && (Value::IsVectorAtCompileTime == 1 || Value::IsRowMajor == 1);
  } else {
    return std::is_same_v<Value, std::vector<int>> || std::is_same_v<Value, std::vector<double>>;
  }
}
template <class Value>
inline constexpr bool is_list_of_names = false;
template <NamedEnum Enum>
inline constexpr bool is_list_of_names<std::vector<Enum>> = true;
template <class Value>
inline constexpr bool is_text = std::is_same_v<Value, std::string> || std::is_same_v<Value, std::vector<std::string>>;
template <class Value>
inline constexpr bool is_reasons = std::is_same_v<Value, Reasons> || std::is_same_v<Value, std::vector<Reasons>>;

}  // namespace arrays_shown

/// A field's value as Python shows it: arrays as frozen copies, reasons by their names, texts with
/// inputs as keyword arguments, all else as a copy.
template <class Value>
auto shown(const Value& value) {
  if constexpr (arrays_shown::is_matrix<Value>) {
    return frozen(value);
  } else if constexpr (arrays_shown::is_text<Value>) {
    return spelled(value, FrontEnd::python);
  } else if constexpr (std::is_same_v<Value, Reasons>) {
    return reason_names(value);
  } else if constexpr (std::is_same_v<Value, std::vector<Reasons>>) {
    std::vector<std::vector<std::string>> lists;
    for (const Reasons reasons : value) lists.push_back(reason_names(reasons));
    return lists;
  } else {
    return value;
  }
}

/// Every field that Python shows of a part of the class, read-only. \param part  self → reference to the part, or a
/// pointer; null: the attributes are None
template <class Struct, class Class, class Part>
Class& bind_fields_of(Class& type, Part part) {
  using Self = typename Class::Type;
  visit_fields(static_cast<const Struct*>(nullptr), [&](const auto& field) {
    if constexpr (std::remove_cvref_t<decltype(field)>::use == FieldUse::file_only) return;
    const auto get = [part, get = field.get](const Self& self) {
      const auto value = [&](const Struct& from) { return shown(std::invoke(get, from)); };
      if constexpr (std::is_pointer_v<decltype(part(self))>) {
        using Value = std::optional<decltype(value(*part(self)))>;
        return part(self) != nullptr ? Value(value(*part(self))) : Value();
      } else {
        return value(part(self));
      }
    };
    constexpr bool kArray =
        arrays_shown::is_matrix<std::remove_cvref_t<decltype(value_of(field, std::declval<const Struct&>()))>>;
    const std::string doc = field_doc(field.meaning, field.unit);
    if constexpr (kArray) {
      type.def_prop_ro(field.name, get, kOwned, doc.c_str());
    } else {
      type.def_prop_ro(field.name, get, doc.c_str());
    }
  });
  return type;
}

/// Every field that Python shows, read-only; enumerations and reasons by their names. A value (values.hpp), where the
/// list names all of the struct.
template <Arrays arrays = Arrays::copies, class Struct, class... Extra>
nb::class_<Struct, Extra...>& bind_fields(nb::class_<Struct, Extra...>& type) {
  visit_fields(static_cast<const Struct*>(nullptr), [&](const auto& field) {
    constexpr bool kShown = std::remove_cvref_t<decltype(field)>::use != FieldUse::file_only;
    const std::string doc = field_doc(field.meaning, field.unit);
    using Get = std::remove_cvref_t<decltype(field.get)>;
    using Value = std::remove_cvref_t<decltype(value_of(field, std::declval<const Struct&>()))>;
    if constexpr (!kShown) {
      return;
    } else if constexpr (arrays == Arrays::views && arrays_shown::has_view<Value>()) {
      type.def_prop_ro(
          field.name,
          [get = field.get](nb::handle_t<Struct> self) {
            return view(std::invoke(get, nb::cast<const Struct&>(self)), self);
          },
          kOwned, doc.c_str());
    } else if constexpr (arrays == Arrays::views && arrays_shown::is_list_of_names<Value>) {
      type.def_prop_ro(field.name, codes_field(field.get), kOwned, doc.c_str());
    } else if constexpr (std::is_member_object_pointer_v<Get> && !arrays_shown::is_matrix<Value> && !NamedEnum<Value> &&
                         !arrays_shown::is_reasons<Value> && !arrays_shown::is_text<Value>) {
      type.def_ro(field.name, field.get, doc.c_str());
    } else {
      const auto get = [get = field.get](const Struct& self) { return shown(std::invoke(get, self)); };
      if constexpr (arrays_shown::is_matrix<Value>) {
        type.def_prop_ro(field.name, get, kOwned, doc.c_str());
      } else {
        type.def_prop_ro(field.name, get, doc.c_str());
      }
    }
  });
  bind_value<Struct>(type);
  return type;
}

/// A class that has nothing but its fields, unless more is chained to it.
template <class Struct, Arrays arrays = Arrays::copies>
nb::class_<Struct> bind_struct(nb::handle scope, const char* name, const char* meaning) {
  nb::class_<Struct> type(scope, name, meaning);
  bind_fields<arrays>(type);
  return type;
}

}  // namespace antaeus::python
