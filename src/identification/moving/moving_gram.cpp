#include "identification/moving/moving_gram.hpp"

#include <algorithm>
#include <cmath>

#include "core/decompositions.hpp"
#include "core/in_blocks.hpp"
#include "robot/standing_friction.hpp"

namespace antaeus::detail {

namespace {

/// Rows that a thread takes at a time.
constexpr Eigen::Index kGramRows = 256;

/// 1 − tanh²(v / 0.03) of a row: how far its joint stands.
double standing_share(const JointRows& joint, Eigen::Index t) {
  const double tanh = joint.X(t, joint.inertial() + 1);
  return 1.0 - tanh * tanh;
}

Progress told(const MovingRows& rows) {
  return rows.pulse ? Progress([&rows](double) { rows.pulse(); }) : Progress();
}

}  // namespace

Folds contiguous_folds(const MovingRows& rows, double seam) {
  const Eigen::Index n = rows.samples();
  const auto strip = static_cast<Eigen::Index>(std::ceil(seam / rows.step));
  Folds folds;
  folds.of.resize(static_cast<std::size_t>(n));
  folds.head.assign(static_cast<std::size_t>(n), 0);
  folds.tail.assign(static_cast<std::size_t>(n), 0);
  for (Eigen::Index first = 0, end = 0; first < n; first = end) {
    while (end < n && rows.log[end] == rows.log[first]) ++end;
    for (Eigen::Index t = first; t < end; ++t) folds.of[t] = static_cast<int>((t - first) * kFolds / (end - first));
  }
  for (Eigen::Index t = 0; t < n; ++t) {
    // Only what is near in time too: another span of the log is no neighbour.
    const Eigen::Index before = std::max<Eigen::Index>(0, t - strip), after = std::min(n - 1, t + strip);
    folds.head[t] = folds.of[before] != folds.of[t] && rows.piece[before] == rows.piece[t] ? 1 : 0;
    folds.tail[t] = folds.of[after] != folds.of[t] && rows.piece[after] == rows.piece[t] ? 1 : 0;
  }
  return folds;
}

Gram::Gram(const MovingRows& rows, const Folds& folds, const RowErrors& errors)
    : rows_(&rows), logs_(rows.log_step.size()) {
  sums_.resize(rows.joints.size() * logs_);
  constexpr Eigen::Index kBlock = 256;  // samples of one rank update
  VectorX residual(kBlock);
  for (std::size_t j = 0; j < rows.joints.size(); ++j) {
    const JointRows& joint = rows.joints[j];
    if (joint.X.rows() == 0) continue;
    const auto width = std::ssize(joint.columns);
    const double ratio = errors.standing[static_cast<Eigen::Index>(j)] / errors.sd[static_cast<Eigen::Index>(j)];
    const double standing = std::isfinite(ratio) ? ratio * ratio : 0.0;
    for (std::size_t l = 0; l < logs_; ++l) {
      LogSums& sums = sums_[j * logs_ + l];
      sums.all = {MatrixX::Zero(width, width), VectorX::Zero(width)};
      sums.out.fill(sums.all);
    }
    MatrixX block = MatrixX::Zero(width, kBlock);
    Eigen::Index filled = 0;
    int fold = 0, part = 0, log = 0;  // of the rows in the block
    const auto flush = [&] {
      if (filled == 0) return;
      LogSums& sums = sums_[j * logs_ + static_cast<std::size_t>(log)];
      const MatrixX product = block.leftCols(filled) * block.leftCols(filled).transpose();
      const VectorX moment = block.leftCols(filled) * residual.head(filled);
      const auto add = [&](Sum& sum) { sum.product += product, sum.moment += moment; };
      add(sums.all);
      add(sums.out[static_cast<std::size_t>(fold)]);
      if (part == 0 && fold > 0) add(sums.out[static_cast<std::size_t>(fold - 1)]);
      if (part == 2 && fold + 1 < kFolds) add(sums.out[static_cast<std::size_t>(fold + 1)]);
      filled = 0;
      beat(rows);
    };
    for (Eigen::Index t = 0; t < rows.samples(); ++t) {
      if (!joint.use[t]) continue;
      const int now = folds.head[t] ? 0 : folds.tail[t] ? 2 : 1;
      if (folds.of[t] != fold || now != part || rows.log[t] != log || filled == kBlock) flush();
      fold = folds.of[t], part = now, log = rows.log[t];
      const double share = 1.0 / std::sqrt(1.0 + standing * standing_share(joint, t));
      block.col(filled) = share * joint.X.row(t).transpose();
      residual[filled++] = share * (joint.reading[t] - joint.expected[t]);
    }
    flush();
  }
}

Ridge Gram::solve(const RowErrors& errors, const VectorX& prior_sd, int without, int times) const {
  const int count = rows_->at.count();
  const VectorX weight = weights(*rows_, errors);
  MatrixX A = MatrixX::Zero(count, count);
  VectorX b = VectorX::Zero(count);
  Ridge ridge;
  ridge.effects.resize(sums_.size());
  for (std::size_t j = 0; j < rows_->joints.size(); ++j) {
    if (!(weight[static_cast<Eigen::Index>(j)] > 0.0)) continue;
    const double w = weight[static_cast<Eigen::Index>(j)];
    const std::vector<int>& columns = rows_->joints[j].columns;
    const auto width = std::ssize(columns);
    const Eigen::DiagonalMatrix<double, kOfLog> sd(errors.between.col(static_cast<Eigen::Index>(j)));
    MatrixX product = MatrixX::Zero(width, width);
    VectorX moment = VectorX::Zero(width);
    for (std::size_t l = 0; l < logs_; ++l) {
      const LogSums& sums = sums_[j * logs_ + l];
      MatrixX G = w * sums.all.product;
      VectorX g = w * sums.all.moment;
      if (without >= 0) {
        G -= w * sums.out[static_cast<std::size_t>(without)].product;
        g -= w * sums.out[static_cast<std::size_t>(without)].moment;
      }
      // In units of the draws' sds, as below: those of sd zero are zero.
      LogEffect& effect = ridge.effects[j * logs_ + l];
      const Eigen::Matrix3d scaled =
          Eigen::Matrix3d::Identity() + sd * Eigen::Matrix3d(G.bottomRightCorner<kOfLog, kOfLog>()) * sd;
      effect.covariance = sd * Eigen::LLT<Eigen::Matrix3d>(scaled).solve(Eigen::Matrix3d::Identity()) * sd;
      const MatrixX across = G.bottomRows<kOfLog>();
      effect.by_theta = effect.covariance * across;
      effect.mean = effect.covariance * g.tail<kOfLog>();
      product += G - across.transpose() * effect.by_theta;
      moment += g - across.transpose() * effect.mean;
    }
    for (Eigen::Index c = 0; c < width; ++c) {
      const int column = rows_->parameter(static_cast<int>(j), columns[static_cast<std::size_t>(c)]);
      b[column] += times * moment[c];
      for (Eigen::Index r = 0; r < width; ++r) {
        A(rows_->parameter(static_cast<int>(j), columns[static_cast<std::size_t>(r)]), column) += times * product(r, c);
      }
    }
  }
  // In units of the prior no eigenvalue is below 1, whatever the motion left open.
  MatrixX scaled = prior_sd.asDiagonal() * A * prior_sd.asDiagonal();
  scaled.diagonal().array() += 1.0;
  const Eigen::LLT<MatrixX> cholesky(scaled);
  ridge.mean = prior_sd.asDiagonal() * cholesky.solve(prior_sd.asDiagonal() * b);
  const MatrixX inverse = cholesky.matrixL().solve(MatrixX::Identity(count, count));
  ridge.factor = prior_sd.asDiagonal() * inverse.transpose();
  for (std::size_t j = 0; j < rows_->joints.size(); ++j) {
    if (!(weight[static_cast<Eigen::Index>(j)] > 0.0)) continue;
    const std::vector<int>& columns = rows_->joints[j].columns;
    VectorX theta(std::ssize(columns));
    for (std::size_t c = 0; c < columns.size(); ++c)
      theta[static_cast<Eigen::Index>(c)] = ridge.mean[rows_->parameter(static_cast<int>(j), columns[c])];
    for (std::size_t l = 0; l < logs_; ++l) {
      LogEffect& effect = ridge.effects[j * logs_ + l];
      effect.mean -= effect.by_theta * theta;
    }
  }
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

OfLog columns_of_log(const MovingRows& rows, int joint, Eigen::Index t) {
  return rows.joints[joint].X.row(t).tail<kOfLog>();
}

const LogEffect& effect_of(const MovingRows& rows, int joint, Eigen::Index t, const Ridge& ridge) {
  return ridge.effects[static_cast<std::size_t>(joint) * rows.log_step.size() + static_cast<std::size_t>(rows.log[t])];
}

double predicted(const MovingRows& rows, int joint, Eigen::Index t, const Ridge& ridge) {
  return predicted(rows, joint, t, ridge.mean) +
         columns_of_log(rows, joint, t).dot(effect_of(rows, joint, t, ridge).mean);
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

VectorX weights(const MovingRows& rows, const RowErrors& errors) {
  VectorX weight(errors.sd.size());
  for (Eigen::Index j = 0; j < errors.sd.size(); ++j) {
    const double w = rows.step / (errors.period[j] * errors.sd[j] * errors.sd[j]);
    weight[j] = std::isfinite(w) ? w : 0.0;
  }
  return weight;
}

namespace {

/// [N·m] below which no torque channel's noise is: made-up logs without noise would weigh more than numbers hold.
double finest(const JointRows& joint) {
  constexpr double kFinest = 1e-4;  // of the torque, rms
  return kFinest * root_mean_square(joint, joint.reading);
}

}  // namespace

RowErrors first_errors(const MovingRows& rows) {
  constexpr double kStart = 0.02;  // Δ/T
  RowErrors errors;
  errors.sd.resize(rows.at.motors);
  errors.standing = VectorX::Zero(rows.at.motors);
  errors.period = VectorX::Constant(rows.at.motors, rows.step / kStart);
  errors.between.setZero(kOfLog, rows.at.motors);
  for (int j = 0; j < rows.at.motors; ++j)
    errors.sd[j] = std::max(root_mean_square(rows.joints[j], rows.joints[j].residual()), finest(rows.joints[j]));
  return errors;
}

double row_variance(const MovingRows& rows, int joint, Eigen::Index t, const RowErrors& errors) {
  const double sd = errors.sd[joint], resting = errors.standing[joint];
  return sd * sd + resting * resting * standing_share(rows.joints[static_cast<std::size_t>(joint)], t);
}

Eigen::Index scored_stride(const MovingRows& rows) {
  constexpr Eigen::Index kEnough = 2000, kMost = 10;
  return std::clamp<Eigen::Index>(rows.samples() / kEnough, 1, kMost);
}

namespace {

/// x C xᵀ of a row whose log has a draw of its own. \param own  factor_of_joint
double spread_of(const MovingRows& rows, int joint, Eigen::Index t, const MatrixX& own, const Ridge& ridge) {
  const JointRows& of = rows.joints[joint];
  const LogEffect& effect = effect_of(rows, joint, t, ridge);
  const OfLog last = columns_of_log(rows, joint, t);
  const VectorX x = of.X.row(t).transpose() - effect.by_theta.transpose() * last;
  return (own.transpose() * x).squaredNorm() + last.dot(effect.covariance * last);
}

/// Squares that a joint's rows show, each with what is known to be in them.
struct Scored {
  std::vector<double> square, spread, standing;
};

/// σ² and s_f² that make squares most likely: e² ~ (σ² + s_f² u + spread) χ²₁. What stands in the spread is not counted
/// twice, as the mean square of the errors would. s_f² starts from what a joint that comes to rest may hold.
/// \param resting  s_f² before the logs \param per_row  of independent ones
void most_likely(const Scored& rows, double resting, double per_row, double& variance, double& standing) {
  constexpr int kSteps = 100;
  constexpr double kRestingWorth = 4.0;  // independent rows at rest that its start is worth
  constexpr double kSettled = 1e-4;
  standing = resting;
  for (int step = 0; step < kSteps; ++step) {
    // Each step is that of Fisher's scores in its multiplicative form, which never leaves the positive numbers.
    double seen = 0.0, expected = 0.0, seen_resting = 0.0, expected_resting = 0.0;
    for (std::size_t i = 0; i < rows.square.size(); ++i) {
      const double total = variance + standing * rows.standing[i] + rows.spread[i];
      if (!(total > 0.0)) continue;
      seen += rows.square[i] / (total * total);
      expected += 1.0 / total;
      seen_resting += rows.standing[i] * rows.square[i] / (total * total);
      expected_resting += rows.standing[i] / total;
    }
    if (!(expected > 0.0)) return;
    const double before = variance;
    variance *= seen / expected;
    if (resting > 0.0) {
      standing *= (kRestingWorth * resting / standing + per_row * standing * seen_resting) /
                  (kRestingWorth + per_row * standing * expected_resting);
    }
    if (std::abs(variance - before) <= kSettled * before) return;
  }
}

/// T by how far means over a second scatter: a slow error below white noise is correlated by less than integral_time
/// looks at, and outlasts it all the same. 0 of fewer than eight seconds.
double period_of_means(const MovingRows& rows, const JointRows& joint, const VectorX& error) {
  constexpr double kSecond = 1.0;  // [s]
  constexpr Eigen::Index kFewestMeans = 8;
  const auto length = static_cast<Eigen::Index>(std::lround(kSecond / rows.step));
  if (length < 2) return 0.0;
  double of_means = 0.0, of_rows = 0.0, count = 0.0;
  Eigen::Index means = 0;
  for (Eigen::Index first = 0; first + length <= rows.samples(); first += length) {
    if (rows.piece[first] != rows.piece[first + length - 1]) continue;
    double sum = 0.0, square = 0.0, used = 0.0;
    for (Eigen::Index t = first; t < first + length; ++t) {
      if (!joint.use[t]) continue;
      sum += error[t], square += error[t] * error[t], used += 1.0;
    }
    if (2.0 * used < static_cast<double>(length)) continue;
    of_means += sum * sum / used;
    of_rows += square, count += used;
    ++means;
  }
  if (means < kFewestMeans || !(of_rows > 0.0)) return 0.0;
  return rows.step * (of_means / static_cast<double>(means)) / (of_rows / count);
}

/// σ, s_f and T of each joint, from errors that nobody's fit has seen.
void estimate_errors(const MovingRows& rows, CrossValidation& cv) {
  const Eigen::Index stride = scored_stride(rows);
  for (int j = 0; j < rows.at.motors; ++j) {
    const JointRows& joint = rows.joints[j];
    RowErrors& errors = cv.errors;
    if (used_rows(joint) == 0 || joint.X.rows() == 0) {
      errors.sd[j] = kNaN;
      continue;
    }
    Scored scored;
    double within = 0.0, square = 0.0;  // what the fit of all rows leaves: σ is no less; and folds
    for (Eigen::Index t = 0; t < rows.samples(); t += stride) {
      if (!joint.use[t]) continue;
      scored.square.push_back(cv.error(t, j) * cv.error(t, j));
      scored.spread.push_back(cv.spread(t, j));
      scored.standing.push_back(standing_share(joint, t));
      const double left = joint.reading[t] - joint.expected[t] - predicted(rows, j, t, cv.all);
      within += left * left;
      square += scored.square.back();
    }
    if (scored.square.empty()) continue;
    const int p = rows.at.coulomb(j);
    const double resting =
        std::pow(kStandingFriction, 2) * (cv.all.mean[p] * cv.all.mean[p] + cv.all.factor.row(p).squaredNorm());
    double variance = errors.sd[j] * errors.sd[j], standing = 0.0;
    most_likely(scored, resting, static_cast<double>(stride) * rows.step / errors.period[j], variance, standing);
    for (const double share : scored.standing) within -= standing * share;
    // However sure the folds are of the rest, a tenth of what they leave is noise of the samples.
    constexpr double kLeastOfError = 0.01;
    const auto n = static_cast<double>(scored.square.size());
    errors.sd[j] = std::max(std::sqrt(std::max({variance, within / n, kLeastOfError * square / n})), finest(joint));
    errors.standing[j] = std::sqrt(standing);
    VectorX whitened = cv.error.col(j);
    for (Eigen::Index t = 0; t < rows.samples(); ++t) {
      if (joint.use[t]) whitened[t] /= std::sqrt(row_variance(rows, j, t, errors));
    }
    errors.period[j] = std::max(integral_time(rows, joint, whitened), period_of_means(rows, joint, whitened));
  }
}

/// What is stated of how far logs lie apart, in the units of Coulomb, viscous and offset (MovingFitOptions).
OfLog between_stated(const MovingRows& rows, const MovingFitOptions& options, int joint, const Ridge& ridge) {
  const JointRows& of = rows.joints[joint];
  const auto size = [&ridge](int p) {
    return std::sqrt(ridge.mean[p] * ridge.mean[p] + ridge.factor.row(p).squaredNorm());
  };
  double torque = 0.0;
  for (Eigen::Index t = 0; t < rows.samples(); ++t) {
    if (of.use[t]) torque = std::max(torque, std::abs(of.reading[t]));
  }
  return {options.coulomb_between * size(rows.at.coulomb(joint)),
          options.viscous_between * size(rows.at.viscous(joint)), options.offset_between * torque};
}

/// The variance that draws of logs show beside what is stated of it: \p means of variance \p errors about draws of it.
/// The posterior's mode by expectation and maximisation (Dempster, Laird & Rubin, J. R. Stat. Soc. B 39 (1977), §4.4).
double variance_between(const VectorX& means, const VectorX& errors, double stated, double worth) {
  constexpr int kSteps = 200;
  double variance = std::max(stated, means.squaredNorm() / static_cast<double>(means.size()));
  for (int step = 0; step < kSteps; ++step) {
    double square = 0.0;
    for (Eigen::Index l = 0; l < means.size(); ++l) {
      const double share = variance / (variance + errors[l]);
      square += share * share * means[l] * means[l] + share * errors[l];
    }
    variance = (worth * stated + square) / (worth + static_cast<double>(means.size()));
  }
  return variance;
}

/// How far logs lie apart: what is stated for that, worth `between_logs` logs, and what the draws of these show.
/// \param start  what was known before the first fit
void estimate_between(const MovingRows& rows, const MovingFitOptions& options, const RowErrors& start,
                      CrossValidation& cv) {
  const std::size_t logs = rows.log_step.size();
  for (int j = 0; j < rows.at.motors; ++j) {
    if (!(cv.errors.sd[j] > 0.0) || rows.joints[j].X.rows() == 0) continue;
    const OfLog stated = between_stated(rows, options, j, cv.all);
    const OfLog now = cv.errors.between.col(j);
    if (logs < 2) {
      cv.errors.between.col(j) = stated;  // one log shows no spread
      continue;
    }
    if (!(now.maxCoeff() > 0.0)) {
      // The first fit with draws leaves them free: held to what is stated, logs that lie further apart would look like
      // errors that last as long as a log, and errors of that length tell nothing of draws.
      const double speed = std::sqrt(rows.motor_v.col(j).squaredNorm() / static_cast<double>(rows.samples()));
      const OfLog free(1.0, speed > 0.0 ? 1.0 / speed : 0.0, 1.0);
      const double sd = root_mean_square(rows.joints[j], rows.joints[j].residual());
      for (int part = 0; part < kOfLog; ++part) {
        cv.errors.between(part, j) = stated[part] > 0.0 ? std::hypot(stated[part], sd * free[part]) : 0.0;
      }
      cv.errors.sd[j] = start.sd[j];
      cv.errors.standing[j] = start.standing[j];
      cv.errors.period[j] = start.period[j];
      continue;
    }
    for (int part = 0; part < kOfLog; ++part) {
      if (!(now[part] > 0.0)) continue;
      VectorX means(static_cast<Eigen::Index>(logs)), errors(static_cast<Eigen::Index>(logs));
      for (std::size_t l = 0; l < logs; ++l) {
        const LogEffect& effect = cv.all.effects[static_cast<std::size_t>(j) * logs + l];
        // What the log alone says, freed of the spread that it was shrunk by.
        const double held = effect.covariance(part, part), prior = now[part] * now[part];
        constexpr double kTold = 1.0 - 1e-9;  // of the prior's variance: beyond it the log says nothing
        const double alone = held < kTold * prior ? 1.0 / (1.0 / held - 1.0 / prior) : kInfinity;
        errors[static_cast<Eigen::Index>(l)] = std::isfinite(alone) ? alone : 1e12 * prior;
        means[static_cast<Eigen::Index>(l)] = std::isfinite(alone) ? effect.mean[part] * alone / held : 0.0;
      }
      cv.errors.between(part, j) =
          std::sqrt(variance_between(means, errors, stated[part] * stated[part], options.between_logs));
    }
  }
}

}  // namespace

void judge_rows(const MovingRows& rows, const std::vector<int>& fold_of, CrossValidation& cv) {
  const int motors = rows.at.motors;
  const Eigen::Index stride = scored_stride(rows);
  cv.error = cv.spread = MatrixX::Zero(rows.samples(), motors);
  std::vector<MatrixX> own;  // fold · motors + motor
  for (const Ridge& fold : cv.folds) {
    for (int j = 0; j < motors; ++j) own.push_back(factor_of_joint(rows, j, fold.factor));
  }
  const auto judge = [&](Eigen::Index first, Eigen::Index last) {
    for (Eigen::Index t = first; t < last; ++t) {
      const int fold = fold_of[static_cast<std::size_t>(t)];
      const Ridge& ridge = cv.folds[static_cast<std::size_t>(fold)];
      for (int j = 0; j < motors; ++j) {
        if (!rows.joints[j].use[t] || effect_of(rows, j, t, ridge).by_theta.size() == 0) continue;
        cv.error(t, j) = rows.joints[j].reading[t] - rows.joints[j].expected[t] - predicted(rows, j, t, ridge);
        if (t % stride != 0) continue;
        cv.spread(t, j) = spread_of(rows, j, t, own[static_cast<std::size_t>(fold * motors + j)], ridge);
      }
    }
  };
  detail::in_blocks(rows.samples(), kGramRows, rows.threads, told(rows), [&](int) { return judge; });
  estimate_errors(rows, cv);
}

CrossValidation cross_validate(const MovingRows& rows, const Gram& gram, const Folds& folds, const VectorX& prior_sd,
                               const MovingFitOptions& options, const RowErrors& start) {
  constexpr int kRounds = 5;
  constexpr double kSettled = 0.02;  // what σ may still move
  CrossValidation cv;
  cv.errors = start;
  for (int round = 0; round < kRounds; ++round) {
    cv.folds.clear();
    for (int fold = 0; fold < kFolds; ++fold) {
      cv.folds.push_back(gram.solve(cv.errors, prior_sd, fold));
      beat(rows);
    }
    cv.all = gram.solve(cv.errors, prior_sd, -1);
    const VectorX before = cv.errors.sd;
    judge_rows(rows, folds.of, cv);
    estimate_between(rows, options, start, cv);
    double moved = 0.0;
    for (int j = 0; j < rows.at.motors; ++j) {
      if (before[j] > 0.0 && !std::isnan(cv.errors.sd[j])) {
        moved = std::max(moved, std::abs(cv.errors.sd[j] / before[j] - 1.0));
      }
    }
    constexpr int kFewest = 3;  // the first knows no draws, the second leaves them free
    if (moved < kSettled && (round + 1 >= kFewest || rows.log_step.size() < 2)) break;
  }
  return cv;
}

}  // namespace antaeus::detail
