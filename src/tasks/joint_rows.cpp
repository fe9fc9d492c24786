#include "tasks/joint_rows.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "antaeus/core/error.hpp"

namespace antaeus::detail {

std::vector<JointRow> joint_rows(const RobotModel& model) {
  std::vector<JointRow> rows;
  const RobotDescription& description = model.description();
  for (int row = 0; row < model.nv(); ++row) {
    const std::string& name = model.row_names()[static_cast<std::size_t>(row)];
    const auto joint = std::ranges::find(description.joints, name, &JointDescription::name);
    if (joint == description.joints.end()) continue;  // of a free flyer, or of a joint with several rows
    const bool turns_for_ever = joint->type == JointType::continuous;
    if (!turns_for_ever && joint->type != JointType::revolute && joint->type != JointType::prismatic) continue;
    JointRow found{.row = row, .velocity = joint->velocity_limit};
    if (!turns_for_ever) {
      VectorX v = VectorX::Zero(model.nv()), q(model.nq());
      v[row] = 0.5;
      if (model.integrate(model.neutral(), v, q) != Status::ok) continue;
      (q - model.neutral()).cwiseAbs().maxCoeff(&found.position);
      found.lower = joint->lower;
      found.upper = joint->upper;
    }
    rows.push_back(found);
  }
  return rows;
}

std::vector<int> rows_of_joints(const RobotModel& model, const std::vector<std::string>& joints) {
  std::vector<int> all, rows;
  std::vector<std::string> names;
  for (const JointRow& joint : joint_rows(model)) {
    all.push_back(joint.row);
    names.push_back(model.row_names()[static_cast<std::size_t>(joint.row)]);
  }
  if (joints.empty()) return all;
  for (const std::string& name : joints) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) throw_unknown<ModelError>(model.description().name, "joint", name, names);
    rows.push_back(all[static_cast<std::size_t>(found - names.begin())]);
  }
  return rows;
}

std::vector<int> joint_starts(const RobotModel& model) {
  std::vector<int> starts(static_cast<std::size_t>(model.nv()));
  // Rows of one joint are named "joint_0", "joint_1", …; single ones are all in joint_rows.
  std::vector<char> single(starts.size(), 0);
  for (const JointRow& joint : joint_rows(model)) single[static_cast<std::size_t>(joint.row)] = 1;
  for (std::size_t row = 0; row < starts.size(); ++row) {
    const std::string& name = model.row_names()[row];
    const bool continues = row > 0 && !single[row] && !name.ends_with("_0");
    starts[row] = continues ? starts[row - 1] : static_cast<int>(row);
  }
  return starts;
}

void add_through_jacobian(const Matrix6X& J, const Matrix6X& slope, const std::vector<int>& starts,
                          VectorRef gradient) noexcept {
  for (Eigen::Index k = 0; k < J.cols(); ++k) {
    const Vector3 a = J.col(k).head<3>(), w = J.col(k).tail<3>();
    if (a.isZero(0.0) && w.isZero(0.0)) continue;
    const Vector3 slope_a = slope.col(k).head<3>(), slope_w = slope.col(k).tail<3>();
    // Triple products: slope · (w_i × a) = w_i · (a × slope), slope · (w × a_i) = a_i · (slope × w).
    const Vector3 turned = a.cross(slope_a) + w.cross(slope_w), moved = slope_a.cross(w);
    for (Eigen::Index i = 0; i < J.cols(); ++i) {
      const bool before = starts[static_cast<std::size_t>(i)] <= starts[static_cast<std::size_t>(k)];
      gradient[i] += before ? turned.dot(J.col(i).tail<3>()) : moved.dot(J.col(i).head<3>());
    }
  }
}

}  // namespace antaeus::detail
