#pragma once
/// \file
/// What every binding shares: arrays in and out, names for enumerations, options as keyword arguments.
///
/// Arrays that come in may be of any real type and layout; their shape is checked where the expected one is known.
/// Arrays that go out own their memory: `fresh` for what a function returns, `frozen` (read-only) for an attribute,
/// so that an assignment into a copy is an error and not a silent loss.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/error.hpp"
#include "antaeus/core/note.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/core/wrench.hpp"
#include "antaeus/core/wrench_estimate.hpp"
#include "interpreter_lock.hpp"

namespace antaeus::python {

/// Returns the note as Python shows it: a str, the sentence, with the attributes of antaeus.Note. Null after an error.
PyObject* note_object(const Note& note) noexcept;

}  // namespace antaeus::python

namespace nanobind::detail {
template <>
struct type_caster<antaeus::Note> {
  NB_TYPE_CASTER(antaeus::Note, const_name("antaeus.Note"))
  bool from_python(handle, std::uint8_t, cleanup_list*) noexcept { return false; }
  static handle from_cpp(const antaeus::Note& note, rv_policy, cleanup_list*) noexcept {
    return antaeus::python::note_object(note);
  }
};
}  // namespace nanobind::detail

namespace antaeus::python {

namespace nb = nanobind;
using namespace nb::literals;

/// Raised where a loop function of C++ returns a status other than `ok`.
class StatusError : public Error {
 public:
  StatusError(const std::string& place, Status status, const std::string& problem, const std::string& remedy = {})
      : Error(place, std::string(to_string(status)) + ": " + problem, remedy), status_(status) {}
  Status status() const noexcept { return status_; }

 private:
  Status status_;
};

/// \throws StatusError unless the status is `ok`
void require(Status status, const char* place);

// What C++ leaves to the caller, Python checks.

/// \throws IndexError unless there is an endpoint of that number
int endpoint_index(int endpoint, int count);
/// \throws OptionsError unless both numbers are the same: objects of two robots do not go together
void require_same(Eigen::Index mine, Eigen::Index theirs, const char* place, const char* what);

// Arrays -------------------------------------------------------------------------------------------------------------

/// An argument that NumPy can read as an array of real numbers.
struct ArrayArgument {
  nb::ndarray<const double, nb::c_contig, nb::device::cpu> array;
};

/// Vector of `size` numbers (any size: −1). \throws StatusError that names argument and shapes
Eigen::Map<const VectorX> as_vector(const ArrayArgument& argument, const char* place, const char* name,
                                    Eigen::Index size = -1);
/// Matrix of that shape. \throws StatusError that names argument and shapes
Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> as_matrix(
    const ArrayArgument& argument, const char* place, const char* name, Eigen::Index rows, Eigen::Index columns);

template <class Scalar, class Derived>
auto copied(const Eigen::MatrixBase<Derived>& matrix) {
  constexpr bool kVector = Derived::IsVectorAtCompileTime;
  const auto size = static_cast<std::size_t>(matrix.size());
  double* data = new double[size > 0 ? size : 1];
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, kVector ? Eigen::ColMajor : Eigen::RowMajor>>(
      data, matrix.rows(), matrix.cols()) = matrix;
  if constexpr (kVector) {
    return nb::ndarray<nb::numpy, Scalar, nb::shape<Derived::SizeAtCompileTime>>(data, {size}, owner);
  } else {
    return nb::ndarray<nb::numpy, Scalar, nb::shape<Derived::RowsAtCompileTime, Derived::ColsAtCompileTime>>(
        data, {static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols())}, owner);
  }
}
/// A new array that belongs to the caller; matrices in C order.
template <class Derived>
auto fresh(const Eigen::MatrixBase<Derived>& matrix) {
  return copied<double>(matrix);
}
/// A read-only copy, for attributes.
template <class Derived>
auto frozen(const Eigen::MatrixBase<Derived>& matrix) {
  return copied<const double>(matrix);
}
/// Policy of attributes that are arrays: the array has its owner already (a copy, or the object it is a view of).
inline constexpr auto kOwned = nb::rv_policy::reference;
/// Getter of an array attribute; say kOwned beside it.
template <class Class, class Matrix>
auto frozen_field(Matrix Class::* field) {
  return [field](const Class& self) { return frozen(self.*field); };
}

/// A read-only array on the memory of a vector or row-major matrix that belongs to `owner`, which it keeps alive.
template <class Matrix>
auto view(const Matrix& matrix, nb::handle owner) {
  if constexpr (requires { matrix.rows(); } && !requires { requires Matrix::IsVectorAtCompileTime == 1; }) {
    static_assert(Matrix::IsRowMajor);
    return nb::ndarray<nb::numpy, const typename Matrix::Scalar, nb::ndim<2>>(
        matrix.data(), {static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols())}, owner);
  } else {
    using Scalar = std::remove_cvref_t<decltype(*matrix.data())>;
    return nb::ndarray<nb::numpy, const Scalar, nb::ndim<1>>(matrix.data(), {static_cast<std::size_t>(matrix.size())},
                                                             owner);
  }
}
/// Getter of an array attribute that is such a view.
template <class Class, class Matrix>
auto viewed_field(Matrix Class::* field) {
  return [field](nb::handle_t<Class> self) { return view(nb::cast<const Class&>(self).*field, self); };
}

// Enumerations -------------------------------------------------------------------------------------------------------

/// The Python members of a bound enumeration, by value.
template <class Enum>
struct Enumeration {
  inline static std::vector<PyObject*> members;  // never released
};

/// A text as a template argument.
template <std::size_t size>
struct FixedText {
  constexpr FixedText(const char (&text)[size]) { std::copy_n(text, size, characters); }
  char characters[size];
};

void make_enumeration(nb::module_& module, const char* name, const char* meaning, const std::vector<std::string>& texts,
                      std::vector<PyObject*>& members);

/// A Python enumeration with the names that C++ states once (enum_names).
template <NamedEnum Enum>
void bind_enumeration(nb::module_& module, const char* meaning) {
  const std::string_view name(nb::detail::type_caster<Enum>::Name.text);
  make_enumeration(module, name.substr(name.find('.') + 1).data(), meaning, all_names<Enum>(),
                   Enumeration<Enum>::members);
}

/// Names of the reasons in a set, in the order of their numbers.
std::vector<std::string> reason_names(Reasons reasons);

/// Getter of an attribute that is a value of its own: an enumeration, a wrench.
template <class Class, class Value>
auto copied_field(Value Class::* field) {
  return [field](const Class& self) -> Value { return self.*field; };
}
/// Getter of an attribute that is a set of reasons.
template <class Class>
auto reasons_field(Reasons Class::* field) {
  return [field](const Class& self) { return reason_names(self.*field); };
}

/// Getter of a list of enumeration members as their places in the enumeration, a byte each.
template <class Class, NamedEnum Enum>
auto codes_field(std::vector<Enum> Class::* field) {
  static_assert(std::is_same_v<std::underlying_type_t<Enum>, std::uint8_t>);
  return [field](nb::handle_t<Class> self) {
    const std::vector<Enum>& values = nb::cast<const Class&>(self).*field;
    return nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>(reinterpret_cast<const std::uint8_t*>(values.data()),
                                                                   {values.size()}, self);
  };
}

// Options ------------------------------------------------------------------------------------------------------------

/// A Python value as the text that set_option reads: numbers with all their digits, enumerations by name.
std::string option_text(const std::string& place, nb::handle value);
/// Text that a caller gave, such as a dictionary's key. \throws OptionsError at \p place for anything else
std::string text_of(nb::handle value, const std::string& place);

/// An options struct from keyword arguments. \throws OptionsError for an unknown name (with the nearest) or value
template <class Options>
Options options_from(const nb::dict& keywords, Options options = {}) {
  const std::string& group = options_of(options).group();
  for (const auto& [key, value] : keywords) {
    const std::string name = nb::cast<std::string>(key);
    set_option(options, group, name, option_text(group + "." + name, value));
  }
  return options;
}

std::string options_signature(std::string head, const OptionTable& table, const void* defaults, const char* tail);
std::string options_doc(std::string doc, const OptionTable& table, const void* defaults);

/// The signature of a constructor or function that ends in options, for help() and the stubs.
/// \param head  "def __init__(self, robot: Robot"
/// \param tail  ") -> None"
template <class Options>
std::string options_signature(const char* head, const char* tail) {
  const Options defaults;
  return options_signature(head, options_of(defaults), &defaults, tail);
}

/// A docstring followed by one line an option, from the table that reads them.
template <class Options>
std::string options_doc(std::string doc) {
  const Options defaults;
  return options_doc(std::move(doc), options_of(defaults), &defaults);
}

// Modules ------------------------------------------------------------------------------------------------------------

// One a room of include/antaeus; bind_robot calls bind_dynamics, bind_audit calls bind_series,
// bind_contact calls bind_contact_stream.
void bind_core(nb::module_& module);
void bind_robot(nb::module_& module);
void bind_dynamics(nb::module_& module);
void bind_self_collision(nb::module_& module);
void bind_estimation(nb::module_& module);
void bind_published(nb::module_& module);
void bind_trust(nb::module_& module);
void bind_pose(nb::module_& module);
void bind_episode(nb::module_& module);
void bind_guard(nb::module_& module);
void bind_live(nb::module_& module);
void bind_control(nb::module_& module);
void bind_control_contact(nb::module_& module);
void bind_control_flying(nb::module_& module);
void bind_check(nb::module_& module);
void bind_contact(nb::module_& module);
void bind_contact_stream(nb::module_& module);
void bind_identification(nb::module_& module);
void bind_ik(nb::module_& module);
void bind_tasks(nb::module_& module);
void bind_conditioning(nb::module_& module);
void bind_space(nb::module_& module);
void bind_audit(nb::module_& module);
void bind_estimate(nb::module_& module);
void bind_series(nb::module_& module);
void bind_sim(nb::module_& module);
void bind_experiments(nb::module_& module);
void bind_replay(nb::module_& module);
void bind_show(nb::module_& module);
void bind_live_scene(nb::module_& module);
void bind_signal(nb::module_& module);

}  // namespace antaeus::python

namespace nanobind::detail {

template <>
struct type_caster<antaeus::python::ArrayArgument> {
  NB_TYPE_CASTER(antaeus::python::ArrayArgument, const_name("numpy.typing.ArrayLike"))
  bool from_python(handle source, uint32_t flags, cleanup_list* cleanup) noexcept;
};

/// To Python only: names that come in are read by parse_enum, which can say what is near. Each bound enumeration has
///     template <> struct type_caster<Verdict> : EnumerationCaster<Verdict, "antaeus.Verdict"> {};
template <class Enum, antaeus::python::FixedText python_name>
struct EnumerationCaster {
  NB_TYPE_CASTER(Enum, const_name(python_name.characters))
  bool from_python(handle, uint32_t, cleanup_list*) noexcept { return false; }
  static handle from_cpp(Enum value, rv_policy, cleanup_list*) noexcept {
    const auto& members = antaeus::python::Enumeration<Enum>::members;
    const auto at = static_cast<std::size_t>(value);
    if (at < members.size()) return handle(members[at]).inc_ref();
    PyErr_SetString(PyExc_SystemError, "a value without a name");
    return {};
  }
};

template <>
struct type_caster<antaeus::Status> : EnumerationCaster<antaeus::Status, "antaeus.Status"> {};
template <>
struct type_caster<antaeus::Verdict> : EnumerationCaster<antaeus::Verdict, "antaeus.Verdict"> {};
template <>
struct type_caster<antaeus::Sign> : EnumerationCaster<antaeus::Sign, "antaeus.Sign"> {};
template <>
struct type_caster<antaeus::WrenchRow> : EnumerationCaster<antaeus::WrenchRow, "antaeus.WrenchRow"> {};
template <>
struct type_caster<antaeus::ResidualKind> : EnumerationCaster<antaeus::ResidualKind, "antaeus.ResidualKind"> {};

}  // namespace nanobind::detail
