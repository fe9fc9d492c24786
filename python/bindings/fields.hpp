#pragma once
/// \file
/// A result struct as a Python class, by its list of fields (antaeus/core/fields.hpp).

#include <string>

#include "antaeus/core/fields.hpp"
#include "antaeus/core/reasons.hpp"
#include "convert.hpp"

namespace antaeus::python {

/// "Shift of the force [N]." from a field's meaning and unit: the attribute's docstring.
std::string field_doc(const char* meaning, const char* unit);

/// Every field that Python shows, read-only: arrays as frozen copies, enumerations and reasons by their names.
template <class Struct, class... Extra>
nb::class_<Struct, Extra...>& bind_fields(nb::class_<Struct, Extra...>& type) {
  visit_fields(static_cast<const Struct*>(nullptr), [&](const auto& field) {
    if (field.use == FieldUse::file_only) return;
    const std::string doc = field_doc(field.meaning, field.unit);
    using Get = std::remove_cvref_t<decltype(field.get)>;
    using Value = std::remove_cvref_t<decltype(value_of(field, std::declval<const Struct&>()))>;
    if constexpr (requires(const Value& value) { value.derived().IsVectorAtCompileTime; }) {
      type.def_prop_ro(
          field.name, [get = field.get](const Struct& self) { return frozen(std::invoke(get, self)); }, kOwned,
          doc.c_str());
    } else if constexpr (std::is_same_v<Value, Reasons>) {
      type.def_prop_ro(
          field.name, [get = field.get](const Struct& self) { return reason_names(std::invoke(get, self)); },
          doc.c_str());
    } else if constexpr (std::is_member_object_pointer_v<Get> && !NamedEnum<Value>) {
      type.def_ro(field.name, field.get, doc.c_str());
    } else {
      type.def_prop_ro(
          field.name, [get = field.get](const Struct& self) -> Value { return std::invoke(get, self); }, doc.c_str());
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
