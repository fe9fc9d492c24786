#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "antaeus/core/types.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/numpy.hpp"
#include "support/two_feet.hpp"

namespace antaeus {
namespace {

/// One row a frame: D, L, g, G (both by columns), h, the cones' C, c_0 and μ, then z, e of the rows and of the cones.
MatrixX numbers(ElasticQp& qp) {
  MatrixX all;
  for (int t = 0; t < qp.frames(); ++t) {
    std::vector<double> row;
    const auto put = [&row](const MatrixX& m) { row.insert(row.end(), m.data(), m.data() + m.size()); };
    put(qp.hessian().diagonal(t));
    put(t + 1 < qp.frames() ? MatrixX(qp.hessian().lower(t)) : MatrixX::Zero(6, 6));
    put(qp.gradient(t));
    put(qp.rows(t));
    put(qp.bounds(t));
    for (int k = 0; k < qp.shape(t).cones; ++k) {
      put(qp.cone(t, k));
      put(qp.cone_offset(t, k));
      put(MatrixX::Constant(1, 1, qp.friction(t, k)));
    }
    put(qp.unknowns(t));
    put(qp.violations(t));
    for (int k = 0; k < qp.shape(t).cones; ++k) put(MatrixX::Constant(1, 1, qp.cone_violation(t, k)));
    if (t == 0) all.resize(qp.frames(), static_cast<Eigen::Index>(row.size()));
    all.row(t) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), all.cols());
  }
  return all;
}

// elastic_qp_parity_test.py runs this test with ANTAEUS_CONSTRAINTS_PARITY set, and solves the same problems with PIQP,
// Clarabel and linear programmes.
TEST(ElasticQpParity, WritesWhatOtherSolversCheck) {
  const char* const named = std::getenv("ANTAEUS_CONSTRAINTS_PARITY");
  FileSet files{std::filesystem::path(named ? named : ".")};
  for (const int frames : {1, 5, 200})
    for (const bool cone : {false, true})
      for (const bool infeasible : {false, true}) {
        const test::TwoFeet feet({.frames = frames,
                                  .friction = cone ? test::Friction::cone : test::Friction::pyramid,
                                  .infeasible = infeasible});
        ElasticQp qp;
        feet.fill(qp);
        // Frame 70 is one of those that cannot be kept.
        if (frames == 1) feet.fill_frame(qp, 0, 70);
        ASSERT_EQ(qp.solve(), QpStatus::solved);
        files.add("qp_" + std::to_string(frames) + (cone ? "_cone" : "_pyramid") + (infeasible ? "_broken" : "_kept") +
                      ".npy",
                  to_npy(numbers(qp)));
      }
  if (named) files.commit();
}

}  // namespace
}  // namespace antaeus
