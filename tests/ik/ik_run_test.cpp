// antaeus ik as a program calls it: targets read, starts read, runs whose answers depend on neither threads nor timing,
// and what a path's large steps turn out to be.
#include "antaeus/ik/ik_run.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "antaeus/core/error.hpp"
#include "antaeus/ik/ik_story.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

constexpr double kReached = 1e-4;  ///< [m] the default tolerance

IkTargets targets_of(const std::string& csv) { return ik_targets_of(parse_csv(csv, "t.csv"), "t.csv"); }

std::string refused(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}
bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

const Robot& panda() {
  static const Robot robot = load_robot("panda", MeshPolicy::ignored);
  return robot;
}
const Robot& planar() {
  static const Robot robot = load_robot("planar_3r", MeshPolicy::ignored);
  return robot;
}

/// Poses of random configurations within limits; every fourth pushed away, every fifth pulled in.
IkTargets mixed(const Robot& robot, const std::string& frame, int n) {
  const KinematicChain chain(robot.model, frame);
  std::mt19937 random(11);
  IkTargets targets{.name = "mixed", .poses = {}};
  for (int t = 0; t < n; ++t) {
    VectorX q(chain.size());
    for (int j = 0; j < chain.size(); ++j) {
      const ChainJoint& joint = chain.joints()[static_cast<std::size_t>(j)];
      q[j] = std::uniform_real_distribution(joint.lower, joint.upper)(random);
    }
    Pose pose;
    chain.pose(q, pose);
    if (t % 4 == 3) pose.translation *= 1.6;
    if (t % 5 == 4) pose.translation *= 0.3;
    targets.poses.push_back(pose);
  }
  return targets;
}

void expect_same(const IkResult& a, const IkResult& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(to_csv(rejected_table(a)), to_csv(rejected_table(b)));
  for (int t = 0; t < a.size(); ++t) {
    EXPECT_EQ(a.status(t), b.status(t)) << t;
    EXPECT_EQ(a.reason(t), b.reason(t)) << t;
    for (int j = 0; j < a.answers.q.cols(); ++j) {
      const double x = a.answers.q(t, j), y = b.answers.q(t, j);
      EXPECT_TRUE(x == y || (std::isnan(x) && std::isnan(y))) << t;
    }
  }
}

// --- targets ---------------------------------------------------------------------------------------------------------

TEST(IkTargets, ColumnsStandInAnyOrder) {
  const IkTargets a = targets_of("x,y,z,qx,qy,qz,qw\n1,2,3,0,0,0.6,0.8\n");
  const IkTargets b = targets_of("qw, z,qx,qy,qz,x,y\n0.8,3,0,0,0.6,1,2\n");
  ASSERT_EQ(a.poses.size(), 1U);
  EXPECT_TRUE(a.has_rotation);
  EXPECT_EQ(a.poses[0].translation, Vector3(1, 2, 3));
  EXPECT_EQ(b.poses[0].translation, a.poses[0].translation);
  EXPECT_EQ(b.poses[0].rotation, a.poses[0].rotation);
  // A turn about z by 2 atan(0.6/0.8): cos = 0.28, sin = 0.96.
  EXPECT_NEAR(a.poses[0].rotation(0, 0), 0.28, tolerance::kArithmetic);
  EXPECT_NEAR(a.poses[0].rotation(1, 0), 0.96, tolerance::kArithmetic);
  EXPECT_EQ(a.name, "t");
}

TEST(IkTargets, WithoutQuaternionsThereIsNoRotation) {
  EXPECT_FALSE(targets_of("y,x,z\n2,1,3\n").has_rotation);
  EXPECT_EQ(targets_of("y,x,z\n2,1,3\n").poses[0].translation, Vector3(1, 2, 3));
}

TEST(IkTargets, WhatIsNoPoseIsOfItsRowAlone) {
  const IkTargets t = targets_of(
      "x,y,z,qx,qy,qz,qw\n1,nan,3,0,0,0,1\n1,2,,0,0,0,1\n1,2,3,0,0,0,0\n1,2,3,0,0,0,1.0009\n1,2,3,0,0,0,1.002\n"
      "1,2,3,0,0,inf,1\n1e200,2,3,1e200,0,0,1\n");
  ASSERT_EQ(t.poses.size(), 7U);
  EXPECT_EQ(t.position_problems, (std::map<int, std::string>{{0, "the target's y is not a finite number"},
                                                             {1, "the target's z is not a finite number"}}));
  EXPECT_EQ(t.rotation_problems.size(), 4U);
  EXPECT_EQ(t.rotation_problems.at(2), "the target's quaternion is zero");
  EXPECT_EQ(t.rotation_problems.at(4), "the target's quaternion has the length 1.002, which is not 1 within 0.001");
  EXPECT_EQ(t.rotation_problems.at(5), "the target's qz is not a finite number");
  EXPECT_TRUE(has(t.rotation_problems.at(6), "1e+200"));
  EXPECT_TRUE(t.poses[3].rotation.isIdentity(tolerance::kArithmetic));  // nearly unit is unit
  EXPECT_TRUE(t.poses[0].translation.array().isNaN().all());
  EXPECT_TRUE(t.poses[2].rotation.array().isNaN().all());
}

TEST(IkTargets, WhatIsNoTableOfTargetsIsRefusedWithItsPlace) {
  EXPECT_TRUE(
      has(refused([] { targets_of("x,y,z\n1,2,3\n1,b,3\n"); }), "t.csv:3: 'b' in column 'y' is not a number; "));
  EXPECT_TRUE(has(refused([] { targets_of("x,y,z\n1,2,3\n1,2\n"); }), "t.csv:3: 2 cells where the header has 3"));
  EXPECT_TRUE(has(refused([] { targets_of("x,y,qx,qy,qz,qw\n1,2,0,0,0,1\n"); }), "t.csv:1: no column 'z'"));
  EXPECT_TRUE(has(refused([] { targets_of("x,y,z,qx,qy,qz\n1,2,3,0,0,1\n"); }), "t.csv:1: no column 'qw'"));
  EXPECT_TRUE(has(refused([] { targets_of("x,y,z,qxx\n1,2,3,4\n"); }), "unknown column 'qxx'; did you mean 'qx'?"));
  EXPECT_TRUE(has(refused([] { targets_of("x,y,z, x\n1,2,3,4\n"); }), "'x' appears twice"));
  EXPECT_TRUE(has(refused([] { targets_of("x,y,z\n"); }), "no targets"));
}

TEST(IkTargets, TextsAreReadAsTheirFormSays) {
  const std::vector<std::string> two = {"1, 2,3", "-1,2e-1,nan"};
  const IkTargets t = parse_ik_targets(two);
  EXPECT_FALSE(t.has_rotation);
  EXPECT_EQ(t.poses[0].translation, Vector3(1, 2, 3));
  EXPECT_EQ(t.position_problems.count(1), 1U);
  const auto one = [](std::vector<std::string> texts) { return refused([&] { parse_ik_targets(texts); }); };
  EXPECT_TRUE(has(one({"1,2,3,4"}), "target: '1,2,3,4' has 4 parts, not 3 or 7; "));
  EXPECT_TRUE(has(one({""}), "has 1 part"));
  EXPECT_TRUE(has(one({"1,2,x"}), "'x' is not a number"));
  EXPECT_TRUE(has(one({"1,2,3", "1,2,3,0,0,0,1"}), "some targets have a quaternion"));
}

TEST(IkStart, IsAPoseOrJointsOrNumbers) {
  const KinematicChain chain(panda().model, "panda_hand");
  const auto start = [&](const std::string& text) { return parse_ik_start(panda(), chain, text); };
  EXPECT_EQ(start("ready"), chain.from_motors(panda().pose("ready")));
  EXPECT_EQ(start("0,0.1,0,-1, 0,1,0")[1], 0.1);
  const VectorX named = start("panda_joint2=0.3,panda_joint7=-1");
  EXPECT_EQ(named[1], 0.3);
  EXPECT_EQ(named[6], -1.0);
  EXPECT_EQ(named[3], chain.middle()[3]);  // the others in the middle
  const auto why = [&](const std::string& text) { return refused([&] { start(text); }); };
  EXPECT_TRUE(has(why("redy"), "start: unknown pose 'redy'; did you mean 'ready'?"));
  EXPECT_TRUE(has(why("0,1"), "2 numbers for a chain of 7"));
  EXPECT_TRUE(has(why("0,1,2,3,4,5,nan"), "'nan' is not a finite number"));
  EXPECT_TRUE(has(why("panda_joint9=1"), "unknown joint of the chain 'panda_joint9'; did you mean 'panda_joint"));
  EXPECT_TRUE(has(why("panda_joint1=1,panda_joint1=2"), "given twice"));
  EXPECT_TRUE(has(why("panda_joint1=1,2"), "'2' is not a joint=value"));
}

// --- runs ------------------------------------------------------------------------------------------------------------

TEST(IkRun, AnswersDependNeitherOnThreadsNorOnTiming) {
  for (const IkMethod method : {IkMethod::reach, IkMethod::dls}) {
    for (const bool from_start : {false, true}) {
      IkRequest request{.frame = "panda_hand", .targets = mixed(panda(), "panda_hand", 60), .method = method};
      request.targets.poses[7].translation.setConstant(kNaN);
      if (from_start) request.start = VectorX::Constant(7, 0.1);
      const IkResult one = solve_ik(panda(), request);
      request.threads = 3;
      const IkResult three = solve_ik(panda(), request);
      request.threads = 1, request.timing = true;
      const IkResult timed = solve_ik(panda(), request);
      expect_same(one, three);
      expect_same(one, timed);
      EXPECT_EQ(ik_summary(one).dump(), ik_summary(three).dump());
      EXPECT_EQ(one.cpu_us.size(), 0);
      ASSERT_EQ(timed.cpu_us.size(), 60);
      EXPECT_GT(timed.cpu_us[0], 0.0);
      EXPECT_TRUE(std::isnan(timed.cpu_us[7]));
      int total = 0;
      for (const ReachStatus status : all_values<ReachStatus>()) total += one.count(status);
      EXPECT_EQ(total, 60);
      EXPECT_EQ(one.count(ReachStatus::bad_input), 1);
    }
  }
}

TEST(IkRun, IsTheSolversAnswerTargetByTarget) {
  const IkRequest request{.frame = "panda_hand", .targets = mixed(panda(), "panda_hand", 40)};
  const IkResult result = solve_ik(panda(), request);
  ReachSolver solver(result.model);
  for (int t = 0; t < result.size(); ++t) {
    const ReachSolution& s = solver.solve(request.targets.poses[static_cast<std::size_t>(t)]);
    EXPECT_EQ(s.status, result.status(t));
    EXPECT_EQ(s.q.transpose(), result.answers.q.row(t));
    EXPECT_EQ(reason_text(result.model, s), result.reason(t));
  }
  EXPECT_GT(result.count(ReachStatus::out_of_reach), 0);
  const Table rejected = rejected_table(result);
  EXPECT_EQ(static_cast<int>(rejected.rows()), result.count(ReachStatus::blocked_by_limits));
}

TEST(IkRun, AStartOutsideItsLimitsIsPulledInAndSaid) {
  IkRequest request{.frame = "panda_hand", .targets = mixed(panda(), "panda_hand", 3)};
  request.start = VectorX::Constant(7, 0.1);
  request.start[0] = 9.0;
  for (const bool path : {false, true}) {
    request.path = path;
    const IkResult result = solve_ik(panda(), request);
    EXPECT_EQ(result.pulled_in, (std::vector<std::string>{"panda_joint1", "panda_joint4"}));
    EXPECT_EQ(result.start[0], 2.8973);
    EXPECT_EQ(result.start[3], -0.0698);
    EXPECT_TRUE(has(result.reason(0), "outside the limits of panda_joint1 and panda_joint4"));
    EXPECT_EQ(has(result.reason(1), "outside the limits"), !path);  // later targets begin at the answer before
    EXPECT_TRUE(has(result.remarks.at(0), "panda_joint1 and panda_joint4"));
  }
}

TEST(IkRun, PositionsAloneAreAskedForWhereThereAreNoQuaternions) {
  IkRequest request{.frame = "panda_hand", .targets = targets_of("x,y,z\n0.4,0.1,0.5\n")};
  const IkResult implied = solve_ik(panda(), request);
  EXPECT_TRUE(implied.model.options().position_only);
  EXPECT_TRUE(has(implied.remarks.at(0), "no quaternions"));
  EXPECT_NEAR((implied.answered(0).translation - Vector3(0.4, 0.1, 0.5)).norm(), 0.0, kReached);
  // A quaternion that is none does not matter to a position.
  request.targets = targets_of("x,y,z,qx,qy,qz,qw\n0.4,0.1,0.5,0,0,0,0\n");
  EXPECT_EQ(solve_ik(panda(), request).status(0), ReachStatus::bad_input);
  ReachOptions options;
  options.position_only = true;
  const IkResult asked = solve_ik(panda(), request, options);
  EXPECT_EQ(asked.answers.q, implied.answers.q);
  EXPECT_TRUE(has(asked.remarks.at(0), "not read"));
}

TEST(IkRun, PlainMethodsKnowTwoEnds) {
  for (const IkMethod method : {IkMethod::dls, IkMethod::pinv, IkMethod::dls_restarts}) {
    IkRequest request{.frame = "tool", .targets = targets_of("x,y,z\n0.5,0.5,0\n3,0,0\n"), .method = method};
    request.start = Vector3(0.3, 0.3, 0.3);  // the middle of the limits is the arm stretched out, where pinv fails
    const IkResult result = solve_ik(planar(), request);
    EXPECT_EQ(result.status(0), ReachStatus::reached) << to_string(method);
    EXPECT_EQ(result.status(1), ReachStatus::iteration_budget) << to_string(method);
    EXPECT_TRUE(has(result.reason(1), "budget of iterations")) << result.reason(1);
    EXPECT_NEAR((result.answered(0).translation - Vector3(0.5, 0.5, 0)).norm(), 0.0, kReached);
  }
}

TEST(IkRun, LargeStepsOfAPathAreToldApart) {
  // The planar arm of 0.5 + 0.4 + 0.3 m passes its tool through the shoulder's axis: the first joint must turn by half
  // a turn in no time. Next to it the step is large and needed.
  std::string csv = "x,y,z\n";
  for (int t = 0; t <= 20; ++t) csv += std::to_string(1.0 - 0.1 * t) + ",0.02,0\n";
  const IkResult through =
      solve_ik(planar(), {.frame = "tool", .targets = targets_of(csv), .path = true, .start = Vector3(0.3, 0.3, 0.3)});
  EXPECT_EQ(through.size(), 21);
  EXPECT_FALSE(through.steps.empty());
  for (const IkStep& step : through.steps) {
    EXPECT_EQ(step.to, step.from + 1);
    EXPECT_GT(step.size, kLongStep);
    EXPECT_LE(step.size, through.largest_step);
    EXPECT_TRUE(std::isfinite(step.largest_substep));
    EXPECT_EQ(step.needed(), step.largest_substep < kNeededPart);
  }
  // Small steps of a short way need no look.
  const IkResult still =
      solve_ik(planar(), {.frame = "tool", .targets = targets_of("x,y,z\n0.8,0.1,0\n0.8,0.11,0\n"), .path = true});
  EXPECT_TRUE(still.steps.empty());
  EXPECT_LT(still.largest_step, kLongStep);
  // Far targets that lie apart: the branch is lost, or the way needs it; each is told in the story.
  bool told = false;
  for (const IkAnswer& answer : ik_story(through)) told = told || answer.question == "Does the path jump?";
  EXPECT_TRUE(told);
}

TEST(IkRun, APathGoesOnAfterATargetThatIsNone) {
  IkRequest request{
      .frame = "tool", .targets = targets_of("x,y,z\nnan,0,0\n0.8,0.1,0\nnan,0,0\n0.8,0.12,0\n"), .path = true};
  const IkResult result = solve_ik(planar(), request);
  EXPECT_EQ(result.status(0), ReachStatus::bad_input);
  EXPECT_EQ(result.status(1), ReachStatus::reached);
  EXPECT_EQ(result.status(3), ReachStatus::reached);
  EXPECT_TRUE(result.answers.q.row(2).array().isNaN().all());
  EXPECT_GT(result.largest_step, 0.0);  // from target 1 to target 3
  EXPECT_LT(result.largest_step, kLongStep);
}

TEST(IkRun, IsRefusedWhereItCannotBegin) {
  const auto why = [](IkRequest request) { return refused([&] { solve_ik(panda(), std::move(request)); }); };
  const IkTargets one = targets_of("x,y,z\n0.4,0.1,0.5\n");
  EXPECT_TRUE(has(why({.frame = "panda_hnd", .targets = one}), "did you mean 'panda_hand'?"));
  EXPECT_TRUE(has(why({.frame = "panda_link0", .targets = one}), "no joint with a motor"));
  EXPECT_TRUE(has(why({.frame = "panda_hand", .targets = {}}), "there are none"));
  EXPECT_TRUE(has(why({.frame = "panda_hand", .targets = one, .threads = 0}), "fewer than one"));
  EXPECT_TRUE(has(why({.frame = "panda_hand", .targets = one, .start = Vector3::Zero()}), "each of 7 joints"));
}

// --- files -----------------------------------------------------------------------------------------------------------

TEST(IkFiles, ColumnsAreThoseOfTheContract) {
  IkRequest request{.frame = "tool", .targets = targets_of("x,y,z\n0.8,0.1,0\nnan,0,0\n9,0,0\n")};
  const auto names = [](const Table& table) {
    std::string text;
    for (const Column& column : table.columns()) text += (text.empty() ? "" : ",") + column.name;
    return text;
  };
  const std::string plain =
      "target,status,reason,reached,position_error,rotation_error,iterations,attempts,blocked_by,agreeing_starts,"
      "gradient,joint_1,joint_2,joint_3";
  const IkResult result = solve_ik(planar(), request);
  const Table table = solutions_table(result);
  EXPECT_EQ(names(table), plain);
  EXPECT_EQ(table.rows(), 3U);
  EXPECT_EQ(table.numbers("reached"), (std::vector<double>{1, 0, 0}));
  EXPECT_TRUE(std::isnan(table.numbers("rotation_error")[0]));  // position alone
  EXPECT_TRUE(std::isnan(table.numbers("gradient")[0]));        // reached: not asked
  EXPECT_TRUE(std::isnan(table.numbers("joint_1")[1]));         // bad input
  EXPECT_GT(table.numbers("agreeing_starts")[2], 0.0);
  EXPECT_EQ(table.numbers("joint_2")[2], result.answers.q(2, 1));
  request.timing = true;
  EXPECT_EQ(names(solutions_table(solve_ik(planar(), request))), plain + ",cpu_us");
  const Json summary = ik_summary(result);
  EXPECT_EQ(summary["schema"].text(), "antaeus.ik.summary/1");
  EXPECT_EQ(summary["reached"].integer(), 1);
  EXPECT_EQ(summary["statuses"]["bad_input"].integer(), 1);
  EXPECT_TRUE(summary["path"].is_null());
  EXPECT_TRUE(summary["timing"].is_null());
}

}  // namespace
}  // namespace antaeus
