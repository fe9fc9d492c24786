#pragma once
// Which row of v is which joint. Private to src/ik.

#include <string>
#include <vector>

#include "antaeus/robot/robot_model.hpp"

namespace antaeus::detail {

/// One row of v that is a joint of a single degree of freedom.
struct JointRow {
  int row = -1;
  int position = -1;                             ///< index in q; −1 for a continuous joint, which keeps (cos, sin)
  double lower = -kInfinity, upper = kInfinity;  ///< [rad | m]; continuous: none
  double velocity = kInfinity;                   ///< [rad/s | m/s]
};

/// All single-degree joints in the order of their rows.
std::vector<JointRow> joint_rows(const RobotModel& model);
/// Rows of the named joints in the order of the names; all for an empty list.
/// \throws ModelError for a joint that is not a single-degree one of the model, with the nearest name
std::vector<int> rows_of_joints(const RobotModel& model, const std::vector<std::string>& joints);
/// For each row of v, the first row of the same joint.
std::vector<int> joint_starts(const RobotModel& model);

/// Adds to \p gradient the derivative of a function f of a frame's Jacobian, given ∂f/∂J.
///
/// Column k of J, (a; w), turns and moves with the joints before it, and the frame's origin with those behind:
/// ∂J_k/∂q_i = (w_i × a_k; w_i × w_k) for i at or before k, (w_k × a_i; 0) for i behind k. A joint of several rows is
/// one body turning: each of its rows is at or before the others.
void add_through_jacobian(const Matrix6X& J, const Matrix6X& slope, const std::vector<int>& starts,
                          VectorRef gradient) noexcept;

}  // namespace antaeus::detail
