#include "antaeus/contact/contact_frame_solver.hpp"

#include <Eigen/Geometry>

#include "antaeus/core/error.hpp"
#include "antaeus/core/in_place.hpp"
#include "contact/contact_names.hpp"
#include "robot/check_inertia.hpp"

namespace antaeus {

ContactFrameSolver::ContactFrameSolver(const Robot& robot, const std::vector<std::string>& names,
                                       const ContactOptions& options, bool with_guess)
    : dynamics_(robot.model), splitter_(options) {
  const std::vector<std::string> contacts = robot.frames_named(names);
  if (robot.model.base() != Base::free_flyer) {
    throw OptionsError("base", "is fixed", "a fixed base takes up every force; load the robot with a floating one");
  }
  if (!(options.least_torque > 0.0) && !with_guess && contacts.size() > 1) {
    throw OptionsError("contact.least_torque", "0 leaves the wrenches undetermined",
                       "give it a positive weight, or a guess");
  }
  detail::check_inertia(robot.model);
  frames_ = detail::contact_frames(robot.model, contacts, "contacts");
  const auto k = std::ssize(contacts);
  demand_.contacts = contacts;
  demand_.kinds = detail::contact_kinds(robot, contacts, options);
  demand_.total.setZero(6, 1);
  demand_.about.setZero(3, 1);
  demand_.places.resize(contacts.size());
  demand_.active.assign(contacts.size(), true);
  if (with_guess) demand_.guess.setZero(6, k);
  if (options.velocity_penalty > 0.0) demand_.speeds.setZero(3, k);
  jacobians_.assign(contacts.size(), Matrix6X::Zero(6, robot.model.nv()));
  result_.wrench.setConstant(6, k, kNaN);
  result_.torque.setConstant(robot.model.nv(), kNaN);
  result_.total.setConstant(robot.model.nv(), kNaN);
  result_.residual.setConstant(kNaN);
}

const ContactFrame& ContactFrameSolver::fail(Status status) noexcept {
  result_.status = status;
  set_nan(result_.wrench, result_.torque, result_.total, result_.residual);
  return result_;
}

const ContactFrame& ContactFrameSolver::solve(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
                                              Eigen::Ref<const Matrix6X> guess) noexcept {
  if (guess.cols() != demand_.guess.cols()) return fail(Status::wrong_size);
  demand_.guess = guess;
  return solve(q, v, a);
}

const ContactFrame& ContactFrameSolver::solve(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a) noexcept {
  const PositionTerms at = dynamics_.at(q);
  if (const Status status = at.inverse_dynamics(v, a, result_.total); status != Status::ok) return fail(status);
  const Matrix3 R = Eigen::Quaterniond(q[6], q[3], q[4], q[5]).normalized().toRotationMatrix();
  demand_.about.col(0) = q.head<3>();
  demand_.total.col(0).head<3>() = R * result_.total.head<3>();
  demand_.total.col(0).tail<3>() = R * result_.total.segment<3>(3);
  for (std::size_t c = 0; c < frames_.size(); ++c) {
    at.frame_pose(frames_[c], demand_.places[c]);
    at.frame_jacobian(frames_[c], jacobians_[c]);
    if (demand_.speeds.size() > 0) {
      demand_.speeds.col(static_cast<Eigen::Index>(c)) = jacobians_[c].topRows<3>().lazyProduct(v);
    }
  }
  result_.status = splitter_.solve(demand_, 0, result_.wrench, result_.residual);
  if (result_.status != Status::ok) return fail(result_.status);
  result_.torque = result_.total;
  for (std::size_t c = 0; c < frames_.size(); ++c) {
    result_.torque.noalias() -= jacobians_[c].transpose().lazyProduct(result_.wrench.col(static_cast<Eigen::Index>(c)));
  }
  result_.torque.head<3>() = R.transpose() * result_.residual.head<3>();
  result_.torque.segment<3>(3) = R.transpose() * result_.residual.tail<3>();
  return result_;
}

}  // namespace antaeus
