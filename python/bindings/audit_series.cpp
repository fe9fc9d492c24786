// What an audit computed step by step: the series of each endpoint and estimator. Their arrays are views.
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <vector>

#include "antaeus/audit/results.hpp"
#include "convert.hpp"
#include "fields.hpp"
#include "shared_enumerations.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::SingleGuard> : EnumerationCaster<antaeus::SingleGuard, "antaeus.SingleGuard"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

void bind_series(nb::module_& module) {
  bind_enumeration<SingleGuard>(module,
                                "The published guards that run alone; the dominance guard in both published forms.");
  bind_struct<GuardTrace, Arrays::views>(
      module, "GuardTrace",
      "One published guard by itself on one series: when it acts, and what the consumer would have read behind it. "
      "Steps are rows of the series.");
  bind_struct<PosteriorTrace, Arrays::views>(
      module, "PosteriorTrace",
      "What a posterior and its guard say beside the wrench, step by step; rows of the series.");
  bind_enumeration<EstimatorName>(module, "The estimators whose numbers stand beside each other.");
  bind_struct<EstimateSeries, Arrays::views>(
      module, "EstimateSeries",
      "One estimator at one endpoint over the N steps of an episode. Frame: endpoint's origin, world axes; `sign` says "
      "who exerts the wrench on whom. Row i is step first_step + i of the log. NaN where a step could not be used.")
      .def_prop_ro(
          "sd",
          [](nb::handle_t<EstimateSeries> self) -> nb::object {
            const EstimateSeries& series = nb::cast<const EstimateSeries&>(self);
            return series.posterior ? nb::cast(view(series.posterior->sd, self)) : nb::object(nb::none());
          },
          nb::sig("def sd(self) -> numpy.typing.NDArray[numpy.float64] | None"),
          "[N × 6] standard deviations of the wrench, N, N·m; None: the estimator has no covariance.")
      .def_prop_ro(
          "reason_bits",
          [](nb::handle_t<EstimateSeries> self) {
            static_assert(sizeof(Reasons) == sizeof(std::uint64_t));
            const std::vector<Reasons>& reasons = nb::cast<const EstimateSeries&>(self).reasons;
            return nb::ndarray<nb::numpy, const std::uint64_t, nb::ndim<1>>(
                reinterpret_cast<const std::uint64_t*>(reasons.data()), {reasons.size()}, self);
          },
          "[N] `reasons` as sets of bits, for many steps at once: antaeus.reason_names(bits).")
      .def("__repr__", [](const EstimateSeries& self) {
        return "EstimateSeries(" + self.label + ", " + std::string(to_string(self.estimator)) + ", " +
               std::to_string(self.wrench.rows()) + " steps)";
      });
  bind_struct<Reconstruction, Arrays::views>(
      module, "Reconstruction", "An episode computed again, N steps. Row i is step first_step + i of the log.")
      .def("steps", &Reconstruction::steps, "N.");
  bind_struct<Attribution, Arrays::views>(
      module, "Attribution",
      "What each joint contributes to one wrench at one step (incident report, eq. 4). Frame and sign: those of the "
      "endpoint's series.");
}

}  // namespace antaeus::python
