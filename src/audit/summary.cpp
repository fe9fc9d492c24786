#include "antaeus/audit/summary.hpp"

#include "antaeus/audit/audit_fields.hpp"
#include "antaeus/io/json_fields.hpp"

namespace antaeus {

Json preflight_summary(const PreflightReport& report) { return to_json(report); }

Json audit_summary(const Audit& audit) { return to_json(audit); }

Json whole_log(const Audit& audit) { return to_json(audit.whole); }

}  // namespace antaeus
