// Robots: description, model, profile.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>

#include "antaeus/core/messages.hpp"
#include "antaeus/robot/files/profile_writer.hpp"
#include "antaeus/robot/limbs.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/robot/point_jacobian.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "antaeus/sim/mujoco_robot.hpp"
#include "convert.hpp"
#include "fields.hpp"
#include "shared_enumerations.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::MeshPolicy> : EnumerationCaster<antaeus::MeshPolicy, "antaeus.MeshPolicy"> {};
template <>
struct type_caster<antaeus::TorqueSource> : EnumerationCaster<antaeus::TorqueSource, "antaeus.TorqueSource"> {};
template <>
struct type_caster<antaeus::NoiseOrigin> : EnumerationCaster<antaeus::NoiseOrigin, "antaeus.NoiseOrigin"> {};
template <>
struct type_caster<antaeus::FrictionUse> : EnumerationCaster<antaeus::FrictionUse, "antaeus.FrictionUse"> {};
template <>
struct type_caster<antaeus::DeployedImu> : EnumerationCaster<antaeus::DeployedImu, "antaeus.DeployedImu"> {};
template <>
struct type_caster<antaeus::QuaternionOrder> : EnumerationCaster<antaeus::QuaternionOrder, "antaeus.QuaternionOrder"> {
};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

void bind_description(nb::module_& module) {
  bind_enumeration<MeshPolicy>(module, "Whether a mesh that a description names must exist. Dynamics do not need it.");
  bind_enumeration<JointType>(module,
                              "What a joint allows; continuous: revolute without limits; floating: six degrees of "
                              "freedom; planar: three.");
  nb::class_<Inertial> inertial(module, "Inertial", "Mass, centre of mass and rotational inertia of one link.");
  inertial.def(
      "__init__",
      [](Inertial* self, double mass, const ArrayArgument& center_of_mass, const ArrayArgument& inertia) {
        new (self) Inertial{mass, as_vector(center_of_mass, "Inertial", "center_of_mass", 3),
                            as_matrix(inertia, "Inertial", "inertia", 3, 3)};
      },
      "mass"_a, "center_of_mass"_a, "inertia"_a,
      "mass, kg; center_of_mass [3], m; inertia [3 × 3] about it, kg·m². StatusError for another shape.");
  bind_fields(inertial);
  bind_struct<LinkDescription>(module, "LinkDescription", "A link as its file describes it.");
  bind_struct<JointDescription>(module, "JointDescription", "A joint as its file describes it.");
  bind_struct<RobotDescription>(module, "RobotDescription", "A robot as its file describes it: a plain tree.");
  module.def(
      "read_urdf",
      [](const std::filesystem::path& file, std::string_view meshes) {
        return read_urdf(file, parse_enum<MeshPolicy>(meshes, "read_urdf.meshes"));
      },
      "file"_a, "meshes"_a = "ignored",
      "Reads a URDF file. A moving link without inertia, an inertia that no body can have, a mesh that is not there "
      "(unless meshes='ignored'), two parents, a loop or a repeated name raise ModelError with the line.");
}

void bind_model_options(nb::module_& module) {
  bind_enumeration<Base>(
      module,
      "What the root link may do. free_flyer: q = (x y z, quaternion x y z w), v = (linear, angular) "
      "in base axes, before all joints. fixed: bolted to the world.");
  nb::class_<Payload> payload(module, "Payload", "A rigid load that the description does not know.");
  payload.def(
      "__init__",
      [](Payload* self, std::string frame, const Inertial& inertial, std::string name) {
        new (self) Payload{std::move(frame), inertial, std::move(name)};
      },
      "frame"_a, "inertial"_a, "name"_a = "",
      "frame: the link or joint frame that carries it; load_robot and with_payload raise ModelError for one that does "
      "not "
      "exist.");
  bind_fields(payload);
  nb::class_<ModelOptions> model_options(module, "ModelOptions", "How a description becomes a model.");
  model_options.def(
      "__init__",
      [](ModelOptions* self, std::string_view base, const ArrayArgument& gravity, std::vector<Payload> payloads,
         std::map<std::string, double> armature, std::map<std::string, double> locked_joints,
         std::vector<std::string> motors) {
        new (self) ModelOptions{parse_enum<Base>(base, "ModelOptions.base"),
                                as_vector(gravity, "ModelOptions", "gravity", 3),
                                std::move(payloads),
                                std::move(armature),
                                std::move(locked_joints),
                                std::move(motors)};
      },
      nb::kw_only(), "base"_a = "free_flyer", "gravity"_a = nb::make_tuple(0.0, 0.0, -9.81), "payloads"_a = nb::list(),
      "armature"_a = nb::dict(), "locked_joints"_a = nb::dict(), "motors"_a = nb::list(),
      "Each as its attribute has it. OptionsError for an unknown base, StatusError for a gravity that is no [3].");
  bind_fields(model_options);
  bind_struct<FrameId>(module, "FrameId", "Handle of a frame of one model: a link, a joint or a fixed frame.");
}

auto point_jacobian_at(const RobotModel& model, const ArrayArgument& q, std::string_view frame,
                       const ArrayArgument& point, bool local) {
  constexpr const char* kPlace = "point_jacobian";
  return fresh(point_jacobian(model, as_vector(q, kPlace, "q", model.nq()), frame,
                              Vector3(as_vector(point, kPlace, "point", 3)), local ? PointIn::frame : PointIn::world));
}
constexpr const char* kPointJacobian =
    "J [6 × nv] at q [nq] of a point fixed in a frame: velocity of the point, then angular velocity, in world axes. "
    "point [3], m: in the world, as MuJoCo's mj_jac takes it; local: in the frame's axes, from its origin. ModelError "
    "with the nearest frame. In a loop: PositionTerms.point_jacobian.";

void bind_robot_model(nb::module_& module) {
  nb::class_<RobotModel>(
      module, "RobotModel",
      "A robot that does not change; a cheap handle on shared data. nq ≥ nv: a free flyer takes 7 of q and 6 of v, a "
      "continuous joint (cos, sin) of q and 1 of v.")
      .def(nb::init<const RobotDescription&, const ModelOptions&>(), "description"_a, "options"_a = ModelOptions(),
           "ModelError for an unknown joint or frame (with the nearest name) or a massless moving body.")
      .def("nq", &RobotModel::nq, "Size of a configuration q.")
      .def("nv", &RobotModel::nv, "Size of a velocity v, and of all torques.")
      .def("base", &RobotModel::base, "What the root link may do.")
      .def("motor_count", &RobotModel::motor_count, "Size of the vectors in motor order.")
      .def("total_mass", &RobotModel::total_mass, "kg, payloads included.")
      .def(
          "gravity", [](const RobotModel& self) { return fresh(self.gravity()); }, "[3], m/s², world axes.")
      .def("description", &RobotModel::description, nb::rv_policy::reference_internal, "What it was made of.")
      .def("options", &RobotModel::options, nb::rv_policy::reference_internal, "How it was made.")
      .def("motor_names", &RobotModel::motor_names, "Joints in motor order.")
      .def("motor", &RobotModel::motor, "joint"_a, "Index of a motor; ModelError with the nearest name.")
      .def("motor_rows", &RobotModel::motor_rows, "Row of v, tau and g that belongs to each motor.")
      .def(
          "lower_limits", [](const RobotModel& self) { return fresh(self.lower_limits()); },
          "[motors] rad or m; infinite where there is none.")
      .def(
          "upper_limits", [](const RobotModel& self) { return fresh(self.upper_limits()); },
          "[motors] rad or m; infinite where there is none.")
      .def(
          "effort_limits", [](const RobotModel& self) { return fresh(self.effort_limits()); }, "[motors] N·m or N.")
      .def(
          "velocity_limits", [](const RobotModel& self) { return fresh(self.velocity_limits()); },
          "[motors] rad/s or m/s.")
      .def("frame", &RobotModel::frame, "name"_a, "Handle of a frame; ModelError with the nearest name.")
      .def("has_frame", &RobotModel::has_frame, "name"_a,
           "Whether there is a frame of that name; frame() raises ModelError for one that does not exist.")
      .def("frame_name", &RobotModel::frame_name, "frame"_a, "Of a handle.")
      .def("frame_names", &RobotModel::frame_names, "Links, joints and fixed frames.")
      .def("supporting_motors", &RobotModel::supporting_motors, "frame"_a,
           "Motors between the root and the frame: the only columns of its Jacobian that are not zero.")
      .def("point_jacobian", &point_jacobian_at, "q"_a, "frame"_a, "point"_a, "local"_a = false, kPointJacobian)
      .def(
          "neutral", [](const RobotModel& self) { return fresh(self.neutral()); },
          "The configuration [nq] with every joint at zero and the base at the origin.")
      .def(
          "position_from_motors",
          [](const RobotModel& self, const ArrayArgument& q_motor, const ArrayArgument& quaternion_xyzw) {
            constexpr const char* kPlace = "RobotModel.position_from_motors";
            VectorX q(self.nq());
            require(self.position_from_motors(as_vector(q_motor, kPlace, "q_motor", self.motor_count()),
                                              as_vector(quaternion_xyzw, kPlace, "quaternion_xyzw", 4), q),
                    kPlace);
            return fresh(q);
          },
          "q_motor"_a, "quaternion_xyzw"_a,
          "q [nq] from motor positions: base at the world's origin with that orientation (ignored for a fixed base), "
          "joints without a motor at neutral.")
      .def(
          "select_motor_rows",
          [](const RobotModel& self, const ArrayArgument& full) {
            constexpr const char* kPlace = "RobotModel.select_motor_rows";
            VectorX motor(self.motor_count());
            require(self.select_motor_rows(as_vector(full, kPlace, "full", self.nv()), motor), kPlace);
            return fresh(motor);
          },
          "full"_a, "The motors' rows [motors] of a vector [nv].")
      .def(
          "integrate",
          [](const RobotModel& self, const ArrayArgument& q, const ArrayArgument& v) {
            constexpr const char* kPlace = "RobotModel.integrate";
            VectorX result(self.nq());
            require(self.integrate(as_vector(q, kPlace, "q", self.nq()), as_vector(v, kPlace, "v", self.nv()), result),
                    kPlace);
            return fresh(result);
          },
          "q"_a, "v"_a, "q ⊕ v [nq]: reached from q by moving with v for one unit of time.")
      .def(
          "difference",
          [](const RobotModel& self, const ArrayArgument& q0, const ArrayArgument& q1) {
            constexpr const char* kPlace = "RobotModel.difference";
            VectorX result(self.nv());
            require(
                self.difference(as_vector(q0, kPlace, "q0", self.nq()), as_vector(q1, kPlace, "q1", self.nq()), result),
                kPlace);
            return fresh(result);
          },
          "q0"_a, "q1"_a, "q1 ⊖ q0 [nv]: the velocity that leads from q0 to q1 in one unit of time.");
}

void bind_profile_parts(nb::module_& module) {
  bind_enumeration<EndpointKind>(
      module,
      "The role of an endpoint. A foot stands on the ground; hands and tools touch what they "
      "are made to touch.");
  bind_enumeration<DeployedImu>(
      module, "What the deployed code feeds the IMU's quaternion to. none, an empty text: the profile does not say.");
  bind_enumeration<QuaternionOrder>(module, "Order of a quaternion's four numbers.");
  bind_enumeration<FigureSource>(module,
                                 "Where a joint's figure comes from: the profile, its effort limit, or nothing.");
  bind_enumeration<TorqueSource>(module, "Where the torque is measured: at the motor's side, or at the joint.");
  bind_enumeration<FrictionUse>(module,
                                "What the friction figures are good for. bound: they only widen the covariance. "
                                "identified: they are taken out of the torque.");
  bind_enumeration<BaseSource>(module,
                               "Who decided what the base is. caller: the program. option: the user who loads the "
                               "robot. profile: its key base. limbs: their number; one limb is fixed, several float.");
  bind_struct<JointGroup>(module, "JointGroup", "Joints that belong together: a leg, an arm.");
  bind_struct<Endpoint>(module, "Endpoint", "A frame at which contact forces are asked for.");
  bind_struct<NamedPose>(module, "NamedPose", "A configuration with a name; joints that are not named are at zero.");
  bind_struct<ImuMount>(module, "ImuMount", "Where the inertial sensor sits, and what the deployed code takes it for.");
  bind_struct<ChannelMap>(module, "ChannelMap",
                          "How a log's channels become the robot's: [channels] of its profile. Lists have one number a "
                          "motor, or none. load_episode applies it.");
  bind_struct<JointFigures>(module, "JointFigures", "Noise, friction and torque channel of one joint.");
  bind_struct<PreflightFigures>(module, "PreflightFigures", "Limits of the published pre-flight checks.");
}

void bind_noise(nb::module_& module) {
  bind_enumeration<NoiseOrigin>(
      module,
      "What the robot did while its noise was identified. moving: an arm that moved, residual "
      "τ − rnea. held_pose: it held its endpoints in a pose, residual τ − g.");
  bind_struct<NoiseModel>(module, "NoiseModel",
                          "Identified errors of a robot's torques. Arrays in motor order, empty where there is no such "
                          "term.");
}

void bind_profile(nb::module_& module) {
  nb::class_<RobotProfile> robot_profile(
      module, "RobotProfile",
      "What a robot's description does not say and its users must know (docs/reference/profile.md).");
  robot_profile
      .def("pose", &RobotProfile::pose, "name"_a, nb::rv_policy::reference_internal,
           "ModelError with the nearest name.")
      .def("endpoint", &RobotProfile::endpoint, "frame_or_label"_a, nb::rv_policy::reference_internal,
           "ModelError with the nearest name.")
      .def("find_group", &RobotProfile::find_group, "name"_a, nb::rv_policy::reference_internal,
           "The JointGroup of that name; None where there is none: no ModelError.");
  bind_fields(robot_profile)
      .def_prop_ro(
          "noise",
          [](const RobotProfile& self) { return self.noise ? std::optional<NoiseModel>(*self.noise) : std::nullopt; },
          "Identified errors of the torques; None where they were not identified.");
  nb::class_<Robot> robot(module, "Robot", "A model and its profile, checked against each other.");
  robot
      .def(
          "__init__",
          [](Robot* self, const RobotProfile& profile, const RobotModel& model) { new (self) Robot{profile, model}; },
          "profile"_a, "model"_a, "A profile with a model of other options; load_robot makes the usual one.")
      .def(
          "pose", [](const Robot& self, std::string_view name) { return fresh(self.pose(name)); }, "name"_a,
          "Motor positions [motors] of a named pose, rad or m; ModelError with the nearest name.")
      .def(
          "endpoint_frames",
          [](const Robot& self, const std::vector<std::string>& wanted) { return self.endpoint_frames(wanted); },
          "wanted"_a = nb::list(), "Frames of endpoints named by frame or label; the profile's own for an empty list.")
      .def(
          "point_jacobian",
          [](const Robot& self, const ArrayArgument& q, std::string_view frame, const ArrayArgument& point,
             bool local) { return point_jacobian_at(self.model, q, frame, point, local); },
          "q"_a, "frame"_a, "point"_a, "local"_a = false, kPointJacobian)
      .def("reference_motor", &Robot::reference_motor, "Index of the reference joint's motor, −1 without one.");
  bind_fields(robot);
  module.def("write_profile", &write_profile, "robot"_a, "folder"_a,
             "Writes FOLDER/profile.toml, a whole profile, with an identified noise too, that load_robot "
             "takes. Error where the folder cannot be written.");
  module.def(
      "load_robot",
      [](const std::filesystem::path& name_or_path, std::string_view meshes, const std::optional<std::string>& base,
         const std::vector<Payload>& payloads) {
        std::optional<Base> chosen;
        if (base) chosen = parse_base(*base, "load_robot.base");
        Robot loaded =
            load_any_robot(name_or_path.string(), parse_enum<MeshPolicy>(meshes, "load_robot.meshes"), chosen);
        for (const Payload& payload : payloads) loaded = with_payload(loaded, payload, "load_robot.payloads");
        return loaded;
      },
      "name_or_path"_a, "meshes"_a = "ignored", "base"_a = nb::none(), "payloads"_a = nb::list(),
      "A robot from a profile (.toml), a description (.urdf), an MJCF (.xml, read by MuJoCo), or the name of one that "
      "comes with Antaeus. base: "
      "'fixed' "
      "or 'floating'; unless given as the profile says, else fixed for a robot of one limb, floating for one of "
      "several. "
      "payloads: loads that the description does not hold. ModelError with the nearest name.");
  module.def(
      "with_payload", [](const Robot& self, const Payload& payload) { return with_payload(self, payload); }, "robot"_a,
      "payload"_a,
      "The robot with one more load, which joins the link that carries its frame. ModelError for an unknown frame "
      "(with "
      "the nearest name), a negative mass, or an inertia that no body has.");
  module.def("payloads_text", &payloads_text, "payloads"_a, "Loads for people; empty without any.");
  module.def(
      "base_text", [](const Robot& self) { return spelled(base_text(self), FrontEnd::python); }, "robot"_a,
      "What the base is and who decided it.");
  module.def("limb_count", &limb_count, "description"_a,
             "Legs and arms: branches of three movable joints or more that leave the body within three of the root.");
  module.def("robot_names", &robot_names, "Names of the robots that come with Antaeus.");
  module.def("robots_folder", &robots_folder, "Folder that holds them.");
}

}  // namespace

void bind_robot(nb::module_& module) {
  bind_description(module);
  bind_model_options(module);
  bind_robot_model(module);
  bind_profile_parts(module);
  bind_noise(module);
  bind_profile(module);
  bind_dynamics(module);
}

}  // namespace antaeus::python
