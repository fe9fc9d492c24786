#include "antaeus/trust/hypotheses.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/numerics/whiten.hpp"
#include "antaeus/signal/chi_squared.hpp"
#include "core/decompositions.hpp"

namespace antaeus {

namespace {

/// Kass & Raftery's steps for 2 ln of the Bayes factor; the first also for how much misfit makes causes two.
constexpr double kStrong = 6.0, kVeryStrong = 10.0;
/// Information that counts as none: relative to the best seen direction, and where 30 000 prior sds make one noise sd.
constexpr double kRelativeInformation = 1e-10, kLeastInformation = 1e-9;

using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;

}  // namespace

/// The Gram matrix of one cause's columns, in its own axes.
struct HypothesisTest::Fit {
  Eigen::SelfAdjointEigenSolver<SmallMatrix> solver;
  double least = 0.0;

  const SmallVector& values() const noexcept { return solver.eigenvalues(); }
  explicit Fit(const SmallMatrix& gram) noexcept : solver(gram) {
    least = std::max(kLeastInformation, kRelativeInformation * values()[values().size() - 1]);
  }
  int rank() const noexcept { return static_cast<int>((values().array() > least).count()); }
  /// bᵀ G⁺ b
  double explained(const SmallVector& b) const noexcept {
    const SmallVector turned = solver.eigenvectors().transpose().lazyProduct(b);
    double sum = 0.0;
    for (Eigen::Index i = 0; i < turned.size(); ++i) {
      if (values()[i] > least) sum += turned[i] * turned[i] / values()[i];
    }
    return sum;
  }
};

HypothesisTest::HypothesisTest(const InstantReader& reader, HypothesisOptions options)
    : options_(options), model_(reader.model()) {
  check_options(options);
  const RobotModel& model = reader.model();
  const RobotProfile& profile = reader.profile();
  std::vector<bool> carries(static_cast<std::size_t>(model.motor_count()), false);
  if (options.rows == HypothesisRows::above_feet) {
    for (const Endpoint& endpoint : profile.endpoints) {
      if (endpoint.kind != EndpointKind::foot) continue;
      for (const int motor : model.supporting_motors(model.frame(endpoint.frame))) {
        carries[motor] = true;
      }
    }
  }
  for (int motor = 0; motor < model.motor_count(); ++motor) {
    if (!carries[motor]) motors_.push_back(motor);
  }
  motor_names_ = model.motor_names();

  std::vector<double> scales;
  const auto add = [&](CauseKind kind, int endpoint, int motor, const char* unit, std::vector<double> priors) {
    const int first = static_cast<int>(scales.size());
    causes_.push_back({kind, endpoint, motor, first, static_cast<int>(priors.size()), unit});
    scales.insert(scales.end(), priors.begin(), priors.end());
  };
  add(CauseKind::none, -1, -1, "", {});
  const double f = options.contact.force, m = options.contact.moment;
  for (int k = 0; k < reader.endpoint_count(); ++k) {
    const std::string& frame = reader.endpoint_names()[k];
    const Endpoint* known = profile.find_endpoint(frame);
    endpoint_labels_.push_back(profile.label_of(frame));
    add(CauseKind::contact, k, -1, "N", {f, f, f, m, m, m});
    if (!known || known->kind != EndpointKind::foot) {
      add(CauseKind::payload, k, -1, "kg", {options.payload_prior});
    }
  }
  for (const int motor : motors_) add(CauseKind::joint_offset, -1, motor, "N·m", {options.offset_prior});
  add(CauseKind::torque_scale, -1, -1, "1", {options.scale_prior});
  add(CauseKind::base_tilt, -1, -1, "rad", {options.tilt_prior, options.tilt_prior});

  scale_ = Eigen::Map<const VectorX>(scales.data(), static_cast<Eigen::Index>(scales.size()));
  const auto rows = static_cast<Eigen::Index>(motors_.size());
  B_.setZero(rows, scale_.size());
  y_.setZero(rows);
  R_.setZero(rows, rows);
  full_.setZero(model.nv());
  gram_.setZero(scale_.size(), scale_.size());
  projection_.setZero(scale_.size());
  result_.causes.resize(causes_.size());
  asked_ = AlarmLimits({options.false_alarm, options.false_alarms_per_hour, 1}, 1);
  if (!options.innovations || !profile.noise) return;
  noise_ = profile.noise;
  window_ = InnovationWindow(*noise_, motors_, static_cast<int>(scale_.size()));
}

void HypothesisTest::reset() noexcept {
  gram_.setZero();
  projection_.setZero();
  square_ = rows_ = 0.0;
  if (noise_) window_.reset();
  whitened_ = false;
}

void HypothesisTest::fill(const Residual& residual) noexcept {
  const Instant& now = residual.instant;
  B_.setZero();
  const Vector3& gravity = model_.gravity();
  const std::vector<int>& motor_rows = model_.motor_rows();
  for (const Columns& columns : causes_) {
    const Eigen::Index first = columns.first;
    switch (columns.kind) {
      case CauseKind::none: break;
      case CauseKind::contact:
      case CauseKind::payload: {
        const Matrix6X& J = now.jacobian(columns.endpoint);
        for (std::size_t i = 0; i < motors_.size(); ++i) {
          const Vector6 a = J.col(motors_[i]);
          if (columns.kind == CauseKind::contact) {
            B_.block<1, 6>(static_cast<Eigen::Index>(i), first) = -a.transpose();
          } else {
            B_(static_cast<Eigen::Index>(i), first) = -a.head<3>().dot(gravity);
          }
        }
        break;
      }
      case CauseKind::joint_offset: {
        const auto at = std::find(motors_.begin(), motors_.end(), columns.motor);
        B_(at - motors_.begin(), first) = 1.0;
        break;
      }
      case CauseKind::torque_scale: {
        for (std::size_t i = 0; i < motors_.size(); ++i) {
          B_(static_cast<Eigen::Index>(i), first) = now.torque()[motors_[i]];
        }
        break;
      }
      case CauseKind::base_tilt: {
        // A dynamic residual takes gravity from the accelerometer: no vertical is needed, and none can be wrong.
        if (residual.kind != ResidualKind::static_gravity) break;
        for (int axis = 0; axis < 2; ++axis) {
          if (tilt_torque(now, gravity, axis, full_) != Status::ok) continue;
          for (std::size_t i = 0; i < motors_.size(); ++i) {
            B_(static_cast<Eigen::Index>(i), first + axis) = full_[motor_rows[static_cast<std::size_t>(motors_[i])]];
          }
        }
        break;
      }
    }
  }
}

Status HypothesisTest::add(const Residual& residual, double weight) noexcept {
  if (const Status status = residual.current(); status != Status::ok) return status;
  if (residual.instant.endpoint_count() != static_cast<int>(endpoint_labels_.size()) ||
      residual.value.size() != static_cast<Eigen::Index>(motor_names_.size()) ||
      (residual.correlated &&
       (residual.covariance.rows() != residual.value.size() || residual.covariance.cols() != residual.value.size()))) {
    return Status::wrong_size;
  }
  if (!(weight > 0) || !std::isfinite(weight)) return Status::not_finite;
  for (const int motor : motors_) {
    const double variance = residual.variance[motor];
    if (!(variance > 0) || (std::isfinite(variance) && !std::isfinite(residual.value[motor]))) {
      return Status::not_finite;
    }
  }
  fill(residual);
  if (noise_ && residual.correlated && (whitened_ || !(rows_ > 0))) return add_innovations(residual);
  if (whitened_) return Status::not_computed;  // one window cannot hold both
  time_ = residual.instant.observation().time;
  double evidence = 0.0;
  for (std::size_t i = 0; i < motors_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double variance = residual.variance[motors_[i]];
    const bool used = std::isfinite(variance);
    const double spread = residual.correlated ? 1.0 : variance;
    const double share = used ? std::sqrt(weight / spread) : 0.0;
    y_[row] = used ? share * residual.value[motors_[i]] : 0.0;
    B_.row(row).array() *= share * scale_.transpose().array();
    evidence += used;
  }
  if (residual.correlated) {
    for (std::size_t j = 0; j < motors_.size(); ++j) {
      for (std::size_t i = 0; i < motors_.size(); ++i) {
        R_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = residual.covariance(motors_[i], motors_[j]);
      }
      const auto row = static_cast<Eigen::Index>(j);
      R_(row, row) = residual.variance[motors_[j]];
    }
    if (!factor_noise(R_)) return Status::not_finite;
    whiten(R_, y_);
    whiten(R_, B_);
  }
  if (!B_.allFinite()) return Status::not_finite;
  gram_ += B_.transpose().lazyProduct(B_);
  projection_ += B_.transpose().lazyProduct(y_);
  square_ += y_.squaredNorm();
  rows_ += weight * evidence;
  return Status::ok;
}

Status HypothesisTest::add_innovations(const Residual& residual) noexcept {
  for (std::size_t j = 0; j < motors_.size(); ++j) {
    const auto row = static_cast<Eigen::Index>(j);
    for (std::size_t i = 0; i < motors_.size(); ++i) {
      R_(static_cast<Eigen::Index>(i), row) = residual.covariance(motors_[i], motors_[j]);
    }
    R_(row, row) = residual.variance[motors_[j]];
    y_[row] = residual.value[motors_[j]];
    B_.row(row).array() *= scale_.transpose().array();
  }
  int evidence = 0;
  const double time = residual.instant.observation().time;
  const Status status = window_.add(whitened_ || std::isfinite(time) ? time : 0.0, y_, B_, R_, evidence);
  if (status != Status::ok) return status;
  whitened_ = true;
  time_ = time;
  rows_ += evidence;
  return status;
}

void HypothesisTest::judge(const Columns& columns, Cause& cause) const noexcept {
  cause = Cause{};
  cause.kind = columns.kind;
  cause.endpoint = columns.endpoint;
  cause.motor = columns.motor;
  cause.unit = columns.unit;
  cause.components = columns.count;
  cause.nis = square_;
  const Eigen::Index first = columns.first, count = columns.count;
  if (count == 0) return;
  const SmallVector b = projection_.segment(first, count);
  const Fit fit(gram_.block(first, first, count, count));
  cause.unknowns = fit.rank();
  cause.log_likelihood_ratio = 0.5 * fit.explained(b);
  cause.bic = cause.unknowns * std::log(rows_) - 2.0 * cause.log_likelihood_ratio;
  // z ~ N(0, I): every eigenvalue of Gram + 1 is at least 1.
  const auto& V = fit.solver.eigenvectors();
  const SmallVector turned = V.transpose().lazyProduct(b);
  SmallVector shrunk = turned;
  for (Eigen::Index i = 0; i < count; ++i) {
    const double information = std::max(fit.values()[i], 0.0);
    shrunk[i] = turned[i] / (1.0 + information);
    cause.log_evidence += 0.5 * (turned[i] * shrunk[i] - std::log1p(information));
    cause.nis -= turned[i] * shrunk[i];
  }
  SmallVector mean = V.lazyProduct(shrunk), direction = SmallVector::Zero(count);
  SmallMatrix covariance(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const double scale = scale_[first + i];
    mean[i] *= scale;
    for (Eigen::Index j = 0; j < count; ++j) {
      double sum = 0.0;
      for (Eigen::Index a = 0; a < count; ++a) sum += V(i, a) * V(j, a) / (1.0 + std::max(fit.values()[a], 0.0));
      covariance(i, j) = scale * sum * scale_[first + j];
    }
    cause.estimate[i] = mean[i];
    cause.deviation[i] = std::sqrt(covariance(i, i));
  }
  const Eigen::Index sized = std::min<Eigen::Index>(count, 3);
  cause.size = sized == 1 ? mean[0] : mean.head(sized).norm();
  direction[0] = 1.0;
  if (sized > 1 && cause.size > 0) direction.head(sized) = mean.head(sized) / cause.size;
  cause.size_sd = std::sqrt(direction.dot(covariance.lazyProduct(direction)));
}

const HypothesisTest::Columns* HypothesisTest::find(const Cause& cause) const noexcept {
  for (const Columns& columns : causes_) {
    if (columns.kind == cause.kind && columns.endpoint == cause.endpoint && columns.motor == cause.motor) {
      return &columns;
    }
  }
  return nullptr;
}

double HypothesisTest::misfit(const Columns& truth, const Cause& fitted_truth, const Columns& other) const noexcept {
  SmallVector z(truth.count);
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    z[i] = fitted_truth.estimate[i] / scale_[truth.first + i];
  }
  const SmallVector own = gram_.block(truth.first, truth.first, truth.count, truth.count).lazyProduct(z);
  double left = z.dot(own);
  if (other.count > 0) {
    const SmallVector seen = gram_.block(other.first, truth.first, other.count, truth.count).lazyProduct(z);
    left -= Fit(gram_.block(other.first, other.first, other.count, other.count)).explained(seen);
  }
  return std::max(left, 0.0);
}

/// No load has a negative mass: a fit that says so is a wrong set-up, or a contact that lifts.
static bool is_negative_load(const Cause& cause) noexcept {
  return cause.kind == CauseKind::payload && cause.size < 0.0;
}

double HypothesisTest::log_prior(CauseKind kind) const noexcept {
  const double others = (1.0 - options_.none_prior) / static_cast<double>(std::max<std::size_t>(causes_.size() - 1, 1));
  return std::log(kind == CauseKind::none ? options_.none_prior : others);
}

void HypothesisTest::weigh() noexcept {
  double most = -kInfinity, sum = 0.0;
  for (const Cause& cause : result_.causes) {
    if (!is_negative_load(cause)) most = std::max(most, cause.log_evidence + log_prior(cause.kind));
  }
  for (Cause& cause : result_.causes) {
    if (is_negative_load(cause)) {
      cause.probability = 0.0;
      continue;
    }
    cause.probability = std::exp(cause.log_evidence + log_prior(cause.kind) - most);
    sum += cause.probability;
  }
  for (Cause& cause : result_.causes) cause.probability /= sum;
}

const HypothesisResult& HypothesisTest::solve() noexcept {
  result_.rows = rows_;
  const Status whole = whitened_ ? window_.solve(gram_, projection_, square_) : Status::ok;
  if (!(rows_ > 0) || whole != Status::ok) {
    result_.status = whole == Status::ok ? Status::not_computed : whole;
    result_.alarm = result_.explained = false;
    result_.chi_squared = result_.threshold = kNaN;
    for (Cause& cause : result_.causes) {
      cause = Cause{};
      cause.bic = cause.log_evidence = cause.log_likelihood_ratio = cause.size = cause.size_sd = kNaN;
      cause.probability = cause.nis = kNaN;
    }
    return result_;
  }
  result_.status = Status::ok;
  result_.chi_squared = square_;
  asked_.step(time_);
  result_.threshold = chi_squared_threshold(asked_.probability(), rows_);
  result_.alarm = square_ > result_.threshold;
  for (std::size_t i = 0; i < causes_.size(); ++i) judge(causes_[i], result_.causes[i]);

  weigh();
  const auto score = [&](const Cause& cause) {
    return options_.ranking == Ranking::bic ? -0.5 * cause.bic : cause.log_evidence + log_prior(cause.kind);
  };
  // Behind all answers: what no load can be, and then what leaves no trace.
  const auto no_answer = [](const Cause& cause) {
    return cause.kind != CauseKind::none && cause.unknowns == 0 ? 2 : is_negative_load(cause) ? 1 : 0;
  };
  std::sort(result_.causes.begin(), result_.causes.end(), [&](const Cause& a, const Cause& b) {
    return no_answer(a) != no_answer(b) ? no_answer(a) < no_answer(b) : score(a) > score(b);
  });
  // Noise fits some of many causes better than none: without an alarm there is nothing to explain.
  if (!result_.alarm) {
    const auto none = std::find_if(result_.causes.begin(), result_.causes.end(),
                                   [](const Cause& cause) { return cause.kind == CauseKind::none; });
    std::rotate(result_.causes.begin(), none, none + 1);
  }
  const Cause& best = result_.causes[0];
  result_.explained = best.nis <= result_.threshold;
  const Columns* truth = find(best);
  for (std::size_t i = 1; i < result_.causes.size(); ++i) {
    Cause& cause = result_.causes[i];
    const Columns* other = find(cause);
    if (!truth || !other) continue;
    cause.misfit_of_best = misfit(*truth, best, *other);
    const double ahead = 2.0 * (score(best) - score(cause));
    // Nothing is imitated by every cause of size zero; there the scores alone decide.
    const bool imitates = best.kind != CauseKind::none && cause.misfit_of_best <= kStrong;
    cause.separation = imitates || ahead <= kStrong ? Separation::indistinct
                       : ahead <= kVeryStrong       ? Separation::strong
                                                    : Separation::very_strong;
  }
  return result_;
}

const HypothesisResult& HypothesisTest::solve(const Residual& residual) noexcept {
  reset();
  const Status status = add(residual);
  solve();
  if (status != Status::ok) result_.status = status;
  return result_;
}

std::string HypothesisTest::name(const Cause& cause) const {
  switch (cause.kind) {
    case CauseKind::none: return "none";
    case CauseKind::contact: return "contact at " + endpoint_labels_[cause.endpoint];
    case CauseKind::payload: return "payload at " + endpoint_labels_[cause.endpoint];
    case CauseKind::joint_offset: return "offset of " + motor_names_[cause.motor];
    case CauseKind::torque_scale: return "torque scale";
    case CauseKind::base_tilt: return "base tilt";
  }
  return "?";
}

namespace {
CusumOptions cusum_options(const SequentialOptions& o) {
  return {.drift = o.drift,
          .false_alarms_per_hour = o.false_alarms_per_hour,
          .sample_rate = o.independent_rate,
          .two_sided = false};
}
/// A clock that jitters by 2 % still gives every k-th sample.
constexpr double kJitter = 0.98;
}  // namespace

SequentialHypothesis::SequentialHypothesis(const SequentialOptions& options)
    : period_(kJitter / options.independent_rate), cusum_(cusum_options(options)), last_(kNaN), onset_(kNaN) {}

Status SequentialHypothesis::step(double time, double nis, int nis_rows) noexcept {
  if (!std::isfinite(time) || !std::isfinite(nis) || nis_rows < 1) return Status::not_finite;
  if (time < last_) {
    last_ = kNaN;
    return Status::time_back;
  }
  if (time - last_ < period_) return Status::ok;
  const bool quiet = cusum_.upper() == 0.0;
  const Status status = cusum_.step(standardise_chi_squared(nis, nis_rows));
  if (status != Status::ok) return status;
  last_ = time;
  if (cusum_.upper() == 0.0) {
    onset_ = kNaN;
  } else if (quiet) {
    onset_ = time;
  }
  return status;
}

void SequentialHypothesis::reset() noexcept {
  cusum_.reset();
  last_ = onset_ = kNaN;
}

const OptionTable& options_of(const HypothesisOptions&) {
  using O = HypothesisOptions;
  static const OptionTable table(
      "hypotheses",
      {
          option("rows", "", "above_feet, or all: which motors' torques are to be explained", "see the enumeration",
                 &O::rows),
          option("ranking", "", "evidence or bic: what orders the causes",
                 "hypotheses_test: evidence names the simulated cause more often", &O::ranking),
          option("false_alarm", "1", "probability that noise alone raises the alarm, each time it is asked",
                 "as the posterior's NIS test", &O::false_alarm, kProbability),
          option("false_alarms_per_hour", "1/h",
                 "the same as a rate, at the interval at which it is asked; 0: false_alarm",
                 "union bound: a sample alarms with at most the rate times the interval", &O::false_alarms_per_hour,
                 kNotNegative),
          option("innovations", "", "whether a window's errors have the memory that was identified",
                 "hypotheses_innovations_test: the rate asked is then the rate", &O::innovations),
          option("none_prior", "1", "probability, before any data, that no cause is at work; the others share the rest",
                 "our choice: even odds", &O::none_prior, kProbability),
          part(&O::contact),
          following(Follows::force, 1.0 / 15.0,
                    option("payload_prior", "kg", "sd of a payload's mass", "what such a hand lifts", &O::payload_prior,
                           kPositive)),
          option("offset_prior", "N·m", "sd of one joint's friction or offset", "RE3's torso: 34 N·m at the worst",
                 &O::offset_prior, kPositive),
          option("scale_prior", "1", "sd of the common gain error", "our choice", &O::scale_prior, kPositive),
          option("tilt_prior", "rad", "sd of each of the two tilts", "3 degrees", &O::tilt_prior, kPositive),
      });
  return table;
}
const OptionGroup kHypothesisOptions(HypothesisOptions{});

}  // namespace antaeus
