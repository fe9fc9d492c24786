#include "convert.hpp"

#include <cmath>

#include "antaeus/core/option_table.hpp"
#include "fields.hpp"

namespace antaeus::python {

namespace {

std::string shape_text(const ArrayArgument& argument) {
  std::string text = "(";
  for (std::size_t i = 0; i < argument.array.ndim(); ++i) {
    text += (i ? ", " : "") + std::to_string(argument.array.shape(i));
  }
  return text + (argument.array.ndim() == 1 ? ",)" : ")");
}

[[noreturn]] void refuse_shape(const ArrayArgument& argument, const char* place, const char* name,
                               const std::string& wanted) {
  throw StatusError(place, Status::wrong_size, std::string(name) + " has shape " + shape_text(argument),
                    "give " + wanted);
}

const char* status_meaning(Status status) noexcept {
  switch (status) {
    case Status::ok: return "fine";
    case Status::wrong_size: return "an argument has not the model's dimension";
    case Status::not_finite: return "an argument holds NaN, infinity or a number that no robot can have";
    case Status::bad_orientation: return "a quaternion or (cos, sin) is not of unit length within 1e-3";
    case Status::unknown_frame: return "the frame handle is of another model";
    case Status::time_back: return "the time stamp is not after the last one";
    case Status::not_computed: return "nothing was computed, or a later call has overwritten it";
  }
  return "no result";
}

}  // namespace

std::string field_doc(const char* meaning, const char* unit) {
  std::string doc = meaning;
  if (!doc.empty() && doc.front() >= 'a' && doc.front() <= 'z')
    doc.front() = static_cast<char>(doc.front() - 'a' + 'A');
  if (*unit != '\0') doc += std::string(doc.empty() ? "[" : " [") + unit + "]";
  if (!doc.empty()) doc += '.';
  return doc;
}

void require(Status status, const char* place) {
  if (status != Status::ok) throw StatusError(place, status, status_meaning(status));
}

int endpoint_index(int endpoint, int count) {
  if (endpoint < 0 || endpoint >= count) {
    throw nb::index_error(("endpoint " + std::to_string(endpoint) + " of " + std::to_string(count)).c_str());
  }
  return endpoint;
}

void require_same(Eigen::Index mine, Eigen::Index theirs, const char* place, const char* what) {
  if (mine != theirs) {
    throw OptionsError(place, std::to_string(theirs) + " " + what + " where there are " + std::to_string(mine),
                       "pass objects made from the same robot and endpoints");
  }
}

Eigen::Map<const VectorX> as_vector(const ArrayArgument& argument, const char* place, const char* name,
                                    Eigen::Index size) {
  const auto& array = argument.array;
  if (array.ndim() != 1 || (size >= 0 && array.shape(0) != static_cast<std::size_t>(size))) {
    refuse_shape(argument, place, name,
                 size < 0 ? "an array of one dimension" : "shape (" + std::to_string(size) + ",)");
  }
  return {array.data(), static_cast<Eigen::Index>(array.shape(0))};
}

Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> as_matrix(
    const ArrayArgument& argument, const char* place, const char* name, Eigen::Index rows, Eigen::Index columns) {
  const auto& array = argument.array;
  if (array.ndim() != 2 || array.shape(0) != static_cast<std::size_t>(rows) ||
      array.shape(1) != static_cast<std::size_t>(columns)) {
    refuse_shape(argument, place, name, "shape (" + std::to_string(rows) + ", " + std::to_string(columns) + ")");
  }
  return {array.data(), rows, columns};
}

void make_enumeration(nb::module_& module, const char* name, const char* meaning, const std::vector<std::string>& texts,
                      std::vector<PyObject*>& members) {
  nb::list pairs;
  // An empty text means that nothing is said; C++ calls that value none.
  const auto member_name = [](const std::string& text) { return text.empty() ? std::string("none") : text; };
  for (const std::string& text : texts) pairs.append(nb::make_tuple(member_name(text), text));
  nb::object made = nb::module_::import_("antaeus._enumeration")
                        .attr("Enumeration")(name, pairs, "module"_a = module.attr("__name__"), "qualname"_a = name);
  made.attr("__doc__") = meaning;
  module.attr(name) = made;
  members.clear();
  for (const std::string& text : texts) {
    const nb::object member = made.attr(member_name(text).c_str());
    member.attr("__doc__") = nb::none();                    // else each member repeats the text of the class
    members.push_back(nb::object(member).release().ptr());  // held for ever: C++ hands them out
  }
}

PyObject* note_object(const Note& note) noexcept {
  try {
    const std::string sentence = note_text(note, FrontEnd::python);
    nb::object text =
        nb::steal(PyUnicode_DecodeUTF8(sentence.data(), static_cast<Py_ssize_t>(sentence.size()), "surrogateescape"));
    nb::list values;
    for (const NoteValue& value : note.values) {
      const double number = value.number.value_or(kNaN);
      if (!value.number) {
        values.append(nb::str(value.text.c_str()));
      } else if (std::trunc(number) == number) {
        values.append(nb::steal(PyLong_FromDouble(number)));
      } else {
        values.append(number);
      }
    }
    nb::object shown = nb::module_::import_("antaeus._antaeus").attr("Note")(text);
    shown.attr("code") = to_string(note.code);
    shown.attr("severity") = to_string(note.severity);
    shown.attr("subject") = note.subject;
    shown.attr("values") = nb::tuple(values);
    shown.attr("remedy") = spelled(note.remedy, FrontEnd::python);
    return shown.release().ptr();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

std::vector<std::string> reason_names(Reasons reasons) {
  std::vector<std::string> names;
  constexpr auto all = enum_names(Reason{});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (reasons.has(static_cast<Reason>(i))) names.emplace_back(all[i]);
  }
  return names;
}

std::string option_text(const std::string& place, nb::handle value) {
  if (PyBool_Check(value.ptr())) return value.is(Py_True) ? "true" : "false";
  if (PyUnicode_Check(value.ptr())) return nb::cast<std::string>(value);
  // Python's repr of a float is the shortest text that reads back as the same number.
  const bool whole = PyIndex_Check(value.ptr());
  if (whole || nb::hasattr(value, "__float__")) {
    const nb::object number = nb::steal(whole ? PyNumber_Long(value.ptr()) : PyNumber_Float(value.ptr()));
    if (number.is_valid()) return nb::repr(number).c_str();
    PyErr_Clear();
  }
  throw OptionsError(place, "a value of type " + std::string(nb::inst_name(value).c_str()) + " cannot be an option",
                     "give a number, a name, or True or False");
}

std::string text_of(nb::handle value, const std::string& place) {
  std::string text;
  if (PyUnicode_Check(value.ptr()) && nb::try_cast(value, text)) return text;
  if (PyUnicode_Check(value.ptr())) throw OptionsError(place, "a name that is no UTF-8", "give another");
  throw OptionsError(place, "of type " + std::string(nb::inst_name(value).c_str()) + " and no text", "give its name");
}

std::string options_signature(std::string head, const OptionTable& table, const void* defaults, const char* tail) {
  head += ", *";
  for (const OptionRow& row : table.rows()) {
    const std::string text = row.read(defaults);
    head += std::string(", ") + row.info.name;
    switch (row.type) {
      case OptionType::switch_: head += text == "true" ? ": bool = True" : ": bool = False"; break;
      case OptionType::integer: head += ": int = " + text; break;
      case OptionType::number: head += ": float = " + text; break;
      case OptionType::choice:
      case OptionType::text: head += ": str = '" + text + "'"; break;
    }
  }
  return head + tail;
}

std::string options_doc(std::string doc, const OptionTable& table, const void* defaults) {
  doc += "\n\nOptions (OptionsError for an unknown name, with the nearest, and for a value that does not fit):";
  for (const OptionRow& row : table.rows()) {
    doc += std::string("\n  ") + row.info.name + " = " + row.read(defaults);
    if (*row.info.unit) doc += std::string(" [") + row.info.unit + "]";
    doc += std::string(": ") + row.info.meaning;
    if (row.type == OptionType::integer || row.type == OptionType::number) doc += " (" + row.range.text() + ")";
    if (row.type == OptionType::choice) {
      std::string choices;
      for (const std::string& choice : row.choices) choices += (choices.empty() ? "" : ", ") + choice;
      doc += " (one of " + choices + ")";
    }
    doc += std::string(". Source: ") + row.info.source + ".";
  }
  return doc;
}

}  // namespace antaeus::python

namespace nanobind::detail {

bool type_caster<antaeus::python::ArrayArgument>::from_python(handle source, uint32_t flags,
                                                              cleanup_list* cleanup) noexcept {
  using Array = decltype(value.array);
  const auto strict = flags & ~static_cast<uint32_t>(cast_flags::convert);
  make_caster<Array> caster;
  if (caster.from_python(source, strict, cleanup)) {
    value.array = caster.value;
    return true;
  }
  // Lists, other real types, other layouts: NumPy reads them. Texts and objects are refused, complex numbers too.
  try {
    using namespace nanobind::literals;
    const module_ numpy = module_::import_("numpy");
    object array = numpy.attr("asarray")(source);
    const std::string kind = cast<std::string>(array.attr("dtype").attr("kind"));
    if (kind != "f" && kind != "i" && kind != "u") return false;
    array = numpy.attr("array")(array, "dtype"_a = "float64", "order"_a = "C");
    if (!caster.from_python(array, strict, cleanup)) return false;
    value.array = caster.value;
    return true;
  } catch (...) {
    PyErr_Clear();
    return false;
  }
}

}  // namespace nanobind::detail
