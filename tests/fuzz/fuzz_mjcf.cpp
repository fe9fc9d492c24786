/// \file
/// Arbitrary bytes as a robot in MuJoCo's format, read as users give it: --robot robot.xml.

#include "antaeus/core/error.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "fuzz/fuzz_target.hpp"
#include "fuzz/scratch_file.hpp"

std::vector<std::string> antaeus::fuzz::seeds() {
  const std::string arm =
      "<body name=\"a\" pos=\"0 0 0.1\"><joint name=\"j1\" axis=\"0 0 1\" range=\"-1 1\" armature=\"0.1\"/>"
      "<geom type=\"capsule\" fromto=\"0 0 0 0 0 0.3\" size=\"0.03\" mass=\"1\"/>"
      "<body name=\"b\" pos=\"0 0 0.3\"><joint name=\"j2\" type=\"slide\" axis=\"1 0 0\"/>"
      "<inertial pos=\"0 0 0.1\" mass=\"0.5\" diaginertia=\"0.01 0.02 0.03\"/><site name=\"tool\" pos=\"0 0 0.2\"/>"
      "</body></body>";
  return {"<mujoco model=\"m\"><worldbody>" + arm + "</worldbody></mujoco>",
          "<mujoco><compiler angle=\"degree\" autolimits=\"true\"/><option gravity=\"0 0 -1.62\"/><default><joint "
          "damping=\"1\"/></default><worldbody><body name=\"base\"><freejoint name=\"root\"/><geom size=\"0.1\" "
          "mass=\"3\"/>" +
              arm +
              "</body></worldbody><actuator><motor joint=\"j1\" gear=\"5\" ctrlrange=\"-2 2\"/></actuator>"
              "<sensor><gyro site=\"tool\"/></sensor></mujoco>",
          "<mujoco><worldbody><body><joint type=\"ball\"/><geom size=\"1\"/></body></worldbody></mujoco>", "<mujoco/>"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace antaeus;
  static const fuzz::ScratchFile file("robot.xml");
  // A file that includes itself or others is not what is asked for here: MuJoCo resolves them against the disk.
  try {
    RobotProfile profile;
    profile.name = "fuzz";
    profile.model = file.write(data, size);
    profile.base_source = BaseSource::limbs;
    const Robot robot = make_robot(std::move(profile));
    fuzz::accept();
    fuzz::require(robot.model.motor_count() == static_cast<int>(robot.model.motor_names().size()));
    fuzz::require(robot.model.neutral().allFinite() && robot.model.inertial_parameters().allFinite());
    fuzz::require(!(robot.weight() < 0.0));
  } catch (const Error&) {
  }
  return 0;
}
