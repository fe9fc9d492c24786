// From a motion to its contacts: what is asked, solved, judged, and how far it can be trusted.
#include "antaeus/contact/contact_result.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "contact/contact_limits.hpp"
#include "contact/contact_names.hpp"
#include "contact/contact_parts.hpp"
#include "contact/contact_reading.hpp"

namespace antaeus {

namespace {

using detail::LimitSource;

/// What the profile states of each contact, else the options.
std::vector<ContactSurface> surfaces_of(const RobotProfile* profile, const ContactRequest& request,
                                        const ContactOptions& options) {
  if ((options.half_length > 0.0) != (options.half_width > 0.0)) {
    throw OptionsError("contact.half_length", "length and width of the sole go together", "give both, or neither");
  }
  std::vector<ContactSurface> surfaces;
  for (const std::string& frame : request.contacts) {
    const Endpoint* known = profile ? profile->find_endpoint(frame) : nullptr;
    ContactSurface surface = known ? known->surface : ContactSurface{};
    if (std::isnan(surface.friction)) surface.friction = options.friction;
    if (std::isnan(surface.torsion)) surface.torsion = options.torsion;
    if (std::isnan(surface.force_cap)) surface.force_cap = options.force_cap;
    if (!surface.has_sole() && options.half_length > 0.0) {
      const double x = options.half_length, y = options.half_width;
      surface.sole = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
    }
    surfaces.push_back(std::move(surface));
  }
  return surfaces;
}

int vertical_axis(const Vector3& up) {
  int axis = 2;
  for (int i = 0; i < 3; ++i) {
    if (std::abs(up[i]) > std::abs(up[axis])) axis = i;
  }
  return axis;
}

/// The motion as the posterior reads it.
TotalMotion total_of(const ContactResult& result) {
  const ContactDemand& demand = result.dynamics.demand;
  const int k = demand.contact_count();
  TotalMotion total;
  total.name = result.motion;
  total.time = demand.time;
  total.wrench.resize(demand.frames(), 6);
  total.com = result.dynamics.center_of_mass.transpose();
  total.up = vertical_axis(result.up);
  for (Eigen::Index t = 0; t < demand.frames(); ++t) {
    const Vector3 force = demand.total.col(t).head<3>(), about = demand.about.col(t);
    total.wrench.row(t).head<3>() = force;
    total.wrench.row(t).tail<3>() = Vector3(demand.total.col(t).tail<3>()) + about.cross(force);
  }
  for (int c = 0; c < k; ++c) {
    FootMotion foot{demand.contacts[static_cast<std::size_t>(c)], {}};
    for (Eigen::Index t = 0; t < demand.frames(); ++t) {
      foot.pose.push_back(demand.places[static_cast<std::size_t>(demand.column(t, c))]);
    }
    total.feet.push_back(std::move(foot));
  }
  return total;
}

/// The timing that the demand states, for the posterior.
ContactTiming stated_timing(const ContactDemand& demand) {
  ContactTiming timing;
  timing.time = demand.time;
  timing.feet = demand.contacts;
  timing.probability.setOnes(demand.frames(), demand.contact_count());
  for (Eigen::Index t = 0; t < demand.frames(); ++t) {
    for (int c = 0; c < demand.contact_count(); ++c) timing.probability(t, c) = demand.is_active(t, c) ? 1.0 : 0.0;
  }
  return timing;
}

bool has_kind(const ContactResult& result, ContactType kind) {
  const std::vector<ContactType>& kinds = result.dynamics.demand.kinds;
  return std::ranges::find(kinds, kind) != kinds.end();
}

/// Why the posterior, which knows one sole for all feet, cannot be asked; empty: it can.
std::string without_soles(const ContactResult& result) {
  constexpr double kSame = 1e-6;  // [m]
  const ContactSurface& first = result.surfaces.front();
  for (std::size_t c = 0; c < result.surfaces.size(); ++c) {
    const ContactSurface& surface = result.surfaces[c];
    if (!surface.has_sole()) {
      return "the sole of " + printable(result.request.contacts[c]) +
             " is not known; state it in the profile (endpoints[].sole), give contact.half_length and "
             "contact.half_width, or set contact.kind=point for a foot that is a ball";
    }
    const bool same = (surface.half_size() - first.half_size()).norm() < kSame &&
                      std::abs(surface.middle().x() - first.middle().x()) < kSame &&
                      std::abs(surface.sole_depth - first.sole_depth) < kSame;
    if (!same) {
      return "the soles of " + printable(result.request.contacts.front()) + " and " +
             printable(result.request.contacts[c]) + " differ, and uncertainties are known of equal soles only";
    }
  }
  return "";
}

/// Mean square error of what was solved, seen from the posterior: its covariance, and how far its mean is.
void add_error(ContactResult& result) {
  const ContactDemand& demand = result.dynamics.demand;
  const ContactPosterior& posterior = *result.posterior;
  if (posterior.status != Status::ok) {
    result.sd_because = "no posterior was found: " + posterior.remark;
    return;
  }
  const int k = demand.contact_count();
  result.error.resize(static_cast<std::size_t>(demand.frames() * k));
  for (Eigen::Index t = 0; t < demand.frames(); ++t) {
    for (int c = 0; c < k; ++c) {
      const FootWrenches& foot = posterior.feet[static_cast<std::size_t>(c)];
      const Vector6 off = result.solution.wrench.col(t * k + c) - foot.mean.row(t).transpose();
      result.error[static_cast<std::size_t>(t * k + c)] =
          foot.covariance[static_cast<std::size_t>(t)] + off * off.transpose();
    }
  }
}

/// What turns a torque limit into newtons, of each row of v [m].
VectorX torque_levers(const RobotModel& model) {
  VectorX levers = VectorX::Constant(model.nv(), detail::kRowLever);
  for (int m = 0; m < model.motor_count(); ++m) {
    for (const JointDescription& joint : model.description().joints) {
      const bool slides = joint.type == JointType::prismatic;
      if (slides && joint.name == model.motor_names()[static_cast<std::size_t>(m)]) {
        levers[model.motor_rows()[static_cast<std::size_t>(m)]] = 1.0;
      }
    }
  }
  return levers;
}

/// What was found in the motion, frame by frame.
void state_contacts(const ContactTiming& timing, ContactDemand& demand) {
  demand.active.clear();
  for (Eigen::Index t = 0; t < demand.frames(); ++t) {
    for (const std::string& name : demand.contacts) {
      demand.active.push_back(
          std::any_of(timing.intervals.begin(), timing.intervals.end(), [&](const FootContact& contact) {
            return contact.foot == name && demand.time[t] >= contact.from && demand.time[t] <= contact.to;
          }));
    }
  }
}

/// Within an interval in which a hidden contact is certain.
bool is_seen(const HiddenTrace& hidden, double time) {
  return std::any_of(hidden.seen.begin(), hidden.seen.end(),
                     [&](const HiddenContact& contact) { return time >= contact.from && time <= contact.to; });
}

void judge_residual(ContactResult& result) {
  detail::Spread force;
  for (Eigen::Index t = 0; t < result.solution.residual.cols(); ++t) {
    force.add(result.solution.residual.col(t).head<3>().norm(), t);
  }
  result.residual_share = force.rms() / result.weight;
  result.residual_fine = result.residual_share <= result.options.residual_limit;
}

/// Root accelerations of the least kinetic energy of change that leave no residual: only the root's own change, M_rr δa
/// = −residual; the joints' torques follow by M_jr δa.
void reduce_residual(const Robot& robot, ContactResult& result) {
  const int nv = robot.model.nv();
  Dynamics dynamics(robot.model);
  MatrixX M(nv, nv);
  result.root_change.setZero(result.torque.rows(), 6);
  for (Eigen::Index t = 0; t < result.torque.rows(); ++t) {
    dynamics.mass_matrix(VectorX(result.dynamics.q.row(t)), M);
    const Vector6 residual = result.torque.row(t).head<6>().transpose();
    const Vector6 change = -M.topLeftCorner<6, 6>().ldlt().solve(residual);
    result.root_change.row(t) = change.transpose();
    result.torque.row(t) += (M.leftCols<6>() * change).transpose();
  }
}

/// What has no meaning where nothing touches.
void check_without_contacts(const ContactRequest& request, const ContactOptions& options) {
  const auto refuse = [](const std::string& beside) {
    throw OptionsError(arg(Input::inverse_dynamics), "is given with " + beside, "leave one of the two out");
  };
  if (!request.contacts.empty()) refuse(arg(Input::contact));
  if (request.over_time) refuse(arg(Input::over_time));
  if (request.limits != LimitSet::none) refuse(arg(Input::with_limits));
  if (options.detect) refuse("contact.detect");
  if (options.reduce_residual) refuse("contact.reduce_residual");
}

/// torques.csv has a column a row of the robot, beside its own: told before the work.
void check_columns(const std::vector<std::string>& rows) {
  const auto is_own = [](std::string_view name) {
    if (name == "step" || name == "time") return true;
    if (!name.starts_with("root_")) return false;
    name.remove_prefix(5);
    const bool changes = name.starts_with("change_");
    if (changes) name.remove_prefix(7);
    const std::string_view kind = name.substr(0, name.empty() ? 0 : name.size() - 1);
    const bool axis = !name.empty() && std::string_view("xyz").find(name.back()) != std::string_view::npos;
    return axis && (changes ? kind == "a" || kind == "alpha" : kind == "F" || kind == "M");
  };
  for (std::size_t row = 6; row < rows.size(); ++row) {
    if (!is_own(rows[row])) continue;
    throw ModelError("joint '" + rows[row] + "'", "a column of torques.csv has its name", "rename the joint");
  }
}

}  // namespace

ContactResult detail::begin_result(const Robot& robot, const ContactMotion& motion, const ContactRequest& request,
                                   const ContactOptions& options) {
  if (request.inverse_dynamics) check_without_contacts(request, options);
  ContactResult result;
  result.motion = motion.name;
  result.robot = robot.profile.title.empty() ? robot.profile.name : robot.profile.title;
  result.base_text = base_text(robot);
  result.payloads = robot.model.options().payloads;
  result.request = request;
  result.options = options;
  result.description = robot.model.description();
  result.rows = robot.model.row_names();
  check_columns(result.rows);
  result.weight = robot.weight();
  result.up = -robot.model.gravity().normalized();
  result.torque_limits.setConstant(robot.model.nv(), kInfinity);
  for (int m = 0; m < robot.model.motor_count(); ++m) {
    const double limit = robot.model.effort_limits()[m];
    if (limit > 0.0) result.torque_limits[robot.model.motor_rows()[static_cast<std::size_t>(m)]] = limit;
  }
  result.surfaces = surfaces_of(&robot.profile, request, options);
  result.dynamics.demand.contacts = request.contacts;
  result.dynamics.demand.kinds = contact_kinds(robot, request.contacts, options);
  return result;
}

void detail::answer_without_contacts(ContactResult& result) {
  const ContactDemand& demand = result.dynamics.demand;
  result.solution.wrench.resize(6, 0);
  result.solution.residual = demand.total;
  result.solution.status.assign(static_cast<std::size_t>(demand.frames()), Status::ok);
  result.torque = result.dynamics.total;
  judge_residual(result);
  result.residual_fine = true;  // nothing was asked to explain it
  result.sd_because = "inverse dynamics alone has no sd of masses and motion";
}

LimitSource detail::limit_source(const Robot& robot, const ContactResult& result) {
  return {result.dynamics, result.options,       result.request.limits,     result.surfaces,
          result.up,       result.torque_limits, torque_levers(robot.model)};
}

void detail::answer(const Robot& robot, const LimitSource& source, ContactResult& result) {
  result.torque = contact_torques(result.dynamics, result.solution);
  judge_residual(result);
  if (result.options.reduce_residual) {
    reduce_residual(robot, result);
    result.residual_fine = true;  // its share tells how much there was
  }
  detail::judge(source, result.rows, result.torque, result.solution, result.margins, result.violations);
  result.feasible = result.violations.empty();
}

std::string detail::why_no_sd(const ContactResult& result, bool clock) {
  if (result.options.compatibility == Compatibility::nimble) return "Nimble's mode states no uncertainty";
  if (!clock) return "independent states do not show how contacts change over time";
  if (has_kind(result, ContactType::point)) return "what is known of soles does not hold for points";
  return without_soles(result);
}

void detail::tell_stopped(int stopped, bool over_time, std::vector<std::string>& remarks) {
  if (stopped == 0) return;
  remarks.push_back("The solver stopped at its iteration budget in " + std::to_string(stopped) +
                    (over_time ? " solve over all frames" : " frames") +
                    ": limits there are kept to the residuals of the last iterate only.");
}

void detail::tell_few_points(ContactResult& result) {
  if (has_kind(result, ContactType::wrench) || result.request.contacts.size() >= 3) return;
  result.remarks.emplace_back(
      "Fewer than three points cannot make every total: what they leave is in the root residual.");
}

ContactResult contact_inverse_dynamics(const Robot& robot, ContactMotion motion, const ContactRequest& asked,
                                       const ContactOptions& options, const SplitOptions& split,
                                       const TimingOptions& timing, const Progress& progress) {
  const ContactRequest request = detail::with_frames(robot, asked);
  ContactResult result = detail::begin_result(robot, motion, request, options);
  const bool over_time = !motion.is_states() || request.over_time;
  result.dynamics = motion_dynamics(robot, std::move(motion), request, options, progress);
  ContactDemand& demand = result.dynamics.demand;
  const bool clock = demand.frames() >= 3 && demand.time.allFinite() && over_time;
  if (options.detect && demand.active.empty()) {
    if (!clock) throw OptionsError("contact.detect", "needs a motion over time", "give q with dt or time");
    std::vector<ContactPoints> points;
    for (int c = 0; c < demand.contact_count(); ++c) {
      // The corners of the sole, heel and toe among them, where it is known; else the frame's origin.
      const ContactSurface& surface = result.surfaces[static_cast<std::size_t>(c)];
      std::vector<Vector3> corners(surface.has_sole() ? 0 : 1, Vector3::Zero());
      for (const Eigen::Vector2d& corner : surface.sole) {
        corners.emplace_back(corner.x(), corner.y(), -surface.sole_depth);
      }
      ContactPoints foot{demand.contacts[static_cast<std::size_t>(c)], {}};
      for (const Vector3& corner : corners) {
        MatrixX path(demand.frames(), 3);
        for (Eigen::Index t = 0; t < demand.frames(); ++t) {
          const Pose& place = demand.places[static_cast<std::size_t>(demand.column(t, c))];
          path.row(t) = (place.rotation * corner + place.translation).transpose();
        }
        foot.points.push_back(std::move(path));
      }
      points.push_back(std::move(foot));
    }
    result.timing = detect_contacts(demand.time, vertical_axis(result.up), points, timing);
    state_contacts(*result.timing, demand);
  }

  if (request.inverse_dynamics) {
    detail::answer_without_contacts(result);
    return result;
  }
  const LimitSource source = detail::limit_source(robot, result);
  if (request.limits != LimitSet::none) {
    int stopped = 0;
    result.solution =
        detail::solve_with_limits(source, request.over_time, detail::limits_unit(source, request.over_time), stopped);
    detail::tell_stopped(stopped, request.over_time, result.remarks);
  } else {
    result.solution = request.over_time ? solve_over_time(demand, options) : solve_frames(demand, options);
  }
  detail::answer(robot, source, result);

  result.sd_because = detail::why_no_sd(result, clock);
  if (result.sd_because.empty()) {
    const ContactSurface& first = result.surfaces.front();
    const Sole sole =
        Sole::rectangle(first.middle().x(), first.half_size().x(), first.half_size().y(), first.sole_depth);
    result.posterior =
        split_contacts(total_of(result), result.timing ? *result.timing : stated_timing(demand), sole, split);
    add_error(result);
  }
  detail::tell_few_points(result);
  return result;
}

namespace {

/// Where a hidden contact is seen, what it leaves to the feet; elsewhere the feet carry all: what was not seen must not
/// take weight from them.
ContactPosterior split_with_hidden(const TotalMotion& motion, const ContactTiming& timing, SplitOptions split) {
  split.hidden_contact = true;
  ContactPosterior with = split_contacts(motion, timing, {}, split);
  split.hidden_contact = false;
  ContactPosterior posterior = split_contacts(motion, timing, {}, split);
  if (with.status != Status::ok || posterior.status != Status::ok) return posterior;
  for (Eigen::Index t = 0; t < motion.rows(); ++t) {
    if (!is_seen(with.hidden, motion.time[t])) continue;
    const auto at = static_cast<std::size_t>(t);
    for (std::size_t c = 0; c < posterior.feet.size(); ++c) {
      for (MatrixX FootWrenches::* rows :
           {&FootWrenches::mean, &FootWrenches::lower, &FootWrenches::upper, &FootWrenches::reference}) {
        (posterior.feet[c].*rows).row(t) = (with.feet[c].*rows).row(t);
      }
      posterior.feet[c].covariance[at] = with.feet[c].covariance[at];
    }
    for (std::size_t i = 0; i < posterior.pairs.size(); ++i) {
      posterior.pairs[i].covariance[at] = with.pairs[i].covariance[at];
      posterior.pairs[i].direction.row(t) = with.pairs[i].direction.row(t);
      posterior.pairs[i].squeeze[t] = with.pairs[i].squeeze[t];
      posterior.pairs[i].squeeze_sd[t] = with.pairs[i].squeeze_sd[t];
    }
    posterior.nis[t] = with.nis[t];
  }
  posterior.hidden = std::move(with.hidden);
  return posterior;
}

}  // namespace

ContactResult contact_split(const TotalMotion& motion, const ContactRequest& request, const ContactOptions& options,
                            const SplitOptions& split, const TimingOptions& timing) {
  check_options(options);
  ContactResult result;
  result.motion = printable(std::filesystem::path(motion.name).stem().string());  // no folder of this machine
  result.request = request;
  result.options = options;
  result.weight = motion.weight();
  result.up = Vector3::Unit(motion.up);
  if (request.limits != LimitSet::none) {
    throw OptionsError(arg(Input::with_limits), "needs a robot",
                       "with " + arg(Input::total) + " the feet are a person's: leave it at none");
  }
  ContactDemand& demand = result.dynamics.demand;
  const Eigen::Index N = motion.rows();
  const int k = static_cast<int>(motion.feet.size());
  for (const FootMotion& foot : motion.feet) demand.contacts.push_back(foot.name);
  result.request.contacts = demand.contacts;
  const bool are_points = options.kind == ContactType::point;
  demand.kinds.assign(static_cast<std::size_t>(k), are_points ? ContactType::point : ContactType::wrench);
  demand.time = motion.time;
  demand.dt = N > 1 ? (motion.time[N - 1] - motion.time[0]) / static_cast<double>(N - 1) : kNaN;
  demand.total = motion.wrench.transpose();
  demand.about.setZero(3, N);
  for (Eigen::Index t = 0; t < N; ++t) {
    for (const FootMotion& foot : motion.feet) demand.places.push_back(foot.pose[static_cast<std::size_t>(t)]);
  }
  result.dynamics.center_of_mass = motion.com.transpose();
  result.surfaces = surfaces_of(nullptr, result.request, options);
  if (options.compatibility == Compatibility::nimble) {
    result.solution = request.over_time ? solve_over_time(demand, options) : solve_frames(demand, options);
    result.sd_because = "Nimble's mode states no uncertainty";
  } else {
    result.timing = detect_contacts(motion, {}, timing);
    result.posterior = split.hidden_contact ? split_with_hidden(motion, *result.timing, split)
                                            : split_contacts(motion, *result.timing, {}, split);
    result.solution.wrench.setConstant(6, N * k, kNaN);
    result.solution.residual.setConstant(6, N, kNaN);
    result.solution.status.assign(static_cast<std::size_t>(N), result.posterior->status);
    if (result.posterior->status == Status::ok) {
      for (Eigen::Index t = 0; t < N; ++t) {
        for (int c = 0; c < k; ++c) {
          result.solution.wrench.col(t * k + c) =
              result.posterior->feet[static_cast<std::size_t>(c)].mean.row(t).transpose();
        }
        result.solution.residual.col(t) =
            demand.total.col(t) - detail::total_of(demand, t, result.solution.wrench.middleCols(t * k, k));
        if (!is_seen(result.posterior->hidden, motion.time[t])) continue;
        const Vector3 force = result.posterior->hidden.force[t] * result.up;
        const Vector3 place = result.posterior->hidden.place.row(t).transpose();
        result.solution.residual.col(t).head<3>() -= force;
        result.solution.residual.col(t).tail<3>() -= place.cross(force);
      }
    } else {
      result.remarks.push_back("No posterior was found: " + result.posterior->remark);
    }
    add_error(result);
    state_contacts(*result.timing, demand);
  }
  judge_residual(result);
  return result;
}

}  // namespace antaeus
