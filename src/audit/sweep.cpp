#include "antaeus/audit/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "antaeus/conditioning/condition_number.hpp"
#include "antaeus/conditioning/gains.hpp"
#include "antaeus/conditioning/pseudo_inverse.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/robot/dynamics.hpp"

namespace antaeus {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kCoarsePoints = 13;
/// A joint that leaves the gain alone still shows its rounding, squared.
constexpr double kRoundingVariance = 1e-12;

/// Row of a wrench by its name; the profile's reader has checked it.
int wrench_row(const std::string& name) {
  const auto* found = std::find(std::begin(kWrenchRowNames), std::end(kWrenchRowNames), name);
  return found == std::end(kWrenchRowNames) ? kFz : static_cast<int>(found - kWrenchRowNames);
}

/// The Jacobian of one endpoint, pose after pose.
class PoseProbe {
 public:
  PoseProbe(const Robot& robot, const std::string& endpoint)
      : robot_(robot),
        dynamics_(robot.model),
        frame_(robot.model.frame(endpoint)),
        supporting_(robot.model.supporting_motors(frame_)),
        svd_(robot.model.motor_count(), 6),
        q_(robot.model.neutral()),
        full_(6, robot.model.nv()),
        J_(6, robot.model.motor_count()),
        inverse_(6, robot.model.motor_count()) {
    const int reference = robot.reference_motor();
    gain_motor_ = reference >= 0 ? reference : supporting_.empty() ? -1 : supporting_.front();
    gain_row_ = reference >= 0 ? wrench_row(robot.profile.preflight.gain_row) : -1;
  }

  const std::vector<int>& supporting() const { return supporting_; }
  const Matrix6X& jacobian() const { return J_; }
  Dynamics& dynamics() { return dynamics_; }
  std::string gain_joint() const {
    return gain_motor_ < 0 ? "" : robot_.model.motor_names()[static_cast<std::size_t>(gain_motor_)];
  }
  std::string gain_row() const { return gain_row_ < 0 ? "|F|" : kWrenchRowNames[gain_row_]; }

  PositionTerms move_to(const VectorX& q) {
    if (q.size() != robot_.model.motor_count() || !q.allFinite()) {
      throw OptionsError("pose", std::to_string(q.size()) + " values, or NaN among them",
                         "give " + std::to_string(robot_.model.motor_count()) + " finite positions");
    }
    robot_.model.position_from_motors(q, Eigen::Vector4d(0, 0, 0, 1), q_);
    const PositionTerms terms = dynamics_.at(q_);
    terms.frame_jacobian(frame_, full_);
    for (int m = 0; m < J_.cols(); ++m) J_.col(m) = full_.col(robot_.model.motor_rows()[static_cast<std::size_t>(m)]);
    return terms;
  }

  PoseSpectrum spectrum(const VectorX& q) {
    Pose X;
    move_to(q).frame_pose(frame_, X);
    PoseSpectrum result;
    result.sigma.setConstant(kNaN);
    result.height = X.translation.z();
    svd_.compute_transposed(J_);
    result.sigma.head(svd_.sigma().size()) = svd_.sigma();
    result.sigma_min = svd_.sigma()[svd_.sigma().size() - 1];
    result.kappa = condition_number(svd_.sigma());
    result.gain = kNaN;
    if (gain_motor_ >= 0 && moore_penrose(svd_, kNumpyRelativeTolerance, inverse_).status == Status::ok) {
      result.gain = gain_row_ < 0 ? force_gain(inverse_, gain_motor_) : std::abs(inverse_(gain_row_, gain_motor_));
    }
    return result;
  }

 private:
  const Robot& robot_;
  Dynamics dynamics_;
  FrameId frame_;
  std::vector<int> supporting_;
  SmallSvd svd_;
  VectorX q_;
  Matrix6X full_, J_, inverse_;
  int gain_motor_ = -1, gain_row_ = -1;
};

VectorX range_of(const Robot& robot, int motor, int points) {
  const double low = robot.model.lower_limits()[motor], high = robot.model.upper_limits()[motor];
  const bool limited = std::isfinite(low) && std::isfinite(high);
  return VectorX::LinSpaced(points, limited ? low : -std::numbers::pi, limited ? high : std::numbers::pi);
}

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

PoseSpectrum pose_spectrum(const Robot& robot, const std::string& endpoint, const PosedRobot& pose) {
  PoseSpectrum result = PoseProbe(robot, endpoint).spectrum(pose.q);
  result.pose = pose.name;
  result.endpoint = endpoint;
  return result;
}

JointSweep sweep_joint(const Robot& robot, const std::string& endpoint, const PosedRobot& pose, int motor, int points) {
  PoseProbe probe(robot, endpoint);
  JointSweep sweep;
  sweep.joint = robot.model.motor_names().at(static_cast<std::size_t>(motor));
  sweep.label = robot.profile.motor_labels.at(static_cast<std::size_t>(motor));
  sweep.endpoint = endpoint;
  sweep.gain_joint = probe.gain_joint();
  sweep.gain_row = probe.gain_row();
  sweep.positions = range_of(robot, motor, points);
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

std::vector<int> influential_motors(const Robot& robot, const std::string& endpoint, const PosedRobot& pose) {
  PoseProbe probe(robot, endpoint);
  std::vector<int> candidates;
  for (const Endpoint& known : robot.profile.endpoints) {
    const JointGroup* group = known.frame == endpoint ? robot.profile.find_group(known.group) : nullptr;
    if (!group) continue;
    for (const std::string& joint : group->joints) candidates.push_back(robot.model.motor(joint));
  }
  if (candidates.empty()) candidates = probe.supporting();
  std::vector<std::pair<double, int>> ranked;
  for (const int motor : candidates) {
    double count = 0, sum = 0, squares = 0;
    VectorX q = pose.q;
    for (const double position : range_of(robot, motor, kCoarsePoints)) {
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
  PoseProbe probe(robot, robot.profile.endpoints.front().frame);
  const FrameId tool = model.frame(robot.profile.endpoints.front().frame);
  PlanarLesson lesson;
  VectorX tau = VectorX::Zero(model.motor_count());
  tau[0] = lesson.torque;
  for (const std::string& name : {bent, straight}) {
    PlanarLesson::Pose pose;
    pose.name = name;
    pose.title = robot.profile.pose(name).title;
    pose.q = robot.pose(name);
    const PositionTerms terms = probe.move_to(pose.q);
    pose.points.resize(2, model.motor_count() + 1);
    for (int m = 0; m < model.motor_count(); ++m) {
      pose.points.col(m) = frame_origin(terms, model.frame(model.motor_names()[static_cast<std::size_t>(m)])).head<2>();
    }
    pose.points.col(model.motor_count()) = frame_origin(terms, tool).head<2>();
    pose.J = probe.jacobian().topRows<2>();
    pose.force = planar_inverse(pose.J, pose.sigma) * tau;
    lesson.poses.push_back(std::move(pose));
  }
  const VectorX &q_bent = lesson.poses[0].q, &q_straight = lesson.poses[1].q;
  lesson.bend = VectorX::LinSpaced(kSweepPoints, 0.5 * q_straight[1], 2.0 * std::numbers::pi / 3.0);
  lesson.force.resize(kSweepPoints), lesson.sigma_min.resize(kSweepPoints);
  for (int i = 0; i < kSweepPoints; ++i) {
    const double share = (lesson.bend[i] - q_straight[1]) / (q_bent[1] - q_straight[1]);
    probe.move_to(q_straight + share * (q_bent - q_straight));
    Eigen::Vector2d sigma;
    lesson.force[i] = (planar_inverse(probe.jacobian().topRows<2>(), sigma) * tau).norm();
    lesson.sigma_min[i] = sigma[1];
  }
  return lesson;
}

JunctionLesson junction_lesson(const Robot& robot, const std::string& endpoint, const std::vector<PosedRobot>& poses) {
  JunctionLesson lesson;
  const int reference = robot.reference_motor();
  PoseProbe probe(robot, endpoint);
  lesson.endpoint = lesson.label = endpoint;
  lesson.reference_joint = robot.profile.reference_joint;
  for (const Endpoint& known : robot.profile.endpoints) {
    if (known.frame == endpoint) lesson.label = known.label;
  }
  const auto carries = [&](const std::vector<int>& motors) {
    return std::find(motors.begin(), motors.end(), reference) != motors.end();
  };
  if (reference < 0 || !carries(probe.supporting())) return lesson;
  const RobotModel& model = robot.model;
  const auto joint_frame = [&](int motor) { return model.frame(model.motor_names()[static_cast<std::size_t>(motor)]); };
  for (const PosedRobot& posed : poses) {
    JunctionLesson::Pose pose;
    pose.name = posed.name;
    pose.spectrum = probe.spectrum(posed.q);
    pose.spectrum.pose = posed.name;
    pose.spectrum.endpoint = endpoint;
    const PositionTerms terms = probe.move_to(posed.q);
    pose.origin = frame_origin(terms, joint_frame(reference));
    pose.lever = frame_origin(terms, model.frame(endpoint)) - pose.origin;
    pose.column = probe.jacobian().col(reference).head<3>();
    pose.axis = probe.jacobian().col(reference).tail<3>();
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
