#pragma once
// The parts of the page, in the order in which they stand. Each appends to `out`, or nothing when there is nothing.
#include <string>

#include "antaeus/audit/audit.hpp"
#include "antaeus/report/audit_figures.hpp"

namespace antaeus::parts {

// page_story.cpp
void answers_section(std::string& out, const Audit& audit);
/// What the verdict says of the posterior, beside its figure. \param figure null: no figure
void posterior_section(std::string& out, const Audit& audit, const NamedFigure* figure);
void further_section(std::string& out, const Audit& audit);
void chain_section(std::string& out, const Audit& audit);
void knowledge_section(std::string& out, const Audit& audit);
void timeline_section(std::string& out, const Audit& audit);

// page_tables.cpp
void figure_element(std::string& out, const NamedFigure& figure);
void counterfactual_section(std::string& out, const Audit& audit);
void guard_section(std::string& out, const Audit& audit);
void reliability_section(std::string& out, const Audit& audit);
void attribution_section(std::string& out, const Audit& audit);
void pose_section(std::string& out, const Audit& audit);
void preflight_section(std::string& out, const Audit& audit);
void episodes_section(std::string& out, const Audit& audit);
void joints_section(std::string& out, const Audit& audit);
void provenance_section(std::string& out, const Audit& audit);

}  // namespace antaeus::parts
