// Dynamics and PositionTerms: outputs become return values, a status other than ok becomes a StatusError. And the
// instant of a loop, which never raises: it carries its status.
#include "antaeus/robot/dynamics.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "antaeus/robot/instant.hpp"
#include "antaeus/robot/point_jacobian.hpp"
#include "antaeus/robot/wrench_estimates.hpp"
#include "convert.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::ImuUse> : EnumerationCaster<antaeus::ImuUse, "antaeus.ImuUse"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

/// PositionTerms with the model beside it: the model knows the sizes and the frames' names.
struct Terms {
  PositionTerms terms;
  RobotModel model;
};

/// A matrix or vector that a loop function fills, if its status is ok.
template <class Matrix, class Fill>
auto filled(const char* place, Matrix matrix, Fill fill) {
  require(fill(matrix), place);
  return fresh(matrix);
}

/// Arguments in the order of C++, each checked against the model by name.
struct Arguments {
  const char* place;
  const RobotModel& model;
  auto q(const ArrayArgument& argument) const { return as_vector(argument, place, "q", model.nq()); }
  auto tangent(const ArrayArgument& argument, const char* name) const {
    return as_vector(argument, place, name, model.nv());
  }
};

Pose frame_pose(const Terms& self, FrameId frame) {
  Pose X_WF;
  require(self.terms.frame_pose(frame, X_WF), "PositionTerms.frame_pose");
  return X_WF;
}

auto frame_jacobian(const Terms& self, FrameId frame) {
  return filled("PositionTerms.frame_jacobian", Matrix6X(6, self.model.nv()),
                [&](Matrix6X& J) { return self.terms.frame_jacobian(frame, J); });
}

auto point_jacobian_of(const Terms& self, FrameId frame, const ArrayArgument& point, bool local) {
  constexpr const char* kPlace = "PositionTerms.point_jacobian";
  const Vector3 p = as_vector(point, kPlace, "point", 3);
  return filled(kPlace, Matrix6X(6, self.model.nv()), [&](Matrix6X& J) {
    return point_jacobian(self.terms, frame, p, local ? PointIn::frame : PointIn::world, J);
  });
}

void bind_position_terms(nb::module_& module) {
  nb::class_<Terms>(
      module, "PositionTerms",
      "What depends on q alone, computed once by Dynamics.at. Valid until the next call of any function of the same "
      "Dynamics; then its functions raise StatusError (not_computed). A frame is a FrameId or a frame's name.")
      .def(
          "status", [](const Terms& self) { return self.terms.status(); }, "What Dynamics.at found; ok.")
      .def(
          "gravity_torque",
          [](const Terms& self, const std::optional<ArrayArgument>& free_fall) {
            constexpr const char* kPlace = "PositionTerms.gravity_torque";
            return filled(kPlace, VectorX(self.model.nv()), [&](VectorX& g) {
              if (!free_fall) return self.terms.gravity_torque(g);
              return self.terms.gravity_torque(Vector3(as_vector(*free_fall, kPlace, "free_fall", 3)), g);
            });
          },
          "free_fall"_a = nb::none(),
          "g(q) [nv]: the generalised torque that holds the robot still against gravity, or against another "
          "acceleration "
          "of free fall [3], m/s², world axes.")
      .def(
          "inverse_dynamics",
          [](const Terms& self, const ArrayArgument& v, const ArrayArgument& a) {
            const Arguments read{"PositionTerms.inverse_dynamics", self.model};
            return filled(read.place, VectorX(self.model.nv()), [&](VectorX& tau) {
              return self.terms.inverse_dynamics(read.tangent(v, "v"), read.tangent(a, "a"), tau);
            });
          },
          "v"_a, "a"_a, "τ = M a + C v + g [nv] at this q.")
      .def("frame_pose", &frame_pose, "frame"_a, "X_WF: pose of the frame in the world.")
      .def(
          "frame_pose",
          [](const Terms& self, std::string_view frame) { return frame_pose(self, self.model.frame(frame)); },
          "frame"_a)
      .def("frame_jacobian", &frame_jacobian, "frame"_a,
           "J_WF_W [6 × nv]: velocity of the frame's origin, in world axes (Pinocchio: LOCAL_WORLD_ALIGNED), linear "
           "rows first. Columns that do not move the frame are exactly zero.")
      .def(
          "frame_jacobian",
          [](const Terms& self, std::string_view frame) { return frame_jacobian(self, self.model.frame(frame)); },
          "frame"_a)
      .def(
          "point_jacobian", &point_jacobian_of, "frame"_a, "point"_a, "local"_a = false,
          "J_WP_W [6 × nv]: velocity of a point fixed in the frame, in world axes, linear rows first. point [3], m: in "
          "the world, as MuJoCo's mj_jac takes it; local: in the frame's axes, from its origin.")
      .def(
          "point_jacobian",
          [](const Terms& self, std::string_view frame, const ArrayArgument& point, bool local) {
            return point_jacobian_of(self, self.model.frame(frame), point, local);
          },
          "frame"_a, "point"_a, "local"_a = false)
      .def(
          "center_of_mass",
          [](const Terms& self) {
            return filled("PositionTerms.center_of_mass", Vector3(),
                          [&](Vector3& p) { return self.terms.center_of_mass(p); });
          },
          "p_WC [3]: centre of mass in the world, m.");
}

void bind_workspace(nb::module_& module) {
  nb::class_<Dynamics>(
      module, "Dynamics",
      "Rigid-body dynamics of one RobotModel: the workspace, one per thread. M v̇ + C v + g = τ + Σ Jᵀ w, w the wrench "
      "of "
      "the environment on the robot. Arguments of a wrong shape, NaN, or a quaternion off unit length by more than "
      "1e-3 "
      "raise StatusError.")
      .def(nb::init<RobotModel>(), "model"_a)
      .def(
          "model", [](const Dynamics& self) { return self.model(); }, "The model; a cheap handle.")
      .def(
          "at",
          [](Dynamics& self, const ArrayArgument& q) {
            const PositionTerms terms = self.at(Arguments{"Dynamics.at", self.model()}.q(q));
            require(terms.status(), "Dynamics.at");
            return Terms{terms, self.model()};
          },
          "q"_a, nb::keep_alive<0, 1>(), "Forward kinematics and joint Jacobians at q [nq].")
      .def(
          "inverse_dynamics",
          [](Dynamics& self, const ArrayArgument& q, const ArrayArgument& v, const ArrayArgument& a) {
            const Arguments read{"Dynamics.inverse_dynamics", self.model()};
            return filled(read.place, VectorX(self.model().nv()), [&](VectorX& tau) {
              return self.inverse_dynamics(read.q(q), read.tangent(v, "v"), read.tangent(a, "a"), tau);
            });
          },
          "q"_a, "v"_a, "a"_a, "τ = M a + C v + g [nv]. Recursive Newton–Euler.")
      .def(
          "forward_dynamics",
          [](Dynamics& self, const ArrayArgument& q, const ArrayArgument& v, const ArrayArgument& tau) {
            const Arguments read{"Dynamics.forward_dynamics", self.model()};
            return filled(read.place, VectorX(self.model().nv()), [&](VectorX& a) {
              return self.forward_dynamics(read.q(q), read.tangent(v, "v"), read.tangent(tau, "tau"), a);
            });
          },
          "q"_a, "v"_a, "tau"_a, "a = M⁻¹ (τ − C v − g) [nv]. Articulated-body algorithm.")
      .def(
          "nonlinear_effects",
          [](Dynamics& self, const ArrayArgument& q, const ArrayArgument& v) {
            const Arguments read{"Dynamics.nonlinear_effects", self.model()};
            return filled(read.place, VectorX(self.model().nv()),
                          [&](VectorX& h) { return self.nonlinear_effects(read.q(q), read.tangent(v, "v"), h); });
          },
          "q"_a, "v"_a, "C v + g [nv].")
      .def(
          "mass_matrix",
          [](Dynamics& self, const ArrayArgument& q) {
            const Arguments read{"Dynamics.mass_matrix", self.model()};
            return filled(read.place, MatrixX(self.model().nv(), self.model().nv()),
                          [&](MatrixX& M) { return self.mass_matrix(read.q(q), M); });
          },
          "q"_a, "M [nv × nv], armature included, both triangles. Composite rigid bodies.")
      .def(
          "coriolis_matrix",
          [](Dynamics& self, const ArrayArgument& q, const ArrayArgument& v) {
            const Arguments read{"Dynamics.coriolis_matrix", self.model()};
            return filled(read.place, MatrixX(self.model().nv(), self.model().nv()),
                          [&](MatrixX& C) { return self.coriolis_matrix(read.q(q), read.tangent(v, "v"), C); });
          },
          "q"_a, "v"_a, "C [nv × nv] with Ṁ = C + Cᵀ.");
}

int index_in(const Instant& now, int endpoint) { return endpoint_index(endpoint, now.endpoint_count()); }

void bind_instant(nb::module_& module) {
  nb::class_<Instant>(
      module, "Instant",
      "The robot at the time of one observation: joint torques, gravity, and Jacobian and pose of each endpoint. A "
      "handle on the memory of its reader, which lives as long as it does. Once the reader has read another "
      "observation the handle is stale: its status is not_computed and every number NaN. With w on the robot, "
      "M v̇ + C v + g = τ + Σ Jᵀ w: at rest τ − g(q) = −Σ Jᵀ w.")
      .def("status", &Instant::status, "ok, or why positions, torques or orientation could not be used.")
      .def("motion_status", &Instant::motion_status,
           "The same for optional channels: velocities, accelerations, gyro, accelerometer.")
      .def(
          "observation", [](const Instant& self) { return Observation(self.observation()); },
          "What was read. A channel of the wrong size is full of NaN.")
      .def("motor_count", &Instant::motor_count, "Motors of the robot.")
      .def("endpoint_count", &Instant::endpoint_count, "Endpoints of the reader.")
      .def("reference_motor", &Instant::reference_motor, "That the profile names; −1 without one.")
      .def("used_imu", &Instant::used_imu,
           "Whether the base's orientation came from an IMU; otherwise it is the identity.")
      .def(
          "torque", [](const Instant& self) { return fresh(self.torque()); },
          "Joint torques [motors]: the channels through the profile's sign, gear, scale and offset, N·m.")
      .def(
          "gravity_torque", [](const Instant& self) { return fresh(self.gravity_torque()); }, "g(q) [motors], N·m.")
      .def(
          "static_residual", [](const Instant& self) { return fresh(self.static_residual()); },
          "τ − g(q) [motors], N·m.")
      .def(
          "base_residual", [](const Instant& self) { return fresh(self.base_residual()); },
          "[6] −g(q) of the six base rows (force, moment; base axes), N, N·m; NaN for a fixed base.")
      .def(
          "jacobian", [](const Instant& self, int endpoint) { return fresh(self.jacobian(index_in(self, endpoint))); },
          "endpoint"_a, "Motor columns of J [6 × motors]: frame origin, world axes, linear rows first.")
      .def(
          "base_jacobian",
          [](const Instant& self, int endpoint) { return fresh(self.base_jacobian(index_in(self, endpoint))); },
          "endpoint"_a, "Base columns of J [6 × 6]; NaN for a fixed base.")
      .def(
          "pose", [](const Instant& self, int endpoint) { return Pose(self.pose(index_in(self, endpoint))); },
          "endpoint"_a, "X_WE, the base at the world's origin.")
      .def(
          "base_rotation", [](const Instant& self) { return fresh(self.base_rotation()); },
          "R_WB [3 × 3]: the base's axes in the world; the identity when not known.")
      .def(
          "base_q", [](const Instant& self) { return fresh(self.base_q()); },
          "q [nq] with the base at the identity: base axes are the world's.");
}

void bind_instant_reader(nb::module_& module) {
  bind_enumeration<ImuUse>(module,
                           "What the base's orientation is taken from. mounted: the IMU's quaternion, carried from the "
                           "sensor's frame to the base. as_base: used as the base's, wherever the sensor sits (as "
                           "deployed on the H1-2). none: the identity.");
  const std::string signature = options_signature<InstantOptions>(
      "def __init__(self, robot: Robot, endpoints: collections.abc.Sequence[str]", ") -> None");
  const std::string doc = options_doc<InstantOptions>(
      "Endpoints by frame name; ModelError with the nearest name, OptionsError for an unknown option.");
  nb::class_<InstantReader>(module, "InstantReader",
                            "Reads observations of one robot, each once, for all that is computed from it.")
      .def(
          "__init__",
          [](InstantReader* self, const Robot& robot, const std::vector<std::string>& endpoints,
             const nb::kwargs& options) {
            new (self) InstantReader(robot, endpoints, options_from<InstantOptions>(options));
          },
          "robot"_a, "endpoints"_a, "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def(
          "at", [](InstantReader& self, const Observation& observation) { return Instant(self.at(observation)); },
          "observation"_a, "Reads an observation; every Instant handed out before is stale from now on. Never raises.")
      .def(
          "instant", [](const InstantReader& self) { return Instant(self.instant()); },
          "Of the last call; not_computed before the first.")
      .def(
          "model", [](const InstantReader& self) { return self.model(); }, "The model; a cheap handle.")
      .def("profile", &InstantReader::profile, nb::rv_policy::reference_internal, "Of the robot.")
      .def("endpoint_names", &InstantReader::endpoint_names, "Frames of the endpoints, in order.")
      .def("endpoint_count", &InstantReader::endpoint_count, "How many there are.")
      .def(
          "frame",
          [](const InstantReader& self, int endpoint) {
            return self.frame(endpoint_index(endpoint, self.endpoint_count()));
          },
          "endpoint"_a, "Handle of an endpoint's frame; IndexError where there is no such endpoint.")
      .def("reference_motor", &InstantReader::reference_motor, "That the profile names; −1 without one.");
}

void bind_wrench_estimates(nb::module_& module) {
  using Estimates = std::vector<WrenchEstimate>;
  nb::class_<WrenchEstimates>(module, "WrenchEstimates",
                              "One WrenchEstimate an endpoint, in the instant's order, and the instant that they are "
                              "of. A sequence. Numbers are data of their own: only `instant` grows stale.")
      .def_prop_ro("instant", copied_field(&WrenchEstimates::instant), "The moment that was estimated.")
      .def_ro("moving", &WrenchEstimates::moving, "Motion was seen, or cannot be excluded.")
      .def_ro("endpoints", &WrenchEstimates::endpoints, "The same as a list.")
      .def("status", &WrenchEstimates::status, "not_computed once the instant is stale.")
      .def("__len__", &WrenchEstimates::size)
      .def(
          "__getitem__",
          [](const WrenchEstimates& self, Py_ssize_t index) -> const WrenchEstimate& {
            const auto size = static_cast<Py_ssize_t>(self.size());
            const Py_ssize_t at = index < 0 ? index + size : index;
            if (at < 0 || at >= size) throw nb::index_error("no estimate of that number");
            return self.endpoints[static_cast<std::size_t>(at)];
          },
          "index"_a, nb::rv_policy::reference_internal, "Of one endpoint; IndexError where there is none.")
      .def(
          "__getitem__",
          [](const WrenchEstimates& self, const nb::slice& slice) {
            Estimates part;
            const auto [start, stop, step, count] = slice.compute(self.size());
            for (std::size_t i = 0; i < count; ++i) {
              part.push_back(self.endpoints[static_cast<std::size_t>(start + static_cast<Py_ssize_t>(i) * step)]);
            }
            return part;
          },
          "index"_a)
      .def(
          "__iter__", [](nb::handle_t<WrenchEstimates> self) { return nb::iter(self.attr("endpoints")); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[WrenchEstimate]"));
}

}  // namespace

void bind_dynamics(nb::module_& module) {
  bind_position_terms(module);
  bind_workspace(module);
  bind_instant(module);
  bind_instant_reader(module);
  bind_wrench_estimates(module);
}

}  // namespace antaeus::python
