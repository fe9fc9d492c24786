#include "antaeus/space/free_flyer.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/in_place.hpp"
#include "antaeus/core/possible.hpp"
#include "core/cross_matrix.hpp"
#include "space/extreme_singular_values.hpp"

namespace antaeus {

namespace {

using detail::cross_matrix;

/// A result's memory as a matrix of fixed size: its columns lie side by side.
template <int Rows, int Columns>
Eigen::Map<Eigen::Matrix<double, Rows, Columns>> fixed(SpaceMatrix& matrix) noexcept {
  return Eigen::Map<Eigen::Matrix<double, Rows, Columns>>(matrix.data());
}

/// NaN in a result's shape for n joints.
template <class Result>
void clear(Result& result, int n) {
  visit_fields(static_cast<const Result*>(nullptr), [&](const auto& field) {
    const auto size = [n](int given) { return given == kJoints ? n : given == kVelocities ? 6 + n : given; };
    if constexpr (requires { field.rows; }) (result.*field.get).setZero(size(field.rows), size(field.columns));
  });
  set_nan(result);
}

/// Before the first state: there is no inverse to hold yet, and nothing of seven joints for six.
FreeFlyingTerms empty_terms(int n) {
  FreeFlyingTerms terms;
  clear(terms, n);
  clear(terms.motion, n);
  terms.J_plus_inverse.setZero();
  if (n == 7) {
    clear(terms.null, n);
    terms.null.report = {};
  }
  return terms;
}

/// n, or an error that says why this robot has no coordinated map.
int joints_of(const RobotModel& model, FrameId frame) {
  const std::string place = model.description().name;
  if (model.base() != Base::free_flyer) {
    throw ModelError(place, "its base is bolted to the world", "load it with base = \"free_flyer\"");
  }
  const int joints = model.nv() - 6;
  if (joints < 6 || joints > 7) {
    throw ModelError(place, "it has " + std::to_string(joints) + " joints; the coordinated map takes one arm of 6 or 7",
                     "lock the others (locked_joints)");
  }
  const std::vector<int> moving = model.supporting_motors(frame);
  if (std::ssize(moving) != joints) {
    throw ModelError(place,
                     std::to_string(moving.size()) + " of its " + std::to_string(joints) + " joints move the frame '" +
                         model.frame_name(frame) + "'",
                     "name the arm's last frame, and every joint as a motor");
  }
  // A base without mass of its own, as robots have that stand on a table: its motion would take no force.
  MatrixX M(model.nv(), model.nv());
  Dynamics(model).mass_matrix(model.neutral(), M);
  const Eigen::LDLT<MatrixX> factors(M);
  constexpr double kSingular = 1e-12;  // of the largest pivot: rounding of a matrix of this size stays below
  if (factors.vectorD().minCoeff() <= kSingular * factors.vectorD().maxCoeff()) {
    throw ModelError(place,
                     "its mass matrix is singular: the root '" + model.description().root +
                         "' or another link has no mass or no inertia",
                     "give it an inertial, or take a robot with a base");
  }
  return joints;
}

}  // namespace

FreeFlyer::FreeFlyer(RobotModel model, std::string_view frame, const FreeFlyerOptions& options)
    : dynamics_(std::make_unique<Dynamics>(std::move(model))),
      frame_(dynamics_->model().frame(frame)),
      base_(dynamics_->model().frame(dynamics_->model().description().root)),
      joints_(joints_of(dynamics_->model(), frame_)),
      coriolis_(options.coriolis),
      inverse_(6, joints_, options.j_plus),
      memory_(6, joints_),
      null_(options.null_space),
      svd_J_(6, joints_),
      svd_Gamma_(12, 6 + joints_),
      J_W_(6, 6 + joints_),
      rest_(VectorX::Zero(6 + joints_)),
      v_(rest_) {
  empty_ = empty_terms(joints_);
  empty_motion_ = empty_.motion;
  terms_ = empty_;
  motion_ = scratch_ = empty_motion_;
  Gamma_scratch_.setConstant(12, 6 + joints_, kNaN);
  last_k_.setZero(13);
  last_z_.setZero(13);
}

void FreeFlyer::reset() noexcept {
  memory_.reset();
  null_.reset();
  has_null_ = false;
}

void FreeFlyer::fail(Status status) noexcept {
  terms_ = empty_;
  motion_ = empty_motion_;
  terms_.status = terms_.motion.status = motion_.status = terms_.conditioning.status = status;
  terms_.J_plus_inverse = memory_.last();
  terms_.tier.status = status;
  terms_.tier.initial = memory_.empty();
  position_ = {};
}

/// From poses, J_e and J̄v, which the caller has written, to the rest.
void FreeFlyer::fill_motion(const Vector3& p_bc, ConstVectorRef v, FreeFlyingMotion& m) const noexcept {
  const Matrix3& R_b = m.X_WB.rotation;
  const Matrix3 R_eb = m.X_WE.rotation.transpose() * R_b;
  m.p_bc = p_bc;
  m.p_com = m.X_WB.translation + R_b * p_bc;
  m.p_ec = m.X_WE.rotation.transpose() * (m.p_com - m.X_WE.translation);
  m.G_omega_b << cross_matrix(m.p_ec) * R_eb, R_eb;
  m.G_v_c << m.X_WE.rotation.transpose(), Matrix3::Zero();
  m.J_plus = m.J_e;
  m.J_plus.topRows<3>().noalias() -= R_eb.lazyProduct(m.J_v_bar);
  const auto theta_dot = v.tail(joints_);
  m.omega_b = v.segment<3>(3);
  Vector3 arm = Vector3::Zero();
  m.nu_plus.noalias() = m.G_omega_b * m.omega_b;
  for (int k = 0; k < joints_; ++k) {
    arm += m.J_v_bar.col(k) * theta_dot[k];
    m.nu_plus += m.J_plus.col(k) * theta_dot[k];
  }
  m.v_c = R_b * (v.head<3>() + m.omega_b.cross(p_bc) + arm);
  m.nu_e = m.nu_plus + m.G_v_c * m.v_c;
  m.status = Status::ok;
}

/// Γ = [R_cb, −R_cb[p_bc]×, R_cb J̄v; 0, E, 0; 0, G_ωb, J⊕].
void FreeFlyer::write_gamma(const FreeFlyingMotion& m, MatrixRef Gamma) const noexcept {
  const Matrix3& R = m.X_WB.rotation;
  Gamma.setZero();
  Gamma.block<3, 3>(0, 0) = R;
  Gamma.block<3, 3>(0, 3) = -R * cross_matrix(m.p_bc);
  Gamma.block(0, 6, 3, joints_).noalias() = R.lazyProduct(m.J_v_bar);
  Gamma.block<3, 3>(3, 3).setIdentity();
  Gamma.block<6, 3>(6, 3) = m.G_omega_b;
  Gamma.block(6, 6, 6, joints_) = m.J_plus;
}

template <int N>
void FreeFlyer::condition(const SmallSvd& svd_J, const SpaceMatrix& Gamma, FreeFlyingConditioning& result) noexcept {
  const auto kappa = [](double largest, double least) { return least > 0.0 ? largest / least : kInfinity; };
  result.status = svd_J.status();
  if (result.status != Status::ok) {
    result.sigma_J = result.kappa_J = result.sigma_Gamma = result.kappa_Gamma = kNaN;
    return;
  }
  result.sigma_J = svd_J.sigma()[5];
  result.kappa_J = kappa(svd_J.sigma()[0], result.sigma_J);
  ExtremeSingularValues extreme = extreme_singular_values<12, 6 + N>(Gamma);
  if (extreme.doubtful && svd_Gamma_.compute(Gamma) == Status::ok) {
    extreme = {svd_Gamma_.sigma()[0], svd_Gamma_.sigma()[11], false};
  }
  result.sigma_Gamma = extreme.least;
  result.kappa_Gamma = kappa(extreme.largest, extreme.least);
}

Status FreeFlyer::kinematics(ConstVectorRef q, ConstVectorRef v, FreeFlyingMotion& m) noexcept {
  position_ = dynamics_->at(q);
  if (position_.status() != Status::ok) return position_.status();
  if (!are_possible(q, kImpossiblePosition) || !are_possible(v, kImpossibleSpeed)) return Status::not_finite;
  position_.frame_pose(base_, m.X_WB);
  position_.frame_pose(frame_, m.X_WE);
  position_.frame_jacobian(frame_, J_W_);
  const Matrix3 R_bc = m.X_WB.rotation.transpose(), R_ec = m.X_WE.rotation.transpose();
  for (int k = 0; k < joints_; ++k) {
    m.J_e.col(k) << R_ec * J_W_.col(6 + k).head<3>(), R_ec * J_W_.col(6 + k).tail<3>();
  }
  Vector3 p_com;
  position_.center_of_mass(p_com);
  position_.center_of_mass_jacobian(J_W_.topRows<3>());
  for (int k = 0; k < joints_; ++k) m.J_v_bar.col(k) = R_bc * J_W_.col(6 + k).head<3>();
  fill_motion(R_bc * (p_com - m.X_WB.translation), v, m);
  return Status::ok;
}

const FreeFlyingMotion& FreeFlyer::motion_at(ConstVectorRef q, ConstVectorRef v) noexcept {
  Status status = v.size() != v_.size() ? Status::wrong_size : v.allFinite() ? Status::ok : Status::not_finite;
  if (status == Status::ok) {
    v_ = v;
    status = kinematics(q, v, motion_);
  }
  if (status != Status::ok) {
    motion_ = empty_motion_;
    motion_.status = status;
    position_ = {};
  }
  return motion_;
}

Status FreeFlyer::twist(FrameId frame, TwistAxes axes, Vector6& twist) noexcept {
  twist.setConstant(kNaN);
  Pose X_WF;
  if (const Status status = position_.frame_pose(frame, X_WF); status != Status::ok) return status;
  if (const Status status = position_.frame_jacobian(frame, J_W_); status != Status::ok) return status;
  const Vector6 aligned = J_W_ * v_;
  twist = aligned;
  if (axes == TwistAxes::local) {
    twist << X_WF.rotation.transpose() * aligned.head<3>(), X_WF.rotation.transpose() * aligned.tail<3>();
  } else if (axes == TwistAxes::world) {
    twist.head<3>() += X_WF.translation.cross(aligned.tail<3>());
  }
  return Status::ok;
}

Status FreeFlyer::j_plus(ConstVectorRef q, Matrix6XRef J) noexcept {
  J.setConstant(kNaN);
  if (J.cols() != joints_) return Status::wrong_size;
  const Status status = kinematics(q, rest_, scratch_);
  position_ = {};  // it is not the state of the terms
  if (status == Status::ok) J = scratch_.J_plus;
  return status;
}

Status FreeFlyer::gamma(ConstVectorRef q, MatrixRef Gamma) noexcept {
  Gamma.setConstant(kNaN);
  if (Gamma.rows() != 12 || Gamma.cols() != rest_.size()) return Status::wrong_size;
  const Status status = kinematics(q, rest_, scratch_);
  position_ = {};
  if (status == Status::ok) write_gamma(scratch_, Gamma);
  return status;
}

FreeFlyingConditioning FreeFlyer::conditioning_at(ConstVectorRef q) noexcept {
  FreeFlyingConditioning result;
  result.status = kinematics(q, rest_, scratch_);
  position_ = {};
  if (result.status != Status::ok) return result;
  write_gamma(scratch_, Gamma_scratch_);
  if (svd_J_.compute(scratch_.J_plus) != Status::ok) {
    result.status = svd_J_.status();
    return result;
  }
  if (joints_ == 6) {
    condition<6>(svd_J_, Gamma_scratch_, result);
  } else {
    condition<7>(svd_J_, Gamma_scratch_, result);
  }
  return result;
}

const FreeFlyingTerms& FreeFlyer::at(ConstVectorRef q, ConstVectorRef v) noexcept {
  const VelocityTerms now = dynamics_->at(q, v);
  if (now.status() != Status::ok) {
    fail(now.status());
    return terms_;
  }
  if (!are_possible(q, kImpossiblePosition) || !are_possible(v, kImpossibleSpeed)) {
    fail(Status::not_finite);
    return terms_;
  }
  v_ = v;
  position_ = now.position();
  if (joints_ == 6) {
    compute<6>(now);
  } else {
    compute<7>(now);
  }
  motion_ = terms_.motion;
  return terms_;
}

/// What follows from the state without its rates: ν_e of y, momentum, and the generalised Jacobian.
template <int N>
void FreeFlyer::write_momentum() noexcept {
  using Map3N = Eigen::Matrix<double, 3, N>;
  FreeFlyingTerms& t = terms_;
  const FreeFlyingMotion& m = t.motion;
  const auto M = fixed<6 + N, 6 + N>(t.M);
  const double mass = M(0, 0);
  const Map3N J_v_bar = m.J_v_bar;
  const Eigen::Matrix<double, N, 6> X = t.J_plus_inverse;
  const Matrix3& R = m.X_WB.rotation;
  const Vector3& omega_b = m.omega_b;
  const Eigen::Matrix<double, N, 1> theta_dot = v_.tail<N>();
  const Matrix6 seen = m.J_plus * X;  // E where J⊕ is inverted exactly
  t.J_hat << m.G_v_c, m.G_omega_b - seen * m.G_omega_b, seen;
  const Matrix3 inertia = M.template block<3, 3>(3, 3) + mass * cross_matrix(m.p_bc) * cross_matrix(m.p_bc);
  const Map3N coupling = M.template block<3, N>(3, 6) - mass * cross_matrix(m.p_bc) * J_v_bar;
  const Vector3 spin = inertia * omega_b + coupling * theta_dot;
  t.momentum_linear = mass * m.v_c;
  t.momentum_angular = R * spin;
  t.J_free = m.J_plus;
  t.J_free.noalias() -= m.G_omega_b.lazyProduct(inertia.inverse() * coupling);
}

template <int N>
void FreeFlyer::compute(const VelocityTerms& now) noexcept {
  constexpr int kV = 6 + N;
  using Map3N = Eigen::Matrix<double, 3, N>;
  using Map6N = Eigen::Matrix<double, 6, N>;
  using Square = Eigen::Matrix<double, kV, kV>;
  using Tall = Eigen::Matrix<double, kV, 12>;
  FreeFlyingTerms& t = terms_;
  FreeFlyingMotion& m = t.motion;
  t.status = Status::ok;

  now.position().mass_matrix(t.M);
  now.coriolis_matrix(t.C);
  now.position().frame_pose(base_, m.X_WB);
  now.position().frame_pose(frame_, m.X_WE);
  Eigen::Matrix<double, 6, kV> J, J_dot;
  now.frame_jacobian(frame_, J, J_dot);
  m.J_e = J.template rightCols<N>();
  const auto M = fixed<kV, kV>(t.M);
  const auto C = fixed<kV, kV>(t.C);
  // The rows of linear momentum hold the centre of mass and its Jacobian: M[0:3,:] = m [E, −[p_bc]×, J̄v]. Taken from
  // there, and not from the bodies again, they make M̂ block diagonal to the last digits. Ṁ = C + Cᵀ gives the rate.
  const double mass = M(0, 0);
  const Map3N J_v_bar = M.template block<3, N>(0, 6) / mass;
  const Map3N J_v_bar_dot = (C.template block<3, N>(0, 6) + C.template block<N, 3>(6, 0).transpose()) / mass;
  m.J_v_bar = J_v_bar;
  fill_motion(Vector3(M(1, 5), M(2, 3), M(0, 4)) / mass, v_, m);

  const Eigen::Matrix<double, N, 1> theta_dot = v_.tail<N>();
  const Matrix3& R = m.X_WB.rotation;
  const Matrix3 R_eb = m.X_WE.rotation.transpose() * R;
  const Vector3 omega_b = m.omega_b, omega_e = m.nu_e.tail<3>();
  const Matrix3 R_eb_dot = R_eb * cross_matrix(omega_b) - cross_matrix(omega_e) * R_eb;
  const Vector3 p_bc_dot = J_v_bar * theta_dot;
  const Vector3 p_ec_dot = m.X_WE.rotation.transpose() * m.v_c - m.nu_e.head<3>() - omega_e.cross(m.p_ec);
  Matrix63 G_dot;
  G_dot << cross_matrix(p_ec_dot) * R_eb + cross_matrix(m.p_ec) * R_eb_dot, R_eb_dot;
  Map6N J_plus_dot = J_dot.template rightCols<N>();
  J_plus_dot.template topRows<3>() -= R_eb_dot * J_v_bar + R_eb * J_v_bar_dot;
  t.J_plus_dot = J_plus_dot;

  write_gamma(m, t.Gamma);
  auto Gamma_dot = fixed<12, kV>(t.Gamma_dot);
  const Matrix3 R_dot = R * cross_matrix(omega_b);
  Gamma_dot.setZero();
  Gamma_dot.template block<3, 3>(0, 0) = R_dot;
  Gamma_dot.template block<3, 3>(0, 3) = -R_dot * cross_matrix(m.p_bc) - R * cross_matrix(p_bc_dot);
  Gamma_dot.template block<3, N>(0, 6) = R_dot * J_v_bar + R * J_v_bar_dot;
  Gamma_dot.template block<6, 3>(6, 3) = G_dot;
  Gamma_dot.template block<6, N>(6, 6) = J_plus_dot;

  t.tier = inverse_.compute(m.J_plus, J_plus_dot, memory_);
  t.J_plus_inverse = inverse_.inverse();
  t.J_plus_inverse_dot = inverse_.rate();
  condition<N>(inverse_.svd(), t.Gamma, t.conditioning);

  // Γ⁻¹ = [R_bc, [p_bc]× + J̄vJ#G_ωb, −J̄vJ#; 0, E, 0; 0, −J#G_ωb, J#] and its derivative.
  const Eigen::Matrix<double, N, 6> X = t.J_plus_inverse, X_dot = t.J_plus_inverse_dot;
  const Eigen::Matrix<double, N, 3> XG = X * m.G_omega_b, XG_dot = X_dot * m.G_omega_b + X * G_dot;
  auto G = fixed<kV, 12>(t.Gamma_inverse);
  auto G_rate = fixed<kV, 12>(t.Gamma_inverse_dot);
  G.setZero();
  G.template block<3, 3>(0, 0) = R.transpose();
  G.template block<3, 3>(0, 3) = cross_matrix(m.p_bc) + J_v_bar * XG;
  G.template block<3, 6>(0, 6) = -J_v_bar * X;
  G.template block<3, 3>(3, 3).setIdentity();
  G.template block<N, 3>(6, 3) = -XG;
  G.template block<N, 6>(6, 6) = X;
  G_rate.setZero();
  G_rate.template block<3, 3>(0, 0) = R_dot.transpose();
  G_rate.template block<3, 3>(0, 3) = cross_matrix(p_bc_dot) + J_v_bar_dot * XG + J_v_bar * XG_dot;
  G_rate.template block<3, 6>(0, 6) = -(J_v_bar_dot * X + J_v_bar * X_dot);
  G_rate.template block<N, 3>(6, 3) = -XG_dot;
  G_rate.template block<N, 6>(6, 6) = X_dot;

  Tall P, Q;
  P.noalias() = M * G;
  auto M_hat = fixed<12, 12>(t.M_hat);
  auto C_hat = fixed<12, 12>(t.C_hat);
  M_hat.noalias() = G.transpose() * P;
  Q.noalias() = C * G;
  Q.noalias() += M * G_rate;
  if (coriolis_ == CoriolisForm::passive) {
    C_hat.noalias() = G.transpose() * Q;
  } else {
    const Square change = P * Gamma_dot;
    C_hat.noalias() = G.transpose() * Tall((C - change) * G);
  }
  t.passive =
      coriolis_ == CoriolisForm::passive || (N == 6 && t.tier.tier == InverseTier::exact && t.tier.remaining == 0.0);
  t.M_breve = M_hat.template block<9, 9>(3, 3);
  t.C_breve = C_hat.template block<9, 9>(3, 3);
  t.C_c = C_hat.template block<9, 3>(3, 0);

  write_momentum<N>();
  if constexpr (N == 7) compute_null(J_v_bar_dot, P, Q);
}

void FreeFlyer::compute_null(const Eigen::Matrix<double, 3, 7>& J_v_bar_dot, const Eigen::Matrix<double, 13, 12>& MG,
                             const Eigen::Matrix<double, 13, 12>& CG) noexcept {
  using Vector7 = Eigen::Matrix<double, 7, 1>;
  using Vector13 = Eigen::Matrix<double, 13, 1>;
  FreeFlyingTerms& t = terms_;
  NullTerms& null = t.null;
  null.report = null_.update(inverse_.svd(), t.motion.J_plus, t.J_plus_dot);
  const auto M = fixed<13, 13>(t.M);
  const auto C = fixed<13, 13>(t.C);
  const Eigen::Matrix<double, 3, 7> J_v_bar = t.motion.J_v_bar;
  const Vector7 n = null_.direction(), n_dot = null_.rate();
  null.n_hat = n;
  null.n_hat_dot = n_dot;
  Vector13 k = Vector13::Zero(), k_dot = Vector13::Zero(), z, z_dot = Vector13::Zero(), M_k;
  k.head<3>() = -J_v_bar * n;
  k.tail<7>() = n;
  k_dot.head<3>() = -(J_v_bar_dot * n + J_v_bar * n_dot);
  k_dot.tail<7>() = n_dot;
  const bool stale = null.report.frozen && null_.options().freeze == NullFreeze::all && has_null_;
  if (stale) {
    k = last_k_;
    z = last_z_;
    k_dot.setZero();
    M_k.noalias() = M * k;
    null.mu = k.dot(M_k);
  } else {
    M_k.noalias() = M * k;
    const Vector13 M_k_dot = M * k_dot;
    const Vector13 M_dot_k = C * k + C.transpose() * k;
    null.mu = k.dot(M_k);
    const double mu_dot = 2.0 * k_dot.dot(M_k) + k.dot(M_dot_k);
    z = M_k / null.mu;
    z_dot = (M_dot_k + M_k_dot - z * mu_dot) / null.mu;
    last_k_ = k;
    last_z_ = z;
    has_null_ = true;
  }
  null.k_hat = k;
  null.k_hat_dot = k_dot;
  null.z_a = z;
  null.z_a_dot = z_dot;
  null.v_n = z.dot(v_);

  // Any right inverse G of Γ, less what of it lies along k̂: the one that is M-orthogonal to k̂.
  const auto G = fixed<13, 12>(t.Gamma_inverse);
  const auto G_rate = fixed<13, 12>(t.Gamma_inverse_dot);
  auto A = fixed<13, 13>(null.Gamma_a_inverse);
  const Eigen::Matrix<double, 1, 12> along = z.transpose() * G;
  const Eigen::Matrix<double, 1, 12> along_dot = z_dot.transpose() * G + z.transpose() * G_rate;
  A << G - k * along, k;
  null.Gamma_a.topRows<12>() = t.Gamma;
  null.Gamma_a.row(12) = z.transpose();
  // With A = [G − k̂a, k̂] and a = z_aᵀG the products differ from those of G by terms of rank one.
  using Row = Eigen::Matrix<double, 1, 12>;
  using Square12 = Eigen::Matrix<double, 12, 12>;
  const Vector13 C_k = C * k + M * k_dot;
  const Row k_MG = k.transpose() * MG, k_CG = k.transpose() * CG, G_M_k = M_k.transpose() * G,
            G_C_k = C_k.transpose() * G;
  const double k_C_k = k.dot(C_k);
  auto M_hat_a = fixed<13, 13>(null.M_hat_a);
  auto C_hat_a = fixed<13, 13>(null.C_hat_a);
  const Row left_M = G_M_k - null.mu * along;  // (G − k̂a)ᵀM k̂, zero unless k̂ is stale
  const Row left_C = G_C_k - k_C_k * along;
  M_hat_a.topLeftCorner<12, 12>() = fixed<12, 12>(t.M_hat) - left_M.transpose() * along - along.transpose() * k_MG;
  M_hat_a.topRightCorner<12, 1>() = left_M.transpose();
  M_hat_a.bottomLeftCorner<1, 12>() = k_MG - null.mu * along;
  M_hat_a(12, 12) = null.mu;
  Square12 GCG = fixed<12, 12>(t.C_hat);
  if (coriolis_ != CoriolisForm::passive) GCG.noalias() = G.transpose() * CG;
  C_hat_a.topLeftCorner<12, 12>() =
      GCG - left_C.transpose() * along - left_M.transpose() * along_dot - along.transpose() * k_CG;
  C_hat_a.topRightCorner<12, 1>() = left_C.transpose();
  C_hat_a.bottomLeftCorner<1, 12>() = k_CG - k_C_k * along - null.mu * along_dot;
  C_hat_a(12, 12) = k_C_k;
}

}  // namespace antaeus
