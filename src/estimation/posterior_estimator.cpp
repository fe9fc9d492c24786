#include "antaeus/estimation/posterior_estimator.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/in_place.hpp"
#include "antaeus/core/option_table.hpp"
#include "core/decompositions.hpp"
#include "estimation/describe_posterior.hpp"

namespace antaeus {

namespace {

/// Unknowns of a tilt: about the base's two horizontal axes.
constexpr Eigen::Index kTilts = 2;

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

/// How much of the square of what a filter holds back is added to the covariance: all of it where it stands out from
/// its noise, and nothing where it does not. White noise through a Butterworth low pass gives √2/ω times the rate twice
/// the variance of the value; noise of differenced velocities gives more, which is measured. The positive part of the
/// shrinkage factor for three unknowns. Source: Baranchik, Stanford Technical Report 51 (1964); Efron & Morris, JASA 68
/// (1973), §2, with 3 in place of 1: less of the noise passes.
/// \param noise  of the force that is held back, measured [N²]
double share_of_lag(const Vector3& held_back, const Matrix3& covariance, const Matrix3& noise) noexcept {
  constexpr double kUnknowns = 3.0, kWhite = 2.0;
  const Matrix3 S = kWhite * covariance + noise;
  const double square = held_back.dot(S.ldlt().solve(held_back));
  return square > kUnknowns ? 1.0 - kUnknowns / square : 0.0;
}

/// share_of_lag() where noise alone comes once in 60 000 samples: 25 of χ² with three degrees of freedom.
constexpr double kStandsOut = 1.0 - 3.0 / 25.0;

/// Whether a consumer that needs these directions gets one of them in no pose: more than are sensed at all, or an axis
/// of which so much lies in a direction that is never sensed that no torque can remove enough of the prior.
bool wants_more(ForceWant want, const SensedForce& sensed) {
  int wanted = 0;
  bool never = false;
  for (int axis = 0; axis < 3; ++axis) {
    if (!wants_axis(want, axis)) continue;
    ++wanted;
    never = never || sensed.never(Vector3::Unit(axis)) > 1.0 - kLeastInformation;
  }
  return never || wanted > 3 - sensed.insensible;
}

}  // namespace

PosteriorEstimator::PosteriorEstimator(const InstantReader& reader, PosteriorOptions options)
    : options_(options), reference_(reader.reference_motor()), floating_(reader.model().base() == Base::free_flyer) {
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
  // What carries the robot is no push of a hand's size: with that prior its weight would be sought elsewhere.
  for (int k = 0; base && k < count; ++k) {
    const Endpoint* known = reader.profile().find_endpoint(reader.endpoint_names()[static_cast<std::size_t>(k)]);
    if (!known || known->kind != EndpointKind::foot) continue;
    Matrix6& foot = prior_[static_cast<std::size_t>(k)];
    foot.diagonal().head<3>().setConstant(options.base_rows.foot_force);
    if (options.contact == ContactKind::wrench) foot.diagonal().tail<3>().setConstant(options.base_rows.foot_moment);
  }
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
  int most_rows = 0, all_rows = 1, most_unknowns = 0;
  for (std::size_t b = 0; b < rows.size(); ++b) {
    const int height = static_cast<int>(rows[b].size()) + (base ? 6 : 0);
    const int width = 6 * static_cast<int>(members[b].size()) + (floating_ ? static_cast<int>(kTilts) : 0);
    most_rows = std::max(most_rows, height);
    most_unknowns = std::max(most_unknowns, width);
    all_rows += height;
    Block block{.endpoints = members[b],
                .rows = rows[b],
                .base = base,
                .A = MatrixX::Zero(height, width),
                .L = MatrixX::Zero(width, width),
                .y = VectorX::Zero(height),
                .variance = VectorX::Constant(height, 1.0),
                .R = MatrixX::Identity(height, height),
                .reference = VectorX::Zero(width),
                .shared = VectorX::Zero(width),
                .posterior = GaussianPosterior(height, width),
                .threshold_null = contact_threshold(height)};
    for (std::size_t place = 0; place < members[b].size(); ++place) {
      block_index_[static_cast<std::size_t>(members[b][place])] = b;
      place_[static_cast<std::size_t>(members[b][place])] = static_cast<int>(place);
    }
    blocks_.push_back(std::move(block));
  }
  joint_.S.setZero(all_rows, all_rows);
  joint_.R = joint_.S;
  joint_.inverse = joint_.S;
  joint_.stated.setZero(all_rows);
  joint_.AL.setZero(all_rows, most_unknowns);
  joint_.r.setZero(all_rows);
  joint_.factor = joint_.S;
  joint_.whitened = joint_.r;
  joint_.motors.reserve(static_cast<std::size_t>(all_rows));
  joint_.block_of.reserve(static_cast<std::size_t>(all_rows));
  limits_ = limits_of_figures(options, most_rows);
  hourly_ = limits_of_identified(options, static_cast<int>(blocks_.size()), reference_ >= 0, most_rows);
  estimates_.residual.value.setConstant(reader.model().motor_count(), kNaN);
  estimates_.residual.variance = estimates_.residual.value;
  estimates_.residual.lag = estimates_.residual.lag_variance = estimates_.residual.value;
  estimates_.residual.tilt.setZero(reader.model().motor_count(), kTilts);
  estimates_.residual.covariance.setConstant(reader.model().motor_count(), reader.model().motor_count(), kNaN);
  estimates_.row_precision = estimates_.row_redundancy = estimates_.row_test = estimates_.residual.value;
  estimates_.endpoints.resize(static_cast<std::size_t>(count));
  for (WrenchEstimate& estimate : estimates_) {
    estimate.reset(reader.model().motor_count());
    estimate.sign = options.sign;
    estimate.reference_motor = reference_;
    estimate.has_covariance = true;
  }
  for (int k = 0; k < count; ++k) {
    // Base rows see every force.
    sensed_.push_back(base ? SensedForce() : sensed_force(reader.model(), reader.frame(k), this->rows(k)));
    denied_.push_back(wants_more(options.want, sensed_.back()));
    estimates_[static_cast<std::size_t>(k)].uncertainty.insensible = sensed_.back().excused();
  }
}

Status PosteriorEstimator::set_known_direction(int endpoint, const Vector3& direction) noexcept {
  if (endpoint < 0 || endpoint >= static_cast<int>(prior_.size())) return Status::wrong_size;
  const double length = direction.norm();
  if (!std::isfinite(length) || !(length > 0)) return Status::not_finite;
  Matrix6& prior = prior_[endpoint];
  prior.setZero();
  prior.col(0).head<3>() = options_.prior.force * direction / length;
  // The force is declared to be zero in every other direction: none is left to excuse, or to deny.
  estimates_[static_cast<std::size_t>(endpoint)].uncertainty.insensible = 0;
  denied_[endpoint] = 0;
  return Status::ok;
}

std::vector<std::string> sensed_sentences(const Robot& robot, const std::vector<std::string>& frames,
                                          const PosteriorOptions& options) {
  if (robot.model.motor_count() == 0 || frames.empty()) return {};
  const InstantReader reader(robot, frames);
  const PosteriorEstimator posterior(reader, options);
  std::vector<std::string> sentences;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const auto endpoint = static_cast<int>(k);
    std::string text = posterior.sensed(endpoint).text();
    if (options.want != ForceWant::sensed) {
      const std::string want = "posterior.want=" + std::string(to_string(options.want));
      text += (text.empty() ? "" : "; ") + want +
              (posterior.wants_insensible(endpoint) ? " needs what it does not sense: every number is refused"
                                                    : ": its verdicts are of these axes of the base");
    }
    if (!text.empty()) sentences.push_back(robot.profile.label_of(frames[k]) + ": " + text);
  }
  return sentences;
}

double PosteriorEstimator::log_evidence() const noexcept {
  double sum = 0.0;
  for (const Block& block : blocks_) sum += block.posterior.log_evidence();
  return sum;
}

const PosteriorEstimates& PosteriorEstimator::solve(const Residual& residual) noexcept {
  const Instant& now = residual.instant;
  Status status = residual.current();
  if (status == Status::ok) hourly_.step(now.observation().time);
  if (status == Status::ok &&
      (now.endpoint_count() != static_cast<int>(estimates_.size()) ||
       now.motor_count() != std::ssize(estimates_.residual.value) || residual.value.size() != now.motor_count() ||
       residual.lag.size() != residual.lag_variance.size() ||
       (residual.lag.size() > 0 && residual.lag.size() != now.motor_count()) ||
       (residual.correlated &&
        (residual.covariance.rows() != now.motor_count() || residual.covariance.cols() != now.motor_count())))) {
    status = Status::wrong_size;
  }
  estimates_.instant = now;
  estimates_.moving = residual.moving;
  if (status != Status::ok) {
    copy_in_place(residual, estimates_.residual);
    estimates_.residual.status = status;
    set_nan(estimates_.residual, estimates_.row_precision, estimates_.row_redundancy, estimates_.row_test);
    for (WrenchEstimate& estimate : estimates_) {
      estimate.invalidate(status);
      estimate.residual_kind = residual.kind;
      estimate.reasons.add(residual.reasons);
    }
    return estimates_;
  }
  copy_in_place(residual, estimates_.residual);
  for (Block& block : blocks_) {
    fill(block, residual);
    compute(block);
    note_tests(block);
  }
  residual.correlated ? test_correlated_rows() : test_rows(residual);
  for (Block& block : blocks_) {
    if (options_.reference == ReferenceUse::innovation) readmit_reference(block);
    describe(block, residual);
  }
  return estimates_;
}

bool PosteriorEstimator::has_reference(const Block& block) const noexcept {
  return std::find(block.rows.begin(), block.rows.end(), reference_) != block.rows.end();
}

void PosteriorEstimator::fill(Block& block, const Residual& residual) noexcept {
  const Eigen::Index base = block.base_rows(), tilts = block.A.cols() - kTilts;
  if (block.base) {
    // Quasi-static balance is false as soon as anything accelerates: then the rows are left out, and said to be.
    block.y.head<6>() = residual.instant.base_residual();
    block.variance.head<3>().setConstant(options_.base_rows.force_sd * options_.base_rows.force_sd);
    block.variance.segment<3>(3).setConstant(options_.base_rows.moment_sd * options_.base_rows.moment_sd);
    if (residual.moving) block.variance.head<6>().setConstant(kInfinity);
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
    if (reference_ >= 0) block.reference.segment<6>(column) = J.col(reference_);
  }
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    const int motor = block.rows[i];
    const Eigen::Index row = base + static_cast<Eigen::Index>(i);
    block.y[row] = residual.value[motor];
    // A reference row that is admitted by its innovation is left out first.
    const bool later = motor == reference_ && options_.reference == ReferenceUse::innovation;
    block.variance[row] = later ? kInfinity : residual.variance[motor];
    if (residual.tilted) block.A.block<1, kTilts>(row, tilts) = residual.tilt.row(motor);
  }
  if (residual.tilted) block.L.bottomRightCorner<kTilts, kTilts>().setIdentity();
  if (!residual.correlated) return;
  block.R.setZero();
  for (std::size_t j = 0; j < block.rows.size(); ++j) {
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      block.R(base + static_cast<Eigen::Index>(i), base + static_cast<Eigen::Index>(j)) =
          residual.covariance(block.rows[i], block.rows[j]);
    }
  }
  block.R.diagonal() = block.variance;
}

void PosteriorEstimator::compute(Block& block) const noexcept {
  const Eigen::Index n = estimates_.residual.tilted ? block.A.cols() : 6 * std::ssize(block.endpoints);
  if (estimates_.residual.correlated) {
    block.posterior.compute_correlated(block.A.leftCols(n), block.y, block.R, block.L.topLeftCorner(n, n));
  } else {
    block.posterior.compute(block.A.leftCols(n), block.y, block.variance, block.L.topLeftCorner(n, n));
  }
}

/// What the tests need, before the reference row may be readmitted with another variance.
void PosteriorEstimator::note_tests(Block& block) noexcept {
  block.nis = block.posterior.nis();
  block.misfit = block.posterior.misfit();
  block.evidence = block.posterior.evidence_rows();
  block.misfit_rows = block.posterior.misfit_rows();
  block.shows_contact = block.posterior.null_nis() > block.threshold_null;
}

/// The reference row enters with a variance that its own innovation has shown to be needed. The tests were of the
/// stated one: else no fault could ever show.
void PosteriorEstimator::readmit_reference(Block& block) noexcept {
  if (block.posterior.status() != Status::ok || !has_reference(block) || !std::isfinite(innovation_)) return;
  const auto at = std::find(block.rows.begin(), block.rows.end(), reference_);
  const double stated = estimates_.residual.variance[reference_], expected = innovation_sd_ * innovation_sd_;
  const double quarter = 0.25 * innovation_ * innovation_ / expected;
  const Eigen::Index row = block.base_rows() + (at - block.rows.begin());
  block.variance[row] = std::max(stated, expected * std::max(1.0, quarter) - (expected - stated));
  block.R(row, row) = block.variance[row];  // its covariances with the others stay
  compute(block);
}

void PosteriorEstimator::describe(const Block& block, const Residual& residual) noexcept {
  const Eigen::Index base = block.base_rows();
  const double factor = sign_factor(options_.sign);
  for (std::size_t place = 0; place < block.endpoints.size(); ++place) {
    const int k = block.endpoints[place];
    WrenchEstimate& estimate = estimates_[static_cast<std::size_t>(k)];
    estimate.residual_kind = residual.kind;  // also of one that is none: nothing of the sample before may stay
    if (block.posterior.status() != Status::ok) {
      estimate.invalidate(block.posterior.status());
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
    estimate.reasons = residual.reasons;
    if (block.base && residual.moving) estimate.reasons.add(Reason::base_rows_dropped);
    estimate.gain.setZero();
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      estimate.gain.col(block.rows[i]) =
          factor * block.posterior.gain().block<6, 1>(column, base + static_cast<Eigen::Index>(i));
    }
    Vector6 held_back = Vector6::Zero();
    double lag_share = 0.0;
    if (residual.lag.size() > 0 && !residual.lag.isZero(0.0)) {
      Matrix3 lag_noise = Matrix3::Zero();
      for (const int row : block.rows) {
        const Vector6 gain = estimate.gain.col(row);
        held_back += gain * residual.lag[row];
        lag_noise += gain.head<3>() * gain.head<3>().transpose() * residual.lag_variance[row];
      }
      lag_share = share_of_lag(held_back.head<3>(), covariance.topLeftCorner<3, 3>(), lag_noise);
    }
    describe_posterior(w, covariance, prior_[k], options_.observable_sd, estimate);
    Uncertainty& u = estimate.uncertainty;
    u.misfit = test_of(block.misfit, block.misfit_rows);
    u.contact = test_of(std::max(block.nis - block.misfit, 0.0), block.evidence - block.misfit_rows);
    const bool loads =
        reference_ >= 0 && std::isfinite(innovation_) && !residual.instant.jacobian(k).col(reference_).isZero(0.0);
    u.reference = loads ? test_of(std::pow(estimates_.row_test[reference_], 2), 1) : ConsistencyTest{};
    u.innovation = loads ? innovation_ : kNaN;
    u.innovation_sd = loads ? innovation_sd_ : kNaN;
    u.nis = block.nis;
    u.nis_rows = block.evidence;
    // A reference row that is trusted is among the block's rows already.
    if (loads && !(options_.reference == ReferenceUse::trust && has_reference(block))) add_nis(block, u);
    u.nis_threshold = limits().limit(u.nis_rows);
    estimate.residual = residual.value;
    estimate.reference_residual = reference_ >= 0 ? residual.value[reference_] : kNaN;
    if (reference_ >= 0) estimate.reference_gain = estimate.gain.col(reference_);
    judge_posterior(options_, prior_[k], residual.instant.base_rotation(), denied_[k] != 0, estimate);
    if (!(lag_share > 0.0) || estimate.status != Status::ok) continue;
    // The verdict is of the doubt without it: noise of the rate passes now and then, and must not take `ok` away.
    const double before = u.worst_sd();
    describe_posterior(w, covariance + lag_share * held_back * held_back.transpose(), prior_[k], options_.observable_sd,
                       estimate);
    if (lag_share > kStandsOut && u.worst_sd() > options_.full_use_sd && before <= options_.full_use_sd) {
      estimate.reasons.add(Reason::transient);
      estimate.verdict = std::max(estimate.verdict, Verdict::degraded);
    }
  }
}

const OptionTable& options_of(const PosteriorOptions&) {
  using O = PosteriorOptions;
  static const OptionTable table(
      "posterior",
      {
          following(Follows::sign, 1.0,
                    option("sign", "", "whose wrench is reported: on_robot or on_environment",
                           "docs/concepts/notation.md#sign: estimator.sign where it is set, else the profile's "
                           "deployed sign, else Antaeus' convention",
                           &O::sign)),
          option("rows", "", "own, all, or all_and_base: which torques speak for an endpoint",
                 "docs/validation.md#posterior: the arm's own rows need no model of feet, gantry or torso", &O::rows),
          option("reference", "", "exclude, innovation or trust: what the shared joint's torque is used for",
                 "docs/validation.md#rows: an unexplained torso torque reads as 1.5 N, trusted as 310 N",
                 &O::reference),
          option("contact", "", "wrench, or force: no moment about the endpoint's origin",
                 "docs/validation.md#priors: for a push 8 cm off the wrist, moments taken for zero "
                 "double the "
                 "error (1.6 to 3.3 N)",
                 &O::contact),
          option("want", "",
                 "sensed, or axes of the base: the directions that the consumer needs, and the verdict is of",
                 "our choice: every direction that the limb can sense in some pose", &O::want),
          part(&O::prior),
          following(
              Follows::force, 1.0 / 6.0,
              option("full_use_sd", "N", "sd in the worst direction up to which a force is used without reservation",
                     "docs/validation.md#guards: 64 % of 4000 random poses of the H1-2's arm are below "
                     "its 5 N",
                     &O::full_use_sd, kPositive)),
          following(Follows::force, 0.4,
                    option("observable_sd", "N", "sd up to which a direction counts as observed",
                           "docs/validation.md#guards: 13 % of 4000 random poses of the H1-2's arm are "
                           "above its 12 N",
                           &O::observable_sd, kPositive)),
          option("false_alarm", "1", "probability per sample that a consistency test alarms while all is as assumed",
                 "our choice: one in 200, each test at this rate", &O::false_alarm, kProbability),
          option("false_alarms_per_hour", "1/h",
                 "false alarms of all tests together where the noise was identified; 0: false_alarm there too",
                 "IdentifiedTests: none in five runs held out, 12 N·m at the torso seen in all samples at rest; at 10 "
                 "an hour in 73 %",
                 &O::false_alarms_per_hour, kNotNegative),
          part(&O::base_rows),
      });
  return table;
}
const OptionGroup kPosteriorOptions(PosteriorOptions{});

}  // namespace antaeus
