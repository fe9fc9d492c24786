#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "antaeus/io/files.hpp"
#include "antaeus/io/numpy.hpp"
#include "antaeus/numerics/contact_margins.hpp"
#include "numerics/conditioning_matrices.hpp"

namespace antaeus {
namespace {

/// Rows of μ, X, Y, the wrench, and its margins in the pyramid model: unilateral, friction, cop_x, cop_y, yaw.
MatrixX judged_wrenches(int count) {
  test::RandomMatrices random(121);
  MatrixX rows(count, 14);
  for (int row = 0; row < count; ++row) {
    const SurfaceContact contact{.mu = 0.7 + 0.6 * random.uniform(),
                                 .half_length_x = 0.1 + 0.08 * random.uniform(),
                                 .half_width_y = 0.05 + 0.04 * random.uniform(),
                                 .friction = FrictionModel::pyramid};
    const double fz = 100.0 + 60.0 * random.uniform(), mu = contact.mu;
    const double X = contact.half_length_x, Y = contact.half_width_y;
    // Inside the first four margins, so that the yaw moment decides; every fifth wrench is anywhere.
    Vector6 w;
    w << mu * fz * random.uniform(), mu * fz * random.uniform(), fz, Y * fz * random.uniform(),
        X * fz * random.uniform(), mu * (X + Y) * fz * random.uniform();
    if (row % 5 == 0) {
      for (int component = 0; component < 6; ++component)
        if (component != kFz) w[component] *= 1.5;
    }
    const ContactMargins margins = contact_margins(Wrench::from_vector(w), contact);
    rows.row(row) << mu, X, Y, w.transpose(), margins.unilateral, margins.friction, margins.cop_x, margins.cop_y,
        margins.yaw;
  }
  return rows;
}

// contact_margins_parity_test.py runs this test with ANTAEUS_CONSTRAINTS_PARITY set, and judges the same wrenches by
// linear programmes.
TEST(ContactMarginsParity, WritesWhatLinearProgrammesCheck) {
  constexpr int kCount = 1500;
  const MatrixX rows = judged_wrenches(kCount);
  const Eigen::Index feasible = (rows.rightCols<5>().rowwise().minCoeff().array() >= 0.0).count();
  EXPECT_GT(feasible, kCount / 10) << "both kinds must occur";
  EXPECT_LT(feasible, kCount * 9 / 10);
  const char* const named = std::getenv("ANTAEUS_CONSTRAINTS_PARITY");
  if (!named) return;
  FileSet files{std::filesystem::path(named)};
  files.add("wrenches.npy", to_npy(rows));
  files.commit();
}

}  // namespace
}  // namespace antaeus
