#include "antaeus/robot/noise_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "core/computable.hpp"
#include "core/decompositions.hpp"
#include "robot/parameter_torque.hpp"
#include "robot/standing_friction.hpp"

namespace antaeus {

namespace {

void check_vector(const VectorX& vector, Eigen::Index size, const std::string& name, bool required) {
  const std::string place = "noise model, " + name;
  if (vector.size() == 0 && !required) return;
  if (vector.size() != size) {
    throw OptionsError(place, std::to_string(vector.size()) + " numbers where the robot needs " + std::to_string(size));
  }
}

void check_deviation(const VectorX& vector, const std::string& name, bool may_be_infinite) {
  for (const double value : vector) {
    if (!(value >= 0.0) || (std::isinf(value) && !may_be_infinite)) {
      throw OptionsError("noise model, " + name, "a standard deviation of " + std::to_string(value),
                         "give zero or a positive number");
    }
  }
}

void check(const RobotModel& model, const NoiseModel& noise) {
  const TorqueParameters at = torque_parameters(model);
  check_vector(noise.white_sd, at.motors, "white_sd", true);
  check_vector(noise.parameters, at.count(), "parameters", false);
  check_vector(noise.offset_sd, at.motors, "offset_sd", false);
  check_vector(noise.slow_sd, at.motors, "slow_sd", false);
  check_vector(noise.coulomb_sd, at.motors, "coulomb_sd", false);
  check_vector(noise.viscous_sd, at.motors, "viscous_sd", false);
  check_vector(noise.standing_sd, at.motors, "standing_sd", false);
  check_vector(noise.motion_sd, at.motors, "motion_sd", false);
  check_vector(noise.correlation_time, at.motors, "correlation_time", false);
  check_vector(noise.joint_speed, at.motors, "joint_speed", false);
  check_vector(noise.largest_residual, at.motors, "largest_residual", false);
  check_vector(noise.limit, at.motors, "limit", false);
  check_vector(noise.limit_offset, noise.limit.size(), "limit_offset", true);
  check_vector(noise.limit_sd, noise.limit.size(), "limit_sd", true);
  if (noise.factor.size() > 0 && noise.factor.rows() != at.count()) {
    throw OptionsError("noise model, factor", std::to_string(noise.factor.rows()) + " rows where the robot has " +
                                                  std::to_string(at.count()) + " parameters");
  }
  if (!noise.limit_offset.allFinite()) throw OptionsError("noise model, limit_offset", "it is not finite");
  if (!noise.parameters.allFinite() || !noise.factor.allFinite()) {
    throw OptionsError("noise model", "a parameter that is not finite");
  }
  for (const double value : noise.white_sd) {
    if (!(value > 0.0) && !std::isnan(value)) {
      throw OptionsError("noise model, white_sd", "a standard deviation of " + std::to_string(value),
                         "give a positive number, or infinity for a row that is not evidence");
    }
  }
  check_deviation(noise.offset_sd, "offset_sd", false);
  check_deviation(noise.slow_sd, "slow_sd", false);
  check_deviation(noise.coulomb_sd, "coulomb_sd", false);
  check_deviation(noise.viscous_sd, "viscous_sd", false);
  check_deviation(noise.standing_sd, "standing_sd", false);
  check_deviation(noise.motion_sd, "motion_sd", true);
  check_deviation(noise.correlation_time, "correlation_time", false);
  check_deviation(noise.joint_speed, "joint_speed", true);
  check_deviation(noise.largest_residual, "largest_residual", true);
  check_deviation(noise.limit, "limit", true);
  check_deviation(noise.limit_sd, "limit_sd", true);
  if (noise.identified_speed < 0.0) throw OptionsError("noise model, identified_speed", "it is negative");
  for (const int motor : noise.envelope_motors) {
    if (motor < 0 || motor >= at.motors)
      throw OptionsError("noise model, envelope_motors", "a motor that does not exist");
  }
}

/// y := Σ x_c of the columns named, of \p length entries: four columns a pass, or loads and stores take the time.
template <class Target>
void add_columns(const MatrixX& matrix, const std::vector<int>& columns, const Eigen::Ref<const VectorX>& x,
                 Eigen::Index length, Target&& y) noexcept {
  auto sum = y.head(length);
  sum.setZero();
  const auto count = static_cast<int>(columns.size());
  int i = 0;
  for (; i + 4 <= count; i += 4) {
    const int a = columns[i], b = columns[i + 1], c = columns[i + 2], d = columns[i + 3];
    const Eigen::Index reach = std::min<Eigen::Index>(d + 1, length);  // upper triangular
    sum.head(reach) += x[a] * matrix.col(a).head(reach) + x[b] * matrix.col(b).head(reach) +
                       x[c] * matrix.col(c).head(reach) + x[d] * matrix.col(d).head(reach);
  }
  for (; i < count; ++i) {
    const Eigen::Index reach = std::min<Eigen::Index>(columns[i] + 1, length);
    sum.head(reach) += x[columns[i]] * matrix.col(columns[i]).head(reach);
  }
}

}  // namespace

DayDraw::Part DayDraw::columns(double speed) noexcept { return {std::tanh(speed / kCoulombSpeed), speed, 1.0}; }

DayDraw unknown_day(const NoiseModel& noise) {
  const Eigen::Index motors = noise.white_sd.size();
  DayDraw day;
  day.mean.setZero(DayDraw::kParts, motors);
  day.covariance.setZero(DayDraw::kParts, DayDraw::kParts * motors);
  const VectorX* const sds[] = {&noise.coulomb_sd, &noise.viscous_sd, &noise.offset_sd};
  for (int part = 0; part < DayDraw::kParts; ++part) {
    for (Eigen::Index j = 0; j < sds[part]->size(); ++j) {
      day.covariance(part, DayDraw::kParts * j + part) = (*sds[part])[j] * (*sds[part])[j];
    }
  }
  return day;
}

void assume_days(const RobotModel& model, NoiseModel& noise) {
  if (noise.origin != NoiseOrigin::moving || noise.logs >= 0 || noise.offset_sd.size() > 0) return;
  const TorqueParameters at = torque_parameters(model);
  noise.logs = 0;
  noise.coulomb_sd = noise.viscous_sd = noise.offset_sd = VectorX::Zero(at.motors);
  for (int j = 0; j < at.motors; ++j) {
    noise.coulomb_sd[j] = kCoulombBetween * parameter_size(noise, at.coulomb(j));
    noise.viscous_sd[j] = kViscousBetween * parameter_size(noise, at.viscous(j));
    // The largest torque of its logs is not in the profile: a drive seldom gives more than half of what it can, where
    // the description knows what that is. No day is taken for noisier than a sample.
    const double stated = 0.5 * kOffsetBetween * model.effort_limits()[j];
    noise.offset_sd[j] = std::isfinite(noise.white_sd[j]) ? std::min(stated, noise.white_sd[j]) : 0.0;
  }
}

struct TorqueNoise::Workspace {
  Workspace(RobotModel robot, NoiseModel model_of_noise)
      : dynamics(std::move(robot)), noise(std::move(model_of_noise)), at(torque_parameters(dynamics.model())) {
    check(dynamics.model(), noise);
    mean = VectorX::Constant(at.motors, kNaN);
    covariance = MatrixX::Constant(at.motors, at.motors, kNaN);
    shared.setZero(at.motors, at.motors);
    day = unknown_day(noise);
    friction_of_day = noise.coulomb_sd.size() > 0 || noise.viscous_sd.size() > 0;
    taken_out = noise.parameters.size() > 0 && !noise.parameters.isZero(0.0);
    find_bodies();
    if (noise.factor.size() > 0) compress_factor();
    standing_friction_sd.setZero(at.motors);
    for (int j = 0; j < at.motors; ++j) {
      standing_friction_sd[j] = standing_friction(noise, at, j);
    }
  }

  bool has_mean(int parameter) const { return taken_out && noise.parameters[parameter] != 0.0; }
  bool in_doubt(int parameter) const { return noise.factor.size() > 0 && !noise.factor.row(parameter).isZero(0.0); }

  void find_bodies() {
    std::vector<int> found;
    for (int body = 0; body < at.bodies; ++body) {
      bool mean_of_it = false, doubted = false;
      for (int p = at.inertial(body); p < at.inertial(body + 1); ++p) {
        mean_of_it = mean_of_it || has_mean(p);
        doubted = doubted || in_doubt(p);
      }
      if (mean_of_it || doubted) found.push_back(body);
      mean_has_bodies = mean_has_bodies || mean_of_it;
      factor_has_bodies = factor_has_bodies || doubted;
    }
    if (!found.empty()) bodies.emplace(dynamics.model(), found);
  }

  /// C = F Fᵀ of the parameters that are in doubt, F lower triangular: those that many rows depend on stand first,
  /// where their rows of F are short. F is the L of an LQ decomposition of theirs.
  void compress_factor() {
    std::vector<int> uses(static_cast<std::size_t>(at.count()), 0), order;
    const auto number_of = [&](int body) { return bodies->bodies()[static_cast<std::size_t>(body)]; };
    const int body_places = bodies ? static_cast<int>(std::ssize(bodies->bodies())) : 0;
    for (int b = 0; b < body_places; ++b) {
      for (const int motor : bodies->motors(static_cast<std::size_t>(b))) {
        for (int part = 0; part < 10 && known(motor); ++part) ++uses[at.inertial(number_of(b)) + part];
      }
    }
    for (int j = 0; j < at.motors; ++j) {
      for (const int p : {at.rotor(j), at.coulomb(j), at.viscous(j), at.offset(j)}) uses[p] += known(j);
    }
    for (int p = 0; p < at.count(); ++p) {
      if (uses[p] > 0 && in_doubt(p)) order.push_back(p);
    }
    std::stable_sort(order.begin(), order.end(), [&](int p, int q) { return uses[p] > uses[q]; });
    if (order.empty()) return;
    const MatrixX rows = noise.factor(order, Eigen::all).transpose();
    const Eigen::Index depth = std::min(rows.rows(), rows.cols());
    errors = Eigen::HouseholderQR<MatrixX>(rows).matrixQR().topRows(depth).triangularView<Eigen::Upper>();
    X.setZero(rows.cols(), at.motors);
    product.setZero(depth, at.motors);
    std::vector<int> column(static_cast<std::size_t>(at.count()), -1);
    for (int c = 0; c < static_cast<int>(std::ssize(order)); ++c) column[order[c]] = c;
    std::vector<std::vector<int>> of_row(static_cast<std::size_t>(at.motors));
    for (int b = 0; b < body_places; ++b) {
      DoubtedBody body{.place = b, .first_four = true, .parts = {}};
      for (int part = 0; part < 10; ++part) {
        const int c = column[at.inertial(number_of(b)) + part];
        if (c < 0) continue;
        body.parts.emplace_back(part, c);
        body.first_four = body.first_four && part < 4;
        for (const int motor : bodies->motors(static_cast<std::size_t>(b))) of_row[motor].push_back(c);
      }
      if (!body.parts.empty()) doubted_bodies.push_back(std::move(body));
    }
    for (int j = 0; j < at.motors; ++j) {
      DoubtedRow row{.motor = j,
                     .rotor = column[at.rotor(j)],
                     .coulomb = column[at.coulomb(j)],
                     .viscous = column[at.viscous(j)],
                     .columns = of_row[j]};
      if (const int offset = column[at.offset(j)]; offset >= 0) {
        X(offset, j) = 1.0;
        row.columns.push_back(offset);
      }
      for (const int c : {row.rotor, row.coulomb, row.viscous}) {
        if (c >= 0) row.columns.push_back(c);
      }
      if (row.columns.empty() || !known(j)) continue;
      std::sort(row.columns.begin(), row.columns.end());
      row.length = std::min<Eigen::Index>(row.columns.back() + 1, depth);
      doubted_rows.push_back(std::move(row));
    }
  }

  /// Whether a row was identified, or is known to be no evidence.
  bool known(Eigen::Index motor) const noexcept { return !std::isnan(noise.white_sd[motor]); }

  Status evaluate(const PositionTerms& now, ConstVectorRef v, ConstVectorRef a, double motion_share,
                  bool whole) noexcept;
  Status fill(const PositionTerms& now, ConstVectorRef v, ConstVectorRef a, double motion_share, bool whole) noexcept;
  void fill_mean(ConstVectorRef v, ConstVectorRef a) noexcept;
  void fill_shared(ConstVectorRef v, ConstVectorRef a) noexcept;
  double variance_alone(Eigen::Index motor, double speed, double motion_share) const noexcept;

  struct DoubtedBody {
    int place;                               // among bodies->bodies()
    bool first_four;                         // only mass and first moment are in doubt
    std::vector<std::pair<int, int>> parts;  // which of the ten, and its column of errors
  };
  struct DoubtedRow {
    int motor, rotor, coulomb, viscous;  // columns of errors; −1: not in doubt
    std::vector<int> columns;            // all that its torque depends on, ascending
    Eigen::Index length = 0;             // entries of its column of product that are not zero
  };

  Dynamics dynamics;
  NoiseModel noise;
  TorqueParameters at;
  bool taken_out = false, mean_has_bodies = false, factor_has_bodies = false;
  std::optional<ParameterTorque> bodies;
  MatrixX errors;  ///< Fᵀ, a column a parameter, upper triangular
  std::vector<DoubtedBody> doubted_bodies;
  std::vector<DoubtedRow> doubted_rows;
  MatrixX X;        ///< transposed: a row a column of errors, a column a motor; zero where none depends on the other
  MatrixX product;  ///< (X F)ᵀ
  MatrixX shared;   ///< X C Xᵀ
  VectorX standing_friction_sd;  ///< s_f of joints that stand
  DayDraw day;
  bool friction_of_day = false;  ///< whether friction, and not only the offset, is another from day to day
  bool learnt_of_day = false;    ///< whether day has a mean
  bool shared_known = false;
  bool unseen_motion = false;  ///< covariance has rows without evidence because of motion that nobody identified
  VectorX mean;
  MatrixX covariance;
};

TorqueNoise::TorqueNoise(RobotModel model, NoiseModel noise)
    : workspace_(std::make_unique<Workspace>(std::move(model), std::move(noise))) {}
TorqueNoise::~TorqueNoise() = default;
TorqueNoise::TorqueNoise(TorqueNoise&&) noexcept = default;
TorqueNoise& TorqueNoise::operator=(TorqueNoise&&) noexcept = default;

const VectorX& TorqueNoise::mean() const noexcept { return workspace_->mean; }
const MatrixX& TorqueNoise::covariance() const noexcept { return workspace_->covariance; }
const NoiseModel& TorqueNoise::model() const noexcept { return workspace_->noise; }

void TorqueNoise::set_day(const DayDraw& day) noexcept {
  DayDraw& held = workspace_->day;
  if (day.mean.cols() != held.mean.cols() || day.covariance.cols() != held.covariance.cols()) return;
  held.mean = day.mean;
  held.covariance = day.covariance;
  workspace_->learnt_of_day = !held.mean.isZero(0.0);
}

Status TorqueNoise::evaluate(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, double motion_share) noexcept {
  return evaluate(workspace_->dynamics.at(q), v, a, motion_share);
}
Status TorqueNoise::evaluate(const PositionTerms& now, ConstVectorRef v, ConstVectorRef a,
                             double motion_share) noexcept {
  return workspace_->evaluate(now, v, a, motion_share, true);
}
Status TorqueNoise::evaluate_mean(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, double motion_share) noexcept {
  return evaluate_mean(workspace_->dynamics.at(q), v, a, motion_share);
}
Status TorqueNoise::evaluate_mean(const PositionTerms& now, ConstVectorRef v, ConstVectorRef a,
                                  double motion_share) noexcept {
  return workspace_->evaluate(now, v, a, motion_share, !workspace_->shared_known);
}

Status TorqueNoise::Workspace::evaluate(const PositionTerms& now, ConstVectorRef v, ConstVectorRef a,
                                        double motion_share, bool whole) noexcept {
  const Status status = fill(now, v, a, motion_share, whole);
  if (status != Status::ok) {
    mean.setConstant(kNaN);
    covariance.setConstant(kNaN);
    shared_known = false;
  }
  return status;
}

Status TorqueNoise::Workspace::fill(const PositionTerms& now, ConstVectorRef v, ConstVectorRef a, double motion_share,
                                    bool whole) noexcept {
  const Eigen::Index nv = dynamics.model().nv();
  if (now.status() != Status::ok) return now.status();
  if (!(motion_share >= 0.0 && motion_share <= 1.0)) return Status::not_finite;
  if (mean_has_bodies || (whole && factor_has_bodies)) {
    if (const Status status = bodies->see(now, v, a); status != Status::ok) return status;
  } else {
    if (v.size() != nv || a.size() != nv) return Status::wrong_size;
    if (!is_computable(v) || !is_computable(a)) return Status::not_finite;
  }
  mean.setZero();
  if (taken_out) fill_mean(v, a);
  if (learnt_of_day) {
    const std::vector<int>& motor_rows = dynamics.model().motor_rows();
    for (int j = 0; j < at.motors; ++j) {
      if (known(j)) mean[j] += day.torque(j, DayDraw::columns(v[motor_rows[j]]));
    }
  }
  bool unseen = false;
  if (motion_share > 0.0) {
    for (const double sd : noise.motion_sd) unseen = unseen || std::isinf(sd);
  }
  if (whole) fill_shared(v, a);
  // Nothing beside the diagonal changes from a mean alone.
  const bool diagonal = !whole && unseen == unseen_motion;
  const std::vector<int>& rows = dynamics.model().motor_rows();
  if (!diagonal) covariance = shared;
  unseen_motion = unseen;
  for (int j = 0; j < at.motors; ++j) {
    const double variance = variance_alone(j, v[rows[j]], motion_share);
    covariance(j, j) = shared(j, j) + variance;
    if (std::isfinite(variance) || diagonal) continue;
    covariance.row(j).setZero();
    covariance.col(j).setZero();
    covariance(j, j) = variance;
  }
  return Status::ok;
}

void TorqueNoise::Workspace::fill_mean(ConstVectorRef v, ConstVectorRef a) noexcept {
  const VectorX& theta = noise.parameters;
  const std::vector<int>& rows = dynamics.model().motor_rows();
  if (mean_has_bodies) bodies->add_torque(theta, mean);
  for (int j = 0; j < at.motors; ++j) {
    if (!known(j)) {
      mean[j] = 0.0;  // what others were found to hide says nothing of this row
      continue;
    }
    const double speed = v[rows[j]], dry = theta[at.coulomb(j)];
    mean[j] += a[rows[j]] * theta[at.rotor(j)] + speed * theta[at.viscous(j)] + theta[at.offset(j)];
    if (dry != 0.0) mean[j] += dry * std::tanh(speed / kCoulombSpeed);
  }
}

void TorqueNoise::Workspace::fill_shared(ConstVectorRef v, ConstVectorRef a) noexcept {
  const std::vector<int>& rows = dynamics.model().motor_rows();
  for (const DoubtedBody& body : doubted_bodies) {
    const auto b = static_cast<std::size_t>(body.place);
    const std::vector<int>& motors = bodies->motors(b);
    for (std::size_t m = 0; m < motors.size(); ++m) {
      if (!known(motors[m])) continue;
      ParameterTorque::Ten of_parameter;
      bodies->entries(b, m, body.first_four, of_parameter);
      for (const auto& [part, column] : body.parts) X(column, motors[m]) = of_parameter[part];
    }
  }
  for (const DoubtedRow& row : doubted_rows) {
    const int j = row.motor;
    if (row.rotor >= 0) X(row.rotor, j) = a[rows[j]];
    if (row.coulomb >= 0) X(row.coulomb, j) = std::tanh(v[rows[j]] / kCoulombSpeed);
    if (row.viscous >= 0) X(row.viscous, j) = v[rows[j]];
    add_columns(errors, row.columns, X.col(j), row.length, product.col(j));
  }
  for (std::size_t m = 0; m < doubted_rows.size(); ++m) {
    for (std::size_t n = 0; n <= m; ++n) {
      const DoubtedRow &one = doubted_rows[m], &other = doubted_rows[n];
      const Eigen::Index length = std::min(one.length, other.length);
      shared(one.motor, other.motor) = shared(other.motor, one.motor) =
          product.col(one.motor).head(length).dot(product.col(other.motor).head(length));
    }
  }
  shared_known = true;
}

/// What a row does not share with others. NaN: it was not identified; infinity: it is no evidence.
double TorqueNoise::Workspace::variance_alone(Eigen::Index motor, double speed, double motion_share) const noexcept {
  const auto square = [](double value) { return value * value; };
  const double white = noise.white_sd[motor];
  if (!std::isfinite(white)) return white;
  double variance = square(white);
  if (const double dry = standing_friction_sd[motor]; dry > 0.0) {
    variance += square(dry) * (1.0 - square(std::tanh(speed / kCoulombSpeed)));
  }
  if (friction_of_day) {
    variance += day.variance(static_cast<int>(motor), DayDraw::columns(speed));
  } else if (noise.offset_sd.size() > 0) {
    variance += day.covariance(2, 3 * motor + 2);
  }
  if (noise.slow_sd.size() > 0) variance += square(noise.slow_sd[motor]);
  if (noise.motion_sd.size() > 0 && motion_share > 0.0) variance += square(motion_share * noise.motion_sd[motor]);
  return variance;
}

}  // namespace antaeus
