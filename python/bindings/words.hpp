#pragma once
// The library's messages name an option as it is registered, which is what the command line calls it. Here they are put
// into the words of Python.

#include <string>
#include <string_view>
#include <vector>

namespace antaeus::python {

/// The text with `--base fixed` as `base="fixed"`, `--set residual.kind=static` as `settings={"residual.kind":
/// "static"}`, `--ignore-meshes` as `meshes="ignored"` and so on; what stands in quotes and the place before the first
/// ": " are a user's and stay, unless the place is an option itself.
std::string python_words(std::string_view text);
std::vector<std::string> python_words(const std::vector<std::string>& texts);

}  // namespace antaeus::python
