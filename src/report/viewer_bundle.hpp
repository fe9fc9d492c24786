#pragma once
// The viewer, bundled from viewer/ by its build.mjs when the library is built.
#include <string_view>

namespace antaeus {

extern const std::string_view kViewerScript;
extern const std::string_view kViewerStyle;

}  // namespace antaeus
