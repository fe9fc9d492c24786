/// \file
/// Arbitrary bytes as a motion whose contacts are asked for: what passes its check has the robot's sizes and a clock.

#include "antaeus/contact/contact_motion.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/io/numpy.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "fuzz/fuzz_target.hpp"
#include "fuzz/scratch_file.hpp"
#include "support/source_folder.hpp"

namespace {

using namespace antaeus;

void check(ContactMotion motion, const RobotModel& model, int contacts) {
  check_contact_motion(motion, model, contacts);
  fuzz::accept();
  const Eigen::Index frames = motion.frames(), nv = model.nv();
  fuzz::require(frames > 0 && motion.q.cols() == model.nq() && motion.q.allFinite());
  for (const SampleMatrix* one : {&motion.v, &motion.a, &motion.v_next, &motion.external}) {
    fuzz::require(one->size() == 0 || (one->rows() == frames && one->cols() == nv && one->allFinite()));
  }
  for (const VectorX* one : {&motion.damping, &motion.spring, &motion.rest}) {
    fuzz::require(one->size() == 0 || (one->size() == nv && one->allFinite()));
  }
  fuzz::require(motion.dt.size() == 0 || (motion.dt.allFinite() && motion.dt.minCoeff() > 0.0));
  fuzz::require(motion.guess.size() == 0 || (motion.guess.rows() == frames && motion.guess.cols() == 6 * contacts));
  fuzz::require(motion.active.size() == 0 || (motion.active.rows() == frames && motion.active.cols() == contacts));
}

}  // namespace

std::vector<std::string> antaeus::fuzz::seeds() {
  const auto array = [](Eigen::Index rows, Eigen::Index columns) {
    NumpyArray a;
    a.shape = {static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)};
    a.values.assign(static_cast<std::size_t>(rows * columns), 0.25);
    return a;
  };
  return {
      "time,q_0,q_1,q_2\n0,0.1,0.2,0.3\n0.1,0.1,0.2,0.3\n0.2,0.1,0.2,0.4\n",
      "dt,q_0,q_1,q_2,v_0,v_1,v_2,a_0,a_1,a_2,active_0\n0.01,1,2,3,0,0,0,1,1,1,1\n0.01,1,2,3,0,0,0,1,1,1,0\n",
      "q_0;q_1;q_2;v_0;v_1;v_2;v_next_0;v_next_1;v_next_2;damping_0;damping_1;damping_2;dt\n"
      "1;2;3;0;0;0;0;0;0,5;1;1;1;0,01\n",
      "time,q_0,q_1,q_2,guess_0,guess_1,guess_2,guess_3,guess_4,guess_5,magnitude_0,external_0,external_1,external_2\n"
      "0,1,2,3,0,0,1,0,0,0,1,0,0,0\n1,1,2,3,0,0,1,0,0,nan,1,0,0,0\n2,1,2,3,0,0,1,0,0,0,1,0,0,0\n",
      "q_0,v_]1,q[1],q[2]\n0,0,0,0\n",  // std::stoi was given "]1"
      "time,root_euler_0,root_euler_1,root_euler_2,root_euler_3,root_euler_4,root_euler_5,q_0\n0,0,0,1,0,0,0,1\n",
      to_npz({{"q", array(4, 3)}, {"v", array(4, 3)}, {"a", array(4, 3)}, {"dt", array(1, 1)}})};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::ScratchFile csv("motion.csv"), npz("motion.npz");
  static const Robot robot = load_robot((antaeus::test::source_folder() / "robots" / "planar_3r").string());
  const bool packed = size > 1 && data[0] == 'P' && data[1] == 'K';
  const std::filesystem::path& path = (packed ? npz : csv).write(data, size);
  for (const int contacts : {1, 2}) {
    try {
      check(load_contact_motion(path), robot.model, contacts);
    } catch (const Error&) {
    }
  }
  return 0;
}
