// Directions that a limb senses in no pose, and the verdicts of what it can sense.
#include "antaeus/estimation/sensed_force.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/estimation/contact_space_filter.hpp"
#include "robot/test_robots.hpp"
#include "support/limbs.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::limb;
using test::planar_leg;

constexpr double kPriorForce = 20.0;

SensedForce sensed_at(const Robot& robot, const std::string& frame) {
  const FrameId id = robot.model.frame(frame);
  return sensed_force(robot.model, id, robot.model.supporting_motors(id));
}

PosteriorOptions contact_force(ForceWant want = ForceWant::sensed) {
  return {.contact = ContactKind::force, .want = want, .prior = {.force = kPriorForce}};
}

/// A limb that holds a force on it, and what its posterior says.
class Limb {
 public:
  explicit Limb(Robot robot, PosteriorOptions options = contact_force(), const std::string& frame = "tip")
      : robot_(std::move(robot)), frame_(frame), posterior_(reader_, options) {}

  /// \param force  on the robot, world axes
  const Residual& hold(const VectorX& q, const Vector3& force, const Eigen::Vector4d* imu = nullptr) {
    Observation o;
    o.time = time_ += 0.01;
    o.q = q;
    o.v = o.tau = VectorX::Zero(q.size());
    o.has_imu = imu != nullptr;
    if (imu) o.imu_quaternion_xyzw = *imu;
    const Instant& now = reader_.at(o);
    o.tau = now.gravity_torque() - now.jacobian(0).topRows<3>().transpose() * force;
    return residual_.form(reader_.at(o));
  }
  const WrenchEstimate& judge(const VectorX& q, const Vector3& force, const Eigen::Vector4d* imu = nullptr) {
    return posterior_.solve(hold(q, force, imu))[0];
  }
  PosteriorEstimator& posterior() { return posterior_; }
  const InstantReader& reader() const { return reader_; }

 private:
  Robot robot_;
  std::string frame_;
  double time_ = 0.0;
  InstantReader reader_{robot_, {frame_}};
  ResidualEstimator residual_{robot_, {.kind = ResidualChoice::static_gravity, .tilt_sd = 0.0}};
  PosteriorEstimator posterior_;
};

TEST(SensedForce, NamesWhatALimbSensesByItsBuild) {
  struct Case {
    const char* name;
    Robot robot;
    int insensible, fixed;
    const char* text;
  };
  const Case cases[] = {
      {"a leg of two joints", planar_leg(), 1, 1, "senses x and z of the base; y not, by its build"},
      {"three joints of one plane", limb({{"0 0 1"}, {"0 0 1", "0.3 0 0"}, {"0 0 1", "0.3 0 0"}}, "0.2 0 0"), 1, 1,
       "senses x and y of the base; z not, by its build"},
      // 1.57 for π/2: what such a drawing shows of y is rounding.
      {"a rounded drawing", limb({{"0 1 0"}, {"0 1 0.0008", "0 0 -0.2"}, {"0.0008 1 0", "0 0 -0.2"}}, "0 0 -0.1"), 1, 1,
       "senses x and z of the base; y not, by its build"},
      {"a plane askew", limb({{"0.6 0.8 0"}, {"0.6 0.8 0", "0 0 -0.2"}}, "0 0 -0.2"), 1, 1,
       "senses two of three directions; (0.60, 0.80, 0.00) of the base not, by its build"},
      {"a leg that swings out too", limb({{"1 0 0"}, {"0 1 0"}, {"0 1 0", "0 0 -0.2"}}, "0 0 -0.2"), 0, 0, ""},
      {"two crossed joints", limb({{"0 0 1"}, {"0 1 0"}}, "0.4 0 0"), 1, 0,
       "senses two of three directions, which turn with the pose, by its build"},
      {"one joint", limb({{"0 0 1"}}, "0.4 0 0"), 2, 1,
       "senses one of three directions, which turn with the pose; z of the base in none, by its build"},
  };
  for (const Case& c : cases) {
    const SensedForce sensed = sensed_at(c.robot, "tip");
    EXPECT_EQ(sensed.insensible, c.insensible) << c.name;
    EXPECT_EQ(sensed.fixed, c.fixed) << c.name;
    EXPECT_EQ(sensed.text(), c.text) << c.name;
  }
  const SensedForce none = sensed_force(cases[0].robot.model, cases[0].robot.model.frame("root"), {});
  EXPECT_EQ(none.insensible, 3);
  EXPECT_EQ(none.excused(), 0) << "what senses nothing is not fine";
  EXPECT_EQ(none.text(), "senses no force, by its build");
}

TEST(SensedForce, ArmsOfSixAndMoreJointsSenseAll) {
  for (const auto& [name, frame] : {std::pair{"h1_2", "left_wrist_yaw_link"},
                                    {"h1_2", "left_ankle_roll_link"},
                                    {"panda", "panda_hand"},
                                    {"ur5e", "tool0"}}) {
    EXPECT_EQ(sensed_at(test::own_robot(name), frame).insensible, 0) << name << ' ' << frame;
  }
  EXPECT_EQ(sensed_at(test::own_robot("planar_3r"), "tool").insensible, 1);
}

TEST(SensedForce, APlanarLegIsOkInItsPlane) {
  Limb leg(planar_leg());
  const Vector3 force(6.0, 0.0, 14.0);
  const WrenchEstimate& bent = leg.judge(Eigen::Vector2d(0.7, -1.4), force);
  EXPECT_EQ(bent.verdict, Verdict::ok) << bent.reasons.text();
  const Uncertainty& u = bent.uncertainty;
  EXPECT_EQ(u.insensible, 1);
  EXPECT_EQ(u.observable, 2);
  EXPECT_LT(u.worst_sd(), 1.0);
  EXPECT_LT(std::abs(u.worst_direction().y()), 1e-9) << "of what it can sense";
  // The insensible direction says what it is: about nothing, known as the prior alone.
  EXPECT_NEAR(bent.wrench.force.y(), 0.0, tolerance::kSameQuantity);
  EXPECT_NEAR(u.force_sd[2], kPriorForce, tolerance::kSameQuantity);
  EXPECT_NEAR(std::sqrt(u.covariance(1, 1)), kPriorForce, tolerance::kSameQuantity);
  EXPECT_LT((bent.wrench.force - force).norm(), 0.1) << "of a prior of 20 N, by torques of 0.01 N·m";
  // Across the plane nothing is felt, and nothing more is said.
  const WrenchEstimate& across = leg.judge(Eigen::Vector2d(0.7, -1.4), force + Vector3(0.0, 15.0, 0.0));
  EXPECT_EQ(across.verdict, Verdict::ok);
  EXPECT_NEAR(across.wrench.force.y(), 0.0, tolerance::kSameQuantity);
}

TEST(SensedForce, ASingularPoseIsNotExcused) {
  Limb leg(planar_leg());
  const WrenchEstimate& stretched = leg.judge(Eigen::Vector2d(0.3, 0.0), Vector3(1.0, 0.0, 2.0));
  EXPECT_EQ(stretched.verdict, Verdict::degraded);
  EXPECT_TRUE(stretched.reasons.has(Reason::unobservable_direction)) << stretched.reasons.text();
  EXPECT_TRUE(stretched.reasons.has(Reason::uncertain));
  EXPECT_EQ(stretched.uncertainty.observable, 1);
  // An arm of three joints that shows all directions, but not in this pose.
  Limb three(limb({{"0 0 1"}, {"0 1 0"}, {"0 1 0", "0 0 -0.3"}}, "0 0 -0.3"));
  EXPECT_EQ(three.judge(Vector3(0.2, 1.0, -0.5), Vector3(1, 2, 3)).verdict, Verdict::ok);
  EXPECT_EQ(three.judge(Vector3(0.2, 0.0, 0.0), Vector3(1, 2, 3)).uncertainty.observable, 1)
      << "straight down: neither along it nor, as the first joint turns it on the spot, across the plane";
  // Six joints, the elbow stretched.
  const Robot ur5e = test::own_robot("ur5e");
  for (const ContactKind contact : {ContactKind::force, ContactKind::wrench}) {
    Limb six(ur5e, {.contact = contact}, "tool0");
    const WrenchEstimate& straight = six.judge(VectorX::Zero(6), Vector3::Zero());
    EXPECT_EQ(straight.uncertainty.insensible, 0);
    EXPECT_EQ(straight.verdict, Verdict::degraded);
    EXPECT_TRUE(straight.reasons.has(Reason::uncertain)) << straight.reasons.text();
    EXPECT_EQ(straight.uncertainty.worst_sd(), straight.uncertainty.force_sd[2]);
  }
}

TEST(SensedForce, AConsumerSaysWhatItNeeds) {
  const Eigen::Vector2d bent(0.7, -1.4), stretched(0.0, 0.0);
  const Vector3 force(3.0, 0.0, 8.0);
  for (const ForceWant want : {ForceWant::x, ForceWant::z, ForceWant::xz}) {
    Limb leg(planar_leg(), contact_force(want));
    EXPECT_FALSE(leg.posterior().wants_insensible(0));
    EXPECT_EQ(leg.judge(bent, force).verdict, Verdict::ok) << to_string(want);
    // Straight down it feels x alone.
    const WrenchEstimate& straight = leg.judge(stretched, Vector3(3.0, 0.0, 0.0));
    EXPECT_EQ(straight.verdict == Verdict::ok, want == ForceWant::x) << to_string(want) << straight.reasons.text();
    EXPECT_EQ(straight.reasons.has(Reason::unobservable_direction), want != ForceWant::x);
    EXPECT_FALSE(straight.reasons.has(Reason::insensible_direction));
  }
  EXPECT_EQ(Limb(planar_leg(), contact_force(ForceWant::z)).judge(stretched, Vector3::Zero()).verdict,
            Verdict::unobservable)
      << "none of what it needs";
  for (const ForceWant want : {ForceWant::y, ForceWant::xy, ForceWant::yz, ForceWant::xyz}) {
    Limb leg(planar_leg(), contact_force(want));
    EXPECT_TRUE(leg.posterior().wants_insensible(0));
    const WrenchEstimate& refused = leg.judge(bent, force);
    EXPECT_GE(refused.verdict, Verdict::refused) << to_string(want);
    EXPECT_TRUE(refused.reasons.has(Reason::insensible_direction)) << refused.reasons.text();
  }
  // Of two crossed joints each axis is sensed in some pose, but never all three.
  const Robot crossed = limb({{"0 0 1"}, {"0 1 0"}}, "0.4 0 0");
  EXPECT_FALSE(Limb(crossed, contact_force(ForceWant::yz)).posterior().wants_insensible(0));
  EXPECT_TRUE(Limb(crossed, contact_force(ForceWant::xyz)).posterior().wants_insensible(0));
}

TEST(SensedForce, TheAxesTurnWithTheBase) {
  // A quarter turn about z: y of the base is −x of the world.
  const Eigen::Vector4d turned(0.0, 0.0, std::sqrt(0.5), std::sqrt(0.5));
  const Eigen::Vector2d bent(0.7, -1.4);
  Robot robot = planar_leg(Base::free_flyer);
  robot.profile.imu.frame = "root";
  for (const ForceWant want : {ForceWant::sensed, ForceWant::x, ForceWant::xz}) {
    Limb leg(robot, contact_force(want));
    const WrenchEstimate& estimate = leg.judge(bent, Vector3(5.0, 4.0, 6.0), &turned);
    EXPECT_EQ(estimate.verdict, Verdict::ok) << to_string(want) << ' ' << estimate.reasons.text();
    EXPECT_NEAR(std::sqrt(estimate.uncertainty.covariance(0, 0)), kPriorForce, tolerance::kSameQuantity);
    EXPECT_NEAR(estimate.wrench.force.y(), 4.0, 0.1);
    EXPECT_NEAR(estimate.wrench.force.x(), 0.0, tolerance::kSameQuantity);
  }
  EXPECT_GE(Limb(robot, contact_force(ForceWant::y)).judge(bent, Vector3::Zero(), &turned).verdict, Verdict::refused);
}

/// Who declares the direction has said that there is no other: nothing is left to excuse.
TEST(SensedForce, AKnownDirectionIsJudgedAsItIs) {
  const Eigen::Vector2d bent(0.7, -1.4);
  Limb along(planar_leg());
  ASSERT_EQ(along.posterior().set_known_direction(0, Vector3::UnitZ()), Status::ok);
  const WrenchEstimate& felt = along.judge(bent, Vector3(0.0, 0.0, 5.0));
  EXPECT_EQ(felt.verdict, Verdict::ok) << felt.reasons.text();
  EXPECT_EQ(felt.uncertainty.observable, 3);
  Limb across(planar_leg());
  ASSERT_EQ(across.posterior().set_known_direction(0, Vector3::UnitY()), Status::ok);
  const WrenchEstimate& never = across.judge(bent, Vector3(0.0, 5.0, 0.0));
  EXPECT_TRUE(never.reasons.has(Reason::unobservable_direction));
}

TEST(SensedForce, OverTimeTheVerdictIsTheSame) {
  const Eigen::Vector2d bent(0.7, -1.4);
  for (const ForceWant want : {ForceWant::sensed, ForceWant::z, ForceWant::y}) {
    Limb leg(planar_leg(), contact_force(want));
    ContactSpaceFilter filter(leg.reader(), leg.posterior());
    ContactSpaceSmoother smoother(leg.reader(), leg.posterior());
    for (int i = 0; i < 5; ++i) {
      const Residual& residual = leg.hold(bent, Vector3(1.0, 0.0, 4.0));
      const WrenchEstimate& now = filter.step(residual, 0.01)[0];
      EXPECT_EQ(now.verdict == Verdict::ok, want != ForceWant::y) << now.reasons.text();
      EXPECT_EQ(now.reasons.has(Reason::insensible_direction), want == ForceWant::y);
      EXPECT_EQ(now.uncertainty.insensible, 1);
      smoother.add(residual, 0.01);
    }
    for (const std::vector<WrenchEstimate>& step : smoother.smooth()) {
      EXPECT_EQ(step[0].verdict == Verdict::ok, want != ForceWant::y) << step[0].reasons.text();
      EXPECT_EQ(step[0].reasons.has(Reason::insensible_direction), want == ForceWant::y);
    }
  }
}

TEST(SensedForce, SentencesSayItForPeople) {
  const Robot leg = planar_leg();
  EXPECT_EQ(sensed_sentences(leg, {"tip"}, {}),
            (std::vector<std::string>{"tip: senses x and z of the base; y not, by its build"}));
  EXPECT_EQ(
      sensed_sentences(leg, {"tip"}, {.want = ForceWant::y}),
      (std::vector<std::string>{"tip: senses x and z of the base; y not, by its build; posterior.want=y needs what "
                                "it does not sense: every number is refused"}));
  EXPECT_EQ(sensed_sentences(leg, {"tip"}, {.want = ForceWant::xz}),
            (std::vector<std::string>{"tip: senses x and z of the base; y not, by its build; posterior.want=xz: its "
                                      "verdicts are of these axes of the base"}));
  EXPECT_TRUE(sensed_sentences(test::own_robot("ur5e"), {"tool0"}, {}).empty());
}

}  // namespace
}  // namespace antaeus
