// Inverses that stay bounded: through three tiers, and damped smoothly with a velocity that is carried.
#include <nanobind/stl/optional.h>

#include <optional>

#include "antaeus/numerics/smooth_damping.hpp"
#include "antaeus/numerics/three_tier_inverse.hpp"
#include "convert.hpp"
#include "fields.hpp"
#include "shared_enumerations.hpp"

namespace antaeus::python {

namespace {

/// An inverse with the memory of the one motion that it is asked of.
struct TiersOfOneMotion {
  TiersOfOneMotion(int height, int width, const ThreeTierOptions& options)
      : rows(height), columns(width), inverse(height, width, options), memory(height, width) {}
  int rows, columns;
  ThreeTierInverse inverse;
  InverseMemory memory;
};

struct ShapedDamping {
  ShapedDamping(int height, int width, const SmoothDampingOptions& options)
      : rows(height), columns(width), inverse(height, width, options) {}
  int rows, columns;
  SmoothDamping inverse;
};

struct ShapedReference {
  ShapedReference(int height, int width, const SmoothDampingOptions& options)
      : rows(height), columns(width), reference(height, width, options) {}
  int rows, columns;
  CarriedReference reference;
};

/// J_dot of an argument that may be left out: a matrix that does not change.
template <class Self>
MatrixX rate_of(const Self& self, const std::optional<ArrayArgument>& J_dot, const char* place) {
  if (!J_dot) return MatrixX::Zero(self.rows, self.columns);
  return as_matrix(*J_dot, place, "J_dot", self.rows, self.columns);
}

void bind_reports(nb::module_& module) {
  bind_enumeration<InverseTier>(module,
                                "Which rule made an inverse. exact: at or above soft_floor. damped: between the "
                                "floors. held: at or below hard_floor, not finite or over inv_norm_max.");
  bind_struct<TierReport>(module, "TierReport", "What became of a matrix that was to be inverted. Plain data.");
  bind_struct<SmoothDampingReport>(module, "SmoothDampingReport", "What became of a matrix. Plain data.");
}

void bind_three_tiers(nb::module_& module) {
  const std::string signature =
      options_signature<ThreeTierOptions>("def __init__(self, rows: int, columns: int", ") -> None");
  nb::class_<TiersOfOneMotion>(
      module, "ThreeTierInverse",
      "Exact, then damped, then held: an inverse of rows ≤ columns that never grows without bound. "
      "Remembers one motion.")
      .def(
          "__init__",
          [](TiersOfOneMotion* self, int rows, int columns, const nb::kwargs& options) {
            new (self) TiersOfOneMotion(rows, columns, options_from<ThreeTierOptions>(options));
          },
          "rows"_a, "columns"_a, "options"_a, nb::sig(signature.c_str()),
          options_doc<ThreeTierOptions>("OptionsError unless hard_floor < soft_floor.").c_str())
      .def(
          "compute",
          [](TiersOfOneMotion& self, const ArrayArgument& J, const std::optional<ArrayArgument>& J_dot) {
            constexpr const char* kPlace = "ThreeTierInverse.compute";
            const MatrixX matrix = as_matrix(J, kPlace, "J", self.rows, self.columns);
            return self.inverse.compute(matrix, rate_of(self, J_dot, kPlace), self.memory);
          },
          "J"_a, "J_dot"_a = nb::none(), "Inverts J and differentiates the inverse along J_dot. Never raises on NaN.")
      .def(
          "reset", [](TiersOfOneMotion& self) { self.memory.reset(); }, "Nothing to hold any more.")
      .def(
          "inverse", [](const TiersOfOneMotion& self) { return fresh(self.inverse.inverse()); }, "[columns × rows]")
      .def(
          "rate", [](const TiersOfOneMotion& self) { return fresh(self.inverse.rate()); },
          "Its derivative [columns × rows], a second.");
}

void bind_smooth(nb::module_& module) {
  const std::string signature =
      options_signature<SmoothDampingOptions>("def __init__(self, rows: int, columns: int", ") -> None");
  nb::class_<ShapedDamping>(module, "SmoothDamping", "Jᵀ(JJᵀ + λ²E)⁻¹ with a damping that sets in smoothly. No memory.")
      .def(
          "__init__",
          [](ShapedDamping* self, int rows, int columns, const nb::kwargs& options) {
            new (self) ShapedDamping(rows, columns, options_from<SmoothDampingOptions>(options));
          },
          "rows"_a, "columns"_a, "options"_a, nb::sig(signature.c_str()),
          options_doc<SmoothDampingOptions>("OptionsError for an option out of its range.").c_str())
      .def(
          "compute",
          [](ShapedDamping& self, const ArrayArgument& J, const std::optional<ArrayArgument>& J_dot) {
            constexpr const char* kPlace = "SmoothDamping.compute";
            const MatrixX matrix = as_matrix(J, kPlace, "J", self.rows, self.columns);
            return self.inverse.compute(matrix, rate_of(self, J_dot, kPlace));
          },
          "J"_a, "J_dot"_a = nb::none(), "Inverts J and differentiates the inverse along J_dot.")
      .def(
          "inverse", [](const ShapedDamping& self) { return fresh(self.inverse.inverse()); }, "[columns × rows]")
      .def(
          "rate", [](const ShapedDamping& self) { return fresh(self.inverse.rate()); },
          "Its derivative [columns × rows], a second.");
  nb::class_<ShapedReference>(module, "CarriedReference",
                              "Joint velocities that make J θ̇ = b, and go on through singularities by what they carry.")
      .def(
          "__init__",
          [](ShapedReference* self, int rows, int columns, const nb::kwargs& options) {
            new (self) ShapedReference(rows, columns, options_from<SmoothDampingOptions>(options));
          },
          "rows"_a, "columns"_a, "options"_a, nb::sig(signature.c_str()),
          options_doc<SmoothDampingOptions>("OptionsError for an option out of its range.").c_str())
      .def(
          "update",
          [](ShapedReference& self, const ArrayArgument& J, const ArrayArgument& J_dot, const ArrayArgument& b,
             const ArrayArgument& b_dot, double dt) {
            constexpr const char* kPlace = "CarriedReference.update";
            const MatrixX matrix = as_matrix(J, kPlace, "J", self.rows, self.columns);
            const MatrixX rate = as_matrix(J_dot, kPlace, "J_dot", self.rows, self.columns);
            return self.reference.update(matrix, rate, as_vector(b, kPlace, "b", self.rows),
                                         as_vector(b_dot, kPlace, "b_dot", self.rows), dt);
          },
          "J"_a, "J_dot"_a, "b"_a, "b_dot"_a, "dt"_a, "Of this instant; then what is carried moves on by dt, s.")
      .def(
          "reset", [](ShapedReference& self) { self.reference.reset(); }, "Forgets what is carried.")
      .def(
          "velocity", [](const ShapedReference& self) { return fresh(self.reference.velocity()); }, "θ̇ [columns]")
      .def(
          "acceleration", [](const ShapedReference& self) { return fresh(self.reference.acceleration()); },
          "θ̈ [columns]");
}

}  // namespace

void bind_conditioning(nb::module_& module) {
  bind_reports(module);
  bind_three_tiers(module);
  bind_smooth(module);
}

}  // namespace antaeus::python
