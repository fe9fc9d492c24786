#include "antaeus/contact/contact_dynamics.hpp"

#include <Eigen/Geometry>
#include <set>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "contact/contact_names.hpp"
#include "contact/frame_algebra.hpp"
#include "contact/motion_stretch.hpp"
#include "robot/check_inertia.hpp"

namespace antaeus {

using detail::MotionStretch;

namespace {

/// Logarithm of a rotation: its axis times its angle.
Vector3 logarithm(const Matrix3& R) {
  const Eigen::Quaterniond q(R);
  const double sine = q.vec().norm();
  if (sine < 1e-10) return 2.0 * q.vec() * (q.w() < 0.0 ? -1.0 : 1.0);
  const double angle = 2.0 * std::atan2(q.w() < 0.0 ? -sine : sine, std::abs(q.w()));
  return q.vec() * (angle / sine);
}

Matrix3 base_rotation(const SampleMatrix& q, Eigen::Index t) {
  return Eigen::Quaterniond(q(t, 6), q(t, 3), q(t, 4), q(t, 5)).normalized().toRotationMatrix();
}

/// DART's difference of a free joint: translation and rotation apart, both in the axes of the first.
void nimble_root(const SampleMatrix& q, Eigen::Index t, VectorX& step) {
  const Matrix3 R0 = base_rotation(q, t), R1 = base_rotation(q, t + 1);
  const Vector3 way = (q.row(t + 1).head<3>() - q.row(t).head<3>()).transpose();
  step.head<3>() = R0.transpose() * way;
  step.segment<3>(3) = logarithm(R0.transpose() * R1);
}

/// Of the frames of the stretch; q has those of the part.
void differentiate(const RobotModel& model, const SampleMatrix& q, double dt, bool nimble, const MotionStretch& part,
                   SampleMatrix& v, SampleMatrix& a) {
  const Eigen::Index N = part.frames;
  const int nv = model.nv();
  const auto from = [&](Eigen::Index t, Eigen::Index other, VectorX& step) {
    model.difference(VectorX(q.row(t - part.first)), VectorX(q.row(other - part.first)), step);
  };
  v.resize(part.end - part.begin, nv), a.resize(part.end - part.begin, nv);
  if (nimble) {
    VectorX step(nv), next(nv);
    const auto forward = [&](Eigen::Index t, VectorX& to) {
      from(t, t + 1, to);
      if (model.base() == Base::free_flyer) nimble_root(q, t - part.first, to);
      to /= dt;
    };
    forward(part.begin, next);
    for (Eigen::Index t = part.begin; t < part.end; ++t) {
      step = next;
      forward(t + 1, next);
      v.row(t - part.begin) = step;
      a.row(t - part.begin) = (next - step) / dt;
    }
    return;
  }
  // In the tangent space of each frame: the curve ξ(s) through its neighbours has ξ'(0) = v and ξ''(0) = v̇.
  VectorX one(nv), two(nv), three(nv);
  const auto end = [&](Eigen::Index t, Eigen::Index inwards) {
    const double h = static_cast<double>(inwards) * dt;
    const Eigen::Index row = t - part.begin;
    from(t, t + inwards, one);
    from(t, t + 2 * inwards, two);
    if (N == 3) {
      v.row(row) = (4.0 * one - two) / (2.0 * h);
      a.row(row) = (two - 2.0 * one) / (h * h);
      return;
    }
    from(t, t + 3 * inwards, three);
    v.row(row) = (18.0 * one - 9.0 * two + 2.0 * three) / (6.0 * h);
    a.row(row) = (-5.0 * one + 4.0 * two - three) / (h * h);
  };
  for (Eigen::Index t = part.begin; t < part.end; ++t) {
    if (t == 0 || t == N - 1) {
      end(t, t == 0 ? 1 : -1);
      continue;
    }
    from(t, t + 1, one);
    from(t, t - 1, two);
    v.row(t - part.begin) = (one - two) / (2.0 * dt);
    a.row(t - part.begin) = (one + two) / (dt * dt);
  }
}

void check_weights(const ContactOptions& options, const ContactMotion& motion, const ContactRequest& request) {
  check_options(options);
  const bool weighed =
      options.least_torque > 0.0 || (request.over_time && options.smoothing > 0.0) || options.velocity_penalty > 0.0 ||
      (motion.magnitude.array() > 0.0).any() ||
      (request.over_time ? options.previous_weight > 0.0 && motion.previous.size() > 0 : motion.guess.size() > 0);
  if (weighed || request.contacts.size() < 2) return;
  if (!request.over_time) {
    throw OptionsError("contact.least_torque", "0 leaves the wrenches undetermined",
                       "give it a positive weight, or a guess; contact.smoothing counts with " + arg(Input::over_time));
  }
  throw OptionsError("contact.least_torque, contact.smoothing", "all weights are zero",
                     "give one of them a positive weight");
}

/// Wrenches of a file (axes of the request, force before moment) in world axes.
Matrix6X to_world(const SampleMatrix& rows, const std::vector<Pose>& places, WrenchAxes axes) {
  const Eigen::Index k = rows.cols() / 6;
  Matrix6X world(6, rows.rows() * k);
  for (Eigen::Index i = 0; i < world.cols(); ++i) {
    const Vector6 w = rows.row(i / k).segment<6>(6 * (i % k)).transpose();
    const Matrix3 R = axes == WrenchAxes::link ? places[static_cast<std::size_t>(i)].rotation : Matrix3::Identity();
    world.col(i).head<3>() = R * w.head<3>();
    world.col(i).tail<3>() = R * w.tail<3>();
  }
  return world;
}

/// Velocities and accelerations, as given or made from positions.
void set_rates(const RobotModel& model, const ContactMotion& motion, bool nimble, const MotionStretch& part,
               MotionDynamics& result) {
  const Eigen::Index from = part.begin - part.first, count = part.end - part.begin;
  if (motion.is_states()) {
    result.v = motion.v.middleRows(from, count);
    if (motion.v_next.size() > 0) {
      result.a = motion.v_next.middleRows(from, count) - result.v;
      for (Eigen::Index t = 0; t < count; ++t) result.a.row(t) /= motion.dt[motion.dt.size() == 1 ? 0 : from + t];
    } else {
      result.a = motion.a.middleRows(from, count);
    }
  } else {
    differentiate(model, motion.q, motion.dt[0], nimble, part, result.v, result.a);
  }
}

void set_times(const ContactMotion& motion, const MotionStretch& part, ContactDemand& demand) {
  const Eigen::Index N = part.end - part.begin;
  demand.dt = motion.dt.size() > 0 ? motion.dt[0] : kNaN;
  if (motion.is_states() && motion.time.size() > 1) demand.dt = part.mean_step();  // dt is then the step to v_next
  if (motion.time.size() > 0) {
    demand.time = motion.time.segment(part.begin - part.first, N);
  } else {
    demand.time = VectorX::Constant(N, kNaN);
    if (motion.dt.size() == 1) {
      for (Eigen::Index t = 0; t < N; ++t) demand.time[t] = static_cast<double>(part.begin + t) * motion.dt[0];
    }
  }
}

/// Rows of v that move the frame, all but the base's.
std::vector<int> carrying_rows(const RobotModel& model, FrameId frame) {
  std::vector<int> rows;
  Dynamics probe(model);
  Matrix6X J = Matrix6X::Zero(6, model.nv());
  probe.at(model.neutral()).frame_jacobian(frame, J);
  const auto motors = model.supporting_motors(frame);
  std::set<int> carrying;
  for (const int m : motors) carrying.insert(model.motor_rows()[static_cast<std::size_t>(m)]);
  for (int row = 6; row < model.nv(); ++row) {
    if (carrying.contains(row) || !J.col(row).isZero(0.0)) rows.push_back(row);
  }
  return rows;
}

/// Puts into the torques of frame \p t what a motion states of other forces: from outside, of damping, of springs.
void add_stated(const RobotModel& model, const ContactMotion& motion, Eigen::Index t, bool nimble, const VectorX& q,
                const VectorX& v, VectorX& tau) {
  if (motion.external.size() > 0) tau -= motion.external.row(t).transpose();
  const VectorX damping = motion.damping.size() > 0 ? motion.damping : nimble ? model.damping() : VectorX();
  if (damping.size() > 0) tau += damping.cwiseProduct(v);
  if (motion.spring.size() > 0) {
    VectorX stretch(model.nv());
    model.difference(model.neutral(), q, stretch);  // joint angles, also of those stored as cosine and sine
    if (motion.rest.size() > 0) stretch -= motion.rest;
    stretch.head<6>().setZero();
    // Nimble asks for the spring's force at the end of the step.
    if (nimble) stretch += motion.dt[motion.dt.size() == 1 ? 0 : t] * v;
    tau += motion.spring.cwiseProduct(stretch);
  }
}

/// What a motion states of the wrenches themselves, once all places are known.
void set_wishes(const ContactMotion& motion, WrenchAxes axes, const MotionStretch& part, ContactDemand& demand) {
  const Eigen::Index N = demand.frames(), from = part.begin - part.first;
  const int k = demand.contact_count();
  if (motion.guess.size() > 0) demand.guess = to_world(motion.guess.middleRows(from, N), demand.places, axes);
  if (motion.previous.size() > 0 && part.begin == 0) {
    const SampleMatrix one = Eigen::Map<const SampleMatrix>(motion.previous.data(), 1, 6 * k);
    demand.previous = to_world(one, demand.places, axes);
  }
  if (motion.magnitude.size() > 0) demand.magnitude = motion.magnitude.middleRows(from, N).transpose();
  for (Eigen::Index t = 0; motion.active.size() > 0 && t < N; ++t) {
    for (int c = 0; c < k; ++c) demand.active.push_back(motion.active(from + t, c) != 0.0);
  }
}

}  // namespace

MotionDynamics motion_dynamics(const Robot& robot, ContactMotion motion, const ContactRequest& request,
                               const ContactOptions& options, const Progress& progress) {
  const MotionStretch all = detail::whole_of(motion, options);
  return detail::motion_dynamics(robot, std::move(motion), all, request, options, progress);
}

MotionDynamics detail::motion_dynamics(const Robot& robot, ContactMotion motion, const MotionStretch& part,
                                       const ContactRequest& request, const ContactOptions& options,
                                       const Progress& progress) {
  const RobotModel& model = robot.model;
  const bool nimble = options.compatibility == Compatibility::nimble;
  if (model.base() != Base::free_flyer) {
    throw OptionsError(arg(Input::base), "is fixed",
                       "a fixed base takes up every force, so the motion does not show the "
                       "contacts; give " +
                           arg(Input::base, "floating") + ", or estimate them from torques (antaeus estimate)");
  }
  const std::vector<std::string> contacts = robot.frames_named(request.contacts);
  std::vector<FrameId> frames;
  if (!request.inverse_dynamics) frames = detail::contact_frames(model, contacts, arg(Input::contact));
  const int k = static_cast<int>(frames.size()), nv = model.nv();
  check_contact_motion(motion, model, k, request.over_time, &part);
  check_weights(options, motion, request);

  MotionDynamics result;
  set_rates(model, motion, nimble, part, result);
  const Eigen::Index N = result.v.rows();
  const Eigen::Index from = part.begin - part.first;
  result.q = motion.q.middleRows(from, N);
  ContactDemand& demand = result.demand;
  demand.contacts = contacts;
  demand.kinds = detail::contact_kinds(robot, contacts, options);
  set_times(motion, part, demand);
  demand.total.resize(6, N);
  demand.about.resize(3, N);
  demand.places.resize(static_cast<std::size_t>(N * k));
  if (options.velocity_penalty > 0.0) demand.speeds.resize(3, N * k);
  result.total.resize(N, nv);
  result.center_of_mass.resize(3, N);
  result.base.resize(static_cast<std::size_t>(N));
  for (const FrameId frame : frames) {
    result.carriers.push_back(carrying_rows(model, frame));
    result.jacobians.emplace_back(6, N * std::ssize(result.carriers.back()));
  }

  detail::check_inertia(model);
  Dynamics dynamics(model);
  Matrix6X J(6, nv);
  VectorX q(model.nq()), v(nv), a(nv), tau(nv);
  for (Eigen::Index t = 0; t < N; ++t) {
    if (progress && t % 256 == 0) progress(static_cast<double>(part.begin + t) / static_cast<double>(part.frames));
    q = result.q.row(t), v = result.v.row(t), a = result.a.row(t);
    const PositionTerms at = dynamics.at(q);
    at.inverse_dynamics(v, a, tau);
    if (at.status() != Status::ok || !tau.allFinite()) {
      throw EpisodeError((motion.file.empty() ? motion.name : motion.file) + " [q]",
                         "the dynamics of frame " + std::to_string(part.begin + t) + " are beyond numbers",
                         "give metres, radians and seconds");
    }
    add_stated(model, motion, from + t, nimble, q, v, tau);
    result.total.row(t) = tau;
    Pose& base = result.base[static_cast<std::size_t>(t)];
    base.translation = q.head<3>();
    base.rotation = base_rotation(result.q, t);
    demand.about.col(t) = base.translation;
    demand.total.col(t).head<3>() = base.rotation * tau.head<3>();
    demand.total.col(t).tail<3>() = base.rotation * tau.segment<3>(3);
    Vector3 com;
    at.center_of_mass(com);
    result.center_of_mass.col(t) = com;
    for (int c = 0; c < k; ++c) {
      at.frame_pose(frames[static_cast<std::size_t>(c)], demand.places[static_cast<std::size_t>(t * k + c)]);
      at.frame_jacobian(frames[static_cast<std::size_t>(c)], J);
      if (demand.speeds.size() > 0) demand.speeds.col(t * k + c) = J.topRows<3>().lazyProduct(v);
      const std::vector<int>& rows = result.carriers[static_cast<std::size_t>(c)];
      Matrix6X& kept = result.jacobians[static_cast<std::size_t>(c)];
      for (std::size_t i = 0; i < rows.size(); ++i) {
        kept.col(t * std::ssize(rows) + static_cast<Eigen::Index>(i)) = J.col(rows[i]);
      }
    }
  }
  set_wishes(motion, request.axes, part, demand);
  return result;
}

SampleMatrix contact_torques(const MotionDynamics& dynamics, const ContactSolution& solution) {
  SampleMatrix tau = dynamics.total;
  const int k = dynamics.demand.contact_count();
  for (Eigen::Index t = 0; t < tau.rows(); ++t) {
    for (int c = 0; c < k; ++c) {
      const std::vector<int>& rows = dynamics.carriers[static_cast<std::size_t>(c)];
      const Matrix6X& J = dynamics.jacobians[static_cast<std::size_t>(c)];
      const Vector6 w = solution.wrench.col(t * k + c);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        tau(t, rows[i]) -= J.col(t * std::ssize(rows) + static_cast<Eigen::Index>(i)).dot(w);
      }
    }
    const Matrix3 R = dynamics.base[static_cast<std::size_t>(t)].rotation.transpose();
    tau.row(t).head<3>() = (R * solution.residual.col(t).head<3>()).transpose();
    tau.row(t).segment<3>(3) = (R * solution.residual.col(t).tail<3>()).transpose();
  }
  return tau;
}

Matrix6X in_axes(const ContactDemand& demand, const Matrix6X& world, WrenchAxes axes) {
  if (axes == WrenchAxes::world) return world;
  Matrix6X link(6, world.cols());
  for (Eigen::Index i = 0; i < world.cols(); ++i) {
    const Matrix3 R = demand.places[static_cast<std::size_t>(i)].rotation.transpose();
    link.col(i).head<3>() = R * world.col(i).head<3>();
    link.col(i).tail<3>() = R * world.col(i).tail<3>();
  }
  return link;
}

}  // namespace antaeus
