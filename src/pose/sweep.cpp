#include "antaeus/pose/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/numerics/condition_number.hpp"
#include "antaeus/numerics/gains.hpp"
#include "antaeus/numerics/pseudo_inverse.hpp"
#include "antaeus/robot/instant.hpp"
#include "estimation/published/moved_directions.hpp"
#include "pose/joint_positions.hpp"

namespace antaeus {

namespace {

constexpr int kCoarsePoints = 13;
/// A joint that leaves the gain alone still shows its rounding, squared.
constexpr double kRoundingVariance = 1e-12;

/// One endpoint, pose after pose, the base upright.
class EndpointInPoses {
 public:
  EndpointInPoses(const Robot& robot, const std::string& endpoint)
      : robot_(robot),
        reader_(robot, {endpoint}, {.imu = ImuUse::none}),
        supporting_(robot.model.supporting_motors(robot.model.frame(endpoint))),
        moved_(detail::moved_directions(robot.model, robot.model.frame(endpoint))),
        svd_(robot.model.motor_count(), 6),
        inverse_(6, robot.model.motor_count()) {
    observation_.tau.setZero(robot.model.motor_count());
    const int reference = robot.reference_motor();
    gain_motor_ = reference >= 0 ? reference : supporting_.empty() ? -1 : supporting_.front();
    gain_row_ = reference >= 0 ? robot.profile.preflight.gain_row : -1;
  }

  const std::vector<int>& supporting() const { return supporting_; }
  std::string gain_joint() const { return gain_motor_ < 0 ? "" : robot_.model.motor_names()[gain_motor_]; }
  std::string gain_row() const {
    return gain_row_ < 0 ? "|F|" : std::string(to_string(static_cast<WrenchRow>(gain_row_)));
  }

  const Instant& at(const VectorX& q) {
    if (q.size() != robot_.model.motor_count() || !q.allFinite()) {
      throw OptionsError("pose", std::to_string(q.size()) + " values, or NaN among them",
                         "give " + std::to_string(robot_.model.motor_count()) + " finite positions");
    }
    observation_.q = q;
    return reader_.at(observation_);
  }

  PoseSpectrum spectrum(const VectorX& q) {
    const Instant& now = at(q);
    PoseSpectrum result;
    result.sigma.setConstant(kNaN);
    result.height = now.pose(0).translation.z();
    const Eigen::Index directions = std::max(1, moved_.count);
    Matrix6X J = now.jacobian(0);
    if (moved_.plane) detail::restrict_to_plane(*moved_.plane, now.base_rotation(), J);
    svd_.compute_transposed(J);
    const Eigen::Index shown = moved_.plane ? directions : svd_.sigma().size();
    result.sigma.head(shown) = svd_.sigma().head(shown);
    result.sigma_min = svd_.sigma()[directions - 1];
    result.kappa = condition_number(svd_.sigma().head(directions));
    result.gain = kNaN;
    if (gain_motor_ >= 0 && moore_penrose(svd_, kNumpyRelativeTolerance, inverse_).status == Status::ok) {
      result.gain = gain_row_ < 0 ? force_gain(inverse_, gain_motor_) : std::abs(inverse_(gain_row_, gain_motor_));
    }
    return result;
  }

 private:
  const Robot& robot_;
  InstantReader reader_;
  std::vector<int> supporting_;
  detail::MovedDirections moved_;  // by these: κ is over so many singular values
  SmallSvd svd_;
  Matrix6X inverse_;
  Observation observation_;
  int gain_motor_ = -1, gain_row_ = -1;
};

/// pinv(Jᵀ) of the 2 × n Jacobian of a planar arm's tool.
Eigen::Matrix2Xd planar_inverse(const Eigen::Matrix2Xd& J, Eigen::Vector2d& sigma) {
  SmallSvd svd(static_cast<int>(J.cols()), 2);
  svd.compute_transposed(MatrixX(J));
  MatrixX inverse(2, J.cols());
  moore_penrose(svd, kNumpyRelativeTolerance, inverse);
  sigma = svd.sigma();
  return inverse;
}

Vector3 frame_origin(const PositionTerms& terms, FrameId frame) {
  Pose X;
  terms.frame_pose(frame, X);
  return X.translation;
}

}  // namespace

PoseSpectrum pose_spectrum(const Robot& robot, const std::string& endpoint, const LabelledPose& pose) {
  PoseSpectrum result = EndpointInPoses(robot, endpoint).spectrum(pose.q);
  result.pose = pose.name;
  result.endpoint = endpoint;
  return result;
}

JointSweep sweep_joint(const Robot& robot, const std::string& endpoint, const LabelledPose& pose, int motor,
                       int points) {
  EndpointInPoses probe(robot, endpoint);
  JointSweep sweep;
  sweep.joint = robot.model.motor_names().at(static_cast<std::size_t>(motor));
  sweep.label = robot.profile.motor_labels.at(static_cast<std::size_t>(motor));
  sweep.endpoint = endpoint;
  sweep.gain_joint = probe.gain_joint();
  sweep.gain_row = probe.gain_row();
  sweep.positions = joint_positions(robot, motor, 0.0, points);
  sweep.gain.resize(points), sweep.kappa.resize(points), sweep.height.resize(points), sweep.sigma.resize(6, points);
  VectorX q = pose.q;
  for (int i = 0; i < points; ++i) {
    if (motor < q.size()) q[motor] = sweep.positions[i];
    const PoseSpectrum at = probe.spectrum(q);
    sweep.gain[i] = at.gain;
    sweep.kappa[i] = at.kappa;
    sweep.height[i] = at.height;
    sweep.sigma.col(i) = at.sigma;
  }
  sweep.position = pose.q[motor];
  sweep.at_pose = probe.spectrum(pose.q);
  sweep.at_pose.pose = pose.name;
  sweep.at_pose.endpoint = endpoint;
  return sweep;
}

std::vector<int> influential_motors(const Robot& robot, const std::string& endpoint, const LabelledPose& pose) {
  EndpointInPoses probe(robot, endpoint);
  std::vector<int> candidates;
  if (const JointGroup* group = robot.profile.group_of(endpoint)) {
    for (const std::string& joint : group->joints) candidates.push_back(robot.model.motor(joint));
  }
  if (candidates.empty()) candidates = probe.supporting();
  std::vector<std::pair<double, int>> ranked;
  for (const int motor : candidates) {
    double count = 0, sum = 0, squares = 0;
    VectorX q = pose.q;
    for (const double position : joint_positions(robot, motor, 0.0, kCoarsePoints)) {
      q[motor] = position;
      const double gain = probe.spectrum(q).gain;
      const double bounded = gain / (gain + robot.profile.preflight.gain_limit);
      if (!std::isfinite(bounded)) continue;
      count += 1, sum += bounded, squares += bounded * bounded;
    }
    const double variance = count > 0 ? squares / count - sum * sum / (count * count) : 0.0;
    if (variance > kRoundingVariance) ranked.emplace_back(-variance, motor);
  }
  std::sort(ranked.begin(), ranked.end());  // equal ones stay in motor order
  std::vector<int> motors;
  for (const auto& [variance, motor] : ranked) motors.push_back(motor);
  return motors;
}

PlanarLesson planar_lesson(const Robot& robot, const std::string& bent, const std::string& straight) {
  const RobotModel& model = robot.model;
  if (model.motor_count() < 2 || robot.profile.endpoints.empty()) {
    throw ModelError(robot.profile.name, "no planar arm with two joints and a tool", "use planar_3r");
  }
  EndpointInPoses probe(robot, robot.profile.endpoints.front().frame);
  const FrameId tool = model.frame(robot.profile.endpoints.front().frame);
  PlanarLesson lesson;
  VectorX tau = VectorX::Zero(model.motor_count());
  tau[0] = lesson.torque;
  for (const std::string& name : {bent, straight}) {
    PlanarLesson::Pose pose;
    pose.name = name;
    pose.title = robot.profile.pose(name).title;
    pose.q = robot.pose(name);
    const Instant& now = probe.at(pose.q);
    const PositionTerms& terms = now.base_terms();
    pose.points.resize(2, model.motor_count() + 1);
    for (int m = 0; m < model.motor_count(); ++m) {
      pose.points.col(m) = frame_origin(terms, model.frame(model.motor_names()[m])).head<2>();
    }
    pose.points.col(model.motor_count()) = frame_origin(terms, tool).head<2>();
    pose.J = now.jacobian(0).topRows<2>();
    pose.force = planar_inverse(pose.J, pose.sigma) * tau;
    lesson.poses.push_back(std::move(pose));
  }
  const VectorX &q_bent = lesson.poses[0].q, &q_straight = lesson.poses[1].q;
  lesson.bend = VectorX::LinSpaced(kSweepPoints, 0.5 * q_straight[1], 2.0 * std::numbers::pi / 3.0);
  lesson.force.resize(kSweepPoints), lesson.sigma_min.resize(kSweepPoints);
  for (int i = 0; i < kSweepPoints; ++i) {
    const double share = (lesson.bend[i] - q_straight[1]) / (q_bent[1] - q_straight[1]);
    const Instant& now = probe.at(q_straight + share * (q_bent - q_straight));
    Eigen::Vector2d sigma;
    lesson.force[i] = (planar_inverse(now.jacobian(0).topRows<2>(), sigma) * tau).norm();
    lesson.sigma_min[i] = sigma[1];
  }
  return lesson;
}

JunctionLesson junction_lesson(const Robot& robot, const std::string& endpoint,
                               const std::vector<LabelledPose>& poses) {
  JunctionLesson lesson;
  const int reference = robot.reference_motor();
  EndpointInPoses probe(robot, endpoint);
  lesson.endpoint = endpoint;
  lesson.label = robot.profile.label_of(endpoint);
  lesson.reference_joint = robot.profile.reference_joint;
  const auto carries = [&](const std::vector<int>& motors) {
    return std::find(motors.begin(), motors.end(), reference) != motors.end();
  };
  if (reference < 0 || !carries(probe.supporting())) return lesson;
  const RobotModel& model = robot.model;
  const auto joint_frame = [&](int motor) { return model.frame(model.motor_names()[motor]); };
  for (const LabelledPose& posed : poses) {
    JunctionLesson::Pose pose;
    pose.name = posed.name;
    pose.spectrum = probe.spectrum(posed.q);
    pose.spectrum.pose = posed.name;
    pose.spectrum.endpoint = endpoint;
    const Instant& now = probe.at(posed.q);
    const PositionTerms& terms = now.base_terms();
    pose.origin = frame_origin(terms, joint_frame(reference));
    pose.lever = frame_origin(terms, model.frame(endpoint)) - pose.origin;
    pose.column = now.jacobian(0).col(reference).head<3>();
    pose.axis = now.jacobian(0).col(reference).tail<3>();
    for (const Endpoint& end : robot.profile.endpoints) {
      const FrameId frame = model.frame(end.frame);
      const std::vector<int> motors = model.supporting_motors(frame);
      // From the root outwards: motor order need not be the order along the chain, the number of supporting joints is.
      std::vector<std::pair<std::size_t, int>> along;
      for (const int m : motors) along.emplace_back(model.supporting_motors(joint_frame(m)).size(), m);
      std::sort(along.begin(), along.end());
      JunctionLesson::Chain chain{end.frame, end.label, end.kind, {}, 0};
      chain.points.resize(3, static_cast<Eigen::Index>(along.size()) + 2);
      chain.points.col(0) = frame_origin(terms, model.frame(model.description().root));
      chain.above = chain.points.cols();
      for (std::size_t i = 0; i < along.size(); ++i) {
        const auto column = static_cast<Eigen::Index>(i) + 1;
        chain.points.col(column) = frame_origin(terms, joint_frame(along[i].second));
        if (along[i].second == reference) chain.above = column + 1;
      }
      chain.points.col(chain.points.cols() - 1) = frame_origin(terms, frame);
      pose.chains.push_back(std::move(chain));
    }
    lesson.poses.push_back(std::move(pose));
  }
  return lesson;
}

}  // namespace antaeus
