#pragma once
/// \file
/// The page of an audit: what happened, why, what to do now, then all the rest.

#include <memory>

#include "antaeus/audit/audit.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/report/page.hpp"

namespace antaeus {

/// \param meshes  of the robot (read_meshes); null: none are drawn. The audit must live as long as the page: its views
///                read the audit's arrays when the page is written.
ANTAEUS_API Page audit_page(const Audit& audit, std::shared_ptr<const MeshFiles> meshes = nullptr);

}  // namespace antaeus
