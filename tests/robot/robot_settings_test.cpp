#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "antaeus/estimation/published/guard_chain.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/trust/guarded_estimator.hpp"
#include "io/io_support.hpp"
#include "robot/test_robots.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

/// One link after the other, each with the joint that moves it: published masses, lengths and effort limits.
struct Segment {
  double x, y, z;  ///< of the joint in the link before [m]
  double effort;   ///< [N·m]; 0: none stated
  double mass;     ///< of the link [kg]
};

std::string chain(const std::vector<Segment>& segments, double root_mass, const std::string& tip, double tip_length) {
  const auto link = [](const std::string& name, double mass) {
    return "<link name=\"" + name + "\"><inertial><mass value=\"" + std::to_string(mass) +
           "\"/><inertia ixx=\"0.02\" iyy=\"0.02\" izz=\"0.02\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>";
  };
  std::string text = "<robot name=\"chain\">" + link("root", root_mass), parent = "root";
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& s = segments[i];
    const std::string name = "link" + std::to_string(i + 1);
    text += "<joint name=\"joint" + std::to_string(i + 1) + "\" type=\"revolute\"><parent link=\"" + parent +
            "\"/><child link=\"" + name + "\"/><origin xyz=\"" + std::to_string(s.x) + " " + std::to_string(s.y) + " " +
            std::to_string(s.z) + "\"/><axis xyz=\"0 0 1\"/><limit lower=\"-3\" upper=\"3\" velocity=\"2\"" +
            (s.effort > 0 ? " effort=\"" + std::to_string(s.effort) + "\"" : std::string()) + "/></joint>" +
            link(name, s.mass);
    parent = name;
  }
  return text + "<joint name=\"tip_joint\" type=\"fixed\"><parent link=\"" + parent + "\"/><child link=\"" + tip +
         "\"/><origin xyz=\"0 0 " + std::to_string(tip_length) + "\"/></joint><link name=\"" + tip + "\"/></robot>";
}

const std::vector<Segment> kPanda = {{0, 0, 0.333, 87, 2.7},  {0, 0, 0, 87, 2.7},           {0, 0, 0.316, 87, 2.7},
                                     {0.0825, 0, 0, 87, 2.7}, {-0.0825, 0, 0.384, 12, 2.7}, {0, 0, 0, 12, 1.6},
                                     {0.088, 0, 0, 12, 1.0}};
const std::vector<Segment> kUr5e = {{0, 0, 0.1625, 150, 3.8},      {0, 0, 0, 150, 8.1},      {-0.425, 0, 0, 150, 2.8},
                                    {-0.3922, 0, 0.1333, 28, 1.4}, {0, -0.0997, 0, 28, 1.3}, {0, 0.0996, 0, 28, 0.4}};
const std::vector<Segment> kG1Arm = {{0, 0.1, 0.25, 25, 0.7},    {0, 0.04, -0.01, 25, 0.6}, {0, 0.006, -0.1, 25, 0.7},
                                     {0.016, 0, -0.08, 25, 0.6}, {0.1, 0, 0.01, 25, 0.1},   {0.038, 0, 0, 5, 0.5},
                                     {0.046, 0, 0, 5, 0.25}};
const std::vector<Segment> kLeg = {{0.19, 0.05, 0, 23.7, 0.7}, {0, 0.095, 0, 23.7, 1.2}, {0, 0, -0.213, 45.4, 0.15}};

class RobotSettings : public testing::Test {
 protected:
  Robot robot_of(const std::string& urdf, Base base, const std::string& more = "") {
    std::ofstream(folder_.path() / "robot.urdf") << urdf;
    std::string motors;
    const RobotModel model(read_urdf(folder_.path() / "robot.urdf"));
    for (const std::string& name : model.motor_names()) motors += (motors.empty() ? "\"" : ", \"") + name + "\"";
    std::ofstream(folder_.path() / "robot.toml") << "schema = 1\nname = \"robot\"\nmodel = \"robot.urdf\"\nbase = \""
                                                 << to_string(base) << "\"\nmotors = [" << motors << "]\n"
                                                 << more;
    return load_robot((folder_.path() / "robot.toml").string());
  }
  test::TemporaryFolder folder_;
};

TEST_F(RobotSettings, EffortLimitsAndReachGiveTheForceThatAnArmIsMadeFor) {
  struct Case {
    const char* name;
    std::string urdf;
    Base base;
    double rating;  // what its maker says that it lifts [N]
  };
  const Case cases[] = {{"Panda, 3 kg", chain(kPanda, 3.0, "tip", 0.107), Base::fixed, 29.4},
                        {"UR5e, 5 kg", chain(kUr5e, 4.0, "tip", 0.0), Base::fixed, 49.1},
                        {"G1, 2 to 3 kg an arm", chain(kG1Arm, 30.0, "tip", 0.04), Base::free_flyer, 24.5}};
  for (const Case& c : cases) {
    const Settings settings = robot_of(c.urdf, c.base).settings({"tip"});
    EXPECT_GT(settings.scale().force, c.rating / 1.5) << c.name << ": " << settings.scale().force_from;
    EXPECT_LT(settings.scale().force, c.rating * 1.5) << c.name << ": " << settings.scale().force_from;
    EXPECT_NE(settings.scale().force_from.find("half of what joint"), std::string::npos);
    const auto posterior = settings.get<PosteriorOptions>();
    EXPECT_LT(posterior.full_use_sd, posterior.observable_sd);
    EXPECT_LT(posterior.observable_sd, posterior.prior.force);
    EXPECT_NEAR(settings.get<ConsumerGuardOptions>().force_limit / settings.scale().force, 2.0, 0.1);
  }
}

TEST_F(RobotSettings, ARatedLoadInTheProfileIsTaken) {
  const std::string urdf = chain(kPanda, 3.0, "tip", 0.107);
  const Robot robot = robot_of(urdf, Base::fixed, "[robot]\nrated_load = 3.0\n");
  EXPECT_EQ(robot.profile.rated_load, 3.0);
  const Settings settings = robot.settings({"tip"});
  EXPECT_NEAR(settings.scale().force, 3.0 * 9.81, tolerance::kArithmetic);
  EXPECT_EQ(settings.get<PosteriorOptions>().prior.force, 20.0);
  EXPECT_EQ(settings.get<PosteriorOptions>().full_use_sd, 4.9);
  EXPECT_EQ(settings.get<ConsumerGuardOptions>().force_limit, 59.0);
  EXPECT_EQ(settings.get<PublishedGuardOptions>().watchdog_force, 98.0);
  const std::vector<OptionValue> listed = settings.list(settings.get<ConsumerGuardOptions>());
  const auto limit = std::find_if(listed.begin(), listed.end(),
                                  [](const OptionValue& v) { return std::string(v.info.name) == "force_limit"; });
  EXPECT_TRUE(limit->source.starts_with("2 × 29.4 N of the profile's rated_load, 3 kg")) << limit->source;

  Robot set = robot_of(urdf, Base::fixed, "[robot]\nrated_load = 3.0\n[options.consumer_guard]\nforce_limit = 25\n");
  EXPECT_EQ(set.settings({"tip"}).get<ConsumerGuardOptions>().force_limit, 25.0) << "what the profile says wins";
  EXPECT_TRUE(set.settings({"tip"}).list(ConsumerGuardOptions{})[8].source.starts_with("set: robot.toml:"));
  set.profile.settings.set("consumer_guard.force_limit=35");
  EXPECT_EQ(set.settings({"tip"}).get<ConsumerGuardOptions>().force_limit, 35.0) << "and --set over it";

  const std::string message = test::message_of([&] { robot_of(urdf, Base::fixed, "[robot]\nrated_load = -1\n"); });
  EXPECT_NE(message.find("robot.toml:7 [robot]: 'rated_load' must be more than zero"), std::string::npos) << message;
  EXPECT_NE(test::message_of([&] { robot_of(urdf, Base::fixed, "[robot]\nrated_lod = 1\n"); }).find("rated_load"),
            std::string::npos);
}

/// What guards let pass is what the joints hold, or as said: each against the figure by hand.
TEST_F(RobotSettings, TheForceLimitIsWhatTheJointsHold) {
  const auto limit_of = [](const Robot& robot) {
    const Settings settings = robot.settings({"tip"});
    for (const OptionValue& option : settings.list(settings.get<ConsumerGuardOptions>())) {
      if (std::string_view(option.info.name) == "force_limit") return std::pair(option.value, option.source);
    }
    return std::pair<std::string, std::string>();
  };
  // The UR5e's joints 5, 4, 3 and 2 are 0.0996, 0.1993, 0.6135 and 1.0385 m from its end, stretched out:
  // 28 / 0.0996 = 281, 28 / 0.1993 = 140, 150 / 0.6135 = 244, 150 / 1.0385 = 144 N.
  const auto arm = limit_of(robot_of(chain(kUr5e, 4.0, "tip", 0.0), Base::fixed));
  EXPECT_EQ(arm.first, "140") << arm.second;
  EXPECT_TRUE(arm.second.starts_with("2 × ")) << arm.second;
  // Two joints of 6 and 3 N·m, 0.3 and 0.2 m before the tip: 6 / 0.5 = 12 N and 3 / 0.2 = 15 N.
  const std::vector<Segment> small = {{0, 0, 0, 6.0, 1.5}, {0.3, 0, 0, 3.0, 1.0}};
  const auto hand = limit_of(robot_of(chain(small, 2.0, "tip", 0.2), Base::fixed));
  EXPECT_EQ(hand.first, "12") << hand.second;
  EXPECT_NE(hand.second.find("half of what joint1 holds at its longest lever (6 N·m at 0.5 m)"), std::string::npos);
  // No limits: 100 N, and not a share of a small weight.
  std::vector<Segment> unlimited = small;
  for (Segment& segment : unlimited) segment.effort = 0.0;
  const Robot none = robot_of(chain(unlimited, 2.0, "tip", 0.2), Base::fixed);
  EXPECT_EQ(limit_of(none).first, "100");
  EXPECT_NE(limit_of(none).second.find("2 × 50 N, as no torque limits are given (it has no effort limits)"),
            std::string::npos)
      << limit_of(none).second;
  // A guess from more weight than that stays: 0.15 × 103 kg × 9.81 m/s² × 2 = 303 N.
  EXPECT_EQ(limit_of(robot_of(chain(unlimited, 100.5, "tip", 0.2), Base::fixed)).first, "300");
  // A prior that somebody states is what forces are: 1.5 times, twice.
  Robot stated = none;
  stated.profile.settings.set("posterior.force_prior=60");
  EXPECT_EQ(limit_of(stated).first, "180");
  EXPECT_NE(limit_of(stated).second.find("90 N, 1.5 × the posterior.force_prior that is set"), std::string::npos);
  EXPECT_EQ(stated.settings({"tip"}).get<PosteriorOptions>().full_use_sd, 15.0);
  Robot both = robot_of(chain(small, 2.0, "tip", 0.2), Base::fixed);
  both.profile.settings.set("posterior.force_prior=60");
  EXPECT_EQ(limit_of(both).first, "12") << "effort limits say more";
  // Where a drive was seen to end, or is said to: 4 / 0.2 m at joint 2.
  Robot driven = none;
  driven.profile.figures[1].torque_limit = 4.0;
  EXPECT_EQ(driven.settings({"tip"}).scale().force, 10.0);
  NoiseModel noise;
  noise.limit = Eigen::Vector2d(kInfinity, 3.0);
  driven.profile.noise = std::make_shared<const NoiseModel>(noise);
  EXPECT_EQ(driven.settings({"tip"}).scale().force, 7.5);
  EXPECT_EQ(limit_of(driven).first, "100") << "at its longest lever: bent it holds more";
}

/// A leg on a test stand carries more than what of it is bolted down weighs.
TEST_F(RobotSettings, AFootOnATestStandIsNotHeldToItsWeight) {
  const Robot leg = robot_of(chain(kLeg, 0.5, "tip", 0.2), Base::fixed,
                             "[[endpoints]]\nframe = \"tip\"\nlabel = \"foot\"\nkind = \"foot\"\n");
  ASSERT_EQ(leg.kind_of("tip"), EndpointKind::foot);
  ASSERT_LT(leg.weight(), 50.0);
  EXPECT_EQ(leg.settings({"tip"}).get<ConsumerGuardOptions>().foot_force_limit, 100.0);
}

TEST_F(RobotSettings, FeetAreOfTheWeight) {
  const Robot robot = robot_of(chain(kLeg, 12.0, "FL_foot", 0.213), Base::free_flyer);
  EXPECT_EQ(robot.kind_of("FL_foot"), EndpointKind::foot);
  EXPECT_EQ(robot.kind_of("link3"), EndpointKind::tool);
  const Settings settings = robot.settings({"FL_foot"});
  EXPECT_NEAR(settings.scale().force, robot.weight(), tolerance::kArithmetic * robot.weight());
  EXPECT_NEAR(settings.get<ConsumerGuardOptions>().foot_force_limit, 2.0 * robot.weight(), 0.05 * robot.weight());
  EXPECT_GT(settings.get<PosteriorOptions>().prior.force, 0.5 * robot.weight());
  // With a hand among the endpoints, priors are the hand's; the limit of feet stays the weight's.
  const Settings both = robot.settings({"FL_foot", "link3"});
  EXPECT_NEAR(both.get<ConsumerGuardOptions>().foot_force_limit, 2.0 * robot.weight(), 0.05 * robot.weight());
  EXPECT_LT(both.scale().force, robot.weight());
  // A bolted arm stands on no foot, whatever its frames are called.
  EXPECT_EQ(robot_of(chain(kLeg, 12.0, "FL_foot", 0.213), Base::fixed).kind_of("FL_foot"), EndpointKind::tool);
}

TEST_F(RobotSettings, WithoutEffortLimitsTheWeightIsLeft) {
  std::vector<Segment> unlimited = kPanda;
  for (Segment& segment : unlimited) segment.effort = 0.0;
  const Robot arm = robot_of(chain(unlimited, 3.0, "tip", 0.1), Base::fixed);
  EXPECT_NEAR(arm.settings({"tip"}).scale().force, 0.15 * arm.weight(), tolerance::kArithmetic * arm.weight());
  EXPECT_NE(arm.settings({"tip"}).scale().force_from.find("it has no effort limits"), std::string::npos);
  const Robot walker = robot_of(chain(unlimited, 3.0, "tip", 0.1), Base::free_flyer);
  EXPECT_NEAR(walker.settings({"tip"}).scale().force, 0.05 * walker.weight(), tolerance::kArithmetic * walker.weight());
  // A motor that could hold a car is a number somebody made up.
  for (Segment& segment : unlimited) segment.effort = 1e4;
  const Robot strong = robot_of(chain(unlimited, 3.0, "tip", 0.1), Base::fixed);
  EXPECT_NEAR(strong.settings({"tip"}).scale().force, 0.15 * strong.weight(), tolerance::kArithmetic * strong.weight());
}

TEST_F(RobotSettings, TorqueNoiseIsAShareOfTheEffortLimitUnlessTheProfileSaysIt) {
  const Robot robot = robot_of(chain(kPanda, 3.0, "tip", 0.107), Base::fixed,
                               "[[joint_figures]]\njoints = [\"joint7\"]\ntorque_sd = 0.05\n");
  const std::vector<JointFigures>& figures = robot.profile.figures;
  EXPECT_NEAR(figures[0].torque_sd, 0.87, tolerance::kArithmetic);
  EXPECT_NEAR(figures[0].static_sd, 2.175, tolerance::kArithmetic);
  EXPECT_NEAR(figures[4].torque_sd, 0.12, tolerance::kArithmetic);
  EXPECT_EQ(figures[0].torque_sd_from, FigureSource::effort_limit);
  EXPECT_EQ(figures[6].torque_sd, 0.05);
  EXPECT_EQ(figures[6].torque_sd_from, FigureSource::profile);
  EXPECT_EQ(figures[6].static_sd_from, FigureSource::effort_limit);
  std::vector<Segment> unlimited = kPanda;
  for (Segment& segment : unlimited) segment.effort = 0.0;
  const Robot bare = robot_of(chain(unlimited, 3.0, "tip", 0.1), Base::fixed);
  EXPECT_EQ(bare.profile.figures[0].torque_sd, 1.0);
  EXPECT_EQ(bare.profile.figures[0].torque_sd_from, FigureSource::assumed);
}

}  // namespace
}  // namespace antaeus
