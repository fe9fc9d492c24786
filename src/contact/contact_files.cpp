// What a result is written as: two tables and a summary.
#include <algorithm>
#include <cmath>

#include "antaeus/io/json_fields.hpp"
#include "contact/contact_figures.hpp"

namespace antaeus {

namespace {

constexpr const char* kComponents[] = {"Fx", "Fy", "Fz", "Mx", "My", "Mz"};
constexpr const char* kUnits[] = {"N", "N", "N", "N·m", "N·m", "N·m"};

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
      step.push_back(result.first_frame + t);
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
  table.add({"active", "1", "1 where the contact is active", std::move(active)});
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
  for (Eigen::Index t = 0; t < N; ++t) step.push_back(result.first_frame + t), time.push_back(demand.time[t]);
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
         result.request.inverse_dynamics ? "what must hold the base, on the robot; axes and origin of the base"
         : robot                         ? "what no contact explains, axes and origin of the base"
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

Eigen::Index ContactResult::frames() const { return figures ? figures->frames : dynamics.demand.frames(); }
double ContactResult::time_step() const { return figures ? figures->dt : dynamics.demand.dt; }

std::vector<ContactTotals> ContactResult::totals() const {
  const auto all_frames = detail::figures_of(*this);
  std::vector<ContactTotals> all;
  const ContactDemand& demand = dynamics.demand;
  for (std::size_t c = 0; c < demand.contacts.size(); ++c) {
    const detail::ContactFigures::OfContact& one = all_frames->contacts[c];
    all.push_back({demand.contacts[c], demand.kinds[c], one.touching, one.vertical.mean(), one.vertical.least,
                   one.vertical.largest, one.horizontal.largest, surfaces[c]});
  }
  return all;
}

double ContactResult::largest_residual(int first) const {
  const auto all = detail::figures_of(*this);
  return (first == 0 ? all->left_force : all->left_moment).largest;
}

std::vector<std::string> ContactResult::all_remarks() const {
  std::vector<std::string> all = remarks;
  if (posterior && !posterior->remark.empty()) all.push_back(posterior->remark);
  return all;
}

Json contact_summary(const ContactResult& result) {
  Json json = to_json(result);
  if (const auto all = detail::figures_of(result); all->changed > 0) {
    json.set("root_change_rms", std::sqrt(all->root_change_squares / static_cast<double>(all->changed)));
  }
  if (result.violations_left_out > 0) json.set("broken_limits_left_out", result.violations_left_out);
  return json;
}

}  // namespace antaeus
