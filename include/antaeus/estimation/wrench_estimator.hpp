#pragma once
/// \file
/// The two published estimators: one endpoint at a time as deployed, and all endpoints stacked as proposed.

#include <vector>

#include "antaeus/conditioning/pseudo_inverse.hpp"
#include "antaeus/conditioning/small_svd.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/estimation/contact_equation.hpp"
#include "antaeus/estimation/wrench_estimate.hpp"

namespace antaeus {

template <>
struct EnumNames<Sign> {
  static constexpr std::pair<const char*, Sign> table[] = {{"on_robot", Sign::on_robot},
                                                           {"on_environment", Sign::on_environment}};
};

struct WrenchEstimatorOptions {
  Sign sign = Sign::on_environment;
  double relative_tolerance = kNumpyRelativeTolerance;
  double characteristic_length = 0.0;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visit) {
    visit(OptionInfo{"sign", "", "whose wrench is reported: on_robot or on_environment",
                     "incident report, eq. (3): pinv(Jᵀ)(τ − g) is what the robot exerts on the environment"},
          self.sign);
    visit(OptionInfo{"relative_tolerance", "1", "singular values below this share of the largest count as zero",
                     "numpy.linalg.pinv's default, which the deployed code uses"},
          self.relative_tolerance);
    visit(OptionInfo{"characteristic_length", "m",
                     "divides the linear rows for a condition number without mixed units; 0: not computed",
                     "Angeles 1992; 0.3 m is about the lever of a hand"},
          self.characteristic_length);
  }
};

/// ŵ = pinv(J_kᵀ) r for each endpoint k by itself: every torque that g does not explain is taken for a force there.
/// Source: incident report, Listing 1 and eqs. (2), (3).
class DeployedEstimator {
 public:
  explicit DeployedEstimator(const ContactEquation& equation, WrenchEstimatorOptions options = {});
  /// One result an endpoint, in the equation's order. \realtime (estimation_realtime_test)
  const std::vector<WrenchEstimate>& solve(const ContactEquation& equation) noexcept;
  /// Of the last call.
  const std::vector<WrenchEstimate>& results() const noexcept { return estimates_; }

 private:
  WrenchEstimatorOptions options_;
  SmallSvd svd_;
  std::vector<WrenchEstimate> estimates_;
};

/// Which rows of the equation the stacked estimator uses.
/// `motors`: 27 × 24 on the H1-2 with wrists and feet. `motors_and_base`: 33 × 24, the six rows that no motor drives
/// too.
enum class StackedRows { motors, motors_and_base };
template <>
struct EnumNames<StackedRows> {
  static constexpr std::pair<const char*, StackedRows> table[] = {{"motors", StackedRows::motors},
                                                                  {"motors_and_base", StackedRows::motors_and_base}};
};

/// ŵ = pinv([J_1ᵀ … J_kᵀ]) r for all endpoints at once, least squares or minimum norm.
/// Source: incident report, "Better estimator: stacked 4-endpoint".
class StackedEstimator {
 public:
  /// \throws ModelError for base rows on a fixed base
  explicit StackedEstimator(const ContactEquation& equation, StackedRows rows = StackedRows::motors,
                            WrenchEstimatorOptions options = {});
  /// One result an endpoint; rank, κ and σ are those of the whole stacked matrix. \realtime (estimation_realtime_test)
  const std::vector<WrenchEstimate>& solve(const ContactEquation& equation) noexcept;

  /// The matrix A of the last call [rows × 6 endpoints]: base rows first where used.
  const MatrixX& matrix() const noexcept { return A_; }
  const SmallSvd& svd() const noexcept { return svd_; }

 private:
  WrenchEstimatorOptions options_;
  StackedRows rows_;
  SmallSvd svd_;
  MatrixX A_;
  MatrixX inverse_;
  VectorX right_side_;
  VectorX solution_;
  std::vector<WrenchEstimate> estimates_;
};

}  // namespace antaeus
