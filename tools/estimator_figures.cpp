#include "estimator_figures.hpp"

#include <cmath>
#include <cstdio>

#include "antaeus/core/number_text.hpp"
#include "antaeus/draw/figure.hpp"
#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/trust/guarded_estimator.hpp"

namespace antaeus {

namespace {

constexpr double kTwoPi = 6.283185307179586;

/// The one-sd ellipse of the force in the plane of x and z.
Curve ellipse(const std::string& label, const Matrix3& covariance, Style style) {
  Eigen::Matrix2d C;
  C << covariance(0, 0), covariance(0, 2), covariance(2, 0), covariance(2, 2);
  // C = L Lᵀ by hand: 2 × 2, positive definite.
  const double a = std::sqrt(C(0, 0)), b = C(1, 0) / a, c = std::sqrt(C(1, 1) - b * b);
  Curve curve;
  curve.label = label;
  curve.style = style;
  for (int i = 0; i <= 180; ++i) {
    const double t = kTwoPi * i / 180.0;
    curve.x.push_back(a * std::cos(t));
    curve.y.push_back(b * std::cos(t) + c * std::sin(t));
  }
  return curve;
}

NamedFigure known_force(const Robot& robot) {
  const std::vector<std::string> wrists = {robot.profile.endpoints[0].frame, robot.profile.endpoints[1].frame};
  Figure figure;
  figure.id = "known-force";
  figure.title = "What the torques of the left arm tell of a force at its wrist";
  figure.description =
      "One-sd ellipses of the posterior force in the plane of x and z, in two poses, inside the prior's circle.";
  figure.columns = 2;
  figure.panel_height = 300;
  for (const char* name : {"zero", "arm_waist_target"}) {
    InstantReader reader(robot, wrists);
    ResidualEstimator residual(robot, {.kind = ResidualChoice::static_gravity});
    PosteriorEstimator posterior(reader, {});
    ReliabilityEstimator reliability(reader, posterior);
    Observation observation;
    observation.q = robot.pose(name);
    observation.tau = VectorX::Zero(robot.model.motor_count());
    observation.v = observation.tau;
    observation.tau = reader.at(observation).gravity_torque();
    const Uncertainty at_rest = posterior.solve(residual.form(reader.at(observation)))[0].uncertainty;
    observation.v.setConstant(1.0);
    ResidualEstimator moving_residual(robot, {.kind = ResidualChoice::static_gravity});
    const PosteriorEstimates& moving = posterior.solve(moving_residual.form(reader.at(observation)));
    const Uncertainty& in_motion = moving[0].uncertainty;
    Panel panel;
    panel.title = robot.profile.pose(name).title;
    panel.equal_scale = true;
    panel.x = {.label = "Fx [N]", .minimum = -24, .maximum = 24};
    panel.y = {.label = "Fz [N]", .minimum = -24, .maximum = 24};
    const double prior = posterior.options().prior.force;
    const Matrix3 P0 = prior * prior * Matrix3::Identity();
    panel.curves.push_back(ellipse("prior, 20 N", P0, {Tone::muted, Dash::dotted, Marker::none, 1.4}));
    panel.curves.push_back(ellipse("posterior in motion (static residual)", in_motion.covariance.topLeftCorner<3, 3>(),
                                   {Tone::orange, Dash::dashed}));
    panel.curves.push_back(ellipse("posterior at rest", at_rest.covariance.topLeftCorner<3, 3>(), {Tone::blue}));
    figure.panels.push_back(std::move(panel));
    const auto& entry = reliability.judge(moving)[0];
    std::printf(
        "%-17s worst sd %.1f N at rest, %.1f N in motion, along (%.2f, %.2f, %.2f); torso: redundancy %.2g, "
        "detectable from %.0f N·m on\n",
        name, at_rest.worst_sd(), in_motion.worst_sd(), at_rest.worst_direction().x(), at_rest.worst_direction().y(),
        at_rest.worst_direction().z(), entry.redundancy[reader.reference_motor()],
        entry.minimal_detectable_bias[reader.reference_motor()]);
  }
  return {
      figure.id, figure.title,
      "One standard deviation of the left wrist's force in the x–z plane, H1-2. Left: motor zero, every direction is "
      "known better than the prior. Right: the incident's pose; along the line from shoulder to wrist the prior is "
      "all there is.",
      draw_figure(figure)};
}

NamedFigure posterior_twin(const Robot& robot) {
  const Episode twin = make_twin(robot, TwinKind::incident).episode;
  GuardedEstimator guarded(robot, {robot.profile.endpoints[0].frame, robot.profile.endpoints[1].frame}, {}, {},
                           {.sign = Sign::on_environment}, {});
  InstantReader reader(robot, {robot.profile.endpoints[0].frame});
  DeployedEstimator deployed(reader);
  Curve raw{"deployed", {}, {}, {Tone::vermillion, Dash::solid, Marker::circle}, Curve::Join::lines};
  Curve mean{"posterior", {}, {}, {Tone::blue, Dash::solid, Marker::square}, Curve::Join::lines};
  Curve high{"± 1 sd", {}, {}, {Tone::blue, Dash::dotted, Marker::none, 1.2}, Curve::Join::lines};
  Curve low = high;
  low.label.clear();
  Curve nis{"NIS", {}, {}, {Tone::purple, Dash::solid, Marker::diamond}, Curve::Join::lines};
  Observation observation;
  double threshold = 0.0;
  int refused = -1;
  for (int step = 0; step <= 9; ++step) {
    twin.observe(step, observation);
    const bool is_refused = guarded.update(observation)[0].state == Verdict::refused;
    if (is_refused && refused < 0) refused = step;
    const WrenchEstimate& estimate = guarded.estimates()[0];
    const double sd = std::sqrt(estimate.uncertainty.covariance(2, 2)), Fz = estimate.wrench.force.z();
    threshold = estimate.uncertainty.nis_threshold;
    for (Curve* curve : {&raw, &mean, &high, &low, &nis}) curve->x.push_back(step);
    raw.y.push_back(deployed.solve(reader.at(observation))[0].wrench.force.z());
    mean.y.push_back(Fz);
    high.y.push_back(Fz + sd);
    low.y.push_back(Fz - sd);
    nis.y.push_back(estimate.uncertainty.nis);
    std::printf("incident twin step %d: deployed Fz %.1f N, posterior %.1f ± %.1f N, NIS %.1f (limit %.1f)%s\n", step,
                raw.y.back(), Fz, sd, nis.y.back(), threshold, is_refused ? ", refused" : "");
  }
  Figure figure;
  figure.id = "posterior-twin";
  figure.title = "The incident twin through the guarded posterior";
  figure.description =
      "Fz at the left wrist as deployed falls to −533 N; the posterior stays near zero with its sd; the NIS passes its "
      "limit before.";
  figure.columns = 2;
  figure.panel_height = 220;
  Panel force;
  force.title = "Fz at the left wrist: nobody pushes";
  force.x.label = "step";
  force.y.label = "Fz [N]";
  force.curves = {raw, mean, high, low};
  Panel test;
  test.title = "Do the torques contradict every contact?";
  test.x.label = "step";
  test.y = {.label = "NIS", .logarithmic = true};
  test.curves = {nis};
  test.thresholds = {{.value = threshold, .label = "limit"}};
  figure.panels = {force, test};
  const auto whole = [](double value) { return display_number(value, 0); };
  return {figure.id, figure.title,
          "The synthetic incident, first ten steps. Deployed at step 8: " + whole(raw.y[8]) +
              " N. Posterior: " + whole(mean.y[8]) + " ± " + whole(high.y[8] - mean.y[8]) +
              " N. The guard refuses from step " + std::to_string(refused) + " on.",
          draw_figure(figure)};
}

}  // namespace

std::vector<NamedFigure> estimator_figures(const Robot& humanoid) {
  return {known_force(humanoid), posterior_twin(humanoid)};
}

}  // namespace antaeus
