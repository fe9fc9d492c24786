#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/core/numbers.hpp"
#include "antaeus/numerics/contact_margins.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

// All sizes are fixed: there are no larger models to try.
TEST(ConstraintsRealtime, Margins) {
  const Matrix6 covariance = Matrix6::Identity();
  ForceBalance balance;
  balance.mass = 60.0;
  double sum = 0.0;
  test::AllocationCounter counter;
  for (const double fz : {100.0, 0.0, -3.0, kNaN})
    for (const FrictionModel friction : {FrictionModel::cone, FrictionModel::pyramid}) {
      SurfaceContact contact{.friction = friction};
      const Wrench wrench{{1.0, 2.0, fz}, {0.5, 0.0, -0.1}};
      sum += contact_margins(wrench, contact).yaw + margin_deviation(wrench, contact, covariance).friction;
      contact.torsional_coefficient = 0.1;
      sum += contact_margins(wrench, contact).yaw + margin_deviation(wrench, contact, covariance).yaw;
      balance.total_force.z() = fz;
      sum += total_force_margin(balance).margin.z();
    }
  EXPECT_EQ(counter.count(), 0);
  EXPECT_TRUE(std::isnan(sum));
}

}  // namespace
}  // namespace antaeus
