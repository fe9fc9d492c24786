// Controllers in contact: a hybrid of force and motion, a task in phases, and force control on the motors' torques
// alone. They never raise in the loop, as those of control.cpp.
#include <nanobind/stl/array.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "antaeus/control/contact_task.hpp"
#include "antaeus/control/force_loop.hpp"
#include "antaeus/control/hybrid_control.hpp"
#include "antaeus/control/hybrid_law.hpp"
#include "antaeus/control/line_profile.hpp"
#include "antaeus/control/sensorless_control.hpp"
#include "antaeus/control/wrench_tare.hpp"
#include "control.hpp"
#include "fields.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::TaskPhase> : EnumerationCaster<antaeus::TaskPhase, "antaeus.TaskPhase"> {};
template <>
struct type_caster<antaeus::TaskReason> : EnumerationCaster<antaeus::TaskReason, "antaeus.TaskReason"> {};
template <>
struct type_caster<antaeus::ForceFilter> : EnumerationCaster<antaeus::ForceFilter, "antaeus.ForceFilter"> {};
template <>
struct type_caster<antaeus::ProfileShape> : EnumerationCaster<antaeus::ProfileShape, "antaeus.ProfileShape"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

using Axes = std::array<bool, 6>;
using Events = std::vector<std::tuple<double, TaskPhase, TaskReason, double>>;

/// None: no wrench came in this cycle.
Wrench sensed(const std::optional<Wrench>& measured) {
  return measured.value_or(Wrench{Vector3::Constant(kNaN), Vector3::Constant(kNaN)});
}

Events events_of(const ContactTask& task) {
  Events all;
  for (int i = 0; i < task.events().size(); ++i) {
    const TaskEvent& event = task.events()[i];
    all.emplace_back(event.time, event.phase, event.reason, event.value);
  }
  return all;
}

/// What constructors of a task take beside the table's options.
constexpr const char* kTaskArguments =
    "normal: numpy.typing.ArrayLike = (0.0, 0.0, 1.0), direction: numpy.typing.ArrayLike = (1.0, 0.0, 0.0), "
    "line_length: float = 0.0, line_duration: float = 1.0, line_shape: ProfileShape | str = 'trapezoid', "
    "line_ramp: float = 0.25";
constexpr const char* kTaskMeaning =
    "normal [3]: of the surface as assumed, out of it, world axes, unit. direction [3]: of the line, world axes; "
    "its "
    "part along the surface counts. line_length, m: 0 is no line, and the tool holds. line_duration, s. line_shape: of "
    "the speed. line_ramp: share of the duration that each ramp of a trapezoid takes.";

void set_task(ContactTaskOptions& task, const char* place, const ArrayArgument& normal, const ArrayArgument& direction,
              double length, double duration, nb::handle shape, double ramp) {
  task.normal = as_vector(normal, place, "normal", 3);
  task.direction = as_vector(direction, place, "direction", 3);
  task.line = {length, duration,
               parse_enum<ProfileShape>(option_text(place, shape), std::string(place) + ".line_shape"), ramp};
}

HybridTarget target_of(const char* place, const Pose& X_WT, const Array& R_WC, const Axes& force_axes,
                       const std::optional<Wrench>& wrench, const Array& twist, const Array& acceleration, double trust,
                       bool integrates, bool integrates_motion) {
  HybridTarget target;
  if (R_WC) target.R_WC = as_matrix(*R_WC, place, "R_WC", 3, 3);
  target.force_axes = force_axes;
  target.wrench = wrench.value_or(Wrench{});
  target.X_WT = X_WT;
  target.twist = six(twist, place, "twist");
  target.acceleration = six(acceleration, place, "acceleration");
  target.trust = trust;
  target.integrates = integrates;
  target.integrates_motion = integrates_motion;
  return target;
}

void bind_hybrid(nb::module_& module) {
  bind_enumeration<ForceFilter>(module, "What the measured force passes before it is compared with the wanted one.");
  bind_struct<HybridTarget>(module, "HybridTarget",
                            "What is wanted of the tool in one cycle: motion along some axes, force along others.")
      .def(
          "__init__",
          [](HybridTarget* self, const Pose& X_WT, const Array& R_WC, const Axes& force_axes,
             const std::optional<Wrench>& wrench, const Array& twist, const Array& acceleration, double trust,
             bool integrates, bool integrates_motion) {
            new (self) HybridTarget(target_of("HybridTarget", X_WT, R_WC, force_axes, wrench, twist, acceleration,
                                              trust, integrates, integrates_motion));
          },
          "X_WT"_a = Pose(), "R_WC"_a = nb::none(),
          "force_axes"_a = nb::make_tuple(false, false, false, false, false, false), "wrench"_a = nb::none(),
          "twist"_a = nb::none(), "acceleration"_a = nb::none(), "trust"_a = 1.0, "integrates"_a = true,
          "integrates_motion"_a = true,
          "The arguments of HybridController.update as one value, for a HybridController or a HybridLaw. X_WT: the "
          "world's origin where it is not given. StatusError for an array of another shape.");
  bind_struct<HybridCommand>(module, "HybridCommand",
                             "Of HybridController. A copy of its own; NaN on any status but ok, and the arm brakes.");
  nb::class_<HybridController>(
      module, "HybridController",
      "Motion along some axes of a task frame, force along the others: τ = Jᵀ W + h. Scratch memory of one tool.")
      .def(
          "__init__",
          [](HybridController* self, int size, const nb::kwargs& options) {
            new (self) HybridController(size, control_options<HybridOptions>("HybridController", options));
          },
          "size"_a, "options"_a,
          nb::sig(options_signature<HybridOptions>("def __init__(self, size: int", ") -> None").c_str()),
          options_doc<HybridOptions>("size: joints of the arm, ToolDynamics.size().").c_str())
      .def(
          "update",
          [](HybridController& self, const ToolState& now, const Pose& X_WT, const Array& R_WC, const Axes& force_axes,
             const std::optional<Wrench>& wrench, const Array& twist, const Array& acceleration, double trust,
             bool integrates, bool integrates_motion, const std::optional<Wrench>& measured, double dt) {
            const HybridTarget wanted = target_of("HybridController.update", X_WT, R_WC, force_axes, wrench, twist,
                                                  acceleration, trust, integrates, integrates_motion);
            return HybridCommand(self.update(now, wanted, sensed(measured), dt));
          },
          "now"_a, "X_WT"_a, "R_WC"_a = nb::none(),
          "force_axes"_a = nb::make_tuple(false, false, false, false, false, false), "wrench"_a = nb::none(),
          "twist"_a = nb::none(), "acceleration"_a = nb::none(), "trust"_a = 1.0, "integrates"_a = true,
          "integrates_motion"_a = true, nb::kw_only(), "measured"_a = nb::none(), "dt"_a,
          "One cycle. X_WT, twist [6], acceleration [6]: wanted along the axes of motion, world axes, m and rad, s. "
          "R_WC [3 × 3]: axes of the task; the world's where it is not given. force_axes: six, along x y z and about "
          "x y z of R_WC. wrench: wanted there, the environment on the robot, about the tool's origin, task axes: a "
          "table under the tool has +z. trust: 0 … 1. measured: the environment on the robot, about the tool's origin, "
          "world axes; None or NaN where none came. dt: since the last call, s.")
      .def(
          "update",
          [](HybridController& self, const ToolState& now, const HybridTarget& wanted,
             const std::optional<Wrench>& measured,
             double dt) { return HybridCommand(self.update(now, wanted, sensed(measured), dt)); },
          "now"_a, "target"_a, "measured"_a.none(), "dt"_a, "The same with a target as a whole.")
      .def(
          "update",
          [](HybridController& self, const ToolState& now, const TaskOrder& order,
             const std::optional<Wrench>& measured, double dt) {
            if (order.restarts) self.restart();
            return HybridCommand(self.update(now, order.target, sensed(measured), dt));
          },
          "now"_a, "order"_a, "measured"_a.none(), "dt"_a,
          "The same with a ContactTask's order; restarts first where it asks for that.")
      .def(
          "set_posture",
          [](HybridController& self, const ArrayArgument& q) {
            require(self.set_posture(as_vector(q, "HybridController.set_posture", "q")),
                    "HybridController.set_posture");
          },
          "q"_a, "For the joints that the tool leaves free [n]; without one they are only damped.")
      .def("restart", &HybridController::restart,
           "Forgets integrals and filters; axes of force start at the next measured wrench.");
}

HybridLawGains law_gains(const nb::kwargs& keywords) {
  HybridLawGains gains;
  for (const auto& [key, value] : keywords) {
    std::string name = text_of(key, "HybridLaw");
    if (name == "alpha") name = "alpha_filter";
    set_option(gains, "HybridLaw", name, option_text("HybridLaw." + name, value));
  }
  return gains;
}

void bind_law(nb::module_& module) {
  const std::string signature = options_signature<HybridLawGains>("def published(size: int", ") -> HybridLaw");
  const std::string doc = options_doc<HybridLawGains>(
      "The law with the gains of the lab's table, under its names; `alpha` is taken for alpha_filter. size: joints of "
      "the arm, ToolDynamics.size(). K_o, K_do: an orientation term, which the printed law lacks; both 0: as printed. "
      "OptionsError for a size below 1, an unknown gain (with the nearest) or one out of its range.");
  nb::class_<HybridLaw>(module, "HybridLaw",
                        "The force-control lab's hybrid law under its own names (docs/references.md), beside "
                        "HybridController, with the same "
                        "target and the same command: F_p = K_p S_p (x_d − x) − K_d S_p ẋ, e_f = F_desired − "
                        "F_measured, F_f = −(K_fp e_f "
                        "+ K_fi ∫ e_f dt) − K_dz S_f ẋ, τ = Jᵀ (F_p + F_f) + g(q). To compare with: it follows a line "
                        "late, and the force "
                        "begins at K_fp/(1 + K_fp) of what is wanted. Scratch memory of one tool.")
      .def_static(
          "published", [](int size, const nb::kwargs& gains) { return HybridLaw::published(size, law_gains(gains)); },
          "size"_a, "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def(
          "update",
          [](HybridLaw& self, const ToolState& now, const HybridTarget& wanted, const std::optional<Wrench>& measured,
             double dt) { return HybridCommand(self.update(now, wanted, sensed(measured), dt)); },
          "now"_a, "target"_a, "measured"_a.none(), "dt"_a,
          "One cycle. Of target it reads R_WC, force_axes along x y z, the wrench's force, X_WT and integrates. "
          "measured: "
          "the environment on the robot, about the tool's origin, world axes, N and N·m; None or NaN where none came: "
          "the "
          "last one stays. dt: since the last call, s. The command's tau [n], N·m or N, is NaN unless its status is "
          "ok; "
          "not_finite also while no force ever came for an axis of force.")
      .def(
          "update",
          [](HybridLaw& self, const ToolState& now, const TaskOrder& order, const std::optional<Wrench>& measured,
             double dt) {
            if (order.restarts) self.restart();
            return HybridCommand(self.update(now, order.target, sensed(measured), dt));
          },
          "now"_a, "order"_a, "measured"_a.none(), "dt"_a,
          "The same with a ContactTask's order; restarts first where it asks for that.")
      .def("restart", &HybridLaw::restart, "Forgets the integrals; the filter goes on.")
      .def_prop_ro(
          "filtered", [](const HybridLaw& self) { return frozen(self.filtered()); }, kOwned,
          "[3] measured force behind the filter, world axes, N; zero before the first.")
      .def_prop_ro(
          "gains",
          [](const HybridLaw& self) {
            nb::dict gains;
            for (const OptionValue& value : list_options(self.gains())) {
              gains[value.info.name] = nb::float_(nb::str(value.value.c_str()));
            }
            return gains;
          },
          nb::sig("def gains(self) -> dict[str, float]"), "As they are used: name → number.");
}

void bind_loop(nb::module_& module) {
  nb::class_<ForceLoop>(
      module, "ForceLoop",
      "One axis under force control: which push brings the measured force to the wanted one. Forces "
      "are the environment's on the robot along the axis; the push is what the robot exerts there, at "
      "rest minus the force. What HybridController runs on each axis of force.")
      .def(
          "__init__",
          [](ForceLoop* self, const nb::kwargs& options) {
            new (self) ForceLoop(control_options<ForceLoopOptions>("ForceLoop", options));
          },
          "options"_a, nb::sig(options_signature<ForceLoopOptions>("def __init__(self", ") -> None").c_str()),
          options_doc<ForceLoopOptions>(
              "OptionsError for an unknown option (with the nearest) or one out of its range.")
              .c_str())
      .def("start", &ForceLoop::start, "measured"_a,
           "Restarts: the set-point starts at this force, N or N·m, the integral at zero, the filter at rest.")
      .def(
          "push",
          [](ForceLoop& self, double wanted, std::optional<double> measured, double speed, double dt, double trust,
             bool integrates) { return self.push({wanted, measured.value_or(kNaN), speed, dt, trust, integrates}); },
          "wanted"_a, "measured"_a.none(), nb::kw_only(), "speed"_a = 0.0, "dt"_a, "trust"_a = 1.0,
          "integrates"_a = true,
          "The push along the axis, N or N·m. measured: None or NaN where none came, and the last one is kept. speed: "
          "of "
          "the tool along the axis, m/s or rad/s. dt: since the last call, s. trust: 0 … 1 times the gains on the "
          "error. "
          "NaN where speed or dt is none, or no force ever came.")
      .def("filtered", &ForceLoop::filtered, "N or N·m; NaN before the first.")
      .def("set_point", &ForceLoop::set_point, "Between the force at the start and the wanted one, N or N·m.")
      .def("integral", &ForceLoop::integral, "The integral's push, N or N·m.")
      .def("at_limit", &ForceLoop::at_limit, "Whether the integral is at its limit.");
}

void bind_line(nb::module_& module) {
  bind_enumeration<ProfileShape>(module, "The speed along a line, from rest to rest.");
  bind_struct<LinePoint>(module, "LinePoint", "Of a LineProfile at a time.");
  nb::class_<LineProfile>(module, "LineProfile", "How far along a line a tool shall be, over time: from rest to rest.")
      .def(
          "__init__",
          [](LineProfile* self, double length, double duration, nb::handle shape, double ramp) {
            constexpr const char* kPlace = "LineProfile";
            if (!std::isfinite(length)) throw OptionsError("LineProfile.length", "not finite", "give metres");
            if (!(duration > 0.0) || !std::isfinite(duration)) {
              throw OptionsError("LineProfile.duration", "not above 0 and finite", "give seconds");
            }
            if (!(ramp > 0.0 && ramp <= 0.5)) {
              throw OptionsError("LineProfile.ramp", "not above 0 and at most 0.5", "give a share of the duration");
            }
            new (self) LineProfile{length, duration,
                                   parse_enum<ProfileShape>(option_text(kPlace, shape), "LineProfile.shape"), ramp};
          },
          "length"_a, "duration"_a, "shape"_a = "trapezoid", "ramp"_a = LineProfile{}.ramp,
          nb::sig("def __init__(self, length: float, duration: float, shape: ProfileShape | str = 'trapezoid', ramp: "
                  "float = 0.25) -> None"),
          "length, m. duration, s, > 0. shape: trapezoid (constant acceleration, speed, deceleration) or minimum_jerk "
          "(greatest speed 1.875 times the mean). ramp: share of the duration that each ramp of a trapezoid takes, 0 < "
          "ramp ≤ 0.5. OptionsError otherwise.")
      .def_ro("length", &LineProfile::length, "m")
      .def_ro("duration", &LineProfile::duration, "s")
      .def_ro("shape", &LineProfile::shape, "Of the speed over time.")
      .def_ro("ramp", &LineProfile::ramp, "Share of the duration in which the speed rises, and falls.")
      .def("at", &LineProfile::at, "time"_a,
           "LinePoint at a time since the start, s; before it the beginning, after it the end. NaN gives NaN.");
  bind_value<LineProfile>(module.attr("LineProfile"));
}

void bind_task(nb::module_& module) {
  bind_enumeration<TaskPhase>(module, "Phases of a ContactTask.");
  bind_enumeration<TaskReason>(module, "Why a phase of a ContactTask began.");
  nb::class_<WrenchTare>(module, "WrenchTare",
                         "What a force sensor says while nothing touches the tool, taken off from then on. Right for "
                         "the orientation in which it was taken.")
      .def(nb::init<>(), "Nothing is taken off yet.")
      .def("restart", &WrenchTare::restart, "Forgets everything: nothing is taken off.")
      .def("add", &WrenchTare::add, "measured"_a, "One more wrench of the tool in the air. not_finite changes nothing.")
      .def("count", &WrenchTare::count, "How many went in.")
      .def("offset", &WrenchTare::offset, "Their mean, N and N·m, axes of what went in; zero without one.")
      .def("tared", &WrenchTare::tared, "measured"_a, "The wrench less the offset. NaN stays NaN.");
  bind_struct<TaskOrder>(module, "TaskOrder",
                         "What a ContactTask asks of the controller in one cycle, with its target's fields.");
  const std::string signature =
      options_signature<ContactTaskOptions>((std::string("def __init__(self, ") + kTaskArguments).c_str(), ") -> None");
  nb::class_<ContactTask>(module, "ContactTask",
                          "A task in contact, phase by phase: approach, settle, explore, align, trace, hold; and back "
                          "off when something is wrong. Scratch memory of one tool.")
      .def(
          "__init__",
          [](ContactTask* self, const ArrayArgument& normal, const ArrayArgument& direction, double length,
             double duration, nb::handle shape, double ramp, const nb::kwargs& keywords) {
            auto options = control_options<ContactTaskOptions>("ContactTask", keywords);
            set_task(options, "ContactTask", normal, direction, length, duration, shape, ramp);
            new (self) ContactTask(options);
          },
          "normal"_a = nb::make_tuple(0.0, 0.0, 1.0), "direction"_a = nb::make_tuple(1.0, 0.0, 0.0),
          "line_length"_a = 0.0, "line_duration"_a = 1.0, "line_shape"_a = "trapezoid", "line_ramp"_a = 0.25,
          "options"_a, nb::sig(signature.c_str()), options_doc<ContactTaskOptions>(kTaskMeaning).c_str())
      .def("begin", &ContactTask::begin, "now"_a,
           "Starts above the surface, where the tool stands. The state's status: not ok, and nothing begins.")
      .def(
          "update",
          [](ContactTask& self, const ToolState& now, const std::optional<Wrench>& measured, double dt, double force_sd,
             bool is_saturated) { return TaskOrder(self.update(now, {sensed(measured), force_sd, is_saturated, dt})); },
          "now"_a, "measured"_a.none(), "dt"_a, "force_sd"_a = 0.0, "is_saturated"_a = false,
          "One cycle. measured: the environment on the robot, about the tool's origin, world axes; None or NaN where "
          "none came. dt: s. force_sd: of the force along the normal, N; 0 for a sensor. is_saturated: a motor's "
          "torque "
          "was cut. On bad input the order stays as it was.")
      .def(
          "retreat", [](ContactTask& self) { self.retreat(); }, "Away from the surface, now.")
      .def(
          "order", [](const ContactTask& self) { return TaskOrder(self.order()); }, "Of the last cycle.")
      .def("time", &ContactTask::time, "s since begin().")
      .def("phase_time", &ContactTask::phase_time, "s since the phase began.")
      .def_prop_ro(
          "normal", [](const ContactTask& self) { return frozen(self.normal()); }, kOwned,
          "[3] of the surface as it is known now, out of it, world axes.")
      .def_prop_ro("events", &events_of,
                   "The last 64 changes of phase: (time since begin() in s, phase, reason, what was looked at: a force "
                   "in N, a speed, a time).")
      .def("waits", &ContactTask::waits, "Whether it still waits in the air: what is sensed is the sensor's own.")
      .def("presses", &ContactTask::presses, "Whether the phase is one in contact.");
}

void bind_sensorless(nb::module_& module) {
  bind_struct<ContactForce>(module, "ContactForce",
                            "How hard the tool presses, from the motors' torques: the environment on the robot along "
                            "the surface's normal, pressing is positive. NaN on any status but ok.");
  bind_struct<SensorlessCommand>(module, "SensorlessCommand",
                                 "A copy of its own. On anything but ok tau is NaN: brake.");
  const std::string signature = options_signature<SensorlessOptions>(
      (std::string("def __init__(self, coulomb: numpy.typing.ArrayLike, time_step: float, ") + kTaskArguments).c_str(),
      ") -> None");
  const std::string doc = options_doc<SensorlessOptions>(
      std::string("coulomb [n]: assumed friction of each joint, N·m or N. time_step: of the cycle, s. ") +
      kTaskMeaning);
  nb::class_<SensorlessControl>(module, "SensorlessControl",
                                "A tool that presses, holds and traces on the motors' torques alone: tare in the air, "
                                "approach, contact, one call a cycle. Scratch memory of one tool.")
      .def(
          "__init__",
          [](SensorlessControl* self, const ArrayArgument& coulomb, double time_step, const ArrayArgument& normal,
             const ArrayArgument& direction, double length, double duration, nb::handle shape, double ramp,
             const nb::kwargs& keywords) {
            constexpr const char* kPlace = "SensorlessControl";
            auto options = control_options<SensorlessOptions>(kPlace, keywords);
            set_task(options.task, kPlace, normal, direction, length, duration, shape, ramp);
            new (self) SensorlessControl(as_vector(coulomb, kPlace, "coulomb"), time_step, options);
          },
          "coulomb"_a, "time_step"_a, "normal"_a = nb::make_tuple(0.0, 0.0, 1.0),
          "direction"_a = nb::make_tuple(1.0, 0.0, 0.0), "line_length"_a = 0.0, "line_duration"_a = 1.0,
          "line_shape"_a = "trapezoid", "line_ramp"_a = 0.25, "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def("begin", &SensorlessControl::begin, "now"_a,
           "In the air, a tare's motion (some 10 mm) clear of everything. The state's status: not ok, nothing begins.")
      .def(
          "update",
          [](SensorlessControl& self, const ToolState& now, const ArrayArgument& tau) {
            return SensorlessCommand(self.update(now, as_vector(tau, "SensorlessControl.update", "tau")));
          },
          "now"_a, "tau"_a,
          "One cycle. tau [n]: of the motors over the cycle that ended, as commanded or as their currents say, N·m or "
          "N; in the first cycle what holds the arm, now.h.")
      .def("retreat", &SensorlessControl::retreat, "Away from the surface, now.")
      .def_prop_ro(
          "phase", [](const SensorlessControl& self) { return self.task().order().phase; }, "Of its ContactTask.")
      .def_prop_ro(
          "events", [](const SensorlessControl& self) { return events_of(self.task()); }, "As ContactTask.events.")
      .def_prop_ro(
          "coulomb", [](const SensorlessControl& self) { return frozen(self.coulomb()); }, kOwned,
          "[n] friction that is fed forward, N·m or N.");
}

}  // namespace

void bind_control_contact(nb::module_& module) {
  bind_hybrid(module);
  bind_loop(module);
  bind_line(module);
  bind_task(module);
  bind_law(module);
  bind_sensorless(module);
}

}  // namespace antaeus::python
