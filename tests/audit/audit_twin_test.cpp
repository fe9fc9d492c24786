#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "antaeus/audit/audit.hpp"
#include "antaeus/audit/audit_options.hpp"
#include "antaeus/audit/summary.hpp"
#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/numerics/gains.hpp"
#include "audit/reconstruct.hpp"
#include "audit/same_bits.hpp"
#include "io/io_support.hpp"
#include "robot/test_robots.hpp"
#include "support/parse_json.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::same_bits;

// The story of the incident on our own twins: it is told wherever the project is built. What the numbers must be for
// the robot's real logs stands in audit_golden_test; here they must agree with each other and with laws of their own.

const Robot& h1_2() {
  static const Robot robot = test::own_robot("h1_2");
  return robot;
}
const Episode& incident() {
  static const Episode episode = make_twin(h1_2(), TwinKind::incident).episode;
  return episode;
}
const Audit& twin_audit() {
  static const Audit audit = run_audit(
      h1_2(), {incident(), make_twin(h1_2(), TwinKind::good).episode, make_twin(h1_2(), TwinKind::pushes).episode},
      AuditRequest{}, AuditOptions{});
  return audit;
}

std::vector<std::string> all_endpoints(const Robot& robot) {
  std::vector<std::string> frames;
  for (const Endpoint& endpoint : robot.profile.endpoints) frames.push_back(endpoint.frame);
  return frames;
}

const GuardTrace& guard(const EstimateSeries& series, SingleGuard which) {
  const auto found =
      std::find_if(series.guards.begin(), series.guards.end(), [&](const GuardTrace& g) { return g.guard == which; });
  if (found == series.guards.end()) throw std::runtime_error("no guard " + std::string(to_string(which)));
  return *found;
}

TEST(AuditTwin, FindsTheIncidentAndNoneInTheGoodRuns) {
  const Audit& audit = twin_audit();
  EXPECT_TRUE(audit.incident);
  EXPECT_EQ(audit.focus_endpoint, "left_wrist_yaw_link");
  EXPECT_EQ(audit.focus_step, 8);
  ASSERT_EQ(audit.attributions.size(), 2u);
  EXPECT_EQ(audit.attributions[0].largest, 12) << "the torso";
  for (const TwinKind kind : {TwinKind::good, TwinKind::pushes}) {
    EXPECT_FALSE(run_audit(h1_2(), {make_twin(h1_2(), kind).episode}, AuditRequest{}, AuditOptions{}).incident)
        << to_string(kind);
  }
}

TEST(AuditTwin, EventsAreInOrderAndInTheData) {
  const Audit& audit = twin_audit();
  ASSERT_FALSE(audit.events.empty());
  EXPECT_EQ(audit.events.back().kind, EventKind::end);
  std::set<EventKind> kinds;
  for (std::size_t i = 0; i < audit.events.size(); ++i) {
    const Event& event = audit.events[i];
    kinds.insert(event.kind);
    EXPECT_LE(audit.events[i == 0 ? 0 : i - 1].step, event.step);
    ASSERT_GE(event.step, 0);
    ASSERT_LT(event.step, incident().steps());
    EXPECT_EQ(event.time, incident().time[event.step]) << event.text;
    if (event.kind == EventKind::force_above || event.kind == EventKind::peak_force) {
      EXPECT_EQ(event.value,
                audit.audited.reconstruction.find(event.subject, EstimatorName::deployed).force_norm[event.step])
          << event.text;
    }
    if (event.kind == EventKind::residual_grown) {
      EXPECT_GT(std::abs(event.value), EventOptions{}.residual_growth);
      for (Eigen::Index before = 0; before < event.step; ++before) {
        EXPECT_LE(std::abs(audit.audited.reconstruction.reference_residual[before]), EventOptions{}.residual_growth);
      }
    }
  }
  for (const EventKind kind :
       {EventKind::force_above, EventKind::residual_grown, EventKind::guard_acts, EventKind::target_jump,
        EventKind::torque_limit, EventKind::peak_force, EventKind::peak_torque}) {
    EXPECT_TRUE(kinds.contains(kind)) << to_string(kind);
  }
}

/// Each guard again, from the wrenches alone.
TEST(AuditTwin, GuardTracesFollowFromTheWrenches) {
  const Audit& audit = twin_audit();
  for (const EpisodeAudit* episode : {&audit.audited, &audit.baselines[0], &audit.baselines[1]}) {
    for (const EstimateSeries& series : episode->reconstruction.series) {
      SCOPED_TRACE(series.endpoint + ", " + std::string(to_string(series.estimator)) + ", " + episode->episode.name);
      if (series.posterior) continue;  // it has a guard of its own
      const GuardTrace &watchdog = guard(series, SingleGuard::watchdog),
                       &condition = guard(series, SingleGuard::condition);
      const GuardTrace &clamp = guard(series, SingleGuard::clamp), &norm_clamp = guard(series, SingleGuard::norm_clamp);
      EXPECT_EQ(clamp.limit, 50.0);  // incident report, its four limits
      EXPECT_EQ(watchdog.limit, 100.0);
      EXPECT_EQ(condition.limit, 20.0);
      EXPECT_EQ(guard(series, SingleGuard::reference_dominance).limit, 0.5);
      int above = 0;
      bool latched = false;
      for (Eigen::Index i = 0; i < series.wrench.rows(); ++i) {
        const Vector3 force = series.wrench.row(i).head<3>();
        EXPECT_NEAR(series.force_norm[i], force.norm(), tolerance::kByHand);
        EXPECT_EQ(Vector3(clamp.force_read.row(i)), force.cwiseMin(50.0).cwiseMax(-50.0));
        EXPECT_LE(norm_clamp.force_read.row(i).norm(), 50.0 + tolerance::kByHand);
        EXPECT_NEAR(Vector3(norm_clamp.force_read.row(i)).cross(force).norm(), 0.0, tolerance::kByHand)
            << "the direction stays";
        EXPECT_EQ(Vector3(condition.force_read.row(i)), series.kappa[i] > 20.0 ? Vector3::Zero() : force);
        above = force.norm() > 100.0 ? above + 1 : 0;
        if (above >= 3 && !latched) {
          latched = true;
          EXPECT_EQ(watchdog.first_act, i);
        }
        EXPECT_EQ(Vector3(watchdog.force_read.row(i)), latched ? Vector3::Zero() : force);
      }
      EXPECT_EQ(latched, watchdog.first_act >= 0);
      for (const GuardTrace& trace : series.guards) {
        const auto acted = std::count_if(trace.action.begin(), trace.action.end(), [](GuardAction action) {
          return action != GuardAction::passed && action != GuardAction::no_input;
        });
        EXPECT_EQ(acted, trace.acts) << to_string(trace.guard);
        EXPECT_EQ(trace.first_act < 0, acted == 0) << to_string(trace.guard);
      }
    }
  }
}

bool of_posterior(const Counterfactual& c) {
  return c.remedy == Remedy::nis_alarm || c.remedy == Remedy::guarded_posterior;
}

TEST(AuditTwin, PosteriorsTraceAndCounterfactualsFollowFromItsSteps) {
  const Audit& audit = twin_audit();
  const EstimateSeries& focus = audit.audited.reconstruction.find(audit.focus_endpoint, EstimatorName::posterior);
  const PosteriorTrace& trace = *focus.posterior;
  Eigen::Index alarms = 0, refusals = 0, next = 0;
  for (Eigen::Index i = 0; i < focus.wrench.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    alarms += trace.nis[i] > trace.nis_threshold[i];
    refusals += trace.state[at] == Verdict::refused;
    EXPECT_TRUE(focus.guarded_force.row(i).allFinite());
    const Vector3 read = focus.guarded_force.row(i), said = focus.wrench.row(i).head<3>();
    if (trace.action[at] == ConsumerAction::posterior) {
      EXPECT_EQ(read, said);
    } else if (trace.action[at] == ConsumerAction::observable) {
      // A projection: what is left out stands at a right angle to what is read.
      EXPECT_NEAR((said - read).dot(read), 0.0, tolerance::kByHand * said.squaredNorm());
      EXPECT_EQ(trace.state[at], Verdict::degraded);
    } else {
      EXPECT_EQ(trace.state[at], Verdict::refused);
    }
    // No principal direction is worse than the worst, and none better than nothing.
    EXPECT_LE(trace.sd.row(i).head<3>().maxCoeff(), trace.worst_sd[i] + tolerance::kByHand);
    EXPECT_LE(trace.worst_sd[i], 20.0 + tolerance::kByHand) << "the prior";
  }
  EXPECT_EQ(trace.alarms, alarms);
  EXPECT_EQ(trace.refusals, refusals);
  EXPECT_LT(trace.first_alarm, 8);
  for (const GuardInterval& interval : guard_timeline(focus, 0)) {
    EXPECT_EQ(interval.from, next);
    for (Eigen::Index i = interval.from; i <= interval.to; ++i) {
      EXPECT_EQ(trace.state[static_cast<std::size_t>(i)], interval.state);
    }
    next = interval.to + 1;
  }
  EXPECT_EQ(next, focus.wrench.rows());
  int found = 0;
  for (const Counterfactual& c : audit.counterfactuals) {
    if (c.remedy != Remedy::nis_alarm && c.remedy != Remedy::guarded_posterior) continue;
    ++found;
    EXPECT_EQ(c.first_act, c.remedy == Remedy::nis_alarm ? trace.first_alarm : trace.first_refusal);
    ASSERT_EQ(c.false_alarms.size(), 2u);
  }
  EXPECT_EQ(found, 2);
}

/// The same is counted of every guard: where it acts, and where it only warns.
TEST(AuditTwin, AlarmsAndWarningsAreCountedAlike) {
  const Audit& audit = twin_audit();
  Eigen::Index warned = 0;
  for (const Counterfactual& c : audit.counterfactuals) {
    const bool chain = c.remedy == Remedy::all_guards;
    if (!chain && c.remedy != Remedy::guarded_posterior) continue;
    ASSERT_EQ(c.false_alarms.size(), audit.baselines.size());
    for (std::size_t b = 0; b < audit.baselines.size(); ++b) {
      const EpisodeAudit& good = audit.baselines[b];
      Eigen::Index refused = 0, degraded = 0;
      for (std::size_t step = 0; step < static_cast<std::size_t>(good.episode.steps()); ++step) {
        Verdict worst = Verdict::ok;
        for (const char* endpoint : {"left_wrist_yaw_link", "right_wrist_yaw_link"}) {
          const EstimateSeries& series =
              good.reconstruction.find(endpoint, chain ? EstimatorName::deployed : EstimatorName::posterior);
          worst = std::max(worst, chain ? series.verdict[step] : series.posterior->state[step]);
        }
        refused += worst == Verdict::refused;
        degraded += worst == Verdict::degraded;
      }
      const Counterfactual::FalseAlarm& alarm = c.false_alarms[b];
      EXPECT_EQ(alarm.steps, chain ? refused + degraded : refused);
      EXPECT_EQ(alarm.degraded_steps, degraded);
      EXPECT_EQ(alarm.degraded_share, static_cast<double>(degraded) / static_cast<double>(good.episode.steps()));
      warned += degraded;
    }
  }
  EXPECT_GT(warned, 0) << "or nothing was tried";
}

/// The guard that a remedy is the use of: they share the name.
SingleGuard single_guard(Remedy remedy) { return parse_enum<SingleGuard>(to_string(remedy), "remedy"); }

TEST(AuditTwin, CounterfactualsAgreeWithTheTraces) {
  const Audit& audit = twin_audit();
  const EstimateSeries& focus = audit.audited.reconstruction.find(audit.focus_endpoint, EstimatorName::deployed);
  int guards = 0;
  for (const Counterfactual& c : audit.counterfactuals) {
    SCOPED_TRACE(to_string(c.remedy));
    EXPECT_EQ(c.endpoint, audit.focus_endpoint);
    EXPECT_FALSE(c.consequence.empty());
    if (c.kind != RemedyKind::guard || c.remedy == Remedy::all_guards || of_posterior(c)) continue;
    ++guards;
    const GuardTrace& trace = guard(focus, single_guard(c.remedy));
    EXPECT_EQ(c.first_act, trace.first_act);
    EXPECT_EQ(c.force_at_focus, Vector3(trace.force_read.row(audit.focus_step)));
    EXPECT_EQ(c.largest_force_read, trace.force_read.rowwise().norm().maxCoeff());
    ASSERT_EQ(c.false_alarms.size(), 2u);
    for (std::size_t b = 0; b < 2; ++b) {
      const EpisodeAudit& good = audit.baselines[b];
      EXPECT_EQ(c.false_alarms[b].baseline, good.episode.name);
      // The consumer reads both wrists: an alarm at either is one.
      Eigen::Index alarms = 0;
      for (std::size_t step = 0; step < static_cast<std::size_t>(good.episode.steps()); ++step) {
        const auto acts = [&](const char* endpoint) {
          const EstimateSeries& series = good.reconstruction.find(endpoint, EstimatorName::deployed);
          const GuardAction action = guard(series, single_guard(c.remedy)).action[step];
          return action != GuardAction::passed && action != GuardAction::no_input;
        };
        alarms += acts("left_wrist_yaw_link") || acts("right_wrist_yaw_link");
      }
      EXPECT_EQ(c.false_alarms[b].steps, alarms);
      EXPECT_NEAR(c.false_alarms[b].share * static_cast<double>(good.episode.steps()),
                  static_cast<double>(c.false_alarms[b].steps), tolerance::kByHand);
    }
  }
  EXPECT_EQ(guards, 6);
}

TEST(AuditTwin, AttributionSumsToTheWrench) {
  test::RandomStates random(77);
  SCOPED_TRACE(random.text());
  const auto endpoints = all_endpoints(h1_2());
  const Audit& audit = twin_audit();
  const AuditOptions options;
  InstantReader reader(h1_2(), endpoints, options.equation);
  DeployedEstimator deployed(reader, options.estimator);
  StackedEstimator stacked(reader, options.stacked.rows, options.estimator);
  for (int trial = 0; trial < 12; ++trial) {
    const auto step =
        static_cast<Eigen::Index>((random.vector(1)[0] + 1.0) * 0.4999 * static_cast<double>(incident().steps()));
    const std::string& endpoint = endpoints[static_cast<std::size_t>(trial) % endpoints.size()];
    Observation observation;
    incident().observe(step, observation);
    const Instant& now = reader.at(observation);
    deployed.solve(now);
    stacked.solve(now);
    EXPECT_TRUE(now.static_residual().isApprox(now.observation().tau - now.gravity_torque(), tolerance::kArithmetic));
    for (const EstimatorName estimator : {EstimatorName::deployed, EstimatorName::stacked}) {
      const WrenchEstimates& estimates = estimator == EstimatorName::deployed ? deployed.results() : stacked.results();
      const WrenchEstimate& estimate = estimates[static_cast<std::size_t>(trial) % endpoints.size()];
      Matrix6X contribution(6, 27);
      ASSERT_EQ(attribution(estimate.gain, now.static_residual(), contribution), Status::ok);
      const Vector6 sum = contribution.rowwise().sum();
      const Vector6 wrench = audit.audited.reconstruction.find(endpoint, estimator).wrench.row(step);
      const double size = std::max(1.0, contribution.cwiseAbs().maxCoeff());
      EXPECT_NEAR((sum - wrench).cwiseAbs().maxCoeff() / size, 0.0, tolerance::kArithmetic)
          << endpoint << " " << to_string(estimator) << " " << step;
      EXPECT_NEAR((estimate.wrench.to_vector() - wrench).cwiseAbs().maxCoeff() / size, 0.0, tolerance::kArithmetic);
    }
  }
}

/// Those that an audit keeps: of the focus step at the focus endpoint.
TEST(AuditTwin, TheFocusStepsAttributionsSumToTheWrench) {
  const Audit& audit = twin_audit();
  ASSERT_EQ(audit.attributions.size(), 2u);
  for (const Attribution& a : audit.attributions) {
    SCOPED_TRACE(to_string(a.estimator));
    EXPECT_EQ(a.step, audit.focus_step);
    EXPECT_EQ(a.endpoint, audit.focus_endpoint);
    const Vector6 sum = a.contribution.rowwise().sum();
    const Vector6 wrench = audit.audited.reconstruction.find(a.endpoint, a.estimator).wrench.row(a.step);
    const double size = std::max(1.0, a.contribution.cwiseAbs().maxCoeff());
    EXPECT_NEAR((sum - wrench).cwiseAbs().maxCoeff() / size, 0.0, tolerance::kArithmetic);
    EXPECT_NEAR((a.wrench - wrench).cwiseAbs().maxCoeff() / size, 0.0, tolerance::kArithmetic);
    EXPECT_TRUE(a.residual.isApprox(a.tau - a.gravity, tolerance::kArithmetic));
  }
}

/// Numbers of a sentence in their order. Digits that belong to a word ("h1_2") are none.
std::vector<std::string> numbers_in(const std::string& text) {
  std::vector<std::string> numbers;
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = 0; at < text.size();) {
    const bool digit = std::isdigit(static_cast<unsigned char>(text[at]));
    if (!digit || (at > 0 && is_word(text[at - 1]))) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() &&
           (std::isdigit(static_cast<unsigned char>(text[end])) ||
            (text[end] == '.' && end + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[end + 1]))))) {
      ++end;
    }
    if (end == text.size() || !is_word(text[end])) {
      const bool minus = at > 0 && text[at - 1] == '-' && (at < 2 || !is_word(text[at - 2]));
      numbers.push_back(text.substr(minus ? at - 1 : at, end - at + (minus ? 1 : 0)));
    }
    at = end;
  }
  return numbers;
}

/// As many decimals as a sentence shows: three significant digits, and no fewer than the whole newton.
double half_unit_of(double value) {
  const double size = std::abs(value);
  // Below 0.01: two significant digits.
  if (size > 0 && size < 0.01) return 0.5 * std::pow(10.0, std::floor(std::log10(size)) - 1.0);
  return size < 1.0 ? 0.0005 : size < 10.0 ? 0.005 : size < 100.0 ? 0.05 : 0.5;
}

/// The numbers that each statement of the verdict must print, from the result structs, in the order of the sentence.
class NumbersOfTheVerdict {
 public:
  explicit NumbersOfTheVerdict(const Audit& audit)
      : audit_(audit), r_(audit.audited.reconstruction), s_(r_.find(audit.focus_endpoint, EstimatorName::deployed)) {
    what_happened();
    guards();
    stacked();
    posterior();
    causes();
    guarded_posterior();
    contacts();
    advice();
    append(Topic::tilt, {5.0});
    for (const TiltSensitivity& tilt : audit_.tilt) append(Topic::tilt, {tilt.largest_torque, tilt.phantom_force});
  }

  /// Of one statement; of `pose_reversed` the next.
  std::vector<double> of(Topic topic) {
    if (topic != Topic::pose_reversed) return expected_[topic];
    if (reversed_.empty()) return {};
    const double force = reversed_.front();
    reversed_.erase(reversed_.begin());
    return {force};
  }

 private:
  void append(Topic topic, const std::vector<double>& values) {
    expected_[topic].insert(expected_[topic].end(), values.begin(), values.end());
  }
  void append_step(Topic topic, Eigen::Index at) { append(topic, {static_cast<double>(at), r_.time[at]}); }
  const Counterfactual& counterfactual(Remedy remedy) const {
    for (const Counterfactual& c : audit_.counterfactuals) {
      if (c.remedy == remedy) return c;
    }
    throw std::runtime_error(std::string(to_string(remedy)));
  }

  void what_happened() {
    append_step(Topic::what, focus_);
    append(Topic::what, {s_.force_norm[focus_], s_.wrench(focus_, kFz), s_.peak_force});
    append_step(Topic::what, s_.peak_step);
    const Attribution& a = audit_.attributions[0];
    const double part = a.contribution(kFz, 12), total = a.wrench[kFz];
    append(Topic::cause, {total, part, a.residual[12], 1.0, s_.reference_gain(focus_, kFz), total - part});
    for (const PoseCounterfactual& row : audit_.pose_counterfactuals) {
      if (row.pose == "twin_good step 0" && row.residuals_of == "twin_incident")
        append(Topic::pose, {0.0, row.gain, row.force_at_focus});
      if (row.pose == "twin_incident step 8" && row.residuals_of != "twin_incident")
        reversed_.push_back(row.largest_force);
    }
    for (const PreflightCheck& check : audit_.audited.preflight.checks) {
      if (!check.passed) append(Topic::preflight, {check.value, check.limit});
    }
  }

  void guards() {
    for (const auto& [remedy, topic] :
         {std::pair(Remedy::watchdog, Topic::watchdog), std::pair(Remedy::clamp, Topic::clamp)}) {
      append_step(topic, counterfactual(remedy).first_act);
      append(topic, {counterfactual(remedy).largest_force_read});
    }
    for (const Counterfactual& c : audit_.counterfactuals) {
      if (c.kind != RemedyKind::guard || c.remedy == Remedy::all_guards || of_posterior(c)) continue;
      for (const auto& alarm : c.false_alarms) {
        if (alarm.steps > 0) append(Topic::false_alarms, {100.0 * alarm.share});
      }
    }
    for (const EpisodeAudit& good : audit_.baselines) {
      if (good.contact_share > 0.0) append(Topic::false_alarms, {100.0 * good.contact_share});
    }
  }

  void stacked() {
    append(Topic::stacked,
           {counterfactual(Remedy::stacked).force_at_focus.z(),
            r_.find("left_ankle_roll_link", EstimatorName::stacked).wrench(focus_, kFz),
            r_.find("right_ankle_roll_link", EstimatorName::stacked).wrench(focus_, kFz), audit_.total_mass * 9.81});
    for (const FeasibilityRow& row : audit_.feasibility) {
      if (row.endpoint.empty() && !row.feasible) append(Topic::stacked, {-row.value, row.sd});
    }
  }

  void posterior() {
    const EstimateSeries& p = r_.find(audit_.focus_endpoint, EstimatorName::posterior);
    const PosteriorTrace& trace = *p.posterior;
    for (int axis = 0; axis < 3; ++axis) append(Topic::posterior, {p.wrench(focus_, axis), trace.sd(focus_, axis)});
    append(Topic::posterior, {1.0 * trace.observable[static_cast<std::size_t>(focus_)], 3.0});
    for (int axis = 0; axis < 3; ++axis) append(Topic::posterior, {trace.worst_direction(focus_, axis)});
    append(Topic::posterior, {trace.worst_sd[focus_], 0.0, trace.worst_sd[0]});
    for (const ReliabilityTable& table : audit_.reliability) {
      if (table.endpoint != audit_.focus_endpoint) continue;
      for (const ReliabilityTable::Row& row : table.rows) {
        if (row.joint == audit_.reference_joint)
          append(Topic::reliability, {row.detectable_bias, row.prior_free_bias, row.prior_free_redundancy});
      }
    }
  }

  void causes() {
    const CauseTest& test = audit_.cause_test;
    for (std::size_t i = 0; i < (test.explained ? 2U : 1U); ++i) {
      const CauseRow& cause = test.causes[i];
      append(Topic::cause_test, {cause.size, cause.size_sd});
      if (test.explained) {
        append(Topic::cause_test, {std::clamp(cause.probability, 0.001, 0.999)});
      } else {
        append(Topic::cause_test, {test.chi_squared, cause.misfit, test.threshold});
      }
    }
  }

  void guarded_posterior() {
    const PosteriorTrace& trace = *r_.find(audit_.focus_endpoint, EstimatorName::posterior).posterior;
    const int observable = trace.observable[static_cast<std::size_t>(focus_)];
    append(Topic::guarded_posterior, {counterfactual(Remedy::guarded_posterior).largest_force_read, s_.peak_force});
    if (observable < 3) append(Topic::guarded_posterior, {static_cast<double>(focus_), 1.0 * observable, 3.0});
    append_step(Topic::guarded_posterior, trace.first_refusal);
    append_step(Topic::guarded_posterior, trace.first_alarm);
    for (const Remedy remedy : {Remedy::nis_alarm, Remedy::guarded_posterior}) {
      for (const auto& alarm : counterfactual(remedy).false_alarms) {
        append(Topic::guarded_posterior, {100.0 * alarm.share});
        if (alarm.degraded_steps > 0) append(Topic::guarded_posterior, {100.0 * alarm.degraded_share});
      }
    }
  }

  void contacts() {
    if (audit_.contacts.empty()) append(Topic::contacts, {0.1});
    for (std::size_t i = 0; i < std::min<std::size_t>(audit_.contacts.size(), 4); ++i) {
      const ContactInterval& c = audit_.contacts[i];
      append(Topic::contacts, {c.size, c.size_sd});
      append_step(Topic::contacts, c.from);
      append_step(Topic::contacts, c.to);
    }
  }

  void advice() {
    append(Topic::advice, {0.0});
    const auto alone = [&](const AdviceRow::Alone& move) {
      append(Topic::advice, {move.from});
      for (const double to : {move.below, move.above}) {
        if (std::isfinite(to)) append(Topic::advice, {to});
      }
    };
    for (const AdviceRow& row : audit_.advice) {
      for (const auto& condition : row.conditions) append(Topic::advice, {condition.limit});
      append(Topic::advice, {row.distance});
      for (const AdviceRow::Move& move : row.moves) append(Topic::advice, {move.from, move.to});
      const std::string& first = audit_.advice.front().alone.front().joint;
      alone(row.alone.front());
      for (const auto& move : row.alone) {
        if (move.joint == first && row.alone.front().joint != first) alone(move);
      }
    }
  }

  const Audit& audit_;
  const Reconstruction& r_;
  const EstimateSeries& s_;
  const Eigen::Index focus_ = audit_.focus_step;
  std::map<Topic, std::vector<double>> expected_;
  std::vector<double> reversed_;
};

/// Every number in the verdict is one of the result structs', in the order in which the sentence names them.
TEST(AuditTwin, EveryNumberOfTheVerdictIsInTheResults) {
  const Audit& audit = twin_audit();
  NumbersOfTheVerdict expected(audit);
  std::set<Topic> said;
  for (const Statement& statement : audit.verdict) {
    SCOPED_TRACE(std::string(to_string(statement.id)) + ": " + statement.text);
    said.insert(statement.id);
    const std::vector<double> values = expected.of(statement.id);
    const std::vector<std::string> printed = numbers_in(statement.text);
    ASSERT_EQ(printed.size(), values.size());
    for (std::size_t i = 0; i < printed.size(); ++i) {
      // Times have three decimals; everything else three significant digits.
      const bool is_time = printed[i].size() > 4 && printed[i][printed[i].size() - 4] == '.';
      const double allowed = is_time ? 0.0005 : half_unit_of(values[i]);
      EXPECT_NEAR(std::stod(printed[i]), values[i], allowed * (1.0 + 1e-9) * tolerance::scale()) << "number " << i;
    }
  }
  using enum Topic;
  for (const Topic topic : {what, cause, pose, pose_reversed, preflight, watchdog, clamp, false_alarms, stacked,
                            posterior, reliability, cause_test, guarded_posterior, advice}) {
    EXPECT_TRUE(said.contains(topic)) << to_string(topic);
  }
  EXPECT_FALSE(said.contains(tilt)) << "the twin's IMU knows the tilt";
}

/// A tilt is bounded where nobody measured it, by the joints that carry what was audited.
TEST(AuditTwin, ATiltIsToldOnlyWithoutAnImu) {
  Episode blind = incident();
  blind.imu_quaternion.resize(0, 4);
  const std::vector<std::string> wrist = {"left_wrist_yaw_link"};
  AuditRequest request;
  request.endpoints = wrist;
  const Audit audit = run_audit(h1_2(), {blind}, request, audit_options(h1_2(), wrist));
  const auto told =
      std::find_if(audit.verdict.begin(), audit.verdict.end(), [](auto& s) { return s.id == Topic::tilt; });
  ASSERT_NE(told, audit.verdict.end());
  for (const TiltSensitivity& t : audit.tilt) {
    EXPECT_TRUE(t.joint.starts_with("left_") || t.joint == "torso_joint") << t.joint << " does not carry the wrist";
    EXPECT_NE(told->text.find(t.joint), std::string::npos);
  }
}

TEST(AuditTwin, RowsWithNanDoNotTouchTheOthers) {
  Episode hurt = incident();
  hurt.tau(5, 3) = kNaN;
  hurt.q(20, 0) = kInfinity;
  hurt.imu_quaternion.row(30).setZero();
  const std::set<Eigen::Index> bad = {5, 20, 30};
  hurt.invalid_steps.assign(bad.begin(), bad.end());
  const auto endpoints = all_endpoints(h1_2());
  const Reconstruction whole = test::reconstruct(h1_2(), incident(), endpoints, AuditOptions{});
  const Reconstruction part = test::reconstruct(h1_2(), hurt, endpoints, AuditOptions{});
  ASSERT_EQ(part.steps(), whole.steps());
  ASSERT_EQ(part.series.size(), 10u);  // deployed and stacked at four limbs, posterior at two
  for (std::size_t k = 0; k < whole.series.size(); ++k) {
    const EstimateSeries &a = whole.series[k], &b = part.series[k];
    SCOPED_TRACE(a.endpoint + ", " + std::string(to_string(a.estimator)));
    for (Eigen::Index i = 0; i < whole.steps(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (bad.contains(i)) {
        EXPECT_EQ(b.verdict[at], Verdict::invalid_input) << i;
        Reasons reasons = b.reasons[at];
        reasons.remove(Reason::watchdog);
        EXPECT_EQ(reasons, Reason::invalid_input) << "a latched watchdog stays latched; " << i;
        EXPECT_TRUE(b.wrench.row(i).array().isNaN().all()) << i;
        // The posterior's guard holds what was last known, and says so.
        if (b.posterior) {
          EXPECT_EQ(b.posterior->state[at], Verdict::refused) << i;
          EXPECT_EQ(b.posterior->action[at], ConsumerAction::hold) << i;
        } else {
          EXPECT_TRUE(b.guarded_force.row(i).array().isNaN().all()) << "no force is not a force of zero; " << i;
        }
        EXPECT_TRUE(std::isnan(b.kappa[i]) && std::isnan(b.force_norm[i])) << i;
        for (const GuardTrace& trace : b.guards) {
          EXPECT_TRUE(trace.action[at] == GuardAction::no_input || trace.action[at] == GuardAction::damping)
              << to_string(trace.guard) << " " << i;
        }
      } else {
        EXPECT_TRUE(same_bits(SampleMatrix(a.wrench.row(i)), SampleMatrix(b.wrench.row(i)))) << i;
        EXPECT_TRUE(same_bits(SampleMatrix(a.reference_gain.row(i)), SampleMatrix(b.reference_gain.row(i)))) << i;
        EXPECT_EQ(a.kappa[i], b.kappa[i]) << i;
        EXPECT_NE(b.verdict[at], Verdict::invalid_input) << i;
      }
    }
  }
  const Audit audit = run_audit(h1_2(), {hurt}, AuditRequest{}, AuditOptions{});
  EXPECT_EQ(audit.focus_step, 8);
  EXPECT_EQ(audit.cannot_tell.back().id, Topic::invalid);
  const Table table = steps_table(part);
  EXPECT_EQ(table.rows(), part.series.size() * static_cast<std::size_t>(whole.steps())) << "rows keep their place";
}

TEST(AuditTwin, AllRowsNan) {
  Episode empty = incident();
  empty.tau.setConstant(kNaN);
  for (Eigen::Index i = 0; i < empty.steps(); ++i) empty.invalid_steps.push_back(i);
  const Audit audit = run_audit(h1_2(), {empty, incident()}, AuditRequest{}, AuditOptions{});
  EXPECT_FALSE(audit.incident);
  EXPECT_EQ(audit.focus_step, -1);
  ASSERT_EQ(audit.verdict.size(), 1u);
  EXPECT_NE(audit.verdict[0].text.find("No step of this log can be used"), std::string::npos);
  EXPECT_TRUE(audit.attributions.empty());
  EXPECT_TRUE(audit.counterfactuals.empty());
  EXPECT_TRUE(std::isnan(audit.audited.peak_torque)) << "no torque is not a torque of zero";
  EXPECT_TRUE(std::isnan(audit.audited.reference.mean));
  for (const auto& contamination : audit.audited.reference.contamination) {
    EXPECT_TRUE(std::isnan(contamination.mean) && std::isnan(contamination.worst)) << contamination.endpoint;
    EXPECT_EQ(contamination.worst_step, -1);
  }
  for (const EstimateSeries& series : audit.audited.reconstruction.series) EXPECT_TRUE(std::isnan(series.peak_force));
  EXPECT_TRUE(test::parse_json(audit_summary(audit).dump())["audited"]["peak_torque_Nm"].is_null());
}

TEST(AuditTwin, OneStep) {
  Eigen::Index first = 0;
  const Episode one = cut_episode(incident(), incident().time[8], incident().time[8], first);
  ASSERT_EQ(one.steps(), 1);
  const Audit audit = run_audit(h1_2(), {one}, AuditRequest{}, AuditOptions{});
  EXPECT_FALSE(audit.incident) << "one step is no three";
  EXPECT_EQ(audit.focus_step, 0);
  EXPECT_EQ(audit.audited.reconstruction.find(audit.focus_endpoint, EstimatorName::deployed).force_norm[0],
            twin_audit().audited.reconstruction.find(audit.focus_endpoint, EstimatorName::deployed).force_norm[8]);
  EXPECT_EQ(audit.audited.reference.deviation, 0.0);
}

TEST(AuditTwin, CutStepsKeepTheirNumber) {
  AuditRequest request;
  request.from = incident().time[6];
  request.to = incident().time[40];
  const Audit audit = run_audit(h1_2(), {incident()}, request, AuditOptions{});
  EXPECT_EQ(audit.audited.reconstruction.first_step, 6);
  EXPECT_EQ(audit.audited.reconstruction.steps(), 35);
  EXPECT_EQ(audit.focus_step, 8);
  EXPECT_EQ(audit.attributions[0].step, 8);
  EXPECT_EQ(audit.attributions[0].wrench, twin_audit().attributions[0].wrench);
  EXPECT_EQ(steps_table(audit.audited.reconstruction).numbers("step").front(), 6.0);
  EXPECT_EQ(audit.events.back().step, 40);
}

TEST(AuditTwin, ProgressGrowsToOne) {
  std::vector<double> shares;
  run_audit(h1_2(), {incident(), incident()}, AuditRequest{}, AuditOptions{},
            [&](double share) { shares.push_back(share); });
  ASSERT_GT(shares.size(), 5u) << "threads work on some dozens of steps at a time";
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_GE(shares.front(), 0.0);
  EXPECT_NEAR(shares.back(), 1.0, tolerance::kArithmetic);
  AuditRequest cut;
  cut.to = incident().time[9];
  shares.clear();
  run_audit(h1_2(), {incident(), incident()}, cut, AuditOptions{}, [&](double share) { shares.push_back(share); });
  EXPECT_NEAR(shares.back(), 1.0, tolerance::kArithmetic) << "a part of the log is the whole of the work";
}

TEST(AuditTwin, Refusals) {
  EXPECT_ERROR(run_audit(h1_2(), std::vector<Episode>{}, AuditRequest{}, AuditOptions{}), "no episode");
  AuditRequest request;
  request.endpoints = {"left_wrist_yaw_lnk"};
  EXPECT_ERROR(run_audit(h1_2(), {incident()}, request, AuditOptions{}), "did you mean 'left_wrist_yaw_link'?");
  request.endpoints = {"left wrist", "left_wrist_yaw_link"};
  EXPECT_ERROR(run_audit(h1_2(), {incident()}, request, AuditOptions{}), "is named twice");
  request.endpoints = {"left wrist"};
  request.from = 1e6;
  EXPECT_ERROR(run_audit(h1_2(), {incident()}, request, AuditOptions{}), "no step from 1e+06 s on");
  request.endpoints.clear();
  request.episode = "nowhere";
  EXPECT_THROW(run_audit(h1_2(), request, AuditOptions{}), EpisodeError);
}

TEST(AuditTwin, ZeroPhaseServesThePosteriorAlone) {
  const Robot robot = test::own_robot("h1_2");
  const SyntheticEpisode twin = make_twin(robot, TwinKind::incident, {.motor_side_torque = false, .inertial = true});
  const std::vector<std::string> wrist = {"left_wrist_yaw_link"};
  AuditOptions causal, smooth;
  smooth.smooth.zero_phase = true;
  const Reconstruction before = test::reconstruct(robot, twin.episode, wrist, causal);
  const Reconstruction after = test::reconstruct(robot, twin.episode, wrist, smooth);
  EXPECT_EQ(before.find(wrist[0], EstimatorName::deployed).wrench.topRows(9),
            after.find(wrist[0], EstimatorName::deployed).wrench.topRows(9));
  // 50 Hz: too slow for causal differences, and nobody pushes.
  const EstimateSeries &slow = before.find(wrist[0], EstimatorName::posterior),
                       &fast = after.find(wrist[0], EstimatorName::posterior);
  EXPECT_EQ(slow.posterior->residual_kind[6], ResidualKind::static_gravity);
  EXPECT_EQ(fast.posterior->residual_kind[6], ResidualKind::inverse_dynamics);
  EXPECT_LT(fast.force_norm.segment(2, 20).mean(), 0.7 * slow.force_norm.segment(2, 20).mean());
}

TEST(AuditTwin, SignTurnsEveryForceAround) {
  AuditOptions turned;
  turned.estimator.sign = turned.posterior.sign = Sign::on_robot;
  const Audit audit = run_audit(h1_2(), {incident()}, AuditRequest{}, turned);
  ASSERT_EQ(audit.counterfactuals.size(), twin_audit().counterfactuals.size());
  const EstimateSeries& here = audit.audited.reconstruction.find("left_wrist_yaw_link", EstimatorName::deployed);
  const EstimateSeries& there =
      twin_audit().audited.reconstruction.find("left_wrist_yaw_link", EstimatorName::deployed);
  EXPECT_EQ(here.sign, Sign::on_robot);
  EXPECT_EQ(here.wrench, SampleMatrix(-there.wrench));
  EXPECT_EQ(audit.attributions[0].contribution, Matrix6X(-twin_audit().attributions[0].contribution));
  for (std::size_t i = 0; i < audit.counterfactuals.size(); ++i) {
    const Counterfactual &a = audit.counterfactuals[i], &b = twin_audit().counterfactuals[i];
    if (a.kind != RemedyKind::estimator) continue;
    EXPECT_NEAR((a.force_at_focus + b.force_at_focus).norm(), 0.0, tolerance::kByHand) << to_string(a.remedy);
  }
}

/// A robot without a reference joint, feet, IMU or floating base.
TEST(AuditTwin, RobotWithoutReferenceJoint) {
  const Robot planar = test::own_robot("planar_3r");
  test::RandomStates random(5);
  SCOPED_TRACE(random.text());
  Episode episode;
  episode.name = "planar";
  episode.time = VectorX::LinSpaced(30, 0.0, 0.58);
  episode.q.resize(30, 3);
  episode.tau.resize(30, 3);
  for (Eigen::Index i = 0; i < 30; ++i) {
    episode.q.row(i) = planar.pose("bent") + random.vector(3, 0.1);
    episode.tau.row(i) = random.vector(3, 2.0);
  }
  episode.target = episode.q;
  const Audit audit = run_audit(planar, {episode, episode}, AuditRequest{}, AuditOptions{});
  EXPECT_EQ(audit.base_orientation, "fixed base");
  EXPECT_TRUE(audit.reference_joint.empty());
  EXPECT_TRUE(audit.reference_rows.empty());
  EXPECT_TRUE(audit.tilt.empty());
  EXPECT_FALSE(audit.verdict.empty());
  const Table table = steps_table(audit.audited.reconstruction);
  for (const char* column : {"reference_gain_Fz", "reference_residual"}) {
    for (const double value : table.numbers(column)) EXPECT_TRUE(std::isnan(value)) << column;
  }
  for (const double value : table.numbers("Fx")) EXPECT_TRUE(std::isfinite(value));
  for (const Statement& statement : audit.verdict) {
    EXPECT_EQ(statement.text.find("unknown"), std::string::npos) << statement.text;
    // No check could be made: none may be said to pass or to fail.
    EXPECT_EQ(statement.text.find("pre-flight checks pass"), std::string::npos) << statement.text;
    EXPECT_EQ(statement.text.find("gain at"), std::string::npos) << statement.text;
  }
  const Json summary = test::parse_json(audit_summary(audit).dump());
  EXPECT_TRUE(summary["robot"]["reference_joint"].is_null());
}

/// What is listed is what was there: every push of the twin's truth above the noise, at its wrist and of its size.
TEST(AuditTwin, ContactIntervalsAreThePushes) {
  const SyntheticEpisode twin = make_twin(h1_2(), TwinKind::pushes);
  const Audit audit = run_audit(h1_2(), {twin.episode}, AuditRequest{}, audit_options(h1_2()));
  ASSERT_FALSE(audit.incident);
  ASSERT_GT(audit.contacts.size(), 10u);
  const auto truth = [&](const std::string& endpoint, Eigen::Index row) {
    const auto at = std::find(twin.endpoints.begin(), twin.endpoints.end(), endpoint) - twin.endpoints.begin();
    return twin.wrenches[static_cast<std::size_t>(at)].row(row).head<3>().norm();
  };
  for (const ContactInterval& c : audit.contacts) {
    SCOPED_TRACE(c.label + " from step " + std::to_string(c.from));
    Eigen::Index pushed = 0;
    double most = 0.0;
    for (Eigen::Index row = c.from; row <= c.to; ++row) {
      pushed += truth(c.endpoint, row) > 0.0;
      most = std::max(most, truth(c.endpoint, row));
    }
    EXPECT_EQ(pushed, c.to - c.from + 1) << "somebody pushes in every step";
    EXPECT_NEAR(c.size, most, 3.0 * c.size_sd);
    EXPECT_LT(c.size_sd, 0.25 * most) << "or the line above says little";
  }
  // The other way round: no push of 10 N or more is missed.
  for (const std::string& endpoint : audit.endpoints.empty() ? std::vector<std::string>{} : twin.endpoints) {
    if (h1_2().kind_of(endpoint) == EndpointKind::foot) continue;
    for (Eigen::Index row = 0; row < twin.episode.steps(); ++row) {
      if (truth(endpoint, row) < 9.9) continue;
      EXPECT_TRUE(std::any_of(
          audit.contacts.begin(), audit.contacts.end(),
          [&](const ContactInterval& c) { return c.endpoint == endpoint && c.from - 10 <= row && row <= c.to + 10; }))
          << endpoint << " step " << row;
    }
  }
  const Audit good =
      run_audit(h1_2(), {make_twin(h1_2(), TwinKind::good).episode}, AuditRequest{}, audit_options(h1_2()));
  EXPECT_TRUE(good.contacts.empty()) << "nobody pushes";
}

}  // namespace
}  // namespace antaeus
