// What all rooms share: Wrench, Pose, Observation, Status, Verdict, Sign, the estimate of a wrench, settings.
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "antaeus/core/observation.hpp"
#include "antaeus/core/pose.hpp"
#include "antaeus/core/settings.hpp"
#include "antaeus/core/wrench_estimate.hpp"
#include "convert.hpp"
#include "fields.hpp"

namespace antaeus::python {

namespace {

std::string numbers(const ConstVectorRef& vector) {
  std::string text = "[";
  for (Eigen::Index i = 0; i < vector.size(); ++i) {
    text += (i ? ", " : "") + std::string(nb::repr(nb::float_(vector[i])).c_str());
  }
  return text + "]";
}

/// A subclass of str, so that notes are printed, joined and searched as what they are: sentences.
void bind_note(nb::module_& module) {
  nb::dict members;
  members["__doc__"] =
      "A note of a result: the sentence, with what it says as data. code: its kind (\"invalid_steps\", …); severity: "
      "\"error\", \"warning\" or \"note\"; subject: file, channel or joint; values: its numbers and texts; remedy: "
      "what "
      "to do. Decide by code and values, never by the sentence.";
  members["__module__"] = "antaeus";
  nb::dict types;
  for (const char* name : {"code", "severity", "subject", "remedy"})
    types[name] = nb::borrow(reinterpret_cast<PyObject*>(&PyUnicode_Type));
  types["values"] = nb::borrow(reinterpret_cast<PyObject*>(&PyTuple_Type));
  members["__annotations__"] = types;
  module.attr("Note") = nb::borrow(reinterpret_cast<PyObject*>(&PyType_Type))(
      "Note", nb::make_tuple(nb::borrow(reinterpret_cast<PyObject*>(&PyUnicode_Type))), members);
}

/// A row of the table of reasons, as Python has it.
void bind_reasons(nb::module_& module) {
  nb::class_<ReasonInfo>(module, "ReasonInfo", "What a reason of a verdict means, and what to do about it.")
      .def_prop_ro(
          "name", [](const ReasonInfo& self) { return self.name; }, "As results name it.")
      .def_prop_ro(
          "severity", [](const ReasonInfo& self) { return to_string(self.severity); },
          "error: the estimate is refused; warning: it is degraded; note: it is as good as without.")
      .def_prop_ro(
          "meaning", [](const ReasonInfo& self) { return self.meaning; }, "One line.")
      .def_prop_ro("remedy", [](const ReasonInfo& self) { return self.remedy; }, "What to do, one line.");
  module.def(
      "reasons",
      [] {
        std::vector<ReasonInfo> all(std::begin(kReasons), std::end(kReasons));
        std::ranges::sort(all, {}, &ReasonInfo::urgency);
        return all;
      },
      "Every reason that a verdict can have, the most urgent first.");
}

void bind_wrench(nb::module_& module) {
  nb::class_<Wrench>(module, "Wrench",
                     "A force [N] and a moment [N·m] about a stated point in stated axes; whose it is stands beside it "
                     "(Sign).")
      .def(
          "__init__",
          [](Wrench* self, const std::optional<ArrayArgument>& force, const std::optional<ArrayArgument>& torque) {
            new (self) Wrench();
            if (force) self->force = as_vector(*force, "Wrench", "force", 3);
            if (torque) self->torque = as_vector(*torque, "Wrench", "torque", 3);
          },
          "force"_a = nb::none(), "torque"_a = nb::none(), "Zero where not given.")
      .def_static(
          "from_vector",
          [](const ArrayArgument& w) {
            return Wrench::from_vector(as_vector(w, "Wrench.from_vector", "w", 6).head<6>());
          },
          "w"_a, "From (Fx Fy Fz Mx My Mz).")
      .def(
          "to_vector", [](const Wrench& self) { return fresh(self.to_vector()); }, "(Fx Fy Fz Mx My Mz) [6].")
      .def_prop_rw(
          "force", frozen_field(&Wrench::force),
          [](Wrench& self, const ArrayArgument& force) { self.force = as_vector(force, "Wrench", "force", 3); },
          nb::for_getter(kOwned), "[3], N. Read-only array; assign a whole one.")
      .def_prop_rw(
          "torque", frozen_field(&Wrench::torque),
          [](Wrench& self, const ArrayArgument& torque) { self.torque = as_vector(torque, "Wrench", "torque", 3); },
          nb::for_getter(kOwned), "[3], N·m about the reference point. Read-only array; assign a whole one.")
      .def("is_finite", &Wrench::is_finite, "Whether all six numbers are finite.")
      .def(-nb::self)
      .def("__repr__", [](const Wrench& self) {
        return "Wrench(force=" + numbers(self.force) + ", torque=" + numbers(self.torque) + ")";
      });
}

void bind_frame_pose(nb::module_& module) {
  nb::class_<Pose>(module, "Pose", "The pose X_AB of a frame B in a frame A: p_A = rotation · p_B + translation.")
      .def(
          "__init__",
          [](Pose* self, const std::optional<ArrayArgument>& rotation,
             const std::optional<ArrayArgument>& translation) {
            new (self) Pose();
            if (rotation) self->rotation = as_matrix(*rotation, "Pose", "rotation", 3, 3);
            if (translation) self->translation = as_vector(*translation, "Pose", "translation", 3);
          },
          "rotation"_a = nb::none(), "translation"_a = nb::none(), "Identity where not given.")
      .def_prop_ro("rotation", frozen_field(&Pose::rotation), kOwned, "R_AB [3 × 3], orthonormal.")
      .def_prop_ro("translation", frozen_field(&Pose::translation), kOwned, "Origin of B in A [3], m.")
      .def("inverse", &Pose::inverse, "X_BA.")
      .def(nb::self * nb::self, "X_AC = X_AB * X_BC.")
      .def("__repr__", [](const Pose& self) {
        std::string rows;
        for (int i = 0; i < 3; ++i) rows += (i ? ", " : "") + numbers(self.rotation.row(i).transpose());
        return "Pose(rotation=[" + rows + "], translation=" + numbers(self.translation) + ")";
      });
}

template <VectorX Observation::* field>
void set_motor_vector(Observation& self, const ArrayArgument& values) {
  self.*field = as_vector(values, "Observation", "a motor quantity");
}

/// A channel of the IMU: an array, or None where it was not measured; `has` follows.
template <auto has, auto value>
void set_channel(Observation& self, const char* name, const std::optional<ArrayArgument>& numbers) {
  self.*has = numbers.has_value();
  self.*value = Observation().*value;
  if (numbers) self.*value = as_vector(*numbers, "Observation", name, (self.*value).size());
}
template <auto has, auto value>
nb::object get_channel(const Observation& self) {
  return self.*has ? nb::cast(frozen(self.*value)) : nb::none();
}
constexpr auto kSetQuaternion = &set_channel<&Observation::has_imu, &Observation::imu_quaternion_xyzw>;
constexpr auto kSetGyro = &set_channel<&Observation::has_gyro, &Observation::imu_angular_velocity>;
constexpr auto kSetForce = &set_channel<&Observation::has_accelerometer, &Observation::imu_specific_force>;

template <auto set>
auto setter(const char* name) {
  return [name](Observation& self, const std::optional<ArrayArgument>& numbers) { set(self, name, numbers); };
}

void bind_observation(nb::module_& module) {
  nb::class_<Observation>(
      module, "Observation",
      "What is known of the robot at one instant. Motor quantities are in motor order (RobotModel.motor_names), rad or "
      "m, N·m or N. What was not measured stays empty, or None for the IMU. Arrays read from it are read-only: assign "
      "a "
      "whole one.")
      .def(
          "__init__",
          [](Observation* self, double time, const std::optional<ArrayArgument>& q,
             const std::optional<ArrayArgument>& v, const std::optional<ArrayArgument>& a,
             const std::optional<ArrayArgument>& tau, const std::optional<ArrayArgument>& quaternion,
             const std::optional<ArrayArgument>& angular_velocity, const std::optional<ArrayArgument>& specific_force,
             bool simulated) {
            new (self) Observation();
            self->simulated = simulated;
            self->time = time;
            if (q) self->q = as_vector(*q, "Observation", "q");
            if (v) self->v = as_vector(*v, "Observation", "v");
            if (a) self->a = as_vector(*a, "Observation", "a");
            if (tau) self->tau = as_vector(*tau, "Observation", "tau");
            kSetQuaternion(*self, "imu_quaternion_xyzw", quaternion);
            kSetGyro(*self, "imu_angular_velocity", angular_velocity);
            kSetForce(*self, "imu_specific_force", specific_force);
          },
          nb::kw_only(), "time"_a = kNaN, "q"_a = nb::none(), "v"_a = nb::none(), "a"_a = nb::none(),
          "tau"_a = nb::none(), "imu_quaternion_xyzw"_a = nb::none(), "imu_angular_velocity"_a = nb::none(),
          "imu_specific_force"_a = nb::none(), "simulated"_a = false,
          "What was measured, each channel as its attribute has it. StatusError for an array of another shape.")
      .def_rw("time", &Observation::time, "[s], any origin, never going back; NaN when not known.")
      .def_prop_rw("q", frozen_field(&Observation::q), &set_motor_vector<&Observation::q>, nb::for_getter(kOwned),
                   "Motor positions [motors], rad or m.")
      .def_prop_rw("v", frozen_field(&Observation::v), &set_motor_vector<&Observation::v>, nb::for_getter(kOwned),
                   "Motor velocities [motors], rad/s or m/s; empty when not measured.")
      .def_prop_rw("a", frozen_field(&Observation::a), &set_motor_vector<&Observation::a>, nb::for_getter(kOwned),
                   "Motor accelerations [motors], rad/s² or m/s²; empty when not measured.")
      .def_prop_rw(
          "tau", frozen_field(&Observation::tau), &set_motor_vector<&Observation::tau>, nb::for_getter(kOwned),
          "Motor torques [motors], N·m or N: what the motor exerts on the joint, positive along the joint's axis.")
      .def_rw(
          "simulated", &Observation::simulated,
          "Whether a simulation made it: what was identified of a robot's torques is not in its own, and the profile's "
          "figures count (unless the noise was identified in simulation).")
      .def_ro("has_imu", &Observation::has_imu, "Whether there is a quaternion.")
      .def_ro("has_gyro", &Observation::has_gyro, "Whether the angular velocity was measured.")
      .def_ro("has_accelerometer", &Observation::has_accelerometer, "Whether the specific force was measured.")
      .def_prop_rw("imu_quaternion_xyzw", &get_channel<&Observation::has_imu, &Observation::imu_quaternion_xyzw>,
                   setter<kSetQuaternion>("imu_quaternion_xyzw"), nb::for_setter(nb::arg("numbers").none()),
                   "Orientation of the sensor's frame in the world, x y z w (MuJoCo has w x y z); None without an IMU.")
      .def_prop_rw("imu_angular_velocity", &get_channel<&Observation::has_gyro, &Observation::imu_angular_velocity>,
                   setter<kSetGyro>("imu_angular_velocity"), nb::for_setter(nb::arg("numbers").none()),
                   "[3] of the sensor against the world, in the sensor's axes, rad/s; None without a gyro.")
      .def_prop_rw("imu_specific_force",
                   &get_channel<&Observation::has_accelerometer, &Observation::imu_specific_force>,
                   setter<kSetForce>("imu_specific_force"), nb::for_setter(nb::arg("numbers").none()),
                   "[3], a − g at the sensor, in its axes, m/s²: +9.81 along the axis that points up, at rest; None "
                   "without an accelerometer.");
}

void bind_wrench_estimate(nb::module_& module) {
  bind_enumeration<ResidualKind>(
      module,
      "Which torque residual an estimate rests on. static: τ − g(q), right only for a robot at "
      "rest. inverse_dynamics: τ − (M a + C v + g). momentum_observer: what changes the "
      "momentum beyond τ, C and g.");
  nb::class_<ConsistencyTest> test(
      module, "ConsistencyTest",
      "A sum of squares that is χ² with dof degrees of freedom while all is as assumed, and the "
      "limit that it then exceeds with the probability posterior.false_alarm.");
  bind_fields(test).def("passes", &ConsistencyTest::passes, "value ≤ limit.");
  nb::class_<Uncertainty> uncertainty(module, "Uncertainty", "What a posterior says of its own doubt, in world axes.");
  bind_fields(uncertainty)
      .def("worst_sd", &Uncertainty::worst_sd, "N")
      .def(
          "worst_direction", [](const Uncertainty& self) { return fresh(self.worst_direction()); }, "[3], unit.")
      .def("consistent", &Uncertainty::consistent, "misfit.passes() and reference.passes().");

  nb::class_<WrenchEstimate> estimate(
      module, "WrenchEstimate",
      "A wrench at an endpoint's origin in world axes, and what is known of it. All numbers are NaN on invalid_input. "
      "Plain data of its own: later calls do not change it.");
  bind_fields(estimate)
      .def("__len__", [](const WrenchEstimate&) { return 6; })
      .def(
          "__getitem__",
          [](const WrenchEstimate& self, nb::handle index) {
            return nb::cast(fresh(self.wrench.to_vector())).attr("__getitem__")(index);
          },
          "index"_a, "Of (Fx Fy Fz Mx My Mz), as from the array that deployed code returns.")
      .def(
          "__array__",
          [](const WrenchEstimate& self, nb::handle dtype, nb::handle) {
            nb::object array = nb::cast(fresh(self.wrench.to_vector()));
            return dtype.is_none() ? array : array.attr("astype")(dtype);
          },
          "dtype"_a = nb::none(), "copy"_a = nb::none(), "(Fx Fy Fz Mx My Mz) for NumPy.")
      .def("__repr__", [](const WrenchEstimate& self) {
        return "WrenchEstimate(" + std::string(to_string(self.verdict)) + ", " + std::string(to_string(self.sign)) +
               ", " + nb::repr(nb::cast(self.wrench)).c_str() + ")";
      });
}

void bind_settings(nb::module_& module) {
  nb::class_<Setting> setting(module, "Setting", "One option as a user set it.");
  bind_fields(setting).def("__repr__", [](const Setting& self) {
    return "Setting(" + self.group + "." + self.name + "=" + self.value + ", " + self.place + ")";
  });
  nb::class_<OptionValue> option(module, "OptionValue", "One option with the value that a result was computed with.");
  bind_fields(option).def("__repr__", [](const OptionValue& self) {
    return "OptionValue(" + self.group + "." + self.info.name + "=" + self.value + ")";
  });
  nb::class_<Settings>(module, "Settings",
                       "Options that users wrote in a profile's [options] or set since; the last one of an option "
                       "counts. GuardedEstimator starts from them.")
      .def(nb::init<>(), "None.")
      .def(
          "set",
          [](Settings& self, std::string_view assignment, const std::string& place) { self.set(assignment, place); },
          "assignment"_a, "place"_a = "settings",
          "\"group.option=value\", as the command line's --set has it. OptionsError with the nearest name.")
      .def("all", &Settings::all, "Every Setting, in the order in which they were made.")
      .def("notes", &Settings::notes, "One Note per Setting in a spelling of the previous release.");
}

}  // namespace

void bind_core(nb::module_& module) {
  bind_note(module);
  bind_reasons(module);
  bind_enumeration<Status>(module, "Outcome of a loop function: ok, or why its numbers are NaN.");
  bind_enumeration<Verdict>(module, "How far a number may be used, from best to worst.");
  bind_enumeration<Sign>(module,
                         "Who exerts a wrench on whom. on_robot: the environment on the robot, M v̇ + h = Sᵀτ + Σ Jᵀ w. "
                         "on_environment: the robot on the environment, the negative; what pinv(Jᵀ)(τ − g) returns.");
  bind_enumeration<WrenchRow>(module, "Rows of a wrench and of pinv(Jᵀ), in storage order.");
  bind_wrench(module);
  bind_frame_pose(module);
  bind_observation(module);
  bind_wrench_estimate(module);
  bind_settings(module);
  bind_value<Wrench>(module.attr("Wrench"));
  bind_value<Pose>(module.attr("Pose"));
  bind_value<Observation>(module.attr("Observation"));
  bind_value<Settings>(module.attr("Settings"));
}

}  // namespace antaeus::python
