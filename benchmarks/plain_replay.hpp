#pragma once
// The work of a replay in plain Pinocchio and Eigen, one state after the other: the passes that the question needs and
// no others, matrices of sizes that the compiler knows, nothing allocated.
//
// "best" is the fastest that we found: computeGeneralizedGravity or rnea, computeFrameJacobian, the columns of the
// joints that carry the endpoint, Cholesky of their smaller Gram matrix and its eigenvalues (whose digits are the
// square's). "naive" is what most people write: rnea, and JacobiSVD of the whole Jacobian.
#include <memory>
#include <vector>

#include "replay_subjects.hpp"

namespace antaeus {

/// Of one endpoint: rows that speak for it, and the covariance of their errors.
struct PlainNoise {
  std::vector<int> rows;  ///< motors
  MatrixX R;
};
/// The last state's answers, to compare with.
struct PlainAnswer {
  Vector6 wrench, mean;
  Matrix6 covariance;
  double nis = 0.0;
};

class PlainReplay {
 public:
  /// \param noise  of each endpoint, for its posterior; empty: none
  explicit PlainReplay(const Subject& subject, std::vector<PlainNoise> noise = {});
  ~PlainReplay();

  /// States in Pinocchio's terms, made before the clock runs. \param turns  of the base: R_WB row by row, 9 a state
  void set(const RandomStates& from, const std::vector<double>& turns);
  /// Wrenches and singular values; with noise their posteriors too. \param first, last  states
  void best(bool dynamic, std::ptrdiff_t first, std::ptrdiff_t last);
  /// Wrenches and singular values.
  void naive(bool dynamic, std::ptrdiff_t first, std::ptrdiff_t last);
  const std::vector<PlainAnswer>& answers() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace antaeus
