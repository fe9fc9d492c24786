#pragma once
// The parts of an audit's page. One without content is left out by html_page.
#include "antaeus/audit/audit.hpp"
#include "antaeus/report/pages.hpp"

namespace antaeus::detail {

// audit_tables.cpp
StateWord state_word(Verdict state);
Section contacts_section(const Audit& audit);
Section remedies_section(const Audit& audit);
Section guard_section(const Audit& audit);
Section reliability_section(const Audit& audit);
Section attribution_section(const Audit& audit);
Section poses_section(const Audit& audit);
Section preflight_section(const Audit& audit);
Section episodes_section(const Audit& audit);
/// Side by side with the baselines; empty without them.
Section first_steps_section(const Audit& audit);
Section joints_section(const Audit& audit);
Section provenance_section(const Audit& audit);

// whole_log_section.cpp
/// Empty where all of the log was audited.
Section whole_log_section(const Audit& audit);

// audit_views.cpp
Views audit_views(const Audit& audit, std::shared_ptr<const MeshFiles> meshes);

}  // namespace antaeus::detail
