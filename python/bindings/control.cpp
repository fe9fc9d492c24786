// Controllers: a state of the tool, and torques or references out of it. They never raise in the loop: results carry a
// status, and NaN where nothing can be computed.
#include "control.hpp"

#include <optional>

#include "antaeus/control/admittance.hpp"
#include "antaeus/control/cartesian_impedance.hpp"
#include "antaeus/control/damping_mode.hpp"
#include "antaeus/control/gravity_compensation.hpp"
#include "antaeus/control/joint_impedance.hpp"
#include "fields.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::IntegralState> : EnumerationCaster<antaeus::IntegralState, "antaeus.IntegralState"> {};
template <>
struct type_caster<antaeus::AdmittanceMode> : EnumerationCaster<antaeus::AdmittanceMode, "antaeus.AdmittanceMode"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

void bind_tool_dynamics(nb::module_& module) {
  bind_struct<ToolState>(
      module, "ToolState",
      "A tool and the arm behind it at one instant: world axes, the tool's origin, linear rows first. "
      "A copy of its own; NaN on any status but ok.");
  nb::class_<ToolDynamics>(module, "ToolDynamics",
                           "What controllers of a tool compute with, once a cycle. Scratch memory, one per thread.")
      .def(
          "__init__",
          [](ToolDynamics* self, const RobotModel& model, const std::string& tool, double mobility_floor,
             double singular_mobility) { new (self) ToolDynamics(model, tool, {mobility_floor, singular_mobility}); },
          "model"_a, "tool"_a, nb::kw_only(), "mobility_floor"_a = ToolDynamicsOptions{}.mobility_floor,
          "singular_mobility"_a = ToolDynamicsOptions{}.singular_mobility,
          "ModelError for a frame that does not exist, a floating base, a joint without a motor.")
      .def("size", &ToolDynamics::size, "n joints.")
      .def(
          "at",
          [](ToolDynamics& self, const ArrayArgument& q, const ArrayArgument& v) {
            return ToolState(self.at(as_vector(q, "ToolDynamics.at", "q"), as_vector(v, "ToolDynamics.at", "v")));
          },
          "q"_a, "v"_a, "q, v of the motors [n].");
  module.def(
      "rotation_error",
      [](const ArrayArgument& from, const ArrayArgument& to) {
        return fresh(rotation_error(as_matrix(from, "rotation_error", "from", 3, 3),
                                    as_matrix(to, "rotation_error", "to", 3, 3)));
      },
      "from_"_a, "to"_a,
      "The rotation vector [3], rad, that leads from one to the other, in the axes of both: |·| ≤ π.");
}

void bind_torques(nb::module_& module) {
  bind_struct<JointTorque>(module, "JointTorque",
                           "Torques for the motors: on anything but ok NaN, and the arm brakes.");
  nb::class_<LimitedTorque, JointTorque> limited(module, "LimitedTorque", "What was wanted is tau + clipped + slowed.");
  bind_fields(limited);
  nb::class_<CartesianTorque, LimitedTorque> cartesian(module, "CartesianTorque",
                                                       "Of a Cartesian impedance; world axes.");
  bind_fields(cartesian);
  nb::class_<TorqueLimits>(module, "TorqueLimits", "Keeps torques and their rates within the motors' limits.")
      .def(
          "__init__",
          [](TorqueLimits* self, const RobotModel& model, const nb::kwargs& options) {
            new (self) TorqueLimits(model, control_options<TorqueLimitOptions>("TorqueLimits", options));
          },
          "model"_a, "options"_a,
          nb::sig(options_signature<TorqueLimitOptions>("def __init__(self, model: RobotModel", ") -> None").c_str()),
          options_doc<TorqueLimitOptions>("Options:").c_str())
      .def_prop_ro(
          "limits", [](const TorqueLimits& self) { return frozen(self.limits()); }, kOwned, "[n] of the torques' size.")
      .def(
          "apply",
          [](TorqueLimits& self, const ArrayArgument& wanted) {
            return LimitedTorque(self.apply(as_vector(wanted, "TorqueLimits.apply", "wanted")));
          },
          "wanted"_a, "[n]")
      .def(
          "reset",
          [](TorqueLimits& self, const Array& tau) {
            if (!tau) return self.reset();
            require(self.reset(as_vector(*tau, "TorqueLimits.reset", "tau")), "TorqueLimits.reset");
          },
          "tau"_a = nb::none(), "The next torque starts from tau; without one it may be any.");
}

void bind_joint_controllers(nb::module_& module) {
  bind_enumeration<IntegralState>(module, "What the integral of GravityCompensation did in the last cycle.");
  nb::class_<GravityCompensation>(module, "GravityCompensation",
                                  "τ = g(q), alone or with a spring, a damper and a gated integral towards a position.")
      .def(
          "__init__",
          [](GravityCompensation* self, const RobotModel& model, const nb::kwargs& options) {
            new (self)
                GravityCompensation(model, control_options<GravityCompensationOptions>("GravityCompensation", options));
          },
          "model"_a, "options"_a,
          nb::sig(options_signature<GravityCompensationOptions>("def __init__(self, model: RobotModel", ") -> None")
                      .c_str()),
          options_doc<GravityCompensationOptions>("Options:").c_str())
      .def(
          "update",
          [](GravityCompensation& self, const ArrayArgument& q, const ArrayArgument& v, const Array& q_target,
             const std::optional<Wrench>& wrench, nb::handle verdict) {
            constexpr const char* kPlace = "GravityCompensation.update";
            const auto position = as_vector(q, kPlace, "q"), velocity = as_vector(v, kPlace, "v");
            if (!q_target) return LimitedTorque(self.update(position, velocity));
            const HoldTarget target{numbers(q_target, kPlace, "q_target"), wrench.value_or(Wrench{}),
                                    parse_enum<Verdict>(option_text(kPlace, verdict), kPlace, "verdict")};
            return LimitedTorque(self.update(position, velocity, target));
          },
          "q"_a, "v"_a, "q_target"_a = nb::none(), "wrench"_a = nb::none(), "verdict"_a = "ok",
          nb::sig(
              "def update(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, q_target: "
              "numpy.typing.ArrayLike | None = None, wrench: Wrench | None = None, verdict: Verdict | str = 'ok') -> "
              "LimitedTorque"),
          "Without q_target: the carried load less damping alone. The integral stands still where a wrench is felt or "
          "its verdict is not ok.")
      .def_prop_ro("integral_state", &GravityCompensation::integral_state,
                   "Whether the integral of the holding spring runs, waits or is off.")
      .def_prop_ro(
          "integral", [](const GravityCompensation& self) { return frozen(self.integral()); }, kOwned,
          "[n] its torque.")
      .def("reset", &GravityCompensation::reset, "Forgets the held position, the integral and the torques before.");
  nb::class_<JointImpedance>(module, "JointImpedance",
                             "τ = g + M a + K (q_d − q) + D (v_d − v) + τ_ff: every joint a spring with a damper.")
      .def(
          "__init__",
          [](JointImpedance* self, const RobotModel& model, const nb::kwargs& options) {
            new (self) JointImpedance(model, control_options<JointImpedanceOptions>("JointImpedance", options));
          },
          "model"_a, "options"_a,
          nb::sig(
              options_signature<JointImpedanceOptions>("def __init__(self, model: RobotModel", ") -> None").c_str()),
          options_doc<JointImpedanceOptions>("Options:").c_str())
      .def(
          "update",
          [](JointImpedance& self, const ToolState& now, const ArrayArgument& q, const Array& v, const Array& a,
             const Array& tau_feed) {
            constexpr const char* kPlace = "JointImpedance.update";
            return LimitedTorque(self.update(now, {as_vector(q, kPlace, "q"), numbers(v, kPlace, "v"),
                                                   numbers(a, kPlace, "a"), numbers(tau_feed, kPlace, "tau_feed")}));
          },
          "now"_a, "q"_a, "v"_a = nb::none(), "a"_a = nb::none(), "tau_feed"_a = nb::none(),
          "Target of the joints [n]; v, a and tau_feed are zero where they are not given.")
      .def(
          "set_stiffness",
          [](JointImpedance& self, const ArrayArgument& stiffness) {
            require(self.set_stiffness(as_vector(stiffness, "JointImpedance.set_stiffness", "stiffness")),
                    "JointImpedance.set_stiffness");
          },
          "stiffness"_a, "[n] N·m/rad")
      .def(
          "set_damping",
          [](JointImpedance& self, const ArrayArgument& damping) {
            require(self.set_damping(as_vector(damping, "JointImpedance.set_damping", "damping")),
                    "JointImpedance.set_damping");
          },
          "damping"_a, "[n] N·m·s/rad, with joint_damping_law='given'")
      .def_prop_ro(
          "damping", [](const JointImpedance& self) { return frozen(self.damping()); }, kOwned,
          "D [n × n] of the last cycle.")
      .def("reset", &JointImpedance::reset, "Forgets the torques before, from which the rate is limited.");
}

void bind_cartesian_impedance(nb::module_& module) {
  nb::class_<CartesianImpedance>(
      module, "CartesianImpedance",
      "The tool as a spring with a damper: a person who pushes it with +40 N along x moves it by "
      "40/K along +x. World axes.")
      .def(
          "__init__",
          [](CartesianImpedance* self, const RobotModel& model, const nb::kwargs& options) {
            new (self)
                CartesianImpedance(model, control_options<CartesianImpedanceOptions>("CartesianImpedance", options));
          },
          "model"_a, "options"_a,
          nb::sig(options_signature<CartesianImpedanceOptions>("def __init__(self, model: RobotModel", ") -> None")
                      .c_str()),
          options_doc<CartesianImpedanceOptions>("Options:").c_str())
      .def(
          "update",
          [](CartesianImpedance& self, const ToolState& now, const Pose& X_WT, const Array& twist,
             const Array& acceleration, const std::optional<Wrench>& feed_forward, const Array& posture) {
            constexpr const char* kPlace = "CartesianImpedance.update";
            return CartesianTorque(
                self.update(now, {X_WT, six(twist, kPlace, "twist"), six(acceleration, kPlace, "acceleration"),
                                  feed_forward.value_or(Wrench{}), numbers(posture, kPlace, "posture")}));
          },
          "now"_a, "X_WT"_a, "twist"_a = nb::none(), "acceleration"_a = nb::none(), "feed_forward"_a = nb::none(),
          "posture"_a = nb::none(),
          "Target of the tool. feed_forward: what the tool shall do to the world beside the spring.")
      .def(
          "set_stiffness",
          [](CartesianImpedance& self, const ArrayArgument& K_W) {
            constexpr const char* kPlace = "CartesianImpedance.set_stiffness";
            require(self.set_stiffness(as_matrix(K_W, kPlace, "K_W", 6, 6)), kPlace);
          },
          "K_W"_a, "Any symmetric K [6 × 6] without negative eigenvalues.")
      .def(
          "set_damping",
          [](CartesianImpedance& self, const ArrayArgument& D_W) {
            constexpr const char* kPlace = "CartesianImpedance.set_damping";
            require(self.set_damping(as_matrix(D_W, kPlace, "D_W", 6, 6)), kPlace);
          },
          "D_W"_a, "The same of D, with damping_law='given'.")
      .def_prop_ro(
          "stiffness", [](const CartesianImpedance& self) { return frozen(self.stiffness()); }, kOwned, "K [6 × 6].")
      .def_prop_ro(
          "damping", [](const CartesianImpedance& self) { return frozen(self.damping()); }, kOwned,
          "D [6 × 6] of the last cycle.")
      .def("reset", &CartesianImpedance::reset, "Forgets the torques before, from which the rate is limited.");
}

void bind_admittance(nb::module_& module) {
  bind_enumeration<AdmittanceMode>(module, "What Admittance does with the wrench. wrench_lost: it comes to rest.");
  bind_struct<AdmittanceReference>(module, "AdmittanceReference",
                                   "What the arm's own controller shall follow; world axes, linear rows first.");
  nb::class_<Admittance>(module, "Admittance",
                         "Compliance for arms that take positions: M ẍ + D ẋ + K x = F − F_wanted, solved exactly.")
      .def(
          "__init__",
          [](Admittance* self, const nb::kwargs& options) {
            new (self) Admittance(control_options<AdmittanceOptions>("Admittance", options));
          },
          "options"_a, nb::sig(options_signature<AdmittanceOptions>("def __init__(self", ") -> None").c_str()),
          options_doc<AdmittanceOptions>("Options:").c_str())
      .def(
          "update",
          [](Admittance& self, const Wrench& wrench, const Pose& X_WT, const Array& twist,
             const std::optional<Wrench>& wanted) {
            return AdmittanceReference(
                self.update(wrench, {X_WT, six(twist, "Admittance.update", "twist"), wanted.value_or(Wrench{})}));
          },
          "wrench"_a, "X_WT"_a, "twist"_a = nb::none(), "wanted"_a = nb::none(),
          "wrench: the environment on the robot, about the tool's origin, the tool's weight taken off. X_WT, twist: "
          "where "
          "the tool would be without a push.")
      .def("reset", &Admittance::reset, "Begins a new motion where the tool is at the next update.");
}

void bind_damping_mode(nb::module_& module) {
  module.def(
      "damping_mode",
      [](const Robot& robot, const ArrayArgument& v, const Array& q, const Array& q_hold, const nb::kwargs& options) {
        constexpr const char* kPlace = "damping_mode";
        const auto chosen = control_options<DampingModeOptions>(kPlace, options);
        const auto velocity = as_vector(v, kPlace, "v");
        if (q.has_value() != q_hold.has_value()) {
          throw OptionsError(kPlace, "a hold needs q and q_hold", "give both, or none");
        }
        JointTorque braked{Status::not_computed, VectorX(robot.model.motor_count())};
        braked.status = q ? damping_mode(robot, velocity, as_vector(*q, kPlace, "q"),
                                         as_vector(*q_hold, kPlace, "q_hold"), chosen, braked.tau)
                          : damping_mode(robot, velocity, chosen, braked.tau);
        return braked;
      },
      "robot"_a, "v"_a, "q"_a = nb::none(), "q_hold"_a = nb::none(), "options"_a,
      nb::sig(options_signature<DampingModeOptions>(
                  "def damping_mode(robot: Robot, v: numpy.typing.ArrayLike, q: numpy.typing.ArrayLike | None = None, "
                  "q_hold: numpy.typing.ArrayLike | None = None",
                  ") -> JointTorque")
                  .c_str()),
      options_doc<DampingModeOptions>(
          "The watchdog's last act: τ = −D v, and with q and q_hold a spring towards where the robot stood; [motors] "
          "in "
          "the robot's order, rad/s, rad, N·m. Without the hold it never puts energy in. NaN in v, q or q_hold and a "
          "wrong size give a status and NaN torques. Options:")
          .c_str());
}

}  // namespace

void bind_control(nb::module_& module) {
  bind_tool_dynamics(module);
  bind_torques(module);
  bind_joint_controllers(module);
  bind_damping_mode(module);
  bind_cartesian_impedance(module);
  bind_admittance(module);
}

}  // namespace antaeus::python
