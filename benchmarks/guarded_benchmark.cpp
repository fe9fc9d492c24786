// The whole guarded chain for two wrists against the Pinocchio calls that any estimator of this kind needs, in turns
// within one run: what covariance, reliability and guard cost on top. The aims are 4, and 5 with identified
// noise, whose R is full: of offsets alone, and with as many directions of unknown masses and friction as named. What
// is taken out is friction and offsets; "masses too": masses as well, which the model does not have then. "Held pose"
// is the H1-2's own, fitted here to the shared logs where they are, else made up with as many parameters. Times are the
// thread's processor time, so that what else the machine does counts less.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <vector>

#include "antaeus/episode/episode.hpp"
#include "antaeus/identification/held/held_pose.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/trust/guarded_estimator.hpp"
#include "plain_pinocchio.hpp"

namespace {

using namespace antaeus;

const std::vector<std::string> kWrists = {"left_wrist_yaw_link", "right_wrist_yaw_link"};
constexpr int kCalls = 100, kRounds = 301;

/// What a user would write: one pass of inverse dynamics and two frame Jacobians; for an observer M and C too.
class Plain : public PlainPinocchio {
 public:
  explicit Plain(const Robot& robot)
      : PlainPinocchio(robot.profile.model.string(), kWrists),
        q_(pinocchio::neutral(model_)),
        v_(VectorX::Constant(model_.nv, 0.1)) {}
  void run(bool observer, int i) {
    q_[20] = 0.3 + 1e-6 * i;
    const ConstVectorRef q(q_), v(v_);
    inverse_dynamics(q, v, v);
    if (observer) {
      benchmark::DoNotOptimize(pinocchio::crba(model_, *data_, q).data());
      benchmark::DoNotOptimize(pinocchio::computeCoriolisMatrix(model_, *data_, q, v).data());
    }
    jacobians(q);
  }

 private:
  VectorX q_, v_;
};

class Chain {
 public:
  Chain(const Robot& robot, ResidualChoice kind) : guarded_(robot, kWrists, {}, ResidualOptions{.kind = kind}, {}, {}) {
    observation_.time = 0.0;
    observation_.q = robot.pose("zero");
    observation_.v = VectorX::Constant(robot.model.motor_count(), 0.1);
    observation_.tau = VectorX::Zero(robot.model.motor_count());
    observation_.has_imu = observation_.has_gyro = observation_.has_accelerometer = true;
    observation_.imu_specific_force = Vector3(0, 0, 9.81);
  }
  void run(int i) {
    observation_.time += 0.002;
    observation_.q[13] = 0.3 + 1e-6 * i;
    benchmark::DoNotOptimize(guarded_.update(observation_).data());
  }
  ResidualKind kind() const { return guarded_.residual().kind; }

 private:
  GuardedEstimator guarded_;
  Observation observation_;
};

/// Processor time of this thread [µs].
double now_microseconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

template <class Call>
double microseconds(Call&& call) {
  const double begin = now_microseconds();
  for (int i = 0; i < kCalls; ++i) call(i);
  return (now_microseconds() - begin) / kCalls;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// The size of what an identification leaves: \p directions columns of doubt, on bodies and motors from the torso up.
NoiseModel noise(const RobotModel& model, int directions, bool masses) {
  const TorqueParameters at = torque_parameters(model);
  NoiseModel noise;
  noise.white_sd = VectorX::Constant(at.motors, 0.1);
  noise.offset_sd = VectorX::Constant(at.motors, 0.5);
  noise.coulomb_sd = VectorX::Constant(at.motors, 0.2);
  noise.viscous_sd = VectorX::Constant(at.motors, 0.3);
  noise.motion_sd = VectorX::Constant(at.motors, 1.0);
  noise.parameters = VectorX::Zero(at.count());
  noise.parameters.tail(at.motors).setConstant(0.3);  // offsets
  if (directions == 0) return noise;
  noise.factor = MatrixX::Zero(at.count(), directions);
  std::vector<int> free;
  for (int p = 0; p < at.count(); ++p) {
    const int motor = p < 10 * at.bodies ? p / 10 - (at.bodies - at.motors) : (p - 10 * at.bodies) % at.motors;
    if (motor >= 12) free.push_back(p);
  }
  for (int c = 0; c < directions; ++c) {
    for (std::size_t i = 0; i < free.size(); ++i) {
      noise.factor(free[i], c) = 0.05 * std::sin(1.0 + 7.0 * c + 3.0 * static_cast<double>(i));
      if (masses || free[i] >= 10 * at.bodies) noise.parameters[free[i]] = 0.01;
    }
  }
  return noise;
}

/// What the shared logs say of the H1-2 in its poses; made up where they are not: mass and first moment of each body
/// from the torso up, and an offset of each of its motors.
NoiseModel held_pose(const Robot& robot) {
  const char* shared = std::getenv("ANTAEUS_SHARED");
  const std::filesystem::path logs = std::filesystem::path(shared ? shared : "../shared") / "episodes";
  if (std::filesystem::exists(logs / "re1_real_encode")) {
    std::vector<HeldStretch> stretches;
    for (const auto& [name, to] : {std::pair{"re1_real_encode", 14.0}, std::pair{"re2_real_encode", 9.5},
                                   std::pair{"re1_real_no_encode", 10.2}}) {
      stretches.push_back(read_held_stretch(robot, kWrists, load_episode(logs / name, robot), 0.0, to));
    }
    return noise_model(robot.model, fit_held_pose(robot, kWrists, stretches));
  }
  const TorqueParameters at = torque_parameters(robot.model);
  NoiseModel made = noise(robot.model, 75, true);
  made.origin = NoiseOrigin::held_pose;
  for (int p = 0; p < at.count(); ++p) {
    const bool known = p < 10 * at.bodies ? p % 10 < 4 : p >= at.offset(0);
    if (known) continue;
    made.parameters[p] = 0.0;
    made.factor.row(p).setZero();
  }
  made.white_sd.head(12).setConstant(kNaN);
  std::printf("(no shared logs: the held pose is made up)\n");
  return made;
}

std::string wanted;  // part of a line's name: the first argument

/// \param identified  null: the profile's figures
void compare(const std::string& name, ResidualChoice kind, std::shared_ptr<const NoiseModel> identified = nullptr) {
  if (name.find(wanted) == std::string::npos) return;
  Robot robot = load_robot("h1_2");
  robot.profile.noise = std::move(identified);
  Plain plain(robot);
  Chain chain(robot, kind);
  const bool observer = kind == ResidualChoice::momentum_observer;
  std::vector<double> ratios, ours, theirs;
  for (int round = 0; round < kRounds; ++round) {
    theirs.push_back(microseconds([&](int i) { plain.run(observer, i); }));
    ours.push_back(microseconds([&](int i) { chain.run(i); }));
    ratios.push_back(ours.back() / theirs.back());
  }
  std::printf("%-34s residual %-18s ratio %.2f (median of %d rounds; %.1f against %.1f µs)\n", name.c_str(),
              std::string(to_string(chain.kind())).c_str(), median(ratios), kRounds, median(ours), median(theirs));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) wanted = argv[1];
  compare("static", ResidualChoice::static_gravity);
  compare("inverse dynamics", ResidualChoice::inverse_dynamics);
  compare("momentum observer", ResidualChoice::momentum_observer);
  const Robot robot = load_robot("h1_2");
  const auto both = [](const std::string& name, const NoiseModel& model) {
    const auto shared = std::make_shared<const NoiseModel>(model);
    compare(name, ResidualChoice::static_gravity, shared);
    compare(name, ResidualChoice::inverse_dynamics, shared);
  };
  for (const int directions : {0, 16, 75, 210}) {
    both("identified, " + std::to_string(directions) + " directions", noise(robot.model, directions, false));
  }
  both("identified, 75, masses too", noise(robot.model, 75, true));
  both("identified, held pose", held_pose(robot));
  return 0;
}
