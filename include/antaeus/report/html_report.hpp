#pragma once
/// \file
/// The audit as one self-contained HTML page. Result structs in, bytes out: the same audit gives the same bytes.

#include <string>

#include "antaeus/audit/audit.hpp"

namespace antaeus {

/// What the page holds beside its text, tables and figures.
struct ReportOptions {
  bool interactive = true;  ///< the linked views and their data; without them the page is what is printed
};

/// UTF-8 text of the page, self-contained: it asks for nothing from the network. Names and paths are shown as text,
/// whatever they hold. A log of more than 20 000 steps is drawn whole near the focus step and elsewhere by the least
/// and the largest value of equal bins; the page says so.
std::string html_report(const Audit& audit, const ReportOptions& options = {});

}  // namespace antaeus
