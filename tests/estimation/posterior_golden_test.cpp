#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "antaeus/episode/episode.hpp"
#include "antaeus/trust/guarded_estimator.hpp"
#include "estimation/humanoid.hpp"
#include "robot/test_robots.hpp"
#include "support/shared.hpp"
#include "support/static_residual.hpp"

namespace antaeus {
namespace {

// The posterior on the incident's own logs. There is no truth in them, but it is known that
// nobody pushed in RE3, and that RE1 and RE2 went well.

using test::kTorso;
using test::kWrists;
constexpr int kLeftWristPitch = 18;

struct Step {
  WrenchEstimate left, right;
  EndpointReliability reliability;
  double deployed_Fz;
  ConsumerWrench guarded;
};

class PosteriorOnTheLogs : public testing::Test {
 protected:
  void SetUp() override { ANTAEUS_REQUIRE_SHARED("episodes/re3_real_encode_tr1/tau.npy"); }

  std::vector<Step> run(const std::string& name) const {
    const Episode episode = load_episode(test::shared_folder() / "episodes" / name, robot_);
    // The deployed sign, so that numbers compare with the deployed ones.
    GuardedEstimator guarded(robot_, kWrists, {}, {}, {.sign = Sign::on_environment}, {});
    InstantReader reader(robot_, kWrists);
    DeployedEstimator deployed(reader);
    std::vector<Step> steps;
    Observation observation;
    for (Eigen::Index i = 0; i < episode.steps(); ++i) {
      episode.observe(i, observation);
      const auto& results = guarded.update(observation);
      steps.push_back({guarded.estimates()[0], guarded.estimates()[1], guarded.reliability()[0],
                       deployed.solve(reader.at(observation))[0].wrench.force.z(), results[0]});
    }
    return steps;
  }

  Robot robot_ = test::own_robot("h1_2");
};

TEST_F(PosteriorOnTheLogs, Step8OfRe3IsNearZeroAndSaysHowLittleItKnows) {
  const std::vector<Step> steps = run("re3_real_encode_tr1");
  const WrenchEstimate& left = steps[8].left;
  ASSERT_EQ(left.status, Status::ok);
  EXPECT_LT(left.wrench.force.norm(), 6.0);  // deployed: 558 N
  EXPECT_GT(left.uncertainty.worst_sd(), 15.0);
  EXPECT_LT(left.uncertainty.worst_sd(), 25.0);
  // The weak direction is the line from shoulder to wrist, nearly vertical
  // (docs/measured/estimator_study.md#structure).
  EXPECT_GT(std::abs(left.uncertainty.worst_direction().z()), 0.9);
  EXPECT_EQ(left.uncertainty.observable, 2);
  EXPECT_EQ(left.residual_kind, ResidualKind::static_gravity);
  EXPECT_EQ(left.verdict, Verdict::degraded);
  EXPECT_TRUE(left.reasons.has(Reason::motion));
  EXPECT_TRUE(left.reasons.has(Reason::unobservable_direction));
  EXPECT_EQ(left.gain.col(kTorso).norm(), 0.0);  // the joint that made 533 N has no way in
}

TEST_F(PosteriorOnTheLogs, RealSignalsOfRe2Survive) {
  const std::vector<Step> steps = run("re2_real_encode");
  double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
  const double n = static_cast<double>(steps.size());
  for (const Step& step : steps) {
    const double x = step.left.wrench.force.z(), y = step.deployed_Fz;
    sx += x, sy += y, sxx += x * x, syy += y * y, sxy += x * y;
  }
  const double correlation = (n * sxy - sx * sy) / std::sqrt((n * sxx - sx * sx) * (n * syy - sy * sy));
  RecordProperty("correlation", std::to_string(correlation));
  EXPECT_GT(correlation, 0.6);
}

TEST_F(PosteriorOnTheLogs, NisAlarmsInRe3BeforeStep8AndHardlyEverInTheGoodRuns) {
  const std::vector<Step> incident = run("re3_real_encode_tr1");
  int first = -1;
  for (int i = 0; i < static_cast<int>(incident.size()) && first < 0; ++i) {
    if (incident[static_cast<std::size_t>(i)].left.reasons.has_any(kTestAlarm)) first = i;
  }
  RecordProperty("first_alarm", first);
  EXPECT_GE(first, 0);
  EXPECT_LT(first, 8);
  EXPECT_EQ(incident[static_cast<std::size_t>(std::max(first, 0))].guarded.state, Verdict::refused);
  for (const char* name : {"re1_real_encode", "re2_real_encode"}) {
    const std::vector<Step> good = run(name);
    double alarms = 0;
    for (const Step& step : good) {
      alarms += (step.left.reasons | step.right.reasons).has_any(kTestAlarm);
    }
    RecordProperty(std::string("alarms_") + name, std::to_string(alarms));
    EXPECT_LT(alarms / static_cast<double>(good.size()), 0.01) << name;
  }
}

TEST_F(PosteriorOnTheLogs, ReliabilityNamesTheJointsThatCannotBeChecked) {
  const std::vector<Step> incident = run("re3_real_encode_tr1");
  const EndpointReliability& re3 = incident[8].reliability;
  EXPECT_LT(re3.prior_free_redundancy[kTorso], 1e-3);
  EXPECT_GT(re3.prior_free_bias[kTorso], 500.0);
  // What a prior of 20 N adds (10.4 N·m where nothing touches the other hand: docs/measured/incident_logs.md).
  EXPECT_NEAR(re3.minimal_detectable_bias[kTorso], 15.2, 0.3);
  const std::vector<Step> good = run("re2_real_encode");
  const EndpointReliability& re2 = good[8].reliability;
  // docs/measured/incident_logs.md: 0.69 and 10 N·m.
  EXPECT_NEAR(re2.prior_free_redundancy[kTorso], 0.69, 0.02);
  EXPECT_NEAR(re2.prior_free_bias[kTorso], 10.0, 0.3);
  EXPECT_LT(re2.prior_free_redundancy[kLeftWristPitch], kUndetectableRedundancy);
  // Ten times what the motor can do: no fault that it could have would be seen, if contacts could be of any size.
  EXPECT_GT(re2.prior_free_bias[kLeftWristPitch], 10.0 * robot_.model.effort_limits()[kLeftWristPitch]);
  // docs/measured/incident_logs.md: 6.8 N·m with the prior.
  EXPECT_NEAR(re2.minimal_detectable_bias[kLeftWristPitch], 6.8, 0.1);
  // 8 rows, 6 unknowns.
  EXPECT_EQ(re2.prior_free_total, 2.0);
}

}  // namespace
}  // namespace antaeus
