#include "antaeus/contact/contact_posterior.hpp"

#include "antaeus/core/error.hpp"
#include "contact/split_problem.hpp"
#include "contact/standing.hpp"
#include "contact/tolerances.hpp"

namespace antaeus {
namespace {

using test::exact;
using test::flat_sole;
using test::kTwo;
using test::kWeight;
using test::Standing;
using test::standing;

ContactPosterior split(const TotalMotion& motion, const Sole& sole, const SplitOptions& options = exact()) {
  return split_contacts(motion, detect_contacts(motion, sole), sole, options);
}

TEST(ContactPosterior, IntervalsHoldTheTruthAsOftenAsTheySay) {
  int held = 0, all = 0;
  double squares = 0.0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Standing one = standing(kTwo, 200, seed, exact(), flat_sole());
    const ContactPosterior posterior = split(one.motion, flat_sole());
    ASSERT_EQ(posterior.status, Status::ok);
    for (std::size_t f = 0; f < 2; ++f) {
      for (Eigen::Index t = 0; t < 200; t += 20) {
        for (int k = 0; k < 6; ++k) {
          const double truth = one.truth[f](t, k);
          held += truth >= posterior.feet[f].lower(t, k) && truth <= posterior.feet[f].upper(t, k);
          squares += std::pow(truth - posterior.feet[f].mean(t, k), 2) /
                     posterior.feet[f].covariance[static_cast<std::size_t>(t)](k, k);
          ++all;
        }
      }
    }
  }
  std::printf("seeds 1 to 40: %.1f %% of 95 %% intervals hold the truth, mean squared z %.2f\n", 100.0 * held / all,
              squares / all);
  EXPECT_NEAR(100.0 * held / all, 95.0, tolerance::kCalibration);
  EXPECT_NEAR(squares / all, 1.0, tolerance::kCalibrationSquare);
}

TEST(ContactPosterior, FeetAddUpToTheMotion) {
  for (const int feet : {1, 2, 3, 4}) {
    std::vector<Vector3> places{{0, 0.15, 0}, {0, -0.15, 0}, {-0.4, 0.15, 0}, {-0.4, -0.15, 0}};
    places.resize(static_cast<std::size_t>(feet));
    const Standing one = standing(places, 100, 3, exact(), flat_sole());
    const ContactPosterior posterior = split(one.motion, flat_sole());
    ASSERT_EQ(posterior.status, Status::ok) << feet;
    EXPECT_TRUE(posterior.converged) << feet;
    VectorX up = VectorX::Zero(100);
    for (const FootWrenches& foot : posterior.feet) up += foot.mean.col(2);
    EXPECT_LT((up - one.motion.wrench.col(2)).cwiseAbs().maxCoeff(), 2 * SplitOptions{}.force_sd_up) << feet;
    EXPECT_EQ(std::ssize(posterior.pairs), feet * (feet - 1) / 2);
    EXPECT_EQ(posterior.unobservable.empty(), feet == 1);
  }
}

TEST(ContactPosterior, TheSqueezeIsNotInTheMotionAndItsIntervalSaysSo) {
  const Standing one = standing(kTwo, 200, 5, exact(), flat_sole());
  const ContactPosterior posterior = split(one.motion, flat_sole());
  ASSERT_EQ(posterior.pairs.size(), 1U);
  EXPECT_EQ(posterior.unobservable[0], "squeeze between a and b");
  // From a (left) to b (right).
  EXPECT_LT((posterior.pairs[0].direction.row(100).transpose() - Vector3(0, -1, 0)).norm(), tolerance::kArithmetic);
  // What is known of it is the lean of each foot's force alone: ½ √2 · 0.05 · 300 N.
  const double prior = 0.5 * std::sqrt(2.0) * SplitOptions{}.lean_sd_sideways * 0.5 * kWeight;
  EXPECT_NEAR(posterior.pairs[0].squeeze_sd[100] / prior, 1.0, tolerance::kSqueezeShare);
  // More squeeze, the same motion, the same answer: nothing in the total tells.
  const Matrix6& covariance = posterior.pairs[0].covariance[100];
  EXPECT_LT(covariance(1, 1), 0.0);
}

/// A motion whose centre of mass is one sd beside the true one all the time: what that does to the wrenches is what the
/// constant adds to their covariance.
TEST(ContactPosterior, AConstantAddsWhatItDoesToTheWrenches) {
  Standing one = standing(kTwo, 200, 5, exact(), flat_sole());
  SplitOptions options = exact();
  options.shift_rate_quiet = 1e3;  // the covariance is of a load that may jump
  options.com_constant_forward = options.lean_constant_forward = options.lean_constant_sideways = 0.0;
  const ContactPosterior with = split(one.motion, flat_sole(), options);
  const double off = options.com_constant_sideways * kWeight;
  options.com_constant_sideways = 0.0;
  const ContactPosterior without = split(one.motion, flat_sole(), options);
  one.motion.wrench.col(3).array() += off;
  const ContactPosterior left = split(one.motion, flat_sole(), options);
  one.motion.wrench.col(3).array() -= 2.0 * off;
  const ContactPosterior right = split(one.motion, flat_sole(), options);
  for (std::size_t f = 0; f < 2; ++f) {
    for (const Eigen::Index t : {10, 100, 190}) {
      const auto row = static_cast<std::size_t>(t);
      const double change = 0.5 * (left.feet[f].mean(t, 2) - right.feet[f].mean(t, 2));
      EXPECT_GT(std::abs(change), 3.0) << "3 mm over 0.3 m of 600 N are 6 N";
      const double added = with.feet[f].covariance[row](2, 2) - without.feet[f].covariance[row](2, 2);
      EXPECT_NEAR(added / (change * change), 1.0, tolerance::kConstantShare) << "row " << t;
    }
    EXPECT_EQ((with.feet[f].mean - without.feet[f].mean).cwiseAbs().maxCoeff(), 0.0) << "it is not learned";
  }
}

/// That loads do not jump helps the wrenches; of how much the places of pressure leave open it says nothing.
TEST(ContactPosterior, TheWalkOfTheLoadMakesNothingSurer) {
  const Standing one = standing(kTwo, 200, 5, exact(), flat_sole());
  SplitOptions options = exact();
  const ContactPosterior walks = split(one.motion, flat_sole(), options);
  options.shift_rate_quiet = 1e3;
  const ContactPosterior jumps = split(one.motion, flat_sole(), options);
  for (const std::size_t row : {10u, 100u, 190u}) {
    const double ratio = walks.feet[0].covariance[row](2, 2) / jumps.feet[0].covariance[row](2, 2);
    EXPECT_NEAR(std::sqrt(ratio), 1.0, tolerance::kWalkingSd) << row;
  }
}

/// Near a step the total is known less well. Written into the rows that is the problem which knows of the step: its
/// wrenches are the likelier ones, and the stated ones are off by the way to those as well.
TEST(ContactPosterior, AStepIsDoubtAndNotInTheWrenches) {
  const Standing one = standing(kTwo, 200, 5, exact(), flat_sole());
  SplitOptions options = exact();
  options.step_spread = 0.0;
  options.step_correlation = 1e300;
  const ContactTiming timing = detect_contacts(one.motion, flat_sole());
  const SplitProblem without = split_problem(one.motion, timing, flat_sole(), options);
  SplitProblem with = without, written = without;
  const double share[3] = {options.step_share_forward, options.step_share_sideways, options.step_share_up};
  for (std::size_t t = 90; t < 110; ++t) {
    with.rows[t].contacts[0].step = 1.0;
    for (int k = 0; k < 3; ++k) {
      double& sd = written.rows[t].total_sd[k];
      sd = std::hypot(sd, share[k] * without.body.weight);
    }
  }
  const SplitSolution calm = solve(without, timing), step = solve(with, timing), likelier = solve(written, timing);
  ASSERT_TRUE(step.converged && likelier.converged);
  EXPECT_EQ((step.w - calm.w).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_GT((step.w - likelier.w).cwiseAbs().maxCoeff(), 5.0);
  for (const Eigen::Index t : {10, 95, 100, 150}) {
    const auto row = static_cast<std::size_t>(t);
    const VectorX off = (step.w.row(t) - likelier.w.row(t)).transpose();
    const MatrixX expected = likelier.covariance[row] + off * off.transpose();
    EXPECT_LT((step.covariance[row] - expected).norm() / expected.norm(), tolerance::kTwoDescents) << t;
  }
}

TEST(ContactPosterior, DoesNotDependOnTheWorldsAxes) {
  const TotalMotion motion = test::lifted_foot();
  const ContactPosterior as_is = split(motion, flat_sole());
  Matrix3 to_y;
  to_y << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  const Matrix3 yaw = Eigen::AngleAxisd(2.2, Vector3::UnitY()).toRotationMatrix();
  for (const Matrix3& R : {to_y, Matrix3(yaw * to_y)}) {
    const ContactPosterior other = split(test::turned(motion, R, 1), flat_sole());
    for (std::size_t f = 0; f < 2; ++f) {
      const MatrixX force = as_is.feet[f].mean.leftCols<3>() * R.transpose(),
                    moment = as_is.feet[f].mean.rightCols<3>() * R.transpose();
      EXPECT_LT((other.feet[f].mean.leftCols<3>() - force).cwiseAbs().maxCoeff(), tolerance::kTurnedWorld);
      EXPECT_LT((other.feet[f].mean.rightCols<3>() - moment).cwiseAbs().maxCoeff(), tolerance::kTurnedWorld);
      EXPECT_LT((other.feet[f].lower.col(1) - as_is.feet[f].lower.col(2)).cwiseAbs().maxCoeff(),
                tolerance::kTurnedWorld);
    }
  }
}

TEST(ContactPosterior, DoesNotDependOnTheSamplingRate) {
  for (const TotalMotion& motion : {standing(kTwo, 301, 4, exact(), flat_sole()).motion, test::lifted_foot()}) {
    SCOPED_TRACE(motion.name);
    const test::RateEffect effect = test::halve_rate(motion, flat_sole(), exact());
    EXPECT_LT(effect.force / motion.weight(), tolerance::kRateForce);
    EXPECT_NEAR(effect.sd_ratio, 1.0, tolerance::kRateSd);
  }
}

TEST(ContactPosterior, ARaisedFootCarriesNothing) {
  Standing one = standing(kTwo, 100, 6, exact(), flat_sole());
  for (Pose& pose : one.motion.feet[1].pose) pose.translation.z() = 0.3;
  const ContactPosterior posterior = split(one.motion, flat_sole());
  ASSERT_EQ(posterior.status, Status::ok);
  EXPECT_LT(posterior.feet[1].mean.col(2).cwiseAbs().maxCoeff(), 5 * SplitOptions{}.load_sd_raised * kWeight);
  EXPECT_EQ(posterior.remark, "b is never in contact: its wrench is the remainder for a raised foot");
  EXPECT_TRUE(posterior.unobservable.empty());
  // The body stands as on two feet: one foot under its side cannot explain that.
  EXPECT_GT(posterior.nis.mean(), 3 * posterior.nis_dof);
  EXPECT_GE(posterior.feet[1].lower.col(2).minCoeff(), 0.0);
}

TEST(ContactPosterior, NoFootOnTheGroundIsNoReasonToFail) {
  Standing one = standing(kTwo, 50, 7, exact(), flat_sole());
  one.motion.wrench.setZero();
  one.motion.wrench.col(2).setConstant(kWeight);
  const ContactTiming none{one.motion.time, {"a", "b"}, MatrixX::Zero(one.motion.time.size(), 2), {}};
  const ContactPosterior posterior = split_contacts(one.motion, none, flat_sole(), exact());
  ASSERT_EQ(posterior.status, Status::ok);
  EXPECT_TRUE(posterior.feet[0].mean.allFinite());
  EXPECT_GT(posterior.nis.minCoeff(), 100.0);
}

TEST(ContactPosterior, FewRowsAndSlowSamplingHaveAnAnswer) {
  const Standing one = standing(kTwo, 200, 9, exact(), flat_sole());
  for (const int every : {4, 10, 70}) {  // 25 Hz, 10 Hz, three rows
    const TotalMotion slow = test::thinned(one.motion, every);
    for (const bool hidden : {false, true}) {
      SplitOptions options = exact();
      options.hidden_contact = hidden;
      const ContactPosterior posterior = split(slow, flat_sole(), options);
      ASSERT_EQ(posterior.status, Status::ok) << every;
      for (const FootWrenches& foot : posterior.feet) {
        EXPECT_TRUE(foot.mean.allFinite() && foot.lower.allFinite() && foot.upper.allFinite()) << every;
      }
      EXPECT_EQ(posterior.hidden.force.size(), hidden ? slow.rows() : 0);
    }
  }
}

TEST(ContactPosterior, AHiddenContactBesideAnyNumberOfFeet) {
  for (const int feet : {1, 3, 4}) {
    std::vector<Vector3> places{{0, 0.15, 0}, {0, -0.15, 0}, {-0.4, 0.15, 0}, {-0.4, -0.15, 0}};
    places.resize(static_cast<std::size_t>(feet));
    const Standing one = standing(places, 60, 10, exact(), flat_sole());
    SplitOptions options = exact();
    options.hidden_contact = true;
    const ContactPosterior posterior = split(one.motion, flat_sole(), options);
    ASSERT_EQ(posterior.status, Status::ok) << feet;
    EXPECT_TRUE(posterior.hidden.force.allFinite() && posterior.hidden.place.allFinite()) << feet;
  }
}

TEST(ContactPosterior, RefusesWhatDoesNotFit) {
  const Standing one = standing(kTwo, 50, 8, exact(), flat_sole());
  const ContactTiming timing = detect_contacts(one.motion, flat_sole());
  ContactTiming other = timing;
  other.feet = {"b", "a"};
  EXPECT_THROW(split_contacts(one.motion, other), Error);
  EXPECT_THROW(split_contacts(test::thinned(one.motion, 2), timing), Error);
  SplitOptions options;
  options.lean_sd_forward = 0.0;
  EXPECT_THROW(split_contacts(one.motion, timing, {}, options), OptionsError);
  options = {};
  options.hidden_z_end = 4.0;
  EXPECT_THROW(split_contacts(one.motion, timing, {}, options), OptionsError);
  Sole sole;
  sole.forward = {2, 0, 0};
  EXPECT_THROW(split_contacts(one.motion, timing, sole), OptionsError);
  TotalMotion nan = one.motion;
  nan.wrench(3, 2) = kNaN;
  EXPECT_THROW(split_contacts(nan, timing), EpisodeError);
  const Standing crowd = standing(std::vector<Vector3>(11, Vector3::Zero()), 20, 8, exact(), flat_sole());
  EXPECT_THROW(split(crowd.motion, flat_sole()), Error);
  options = {};
  options.most_iterations = 1;
  const ContactPosterior hurried = split_contacts(one.motion, timing, flat_sole(), options);
  EXPECT_FALSE(hurried.converged);
  EXPECT_EQ(hurried.remark, "not converged after 1 iterations");
}

}  // namespace
}  // namespace antaeus
