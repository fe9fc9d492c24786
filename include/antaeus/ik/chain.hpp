#pragma once
/// \file
/// The joints between a robot's root and one frame, flattened to what inverse kinematics needs at every iteration.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/pose.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/robot/robot_model.hpp"

namespace antaeus {

namespace detail {
struct ChainNumbers;
}

/// The most joints that a chain may have: its workspaces are of fixed size.
inline constexpr int kMaxChainJoints = 32;

struct ChainJoint {
  std::string name;
  int motor = -1;
  bool prismatic = false;
  double lower = 0.0, upper = 0.0;
};
constexpr void visit_fields(const ChainJoint*, auto&& visit) {
  using J = ChainJoint;
  visit(field("name", "", "of the joint", &J::name).as("joint"));
  visit(field("motor", "", "its place among the model's motors", &J::motor).only(FieldUse::python_only));
  visit(field("prismatic", "", "it slides; else it turns", &J::prismatic).only(FieldUse::python_only));
  visit(field("unit", "", "", [](const J& j) { return j.prismatic ? "m" : "rad"; }).only(FieldUse::file_only));
  visit(field("lower", "", "[rad] or [m]; −infinity where there is none", &J::lower));
  visit(field("upper", "", "[rad] or [m]; infinity where there is none", &J::upper));
}

/// A chain of single-degree joints that ends in a frame F. Fixed and shared: copies share their numbers.
///
/// The robot's base stands at the world's origin, upright, whether it floats or not; joints without a motor stand at
/// zero, locked joints where they are locked. The joints are turned into the parameters of Denavit and Hartenberg
/// ("A kinematic notation for lower-pair mechanisms", J. Appl. Mech. 22, 1955), with one more angle where two axes are
/// nearly but not quite parallel, and so lose no accuracy: poses agree with Pinocchio's to 1e-12 m (chain_parity_test).
class ANTAEUS_API KinematicChain {
 public:
  /// \throws ModelError that names the frame or the joint: a frame that does not exist (with the nearest), no joint
  ///         between root and frame, more than kMaxChainJoints, a joint that mimics another, one of several degrees of
  ///         freedom, limits that are NaN or cross
  KinematicChain(const RobotModel& model, std::string_view frame);

  int size() const noexcept { return static_cast<int>(joints_->size()); }
  const std::vector<ChainJoint>& joints() const noexcept { return *joints_; }
  const std::string& frame() const noexcept { return frame_; }
  const RobotModel& model() const noexcept { return model_; }
  /// Farthest that F can be from the first joint's axis system [m], by the sum of the links' lengths and strokes; no
  /// limit of a revolute joint is used. Infinite with a prismatic joint without limits.
  double reach() const noexcept;

  /// X_WF at joint positions q [size]. \realtime (reach_realtime_test)
  Status pose(ConstVectorRef q, Pose& X_WF) const noexcept;
  /// The middle of the limits; 0 where a limit is missing. [size]
  VectorX middle() const;
  /// The chain's joints out of positions of all motors.
  VectorX from_motors(ConstVectorRef q_motor) const;
  /// The nearest positions within the limits; \p moved receives the names of joints that were outside.
  VectorX pulled_in(ConstVectorRef q, std::vector<std::string>* moved = nullptr) const;
  /// The same chain whose joints turn and slide without limits.
  KinematicChain without_limits() const;
  /// Whether some revolute joint cannot make a full turn, or some prismatic one has an end.
  bool limited() const noexcept;
  /// Identifies the geometry and the limits: equal chains have equal numbers.
  const detail::ChainNumbers& numbers() const noexcept { return *numbers_; }

 private:
  RobotModel model_;
  std::string frame_;
  std::shared_ptr<const std::vector<ChainJoint>> joints_;
  std::shared_ptr<const detail::ChainNumbers> numbers_;
};

}  // namespace antaeus
