/// \file
/// Arbitrary text as a URDF file, and the model made of what was read.

#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/robot_model.hpp"
#include "fuzz/fuzz_target.hpp"

namespace {

using namespace antaeus;

constexpr const char* kArm = R"(<?xml version="1.0"?>
<robot name="arm"><material name="m"><color rgba="1 0 0 1"/></material>
<link name="a"><inertial><mass value="1"/><origin xyz="0 0 1" rpy="0 1 0"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0.1" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="1 2 3"/><geometry><mesh filename="package://p/m.stl" scale="1 1 1"/></geometry><material name="m"/></visual>
<collision><geometry><cylinder radius="1" length="2"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 1e-3 0" rpy="0.1 0.2 0.3"/><axis xyz="0 1 1"/>
<limit lower="-1" upper="1" effort="10" velocity="3"/></joint>
<link name="b"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="k" type="TYPE"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/><limit effort="1" velocity="1"/><mimic joint="j"/></joint>
<link name="c"><inertial><mass value="0.5"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>)";

}  // namespace

std::vector<std::string> antaeus::fuzz::seeds() {
  std::vector<std::string> all = {"", "<robot/>", "<!-- -->", "<robot name='r'><link name='a'/></robot>"};
  for (const std::string type : {"fixed", "continuous", "prismatic", "floating", "planar"}) {
    std::string text = kArm;
    all.push_back(text.replace(text.find("TYPE"), 4, type));
  }
  return all;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const RobotDescription robot =
        parse_urdf({reinterpret_cast<const char*>(data), size}, "fuzz.urdf", "", MeshPolicy::ignored);
    fuzz::require(robot.find_link(robot.root) && robot.joints.size() + 1 == robot.links.size());
    fuzz::accept();
    const RobotModel model(robot);
    fuzz::require(model.nq() >= model.nv() && model.nv() >= 6 && model.neutral().allFinite());
  } catch (const Error&) {
  }
  return 0;
}
