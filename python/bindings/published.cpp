// The published estimators, and the published guards in a chain. Nothing here raises in a loop: results carry status,
// verdict and reasons.
#include <nanobind/stl/optional.h>

#include <optional>

#include "antaeus/estimation/published/guard_chain.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"
#include "convert.hpp"
#include "fields.hpp"
#include "shared_enumerations.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::StackedRows> : EnumerationCaster<antaeus::StackedRows, "antaeus.StackedRows"> {};
template <>
struct type_caster<antaeus::GuardKind> : EnumerationCaster<antaeus::GuardKind, "antaeus.GuardKind"> {};
template <>
struct type_caster<antaeus::DominanceForm> : EnumerationCaster<antaeus::DominanceForm, "antaeus.DominanceForm"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

/// The instant must be of the estimator's robot and endpoints.
void require_matching(const WrenchEstimates& last, const Instant& now, const char* place) {
  require_same(static_cast<Eigen::Index>(last.size()), now.endpoint_count(), place, "endpoints");
  require_same(last.front().residual.size(), now.motor_count(), place, "motors");
}

void bind_estimators(nb::module_& module) {
  bind_enumeration<StackedRows>(module,
                                "Rows of the stacked estimator: the motors', or the base's six too, which no motor "
                                "drives.");
  const std::string deployed =
      options_signature<WrenchEstimatorOptions>("def __init__(self, reader: InstantReader", ") -> None");
  const std::string stacked = options_signature<WrenchEstimatorOptions>(
      "def __init__(self, reader: InstantReader, rows: str = 'motors'", ") -> None");
  const std::string doc = options_doc<WrenchEstimatorOptions>("OptionsError for an unknown option.");
  nb::class_<DeployedEstimator>(module, "DeployedEstimator",
                                "ŵ = pinv(J_kᵀ) r for each endpoint k by itself: every torque that g does not explain "
                                "is taken for a force there. As deployed on the H1-2.")
      .def(
          "__init__",
          [](DeployedEstimator* self, const InstantReader& reader, const nb::kwargs& options) {
            new (self) DeployedEstimator(reader, options_from<WrenchEstimatorOptions>(options));
          },
          "reader"_a, "options"_a, nb::sig(deployed.c_str()), doc.c_str())
      .def(
          "solve",
          [](DeployedEstimator& self, const Instant& now) {
            require_matching(self.results(), now, "DeployedEstimator.solve");
            return WrenchEstimates(self.solve(now));
          },
          "now"_a, "One result an endpoint, in the instant's order. Never raises.");
  nb::class_<StackedEstimator>(module, "StackedEstimator",
                               "ŵ = pinv([J_1ᵀ … J_kᵀ]) r for all endpoints at once, least squares or minimum norm.")
      .def(
          "__init__",
          [](StackedEstimator* self, const InstantReader& reader, std::string_view rows, const nb::kwargs& options) {
            new (self) StackedEstimator(reader, parse_enum<StackedRows>(rows, "estimator.rows"),
                                        options_from<WrenchEstimatorOptions>(options));
          },
          "reader"_a, "rows"_a = "motors", "options"_a, nb::sig(stacked.c_str()), doc.c_str())
      .def(
          "solve",
          [](StackedEstimator& self, const Instant& now) {
            require_matching(self.results(), now, "StackedEstimator.solve");
            return WrenchEstimates(self.solve(now));
          },
          "now"_a, "One result an endpoint; rank, κ and σ are those of the whole stacked matrix. Never raises.")
      .def(
          "matrix", [](const StackedEstimator& self) { return fresh(self.matrix()); },
          "The matrix A of the last call [rows × 6 endpoints]: base rows first where used.");
}

void bind_guards(nb::module_& module) {
  bind_enumeration<GuardKind>(module, "The published guards.");
  bind_enumeration<GuardAction>(module, "What a guard did to the wrench that it was given.");
  bind_enumeration<DominanceForm>(module,
                                  "The two published forms of the dominance ratio. per_joint (the report's code): "
                                  "‖(B_zj r_j)_j‖ over the other joints. formula: ‖Σ_j B_{xyz,j} r_j‖ over them.");
  nb::class_<GuardRecord> record(module, "GuardRecord", "One guard at one step.");
  bind_fields(record).def("acted", &GuardRecord::acted, "Whether it changed the number.");
  bind_struct<ChainedWrench>(module, "ChainedWrench", "What the consumer reads behind a chain. Plain data of its own.");
  const std::string signature = options_signature<PublishedGuardOptions>(
      "def __init__(self, order: collections.abc.Sequence[str] | None = None", ") -> None");
  const std::string doc = options_doc<PublishedGuardOptions>("Guards in order; without one, default_order().");
  nb::class_<GuardChain>(module, "GuardChain",
                         "Guards in order, with the state of one endpoint: use one chain an endpoint. A chain never "
                         "changes a number in silence: the records say what each guard saw and did.")
      .def(
          "__init__",
          [](GuardChain* self, const std::optional<std::vector<std::string>>& order, const nb::kwargs& options) {
            std::vector<GuardKind> kinds;
            for (const std::string& name : order.value_or(std::vector<std::string>())) {
              kinds.push_back(parse_enum<GuardKind>(name, "guard.order"));
            }
            new (self) GuardChain(order ? std::move(kinds) : GuardChain::default_order(),
                                  options_from<PublishedGuardOptions>(options));
          },
          "order"_a = nb::none(), "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def_static("default_order", &GuardChain::default_order, "As the deployed code has them.")
      .def(
          "apply", [](GuardChain& self, const WrenchEstimate& estimate) { return ChainedWrench(self.apply(estimate)); },
          "estimate"_a,
          "Each guard sees what the one before it let through. A clamp makes the verdict degraded, every other guard "
          "that acts refused.")
      .def("reset", &GuardChain::reset, "Forgets the watchdog's count and latch.");
  module.def(
      "reference_dominance",
      [](const WrenchEstimate& estimate, std::string_view form) {
        return reference_dominance(estimate, parse_enum<DominanceForm>(form, "reference_dominance.form"));
      },
      "estimate"_a, "form"_a,
      "ρ: |B_zk r_k| over itself plus the part of the other joints, k the reference motor. 0 where it does not reach "
      "the endpoint; NaN without input; a share, 0 … 1. OptionsError for an unknown form.");
}

}  // namespace

void bind_published(nb::module_& module) {
  bind_estimators(module);
  bind_guards(module);
}

}  // namespace antaeus::python
