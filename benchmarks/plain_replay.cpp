#include "plain_replay.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include "antaeus/core/error.hpp"
#include "plain_pinocchio.hpp"

namespace antaeus {

namespace {

struct PlainPrior {
  double force = 20.0, moment = 1.5;
};

}  // namespace

class PlainReplay::Work : public PlainPinocchio {
 public:
  Work(const Subject& subject, std::vector<PlainNoise> noise)
      : PlainPinocchio(Text{subject.urdf}, subject.endpoints, subject.robot.model.base() == Base::free_flyer),
        noise_(std::move(noise)),
        answers_(subject.endpoints.size()),
        zero_(Eigen::VectorXd::Zero(model_.nv)),
        full_(Eigen::MatrixXd::Zero(6, model_.nv)) {
    const RobotModel& model = subject.robot.model;
    for (const std::string& motor : model.motor_names()) {
      const auto& joint = model_.joints[model_.getJointId(motor)];
      q_rows_.push_back(joint.idx_q());
      v_rows_.push_back(joint.idx_v());
    }
    // What the motors' rotors add is in no URDF.
    for (const auto& [joint, inertia] : model.options().armature) {
      model_.armature[model_.joints[model_.getJointId(joint)].idx_v()] = inertia;
    }
    for (std::size_t e = 0; e < subject.endpoints.size(); ++e) {
      supports_.push_back(columns(model.supporting_motors(model.frame(subject.endpoints[e]))));
      if (!noise_.empty()) noise_[e].rows = columns(noise_[e].rows);
    }
  }

  void set(const RandomStates& from, const std::vector<double>& turns) {
    states_.assign(static_cast<std::size_t>(from.count), {});
    const std::size_t motors = q_rows_.size();
    for (std::size_t i = 0; i < states_.size(); ++i) {
      State& state = states_[i];
      state.q = pinocchio::neutral(model_);
      state.tau = state.v = state.a = zero_;
      if (!turns.empty()) {
        const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(&turns[9 * i]);
        state.q.segment<4>(3) = Eigen::Quaterniond(R).coeffs();
      }
      for (std::size_t m = 0; m < motors; ++m) {
        state.q[q_rows_[m]] = from.q[motors * i + m];
        state.tau[v_rows_[m]] = from.tau[motors * i + m];
        state.v[v_rows_[m]] = from.v[motors * i + m];
        state.a[v_rows_[m]] = from.a[motors * i + m];
      }
    }
  }
  const std::vector<PlainAnswer>& answers() const { return answers_; }

  void best(bool dynamic, std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t i = first; i < last; ++i) best(states_[static_cast<std::size_t>(i)], dynamic);
  }
  void naive(bool dynamic, std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t i = first; i < last; ++i) naive(states_[static_cast<std::size_t>(i)], dynamic);
  }

 private:
  struct State {
    Eigen::VectorXd q, tau, v, a;
  };
  /// N rows, or at most 16.
  template <int N>
  static constexpr int kMost = N == Eigen::Dynamic ? 16 : N;
  template <int N>
  using Rows = Eigen::Matrix<double, N, 1, 0, kMost<N>, 1>;
  template <int N>
  using Columns = Eigen::Matrix<double, 6, N, 0, 6, kMost<N>>;

  std::vector<int> columns(const std::vector<int>& motors) const {
    if (motors.size() > kMost<Eigen::Dynamic>) throw Error("PlainReplay", "more than 16 rows", "raise kMost");
    std::vector<int> all;
    for (const int motor : motors) all.push_back(v_rows_[static_cast<std::size_t>(motor)]);
    return all;
  }
  template <int N>
  void pick(const std::vector<int>& from, Columns<N>& J, Rows<N>& r) const {
    const auto count = static_cast<Eigen::Index>(from.size());
    J.resize(6, count);
    r.resize(count);
    for (Eigen::Index k = 0; k < count; ++k) {
      J.col(k) = full_.col(from[static_cast<std::size_t>(k)]);
      r[k] = residual_[from[static_cast<std::size_t>(k)]];
    }
  }
  /// Six joints and more.
  template <int N>
  void solve_many(std::size_t e) {
    Columns<N> J;
    Rows<N> r;
    pick<N>(supports_[e], J, r);
    const Matrix6 gram = J * J.transpose();
    answers_[e].wrench = gram.llt().solve(J * r);
    const Eigen::SelfAdjointEigenSolver<Matrix6> eigen(gram, Eigen::EigenvaluesOnly);
    benchmark::DoNotOptimize(eigen.eigenvalues().data());
  }
  /// Three joints: their eigenvalues are the roots of a cubic.
  void solve_three(std::size_t e) {
    Columns<3> J;
    Rows<3> r;
    pick<3>(supports_[e], J, r);
    const Matrix3 gram = J.transpose() * J;
    answers_[e].wrench = J * gram.llt().solve(r);
    Eigen::SelfAdjointEigenSolver<Matrix3> eigen;
    eigen.computeDirect(gram, Eigen::EigenvaluesOnly);
    benchmark::DoNotOptimize(eigen.eigenvalues().data());
  }
  void solve(std::size_t e) {
    switch (supports_[e].size()) {
      case 3: return solve_three(e);
      case 7: return solve_many<7>(e);
      case 8: return solve_many<8>(e);
      default: return solve_many<Eigen::Dynamic>(e);
    }
  }
  /// Mean, covariance, principal deviations of the force and NIS by S = J P₀ Jᵀ + R.
  template <int N>
  void weigh(std::size_t e) {
    using Square = Eigen::Matrix<double, N, N, 0, kMost<N>, kMost<N>>;
    Columns<N> J;
    Rows<N> r;
    pick<N>(noise_[e].rows, J, r);
    Columns<N> PJ = J;
    PJ.template topRows<3>() *= prior_.force * prior_.force;
    PJ.template bottomRows<3>() *= prior_.moment * prior_.moment;
    Square S = noise_[e].R;
    S.noalias() += J.transpose() * PJ;
    const Eigen::LLT<Square> factor(S);
    const Rows<N> left = factor.solve(r);
    const Eigen::Matrix<double, N, 6, 0, kMost<N>, 6> X = factor.solve(PJ.transpose());
    PlainAnswer& answer = answers_[e];
    answer.mean = PJ * left;
    answer.nis = r.dot(left);
    answer.covariance.noalias() = -PJ * X;
    answer.covariance.diagonal().head<3>().array() += prior_.force * prior_.force;
    answer.covariance.diagonal().tail<3>().array() += prior_.moment * prior_.moment;
    Eigen::SelfAdjointEigenSolver<Matrix3> eigen;
    eigen.computeDirect(answer.covariance.topLeftCorner<3, 3>());
    Vector3 sd = eigen.eigenvalues().cwiseSqrt();
    benchmark::DoNotOptimize(sd);
    benchmark::DoNotOptimize(eigen.eigenvectors().data());
  }
  void best(const State& state, bool dynamic) {
    const ConstVectorRef q(state.q), v(state.v), a(state.a);
    residual_ = state.tau - (dynamic ? pinocchio::rnea(model_, *data_, q, v, a)
                                     : pinocchio::computeGeneralizedGravity(model_, *data_, q));
    for (std::size_t e = 0; e < frames_.size(); ++e) {
      full_.setZero();
      pinocchio::computeFrameJacobian(model_, *data_, state.q, frames_[e], pinocchio::LOCAL_WORLD_ALIGNED, full_);
      solve(e);
      if (!noise_.empty()) noise_[e].rows.size() == 7 ? weigh<7>(e) : weigh<Eigen::Dynamic>(e);
      benchmark::DoNotOptimize(answers_[e]);
    }
  }
  void naive(const State& state, bool dynamic) {
    const ConstVectorRef q(state.q), v(dynamic ? state.v : zero_), a(dynamic ? state.a : zero_);
    residual_ = state.tau - pinocchio::rnea(model_, *data_, q, v, a);
    for (std::size_t e = 0; e < frames_.size(); ++e) {
      full_.setZero();
      pinocchio::computeFrameJacobian(model_, *data_, state.q, frames_[e], pinocchio::LOCAL_WORLD_ALIGNED, full_);
      const auto motors = static_cast<Eigen::Index>(v_rows_.size());
      const Eigen::JacobiSVD<Eigen::MatrixXd> svd(full_.middleCols(v_rows_[0], motors).transpose(),
                                                  Eigen::ComputeThinU | Eigen::ComputeThinV);
      answers_[e].wrench = svd.solve(residual_.segment(v_rows_[0], motors));
      benchmark::DoNotOptimize(answers_[e]);
      benchmark::DoNotOptimize(svd.singularValues().data());
    }
  }

  std::vector<std::vector<int>> supports_;  // rows of v, as those of noise_
  std::vector<int> q_rows_, v_rows_;
  std::vector<PlainNoise> noise_;
  PlainPrior prior_;
  std::vector<PlainAnswer> answers_;
  std::vector<State> states_;
  Eigen::VectorXd zero_, residual_;
  Matrix6X full_;
};

PlainReplay::PlainReplay(const Subject& subject, std::vector<PlainNoise> noise)
    : work_(std::make_unique<Work>(subject, std::move(noise))) {}
PlainReplay::~PlainReplay() = default;
void PlainReplay::set(const RandomStates& from, const std::vector<double>& turns) { work_->set(from, turns); }
void PlainReplay::best(bool dynamic, std::ptrdiff_t first, std::ptrdiff_t last) { work_->best(dynamic, first, last); }
void PlainReplay::naive(bool dynamic, std::ptrdiff_t first, std::ptrdiff_t last) { work_->naive(dynamic, first, last); }
const std::vector<PlainAnswer>& PlainReplay::answers() const { return work_->answers(); }

}  // namespace antaeus
