// Many states at a time against plain Pinocchio doing the same work: ns a state and the median over rounds of the ratio
// within a round, both timed in turn by the thread's own clock. Random states inside the joints' limits, blocks that
// stay in the cache.
//
// With a posterior, what it adds: "over_svd" is the time against both wrists with SVD alone in the same round.
//
// "best" is the fastest that we found with Pinocchio and Eigen alone: computeGeneralizedGravity, computeFrameJacobian,
// the columns of the joints that carry the hand, Cholesky of their J Jᵀ and its eigenvalues (whose digits are the
// square's). "naive" is what most people write: rnea at rest and JacobiSVD of the whole Jacobian.
#include <benchmark/benchmark.h>
#include <time.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <random>

#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/robot/batch.hpp"
#include "plain_pinocchio.hpp"

namespace {

using namespace antaeus;

constexpr int kStates = 1024, kRounds = 21;

double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Case {
  std::string robot;
  std::vector<std::string> endpoints;
  bool dynamic = false;
};

/// Pinocchio's own joints are in another order than motors only where a profile says so: columns by name.
class Plain : public PlainPinocchio {
 public:
  Plain(const Robot& robot, const Case& what)
      : PlainPinocchio((robots_folder() / what.robot / (what.robot + ".urdf")).string(), what.endpoints,
                       robot.model.base() == Base::free_flyer),
        zero_(Eigen::VectorXd::Zero(model_.nv)),
        full_(Eigen::MatrixXd::Zero(6, model_.nv)) {
    for (const std::string& frame : what.endpoints) {
      frames_.push_back(model_.getFrameId(frame));
      std::vector<int> rows;
      for (const int motor : robot.model.supporting_motors(robot.model.frame(frame))) {
        rows.push_back(
            model_.joints[model_.getJointId(robot.model.motor_names()[static_cast<std::size_t>(motor)])].idx_v());
      }
      supports_.push_back(rows);
    }
    for (const std::string& motor : robot.model.motor_names()) {
      const auto& joint = model_.joints[model_.getJointId(motor)];
      q_rows_.push_back(joint.idx_q());
      v_rows_.push_back(joint.idx_v());
    }
  }

  /// A state in Pinocchio's terms, made before the clock runs.
  void add(const double* q, const double* tau, const double* v, const double* a) {
    PlainState state;
    state.q.resize(model_.nq);
    pinocchio::neutral(model_, state.q);
    state.tau = state.v = state.a = Eigen::VectorXd::Zero(model_.nv);
    for (std::size_t m = 0; m < q_rows_.size(); ++m) {
      state.q[q_rows_[m]] = q[m];
      state.tau[v_rows_[m]] = tau[m];
      state.v[v_rows_[m]] = v[m];
      state.a[v_rows_[m]] = a[m];
    }
    states_.push_back(std::move(state));
  }
  void best(bool dynamic) {
    for (const PlainState& state : states_) best(state, dynamic);
  }
  void naive(bool dynamic) {
    for (const PlainState& state : states_) naive(state, dynamic);
  }

 private:
  struct PlainState {
    Eigen::VectorXd q, tau, v, a;
  };
  void best(const PlainState& state, bool dynamic) {
    const ConstVectorRef q(state.q), v(state.v), a(state.a);
    const Eigen::VectorXd& g =
        dynamic ? pinocchio::rnea(model_, *data_, q, v, a) : pinocchio::computeGeneralizedGravity(model_, *data_, q);
    residual_ = state.tau - g;
    for (std::size_t e = 0; e < frames_.size(); ++e) {
      full_.setZero();
      pinocchio::computeFrameJacobian(model_, *data_, state.q, frames_[e], pinocchio::LOCAL_WORLD_ALIGNED, full_);
      const auto columns = static_cast<Eigen::Index>(supports_[e].size());
      Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 16> J(6, columns);
      Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 16, 1> r(columns);
      for (Eigen::Index k = 0; k < columns; ++k) {
        J.col(k) = full_.col(supports_[e][static_cast<std::size_t>(k)]);
        r[k] = residual_[supports_[e][static_cast<std::size_t>(k)]];
      }
      const Matrix6 gram = J * J.transpose();
      const Vector6 w = gram.llt().solve(J * r);
      const Eigen::SelfAdjointEigenSolver<Matrix6> eigen(gram, Eigen::EigenvaluesOnly);
      benchmark::DoNotOptimize(w);
      benchmark::DoNotOptimize(eigen.eigenvalues().data());
    }
  }
  void naive(const PlainState& state, bool dynamic) {
    const ConstVectorRef q(state.q), v(state.v), a(state.a), zero(zero_);
    const Eigen::VectorXd& g =
        dynamic ? pinocchio::rnea(model_, *data_, q, v, a) : pinocchio::rnea(model_, *data_, q, zero, zero);
    residual_ = state.tau - g;
    for (const auto frame : frames_) {
      full_.setZero();
      pinocchio::computeFrameJacobian(model_, *data_, state.q, frame, pinocchio::LOCAL_WORLD_ALIGNED, full_);
      const Eigen::JacobiSVD<Eigen::MatrixXd> svd(full_.transpose(), Eigen::ComputeThinU | Eigen::ComputeThinV);
      const Vector6 w = svd.solve(residual_);
      benchmark::DoNotOptimize(w);
      benchmark::DoNotOptimize(svd.singularValues().data());
    }
  }

  std::vector<pinocchio::FrameIndex> frames_;
  std::vector<std::vector<int>> supports_;
  std::vector<int> q_rows_, v_rows_;
  std::vector<PlainState> states_;
  Eigen::VectorXd zero_, residual_;
  Matrix6X full_;
};

struct States {
  std::vector<double> q, tau, v, a, wrench, sigma, residual;
  States(const Robot& robot, int endpoints) {
    const int motors = robot.model.motor_count();
    const auto size = static_cast<std::size_t>(motors * kStates);
    std::mt19937_64 random(17);
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    for (std::vector<double>* channel : {&q, &tau, &v, &a, &residual}) channel->resize(size);
    wrench.resize(static_cast<std::size_t>(6 * endpoints * kStates));
    sigma.resize(wrench.size());
    for (std::size_t i = 0; i < size; ++i) {
      const auto m = static_cast<Eigen::Index>(i) % motors;
      const double lower = std::max(robot.model.lower_limits()[m], -3.0);
      const double upper = std::min(robot.model.upper_limits()[m], 3.0);
      q[i] = lower + (upper - lower) * unit(random);
      tau[i] = 40.0 * (unit(random) - 0.5);
      v[i] = 2.0 * (unit(random) - 0.5);
      a[i] = 8.0 * (unit(random) - 0.5);
    }
  }
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + kRounds / 2, values.end());
  return values[kRounds / 2];
}

template <class Work>
double timed(const Work& work) {
  const double begin = thread_seconds();
  work();
  return (thread_seconds() - begin) / kStates * 1e9;
}

void replay(benchmark::State& state, const Case& what, InstructionSet set) {
  if (set > instruction_set()) {
    state.SkipWithError("this machine does not have it");
    return;
  }
  const Robot robot = load_robot(what.robot);
  Plain plain(robot, what);
  States states(robot, static_cast<int>(what.endpoints.size()));
  BatchWorkspace workspace(BatchModel(robot, what.endpoints), set);
  BatchInput in;
  in.count = kStates;
  in.q = {states.q};
  in.tau = {states.tau};
  if (what.dynamic) {
    in.v = {states.v};
    in.a = {states.a};
  }
  BatchOutput out;
  out.residual = {states.residual};
  out.wrench = {states.wrench};
  out.sigma = {states.sigma};
  check_block(workspace.model(), in, out);
  const auto motors = static_cast<std::size_t>(robot.model.motor_count());
  for (std::size_t i = 0; i < kStates; ++i) {
    plain.add(&states.q[i * motors], &states.tau[i * motors], &states.v[i * motors], &states.a[i * motors]);
  }
  std::vector<double> ours, best, naive, over_best, over_naive;
  for (auto _ : state) {
    for (int round = 0; round < kRounds; ++round) {
      best.push_back(timed([&] { plain.best(what.dynamic); }));
      ours.push_back(timed([&] { benchmark::DoNotOptimize(workspace.replay(in, out)); }));
      naive.push_back(timed([&] { plain.naive(what.dynamic); }));
      over_best.push_back(best.back() / ours.back());
      over_naive.push_back(naive.back() / ours.back());
    }
  }
  state.counters["ns"] = median(ours);
  state.counters["best_ns"] = median(best);
  state.counters["naive_ns"] = median(naive);
  state.counters["x_best"] = median(over_best);
  state.counters["x_naive"] = median(over_naive);
  state.SetLabel(std::string(to_string(workspace.set())) + ", " + std::to_string(workspace.lanes()) + " lanes");
}

/// Noise of a posterior's rows. `own`: a variance a row. `shared`: R is full, by what hangs on no pose. `rank_8` and
/// `dense`: by masses and first moments that are in doubt, through the gravity regressor.
enum class Noise { own, shared, rank_8, dense };

std::optional<NoiseModel> noise_of(const RobotModel& model, Noise kind) {
  if (kind == Noise::own) return {};
  const TorqueParameters at = torque_parameters(model);
  std::mt19937_64 random(23);
  std::normal_distribution<double> normal(0.0, kind == Noise::dense ? 0.01 : 0.05);
  NoiseModel noise;
  noise.white_sd = VectorX::Constant(at.motors, 0.3);
  noise.factor.setZero(at.count(), kind == Noise::dense ? at.count() : 8);
  for (int p = 0; p < at.count(); ++p) {
    const bool first_four = p < at.inertial(at.bodies) && p % 10 < 4;
    if (kind == Noise::shared ? p < at.offset(0) : !first_four) continue;
    for (double& number : noise.factor.row(p)) number = normal(random);
  }
  return noise;
}

struct PosteriorCase {
  Noise noise = Noise::own;
  bool svd = true, tests = false, dynamic = false;
};

void replay_posterior(benchmark::State& state, const PosteriorCase& what, InstructionSet set) {
  if (set > instruction_set()) {
    state.SkipWithError("this machine does not have it");
    return;
  }
  const Robot robot = load_robot("h1_2");
  const std::vector<std::string> wrists = {"left_wrist_yaw_link", "right_wrist_yaw_link"};
  const PosteriorEstimator estimator(InstantReader(robot, wrists));
  BatchOptions options{.imu_frame = robot.profile.imu.frame};
  options.posterior.rows = {estimator.rows(0), estimator.rows(1)};
  options.posterior.noise = noise_of(robot.model, what.noise);
  BatchWorkspace workspace(BatchModel(robot.model, wrists, options), set), svd(BatchModel(robot, wrists), set);
  States states(robot, 2);
  const std::vector<double> variance(states.q.size(), 0.5);
  BatchInput in;
  in.count = kStates;
  in.q = {states.q};
  in.tau = {states.tau};
  BatchOutput plain;
  plain.residual = {states.residual};
  plain.wrench = {states.wrench};
  plain.sigma = {states.sigma};
  const BatchInput still = in;
  BatchOutput out;
  out.residual = plain.residual;
  if (what.svd) out = plain;
  if (what.noise == Noise::own) in.variance = {variance};
  if (what.dynamic) {
    in.v = {states.v};
    in.a = {states.a};
  }
  std::vector<double> mean(12 * kStates), covariance(42 * kStates), sd(6 * kStates), axes(18 * kStates);
  std::vector<double> nis(2 * kStates), misfit(2 * kStates), null_nis(2 * kStates);
  std::vector<int> rows(2 * kStates), evidence(2 * kStates);
  out.posterior = {mean};
  out.covariance = {covariance};
  out.force_sd = {sd};
  out.force_directions = {axes};
  out.nis = {nis};
  if (what.tests) {
    out.misfit = {misfit};
    out.misfit_rows = {rows};
    out.null_nis = {null_nis};
    out.evidence_rows = {evidence};
  }
  check_block(workspace.model(), in, out);
  std::vector<double> ours, theirs, over;
  for (auto _ : state) {
    for (int round = 0; round < kRounds; ++round) {
      theirs.push_back(timed([&] { benchmark::DoNotOptimize(svd.replay(still, plain)); }));
      ours.push_back(timed([&] { benchmark::DoNotOptimize(workspace.replay(in, out)); }));
      over.push_back(ours.back() / theirs.back());
    }
  }
  state.counters["ns"] = median(ours);
  state.counters["svd_ns"] = median(theirs);
  state.counters["over_svd"] = median(over);
  state.SetLabel(std::string(to_string(workspace.set())) + ", " + std::to_string(workspace.lanes()) + " lanes");
}

const int kRegistered = [] {
  const std::string left = "left_wrist_yaw_link", right = "right_wrist_yaw_link";
  const std::pair<const char*, Case> cases[] = {
      {"h1_2_one_wrist", {"h1_2", {left}, false}},         {"h1_2_both_wrists", {"h1_2", {left, right}, false}},
      {"h1_2_one_wrist_dynamics", {"h1_2", {left}, true}}, {"h1_2_both_wrists_dynamics", {"h1_2", {left, right}, true}},
      {"panda_hand", {"panda", {"panda_hand"}, false}},
  };
  for (const auto& [name, what] : cases) {
    for (const InstructionSet set : all_values<InstructionSet>()) {
      benchmark::RegisterBenchmark((std::string("replay/") + name + "/" + std::string(to_string(set))).c_str(),
                                   [what = what, set](benchmark::State& state) { replay(state, what, set); })
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
    }
  }
  const std::pair<const char*, PosteriorCase> posteriors[] = {
      {"own_noise", {Noise::own}},
      {"own_noise_and_tests", {.noise = Noise::own, .tests = true}},
      {"full_noise", {Noise::shared}},
      {"full_noise_and_tests", {.noise = Noise::shared, .tests = true}},
      {"full_noise_without_svd", {.noise = Noise::shared, .svd = false}},
      {"full_noise_dynamics", {.noise = Noise::shared, .dynamic = true}},
      {"regressor_of_rank_8", {Noise::rank_8}},
      {"regressor_dense", {Noise::dense}},
  };
  for (const auto& [name, what] : posteriors) {
    for (const InstructionSet set : all_values<InstructionSet>()) {
      benchmark::RegisterBenchmark(
          (std::string("replay/h1_2_posterior_") + name + "/" + std::string(to_string(set))).c_str(),
          [what = what, set](benchmark::State& state) { replay_posterior(state, what, set); })
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
    }
  }
  return 0;
}();

}  // namespace
