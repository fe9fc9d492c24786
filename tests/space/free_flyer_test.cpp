// What is not a law over random states: messages, bad input, tiers along a motion.
#include "antaeus/space/free_flyer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "antaeus/core/error.hpp"
#include "space/space_robots.hpp"
#include "space/tolerances.hpp"

namespace antaeus {
namespace {

using test::largest;

template <class Failure>
std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const Failure& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(FreeFlyer, SaysWhyARobotHasNoCoordinatedMap) {
  const Robot craft = test::own_robot("spacecraft_ur3");
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(message<ModelError>([] { FreeFlyer(test::own_robot("ur5e").model, "tool0"); }), "bolted to the world");
  has(message<ModelError>([] { FreeFlyer(test::own_robot("h1_2").model, "torso_link"); }), "27 joints");
  has(message<ModelError>([&] { FreeFlyer(craft.model, "ee_lnk"); }), "ee_link");
  has(message<ModelError>([&] { FreeFlyer(craft.model, "forearm_link"); }), "3 of its 6 joints");
  ModelOptions locked = craft.profile.options;
  locked.locked_joints["wrist_3_joint"] = 0.0;
  locked.motors.clear();
  has(message<ModelError>([&] { FreeFlyer(RobotModel(craft.model.description(), locked), "ee_link"); }), "5 joints");
  FreeFlyerOptions crossed;
  crossed.j_plus.hard_floor = 0.03;
  has(message<OptionsError>([&] { FreeFlyer(craft.model, "ee_link", crossed); }), "hard_floor");
}

TEST(FreeFlyer, BadInputIsAStatusAndTheLastGoodInverse) {
  for (const char* name : {"spacecraft_ur3", "spacecraft_panda"}) {
    FreeFlyer flying = test::flyer(name);
    test::RandomStates random(77);
    const test::State good = test::regular_states(flying, random, 1)[0];
    ASSERT_EQ(flying.at(good.q, good.v).status, Status::ok);
    const MatrixX inverse = flying.terms().J_plus_inverse;
    VectorX q = good.q, v = good.v;
    q.segment<4>(3) *= 1.5;
    EXPECT_EQ(flying.at(q, v).status, Status::bad_orientation);
    EXPECT_EQ(flying.motion_at(q, v).status, Status::bad_orientation);
    q = good.q;
    v[8] = std::nan("");
    for (const FreeFlyingTerms* t : {&flying.at(q, v)}) {
      EXPECT_EQ(t->status, Status::not_finite);
      EXPECT_EQ(t->motion.status, Status::not_finite);
      EXPECT_EQ(t->tier.tier, InverseTier::held);
      EXPECT_EQ(MatrixX(t->J_plus_inverse), inverse);
      for (const SpaceMatrix* matrix : {&t->M, &t->Gamma, &t->Gamma_inverse, &t->M_hat, &t->C_hat, &t->J_free}) {
        EXPECT_GT(matrix->size(), 0);
        EXPECT_TRUE(matrix->array().isNaN().all());
      }
      EXPECT_TRUE(std::isnan(t->conditioning.sigma_J));
    }
    EXPECT_EQ(flying.motion_at(q, v).status, Status::not_finite);
    EXPECT_TRUE(flying.motion().J_plus.array().isNaN().all());
    // Such numbers overflow in C: a status says so, and no NaN stands beside `ok`.
    for (const double number : {1e20, 1e160, -1e308}) {
      VectorX far = good.q, fast = good.v;
      far[1] = number;
      fast[7] = number;
      EXPECT_EQ(flying.at(far, good.v).status, Status::not_finite);
      EXPECT_TRUE(flying.terms().C.array().isNaN().all());
      EXPECT_EQ(flying.at(good.q, fast).status, Status::not_finite);
      EXPECT_EQ(flying.motion_at(far, good.v).status, Status::not_finite);
      EXPECT_EQ(flying.motion_at(good.q, fast).status, Status::not_finite);
      EXPECT_EQ(flying.conditioning_at(far).status, Status::not_finite);
    }
    EXPECT_EQ(flying.at(q.head(5), v).status, Status::wrong_size);
    EXPECT_EQ(flying.motion_at(good.q, v.head(3)).status, Status::wrong_size);
    EXPECT_EQ(flying.conditioning_at(q.head(5)).status, Status::wrong_size);
    MatrixX small(3, 3);
    EXPECT_EQ(flying.gamma(good.q, small), Status::wrong_size);
    Vector6 twist;
    EXPECT_EQ(flying.twist(flying.frame(), TwistAxes::local, twist), Status::not_computed);
    EXPECT_EQ(flying.at(good.q, good.v).status, Status::ok) << "it recovers";
  }
}

/// The elbow passes through straight: all tiers, and what holds in each.
TEST(FreeFlyer, EveryTierKeepsWhatItPromises) {
  for (const double step : {0.0, 0.5}) {
    FreeFlyerOptions options;
    options.j_plus.exit_step = step;
    FreeFlyer flying = test::flyer("spacecraft_ur3", options);
    VectorX v(12);
    v << 0.1, -0.2, 0.05, 0.1, 0.2, -0.1, 0.1, 0.2, -0.5, 0.3, 0.1, 0.2;
    double off = 0.0, top = 0.0, skew = 0.0, jump = 0.0, entry = 0.0, exact = 0.0;
    int seen[3] = {};
    MatrixX last;
    for (int i = 0; i <= 1600; ++i) {
      VectorX q = flying.model().neutral();
      q.tail(6) << 0.2, -0.7, 0.4 - 5e-4 * i, 0.3, 1.5, 0.1;
      const FreeFlyingTerms& t = flying.at(q, v);
      ASSERT_EQ(t.status, Status::ok);
      ++seen[static_cast<int>(t.tier.tier)];
      off = std::max(off, largest(t.M_hat.topRightCorner(3, 9)));
      const MatrixX product = t.Gamma * t.Gamma_inverse;
      top = std::max(top, largest(product.topRows(6) - MatrixX::Identity(6, 12)));
      if (t.tier.tier == InverseTier::exact && t.tier.remaining == 0.0) {
        exact = std::max(exact, largest(product - MatrixX::Identity(12, 12)));
      }
      const MatrixX half = t.Gamma_inverse_dot.transpose() * t.M * t.Gamma_inverse;
      const MatrixX rate =
          half + half.transpose() + t.Gamma_inverse.transpose() * (t.C + t.C.transpose()) * t.Gamma_inverse;
      skew = std::max(skew, largest(rate - t.C_hat - t.C_hat.transpose()) / largest(t.C_hat));
      EXPECT_TRUE(t.passive);
      if (i > 0) {
        jump = std::max(jump, (MatrixX(t.J_plus_inverse) - last).norm());
        entry = std::max(entry, largest(MatrixX(t.J_plus_inverse) - last));
      }
      last = t.J_plus_inverse;
    }
    EXPECT_GT(seen[0], 100);
    EXPECT_GT(seen[1], 100);
    EXPECT_GT(seen[2], 50);
    EXPECT_LT(off, tolerance::kInertiaBlocks);
    EXPECT_LT(top, tolerance::kMapVelocity);
    EXPECT_LT(exact, tolerance::kMapInverse);
    EXPECT_LT(skew, tolerance::kSkew);
    std::printf(
        "spacecraft_ur3, elbow through straight in steps of 0.5 mrad, exit_step %.1f: inverse changes by up to %.2f "
        "a call, an entry by %.2f\n",
        step, jump, entry);
    if (step == 0.0) {
      EXPECT_GT(jump, 20.0) << "as published";
    } else {
      EXPECT_LT(jump, 1.0);
    }
  }
}

/// A held inverse has no rate of its own, and a damped one that of its formula: M̂̇ by differences in every tier.
TEST(FreeFlyer, CoriolisIsPassiveByDifferencesInTheDampedTier) {
  FreeFlyerOptions options = test::single_states();
  options.j_plus.soft_floor = 0.08;
  FreeFlyer flying = test::flyer("spacecraft_ur3", options), probe = test::flyer("spacecraft_ur3", options);
  test::RandomStates random(1509);
  double worst = 0.0, published = 0.0;
  int damped = 0;
  for (const test::State& state : test::regular_states(flying, random, 300)) {
    const FreeFlyingTerms& t = flying.at(state.q, state.v);
    if (t.tier.tier != InverseTier::damped || t.conditioning.sigma_J > 0.0799) continue;
    ++damped;
    const MatrixX after = probe.at(test::moved(flying.model(), state.q, state.v, test::kDifference), state.v).M_hat;
    const MatrixX before = probe.at(test::moved(flying.model(), state.q, state.v, -test::kDifference), state.v).M_hat;
    const MatrixX rate = (after - before) / (2.0 * test::kDifference);
    worst = std::max(worst, largest(rate - t.C_hat - t.C_hat.transpose()) / largest(t.C_hat));
    const MatrixX formula = t.Gamma_inverse.transpose() * (t.C - t.M * t.Gamma_inverse * t.Gamma_dot) * t.Gamma_inverse;
    published = std::max(published, largest(rate - formula - formula.transpose()) / largest(formula));
  }
  EXPECT_GT(damped, 20);
  EXPECT_LT(worst, tolerance::kInertiaRate);
  EXPECT_GT(published, 0.1) << "the published formula is not passive here";
}

TEST(FreeFlyer, ResetForgetsTheLastInverse) {
  FreeFlyer flying = test::flyer("spacecraft_ur3");
  VectorX q = flying.model().neutral();
  const VectorX v = VectorX::Zero(12);
  EXPECT_TRUE(flying.at(q, v).tier.initial) << "stretched out: singular, and nothing to hold";
  EXPECT_EQ(largest(flying.terms().J_plus_inverse), 0.0);
  EXPECT_TRUE(std::isinf(flying.terms().conditioning.kappa_J) || flying.terms().conditioning.kappa_J > 1e12);
  VectorX bent = q;
  bent.tail(6) << 0.2, -0.7, 1.2, 0.3, 1.5, 0.1;
  flying.at(bent, v);
  EXPECT_FALSE(flying.at(q, v).tier.initial);
  EXPECT_GT(largest(flying.terms().J_plus_inverse), 1.0);
  flying.reset();
  EXPECT_TRUE(flying.at(q, v).tier.initial);
}

}  // namespace
}  // namespace antaeus
