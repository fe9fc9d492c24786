// Dynamics and PositionTerms. Outputs become return values, a status other than ok becomes a StatusError.
#include "antaeus/robot/dynamics.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "convert.hpp"

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
          "center_of_mass",
          [](const Terms& self) {
            return filled("PositionTerms.center_of_mass", Vector3(),
                          [&](Vector3& p) { return self.terms.center_of_mass(p); });
          },
          "p_WC [3]: centre of mass in the world, m.");
}

}  // namespace

void bind_dynamics(nb::module_& module) {
  bind_position_terms(module);
  nb::class_<Dynamics>(
      module, "Dynamics",
      "Rigid-body dynamics of one RobotModel: the workspace, one a thread. M v̇ + C v + g = τ + Σ Jᵀ w, w the wrench of "
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

}  // namespace antaeus::python
