// Prints what the library computes as hexadecimal floats, one named row of numbers a line, states included: the package
// must give the same bits (bitwise_test.py). Usage: print_numbers ROBOT
#include <cmath>
#include <cstdio>

#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/estimation/published/guard_chain.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"
#include "antaeus/ik/plain_methods.hpp"
#include "antaeus/pose/preflight.hpp"
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
  print("q", q);
  print("v", v);
  print("a", a);
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

void print_estimate(const antaeus::WrenchEstimate& estimate) {
  print("wrench", estimate.wrench.to_vector());
  print("gain", estimate.gain);
  print("figures", antaeus::Vector6(estimate.kappa, estimate.kappa_scaled, estimate.sigma_min, estimate.sigma_max,
                                    estimate.manipulability, estimate.reference_residual));
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
    print("residual", now.static_residual());
    print("base_residual", now.base_residual());
    print("jacobian", now.jacobian(0));
    const antaeus::WrenchEstimates& hands = deployed.solve(now);
    for (const antaeus::WrenchEstimate& estimate : hands) print_estimate(estimate);
    for (const antaeus::WrenchEstimate& estimate : stacked.solve(now)) print_estimate(estimate);
    print("matrix", stacked.matrix());
    const antaeus::ChainedWrench& read = chain.apply(hands[0]);
    print("guarded", read.wrench.to_vector());
    for (const antaeus::GuardRecord& record : read.records) print("record", Eigen::Vector2d(record.saw, record.limit));
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
    print("residual", r.value);
    print("variance", r.variance);
    const antaeus::PosteriorEstimates& estimates = posterior.solve(r);
    for (const antaeus::WrenchEstimate& estimate : estimates) {
      const antaeus::Uncertainty& u = estimate.uncertainty;
      print("wrench", estimate.wrench.to_vector());
      print("covariance", u.covariance);
      print("directions", u.directions);
      print("doubt",
            antaeus::Vector6(u.force_sd[0], u.force_sd[2], u.nis, u.nis_threshold, u.innovation, u.innovation_sd));
    }
    for (const antaeus::EndpointReliability& result : reliability.of(estimates)) {
      print("redundancy", result.redundancy);
      print("bias", result.minimal_detectable_bias);
      print("external", result.external_force);
    }
    for (const antaeus::ConsumerWrench& read : guarded.update(sample)) print("guarded", read.wrench.to_vector());
    const antaeus::WrenchEstimate& answer =
        drop_in.get_frame_wrench(robot.profile.deployed_endpoints[0], sample.q, sample.tau);
    print("drop_in", answer.wrench.to_vector());
  }
}

void print_solution(const char* name, const antaeus::ReachSolution& solution) {
  print(name, solution.q);
  print("errors", antaeus::Vector3(solution.position_error, solution.rotation_error, solution.gradient));
  print("counts", Eigen::Vector4d(solution.iterations, solution.attempts, solution.descents, solution.agreeing_starts));
}

void print_ik(const antaeus::Robot& robot) {
  const antaeus::KinematicChain chain(robot.model, robot.profile.endpoints[0].frame);
  const antaeus::ReachModel model(chain);
  antaeus::ReachSolver solver(model);
  antaeus::PlainSolver plain(chain, {.method = antaeus::PlainMethod::pinv, .axes = antaeus::ErrorAxes::local});
  for (int k = 0; k < 40; ++k) {
    const VectorX start = chain.pulled_in(chain.middle() + wave(chain.size(), k));
    antaeus::Pose X_WF;
    chain.pose(chain.pulled_in(start + 0.3 * wave(chain.size(), k + 0.5)), X_WF);
    if (k % 4 == 3) X_WF.translation *= 1.5;  // some out of reach
    print("target", X_WF.translation);
    print("rotation", X_WF.rotation);
    print_solution("solved", solver.solve(X_WF));
    print_solution("plain", plain.solve(X_WF, start));
    const antaeus::ReachSolution followed = solver.follow(X_WF, start);
    print_solution("followed", followed);
    print_solution("explained", solver.explain(X_WF, followed));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const antaeus::Robot robot = antaeus::load_robot(argc > 1 ? argv[1] : "h1_2");
  for (int round = 0; round < 5; ++round) print_dynamics(robot, round);
  if (robot.profile.name == "panda") print_ik(robot);
  if (robot.profile.name != "h1_2") return 0;
  print_estimation(robot);
  print_posterior(robot);
}
