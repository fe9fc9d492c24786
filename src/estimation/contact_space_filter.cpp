#include "antaeus/estimation/contact_space_filter.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/numerics/whiten.hpp"
#include "core/decompositions.hpp"
#include "estimation/describe_posterior.hpp"

namespace antaeus {

namespace {

/// A time step that no clock gives says nothing of the past.
double usable(double dt) noexcept { return dt >= 0 ? dt : kInfinity; }

/// Stationary variances are 1, so what is forgotten comes back as noise of 1 − φ².
void relax(Eigen::Index wrenches, double wrench, double error, VectorX& x, MatrixX& P) noexcept {
  const Eigen::Index n = x.size();
  const auto factor = [&](Eigen::Index i) { return i < wrenches ? wrench : error; };
  for (Eigen::Index j = 0; j < n; ++j) {
    x[j] *= factor(j);
    for (Eigen::Index i = 0; i < n; ++i) P(i, j) *= factor(i) * factor(j);
    P(j, j) += 1.0 - factor(j) * factor(j);
  }
}

}  // namespace

ContactSpaceFilter::ContactSpaceFilter(const InstantReader& reader, const PosteriorEstimator& posterior,
                                       ContactSpaceOptions options)
    : options_(options), posterior_(posterior.options()) {
  check_options(options);
  if (posterior_.rows == PosteriorRows::all_and_base) {
    throw OptionsError("posterior.rows", "a contact-space filter has no base rows", "set own or all");
  }
  if (posterior_.rows == PosteriorRows::all && posterior_.reference == ReferenceUse::innovation) {
    throw OptionsError("posterior.reference", "a filter needs a variance that is stated beforehand",
                       "set exclude or trust");
  }
  std::size_t most_rows = 0;
  for (int k = 0; k < reader.endpoint_count(); ++k) {
    const std::vector<int>& rows = posterior.rows(k);
    const auto shared = std::find_if(blocks_.begin(), blocks_.end(),
                                     [&](const Block& block) { return !rows.empty() && block.rows == rows; });
    if (shared != blocks_.end()) {
      shared->endpoints.push_back(k);
      continue;
    }
    blocks_.emplace_back();
    blocks_.back().endpoints.push_back(k);
    blocks_.back().rows = rows;
    most_rows = std::max(most_rows, rows.size());
  }
  for (Block& block : blocks_) {
    const auto wrenches = static_cast<Eigen::Index>(6 * block.endpoints.size());
    const Eigen::Index states = wrenches + static_cast<Eigen::Index>(block.rows.size());
    block.L.setZero(wrenches, wrenches);
    for (std::size_t place = 0; place < block.endpoints.size(); ++place) {
      const auto at = static_cast<Eigen::Index>(6 * place);
      block.L.block<6, 6>(at, at) = posterior.prior_factor(block.endpoints[place]);
    }
    block.x.setZero(states);
    block.P.setIdentity(states, states);
    block.row.setZero(states);
    block.gain.setZero(states);
    block.product.setZero(states);
    const auto height = static_cast<Eigen::Index>(block.rows.size());
    block.R.setIdentity(height, height);
    block.A.setZero(height, wrenches);
    block.y.setZero(height);
  }
  const int most = std::max(static_cast<int>(most_rows), 1), tests = std::max(static_cast<int>(blocks_.size()), 1);
  limits_ = AlarmLimits({.probability = posterior_.false_alarm}, most);
  hourly_ = AlarmLimits({posterior_.false_alarm, posterior_.false_alarms_per_hour, tests}, most);
  estimates_.resize(static_cast<std::size_t>(reader.endpoint_count()));
  for (int k = 0; k < reader.endpoint_count(); ++k) {
    WrenchEstimate& estimate = estimates_[static_cast<std::size_t>(k)];
    estimate.reset(reader.model().motor_count());
    estimate.sign = posterior_.sign;
    estimate.has_covariance = true;
    estimate.uncertainty.insensible = posterior.results()[static_cast<std::size_t>(k)].uncertainty.insensible;
    denied_.push_back(posterior.wants_insensible(k));
  }
}

void ContactSpaceFilter::reset() noexcept {
  started_ = false;
  for (Block& block : blocks_) forget(block);
}

void ContactSpaceFilter::forget(Block& block) noexcept {
  block.x.setZero();
  block.P.setIdentity();
}

Status ContactSpaceFilter::check(const Residual& residual) const noexcept {
  if (const Status status = residual.current(); status != Status::ok) return status;
  if (residual.instant.endpoint_count() != static_cast<int>(estimates_.size()) ||
      residual.value.size() != residual.instant.motor_count() ||
      (residual.correlated && (residual.covariance.rows() != residual.instant.motor_count() ||
                               residual.covariance.cols() != residual.instant.motor_count()))) {
    return Status::wrong_size;
  }
  for (const Block& block : blocks_) {
    for (const int motor : block.rows) {
      const double variance = residual.variance[motor];
      if (!(variance > 0) || (std::isfinite(variance) && !std::isfinite(residual.value[motor]))) {
        return Status::not_finite;
      }
    }
  }
  return Status::ok;
}

double ContactSpaceFilter::remembered_wrench(double dt) const noexcept {
  return std::exp(-usable(dt) / options_.time_constant);
}
double ContactSpaceFilter::remembered_error(double dt) const noexcept {
  return std::exp(-usable(dt) / options_.error_time);
}

void ContactSpaceFilter::predict(Block& block, double dt) const noexcept {
  relax(block.L.cols(), remembered_wrench(dt), remembered_error(dt), block.x, block.P);
}

void ContactSpaceFilter::update(Block& block, const Residual& residual) const noexcept {
  block.nis = 0.0;
  block.evidence = 0;
  if (residual.correlated) {
    // An R that is none leaves NaN behind, as a sample that overflows does.
    if (!update_correlated(block, residual)) block.x.setConstant(kNaN);
    return;
  }
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    const int motor = block.rows[i];
    if (!std::isfinite(residual.variance[motor])) continue;
    // A tilt that nobody measured counts as noise of each row by itself: its correlation between rows is left out.
    const double tilt = residual.tilted ? residual.tilt.row(motor).squaredNorm() : 0.0;
    const double deviation = std::sqrt(residual.variance[motor] + tilt);
    block.row.setZero();
    for (std::size_t place = 0; place < block.endpoints.size(); ++place) {
      const auto at = static_cast<Eigen::Index>(6 * place);
      const Vector6 a = residual.instant.jacobian(block.endpoints[place]).col(motor);
      block.row.segment<6>(at) = -(block.L.block<6, 6>(at, at).transpose() * a) / deviation;
    }
    take_row(block, static_cast<Eigen::Index>(i), residual.value[motor] / deviation);
  }
}

/// The rows whitened by the factor of their R first: what is left of them is as independent as update() has it.
bool ContactSpaceFilter::update_correlated(Block& block, const Residual& residual) const noexcept {
  const auto height = static_cast<Eigen::Index>(block.rows.size());
  for (Eigen::Index j = 0; j < height; ++j) {
    const int motor = block.rows[static_cast<std::size_t>(j)];
    const bool evidence = std::isfinite(residual.variance[motor]);
    for (Eigen::Index i = 0; i < height; ++i) {
      const int other = block.rows[static_cast<std::size_t>(i)];
      block.R(i, j) = residual.covariance(other, motor);
      if (residual.tilted) block.R(i, j) += residual.tilt.row(other).dot(residual.tilt.row(motor));
    }
    if (!evidence) block.R(j, j) = kInfinity;
    block.y[j] = evidence ? residual.value[motor] : 0.0;
    for (std::size_t place = 0; place < block.endpoints.size(); ++place) {
      const auto at = static_cast<Eigen::Index>(6 * place);
      const Vector6 a = residual.instant.jacobian(block.endpoints[place]).col(motor);
      block.A.block<1, 6>(j, at) = -(block.L.block<6, 6>(at, at).transpose() * a).transpose();
      if (!evidence) block.A.block<1, 6>(j, at).setZero();
    }
  }
  if (!factor_noise(block.R)) return false;
  whiten(block.R, block.y);
  whiten(block.R, block.A);
  for (Eigen::Index j = 0; j < height; ++j) {
    if (!std::isfinite(residual.variance[block.rows[static_cast<std::size_t>(j)]])) continue;
    block.row.setZero();
    block.row.head(block.A.cols()) = block.A.row(j).transpose();
    take_row(block, j, block.y[j]);
  }
  return true;
}

/// One whitened row, its wrenches' part in block.row already.
void ContactSpaceFilter::take_row(Block& block, Eigen::Index row, double value) const noexcept {
  const double lasting = std::sqrt(options_.lasting_share), white = 1.0 - options_.lasting_share;
  block.row[block.L.cols() + row] = lasting;
  block.gain.noalias() = block.P * block.row;
  const double variance = block.row.dot(block.gain) + white;
  const double innovation = value - block.row.dot(block.x);
  block.nis += innovation * innovation / variance;
  ++block.evidence;
  block.gain /= variance;
  block.x += block.gain * innovation;
  // Joseph's form, (I − k b) P (I − k b)ᵀ + k v kᵀ, one factor at a time.
  block.product = variance * block.gain;
  block.P.noalias() -= block.gain * block.product.transpose();
  block.product.noalias() = block.P * block.row;
  block.product -= white * block.gain;
  block.P.noalias() -= block.product * block.gain.transpose();
  for (Eigen::Index c = 0; c < block.P.cols(); ++c) {
    for (Eigen::Index r = 0; r < c; ++r) block.P(r, c) = block.P(c, r) = 0.5 * (block.P(r, c) + block.P(c, r));
  }
}

void ContactSpaceFilter::describe(const Block& block, const VectorX& x, const MatrixX& P,
                                  std::vector<WrenchEstimate>& estimates) const noexcept {
  const double factor = -sign_factor(posterior_.sign);
  for (std::size_t place = 0; place < block.endpoints.size(); ++place) {
    const auto at = static_cast<Eigen::Index>(6 * place);
    const Matrix6 L = block.L.block<6, 6>(at, at);
    const Vector6 z = x.segment<6>(at);
    const Matrix6 product = L * P.block<6, 6>(at, at) * L.transpose();
    const Matrix6 covariance = 0.5 * (product + product.transpose());
    describe_posterior(factor * (L * z), covariance, L, posterior_.observable_sd,
                       estimates[static_cast<std::size_t>(block.endpoints[place])]);
  }
}

void ContactSpaceFilter::judge(const Block& block, const Matrix3& base,
                               std::vector<WrenchEstimate>& estimates) const noexcept {
  for (std::size_t place = 0; place < block.endpoints.size(); ++place) {
    const auto at = static_cast<Eigen::Index>(6 * place);
    const auto k = static_cast<std::size_t>(block.endpoints[place]);
    judge_posterior(posterior_, block.L.block<6, 6>(at, at), base, denied_[k] != 0, estimates[k]);
  }
}

const std::vector<WrenchEstimate>& ContactSpaceFilter::step(const Residual& residual, double dt) noexcept {
  Reasons reasons;
  if (started_ && std::isnan(dt)) reasons.add(Reason::gap);
  if (started_ && dt < 0) reasons.add(Reason::time_back);
  // Before the first step there is only the prior, which is stationary: any dt leaves it as it is.
  for (Block& block : blocks_) predict(block, dt);
  started_ = true;
  if (const Status status = check(residual); status != Status::ok) {
    for (WrenchEstimate& estimate : estimates_) {
      estimate.invalidate(status);
      estimate.reasons.add(residual.reasons | reasons);
    }
    return estimates_;
  }
  hourly_.step(residual.instant.observation().time);
  for (Block& block : blocks_) {
    update(block, residual);
    if (!std::isfinite(block.x.squaredNorm()) || !block.P.allFinite()) {
      forget(block);  // a sample that overflows must not be remembered
      for (const int k : block.endpoints) {
        estimates_[k].invalidate(Status::not_finite);
        estimates_[k].reasons.add(residual.reasons | reasons);
      }
      continue;
    }
    describe(block, block.x, block.P, estimates_);
    for (const int k : block.endpoints) {
      WrenchEstimate& estimate = estimates_[k];
      estimate.status = Status::ok;
      estimate.residual_kind = residual.kind;
      estimate.reasons = residual.reasons | reasons;
      estimate.uncertainty.nis = block.nis;
      estimate.uncertainty.nis_rows = block.evidence;
      estimate.uncertainty.nis_threshold = (residual.correlated ? hourly_ : limits_).limit(block.evidence);
      // What the past and the prior predict of these rows is one test; its parts are not told apart.
      estimate.uncertainty.misfit = {block.nis, estimate.uncertainty.nis_threshold, block.evidence};
      estimate.uncertainty.contact = estimate.uncertainty.reference = ConsistencyTest{};
    }
    judge(block, residual.instant.base_rotation(), estimates_);
  }
  return estimates_;
}

ContactSpaceSmoother::ContactSpaceSmoother(const InstantReader& reader, const PosteriorEstimator& posterior,
                                           ContactSpaceOptions options)
    : filter_(reader, posterior, options) {}

Status ContactSpaceSmoother::add(const Residual& residual, double dt) {
  Step step{dt, residual.instant.base_rotation(), {}, {}, filter_.step(residual, dt)};
  for (const ContactSpaceFilter::Block& block : filter_.blocks_) {
    step.x.push_back(block.x);
    step.P.push_back(block.P);
  }
  steps_.push_back(std::move(step));
  return filter_.check(residual);
}

std::vector<std::vector<WrenchEstimate>> ContactSpaceSmoother::smooth() const {
  std::vector<std::vector<WrenchEstimate>> results;
  for (const Step& step : steps_) {
    results.push_back(step.estimates);
    for (WrenchEstimate& estimate : results.back()) {
      if (estimate.status == Status::ok) {
        estimate.reasons.remove(Reason::uncertain | Reason::unobservable_direction | Reason::inconsistent |
                                Reason::insensible_direction | kTestAlarm);
        continue;
      }
      estimate.status = Status::ok;
      estimate.reasons.remove(Reason::invalid_input);
      estimate.reasons.add(Reason::gap);
      estimate.uncertainty.nis = 0.0;
      estimate.uncertainty.nis_threshold = kInfinity;
      estimate.uncertainty.misfit = estimate.uncertainty.contact = estimate.uncertainty.reference = ConsistencyTest{};
    }
  }
  for (std::size_t b = 0; b < filter_.blocks_.size(); ++b) {
    const ContactSpaceFilter::Block& block = filter_.blocks_[b];
    VectorX x;
    MatrixX P;
    for (std::size_t t = steps_.size(); t-- > 0;) {
      const Step& step = steps_[t];
      if (t + 1 == steps_.size()) {
        x = step.x[b];
        P = step.P[b];
      } else {
        const double wrench = filter_.remembered_wrench(steps_[t + 1].dt);
        const double error = filter_.remembered_error(steps_[t + 1].dt);
        VectorX predicted = step.x[b];
        MatrixX spread = step.P[b];
        relax(block.L.cols(), wrench, error, predicted, spread);
        VectorX forget = VectorX::Constant(predicted.size(), error);
        forget.head(block.L.cols()).setConstant(wrench);
        // G = P Φ S⁻¹ with the prediction's covariance S.
        const MatrixX G = spread.llt().solve(forget.asDiagonal() * step.P[b]).transpose();
        x = step.x[b] + G * (x - predicted);
        P = step.P[b] + G * (P - spread) * G.transpose();
      }
      filter_.describe(block, x, P, results[t]);
      filter_.judge(block, step.base, results[t]);
    }
  }
  return results;
}

const OptionTable& options_of(const ContactSpaceOptions&) {
  using O = ContactSpaceOptions;
  static const OptionTable table(
      "contact_space",
      {
          option("time_constant", "s", "after which a force is forgotten to 37 %",
                 "our choice: people push for 0.1 to 0.3 s and longer", &O::time_constant, kPositive),
          option("error_time", "s", "after which a lasting error of a torque is forgotten to 37 %",
                 "our choice: as the force, so that a still robot's force is neither taken for friction nor faded",
                 &O::error_time, kPositive),
          option("lasting_share", "1", "share of the residual's variance that lasts; the rest is white noise",
                 "the profile's figures: dry friction, which lasts, is most of it", &O::lasting_share, kBelowOne),
      });
  return table;
}

}  // namespace antaeus
