// Coordinated control of free-flying robots: references, gains, laws.
#include "antaeus/robot/robot_profile.hpp"
#include "antaeus/space/flying_control.hpp"
#include "antaeus/space/flying_guidance.hpp"
#include "antaeus/space/published_scheme.hpp"
#include "control.hpp"
#include "fields.hpp"
#include "published_scheme.hpp"

namespace antaeus::python {

namespace {

Vector3 three(const Array& argument, const char* name) {
  return argument ? Vector3(as_vector(*argument, "FlyingReference", name, 3)) : Vector3(Vector3::Zero());
}

template <class Options>
Options group_of(const std::optional<nb::dict>& given) {
  return options_from<Options>(given.value_or(nb::dict()));
}

void bind_references(nb::module_& module) {
  nb::class_<FlyingReference>(
      module, "FlyingReference",
      "Where a free-flying robot shall be at an instant: the end-effector's pose, the base's attitude, the centre of "
      "mass, with their velocities and accelerations. All in world axes.")
      .def(
          "__init__",
          [](FlyingReference* self, const Pose& X_WE, const ArrayArgument& R_WB, const ArrayArgument& p_com,
             const Array& velocity, const Array& omega, const Array& acceleration, const Array& omega_dot,
             const Array& base_omega, const Array& base_omega_dot, const Array& com_velocity,
             const Array& com_acceleration) {
            new (self) FlyingReference();
            self->end_effector = {X_WE, three(velocity, "velocity"), three(acceleration, "acceleration"),
                                  three(omega, "omega"), three(omega_dot, "omega_dot")};
            self->base = {as_matrix(R_WB, "FlyingReference", "R_WB", 3, 3), three(base_omega, "base_omega"),
                          three(base_omega_dot, "base_omega_dot")};
            self->com = {as_vector(p_com, "FlyingReference", "p_com", 3), three(com_velocity, "com_velocity"),
                         three(com_acceleration, "com_acceleration")};
          },
          "X_WE"_a, "R_WB"_a, "p_com"_a, nb::kw_only(), "velocity"_a = nb::none(), "omega"_a = nb::none(),
          "acceleration"_a = nb::none(), "omega_dot"_a = nb::none(), "base_omega"_a = nb::none(),
          "base_omega_dot"_a = nb::none(), "com_velocity"_a = nb::none(), "com_acceleration"_a = nb::none(),
          "velocity, omega, …: of the end-effector's origin and frame, m/s, rad/s; zero unless given.")
      .def_prop_ro(
          "X_WE", [](const FlyingReference& self) { return self.end_effector.X_WE; }, "The end-effector.")
      .def_prop_ro(
          "R_WB", [](const FlyingReference& self) { return fresh(self.base.R_WB); }, "The base's axes [3 × 3].")
      .def_prop_ro(
          "p_com", [](const FlyingReference& self) { return fresh(self.com.position); }, "Centre of mass [3], m.");
  bind_value<FlyingReference>(module.attr("FlyingReference"));
  module.def(
      "passage_at",
      [](double begin, double end, double time) {
        const PassageValue value = passage_at({begin, end}, time);
        return nb::make_tuple(value.s, value.s_dot, value.s_ddot);
      },
      "begin"_a, "end"_a, "time"_a,
      "s, ds/dt, d²s/dt² of a passage from 0 to 1 between two times, at rest at both ends: the polynomial of degree "
      "5.");
}

void bind_command(nb::module_& module) {
  bind_struct<FlyingCommand>(module, "FlyingCommand",
                             "What one cycle of control has to say. Not ok: tau is zero, the robot coasts.");
  bind_struct<FlyingGains>(module, "FlyingGains", "Stiffness and damping of the four blocks.");
}

}  // namespace

void bind_control_flying(nb::module_& module) {
  bind_references(module);
  bind_command(module);
  module.def(
      "gamma_ramp",
      [](double sigma_Gamma, const nb::kwargs& options) {
        return gamma_ramp(sigma_Gamma, options_from<GammaRampOptions>(options));
      },
      "sigma_Gamma"_a, "options"_a,
      "Scale of the tracker's feed-forward at a smallest singular value of Γ; keywords low, high, floor.");
  const std::string doc = options_doc<FlyingControlOptions>(
      "robot: a Robot or RobotModel with a free base; frame: its end-effector; q_gains: a configuration away from "
      "singularities, where the gains are taken from the inertia. j_plus, null_space, carry, gamma, actuators: dicts "
      "of "
      "options of those groups. posture [n]: what the null motion of seven joints takes up. compatibility: none, or "
      "published for every "
      "choice of GiordanoRobot at once (docs/concepts/space.md#coordinated-control says what that does worse): law "
      "tracker "
      "unless law is "
      "regulator, the three-tier inverse let go at once, Ĉ in the published form; options that contradict it are "
      "refused.");
  nb::class_<FlyingControl> control(
      module, "FlyingControl",
      "Coordinated control of a free-flying robot: base force, base torque and joint "
      "torques that bring centre of mass, attitude and end-effector to a reference "
      "(docs/concepts/space.md#coordinated-control). update() never raises for numbers: see its status.");
  const auto define = [&]<class Model>(const char* text) {
    control.def(
        "__init__",
        [](FlyingControl* self, const Model& robot, const std::string& frame, const ArrayArgument& q_gains,
           const Array& posture, const std::optional<nb::dict>& j_plus, const std::optional<nb::dict>& null_space,
           const std::optional<nb::dict>& carry, const std::optional<nb::dict>& gamma,
           const std::optional<nb::dict>& actuators, std::string_view compatibility, const nb::kwargs& options) {
          FlyingControlSetup setup;
          setup.control = options_from<FlyingControlOptions>(options);
          setup.carry = group_of<SmoothDampingOptions>(carry);
          setup.gamma = group_of<GammaRampOptions>(gamma);
          setup.base = group_of<BaseActuatorOptions>(actuators);
          FreeFlyerOptions flyer;
          flyer.j_plus = group_of<ThreeTierOptions>(j_plus);
          flyer.null_space = group_of<NullSpaceOptions>(null_space);
          constexpr const char* kPlace = "FlyingControl";
          if (parse_enum<SpaceCompatibility>(compatibility, "FlyingControl.compatibility") ==
              SpaceCompatibility::published) {
            check_dict_beside_published({}, kPlace, "flying", options);
            check_dict_beside_published({}, kPlace, "j_plus", j_plus);
            check_dict_beside_published({}, kPlace, "null_space", null_space);
            check_dict_beside_published({}, kPlace, "carry", carry);
            const FlyingScheme scheme = published_scheme({flyer, setup});
            flyer = scheme.flyer;
            setup = scheme.control;
          }
          const RobotModel& model = [&]() -> const RobotModel& {
            if constexpr (std::is_same_v<Model, Robot>) {
              return robot.model;
            } else {
              return robot;
            }
          }();
          FlyingControl made(FreeFlyer(model, frame, flyer), as_vector(q_gains, kPlace, "q_gains", model.nq()), setup);
          if (posture) require(made.set_posture(as_vector(*posture, kPlace, "posture", model.nv() - 6)), kPlace);
          new (self) FlyingControl(std::move(made));
        },
        "robot"_a, "frame"_a, "q_gains"_a, nb::kw_only(), "posture"_a = nb::none(), "j_plus"_a = nb::none(),
        "null_space"_a = nb::none(), "carry"_a = nb::none(), "gamma"_a = nb::none(), "actuators"_a = nb::none(),
        "compatibility"_a = "none", "options"_a, text);
  };
  define.operator()<Robot>(doc.c_str());
  define.operator()<RobotModel>("");
  control
      .def(
          "update",
          [](FlyingControl& self, const ArrayArgument& q, const ArrayArgument& v, const FlyingReference& reference,
             double dt) {
            return FlyingCommand(self.update(as_vector(q, "FlyingControl.update", "q"),
                                             as_vector(v, "FlyingControl.update", "v"), reference, dt));
          },
          "q"_a, "v"_a, "reference"_a, "dt"_a,
          "One cycle of dt, s: torques for q, v as Pinocchio's free flyer has them.")
      .def("reset", &FlyingControl::reset, "Begins a new motion.")
      .def("gains", [](const FlyingControl& self) { return self.gains(); }, "As they are used.");
}

}  // namespace antaeus::python
