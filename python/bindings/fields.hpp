#pragma once
/// \file
/// A result struct as a Python class, by its list of fields (antaeus/core/fields.hpp).

#include <nanobind/stl/optional.h>

#include <functional>
#include <optional>
#include <string>
#include <type_traits>

#include "antaeus/core/fields.hpp"
#include "antaeus/core/reasons.hpp"
#include "convert.hpp"

namespace antaeus::python {

/// "Shift of the force [N]." from a field's meaning and unit: the attribute's docstring.
std::string field_doc(const char* meaning, const char* unit);

/// A field's value as Python shows it: arrays as frozen copies, reasons by their names, all else as a copy.
template <class Value>
auto shown(const Value& value) {
  if constexpr (requires { value.derived().IsVectorAtCompileTime; }) {
    return frozen(value);
  } else if constexpr (std::is_same_v<Value, Reasons>) {
    return reason_names(value);
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
    if (field.use == FieldUse::file_only) return;
    const auto get = [part, get = field.get](const Self& self) {
      const auto value = [&](const Struct& from) { return shown(std::invoke(get, from)); };
      if constexpr (std::is_pointer_v<decltype(part(self))>) {
        using Value = std::optional<decltype(value(*part(self)))>;
        return part(self) != nullptr ? Value(value(*part(self))) : Value();
      } else {
        return value(part(self));
      }
    };
    constexpr bool kArray = requires(const Struct& from) { value_of(field, from).derived().IsVectorAtCompileTime; };
    const std::string doc = field_doc(field.meaning, field.unit);
    if constexpr (kArray) {
      type.def_prop_ro(field.name, get, kOwned, doc.c_str());
    } else {
      type.def_prop_ro(field.name, get, doc.c_str());
    }
  });
  return type;
}

/// Every field of a class that Python shows, read-only; structs within it as references.
template <class Struct, class... Extra>
nb::class_<Struct, Extra...>& bind_fields(nb::class_<Struct, Extra...>& type) {
  visit_fields(static_cast<const Struct*>(nullptr), [&](const auto& field) {
    if (field.use == FieldUse::file_only) return;
    const std::string doc = field_doc(field.meaning, field.unit);
    using Get = std::remove_cvref_t<decltype(field.get)>;
    using Value = std::remove_cvref_t<decltype(value_of(field, std::declval<const Struct&>()))>;
    const auto get = [get = field.get](const Struct& self) { return shown(std::invoke(get, self)); };
    if constexpr (requires(const Value& value) { value.derived().IsVectorAtCompileTime; }) {
      type.def_prop_ro(field.name, get, kOwned, doc.c_str());
    } else if constexpr (std::is_member_object_pointer_v<Get> && !NamedEnum<Value> && !std::is_same_v<Value, Reasons>) {
      type.def_ro(field.name, field.get, doc.c_str());
    } else {
      type.def_prop_ro(field.name, get, doc.c_str());
    }
  });
  return type;
}

/// A class that has nothing but its fields.
template <class Struct>
nb::class_<Struct> bind_struct(nb::handle scope, const char* name, const char* meaning) {
  nb::class_<Struct> type(scope, name, meaning);
  bind_fields(type);
  return type;
}

}  // namespace antaeus::python
