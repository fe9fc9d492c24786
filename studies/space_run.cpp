#include "studies/space_run.hpp"

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "antaeus/sim/mujoco_flight.hpp"
#include "antaeus/space/free_flight.hpp"
#include "studies/arm_run.hpp"

namespace antaeus {

namespace {

/// Pinocchio or MuJoCo behind one face.
class Plant {
 public:
  virtual ~Plant() = default;
  virtual Status reset(ConstVectorRef q, ConstVectorRef v) = 0;
  virtual Status step(ConstVectorRef tau, double dt) = 0;
  virtual const VectorX& q() const = 0;
  virtual const VectorX& v() const = 0;
};

template <class Flight>
class PlantOf final : public Plant {
 public:
  explicit PlantOf(Flight flight) : flight_(std::move(flight)) {}
  Status reset(ConstVectorRef q, ConstVectorRef v) override { return flight_.reset(q, v); }
  Status step(ConstVectorRef tau, double dt) override { return flight_.step(tau, dt); }
  const VectorX& q() const override { return flight_.q(); }
  const VectorX& v() const override { return flight_.v(); }

 private:
  Flight flight_;
};

std::unique_ptr<Plant> make_plant(FlightPlant plant, const RobotModel& model, double dt) {
  if (plant == FlightPlant::pinocchio) return std::make_unique<PlantOf<FreeFlight>>(FreeFlight(model));
  return std::make_unique<PlantOf<MujocoFlight>>(MujocoFlight(model, dt));
}

/// Momentum against the impulse of what the base was given. In a cycle forces are constant in base axes; the base's
/// rotation and the place of the centre of mass in it are cubics through both ends, so Simpson's rule leaves an error
/// of order 4 in the cycle, below what is measured.
class MomentumAudit {
 public:
  double drift() const noexcept { return drift_; }

  void add(const FreeFlyingTerms& terms, ConstVectorRef v, double dt) {
    const Ends now{terms.motion.X_WB.rotation, terms.motion.p_bc, terms.motion.omega_b,
                   terms.motion.J_v_bar * v.tail(terms.motion.J_v_bar.cols())};
    if (!has_start_) {
      linear_ = terms.momentum_linear;
      angular_ = terms.momentum_angular;
      has_start_ = true;
    } else {
      const Eigen::AngleAxisd turned(last_.R.transpose() * now.R);
      const Vector3 half = 0.5 * turned.angle() * turned.axis() + dt / 8.0 * (last_.omega - now.omega);
      const double angle = half.norm();
      const Vector3 axis = angle > 0.0 ? Vector3(half / angle) : Vector3::UnitX();
      const Matrix3 R = last_.R * Eigen::AngleAxisd(angle, axis).toRotationMatrix();
      const Vector3 p = 0.5 * (last_.p + now.p) + dt / 8.0 * (last_.p_dot - now.p_dot);
      const auto spin = [&](const Vector3& p_bc) -> Vector3 { return torque_ - p_bc.cross(force_); };
      linear_ += dt / 6.0 * (last_.R * force_ + 4.0 * (R * force_) + now.R * force_);
      angular_ += dt / 6.0 * (last_.R * spin(last_.p) + 4.0 * (R * spin(p)) + now.R * spin(now.p));
      drift_ = std::max({drift_, (terms.momentum_linear - linear_).norm(), (terms.momentum_angular - angular_).norm()});
    }
    last_ = now;
  }
  void act(ConstVectorRef tau) {
    force_ = tau.head<3>();
    torque_ = tau.segment<3>(3);
  }

 private:
  struct Ends {
    Matrix3 R;                // R_WB
    Vector3 p, omega, p_dot;  // p_bc, ω_b, ṗ_bc, base axes
  };
  bool has_start_ = false;
  Ends last_;
  Vector3 linear_, angular_, force_{0, 0, 0}, torque_{0, 0, 0};
  double drift_ = 0.0;
};

template <class Vector>
void append(std::vector<double>& row, const Vector& numbers) {
  row.insert(row.end(), numbers.data(), numbers.data() + numbers.size());
}

std::vector<SampleLog::Head> heads_of(const FlyingRobot& robot) {
  std::vector<SampleLog::Head> heads = {{"time", "s", "from the start of the flight"}};
  const auto three = [&](const std::string& name, const char* unit, const std::string& meaning) {
    for (const char* axis : {"x", "y", "z"}) heads.push_back({name + axis, unit, meaning});
  };
  three("base_", "m", "origin of the base frame, world axes");
  for (const char* part : {"x", "y", "z", "w"}) {
    heads.push_back({std::string("base_q") + part, "1", "quaternion of the base, base to world"});
  }
  for (const std::string& joint : robot.model.motor_names()) heads.push_back({"q_" + joint, "rad", "position"});
  for (const char* axis : {"x", "y", "z"}) heads.push_back({axis, "m", "the end-effector, world axes"});
  for (const char* axis : {"x", "y", "z"}) {
    heads.push_back({std::string(axis) + "_wanted", "m", "where it was wanted, world axes"});
  }
  three("com_", "m", "centre of mass, world axes");
  three("f_base_", "N", "force on the base, base axes");
  three("tau_base_", "N·m", "torque on the base about its origin, base axes");
  for (const std::string& joint : robot.model.motor_names()) heads.push_back({"tau_" + joint, "N·m", "torque given"});
  three("force_", "N", "force on the base, world axes");
  heads.push_back({"com_error", "m", "distance of the centre of mass from its reference"});
  heads.push_back({"base_error", "rad", "angle of the base from its reference"});
  heads.push_back({"position_error", "m", "distance of the end-effector from its reference"});
  heads.push_back({"rotation_error", "rad", "angle of the end-effector from its reference"});
  heads.push_back({"sigma_Gamma", "1", "smallest singular value of Γ, metres and radians mixed"});
  heads.push_back({"sigma_J", "1", "smallest singular value of J⊕, metres and radians mixed"});
  heads.push_back({"tier", "", "how J⊕ was inverted: 0 exact, 1 damped, 2 held"});
  heads.push_back({"gamma", "1", "scale of the feed-forward"});
  heads.push_back({"energy", "J", "V of the law, without the centre of mass"});
  three("momentum_linear_", "N·s", "of the whole robot, world axes");
  three("momentum_angular_", "N·m·s", "of the whole robot about its centre of mass, world axes");
  return heads;
}

std::vector<double> row_of(double time, ConstVectorRef q, const FreeFlyingTerms& terms, const FlyingCommand& command,
                           const FlyingReference& reference, ConstVectorRef tau, const RobotModel& model) {
  std::vector<double> row = {time};
  append(row, VectorX(q.head<7>()));
  append(row, arm_positions(model, q));
  append(row, Vector3(terms.motion.X_WE.translation));
  append(row, reference.end_effector.X_WE.translation);
  append(row, Vector3(terms.motion.p_com));
  append(row, VectorX(tau));
  append(row, Vector3(terms.motion.X_WB.rotation * tau.head<3>()));
  for (const Vector3* error : {&command.x_c, &command.x_b, &command.x_p, &command.x_o}) row.push_back(error->norm());
  row.push_back(terms.conditioning.sigma_Gamma);
  row.push_back(terms.conditioning.sigma_J);
  row.push_back(static_cast<double>(terms.tier.tier));
  row.push_back(command.gamma);
  row.push_back(command.energy);
  append(row, terms.momentum_linear);
  append(row, terms.momentum_angular);
  return row;
}

/// Counts along the flight.
class Counter {
 public:
  Counter(FlightFigures& figures, FlyingLaw law, const FlyingControlSetup& setup, int n, double back_from)
      : f_(figures), law_(law), damping_(6, n, setup.carry), back_from_(back_from) {}

  void add(double time, double dt, const FreeFlyingTerms& terms, const FlyingCommand& command, ConstVectorRef tau) {
    ++cycles_;
    const auto most = [](double& largest, double value) { largest = std::max(largest, value); };
    most(f_.base_force_max, tau.head<3>().norm());
    most(f_.base_torque_max, tau.segment<3>(3).norm());
    const VectorX joints = tau.tail(tau.size() - 6);
    most(f_.joint_torque_max, joints.cwiseAbs().maxCoeff());
    if (command.status != Status::ok) {
      ++f_.coasted;
      return;
    }
    f_.com_error = command.x_c.norm();
    f_.base_error = command.x_b.norm();
    f_.position_error = command.x_p.norm();
    f_.rotation_error = command.x_o.norm();
    most(f_.com_error_max, f_.com_error);
    most(f_.base_error_max, f_.base_error);
    most(f_.position_error_max, f_.position_error);
    most(f_.rotation_error_max, f_.rotation_error);
    f_.sigma_min = std::min(f_.sigma_min, terms.conditioning.sigma_Gamma);
    exact_ += terms.tier.tier == InverseTier::exact;
    damped_ += terms.tier.tier == InverseTier::damped;
    held_ += terms.tier.tier == InverseTier::held;
    limited_ += command.is_limited;
    f_.momentum_linear_end = terms.momentum_linear.norm();
    f_.momentum_angular_end = terms.momentum_angular.norm();
    MatrixX inverse = terms.J_plus_inverse;
    if (law_ == FlyingLaw::carried) {
      damping_.compute(MatrixX(terms.motion.J_plus), MatrixX(terms.J_plus_dot));
      inverse = damping_.inverse();
    }
    if (has_last_) {
      most(f_.inverse_step, Eigen::JacobiSVD<MatrixX>(inverse - inverse_).singularValues()[0]);
      most(f_.torque_step, (joints - joints_).cwiseAbs().maxCoeff());
      // Trapezoid: the supply of both ends of the cycle.
      balance_ += command.energy - energy_ - 0.5 * dt * (command.supply + supply_);
      lowest_ = std::min(lowest_, balance_);
      most(f_.energy_rise, balance_ - lowest_);
    }
    const bool is_back = f_.position_error <= 1e-3 && f_.rotation_error <= 5e-3;
    if (!is_back) f_.back_after = kNaN;
    if (is_back && std::isnan(f_.back_after)) f_.back_after = std::max(0.0, time - back_from_);
    inverse_ = inverse;
    joints_ = joints;
    energy_ = command.energy;
    supply_ = command.supply;
    has_last_ = true;
  }
  void finish() {
    const double all = std::max(1, cycles_ - f_.coasted);
    f_.exact = exact_ / all;
    f_.damped = damped_ / all;
    f_.held = held_ / all;
    f_.limited = limited_ / all;
  }

 private:
  FlightFigures& f_;
  FlyingLaw law_;
  SmoothDamping damping_;
  double back_from_;
  int cycles_ = 0;
  double exact_ = 0, damped_ = 0, held_ = 0, limited_ = 0;
  bool has_last_ = false;
  MatrixX inverse_;
  VectorX joints_;
  double energy_ = 0.0, supply_ = 0.0, balance_ = 0.0, lowest_ = 0.0;
};

}  // namespace

FlightOptions flight_options(const SpaceRequest& request) {
  const Settings& settings = request.settings;
  FlightOptions options;
  options.space = settings.get<SpaceChoice>();
  options.flyer.j_plus = settings.get<ThreeTierOptions>();
  options.flyer.null_space = settings.get<NullSpaceOptions>();
  options.control.control = settings.get<FlyingControlOptions>();
  options.control.carry = settings.get<SmoothDampingOptions>();
  options.control.gamma = settings.get<GammaRampOptions>();
  options.control.base = settings.get<BaseActuatorOptions>();
  options.control.joints.torque_cycle = 1.0 / options.space.rate;
  options.own_flyer = options.flyer;
  options.initial = settings.get<InitialOptions>();
  options.det = settings.get<DeterministicOptions>();
  if (options.space.compatibility == SpaceCompatibility::published) {
    const FlyingScheme scheme = published_scheme({options.flyer, options.control});
    options.flyer = scheme.flyer;
    options.control = scheme.control;
    if (options.det.slope == 0.0) options.det.slope = kPublishedElbowSlope;
  }
  options.compares = settings.get<RunChoice>().comparisons;
  check_options(options.space);
  return options;
}

FlightRun fly(const FlyingRobot& robot, const FlightPlan& plan, const FlightOptions& options, FlightPlant plant_kind,
              bool is_logged, double back_from, const Progress& progress) {
  const RobotModel& model = robot.model;
  const double dt = 1.0 / options.space.rate;
  const int n = model.nv() - 6;
  const std::unique_ptr<Plant> plant = make_plant(plant_kind, model, dt);
  FreeFlyer drifting(model, robot.frame, options.flyer);
  FlyingControl control(FreeFlyer(model, robot.frame, options.flyer), plan.q_gains, options.control);
  if (plan.posture.size() > 0) control.set_posture(plan.posture);
  if (const Status status = plant->reset(plan.q, plan.v); status != Status::ok) {
    throw Error("flight", "a start that the plant refuses: " + std::string(to_string(status)), "check the settings");
  }

  FlightRun run;
  if (is_logged) run.log.emplace(heads_of(robot));
  Counter counter(run.figures, options.control.control.law, options.control, n, back_from);
  MomentumAudit momentum;
  FlyingCommand nothing;
  nothing.status = Status::ok;
  for (Vector3* error : {&nothing.x_c, &nothing.x_b, &nothing.x_p, &nothing.x_o}) error->setZero();
  const long steps = std::lround(plan.duration * options.space.rate);
  const long every = std::max(1L, std::lround(options.space.rate / options.space.sample_rate));
  bool has_begun = plan.free_until <= 0.0;
  if (has_begun && plan.begin) plan.begin(drifting.at(plan.q, plan.v));
  VectorX tau = VectorX::Zero(model.nv());
  for (long step = 0; step <= steps; ++step) {
    const double time = static_cast<double>(step) * dt;
    const bool is_free = time < plan.free_until;
    if (!is_free && !has_begun) {
      has_begun = true;
      if (plan.begin) plan.begin(drifting.at(plant->q(), plant->v()));
    }
    FlyingReference reference;
    const FreeFlyingTerms* terms = nullptr;
    const FlyingCommand* command = &nothing;
    if (is_free) {
      terms = &drifting.at(plant->q(), plant->v());
      // Only brakes in the joints: inner torques, which change no momentum.
      constexpr double kBrake = 2.0;  // [1/s]
      tau.setZero();
      for (int k = 6; k < 6 + n; ++k) tau[k] = -kBrake * terms->M(k, k) * plant->v()[k];
      reference.end_effector.X_WE = terms->motion.X_WE;
    } else {
      reference = plan.reference(time);
      command = &control.update(plant->q(), plant->v(), reference, dt);
      terms = &control.terms();
      tau = command->tau;
      run.figures.wheel_momentum_max =
          std::max(run.figures.wheel_momentum_max, control.base_effort().wheel_momentum.norm());
      counter.add(time, dt, *terms, *command, tau);
      if (plan.is_near && plan.is_near(time)) {
        run.figures.near_torque_max = std::max(run.figures.near_torque_max, tau.tail(n).cwiseAbs().maxCoeff());
      }
    }
    if (command->status == Status::ok) momentum.add(*terms, plant->v(), dt);
    momentum.act(tau);
    if (is_logged && step % every == 0) {
      run.log->add(row_of(time, plant->q(), *terms, *command, reference, tau, model));
    }
    if (step == steps) break;
    if (const Status status = plant->step(tau, dt); status != Status::ok) {
      throw Error("flight", "the plant broke down: " + std::string(to_string(status)), "use a higher space.rate");
    }
    if (progress && step % 256 == 0) progress(static_cast<double>(step) / static_cast<double>(steps));
  }
  counter.finish();
  run.figures.momentum_drift = momentum.drift();
  if (plan.posture.size() > 0) {
    run.figures.posture_error = (arm_positions(model, plant->q()) - plan.posture).norm();
  }
  if (progress) progress(1.0);
  return run;
}

std::vector<Metric> flight_metrics(const FlightFigures& f) {
  return {
      {"base_force_max", f.base_force_max, "N", "largest force that the base was given"},
      {"com_error", f.com_error, "m", "of the centre of mass at the end"},
      {"base_error", f.base_error, "rad", "of the base’s attitude at the end"},
      {"position_error", f.position_error, "m", "of the end-effector’s place at the end"},
      {"rotation_error", f.rotation_error, "rad", "of the end-effector’s orientation at the end"},
      {"momentum_drift", f.momentum_drift, "N·s, N·m·s",
       "largest difference of linear or angular momentum from the impulse that the base was given"},
      {"sigma_min", f.sigma_min, "1", "smallest singular value of Γ that was met, metres and radians mixed"},
      {"tier_share", f.exact, "1", "share of the cycles in which J⊕ was inverted exactly"},
      {"tier_share_damped", f.damped, "1", "share in which the three-tier inverse damped it"},
      {"tier_share_held", f.held, "1", "share in which it held the last one"},
      {"position_error_max", f.position_error_max, "m", "largest over the flight"},
      {"rotation_error_max", f.rotation_error_max, "rad", "largest over the flight"},
      {"com_error_max", f.com_error_max, "m", "largest over the flight"},
      {"base_error_max", f.base_error_max, "rad", "largest over the flight"},
      {"base_torque_max", f.base_torque_max, "N·m", "largest torque on the base"},
      {"joint_torque_max", f.joint_torque_max, "N·m", "largest torque of a joint"},
      {"wheel_momentum_max", f.wheel_momentum_max, "N·m·s", "most that the reaction wheels held"},
      {"limited_share", f.limited, "1", "share of the cycles in which a limit took something away"},
  };
}

namespace {

/// What the published scheme does worse, where it was chosen (docs/concepts/space.md#as-published has the figures).
void add_published_remarks(ExperimentResult& result, const FlightOptions& options) {
  if (options.space.compatibility != SpaceCompatibility::published) return;
  if (options.control.control.law == FlyingLaw::regulator) {
    result.remarks.emplace_back(
        "As published (space.compatibility), law regulator: the cascade reads neither inverse, nor γ, nor Ĉ; a moving "
        "target is followed with a lag, and a moving centre of mass pulls the end-effector along.");
  } else {
    result.remarks.emplace_back(
        "As published (space.compatibility): law tracker, the inverse of J⊕ held at and below j_plus.hard_floor and "
        "let "
        "go at once, γ by its ramp, n̂, k̂ and z_a frozen together, Ĉ in the published form.");
    result.remarks.emplace_back(
        "What this does worse than the defaults: beyond a singular pose a held inverse has the wrong sign, so that "
        "inverse and torques jump and the arm may not come back to its path; M̂̇ − 2Ĉ is not skew where J⊕ is damped or "
        "held, nor for seven joints, so V − ∫ supply is no balance there; and a thaw turns n̂ at once.");
  }
}

}  // namespace

ExperimentResult flight_result(const FlyingRobot& robot, const SpaceRequest& request, const FlightOptions& options,
                               FlightRun run) {
  ExperimentResult result;
  result.metrics = flight_metrics(run.figures);
  result.phases = std::move(run.phases);
  result.samples = run.log->table();
  result.remarks = robot.remarks;
  add_published_remarks(result, options);

  const std::vector<std::string>& joints = robot.model.motor_names();
  SamplePlot errors{"Errors", "m, rad", {}, {}, true},
      sigma{"Smallest singular values, metres and radians mixed", "", {}, {}, true};
  errors.lines = {{"position_error", "end-effector, place [m]"},
                  {"rotation_error", "end-effector, orientation [rad]"},
                  {"com_error", "centre of mass [m]"},
                  {"base_error", "base, attitude [rad]"}};
  sigma.lines = {{"sigma_Gamma", "σ of Γ"}, {"sigma_J", "σ of J⊕"}};
  sigma.limits = {options.flyer.j_plus.hard_floor, options.flyer.j_plus.soft_floor};
  SamplePlot tier{"How J⊕ is inverted: 0 exact, 1 damped, 2 held", "", {{"tier", "tier"}}, {}};
  SamplePlot force{"Force on the base", "N", {}, {}}, torque{"Torque on the base", "N·m", {}, {}};
  SamplePlot linear{"Linear momentum", "N·s", {}, {}}, angular{"Angular momentum about C", "N·m·s", {}, {}};
  for (const std::string axis : {"x", "y", "z"}) {
    force.lines.push_back({"f_base_" + axis, "force " + axis});
    torque.lines.push_back({"tau_base_" + axis, "torque " + axis});
    linear.lines.push_back({"momentum_linear_" + axis, "linear " + axis});
    angular.lines.push_back({"momentum_angular_" + axis, "angular " + axis});
  }
  SamplePlot arm{"Torques of the joints", "N·m", {}, {}}, positions{"Joints", "rad", {}, {}};
  for (const std::string& joint : joints) {
    arm.lines.push_back({"tau_" + joint, joint});
    positions.lines.push_back({"q_" + joint, joint});
  }
  SamplePlot energy{"Energy V of the law", "J", {{"energy", "V"}}, {}, true};
  result.plots = {errors, sigma, tier, force, torque, arm, positions, linear, angular, energy};

  SceneReplay& replay = result.replay;
  replay.description = robot.model.description();
  replay.joints = joints;
  for (const std::string& joint : joints) replay.columns.push_back("q_" + joint);
  replay.base = {"base_x", "base_y", "base_z", "base_qx", "base_qy", "base_qz", "base_qw"};
  replay.force = {"force_x", "force_y", "force_z"};
  replay.force_at = {"base_x", "base_y", "base_z"};
  replay.force_name = "thrusters on the base";
  replay.place = {"x", "y", "z"};
  replay.wanted = {"x_wanted", "y_wanted", "z_wanted"};

  result.physics = {
      robot.title + ": " + std::to_string(robot.model.nv() - 6) + " joints, " + value_text(robot.model.total_mass()) +
          " kg, led at " + robot.frame + payloads_text(robot.model.options().payloads) +
          ". Nothing holds it and nothing pulls: no gravity, no contact.",
      request.plant == FlightPlant::pinocchio
          ? "Plant: Pinocchio’s forward dynamics, integrated with order 4 on the manifold, one step a cycle."
          : "Plant: MuJoCo’s dynamics and its Runge-Kutta integrator, one step a cycle.",
      "Control at " + value_text(options.space.rate) +
          " Hz, torques and forces held through a cycle; the state is "
          "known exactly. Joints do not stop at their limits, links do not collide.",
  };
  add_settings(result, {request.settings, request.seed, {}}, options.space, options.control.control,
               options.control.carry, options.control.gamma, options.control.base, options.flyer.j_plus,
               options.flyer.null_space, options.initial, options.det);
  return result;
}

Comparison compare_flights(const FlyingRobot& robot, const FlightPlan& plan, const FlightOptions& options,
                           const SpaceRequest& request, const FlightFigures& main, double back_from,
                           std::vector<std::string>& remarks, const Progress& progress) {
  Comparison table;
  table.title = "The same flight, other laws and the other simulator";
  table.note =
      "Errors of the end-effector at the end and the largest of the flight; largest change of the law's inverse of J⊕ "
      "and "
      "of a joint's torque from cycle to cycle; back within 1 mm and 5 mrad for good.";
  table.heads = {"end [mm]", "end [mrad]", "most [mm]", "most [mrad]", "ΔJ#", "Δτ [N·m]", "back [s]"};
  const auto add = [&](const std::string& name, const FlightFigures& f, bool is_main) {
    table.variants.push_back({name,
                              {1e3 * f.position_error, 1e3 * f.rotation_error, 1e3 * f.position_error_max,
                               1e3 * f.rotation_error_max, f.inverse_step, f.torque_step, f.back_after},
                              is_main});
  };
  const FlyingLaw own = options.control.control.law;
  const std::string own_name(to_string(own));
  const bool is_published = options.space.compatibility == SpaceCompatibility::published;
  const std::string main_name = own_name + (is_published ? " as published" : "");
  add(main_name + ", " + std::string(to_string(request.plant)), main, true);
  struct Other {
    std::string name;
    FlyingLaw law;
    bool is_published;  // the inverse is held and let go at once
    FlightPlant plant;
  };
  std::vector<Other> others;
  for (const FlyingLaw law : {FlyingLaw::carried, FlyingLaw::tracker, FlyingLaw::regulator}) {
    if (law != own || is_published) others.push_back({std::string(to_string(law)), law, false, request.plant});
    if (law == FlyingLaw::tracker && main.exact < 1.0 && !is_published) {
      others.push_back({"tracker, held as published", law, true, request.plant});
    }
  }
  const FlightPlant other_plant =
      request.plant == FlightPlant::pinocchio ? FlightPlant::mujoco : FlightPlant::pinocchio;
  others.push_back({main_name + ", " + std::string(to_string(other_plant)), own, false, other_plant});
  for (std::size_t i = 0; i < others.size(); ++i) {
    const Other& other = others[i];
    FlightOptions changed = options;
    changed.control.control.law = other.law;
    if (is_published && other.plant == request.plant) changed.flyer = options.own_flyer;
    if (other.is_published) changed.flyer.j_plus.exit_step = 0.0;
    const auto share = [&](double done) {
      if (progress) progress((static_cast<double>(i) + done) / static_cast<double>(others.size()));
    };
    try {
      add(other.name, fly(robot, plan, changed, other.plant, false, back_from, share).figures, false);
    } catch (const Error& error) {
      remarks.push_back("Not compared with " + other.name + ": " + error.what() + ".");
    }
  }
  return table;
}

}  // namespace antaeus
