#include "antaeus/estimation/contact_space_filter.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <iostream>

#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"
#include "support/static_residual.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::AllocationCounter;
using test::RandomStates;

using test::kWrists;
constexpr double kForever = kInfinity;

class ContactSpace : public test::StaticResidual {
 protected:
  ContactSpace() : StaticResidual(kWrists) {}

  PosteriorEstimator posterior_{reader_};
  /// The residual of a wrench at the left wrist and none else, of the present pose.
  Residual pushed(const VectorX& q, const Vector6& left) {
    load(q, VectorX::Zero(27));
    return load(q, now().gravity_torque() - now().jacobian(0).transpose() * left);
  }
  Matrix6 prior(int k) const { return posterior_.prior_factor(k) * posterior_.prior_factor(k).transpose(); }
  MatrixX rows_of(const VectorX& whole) const {
    MatrixX picked(posterior_.rows(0).size(), 1);
    for (Eigen::Index i = 0; i < picked.rows(); ++i) picked(i) = whole[posterior_.rows(0)[static_cast<std::size_t>(i)]];
    return picked;
  }
  MatrixX A() const {
    MatrixX A(posterior_.rows(0).size(), 6);
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      A.row(i) = -now().jacobian(0).col(posterior_.rows(0)[static_cast<std::size_t>(i)]).transpose();
    }
    return A;
  }
};

TEST_F(ContactSpace, WithoutMemoryItIsThePosterior) {
  RandomStates random(91);
  SCOPED_TRACE(random.text());
  for (const PosteriorRows rows : {PosteriorRows::own, PosteriorRows::all}) {
    PosteriorEstimator posterior(reader_, {.rows = rows, .reference = ReferenceUse::trust});
    ContactSpaceFilter filter(reader_, posterior);
    for (int i = 0; i < 20; ++i) {
      Residual residual = load(random.vector(27, 1.0), random.vector(27, 5.0));
      if (i > 10) residual.variance[14] = kForever;
      const auto& expected = posterior.solve(residual);
      const auto& found = filter.step(residual, kForever);
      for (std::size_t k = 0; k < 2; ++k) {
        const double size = 1 + expected[k].wrench.to_vector().norm();
        EXPECT_LT((found[k].wrench.to_vector() - expected[k].wrench.to_vector()).norm() / size,
                  tolerance::kSamePosterior);
        EXPECT_LT((found[k].uncertainty.covariance - expected[k].uncertainty.covariance).norm() / prior(0).norm(),
                  tolerance::kSamePosterior);
        EXPECT_EQ(found[k].verdict == Verdict::unobservable, expected[k].verdict == Verdict::unobservable);
        EXPECT_EQ(found[k].uncertainty.observable, expected[k].uncertainty.observable);
        // The posterior counts the reference row too where it is no evidence.
        if (rows == PosteriorRows::all) {
          EXPECT_NEAR(found[k].uncertainty.nis, expected[k].uncertainty.nis,
                      tolerance::kSamePosterior * (1 + expected[k].uncertainty.nis));
          EXPECT_EQ(found[k].uncertainty.nis_threshold, expected[k].uncertainty.nis_threshold);
        }
      }
    }
  }
}

/// Information adds: (P₀⁻¹ + n AᵀR⁻¹A)⁻¹ after n samples of a wrench that never changes and errors that never last.
TEST_F(ContactSpace, AConstantWrenchIsAveraged) {
  RandomStates random(92);
  SCOPED_TRACE(random.text());
  ContactSpaceFilter filter(reader_, posterior_, {.time_constant = 1e15, .lasting_share = 0.0});
  const VectorX q = random.vector(27, 1.0);
  const Residual residual = pushed(q, random.vector(6, 10.0));
  const MatrixX H = A().transpose() * rows_of(residual.variance).col(0).cwiseInverse().asDiagonal() * A();
  double last = 0.0;
  for (int n = 1; n <= 4000; ++n) {
    const Matrix6 C = filter.step(residual, 0.002)[0].uncertainty.covariance;
    if (n % 1000 == 0) {
      const Matrix6 expected = (prior(0).inverse() + n * H).inverse();
      EXPECT_LT((C - expected).norm() / expected.norm(), 10 * tolerance::kSamePosterior);
    }
    if (n == 2000) last = C.trace();
    if (n == 4000) {
      EXPECT_NEAR(C.trace() / last, 0.5, 0.01);  // 1/n, and a trace of the prior
    }
  }
}

/// The process as one dense Gaussian regression: cov w(t), w(s) = P₀ exp(−|t − s|/T), and the same for lasting errors.
TEST_F(ContactSpace, FilterAndSmootherAreTheBatchSolution) {
  RandomStates random(93);
  SCOPED_TRACE(random.text());
  const ContactSpaceOptions options{0.15, 0.07, 0.6};
  ContactSpaceSmoother smoother(reader_, posterior_, options);
  constexpr int kSteps = 9;
  const int m = static_cast<int>(posterior_.rows(0).size());
  std::vector<double> time;
  std::vector<WrenchEstimate> filtered;
  MatrixX G = MatrixX::Zero(kSteps * m, kSteps * 6);
  VectorX y(kSteps * m), deviation(kSteps * m), used(kSteps * m);
  double sum_of_nis = 0.0;
  for (int t = 0; t < kSteps; ++t) {
    const double dt = 0.01 + 0.02 * (t % 4);
    time.push_back(t ? time.back() + dt : 0.0);
    Residual residual = load(random.vector(27, 1.0), VectorX::Zero(27));
    residual = load(random.vector(27, 0.2) + VectorX::Constant(27, 0.1 * t), random.vector(27, 3.0));
    if (t == 4) residual.status = Status::not_finite;  // a gap
    if (t == 6) residual.variance[15] = kForever;
    EXPECT_EQ(smoother.add(residual, dt), residual.status);
    filtered.push_back(smoother.filtered()[0]);
    sum_of_nis += t == 4 ? 0.0 : filtered.back().uncertainty.nis;
    G.block(t * m, t * 6, m, 6) = A();
    y.segment(t * m, m) = rows_of(residual.value).col(0);
    for (int i = 0; i < m; ++i) {
      const double variance = residual.variance[posterior_.rows(0)[static_cast<std::size_t>(i)]];
      used[t * m + i] = t != 4 && std::isfinite(variance);
      deviation[t * m + i] = std::isfinite(variance) ? std::sqrt(variance) : 1.0;
    }
  }
  MatrixX K = MatrixX::Zero(kSteps * 6, kSteps * 6), R = MatrixX::Zero(kSteps * m, kSteps * m);
  for (int t = 0; t < kSteps; ++t) {
    for (int s = 0; s < kSteps; ++s) {
      const double apart = std::abs(time[static_cast<std::size_t>(t)] - time[static_cast<std::size_t>(s)]);
      K.block(6 * t, 6 * s, 6, 6) = std::exp(-apart / options.time_constant) * prior(0);
      const double errors =
          options.lasting_share * std::exp(-apart / options.error_time) + (t == s) * (1 - options.lasting_share);
      for (int i = 0; i < m; ++i) R(t * m + i, s * m + i) = errors * deviation[t * m + i] * deviation[s * m + i];
    }
  }
  const auto regress = [&](int until, int at, Vector6& mean, Matrix6& C, double& nis) {
    std::vector<int> rows;
    for (int i = 0; i < (until + 1) * m; ++i) {
      if (used[i] != 0) rows.push_back(i);
    }
    const MatrixX cross = (K * G.transpose())(Eigen::seqN(6 * at, 6), rows);
    const MatrixX S = (G * K * G.transpose() + R)(rows, rows);
    const MatrixX gain = S.ldlt().solve(cross.transpose()).transpose();
    mean = gain * y(rows);
    C = prior(0) - gain * cross.transpose();
    nis = y(rows).dot(S.ldlt().solve(y(rows)));
  };
  const auto smoothed = smoother.smooth();
  ASSERT_EQ(smoothed.size(), static_cast<std::size_t>(kSteps));
  Vector6 mean;
  Matrix6 C;
  double nis;
  for (int t = 0; t < kSteps; ++t) {
    SCOPED_TRACE(t);
    const WrenchEstimate& now = filtered[static_cast<std::size_t>(t)];
    const WrenchEstimate& late = smoothed[static_cast<std::size_t>(t)][0];
    if (t == 4) {
      EXPECT_EQ(now.verdict, Verdict::invalid_input);
      EXPECT_FALSE(now.wrench.is_finite());
      EXPECT_TRUE(late.reasons.has(Reason::gap));
      EXPECT_EQ(late.uncertainty.nis_rows, 0);
    } else {
      regress(t, t, mean, C, nis);
      EXPECT_LT((now.wrench.to_vector() - mean).norm() / (1 + mean.norm()), tolerance::kSamePosterior);
      EXPECT_LT((now.uncertainty.covariance - C).norm() / prior(0).norm(), tolerance::kSamePosterior);
    }
    regress(kSteps - 1, t, mean, C, nis);
    EXPECT_LT((late.wrench.to_vector() - mean).norm() / (1 + mean.norm()), tolerance::kSamePosterior);
    EXPECT_LT((late.uncertainty.covariance - C).norm() / prior(0).norm(), tolerance::kSamePosterior);
    if (t != 4) {
      const Eigen::SelfAdjointEigenSolver<Matrix6> less(now.uncertainty.covariance - late.uncertainty.covariance);
      EXPECT_GT(less.eigenvalues()[0], -tolerance::kSamePosterior * prior(0).norm()) << "later evidence cannot hurt";
    }
  }
  EXPECT_NEAR(sum_of_nis, nis, tolerance::kSamePosterior * nis);
}

TEST_F(ContactSpace, GapsRelaxToThePriorAndBadClocksForget) {
  RandomStates random(94);
  SCOPED_TRACE(random.text());
  ContactSpaceFilter filter(reader_, posterior_);
  const VectorX q = random.vector(27, 0.5);
  Residual residual = pushed(q, (Vector6() << 15, 0, 0, 0, 0, 0).finished());
  filter.step(residual, 0.002);
  Residual blind = residual;
  blind.variance.setConstant(kForever);
  double last_sd = 0.0, last_force = kForever;
  for (int i = 0; i < 10; ++i) {
    const WrenchEstimate& e = filter.step(blind, 0.1)[0];
    EXPECT_EQ(e.uncertainty.nis_rows, 0);
    EXPECT_TRUE(e.uncertainty.consistent());
    EXPECT_GT(e.uncertainty.worst_sd(), last_sd);
    EXPECT_LT(e.wrench.force.norm(), last_force);
    last_sd = e.uncertainty.worst_sd(), last_force = e.wrench.force.norm();
  }
  EXPECT_NEAR(last_sd, 20.0, 0.01);
  EXPECT_LE(last_sd, 20.0);
  EXPECT_EQ(filter.results()[0].verdict, Verdict::unobservable);
  // One second after a sample, at T = 0.2 s: e⁻⁵ of it is left.
  EXPECT_LT(last_force, 15 * std::exp(-5.0) * 1.01);

  for (const double dt : {-0.1, std::nan("")}) {
    filter.step(residual, 0.002);
    const WrenchEstimate& e = filter.step(residual, dt)[0];
    EXPECT_TRUE(e.reasons.has(dt < 0 ? Reason::time_back : Reason::gap));
    const WrenchEstimate& memoryless = posterior_.solve(residual)[0];
    EXPECT_LT((e.uncertainty.covariance - memoryless.uncertainty.covariance).norm(),
              tolerance::kSamePosterior * prior(0).norm());
  }
  residual.value[15] = std::nan("");
  EXPECT_EQ(filter.step(residual, 0.01)[0].status, Status::not_finite);
  EXPECT_FALSE(filter.results()[0].wrench.is_finite());
  residual.value[15] = 0.0;
  EXPECT_EQ(filter.step(residual, 0.01)[0].status, Status::ok) << "a bad sample leaves no trace";
}

/// What the filter is for: the arm passes a pose that does not show a vertical push, and the push is still known.
TEST_F(ContactSpace, RemembersThroughASingularity) {
  const VectorX good = robot_.pose("zero"), singular = robot_.pose("re3_start");
  const Vector6 push = (Vector6() << 0, 0, -25, 0, 0, 0).finished();
  ContactSpaceFilter filter(reader_, posterior_, {.time_constant = 0.3, .error_time = 0.3});
  WrenchEstimate remembered, memoryless;
  for (int i = 0; i <= 100; ++i) {
    // Away to the singular pose within 0.1 s of the last 0.2 s.
    const double share = std::clamp((i - 50) / 40.0, 0.0, 1.0);
    const Residual residual = pushed(good + share * (singular - good), push);
    remembered = filter.step(residual, 0.0025)[0];
    memoryless = posterior_.solve(residual)[0];
  }
  const double lost = std::abs(memoryless.wrench.force.z() + 25), kept = std::abs(remembered.wrench.force.z() + 25);
  std::cout << "push of -25 N in a singular pose: memoryless " << memoryless.wrench.force.z() << " N, sd "
            << memoryless.uncertainty.worst_sd() << " N; filter " << remembered.wrench.force.z() << " N, sd "
            << remembered.uncertainty.worst_sd() << " N\n";
  EXPECT_GT(lost, 20.0);
  EXPECT_LT(kept, 0.5 * lost);
  EXPECT_LT(remembered.uncertainty.worst_sd(), 0.7 * memoryless.uncertainty.worst_sd());
  EXPECT_LT(kept, 3 * remembered.uncertainty.worst_sd());
}

TEST_F(ContactSpace, RefusesWhatItCannotDo) {
  EXPECT_THROW(ContactSpaceFilter(reader_, posterior_, {.time_constant = 0.0}), OptionsError);
  EXPECT_THROW(ContactSpaceFilter(reader_, posterior_, {.lasting_share = 1.0}), OptionsError);
  PosteriorEstimator base(reader_, {.rows = PosteriorRows::all_and_base});
  EXPECT_THROW(ContactSpaceFilter(reader_, base), OptionsError);
  PosteriorEstimator innovation(reader_, {.rows = PosteriorRows::all, .reference = ReferenceUse::innovation});
  EXPECT_THROW(ContactSpaceFilter(reader_, innovation), OptionsError);
}

TEST_F(ContactSpace, DoesNotAllocateAndStaysPositive) {
  RandomStates random(95);
  SCOPED_TRACE(random.text());
  PosteriorEstimator all(reader_, {.rows = PosteriorRows::all, .reference = ReferenceUse::trust});
  ContactSpaceFilter own(reader_, posterior_), together(reader_, all);
  for (int i = 0; i < 2000; ++i) {
    Residual residual = load(random.vector(27, 1.0), random.vector(27, 20.0));
    if (i % 7 == 3) residual.variance *= 1e-12;  // far below any sensor's
    if (i % 11 == 5) residual.value[16] = std::nan("");
    const double dt = i % 13 == 6 ? 0.0 : 0.002;
    AllocationCounter counter;
    const WrenchEstimate& e = own.step(residual, dt)[0];
    together.step(residual, dt);
    if (i % 500 == 499) own.reset();
    ASSERT_EQ(counter.count(), 0) << i;
    if (e.status != Status::ok) continue;
    ASSERT_TRUE(e.wrench.is_finite());
    ASSERT_GT(e.uncertainty.force_sd[0], 0.0) << i;
    ASSERT_LE(e.uncertainty.force_sd[2], 20.0 * (1 + 1e-12));
    ASSERT_EQ(e.uncertainty.covariance, Matrix6(e.uncertainty.covariance.transpose()));
  }
}

}  // namespace
}  // namespace antaeus
