#pragma once
/// \file
/// The audit as JSON: docs/schema/summary.md describes it, a test holds it to that.

#include "antaeus/audit/audit.hpp"
#include "antaeus/io/json.hpp"

namespace antaeus {

Json audit_summary(const Audit& audit);
/// Its part on a pre-flight, `audited.preflight` there.
Json preflight_summary(const PreflightReport& report);

}  // namespace antaeus
