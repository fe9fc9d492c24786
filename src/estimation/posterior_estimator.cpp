#include "antaeus/estimation/posterior_estimator.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/signal/chi_squared.hpp"
#include "estimation/describe_posterior.hpp"

namespace antaeus {

namespace {

/// Probability at which an endpoint's own rows show a contact: rare enough that noise does not excuse its neighbour.
constexpr double kContactShown = 1e-3;

void check(const PosteriorOptions& o) {
  check_options(o);
  if (o.full_use_sd > o.observable_sd) {
    throw OptionsError("posterior.full_use_sd", "is above observable_sd", "make it the smaller of the two");
  }
}

/// Motors that speak for one endpoint.
std::vector<int> own_rows(const InstantReader& reader, const std::string& frame) {
  const RobotModel& model = reader.model();
  std::vector<int> motors = model.supporting_motors(model.frame(frame));
  const JointGroup* group = reader.profile().group_of(frame);
  std::erase_if(motors, [&](int motor) {
    if (motor == reader.reference_motor()) return true;
    if (!group) return false;
    const std::string& name = model.motor_names()[motor];
    return std::find(group->joints.begin(), group->joints.end(), name) == group->joints.end();
  });
  return motors;
}

}  // namespace

PosteriorEstimator::PosteriorEstimator(const InstantReader& reader, PosteriorOptions options)
    : options_(options), reference_(reader.reference_motor()) {
  check(options);
  const bool base = options.rows == PosteriorRows::all_and_base;
  if (base && reader.model().base() == Base::fixed) {
    throw ModelError(reader.model().description().name, "a fixed base has no base rows", "set posterior.rows=all");
  }
  const int count = reader.endpoint_count();
  Matrix6 prior = Matrix6::Zero();
  prior.diagonal().head<3>().setConstant(options.prior.force);
  if (options.contact == ContactKind::wrench) prior.diagonal().tail<3>().setConstant(options.prior.moment);
  prior_.assign(static_cast<std::size_t>(count), prior);
  block_index_.assign(static_cast<std::size_t>(count), 0);
  place_.assign(static_cast<std::size_t>(count), 0);

  // Endpoints that share a row belong to one block.
  std::vector<std::vector<int>> rows, members;
  for (int k = 0; k < count; ++k) {
    std::vector<int> mine;
    if (options.rows == PosteriorRows::own) {
      mine = own_rows(reader, reader.endpoint_names()[k]);
    } else {
      const auto frame = reader.model().frame(reader.endpoint_names()[k]);
      mine = reader.model().supporting_motors(frame);
      if (options.reference == ReferenceUse::exclude) std::erase(mine, reference_);
    }
    std::vector<int> joined = mine, endpoints{k};
    for (std::size_t b = rows.size(); b-- > 0;) {
      const bool shares = base || std::any_of(rows[b].begin(), rows[b].end(), [&](int row) {
                            return std::find(mine.begin(), mine.end(), row) != mine.end();
                          });
      if (!shares) continue;
      joined.insert(joined.end(), rows[b].begin(), rows[b].end());
      endpoints.insert(endpoints.begin(), members[b].begin(), members[b].end());
      rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(b));
      members.erase(members.begin() + static_cast<std::ptrdiff_t>(b));
    }
    std::sort(joined.begin(), joined.end());
    joined.erase(std::unique(joined.begin(), joined.end()), joined.end());
    std::sort(endpoints.begin(), endpoints.end());
    rows.push_back(std::move(joined));
    members.push_back(std::move(endpoints));
  }
  int most_rows = 0;
  for (std::size_t b = 0; b < rows.size(); ++b) {
    const int height = static_cast<int>(rows[b].size()) + (base ? 6 : 0);
    const int width = 6 * static_cast<int>(members[b].size());
    most_rows = std::max(most_rows, height);
    Block block{members[b],
                rows[b],
                base,
                MatrixX::Zero(height, width),
                MatrixX::Zero(width, width),
                VectorX::Zero(height),
                VectorX::Constant(height, 1.0),
                GaussianPosterior(height, width),
                height > 0 ? chi_squared_threshold(kContactShown, height) : kInfinity};
    for (std::size_t place = 0; place < members[b].size(); ++place) {
      block_index_[static_cast<std::size_t>(members[b][place])] = b;
      place_[static_cast<std::size_t>(members[b][place])] = static_cast<int>(place);
    }
    blocks_.push_back(std::move(block));
  }
  nis_thresholds_.push_back(kInfinity);
  for (int dof = 1; dof <= most_rows + 1; ++dof) {
    nis_thresholds_.push_back(chi_squared_threshold(options.false_alarm, dof));
  }
  estimates_.residual.value.setConstant(reader.model().motor_count(), kNaN);
  estimates_.residual.variance = estimates_.residual.value;
  estimates_.endpoints.resize(static_cast<std::size_t>(count));
  for (WrenchEstimate& estimate : estimates_) {
    estimate.reset(reader.model().motor_count());
    estimate.sign = options.sign;
    estimate.reference_motor = reference_;
    estimate.has_covariance = true;
  }
}

Status PosteriorEstimator::set_known_direction(int endpoint, const Vector3& direction) noexcept {
  if (endpoint < 0 || endpoint >= static_cast<int>(prior_.size())) return Status::wrong_size;
  const double length = direction.norm();
  if (!std::isfinite(length) || !(length > 0)) return Status::not_finite;
  Matrix6& prior = prior_[endpoint];
  prior.setZero();
  prior.col(0).head<3>() = options_.prior.force * direction / length;
  return Status::ok;
}

double PosteriorEstimator::log_evidence() const noexcept {
  double sum = 0.0;
  for (const Block& block : blocks_) sum += block.posterior.log_evidence();
  return sum;
}

const PosteriorEstimates& PosteriorEstimator::solve(const Residual& residual) noexcept {
  const Instant& now = residual.instant;
  Status status = residual.current();
  if (status == Status::ok &&
      (now.endpoint_count() != static_cast<int>(estimates_.size()) ||
       now.motor_count() != std::ssize(estimates_.residual.value) || residual.value.size() != now.motor_count())) {
    status = Status::wrong_size;
  }
  estimates_.instant = now;
  estimates_.moving = residual.moving;
  if (status != Status::ok) {
    Residual& kept = estimates_.residual;
    kept.instant = now;
    kept.status = status;
    kept.reasons = residual.reasons;
    kept.value.setConstant(kNaN);
    kept.variance.setConstant(kNaN);
    for (WrenchEstimate& estimate : estimates_) {
      estimate.invalidate(status);
      estimate.reasons.add(residual.reasons);
    }
    return estimates_;
  }
  estimates_.residual = residual;
  for (Block& block : blocks_) solve_block(block, residual);
  test_reference(residual);
  for (WrenchEstimate& estimate : estimates_) judge(estimate, residual);
  return estimates_;
}

void PosteriorEstimator::solve_block(Block& block, const Residual& residual) noexcept {
  const Eigen::Index base = block.base ? 6 : 0;
  if (block.base) {
    // Quasi-static balance is false as soon as anything accelerates: then the rows are left out, and said to be.
    block.y.head<6>() = residual.instant.base_residual();
    block.variance.head<3>().setConstant(options_.base_rows.force_sd * options_.base_rows.force_sd);
    block.variance.segment<3>(3).setConstant(options_.base_rows.moment_sd * options_.base_rows.moment_sd);
    if (residual.moving) block.variance.head<6>().setConstant(kInfinity);
  }
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    const int motor = block.rows[i];
    block.y[base + static_cast<Eigen::Index>(i)] = residual.value[motor];
    block.variance[base + static_cast<Eigen::Index>(i)] = residual.variance[motor];
  }
  for (std::size_t place = 0; place < block.endpoints.size(); ++place) {
    const int k = block.endpoints[place];
    const auto column = 6 * static_cast<Eigen::Index>(place);
    const Matrix6X& J = residual.instant.jacobian(k);
    if (block.base) block.A.block<6, 6>(0, column) = residual.instant.base_jacobian(k).transpose();
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      block.A.block<1, 6>(base + static_cast<Eigen::Index>(i), column) = J.col(block.rows[i]).transpose();
    }
    block.L.block<6, 6>(column, column) = prior_[k];
  }
  // A reference row that is admitted by its innovation is left out first, and enters with a variance that its own
  // innovation has shown to be needed.
  const auto at = std::find(block.rows.begin(), block.rows.end(), reference_);
  const bool admitted = options_.reference == ReferenceUse::innovation && at != block.rows.end() &&
                        std::isfinite(residual.variance[reference_]);
  const Eigen::Index row = base + (at - block.rows.begin());
  if (admitted) block.variance[row] = kInfinity;
  Status status = block.posterior.compute(block.A, block.y, block.variance, block.L);
  double nis = block.posterior.nis();
  double admitted_innovation = kNaN, admitted_sd = kNaN;
  if (admitted && status == Status::ok) {
    double explained = 0.0, spread = 0.0;
    for (Eigen::Index i = 0; i < block.A.cols(); ++i) {
      explained += block.A(row, i) * block.posterior.mean()[i];
      double product = 0.0;
      for (Eigen::Index j = 0; j < block.A.cols(); ++j) product += block.posterior.covariance()(i, j) * block.A(row, j);
      spread += block.A(row, i) * product;
    }
    const double stated = residual.variance[reference_];
    const double expected = stated + spread, innovation = block.y[row] - explained;
    // The test is of the stated variance, the estimate uses the raised one: else no fault could ever show.
    admitted_innovation = innovation;
    admitted_sd = std::sqrt(expected);
    nis += innovation * innovation / expected;
    const double quarter = 0.25 * innovation * innovation / expected;
    block.variance[row] = std::max(stated, expected * std::max(1.0, quarter) - spread);
    status = block.posterior.compute(block.A, block.y, block.variance, block.L);
  }
  const double factor = sign_factor(options_.sign);
  for (std::size_t place = 0; place < block.endpoints.size(); ++place) {
    WrenchEstimate& estimate = estimates_[static_cast<std::size_t>(block.endpoints[place])];
    if (status != Status::ok) {
      estimate.invalidate(status);
      continue;
    }
    const auto column = 6 * static_cast<Eigen::Index>(place);
    const Vector6 w = factor * block.posterior.mean().segment<6>(column);
    const auto covariance = block.posterior.covariance().block<6, 6>(column, column);
    if (!Wrench::from_vector(w).is_measurable() || !covariance.allFinite()) {
      estimate.invalidate(Status::not_finite);
      continue;
    }
    estimate.status = Status::ok;
    estimate.residual_kind = residual.kind;
    estimate.reasons = residual.reasons;
    if (block.base && residual.moving) estimate.reasons.add(Reason::base_rows_dropped);
    estimate.gain.setZero();
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      estimate.gain.col(block.rows[i]) =
          factor * block.posterior.gain().block<6, 1>(column, base + static_cast<Eigen::Index>(i));
    }
    describe_posterior(w, covariance, prior_[block.endpoints[place]], options_.observable_sd, estimate);
    Uncertainty& u = estimate.uncertainty;
    u.nis = nis;
    u.nis_rows = block.posterior.evidence_rows();
    u.innovation = admitted_innovation;
    u.innovation_sd = admitted_sd;
  }
}

void PosteriorEstimator::test_reference(const Residual& residual) noexcept {
  const bool tested = reference_ >= 0 && std::isfinite(residual.variance[reference_]);
  const double factor = sign_factor(options_.sign);
  for (std::size_t k = 0; k < estimates_.size(); ++k) {
    WrenchEstimate& estimate = estimates_[k];
    if (estimate.status != Status::ok) continue;
    Uncertainty& u = estimate.uncertainty;
    const Block& mine = blocks_[block_index_[k]];
    const bool evidence = std::find(mine.rows.begin(), mine.rows.end(), reference_) != mine.rows.end();
    // A row that was admitted by its innovation has that innovation already.
    const bool known = std::isfinite(u.innovation);
    if (tested && !known && !residual.instant.jacobian(static_cast<int>(k)).col(reference_).isZero(0.0)) {
      double explained = 0.0, variance = residual.variance[reference_];
      for (std::size_t o = 0; o < estimates_.size(); ++o) {
        const Block& block = blocks_[block_index_[o]];
        const bool admitted = o == k || block.posterior.null_nis() > block.threshold_null || &block == &mine;
        if (!admitted || estimates_[o].status != Status::ok) continue;
        const Vector6 a = residual.instant.jacobian(static_cast<int>(o)).col(reference_);
        explained += factor * a.dot(estimates_[o].wrench.to_vector());
        variance += a.dot(estimates_[o].uncertainty.covariance * a);
      }
      u.innovation = residual.value[reference_] - explained;
      u.innovation_sd = std::sqrt(variance);
      // A row that is already among the evidence has been tested with it.
      if (!evidence) {
        u.nis += u.innovation * u.innovation / variance;
        ++u.nis_rows;
      }
    }
    const auto dof = std::min(static_cast<std::size_t>(u.nis_rows), nis_thresholds_.size() - 1);
    u.nis_threshold = nis_thresholds_[dof];
  }
}

void PosteriorEstimator::judge(WrenchEstimate& estimate, const Residual& residual) const noexcept {
  if (estimate.status != Status::ok) return;
  estimate.residual = residual.value;
  estimate.reference_residual = reference_ >= 0 ? residual.value[reference_] : kNaN;
  if (reference_ >= 0) estimate.reference_gain = estimate.gain.col(reference_);
  judge_posterior(options_, estimate);
}

const OptionTable& options_of(const PosteriorOptions&) {
  using O = PosteriorOptions;
  static const OptionTable table(
      "posterior",
      {
          following(Follows::sign, 1.0,
                    option("sign", "", "whose wrench is reported: on_robot or on_environment",
                           "docs/notation.md#sign: estimator.sign where it is set, else the profile's deployed sign, "
                           "else Antaeus' convention",
                           &O::sign)),
          option("rows", "", "own, all, or all_and_base: which torques speak for an endpoint",
                 "docs/estimator_study.md#posterior: the arm's own rows need no model of feet, gantry or torso",
                 &O::rows),
          option("reference", "", "exclude, innovation or trust: what the shared joint's torque is used for",
                 "docs/estimator_study.md#rows: an unexplained torso torque reads as 1.5 N, trusted as 310 N",
                 &O::reference),
          option("contact", "", "wrench, or force: no moment about the endpoint's origin",
                 "docs/estimator_study.md#priors: for a push 8 cm off the wrist, moments taken for zero double the "
                 "error (1.6 to 3.3 N)",
                 &O::contact),
          part(&O::prior),
          following(
              Follows::force, 1.0 / 6.0,
              option("full_use_sd", "N", "sd in the worst direction up to which a force is used without reservation",
                     "docs/estimator_study.md#guards: 64 % of 4000 random poses of the H1-2's arm are below its 5 N",
                     &O::full_use_sd, kPositive)),
          following(
              Follows::force, 0.4,
              option("observable_sd", "N", "sd up to which a direction counts as observed",
                     "docs/estimator_study.md#guards: 13 % of 4000 random poses of the H1-2's arm are above its 12 N",
                     &O::observable_sd, kPositive)),
          option("false_alarm", "1", "probability per sample that the NIS test calls noise a contradiction",
                 "half of the one in a hundred that is allowed in RE1 and RE2", &O::false_alarm, kProbability),
          part(&O::base_rows),
      });
  return table;
}
const OptionGroup kPosteriorOptions(PosteriorOptions{});

}  // namespace antaeus
