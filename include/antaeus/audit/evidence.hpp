#pragma once
/// \file
/// How far the focus step's numbers can be trusted: reliability, feasibility, single causes, and the guard's states.

#include <string>
#include <vector>

#include "antaeus/audit/reconstruction.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/trust/feasibility.hpp"
#include "antaeus/trust/hypotheses.hpp"

namespace antaeus {

/// Baarda's reliability of one endpoint's joints at one step (ReliabilityEstimator).
struct ReliabilityTable {
  std::string episode;
  Eigen::Index step = -1;  ///< in the log
  std::string endpoint, label;
  struct Row {
    std::string joint, motor_label;
    double redundancy = 0.0;       ///< 0 … 1
    double detectable_bias = 0.0;  ///< smallest error that the row's test finds, contacts within their priors [N·m]
    double torque_limit = 0.0;     ///< of the motor [N·m]
    double external_force = 0.0;   ///< shift of the posterior's force that such an error causes, unnoticed [N]
    double prior_free_redundancy = 0.0;  ///< the same without an assumption on the contact's size
    double prior_free_bias = 0.0;        ///< [N·m]; infinite: none is found
    /// Without such an assumption: redundancy below kUndetectableRedundancy, or a bias above the motor's limit
    bool undetectable = false;
  };
  std::vector<Row> rows;
};

/// One condition that the ground and the weight put on an estimator's wrenches (FeasibilityChecker).
struct FeasibilityRow {
  EstimatorName estimator = EstimatorName::stacked;
  std::string endpoint;  ///< empty for the whole robot's balance
  MarginKind margin = MarginKind::unilateral;
  std::string unit;
  double value = 0.0, sd = 0.0;  ///< ≥ 0 where the condition holds
  bool feasible = false;
};

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
template <class Visit>
constexpr void visit_fields(const CauseRow*, Visit&& visit) {
  using C = CauseRow;
  visit(field("cause", "", "\"contact at left wrist\"", &C::cause));
  visit(field("kind", "", "of cause", &C::kind).only(FieldUse::python_only));
  visit(field("endpoint", "", "frame of a contact or payload", &C::endpoint).only(FieldUse::python_only));
  visit(field("size", "", "in `unit`", &C::size));
  visit(field("size_sd", "", "in `unit`", &C::size_sd));
  visit(field("unit", "", "of the size", &C::unit));
  visit(field("log_likelihood_ratio", "1", "against no cause at all", &C::log_likelihood_ratio));
  visit(field("bic", "1", "Bayes' information criterion of the ratio", &C::bic));
  visit(field("log_evidence", "1", "of the cause, its size weighed by its prior", &C::log_evidence));
  visit(field("probability", "1", "of all causes and none, weighed at once", &C::probability));
  visit(field("separation", "", "from the best", &C::separation));
  visit(field("misfit", "1", "χ² that stays with it; above CauseTest.threshold: too much", &C::misfit));
}

/// The causes of the focus step's residuals, weighed.
struct CauseTest {
  bool outside_identified = false;
  bool alarm = false, explained = false;
  double chi_squared = 0.0, threshold = 0.0;
  std::vector<CauseRow> causes;
};
template <class Visit>
constexpr void visit_fields(const CauseTest*, Visit&& visit) {
  using C = CauseTest;
  visit(field("outside_identified", "",
              "the robot moves faster than its noise was identified for: no cause can be told, and none was weighed",
              &C::outside_identified));
  visit(field("alarm", "", "χ² is above the threshold", &C::alarm));
  visit(field("explained", "", "the best cause leaves no more than noise", &C::explained));
  visit(field("chi_squared", "1", "of the residuals", &C::chi_squared));
  visit(field("threshold", "1", "of χ²", &C::threshold));
  visit(field("causes", "", "best first", &C::causes));
}

/// What a consumer was made for, against a contact that the focus step's torques are those of.
struct ContactFinding {
  bool found = false;  ///< one contact at the focus endpoint explains the torques, and no single joint's torque does
  double size = kNaN, size_sd = kNaN;  ///< of its force [N]; NaN unless found
  double limit = 0.0;                  ///< consumer_guard.force_limit: what the consumer was made for [N]
  bool beyond() const noexcept { return found && size > limit; }
};

/// How long a log's torques are those of the uneventful runs that the robot's noise was identified from: no joint's τ −
/// g beyond kUneventfulFactor times what it was there at most. And from when on the robot moves faster than there. For
/// people: a description of two logs side by side, not a test with a rate.
struct IdentifiedSpan {
  bool judged = false;              ///< static residuals, with identified noise, in at least one step
  Eigen::Index first_beyond = -1;   ///< step of the log; −1: none
  std::string joint;                ///< the one that is furthest beyond in that step
  double residual = kNaN;           ///< its τ − g there [N·m]
  double largest = kNaN;            ///< and the largest of these runs [N·m]
  Eigen::Index first_outside = -1;  ///< step of the log beyond the envelope of speeds; −1: none
  double speed = kNaN;              ///< rms of the envelope's motors in that step, else the largest [rad/s]
  double identified = kNaN;         ///< the largest of these runs [rad/s]
};
/// Of five uneventful runs each stayed within 1.99 times the other four; the incident left it with 2.75.
inline constexpr double kUneventfulFactor = 2.0;

/// Successive steps in which the posterior's force at an endpoint is larger than the stated noise, friction and model
/// error make: χ² of the force with its covariance beyond what noise exceeds in one step of 10 000. Steps whose torques
/// no contact explains (kTestAlarm), dead or saturated ones count as none; what is shorter than 0.1 s is left out.
struct ContactInterval {
  std::string endpoint, label;
  Eigen::Index from = 0, to = 0;            ///< steps of the log, both included
  double from_time = kNaN, to_time = kNaN;  ///< [s]
  double size = 0.0, size_sd = 0.0;         ///< median |F|, and the sd along it in that step [N]
};

/// Successive steps in one state of the posterior's guard.
struct GuardInterval {
  Eigen::Index from = 0, to = 0;  ///< steps of the log, both included
  Verdict state = Verdict::refused;
  ConsumerAction action = ConsumerAction::zero;
  Reasons because;  ///< of the sample that brought the state
};
/// The guard's states of a posterior's series. \param first_step number of its first row in the log
ANTAEUS_API std::vector<GuardInterval> guard_timeline(const EstimateSeries& series, Eigen::Index first_step);

}  // namespace antaeus
