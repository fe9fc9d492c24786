#include "studies/incident_run.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/estimation/published/guard_chain.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/sim/mujoco_flyer.hpp"
#include "antaeus/trust/guarded_estimator.hpp"
#include "core/random.hpp"

namespace antaeus {

namespace {

constexpr int kPolicyPeriod = 20;      // steps of the plant: 50 Hz
constexpr int kLogPeriod = 5;          // the same of the samples
constexpr double kQuiet = 0.2;         // [s] before the disturbance
constexpr double kSettling = 3.0;      // [s] in which the robot comes to rest under its loops
constexpr double kPelvisHeight = 1.1;  // [m] the feet hang free
constexpr const char* kStandJoint = "stand_joint";
constexpr const char* kPushSite = "torso_push";

/// Gains of a leg, of the torso and of an arm: what the maker's own deployment of its walking policy commands.
constexpr std::array<double, 6> kLegStiffness = {200, 200, 200, 300, 40, 40}, kLegDamping = {2.5, 2.5, 2.5, 4, 2, 2};
constexpr std::array<double, 7> kArmStiffness = {120, 120, 120, 80, 80, 80, 80}, kArmDamping = {2, 2, 2, 1, 1, 1, 1};
constexpr double kTorsoStiffness = 300, kTorsoDamping = 3;
constexpr std::array<double, 6> kLegTargets = {0, -0.16, 0, 0.36, -0.2, 0};
constexpr int kLegMotors = 6, kTorsoMotor = 12;
enum LegMotor : int { hip_yaw = 0, hip_pitch = 1, knee = 3, ankle_pitch = 4 };

RobotModel on_a_stand(const Robot& robot, Stand stand) {
  RobotDescription description = robot.model.description();
  const std::string pelvis = description.root;
  LinkDescription column;
  column.name = "stand";
  const auto bar = [&](ShapeKind kind, const Vector3& size, const Vector3& place) {
    Shape shape;
    shape.kind = kind;
    shape.size = size;
    shape.X_LS.translation = place;
    shape.color = {0.45, 0.45, 0.5, 1.0};
    column.visuals.push_back(shape);
  };
  bar(ShapeKind::cylinder, {0.03, kPelvisHeight, 0}, {-0.25, 0, 0.5 * kPelvisHeight});
  bar(ShapeKind::box, {0.25, 0.05, 0.05}, {-0.125, 0, kPelvisHeight});
  bar(ShapeKind::box, {0.5, 0.5, 0.03}, {-0.25, 0, 0.015});
  description.links.push_back(column);
  JointDescription joint;
  joint.name = kStandJoint;
  joint.type = stand == Stand::welded ? JointType::fixed : JointType::revolute;
  joint.parent = "stand";
  joint.child = pelvis;
  joint.X_PJ.translation.z() = kPelvisHeight;
  joint.axis = Vector3::UnitZ();
  joint.lower = -std::numbers::pi;
  joint.upper = std::numbers::pi;
  description.joints.push_back(joint);
  description.root = "stand";
  ModelOptions options = robot.model.options();
  options.base = Base::fixed;
  options.motors = robot.model.motor_names();
  if (stand != Stand::welded) options.motors.insert(options.motors.begin(), kStandJoint);
  return {description, options};
}

void set_gains(IncidentBench& bench) {
  const Eigen::Index n = bench.robot.model.motor_count();
  bench.stiffness.setConstant(n, kTorsoStiffness);
  bench.damping.setConstant(n, kTorsoDamping);
  for (int side = 0; side < 2; ++side) {
    for (int i = 0; i < kLegMotors; ++i) {
      const int motor = kLegMotors * side + i;
      bench.stiffness[motor] = kLegStiffness[static_cast<std::size_t>(i)];
      bench.damping[motor] = kLegDamping[static_cast<std::size_t>(i)];
      bench.targets[motor] = kLegTargets[static_cast<std::size_t>(i)];
    }
    for (int i = 0; i < 7; ++i) {
      const int motor = kTorsoMotor + 1 + 7 * side + i;
      bench.stiffness[motor] = kArmStiffness[static_cast<std::size_t>(i)];
      bench.damping[motor] = kArmDamping[static_cast<std::size_t>(i)];
    }
  }
}

/// A plant of the bench and the loops that hold its robot.
struct Loops {
  Loops(const IncidentBench& bench_in, const IncidentChoice& choice_in, const PlantOptions& options)
      : bench(bench_in),
        choice(choice_in),
        plant(bench.scene, {.site = kPushSite, .contact_body = "torso_link"}, options),
        tau(VectorX::Zero(plant.motor_count())) {}

  auto q() const { return plant.reading().q.tail(count()); }
  auto v() const { return plant.reading().v.tail(count()); }
  Eigen::Index count() const { return bench.targets.size(); }
  double stand_angle() const { return bench.first > 0 ? plant.truth().qpos[0] : 0.0; }
  double stand_rate() const { return bench.first > 0 ? plant.truth().qvel[0] : 0.0; }

  void hold(const VectorX& targets) {
    tau.tail(count()) = bench.stiffness.cwiseProduct(targets - q()) - bench.damping.cwiseProduct(v());
  }
  Status step() {
    if (bench.first > 0) tau[0] = -choice.stand_stiffness * stand_angle() - choice.stand_damping * stand_rate();
    return plant.step(tau);
  }

  const IncidentBench& bench;
  const IncidentChoice& choice;
  MujocoPlant plant;
  VectorX tau;
};

/// From a sample of the sensors to the forces of both hands that the policy reads.
class Reader {
 public:
  Reader(const IncidentBench& bench, Remedy remedy)
      : remedy_(remedy),
        endpoints_(bench.robot.profile.deployed_endpoints),
        reader_(bench.robot, remedy == Remedy::stacked ? bench.robot.endpoint_frames() : endpoints_,
                {.imu = remedy == Remedy::imu ? ImuUse::mounted : ImuUse::as_base}),
        deployed_(reader_),
        stacked_(reader_) {
    std::vector<GuardKind> order;
    if (remedy == Remedy::clamp) order = {GuardKind::clamp};
    if (remedy == Remedy::condition) order = {GuardKind::condition};
    if (remedy == Remedy::dominance) order = {GuardKind::reference_dominance};
    if (is_watchdog()) order = {GuardKind::watchdog};
    chains_.assign(endpoints_.size(), GuardChain(order));
    if (remedy == Remedy::guarded) guarded_ = std::make_unique<GuardedEstimator>(bench.robot, endpoints_);
  }

  bool is_watchdog() const { return remedy_ == Remedy::watchdog_damping || remedy_ == Remedy::watchdog_hold; }
  bool is_alarmed() const { return alarmed_; }
  /// Of the torso, τ − g [N·m].
  double residual() const { return residual_; }

  /// Left and right force.
  std::array<Vector3, 2> read(const Observation& sample) {
    std::array<Vector3, 2> forces = {Vector3::Zero(), Vector3::Zero()};
    const Instant& now = reader_.at(sample);
    residual_ = now.static_residual()[now.reference_motor()];
    if (guarded_) {
      const auto& results = guarded_->update(sample);
      for (std::size_t i = 0; i < 2; ++i) {
        forces[i] = results[i].wrench.force;
        alarmed_ = alarmed_ || results[i].state >= Verdict::refused;
      }
      return forces;
    }
    const WrenchEstimates& estimates = remedy_ == Remedy::stacked ? stacked_.solve(now) : deployed_.solve(now);
    for (std::size_t i = 0; i < 2; ++i) {
      const ChainedWrench& read = chains_[i].apply(estimates[i]);
      forces[i] = read.wrench.force;
      alarmed_ = alarmed_ || read.damping_mode;
    }
    return forces;
  }

 private:
  Remedy remedy_;
  std::vector<std::string> endpoints_;
  InstantReader reader_;
  DeployedEstimator deployed_;
  StackedEstimator stacked_;
  std::vector<GuardChain> chains_;
  std::unique_ptr<GuardedEstimator> guarded_;
  double residual_ = kNaN;
  bool alarmed_ = false;
};

/// The surrogate: knees bend with the force's size, hips turn the body with its vertical part, within the joints'
/// range.
void answer(const IncidentBench& bench, double gain, const std::array<Vector3, 2>& forces, VectorX& targets) {
  targets = bench.targets;
  const double size = std::max(forces[0].norm(), forces[1].norm());
  const double turn = forces[0].z() - forces[1].z();
  for (int side = 0; side < 2; ++side) {
    const int leg = kLegMotors * side;
    targets[leg + hip_yaw] += gain * turn;
    targets[leg + hip_pitch] -= 0.5 * gain * size;
    targets[leg + knee] += gain * size;
    targets[leg + ankle_pitch] -= 0.5 * gain * size;
  }
  targets = targets.cwiseMax(bench.robot.model.lower_limits()).cwiseMin(bench.robot.model.upper_limits());
}

void observe(const Loops& loops, Observation& sample) {
  sample.time = loops.plant.reading().time;
  sample.q = loops.q();
  sample.v = loops.v();
  sample.tau = loops.plant.reading().tau.tail(loops.count());
  // The IMU turns with the torso, and everything turns about the vertical alone.
  const double yaw = loops.stand_angle() + sample.q[kTorsoMotor];
  sample.has_imu = sample.has_gyro = true;
  sample.imu_quaternion_xyzw = {0.0, 0.0, std::sin(0.5 * yaw), std::cos(0.5 * yaw)};
  sample.imu_angular_velocity = {0.0, 0.0, loops.stand_rate() + sample.v[kTorsoMotor]};
  sample.simulated = true;
}

}  // namespace

const OptionTable& options_of(const IncidentChoice&) {
  using O = IncidentChoice;
  constexpr const char* kReport = "incident report";
  static const OptionTable table(
      "incident",
      {
          option("pose", "", "of the arms, by the profile's name", kReport, &O::pose),
          option("good_pose", "", "that is run beside it", kReport, &O::good_pose),
          option("shown", "", "the run of which samples, replay and clip are made", "our choice", &O::shown),
          option("seeds", "1", "runs of each variant", "our choice", &O::seeds, Range{1, 1000}),
          option("duration", "s", "of a run after the disturbance begins", "our choice", &O::duration,
                 Range{1.2, 30.0}),
          option("disturbance", "N·m", "largest moment about the vertical at the torso",
                 "incident report, step 8: the torso's residual", &O::disturbance),
          option("disturbance_time", "s", "how long it lasts, half a sine", "incident report, steps 0 to 8",
                 &O::disturbance_time, Range{0.01, 1.0}),
          option("answer", "rad/N", "of hip and knee targets to the force that is read",
                 "incident report, step 7: knees 0.515 rad beyond their first target, 140.4 N read at step 6",
                 &O::answer),
          option("stand", "", "what carries the pelvis: yielding or welded", "our choice", &O::stand),
          option("stand_stiffness", "N·m/rad", "of the stand about the vertical", "our choice", &O::stand_stiffness,
                 Range{1.0, 1e5}),
          option("stand_damping", "N·m·s/rad", "of the stand about the vertical", "our choice", &O::stand_damping),
      });
  return table;
}
namespace {
const OptionGroup kIncidentGroup(IncidentChoice{});
}

IncidentBench make_incident_bench(const IncidentChoice& choice, const std::string& pose, Stand stand) {
  Robot robot = load_robot("h1_2", MeshPolicy::ignored);
  RobotModel standing = on_a_stand(robot, stand);
  SceneDescription description = flyer_scene(standing, 1e-3, Integrator::implicit_fast);
  // Of the constraints the joints' ranges alone are wanted: a leg meets its stops, and nothing collides.
  constexpr std::string_view kFree = "constraint=\"disable\" ";
  const std::size_t at = description.robot.text.find(kFree);
  if (at == std::string::npos) throw ModelError(description.name, "the scene has no such flag", "see mjcf_of");
  description.robot.text.erase(at, kFree.size());
  description.sites.push_back({kPushSite, "torso_link", {}});
  IncidentBench bench{robot, standing, MujocoScene(description), stand == Stand::welded ? 0 : 1, robot.pose(pose), {},
                      {},    {}};
  if (bench.scene.joint_names() != standing.motor_names()) {
    throw ModelError(robot.profile.name, "its motors are not in the order of its tree", "sort the profile's motors");
  }
  set_gains(bench);
  Loops loops(bench, choice, {});
  VectorX start = VectorX::Zero(loops.plant.motor_count());
  start.tail(loops.count()) = bench.targets;
  loops.plant.reset(start);
  while (loops.plant.truth().time < kSettling) {
    loops.hold(bench.targets);
    // More damping than the loops have, so that it comes to rest where they hold it.
    loops.tau.tail(loops.count()) -= 10.0 * bench.damping.cwiseProduct(loops.v());
    loops.step();
  }
  bench.start = loops.plant.truth().qpos;
  return bench;
}

std::vector<SampleLog::Head> incident_heads(const IncidentBench& bench) {
  std::vector<SampleLog::Head> heads = {{"time", "s", "from the disturbance on"}};
  if (bench.first > 0) heads.push_back({"q_stand_joint", "rad", "of the stand about the vertical"});
  for (const std::string& joint : bench.robot.model.motor_names()) heads.push_back({"q_" + joint, "rad", "as it is"});
  for (const char* axis : {"x", "y", "z"})
    heads.push_back({std::string("read_") + axis, "N", "force of the left hand that the policy reads, world axes"});
  for (const char* axis : {"x", "y", "z"})
    heads.push_back({std::string("hand_") + axis, "m", "the left hand's place in the world"});
  heads.push_back({"read", "N", "size of the larger of both hands' forces that the policy reads"});
  heads.push_back({"residual", "N·m", "of the torso, τ − g, as the estimator sees it"});
  heads.push_back({"disturbance", "N·m", "moment about the vertical on the torso"});
  heads.push_back({"share", "1", "largest torque of a motor over its effort limit"});
  heads.push_back({"speed", "rad/s", "largest of the motors"});
  for (const char* joint : {"left_hip_yaw_joint", "left_knee_joint", "right_knee_joint", "torso_joint"})
    heads.push_back({std::string("tau_") + joint, "N·m", "torque of the motor"});
  heads.push_back({"alarm", "1", "1 from the watchdog's alarm, or the guard's first refusal, on"});
  return heads;
}

IncidentOutcome run_incident_once(const IncidentBench& bench, const IncidentChoice& choice, Remedy remedy,
                                  const DampingModeOptions& damping, int seed, SampleLog* log) {
  detail::Random<detail::SplitMix64> random(static_cast<std::uint64_t>(seed));
  const double sign = random.uniform() < 0.5 ? -1.0 : 1.0;
  const double peak = sign * choice.disturbance * (0.9 + 0.2 * random.uniform());
  const double length = choice.disturbance_time * (0.8 + 0.4 * random.uniform());
  const int phase = static_cast<int>(random.uniform() * kPolicyPeriod);
  const PlantOptions noise{.position_noise = 1e-4, .velocity_noise = 5e-3, .motor_noise = 0.1, .seed = seed};
  Loops loops(bench, choice, noise);
  loops.plant.reset_scene(bench.start);
  Reader reader(bench, remedy);
  Dynamics dynamics(bench.standing);
  const FrameId hand = bench.standing.frame(bench.robot.profile.deployed_endpoints.front());
  const VectorX& efforts = bench.robot.model.effort_limits();

  IncidentOutcome outcome;
  Observation sample;
  VectorX targets = bench.targets, q_hold, torque(loops.count());
  std::array<Vector3, 2> forces = {Vector3::Zero(), Vector3::Zero()};
  const double h = loops.plant.time_step();
  const int before = static_cast<int>(std::lround(kQuiet / h));
  const int steps = before + static_cast<int>(std::lround(choice.duration / h));
  for (int step = 0; step < steps; ++step) {
    const double time = (step - before) * h;
    const double moment = time >= 0.0 && time < length ? peak * std::sin(std::numbers::pi * time / length) : 0.0;
    loops.plant.push({Vector3::Zero(), Vector3(0.0, 0.0, moment)});
    if (step > 0 && (step + phase) % kPolicyPeriod == 0) {
      observe(loops, sample);
      forces = reader.read(sample);
      const double size = std::max(forces[0].norm(), forces[1].norm());
      const bool is_off = reader.is_watchdog() && reader.is_alarmed();
      if (!is_off) outcome.largest_read = std::max(outcome.largest_read, size);
      answer(bench, choice.answer, forces, targets);
      if (reader.is_alarmed() && std::isnan(outcome.alarm)) {
        outcome.alarm = time;
        q_hold = loops.q();
      }
    }
    const bool is_braked = reader.is_watchdog() && reader.is_alarmed();
    if (is_braked) {
      const VectorX q = loops.q(), v = loops.v();
      const Status status = remedy == Remedy::watchdog_hold ? damping_mode(bench.robot, v, q, q_hold, damping, torque)
                                                            : damping_mode(bench.robot, v, damping, torque);
      if (status != Status::ok) torque.setZero();
      loops.tau.tail(loops.count()) = torque;
    } else {
      loops.hold(targets);
    }
    if (loops.step() != Status::ok) break;
    const VectorX tau = loops.plant.truth().tau.tail(loops.count());
    const double share = tau.cwiseQuotient(efforts).cwiseAbs().maxCoeff();
    const double speed = loops.plant.truth().qvel.tail(loops.count()).cwiseAbs().maxCoeff();
    if (!is_braked && share >= 1.0 && std::isnan(outcome.first_rated)) outcome.first_rated = time + h;
    outcome.largest_share = std::max(outcome.largest_share, share);
    outcome.largest_speed = std::max(outcome.largest_speed, speed);
    if (time > choice.duration - 0.5) outcome.late_speed = std::max(outcome.late_speed, speed);
    if (is_braked && time + h >= outcome.alarm + 1.0) {
      outcome.after_alarm = std::isnan(outcome.after_alarm) ? speed : std::max(outcome.after_alarm, speed);
    }
    if (log == nullptr || step % kLogPeriod != 0) continue;
    std::vector<double> row = {time};
    const VectorX& positions = loops.plant.truth().qpos;
    row.insert(row.end(), positions.begin(), positions.end());
    Pose X_WH;
    static_cast<void>(dynamics.at(positions).frame_pose(hand, X_WH));
    const double larger = std::max(forces[0].norm(), forces[1].norm());
    row.insert(row.end(), forces[0].begin(), forces[0].end());
    row.insert(row.end(), X_WH.translation.begin(), X_WH.translation.end());
    row.insert(row.end(), {larger, reader.residual(), moment, share, speed, tau[hip_yaw], tau[knee],
                           tau[kLegMotors + knee], tau[kTorsoMotor], reader.is_alarmed() ? 1.0 : 0.0});
    log->add(row);
  }
  return outcome;
}

}  // namespace antaeus
