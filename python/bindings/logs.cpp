#include "logs.hpp"

namespace antaeus::python {

nb::str decoded(const std::string& text) {
  return nb::steal<nb::str>(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

}  // namespace antaeus::python
