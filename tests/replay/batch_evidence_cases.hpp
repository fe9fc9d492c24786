#pragma once
/// Robots with rows that speak for their endpoints, all that is asked of posteriors, and noise of every kind.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "replay/batch_numbers.hpp"
#include "replay/batch_states.hpp"
#include "support/made_up_noise.hpp"
#include "support/tolerances.hpp"

namespace antaeus::test {

/// Replayed posteriors against the single-sample path: two decompositions of whitened rows of
/// up to 100 prior sds, some ε of these; variances and tests as a share of what they are the rest of.
inline constexpr tolerance::Tolerance kBatchPosterior{1e-12};

inline constexpr int kEvidenceStates = 45;  // full packs and a tail of any width
inline constexpr double kForcePrior = 20.0, kMomentPrior = 1.5;

struct EvidenceCase {
  std::string name;
  RobotModel model;
  std::vector<std::string> endpoints;
  std::vector<std::vector<int>> rows;
  int reference = -1;

  BatchModel batch(const std::optional<NoiseModel>& noise = {}, double moment_prior = kMomentPrior) const {
    BatchOptions options;
    options.posterior = {rows, kForcePrior, moment_prior, reference, noise};
    return BatchModel(model, endpoints, options);
  }
};

/// Four legs of three joints below a trunk that floats.
inline RobotModel quadruped() {
  std::string legs;
  for (const auto& [leg, x, y] : {std::tuple{"fl", "0.2", "0.1"}, std::tuple{"fr", "0.2", "-0.1"},
                                  std::tuple{"hl", "-0.2", "0.1"}, std::tuple{"hr", "-0.2", "-0.1"}}) {
    const auto link = [&](const std::string& part, const std::string& mass, const std::string& z) {
      legs +=
          "<link name=\"" + part + "_" + leg + "\"><inertial><mass value=\"" + mass + "\"/><origin xyz=\"0.01 0 " + z +
          "\"/><inertia ixx=\"0.004\" iyy=\"0.004\" izz=\"0.001\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>";
    };
    const auto joint = [&](const std::string& name, const std::string& parent, const std::string& child,
                           const std::string& origin, const std::string& axis) {
      legs += "<joint name=\"" + name + "_" + leg + "\" type=\"revolute\"><parent link=\"" + parent +
              "\"/><child link=\"" + child + "_" + leg + "\"/><origin xyz=\"" + origin + "\"/><axis xyz=\"" + axis +
              "\"/><limit lower=\"-2\" upper=\"2\" effort=\"40\" velocity=\"20\"/></joint>";
    };
    link("hip", "0.6", "0.0");
    link("thigh", "0.9", "-0.1");
    link("shank", "0.3", "-0.1");
    joint("roll", "trunk", "hip", std::string(x) + " " + y + " 0", "1 0 0");
    joint("pitch", std::string("hip_") + leg, "thigh", "0 0.05 0", "0 1 0");
    joint("knee", std::string("thigh_") + leg, "shank", "0 0 -0.22", "0 1 0");
    legs += std::string("<link name=\"foot_") + leg + "\"/><joint name=\"sole_" + leg +
            "\" type=\"fixed\"><parent link=\"shank_" + leg + "\"/><child link=\"foot_" + leg +
            "\"/><origin xyz=\"0 0 -0.24\"/></joint>";
  }
  const std::string trunk =
      "<link name=\"trunk\"><inertial><mass value=\"8\"/><inertia ixx=\"0.1\" iyy=\"0.2\" izz=\"0.2\" ixy=\"0\" "
      "ixz=\"0\" iyz=\"0\"/></inertial></link>";
  return RobotModel(parse_urdf("<robot name=\"quadruped\">" + trunk + legs + "</robot>", "quadruped.urdf", ".",
                               MeshPolicy::required));
}

inline std::vector<int> supports(const RobotModel& model, const std::string& frame) {
  return model.supporting_motors(model.frame(frame));
}

inline std::vector<EvidenceCase> evidence_cases() {
  std::vector<EvidenceCase> all;
  const Robot h1_2 = test::own_robot("h1_2");
  const std::vector<std::string> wrists = {"left_wrist_yaw_link", "right_wrist_yaw_link"};
  const InstantReader reader(h1_2, wrists);
  const PosteriorEstimator posterior(reader);
  all.push_back({"h1_2", h1_2.model, wrists, {posterior.rows(0), posterior.rows(1)}, h1_2.model.motor("torso_joint")});
  const RobotModel panda = test::own_robot("panda").model;
  all.push_back({"panda", panda, {"panda_hand"}, {supports(panda, "panda_hand")}});
  const RobotModel dog = quadruped();
  all.push_back({"quadruped", dog, {"foot_fl", "foot_fr", "foot_hl", "foot_hr"}, {}});
  for (const std::string& foot : all.back().endpoints) all.back().rows.push_back(supports(dog, foot));
  ModelOptions options;
  options.gravity = {1.0, -4.0, -8.0};
  options.locked_joints = {{"oblique", 0.7}};
  options.motors = {"oblique_wheel", "lift", "wheel", "slide"};  // another order, and a joint without a motor
  const RobotModel mixed(test::mixed_description(), options);
  all.push_back(
      {"mixed", mixed, {"tip", "platform"}, {supports(mixed, "tip"), {mixed.motor("lift")}}, mixed.motor("slide")});
  RandomStates random(4);
  const RobotModel tree(test::random_tree(random, 24));
  all.push_back({"tree", tree, {"link_24", tree.description().root}, {supports(tree, "link_24"), {}}});
  return all;
}

/// All that is asked of posteriors.
struct Answers {
  int endpoints, motors, width;
  std::vector<double> residual, jacobian, mean, covariance, sd, directions, nis, misfit, null_nis, share, reference_nis,
      innovation;
  std::vector<int> evidence, misfit_rows;
  std::vector<Status> status;

  Answers(const BatchModel& model, int count)
      : endpoints(model.endpoint_count()), motors(model.motor_count()), width(model.jacobian_width()) {
    const auto room = [count](auto& channel, int each) { channel.assign(static_cast<std::size_t>(each * count), -7); };
    room(residual, motors);
    room(jacobian, width);
    room(mean, 6 * endpoints);
    room(covariance, 21 * endpoints);
    room(sd, 3 * endpoints);
    room(directions, 9 * endpoints);
    for (auto* channel : {&nis, &misfit, &null_nis}) room(*channel, endpoints);
    room(evidence, endpoints);
    room(misfit_rows, endpoints);
    if (model.numbers().reference >= 0) room(share, 2 * endpoints);
    if (model.numbers().reference >= 0) room(reference_nis, endpoints);
    if (model.numbers().reference >= 0) room(innovation, 2);
    status.assign(static_cast<std::size_t>(count), Status::not_computed);
  }

  BatchOutput all() {
    BatchOutput out;
    out.residual = {residual};
    out.jacobian = {jacobian};
    out.posterior = {mean};
    out.covariance = {covariance};
    out.force_sd = {sd};
    out.force_directions = {directions};
    out.nis = {nis};
    out.misfit = {misfit};
    out.null_nis = {null_nis};
    out.evidence_rows = {evidence};
    out.misfit_rows = {misfit_rows};
    out.reference_share = {share};
    out.reference_nis = {reference_nis};
    out.innovation = {innovation};
    out.status = status;
    return out;
  }
  /// All numbers of one state in a row.
  std::vector<double> of(int state) const {
    std::vector<double> row;
    const auto add = [&](const auto& channel, int each) {
      if (channel.empty()) return;
      const auto begin = channel.begin() + static_cast<std::ptrdiff_t>(state) * each;
      for (auto number = begin; number != begin + each; ++number) row.push_back(static_cast<double>(*number));
    };
    add(residual, motors);
    add(mean, 6 * endpoints);
    add(covariance, 21 * endpoints);
    add(sd, 3 * endpoints);
    add(directions, 9 * endpoints);
    for (const auto* channel : {&nis, &misfit, &null_nis}) add(*channel, endpoints);
    add(evidence, endpoints);
    add(misfit_rows, endpoints);
    add(share, 2 * endpoints);
    add(reference_nis, endpoints);
    add(innovation, 2);
    row.push_back(static_cast<double>(status[static_cast<std::size_t>(state)]));
    return row;
  }
  Matrix6 covariance_of(int state, int endpoint) const {
    const double* numbers = &covariance[static_cast<std::size_t>(21 * (endpoints * state + endpoint))];
    Matrix6 C;
    for (int i = 0; i < 6; ++i) {
      for (int k = i; k < 6; ++k) C(i, k) = C(k, i) = *numbers++;
    }
    return C;
  }
};

/// Variances of 0.1 to 3 N·m squared; some rows are no evidence.
inline std::vector<double> variances(RandomStates& random, int count, bool dead_rows) {
  std::vector<double> all;
  for (const double x : random.vector(count)) all.push_back(std::pow(10.0, x - 0.5));
  for (std::size_t i = 3; i < all.size() && dead_rows; i += 11) all[i] = kInfinity;
  return all;
}

inline double apart(double a, double b) { return std::abs(a - b) / std::max(1.0, std::abs(b)); }

/// Noise of every kind of number; of the last motor nothing was identified.
inline NoiseModel noise_of(const RobotModel& model, int rank, bool four_only) {
  NoiseModel noise = test::made_up_noise(model, NoiseOrigin::moving, 0, 1.0, 33);
  RandomStates random(34);
  const TorqueParameters at = torque_parameters(model);
  noise.factor.resize(at.count(), rank);
  for (int p = 0; p < at.count(); ++p) {
    const bool inertia = p < 10 * at.bodies && p % 10 > 3;
    noise.factor.row(p) = random.vector(rank, inertia ? (four_only ? 0.0 : 1e-2) : 0.03);
  }
  noise.white_sd[at.motors - 1] = kNaN;
  noise.white_sd[0] = kInfinity;
  return noise;
}

}  // namespace antaeus::test
