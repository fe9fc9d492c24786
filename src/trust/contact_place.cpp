#include "antaeus/trust/contact_place.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/in_place.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/numerics/whiten.hpp"
#include "antaeus/signal/chi_squared.hpp"

namespace antaeus {

namespace {

/// Where on the way from a link's joint to the next one it is tried; the last point is the centre of mass.
constexpr std::array<double, 3> kAlongLink = {0.0, 0.5, 1.0};
/// Of these points those at which a moment is tried too: the joints. A force alone, somewhere, has half of a link's
/// probability, a force with a moment the other half.
constexpr std::array<std::size_t, 2> kAtJoints = {0, 2};
constexpr double kPointWeight = 0.5 / 4.0, kWrenchWeight = 0.5 / 2.0;
/// Shares of the endpoint's moment prior, all as probable: the whole of it is twice as probable as a part.
constexpr std::array<double, 4> kMomentShares = {1.0, 1.0, 0.3, 0.05};
/// χ² of three degrees of freedom that 5 % exceed: a force within it claims nothing.
constexpr double kClaimed = 7.8147279;
/// [1] of the force's prior: what is used without reservation (PosteriorOptions::full_use_sd, by default a quarter of
/// it). A smaller force does no harm at the wrong place, and friction that no figure knows looks like one.
constexpr double kHarmless = 0.25;
/// What a force at the endpoint may explain less than the best push elsewhere, χ², and still be on its line of action.
constexpr double kSameLine = 0.3;

/// Causes that are computed side by side: n unknowns x ~ N(0, I) each, G = BᵀB and b = Bᵀy of each lane.
template <int n, int lanes>
struct Lanes {
  using Lane = Eigen::Array<double, lanes, 1>;
  std::array<std::array<Lane, n>, n> G;  ///< the lower triangle
  std::array<Lane, n> b;
  Lane square, determinant;  ///< bᵀ(1 + G)⁻¹b, what is gone from the NIS; det(1 + G)

  /// Leaves the factor L D Lᵀ of 1 + G in G, and L⁻¹b in b. Every pivot is at least 1.
  void solve() noexcept {
    square.setZero();
    determinant.setOnes();
    for (int j = 0; j < n; ++j) {
      G[j][j] += 1.0;
      const Lane inverse = 1.0 / G[j][j];
      determinant *= G[j][j];
      square += b[j] * b[j] * inverse;
      for (int i = j + 1; i < n; ++i) {
        const Lane share = G[i][j] * inverse;
        for (int k = i; k < n; ++k) G[k][i] -= share * G[k][j];
        b[i] -= share * b[j];
      }
    }
  }
};

/// Gram matrix of pushes at points whose levers from the endpoint's origin are d, in sds of their force; with six
/// unknowns also of the moment about the point, in its sds. M and h: what the rows say of a wrench at the endpoint.
template <int n, int lanes>
void fill_pushes(const Matrix6& M, const Vector6& h, const std::array<Eigen::Array<double, lanes, 1>, 3>& d, double sd,
                 double moment_sd, Lanes<n, lanes>& push) noexcept {
  using Lane = Eigen::Array<double, lanes, 1>;
  std::array<std::array<Lane, 3>, 3> K, N;  // M_fm [d]× and M_mm [d]×: rows cross d
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const int p = (j + 1) % 3, q = (j + 2) % 3;
      K[i][j] = M(i, 3 + p) * d[q] - M(i, 3 + q) * d[p];
      N[i][j] = M(3 + i, 3 + p) * d[q] - M(3 + i, 3 + q) * d[p];
    }
  }
  const double square = sd * sd;
  for (int j = 0; j < 3; ++j) {
    for (int i = j; i < 3; ++i) {
      const int p = (i + 1) % 3, q = (i + 2) % 3;
      push.G[i][j] = square * (M(i, j) + K[i][j] + K[j][i] - d[p] * N[q][j] + d[q] * N[p][j]);
    }
    const int p = (j + 1) % 3, q = (j + 2) % 3;
    push.b[j] = sd * (h[j] + h[3 + p] * d[q] - h[3 + q] * d[p]);
  }
  if constexpr (n == 6) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) push.G[3 + i][j] = sd * moment_sd * (M(3 + i, j) + N[i][j]);
      for (int j = 0; j <= i; ++j) push.G[3 + i][3 + j].setConstant(moment_sd * moment_sd * M(3 + i, 3 + j));
      push.b[3 + i].setConstant(moment_sd * h[3 + i]);
    }
  }
}

/// The motors whose torques speak of this endpoint and no other, from the limb's root. Rows that endpoints share would
/// have to be explained together with what touches the others.
std::vector<int> limb_rows(const InstantReader& reader, const PosteriorEstimator& posterior, int endpoint) {
  const RobotModel& model = reader.model();
  std::vector<int> rows;
  const std::vector<int> carriers = model.supporting_motors(reader.frame(endpoint));
  for (const int motor : posterior.rows(endpoint)) {
    bool mine = std::find(carriers.begin(), carriers.end(), motor) != carriers.end();
    for (int other = 0; other < reader.endpoint_count(); ++other) {
      if (other == endpoint) continue;
      const std::vector<int> theirs = model.supporting_motors(reader.frame(other));
      mine = mine && std::find(theirs.begin(), theirs.end(), motor) == theirs.end();
    }
    const bool later = motor == reader.reference_motor() && posterior.options().reference == ReferenceUse::innovation;
    if (mine && !later) rows.push_back(motor);
  }
  const auto depth = [&](int motor) {
    return model.supporting_motors(model.frame(model.motor_names()[static_cast<std::size_t>(motor)])).size();
  };
  std::stable_sort(rows.begin(), rows.end(), [&](int a, int b) { return depth(a) < depth(b); });
  return rows;
}

/// Whether the rows share errors.
bool dense(const Residual& residual) noexcept { return residual.correlated || residual.tilted; }

/// Of each body its centre of mass in the axes of its joint, by that joint's name; the joint itself where it is
/// unknown.
Vector3 mass_centre_behind(const RobotModel& model, const VectorX& parameters, const std::string& joint) {
  for (int body = 0; body < model.body_count(); ++body) {
    if (model.body_joint(body) != joint) continue;
    const double mass = parameters[10 * body];
    if (mass > 0) return parameters.segment<3>(10 * body + 1) / mass;
  }
  return Vector3::Zero();
}

}  // namespace

void ContactPlaces::invalidate(Status why) noexcept {
  set_nan(*this);
  status = why;
  fault_motor = best = -1;
  endpoint_in_set = none_in_set = elsewhere = faulty = beyond_one_contact = false;
  for (ContactPlace& place : places) place.in_set = false;
}

ContactPlaceTest::ContactPlaceTest(const Robot& robot, const InstantReader& reader, const PosteriorEstimator& posterior,
                                   ContactPlaceOptions options)
    : options_(options), force_(posterior.options().prior.force), sign_(sign_factor(posterior.options().sign)) {
  check_options(options);
  if (options.none_prior + options.fault_prior >= 1.0) {
    throw OptionsError("contact_place.none_prior", "leaves nothing with fault_prior for a contact",
                       "make their sum less than 1");
  }
  contact_prior_ = 0.5 * (1.0 - options.none_prior - options.fault_prior);
  slack_ = std::log(options.alike);
  const RobotModel& model = reader.model();
  const VectorX parameters = model.inertial_parameters();
  for (int k = 0; k < reader.endpoint_count(); ++k) {
    Limb limb;
    ContactPlaces result;
    std::vector<int> rows = limb_rows(reader, posterior, k);
    if (robot.kind_of(reader.endpoint_names()[static_cast<std::size_t>(k)]) == EndpointKind::foot) {
      result.unplaced = Unplaced::foot;
    } else if (posterior.options().rows == PosteriorRows::all_and_base) {
      result.unplaced = Unplaced::base_rows;
    } else if (std::ssize(rows) < kLeastRows) {
      result.unplaced = Unplaced::few_rows;
    } else {
      limb.motors = std::move(rows);
    }
    const auto n = static_cast<Eigen::Index>(limb.motors.size());
    limb.prior = posterior.prior_factor(k);
    limb.X.setZero(6, n);
    limb.R.setZero(n, n);
    limb.inverse = limb.P = limb.R;
    limb.r.setZero(n);
    limb.weighted = limb.r;
    limb.joint.resize(limb.motors.size());
    limb.fault.resize(limb.motors.size());
    for (Eigen::Index rows_used = 0; rows_used <= n; ++rows_used) {
      limb.limits.push_back(rows_used > 0
                                ? chi_squared_threshold(posterior.options().false_alarm, static_cast<double>(rows_used))
                                : kInfinity);
    }
    for (std::size_t i = 0; i < limb.motors.size(); ++i) {
      const std::string& joint = model.motor_names()[static_cast<std::size_t>(limb.motors[i])];
      limb.frames.push_back(model.frame(joint));
      limb.mass_centre.push_back(mass_centre_behind(model, parameters, joint));
      if (i + 1 == limb.motors.size()) break;  // the endpoint's own link is no place
      const JointDescription* const described = model.description().find_joint(joint);
      limb.links.push_back(described ? described->child : joint);
      ContactPlace place;
      place.motor = limb.motors[i];
      result.places.push_back(place);
    }
    limb.favour = std::log(std::max(1.0, static_cast<double>(limb.links.size())));
    limb.points.resize(limb.links.size());
    limb.at_point.resize(limb.links.size());
    limb.best.resize(limb.links.size());
    limb.top.resize(limb.links.size());
    limb.ranked.reserve(limb.links.size() + limb.motors.size() + 2);
    limbs_.push_back(std::move(limb));
    results_.push_back(std::move(result));
  }
}

Status ContactPlaceTest::read(const PosteriorEstimates& estimates, int endpoint, Limb& limb,
                              int& evidence) const noexcept {
  const Residual& residual = estimates.residual;
  const Instant& now = estimates.instant;
  const Matrix6X& J = now.jacobian(endpoint);
  const bool shared_errors = dense(residual);
  const auto n = static_cast<Eigen::Index>(limb.motors.size());
  const Eigen::Index motors = now.motor_count();
  if (residual.value.size() != motors || residual.variance.size() != motors ||
      (residual.correlated && (residual.covariance.rows() != motors || residual.covariance.cols() != motors)) ||
      (residual.tilted && residual.tilt.rows() != motors) || std::ranges::max(limb.motors) >= motors) {
    return Status::wrong_size;
  }
  evidence = 0;
  limb.P.setZero();
  for (Eigen::Index i = 0; i < n; ++i) {
    const int motor = limb.motors[static_cast<std::size_t>(i)];
    const double variance = residual.variance[motor];
    const bool used = variance < kInfinity;
    if (!(variance > 0) || (used && !std::isfinite(residual.value[motor]))) return Status::not_finite;
    evidence += used;
    limb.X.col(i) = J.col(motor);
    limb.r[i] = used ? residual.value[motor] : 0.0;
    if (!shared_errors) {
      limb.P(i, i) = used ? 1.0 / variance : 0.0;
      continue;
    }
    for (Eigen::Index j = 0; j < n; ++j) {
      const int other = limb.motors[static_cast<std::size_t>(j)];
      double shared = residual.correlated && i != j ? residual.covariance(motor, other) : 0.0;
      // A tilt that nobody measured is an error that the rows share.
      if (residual.tilted) shared += residual.tilt.row(motor).dot(residual.tilt.row(other));
      limb.R(i, j) = i == j ? variance + shared : shared;
    }
  }
  if (shared_errors) {
    if (!factor_noise(limb.R)) return Status::not_finite;
    invert_factor(limb.R, limb.inverse);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) {
        double sum = 0.0;
        for (Eigen::Index k = i; k < n; ++k) sum += limb.inverse(k, i) * limb.inverse(k, j);
        limb.P(i, j) = limb.P(j, i) = sum;
      }
    }
    for (Eigen::Index i = 0; i < n; ++i) {
      if (residual.variance[limb.motors[static_cast<std::size_t>(i)]] < kInfinity) continue;
      limb.P.row(i).setZero();
      limb.P.col(i).setZero();
    }
  }
  for (Eigen::Index i = 0; i < n; ++i) limb.weighted[i] = limb.P.row(i).dot(limb.r);
  const Vector3& origin = now.pose(endpoint).translation;
  for (std::size_t i = 0; i < limb.frames.size(); ++i) {
    Pose pose;
    if (const Status status = now.base_terms().frame_pose(limb.frames[i], pose); status != Status::ok) return status;
    const Matrix3& R_WB = now.base_rotation();
    limb.joint[i].noalias() = R_WB * pose.translation - origin;
    if (i < limb.points.size()) {
      limb.points[i].back().noalias() = R_WB * (pose.rotation * limb.mass_centre[i]) + limb.joint[i];
    }
  }
  for (std::size_t i = 0; i < limb.points.size(); ++i) {
    for (std::size_t t = 0; t < kAlongLink.size(); ++t) {
      limb.points[i][t] = limb.joint[i] + kAlongLink[t] * (limb.joint[i + 1] - limb.joint[i]);
    }
  }
  return Status::ok;
}

/// Probabilities, and the set that holds most of it. \return whether a joint's fault is in it
bool ContactPlaceTest::weigh(Limb& limb, ContactPlaces& result) const noexcept {
  const double faulty = options_.fault_prior / static_cast<double>(limb.motors.size());
  const double place = contact_prior_ / static_cast<double>(result.places.size());
  double most = std::max(result.endpoint_evidence, 0.0), worst_fault = 0.0;
  for (const ContactPlace& one : result.places) most = std::max(most, one.log_evidence);
  for (const Limb::Fault& one : limb.fault) most = std::max(most, one.exponent);
  result.endpoint = contact_prior_ * std::exp(result.endpoint_evidence - most);
  result.none = options_.none_prior * std::exp(-most);
  double elsewhere = 0.0;
  for (ContactPlace& one : result.places) elsewhere += one.probability = place * std::exp(one.log_evidence - most);
  result.fault = 0.0;
  for (std::size_t i = 0; i < limb.fault.size(); ++i) {
    const double probability = faulty * std::exp(limb.fault[i].exponent - most) / limb.fault[i].root;
    result.fault += probability;
    if (probability <= worst_fault) continue;
    worst_fault = probability;
    result.fault_motor = limb.motors[i];
    result.fault_size = limb.fault[i].size;
  }
  // Of all places together, whose prior is the endpoint's.
  result.elsewhere = elsewhere > options_.ratio * result.endpoint &&
                     elsewhere * options_.none_prior > options_.ratio * contact_prior_ * result.none;
  // Elsewhere it does not matter which of the two it is: the endpoint's number is wrong.
  result.faulty = result.fault > options_.fault_ratio * (result.endpoint + result.none);
  const double sum = elsewhere + result.endpoint + result.none + result.fault;
  result.endpoint /= sum;
  result.none /= sum;
  result.fault /= sum;
  for (ContactPlace& one : result.places) one.probability /= sum;

  bool fault_in_set = false;
  limb.ranked.clear();
  limb.ranked.push_back({result.endpoint, &result.endpoint_in_set});
  limb.ranked.push_back({result.none, &result.none_in_set});
  limb.ranked.push_back({result.fault, &fault_in_set});
  for (ContactPlace& one : result.places) limb.ranked.push_back({one.probability, &one.in_set});
  std::sort(limb.ranked.begin(), limb.ranked.end(),
            [](const Limb::Ranked& a, const Limb::Ranked& b) { return a.probability > b.probability; });
  double held = 0.0;
  for (const Limb::Ranked& one : limb.ranked) {
    *one.in_set = held < options_.set_probability;
    held += one.probability;
  }
  return fault_in_set;
}

void ContactPlaceTest::judge(const PosteriorEstimates& estimates, int endpoint) noexcept {
  Limb& limb = limbs_[static_cast<std::size_t>(endpoint)];
  ContactPlaces& result = results_[static_cast<std::size_t>(endpoint)];
  int evidence = 0;
  if (const Status status = read(estimates, endpoint, limb, evidence); status != Status::ok) {
    result.invalidate(status);
    return;
  }
  const double null_nis = limb.weighted.dot(limb.r), radius = force_ * options_.radius;
  double most_explained = 0.0, best_point = -kInfinity;
  Matrix6 M = Matrix6::Zero();
  Vector6 h = Vector6::Zero();
  int point = 0;
  result.best = 0;
  Vector3 mean = Vector3::Zero();
  for (std::size_t i = 0; i < limb.motors.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    // P of the rows up to this one grows by this row's and column's.
    const Vector6 x = limb.X.col(row);
    if (dense(estimates.residual)) {
      Vector6 beside = 0.5 * limb.P(row, row) * x;
      for (Eigen::Index j = 0; j < row; ++j) beside += limb.P(row, j) * limb.X.col(j);
      M += x.lazyProduct(beside.transpose()) + beside.lazyProduct(x.transpose());
    } else {
      M += (limb.P(row, row) * x).lazyProduct(x.transpose());
    }
    h += limb.weighted[row] * x;
    const double variance = options_.offset_prior * options_.offset_prior, spread = 1.0 + variance * limb.P(row, row);
    const double explains = variance * limb.weighted[row] * limb.weighted[row] / spread;
    limb.fault[i] = {0.5 * explains, std::sqrt(spread), variance * limb.weighted[row] / spread};
    most_explained = std::max(most_explained, explains);
    if (i >= limb.points.size()) continue;

    std::array<Eigen::Array<double, kPoints, 1>, 3> at;
    std::array<Eigen::Array<double, kWrenches, 1>, 3> at_joints;
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      for (std::size_t t = 0; t < kPoints; ++t) at[a][static_cast<Eigen::Index>(t)] = limb.points[i][t][axis];
      for (std::size_t w = 0; w < kWrenches; ++w) {
        at_joints[a][static_cast<Eigen::Index>(w)] = limb.points[i][kAtJoints[w]][axis];
      }
    }
    Lanes<3, kPoints> forces;
    Lanes<6, kWrenches> wrenches;
    fill_pushes(M, h, at, force_, 0.0, forces);
    fill_pushes(M, h, at_joints, force_, radius, wrenches);
    forces.solve();
    wrenches.solve();
    // Relative to the largest exponent: e^((square − top)/2)/√det.
    const double top = std::max(forces.square.maxCoeff(), wrenches.square.maxCoeff());
    most_explained = std::max(most_explained, top);
    const Eigen::Array<double, kPoints, 1> force = (0.5 * (forces.square - top)).exp() / forces.determinant.sqrt();
    const Eigen::Array<double, kWrenches, 1> wrench =
        (0.5 * (wrenches.square - top)).exp() / wrenches.determinant.sqrt();
    result.places[i].log_evidence = 0.5 * top + std::log(kPointWeight * force.sum() + kWrenchWeight * wrench.sum());
    Eigen::Map<Eigen::Array<double, kPoints, 1>> each(limb.at_point[i].data());
    each = force;
    for (std::size_t w = 0; w < kWrenches; ++w) {
      double& joint = limb.at_point[i][kAtJoints[w]];
      joint = std::max(joint, wrench[static_cast<Eigen::Index>(w)]);
    }
    Eigen::Index likeliest = 0;
    const double most = each.maxCoeff(&likeliest);
    limb.best[i] = 0.5 * top + std::log(most);
    limb.top[i] = top;
    if (!(limb.best[i] > best_point)) continue;
    best_point = limb.best[i];
    result.best = static_cast<int>(i);
    point = static_cast<int>(likeliest);
    // x = L⁻ᵀ D⁻¹ L⁻¹ b of that lane.
    const auto entry = [&](int a, int b) { return forces.G[a][b][likeliest]; };
    mean[2] = forces.b[2][likeliest] / entry(2, 2);
    mean[1] = (forces.b[1][likeliest] - entry(2, 1) * mean[2]) / entry(1, 1);
    mean[0] = (forces.b[0][likeliest] - entry(1, 0) * mean[1] - entry(2, 0) * mean[2]) / entry(0, 0);
  }
  // Of a direction that is known the prior's factor is no diagonal.
  Matrix6 whole;
  Vector6 projected;
  if (limb.prior.isDiagonal(0.0)) {
    const Vector6 sd = limb.prior.diagonal();
    whole = M.cwiseProduct(sd.lazyProduct(sd.transpose()));
    projected = sd.cwiseProduct(h);
  } else {
    const Matrix6 half = M.lazyProduct(limb.prior);
    whole = limb.prior.transpose().lazyProduct(half);
    projected = limb.prior.transpose().lazyProduct(h);
  }
  Lanes<6, std::ssize(kMomentShares)> shares;
  const Eigen::Map<const Eigen::Array<double, std::ssize(kMomentShares), 1>> share(kMomentShares.data());
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j <= i; ++j) {
      if (i < 3) {
        shares.G[i][j].setConstant(whole(i, j));
      } else if (j < 3) {
        shares.G[i][j] = whole(i, j) * share;
      } else {
        shares.G[i][j] = whole(i, j) * share * share;
      }
    }
    if (i < 3) {
      shares.b[i].setConstant(projected[i]);
    } else {
      shares.b[i] = projected[i] * share;
    }
  }
  shares.solve();
  const double top_share = shares.square.maxCoeff();
  const Eigen::Array<double, std::ssize(kMomentShares), 1> of_shares =
      (0.5 * (shares.square - top_share)).exp() / shares.determinant.sqrt();
  const double at_endpoint = 0.5 * top_share + std::log(of_shares.maxCoeff());
  const double least = null_nis - std::max(most_explained, top_share);
  result.status = Status::ok;
  result.endpoint_evidence = 0.5 * top_share + std::log(of_shares.mean());
  const bool fault_in_set = weigh(limb, result);

  // What nobody can tell apart from a place of the set belongs to it.
  double leader = result.endpoint_in_set ? at_endpoint : -kInfinity;
  for (const Limb::Fault& one : limb.fault) {
    if (fault_in_set && one.exponent > leader) leader = std::max(leader, one.exponent - std::log(one.root));
  }
  for (std::size_t i = 0; i < result.places.size(); ++i) {
    if (result.places[i].in_set) leader = std::max(leader, limb.best[i]);
  }
  if (leader > -kInfinity) {
    // Before any data it is as probable as all places together.
    result.endpoint_in_set = result.endpoint_in_set || at_endpoint + limb.favour > leader - slack_;
    for (std::size_t i = 0; i < result.places.size(); ++i) {
      result.places[i].in_set = result.places[i].in_set || limb.best[i] > leader - slack_;
    }
  }
  const WrenchEstimate& estimate = estimates[static_cast<std::size_t>(endpoint)];
  const Vector3& force = estimate.wrench.force;
  const Matrix3 C = estimate.uncertainty.covariance.topLeftCorner<3, 3>();
  const double claim = force.dot(C.inverse() * force);
  // A force at the endpoint, with next to no moment, that explains as much as any push elsewhere: one line of action;
  // or as much as any one joint's error: then nothing speaks against it.
  const double plain = shares.square[3];
  const bool same_line = plain > *std::max_element(limb.top.begin(), limb.top.end()) - kSameLine;
  double of_fault = 0.0;
  for (const Limb::Fault& one : limb.fault) of_fault = std::max(of_fault, 2.0 * one.exponent);
  const bool claims = claim > kClaimed && force.norm() > kHarmless * force_;
  result.elsewhere = result.elsewhere && claims && !same_line;
  result.faulty = result.faulty && claims && plain < of_fault - kSameLine;
  result.beyond_one_contact = evidence > 0 && least > limb.limits[static_cast<std::size_t>(evidence)];

  const auto best = static_cast<std::size_t>(result.best), at = static_cast<std::size_t>(point);
  result.force = sign_ * force_ * mean;
  result.point = limb.points[best][at] + estimates.instant.pose(endpoint).translation;
  const double length = mean.norm();
  double first = 0.0, last = 0.0;
  const auto reach = [&](const Vector3& p) {
    const double along = (p - limb.points[best][at]).dot(mean) / length;
    first = std::min(first, along);
    last = std::max(last, along);
  };
  if (length > 0) {
    if (at_endpoint > best_point - slack_) reach(Vector3::Zero());
    for (std::size_t i = 0; i < limb.points.size(); ++i) {
      if (!(limb.best[i] > best_point - slack_)) continue;
      const double least_alike = std::exp(best_point - slack_ - 0.5 * limb.top[i]);
      for (std::size_t t = 0; t < kPoints; ++t) {
        if (limb.at_point[i][t] > least_alike) reach(limb.points[i][t]);
      }
    }
  }
  result.open_length = last - first;
  if (!std::isfinite(result.endpoint) || !std::isfinite(least) || !result.force.allFinite()) {
    result.invalidate(Status::not_finite);
  }
}

const std::vector<ContactPlaces>& ContactPlaceTest::judge(const PosteriorEstimates& estimates) noexcept {
  const Residual& residual = estimates.residual;
  Status status = residual.current();
  if (status == Status::ok && (estimates.size() != results_.size() ||
                               estimates.instant.endpoint_count() != static_cast<int>(results_.size()))) {
    status = Status::wrong_size;
  }
  for (std::size_t k = 0; k < results_.size(); ++k) {
    ContactPlaces& result = results_[k];
    if (status == Status::ok && result.unplaced == Unplaced::placed && estimates[k].status == Status::ok) {
      judge(estimates, static_cast<int>(k));
      continue;
    }
    const Status why = status != Status::ok                  ? status
                       : result.unplaced != Unplaced::placed ? Status::not_computed
                                                             : estimates[k].status;
    result.invalidate(why);
  }
  return results_;
}

const OptionTable& options_of(const ContactPlaceOptions&) {
  using O = ContactPlaceOptions;
  static const OptionTable table(
      "contact_location",
      {
          option("ratio", "1",
                 "likelihood ratio, over contact at the endpoint and over no contact, at which contact at another link "
                 "is reported",
                 "contact_place_test: at most 1 % of pushes at the endpoint are doubted", &O::ratio, kPositive),
          option("fault_ratio", "1",
                 "likelihood ratio, over contact at the endpoint and over no contact, at which the error of one joint "
                 "is reported",
                 "contact_place_test: at most 1 % of pushes at the endpoint are doubted", &O::fault_ratio, kPositive),
          option("alike", "1", "a location is in the set if its likelihood is at least the largest over this number",
                 "contact_place_test: the true link is in the set in 93 % and more", &O::alike, kPositive),
          option("set_probability", "1", "least probability of the set of locations", "95 %", &O::set_probability,
                 kProbability),
          option("radius", "m", "largest distance of a contact from the axis of its limb",
                 "our choice: a robot's forearm", &O::radius, kPositive),
          option("none_prior", "1", "prior probability of no contact", "our choice", &O::none_prior, kProbability),
          option("fault_prior", "1",
                 "prior probability of a fault of one joint; endpoint and other locations share the rest equally",
                 "our choice", &O::fault_prior, kProbability),
          option("offset_prior", "N·m", "sd of the torque of a faulty joint", "as hypotheses.offset_prior",
                 &O::offset_prior, kPositive),
      });
  return table;
}
const OptionGroup kContactPlaceOptions(ContactPlaceOptions{});

}  // namespace antaeus
