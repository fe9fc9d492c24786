#pragma once
/// \file
/// The audit as one self-contained HTML page. Result structs in, bytes out: the same audit gives the same bytes.

#include <string>

#include "antaeus/audit/audit.hpp"

namespace antaeus {

/// UTF-8 text of the page. Names and paths are shown as text, whatever they hold.
std::string html_report(const Audit& audit);

}  // namespace antaeus
