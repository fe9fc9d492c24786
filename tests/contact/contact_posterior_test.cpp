#include "antaeus/contact/contact_posterior.hpp"

#include <random>

#include "antaeus/core/error.hpp"
#include "contact/split_problem.hpp"
#include "contact/tolerances.hpp"
#include "contact/wander.hpp"
#include "support/human_plates.hpp"

namespace antaeus {
namespace {

constexpr double kWeight = 600.0, kHeight = 0.9, kRate = 100.0;

/// A standing body whose feet deviate as the options say, so that the truth is known. z is up, the body faces x.
struct Standing {
  TotalMotion motion;
  std::vector<MatrixX> truth;  ///< of each foot rows × 6, about the origin of its frame
};

/// \param places  of the feet's frames on the ground
Standing standing(const std::vector<Vector3>& places, int rows, unsigned seed, const SplitOptions& o,
                  const Sole& sole) {
  std::mt19937 random(seed);
  Standing result;
  TotalMotion& motion = result.motion;
  motion.name = "standing";
  motion.time = VectorX::LinSpaced(rows, 0, (rows - 1) / kRate);
  motion.wrench = MatrixX::Zero(rows, 6);
  motion.com = Vector3(sole.flat, 0, kHeight).transpose().replicate(rows, 1);
  const auto feet = places.size();
  std::vector<std::vector<VectorX>> own;
  for (std::size_t f = 0; f < feet; ++f) {
    motion.feet.push_back({std::string(1, static_cast<char>('a' + f)), {}});
    motion.feet[f].pose.assign(static_cast<std::size_t>(rows), {Matrix3::Identity(), places[f]});
    result.truth.emplace_back(rows, 6);
    own.emplace_back();
    for (int k = 0; k < 5; ++k) own[f].push_back(test::wander(random, rows, kRate, o.foot_correlation));
    own[f].push_back(test::wander(random, rows, kRate, 2.0));
  }
  std::vector<VectorX> errors;
  for (int k = 0; k < 6; ++k) errors.push_back(test::wander(random, rows, kRate, o.total_correlation));
  const Vector6 sd = (Vector6() << o.force_sd_forward, o.force_sd_sideways, o.force_sd_up, o.com_sd_sideways * kWeight,
                      o.com_sd_forward * kWeight, o.yaw_sd)
                         .finished();
  for (Eigen::Index t = 0; t < rows; ++t) {
    const Vector3 com = motion.com.row(t).transpose(), ground(com.x(), com.y(), 0);
    VectorX load(std::ssize(own));
    for (std::size_t f = 0; f < feet; ++f) load[static_cast<Eigen::Index>(f)] = 1 + 0.16 * own[f][5][t];
    load *= kWeight / load.sum();
    Vector6 total = Vector6::Zero();
    for (std::size_t f = 0; f < feet; ++f) {
      const double up = load[static_cast<Eigen::Index>(f)];
      const Vector3 c = places[f] + Vector3(sole.flat, 0, -places[f].z());
      const Vector3 lean = (com - c) / kHeight;
      const Vector3 force(up * (o.lean_forward * lean.x() + o.lean_sd_forward * own[f][0][t]),
                          up * (o.lean_sideways * lean.y() + o.lean_sd_sideways * own[f][1][t]), up);
      const Vector3 pressure(sole.along_sd * own[f][2][t], sole.across_sd * own[f][3][t], 0);
      Vector3 moment(pressure.y() * up, -pressure.x() * up, 0);
      const double free = o.free_moment_sd * own[f][4][t];
      moment.z() = (free * up * up - moment.dot(force)) / up;
      result.truth[f].row(t) << force.transpose(), (moment + (c - places[f]).cross(force)).transpose();
      total.head<3>() += force;
      total.tail<3>() += moment + (c - ground).cross(force);
    }
    // Along and about (forward, right, up) = (x, −y, z).
    for (int k = 0; k < 6; ++k) total[k] += sd[k] * errors[static_cast<std::size_t>(k)][t];
    motion.wrench.row(t) << total.head<3>().transpose(), (total.tail<3>() + ground.cross(total.head<3>())).transpose();
  }
  return result;
}

Sole flat_sole() { return Sole::rectangle(0.04, 0.13, 0.05, 0.0); }

SplitOptions exact() {
  SplitOptions options;
  options.delay = options.motion_share = 0.0;  // the synthetic motion's errors are those of a slow one
  return options;
}

ContactPosterior split(const TotalMotion& motion, const Sole& sole, const SplitOptions& options = exact()) {
  return split_contacts(motion, detect_contacts(motion, sole), sole, options);
}

const std::vector<Vector3> kTwo{{0, 0.15, 0}, {0, -0.15, 0}};

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
  ANTAEUS_REQUIRE_SHARED("measured/human_plates");
  const TotalMotion motion = test::plate_trial("walking1").motion;
  const ContactPosterior as_is = split(motion, {}, {});
  Matrix3 to_z;
  to_z << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  const Matrix3 yaw = Eigen::AngleAxisd(2.2, Vector3::UnitZ()).toRotationMatrix();
  for (const Matrix3& R : {to_z, Matrix3(yaw * to_z)}) {
    const ContactPosterior other = split(test::turned(motion, R, 2), {}, {});
    for (std::size_t f = 0; f < 2; ++f) {
      const MatrixX force = as_is.feet[f].mean.leftCols<3>() * R.transpose(),
                    moment = as_is.feet[f].mean.rightCols<3>() * R.transpose();
      EXPECT_LT((other.feet[f].mean.leftCols<3>() - force).cwiseAbs().maxCoeff(), tolerance::kTurnedWorld);
      EXPECT_LT((other.feet[f].mean.rightCols<3>() - moment).cwiseAbs().maxCoeff(), tolerance::kTurnedWorld);
      EXPECT_LT((other.feet[f].lower.col(2) - as_is.feet[f].lower.col(1)).cwiseAbs().maxCoeff(),
                tolerance::kTurnedWorld);
    }
  }
}

TEST(ContactPosterior, DoesNotDependOnTheSamplingRate) {
  ANTAEUS_REQUIRE_SHARED("measured/human_plates");
  for (const char* name : {"static1", "squats1", "walking1"}) {
    const TotalMotion motion = test::plate_trial(name).motion;
    const ContactPosterior fast = split(motion, {}, {}), slow = split(test::thinned(motion, 2), {}, {});
    double force = 0.0, sd = 0.0;
    for (std::size_t f = 0; f < 2; ++f) {
      VectorX off(slow.time.size());
      for (Eigen::Index i = 0; i < off.size(); ++i) {
        off[i] = slow.feet[f].mean(i, 1) - fast.feet[f].mean(2 * i, 1);
        const auto row = static_cast<std::size_t>(i);
        sd += std::log(slow.feet[f].covariance[row](1, 1) / fast.feet[f].covariance[2 * row](1, 1));
      }
      force = std::max(force, std::sqrt(off.squaredNorm() / static_cast<double>(off.size())));
    }
    const double ratio = std::exp(0.5 * sd / static_cast<double>(2 * slow.time.size()));
    std::printf("%s: 50 against 100 Hz, vertical force rms %.2f N, sd ratio %.3f\n", name, force, ratio);
    EXPECT_LT(force / motion.weight(), tolerance::kRateForce) << name;
    EXPECT_NEAR(ratio, 1.0, tolerance::kRateSd) << name;
  }
}

TEST(ContactPosterior, ARaisedFootCarriesNothing) {
  Standing one = standing(kTwo, 100, 6, exact(), flat_sole());
  for (Pose& pose : one.motion.feet[1].pose) pose.translation.z() = 0.3;
  const ContactPosterior posterior = split(one.motion, flat_sole());
  ASSERT_EQ(posterior.status, Status::ok);
  EXPECT_LT(posterior.feet[1].mean.col(2).cwiseAbs().maxCoeff(), 5 * SplitOptions{}.load_sd_raised * kWeight);
  EXPECT_EQ(posterior.remark, "b never touches: its wrench is what is left for a raised foot");
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
