// The page of a motion's contacts: what it says of each kind of result, and that no panel is without numbers.
#include <gtest/gtest.h>

#include <cmath>

#include "../../examples/legged/legged.hpp"
#include "antaeus/contact/contact_result.hpp"
#include "antaeus/report/pages.hpp"
#include "report/page_texts.hpp"
#include "report/tolerances.hpp"
#include "support/page_payload.hpp"

namespace antaeus {
namespace {

using test::answers;
using test::at;
using test::panel;
using test::says;

constexpr Eigen::Index kSteps = 20;
constexpr double kWeight = 500.0;

/// A trunk with one leg a contact, whose motor is "hip_<i>" and whose foot is "foot_<i>".
RobotDescription legged(int legs) {
  RobotDescription robot;
  robot.name = robot.root = "trunk";
  const Inertial some{1.0, Vector3::Zero(), 0.1 * Matrix3::Identity()};
  robot.links.push_back({"trunk", true, some, {}, {}});
  for (int i = 0; i < legs; ++i) {
    const std::string n = std::to_string(i);
    robot.links.push_back({"foot_" + n, true, some, {}, {}});
    JointDescription hip{"hip_" + n, JointType::revolute, "trunk", "foot_" + n, {}, Vector3::UnitY()};
    hip.X_PJ.translation << 0.0, 0.2 * i, -1.0;
    robot.joints.push_back(hip);
  }
  return robot;
}

/// By hand: contacts at y = 0.2 i that share the weight evenly, upright, at rest.
ContactResult standing(int contacts, ContactType kind = ContactType::wrench) {
  ContactResult result;
  result.motion = "standing";
  result.robot = "legs";
  result.base_text = "floating";
  result.description = legged(contacts);
  result.weight = kWeight;
  result.sd_because = "the soles are not known";
  ContactDemand& demand = result.dynamics.demand;
  demand.dt = 0.01;
  demand.time = VectorX::LinSpaced(kSteps, 0.0, 0.01 * static_cast<double>(kSteps - 1));
  demand.total = demand.total.Zero(6, kSteps);
  demand.total.row(2).setConstant(kWeight);
  demand.about = Matrix3X::Zero(3, kSteps);
  const int nv = 6 + contacts;
  result.dynamics.q = SampleMatrix::Zero(kSteps, nv + 1);
  result.dynamics.q.col(2).setConstant(1.0);
  result.dynamics.q.col(6).setConstant(1.0);
  result.dynamics.base.assign(kSteps, Pose{Matrix3::Identity(), Vector3::UnitZ()});
  result.dynamics.center_of_mass = Vector3::UnitZ().replicate(1, kSteps);
  for (int i = 0; i < nv; ++i) {
    result.rows.push_back(i < 6 ? "root_joint_" + std::to_string(i) : "hip_" + std::to_string(i - 6));
  }
  result.torque_limits = VectorX::Constant(nv, kInfinity);
  for (int c = 0; c < contacts; ++c) {
    demand.contacts.push_back("foot_" + std::to_string(c));
    demand.kinds.push_back(kind);
    result.surfaces.emplace_back();
    result.surfaces.back().friction = 0.6;
    result.torque_limits[6 + c] = 50.0;
  }
  result.request.contacts = demand.contacts;
  result.options.kind = kind;
  for (Eigen::Index t = 0; t < kSteps; ++t) {
    for (int c = 0; c < contacts; ++c) demand.places.push_back({Matrix3::Identity(), {0.0, 0.2 * c, 0.0}});
  }
  result.solution.wrench.setZero(6, kSteps * contacts);
  result.solution.wrench.row(2).setConstant(kWeight / contacts);
  result.solution.residual.setZero(6, kSteps);
  result.solution.status.assign(kSteps, Status::ok);
  result.torque = SampleMatrix::Constant(kSteps, nv, 5.0);
  result.torque.leftCols(6).setZero();
  result.residual_share = 0.0;
  return result;
}
/// The same with a posterior in which each force has an sd of 7 N.
ContactResult with_posterior(int contacts) {
  ContactResult result = standing(contacts);
  result.sd_because.clear();
  result.error.assign(static_cast<std::size_t>(kSteps * contacts), 49.0 * Matrix6::Identity());
  ContactPosterior posterior;
  posterior.status = Status::ok;
  for (int c = 0; c < contacts; ++c) {
    FootWrenches foot;
    foot.name = result.dynamics.demand.contacts[static_cast<std::size_t>(c)];
    foot.reference = MatrixX::Zero(kSteps, 3);
    posterior.feet.push_back(std::move(foot));
  }
  posterior.pairs.resize(1);
  posterior.pairs.back().squeeze = VectorX::Constant(kSteps, 3.0);
  posterior.pairs.back().squeeze_sd = VectorX::Constant(kSteps, 10.0);
  posterior.pairs.back().b = 1;
  posterior.unobservable = {"squeeze between foot_0 and foot_1",
                            "free moments of foot_0 and foot_1 against each other"};
  result.posterior = posterior;
  return result;
}

/// Every line has a finite number and the page is written.
void expect_whole(const Page& page) {
  EXPECT_FALSE(page.views.empty());
  test::expect_drawn(page);
  const std::string html = html_page(page);
  EXPECT_NE(html.find("id=\"payload\""), std::string::npos);
  EXPECT_EQ(answers(page).find("–"), std::string::npos) << answers(page);  // no number is shown where there is none
}

TEST(ContactPage, TwoFeetShareTheWeight) {
  const ContactResult result = standing(2);
  const Page page = contact_page(result);
  EXPECT_EQ(page.title, "standing");
  EXPECT_EQ(page.kicker, "Antaeus contact · legs");
  EXPECT_EQ(page.badge, "limits not checked");
  EXPECT_EQ(plain_text(page.subtitle).substr(0, 8), "20 steps");
  EXPECT_TRUE(says(page, "foot_0 carries 50 % of it and foot_1 50 %")) << answers(page);
  EXPECT_TRUE(says(page, "foot_1 is in contact in every step and pushes the robot up with 250 N on average meanwhile"));
  EXPECT_TRUE(says(page, "six equations per step, the active contacts have up to 12 unknowns"));
  EXPECT_TRUE(says(page, "The uncertainty of these wrenches is not known: the soles are not known."));
  EXPECT_TRUE(says(page, "Nothing: the contacts make all of the force"));
  EXPECT_TRUE(says(page, "explains any motion"));
  ASSERT_NE(panel(page, "vertical"), nullptr);
  EXPECT_EQ(panel(page, "vertical")->lines[0].sd, kNoChannel);
  EXPECT_EQ(at(page, panel(page, "vertical")->lines[1].channel, 3), 250.0);
  ASSERT_NE(panel(page, "torque-share"), nullptr);
  EXPECT_NEAR(at(page, panel(page, "torque-share")->lines[0].channel, 0), 10.0, tolerance::kSameQuantity);
  expect_whole(page);
}

TEST(ContactPage, ThePosteriorTellsSdAndWhatIsNotInTheMotion) {
  const ContactResult result = with_posterior(2);
  const Page page = contact_page(result);
  EXPECT_TRUE(says(page, "250 N ± 7 N (one sd) at step 0 (0.000 s)")) << answers(page);
  EXPECT_TRUE(says(page, "Not in it: squeeze between foot_0 and foot_1 and free moments of foot_0 and foot_1"));
  EXPECT_TRUE(says(page, "lies between −16.6 N and 22.6 N (95 %, on average of 20 steps)"));
  EXPECT_EQ(at(page, panel(page, "vertical")->lines[0].sd, 5), 7.0);
  EXPECT_NE(panel(page, "squeeze"), nullptr);
  expect_whole(page);
}

TEST(ContactPage, HiddenContactsAreTold) {
  ContactResult result = with_posterior(2);
  HiddenTrace& hidden = result.posterior->hidden;
  hidden.force = hidden.sd = VectorX::Constant(kSteps, 30.0);
  hidden.resolution = 10.0;
  EXPECT_TRUE(says(contact_page(result), "No contact besides these is certain. A contact of less than about 19.6 N"));
  hidden.seen.push_back({0.05, 0.15, {-0.1, 0.2, 0.0}, 0.06, 120.0, 20.0, 87.0, 6.0});
  const Page page = contact_page(result);
  EXPECT_TRUE(says(page,
                   "from 0.05 s to 0.15 s another contact pushes it up with 120 N ± 20 N, with "
                   "at least 87 N (95 %)"))
      << answers(page);
  EXPECT_NE(panel(page, "hidden"), nullptr);
}

TEST(ContactPage, BrokenLimitsAreToldByNameStepAndSize) {
  ContactResult result = standing(2);
  result.request.limits = LimitSet::cone;
  result.margins.assign(kSteps, FrameMargins{.unilateral = 20.0, .friction = 5.0});
  EXPECT_EQ(contact_page(result).badge, "fine");
  EXPECT_TRUE(says(contact_page(result), "Yes. These wrenches keep every limit that is known (friction as a cone)."));
  EXPECT_TRUE(says(contact_page(result), "Nearest comes friction, 5 N from its limit at step 0"));
  result.violations = {{4, "foot_1", LimitKind::friction, 12.0},
                       {5, "foot_1", LimitKind::friction, 33.0},
                       {5, "hip_0", LimitKind::torque, 8.0}};
  result.feasible = false;
  const Page page = contact_page(result);
  EXPECT_EQ(page.badge, "infeasible");
  EXPECT_EQ(page.views.focus, 5);
  EXPECT_TRUE(says(page, "No wrenches of these contacts keep all limits in 2 of 20 steps (friction as a cone)"));
  EXPECT_TRUE(says(page, "foot_1: the contact would slide in 2 steps, at worst by 33 N at step 5 (0.050 s)."))
      << answers(page);
  EXPECT_TRUE(says(page, "hip_0: the torque is above the motor’s limit in 1 step, at worst by 8 N"));
  ASSERT_NE(panel(page, "states"), nullptr);
  EXPECT_EQ(panel(page, "states")->lanes.size(), 4u);
  expect_whole(page);
}

TEST(ContactPage, AResidualBeyondItsLimitIsNoFineResult) {
  ContactResult result = standing(1);
  result.solution.residual.row(0).setConstant(100.0);
  result.residual_share = 0.2;
  result.residual_fine = false;
  const Page page = contact_page(result);
  EXPECT_EQ(page.badge, "residual beyond its limit");
  EXPECT_TRUE(says(page, "leave 100 N (root mean square), 20 % of the weight; at most 100 N, at step 0"))
      << answers(page);
  EXPECT_TRUE(says(page, "Beyond the limit of 5 % of the weight"));
}

TEST(ContactPage, OneContactPointsAndFourFeet) {
  const ContactResult one = standing(1), points = standing(3, ContactType::point), four = standing(4);
  const Page single = contact_page(one);
  EXPECT_TRUE(single.views.selectors.empty());  // one contact, one joint
  EXPECT_TRUE(says(single, "Never more than one of these contacts is active at a time"));
  expect_whole(single);
  const Page of_points = contact_page(points);
  EXPECT_TRUE(says(of_points, "up to 9 unknowns"));
  EXPECT_FALSE(says(of_points, "explains any motion"));
  EXPECT_EQ(panel(of_points, "moment"), nullptr);
  EXPECT_EQ(panel(of_points, "pressure-1"), nullptr);
  expect_whole(of_points);
  const Page of_four = contact_page(four);
  EXPECT_TRUE(says(of_four, "foot_0 carries 25 % of it, foot_1 25 %, foot_2 25 % and foot_3 25 %"));
  expect_whole(of_four);
}

TEST(ContactPage, ThePressureIsWhereTheMomentsSayIt) {
  ContactResult result = standing(2);
  ContactSurface& surface = result.surfaces[0];
  surface.sole = {{-0.05, -0.04}, {0.15, -0.04}, {0.15, 0.04}, {-0.05, 0.04}};
  surface.sole_depth = 0.1;
  // A force of (10, 0, 250) that acts at (0.08, −0.02, −0.1) from the origin.
  const Vector3 force(10.0, 0.0, 250.0), from(0.08, -0.02, -0.1);
  for (Eigen::Index t = 0; t < kSteps; ++t) {
    result.solution.wrench.col(2 * t).head<3>() = force;
    result.solution.wrench.col(2 * t).tail<3>() = from.cross(force);
  }
  const Page page = contact_page(result);
  const ViewPanel* x = panel(page, "pressure-1");
  ASSERT_NE(x, nullptr);
  EXPECT_NEAR(at(page, x->lines[0].channel, 2), 0.08, tolerance::kSameQuantity);
  EXPECT_NEAR(at(page, panel(page, "pressure-2")->lines[0].channel, 2), -0.02, tolerance::kSameQuantity);
  EXPECT_NEAR(x->limits[0].value, 0.15, tolerance::kSameQuantity);
  EXPECT_EQ(page.views.scenes[0].polygons.size(), 1u);
  EXPECT_EQ(page.views.scenes[0].polygons[0].points[0].z(), -0.1);
  // The arrow starts there.
  EXPECT_NEAR(at(page, page.views.scenes[0].arrows[0].from[2], 0), -0.1, tolerance::kSameQuantity);
}

TEST(ContactPage, WithoutARobotTheFeetMoveAndUpIsDrawnUp) {
  ContactResult result = with_posterior(2);
  result.robot.clear();
  result.description = {};
  result.dynamics.q.resize(0, 0);
  result.torque.resize(0, 0);
  result.rows.clear();
  result.torque_limits.resize(0);
  result.dynamics.base.clear();
  result.up = Vector3::UnitY();
  result.solution.wrench.setZero();
  result.solution.wrench.row(1).setConstant(250.0);
  for (Pose& place : result.dynamics.demand.places) place.translation << 0.3, 0.1, 0.2;
  const Page page = contact_page(result);
  EXPECT_EQ(page.answers[0].question, "What carries the body?");
  EXPECT_TRUE(says(page, "pushes the body up with 250 N"));
  EXPECT_TRUE(says(page, "A total wrench does not show friction, soles and motors."));
  EXPECT_EQ(panel(page, "torque"), nullptr);
  ASSERT_EQ(page.views.scenes.size(), 1u);
  const Scene& scene = page.views.scenes[0];
  ASSERT_EQ(scene.robots.size(), 1u);
  EXPECT_EQ(scene.frames.size(), 2u);
  EXPECT_NEAR(at(page, scene.arrows[0].vector[2], 0), 250.0, 250.0 * tolerance::kSameQuantity);
  // The foot is at height 0.1, the centre of mass, (0, 0, 1) in the world, at height 0.
  EXPECT_NEAR(at(page, scene.robots[0].base[2], 0), 0.0, tolerance::kSameQuantity);
  EXPECT_NEAR(at(page, scene.robots[0].joints[2].position, 0), 0.1, tolerance::kSameQuantity);
  EXPECT_NE(scene.note.find("1 m is 1000 N"), std::string::npos) << scene.note;
  expect_whole(page);
}

TEST(ContactPage, StatesWithoutAClockAndStepsWithoutNumbers) {
  ContactResult result = standing(2);
  result.dynamics.demand.time.setConstant(kNaN);
  result.dynamics.demand.dt = kNaN;
  result.solution.wrench.leftCols(4).setConstant(kNaN);
  result.solution.status[0] = result.solution.status[1] = Status::not_finite;
  const Page page = contact_page(result);
  EXPECT_NE(plain_text(page.subtitle).find("20 steps, states without a clock"), std::string::npos);
  EXPECT_TRUE(says(page, "2 steps have no numbers"));
  expect_whole(page);
  result.solution.wrench.setConstant(kNaN);
  result.residual_fine = false;
  const Page nothing = contact_page(result);
  EXPECT_EQ(nothing.badge, "undetermined");
  EXPECT_TRUE(says(nothing, "No step has wrenches: nothing can be determined."));
  EXPECT_TRUE(nothing.views.empty());
  EXPECT_FALSE(html_page(nothing).empty());
}

/// A biped sways over its feet: what is drawn is what Newton asks for, the pressure stays on the sole, the page is
/// whole.
TEST(ContactPage, OfASolvedMotion) {
  const legged::Hips hips = {{"left", {0.0, 0.1, 0.0}}, {"right", {0.0, -0.1, 0.0}}};
  const Robot robot = legged::robot({.trunk = 30, .thigh = 4, .shank = 3, .foot = 1}, 0.4, hips);
  ContactMotion motion;
  motion.name = "sway";
  motion.q.resize(50, robot.model.nq());
  motion.dt = VectorX::Constant(1, 0.02);
  for (Eigen::Index t = 0; t < 50; ++t) {
    const Vector3 trunk(0.0, 0.01 * std::sin(0.1 * static_cast<double>(t)), 0.75);
    legged::place(motion.q.row(t), trunk, hips, hips, 0.4);
  }
  ContactOptions options;
  options.half_length = 0.1;
  options.half_width = 0.05;
  const ContactRequest request{.contacts = {"left_foot", "right_foot"}, .over_time = true, .limits = LimitSet::cone};
  const ContactResult result = contact_inverse_dynamics(robot, motion, request, options);
  const Page page = contact_page(result);
  EXPECT_EQ(page.badge, "fine");
  EXPECT_TRUE(says(page, "squeeze between left_foot and right_foot")) << answers(page);
  expect_whole(page);
  const ViewPanel* up = panel(page, "vertical");
  const Matrix3X& com = result.dynamics.center_of_mass;
  for (Eigen::Index t = 1; t + 1 < 50; ++t) {
    const double acceleration = (com(2, t + 1) - 2.0 * com(2, t) + com(2, t - 1)) / (0.02 * 0.02);
    const double needed = robot.model.total_mass() * (9.81 + acceleration);
    const double drawn = at(page, up->lines[0].channel, t) + at(page, up->lines[1].channel, t);
    EXPECT_NEAR(drawn, needed, tolerance::kDifferencedForce * needed) << t;
    EXPECT_LE(std::abs(at(page, panel(page, "pressure-2")->lines[0].channel, t)), 0.05 + tolerance::kBesideTheSole);
  }
  // The robot is drawn where it was.
  const SceneRobot& drawn = page.views.scenes.at(0).robots.at(0);
  EXPECT_EQ(drawn.joints.size(), 10u);
  EXPECT_EQ(at(page, drawn.joints[2].position, 7), motion.q(7, 9));
  EXPECT_EQ(drawn.joints[2].name, "left_knee");
  EXPECT_NEAR(at(page, drawn.base[1], 7), motion.q(7, 1), tolerance::kSameQuantity);
}

TEST(ContactPage, HostileNamesStayTextAndTheSameResultGivesTheSameBytes) {
  ContactResult result = with_posterior(2);
  result.motion = "<script>alert(1)</script>";
  result.dynamics.demand.contacts[0] = "</script><b>";
  result.remarks = {"<i>remark</i>"};
  result.command = "antaeus contact '<img src=x>'";
  const std::string html = html_page(contact_page(result));
  for (const char* markup : {"<script>alert", "</script><b>", "<i>", "<img src=x>"}) {
    EXPECT_EQ(html.find(markup), std::string::npos) << markup;
  }
  EXPECT_EQ(html, html_page(contact_page(result)));
}

}  // namespace
}  // namespace antaeus
