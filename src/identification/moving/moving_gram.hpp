#pragma once
// Normal equations of a moving arm's logs, kept apart by joint and by part of the log. So every fold, every weight and
// every prior of the cross-validation is a sum of small matrices. Private to src/identification.

#include <Eigen/Core>
#include <array>
#include <vector>

#include "identification/moving/moving_rows.hpp"

namespace antaeus::detail {

inline constexpr int kFolds = 5;

/// Which fold judges each sample, and which neighbours of each fold are left out with it. Every log has all folds: what
/// it has of its own shows in the others.
struct Folds {
  std::vector<int> of;          ///< of each sample
  std::vector<int> head, tail;  ///< 1: within the seam at its fold's beginning, end
};
Folds contiguous_folds(const MovingRows& rows, double seam);

/// Parameters of which every log has its own draw: Coulomb, viscous, offset. They are the last columns of a joint's
/// rows.
inline constexpr int kOfLog = 3;
using OfLog = Eigen::Vector3d;

/// What a row of each joint gets wrong. A row's variance is σ² + s_f² (1 − tanh²(v / 0.03)), and of T/Δ rows one
/// counts.
struct RowErrors {
  VectorX sd;                                             ///< σ [N·m]; NaN: the joint has no rows
  VectorX standing;                                       ///< s_f [N·m]
  VectorX period;                                         ///< T [s]
  Eigen::Matrix<double, kOfLog, Eigen::Dynamic> between;  ///< sd of each log's own draw, in the parameters' units
};
/// Δ/(T σ²) of each joint; 0 without rows.
VectorX weights(const MovingRows& rows, const RowErrors& errors);

/// One joint's draw in one log, given θ.
struct LogEffect {
  OfLog mean = OfLog::Zero();
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  Eigen::Matrix<double, kOfLog, Eigen::Dynamic> by_theta;  ///< −∂mean/∂θ, by the joint's columns
};

/// Posterior of θ, the mean of all logs: mean, and the factor of its covariance.
struct Ridge {
  VectorX mean;                    ///< θ̂
  MatrixX factor;                  ///< L, C = L Lᵀ
  std::vector<LogEffect> effects;  ///< joint by joint, of each log
};

class Gram {
 public:
  /// \param errors  by whose s_f²/σ² rows of a joint that stands count less
  Gram(const MovingRows& rows, const Folds& folds, const RowErrors& errors);
  /// The draws of logs are eliminated: A' = A − Σ_l A_θu (A_uu + S⁻¹)⁻¹ A_uθ, S of \p errors.
  /// \param prior_sd  s of each parameter; zero: known to be zero
  /// \param without   the fold that is left out with its seams; −1: none
  /// \param times     how often each log counts, as logs of days of their own: for what more of them would tell
  Ridge solve(const RowErrors& errors, const VectorX& prior_sd, int without, int times = 1) const;

 private:
  struct Sum {
    MatrixX product;
    VectorX moment;
  };
  /// All rows of a joint in a log, and those that each fold leaves out.
  struct LogSums {
    Sum all;
    std::array<Sum, kFolds> out;
  };
  const MovingRows* rows_;
  std::size_t logs_ = 0;
  std::vector<LogSums> sums_;  // joint · logs + log, by the joint's columns
};

/// x_tj θ of one row.
double predicted(const MovingRows& rows, int joint, Eigen::Index t, const VectorX& theta);
/// The same with what the row's log has of its own.
double predicted(const MovingRows& rows, int joint, Eigen::Index t, const Ridge& ridge);
/// The rows of L that one joint's columns meet, in their order; and Lᵀ x_tjᵀ of one row by them.
MatrixX factor_of_joint(const MovingRows& rows, int joint, const MatrixX& factor);
VectorX predicted_deviation(const MovingRows& rows, int joint, Eigen::Index t, const MatrixX& factor_of_joint);
/// Coulomb, viscous and offset columns of a row.
OfLog columns_of_log(const MovingRows& rows, int joint, Eigen::Index t);
const LogEffect& effect_of(const MovingRows& rows, int joint, Eigen::Index t, const Ridge& ridge);

/// What cross-validation says at one prior.
struct CrossValidation {
  RowErrors errors;
  MatrixX error;             ///< samples × joints: r − X θ̂ of the fold that did not see them
  MatrixX spread;            ///< of every scored row: x C xᵀ by that fold
  std::vector<Ridge> folds;  ///< the fit without each
  Ridge all;                 ///< the fit of all rows
};

/// [kg m²] how large a rotor's inertia may be, seen from the joint: in no URDF, several kg m² at a large arm's
/// shoulder.
double rotor_deviation(const RobotModel& model, int motor);
/// s_k of every parameter. \param scale  how far the description may be wrong
VectorX prior_deviations(const RobotModel& model, const MovingRows& rows, double scale);
/// σ² + s_f² (1 − tanh²(v / 0.03)) of one row.
double row_variance(const MovingRows& rows, int joint, Eigen::Index t, const RowErrors& errors);
/// Every how many samples one is scored: what takes a product with L.
Eigen::Index scored_stride(const MovingRows& rows);
/// Errors of rows by folds that did not see them, their spread and what both say of σ, s_f, T.
/// \param fold_of  of each sample, among \p cv's folds
void judge_rows(const MovingRows& rows, const std::vector<int>& fold_of, CrossValidation& cv);
/// Rounds of folds → errors → folds, from \p start; joints without rows have NaN.
CrossValidation cross_validate(const MovingRows& rows, const Gram& gram, const Folds& folds, const VectorX& prior_sd,
                               const MovingFitOptions& options, const RowErrors& start);
/// Nothing known yet: rows scatter as their residuals do, and logs have nothing of their own.
RowErrors first_errors(const MovingRows& rows);
/// How well the fit predicts with all torques read later or earlier, at σ and T of \p errors, all logs alike.
/// \param gram  of rows that count alike
ShiftScan scan_shift(const MovingRows& rows, const Gram& gram, const Folds& folds, const VectorX& prior_sd,
                     const RowErrors& errors, const MovingFitOptions& options);
/// Names, values and errors of θ. \param torque_unit  "N·m", or the channels' own
std::vector<ParameterEstimate> parameter_estimates(const RobotModel& model, const std::string& torque_unit,
                                                   const Ridge& ridge, const VectorX& prior);

}  // namespace antaeus::detail
