#pragma once
// The one place where our model and Pinocchio's meet. Private to src/robot.
#include <memory>
#include <mutex>
#include <pinocchio/multibody.hpp>

#include "antaeus/robot/robot_model.hpp"

namespace antaeus {

struct RobotModel::Impl {
  RobotDescription description;
  ModelOptions options;
  pinocchio::Model model;

  std::vector<std::string> motor_names;
  std::vector<int> motor_rows;             // idx_v of each motor
  std::vector<int> motor_positions;        // idx_q of each motor
  std::vector<bool> motor_is_cosine_sine;  // the motor's joint stores (cos, sin) in q
  std::vector<pinocchio::JointIndex> motor_joints;
  VectorX lower, upper, effort, velocity;
  VectorX damping;                     // of each row of v
  std::vector<std::string> row_names;  // joint of each row of v
  VectorX neutral;
  Vector3 gravity = Vector3::Zero();
  double total_mass = 0.0;
  std::map<std::string, int, std::less<>> frames;  // links before joints of the same name

  /// What the memory of every Dynamics is a copy of (dynamics.cpp); made with the first one.
  const pinocchio::Data& blank_data() const;

 private:
  mutable std::once_flag blank_made_;
  mutable std::unique_ptr<const pinocchio::Data> blank_;
};

}  // namespace antaeus
