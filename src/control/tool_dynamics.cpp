#include "antaeus/control/tool_dynamics.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "antaeus/core/error.hpp"
#include "antaeus/core/in_place.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "core/computable.hpp"
#include "core/decompositions.hpp"
#include "robot/check_inertia.hpp"

namespace antaeus {

struct ToolDynamics::Workspace {
  Workspace(const RobotModel& model, const std::string& tool, const ToolDynamicsOptions& options_in)
      : dynamics(model), frame(model.frame(tool)), options(options_in), factor(model.nv()), half(model.nv(), 6) {
    const std::string& robot = model.description().name;
    if (model.base() != Base::fixed) {
      throw ModelError(robot, "its base floats, and this controller's stands", "make the model with Base::fixed");
    }
    for (const std::string& joint : model.row_names()) {
      const std::vector<std::string>& motors = model.motor_names();
      if (std::find(motors.begin(), motors.end(), joint) != motors.end()) continue;
      throw ModelError(robot, "joint '" + joint + "' has no motor", "lock it: ModelOptions::locked_joints");
    }
    if (model.nq() != model.nv()) {
      throw ModelError(robot, "a joint turns without limits, which this controller cannot wrap", "give it limits");
    }
    detail::check_inertia(model);
    const int n = model.nv();
    for (VectorX* const vector : {&state.q, &state.v, &state.g, &state.h}) vector->setConstant(n, kNaN);
    state.J.setConstant(6, n, kNaN);
    state.M.setConstant(n, n, kNaN);
    state.M_inv_Jt.setConstant(n, 6, kNaN);
    fail(Status::not_computed);
  }

  const ToolState& fail(Status why) noexcept {
    state.status = why;
    set_nan(state.q, state.v, state.g, state.h, state.X_WT, state.twist, state.drift, state.J, state.M, state.M_inv_Jt,
            state.Lambda);
    state.is_near_singular = false;
    return state;
  }

  const ToolState& at(ConstVectorRef q, ConstVectorRef v) noexcept {
    if (q.size() != state.q.size() || v.size() != state.v.size()) return fail(Status::wrong_size);
    if (!is_computable(v)) return fail(Status::not_finite);
    const PositionTerms terms = dynamics.at(q);
    if (terms.status() != Status::ok) return fail(terms.status());
    terms.frame_pose(frame, state.X_WT);
    terms.frame_jacobian(frame, state.J);
    terms.gravity_torque(state.g);
    terms.nonlinear_effects(v, state.h, frame, state.drift);
    terms.mass_matrix(state.M);
    state.q = q;
    state.v = v;
    state.twist.noalias() = state.J * v;
    // M = L Lᵀ, so J M⁻¹ Jᵀ = (L⁻¹ Jᵀ)ᵀ (L⁻¹ Jᵀ).
    factor.compute(state.M);
    half = state.J.transpose();
    factor.matrixL().solveInPlace(half);
    Matrix6 mobility;
    mobility.noalias() = half.transpose() * half;
    mobility.diagonal().array() += options.mobility_floor;
    state.M_inv_Jt = half;
    factor.matrixU().solveInPlace(state.M_inv_Jt);
    const Eigen::LDLT<Matrix6> split(mobility);
    state.is_near_singular = split.vectorD().minCoeff() < options.singular_mobility;
    state.Lambda = split.solve(Matrix6::Identity());
    // A prismatic joint may be so far out that its lever's square is no number.
    if (!state.Lambda.allFinite() || !state.M_inv_Jt.allFinite() || !state.h.allFinite() || !state.drift.allFinite()) {
      return fail(Status::not_finite);
    }
    state.status = Status::ok;
    return state;
  }

  Dynamics dynamics;
  FrameId frame;
  ToolDynamicsOptions options;
  Eigen::LLT<MatrixX> factor;
  MatrixX half;  // L⁻¹ Jᵀ
  ToolState state;
};

ToolDynamics::ToolDynamics(const RobotModel& model, const std::string& tool, const ToolDynamicsOptions& options)
    : workspace_(std::make_unique<Workspace>(model, tool, options)) {}
ToolDynamics::~ToolDynamics() = default;
ToolDynamics::ToolDynamics(ToolDynamics&&) noexcept = default;
ToolDynamics& ToolDynamics::operator=(ToolDynamics&&) noexcept = default;

const RobotModel& ToolDynamics::model() const noexcept { return workspace_->dynamics.model(); }
int ToolDynamics::size() const noexcept { return static_cast<int>(workspace_->state.q.size()); }
const ToolState& ToolDynamics::at(ConstVectorRef q, ConstVectorRef v) noexcept { return workspace_->at(q, v); }
const ToolState& ToolDynamics::state() const noexcept { return workspace_->state; }

Vector3 rotation_error(const Matrix3& from, const Matrix3& to) noexcept {
  const Eigen::AngleAxisd turn(Matrix3(to * from.transpose()));
  return turn.angle() * turn.axis();
}

}  // namespace antaeus
