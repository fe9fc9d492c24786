/// \file
/// Arbitrary bytes as a log of a robot: what is read has the robot's shapes, whatever its columns are called.

#include "antaeus/core/error.hpp"
#include "antaeus/episode/log_summary.hpp"
#include "antaeus/episode/raw_log.hpp"
#include "antaeus/io/json.hpp"
#include "fuzz/fuzz_target.hpp"
#include "fuzz/scratch_file.hpp"
#include "support/source_folder.hpp"

namespace {

using namespace antaeus;

/// planar_3r, read through a map that moves everything.
Robot mapped_robot() {
  Robot robot = load_robot((antaeus::test::source_folder() / "robots" / "planar_3r").string());
  ChannelMap& map = robot.profile.channels;
  map.time_scale = 0.5;
  map.position_scale = {2.0, -1.0, 0.5};
  map.position_order = {2, 0, 1};
  map.torque_order = {1, 0, 2};
  map.torque_delay = 0.003;
  map.velocity_delay = -0.002;
  map.quaternion_order = QuaternionOrder::wxyz;
  map.quaternion_inverse = true;
  return robot;
}

void check(const Episode& log) {
  const Eigen::Index steps = log.steps();
  fuzz::require(steps > 0 && log.time.size() == steps);
  for (const SampleMatrix* samples : {&log.q, &log.tau, &log.target, &log.v, &log.a}) {
    fuzz::require(samples->rows() == 0 || (samples->rows() == steps && samples->cols() == 3));
  }
  fuzz::require(log.imu_quaternion.rows() == 0 || log.imu_quaternion.rows() == steps);
  Observation observation;
  log.observe(steps - 1, observation);
}

}  // namespace

std::vector<std::string> antaeus::fuzz::seeds() {
  return {"time,tau_0,tau_1,tau_2,qpos_0,qpos_1,qpos_2,dq_0,dq_1,dq_2\n0,1,2,3,4,5,6,7,8,9\n0.1,1,2,3,4,5,6,7,8,9\n",
          "t_ms;joint_2.position;joint_1.position;joint_3.position;joint_1.effort;joint_2.effort;joint_3.effort\n"
          "0;0,5;1;2;3;4;5\n5;0,5;1;2;3;4;5\n",
          "stamp,axisC.effort,axisB.effort,axisA.effort,axisC.position,axisB.position,axisA.position\n"
          "1,2,3,4,5,6,7\n0,2,3,4,5,6,nan\n",
          "tau_1,tau_2,tau_3,q1,q2,q3,imu_quat_0,imu_quat_1,imu_quat_2,imu_quat_3\n1,2,3,4,5,6,0,0,0,1\n",
          "joint1_effort\tjoint2_effort\tjoint1_position\tjoint2_position\n1\t2\t3\t4\n",
          "tau,q\n1,2\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::ScratchFile file("log.csv");
  static const Robot mapped = mapped_robot();
  static const Robot plain = load_robot((antaeus::test::source_folder() / "robots" / "planar_3r").string());
  const std::filesystem::path& path = file.write(data, size);
  for (const Robot* robot : {&plain, &mapped}) {
    try {
      check(read_episode(path, *robot));
    } catch (const Error&) {
    }
    try {
      check(load_episode(path, *robot));
      fuzz::accept();
    } catch (const Error&) {
    }
    try {
      const RawLog log = load_raw_log(path, *robot);
      fuzz::require(log_summary(log, robot).dump().size() > 2);
    } catch (const Error&) {
    }
  }
  return 0;
}
