#pragma once
/// What a motion, its contacts and a sole say of every row, and the least cost over all rows. Axes are level: z is up.

#include <vector>

#include "antaeus/contact/contact_timing.hpp"
#include "antaeus/contact/total_motion.hpp"
#include "antaeus/numerics/block_tridiagonal.hpp"
#include "contact/deviations.hpp"

namespace antaeus {

struct SplitProblem {
  KnownBody body;
  VectorX time;  ///< [s]
  std::vector<KnownRow> rows;
  VectorX shift_rate;  ///< of the random walk of load differences from each row to the next [1/√s]
  VectorX speed;       ///< horizontal, of the centre of mass [m/s]
};

SplitProblem split_problem(const TotalMotion& motion, const ContactTiming& timing, const Sole& sole,
                           const SplitOptions& options);

struct SplitSolution {
  bool solved = false, converged = false;
  int iterations = 0;
  double cost = kNaN;
  MatrixX w;                        ///< rows × unknowns
  std::vector<MatrixX> covariance;  ///< of each row's
  VectorX nis;                      ///< squared deviations of each row, walks left out
  int nis_dof = 0;
};

SplitSolution solve(const SplitProblem& problem, const ContactTiming& timing);

}  // namespace antaeus
