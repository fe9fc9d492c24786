#pragma once
// What inertial parameters make of the torques: a product Y θ and single entries of Y, without Y itself. Private to
// src/robot.
//
// Inverse dynamics is linear in the inertial parameters, whatever their signs. So Y θ is one pass over a robot that
// consists of θ alone, and only over the bodies that have any: from the world's joint axes, which whoever looked at q
// has computed already. Spatial vectors are in the axes of the configuration's world, about its origin (Featherstone
// 2008, ch. 2 and 5).
#include <Eigen/Core>
#include <vector>

#include "antaeus/robot/dynamics.hpp"

namespace antaeus {

class ParameterTorque {
 public:
  /// Of one body, and of the joints between it and the root.
  using Ten = Eigen::Matrix<double, 10, 1>;

  /// \param bodies  whose parameters count, by number (RobotModel::inertial_parameters)
  ParameterTorque(const RobotModel& model, const std::vector<int>& bodies);

  /// Numbers of the bodies, ascending. What follows names them by their place in this list.
  const std::vector<int>& bodies() const noexcept { return bodies_; }
  /// Motors whose torque a body takes part in: those between it and the root.
  const std::vector<int>& motors(std::size_t body) const noexcept { return motors_[body]; }

  /// The motion that the rest speaks of. \return not `ok`: the rest is without meaning. \realtime
  Status see(const PositionTerms& now, ConstVectorRef v, ConstVectorRef a) noexcept;
  /// torque += Y θ of the motors' rows. \param theta  [10 body_count], read at bodies() only \realtime
  void add_torque(const VectorX& theta, VectorX& torque) noexcept;
  /// What each parameter of one body makes of the torque of the \p place-th of its motors(). \param first_four  only of
  /// the first four: mass and first moment; the others stay \realtime
  void entries(std::size_t body, std::size_t place, bool first_four, Ten& of_parameter) const noexcept;

 private:
  struct Joint {
    std::size_t index = 0;                                // Pinocchio's
    int parent = -1;                                      // place among joints_; −1: the world
    int row = 0, size = 0;                                // of v
    Matrix3 rotation = Matrix3::Identity();               // of its frame in the world
    Vector3 origin = Vector3::Zero();                     // of its frame, from the world's origin
    Vector3 angular = origin, linear = origin;            // velocity
    Vector3 angular_rate = origin, linear_rate = origin;  // its derivative, gravity as an acceleration of the root
    Vector3 omega = origin, alpha = origin, acceleration = origin;  // of the body's origin, in its own axes
    Vector3 force = origin, moment = origin;                        // of everything beyond it
  };
  std::vector<int> bodies_;
  std::vector<std::size_t> carrier_;  // joint of each body, place among joints_
  std::vector<std::vector<int>> motors_;
  std::vector<std::vector<std::size_t>> motor_joint_;  // of each body, along motors_: place among joints_
  std::vector<int> motor_of_;                          // of each joint; −1: none
  std::vector<Joint> joints_;                          // parents first
  Matrix6X axes_;                                      // of the joints' rows of v, in the world, about its origin
  Vector3 gravity_;
  int nv_ = 0;
};

}  // namespace antaeus
