#include "identification/moving/moving_gram.hpp"

#include <algorithm>
#include <cmath>

#include "core/decompositions.hpp"
#include "core/in_blocks.hpp"

namespace antaeus::detail {

namespace {

/// Rows that a thread takes at a time.
constexpr Eigen::Index kGramRows = 256;

Progress told(const MovingRows& rows) {
  return rows.pulse ? Progress([&rows](double) { rows.pulse(); }) : Progress();
}

/// A joint's columns with zeros between, so many that a matrix product adds them in the order in which it adds those of
/// all bodies: its panels are of 12 columns, and whole sixes of bodies keep their places in them. Sums do not depend on
/// what is left out.
std::vector<int> summed_columns(const MovingRows& rows, const JointRows& joint) {
  constexpr int kBodies = 6, kPanel = 10 * kBodies;
  const int last = 10 * rows.at.bodies / kPanel * kPanel;
  std::vector<int> columns;
  for (int first = 0; first < rows.width(); first += kPanel) {
    const bool met = first >= last || std::ranges::any_of(joint.columns, [first](int column) {
                       return column >= first && column < first + kPanel;
                     });
    for (int c = first; met && c < std::min(first + kPanel, rows.width()); ++c) columns.push_back(c);
  }
  return columns;
}

}  // namespace

Folds contiguous_folds(const MovingRows& rows, double seam) {
  const Eigen::Index n = rows.samples();
  const auto strip = static_cast<Eigen::Index>(std::ceil(seam / rows.step));
  Folds folds;
  folds.of.resize(static_cast<std::size_t>(n));
  folds.head.assign(static_cast<std::size_t>(n), 0);
  folds.tail.assign(static_cast<std::size_t>(n), 0);
  for (Eigen::Index t = 0; t < n; ++t) folds.of[t] = static_cast<int>(t * kFolds / n);
  for (Eigen::Index t = 0; t < n; ++t) {
    // Only what is near in time too: another span of the log is no neighbour.
    const Eigen::Index before = std::max<Eigen::Index>(0, t - strip), after = std::min(n - 1, t + strip);
    folds.head[t] = folds.of[before] != folds.of[t] && rows.piece[before] == rows.piece[t] ? 1 : 0;
    folds.tail[t] = folds.of[after] != folds.of[t] && rows.piece[after] == rows.piece[t] ? 1 : 0;
  }
  return folds;
}

Gram::Gram(const MovingRows& rows, const Folds& folds) : rows_(&rows) {
  sums_.resize(rows.joints.size() * kFolds * 3);
  columns_.resize(rows.joints.size());
  constexpr Eigen::Index kBlock = 256;  // samples of one rank update
  VectorX residual(kBlock);
  for (std::size_t j = 0; j < rows.joints.size(); ++j) {
    const JointRows& joint = rows.joints[j];
    if (joint.X.rows() == 0) continue;
    columns_[j] = summed_columns(rows, joint);
    const auto width = std::ssize(columns_[j]);
    std::vector<Eigen::Index> place;  // of each of the joint's columns among them
    for (const int c : joint.columns) place.push_back(std::ranges::find(columns_[j], c) - columns_[j].begin());
    MatrixX block = MatrixX::Zero(width, kBlock);
    for (int k = 0; k < kFolds * 3; ++k)
      sums_[j * kFolds * 3 + k] = {MatrixX::Zero(width, width), VectorX::Zero(width)};
    Eigen::Index filled = 0, current = 0;
    const auto flush = [&] {
      if (filled == 0) return;
      Sum& sum = sums_[j * kFolds * 3 + static_cast<std::size_t>(current)];
      const auto X = block.leftCols(filled);
      sum.product.selfadjointView<Eigen::Lower>().rankUpdate(X);
      sum.moment.noalias() += X * residual.head(filled);
      filled = 0;
      beat(rows);
    };
    for (Eigen::Index t = 0; t < rows.samples(); ++t) {
      if (!joint.use[t]) continue;
      const Eigen::Index part = folds.of[t] * 3 + (folds.head[t] ? 0 : folds.tail[t] ? 2 : 1);
      if (part != current || filled == kBlock) flush();
      current = part;
      for (std::size_t c = 0; c < place.size(); ++c) block(place[c], filled) = joint.X(t, static_cast<Eigen::Index>(c));
      residual[filled++] = joint.reading[t] - joint.expected[t];
    }
    flush();
  }
  for (Sum& sum : sums_) {
    if (sum.product.size() == 0) continue;
    const MatrixX lower = sum.product;
    sum.product = lower.selfadjointView<Eigen::Lower>();
  }
}

Ridge Gram::solve(const VectorX& weight, const VectorX& prior_sd, int without) const {
  const int count = rows_->at.count();
  MatrixX A = MatrixX::Zero(count, count);
  VectorX b = VectorX::Zero(count);
  for (std::size_t j = 0; j < rows_->joints.size(); ++j) {
    if (!(weight[j] > 0.0)) continue;
    const auto width = std::ssize(columns_[j]);
    MatrixX product = MatrixX::Zero(width, width);
    VectorX moment = VectorX::Zero(width);
    for (int fold = 0; fold < kFolds; ++fold) {
      for (int part = 0; part < 3; ++part) {
        const bool seam = (fold == without - 1 && part == 2) || (fold == without + 1 && part == 0);
        if (without >= 0 && (fold == without || seam)) continue;
        const Sum& sum = sums_[(j * kFolds + fold) * 3 + part];
        product += sum.product;
        moment += sum.moment;
      }
    }
    for (Eigen::Index c = 0; c < width; ++c) {
      const int column = rows_->parameter(static_cast<int>(j), columns_[j][c]);
      b[column] += weight[j] * moment[c];
      for (Eigen::Index r = 0; r < width; ++r) {
        A(rows_->parameter(static_cast<int>(j), columns_[j][r]), column) += weight[j] * product(r, c);
      }
    }
  }
  // In units of the prior no eigenvalue is below 1, whatever the motion left open.
  MatrixX scaled = prior_sd.asDiagonal() * A * prior_sd.asDiagonal();
  scaled.diagonal().array() += 1.0;
  const Eigen::LLT<MatrixX> cholesky(scaled);
  Ridge ridge;
  ridge.mean = prior_sd.asDiagonal() * cholesky.solve(prior_sd.asDiagonal() * b);
  const MatrixX inverse = cholesky.matrixL().solve(MatrixX::Identity(count, count));
  ridge.factor = prior_sd.asDiagonal() * inverse.transpose();
  return ridge;
}

double predicted(const MovingRows& rows, int joint, Eigen::Index t, const VectorX& theta) {
  const JointRows& own = rows.joints[joint];
  double sum = 0.0;
  for (std::size_t c = 0; c < own.columns.size(); ++c) {
    sum += own.X(t, static_cast<Eigen::Index>(c)) * theta[rows.parameter(joint, own.columns[c])];
  }
  return sum;
}

MatrixX factor_of_joint(const MovingRows& rows, int joint, const MatrixX& factor) {
  const std::vector<int>& columns = rows.joints[joint].columns;
  MatrixX own(std::ssize(columns), factor.cols());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    own.row(static_cast<Eigen::Index>(c)) = factor.row(rows.parameter(joint, columns[c]));
  }
  return own;
}

VectorX predicted_deviation(const MovingRows& rows, int joint, Eigen::Index t, const MatrixX& factor_of_joint) {
  const auto x = rows.joints[joint].X.row(t);
  const Eigen::Index inertial = rows.joints[joint].inertial();
  VectorX sum = factor_of_joint.topRows(inertial).transpose() * x.head(inertial).transpose();
  for (Eigen::Index c = inertial; c < x.size(); ++c) sum += x[c] * factor_of_joint.row(c).transpose();
  return sum;
}

double rotor_deviation(const RobotModel& model, int motor) {
  // Of a UR10e: 4.8 kg m² behind 330 N·m, 0.37 behind 56.
  constexpr double kLeast = 0.3, kPerTorque = 0.01, kMost = 3.0;  // [kg m²], [kg m²/(N·m)], [kg m²]
  const double limit = model.effort_limits()[motor];
  return std::isfinite(limit) ? std::clamp(kPerTorque * limit, kLeast, kMost) : kMost;
}

VectorX prior_deviations(const RobotModel& model, const MovingRows& rows, double scale) {
  const TorqueParameters& at = rows.at;
  const VectorX described = model.inertial_parameters();
  VectorX sd = VectorX::Zero(at.count());
  constexpr double kLeastMass = 0.2;  // a link whose description forgets its motor
  for (int body = 0; body < at.bodies; ++body) {
    const double m = scale * std::max(described[at.inertial(body)], kLeastMass);
    sd[at.inertial(body)] = m;
    sd.segment<3>(at.inertial(body) + 1).setConstant(0.1 * m);   // 10 cm
    sd.segment<6>(at.inertial(body) + 4).setConstant(0.01 * m);  // (10 cm)²
  }
  for (int j = 0; j < at.motors; ++j) {
    const JointRows& joint = rows.joints[j];
    double torque = 0.0, speed = 0.0;
    for (Eigen::Index t = 0; t < rows.samples(); ++t) {
      if (!joint.use[t]) continue;
      torque = std::max(torque, std::abs(joint.reading[t]));
      speed = std::max(speed, std::abs(rows.motor_v(t, j)));
    }
    sd[at.rotor(j)] = rotor_deviation(model, j) * scale;
    sd[at.coulomb(j)] = sd[at.offset(j)] = torque;
    sd[at.viscous(j)] = torque / std::max(speed, 0.1);
  }
  return sd;
}

VectorX weights(const MovingRows& rows, const VectorX& sd, const VectorX& period) {
  VectorX weight(sd.size());
  for (Eigen::Index j = 0; j < sd.size(); ++j) {
    const double w = rows.step / (period[j] * sd[j] * sd[j]);
    weight[j] = std::isfinite(w) ? w : 0.0;
  }
  return weight;
}

CrossValidation cross_validate(const MovingRows& rows, const Gram& gram, const Folds& folds, const VectorX& prior_sd) {
  constexpr int kRounds = 3;
  constexpr double kStart = 0.02, kSettled = 0.02;  // Δ/T to begin with; what σ may still move
  const int motors = rows.at.motors;
  CrossValidation cv;
  cv.sd.resize(motors);
  cv.period = VectorX::Constant(motors, rows.step / kStart);
  for (int j = 0; j < motors; ++j) cv.sd[j] = root_mean_square(rows.joints[j], rows.joints[j].residual());
  for (int round = 0; round < kRounds; ++round) {
    const VectorX weight = weights(rows, cv.sd, cv.period);
    cv.error = MatrixX::Zero(rows.samples(), motors);
    cv.folds.clear();
    for (int fold = 0; fold < kFolds; ++fold) {
      cv.folds.push_back(gram.solve(weight, prior_sd, fold));
      beat(rows);
    }
    const auto judge = [&](Eigen::Index first, Eigen::Index last) {
      for (Eigen::Index t = first; t < last; ++t) {
        const VectorX& theta = cv.folds[folds.of[t]].mean;
        for (int j = 0; j < motors; ++j) {
          if (!rows.joints[j].use[t]) continue;
          cv.error(t, j) = rows.joints[j].reading[t] - rows.joints[j].expected[t] - predicted(rows, j, t, theta);
        }
      }
    };
    detail::in_blocks(rows.samples(), kGramRows, rows.threads, told(rows), [&](int) { return judge; });
    double moved = 0.0;
    for (int j = 0; j < motors; ++j) {
      const double sd = root_mean_square(rows.joints[j], cv.error.col(j));
      if (std::isnan(sd)) continue;
      moved = std::max(moved, std::abs(sd / cv.sd[j] - 1.0));
      cv.sd[j] = sd;
      cv.period[j] = integral_time(rows, rows.joints[j], cv.error.col(j));
    }
    if (moved < kSettled) break;
  }
  return cv;
}

MatrixX spread_of_folds(const MovingRows& rows, const Folds& folds, const CrossValidation& cv) {
  const int motors = rows.at.motors;
  MatrixX spread = MatrixX::Zero(rows.samples(), motors);
  for (int fold = 0; fold < kFolds; ++fold) {
    std::vector<MatrixX> factors;
    for (int j = 0; j < motors; ++j) factors.push_back(factor_of_joint(rows, j, cv.folds[fold].factor));
    const auto judge = [&](Eigen::Index first, Eigen::Index last) {
      for (Eigen::Index t = (first + kScored - 1) / kScored * kScored; t < last; t += kScored) {
        if (folds.of[t] != fold) continue;
        for (int j = 0; j < motors; ++j) {
          if (rows.joints[j].use[t]) spread(t, j) = predicted_deviation(rows, j, t, factors[j]).squaredNorm();
        }
      }
    };
    detail::in_blocks(rows.samples(), kGramRows, rows.threads, told(rows), [&](int) { return judge; });
  }
  return spread;
}

}  // namespace antaeus::detail
