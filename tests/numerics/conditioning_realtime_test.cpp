#include <gtest/gtest.h>

#include <memory>

#include "antaeus/core/wrench.hpp"
#include "antaeus/numerics/condition_number.hpp"
#include "antaeus/numerics/gains.hpp"
#include "antaeus/numerics/gaussian_posterior.hpp"
#include "antaeus/numerics/pseudo_inverse.hpp"
#include "antaeus/numerics/redundancy.hpp"
#include "antaeus/numerics/smooth_damping.hpp"
#include "antaeus/numerics/three_tier_inverse.hpp"
#include "numerics/conditioning_matrices.hpp"
#include "support/allocation_counter.hpp"
#include "support/shared.hpp"

namespace antaeus {
namespace {

using test::AllocationCounter;

TEST(AllocationCounter, SeesWhatEigenTakes) {
  if (!AllocationCounter::counts_malloc()) ANTAEUS_SKIP("the sanitizer of this build replaces malloc", "make test");
  AllocationCounter counter;
  const MatrixX taken = MatrixX::Constant(7, 5, 1.0);
  EXPECT_EQ(counter.count(), 1);
  EXPECT_EQ(taken.sum(), 35.0);
}

TEST(AllocationCounter, SeesOperatorNewOnItsOwnScopeOnly) {
  const auto before = std::make_unique<int>(1);
  AllocationCounter counter;
  EXPECT_EQ(counter.count(), 0);
  const auto taken = std::make_unique<int>(2);
  const auto taken_too = std::make_unique<double[]>(100);
  EXPECT_EQ(counter.count(), 2);
  {
    AllocationCounter inner;
    EXPECT_EQ(inner.count(), 0);
  }
  EXPECT_EQ(*before + *taken + static_cast<int>(taken_too[0]), 3);
}

TEST(AllocationCounter, SeesTheTemporaryOfATransposeAtTheCall) {
  if (!AllocationCounter::counts_malloc()) ANTAEUS_SKIP("the sanitizer of this build replaces malloc", "make test");
  SmallSvd svd(8, 6);
  const Matrix6X J = test::hand_jacobian();
  AllocationCounter counter;
  svd.compute(J.transpose());
  EXPECT_GT(counter.count(), 0) << "the trap that the header of SmallSvd warns of";
}

/// Everything of the module on one matrix.
void exercise(SmallSvd& svd, const MatrixX& A, const MatrixX& J, MatrixX& B) {
  svd.compute_transposed(J);
  svd.compute(A);
  svd.rank(1e-9);
  moore_penrose(svd, kNumpyRelativeTolerance, B);
  truncated(svd, 0.1, B);
  damped(svd, 0.1, B);
  condition_number(svd.sigma());
  manipulability(svd.sigma());
}

void expect_no_allocation(const MatrixX& regular) {
  SmallSvd svd(static_cast<int>(regular.rows()), static_cast<int>(regular.cols()));
  MatrixX B(regular.cols(), regular.rows());
  MatrixX singular = regular;
  singular.col(1) = singular.col(0);
  MatrixX graded = regular;
  for (Eigen::Index i = 0; i < graded.rows(); ++i) graded.row(i) *= std::pow(10.0, -static_cast<double>(i % 9));
  MatrixX bad = regular;
  bad(0, 0) = std::nan("");
  for (const MatrixX& A : {regular, singular, graded, bad, MatrixX(0.0 * regular)}) {
    const MatrixX J = A.transpose();
    AllocationCounter counter;
    exercise(svd, A, J, B);
    EXPECT_EQ(counter.count(), 0) << A.rows() << " x " << A.cols();
  }
  const MatrixX too_large = MatrixX::Ones(regular.rows() + 1, regular.cols());
  AllocationCounter counter;
  svd.compute(too_large);
  EXPECT_EQ(counter.count(), 0);
}

TEST(ConditioningRealtime, NoAllocationAtAnySize) {
  test::RandomMatrices random(31);
  expect_no_allocation(random.hand());
  expect_no_allocation(random.limbs());
  expect_no_allocation(random.limbs_and_base());
  expect_no_allocation(random.dense(7, 6));
}

TEST(ConditioningRealtime, GainsDoNotAllocate) {
  test::RandomMatrices random(32);
  for (const int joints : {7, 27, 33}) {
    const Matrix6X B = random.dense(6, joints);
    const VectorX residual = random.dense(joints, 1);
    const VectorX budget = residual.cwiseAbs();
    Matrix6X parts(6, joints);
    SmallSvd svd(joints, 6);
    AllocationCounter counter;
    gain(B, kFz, 0);
    force_gain(B, 0);
    attribution(B, residual, parts);
    largest_contributor(parts, kFz);
    worst_case_wrench(B, budget);
    worst_case_wrench(B, 1.0);
    scaled_condition_number(B, 0.3, svd);
    EXPECT_EQ(counter.count(), 0) << joints;
  }
}

TEST(ConditioningRealtime, PosteriorAndRedundancyDoNotAllocate) {
  for (const auto& [rows, unknowns] : {std::pair(7, 6), std::pair(33, 24)}) {
    GaussianPosterior posterior(rows, unknowns);
    Redundancy redundancy(rows, unknowns);
    const MatrixX A = MatrixX::Random(rows, unknowns), L = MatrixX::Identity(unknowns, unknowns);
    const VectorX y = VectorX::Ones(rows), variance = VectorX::Ones(rows), scale = VectorX::Ones(unknowns);
    const MatrixX R = MatrixX::Identity(rows, rows) + MatrixX::Constant(rows, rows, 0.5);
    const Matrix3 C = Matrix3::Identity() + Matrix3::Constant(0.1);
    AllocationCounter counter;
    for (int i = 0; i < 100; ++i) {
      posterior.compute(A, y, variance, L);
      posterior.compute_correlated(A, y, R, L);
      redundancy.compute(A, variance, scale);
      principal_deviations(C);
    }
    EXPECT_EQ(counter.count(), 0) << rows << " × " << unknowns;
    EXPECT_EQ(posterior.status(), Status::ok);
    EXPECT_EQ(redundancy.status(), Status::ok);
  }
}

TEST(ConditioningRealtime, InversesThroughSingularitiesDoNotAllocate) {
  test::RandomMatrices random(33);
  for (const auto& [rows, columns] : {std::pair(6, 6), std::pair(6, 7), std::pair(2, 5)}) {
    ThreeTierInverse inverse(rows, columns);
    InverseMemory memory(rows, columns);
    CarriedReference reference(rows, columns);
    const MatrixX regular = random.dense(rows, columns), rate = random.dense(rows, columns);
    MatrixX singular = regular, bad = regular;
    singular.row(1) = singular.row(0);
    bad(0, 0) = std::nan("");
    const MatrixX near = singular + 0.02 * regular;
    const VectorX b = random.dense(rows, 1);
    AllocationCounter counter;
    for (const MatrixX* J : std::initializer_list<const MatrixX*>{&regular, &near, &singular, &bad, &near, &regular}) {
      inverse.compute(*J, rate, memory);
      reference.update(*J, rate, b, b, 1e-3);
    }
    memory.reset();
    reference.reset();
    EXPECT_EQ(counter.count(), 0) << rows << " × " << columns;
  }
}

}  // namespace
}  // namespace antaeus
