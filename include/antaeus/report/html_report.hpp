#pragma once
/// \file
/// The audit as one self-contained HTML page. The same audit gives the same bytes.

#include <optional>
#include <string>

#include "antaeus/audit/audit.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/robot/robot_meshes.hpp"

namespace antaeus {

/// What the page holds beside its text, tables and figures.
struct ReportOptions {
  bool interactive = true;  ///< the linked views and their data; without them the page is what is printed
  /// The robot's mesh shapes are drawn from these (read_meshes). Without a value no mesh is drawn.
  std::optional<MeshFiles> meshes = std::nullopt;
};

/// html_page of audit_page. Names and paths are shown as text, whatever they hold.
ANTAEUS_API std::string html_report(const Audit& audit, const ReportOptions& options = {});

}  // namespace antaeus
