#include "logs.hpp"

namespace antaeus::python {

nb::str decoded(const std::string& text) {
  return nb::steal<nb::str>(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

std::vector<std::string> assignments_of(const nb::dict& settings, const std::string& place) {
  std::vector<std::string> assignments;
  for (const auto& [key, value] : settings) {
    const auto name = nb::cast<std::string>(key);
    assignments.push_back(name + "=" + option_text(place + ": " + name, value));
  }
  return assignments;
}

}  // namespace antaeus::python
