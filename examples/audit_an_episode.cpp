// Audit of a log: what happened, at which step, what would have helped. The log is a synthetic twin of the incident.
// Usage: example_audit_an_episode [report.html]
// prints: incident: left_wrist_yaw_link reads 558 N at step 8
#include <cstdio>

#include "antaeus/audit/audit.hpp"
#include "antaeus/audit/audit_options.hpp"
#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/report/pages.hpp"

int main(int argc, char** argv) {
  const antaeus::Robot robot = antaeus::load_robot("h1_2");
  const antaeus::Episode twin = antaeus::make_twin(robot, antaeus::TwinKind::incident).episode;
  const antaeus::Episode good = antaeus::make_twin(robot, antaeus::TwinKind::good).episode;
  const antaeus::Audit audit = antaeus::run_audit(robot, {twin, good}, {}, antaeus::audit_options(robot));
  const antaeus::Reconstruction& steps = audit.audited.reconstruction;
  const antaeus::EstimateSeries& deployed = steps.find(audit.focus_endpoint, antaeus::EstimatorName::deployed);
  const double force = deployed.force_norm[audit.focus_step - steps.first_step];
  std::printf("%s: %s reads %.0f N at step %d\n", to_string(audit.outcome).data(), audit.focus_endpoint.c_str(), force,
              static_cast<int>(audit.focus_step));
  for (const antaeus::Counterfactual& remedy : audit.counterfactuals) {
    if (remedy.kind == antaeus::RemedyKind::preflight) continue;  // the robot would not have started
    std::printf("  %s: %.0f N\n", remedy.title.c_str(), remedy.force_at_focus.norm());
  }
  if (argc > 1) antaeus::write_file(argv[1], antaeus::html_report(audit));
}
