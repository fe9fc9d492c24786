// Logs of which nobody says where nothing touched: what no contact at any endpoint can explain.
#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/words.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "identification/identify_steps.hpp"
#include "identification/moving/moving_gram.hpp"

namespace antaeus::detail {

namespace {

constexpr Eigen::Index kMostSamples = 1500;  // of the regression: a minute at 25 Hz
constexpr double kPriorScale = 0.3;          // masses off by a third: no label, no cross-validation
const std::string kLabel = "declare contact-free intervals with " + arg(Input::contact_free);

struct Unknowns {
  std::vector<int> rows;     ///< motors whose channels are evidence
  std::vector<int> columns;  ///< of θ, those that are asked for and that a row can feel
};

std::vector<UnlabelledSample> samples_of(const IdentifyTask& task, const MovingRows& rows, const Unknowns& unknowns) {
  const RobotModel& model = task.robot.model;
  Dynamics dynamics(model);
  std::vector<FrameId> frames;
  for (const std::string& frame : task.endpoints) frames.push_back(model.frame(frame));
  const auto m = std::ssize(unknowns.rows), k = std::ssize(unknowns.columns);
  std::vector<int> place(static_cast<std::size_t>(rows.at.count()), -1);
  for (std::size_t c = 0; c < unknowns.columns.size(); ++c) {
    place[static_cast<std::size_t>(unknowns.columns[c])] = static_cast<int>(c);
  }
  Matrix6X J(6, model.nv());
  std::vector<UnlabelledSample> samples;
  const Eigen::Index stride = std::max<Eigen::Index>(1, rows.samples() / kMostSamples);
  for (Eigen::Index t = 0; t < rows.samples(); t += stride) {
    UnlabelledSample s{MatrixX(m, 6 * std::ssize(frames)), MatrixX::Zero(m, k), VectorX(m)};
    const VectorX q = rows.q.row(t);
    bool good = true;
    for (std::size_t f = 0; f < frames.size() && good; ++f) {
      good = dynamics.at(q).frame_jacobian(frames[f], J) == Status::ok;
      for (Eigen::Index i = 0; i < m && good; ++i) {
        const int motor = unknowns.rows[static_cast<std::size_t>(i)];
        s.A.row(i).segment<6>(6 * static_cast<Eigen::Index>(f)) = -J.col(model.motor_rows()[motor]).transpose();
      }
    }
    for (Eigen::Index i = 0; i < m && good; ++i) {
      const int motor = unknowns.rows[static_cast<std::size_t>(i)];
      const JointRows& joint = rows.joints[static_cast<std::size_t>(motor)];
      good = joint.use[static_cast<std::size_t>(t)] != 0;
      s.residual[i] = joint.reading[t] - joint.expected[t];
      for (std::size_t c = 0; c < joint.columns.size(); ++c) {
        const int column = place[static_cast<std::size_t>(rows.parameter(motor, joint.columns[c]))];
        if (column >= 0) s.X(i, column) = joint.X(t, static_cast<Eigen::Index>(c));
      }
    }
    if (good) samples.push_back(std::move(s));
  }
  return samples;
}

/// Columns of θ that stay zero in all samples say nothing, and a prior of zero is none.
Unknowns unknowns_of(const MovingRows& rows, const VectorX& prior, const std::vector<ChannelFinding>& channels) {
  Unknowns unknowns;
  std::vector<bool> felt(static_cast<std::size_t>(rows.at.count()), false);
  for (int j = 0; j < rows.at.motors; ++j) {
    const auto at = static_cast<std::size_t>(j);
    if (channels[at].use != ChannelUse::used) continue;
    unknowns.rows.push_back(j);
    const JointRows& joint = rows.joints[at];
    for (std::size_t c = 0; c < joint.columns.size(); ++c) {
      if (joint.X.col(static_cast<Eigen::Index>(c)).cwiseAbs().maxCoeff() > 0.0) {
        felt[static_cast<std::size_t>(rows.parameter(j, joint.columns[c]))] = true;
      }
    }
  }
  for (int k = 0; k < rows.at.count(); ++k) {
    if (felt[static_cast<std::size_t>(k)] && prior[k] > 0.0) unknowns.columns.push_back(k);
  }
  return unknowns;
}

/// What \p fit says, as noise whose rows are those whose offset it knows: of the others a contact may be the cause.
NoiseModel noise_of(const MovingRows& rows, const Unknowns& unknowns, const UnlabelledResult& fit,
                    const std::vector<ChannelFinding>& channels) {
  NoiseModel noise;
  noise.white_sd = VectorX::Constant(rows.at.motors, kNaN);
  noise.parameters = VectorX::Zero(rows.at.count());
  noise.factor = MatrixX::Zero(rows.at.count(), std::ssize(unknowns.columns));
  for (int j = 0; j < rows.at.motors; ++j) {
    const ChannelUse use = channels[static_cast<std::size_t>(j)].use;
    if (use != ChannelUse::used && use != ChannelUse::no_excitation) noise.white_sd[j] = kInfinity;
  }
  for (std::size_t c = 0; c < unknowns.columns.size(); ++c) {
    const int column = unknowns.columns[c];
    noise.parameters[column] = fit.parameters[static_cast<Eigen::Index>(c)];
    noise.factor.row(column) = fit.factor.row(static_cast<Eigen::Index>(c));
    for (std::size_t i = 0; i < unknowns.rows.size(); ++i) {
      const int motor = unknowns.rows[i];
      if (column == rows.at.offset(motor) && fit.known[c]) {
        noise.white_sd[motor] = fit.sd[static_cast<Eigen::Index>(i)];
      }
    }
  }
  return noise;
}

}  // namespace

void identify_unlabelled(const IdentifyTask& task, IdentifyResult& result) {
  const Robot& robot = task.robot;
  if (robot.model.base() != Base::fixed) {
    result.missing.emplace_back(
        "a robot with a floating base cannot be identified without labels: in each pose an offset and a contact "
        "look the same; " +
        kLabel);
    return;
  }
  if (!task.request.loaded.empty()) {
    result.missing.emplace_back("a payload and a contact look alike; " + kLabel);
    return;
  }
  if (task.endpoints.empty()) {
    result.missing.emplace_back("no endpoint: name the frame that contacts may be at with " + arg(Input::endpoint));
    return;
  }
  const std::vector<MovingLog> logs = moving_logs(task, task.request.logs, result, true);
  MovingRows rows = moving_rows(robot, logs, task.moving, task.pulse());
  // A gain is told from gravity, and a contact may stand in for it: without labels a unit is no finding.
  MovingFitOptions any_unit = task.moving;
  any_unit.effort_units = true;
  std::vector<ChannelFinding> channels = examine_channels(robot, rows, any_unit);
  task.tell(0.3);
  std::vector<std::string> left_out;
  for (ChannelFinding& found : channels) {
    if (found.use == ChannelUse::used) found.gain = found.gain_sd = kNaN;
    if (found.use == ChannelUse::used) continue;
    result.notes.push_back(found.reason);
    left_out.push_back(found.joint);
  }
  result.joints = joints_of(robot, channels);
  for (IdentifiedJoint& joint : result.joints) joint.identified = false;
  if (rows.samples() < kMostSamples / 10) {
    result.missing.emplace_back("too few samples of the logs can be used");
    return;
  }
  VectorX prior = prior_deviations(robot.model, rows, kPriorScale);
  for (int j = 0; j < rows.at.motors && !task.moving.friction; ++j) {
    prior[rows.at.coulomb(j)] = prior[rows.at.viscous(j)] = 0.0;
  }
  if (!task.moving.inertia) prior.head(rows.at.rotor(0) + rows.at.motors).setZero();
  const Unknowns unknowns = unknowns_of(rows, prior, channels);
  const VectorX limits = robot.model.effort_limits()(unknowns.rows);
  if (unknowns.rows.empty() || !limits.allFinite() || !(limits.minCoeff() > 0.0)) {
    result.missing.emplace_back(unknowns.rows.empty()
                                    ? "no torque channel can be used"
                                    : "the description states no effort limits, which bound the noise");
    return;
  }
  const UnlabelledResult fit =
      fit_unlabelled(samples_of(task, rows, unknowns), limits, prior(unknowns.columns), task.unlabelled, task.pulse());
  task.tell(0.8);
  if (!fit.identified) {
    result.missing.push_back("without labels: " + fit.reason +
                             (left_out.empty() ? "" : "; left out: " + listed(left_out)));
    return;
  }
  NoiseModel noise = noise_of(rows, unknowns, fit, channels);
  assume_days(robot.model, noise);
  const TorqueParameters at = rows.at;
  for (IdentifiedJoint& joint : result.joints) {
    joint.identified = std::isfinite(noise.white_sd[joint.motor]);
    if (!joint.identified) {
      if (joint.reason.empty())
        joint.reason = joint.joint + ": a contact may be the cause of any offset of it; " + kLabel;
      continue;
    }
    joint.white_sd = noise.white_sd[joint.motor];
    joint.offset = noise.parameters[at.offset(joint.motor)];
    joint.offset_error = noise.factor.row(at.offset(joint.motor)).norm();
    result.identified = true;
  }
  if (!result.identified) {
    result.missing.emplace_back("without labels: contacts hide the offset of every joint; " + kLabel);
    return;
  }
  result.notes.insert(result.notes.end(), fit.notes.begin(), fit.notes.end());
  result.noise = std::move(noise);
  result.prior_scale = kPriorScale;
  const std::vector<ParameterEstimate> names = parameter_estimates(
      robot.model, result.unit, {.mean = result.noise.parameters, .factor = result.noise.factor, .effects = {}}, prior);
  for (std::size_t c = 0; c < unknowns.columns.size(); ++c) {
    const ParameterEstimate& one = names[static_cast<std::size_t>(unknowns.columns[c])];
    if (fit.known[c]) {
      result.parameters.push_back(one);
    } else {
      result.omitted.push_back({one.name, "without labels a contact may explain it, or the logs show too little"});
    }
  }
  result.hold_out = "nothing: what is left may be a contact; " + kLabel;
  add_moving_residuals(task, logs, result);
}

}  // namespace antaeus::detail
