#pragma once
// The parts of an audit, each from the reconstructions and the focus step alone. Private to audit and report.
#include <string>
#include <vector>

#include "antaeus/audit/audit.hpp"
#include "antaeus/audit/audit_options.hpp"

namespace antaeus::detail {

class FocusStep;

/// Ranges, start errors, statistics and pre-flight of one episode.
void summarise_episode(const Robot& robot, const std::vector<std::string>& endpoints, const AuditOptions& options,
                       EpisodeAudit& audit);

/// Consumed endpoint with the largest deployed force, and the step that is taken apart.
/// \return its candidate; null where no step has a force
const FocusCandidate* choose_focus(const AuditOptions& options, const std::vector<FocusCandidate>& candidates,
                                   Audit& audit);

std::vector<Event> find_events(const Robot& robot, const AuditOptions& options, const Audit& audit);
/// What each joint contributes to the focus endpoint's wrench (incident report, eq. 4): deployed and stacked.
std::vector<Attribution> attributions(const FocusStep& focus, const Audit& audit);
std::vector<Counterfactual> counterfactuals(const Robot& robot, const AuditOptions& options, const FocusStep& focus,
                                            const Audit& audit);
std::vector<PoseCounterfactual> pose_counterfactuals(const Robot& robot, const AuditOptions& options,
                                                     const Audit& audit);
std::vector<TiltSensitivity> tilt_sensitivity(const Robot& robot, const AuditOptions& options, const Audit& audit);
std::vector<ReferenceRow> reference_rows(const FocusStep& focus);
std::vector<ReliabilityTable> reliability(const Robot& robot, const Audit& audit);
std::vector<FeasibilityRow> feasibility(const Robot& robot, const AuditOptions& options, const FocusStep& focus);
std::vector<AdviceRow> pose_advice(const Robot& robot, const Audit& audit);
std::vector<Statement> advice_verdict(const Audit& audit);
/// \param residual  of the focus step
CauseTest cause_test(const AuditOptions& options, const FocusStep& focus, Residual residual);
/// Of the same residual.
PlaceFinding place_finding(const Robot& robot, const AuditOptions& options, const FocusStep& focus, Residual residual);
// identified_span.cpp
IdentifiedSpan identified_span(const Robot& robot, const Audit& audit);
std::vector<Statement> identified_verdict(const Audit& audit);
/// Whether the focus step's torques are those of a contact there; after cause_test.
ContactFinding contact_finding(const AuditOptions& options, const Audit& audit);
/// The posterior's rows among the counterfactuals: its number, its NIS alarm, its guard. Empty without a posterior.
std::vector<Counterfactual> posterior_counterfactuals(const Audit& audit);
std::vector<Event> posterior_events(const Audit& audit);
/// Sentences on what the posterior would have said, and what would have saved the robot.
std::vector<Statement> posterior_verdict(const Audit& audit);
std::vector<Statement> verdict(const Robot& robot, const Audit& audit);
std::vector<Statement> cannot_tell(const Audit& audit);
// causal_graph.cpp
/// [N] Deployed force from which on a consumer has something to react to.
inline constexpr double kFirstForce = 50.0;
/// Motor that begins farthest from its target, of the joints that pre-flight checks; −1 without one.
int worst_start_error(const Robot& robot, const Audit& audit);
/// Motor whose target moves farthest between the first force above kFirstForce and the focus step, in the group of
/// worst_start_error where there is one; −1 where none moves.
int followed_motor(const Robot& robot, const Audit& audit);
/// After events, attributions and the rest.
CausalGraph causal_graph(const Robot& robot, const Audit& audit);
// contacts.cpp
std::vector<ContactInterval> contact_intervals(const Reconstruction& r);
/// Share of the steps that lie within one of them.
double share_within(const std::vector<ContactInterval>& contacts, const Reconstruction& r);
/// Intervals nearer than this are one contact, and shorter ones are none [s]; steps where the log has no time.
inline constexpr double kShortestContact = 0.1, kShortestContactSteps = 5;
/// Whether the contacts of a series fill nearly all steps of a reconstruction that it is of.
bool is_touched_all_along(const EstimateSeries& series, const std::vector<ContactInterval>& contacts,
                          const Reconstruction& r);
/// `ok` goes from all steps of the series, under `contact_since_start`.
void doubt_since_start(EstimateSeries& series);
/// A "contact" that lasts all the log, longer than consumer_guard.set_up_time: `ok` goes from its endpoint's steps,
/// under `contact_since_start`.
void doubt_lasting_contacts(const AuditOptions& options, const std::vector<ContactInterval>& contacts,
                            Reconstruction& r);
std::vector<Statement> contacts_verdict(const Audit& audit);
std::vector<Statement> next_checks(const Audit& audit);

/// Step of the log ↔ row of the reconstruction.
inline Eigen::Index row_of(const Audit& audit, Eigen::Index step) {
  return step - audit.audited.reconstruction.first_step;
}

/// The focus endpoint's posterior, null where it has none.
const EstimateSeries* focus_posterior(const Audit& audit);

// words.cpp
/// "12.3", with the digits that the reader needs: three significant ones below 100, none after the point above.
std::string number_text(double value);
/// "invalid input": a name as people read it.
std::string in_words(std::string_view name);
/// "motion, unobservable direction": reasons as people read them.
std::string reasons_in_words(Reasons reasons);
std::string guard_title(SingleGuard guard);
/// "deployed estimator": what people call pinv(Jᵀ)(τ − g) on this robot, and "consumer": who reads it.
std::string estimator_word(const Audit& audit);
std::string reader_word(const Audit& audit);
/// "as deployed": by that estimator; "deployed": its number.
std::string as_deployed(const Audit& audit);
std::string deployed_word(const Audit& audit);
/// Component of the force that is largest in this row: 0 x, 1 y, 2 z; z where nothing is known.
int largest_component(const EstimateSeries& series, Eigen::Index row);
/// What people call an audited endpoint.
std::string label_of(const Audit& audit, const std::string& endpoint);
/// "step 8 (22.609 s)", without the time where there is none.
std::string step_text(const Audit& audit, Eigen::Index step);

}  // namespace antaeus::detail
