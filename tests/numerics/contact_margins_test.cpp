#include "antaeus/numerics/contact_margins.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "antaeus/core/numbers.hpp"
#include "numerics/conditioning_matrices.hpp"
#include "numerics/tolerances.hpp"

namespace antaeus {
namespace {

/// 20 cm × 10 cm.
constexpr SurfaceContact kFoot{.mu = 0.5, .half_length_x = 0.1, .half_width_y = 0.05};
constexpr SurfaceContact kPyramidFoot{
    .mu = 0.5, .half_length_x = 0.1, .half_width_y = 0.05, .friction = FrictionModel::pyramid};

TEST(ContactMargins, ByHand) {
  const ContactMargins margins = contact_margins({{30.0, 40.0, 200.0}, {4.0, -8.0, 1.0}}, kFoot);
  ASSERT_EQ(margins.status, Status::ok);
  EXPECT_NEAR(margins.unilateral, 200.0, tolerance::kMarginByHand);
  EXPECT_NEAR(margins.friction, 0.5 * 200.0 - 50.0, tolerance::kMarginByHand);
  EXPECT_NEAR(margins.cop_x, 0.1 * 200.0 - 8.0, tolerance::kMarginByHand);
  EXPECT_NEAR(margins.cop_y, 0.05 * 200.0 - 4.0, tolerance::kMarginByHand);
  EXPECT_NEAR(margins.cop_distance_x, 0.06, tolerance::kMarginByHand);
  EXPECT_NEAR(margins.cop_distance_y, 0.03, tolerance::kMarginByHand);
  // μ(X + Y) f_z = 15. τ_max = 15 − |1.5 + 2| − |4 − 4| = 11.5; τ_min = −15 + |1.5 − 2| + |4 + 4| = −6.5.
  EXPECT_NEAR(margins.yaw, 7.5, tolerance::kMarginByHand);
  EXPECT_TRUE(margins.feasible());
}

TEST(ContactMargins, ThePyramidIsWiderThanTheCone) {
  const Wrench corner{{80.0, -90.0, 200.0}, {0.0, 0.0, 0.0}};
  EXPECT_NEAR(contact_margins(corner, kPyramidFoot).friction, 10.0, tolerance::kMarginByHand);
  EXPECT_LT(contact_margins(corner, kFoot).friction, 0.0);
}

TEST(ContactMargins, TorsionalCoefficientReplacesTheCorners) {
  SurfaceContact soft = kFoot;
  soft.torsional_coefficient = 0.02;
  for (const double tau_z : {3.0, -3.0}) {
    const ContactMargins margins = contact_margins({{30.0, 40.0, 200.0}, {4.0, -8.0, tau_z}}, soft);
    EXPECT_NEAR(margins.yaw, 1.0, tolerance::kMarginByHand);
  }
  EXPECT_LT(contact_margins({{0.0, 0.0, 200.0}, {0.0, 0.0, 5.0}}, soft).yaw, 0.0);
}

TEST(ContactMargins, APullingGroundIsImpossible) {
  const ContactMargins margins = contact_margins({{0.0, 0.0, -10.0}, {0.0, 0.0, 0.0}}, kFoot);
  EXPECT_EQ(margins.unilateral, -10.0);
  EXPECT_LT(margins.cop_x, 0.0);
  EXPECT_FALSE(margins.feasible());
  EXPECT_TRUE(std::isnan(margins.cop_distance_x)) << "without pressure it has no centre";
}

// A box on a slope: the ground's force is the weight, in axes tilted by the slope. Its line of action runs through the
// centre of mass at height c, and meets the ground c·tan(slope) off the middle.
TEST(ContactMargins, BoxOnASlope) {
  const double mu = 0.4, weight = 12.0 * 9.81, height = 0.2;
  const SurfaceContact box{.mu = mu, .half_length_x = 0.1, .half_width_y = 0.1};
  const auto on_slope = [&](double angle) {
    const double tangential = weight * std::sin(angle), normal = weight * std::cos(angle);
    return contact_margins({{tangential, 0.0, normal}, {0.0, height * tangential, 0.0}}, box);
  };
  EXPECT_NEAR(on_slope(std::atan(mu)).friction, 0.0, 100.0 * tolerance::kMarginByHand);
  EXPECT_GT(on_slope(std::atan(mu) - 1e-6).friction, 0.0);
  EXPECT_LT(on_slope(std::atan(mu) + 1e-6).friction, 0.0);
  EXPECT_NEAR(on_slope(std::atan(0.5)).cop_x, 0.0, 100.0 * tolerance::kMarginByHand) << "it tips at X/c";
  EXPECT_NEAR(on_slope(std::atan(0.5)).cop_distance_x, 0.0, tolerance::kMarginByHand);
}

TEST(ContactMargins, MirrorsAndScale) {
  test::RandomMatrices random(111);
  for (int trial = 0; trial < 500; ++trial) {
    const Vector6 w = 100.0 * random.dense(6, 1);
    for (const SurfaceContact& contact : {kFoot, kPyramidFoot}) {
      const ContactMargins margins = contact_margins(Wrench::from_vector(w), contact);
      // Mirrored in the plane x z: f_y, τ_x and τ_z change sign.
      Vector6 mirrored = w;
      for (const int row : {kFy, kMx, kMz}) mirrored[row] = -w[row];
      const ContactMargins mirror = contact_margins(Wrench::from_vector(mirrored), contact);
      EXPECT_NEAR(margins.yaw, mirror.yaw, 100.0 * tolerance::kMarginByHand);
      EXPECT_EQ(margins.friction, mirror.friction);
      EXPECT_EQ(margins.cop_y, mirror.cop_y);
      const ContactMargins tripled = contact_margins(Wrench::from_vector(3.0 * w), contact);
      EXPECT_NEAR(tripled.yaw, 3.0 * margins.yaw, 300.0 * tolerance::kMarginByHand);
      EXPECT_NEAR(tripled.friction, 3.0 * margins.friction, 300.0 * tolerance::kMarginByHand);
      EXPECT_EQ(tripled.feasible(), margins.feasible());
    }
  }
}

/// The wrench of four forces at the corners, drawn inside their cones or pyramids, often on their borders.
Wrench corner_wrench(test::RandomMatrices& random, const SurfaceContact& contact) {
  Wrench sum;
  for (const double x : {-contact.half_length_x, contact.half_length_x})
    for (const double y : {-contact.half_width_y, contact.half_width_y}) {
      const double normal = random.index(3) == 0 ? 0.0 : 50.0 * (1.0 + random.uniform());
      Vector3 force(random.uniform(), random.uniform(), 0.0);
      if (random.index(2) == 0) force.head<2>() = force.head<2>().cwiseSign();
      if (contact.friction == FrictionModel::cone && force.norm() > 1.0) force.normalize();
      force *= contact.mu * normal;
      force.z() = normal;
      sum.force += force;
      sum.torque += Vector3(x, y, 0.0).cross(force);
    }
  return sum;
}

TEST(ContactMargins, ForcesAtTheCornersAreNeverRefused) {
  test::RandomMatrices random(112);
  for (int trial = 0; trial < 20000; ++trial) {
    SurfaceContact contact = trial % 2 == 0 ? kFoot : kPyramidFoot;
    contact.mu = 0.05 + 0.6 * (1.0 + random.uniform());
    contact.half_width_y = 0.05 * (1.0 + random.uniform());
    const ContactMargins margins = contact_margins(corner_wrench(random, contact), contact);
    ASSERT_EQ(margins.status, Status::ok);
    const double smallest = std::min({margins.unilateral, margins.friction, margins.cop_x, margins.cop_y, margins.yaw});
    ASSERT_GE(smallest, -100.0 * tolerance::kMarginByHand) << trial;
  }
}

TEST(ContactMargins, BadInputIsNamed) {
  const Wrench good{{1.0, 2.0, 50.0}, {0.1, 0.2, 0.3}};
  const auto expect_nothing = [](const ContactMargins& margins, Status status) {
    EXPECT_EQ(margins.status, status);
    for (const double value : {margins.unilateral, margins.friction, margins.cop_x, margins.cop_y, margins.yaw,
                               margins.cop_distance_x, margins.cop_distance_y})
      EXPECT_TRUE(std::isnan(value));
    EXPECT_FALSE(margins.feasible());
  };
  expect_nothing(ContactMargins(), Status::not_computed);
  const Matrix6 covariance = Matrix6::Identity();
  for (int row = 0; row < 6; ++row)
    for (const double bad : {kNaN, kInfinity}) {
      Vector6 w = good.to_vector();
      w[row] = bad;
      expect_nothing(contact_margins(Wrench::from_vector(w), kFoot), Status::not_finite);
      expect_nothing(margin_deviation(Wrench::from_vector(w), kFoot, covariance), Status::not_finite);
    }
  for (const double bad : {kNaN, kInfinity, -0.1})
    for (int field = 0; field < 4; ++field) {
      SurfaceContact contact = kFoot;
      contact.torsional_coefficient = 0.1;
      double* const fields[] = {&contact.mu, &contact.half_length_x, &contact.half_width_y,
                                &*contact.torsional_coefficient};
      *fields[field] = bad;
      const Status status = std::isfinite(bad) ? Status::not_computed : Status::not_finite;
      expect_nothing(contact_margins(good, contact), status);
      expect_nothing(margin_deviation(good, contact, covariance), status);
    }
  Matrix6 bad_covariance = covariance;
  bad_covariance(3, 4) = kNaN;
  expect_nothing(margin_deviation(good, kFoot, bad_covariance), Status::not_finite);
}

/// A random covariance with sds of some newtons and tenths of newton metres.
Matrix6 random_covariance(test::RandomMatrices& random) {
  Matrix6 root = random.dense(6, 6);
  root.bottomRows<3>() *= 0.05;
  return root * root.transpose();
}

// Away from the kinks, sd is that of the central differences of the margins.
TEST(MarginDeviation, IsTheGradientTimesTheCovariance) {
  test::RandomMatrices random(113);
  constexpr double kDifference = 1e-5;
  using Field = double ContactMargins::*;
  const Field fields[] = {&ContactMargins::unilateral,    &ContactMargins::friction, &ContactMargins::cop_x,
                          &ContactMargins::cop_y,         &ContactMargins::yaw,      &ContactMargins::cop_distance_x,
                          &ContactMargins::cop_distance_y};
  SurfaceContact soft = kFoot;
  soft.torsional_coefficient = 0.03;
  for (int trial = 0; trial < 300; ++trial) {
    Vector6 w = 20.0 * random.dense(6, 1);
    w[kFz] = 100.0 + w[kFz];
    const Matrix6 covariance = random_covariance(random);
    for (const SurfaceContact& contact : {kFoot, kPyramidFoot, soft}) {
      const ContactMargins sd = margin_deviation(Wrench::from_vector(w), contact, covariance);
      for (const Field field : fields) {
        Vector6 slope;
        for (int row = 0; row < 6; ++row) {
          const Vector6 step = kDifference * Vector6::Unit(row);
          slope[row] = (contact_margins(Wrench::from_vector(w + step), contact).*field -
                        contact_margins(Wrench::from_vector(w - step), contact).*field) /
                       (2.0 * kDifference);
        }
        EXPECT_NEAR(sd.*field, std::sqrt(slope.dot(covariance * slope)), tolerance::kMarginSlope);
      }
    }
  }
}

TEST(MarginDeviation, AtAKinkTheLargerSideCounts) {
  // Without moment and tangential force everything but f_z has a kink.
  const Wrench straight{{0.0, 0.0, 100.0}, {0.0, 0.0, 0.0}};
  Matrix6 covariance = (Vector6() << 9.0, 4.0, 1.0, 0.04, 0.09, 0.01).finished().asDiagonal();
  covariance(kFz, kMy) = covariance(kMy, kFz) = 0.2;
  const ContactMargins sd = margin_deviation(straight, kFoot, covariance);
  EXPECT_NEAR(sd.unilateral, 1.0, tolerance::kMarginByHand);
  EXPECT_NEAR(sd.friction, 0.5 * 1.0 + 3.0, tolerance::kMarginByHand) << "the bound";
  // 0.1² · 1 + 0.09 ± 2 · 0.1 · 0.2
  EXPECT_NEAR(sd.cop_x, std::sqrt(0.01 + 0.09 + 0.04), tolerance::kMarginByHand);
  EXPECT_NEAR(sd.cop_y, std::sqrt(0.0025 + 0.04), tolerance::kMarginByHand);
  EXPECT_NEAR(sd.cop_distance_y, 0.2 / 100.0, tolerance::kMarginByHand);
  // Along f_x only the largest tangential sd counts in the bound; with force along y it is that of f_y.
  const ContactMargins pushed = margin_deviation({{0.0, 10.0, 100.0}, {0.0, 0.0, 0.0}}, kFoot, covariance);
  EXPECT_NEAR(pushed.friction, std::sqrt(0.25 + 4.0), tolerance::kMarginByHand);
}

TEST(MarginDeviation, ImpossibleVariancesAreNaN) {
  const ContactMargins sd = margin_deviation({{1.0, 2.0, 50.0}, {0.1, 0.2, 0.3}}, kFoot, -Matrix6::Identity());
  EXPECT_EQ(sd.status, Status::ok);
  EXPECT_TRUE(std::isnan(sd.unilateral));
  EXPECT_TRUE(std::isnan(sd.friction));
  EXPECT_TRUE(std::isnan(sd.yaw));
}

// The incident's feet: 2605 N and 1401 N on a robot of 66.98 kg that stands.
TEST(TotalForceMargin, FeetThatCarrySixRobots) {
  ForceBalance balance;
  balance.total_force = Vector3(0.0, 0.0, 2605.0 + 1401.0);
  balance.total_force_covariance = (50.0 * 50.0) * Matrix3::Identity();
  balance.mass = 66.98;
  balance.com_acceleration_sd = Vector3::Constant(0.5);
  const TotalForceMargin found = total_force_margin(balance, 3.0);
  ASSERT_EQ(found.status, Status::ok);
  EXPECT_NEAR(found.difference.z(), 4006.0 - 657.0738, tolerance::kMarginByHand * 1e4);
  EXPECT_NEAR(found.sd.z(), std::hypot(50.0, 33.49), tolerance::kMarginByHand * 1e4);
  EXPECT_NEAR(found.margin.z(), 3.0 * std::hypot(50.0, 33.49) - 3348.9262, tolerance::kMarginByHand * 1e4);
  EXPECT_GT(found.margin.x(), 0.0);
}

TEST(TotalForceMargin, FreeFallNeedsNoForce) {
  ForceBalance balance;
  balance.mass = 20.0;
  balance.com_acceleration = balance.gravity;
  balance.mass_sd = 5.0;
  const TotalForceMargin found = total_force_margin(balance);
  EXPECT_EQ(found.difference, Vector3::Zero());
  EXPECT_EQ(found.sd, Vector3::Zero()) << "without specific force the mass does not matter";
  EXPECT_EQ(found.margin, Vector3::Zero());
}

TEST(TotalForceMargin, AnUnknownPayload) {
  ForceBalance balance;
  balance.mass = 60.0;
  balance.mass_sd = 2.0;
  balance.total_force = Vector3(60.0, 0.0, 60.0 * 9.81 + 30.0);
  balance.com_acceleration = Vector3(1.0, 0.0, 0.0);
  const TotalForceMargin found = total_force_margin(balance, 2.0);
  EXPECT_NEAR(found.difference.x(), 0.0, tolerance::kMarginByHand);
  EXPECT_NEAR(found.sd.x(), 2.0, tolerance::kMarginByHand);
  EXPECT_NEAR(found.margin.z(), 2.0 * 2.0 * 9.81 - 30.0, tolerance::kMarginByHand * 1e2);
}

TEST(TotalForceMargin, BadInputIsNamed) {
  const auto status = [](auto&& spoil, double k = 3.0) {
    ForceBalance balance;
    balance.mass = 60.0;
    spoil(balance);
    const TotalForceMargin found = total_force_margin(balance, k);
    EXPECT_EQ(found.margin.array().isNaN().all(), found.status != Status::ok);
    EXPECT_EQ(found.sd.array().isNaN().all(), found.status != Status::ok);
    EXPECT_EQ(found.difference.array().isNaN().all(), found.status != Status::ok);
    return found.status;
  };
  EXPECT_EQ(status([](ForceBalance&) {}), Status::ok);
  EXPECT_EQ(status([](ForceBalance&) {}, kNaN), Status::not_finite);
  EXPECT_EQ(status([](ForceBalance&) {}, -1.0), Status::not_computed);
  EXPECT_EQ(status([](ForceBalance& b) { b.mass = 0.0; }), Status::not_computed);
  EXPECT_EQ(status([](ForceBalance& b) { b.mass = kNaN; }), Status::not_finite);
  EXPECT_EQ(status([](ForceBalance& b) { b.mass_sd = -1.0; }), Status::not_computed);
  EXPECT_EQ(status([](ForceBalance& b) { b.mass_sd = kInfinity; }), Status::not_finite);
  EXPECT_EQ(status([](ForceBalance& b) { b.total_force.y() = kNaN; }), Status::not_finite);
  EXPECT_EQ(status([](ForceBalance& b) { b.gravity.z() = kNaN; }), Status::not_finite);
  EXPECT_EQ(status([](ForceBalance& b) { b.com_acceleration.z() = kInfinity; }), Status::not_finite);
  EXPECT_EQ(status([](ForceBalance& b) { b.com_acceleration_sd.x() = -0.1; }), Status::not_computed);
  EXPECT_EQ(status([](ForceBalance& b) { b.com_acceleration_sd.x() = kNaN; }), Status::not_finite);
  EXPECT_EQ(status([](ForceBalance& b) { b.total_force_covariance(1, 1) = -1.0; }), Status::not_computed);
  EXPECT_EQ(status([](ForceBalance& b) { b.total_force_covariance(0, 1) = kNaN; }), Status::not_finite);
}

}  // namespace
}  // namespace antaeus
