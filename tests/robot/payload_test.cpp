#include <gtest/gtest.h>

#include <fstream>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/files/profile_writer.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "robot/test_robots.hpp"
#include "robot/tolerances.hpp"
#include "support/temporary_folder.hpp"

namespace antaeus {
namespace {

namespace fs = std::filesystem;
using test::RandomStates;

const Payload kGripper{
    "tool0",
    {1.0526,
     {-7.14e-5, 1.22e-5, 0.046674},
     (Matrix3() << 9.119e-4, 1.58e-9, -2.523e-6, 1.58e-9, 1.25848e-3, 5.1e-7, -2.523e-6, 5.1e-7, 5.8e-4).finished()},
    "gripper"};

template <class Call>
std::string message(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

/// The UR5e's profile with more behind it.
Robot with_text(const std::string& more) {
  static const test::TemporaryFolder temporary;
  const fs::path& folder = temporary.path();
  std::ifstream in(test::own_robot("ur5e").profile.file);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const fs::path model = fs::absolute(test::own_robot("ur5e").profile.model);
  text.replace(text.find("\"ur5e.urdf\""), 11, "\"" + model.string() + "\"");
  std::ofstream(folder / "profile.toml") << text << more;
  return load_robot((folder / "profile.toml").string());
}

double worst_difference(const RobotModel& a, const RobotModel& b) {
  Dynamics one(a), other(b);
  RandomStates random(7);
  double worst = 0.0;
  for (int i = 0; i < 50; ++i) {
    const VectorX q = random.configuration(a), v = random.vector(a.nv()), acceleration = random.vector(a.nv());
    VectorX x(a.nv()), y(a.nv());
    EXPECT_EQ(one.inverse_dynamics(q, v, acceleration, x), Status::ok);
    EXPECT_EQ(other.inverse_dynamics(q, v, acceleration, y), Status::ok);
    worst = std::max(worst, (x - y).cwiseAbs().maxCoeff());
  }
  return worst;
}

TEST(Payload, IsTheLinkOfTheRobotThatHoldsIt) {
  const Robot whole = test::own_robot("ur5e_2f85"), loaded = with_payload(test::own_robot("ur5e"), kGripper);
  EXPECT_LE(worst_difference(whole.model, loaded.model), tolerance::kSameQuantity);
  EXPECT_GT(worst_difference(whole.model, test::own_robot("ur5e").model), 1.0);  // N·m: without, it is seen
  EXPECT_EQ(loaded.profile.options.payloads.size(), 1u);
  EXPECT_EQ(payloads_text(loaded.profile.options.payloads), "; payload gripper of 1.053 kg at tool0");
}

TEST(Payload, StandsInTheProfileAndIsWrittenAgain) {
  const Robot robot = with_text(
      "\n[[payload]]\nframe = \"tool0\"\nname = \"gripper\"\nmass = 1.0526\ncenter_of_mass = [-7.14e-5, 1.22e-5, "
      "0.046674]\n"
      "inertia = [9.119e-4, 1.58e-9, -2.523e-6, 1.25848e-3, 5.1e-7, 5.8e-4]\n");
  EXPECT_LE(worst_difference(robot.model, test::own_robot("ur5e_2f85").model), tolerance::kSameQuantity);
  const test::TemporaryFolder temporary;
  const fs::path again = temporary.path() / "again";
  write_profile(robot, again);
  const Robot read = load_robot((again / "profile.toml").string());
  ASSERT_EQ(read.profile.options.payloads.size(), 1u);
  EXPECT_EQ(read.profile.options.payloads[0].name, "gripper");
  EXPECT_EQ(read.model.inertial_parameters(), robot.model.inertial_parameters());
}

TEST(Payload, ProfileNamesTheLineOfAMistake) {
  const std::string head = "\n[[payload]]\nframe = \"tool0\"\n";
  expect_parts(message([&] { with_text("\n[[payload]]\nframe = \"tol0\"\nmass = 1.0\n"); }),
               {"profile.toml:", "(payload)", "'tol0'", "'tool0'"});
  expect_parts(message([&] { with_text(head + "mass = -1.0\n"); }), {"profile.toml:", "[payload]", "negative mass"});
  expect_parts(message([&] { with_text(head); }), {"profile.toml:", "no key 'mass'"});
  expect_parts(message([&] { with_text(head + "mass = 1.0\ncenter_of_mass = [0.0, 1.0]\n"); }), {"needs 3 numbers"});
  expect_parts(message([&] { with_text(head + "mass = 1.0\ninertia = [1.0, 0.0, 0.0, 1.0, 0.0, -1.0]\n"); }),
               {"profile.toml:", "not positive"});
  expect_parts(message([&] { with_text(head + "mass = 1.0\ninertia = [1.0, 0.0, 0.0, 1.0, 0.0, 3.0]\n"); }),
               {"profile.toml:", "triangle inequality"});
  expect_parts(message([&] { with_text(head + "mass = 1.0\nmas = 1.0\n"); }), {"'mas'", "'mass'"});
}

TEST(Payload, RefusesWhatNoBodyIs) {
  const Robot robot = test::own_robot("ur5e");
  const auto refused = [&](auto change) {
    Payload payload = kGripper;
    change(payload);
    return message([&] { with_payload(robot, payload, "here"); });
  };
  expect_parts(refused([](Payload& p) { p.frame = "tol0"; }), {"here", "'tool0'"});
  expect_parts(refused([](Payload& p) { p.inertial.mass = -0.1; }), {"here", "negative mass", "-0.1"});
  expect_parts(refused([](Payload& p) { p.inertial.mass = kNaN; }), {"here", "finite"});
  expect_parts(refused([](Payload& p) { p.inertial.mass = 0.0; }), {"here", "no mass"});
  expect_parts(refused([](Payload& p) { p.inertial.inertia(0, 1) = 1e-5; }), {"here", "symmetric"});
  expect_parts(refused([](Payload& p) { p.inertial.inertia *= -1.0; }), {"here", "not positive"});
  expect_parts(refused([](Payload& p) { p.inertial.inertia = Vector3(1.0, 1.0, 3.0).asDiagonal(); }),
               {"here", "triangle inequality"});
}

}  // namespace
}  // namespace antaeus
