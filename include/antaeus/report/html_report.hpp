#pragma once
/// \file
/// The audit as one self-contained HTML page. The same audit gives the same bytes.

#include <optional>
#include <string>

#include "antaeus/audit/audit.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/report/robot_meshes.hpp"

namespace antaeus {

/// What the page holds beside its text, tables and figures.
struct ReportOptions {
  bool interactive = true;  ///< the linked views and their data; without them the page is what is printed
  /// The robot's mesh shapes are drawn too, from these; the page names the meshes that are not among them, and those
  /// that it draws coarser (beyond 20 000 triangles). Without a value no mesh is drawn.
  std::optional<MeshFiles> meshes = std::nullopt;
};

/// UTF-8 text of the page, self-contained: it asks for nothing from the network. Names and paths are shown as text,
/// whatever they hold. A log of more than 20 000 steps is drawn whole near the focus step and elsewhere by the least
/// and the largest value of equal bins; the page says so.
ANTAEUS_API std::string html_report(const Audit& audit, const ReportOptions& options = {});

}  // namespace antaeus
