// What a result is written as: two tables and a summary.
#include <algorithm>
#include <cmath>

#include "contact/contact_reading.hpp"

namespace antaeus {

namespace {

constexpr const char* kComponents[] = {"Fx", "Fy", "Fz", "Mx", "My", "Mz"};
constexpr const char* kUnits[] = {"N", "N", "N", "N·m", "N·m", "N·m"};

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

using detail::Spread;

}  // namespace

Table wrenches_table(const ContactResult& result) {
  const ContactDemand& demand = result.dynamics.demand;
  const int k = demand.contact_count();
  const Eigen::Index N = demand.frames();
  const bool link = result.request.axes == WrenchAxes::link;
  const Matrix6X wrench = in_axes(demand, result.solution.wrench, result.request.axes);
  std::vector<std::int64_t> step;
  std::vector<double> time;
  TextColumn contact, sign, frame, status;
  std::vector<std::vector<double>> numbers(12), places(3);
  std::vector<std::int64_t> active;
  for (Eigen::Index t = 0; t < N; ++t) {
    for (int c = 0; c < k; ++c) {
      const Eigen::Index i = demand.column(t, c);
      const Pose& place = demand.places[static_cast<std::size_t>(i)];
      step.push_back(t);
      time.push_back(demand.time[t]);
      contact.push_back(demand.contacts[static_cast<std::size_t>(c)]);
      sign.push_back("on_robot");
      frame.push_back(to_string(result.request.axes));
      status.push_back(to_string(result.solution.status[static_cast<std::size_t>(t)]));
      active.push_back(demand.is_active(t, c));
      Matrix6 error = Matrix6::Constant(kNaN);
      if (!result.error.empty()) error = result.error[static_cast<std::size_t>(i)];
      if (link && !result.error.empty()) {
        Matrix6 T = Matrix6::Zero();
        T.topLeftCorner<3, 3>() = T.bottomRightCorner<3, 3>() = place.rotation.transpose();
        error = T * error * T.transpose();
      }
      for (int row = 0; row < 6; ++row) {
        numbers[static_cast<std::size_t>(row)].push_back(wrench(row, i) + 0.0);
        numbers[static_cast<std::size_t>(row) + 6].push_back(std::sqrt(error(row, row)));
      }
      for (int axis = 0; axis < 3; ++axis) places[static_cast<std::size_t>(axis)].push_back(place.translation[axis]);
    }
  }
  const std::string axes = link ? "axes of the contact frame" : "world axes";
  Table table;
  table.add({"step", "1", "frame of the motion, from 0", std::move(step)});
  table.add({"time", "s", "of the motion; empty without a clock", std::move(time)});
  table.add({"contact", "", "frame at whose origin the wrench acts", std::move(contact)});
  table.add({"sign", "", "on_robot: what the contact exerts on the robot (or person)", std::move(sign)});
  table.add({"frame", "", "axes of the wrench: world, or link (the contact frame's own)", std::move(frame)});
  for (std::size_t row = 0; row < 6; ++row) {
    table.add({kComponents[row], kUnits[row],
               std::string(row < 3 ? "force, " : "moment about the contact's origin, ") + axes,
               std::move(numbers[row])});
  }
  for (std::size_t row = 0; row < 6; ++row) {
    table.add({std::string("sd_") + kComponents[row], kUnits[row],
               std::string("root mean square error to be expected of ") + kComponents[row] + "; empty where unknown",
               std::move(numbers[6 + row])});
  }
  table.add({"active", "1", "1 where the contact touches", std::move(active)});
  table.add({"status", "", "of the frame: ok, or why its numbers are empty", std::move(status)});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    table.add(
        {std::string("p") + "xyz"[axis], "m", "origin of the contact frame in the world", std::move(places[axis])});
  }
  return table;
}

Table torques_table(const ContactResult& result) {
  const ContactDemand& demand = result.dynamics.demand;
  const Eigen::Index N = demand.frames();
  const bool robot = result.torque.size() > 0;
  std::vector<std::int64_t> step;
  std::vector<double> time;
  for (Eigen::Index t = 0; t < N; ++t) step.push_back(t), time.push_back(demand.time[t]);
  const auto column = [&](auto&& value) {
    std::vector<double> values;
    for (Eigen::Index t = 0; t < N; ++t) values.push_back(value(t) + 0.0);
    return values;
  };
  Table table;
  table.add({"step", "1", "frame of the motion, from 0", std::move(step)});
  table.add({"time", "s", "of the motion; empty without a clock", std::move(time)});
  for (int row = 0; row < 6; ++row) {
    table.add(
        {std::string("root_") + kComponents[row], kUnits[row],
         robot ? "what no contact explains, axes and origin of the base"
               : "what no contact explains, world axes, about the world's origin",
         column([&](Eigen::Index t) { return robot ? result.torque(t, row) : result.solution.residual(row, t); })});
  }
  for (Eigen::Index row = 6; row < result.torque.cols(); ++row) {
    table.add({result.rows[static_cast<std::size_t>(row)], "N·m | N", "what the motor exerts on the joint",
               column([&](Eigen::Index t) { return result.torque(t, row); })});
  }
  for (int row = 0; row < 6 && result.root_change.size() > 0; ++row) {
    table.add({std::string("root_change_") + (row < 3 ? "a" : "alpha") + "xyz"[row % 3], row < 3 ? "m/s²" : "rad/s²",
               "what contact.reduce_residual changed of the base's acceleration, base axes",
               column([&](Eigen::Index t) { return result.root_change(t, row); })});
  }
  return table;
}

Json contact_summary(const ContactResult& result) {
  const ContactDemand& demand = result.dynamics.demand;
  const int k = demand.contact_count();
  Json contacts = Json::array();
  for (int c = 0; c < k; ++c) {
    Spread vertical, horizontal;
    Eigen::Index active = 0;
    for (Eigen::Index t = 0; t < demand.frames(); ++t) {
      const Vector3 force = result.solution.wrench.col(demand.column(t, c)).head<3>();
      vertical.add(force.dot(result.up), t);
      horizontal.add((force - force.dot(result.up) * result.up).norm(), t);
      active += demand.is_active(t, c);
    }
    const ContactSurface& surface = result.surfaces[static_cast<std::size_t>(c)];
    contacts.push_back(Json::object()
                           .set("contact", demand.contacts[static_cast<std::size_t>(c)])
                           .set("kind", to_string(demand.kinds[static_cast<std::size_t>(c)]))
                           .set("frames_active", static_cast<std::int64_t>(active))
                           .set("mean_vertical_N", number_or_null(vertical.mean()))
                           .set("least_vertical_N", number_or_null(vertical.least))
                           .set("largest_vertical_N", number_or_null(vertical.largest))
                           .set("largest_horizontal_N", number_or_null(horizontal.largest))
                           .set("friction", number_or_null(surface.friction))
                           .set("torsion_m", number_or_null(surface.torsion))
                           .set("force_cap_N", number_or_null(surface.force_cap))
                           .set("sole_known", surface.has_sole()));
  }
  Json broken = Json::array();
  for (const LimitViolation& v : result.violations) {
    broken.push_back(Json::object()
                         .set("step", static_cast<std::int64_t>(v.frame))
                         .set("subject", v.subject)
                         .set("limit", to_string(v.kind))
                         .set("by_N", v.size));
  }
  Spread force, moment;
  for (Eigen::Index t = 0; t < result.solution.residual.cols(); ++t) {
    force.add(result.solution.residual.col(t).head<3>().norm(), t);
    moment.add(result.solution.residual.col(t).tail<3>().norm(), t);
  }
  Json json = Json::object()
                  .set("schema", "antaeus.contact.summary/1")
                  .set("command", result.command)
                  .set("motion", result.motion)
                  .set("robot", result.robot.empty() ? Json() : Json(result.robot))
                  .set("base", result.base_text.empty() ? Json() : Json(result.base_text))
                  .set("frames", static_cast<std::int64_t>(demand.frames()))
                  .set("time_step_s", number_or_null(demand.dt))
                  .set("over_time", result.request.over_time)
                  .set("limits", to_string(result.request.limits))
                  .set("wrench_frame", to_string(result.request.axes))
                  .set("sign", "on_robot")
                  .set("compatibility", to_string(result.options.compatibility))
                  .set("weight_N", number_or_null(result.weight))
                  .set("feasible", result.feasible)
                  .set("residual_share", number_or_null(result.residual_share))
                  .set("residual_fine", result.residual_fine)
                  .set("largest_residual_force_N", number_or_null(force.largest))
                  .set("largest_residual_moment_Nm", number_or_null(moment.largest))
                  .set("contacts", std::move(contacts))
                  .set("broken_limits", std::move(broken))
                  .set("sd_known", !result.error.empty())
                  .set("sd_because", result.sd_because.empty() ? Json() : Json(result.sd_because));
  Json unobservable = Json::array(), hidden = Json::array(), intervals = Json::array();
  if (result.posterior) {
    for (const std::string& name : result.posterior->unobservable) unobservable.push_back(name);
    for (const HiddenContact& h : result.posterior->hidden.seen) {
      hidden.push_back(Json::object()
                           .set("from_s", h.from)
                           .set("to_s", h.to)
                           .set("place_m", Json(Json::Array{h.place.x(), h.place.y(), h.place.z()}))
                           .set("place_sd_m", number_or_null(h.place_sd))
                           .set("size_N", number_or_null(h.size))
                           .set("size_sd_N", number_or_null(h.sd))
                           .set("lower_bound_N", number_or_null(h.lower))
                           .set("z", number_or_null(h.z)));
    }
  }
  if (result.timing) {
    for (const FootContact& contact : result.timing->intervals) {
      intervals.push_back(Json::object()
                              .set("contact", contact.foot)
                              .set("from_s", contact.from)
                              .set("to_s", contact.to)
                              .set("probability", contact.probability));
    }
  }
  Json remarks = Json::array();
  for (const std::string& remark : result.remarks) remarks.push_back(remark);
  if (result.posterior && !result.posterior->remark.empty()) remarks.push_back(result.posterior->remark);
  json.set("unobservable", std::move(unobservable))
      .set("hidden_contacts", std::move(hidden))
      .set("hidden_resolution_N", result.posterior ? number_or_null(result.posterior->hidden.resolution) : Json())
      .set("contact_intervals", std::move(intervals))
      .set("remarks", std::move(remarks));
  if (result.root_change.size() > 0) {
    json.set("root_change_rms", number_or_null(std::sqrt(result.root_change.leftCols(3).squaredNorm() /
                                                         static_cast<double>(result.root_change.rows()))));
  }
  return json;
}

}  // namespace antaeus
