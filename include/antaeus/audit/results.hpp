#pragma once
/// \file
/// Results of an audit: what it finds in an episode, how far its numbers can be trusted, and what might have helped.

#include <cstdint>
#include <string>
#include <vector>

#include "antaeus/audit/reconstruction.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/pose/pose_advice.hpp"
#include "antaeus/pose/preflight.hpp"
#include "antaeus/trust/feasibility.hpp"
#include "antaeus/trust/hypotheses.hpp"

namespace antaeus {

// What was found -----------------------------------------------------------------------------------------------------

/// Something that happened at a step, found in the data.
enum class EventKind : std::uint8_t {
  force_above,
  residual_grown,
  guard_acts,
  nis_alarm,
  guard_refuses,
  target_jump,
  torque_limit,
  peak_force,
  peak_torque,
  end
};
constexpr auto enum_names(EventKind) noexcept {
  return name_list<EventKind>("force_above", "residual_grown", "guard_acts", "nis_alarm", "guard_refuses",
                              "target_jump", "torque_limit", "peak_force", "peak_torque", "end");
}
struct Event {
  EventKind kind = EventKind::end;
  Eigen::Index step = 0;
  double time = 0.0;
  std::string subject;
  double value = 0.0;
  std::string unit, text;
};
constexpr void visit_fields(const Event*, auto&& visit) {
  using E = Event;
  visit(step_field("step", "of the log", &E::step));
  visit(field("time", "s", "by the log's time stamps; NaN without them", &E::time));
  visit(field("kind", "", "what happened", &E::kind));
  visit(field("subject", "", "endpoint, joint, or `guard@endpoint`", &E::subject));
  visit(field("value", "", "what was seen, in `unit`", &E::value));
  visit(field("unit", "", "of the value", &E::unit));
  visit(field("text", "", "one sentence", &E::text));
}

struct JointRange {
  std::string joint, label;
  double minimum = 0.0, maximum = 0.0;
};
constexpr void visit_fields(const JointRange*, auto&& visit) {
  using J = JointRange;
  visit(field("joint", "", "motors in order", &J::joint));
  visit(field("label", "", "short name", &J::label));
  visit(field("minimum", "rad", "m for slides", &J::minimum).as("minimum"));
  visit(field("maximum", "rad", "m for slides", &J::maximum).as("maximum"));
}

struct StartError {
  std::string joint, label;
  double position = 0.0, target = 0.0, error = 0.0;
};
constexpr void visit_fields(const StartError*, auto&& visit) {
  using S = StartError;
  visit(field("joint", "", "motors in order; the list is empty without targets", &S::joint));
  visit(field("label", "", "short name", &S::label));
  visit(field("position", "rad", "at the first valid step", &S::position).as("position"));
  visit(field("target", "rad", "at the same step", &S::target).as("target"));
  visit(field("error", "rad", "position − target", &S::error).as("error"));
}

/// The reference joint's torque over an episode; NaN without one.
struct ReferenceStatistics {
  double mean = 0.0, mean_magnitude = 0.0, deviation = 0.0, maximum = 0.0, p99 = 0.0;
  /// |gain(Fz)|·|τ| at an endpoint other than a foot: what the joint's torque alone reads as force.
  struct Contamination {
    std::string endpoint;
    double mean = 0.0, worst = 0.0;
    Eigen::Index worst_step = -1;
  };
  std::vector<Contamination> contamination;
};
constexpr void visit_fields(const ReferenceStatistics::Contamination*, auto&& visit) {
  using C = ReferenceStatistics::Contamination;
  visit(field("endpoint", "", "endpoints other than feet", &C::endpoint));
  visit(field("mean", "N", "of |gain in Fz| · |τ|", &C::mean));
  visit(field("worst", "N", "the largest", &C::worst));
  visit(step_field("worst_step", "of the log", &C::worst_step));
}
constexpr void visit_fields(const ReferenceStatistics*, auto&& visit) {
  using R = ReferenceStatistics;
  visit(field("mean", "N·m", "of τ, signed", &R::mean));
  visit(field("mean_magnitude", "N·m", "of |τ|", &R::mean_magnitude));
  visit(field("deviation", "N·m", "standard deviation of τ, divided by N", &R::deviation).as("standard_deviation_Nm"));
  visit(field("maximum", "N·m", "of |τ|", &R::maximum).as("maximum_magnitude_Nm"));
  visit(field("p99", "N·m", "99th percentile of |τ|, linear between samples", &R::p99).as("p99_magnitude_Nm"));
  visit(field("contamination", "", "what that torque alone reads as force", &R::contamination));
}

/// What is known of one episode by itself. The audited one and every baseline has this; its fields: audit_fields.hpp.
struct EpisodeAudit {
  Episode episode;
  Reconstruction reconstruction;
  std::vector<JointRange> ranges;
  std::vector<StartError> start_errors;
  ReferenceStatistics reference;
  PreflightReport preflight;
  double contact_share = 0.0, peak_torque = 0.0;
  Eigen::Index peak_torque_step = -1;
  int peak_torque_motor = -1;
  std::vector<Eigen::Index> told_steps;  ///< of the log: those that an event or the focus names, ascending
};

/// Largest norm of the first three columns of its rows; NaN without a finite one.
ANTAEUS_API double largest_norm(const SampleMatrix& force);
/// "the robot's force on its surroundings": whose force a number is, for people.
ANTAEUS_API std::string sign_in_words(Sign sign);
/// "Fx", "Fy", "Fz" of 0, 1, 2.
ANTAEUS_API std::string axis_name(int axis);

/// What a statement is about: of the verdict, then of what the log cannot tell, then of what to check next.
enum class Topic : std::uint8_t {
  what,
  cause,
  pose,
  pose_reversed,
  preflight,
  watchdog,
  clamp,
  false_alarms,
  stacked,
  posterior,
  reliability,
  undetectable,
  cause_test,
  guarded_posterior,
  advice,
  tilt,
  identified,
  contacts,
  consumed,
  ground,
  imu,
  contact,
  velocity,
  acceleration,
  time,
  invalid,
  joint,
  touch
};
constexpr auto enum_names(Topic) noexcept {
  return name_list<Topic>("what", "cause", "pose", "pose_reversed", "preflight", "watchdog", "clamp", "false_alarms",
                          "stacked", "posterior", "reliability", "undetectable", "cause_test", "guarded_posterior",
                          "advice", "tilt", "identified", "contacts", "consumed", "ground", "imu", "contact",
                          "velocity", "acceleration", "time", "invalid", "joint", "touch");
}
/// One sentence, and the name under which it stays the same.
struct Statement {
  Topic id = Topic::what;
  std::string text;
};
constexpr void visit_fields(const Statement*, auto&& visit) {
  using S = Statement;
  visit(field("id", "", "what it is about", &S::id).only(FieldUse::file_only));
  visit(field("id", "", "what it is about", [](const S& s) {
          return std::string(to_string(s.id));
        }).only(FieldUse::python_only));
  visit(field("text", "", "one statement, made from the numbers of the audit", &S::text));
}

// How far it can be trusted ------------------------------------------------------------------------------------------

/// Baarda's reliability of one endpoint's joints at one step (ReliabilityEstimator).
struct ReliabilityTable {
  std::string episode;
  Eigen::Index step = -1;
  std::string endpoint, label;
  struct Row {
    std::string joint, motor_label;
    double redundancy = 0.0, detectable_bias = 0.0, torque_limit = 0.0, external_force = 0.0;
    double prior_free_redundancy = 0.0, prior_free_bias = 0.0;
    bool undetectable = false;
  };
  std::vector<Row> rows;
};
constexpr void visit_fields(const ReliabilityTable::Row*, auto&& visit) {
  using R = ReliabilityTable::Row;
  visit(field("joint", "", "the endpoint's own joints and the reference joint, in motor order", &R::joint));
  visit(field("motor_label", "", "short name", &R::motor_label).as("label"));
  visit(field("redundancy", "1", "share of an error of this torque that shows, contacts within their priors, 0 … 1",
              &R::redundancy));
  visit(field("detectable_bias", "N·m",
              "smallest error that the row's test finds (0.1 % false alarms, 80 % power); null: no evidence",
              &R::detectable_bias));
  visit(field("torque_limit", "N·m", "of the motor", &R::torque_limit));
  visit(field("external_force", "N", "shift of the posterior's force that such an error causes, unnoticed",
              &R::external_force));
  visit(field("prior_free_redundancy", "1", "redundancy without an assumption on the contact's size",
              &R::prior_free_redundancy));
  visit(
      field("prior_free_bias", "N·m", "the bias without that assumption; infinite: none is found", &R::prior_free_bias)
          .as("prior_free_detectable_bias_Nm"));
  visit(field("undetectable", "",
              "without that assumption: redundancy below 0.001 (kUndetectableRedundancy), or a bias above the motor's "
              "limit",
              &R::undetectable));
}
constexpr void visit_fields(const ReliabilityTable*, auto&& visit) {
  using R = ReliabilityTable;
  visit(field("episode", "", "which", &R::episode));
  visit(step_field("step", "in its log", &R::step));
  visit(field("endpoint", "", "frame", &R::endpoint));
  visit(field("label", "", "for people", &R::label).only(FieldUse::python_only));
  visit(field("rows", "", "one per joint", &R::rows).as("joints"));
}

/// One condition that the ground and the weight put on an estimator's wrenches (FeasibilityChecker).
struct FeasibilityRow {
  EstimatorName estimator = EstimatorName::stacked;
  std::string endpoint;
  MarginKind margin = MarginKind::unilateral;
  std::string unit;
  double value = 0.0, sd = 0.0;
  bool feasible = false;
};
constexpr void visit_fields(const FeasibilityRow*, auto&& visit) {
  using F = FeasibilityRow;
  visit(field("estimator", "", "stacked", &F::estimator));
  visit(field("endpoint", "", "foot; none for the whole robot's balance ΣF = m (a_com − g)", &F::endpoint).or_null());
  visit(field("margin", "", "what it is of", &F::margin));
  visit(field("unit", "", "of the margin", &F::unit));
  visit(field("value", "", "≥ 0 where the condition holds, in `unit`", &F::value));
  visit(field("sd", "", "of the value, in `unit`", &F::sd));
  visit(field("feasible", "", "value plus feasibility.k sds is not below 0", &F::feasible));
}

/// One single cause of the focus step's residuals against the others (HypothesisTest), best first.
struct CauseRow {
  std::string cause;
  CauseKind kind = CauseKind::none;
  std::string endpoint;
  double size = 0.0, size_sd = 0.0;
  std::string unit;
  double log_likelihood_ratio = 0.0, bic = 0.0, log_evidence = 0.0;
  double probability = 0.0;
  Separation separation = Separation::indistinct;
  double misfit = kNaN;
};
constexpr void visit_fields(const CauseRow*, auto&& visit) {
  using C = CauseRow;
  visit(field("cause", "", "\"contact at left wrist\"; without an alarm none comes first", &C::cause));
  visit(field("kind", "", "of cause", &C::kind).only(FieldUse::python_only));
  visit(field("endpoint", "", "frame of a contact or payload", &C::endpoint).only(FieldUse::python_only));
  visit(field("size", "", "in `unit`", &C::size));
  visit(field("size_sd", "", "in `unit`", &C::size_sd));
  visit(field("unit", "", "of the size: N, kg, N·m, 1 or rad", &C::unit));
  visit(field("log_likelihood_ratio", "1", "best fit against no cause at all", &C::log_likelihood_ratio));
  visit(field("bic", "1", "unknowns · ln(rows) − 2 · log-likelihood ratio", &C::bic));
  visit(field("log_evidence", "1", "of the cause against none, its size weighed by its prior", &C::log_evidence));
  visit(field("probability", "1", "of all causes and none, weighed at once; they sum to 1", &C::probability));
  visit(field("separation", "", "from the best", &C::separation));
  visit(field("misfit", "1", "χ² that stays with it, of a size that its prior allows; above the threshold: too much",
              &C::misfit));
}

/// The causes of the focus step's residuals, weighed.
struct CauseTest {
  bool outside_identified = false;
  bool alarm = false, explained = false;
  double chi_squared = 0.0, threshold = 0.0;
  std::vector<CauseRow> causes;
};
constexpr void visit_fields(const CauseTest*, auto&& visit) {
  using C = CauseTest;
  visit(field("outside_identified", "",
              "the robot moves faster than its noise was identified for: causes are not distinguished and not weighed",
              &C::outside_identified));
  visit(field("alarm", "", "noise alone does not make such residuals: χ² is above the threshold", &C::alarm));
  visit(field("explained", "", "the best cause, of a size that its prior allows, leaves no more than noise would",
              &C::explained));
  visit(field("chi_squared", "1", "sum of the squared, whitened residuals", &C::chi_squared));
  visit(field("threshold", "1", "that noise exceeds with probability hypotheses.false_alarm", &C::threshold));
  visit(field("causes", "", "best first", &C::causes));
}

/// Where on the focus endpoint's limb the contact is that the torques speak of.
struct PlaceFinding {
  bool judged = false, elsewhere = false, faulty = false, beyond_one_contact = false;
  std::string joint;
  double error = kNaN;
  std::string link;
  std::vector<std::string> set;
  double probability = kNaN;
  Vector3 force = Vector3::Constant(kNaN), point = Vector3::Constant(kNaN);
  double open_length = kNaN;
};
constexpr void visit_fields(const PlaceFinding*, auto&& visit) {
  using P = PlaceFinding;
  visit(field("judged", "", "the limb's torques distinguish contact locations, and there are numbers", &P::judged));
  visit(field("elsewhere", "", "a contact at another link than the endpoint's explains the torques much better",
              &P::elsewhere));
  visit(field("faulty", "", "one joint's error explains the torques better than a contact at the endpoint, or nothing",
              &P::faulty));
  visit(field("joint", "", "the joint that is most probably wrong, if one is", &P::joint));
  visit(field("error", "N·m", "by how much its torque is then wrong, measured less true", &P::error));
  visit(field("beyond_one_contact", "",
              "no single contact, wherever on the limb, and no one joint's fault explains them",
              &P::beyond_one_contact));
  visit(field("link", "", "the likeliest link but the endpoint's own", &P::link));
  visit(field("set", "", "links that cannot be excluded, the endpoint's frame among them", &P::set));
  visit(field("probability", "1", "of that link, among all causes and none", &P::probability));
  visit(field("force", "N", "[3] a push there, world axes, in the posterior's sign", &P::force));
  visit(field("point", "m", "[3] where it acts at its likeliest, world axes with the base at the origin", &P::point));
  visit(field("open_length", "m",
              "along that push's line of action, between the outermost points that explain the torques about as well",
              &P::open_length));
}

/// What a consumer was made for, against a contact that the focus step's torques are those of.
struct ContactFinding {
  bool found = false;
  double size = kNaN, size_sd = kNaN, limit = 0.0;
  bool beyond() const noexcept { return found && size > limit; }
};
constexpr void visit_fields(const ContactFinding*, auto&& visit) {
  using C = ContactFinding;
  visit(field("found", "", "one contact at the focus endpoint explains the torques, and no single joint's torque does",
              &C::found));
  visit(field("size", "N", "of its force; NaN unless found", &C::size));
  visit(field("size_sd", "N", "standard deviation of it", &C::size_sd));
  visit(field("limit", "N", "consumer_guard.force_limit: what the consumer was made for", &C::limit));
  visit(field("beyond", "", "found, and the force is above the limit", [](const C& c) {
          return c.beyond();
        }).only(FieldUse::file_only));
}

/// How long a log's torques are those of the uneventful runs that the robot's noise was identified from: no joint's τ −
/// g beyond kUneventfulFactor times what it was there at most. And from when on the robot moves faster than there. For
/// people: a description of two logs side by side, not a test with a rate.
struct IdentifiedSpan {
  bool judged = false;
  Eigen::Index first_beyond = -1;
  std::string joint;
  double residual = kNaN, largest = kNaN;
  Eigen::Index first_outside = -1;
  double speed = kNaN, identified = kNaN;
};
constexpr void visit_fields(const IdentifiedSpan*, auto&& visit) {
  using I = IdentifiedSpan;
  visit(field("judged", "", "static residuals, with noise that was identified in poses held, in at least one step",
              &I::judged));
  visit(
      step_field("first_beyond",
                 "with a joint whose τ − g is beyond twice its largest of the runs that the noise was identified from",
                 &I::first_beyond));
  visit(field("joint", "", "the one that is furthest beyond in that step", &I::joint).or_null());
  visit(field("residual", "N·m", "its τ − g there", &I::residual));
  visit(field("largest", "N·m", "the largest of it in those runs", &I::largest));
  visit(step_field("first_outside", "beyond the envelope of those runs' speeds: refused from there on",
                   &I::first_outside));
  visit(field("speed", "rad/s", "rms of the envelope's motors in that step, else the largest", &I::speed));
  visit(field("identified", "rad/s", "the largest of those runs", &I::identified));
}
/// Of five uneventful runs each stayed within 1.99 times the other four; the incident left it with 2.75.
inline constexpr double kUneventfulFactor = 2.0;

/// Successive steps in which the posterior's force at an endpoint is larger than the stated noise, friction and model
/// error make: χ² of the force with its covariance beyond what noise exceeds in one step of 10 000. Steps whose torques
/// no contact explains (kTestAlarm), dead or saturated ones count as none; what is shorter than 0.1 s is left out.
struct ContactInterval {
  std::string endpoint, label;
  Eigen::Index from = 0, to = 0;
  double from_time = kNaN, to_time = kNaN;
  double size = 0.0, size_sd = 0.0;
};
constexpr void visit_fields(const ContactInterval*, auto&& visit) {
  using C = ContactInterval;
  visit(field("endpoint", "", "frame", &C::endpoint));
  visit(field("label", "", "for people", &C::label));
  visit(step_field("from", "first one of the interval", &C::from).as("from_step"));
  visit(step_field("to", "last one, included", &C::to).as("to_step"));
  visit(field("from_time", "s", "its time stamp", &C::from_time).as("from_s"));
  visit(field("to_time", "s", "its time stamp", &C::to_time).as("to_s"));
  visit(field("size", "N", "median |F| over the interval", &C::size));
  visit(field("size_sd", "N", "standard deviation along it in that step", &C::size_sd));
}

/// How many steps have a verdict.
struct VerdictCount {
  Verdict verdict = Verdict::ok;
  Eigen::Index steps = 0;
};
constexpr void visit_fields(const VerdictCount*, auto&& visit) {
  using V = VerdictCount;
  visit(field("verdict", "", "which one", &V::verdict));
  visit(field("steps", "", "that have it", &V::steps));
}

/// One estimator at one endpoint over a log of which a part is audited. Steps are of the log.
struct WholeSeries {
  std::string endpoint, label;
  EstimatorName estimator = EstimatorName::deployed;
  Sign sign = Sign::on_environment;
  std::vector<VerdictCount> verdicts;
  double peak_force = kNaN;
  Eigen::Index peak_step = -1;
  Eigen::Index alarms = 0, first_alarm = -1, refusals = 0, first_refusal = -1;
  Eigen::Index watchdog_acts = 0, first_watchdog = -1;
  std::vector<double> x, least, largest;  ///< |F| by bin of steps: where the bin begins, smallest and largest
};
constexpr void visit_fields(const WholeSeries*, auto&& visit) {
  using W = WholeSeries;
  visit(field("endpoint", "", "frame", &W::endpoint));
  visit(field("label", "", "for people", &W::label));
  visit(field("estimator", "", "whose numbers these are", &W::estimator));
  visit(field("sign", "", "who exerts the wrench on whom", &W::sign));
  visit(field("verdicts", "", "steps by verdict; those that none has are missing", &W::verdicts));
  visit(field("peak_force", "N", "largest |F|; NaN without a valid step", &W::peak_force));
  visit(step_field("peak_step", "of the log; −1: none", &W::peak_step));
  visit(field("alarms", "", "steps at which a test of the posterior alarms", &W::alarms));
  visit(step_field("first_alarm", "of the log; −1: never", &W::first_alarm));
  visit(field("refusals", "", "steps at which the posterior's guard refuses", &W::refusals));
  visit(step_field("first_refusal", "of the log; −1: never", &W::first_refusal));
  visit(field("watchdog_acts", "", "steps at which the published watchdog acts", &W::watchdog_acts));
  visit(step_field("first_watchdog", "of the log; −1: never", &W::first_watchdog));
  visit(field("x", "", "[bins] step at which a bin begins", &W::x).only(FieldUse::python_only));
  visit(
      field("least", "N", "[bins] smallest |F| of its steps; NaN without one", &W::least).only(FieldUse::python_only));
  visit(field("largest", "N", "[bins] largest", &W::largest).only(FieldUse::python_only));
}

/// What was found in all steps of a log that is too long to be taken apart as a whole. The audited part is then the
/// steps around its largest force.
struct WholeLog {
  Eigen::Index steps = 0;       ///< 0: the audited part is the log, or what was cut out of it
  Eigen::Index first_step = 0;  ///< of the log, where a part was cut out
  double time_begin = kNaN, time_end = kNaN;
  Eigen::Index invalid_steps = 0;
  std::vector<WholeSeries> series;
  std::vector<ContactInterval> contacts;  ///< by their first step, at most 2000
  Eigen::Index contacts_left_out = 0;
  double contact_share = 0.0;
};
constexpr void visit_fields(const WholeLog*, auto&& visit) {
  using W = WholeLog;
  visit(file_field("schema", "", [](const W&) { return "antaeus.audit.whole/1"; }));
  visit(field("steps", "", "of the log, or of what was cut out of it", &W::steps));
  visit(field("first_step", "", "number of the first one in the log", &W::first_step));
  visit(field("time_begin", "s", "first time stamp", &W::time_begin));
  visit(field("time_end", "s", "last time stamp", &W::time_end));
  visit(field("invalid_steps", "", "steps that hold no numbers to compute with", &W::invalid_steps));
  visit(field("series", "", "endpoint by endpoint: deployed, stacked, posterior", &W::series));
  visit(field("contacts", "",
              "intervals of a force that stands out in the posterior, by their first step, 2000 at most",
              &W::contacts));
  visit(field("contacts_left_out", "", "intervals beyond these", &W::contacts_left_out));
  visit(field("contact_share", "1", "share of the steps within one of all intervals, 0 … 1", &W::contact_share));
}

/// Successive steps in one state of the posterior's guard.
struct GuardInterval {
  Eigen::Index from = 0, to = 0;
  Verdict state = Verdict::refused;
  ConsumerAction action = ConsumerAction::zero;
  Reasons because;
};
constexpr void visit_fields(const GuardInterval*, auto&& visit) {
  using G = GuardInterval;
  visit(step_field("start", "first one, of the log: C++ `from`, which is a Python keyword", &G::from).as("from_step"));
  visit(step_field("to", "last one, included", &G::to).as("to_step"));
  visit(field("state", "", "ok, degraded or refused", &G::state));
  visit(field("action", "", "what the consumer reads", &G::action));
  visit(field("because", "", "reasons of the sample that brought the state", &G::because));
}
/// The guard's states of a posterior's series. \param first_step number of its first row in the log
ANTAEUS_API std::vector<GuardInterval> guard_timeline(const EstimateSeries& series, Eigen::Index first_step);

// What might have helped ---------------------------------------------------------------------------------------------

/// What somebody might have done against the incident. The first six are the published guards, each alone.
enum class Remedy : std::uint8_t {
  watchdog,
  condition,
  reference_dominance,
  reference_dominance_formula,
  clamp,
  norm_clamp,
  all_guards,
  preflight_gain,
  preflight_start_error,
  stacked,
  stacked_with_base,
  own_rows,
  posterior,
  nis_alarm,
  guarded_posterior,
};
constexpr auto enum_names(Remedy) noexcept {
  return name_list<Remedy>("watchdog", "condition", "reference_dominance", "reference_dominance_formula", "clamp",
                           "norm_clamp", "all_guards", "preflight_gain", "preflight_start_error", "stacked",
                           "stacked_with_base", "own_rows", "posterior", "nis_alarm", "guarded_posterior");
}
enum class RemedyKind : std::uint8_t { guard, preflight, estimator };
constexpr auto enum_names(RemedyKind) noexcept { return name_list<RemedyKind>("guard", "preflight", "estimator"); }

/// One remedy: when it would have acted, what would have been read, and how often it acts in the good runs.
struct Counterfactual {
  Remedy remedy = Remedy::watchdog;
  std::string title;
  RemedyKind kind = RemedyKind::guard;
  std::string endpoint;
  Eigen::Index first_act = -1;
  double first_act_time = 0.0;
  Vector3 force_at_focus;
  double largest_force_read = 0.0;
  std::string consequence;
  /// How often a guard acts in a baseline, at any endpoint that the consumer reads. Whether the alarm is false depends
  /// on what the baseline holds (EpisodeAudit::contact_share).
  struct FalseAlarm {
    std::string baseline;
    Eigen::Index steps = 0;
    double share = 0.0;
    Eigen::Index degraded_steps = 0;
    double degraded_share = 0.0;
  };
  std::vector<FalseAlarm> false_alarms;
};
constexpr void visit_fields(const Counterfactual::FalseAlarm*, auto&& visit) {
  using F = Counterfactual::FalseAlarm;
  visit(field("baseline", "", "which", &F::baseline));
  visit(field("steps", "",
              "of it at which a published guard changes what is read at any endpoint that the consumer reads, or the "
              "posterior's guard refuses",
              &F::steps));
  visit(field("share", "1", "the same of the baseline's steps, 0 … 1", &F::share));
  visit(field("degraded_steps", "",
              "at which the guard is degraded: the published chain clips (counted in steps too), the posterior's guard "
              "passes its number with that word; 0 for the others",
              &F::degraded_steps));
  visit(field("degraded_share", "1", "the same of the baseline's steps, 0 … 1", &F::degraded_share));
}
constexpr void visit_fields(const Counterfactual*, auto&& visit) {
  using C = Counterfactual;
  visit(field("remedy", "", "which", &C::remedy));
  visit(field("title", "", "for people", &C::title));
  visit(field("kind", "", "of remedy", &C::kind));
  visit(field("endpoint", "", "that it was judged on", &C::endpoint));
  visit(step_field("first_act", "first one at which it acts; −1: never", &C::first_act).as("first_act_step"));
  visit(field("first_act_time", "s", "the same by time stamps", &C::first_act_time));
  visit(field("force_at_focus", "N",
              "[3] read by the consumer at the focus step, world axes, sign of its series; 0 where the guard zeroes or "
              "has stopped the consumer",
              &C::force_at_focus));
  visit(field("largest_force_read", "N",
              "largest |F| that it would have let through; NaN where only the focus step was computed",
              &C::largest_force_read));
  visit(field("consequence", "", "one sentence from the numbers", &C::consequence));
  visit(field("false_alarms", "", "one a baseline, for guards", &C::false_alarms));
}

/// An episode's reference residuals through the gain of another pose.
struct PoseCounterfactual {
  std::string residuals_of, pose, endpoint;
  double gain = 0.0, kappa = 0.0, force_at_focus = 0.0, largest_force = 0.0;
};
constexpr void visit_fields(const PoseCounterfactual*, auto&& visit) {
  using P = PoseCounterfactual;
  visit(field("residuals_of", "", "episode whose reference residuals are taken", &P::residuals_of));
  visit(field("pose", "", "whose gain they go through: `<episode> step n`, or a pose of the profile", &P::pose));
  visit(field("endpoint", "", "of the gain", &P::endpoint));
  visit(field("gain", "N/(N·m)", "in Fz, of the reference joint", &P::gain).as("gain_Fz"));
  visit(field("kappa", "1", "condition number of the endpoint's Jacobian in this pose", &P::kappa));
  visit(
      field("force_at_focus", "N", "gain · r at the focus step; NaN but for the audited episode", &P::force_at_focus));
  visit(field("largest_force", "N", "max |gain · r|", &P::largest_force));
}

/// What a tilted base would do.
struct TiltSensitivity {
  std::string axis;
  double angle = 0.0, largest_torque = 0.0;
  std::string joint;
  double phantom_force = 0.0;
};
constexpr void visit_fields(const TiltSensitivity*, auto&& visit) {
  using T = TiltSensitivity;
  visit(field("axis", "", "roll or pitch", &T::axis));
  visit(field("angle", "rad", "tilt of the base that is not measured", &T::angle));
  visit(field("largest_torque", "N·m", "max |Δg| over the joints that carry an audited endpoint other than a foot",
              &T::largest_torque));
  visit(field("joint", "", "where", &T::joint));
  visit(field("phantom_force", "N", "|pinv(Jᵀ) Δg| at the focus endpoint", &T::phantom_force));
}

/// Norm of the reference joint's row in each endpoint's block of the stacked matrix.
struct ReferenceRow {
  std::string endpoint;
  double norm = 0.0;
};
constexpr void visit_fields(const ReferenceRow*, auto&& visit) {
  visit(field("endpoint", "", "whose block it is", &ReferenceRow::endpoint));
  visit(field("norm", "1", "exactly 0: this endpoint cannot explain any torque of the reference joint",
              &ReferenceRow::norm));
}

/// The nearest pose found that satisfies a named set of limits at the focus endpoint (pose_advice.hpp).
struct ANTAEUS_API AdviceRow {
  PoseLimitSet limits = PoseLimitSet::sd;
  std::string endpoint;
  Eigen::Index step = 0;
  struct Condition {
    PoseQuantity quantity = PoseQuantity::sd;
    double limit = 0.0;
  };
  std::vector<Condition> conditions;
  bool satisfied = false, found = false;
  double distance = 0.0;
  struct Move {
    std::string joint;
    double from = 0.0, to = 0.0;
  };
  std::vector<Move> moves;
  /// A joint that reaches it alone, all others held.
  struct Alone {
    std::string joint;
    double from = 0.0, below = 0.0, above = 0.0;
    double distance() const noexcept;  ///< to the nearer of the two
  };
  std::vector<Alone> alone;
};
constexpr void visit_fields(const AdviceRow::Condition*, auto&& visit) {
  using C = AdviceRow::Condition;
  visit(field("quantity", "", "of the pose", &C::quantity));
  visit(field("limit", "", "it must be below, in the quantity's unit", &C::limit));
  visit(field("unit", "", "of it", [](const C& c) { return unit_of(c.quantity); }).only(FieldUse::file_only));
}
constexpr void visit_fields(const AdviceRow::Move*, auto&& visit) {
  using M = AdviceRow::Move;
  visit(field("joint", "", "largest move first", &M::joint));
  visit(field("start", "rad", "where it is, m for slides: C++ `from`, which is a Python keyword", &M::from)
            .as("from_rad"));
  visit(field("to", "rad", "where it goes, m for slides", &M::to));
}
constexpr void visit_fields(const AdviceRow::Alone*, auto&& visit) {
  using A = AdviceRow::Alone;
  visit(field("joint", "", "that reaches it alone, all others held; smallest move first", &A::joint));
  visit(field("start", "rad", "where it is: C++ `from`", &A::from).as("from_rad"));
  visit(field("below", "rad", "up to here downwards; NaN where there is no opening on that side", &A::below));
  visit(field("above", "rad", "from here upwards; NaN likewise", &A::above));
}
constexpr void visit_fields(const AdviceRow*, auto&& visit) {
  using A = AdviceRow;
  visit(field("limits", "", "the set", &A::limits));
  visit(field("endpoint", "", "the focus endpoint", &A::endpoint));
  visit(step_field("step", "of the log whose pose is advised on: its first usable one", &A::step));
  visit(field("conditions", "", "quantity < limit", &A::conditions));
  visit(field("satisfied", "", "by that pose already", &A::satisfied));
  visit(field("found", "", "whether a pose was found", &A::found));
  visit(field("distance", "rad", "norm of the move", &A::distance));
  visit(field("moves", "", "largest first", &A::moves));
  visit(field("alone", "", "smallest move first", &A::alone));
}

}  // namespace antaeus
