// The whole guarded chain for two wrists against the Pinocchio calls that any estimator of this kind needs, in turns
// within one run: what covariance, reliability and guard cost on top. The issues' bars are 4, and 5 with identified
// noise, whose R is full: of offsets alone, and with as many directions of unknown masses and friction as named. What
// is taken out is friction and offsets; "masses too": masses as well, which the model does not have then.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <vector>

#include "antaeus/guard/guarded_estimator.hpp"
#include "plain_pinocchio.hpp"

namespace {

using namespace antaeus;

const std::vector<std::string> kWrists = {"left_wrist_yaw_link", "right_wrist_yaw_link"};
constexpr int kCalls = 500, kRounds = 101;

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

template <class Call>
double microseconds(Call&& call) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i) call(i);
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / kCalls;
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
  noise.offset = VectorX::Constant(at.motors, 0.3);
  noise.offset_sd = VectorX::Constant(at.motors, 0.5);
  noise.motion_sd = VectorX::Constant(at.motors, 1.0);
  if (directions == 0) return noise;
  noise.parameters = VectorX::Zero(at.count());
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

void compare(const char* name, ResidualChoice kind, int directions = -1, bool masses = false) {
  Robot robot = load_robot("h1_2");
  if (directions >= 0) robot.profile.noise = std::make_shared<NoiseModel>(noise(robot.model, directions, masses));
  Plain plain(robot);
  Chain chain(robot, kind);
  const bool observer = kind == ResidualChoice::momentum_observer;
  std::vector<double> ratios, ours, theirs;
  for (int round = 0; round < kRounds; ++round) {
    theirs.push_back(microseconds([&](int i) { plain.run(observer, i); }));
    ours.push_back(microseconds([&](int i) { chain.run(i); }));
    ratios.push_back(ours.back() / theirs.back());
  }
  std::printf("%-34s residual %-18s ratio %.2f (median of %d rounds; %.1f against %.1f µs)\n", name,
              std::string(to_string(chain.kind())).c_str(), median(ratios), kRounds, median(ours), median(theirs));
}

}  // namespace

int main() {
  compare("static", ResidualChoice::static_gravity);
  compare("inverse dynamics", ResidualChoice::inverse_dynamics);
  compare("momentum observer", ResidualChoice::momentum_observer);
  for (const int directions : {0, 16, 75, 210}) {
    const std::string name = "identified, " + std::to_string(directions) + " directions";
    compare(name.c_str(), ResidualChoice::static_gravity, directions);
    compare(name.c_str(), ResidualChoice::inverse_dynamics, directions);
  }
  compare("identified, 75, masses too", ResidualChoice::static_gravity, 75, true);
  compare("identified, 75, masses too", ResidualChoice::inverse_dynamics, 75, true);
  return 0;
}
