// The spacecraft's arm against the package's own description of the UR3, its base set under it by hand.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "space/space_robots.hpp"
#include "space/tolerances.hpp"

namespace antaeus {
namespace {

namespace fs = std::filesystem;

/// The file in the package example-robot-data: beside the pinned wheels, else in the folder that
/// ANTAEUS_EXAMPLE_ROBOT_DATA names (…/share/example-robot-data/robots).
fs::path package_ur3() {
  std::vector<fs::path> folders;
  if (const char* named = std::getenv("ANTAEUS_EXAMPLE_ROBOT_DATA"); named && *named) folders.emplace_back(named);
  if (const char* packages = std::getenv("ANTAEUS_SITE_PACKAGES"); packages && *packages) {
    folders.push_back(fs::path(packages) / "cmeel.prefix" / "share" / "example-robot-data" / "robots");
  }
  for (const fs::path& folder : folders) {
    const fs::path file = folder / "ur_description" / "urdf" / "ur3_robot.urdf";
    if (fs::exists(file)) return file;
  }
  return {};
}

TEST(SpacecraftParity, ArmIsThePackagesUr3) {
  const fs::path file = package_ur3();
  if (file.empty())
    GTEST_SKIP() << "the package example-robot-data is absent: name its robots folder in "
                    "ANTAEUS_EXAMPLE_ROBOT_DATA";
  const Robot craft = test::own_robot("spacecraft_ur3");
  // The package's tree begins with a link "world" that carries base_link.
  RobotDescription other = read_urdf(file, MeshPolicy::ignored);
  ASSERT_EQ(other.root, "world");
  LinkDescription base = *craft.model.description().find_link("spacecraft");
  for (LinkDescription& link : other.links) {
    if (link.name == other.root) link = base;
  }
  other.root = base.name;
  for (JointDescription& joint : other.joints) {
    if (joint.parent != "world") continue;
    joint.parent = base.name;
    joint.X_PJ.translation = Vector3(0.1, 0.05, 0.5);
  }
  const RobotModel reference(other, craft.profile.options);
  ASSERT_EQ(reference.motor_names(), craft.model.motor_names());
  EXPECT_NEAR(reference.total_mass(), 160.63, tolerance::kSpacecraftParity);
  EXPECT_NEAR(craft.model.total_mass(), 160.63, tolerance::kSpacecraftParity);
  for (const auto& [ours, theirs] : {std::pair(craft.model.lower_limits(), reference.lower_limits()),
                                     std::pair(craft.model.upper_limits(), reference.upper_limits()),
                                     std::pair(craft.model.effort_limits(), reference.effort_limits()),
                                     std::pair(craft.model.velocity_limits(), reference.velocity_limits())}) {
    EXPECT_LT(test::largest(ours - theirs), tolerance::kSpacecraftParity);
  }
  FreeFlyer flying(craft.model, "ee_link", test::single_states()), model(reference, "ee_link", test::single_states());
  test::RandomStates random(1513);
  SCOPED_TRACE(random.text());
  double inertia = 0.0, coriolis = 0.0, place = 0.0;
  for (const test::State& state : test::regular_states(flying, random, 100)) {
    const FreeFlyingTerms& ours = flying.at(state.q, state.v);
    const FreeFlyingTerms& theirs = model.at(state.q, state.v);
    inertia = std::max(inertia, test::largest(ours.M - theirs.M));
    coriolis = std::max(coriolis, test::largest(ours.C - theirs.C));
    place = std::max({place, (ours.motion.X_WE.translation - theirs.motion.X_WE.translation).norm(),
                      (ours.motion.X_WE.rotation - theirs.motion.X_WE.rotation).norm()});
    FrameId tool = craft.model.frame("tool0"), tool_theirs = reference.frame("tool0");
    Vector6 twist, twist_theirs;
    ASSERT_EQ(flying.twist(tool, TwistAxes::local, twist), Status::ok);
    ASSERT_EQ(model.twist(tool_theirs, TwistAxes::local, twist_theirs), Status::ok);
    place = std::max(place, test::largest(twist - twist_theirs));
  }
  EXPECT_LT(inertia, tolerance::kSpacecraftParity);
  EXPECT_LT(coriolis, tolerance::kSpacecraftParity);
  EXPECT_LT(place, tolerance::kSpacecraftParity);
}

}  // namespace
}  // namespace antaeus
