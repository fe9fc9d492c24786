// Forces under the feet of a motion that comes in pieces: each piece goes in, what is settled comes out, and memory
// does not grow. Beside it one frame as a loop asks for it, without any allocation. Usage: example_stream_contacts
// [motion.npz]: writes the motion for `antaeus contact` prints: 3000 frames in pieces of 100, at most 400 held; left
// foot 272 to 426 N
#include <cmath>
#include <cstdio>

#include "antaeus/contact/contact_dynamics.hpp"
#include "antaeus/contact/contact_frame_solver.hpp"
#include "antaeus/contact/contact_stream.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/numpy.hpp"

using namespace antaeus;
constexpr double kStep = 0.01;  // [s]
constexpr int kPiece = 100;

/// A stretch of a humanoid that sways on both feet: q, v and a from formulas.
ContactMotion swaying(const RobotModel& model, int first) {
  ContactMotion motion;
  motion.name = "swaying";
  motion.q = model.neutral().transpose().replicate(kPiece, 1);
  motion.v = motion.a = SampleMatrix::Zero(kPiece, model.nv());
  motion.time.resize(kPiece);
  for (int i = 0; i < kPiece; ++i) {
    const double t = motion.time[i] = kStep * (first + i);
    motion.q(i, 1) = 0.05 * std::sin(2.0 * t), motion.v(i, 1) = 0.1 * std::cos(2.0 * t);
    motion.a(i, 1) = -0.2 * std::sin(2.0 * t);
    motion.q(i, 2) += 0.02 * std::sin(3.0 * t), motion.v(i, 2) = 0.06 * std::cos(3.0 * t);
    motion.a(i, 2) = -0.18 * std::sin(3.0 * t);
  }
  return motion;
}

int main(int argc, char** argv) {
  const Robot robot = load_robot("h1_2", MeshPolicy::ignored, Base::free_flyer);
  const ContactRequest request{
      {"left_ankle_roll_link", "right_ankle_roll_link"}, true, LimitSet::none, WrenchAxes::world};
  const ContactOptions options;
  const Eigen::Index lag = ContactStream::lag_for(options, kStep, 1e-6);
  ContactStream stream(options, lag);
  double least = kInfinity, most = 0.0;
  Eigen::Index settled = 0, held = 0;
  const auto take = [&](const SettledFrames& frames) {
    for (Eigen::Index t = 0; t < std::ssize(frames.solution.status); ++t) {
      const double force = frames.solution.wrench(2, 2 * t);
      least = std::min(least, force), most = std::max(most, force);
    }
    settled += std::ssize(frames.solution.status);
  };
  for (int first = 0; first < 3000; first += kPiece) {
    take(stream.push(motion_dynamics(robot, swaying(robot.model, first), request, options).demand));
    held = std::max<Eigen::Index>(held, first + kPiece - settled);
  }
  take(stream.finish());
  std::printf("%d frames in pieces of %d, at most %d held; left foot %.0f to %.0f N\n", static_cast<int>(settled),
              kPiece, static_cast<int>(held), least, most);

  ContactFrameSolver solver(robot, request.contacts, options);
  const ContactMotion motion = swaying(robot.model, 0);
  const ContactFrame& now =
      solver.solve(motion.q.row(7).transpose(), motion.v.row(7).transpose(), motion.a.row(7).transpose());
  std::printf("one frame by itself: %s, left foot %.0f N, left knee %.1f N·m\n", to_string(now.status).data(),
              now.wrench(2, 0), now.torque[robot.model.motor_rows()[robot.model.motor("left_knee_joint")]]);
  if (argc > 1) {
    const auto array = [](const SampleMatrix& m) {
      return NumpyArray{{static_cast<std::size_t>(m.rows()), static_cast<std::size_t>(m.cols())},
                        std::vector<double>(m.data(), m.data() + m.size()),
                        "float64"};
    };
    write_file(
        argv[1],
        to_npz({{"q", array(motion.q)}, {"v", array(motion.v)}, {"a", array(motion.a)}, {"time", array(motion.time)}}));
  }
}
