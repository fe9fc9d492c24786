#pragma once
/// Random states of a robot as arrays, what a replay makes of them, and trees that no file describes.

#include <Eigen/Geometry>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "antaeus/replay/batch.hpp"
#include "robot/test_robots.hpp"

namespace antaeus::test {

/// The same bits; NaN is NaN, whatever its payload.
inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (std::memcmp(&a[i], &b[i], sizeof(double)) != 0) return false;
  }
  return true;
}

struct BatchStates {
  int motors;
  std::vector<double> q, tau, v, a, quaternion, gyro, specific_force, acceleration;

  BatchStates(const RobotModel& model, int count, RandomStates& random, double spread = 3.0)
      : motors(model.motor_count()), count_(count) {
    const auto fill = [&](std::vector<double>& channel, int width, double bound) {
      const VectorX numbers = random.vector(width * count, bound);
      channel.assign(numbers.begin(), numbers.end());
    };
    fill(q, motors, spread);
    fill(tau, motors, 50.0);
    fill(v, motors, 3.0);
    fill(a, motors, 10.0);
    fill(gyro, 3, 2.0);
    fill(specific_force, 3, 12.0);
    fill(acceleration, 3, 5.0);
    for (int i = 0; i < count; ++i) {
      const VectorX xyzw = random.vector(4).normalized();
      quaternion.insert(quaternion.end(), xyzw.begin(), xyzw.end());
    }
  }

  BatchInput at_rest() const {
    BatchInput in;
    in.count = count_;
    in.q = {q};
    in.tau = {tau};
    in.imu_quaternion_xyzw = {quaternion};
    return in;
  }
  BatchInput moving(Base base) const {
    BatchInput in = at_rest();
    in.v = {v};
    in.a = {a};
    if (base == Base::fixed) return in;
    in.imu_angular_velocity = {gyro};
    in.imu_specific_force = {specific_force};
    in.base_angular_acceleration = {acceleration};
    return in;
  }
  static Eigen::Map<const VectorX> row(const std::vector<double>& channel, int state, int width) {
    return {channel.data() + static_cast<std::ptrdiff_t>(state) * width, width};
  }

 private:
  int count_;
};

inline BatchInput input_of(const BatchStates& states, const RobotModel& model, bool moving) {
  return moving ? states.moving(model.base()) : states.at_rest();
}

/// Every output that a model has.
struct BatchAnswers {
  int motors, endpoints, width;
  std::vector<double> torque, residual, base_residual, base_rotation, base_velocity, wrench, sigma, jacobian, pose;
  std::vector<int> rank;
  std::vector<Status> status;

  BatchAnswers(const BatchModel& model, int count)
      : motors(model.motor_count()), endpoints(model.endpoint_count()), width(model.jacobian_width()) {
    const auto room = [&](std::vector<double>& channel, int each) {
      channel.assign(static_cast<std::size_t>(each * count), -7.0);
    };
    room(torque, motors);
    room(residual, motors);
    room(base_rotation, 9);
    room(wrench, 6 * endpoints);
    room(sigma, 6 * endpoints);
    room(jacobian, width);
    room(pose, 12 * endpoints);
    if (model.base() == Base::free_flyer) {
      room(base_residual, 6);
      room(base_velocity, 3);
    }
    rank.assign(static_cast<std::size_t>(endpoints * count), -7);
    status.assign(static_cast<std::size_t>(count), Status::not_computed);
  }

  BatchOutput all(bool dynamic) {
    BatchOutput out;
    out.torque = {torque};
    out.residual = {residual};
    out.base_residual = {base_residual};
    out.base_rotation = {base_rotation};
    if (dynamic) out.base_angular_velocity = {base_velocity};
    out.wrench = {wrench};
    out.sigma = {sigma};
    out.rank = {rank};
    out.jacobian = {jacobian};
    out.pose = {pose};
    out.status = status;
    return out;
  }
  /// All numbers of one state in a row, ranks and status too.
  std::vector<double> of(int state) const {
    std::vector<double> all;
    const auto add = [&](const std::vector<double>& channel, int each) {
      if (channel.empty()) return;
      const auto begin = channel.begin() + static_cast<std::ptrdiff_t>(state) * each;
      all.insert(all.end(), begin, begin + each);
    };
    add(torque, motors);
    add(residual, motors);
    add(base_residual, 6);
    add(base_rotation, 9);
    add(base_velocity, 3);
    add(wrench, 6 * endpoints);
    add(sigma, 6 * endpoints);
    add(jacobian, width);
    add(pose, 12 * endpoints);
    for (int e = 0; e < endpoints; ++e) all.push_back(rank[static_cast<std::size_t>(state * endpoints + e)]);
    all.push_back(static_cast<double>(status[static_cast<std::size_t>(state)]));
    return all;
  }
};

/// A tree of joints of every kind along every kind of axis: a joint's parent, place and type are random.
inline RobotDescription random_tree(RandomStates& random, int joints) {
  RobotDescription tree;
  tree.name = tree.source = "random tree";
  tree.root = "link_0";
  const auto chance = [&] { return 0.5 * (1.0 + random.vector(1)[0]); };
  const auto rotation = [&] {
    const Vector3 turn = random.vector(3, 3.0);
    return Matrix3(Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix());
  };
  for (int k = 0; k <= joints; ++k) {
    LinkDescription link;
    link.name = "link_" + std::to_string(k);
    link.has_inertial = true;
    link.inertial.mass = 0.2 + 5.0 * chance();
    link.inertial.center_of_mass = random.vector(3, 0.2);
    const Matrix3 R = rotation();
    link.inertial.inertia = R * Vector3(0.02 + 0.01 * chance(), 0.03, 0.025).asDiagonal() * R.transpose();
    tree.links.push_back(link);
    if (k == 0) continue;
    JointDescription joint;
    joint.name = "joint_" + std::to_string(k);
    const int parent = std::min(k - 1, static_cast<int>(chance() * (k + 2)));  // chains, and branches
    joint.parent = "link_" + std::to_string(parent);
    joint.child = link.name;
    joint.X_PJ.translation = random.vector(3, 0.4);
    if (chance() < 0.6) joint.X_PJ.rotation = rotation();
    const double kind = chance();
    joint.type = kind < 0.5    ? JointType::revolute
                 : kind < 0.65 ? JointType::continuous
                 : kind < 0.85 ? JointType::prismatic
                               : JointType::fixed;
    joint.axis = Vector3::Unit(static_cast<int>(chance() * 2.999));
    const double oblique = chance();
    if (oblique < 0.25) joint.axis = -joint.axis;
    if (oblique > 0.6) joint.axis = Vector3(random.vector(3)).normalized();
    tree.joints.push_back(joint);
  }
  return tree;
}

}  // namespace antaeus::test
