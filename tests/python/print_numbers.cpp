// Prints what the library computes as hexadecimal floats, one named row of numbers a line, states included: the package
// must give the same bits (bitwise_test.py). Usage: print_numbers ROBOT
#include <cmath>
#include <cstdio>

#include "antaeus/contact/contact_result.hpp"
#include "antaeus/control/damping_mode.hpp"
#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/estimation/published/guard_chain.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"
#include "antaeus/ik/plain_methods.hpp"
#include "antaeus/numerics/smooth_damping.hpp"
#include "antaeus/pose/preflight.hpp"
#include "antaeus/space/flying_control.hpp"
#include "antaeus/space/free_flight.hpp"
#include "antaeus/space/initial_configuration.hpp"
#include "antaeus/trust/frame_wrench.hpp"
#include "antaeus/trust/guarded_estimator.hpp"

namespace {

using antaeus::MatrixX;
using antaeus::VectorX;

/// By rows, as NumPy flattens.
template <class Matrix>
void print(const char* name, const Matrix& matrix) {
  std::printf("%s", name);
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) std::printf(" %a", static_cast<double>(matrix(i, j)));
  }
  std::printf("\n");
}

void print(const char* name, double number) { print(name, VectorX::Constant(1, number)); }

/// Names of Python's attributes or functions, each before its value; a row that is a full stop ends them.
template <class Value, class... Rest>
void print_fields(const char* name, const Value& value, const Rest&... rest) {
  if constexpr (std::is_arithmetic_v<Value>) {
    print(name, static_cast<double>(value));
  } else {
    print(name, value);
  }
  if constexpr (sizeof...(rest) > 0) {
    print_fields(rest...);
  } else {
    std::printf(".\n");
  }
}

VectorX wave(Eigen::Index size, double phase) {
  VectorX numbers(size);
  for (Eigen::Index i = 0; i < size; ++i) numbers[i] = 0.6 * std::sin(0.7 * static_cast<double>(i) + phase);
  return numbers;
}

void print_dynamics(const antaeus::Robot& robot, int round) {
  const antaeus::RobotModel& model = robot.model;
  antaeus::Dynamics dynamics(model);
  VectorX q(model.nq());
  static_cast<void>(model.integrate(model.neutral(), wave(model.nv(), round), q));
  const VectorX v = wave(model.nv(), round + 0.3);
  const VectorX a = wave(model.nv(), round + 0.6);
  print("q", q), print("v", v), print("a", a);
  VectorX out(model.nv());
  antaeus::Pose pose;
  antaeus::Matrix6X J(6, model.nv());
  antaeus::Vector3 center;
  const antaeus::FrameId frame = model.frame(robot.endpoint_frames().front());
  const antaeus::PositionTerms terms = dynamics.at(q);
  static_cast<void>(terms.gravity_torque(out));
  print("gravity_torque", out);
  static_cast<void>(terms.frame_pose(frame, pose));
  print("rotation", pose.rotation);
  print("translation", pose.translation);
  static_cast<void>(terms.frame_jacobian(frame, J));
  print("frame_jacobian", J);
  static_cast<void>(terms.center_of_mass(center));
  print("center_of_mass", center);
  static_cast<void>(dynamics.inverse_dynamics(q, v, a, out));
  print("inverse_dynamics", out);
  static_cast<void>(dynamics.forward_dynamics(q, v, a, out));
  print("forward_dynamics", out);
  static_cast<void>(dynamics.nonlinear_effects(q, v, out));
  print("nonlinear_effects", out);
  MatrixX square(model.nv(), model.nv());
  static_cast<void>(dynamics.mass_matrix(q, square));
  print("mass_matrix", square);
  static_cast<void>(dynamics.coriolis_matrix(q, v, square));
  print("coriolis_matrix", square);
}

void print_estimate(const antaeus::WrenchEstimate& e) {
  print("wrench", e.wrench.to_vector());
  print_fields("gain", e.gain, "kappa", e.kappa, "kappa_scaled", e.kappa_scaled, "sigma_min", e.sigma_min, "sigma_max",
               e.sigma_max, "manipulability", e.manipulability, "reference_residual", e.reference_residual);
}

void print_estimation(const antaeus::Robot& robot) {
  const antaeus::SyntheticEpisode twin =
      antaeus::make_twin(robot, antaeus::TwinKind::incident, {.duration = 0.4, .torque_noise = 0.5, .seed = 7});
  antaeus::InstantReader reader(robot, robot.endpoint_frames());
  antaeus::DeployedEstimator deployed(reader, {.characteristic_length = 0.3});
  antaeus::StackedEstimator stacked(reader, antaeus::StackedRows::motors_and_base);
  antaeus::GuardChain chain;
  antaeus::Observation sample;
  print("tau", twin.episode.tau);
  for (Eigen::Index step = 0; step < twin.episode.steps(); ++step) {
    twin.episode.observe(step, sample);
    const antaeus::Instant& now = reader.at(sample);
    print_fields("static_residual", now.static_residual(), "base_residual", now.base_residual());
    print("jacobian", now.jacobian(0));
    const antaeus::WrenchEstimates& hands = deployed.solve(now);
    for (const antaeus::WrenchEstimate& estimate : hands) print_estimate(estimate);
    for (const antaeus::WrenchEstimate& estimate : stacked.solve(now)) print_estimate(estimate);
    print("matrix", stacked.matrix());
    const antaeus::ChainedWrench& read = chain.apply(hands[0]);
    print("guarded", read.wrench.to_vector());
    for (const antaeus::GuardRecord& record : read.records) print_fields("saw", record.saw, "limit", record.limit);
  }
}

void print_posterior(const antaeus::Robot& robot) {
  const antaeus::SyntheticEpisode twin =
      antaeus::make_twin(robot, antaeus::TwinKind::pushes, {.duration = 0.4, .torque_noise = 0.5, .seed = 8});
  antaeus::InstantReader reader(robot, robot.profile.deployed_endpoints);
  antaeus::ResidualEstimator residual(robot, {.kind = antaeus::ResidualChoice::momentum_observer});
  antaeus::PosteriorEstimator posterior(reader, {.reference = antaeus::ReferenceUse::innovation});
  antaeus::ReliabilityEstimator reliability(reader, posterior);
  antaeus::GuardedEstimator guarded(robot, robot.profile.deployed_endpoints);
  antaeus::FrameWrenchEstimator drop_in(robot);
  antaeus::Observation sample;
  for (Eigen::Index step = 0; step < twin.episode.steps(); ++step) {
    twin.episode.observe(step, sample);
    const antaeus::Residual& r = residual.form(reader.at(sample));
    print_fields("value", r.value, "variance", r.variance);
    const antaeus::PosteriorEstimates& estimates = posterior.solve(r);
    for (const antaeus::WrenchEstimate& estimate : estimates) {
      const antaeus::Uncertainty& u = estimate.uncertainty;
      print("wrench", estimate.wrench.to_vector());
      print_fields("covariance", u.covariance, "directions", u.directions, "force_sd", u.force_sd, "worst_sd",
                   u.force_sd[2], "nis", u.nis, "nis_threshold", u.nis_threshold, "innovation", u.innovation,
                   "innovation_sd", u.innovation_sd);
    }
    for (const antaeus::EndpointReliability& result : reliability.judge(estimates)) {
      print_fields("redundancy", result.redundancy, "minimal_detectable_bias", result.minimal_detectable_bias,
                   "external_force", result.external_force);
    }
    for (const antaeus::ConsumerWrench& read : guarded.update(sample)) print("guarded", read.wrench.to_vector());
    const antaeus::WrenchEstimate& answer =
        drop_in.get_frame_wrench(robot.profile.deployed_endpoints[0], sample.q, sample.tau);
    print("drop_in", answer.wrench.to_vector());
  }
}

void print_solution(const antaeus::ReachSolution& s) {
  print_fields("q", s.q, "rejected", s.rejected, "position_error", s.position_error, "rotation_error", s.rotation_error,
               "gradient", s.gradient, "iterations", s.iterations, "attempts", s.attempts, "descents", s.descents,
               "agreeing_starts", s.agreeing_starts, "blocked_by", s.blocked_by, "pulled_in", s.pulled_in);
  print("status", Eigen::Vector2d(static_cast<int>(s.status), static_cast<int>(s.evidence)));
}

void print_ik(const antaeus::Robot& robot) {
  const antaeus::KinematicChain chain(robot.model, robot.profile.endpoints.front().frame);
  antaeus::PlainSolver plain(chain, {.method = antaeus::PlainMethod::pinv, .axes = antaeus::ErrorAxes::local});
  for (const bool position_only : {false, true}) {
    antaeus::ReachOptions options;
    options.position_only = position_only;
    antaeus::ReachSolver solver(antaeus::ReachModel(chain, options));
    for (int k = 0; k < 40; ++k) {
      VectorX start = chain.pulled_in(chain.middle() + wave(chain.size(), k));
      antaeus::Pose X_WF;
      chain.pose(chain.pulled_in(start + 0.3 * wave(chain.size(), k + 0.5)), X_WF);
      if (k % 4 == 3) X_WF.translation *= 1.5;  // some out of reach
      if (k % 8 == 2) X_WF.translation *= 0.4;  // or blocked
      if (k % 8 == 4) start[2] += 9.0;          // pulled in
      if (k == 5) X_WF.rotation *= 1.1;         // bad
      if (k == 6) start[1] = antaeus::kNaN;
      print("target", X_WF.translation);
      print("rotation", X_WF.rotation);
      print_solution(solver.solve(X_WF));
      print_solution(plain.solve(X_WF, start));
      const antaeus::ReachSolution followed = solver.follow(X_WF, start);
      print_solution(followed);
      print_solution(solver.explain(X_WF, followed));
    }
  }
}

void print_contact(const antaeus::Robot& robot) {
  const std::vector<std::string> feet{"left_ankle_roll_link", "right_ankle_roll_link"};
  constexpr int kFrames = 8;
  const antaeus::RobotModel& model = robot.model;
  antaeus::ContactMotion motion;
  motion.name = "waves";
  motion.q.resize(kFrames, model.nq()), motion.v.resize(kFrames, model.nv()), motion.a.resize(kFrames, model.nv());
  VectorX q(model.nq());
  for (int i = 0; i < kFrames; ++i) {
    static_cast<void>(model.integrate(model.neutral(), wave(model.nv(), 0.1 * i), q));
    motion.q.row(i) = q, motion.v.row(i) = wave(model.nv(), i + 0.3), motion.a.row(i) = wave(model.nv(), i + 0.6);
  }
  motion.dt = VectorX::Constant(1, 0.01);
  antaeus::ContactMotion positions = motion;
  positions.v.resize(0, 0), positions.a.resize(0, 0);
  print("q", motion.q), print("v", motion.v), print("a", motion.a);
  for (const antaeus::LimitSet limits :
       {antaeus::LimitSet::none, antaeus::LimitSet::pyramid, antaeus::LimitSet::cone}) {
    for (const auto compatibility : {antaeus::Compatibility::none, antaeus::Compatibility::nimble}) {
      for (const bool over_time : {false, true}) {
        antaeus::ContactOptions options;
        options.compatibility = compatibility;
        const antaeus::ContactResult result = contact_inverse_dynamics(
            robot, over_time ? positions : motion, {feet, over_time, limits, antaeus::WrenchAxes::link}, options);
        const MatrixX wrench = in_axes(result.dynamics.demand, result.solution.wrench, result.request.axes).transpose();
        print_fields("torques", result.torque, "wrenches", wrench, "residual_share", result.residual_share, "weight",
                     result.weight);
        for (const antaeus::LimitViolation& one : result.violations) print_fields("step", one.frame, "size", one.size);
      }
    }
  }
}

void print_damping_mode(const antaeus::Robot& robot) {
  const int n = robot.model.motor_count();
  VectorX tau(n);
  for (int i = 0; i < 4; ++i) {
    const VectorX v = 4.0 * wave(n, i), q = wave(n, 0.1 * i), hold = wave(n, 0.3 * i);
    static_cast<void>(antaeus::damping_mode(robot, v, {}, tau));
    print("braked", tau);
    static_cast<void>(antaeus::damping_mode(robot, v, q, hold, {.damping = 0.3, .limit_share = 0.7}, tau));
    print("held", tau);
  }
}

void print_tiers() {
  MatrixX U(6, 6), V(6, 6);
  for (int i = 0; i < 6; ++i)
    U.col(i) = wave(6, i) + VectorX::Unit(6, i), V.col(i) = wave(6, 2.0 * i + 0.5) - VectorX::Unit(6, i);
  antaeus::ThreeTierInverse tiers(6, 6);
  antaeus::InverseMemory memory(6, 6);
  antaeus::SmoothDamping damping(6, 6);
  antaeus::CarriedReference carried(6, 6);
  const VectorX b = wave(6, 0.2), b_dot = wave(6, 0.4);
  for (const double last : {1.0, 0.1, 0.03, 0.012, 0.004, 0.0, 0.02, 0.3}) {
    const MatrixX J = U * (VectorX(6) << 2, 1.5, 1, 0.7, 0.4, last).finished().asDiagonal() * V.transpose();
    print("J", J);
    const antaeus::TierReport report = tiers.compute(J, V, memory);
    print_fields("sigma_min", report.sigma_min, "condition", report.condition, "lambda_", report.lambda, "norm",
                 report.norm, "remaining", report.remaining, "initial", report.initial);
    print_fields("inverse", tiers.inverse(), "rate", tiers.rate());
    const antaeus::SmoothDampingReport smooth = damping.compute(J, V);
    print_fields("sigma_min", smooth.sigma_min, "condition", smooth.condition, "lambda_", smooth.lambda);
    print_fields("inverse", damping.inverse(), "rate", damping.rate());
    print("lambda_", carried.update(J, V, b, b_dot, 0.01).lambda);
    print_fields("velocity", carried.velocity(), "acceleration", carried.acceleration());
  }
}

void print_motion(const antaeus::FreeFlyingMotion& m) {
  print_fields("p_com", m.p_com, "p_bc", m.p_bc, "p_ec", m.p_ec, "v_c", m.v_c, "omega_b", m.omega_b, "nu_e", m.nu_e,
               "nu_plus", m.nu_plus, "G_omega_b", m.G_omega_b, "G_v_c", m.G_v_c, "J_v_bar", m.J_v_bar, "J_e", m.J_e,
               "J_plus", m.J_plus);
}

/// With what a flyer remembers from call to call; the last state but one cannot be used.
void print_flyer(const antaeus::RobotModel& model, const std::string& frame, antaeus::CoriolisForm coriolis) {
  antaeus::FreeFlyerOptions options;
  options.coriolis = coriolis;
  antaeus::FreeFlyer flying(model, frame, options);
  VectorX q(model.nq());
  for (int k = 0; k < 12; ++k) {
    static_cast<void>(model.integrate(model.neutral(), (k % 3 + 1) * wave(model.nv(), k), q));
    VectorX v = wave(model.nv(), k + 0.3);
    if (k == 10) v[0] = antaeus::kNaN;
    print("q", q), print("v", v);
    print_motion(flying.motion_at(q, v));
    const antaeus::FreeFlyingTerms& t = flying.at(q, v);
    print_motion(t.motion);
    print_fields("M", t.M, "C", t.C, "Gamma", t.Gamma, "Gamma_dot", t.Gamma_dot, "Gamma_inverse", t.Gamma_inverse,
                 "Gamma_inverse_dot", t.Gamma_inverse_dot, "M_hat", t.M_hat, "C_hat", t.C_hat, "M_breve", t.M_breve,
                 "C_breve", t.C_breve, "C_c", t.C_c, "J_plus_dot", t.J_plus_dot, "J_plus_inverse", t.J_plus_inverse,
                 "J_plus_inverse_dot", t.J_plus_inverse_dot, "J_hat", t.J_hat, "J_free", t.J_free, "momentum_linear",
                 t.momentum_linear, "momentum_angular", t.momentum_angular, "sigma_J", t.conditioning.sigma_J,
                 "kappa_J", t.conditioning.kappa_J, "sigma_Gamma", t.conditioning.sigma_Gamma, "kappa_Gamma",
                 t.conditioning.kappa_Gamma, "passive", t.passive);
    const antaeus::NullTerms& n = t.null;
    if (flying.joints() == 7)
      print_fields("n_hat", n.n_hat, "n_hat_dot", n.n_hat_dot, "k_hat", n.k_hat, "k_hat_dot", n.k_hat_dot, "z_a", n.z_a,
                   "z_a_dot", n.z_a_dot, "mu", n.mu, "v_n", n.v_n, "frozen", n.report.frozen, "Gamma_a", n.Gamma_a,
                   "Gamma_a_inverse", n.Gamma_a_inverse, "M_hat_a", n.M_hat_a, "C_hat_a", n.C_hat_a);
    const antaeus::FreeFlyingConditioning rest = flying.conditioning_at(q);
    print_fields("sigma_J", rest.sigma_J, "kappa_J", rest.kappa_J, "sigma_Gamma", rest.sigma_Gamma, "kappa_Gamma",
                 rest.kappa_Gamma);
  }
}

void print_space(const antaeus::Robot& robot) {
  const antaeus::RobotModel& model = robot.model;
  const std::string frame = robot.profile.endpoints.front().frame;
  print_tiers();
  print_flyer(model, frame, antaeus::CoriolisForm::passive);
  print_flyer(model, frame, antaeus::CoriolisForm::published);
  antaeus::FreeFlyer flying(model, frame);
  const antaeus::BestSample found = choose_q_init_by_sigma(flying);
  print_fields("theta", found.theta, "score", found.score, "index", found.index);
  print("start", deterministic_q_init(flying, antaeus::DeterministicOptions{}));
  print("initial", initial_joints(flying));
  print("perturbed", antaeus::perturbed_start(found.theta, 0.01));
  if (flying.joints() == 6) {
    const antaeus::ElbowLaw law = fit_elbow_law(flying);
    print_fields("slope", law.slope, "sigma_J", law.sigma_J, "sigma_Gamma", law.sigma_Gamma, "miss", law.miss);
  }
  VectorX q = model.neutral();
  q.tail(flying.joints()) = found.theta;
  for (const auto law : {antaeus::FlyingLaw::regulator, antaeus::FlyingLaw::tracker, antaeus::FlyingLaw::carried}) {
    antaeus::FlyingControlSetup setup;
    setup.control.law = law;
    antaeus::FlyingControl control(antaeus::FreeFlyer(model, frame), q, setup);
    antaeus::FreeFlight flight(model);
    static_cast<void>(flight.reset(q, 0.1 * wave(model.nv(), 0.5)));
    antaeus::FlyingReference goal;
    goal.end_effector.X_WE = antaeus::Pose(flying.motion_at(q, VectorX::Zero(model.nv())).X_WE);
    goal.end_effector.X_WE.translation.x() += 0.02;
    goal.base.R_WB = antaeus::Matrix3::Identity();
    goal.com.position = flying.motion().p_com;
    for (int i = 0; i < 50; ++i) {
      const antaeus::FlyingCommand& command = control.update(flight.q(), flight.v(), goal, 0.004);
      print_fields("tau", command.tau, "wanted", command.wanted, "f_c", command.f_c, "x_c", command.x_c, "x_b",
                   command.x_b, "x_p", command.x_p, "x_o", command.x_o, "energy", command.energy, "supply",
                   command.supply, "dissipation", command.dissipation, "gamma", command.gamma);
      static_cast<void>(flight.step(command.tau, 0.004));
      print_fields("time", flight.time(), "q", flight.q(), "v", flight.v(), "v_dot", flight.v_dot());
    }
  }
  for (const double sigma : {0.0, 0.01, 0.03, 0.05, 1.0})
    print("ramp", antaeus::gamma_ramp(sigma, antaeus::GammaRampOptions{}));
}

}  // namespace

int main(int argc, char** argv) {
  const antaeus::Robot robot = antaeus::load_robot(argc > 1 ? argv[1] : "h1_2");
  const std::string name = robot.profile.name;
  if (name.starts_with("spacecraft")) {
    print_space(robot);
    return 0;
  }
  for (int round = 0; round < 5; ++round) print_dynamics(robot, round);
  if (name == "panda") print_ik(robot);
  print_damping_mode(robot);
  if (name != "h1_2") return 0;
  print_estimation(robot);
  print_posterior(robot);
  print_contact(robot);
}
