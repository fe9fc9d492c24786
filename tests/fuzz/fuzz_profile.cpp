/// \file
/// Arbitrary bytes as a robot's profile. Profiles are read from files, so each input is written to one first.

#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "fuzz/fuzz_target.hpp"
#include "fuzz/scratch_file.hpp"

namespace {

using namespace antaeus;

}  // namespace

std::vector<std::string> antaeus::fuzz::seeds() {
  return {"",
          "schema = 1\nname = \"r\"\nmodel = \"r.urdf\"\nmotors = [\"a\"]\n",
          R"(schema = 1
name = "r"
title = "R"
model = "r.urdf"
base = "fixed"
gravity = [0.0, -9.81, 0]
provenance = "ours"
motors = ["a", "b"]
motor_labels = ["A", "B"]
reference_joint = "a"
[[groups]]
name = "arm"
joints = ["a", "b"]
[[endpoints]]
frame = "tool"
kind = "foot"
group = "arm"
friction = 0.6
torsion = 0.04
force_cap = 400
sole = [[-0.05, -0.04], [0.12, -0.03], [0.15, 0.0], [0.12, 0.03], [-0.05, 0.04]]
sole_depth = 0.06
[imu]
frame = "imu"
mounted_on = "base"
quaternion_order = "wxyz"
[channels]
time_scale = 1e-3
position_scale = 0.0174
position_offset = [0, 0.1]
velocity_scale = [1, -1]
position_order = [1, 0]
torque_order = [0, 1]
velocity_delay = 0.08
torque_delay = -1e-2
quaternion_order = "wxyz"
quaternion_inverse = true
accelerometer_scale = 9.81
gyro_scale = [1, 1, -1]
[deployed]
sign = "on_robot"
endpoints = ["tool"]
imu_quaternion_fed_to = "base"
[torque]
source = "joint"
sign = -1
friction = "identified"
[[joint_figures]]
group = "arm"
joints = ["a"]
torque_sd = 0.1
static_sd = 1.5
stribeck_speed = 0.1
gear = 50
torque_limit = 20
armature = 1e-3
[options.posterior]
force_prior = 30.0
rows = "all"
[[poses]]
name = "zero"
positions = { a = 0.5, b = -1 }
[preflight]
gain_limit = 3
gain_row = "Mz"
start_error_joints = ["b"]
)",
          R"(schema = 1
name = "r"
model = "r.urdf"
motors = ["a", "b"]
[noise]
origin = "held_pose"
unit = "N·m"
provenance = "two runs"
identified_speed = 1.86
logs = 3
rate = 95.5
envelope_motors = ["b"]
[[noise.joints]]
joint = "a"
white_sd = 0.2
offset_sd = 0.4
coulomb_sd = 0.2
viscous_sd = 0.3
standing_sd = 0.5
slow_sd = 0.1
motion_identified = false
correlation_time = 0.5
joint_speed = 1.5
[[noise.joints]]
joint = "b"
evidence = false
[[noise.parameters]]
name = "a.coulomb"
value = 0.5
se = 0.1
row = "mpmZmZmZuT8="
)",
          "[a.a.a.a.a.a.a.a]\n\"a.\\\"\".'b'.c = {d.e = [[['x']]]} # [\n",
          "x = \"\"\"a\"\"\"\"\"\ny = '''b''''\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::ScratchFile file("profile.toml");
  try {
    const RobotProfile profile = read_profile(file.write(data, size));
    fuzz::accept();
    fuzz::require(profile.figures.size() == profile.options.motors.size());
    fuzz::require(profile.motor_labels.size() == profile.options.motors.size());
    for (const JointFigures& figures : profile.figures) {
      fuzz::require(figures.torque_sd > 0 && figures.static_sd > 0 && figures.armature >= 0 && figures.gear > 0);
      fuzz::require(figures.stribeck_speed > 0 && figures.torque_limit > 0);
    }
    const ChannelMap& map = profile.channels;
    for (const std::vector<int>* order : {&map.position_order, &map.torque_order}) {
      fuzz::require(order->empty() || order->size() == profile.options.motors.size());
      for (const int column : *order) fuzz::require(column >= 0 && column < std::ssize(*order));
    }
    for (const std::vector<double>* list : {&map.position_scale, &map.position_offset, &map.velocity_scale}) {
      fuzz::require(list->empty() || list->size() == profile.options.motors.size());
    }
    fuzz::require(map.time_scale > 0 && std::isfinite(map.torque_delay) && std::isfinite(map.velocity_delay));
    for (const Endpoint& endpoint : profile.endpoints) {
      const ContactSurface& surface = endpoint.surface;
      fuzz::require(!(surface.friction < 0) && !(surface.torsion < 0) && !(surface.force_cap <= 0));
      fuzz::require(std::isfinite(surface.sole_depth) && (surface.sole.empty() || surface.sole.size() >= 3));
      fuzz::require(surface.sole.empty() || surface.half_size().minCoeff() > 0);
    }
  } catch (const Error&) {
  }
  return 0;
}
