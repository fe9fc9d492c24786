#include "antaeus/pose/pose_advice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "robot/test_robots.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::kWrists;

const std::vector<std::string> kLeft = {"left_wrist_yaw_link"};

class PoseAdviceOnTheH1_2 : public testing::Test {
 protected:
  PoseAdvice ask(PoseLimitSet set, const std::vector<std::string>& joints = {}, const PoseAdviceOptions& options = {},
                 const std::vector<std::string>& endpoints = kLeft) {
    return advise(robot_, endpoints, target_, pose_limits(robot_, set), joints, options);
  }
  bool satisfies(const VectorX& q, const PoseLimits& limits, const std::vector<std::string>& endpoints = kLeft) {
    PoseQuality quality(robot_, endpoints);
    for (const PoseConditioning& pose : quality.evaluate(q)) {
      for (const PoseLimit& limit : limits.limits) {
        if (!(quality.value(pose, limit.quantity) < limit.limit)) return false;
      }
    }
    return true;
  }
  Robot robot_ = test::own_robot("h1_2");
  VectorX target_ = robot_.pose("arm_waist_target");
};

/// docs/validation.md#guards: sd < 5 N needs the left elbow at ≤ 1.0 rad, the report's gain < 3 needs 0.4
/// to 0.6. The singular pose can be left to the other side too, and that way is a little shorter.
TEST_F(PoseAdviceOnTheH1_2, LeftElbowAlone) {
  const PoseAdvice sd = ask(PoseLimitSet::sd, {"left_elbow_joint"});
  ASSERT_TRUE(sd.found);
  EXPECT_FALSE(sd.satisfied);
  ASSERT_EQ(sd.alone.size(), 1u);
  const SingleJointMove& elbow = sd.alone[0];
  EXPECT_EQ(elbow.from, 1.5);
  ASSERT_TRUE(elbow.below.found && elbow.above.found);
  EXPECT_GT(elbow.below.to, 1.0);
  EXPECT_LT(elbow.below.to, 1.05);
  EXPECT_LT(elbow.below.until, 0.0) << "from there on the elbow may open until it is straight, and beyond";
  EXPECT_GT(elbow.above.to, 1.9);
  EXPECT_LT(elbow.above.to, 2.0);
  const double bent = sd.q[robot_.model.motor("left_elbow_joint")];
  EXPECT_EQ(bent, elbow.nearest().to);
  ASSERT_EQ(sd.moves.size(), 1u);
  EXPECT_EQ(sd.moves[0].from, 1.5);
  EXPECT_NEAR(sd.distance, std::abs(1.5 - bent), tolerance::kByHand);

  const PoseAdvice gain =
      advise(robot_, kLeft, target_, {"custom", {parse_pose_limit("gain=3")}}, {"left_elbow_joint"});
  ASSERT_TRUE(gain.alone[0].below.found);
  EXPECT_GT(gain.alone[0].below.to, 0.4);
  EXPECT_LT(gain.alone[0].below.to, 0.6);
  const PoseAdvice published = ask(PoseLimitSet::published, {"left_elbow_joint"});
  ASSERT_TRUE(published.found && published.alone[0].below.found);
  EXPECT_LE(published.alone[0].below.to, gain.alone[0].below.to) << "with κ it cannot be nearer";
}

TEST_F(PoseAdviceOnTheH1_2, TheBorderIsFoundExactly) {
  const int elbow = robot_.model.motor("left_elbow_joint");
  for (const PoseLimitSet set : {PoseLimitSet::sd, PoseLimitSet::published}) {
    SCOPED_TRACE(to_string(set));
    const PoseAdvice advice = ask(set, {"left_elbow_joint"});
    ASSERT_TRUE(advice.found);
    EXPECT_TRUE(satisfies(advice.q, advice.limits));
    for (const Opening* side : {&advice.alone[0].below, &advice.alone[0].above}) {
      VectorX q = target_;
      q[elbow] = side->to;
      EXPECT_TRUE(satisfies(q, advice.limits));
      q[elbow] += side->to < 1.5 ? 1e-6 : -1e-6;
      EXPECT_FALSE(satisfies(q, advice.limits));
      q[elbow] = side->until;
      EXPECT_TRUE(satisfies(q, advice.limits));
    }
  }
}

TEST_F(PoseAdviceOnTheH1_2, AllJointsFindSomethingNearerThanAnyAlone) {
  for (const PoseLimitSet set : {PoseLimitSet::sd, PoseLimitSet::published}) {
    SCOPED_TRACE(to_string(set));
    const PoseAdvice advice = ask(set);
    ASSERT_TRUE(advice.found);
    EXPECT_TRUE(satisfies(advice.q, advice.limits));
    EXPECT_EQ(advice.alone.size(), 7u);
    for (const SingleJointMove& move : advice.alone) {
      if (move.found()) {
        EXPECT_LE(advice.distance, std::abs(move.nearest().to - move.from) + 1e-9) << move.joint;
      }
    }
    for (Eigen::Index m = 0; m < 27; ++m) {
      if (m < 13 || m > 19) {
        EXPECT_EQ(advice.q[m], target_[m]) << "only the left arm was asked to move";
      }
      EXPECT_GE(advice.q[m], robot_.model.lower_limits()[m]);
      EXPECT_LE(advice.q[m], robot_.model.upper_limits()[m]);
    }
    EXPECT_NEAR(advice.distance, (advice.q - target_).norm(), tolerance::kByHand);
    EXPECT_TRUE(std::is_sorted(advice.moves.begin(), advice.moves.end(), [](const JointMove& a, const JointMove& b) {
      return std::abs(a.to - a.from) > std::abs(b.to - b.from);
    }));
  }
}

/// Against every pose of a fine grid over two joints.
TEST_F(PoseAdviceOnTheH1_2, NothingOnAGridOfTwoJointsIsNearer) {
  const std::vector<std::string> joints = {"left_shoulder_pitch_joint", "left_elbow_joint"};
  constexpr double kStep = 0.02;
  for (const PoseLimitSet set : {PoseLimitSet::sd, PoseLimitSet::published}) {
    SCOPED_TRACE(to_string(set));
    const PoseAdvice advice = ask(set, joints);
    ASSERT_TRUE(advice.found);
    PoseQuality quality(robot_, kLeft);
    const int pitch = robot_.model.motor(joints[0]), elbow = robot_.model.motor(joints[1]);
    double nearest = 1e9;
    for (double a = -1.2; a <= 1.2; a += kStep) {
      for (double b = -1.2; b <= 1.2; b += kStep) {
        const double distance = std::hypot(a, b);
        if (distance >= nearest) continue;
        VectorX q = target_;
        q[pitch] += a;
        q[elbow] += b;
        const auto within = [&](int m) {
          return q[m] >= robot_.model.lower_limits()[m] && q[m] <= robot_.model.upper_limits()[m];
        };
        if (!within(pitch) || !within(elbow)) continue;
        bool good = true;
        const PoseConditioning& pose = quality.evaluate(q)[0];
        for (const PoseLimit& limit : advice.limits.limits) {
          good = good && quality.value(pose, limit.quantity) < limit.limit;
        }
        if (good) nearest = distance;
      }
    }
    EXPECT_LT(advice.distance, nearest + 1e-3);
    EXPECT_GT(advice.distance, nearest - 2 * kStep) << "the grid found nothing as near: is the pose permitted?";
  }
}

TEST_F(PoseAdviceOnTheH1_2, KeepsTheHandNearItsPlace) {
  const PoseAdvice free = ask(PoseLimitSet::sd), kept = ask(PoseLimitSet::sd, {}, {.keep_hand = 0.1});
  ASSERT_TRUE(free.found);
  ASSERT_TRUE(kept.found);
  EXPECT_LE(kept.hand_shift[0], 0.1);
  EXPECT_GE(kept.distance, free.distance - 1e-3);
  EXPECT_TRUE(satisfies(kept.q, kept.limits));
  EXPECT_NEAR(kept.hand_shift[0], (kept.after[0].position - kept.before[0].position).norm(), tolerance::kByHand);
}

TEST_F(PoseAdviceOnTheH1_2, TwoHandsAreSearchedApart) {
  const PoseAdvice both = ask(PoseLimitSet::published, {}, {}, kWrists), left = ask(PoseLimitSet::published);
  ASSERT_TRUE(both.found);
  EXPECT_TRUE(satisfies(both.q, both.limits, kWrists));
  EXPECT_EQ(both.q.segment(13, 7), left.q.segment(13, 7)) << "the right hand has no say in the left arm";
  EXPECT_EQ(both.hand_shift.size(), 2u);
}

TEST_F(PoseAdviceOnTheH1_2, EqualInputEqualAdvice) {
  const PoseAdvice a = ask(PoseLimitSet::sd), b = ask(PoseLimitSet::sd);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.evaluations, b.evaluations);
}

TEST_F(PoseAdviceOnTheH1_2, WeightsSayWhatIsDear) {
  PoseAdviceOptions options;
  options.weights = VectorX::Ones(27);
  options.weights[robot_.model.motor("left_elbow_joint")] = 100.0;
  const PoseAdvice cheap = ask(PoseLimitSet::sd), dear = ask(PoseLimitSet::sd, {}, options);
  ASSERT_TRUE(dear.found);
  const int elbow = robot_.model.motor("left_elbow_joint");
  EXPECT_LT(std::abs(dear.q[elbow] - 1.5), std::abs(cheap.q[elbow] - 1.5));
}

TEST_F(PoseAdviceOnTheH1_2, APoseThatSatisfiesStays) {
  const PoseAdvice advice = advise(robot_, kWrists, robot_.pose("zero"), pose_limits(robot_, PoseLimitSet::sd));
  EXPECT_TRUE(advice.satisfied);
  EXPECT_TRUE(advice.found);
  EXPECT_TRUE(advice.moves.empty());
  EXPECT_EQ(advice.distance, 0.0);
  EXPECT_EQ(advice.q, robot_.pose("zero"));
}

TEST_F(PoseAdviceOnTheH1_2, SaysWhenThereIsNone) {
  const PoseAdvice advice = advise(robot_, kLeft, target_, {"custom", {{PoseQuantity::sd, 0.01}}});
  EXPECT_FALSE(advice.found);
  EXPECT_EQ(advice.q, target_);
  EXPECT_TRUE(advice.moves.empty());
  EXPECT_EQ(advice.alone.size(), 7u);
  EXPECT_TRUE(
      std::none_of(advice.alone.begin(), advice.alone.end(), [](const SingleJointMove& m) { return m.found(); }));
  const Robot planar = test::own_robot("planar_3r");
  const PoseLimits asked{"custom", {{PoseQuantity::sd, planar.settings({"tool"}).get<PosteriorOptions>().full_use_sd}}};
  EXPECT_TRUE(advise(planar, {"tool"}, planar.pose("bent"), asked).satisfied)
      << "that a planar arm feels nothing across its plane is no pose's fault";
}

TEST_F(PoseAdviceOnTheH1_2, LeavesOutWhatNoPoseOfAShortArmPasses) {
  const Robot planar = test::own_robot("planar_3r");
  const PoseLimits limits = pose_limits(planar, PoseLimitSet::sd, {"tool"});
  ASSERT_EQ(limits.limits.size(), 1u);
  EXPECT_EQ(limits.limits[0].quantity, PoseQuantity::error_force);
  ASSERT_EQ(limits.notes.size(), 1u);
  EXPECT_NE(note_text(limits.notes[0]).find("sd is left out at tool: 3 joints' torques"), std::string::npos)
      << note_text(limits.notes[0]);
  EXPECT_TRUE(advise(planar, {"tool"}, planar.pose("bent"), limits).found);
  const PoseLimits whole = pose_limits(robot_, PoseLimitSet::sd, kLeft);
  ASSERT_EQ(whole.limits.size(), 1u) << "of seven joints nothing is left out";
  EXPECT_EQ(whole.limits[0].quantity, PoseQuantity::sd);
  EXPECT_TRUE(whole.notes.empty());
}

TEST_F(PoseAdviceOnTheH1_2, RefusesWhatItCannotUse) {
  EXPECT_THROW(parse_enum<PoseLimitSet>("publishd", "limits"), OptionsError);
  EXPECT_THROW(parse_pose_limit("sd"), OptionsError);
  EXPECT_THROW(parse_pose_limit("sd="), OptionsError);
  EXPECT_THROW(parse_pose_limit("sd=-1"), OptionsError);
  EXPECT_THROW(parse_pose_limit("kapa=20"), OptionsError);
  EXPECT_EQ(parse_pose_limit("kappa=20").quantity, PoseQuantity::kappa);
  EXPECT_EQ(parse_pose_limit("sd=4.5").limit, 4.5);
  EXPECT_THROW(ask(PoseLimitSet::sd, {"left_elbow_jont"}), OptionsError);
  EXPECT_THROW(ask(PoseLimitSet::sd, {"right_elbow_joint"}), OptionsError) << "it moves no endpoint that was asked for";
  EXPECT_THROW(advise(robot_, kLeft, VectorX::Zero(3), pose_limits(robot_, PoseLimitSet::sd)), OptionsError);
  EXPECT_THROW(advise(robot_, kLeft, target_, {"none", {}}), OptionsError);
  EXPECT_THROW(advise(robot_, {"left_wrst"}, target_, pose_limits(robot_, PoseLimitSet::sd)), ModelError);
  const Robot planar = test::own_robot("planar_3r");
  EXPECT_THROW(advise(planar, {"tool"}, planar.pose("bent"), {"custom", {{PoseQuantity::gain, 3}}}), OptionsError);
}

/// A limit that nothing exceeds, on the gain of two joints, is one that the kernel's samples do not hold: then every
/// pose is evaluated by itself. The path and what it counts must be the same, bit for bit, at any number of threads.
TEST_F(PoseAdviceOnTheH1_2, IsTheSamePoseByPoseAndAtAnyNumberOfThreads) {
  for (const double keep_hand : {0.0, 0.15}) {
    for (const char* limit : {"sd=5", "kappa=20", "error_force=15"}) {
      PoseLimits limits{"custom", {parse_pose_limit(limit)}};
      PoseAdviceOptions options;
      options.keep_hand = keep_hand;
      const PoseAdvice together = advise(robot_, kWrists, target_, limits, {}, options);
      EXPECT_FALSE(together.satisfied);
      for (const char* threads : {"1", "3"}) {
        Robot robot = robot_;
        robot.profile.settings.set(std::string("replay.threads=") + threads);
        const auto expect_same = [&](const PoseAdvice& other) {
          SCOPED_TRACE(std::string(limit) + ", threads " + threads);
          EXPECT_EQ(other.q, together.q);
          EXPECT_EQ(other.evaluations, together.evaluations);
          ASSERT_EQ(other.alone.size(), together.alone.size());
          for (std::size_t i = 0; i < other.alone.size(); ++i) {
            EXPECT_EQ(other.alone[i].below.to, together.alone[i].below.to);
            EXPECT_EQ(other.alone[i].above.until, together.alone[i].above.until);
          }
        };
        expect_same(advise(robot, kWrists, target_, limits, {}, options));
        robot.profile.preflight.gain_joints = {"torso_joint", "left_elbow_joint"};
        PoseLimits more = limits;
        more.limits.push_back({PoseQuantity::gain, 1e18});
        if (keep_hand == 0.0) expect_same(advise(robot, kWrists, target_, more, {}, options));
      }
    }
  }
}

/// The way back into the limits of joints cannot be shortened: a search that took it for progress never ended.
TEST(PoseAdviceSearch, EndsFromAPoseOutsideTheJointsLimits) {
  const Robot robot = test::own_robot("panda");
  const VectorX zero = VectorX::Zero(7);
  ASSERT_LT(robot.model.upper_limits()[3], 0.0);
  const PoseLimits limits = pose_limits(robot, PoseLimitSet::preflight, {"panda_hand"});
  const PoseAdvice advice = advise(robot, {"panda_hand"}, zero, limits);
  ASSERT_TRUE(advice.found);
  EXPECT_LE(advice.q[3], robot.model.upper_limits()[3]);
  PoseQuality quality(robot, {"panda_hand"});
  const PoseConditioning& there = quality.evaluate(advice.q)[0];
  for (const PoseLimit& limit : limits.limits) EXPECT_LT(quality.value(there, limit.quantity), limit.limit);
}

}  // namespace
}  // namespace antaeus
