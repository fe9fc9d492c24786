// A robot that carries something: its profile is read, the load is bolted to a frame, and the model is made of both.
// prints: 1.5 kg in the hand: the shoulder holds 4.2 N·m more, and an estimator that knows the load reads 0.0 N
#include <cstdio>

#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/robot/dynamics.hpp"

using namespace antaeus;
int main() {
  RobotProfile profile = read_profile(robots_folder() / "panda" / "profile.toml");
  const Robot bare = make_robot(profile);
  profile.options.payloads.push_back({"panda_hand", {1.5, Vector3(0.0, 0.0, 0.08), 0.004 * Matrix3::Identity()}});
  const Robot loaded = make_robot(profile);
  const VectorX q = bare.pose("ready");
  VectorX without(7), with(7);
  Dynamics(bare.model).at(q).gravity_torque(without);
  Dynamics(loaded.model).at(q).gravity_torque(with);

  InstantReader reader(loaded, {"panda_hand"});
  ResidualEstimator residual(loaded);
  PosteriorEstimator posterior(reader);
  Observation sample;
  sample.q = q;
  sample.v = VectorX::Zero(7);
  sample.tau = with;  // what the motors read while nothing but the load is in the hand
  const double force = posterior.solve(residual.form(reader.at(sample)))[0].wrench.force.norm();
  std::printf(
      "%.1f kg in the hand: the shoulder holds %.1f N·m more, and an estimator that knows the load reads %.1f N\n",
      loaded.model.total_mass() - bare.model.total_mass(), std::abs(with[1] - without[1]), force);
}
