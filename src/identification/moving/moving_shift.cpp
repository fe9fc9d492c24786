// Are torque and motion of one age? The fit's own cross-validation, with all torques read later or earlier.

#include <algorithm>
#include <cmath>

#include "identification/moving/moving_gram.hpp"

namespace antaeus::detail {

namespace {

/// Samples of one fold and part that follow each other.
struct Run {
  Eigen::Index first = 0, length = 0;
  int fold = 0, part = 0;  ///< part: 0 head, 1 middle, 2 tail
};

std::vector<Run> runs_of(const Folds& folds) {
  std::vector<Run> runs;
  for (Eigen::Index t = 0; t < std::ssize(folds.of); ++t) {
    const int part = folds.head[t] ? 0 : folds.tail[t] ? 2 : 1;
    if (runs.empty() || runs.back().fold != folds.of[t] || runs.back().part != part) {
      runs.push_back({t, 0, folds.of[t], part});
    }
    ++runs.back().length;
  }
  return runs;
}

/// τ \p steps of the log later, less the model; zero where the row is no evidence.
VectorX shifted_residual(const MovingRows& rows, int motor, Eigen::Index steps) {
  const JointRows& joint = rows.joints[motor];
  VectorX residual = VectorX::Zero(rows.samples());
  for (Eigen::Index t = 0; t < rows.samples(); ++t) {
    if (!joint.use[t]) continue;
    const double reading = rows.readings[rows.log[t]](rows.source[t] + steps, motor);
    // A sample beside a gap is the same at every shift.
    residual[t] = (std::isfinite(reading) ? reading : joint.reading[t]) - joint.expected[t];
  }
  return residual;
}

}  // namespace

ShiftScan scan_shift(const MovingRows& rows, const Gram& gram, const Folds& folds, const VectorX& prior_sd,
                     const RowErrors& errors, const MovingFitOptions& options) {
  ShiftScan scan;
  const double log_step = *std::ranges::max_element(rows.log_step);
  const Eigen::Index reach = shift_steps(options, log_step);
  if (reach < 1) return scan;
  constexpr Eigen::Index kOneWay = 10;  // as many shifts each way, or every sample of a slow log
  const Eigen::Index stride = std::max<Eigen::Index>(1, reach / kOneWay), each_way = reach / stride;
  scan.shift = scan.error = VectorX::Zero(2 * each_way + 1);

  RowErrors alike = errors;  // whatever logs have of their own is in θ here: a shift moves all of them
  alike.between.setZero();
  const VectorX weight = weights(rows, alike);
  std::vector<Ridge> ridges;
  for (int fold = 0; fold < kFolds; ++fold) ridges.push_back(gram.solve(alike, prior_sd, fold));
  const std::vector<Run> runs = runs_of(folds);
  VectorX likelihood = VectorX::Zero(scan.shift.size());                 // log p, neighbours counting as one for T_j
  MatrixX remaining = MatrixX::Zero(scan.shift.size(), rows.at.motors);  // Σ of squares
  for (Eigen::Index k = 0; k < scan.shift.size(); ++k) {
    const Eigen::Index steps = (k - each_way) * stride;
    scan.shift[k] = log_step * static_cast<double>(steps);
    std::vector<VectorX> moment(kFolds, VectorX::Zero(rows.at.count()));
    std::vector<VectorX> residual(rows.joints.size());
    for (int j = 0; j < rows.at.motors; ++j) {
      if (!(weight[j] > 0.0)) continue;
      beat(rows);
      residual[j] = shifted_residual(rows, j, steps);
      for (const Run& run : runs) {
        const VectorX sum = weight[j] * (rows.joints[j].X.middleRows(run.first, run.length).transpose() *
                                         residual[j].segment(run.first, run.length));
        for (int fold = 0; fold < kFolds; ++fold) {
          const bool seam = (run.fold == fold - 1 && run.part == 2) || (run.fold == fold + 1 && run.part == 0);
          if (run.fold == fold || seam) continue;
          for (Eigen::Index c = 0; c < sum.size(); ++c) {
            moment[fold][rows.parameter(j, rows.joints[j].columns[c])] += sum[c];
          }
        }
      }
    }
    for (int fold = 0; fold < kFolds; ++fold) {
      const MatrixX& L = ridges[fold].factor;
      moment[fold] = VectorX(L * (L.transpose() * moment[fold]));  // θ̂
    }
    for (int j = 0; j < rows.at.motors; ++j) {
      if (!(weight[j] > 0.0)) continue;
      beat(rows);
      const JointRows& joint = rows.joints[j];
      VectorX theta(std::ssize(joint.columns));
      double squares = 0.0;
      for (const Run& run : runs) {
        for (Eigen::Index c = 0; c < theta.size(); ++c)
          theta[c] = moment[run.fold][rows.parameter(j, joint.columns[c])];
        const VectorX error =
            residual[j].segment(run.first, run.length) - joint.X.middleRows(run.first, run.length) * theta;
        for (Eigen::Index t = 0; t < run.length; ++t) {
          if (joint.use[run.first + t]) squares += error[t] * error[t];
        }
      }
      likelihood[k] -= 0.5 * weight[j] * squares;
      remaining(k, j) = squares;
    }
  }
  double joints = 0.0;
  for (int j = 0; j < rows.at.motors; ++j) {
    if (!(remaining(each_way, j) > 0.0)) continue;
    scan.error += remaining.col(j) / remaining(each_way, j);
    joints += 1.0;
  }
  scan.error = (scan.error / joints).cwiseSqrt();

  Eigen::Index best = 0;
  likelihood.maxCoeff(&best);
  if (best == 0 || best == likelihood.size() - 1) return scan;
  const double step = log_step * static_cast<double>(stride);
  const double left = likelihood[best - 1] - likelihood[best], right = likelihood[best + 1] - likelihood[best];
  const double curvature = -(left + right) / (step * step);
  scan.best = scan.shift[best] + (right - left) / (2.0 * step * curvature);
  scan.sd = 1.0 / std::sqrt(curvature);
  // One in a thousand logs whose torques are as old as their motion, and more than a description of friction that knows
  // no lag makes of it: simulated arms with dry friction look 2 ms early (docs/validation.md#against-mujoco).
  constexpr double kBeyondNoise = 10.83;    // of χ², one degree of freedom
  constexpr double kBeyondFriction = 5e-3;  // [s]
  const double peak = likelihood[best] + 0.125 * (right - left) * (right - left) / (step * step * curvature);
  scan.differs = 2.0 * (peak - likelihood[each_way]) > kBeyondNoise &&
                 std::abs(scan.best) >= std::max(kBeyondFriction, 0.5 * log_step);
  return scan;
}

}  // namespace antaeus::detail
