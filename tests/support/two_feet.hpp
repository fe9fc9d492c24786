#pragma once
/// \file
/// Two feet that share one total wrench, with limits: the problem that elastic_qp.hpp is made for, from a formula.

#include <Eigen/Dense>
#include <cmath>

#include "antaeus/numerics/elastic_qp.hpp"

namespace antaeus::test {

enum class Friction { pyramid, cone };

struct TwoFeetOptions {
  int frames = 1000;
  Friction friction = Friction::pyramid;
  bool torque_limits = false;  ///< 24 rows more
  bool infeasible = false;     ///< 38 % of the frames ask for more friction than there is
};

/// z = (φ, ν) splits the total wrench (F, M) about the middle of the feet, z up:
/// f_r = F/2 + φ, f_l = F/2 − φ, m_r = M/2 + ν − d_r × f_r, m_l = M/2 − ν − d_l × f_l.
class TwoFeet {
 public:
  using Vector12 = Eigen::Matrix<double, 12, 1>;
  using Matrix12x6 = Eigen::Matrix<double, 12, 6>;

  explicit TwoFeet(const TwoFeetOptions& options) : options_(options) {
    offset_[0] = {0.02, -0.12, 0.0};
    offset_[1] = {-0.02, 0.12, 0.0};
    split_.setZero();
    for (int foot = 0; foot < 2; ++foot) {
      const double sign = foot == 0 ? 1.0 : -1.0;
      split_.block<3, 3>(6 * foot, 0).diagonal().setConstant(sign);
      split_.block<3, 3>(6 * foot + 3, 0) = -sign * cross(offset_[foot]);
      split_.block<3, 3>(6 * foot + 3, 3).diagonal().setConstant(sign);
    }
    weight_.setConstant(1.0 / (20.0 * 20.0));
    for (const int moment : {3, 4, 5, 9, 10, 11}) weight_[moment] = 1.0 / (2.0 * 2.0);
    double x = 0.0;
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < 12; ++j) torques_(i, j) = std::sin(x += 1.7) * (j % 6 < 3 ? 0.4 : 1.0);
  }

  QpFrame shape() const {
    const bool cone = options_.friction == Friction::cone;
    return {.unknowns = 6, .rows = (cone ? 14 : 22) + (options_.torque_limits ? 24 : 0), .cones = cone ? 2 : 0};
  }

  /// Both feet's wrenches at z = 0, time in frames of 10 ms.
  Vector12 halves(int t) const {
    const double s = 0.01 * t;
    Eigen::Vector3d F(60.0 * std::sin(2.1 * s), 90.0 * std::sin(1.3 * s + 1.0), 589.0 + 80.0 * std::sin(3.7 * s));
    if (options_.infeasible && std::fmod(s, 1.0) >= 0.62) F.x() = 0.75 * F.z();
    // The centre of pressure swings from foot to foot and from heel to toes.
    const double y = 0.11 * std::sin(2.9 * s), x = 0.06 * std::sin(1.7 * s);
    const Eigen::Vector3d M(y * F.z(), -x * F.z(), 12.0 * std::sin(4.3 * s));
    Vector12 w;
    for (int foot = 0; foot < 2; ++foot)
      w.segment<6>(6 * foot) << 0.5 * F, 0.5 * M - offset_[foot].cross(Eigen::Vector3d(0.5 * F));
    return w;
  }

  const Matrix12x6& split() const { return split_; }

  /// Fills a problem of one frame (T = 1, at time t) or of all.
  void fill_frame(ElasticQp& qp, int into, int t) const {
    const int last = qp.frames() - 1;
    const Eigen::Matrix<double, 6, 12> pull = split_.transpose() * weight_.asDiagonal();
    const double neighbours = (into > 0 ? kSmoothing : 0.0) + (into < last ? kSmoothing : 0.0);
    qp.hessian().diagonal(into) = (1.0 + neighbours) * pull * split_;
    if (into < last) qp.hessian().lower(into) = -kSmoothing * pull * split_;
    const Vector12 w = halves(t);
    Vector12 lean = w;
    if (into > 0) lean += kSmoothing * (w - halves(t - 1));
    if (into < last) lean += kSmoothing * (w - halves(t + 1));
    qp.gradient(into) = pull * lean;
    int row = 0;
    const auto add = [&](const Vector12& coefficients, double bound) {
      qp.rows(into).row(row) = coefficients.transpose() * split_;
      qp.bounds(into)[row++] = bound - coefficients.dot(w);
    };
    for (int foot = 0; foot < 2; ++foot) {
      const int first = 6 * foot;
      const auto limit = [&](int component, double per_newton, double length) {
        for (const double sign : {1.0, -1.0}) {
          Vector12 c = Vector12::Zero();
          c[first + component] = sign / length;
          c[first + 2] = -per_newton / length;
          add(c, 0.0);
        }
      };
      Vector12 unilateral = Vector12::Zero();
      unilateral[first + 2] = -1.0;
      add(unilateral, 0.0);
      limit(3, 0.05, 0.1);
      limit(4, 0.1, 0.1);
      limit(5, 0.03, 0.1);
      if (options_.friction == Friction::pyramid) {
        limit(0, kMu, 1.0);
        limit(1, kMu, 1.0);
      } else {
        qp.cone(into, foot) = split_.middleRows<3>(first);
        qp.cone_offset(into, foot) = w.segment<3>(first);
        qp.friction(into, foot) = kMu;
      }
    }
    if (options_.torque_limits)
      for (int joint = 0; joint < 12; ++joint)
        for (const double sign : {1.0, -1.0}) add(sign * torques_.row(joint).transpose() / 0.4, 160.0 / 0.4);
  }

  void fill(ElasticQp& qp) const {
    qp.reshape(options_.frames, shape());
    for (int t = 0; t < options_.frames; ++t) fill_frame(qp, t, t);
  }

 private:
  static constexpr double kSmoothing = 5.0, kMu = 0.5;

  static Eigen::Matrix3d cross(const Eigen::Vector3d& d) {
    Eigen::Matrix3d m;
    m << 0.0, -d.z(), d.y(), d.z(), 0.0, -d.x(), -d.y(), d.x(), 0.0;
    return m;
  }

  TwoFeetOptions options_;
  Eigen::Vector3d offset_[2];
  Matrix12x6 split_;
  Vector12 weight_;
  Eigen::Matrix<double, 12, 12> torques_;
};

}  // namespace antaeus::test
