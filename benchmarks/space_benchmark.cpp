// What the terms of a free-flying robot cost, beside the passes of Pinocchio that nobody can do without.
#include <benchmark/benchmark.h>

#include <cmath>
#include <pinocchio/algorithm/crba.hpp>

#include "antaeus/robot/robot_profile.hpp"
#include "antaeus/space/free_flyer.hpp"
#include "plain_pinocchio.hpp"

namespace {

using namespace antaeus;

const char* const kNames[] = {"spacecraft_ur3", "spacecraft_panda"};
const char* const kFrames[] = {"ee_link", "panda_hand_tcp"};

struct Setup {
  explicit Setup(std::int64_t which)
      : robot(load_robot(kNames[which])), q(robot.model.neutral()), v(robot.model.nv()), frame(kFrames[which]) {
    q.tail(robot.model.motor_count()) = robot.pose("ready");
    for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = 0.1 * std::sin(1.7 * static_cast<double>(i));
  }
  Robot robot;
  VectorX q, v;
  std::string frame;
};

class Plain : public PlainPinocchio {
 public:
  explicit Plain(const Setup& setup)
      : PlainPinocchio(setup.robot.profile.model.string(), {}), J_(Matrix6X::Zero(6, model_.nv)), J_dot_(J_) {
    frame_ = model_.getFrameId(setup.frame);
  }
  void run(const ConstVectorRef& q, const ConstVectorRef& v) {
    benchmark::DoNotOptimize(pinocchio::crba(model_, *data_, q).data());
    benchmark::DoNotOptimize(pinocchio::computeCoriolisMatrix(model_, *data_, q, v).data());
    pinocchio::computeJointJacobiansTimeVariation(model_, *data_, q, v);
    pinocchio::updateFramePlacement(model_, *data_, frame_);
    pinocchio::getFrameJacobian(model_, *data_, frame_, pinocchio::LOCAL, J_);
    pinocchio::getFrameJacobianTimeVariation(model_, *data_, frame_, pinocchio::LOCAL, J_dot_);
    benchmark::DoNotOptimize(J_.data());
    benchmark::DoNotOptimize(J_dot_.data());
  }

 private:
  Matrix6X J_, J_dot_;
  pinocchio::FrameIndex frame_;
};

void pinocchio_passes(benchmark::State& state) {
  const Setup setup(state.range(0));
  Plain plain(setup);
  for (auto _ : state) plain.run(setup.q, setup.v);
}
BENCHMARK(pinocchio_passes)->Arg(0)->Arg(1);

void all_terms(benchmark::State& state) {
  const Setup setup(state.range(0));
  FreeFlyer flying(setup.robot.model, setup.frame);
  for (auto _ : state) benchmark::DoNotOptimize(flying.at(setup.q, setup.v).M_hat.data());
}
BENCHMARK(all_terms)->Arg(0)->Arg(1);

void motion_alone(benchmark::State& state) {
  const Setup setup(state.range(0));
  FreeFlyer flying(setup.robot.model, setup.frame);
  for (auto _ : state) benchmark::DoNotOptimize(flying.motion_at(setup.q, setup.v).J_plus.data());
}
BENCHMARK(motion_alone)->Arg(0)->Arg(1);

void sampler(benchmark::State& state) {
  const Setup setup(state.range(0));
  FreeFlyer flying(setup.robot.model, setup.frame);
  for (auto _ : state) benchmark::DoNotOptimize(flying.conditioning_at(setup.q).sigma_Gamma);
}
BENCHMARK(sampler)->Arg(0)->Arg(1);

}  // namespace
