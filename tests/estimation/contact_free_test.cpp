#include "antaeus/estimation/contact_free.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "antaeus/episode/episode.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"
#include "antaeus/numerics/gaussian_posterior.hpp"
#include "estimation/humanoid.hpp"
#include "estimation/tolerances.hpp"
#include "robot/test_robots.hpp"
#include "support/static_residual.hpp"

namespace antaeus {
namespace {

using test::kTorso;
using test::RandomStates;

using test::kLimbs;
const std::vector<std::string> kFeet = {kLimbs[2], kLimbs[3]};

class ContactFree : public testing::Test {
 protected:
  Robot robot_ = test::own_robot("h1_2");
  InstantReader reader_{robot_, kLimbs};
  ResidualEstimator residual_{robot_, {.kind = ResidualChoice::static_gravity}};

  Observation observation(RandomStates& random, double torque) const {
    Observation o;
    o.q = random.vector(27, 1.0);
    o.v = VectorX::Zero(27);
    o.tau = random.vector(27, torque);
    return o;
  }
  const Residual& load(const Observation& o) {
    EXPECT_EQ(reader_.at(o).status(), Status::ok);
    return residual_.form(now());
  }
  const Instant& now() const { return reader_.instant(); }
  /// All rows with the same variance, so that least squares is not weighted.
  static Residual even(Residual residual) {
    residual.variance.setOnes();
    residual.moving = false;
    return residual;
  }
  static constexpr ContactFreeOptions kEven{true, {.force_sd = 1.0, .moment_sd = 1.0}};

  VectorX hands_by_least_squares(const ContactFreeProjection& projection) const {
    return projection.whitened_matrix().colPivHouseholderQr().solve(projection.whitened_residual());
  }
};

TEST_F(ContactFree, BasisIsOrthonormalAndNoFootIsInIt) {
  RandomStates random(81);
  SCOPED_TRACE(random.text());
  ContactFreeProjection projection(reader_, kFeet);
  for (int i = 0; i < 20; ++i) {
    Observation o = observation(random, 5.0);
    if (i == 19) o.q.setZero();  // stretched legs
    ASSERT_EQ(projection.compute(load(o)), Status::ok);
    const MatrixX& N = projection.null_space();
    ASSERT_EQ(N.rows(), 33);
    EXPECT_EQ(N.cols(), 21);
    EXPECT_LT((N.transpose() * N - MatrixX::Identity(21, 21)).norm(), tolerance::kArithmetic);
    for (int foot : {2, 3}) {
      MatrixX J(6, 33);
      J << now().base_jacobian(foot), now().jacobian(foot);
      EXPECT_LT((J * N).norm(), tolerance::kArithmetic);
    }
    EXPECT_EQ(projection.kept(), (std::vector<int>{0, 1}));
  }
}

TEST_F(ContactFree, HandsAreExactWhateverTheFeetDo) {
  RandomStates random(82);
  SCOPED_TRACE(random.text());
  ContactFreeProjection projection(reader_, kFeet);
  for (int i = 0; i < 20; ++i) {
    Observation o = observation(random, 0.0);
    load(o);
    // Feet carry what the hands' wrenches and the weight need: one foot free, the other from the six base rows.
    const VectorX hands = random.vector(12, 30.0), foot = random.vector(6, 300.0);
    Vector6 base = now().base_residual() + now().base_jacobian(2).transpose() * foot;
    o.tau = now().gravity_torque() - now().jacobian(2).transpose() * foot;
    for (int k = 0; k < 2; ++k) {
      base += now().base_jacobian(k).transpose() * hands.segment<6>(6 * k);
      o.tau -= now().jacobian(k).transpose() * hands.segment<6>(6 * k);
    }
    const Vector6 other = -now().base_jacobian(3).transpose().fullPivLu().solve(base);
    o.tau -= now().jacobian(3).transpose() * other;
    // even(): such feet take more torque than the drives have, and saturated rows are no evidence.
    ASSERT_EQ(projection.compute(even(load(o))), Status::ok);
    EXPECT_LT((projection.matrix() * hands - projection.residual()).norm(), tolerance::kRecoveredWrench);
    const VectorX found = hands_by_least_squares(projection);
    EXPECT_LT((found - hands).norm(), 100 * tolerance::kRecoveredWrench);
    // And so does the stacked estimator, which has to find the feet too.
    StackedEstimator stacked(reader_, StackedRows::motors_and_base, {.sign = Sign::on_robot});
    const auto& estimates = stacked.solve(now());
    for (std::size_t k = 0; k < 2; ++k) {
      const auto part = found.segment<6>(6 * static_cast<Eigen::Index>(k));
      EXPECT_LT((estimates[k].wrench.to_vector() - part).norm(), 100 * tolerance::kRecoveredWrench);
    }
    // A posterior on the whitened rows: a wide prior finds the same.
    GaussianPosterior posterior(21, 12);
    ASSERT_EQ(posterior.compute(projection.whitened_matrix(), projection.whitened_residual(), VectorX::Ones(21),
                                1e6 * MatrixX::Identity(12, 12)),
              Status::ok);
    EXPECT_LT((posterior.mean() - hands).norm(), tolerance::kWidePrior);
  }
}

/// The projection says of the hands what stacked least squares says, also where nothing is consistent.
TEST_F(ContactFree, IsTheHandsPartOfStackedLeastSquares) {
  RandomStates random(83);
  SCOPED_TRACE(random.text());
  ContactFreeProjection projection(reader_, kFeet, kEven);
  StackedEstimator stacked(reader_, StackedRows::motors_and_base, {.sign = Sign::on_robot});
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(projection.compute(even(load(observation(random, 20.0)))), Status::ok);
    const VectorX found = hands_by_least_squares(projection);
    const auto& estimates = stacked.solve(now());
    ASSERT_EQ(estimates[0].rank, 24);
    for (std::size_t k = 0; k < 2; ++k) {
      const auto part = found.segment<6>(6 * static_cast<Eigen::Index>(k));
      EXPECT_LT((estimates[k].wrench.to_vector() - part).norm() / (1 + part.norm()), tolerance::kSamePosterior);
    }
  }
}

TEST_F(ContactFree, RowsWithoutEvidenceAreProjectedOut) {
  RandomStates random(84);
  SCOPED_TRACE(random.text());
  ContactFreeProjection projection(reader_, kFeet);
  Residual residual = load(observation(random, 5.0));
  residual.variance[15] = kInfinity;
  ASSERT_EQ(projection.compute(residual), Status::ok);
  EXPECT_EQ(projection.null_space().cols(), 20);
  const VectorX before = projection.residual();
  residual.value[15] += 1000.0;
  ASSERT_EQ(projection.compute(residual), Status::ok);
  EXPECT_EQ(projection.residual(), before);
  residual.moving = true;
  residual.kind = ResidualKind::inverse_dynamics;
  ASSERT_EQ(projection.compute(residual), Status::ok);
  EXPECT_FALSE(projection.base_rows_used());
  EXPECT_LT(projection.null_space().topRows<6>().norm(), tolerance::kArithmetic);
  EXPECT_EQ(projection.null_space().cols(), 33 - 12 - 7 + 0);  // the legs' 12 rows, 6 of the base, one motor, no more
}

TEST_F(ContactFree, BadInputLeavesNothing) {
  RandomStates random(85);
  ContactFreeProjection projection(reader_, kFeet);
  Residual residual = load(observation(random, 5.0));
  residual.value[3] = std::nan("");
  EXPECT_EQ(projection.compute(residual), Status::not_finite);
  EXPECT_EQ(projection.matrix().size(), 0);
  residual = load(observation(random, 5.0));
  residual.kind = ResidualKind::inverse_dynamics;
  EXPECT_EQ(projection.compute(residual), Status::not_computed);
  residual.value.conservativeResize(5);
  EXPECT_EQ(projection.compute(residual), Status::wrong_size);
  EXPECT_THROW(ContactFreeProjection(reader_, {"left_ankle_rol_link"}), ModelError);
  InstantReader bolted(test::own_robot("planar_3r"), {"tool"});
  EXPECT_THROW(ContactFreeProjection(bolted, {}), ModelError);
}

/// What it does to the incident (left wrist, Fz of the robot on the environment, all rows weighted alike).
/// Motor rows only: the torso's row passes through whole, −353.6 N, the stacked 27 × 24 result.
/// With base rows: −875.7 N, the stacked 33 × 24 result. Neither removes the torso's −34.5 N·m.
TEST_F(ContactFree, DoesNotRemoveTheTorsosFault) {
  ANTAEUS_REQUIRE_SHARED("episodes/re3_real_encode_tr1/tau.npy");
  const Episode episode = load_episode(test::shared_folder() / "episodes" / "re3_real_encode_tr1", robot_);
  Observation o;
  episode.observe(8, o);
  const Residual residual = even(load(o));
  ContactFreeProjection motors(reader_, kFeet, {.base_rows = false}), all(reader_, kFeet, kEven);
  ASSERT_EQ(motors.compute(residual), Status::ok);
  ASSERT_EQ(all.compute(residual), Status::ok);
  // Every free motion of the torso is left: its axis lies in the span of N.
  EXPECT_NEAR(motors.null_space().row(kTorso).norm(), 1.0, tolerance::kArithmetic);
  EXPECT_EQ(motors.null_space().cols(), 15);
  EXPECT_NEAR(-hands_by_least_squares(motors)[2], -353.59, 0.005);
  EXPECT_NEAR(-hands_by_least_squares(all)[2], -875.7, 0.05);
  // Nor do the base rows take any of it away; they only give it six more rows to disagree with.
  EXPECT_NEAR(all.null_space().row(6 + kTorso).norm(), 1.0, tolerance::kArithmetic);
}

}  // namespace
}  // namespace antaeus
