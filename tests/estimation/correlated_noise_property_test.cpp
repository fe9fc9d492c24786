// Estimators under identified noise, whose R is full: against dense formulas without whitening, and against what the
// diagonal case says where R happens to be diagonal.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <iostream>

#include "antaeus/estimation/contact_space_filter.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/signal/chi_squared.hpp"
#include "antaeus/trust/hypotheses.hpp"
#include "estimation/humanoid.hpp"
#include "estimation/tolerances.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"
#include "support/noise.hpp"
#include "support/static_residual.hpp"

namespace antaeus {
namespace {

using test::AllocationCounter;
using test::kLimbs;
using test::kMotors;
using test::kPrior;
using test::kTorso;
using test::kWrists;
using test::Noise;
using test::RandomStates;

/// Positive definite: white noise of 0.3 to 1 N·m and errors of up to 3 N·m that rows share.
MatrixX random_covariance(RandomStates& random, Eigen::Index size) {
  MatrixX shared(size, 5);
  for (Eigen::Index c = 0; c < shared.cols(); ++c) shared.col(c) = random.vector(size, 1.5);
  MatrixX R = shared * shared.transpose();
  R.diagonal().array() += random.vector(size).array().square() + 0.1;
  return R;
}

void correlate(const MatrixX& R, Residual& residual) {
  residual.covariance = R;
  residual.variance = R.diagonal();
  residual.correlated = true;
}

class Correlated : public test::StaticResidual {
 protected:
  Correlated() : StaticResidual(kWrists) {}

  Residual random_residual(RandomStates& random, const MatrixX& R) {
    Residual residual = load(random.vector(kMotors, 1.0), random.vector(kMotors, 5.0));
    correlate(R, residual);
    return residual;
  }
  /// Rows of Jᵀ of one endpoint.
  static MatrixX rows_of(const Residual& residual, int endpoint, const std::vector<int>& motors) {
    MatrixX A(std::ssize(motors), 6);
    for (std::size_t i = 0; i < motors.size(); ++i) {
      A.row(static_cast<Eigen::Index>(i)) = residual.instant.jacobian(endpoint).col(motors[i]).transpose();
    }
    return A;
  }
  static VectorX pick(const VectorX& all, const std::vector<int>& motors) { return all(motors); }
};

/// The dense answer: conditioning of the joint normal of wrenches and rows, S inverted as it stands.
struct Dense {
  MatrixX S, K, C;
  VectorX mean;
  double nis;
  Dense(const MatrixX& A, const VectorX& r, const MatrixX& R, const MatrixX& P0) {
    S = A * P0 * A.transpose() + R;
    K = P0 * A.transpose() * S.inverse();
    C = P0 - K * A * P0;
    mean = K * r;
    nis = r.dot(S.inverse() * r);
  }
};

TEST_F(Correlated, PosteriorIsTheTextbooksFormula) {
  RandomStates random(731);
  SCOPED_TRACE(random.text());
  PosteriorEstimator posterior(reader_, {.sign = Sign::on_environment});
  const Matrix6 P0 = posterior.prior_factor(0) * posterior.prior_factor(0).transpose();
  double worst = 0.0;
  for (int i = 0; i < 200; ++i) {
    Residual residual = random_residual(random, random_covariance(random, kMotors));
    std::vector<int> rows[] = {posterior.rows(0), posterior.rows(1)};
    if (i % 4 == 3) {  // a saturated row is as if it were not there, whatever stands beside it
      residual.variance[15] = residual.covariance(15, 15) = kInfinity;
      residual.value[15] = 1e6;
      std::erase(rows[0], 15);
    }
    const PosteriorEstimates& found = posterior.solve(residual);
    for (int k = 0; k < 2; ++k) {
      const Dense dense(rows_of(residual, k, rows[k]), pick(residual.value, rows[k]),
                        residual.covariance(rows[k], rows[k]), P0);
      const WrenchEstimate& estimate = found[static_cast<std::size_t>(k)];
      ASSERT_EQ(estimate.status, Status::ok);
      const double size = 1.0 + dense.mean.norm();
      worst = std::max(worst, (estimate.wrench.to_vector() - dense.mean).norm() / size);
      worst = std::max(worst, (estimate.uncertainty.covariance - dense.C).norm() / P0.norm());
      worst = std::max(worst, (estimate.gain(Eigen::all, rows[k]) - dense.K).norm() / dense.K.norm());
      const Uncertainty& u = estimate.uncertainty;
      worst = std::max(worst, std::abs(u.misfit.value + u.contact.value - dense.nis) / (1.0 + dense.nis));
      EXPECT_EQ(u.misfit.dof + u.contact.dof, std::ssize(rows[k]));
      if (i % 4 == 3 && k == 0) {
        EXPECT_TRUE(estimate.gain.col(15).isZero(0.0));
      }
    }
  }
  std::cout << "largest relative difference from the dense formula: " << worst << "\n";
  EXPECT_LT(worst, tolerance::kSameCorrelatedPosterior);
}

/// Every row used, with its test, and the reference row's innovation, for each use of it.
TEST_F(Correlated, RowTestsAreThoseOfTheWholeInnovationCovariance) {
  RandomStates random(732);
  SCOPED_TRACE(random.text());
  double worst = 0.0;
  for (const ReferenceUse use : {ReferenceUse::exclude, ReferenceUse::trust, ReferenceUse::innovation}) {
    PosteriorEstimator posterior(
        reader_, {.rows = use == ReferenceUse::exclude ? PosteriorRows::own : PosteriorRows::all, .reference = use});
    for (int i = 0; i < 50; ++i) {
      const Residual residual = random_residual(random, random_covariance(random, kMotors));
      const PosteriorEstimates& found = posterior.solve(residual);
      MatrixX S = residual.covariance.bottomRightCorner(15, 15);
      for (int k = 0; k < 2; ++k) {
        const MatrixX A = residual.instant.jacobian(k).rightCols(15).transpose() * kPrior.asDiagonal();
        S += A * A.transpose();
      }
      const MatrixX P = S.inverse(), W = residual.covariance.bottomRightCorner(15, 15).inverse();
      const VectorX solved = P * residual.value.tail(15);
      for (int j = 0; j < 15; ++j) {
        const double test = solved[j] / std::sqrt(P(j, j));
        worst = std::max(worst, std::abs(found.row_precision[12 + j] / P(j, j) - 1.0));
        worst = std::max(worst, std::abs(found.row_redundancy[12 + j] / (P(j, j) / W(j, j)) - 1.0));
        EXPECT_LE(found.row_redundancy[12 + j], 1.0);
        worst = std::max(worst, std::abs(found.row_test[12 + j] - test) / (1.0 + std::abs(test)));
      }
      EXPECT_TRUE(found.row_test.head(12).array().isNaN().all()) << "a leg speaks for no wrist";
      // The innovation is the reference row less what the other fourteen predict of it.
      const VectorX others = residual.value.tail(14);
      const auto So = S.bottomRightCorner(14, 14);
      const VectorX s = S.row(0).tail(14).transpose();
      const Uncertainty& u = found[0].uncertainty;
      const double innovation = residual.value[kTorso] - s.dot(So.llt().solve(others));
      worst = std::max(worst, std::abs(u.innovation - innovation) / (1.0 + std::abs(innovation)));
      worst = std::max(worst, std::abs(u.innovation_sd / std::sqrt(S(0, 0) - s.dot(So.llt().solve(s))) - 1.0));
    }
  }
  std::cout << "largest relative difference of a row test: " << worst << "\n";
  EXPECT_LT(worst, tolerance::kSameCorrelatedPosterior);
}

/// The NIS: own rows and the reference row, the neighbour's contact as a cause where the neighbour's rows show one.
TEST_F(Correlated, NisIsThatOfTheWholeInnovationCovariance) {
  RandomStates random(733);
  SCOPED_TRACE(random.text());
  PosteriorEstimator posterior(reader_, {.sign = Sign::on_environment});
  const Matrix6 P0 = posterior.prior_factor(0) * posterior.prior_factor(0).transpose();
  for (const bool neighbour_shows : {false, true}) {
    Residual residual = random_residual(random, random_covariance(random, kMotors));
    residual.value = random.vector(kMotors, 0.3);
    if (neighbour_shows) residual.value += residual.instant.jacobian(1).transpose() * (20.0 * Vector6::Ones());
    const PosteriorEstimates& found = posterior.solve(residual);
    std::vector<int> mine = posterior.rows(0);
    const std::vector<int> other = posterior.rows(1);
    const double own =
        Dense(rows_of(residual, 0, mine), pick(residual.value, mine), residual.covariance(mine, mine), P0).nis;
    std::vector<int> all = mine;
    if (neighbour_shows) all.insert(all.end(), other.begin(), other.end());
    const auto nis_of = [&](const std::vector<int>& rows) {
      MatrixX S = residual.covariance(rows, rows);
      for (int k = 0; k < (neighbour_shows ? 2 : 1); ++k) {
        const MatrixX A = rows_of(residual, k, rows);
        S += A * P0 * A.transpose();
      }
      return VectorX(residual.value(rows)).dot(S.llt().solve(VectorX(residual.value(rows))));
    };
    std::vector<int> with_reference = all;
    with_reference.push_back(kTorso);
    const double nis = own + nis_of(with_reference) - nis_of(all);
    EXPECT_NEAR(found[0].uncertainty.nis, nis, tolerance::kSamePosterior * (1.0 + nis)) << neighbour_shows;
    EXPECT_EQ(found[0].uncertainty.nis_rows, 8);
  }
}

/// The admitted reference row: R_ref raised until its innovation is two sds, its covariances as they were.
TEST_F(Correlated, AReferenceRowIsAdmittedAsFarAsItsInnovationAllows) {
  RandomStates random(734);
  SCOPED_TRACE(random.text());
  PosteriorEstimator posterior(
      reader_, {.sign = Sign::on_environment, .rows = PosteriorRows::all, .reference = ReferenceUse::innovation});
  MatrixX P0 = MatrixX::Zero(12, 12);
  P0.diagonal() << kPrior.cwiseAbs2(), kPrior.cwiseAbs2();
  for (const double fault : {0.0, 60.0}) {
    Residual residual = random_residual(random, random_covariance(random, kMotors));
    residual.value = random.vector(kMotors, 0.3);
    residual.value[kTorso] += fault;
    const PosteriorEstimates& found = posterior.solve(residual);
    std::vector<int> rows;
    for (int j = kTorso; j < kMotors; ++j) rows.push_back(j);
    MatrixX A(15, 12), R = residual.covariance(rows, rows);
    A << rows_of(residual, 0, rows), rows_of(residual, 1, rows);
    const Uncertainty& u = found[0].uncertainty;
    const double ratio = u.innovation / u.innovation_sd;
    EXPECT_EQ(fault > 0.0, std::abs(ratio) > 2.0);
    R(0, 0) += std::max(0.0, 0.25 * ratio * ratio - 1.0) * u.innovation_sd * u.innovation_sd;
    const Dense dense(A, pick(residual.value, rows), R, P0);
    for (int k = 0; k < 2; ++k) {
      EXPECT_LT((found[static_cast<std::size_t>(k)].wrench.to_vector() - dense.mean.segment<6>(6 * k)).norm(),
                tolerance::kSamePosterior * (1.0 + dense.mean.norm()));
    }
  }
}

/// A diagonal R that is handed over as a full one changes nothing but rounding, tilt and base rows included. The tests
/// of rows are the exception with a tilt: there all rows share one.
TEST_F(Correlated, ADiagonalCovarianceIsTheUncorrelatedCase) {
  RandomStates random(735);
  SCOPED_TRACE(random.text());
  InstantReader reader(robot_, kLimbs);
  for (const bool tilted : {false, true}) {
    ResidualEstimator residuals(robot_, {.kind = ResidualChoice::static_gravity, .tilt_sd = tilted ? 0.035 : 0.0});
    for (const PosteriorRows rows : {PosteriorRows::own, PosteriorRows::all, PosteriorRows::all_and_base}) {
      SCOPED_TRACE(std::string(to_string(rows)) + (tilted ? ", tilted" : ""));
      PosteriorOptions options{.rows = rows, .reference = ReferenceUse::innovation};
      PosteriorEstimator plain(reader, options), full(reader, options);
      Observation o;
      o.q = random.vector(kMotors, 0.8);
      o.v = VectorX::Zero(kMotors);
      o.tau = random.vector(kMotors, 5.0);
      const Residual residual = residuals.form(reader.at(o));
      Residual other = residual;
      correlate(MatrixX(residual.variance.asDiagonal()), other);
      const PosteriorEstimates a = plain.solve(residual);
      const PosteriorEstimates& b = full.solve(other);
      for (std::size_t k = 0; k < 4; ++k) {
        ASSERT_EQ(b[k].status, Status::ok);
        const double size = 1.0 + a[k].wrench.to_vector().norm();
        if (!tilted || rows == PosteriorRows::own) {
          EXPECT_LT((a[k].wrench.to_vector() - b[k].wrench.to_vector()).norm() / size, tolerance::kSamePosterior);
        }
        EXPECT_NEAR(a[k].uncertainty.misfit.value, b[k].uncertainty.misfit.value,
                    tolerance::kSamePosterior * (1.0 + a[k].uncertainty.misfit.value));
        if (tilted) continue;
        EXPECT_NEAR(a[k].uncertainty.nis, b[k].uncertainty.nis,
                    tolerance::kSamePosterior * (1.0 + a[k].uncertainty.nis));
      }
      for (int j = 0; !tilted && j < kMotors; ++j) {
        if (std::isnan(a.row_test[j])) {
          EXPECT_TRUE(std::isnan(b.row_test[j])) << j;
          continue;
        }
        EXPECT_NEAR(a.row_test[j], b.row_test[j], tolerance::kSameRowTest * (1.0 + std::abs(a.row_test[j]))) << j;
      }
    }
  }
}

/// One step after a gap is the posterior's answer, as without identified noise.
TEST_F(Correlated, TheFiltersFirstStepIsThePosterior) {
  RandomStates random(740);
  SCOPED_TRACE(random.text());
  PosteriorEstimator posterior(reader_, {});
  ContactSpaceFilter filter(reader_, posterior);
  for (int i = 0; i < 20; ++i) {
    Residual residual = random_residual(random, random_covariance(random, kMotors));
    if (i % 4 == 3) residual.variance[15] = residual.covariance(15, 15) = kInfinity;
    const PosteriorEstimates expected = posterior.solve(residual);
    AllocationCounter counter;
    const std::vector<WrenchEstimate>& found = filter.step(residual, kInfinity);
    EXPECT_EQ(counter.count(), 0);
    for (std::size_t k = 0; k < 2; ++k) {
      ASSERT_EQ(found[k].status, Status::ok);
      const Vector6 w = expected[k].wrench.to_vector();
      EXPECT_LT((found[k].wrench.to_vector() - w).norm(), tolerance::kSamePosterior * (1.0 + w.norm()));
      EXPECT_LT((found[k].uncertainty.covariance - expected[k].uncertainty.covariance).norm(),
                tolerance::kSamePosterior * 400.0);
    }
  }
  Residual bad = random_residual(random, random_covariance(random, kMotors));
  bad.covariance(14, 15) = bad.covariance(15, 14) = 1e3;  // not positive definite
  EXPECT_EQ(filter.step(bad, 0.01)[0].status, Status::not_finite);
  EXPECT_EQ(filter.results()[1].status, Status::ok);
}

/// Causes are weighed with the same R: what noise alone would have to be.
TEST_F(Correlated, CausesAreWeighedWithTheWholeR) {
  RandomStates random(743);
  SCOPED_TRACE(random.text());
  HypothesisTest test(reader_);
  const Residual residual = random_residual(random, random_covariance(random, kMotors));
  const HypothesisResult& result = test.solve(residual);
  ASSERT_EQ(result.status, Status::ok);
  const VectorX r = residual.value(test.motors());
  const double chi = r.dot(MatrixX(residual.covariance(test.motors(), test.motors())).llt().solve(r));
  EXPECT_NEAR(result.chi_squared, chi, tolerance::kSamePosterior * chi);
  AllocationCounter counter;
  test.solve(residual);
  EXPECT_EQ(counter.count(), 0);
}

/// Rates of all tests under noise that is exactly as stated, with errors that rows share.
TEST_F(Correlated, TestsAlarmAtTheirStatedRate) {
  constexpr double kRate = 0.02;
  constexpr int kDraws = 12000;
  RandomStates random(736);
  Noise noise(737);
  SCOPED_TRACE(random.text() + ", noise 737");
  PosteriorEstimator posterior(reader_, {.false_alarm = kRate, .false_alarms_per_hour = 0.0});
  Residual residual = random_residual(random, random_covariance(random, kMotors));
  const MatrixX F = residual.covariance.llt().matrixL();
  double misfit = 0, reference = 0, contact = 0, covered = 0;
  for (int i = 0; i < kDraws; ++i) {
    VectorX white(kMotors);
    for (double& value : white) value = noise();
    residual.value = F * white;
    Vector6 truth[2];
    for (int k = 0; k < 2; ++k) {
      for (int c = 0; c < 6; ++c) truth[k][c] = kPrior[c] * noise();
      residual.value -= residual.instant.jacobian(k).transpose() * truth[k];
    }
    const WrenchEstimate& left = posterior.solve(residual)[0];
    const Uncertainty& u = left.uncertainty;
    misfit += !u.misfit.passes(), reference += !u.reference.passes(), contact += !u.contact.passes();
    const Vector6 error = left.wrench.to_vector() - truth[0];
    covered += error.dot(u.covariance.llt().solve(error)) <= chi_squared_threshold(0.05, 6);
  }
  const double four_sd = 4 * std::sqrt(kRate * (1 - kRate) / kDraws);
  std::cout << "misfit " << 100 * misfit / kDraws << " %, reference row " << 100 * reference / kDraws << " %, contact "
            << 100 * contact / kDraws << " %; 95 % regions cover " << 100 * covered / kDraws << " %\n";
  EXPECT_NEAR(misfit / kDraws, kRate, four_sd);
  EXPECT_NEAR(reference / kDraws, kRate, four_sd);
  EXPECT_NEAR(contact / kDraws, kRate, four_sd);
  EXPECT_NEAR(covered / kDraws, 0.95, 4 * std::sqrt(0.95 * 0.05 / kDraws));
}

TEST_F(Correlated, BadCovariancesAreRefused) {
  RandomStates random(738);
  PosteriorEstimator posterior(reader_, {});
  const Residual good = random_residual(random, random_covariance(random, kMotors));
  Residual bad = good;
  bad.covariance.conservativeResize(kMotors - 1, kMotors);
  EXPECT_EQ(posterior.solve(bad)[0].status, Status::wrong_size);
  bad = good;
  bad.covariance(14, 14) = bad.variance[14] = -1.0;
  const PosteriorEstimates& one_arm = posterior.solve(bad);
  EXPECT_EQ(one_arm[0].status, Status::not_finite);
  EXPECT_EQ(one_arm[1].status, Status::ok);
  EXPECT_TRUE(std::isnan(one_arm.row_test[kTorso])) << "nobody knows what the left hand would explain";
  bad = good;
  bad.covariance(14, 15) = bad.covariance(15, 14) = kNaN;
  EXPECT_EQ(posterior.solve(bad)[0].status, Status::not_finite);
  EXPECT_EQ(posterior.solve(good)[0].status, Status::ok);
}

TEST_F(Correlated, NothingIsAllocatedWhileCovariancesComeAndGo) {
  RandomStates random(739);
  InstantReader reader(robot_, kLimbs);
  for (const PosteriorRows rows : {PosteriorRows::own, PosteriorRows::all, PosteriorRows::all_and_base}) {
    PosteriorEstimator posterior(reader, {.rows = rows, .reference = ReferenceUse::innovation});
    Observation o;
    o.q = random.vector(kMotors, 0.8);
    o.tau = random.vector(kMotors, 5.0);
    Residual plain = residual_.form(reader.at(o)), full = plain;
    correlate(random_covariance(random, kMotors), full);
    Residual bad = full;
    bad.covariance(20, 20) = kNaN;
    AllocationCounter counter;
    for (int i = 0; i < 20; ++i) posterior.solve(i % 5 == 4 ? bad : (i % 2 ? plain : full));
    EXPECT_EQ(counter.count(), 0);
  }
}

}  // namespace
}  // namespace antaeus
