#pragma once
// Normal equations of a moving arm's logs, kept apart by joint and by part of the log. So every fold, every weight and
// every prior of the cross-validation is a sum of small matrices. Private to src/identification.

#include <vector>

#include "identification/moving/moving_rows.hpp"

namespace antaeus::detail {

inline constexpr int kFolds = 5;

/// Which fold judges each sample, and which neighbours of each fold are left out with it.
struct Folds {
  std::vector<int> of;          ///< of each sample
  std::vector<int> head, tail;  ///< 1: within the seam at its fold's beginning, end
};
Folds contiguous_folds(const MovingRows& rows, double seam);

/// Posterior of θ: mean, and the factor of its covariance.
struct Ridge {
  VectorX mean;    ///< θ̂
  MatrixX factor;  ///< L, C = L Lᵀ
};

class Gram {
 public:
  Gram(const MovingRows& rows, const Folds& folds);
  /// \param weight    of each joint: Δ/(T σ²)
  /// \param prior_sd  s of each parameter; zero: known to be zero
  /// \param without   the fold that is left out with its seams; −1: none
  Ridge solve(const VectorX& weight, const VectorX& prior_sd, int without) const;

 private:
  struct Sum {
    MatrixX product;
    VectorX moment;
  };
  const MovingRows* rows_;
  std::vector<Sum> sums_;  // fold · 3 + part, joint by joint
};

/// x_tj θ, and Lᵀ x_tjᵀ of one row.
double predicted(const MovingRows& rows, int joint, Eigen::Index t, const VectorX& theta);
VectorX predicted_deviation(const MovingRows& rows, int joint, Eigen::Index t, const MatrixX& factor);

/// What cross-validation says at one prior.
struct CrossValidation {
  VectorX sd, period;     ///< σ_j [N·m], T_j [s]
  MatrixX error, spread;  ///< samples × joints: r − X θ̂ of the fold that did not see them; x C xᵀ every kScored-th
};

/// [kg m²] how large a rotor's inertia may be, seen from the joint: in no URDF, several kg m² at a large arm's
/// shoulder.
double rotor_deviation(const RobotModel& model, int motor);
/// s_k of every parameter. \param scale  how far the description may be wrong
VectorX prior_deviations(const RobotModel& model, const MovingRows& rows, double scale);
/// Three rounds of folds → σ, T → folds; channels without rows have NaN.
CrossValidation cross_validate(const MovingRows& rows, const Gram& gram, const Folds& folds, const VectorX& prior_sd);
/// How well the fit predicts with all torques read later or earlier, at σ and T of \p cv.
ShiftScan scan_shift(const MovingRows& rows, const Gram& gram, const Folds& folds, const VectorX& prior_sd,
                     const CrossValidation& cv, const MovingFitOptions& options);
/// Names, values and errors of θ. \param torque_unit  "N·m", or the channels' own
std::vector<ParameterEstimate> parameter_estimates(const RobotModel& model, const std::string& torque_unit,
                                                   const Ridge& ridge, const VectorX& prior);
/// Σ Δ/(T σ²) weights of the last solve.
VectorX weights(const MovingRows& rows, const VectorX& sd, const VectorX& period);

}  // namespace antaeus::detail
