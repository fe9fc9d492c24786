#include "antaeus/audit/audit_options.hpp"

#include "antaeus/core/error.hpp"

namespace antaeus {

AuditOptions audit_options(const RobotProfile& profile) {
  AuditOptions options;
  options.estimator.sign = profile.deployed_sign;
  options.posterior.sign = profile.deployed_sign;
  for (const ProfileOption& setting : profile.settings) {
    try {
      set_audit_option(options, setting.group + "." + setting.name + "=" + setting.value);
    } catch (const OptionsError& error) {
      throw ModelError(profile.file.string() + ":" + std::to_string(setting.line), error.what(), "");
    }
  }
  return options;
}

void set_audit_option(AuditOptions& options, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::size_t dot = assignment.find('.');
  if (equals == std::string_view::npos || dot == std::string_view::npos || dot > equals) {
    throw OptionsError("--set", "'" + std::string(assignment) + "' is no assignment", "write group.option=value");
  }
  const std::string_view group = assignment.substr(0, dot);
  const std::string_view name = assignment.substr(dot + 1, equals - dot - 1);
  bool found = false;
  std::vector<std::string> groups;
  AuditOptions::visit_groups(options, [&](const char* candidate, auto& members) {
    groups.emplace_back(candidate);
    if (group != candidate) return;
    found = true;
    set_option(members, candidate, name, assignment.substr(equals + 1));
  });
  if (found) return;
  const UnknownName text = unknown_name("option group", group, groups);
  throw OptionsError("--set", text.problem, text.remedy);
}

std::vector<OptionValue> list_audit_options(const AuditOptions& options) {
  std::vector<OptionValue> all;
  AuditOptions::visit_groups(options, [&](const char* group, const auto& members) {
    for (OptionValue& value : list_options(members, group)) all.push_back(std::move(value));
  });
  return all;
}

}  // namespace antaeus
