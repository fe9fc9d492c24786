#include "studies/space_scenarios.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "antaeus/control/joint_path_reference.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/space/flying_guidance.hpp"
#include "studies/arm_run.hpp"
#include "studies/draw.hpp"

namespace antaeus {

namespace {

Matrix3 turned(const Vector3& axis, double angle) { return Eigen::AngleAxisd(angle, axis).toRotationMatrix(); }

/// The end-effector of arm positions while base attitude and centre of mass are as given.
Pose end_effector_at(FreeFlyer& flying, const VectorX& theta, const Matrix3& R_WB, const Vector3& p_com) {
  const VectorX q = flying_position(flying.model(), {R_WB, Vector3::Zero()}, theta);
  const FreeFlyingMotion& motion = flying.motion_at(q, VectorX::Zero(flying.model().nv()));
  Pose X = motion.X_WE;
  X.translation += p_com - motion.p_com;
  return X;
}

/// Arm positions within `reach` of each joint that are far from singular all the way there.
VectorX goal_joints(FreeFlyer& flying, const FlightSetup& setup, double reach) {
  const RobotModel& model = setup.robot.model;
  const auto score = [&](ConstVectorRef theta) {
    const VectorX way = theta - setup.theta;
    // Candidates near the start are well conditioned, and no change of pose.
    if (way.norm() < 0.5 * reach * std::sqrt(static_cast<double>(way.size()) / 3.0)) return kNaN;
    double least = kInfinity;
    constexpr int kPlaces = 4;
    for (int i = 1; i <= kPlaces; ++i) {
      const VectorX place = setup.theta + way * i / kPlaces;
      if ((place.array() < model.lower_limits().array()).any() || (place.array() > model.upper_limits().array()).any())
        return kNaN;
      least = std::min(least, flying.conditioning_at(flying_position(model, Pose{}, place)).sigma_Gamma);
    }
    return least;
  };
  constexpr int kCandidates = 24;
  const BestSample best =
      best_sample(score, setup.theta, reach, kCandidates, static_cast<std::uint64_t>(setup.request.seed) + 1000);
  return best.index < 0 ? setup.theta : best.theta;
}

/// A plan that rests where the robot is; scenarios change what they move.
FlyingPlan resting_plan(const FreeFlyingMotion& motion) {
  FlyingPlan plan;
  plan.end_effector.start = plan.end_effector.goal = motion.X_WE;
  plan.base.start = plan.base.goal = motion.X_WB.rotation;
  plan.com.start = plan.com.goal = motion.p_com;
  return plan;
}

/// A passage of a scenario whose own duration is \p whole, slower or faster with the duration that was asked for.
Passage passage_of(const FlightSetup& setup, double begin, double end, double whole) {
  const double scale = setup.options.space.duration > 0.0 ? setup.options.space.duration / whole : 1.0;
  return {scale * begin, scale * end};
}

/// The flight that follows a plan of guidance, from rest at the planned start.
FlightPlan flight_of(const FlightSetup& setup, const FlyingPlan& plan, double duration) {
  FlightPlan flight;
  flight.q_gains = setup.q;
  flight.q = flying_position(setup.robot.model, Pose{}, perturbed_start(setup.theta, setup.options.space.q0_eps));
  flight.v = VectorX::Zero(setup.robot.model.nv());
  flight.duration = setup.options.space.duration > 0.0 ? setup.options.space.duration : duration;
  flight.reference = [plan](double time) { return flying_reference(plan, time); };
  if (setup.theta.size() == 7) flight.posture = setup.theta;
  return flight;
}

void set_criterion(ExperimentResult& result, const std::string& name, double upper) {
  for (Metric& metric : result.metrics) {
    if (metric.name == name) metric.upper = upper;
  }
}

/// Of every flight that ends at rest: a tenth of a millimetre and a milliradian.
void set_end_criteria(ExperimentResult& result) {
  for (const char* name : {"com_error", "position_error"}) set_criterion(result, name, 1e-4);
  for (const char* name : {"base_error", "rotation_error"}) set_criterion(result, name, 1e-3);
}

/// Of a flight that begins on its path.
void set_way_criteria(ExperimentResult& result, const FlightSetup& setup) {
  if (setup.options.space.q0_eps > 0.0) return;
  set_criterion(result, "position_error_max", 1e-3);
  set_criterion(result, "rotation_error_max", 5e-3);
}

/// Of our own integrator, of order 4, at 1 ms and faster.
void set_momentum_criterion(ExperimentResult& result, const FlightSetup& setup) {
  if (setup.request.plant == FlightPlant::mujoco) {
    result.remarks.emplace_back(
        "No criterion for the momentum's drift in MuJoCo: a force on the base is constant in world axes there through "
        "a "
        "step, in base axes in the control.");
  } else if (setup.options.space.rate >= 1000.0) {
    set_criterion(result, "momentum_drift", 1e-8);
  }
}

std::string millimetres(double metres) { return value_text(1e3 * metres) + " mm"; }
std::string milliradians(double radians) { return value_text(1e3 * radians) + " mrad"; }

std::string end_sentence(const FlightFigures& f) {
  return "At the end the end-effector is off by " + millimetres(f.position_error) + " and " +
         milliradians(f.rotation_error) + ", the base by " + milliradians(f.base_error) + ", the centre of mass by " +
         millimetres(f.com_error) + ".";
}
std::string way_sentence(const FlightFigures& f) {
  return "On the way the errors were at most " + millimetres(f.position_error_max) + " and " +
         milliradians(f.rotation_error_max) + " at the end-effector, " + milliradians(f.base_error_max) +
         " at the base, " + millimetres(f.com_error_max) + " at the centre of mass.";
}
std::string tier_sentence(const FlightFigures& f) {
  return "The smallest singular value of Γ that was met is " + value_text(f.sigma_min) +
         "; J⊕ was inverted exactly in " + percent_text(f.exact) + " of the cycles, damped in " +
         percent_text(f.damped) + ", held in " + percent_text(f.held) + ".";
}

/// Flies, and fills in all but the words.
ExperimentResult fly_and_fill(const FlightSetup& setup, const FlightPlan& plan, double back_from,
                              FlightFigures& figures) {
  const SpaceRequest& request = setup.request;
  const double own_share = setup.options.compares ? 0.25 : 1.0;
  const auto part = [&](double from, double to) -> Progress {
    if (!request.progress) return {};
    return [&request, from, to](double share) { request.progress(from + (to - from) * share); };
  };
  FlightRun run = fly(setup.robot, plan, setup.options, request.plant, true, back_from, part(0.0, own_share));
  figures = run.figures;
  ExperimentResult result = flight_result(setup.robot, request, setup.options, std::move(run));
  if (setup.options.compares) {
    result.comparisons.push_back(compare_flights(setup.robot, plan, setup.options, request, figures, back_from,
                                                 result.remarks, part(own_share, 1.0)));
  }
  if (figures.coasted > 0) {
    result.findings.push_back("In " + std::to_string(figures.coasted) +
                              " cycles there was no control: the robot coasted.");
  }
  if (figures.limited > 0.0) {
    result.remarks.push_back("In " + percent_text(figures.limited) +
                             " of the cycles a limit of thrusters, wheels or joints took something away.");
  }
  if (setup.options.space.q0_eps > 0.0) {
    result.remarks.push_back("The plant's arm starts " + value_text(setup.options.space.q0_eps) +
                             " rad from where the plan has it (space.q0_eps).");
  }
  return result;
}

}  // namespace

ExperimentResult fly_pose_change(const FlightSetup& setup) {
  const SpaceChoice& choice = setup.options.space;
  FreeFlyer flying(setup.robot.model, setup.robot.frame, setup.options.flyer);
  FlyingPlan plan = resting_plan(flying.motion_at(setup.q, VectorX::Zero(setup.robot.model.nv())));
  Draw draw(setup.request.seed);
  const Passage passage = passage_of(setup, 1.0, 16.0, 30.0);
  plan.end_effector.passage = plan.base.passage = plan.com.passage = passage;
  plan.base.goal = turned(draw.direction(), choice.turn);
  plan.end_effector.goal =
      end_effector_at(flying, goal_joints(flying, setup, choice.reach), plan.base.goal, plan.com.start);
  FlightFigures f;
  ExperimentResult result = fly_and_fill(setup, flight_of(setup, plan, 30.0), passage.end, f);
  result.title = "To another pose without a force on the base";
  result.question =
      "End-effector and base go to other poses, the centre of mass is to stay where it is. Does the base then need any "
      "force, that is propellant?";
  set_end_criteria(result);
  set_momentum_criterion(result, setup);
  const bool is_exact = choice.q0_eps == 0.0;
  // Rounding alone: 160 kg and 0.36/s² make 1e-12 N of 2e-14 m.
  if (is_exact) set_criterion(result, "base_force_max", 1e-12);
  const double way = (plan.end_effector.goal.translation - plan.end_effector.start.translation).norm();
  result.findings.push_back("The end-effector went " + millimetres(way) + " and the base turned by " +
                            value_text(choice.turn) + " rad with at most " + value_text(f.base_force_max) +
                            " N on the base: wheels alone do it, with " + value_text(f.base_torque_max) + " N·m.");
  if (!is_exact) {
    result.remarks.emplace_back(
        "With space.q0_eps the centre of mass does not start where it shall be, and thrusters bring it there: no "
        "criterion for the base's force.");
  }
  result.findings.push_back(end_sentence(f));
  result.findings.push_back(way_sentence(f));
  result.findings.push_back(tier_sentence(f));
  return result;
}

ExperimentResult fly_tracking(const FlightSetup& setup) {
  const SpaceChoice& choice = setup.options.space;
  FreeFlyer flying(setup.robot.model, setup.robot.frame, setup.options.flyer);
  FlyingPlan plan = resting_plan(flying.motion_at(setup.q, VectorX::Zero(setup.robot.model.nv())));
  Draw draw(setup.request.seed);
  // Not in step with each other: none of the three is ever at rest while another moves.
  plan.end_effector.passage = passage_of(setup, 1.0, 19.0, 30.0);
  plan.base.passage = passage_of(setup, 2.0, 16.0, 30.0);
  plan.com.passage = passage_of(setup, 0.5, 20.0, 30.0);
  plan.base.goal = turned(draw.direction(), choice.turn);
  plan.com.goal = plan.com.start + choice.shift * draw.direction();
  plan.end_effector.goal =
      end_effector_at(flying, goal_joints(flying, setup, choice.reach), plan.base.goal, plan.com.goal);
  FlightFigures f;
  ExperimentResult result = fly_and_fill(setup, flight_of(setup, plan, 30.0), plan.com.passage.end, f);
  result.title = "Centre of mass, attitude and end-effector tracked together";
  result.question =
      "All twelve degrees of freedom have references that move. How far are they from them on the way, and at the end?";
  set_end_criteria(result);
  set_way_criteria(result, setup);
  set_momentum_criterion(result, setup);
  result.findings = {way_sentence(f), end_sentence(f),
                     "The base was given at most " + value_text(f.base_force_max) + " N and " +
                         value_text(f.base_torque_max) + " N·m, a joint " + value_text(f.joint_torque_max) + " N·m.",
                     tier_sentence(f)};
  return result;
}

ExperimentResult fly_inspection(const FlightSetup& setup) {
  const SpaceChoice& choice = setup.options.space;
  FreeFlyer flying(setup.robot.model, setup.robot.frame, setup.options.flyer);
  const FreeFlyingMotion motion = flying.motion_at(setup.q, VectorX::Zero(setup.robot.model.nv()));
  FlyingPlan plan = resting_plan(motion);
  Draw draw(setup.request.seed);
  const Vector3 outwards = (motion.X_WE.translation - motion.p_com).normalized();
  const Vector3 any = draw.direction();
  plan.end_effector.kind = EndEffectorGuidance::circle;
  plan.end_effector.passage = passage_of(setup, 1.0, 41.0, 55.0);
  plan.end_effector.center = motion.X_WE.translation + choice.standoff * outwards;
  plan.end_effector.axis = (any - any.dot(outwards) * outwards).normalized();
  plan.end_effector.angle = choice.circle;
  plan.base.kind = BaseGuidance::face;
  plan.base.pivot = plan.end_effector.center;
  plan.base.direction = -outwards;
  plan.com.kind = ComGuidance::carry;
  plan.com.p_CE_B = motion.X_WB.rotation.transpose() * (motion.X_WE.translation - motion.p_com);
  if (choice.circle >= 3.1) {
    throw OptionsError("space.circle", "the base turns the shortest way, which is lost at half a turn",
                       "take less than 3.1 rad");
  }
  FlightFigures f;
  ExperimentResult result = fly_and_fill(setup, flight_of(setup, plan, 55.0), plan.end_effector.passage.end, f);
  result.title = "Flight around a point that the end-effector keeps facing";
  result.question =
      "The robot flies around an object at a constant distance. The end-effector is led around it, the base turns with "
      "it, and the centre of mass follows such that the arm keeps its pose.";
  set_end_criteria(result);
  set_way_criteria(result, setup);
  set_momentum_criterion(result, setup);
  result.replay.has_table = true;
  result.replay.table_name = "inspected place";
  result.replay.size = Vector3(0.3, 0.3, 0.0);
  result.replay.X_WT.translation = plan.end_effector.center;
  result.replay.X_WT.rotation = Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), -outwards).toRotationMatrix();
  result.findings = {way_sentence(f), end_sentence(f),
                     "The way around takes at most " + value_text(f.base_force_max) + " N of thrust and " +
                         value_text(f.base_torque_max) + " N·m.",
                     tier_sentence(f)};
  return result;
}

ExperimentResult fly_tumble(const FlightSetup& setup) {
  const SpaceChoice& choice = setup.options.space;
  Draw draw(setup.request.seed);
  constexpr double kFree = 5.0;  // [s]
  FreeFlyer flying(setup.robot.model, setup.robot.frame, setup.options.flyer);
  FlightPlan flight = flight_of(setup, {}, 45.0);
  flight.free_until = kFree;
  flight.v.segment<3>(3) = choice.spin * draw.direction();
  // v_c = R_b (v_b + ω_b × p_bc) with the joints at rest.
  const FreeFlyingMotion& motion = flying.motion_at(flight.q, flight.v);
  flight.v.head<3>() = choice.drift * draw.direction() - flight.v.segment<3>(3).cross(motion.p_bc);
  const auto plan = std::make_shared<FlyingPlan>();
  const auto caught = std::make_shared<std::array<double, 2>>();
  flight.begin = [plan, caught](const FreeFlyingTerms& terms) {
    *plan = resting_plan(terms.motion);
    *caught = {terms.momentum_linear.norm(), terms.momentum_angular.norm()};
  };
  flight.reference = [plan](double time) { return flying_reference(*plan, time); };
  if (setup.options.space.duration > 0.0 && setup.options.space.duration <= kFree) {
    throw OptionsError("space.duration", "tumble drifts for 5 s before it is controlled", "take more than 5 s");
  }
  FlightFigures f;
  ExperimentResult result = fly_and_fill(setup, flight, kFree, f);
  result.title = "From a tumbling start to rest";
  result.question =
      "The robot turns and drifts for five seconds with its joints braked, which changes no momentum. Then it is to "
      "stop "
      "where it is, base and end-effector at the poses of that moment.";
  result.metrics.push_back({"momentum_linear_end", f.momentum_linear_end, "N·s", "left at the end", -kInfinity, 1e-3});
  result.metrics.push_back({"momentum_angular_end", f.momentum_angular_end, "N·m·s",
                            "left at the end, about the centre of mass", -kInfinity, 1e-3});
  set_end_criteria(result);
  set_momentum_criterion(result, setup);
  result.phases = {{0.0, "drift", "no force on the base, joints braked"},
                   {kFree, "stop", "the poses of this moment are held"}};
  result.findings = {"It was caught with " + value_text((*caught)[0]) + " N·s and " + value_text((*caught)[1]) +
                         " N·m·s, and ended with " + value_text(f.momentum_linear_end) + " and " +
                         value_text(f.momentum_angular_end) + ".",
                     "Stopping took at most " + value_text(f.base_force_max) + " N and " +
                         value_text(f.base_torque_max) + " N·m on the base.",
                     "The end-effector overshot by " + millimetres(f.position_error_max) + ", the base by " +
                         milliradians(f.base_error_max) + ".",
                     end_sentence(f), tier_sentence(f)};
  return result;
}

namespace {

/// The joint's position nearest to zero at which J⊕ loses rank while the others stand as they are.
double singular_position(FreeFlyer& flying, const VectorX& theta, int joint) {
  const auto sigma = [&](double position) {
    VectorX place = theta;
    place[joint] = position;
    return flying.conditioning_at(flying_position(flying.model(), Pose{}, place)).sigma_J;
  };
  constexpr double kStep = 0.02;
  const auto refined = [&](double at) {
    double low = at - kStep, high = at + kStep;
    for (int i = 0; i < 60; ++i) {  // thirds: to the last digits
      const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
      (sigma(a) < sigma(b) ? high : low) = sigma(a) < sigma(b) ? b : a;
    }
    return 0.5 * (low + high);
  };
  for (int i = 0; i * kStep <= 3.1; ++i) {
    for (const double at : {i * kStep, -i * kStep}) {
      if (!(sigma(at) <= sigma(at - kStep) && sigma(at) <= sigma(at + kStep))) continue;
      const double found = refined(at);
      constexpr double kSingular = 1e-6;
      if (sigma(found) < kSingular) return found;
    }
  }
  return kNaN;
}

/// A redundant arm is singular only where two things meet, which one joint alone seldom finds: down the slope of σ from
/// where that joint has it least. Empty: it ends in a valley that is not singular.
VectorX singular_by_descent(FreeFlyer& flying, VectorX theta, int joint) {
  const RobotModel& model = flying.model();
  const auto sigma = [&](const VectorX& place) {
    return flying.conditioning_at(flying_position(model, Pose{}, place)).sigma_J;
  };
  VectorX best = theta;
  for (double position = model.lower_limits()[joint]; position <= model.upper_limits()[joint]; position += 0.05) {
    theta[joint] = position;
    if (sigma(theta) < sigma(best)) best = theta;
  }
  constexpr double kEnough = 1e-4, kDifference = 1e-6;
  double step = 0.1;
  for (int i = 0; i < 500 && sigma(best) > kEnough && step > 1e-6; ++i) {
    VectorX slope(theta.size());
    for (int k = 0; k < slope.size(); ++k) {
      const VectorX change = kDifference * VectorX::Unit(slope.size(), k);
      slope[k] = (sigma(best + change) - sigma(best - change)) / (2.0 * kDifference);
    }
    const VectorX next =
        (best - step * slope.normalized()).cwiseMax(model.lower_limits()).cwiseMin(model.upper_limits());
    if (sigma(next) < sigma(best)) {
      best = next;
    } else {
      step *= 0.5;
    }
  }
  constexpr double kNearly = 0.01;
  return sigma(best) < kNearly ? best : VectorX();
}

/// How the joints move: the crossing one at 1, the others along, for a lone joint takes hardly any torque to compare
/// with. Of some draws the first whose path meets no other singular pose, else the one that stays furthest from it.
VectorX crossing_direction(FreeFlyer& flying, const SingularCrossing& crossing, int joint, Draw& draw) {
  constexpr int kDraws = 20, kPlaces = 10;
  constexpr double kOutside = 0.15, kClear = 0.01;  // [rad] of s; of σ_min(J⊕) there
  VectorX best;
  double best_sigma = -1.0;
  for (int trial = 0; trial < kDraws && best_sigma < kClear; ++trial) {
    VectorX direction(crossing.theta.size());
    for (double& rate : direction) rate = 0.5 * draw(1.0);
    direction[joint] = 1.0;
    // To rest the path goes on by half of what it makes in the time of the stop.
    const double beyond = crossing.reach + 0.5 * crossing.speed * crossing.stop;
    double least = kInfinity;
    for (int i = 0; i <= kPlaces; ++i) {
      for (const double end : {crossing.reach, -beyond}) {
        const double s = std::copysign(kOutside + (std::abs(end) - kOutside) * i / kPlaces, end);
        const VectorX theta = crossing.theta + s * direction;
        least = std::min(least, flying.conditioning_at(flying_position(flying.model(), Pose{}, theta)).sigma_J);
      }
    }
    if (least <= best_sigma) continue;
    best_sigma = least;
    best = direction;
  }
  return best;
}

/// Where the arm is singular, from this start. \throws OptionsError where it is not
SingularCrossing crossing_of(const FlightSetup& setup, FreeFlyer& flying, int joint) {
  SingularCrossing crossing;
  if (setup.theta.size() == 6) {
    const double singular = singular_position(flying, setup.theta, joint);
    if (!std::isnan(singular)) {
      crossing.theta = setup.theta;
      crossing.theta[joint] = singular;
    }
  } else {
    crossing.theta = singular_by_descent(flying, setup.theta, joint);
  }
  if (crossing.theta.size() == 0) {
    throw OptionsError(
        "space.crossing",
        "from this start " + flying.model().motor_names()[static_cast<std::size_t>(joint)] + " meets no singular pose",
        "take the other crossing, or another seed");
  }
  return crossing;
}

}  // namespace

ExperimentResult fly_singular(const FlightSetup& setup) {
  const SpaceChoice& choice = setup.options.space;
  const RobotModel& model = setup.robot.model;
  const int n = model.nv() - 6;
  const int joint = (choice.crossing == Crossing::elbow ? 2 : 4) + (n == 7);
  const std::string& joint_name = model.motor_names()[static_cast<std::size_t>(joint)];
  FreeFlyer flying(model, setup.robot.frame, setup.options.flyer);
  SingularCrossing crossing = crossing_of(setup, flying, joint);
  Draw draw(setup.request.seed);
  crossing.speed = choice.speed;
  crossing.direction = crossing_direction(flying, crossing, joint, draw);
  crossing.offset = choice.offset;
  const auto path =
      std::make_shared<JointPathReference>(FreeFlyer(model, setup.robot.frame, setup.options.flyer), setup.q);
  if (choice.offset > 0.0 && path->offset_at(crossing.theta) != Status::ok) {
    throw OptionsError("space.offset", "the singular direction was not found", "fly without");
  }
  const double crossed = crossing.reach / crossing.speed, at_rest = crossing_end(crossing);
  double ideal_peak = 0.0;
  for (int i = 0; i <= 2000; ++i) {
    path->at(crossing, at_rest * i / 2000.0);
    ideal_peak = std::max(ideal_peak, path->tau().tail(n).cwiseAbs().maxCoeff());
  }
  path->at(crossing, 0.0);
  FlightPlan flight;
  flight.q_gains = path->q();
  VectorX start = arm_positions(model, path->q());
  VectorX off(n);
  for (int k = 0; k < n; ++k) off[k] = draw(1.0);
  start += choice.start_error * off.normalized();
  start = perturbed_start(start, choice.q0_eps);
  const FreeFlyingMotion planned = flying.motion_at(path->q(), path->v());
  flight.q = flying_position(model, planned.X_WB, start);
  flight.v = path->v();
  flight.duration = choice.duration > 0.0 ? choice.duration : at_rest + (choice.offset > 0.0 ? 12.0 : 10.0);
  flight.reference = [path, crossing](double time) { return path->at(crossing, time); };
  if (n == 7) flight.posture = start;
  constexpr double kNear = 0.1;  // [rad]
  flight.is_near = [crossing](double time) { return std::abs(crossing_path(crossing, time).value) <= kNear; };

  FlightFigures f;
  ExperimentResult result = fly_and_fill(setup, flight, crossed, f);
  const bool is_reachable = choice.offset == 0.0;
  result.title = "Through a singular pose of the arm";
  result.question = "The end-effector is led along the poses of a joint path in which " + joint_name +
                    " passes its singular position at " + value_text(choice.speed) +
                    " rad/s, base and centre of mass at rest" +
                    (is_reachable ? "." : ", plus an offset that no joint motion reaches.") +
                    " Does the arm jump, and does it come back to the path?";
  const bool is_small = choice.start_error <= 0.01 && choice.q0_eps == 0.0;
  const double cycle = 1e3 / choice.rate;  // [ms]: the bars are those of a millisecond
  // Of redundant arms no figures are known to hold this one to.
  const auto bar = [n](double value) { return n == 6 ? value : kInfinity; };
  result.metrics.push_back({"inverse_step", f.inverse_step, "mixed m and rad",
                            "largest change of the law’s inverse of J⊕ from cycle to cycle, 2-norm", -kInfinity,
                            bar(0.5 * cycle)});
  result.metrics.push_back({"torque_step", f.torque_step, "N·m", "largest change of a joint’s torque, likewise",
                            -kInfinity, is_reachable && is_small ? bar(0.03 * cycle) : kInfinity});
  const double most_torque = is_reachable ? (is_small ? 1.2 : 5.0) * ideal_peak : 3.0;
  result.metrics.push_back({"torque_near", f.near_torque_max, "N·m",
                            "largest torque of a joint within 0.1 rad of the singularity", -kInfinity,
                            bar(most_torque)});
  result.metrics.push_back({"torque_ideal", ideal_peak, "N·m", "largest of the planned motion itself, whole path"});
  result.metrics.push_back(
      {"energy_rise", f.energy_rise, "J", "largest rise of V − ∫ supply", -kInfinity, bar(is_reachable ? 1e-9 : 1e-4)});
  result.metrics.push_back({"back_after", f.back_after, "s",
                            "after the singular pose: since then within 1 mm and 5 mrad", -kInfinity,
                            bar(is_reachable ? 3.0 : 10.0)});
  if (n == 7) {
    result.remarks.emplace_back("Of arms with seven joints no figures are known: this flight has no criteria.");
  }
  result.phases = {{0.0, "approach", "at constant joint speed"},
                   {std::max(0.0, (crossing.reach - kNear) / crossing.speed), "crossing", "within 0.1 rad"},
                   {(crossing.reach + kNear) / crossing.speed, "beyond", "and to rest"},
                   {at_rest, "hold", "the path's end is held"}};
  result.findings = {"Through the singular pose J#’s largest change in a cycle is " + value_text(f.inverse_step) +
                         ", that of a torque " + value_text(f.torque_step) + " N·m; the largest torque near it is " +
                         value_text(f.near_torque_max) + " N·m, where the whole path takes " + value_text(ideal_peak) +
                         " N·m.",
                     std::isnan(f.back_after)
                         ? "It did not come back to within 1 mm and 5 mrad."
                         : "It is back within 1 mm and 5 mrad " + value_text(f.back_after) +
                               " s after the singular pose; on the way the error was at most " +
                               millimetres(f.position_error_max) + " and " + milliradians(f.rotation_error_max) + ".",
                     end_sentence(f), tier_sentence(f)};
  if (setup.options.control.control.law == FlyingLaw::carried) {
    result.remarks.emplace_back(
        "The law carried does not use the three tiers; their shares show what a controller with them would have met.");
  }
  return result;
}

ExperimentResult fly_posture(const FlightSetup& setup) {
  const SpaceChoice& choice = setup.options.space;
  const RobotModel& model = setup.robot.model;
  if (model.nv() != 13) {
    throw OptionsError("scenario",
                       "posture needs an arm of seven joints; this one has " + std::to_string(model.nv() - 6),
                       "take " + arg(Input::robot, "spacecraft_panda") + ", or another scenario");
  }
  FreeFlyer flying(model, setup.robot.frame, setup.options.flyer);
  // Along the null motion, which way it stays better conditioned.
  constexpr double kStep = 0.002, kLeast = 0.05;
  VectorX best = setup.theta;
  double best_travel = 0.0;
  for (const double way : {1.0, -1.0}) {
    flying.reset();
    VectorX q = setup.q, next(model.nq());
    double travel = 0.0;
    while (travel < choice.null_travel) {
      const FreeFlyingTerms& terms = flying.at(q, VectorX::Zero(model.nv()));
      const VectorX theta = arm_positions(model, q);
      if (terms.status != Status::ok || terms.conditioning.sigma_Gamma < kLeast ||
          (theta.array() < model.lower_limits().array()).any() || (theta.array() > model.upper_limits().array()).any())
        break;
      model.integrate(q, way * kStep * VectorX(terms.null.k_hat), next);
      q = next;
      travel += kStep;
    }
    if (travel > best_travel) {
      best_travel = travel;
      best = arm_positions(model, q);
    }
  }
  FlyingPlan plan = resting_plan(flying.motion_at(setup.q, VectorX::Zero(model.nv())));
  FlightPlan flight = flight_of(setup, plan, 40.0);
  flight.posture = best;
  FlightFigures f;
  ExperimentResult result = fly_and_fill(setup, flight, 0.0, f);
  result.title = "Another posture while the end-effector holds";
  result.question =
      "Seven joints have one motion that neither the end-effector, nor the base, nor the centre of mass feels. The arm "
      "is "
      "to take a posture along it while all else holds.";
  const double asked = (best - setup.theta).norm();
  result.metrics.push_back({"posture_error", f.posture_error, "rad", "of all joints together at the end", -kInfinity,
                            0.02 * std::max(asked, 0.05)});
  result.metrics.push_back({"posture_asked", asked, "rad", "how far the posture was from the start"});
  set_end_criteria(result);
  set_momentum_criterion(result, setup);
  if (choice.q0_eps == 0.0) set_criterion(result, "position_error_max", 1e-3);
  result.findings = {"The joints went " + value_text(asked) + " rad and are " + value_text(f.posture_error) +
                         " rad from the posture at the end; meanwhile the end-effector was off by at most " +
                         millimetres(f.position_error_max) + " and " + milliradians(f.rotation_error_max) + ".",
                     "The null motion takes base torque, at most " + value_text(f.base_torque_max) + " N·m, and " +
                         value_text(f.base_force_max) + " N of base force.",
                     end_sentence(f), tier_sentence(f)};
  if (best_travel < choice.null_travel) {
    result.remarks.push_back("The null motion was planned " + value_text(best_travel) +
                             " rad long: beyond, a joint limit or a singularity is near.");
  }
  return result;
}

}  // namespace antaeus
