#pragma once
// What the page's viewer draws, as JSON that may stand inside a <script> element. viewer/src/payload.ts reads it.
#include <string>

#include "antaeus/report/views.hpp"

namespace antaeus::detail {

/// One line of JSON without a single "<": every struct an object with the names of its fields.
std::string views_json(const Views& views);

}  // namespace antaeus::detail
