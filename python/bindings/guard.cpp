// The published guards in a chain, and the pre-flight.
#include "antaeus/estimation/guard.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "antaeus/estimation/preflight.hpp"
#include "convert.hpp"
#include "estimates.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::GuardKind> : EnumerationCaster<antaeus::GuardKind, "antaeus.GuardKind"> {};
template <>
struct type_caster<antaeus::GuardAction> : EnumerationCaster<antaeus::GuardAction, "antaeus.GuardAction"> {};
template <>
struct type_caster<antaeus::DominanceForm> : EnumerationCaster<antaeus::DominanceForm, "antaeus.DominanceForm"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

void bind_guards(nb::module_& module) {
  bind_enumeration<GuardKind>(module, "The published guards.");
  bind_enumeration<GuardAction>(module, "What a guard did to the wrench that it was given.");
  bind_enumeration<DominanceForm>(module,
                                  "The two published forms of the dominance ratio. per_joint (the report's code): "
                                  "‖(B_zj r_j)_j‖ over the other joints. formula: ‖Σ_j B_{xyz,j} r_j‖ over them.");
  nb::class_<GuardRecord>(module, "GuardRecord", "One guard at one step.")
      .def_prop_ro("kind", [](const GuardRecord& self) { return self.kind; })
      .def_prop_ro("action", [](const GuardRecord& self) { return self.action; })
      .def_ro("saw", &GuardRecord::saw, "The quantity it judges: max |F_i| or |F| in N, κ, ρ; NaN without input.")
      .def_ro("limit", &GuardRecord::limit, "What it was compared with.")
      .def("acted", &GuardRecord::acted);
  nb::class_<ChainedWrench>(module, "ChainedWrench", "What the consumer reads behind a chain. Plain data of its own.")
      .def_prop_ro("verdict", [](const ChainedWrench& self) { return self.verdict; })
      .def_prop_ro("reasons", [](const ChainedWrench& self) { return reason_names(self.reasons); })
      .def_prop_ro(
          "wrench", [](const ChainedWrench& self) { return self.wrench; },
          "NaN without input; zero only where a record says zeroed.")
      .def_ro("damping_mode", &ChainedWrench::damping_mode, "Latched by the watchdog until reset().")
      .def_prop_ro(
          "records", [](const ChainedWrench& self) { return std::vector<GuardRecord>(self.records); },
          "In the order of the chain.");

  const std::string signature = options_signature<GuardOptions>(
      "def __init__(self, order: collections.abc.Sequence[str] | None = None", ") -> None");
  const std::string doc = options_doc<GuardOptions>("Guards in order; without one, default_order().");
  nb::class_<GuardChain>(module, "GuardChain",
                         "Guards in order, with the state of one endpoint: use one chain an endpoint. A chain never "
                         "changes a number in silence: the records say what each guard saw and did.")
      .def(
          "__init__",
          [](GuardChain* self, const std::optional<std::vector<std::string>>& order, const nb::kwargs& options) {
            std::vector<GuardKind> kinds;
            for (const std::string& name : order.value_or(std::vector<std::string>())) {
              kinds.push_back(named<GuardKind>("guard.order", name));
            }
            new (self) GuardChain(order ? std::move(kinds) : GuardChain::default_order(),
                                  options_from<GuardOptions>("guard", options));
          },
          "order"_a = nb::none(), "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def_static("default_order", &GuardChain::default_order)
      .def(
          "apply",
          [](GuardChain& self, const WrenchEstimate& estimate, const ArrayArgument& residual, int reference_motor) {
            return ChainedWrench(
                self.apply(estimate, as_vector(residual, "GuardChain.apply", "residual"), reference_motor));
          },
          "estimate"_a, "residual"_a, "reference_motor"_a,
          "Each guard sees what the one before it let through. A clamp makes the verdict degraded, every other guard "
          "that acts refused.")
      .def("reset", &GuardChain::reset, "Forgets the watchdog's count and latch.");
  module.def(
      "reference_dominance",
      [](const WrenchEstimate& estimate, const ArrayArgument& residual, int reference_motor, std::string_view form) {
        return reference_dominance(estimate, as_vector(residual, "reference_dominance", "residual"), reference_motor,
                                   named<DominanceForm>("reference_dominance.form", form));
      },
      "estimate"_a, "residual"_a, "reference_motor"_a, "form"_a,
      "ρ: |B_zk r_k| over itself plus the part of the other joints, k the reference motor. 0 where it does not reach "
      "the endpoint; NaN without input.");
}

void bind_preflight(nb::module_& module) {
  nb::class_<PreflightCheck>(module, "PreflightCheck", "One check, with what it measured.")
      .def_ro("name", &PreflightCheck::name, "gain or start_error.")
      .def_ro("subject", &PreflightCheck::subject, "Endpoint or joint.")
      .def_ro("value", &PreflightCheck::value, "|gain|, N/(N·m), or |q − target|, rad.")
      .def_ro("limit", &PreflightCheck::limit)
      .def_ro("passed", &PreflightCheck::passed, "value < limit; false for NaN.");
  nb::class_<PreflightReport>(module, "PreflightReport", "The checks and what they rest on.")
      .def_ro("passed", &PreflightReport::passed, "Every check.")
      .def_ro("characteristic_length", &PreflightReport::characteristic_length, "m")
      .def_ro("endpoints", &PreflightReport::endpoints)
      .def_ro("checks", &PreflightReport::checks, "The incident report's: gain, then start_error.")
      .def_ro("sd_checks", &PreflightReport::sd_checks,
              "Antaeus' own: worst-direction sd at rest of every endpoint that at least six joints speak for.");
  const std::string signature = options_signature<PreflightOptions>(
      "def preflight(robot: Robot, endpoints: collections.abc.Sequence[str], q: numpy.typing.ArrayLike, "
      "target: numpy.typing.ArrayLike | None = None",
      ") -> PreflightReport");
  const std::string doc = options_doc<PreflightOptions>(
      "Gain of the reference joint at every endpoint and start errors (left out without targets) with the profile's "
      "limits. q, target: motor positions. OptionsError for a wrong size or NaN.");
  module.def(
      "preflight",
      [](const Robot& robot, const std::vector<std::string>& endpoints, const ArrayArgument& q,
         const std::optional<ArrayArgument>& target, const nb::kwargs& options) {
        return preflight(robot, endpoints, as_vector(q, "preflight", "q"),
                         target ? VectorX(as_vector(*target, "preflight", "target")) : VectorX(),
                         options_from<PreflightOptions>("preflight", options));
      },
      "robot"_a, "endpoints"_a, "q"_a, "target"_a = nb::none(), "options"_a, nb::sig(signature.c_str()), doc.c_str());
}

}  // namespace

void bind_guard(nb::module_& module) {
  bind_guards(module);
  bind_preflight(module);
}

}  // namespace antaeus::python
