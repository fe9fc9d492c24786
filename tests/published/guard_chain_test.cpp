#include "antaeus/estimation/published/guard_chain.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/core/error.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

constexpr int kReference = 0;

/// A usable estimate with this force, of three motors that explain nothing of it.
WrenchEstimate estimate_of(const Vector3& force, double kappa = 10.0) {
  WrenchEstimate estimate;
  estimate.reset(3);
  estimate.status = Status::ok;
  estimate.verdict = Verdict::ok;
  estimate.reasons = {};
  estimate.wrench = {force, Vector3(1, 2, 3)};
  estimate.kappa = kappa;
  estimate.gain.setZero();
  estimate.residual.setZero();
  estimate.reference_motor = kReference;
  return estimate;
}

/// Gains and residuals whose parts of the force are the columns below.
WrenchEstimate dominated(int reference = kReference) {
  WrenchEstimate estimate = estimate_of({0, 0, 0});
  estimate.reference_motor = reference;
  estimate.residual = Vector3(2.0, -1.0, 4.0);
  estimate.gain.col(0) << 1, 1, 15, 0, 0, 0;  // × 2 = (2, 2, 30)
  estimate.gain.col(1) << 3, 0, -3, 0, 0, 0;  // × −1 = (−3, 0, 3)
  estimate.gain.col(2) << 0, 2, 1, 0, 0, 0;   // × 4 = (0, 8, 4)
  estimate.wrench.force = Vector3(-1, 10, 37);
  return estimate;
}

void expect_untouched(const ChainedWrench& guarded, const WrenchEstimate& estimate) {
  EXPECT_EQ(guarded.wrench.force, estimate.wrench.force);
  EXPECT_EQ(guarded.wrench.torque, estimate.wrench.torque);
  EXPECT_EQ(guarded.verdict, estimate.verdict);
  EXPECT_EQ(guarded.reasons, estimate.reasons);
}

void expect_zero(const ChainedWrench& guarded) {
  EXPECT_TRUE(guarded.wrench.force.isZero(0.0) && guarded.wrench.torque.isZero(0.0));
  EXPECT_EQ(guarded.verdict, Verdict::refused);
}

TEST(Guard, DefaultsAreTheReports) {
  const PublishedGuardOptions options;
  EXPECT_EQ(options.clamp_force, 50.0);
  EXPECT_EQ(options.condition_limit, 20.0);
  EXPECT_EQ(options.dominance_limit, 0.5);
  EXPECT_EQ(options.watchdog_force, 100.0);
  EXPECT_EQ(options.watchdog_steps, 3);
  EXPECT_EQ(GuardChain::default_order(), (std::vector<GuardKind>{GuardKind::watchdog, GuardKind::condition,
                                                                 GuardKind::reference_dominance, GuardKind::clamp}));
}

TEST(Guard, ClampCutsEachComponentAndSaysSo) {
  GuardChain chain({GuardKind::clamp});
  const WrenchEstimate small = estimate_of({50, -50, 49.9});
  const ChainedWrench& passed = chain.apply(small);
  expect_untouched(passed, small);
  EXPECT_EQ(passed.records[0].action, GuardAction::passed);
  EXPECT_EQ(passed.records[0].saw, 50.0);
  EXPECT_EQ(passed.records[0].limit, 50.0);

  const ChainedWrench& clipped = chain.apply(estimate_of({165, 11, -533}));
  EXPECT_EQ(clipped.wrench.force, Vector3(50, 11, -50));
  EXPECT_EQ(clipped.wrench.torque, Vector3(1, 2, 3)) << "the report clips the force alone";
  EXPECT_EQ(clipped.verdict, Verdict::degraded);
  EXPECT_EQ(clipped.reasons, Reason::clamped);
  EXPECT_EQ(clipped.records[0].action, GuardAction::clipped);
  EXPECT_EQ(clipped.records[0].saw, 533.0);
}

TEST(Guard, NormClampKeepsTheDirection) {
  GuardChain chain({GuardKind::norm_clamp});
  // (30, −40, 0): 50 N passes; twice that is cut to half.
  const WrenchEstimate at_limit = estimate_of({30, -40, 0});
  expect_untouched(chain.apply(at_limit), at_limit);
  const ChainedWrench& clipped = chain.apply(estimate_of({60, -80, 0}));
  EXPECT_LE((clipped.wrench.force - Vector3(30, -40, 0)).norm(), tolerance::kByHand);
  EXPECT_EQ(clipped.records[0].saw, 100.0);
  EXPECT_EQ(clipped.records[0].kind, GuardKind::norm_clamp);
  EXPECT_EQ(clipped.verdict, Verdict::degraded);
  EXPECT_EQ(clipped.reasons, Reason::clamped);
  // Where every component is below the limit the two clamps differ.
  const ChainedWrench& slanted = chain.apply(estimate_of({40, 40, 40}));
  EXPECT_NEAR(slanted.wrench.force.norm(), 50.0, tolerance::kByHand);
}

TEST(Guard, ConditionRefusesAndZeroes) {
  GuardChain chain({GuardKind::condition});
  const WrenchEstimate good = estimate_of({1, 2, 3}, 20.0);
  expect_untouched(chain.apply(good), good);
  for (const double kappa : {20.01, 40.0, kInfinity, kNaN}) {
    const ChainedWrench& refused = chain.apply(estimate_of({1, 2, 3}, kappa));
    expect_zero(refused);
    EXPECT_EQ(refused.reasons, Reason::condition_number);
    EXPECT_EQ(refused.records[0].action, GuardAction::zeroed);
    EXPECT_EQ(refused.records[0].limit, 20.0);
    EXPECT_TRUE(refused.records[0].saw == kappa || std::isnan(kappa));
  }
}

TEST(Guard, DominanceByHand) {
  // The report's code: 30 over 30 + √(3² + 4²) + ε. Its equation: 30 over 30 + |(−3, 8, 7)| + ε.
  const WrenchEstimate estimate = dominated();
  EXPECT_NEAR(reference_dominance(estimate, DominanceForm::per_joint), 30.0 / (35.0 + 1e-6), tolerance::kByHand);
  EXPECT_NEAR(reference_dominance(estimate, DominanceForm::formula),
              30.0 / (30.0 + std::sqrt(9.0 + 64.0 + 49.0) + 1e-6), tolerance::kByHand);
  // With joint 1 as reference: 3 over 3 + √(30² + 4²); 3 over 3 + |(2, 10, 34)|.
  EXPECT_NEAR(reference_dominance(dominated(1), DominanceForm::per_joint), 3.0 / (3.0 + std::sqrt(900.0 + 16.0) + 1e-6),
              tolerance::kByHand);
  EXPECT_NEAR(reference_dominance(dominated(1), DominanceForm::formula),
              3.0 / (3.0 + std::sqrt(4.0 + 100.0 + 1156.0) + 1e-6), tolerance::kByHand);
}

TEST(Guard, DominanceHasItsEdges) {
  WrenchEstimate estimate = dominated();
  const VectorX residual = estimate.residual;
  estimate.residual = VectorX::Zero(3);
  EXPECT_EQ(reference_dominance(estimate, DominanceForm::per_joint), 0.0) << "ε keeps 0/0 away";
  EXPECT_TRUE(std::isnan(reference_dominance(dominated(-1), DominanceForm::per_joint)));
  EXPECT_TRUE(std::isnan(reference_dominance(dominated(3), DominanceForm::formula)));
  estimate.residual = VectorX::Zero(2);
  EXPECT_TRUE(std::isnan(reference_dominance(estimate, DominanceForm::per_joint)));
  estimate.residual = residual;
  estimate.gain.col(0).setZero();
  EXPECT_EQ(reference_dominance(estimate, DominanceForm::formula), 0.0) << "it does not reach the endpoint";
  estimate.invalidate(Status::not_finite);
  EXPECT_TRUE(std::isnan(reference_dominance(estimate, DominanceForm::per_joint)));
}

TEST(Guard, ReferenceDominanceRefusesAndZeroes) {
  EXPECT_EQ(PublishedGuardOptions{}.dominance_limit, 0.5);
  const WrenchEstimate estimate = dominated();
  GuardChain chain({GuardKind::reference_dominance});
  const ChainedWrench& refused = chain.apply(estimate);
  expect_zero(refused);
  EXPECT_EQ(refused.reasons, Reason::reference_dominance);
  EXPECT_NEAR(refused.records[0].saw, 30.0 / 35.0, 1e-6);
  expect_untouched(chain.apply(dominated(1)), estimate);
  expect_untouched(chain.apply(dominated(-1)), estimate);
  EXPECT_TRUE(std::isnan(chain.apply(dominated(-1)).records[0].saw)) << "no reference, nothing to judge";
  // 30/41.05 = 0.73 by the equation, 0.86 by the code: a limit between tells them apart.
  GuardChain by_code({GuardKind::reference_dominance}, {.dominance_limit = 0.8});
  GuardChain by_equation({GuardKind::reference_dominance},
                         {.dominance_limit = 0.8, .dominance_form = DominanceForm::formula});
  expect_zero(by_code.apply(estimate));
  expect_untouched(by_equation.apply(estimate), estimate);
}

TEST(Guard, WatchdogCountsConsecutiveStepsAndLatches) {
  GuardChain chain({GuardKind::watchdog});
  const WrenchEstimate large = estimate_of({0, 0, -101}), small = estimate_of({0, 0, -100});
  const auto step = [&](const WrenchEstimate& estimate) -> const ChainedWrench& { return chain.apply(estimate); };
  EXPECT_FALSE(step(large).damping_mode);
  EXPECT_FALSE(step(large).damping_mode);
  EXPECT_FALSE(step(small).damping_mode) << "100 N is not above 100 N: the count starts again";
  EXPECT_FALSE(step(large).damping_mode);
  EXPECT_FALSE(step(large).damping_mode);
  const ChainedWrench& third = step(large);
  EXPECT_TRUE(third.damping_mode);
  EXPECT_EQ(third.records[0].action, GuardAction::damping);
  EXPECT_EQ(third.records[0].saw, 101.0);
  EXPECT_EQ(third.verdict, Verdict::refused);
  EXPECT_EQ(third.reasons, Reason::watchdog);
  EXPECT_EQ(third.wrench.force, large.wrench.force) << "the watchdog stops the consumer, not the number";
  EXPECT_TRUE(step(small).damping_mode) << "latched";
  EXPECT_EQ(step(small).records[0].action, GuardAction::damping);
  EXPECT_EQ(step(small).verdict, Verdict::refused);
  chain.reset();
  EXPECT_FALSE(step(large).damping_mode);
  EXPECT_FALSE(step(large).damping_mode);
  EXPECT_EQ(step(large).records[0].action, GuardAction::damping);
  chain.reset();
  const ChainedWrench& after = step(small);
  expect_untouched(after, small);
}

TEST(Guard, MissingSampleNeitherCountsNorForgives) {
  GuardChain chain({GuardKind::watchdog});
  const WrenchEstimate large = estimate_of({0, 0, 200});
  WrenchEstimate missing = large;
  missing.invalidate(Status::not_finite);
  chain.apply(large);
  chain.apply(large);
  EXPECT_FALSE(chain.apply(missing).damping_mode);
  EXPECT_TRUE(chain.apply(large).damping_mode);
  const ChainedWrench& latched = chain.apply(missing);
  EXPECT_TRUE(latched.damping_mode);
  EXPECT_EQ(latched.records[0].action, GuardAction::damping);
  EXPECT_EQ(latched.verdict, Verdict::invalid_input);
  EXPECT_EQ(latched.reasons, Reason::invalid_input | Reason::watchdog);
}

TEST(Guard, WithoutInputEveryGuardSaysSoAndNothingIsZero) {
  std::vector<GuardKind> order = GuardChain::default_order();
  order.push_back(GuardKind::norm_clamp);
  GuardChain chain(order);
  WrenchEstimate missing = estimate_of({1, 2, 3});
  missing.invalidate(Status::wrong_size);
  WrenchEstimate spoilt = estimate_of({1, kNaN, 3});
  for (const WrenchEstimate& estimate : {missing, spoilt}) {
    const ChainedWrench& guarded = chain.apply(estimate);
    ASSERT_EQ(guarded.records.size(), 5u);
    for (const GuardRecord& record : guarded.records) {
      EXPECT_EQ(record.action, GuardAction::no_input);
      EXPECT_FALSE(record.acted());
      EXPECT_TRUE(std::isnan(record.saw));
      EXPECT_GT(record.limit, 0.0);
    }
    EXPECT_FALSE(guarded.wrench.is_finite());
    EXPECT_EQ(guarded.verdict, estimate.verdict);
  }
  EXPECT_TRUE(chain.apply(missing).wrench.force.array().isNaN().all());
}

TEST(Guard, ChainRecordsEveryGuardInOrder) {
  GuardChain chain;
  const WrenchEstimate wild = estimate_of({0, 0, -533}, 40.0);
  const ChainedWrench& guarded = chain.apply(wild);
  ASSERT_EQ(guarded.records.size(), 4u);
  EXPECT_EQ(guarded.records[0].kind, GuardKind::watchdog);
  EXPECT_EQ(guarded.records[0].action, GuardAction::passed) << "the first step of three";
  EXPECT_EQ(guarded.records[0].saw, 533.0);
  EXPECT_EQ(guarded.records[1].action, GuardAction::zeroed);
  EXPECT_EQ(guarded.records[3].kind, GuardKind::clamp);
  EXPECT_EQ(guarded.records[3].saw, 0.0) << "behind a guard that zeroed, the clamp sees zero";
  EXPECT_EQ(guarded.records[3].action, GuardAction::passed);
  expect_zero(guarded);
  EXPECT_EQ(guarded.reasons, Reason::condition_number);
}

TEST(Guard, BehindAClampTheWatchdogNeverFires) {
  GuardChain clamp_first({GuardKind::clamp, GuardKind::watchdog}),
      watchdog_first({GuardKind::watchdog, GuardKind::clamp});
  const WrenchEstimate wild = estimate_of({600, -600, 600});
  for (int i = 0; i < 100; ++i) {
    const ChainedWrench& blind = clamp_first.apply(wild);
    EXPECT_FALSE(blind.damping_mode);
    EXPECT_NEAR(blind.records[1].saw, std::sqrt(3.0) * 50.0, tolerance::kByHand) << "never more than 87 N";
    const ChainedWrench& seeing = watchdog_first.apply(wild);
    EXPECT_EQ(seeing.damping_mode, i >= 2);
    EXPECT_EQ(seeing.wrench.force, Vector3(50, -50, 50));
    EXPECT_EQ(seeing.verdict, i >= 2 ? Verdict::refused : Verdict::degraded);
  }
}

TEST(Guard, VerdictsAndReasonsJoin) {
  GuardChain chain({GuardKind::clamp, GuardKind::condition});
  WrenchEstimate estimate = estimate_of({60, 0, 0}, 30.0);
  estimate.verdict = Verdict::unobservable;
  estimate.reasons = Reason::rank_deficient;
  const ChainedWrench& guarded = chain.apply(estimate);
  EXPECT_EQ(guarded.verdict, Verdict::unobservable) << "the worse of the two";
  EXPECT_EQ(guarded.reasons, Reason::rank_deficient | Reason::clamped | Reason::condition_number);
}

TEST(Guard, EmptyChainPassesEverything) {
  GuardChain chain(std::vector<GuardKind>{});
  const WrenchEstimate wild = estimate_of({1e6, 0, 0}, 1e9);
  expect_untouched(chain.apply(wild), wild);
}

TEST(Guard, NoStepsIsNoWatchdog) {
  EXPECT_THROW(GuardChain(GuardChain::default_order(), {.watchdog_steps = 0}), OptionsError);
  EXPECT_THROW(GuardChain(GuardChain::default_order(), {.watchdog_steps = -3}), OptionsError);
}

}  // namespace
}  // namespace antaeus
