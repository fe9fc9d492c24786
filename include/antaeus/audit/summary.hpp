#pragma once
/// \file
/// The audit as JSON. docs/reference/schemas.md describes it, and a test compares the two.

#include "antaeus/audit/audit.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/io/json.hpp"

namespace antaeus {

ANTAEUS_API Json audit_summary(const Audit& audit);
/// Findings of all steps of a log of which a part was audited (docs/reference/schemas.md).
ANTAEUS_API Json whole_log(const Audit& audit);
/// Its part on a pre-flight, `audited.preflight` there.
ANTAEUS_API Json preflight_summary(const PreflightReport& report);

}  // namespace antaeus
