#pragma once
/// \file
/// Least squares over a window of residuals whose errors have a memory.
///
///     r_t = B_t x + c + s_t + e_t,   c ~ N(0, R_c) constant in the window,  s_t wanders,  e_t is white
///
/// Every row of r and of B goes through the same filter, which takes out what the wander predicts; c is a further
/// unknown with R_c for prior, and is integrated out. So 50 samples of one offset are one piece of evidence about it,
/// and an x that lasts is told from c by R_c alone. Source: generalised least squares by prediction errors, Harvey,
/// "Forecasting, Structural Time Series Models and the Kalman Filter" (1989), §3.4.

#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/robot/noise_model.hpp"

namespace antaeus {

/// Sums up BᵀΣ⁻¹B, BᵀΣ⁻¹r and rᵀΣ⁻¹r over a window, Σ the covariance of all its samples.
class ANTAEUS_API InnovationWindow {
 public:
  InnovationWindow() = default;
  /// \param motors  of the rows \param unknowns  columns of B
  ///        A wander without a correlation time gets 1 s.
  InnovationWindow(const NoiseModel& noise, const std::vector<int>& motors, int unknowns);

  void reset() noexcept;
  /// One sample. A row whose variance is infinite says nothing at this sample; one that is so at the window's first
  /// says nothing in all of it; one that was not identified (white_sd NaN) speaks at the first alone, since nobody
  /// knows how long its error lasts. What a row's variance exceeds that of the first sample by counts as white.
  /// \param r, B  rows, rows × unknowns \param R  rows × rows, as Residual::covariance
  /// \param[out] rows  how many rows speak
  /// \return `not_finite`, `time_back` for time that does not advance: the window stays as it was
  /// \realtime (hypotheses_test)
  Status add(double time, ConstVectorRef r, const MatrixX& B, const MatrixX& R, int& rows) noexcept;
  /// \param[out] gram, projection  unknowns × unknowns, unknowns \param[out] square  χ² of the rows while all is noise
  /// \realtime (hypotheses_test)
  Status solve(MatrixX& gram, VectorX& projection, double& square) noexcept;

 private:
  VectorX white_, slow_, time_constant_;  ///< variances [N²·m²]; [s]
  MatrixX factor_;                        ///< F, R_c = F Fᵀ
  VectorX first_;                         ///< variance of each row at the first sample
  VectorX spread_;                        ///< of the wander, given all samples before
  MatrixX expected_;                      ///< rows × (unknowns + 2): of B's columns, of r, of a constant 1
  MatrixX Z_, gram_, system_;
  VectorX row_, projection_;
  double square_ = 0.0, time_ = 0.0;
  bool started_ = false;
};

}  // namespace antaeus
