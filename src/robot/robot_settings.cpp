// What the defaults of options follow once the robot is known, and where each figure comes from.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <tuple>

#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/robot/limbs.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "robot/joint_noise.hpp"

namespace antaeus {

namespace {

constexpr double kStandardGravity = 9.81;  // m/s²
/// Half of what effort limits hold at a stretched arm: the other half carries the arm itself and moves it.
constexpr double kShareOfEffort = 0.5;
/// Where no effort limit is known: what hands carry beside a robot that stands by itself, and beside an arm that is
/// bolted down.
constexpr double kShareOfWeight = 0.05, kShareOfArm = 0.15;
/// Words in the names of frames that stand on the ground.
constexpr const char* kFootWords[] = {"foot", "feet", "sole", "toe", "ankle"};
/// Noise of a torque that nobody identified, and of τ − g(q) in motion, as shares of the effort limit.
constexpr double kNoiseShare = 0.01, kStaticShare = 0.025;
/// An effort limit of so many times the torque that holds the whole robot at its longest reach is a placeholder.
constexpr double kPlaceholder = 10.0;

bool says_foot(std::string_view frame) {
  std::string name(frame);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::any_of(std::begin(kFootWords), std::end(kFootWords),
                     [&](const char* word) { return name.find(word) != std::string::npos; });
}

/// The joint that moves a link; null for the root. A joint's frame is its child link's.
const JointDescription* joint_of(const RobotDescription& description, std::string_view frame) {
  for (const JointDescription& joint : description.joints) {
    if (joint.child == frame || joint.name == frame) return &joint;
  }
  return nullptr;
}

/// What the prior's force is of the force that an endpoint is made for: the default's share, for a prior that is
/// stated.
constexpr double kShareOfPrior = 2.0 / 3.0;
/// [N] Half of the incident report's watchdog. A share of the weight is a guess, and a limit of twice as little would
/// refuse a hopping leg its own weight.
constexpr double kLeastGuessedLimit = 50.0;

/// The smallest force at a frame that one of its motors' limits makes at its longest lever: the links between,
/// stretched out.
struct HeldForce {
  double force = kInfinity, effort = kNaN, lever = kNaN;
  std::string joint;
};

/// \param limits  of the motors [N·m | N]; zero and infinity: not known
HeldForce held_force(const RobotModel& model, const VectorX& limits, const std::string& frame) {
  HeldForce least;
  const RobotDescription& description = model.description();
  const std::vector<std::string>& motors = model.motor_names();
  double lever = 0.0;
  const JointDescription* joint = joint_of(description, frame);
  // A tree: no more steps than joints.
  for (std::size_t steps = 0; joint && steps <= description.joints.size(); ++steps) {
    const bool linear = joint->type == JointType::prismatic;
    const auto motor = std::find(motors.begin(), motors.end(), joint->name);
    if (motor != motors.end()) {
      const double effort = limits[motor - motors.begin()];
      const double force = linear ? effort : effort / lever;
      if (effort > 0 && std::isfinite(force) && force < least.force) least = {force, effort, lever, joint->name};
    }
    if (linear && std::isfinite(joint->lower) && std::isfinite(joint->upper)) {
      lever += std::max(std::abs(joint->lower), std::abs(joint->upper));
    }
    lever += joint->X_PJ.translation.norm();
    joint = joint_of(description, joint->parent);
  }
  return least;
}

/// Where the drives were seen to end, or their user says that they do.
VectorX drive_limits(const RobotProfile& profile, int motors) {
  VectorX limits = VectorX::Constant(motors, kInfinity);
  for (Eigen::Index m = 0; m < motors; ++m) {
    limits[m] = profile.figures[static_cast<std::size_t>(m)].torque_limit;
    if (profile.noise && profile.noise->limit.size() > 0) limits[m] = std::min(limits[m], profile.noise->limit[m]);
  }
  return limits;
}

/// "KFE holds at its longest lever (2.7 N·m at 0.16 m)".
std::string holds_text(const HeldForce& held) {
  return held.joint + " holds at its longest lever (" + significant_text(held.effort, 3) +
         (held.lever > 0 ? " N·m at " + significant_text(held.lever, 3) + " m)" : " N)");
}

/// Gravity may be zero, of an arm on a table; what it weighs in the hand is not.
double weight_of(const RobotModel& model) noexcept {
  const double g = model.gravity().norm();
  return model.total_mass() * (g > 0 ? g : kStandardGravity);
}

}  // namespace

std::pair<Sign, std::string> RobotProfile::reported_sign() const {
  if (const Setting* set = settings.find("estimator", "sign")) {
    return {parse_enum<Sign>(set->value, set->place), "follows estimator.sign"};
  }
  if (deployed_sign) return {*deployed_sign, "the profile's deployed sign"};
  return {Sign::on_robot, "Antaeus' convention: the profile states no deployed sign"};
}

double Robot::weight() const noexcept { return weight_of(model); }

EndpointKind Robot::kind_of(std::string_view frame) const {
  if (const Endpoint* known = profile.find_endpoint(frame)) return known->kind;
  return model.base() == Base::free_flyer && says_foot(frame) ? EndpointKind::foot : EndpointKind::tool;
}

Settings Robot::settings(const std::vector<std::string>& endpoints) const {
  RobotScale scale;
  std::tie(scale.sign, scale.sign_from) = profile.reported_sign();
  scale.weight = weight();
  scale.weight_from = "the robot's weight of " + significant_text(scale.weight, 3) + " N";
  std::vector<std::string> hands = frames_named(endpoints);
  if (hands.empty()) {
    for (const Endpoint& endpoint : profile.endpoints) hands.push_back(endpoint.frame);
  }
  const bool any = !hands.empty();
  std::erase_if(hands, [&](const std::string& frame) { return kind_of(frame) == EndpointKind::foot; });
  const auto least_held = [&](const VectorX& limits) {
    HeldForce least;
    for (const std::string& frame : hands) {
      if (HeldForce held = held_force(model, limits, frame); held.force < least.force) least = std::move(held);
    }
    return least;
  };
  const HeldForce least = least_held(model.effort_limits());
  const HeldForce driven = least_held(drive_limits(profile, model.motor_count()));
  const Setting* prior = profile.settings.find("posterior", "force_prior");
  const char* no_limits = std::isfinite(least.force) ? " (its effort limits hold more than the robot weighs)"
                                                     : " (it has no effort limits)";
  bool guessed = false;
  if (std::isfinite(profile.rated_load) && (!hands.empty() || !any)) {
    scale.force = profile.rated_load * kStandardGravity;
    scale.force_from = significant_text(scale.force, 3) + " N of the profile's rated_load, " +
                       significant_text(profile.rated_load, 3) + " kg";
  } else if (any && hands.empty()) {
    scale.force = scale.weight;
    scale.force_from = scale.weight_from + ", at feet";
  } else if (kShareOfEffort * least.force <= scale.weight) {
    scale.force = kShareOfEffort * least.force;
    scale.force_from = significant_text(scale.force, 3) + " N, half of what " + holds_text(least);
  } else if (any && prior) {
    // Who states the prior of a robot whose limits say nothing has said what its forces are.
    scale.force = detail::parse_number(prior->value, kPositive, prior->place) / kShareOfPrior;
    scale.force_from = significant_text(scale.force, 3) + " N, 1.5 × the posterior.force_prior that is set" + no_limits;
  } else if (std::isfinite(driven.force)) {
    guessed = true;
    scale.force = kShareOfEffort * driven.force;
    scale.force_from =
        significant_text(scale.force, 3) + " N, half of what, where its drive ends, " + holds_text(driven) + no_limits;
  } else if (any) {
    guessed = true;
    const double share = model.base() == Base::free_flyer ? kShareOfWeight : kShareOfArm;
    scale.force = share * scale.weight;
    scale.force_from = significant_text(scale.force, 3) + " N, " + significant_text(100.0 * share, 3) + " % of " +
                       scale.weight_from + no_limits;
  }
  scale.limit = scale.force;
  scale.limit_from = scale.force_from;
  if (guessed && scale.force < kLeastGuessedLimit) {
    scale.limit = kLeastGuessedLimit;
    scale.limit_from = significant_text(scale.limit, 3) + " N, as no torque limits are given" + no_limits;
  }
  scale.foot_limit = scale.weight;
  scale.foot_limit_from = scale.weight_from;
  if (model.base() == Base::fixed && scale.weight < kLeastGuessedLimit) {
    // A leg on a test stand does not carry its own weight alone.
    scale.foot_limit = kLeastGuessedLimit;
    scale.foot_limit_from = significant_text(scale.foot_limit, 3) + " N, more than the weight of what is bolted down";
  }
  Settings all = profile.settings;
  all.set_scale(std::move(scale));
  return all;
}

void fill_noise(const RobotModel& model, std::vector<JointFigures>& figures) {
  constexpr JointFigures kUnknown;
  const double whole = weight_of(model) * longest_reach(model.description());
  for (std::size_t motor = 0; motor < figures.size(); ++motor) {
    double torque = model.effort_limits()[static_cast<Eigen::Index>(motor)];
    if (!(torque > 0) || !std::isfinite(torque)) continue;
    const bool placeholder = whole > 0 && torque > kPlaceholder * whole;
    if (placeholder) torque = whole;
    const auto fill = [&](double& figure, FigureSource& from, double unknown, double share) {
      if (from != FigureSource::assumed || figure != unknown) return;
      figure = share * torque;
      from = placeholder ? FigureSource::weight : FigureSource::effort_limit;
    };
    JointFigures& joint = figures[motor];
    fill(joint.torque_sd, joint.torque_sd_from, kUnknown.torque_sd, kNoiseShare);
    fill(joint.static_sd, joint.static_sd_from, kUnknown.static_sd, kStaticShare);
  }
}

}  // namespace antaeus
