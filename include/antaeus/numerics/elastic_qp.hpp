#pragma once
/// \file
/// Quadratic programmes over time whose limits may be broken at a price: one interior point for one frame or 100 000.
///
///     minimise    Σ_t ½ z_tᵀ D_t z_t + z_{t+1}ᵀ L_t z_t + g_tᵀ z_t  +  ρ Σ e
///     subject to  G_t z_t ≤ h_t + e,    √(c_x² + c_y²) ≤ μ c_n + e  with (c_x c_y c_n) = C z_t + c_0,    e ≥ 0.
///
/// The matrix of D_t and L_t (block_tridiagonal.hpp) is positive definite. A limit that can be kept is kept where its
/// multiplier is below ρ; where limits contradict each other, ρ large makes the sum of violations as small as it can
/// be, and each e names a limit and by how much it is broken. So an answer always exists. Give rows in one unit,
/// newtons: rows of moments are divided by a length. A row that shall not count has zeros in G and h = 0.
///
///     ElasticQp qp;
///     qp.reshape(frames, {.unknowns = 6, .rows = 22});
///     qp.hessian().diagonal(t) = …;  qp.hessian().lower(t) = …;  qp.gradient(t) = …;
///     qp.rows(t).row(r) << …;        qp.bounds(t)[r] = …;
///     if (qp.solve() == QpStatus::solved) use(qp.unknowns(t), qp.multipliers(t), qp.violations(t));
///
/// Method: Mehrotra, "On the implementation of a primal-dual interior point method", SIAM J. Optim. 2 (1992), from a
/// start on the central path, with both slacks of an elastic row eliminated: one factorisation of blocks of the size of
/// z_t an iteration. Friction cones are exact, apex included, in the scaling of Nesterov and Todd (SIAM J. Optim. 8,
/// 1998).

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/numbers.hpp"
#include "antaeus/numerics/block_tridiagonal.hpp"

namespace antaeus {

/// How a solution ended. Unknowns, multipliers and violations are NaN for the last three.
enum class QpStatus : std::uint8_t {
  solved,
  iteration_budget,       ///< not at the tolerances within the budget: the last iterate, with its residuals
  not_finite,             ///< the problem holds NaN or infinity, a negative coefficient of friction, or a price ≤ 0
  not_positive_definite,  ///< of D_t and L_t, or of an iteration's matrix: the numbers differ too much or overflow
  not_computed,           ///< no solve() since reshape()
};
constexpr auto enum_names(QpStatus) noexcept {
  return name_list<QpStatus>("solved", "iteration_budget", "not_finite", "not_positive_definite", "not_computed");
}

struct ElasticQpOptions {
  double price = 1e4;             ///< ρ, of a newton of violation [unit of the cost / N], > 0
  int iteration_budget = 100;     ///< ≥ 0
  double stationarity = 1e-9;     ///< stop: gradient of the Lagrangian, of the largest of g and Gᵀλ [1]
  double primal = 1e-7;           ///< stop: |row − bound + slack − violation| [N]
  double complementarity = 1e-9;  ///< stop: largest product of slack and multiplier, of ρ [N]
};

/// Sizes of one frame, each ≥ 0.
struct QpFrame {
  int unknowns = 0;
  int rows = 0;   ///< of G_t
  int cones = 0;  ///< friction cones
};

/// How far the answer is from the optimum, in the problem's own units: the largest of each over all frames.
struct QpResiduals {
  double stationarity = kNaN;     ///< |gradient of the Lagrangian| [cost / N]
  double primal = kNaN;           ///< |row − bound + slack − violation| [N]
  double complementarity = kNaN;  ///< slack · multiplier, violation · (ρ − multiplier) [cost]
};

namespace detail {
/// What an iteration knows of a cone: src/numerics/elastic_cones.hpp.
struct ConeScaling {
  Eigen::Matrix3d W, inverse_W, inverse_M;
  Eigen::Vector3d l, column, demand;  ///< column: first of inverse_M; demand: − ds but for de
  double kept;
};
}  // namespace detail

/// Holds one problem, its answer and the memory for both. One object per thread.
/// \realtime all but reshape(), elastic_qp_test; reshape() to a shape whose sums are no larger than before neither
class ANTAEUS_API ElasticQp {
 public:
  using Vector = Eigen::Map<Eigen::VectorXd>;
  using ConstVector = Eigen::Map<const Eigen::VectorXd>;
  using Rows = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  using Cone = Eigen::Map<Eigen::Matrix<double, 3, Eigen::Dynamic>>;

  explicit ElasticQp(const ElasticQpOptions& options = {}) : options_(options) {}

  /// All numbers become zero.
  void reshape(std::span<const QpFrame> frames);
  /// The same with equal frames.
  void reshape(int frames, const QpFrame& each);

  int frames() const noexcept { return static_cast<int>(frames_.size()); }
  const QpFrame& shape(int t) const noexcept { return at(t).shape; }

  // The problem. solve() leaves it as it is.
  /// D_t (both triangles) and L_t.
  BlockTridiagonal& hessian() noexcept { return hessian_; }
  /// g_t
  Vector gradient(int t) noexcept { return {gradient_.data() + hessian_.offset(t), at(t).shape.unknowns}; }
  /// G_t, rows × unknowns.
  Rows rows(int t) noexcept;
  /// h_t [N]
  Vector bounds(int t) noexcept;
  /// C of cone k, 3 × unknowns: rows tangential x, tangential y, normal [N per unit of z].
  Cone cone(int t, int k) noexcept;
  /// c_0 of cone k [N].
  Eigen::Vector3d& cone_offset(int t, int k) noexcept {
    return cones_[at(t).cone + static_cast<std::size_t>(k)].offset;
  }
  /// μ of cone k [1], ≥ 0.
  double& friction(int t, int k) noexcept { return cones_[at(t).cone + static_cast<std::size_t>(k)].mu; }

  /// Always from the start, so that the same problem has the same answer: a warm start gains nothing here.
  QpStatus solve() noexcept;

  // The answer.
  QpStatus status() const noexcept { return status_; }
  int iterations() const noexcept { return iterations_; }
  const QpResiduals& residuals() const noexcept { return residuals_; }
  /// z_t
  ConstVector unknowns(int t) const noexcept { return {z_.data() + hessian_.offset(t), at(t).shape.unknowns}; }
  /// Of the rows, in [0, ρ]: what a newton more in h would save [cost / N].
  ConstVector multipliers(int t) const noexcept;
  /// e of the rows [N]: about complementarity · ρ/(ρ − multiplier) where the limit is kept.
  ConstVector violations(int t) const noexcept;
  /// Of cone k: (y_x y_y y_n) with √(y_x² + y_y²) ≤ y_n ≤ ρ; the cone's pull on z is Cᵀ (y_x y_y μ y_n) [cost / N].
  Eigen::Vector3d cone_multiplier(int t, int k) const noexcept;
  /// e of cone k [N].
  double cone_violation(int t, int k) const noexcept;

 private:
  struct Frame {
    QpFrame shape;
    int linear = 0;             ///< rows, and an empty one where their number is odd
    int padded = 0;             ///< the same and three for each cone, and an empty one where that is odd
    std::size_t data = 0;       ///< place in data_: G, then what numerics/elastic_rows.hpp lists, a padded length each
    std::size_t cone = 0;       ///< first in cones_
    std::size_t cone_data = 0;  ///< place in cone_data_
  };
  struct ConeNumbers {
    Eigen::Vector3d offset = Eigen::Vector3d::Zero();
    double mu = 0.0;
    detail::ConeScaling scaling;
  };
  template <int N>
  struct Passes;  ///< over the frames, elastic_qp.cpp

  const Frame& at(int t) const noexcept { return frames_[static_cast<std::size_t>(t)]; }
  double* array(int t, int index) noexcept;
  const double* array(int t, int index) const noexcept;
  bool is_sound() const noexcept;
  QpStatus fail(QpStatus status) noexcept;
  template <int N>
  QpStatus iterate() noexcept;

  ElasticQpOptions options_;
  std::vector<Frame> frames_;
  std::vector<int> sizes_;
  int common_size_ = 0;     ///< of all frames, else 0
  double row_count_ = 0.0;  ///< padded, of all frames
  BlockTridiagonal hessian_, matrix_;
  std::vector<double> data_, cone_data_, gradient_, z_, dz_, correction_, slope_;
  std::vector<ConeNumbers> cones_;
  QpStatus status_ = QpStatus::not_computed;
  int iterations_ = 0;
  QpResiduals residuals_;
};

}  // namespace antaeus
