#include "antaeus/pose/pose_quality.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/core/in_place.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/numerics/gains.hpp"

namespace antaeus {

namespace {

/// Below this share of the largest, a singular value of a Jacobian is rounding.
constexpr double kLostShare = 1e-12, kSeenShare = 1e-8;
/// Poses at which a limb is tried for what it can see at all: one may be singular by chance, eight are not.
constexpr int kTriedPoses = 8;

/// No sample before this one, no IMU: whatever else the profile prefers for logs would only find channels missing. A
/// pose that is asked for is upright.
ResidualOptions static_only(ResidualOptions options, NoiseUse noise) {
  options.noise = noise;
  options.kind = ResidualChoice::static_gravity;
  options.tilt_sd = 0.0;
  return options;
}

ForceKnowledge knowledge(const WrenchEstimate& estimate) noexcept {
  const Uncertainty& u = estimate.uncertainty;
  return {u.covariance, u.covariance.diagonal().head<3>().cwiseSqrt(), u.force_sd, u.directions, u.insensible,
          u.observable};
}

/// Beyond a limit by less than this a recorded position is at it.
constexpr double kBesideLimit = 1e-6;
/// An effort of so many times the robot's weight, of a turning joint at a lever of a metre, was never measured.
constexpr double kNoFigure = 50.0;

}  // namespace

bool slides(const RobotModel& model, int motor) {
  const std::string& name = model.motor_names()[static_cast<std::size_t>(motor)];
  return std::ranges::any_of(model.description().joints, [&](const JointDescription& joint) {
    return joint.name == name && joint.type == JointType::prismatic;
  });
}

std::string outside_limits(const RobotModel& model, int motor, double position) {
  const double lower = model.lower_limits()[motor], upper = model.upper_limits()[motor];
  const double by = std::max(lower - position, position - upper);
  if (!(by > kBesideLimit)) return {};
  const std::string unit = slides(model, motor) ? " m" : " rad";
  return model.motor_names()[static_cast<std::size_t>(motor)] + " at " + significant_text(position, 4) + unit + " is " +
         significant_text(by, 3) + unit + " outside its limits of " + significant_text(lower, 4) + " to " +
         significant_text(upper, 4) + unit;
}

std::vector<std::string> position_notes(const Robot& robot, ConstVectorRef q,
                                        const std::vector<std::string>& endpoints) {
  const RobotModel& model = robot.model;
  std::vector<std::string> notes;
  for (int m = 0; m < model.motor_count() && m < q.size(); ++m) {
    if (std::string note = outside_limits(model, m, q[m]); !note.empty()) notes.push_back(std::move(note));
  }
  const double weight = model.total_mass() * model.gravity().norm();
  std::vector<bool> carries(static_cast<std::size_t>(model.motor_count()), false);
  for (const std::string& frame : endpoints) {
    for (const int motor : model.supporting_motors(model.frame(frame))) carries[static_cast<std::size_t>(motor)] = true;
  }
  for (int m = 0; m < model.motor_count(); ++m) {
    const double effort = model.effort_limits()[m];
    if (!carries[static_cast<std::size_t>(m)] || !std::isfinite(effort) || !(effort > kNoFigure * weight)) continue;
    const bool is_taken =
        robot.profile.figures[static_cast<std::size_t>(m)].torque_sd_from == FigureSource::effort_limit;
    notes.push_back(
        model.motor_names()[static_cast<std::size_t>(m)] + ": an effort limit of " + display_number(effort, 0) +
        (slides(model, m) ? " N" : " N·m") + " beside a weight of " + significant_text(weight, 3) + " N is no figure" +
        (is_taken ? "; the noise assumed from it makes the joint blind" : ", and no noise is taken from it"));
  }
  return notes;
}

void ForceKnowledge::invalidate() noexcept {
  set_nan(covariance, axis_sd, force_sd, directions);
  observable = 0;
}

PoseQuality::PoseQuality(const Robot& robot, const std::vector<std::string>& endpoints, PoseQualityOptions options)
    : PoseQuality(robot, endpoints, options, robot.settings(endpoints).get<ResidualOptions>(),
                  robot.settings(endpoints).get<PosteriorOptions>()) {}

PoseQuality::PoseQuality(const Robot& robot, const std::vector<std::string>& endpoints, PoseQualityOptions options,
                         ResidualOptions residual, PosteriorOptions posterior)
    : reader_(robot, endpoints, robot.settings(endpoints).get<InstantOptions>()),
      residual_(robot, static_only(residual, options.noise)),
      posterior_(reader_, posterior),
      reliability_(reader_, posterior_),
      deployed_(reader_, {.characteristic_length = options.characteristic_length}),
      length_(options.characteristic_length),
      svd_(robot.model.motor_count(), 6),
      gain_motors_(robot.gain_motors()),
      gain_row_(robot.profile.preflight.gain_row) {
  check_options(options);
  const Eigen::Index motors = robot.model.motor_count();
  budget_.resize(motors);
  for (Eigen::Index m = 0; m < motors; ++m) {
    budget_[m] = options.budget_sd * robot.profile.figures[m].static_sd;
  }
  for (Observation* observation : {&rest_, &moving_}) {
    observation->q.setZero(motors);
    observation->tau.setZero(motors);
  }
  rest_.v.setZero(motors);
  results_.resize(endpoints.size());
  for (std::size_t k = 0; k < endpoints.size(); ++k) {
    results_[k].endpoint = reader_.endpoint_names()[k];
    results_[k].gain.resize(6, motors);
    results_[k].reliability = reliability_.results()[k];
  }
  whitened_.setZero(6, motors);
  learn_ranks();
  fail(Status::not_computed);
}

/// What the own rows of each endpoint see in poses taken at random: the rank that a regular pose has.
void PoseQuality::learn_ranks() {
  const RobotModel& model = reader_.model();
  const bool wrench = posterior_.options().contact == ContactKind::wrench;
  seen_.assign(results_.size(), Seen{});
  std::uint64_t state = 1;
  for (int pose = 0; pose < kTriedPoses; ++pose) {
    for (Eigen::Index m = 0; m < rest_.q.size(); ++m) {
      state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's, MMIX
      const double share = static_cast<double>(state >> 11) * 0x1p-53;
      const double lower = std::max(model.lower_limits()[m], -std::numbers::pi);
      rest_.q[m] = lower + share * (std::min(model.upper_limits()[m], std::numbers::pi) - lower);
    }
    const Instant& now = reader_.at(rest_);
    if (now.status() != Status::ok) continue;
    for (std::size_t k = 0; k < seen_.size(); ++k) {
      for (const bool whole : {true, false}) {
        whitened_.setZero();
        for (const int motor : rows(static_cast<int>(k))) {
          whitened_.col(motor) = now.jacobian(static_cast<int>(k)).col(motor);
        }
        whitened_.bottomRows<3>() *= length_;
        if (svd_.compute_transposed(whitened_.topRows(whole ? 6 : 3)) != Status::ok) continue;
        const int rank = svd_.rank(kSeenShare);
        if (whole && wrench && rank == 6) seen_[k] = {true, 6};
        if (!whole && !seen_[k].wrench) seen_[k].rank = std::max(seen_[k].rank, rank);
      }
    }
  }
  rest_.q.setZero();
}

bool PoseQuality::tells_force(int endpoint) const noexcept {
  const Seen one = seen(endpoint);
  return posterior_.options().contact == ContactKind::wrench ? one.wrench : one.rank >= 3 - insensible(endpoint);
}

std::string PoseQuality::untold_force(int endpoint) const {
  if (tells_force(endpoint)) return {};
  const auto count = rows(endpoint).size();
  const bool wrench = posterior_.options().contact == ContactKind::wrench;
  return std::to_string(count) + (count == 1 ? " joint's torque is" : " joints' torques are") + " read for " +
         reader_.model().frame_name(reader_.frame(endpoint)) + ": no pose can show " +
         (wrench ? "the six components of a wrench" : "the three of a force");
}

void PoseQuality::fill_error_force(const Instant& now, const VectorX& variance, std::size_t endpoint) noexcept {
  PoseConditioning& pose = results_[endpoint];
  const Seen seen = seen_[endpoint];
  pose.whole_wrench = seen.wrench;
  pose.error_direction.setZero();
  whitened_.setZero();
  for (const int motor : rows(static_cast<int>(endpoint))) {
    // A torque that is no evidence, as a saturated one, has an infinite variance: its column stays zero.
    whitened_.col(motor) = now.jacobian(static_cast<int>(endpoint)).col(motor) / std::sqrt(variance[motor]);
  }
  whitened_.bottomRows<3>() *= length_;
  const int unknowns = seen.wrench ? 6 : 3;
  if (svd_.compute_transposed(whitened_.topRows(unknowns)) != Status::ok) {
    pose.error_force = kNaN;
    return;
  }
  const auto sigma = svd_.sigma();
  const int last = seen.rank - 1;
  const bool lost = last < 0 || last >= sigma.size() || !(sigma[last] > kLostShare * sigma[0]);
  pose.error_force = lost ? kInfinity : 1.0 / sigma[last];
  if (last >= 0 && last < sigma.size()) pose.error_direction.head(unknowns) = svd_.V().col(last);
}

void PoseQuality::fail(Status status) noexcept {
  for (PoseConditioning& pose : results_) {
    pose.status = status;
    set_nan(pose.position, pose.kappa, pose.kappa_scaled, pose.sigma_min, pose.manipulability,
            pose.reference_force_gain, pose.reference_gain, pose.gain, pose.phantom, pose.error_force,
            pose.error_direction, pose.posterior_phantom);
    pose.rest.invalidate();
    pose.moving.invalidate();
    pose.reliability.invalidate(status);
  }
}

const std::vector<PoseConditioning>& PoseQuality::evaluate(ConstVectorRef q, PoseParts parts,
                                                           const Eigen::Vector4d* imu_xyzw) noexcept {
  if (!parts.deployed || !parts.rest || !parts.reliability || !parts.moving) fail(Status::not_computed);
  if (q.size() != rest_.q.size()) {
    fail(Status::wrong_size);
    return results_;
  }
  // Gravity first, for torques that balance it: the torque channel's own error grows with the torque.
  for (Observation* observation : {&rest_, &moving_}) {
    observation->has_imu = imu_xyzw != nullptr;
    if (imu_xyzw) observation->imu_quaternion_xyzw = *imu_xyzw;
  }
  rest_.q = q;
  rest_.tau.setZero();
  if (const Status status = reader_.at(rest_).status(); status != Status::ok) {
    fail(status);
    return results_;
  }
  const RobotProfile& profile = reader_.profile();
  for (Eigen::Index m = 0; m < rest_.tau.size(); ++m) {
    const JointFigures& f = profile.figures[m];
    rest_.tau[m] = reader_.instant().gravity_torque()[m] / (profile.torque_sign * f.scale * f.gear) + f.torque_offset;
  }
  const Instant& at_rest = reader_.at(rest_);
  moving_.q = rest_.q;
  moving_.tau = rest_.tau;

  for (std::size_t k = 0; k < results_.size(); ++k) {
    results_[k].status = Status::ok;
    const Vector3& position = at_rest.pose(static_cast<int>(k)).translation;
    results_[k].position = position;
    if (at_rest.used_imu()) results_[k].position = at_rest.base_rotation().transpose() * position;
  }
  if (parts.deployed) fill_deployed(at_rest);
  if (parts.rest || parts.reliability) fill_rest(at_rest, parts.reliability);
  if (parts.moving) fill_moving();
  return results_;
}

void PoseQuality::fill_deployed(const Instant& at_rest) noexcept {
  const int reference = reader_.reference_motor();
  const WrenchEstimates& deployed = deployed_.solve(at_rest);
  for (std::size_t k = 0; k < results_.size(); ++k) {
    PoseConditioning& pose = results_[k];
    const WrenchEstimate& estimate = deployed[k];
    pose.status = estimate.status;
    pose.kappa = estimate.kappa;
    pose.kappa_scaled = estimate.kappa_scaled;
    pose.sigma_min = estimate.sigma_min;
    pose.manipulability = estimate.manipulability;
    pose.reference_gain = estimate.reference_gain;
    pose.reference_force_gain = reference < 0 ? kNaN : force_gain(estimate.gain, reference);
    pose.gain = estimate.gain;
    pose.phantom = worst_case_wrench(estimate.gain, budget_);
  }
}

void PoseQuality::fill_rest(const Instant& at_rest, bool reliability) noexcept {
  const PosteriorEstimates& estimates = posterior_.solve(residual_.form(at_rest));
  for (std::size_t k = 0; k < results_.size(); ++k) {
    if (results_[k].status == Status::ok) results_[k].status = estimates[k].status;
    results_[k].rest = knowledge(estimates[k]);
  }
  if (!reliability) return;
  const std::vector<EndpointReliability>& all = reliability_.judge(estimates);
  for (std::size_t k = 0; k < results_.size(); ++k) results_[k].reliability = all[k];
}

void PoseQuality::fill_moving() noexcept {
  const Residual& moving = residual_.form(reader_.at(moving_));
  for (std::size_t k = 0; k < results_.size(); ++k) {
    if (moving.status == Status::ok) fill_error_force(moving.instant, moving.variance, k);
  }
  const PosteriorEstimates& estimates = posterior_.solve(moving);
  for (std::size_t k = 0; k < results_.size(); ++k) {
    results_[k].moving = knowledge(estimates[k]);
    results_[k].posterior_phantom = worst_case_wrench(estimates[k].gain, budget_);
  }
}

double PoseQuality::value(const PoseConditioning& pose, PoseQuantity quantity) const noexcept {
  switch (quantity) {
    case PoseQuantity::sd: return pose.rest.worst_sd();
    case PoseQuantity::sd_moving: return pose.moving.worst_sd();
    case PoseQuantity::gain: {
      double largest = gain_motors_.empty() ? kNaN : 0.0;
      for (const int motor : gain_motors_) largest = std::max(largest, std::abs(pose.gain(gain_row_, motor)));
      return pose.status == Status::ok ? largest : kNaN;
    }
    case PoseQuantity::force_gain: return pose.reference_force_gain;
    case PoseQuantity::kappa: return pose.kappa;
    case PoseQuantity::error_force: return pose.error_force;
  }
  return kNaN;
}

const OptionTable& options_of(const PoseQualityOptions&) {
  using O = PoseQualityOptions;
  static const OptionTable table(
      "",
      {
          option("characteristic_length", "m", "divides the linear rows for a condition number without mixed units",
                 "Angeles 1992; about the lever of a hand", &O::characteristic_length),
          option("budget_sd", "1", "residual budget of the phantom force: each joint's static_sd (profile) times this",
                 "three sds: the H1-2's torso is allowed 6 N·m, RE3's torso reached 35", &O::budget_sd),
          option("noise", "", "figures, or identified: the noise by which a pose is judged",
                 "our choice: what was identified knows the poses of its logs alone", &O::noise),
      });
  return table;
}

}  // namespace antaeus
