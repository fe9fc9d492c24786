// Residuals and every estimator on them, cycle by cycle, with samples that go wrong at random.
#include <gtest/gtest.h>

#include "antaeus/estimation/contact_space_filter.hpp"
#include "antaeus/estimation/envelope.hpp"
#include "antaeus/estimation/published/guard_chain.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"
#include "antaeus/estimation/tare.hpp"
#include "support/faulty_samples.hpp"
#include "support/made_up_noise.hpp"

namespace antaeus {
namespace {

using test::Faults;
using test::soak_faulty_cycles;
using test::Told;

void add_estimates(Told& told, const WrenchEstimates& estimates) {
  for (const WrenchEstimate& one : estimates) {
    bool finite = one.wrench.is_finite() && one.gain.allFinite() && one.residual.allFinite();
    if (one.has_covariance) {
      finite = finite && one.uncertainty.covariance.allFinite() && one.uncertainty.force_sd.allFinite() &&
               std::isfinite(one.uncertainty.nis) && one.uncertainty.covariance.diagonal().minCoeff() >= 0.0;
    }
    told.add(one.status == Status::ok, finite);
    EXPECT_TRUE(one.verdict != Verdict::ok || one.status == Status::ok) << "ok, though there are no numbers";
  }
}

struct Pipeline {
  const char* name;
  ResidualChoice kind;
  bool identified;
};

class EstimationSoak : public testing::TestWithParam<Pipeline> {};

TEST_P(EstimationSoak, FromSampleToWrench) {
  const Pipeline& with = GetParam();
  Robot robot = test::own_robot("h1_2");
  if (with.identified) {
    robot.profile.noise =
        std::make_shared<NoiseModel>(test::made_up_noise(robot.model, NoiseOrigin::held_pose, 12, 0.8, 7));
  }
  InstantReader reader(robot, test::kWrists);
  ResidualEstimator residual(robot, {.kind = with.kind});
  PosteriorEstimator posterior(reader);
  DeployedEstimator deployed(reader);
  StackedEstimator stacked(reader, StackedRows::motors_and_base);
  ContactSpaceFilter filter(reader, posterior);
  GuardChain chain;
  test::FaultySamples samples(robot, robot.pose("zero"));
  double dt = test::FaultySamples::kCycle;
  int cycle = 0;
  // The dynamic residual wants a whole period of samples that it measures the rate by.
  soak_faulty_cycles(
      std::string("from sample to wrench, ") + with.name, {.seed = 3521, .recovers_within = 40, .sample = 2500},
      [&](Faults& faults) {
        dt = test::FaultySamples::kCycle;
        faults.spoil_step(dt);
        samples.next(faults);
        faults.pass_over();  // velocities and accelerations that are not needed; the parts below say what is
      },
      [&] {
        const Instant& now = reader.at(samples.sample);
        if (++cycle % 997 == 0) residual.begin_tare();
        if (cycle % 1501 == 0) residual.begin_day();
        if (cycle % 1801 == 0) residual.end_day();
        const Residual& formed = residual.form(now);
        posterior.solve(formed);
        filter.step(formed, dt);
        deployed.solve(now);
        stacked.solve(now);
        chain.apply(deployed.results().front());
      },
      [&] {
        Told told;
        const Residual& formed = residual.residual();
        if (const DayEstimator* day = residual.day()) {
          EXPECT_TRUE(day->day().mean.allFinite() && day->day().covariance.allFinite());
        }
        bool finite = formed.value.allFinite() && !formed.variance.hasNaN() && formed.variance.minCoeff() > 0.0;
        if (formed.correlated) finite = finite && !formed.covariance.hasNaN();
        told.add(formed.status == Status::ok, finite);
        if (!samples.sample.q.allFinite() || !samples.sample.tau.allFinite() || samples.sample.q.size() != 27 ||
            samples.sample.tau.size() != 27) {
          EXPECT_NE(formed.status, Status::ok);
          EXPECT_NE(posterior.results()[0].status, Status::ok);
          EXPECT_NE(deployed.results()[0].status, Status::ok);
          EXPECT_NE(filter.results()[0].status, Status::ok);
        }
        add_estimates(told, posterior.results());
        add_estimates(told, deployed.results());
        Told others;  // κ and gain of these are NaN by design, so only the wrench is looked at
        for (const WrenchEstimate& one : filter.results()) {
          others.add(one.status == Status::ok, one.wrench.is_finite() && one.uncertainty.covariance.allFinite());
        }
        for (const WrenchEstimate& one : stacked.results()) {
          others.add(one.status == Status::ok, one.wrench.is_finite());
        }
        told.add(others.ok(), others.honest());
        EXPECT_TRUE(others.honest());
        const ChainedWrench chained = chain.apply(deployed.results().front());
        EXPECT_TRUE(chained.verdict != Verdict::ok || chained.wrench.is_finite());
        return told;
      });
}

INSTANTIATE_TEST_SUITE_P(Kinds, EstimationSoak,
                         testing::Values(Pipeline{"static", ResidualChoice::static_gravity, false},
                                         Pipeline{"automatic", ResidualChoice::automatic, false},
                                         Pipeline{"inverse dynamics", ResidualChoice::inverse_dynamics, false},
                                         Pipeline{"momentum observer", ResidualChoice::momentum_observer, false},
                                         Pipeline{"identified noise", ResidualChoice::automatic, true}));

TEST(EstimationSoakParts, SpeedEnvelope) {
  const int n = 7;
  SpeedEnvelope envelope({0, 2, 5}, 1.0);
  VectorX v(n);
  double clock = 0.0, time = 0.0;
  Status status = Status::ok;
  // As its caller does: after time that goes back the history begins anew.
  soak_faulty_cycles(
      "SpeedEnvelope", {.seed = 3522, .recovers_within = 2},
      [&](Faults& faults) {
        const double last = time;
        clock += 0.002;
        time = clock;
        v.resize(n);
        faults.fill(v, 1.0);
        faults.spoil_time(time, last);
        for (const int read : {0, 2, 5}) faults.spoil(v[read]);
      },
      [&] {
        status = envelope.step(time, v);
        if (status == Status::time_back) envelope.reset();
      },
      [&] {
        EXPECT_GE(envelope.share(), 0.0);
        EXPECT_LE(envelope.share(), 1.0);
        return Told(status == Status::ok, std::isfinite(envelope.speed()));
      });
}

/// What it takes off is always a number, and nothing unless it holds.
TEST(EstimationSoakParts, Tare) {
  const int n = 7;
  Tare tare(VectorX::Constant(n, 50.0), {.duration = 0.1, .expiry = 0.2});
  VectorX q(n), speed(n), residual(n), variance(n);
  double clock = 0.0, time = 0.0;
  int held = 0, lost = 0, cycle = 0;
  soak_faulty_cycles(
      "Tare", {.seed = 3523, .recovers_within = -1, .longest_calm = 400},
      [&](Faults& faults) {
        const double last = time;
        clock += 0.002;
        time = clock;
        for (VectorX* one : {&q, &speed, &residual}) {
          one->resize(n);
          faults.fill(*one, 0.01);
          faults.spoil_entry(*one);
        }
        variance.setConstant(n, 0.01);
        faults.spoil_entry(variance);
        faults.spoil_time(time, last);
        faults.pass_over();  // a state, not a status
        if (++cycle % 150 == 0) tare.begin();
      },
      [&] {
        if (cycle % 97 == 0) tare.bad_sample();
        tare.step(time, q, speed, residual, variance);
      },
      [&] {
        held += tare.state() == TareState::holding;
        lost += tare.lost();
        EXPECT_TRUE(tare.state() == TareState::holding || tare.offset().isZero(0.0));
        EXPECT_EQ(tare.lost(), tare.problem() != TareProblem::none);
        return Told(true, tare.offset().allFinite());
      });
  EXPECT_GT(held, 0);
  EXPECT_GT(lost, 0);
}

}  // namespace
}  // namespace antaeus
