// Signals: the delay between channels, probabilities of χ² variables, the sum that finds small lasting shifts.
#include "antaeus/signal/chi_squared.hpp"
#include "antaeus/signal/cusum.hpp"
#include "antaeus/signal/delay.hpp"
#include "convert.hpp"
#include "values.hpp"

namespace antaeus::python {

void bind_signal(nb::module_& module) {
  nb::class_<DelayEstimate>(module, "DelayEstimate", "How much later one channel is than another.")
      .def_prop_ro("status", copied_field(&DelayEstimate::status),
                   "ok; not_computed where nothing can be said: too few common samples, a channel that does not vary, "
                   "no positive correlation, the best delay at the end of those tried. Numbers are NaN then.")
      .def_ro("delay", &DelayEstimate::delay, "s, positive: `late` follows `early`.")
      .def_ro("sd", &DelayEstimate::sd, "s; too small by √k where the noise is correlated over k samples.")
      .def_ro("correlation", &DelayEstimate::correlation, "At that delay, 0 to 1.")
      .def_ro("samples", &DelayEstimate::samples, "Of `late` that were compared.");
  bind_value<DelayEstimate>(module.attr("DelayEstimate"));
  module.def(
      "estimate_delay",
      [](const ArrayArgument& early_time, const ArrayArgument& early, const ArrayArgument& late_time,
         const ArrayArgument& late, double largest_delay, double delay_step) {
        constexpr const char* kPlace = "estimate_delay";
        const VectorX a = as_vector(early_time, kPlace, "early_time"), b = as_vector(early, kPlace, "early"),
                      c = as_vector(late_time, kPlace, "late_time"), d = as_vector(late, kPlace, "late");
        const Unlocked unlocked;
        return estimate_delay(a, b, c, d, {largest_delay, delay_step});
      },
      "early_time"_a, "early"_a, "late_time"_a, "late"_a, nb::kw_only(),
      "largest_delay"_a = DelayOptions{}.largest_delay, "delay_step"_a = DelayOptions{}.delay_step,
      "Fits late(t) = gain · early(t − delay) + offset, gain > 0, `early` interpolated between its samples; the two "
      "need "
      "not be sampled together. Times in s, not going back. largest_delay: delays from minus to plus this are tried, "
      "s; "
      "delay_step: their grid, refined by a parabola. A periodic signal is known up to its period only. StatusError "
      "for "
      "arrays of more than one dimension; what else cannot be used, `status` says.");

  module.def("chi_squared_cdf", &chi_squared_cdf, "x"_a, "dof"_a, "P(X ≤ x) of a χ² variable.");
  module.def("chi_squared_survival", &chi_squared_survival, "x"_a, "dof"_a,
             "P(X > x): the probability that a value as large as x, such as a NIS, is chance.");
  module.def("chi_squared_quantile", &chi_squared_quantile, "p"_a, "dof"_a, "The x with P(X ≤ x) = p, no unit.");

  module.def(
      "cusum_run_length", &cusum_run_length, "drift"_a, "threshold"_a, "shift"_a = 0.0,
      "Average number of samples up to the first alarm of a one-sided CUSUM, for a signal of mean `shift` and sd "
      "1: time between false alarms at shift 0, delay of detection at shift > drift.");
  module.def("cusum_threshold", &cusum_threshold, "drift"_a, "run_length"_a,
             "The threshold, in sds, with that run length in samples at shift 0; NaN where there is none.");
  nb::class_<Cusum>(
      module, "Cusum",
      "Finds a small, lasting shift in samples of mean 0 and sd 1 sooner than a threshold on single samples, "
      "at a stated rate of false alarms. The rate holds for independent samples.")
      .def(
          "__init__",
          [](Cusum* self, double drift, double false_alarms_per_hour, double sample_rate, bool two_sided) {
            new (self) Cusum({drift, false_alarms_per_hour, sample_rate, two_sided});
          },
          nb::kw_only(), "drift"_a = CusumOptions{}.drift,
          "false_alarms_per_hour"_a = CusumOptions{}.false_alarms_per_hour,
          "sample_rate"_a = CusumOptions{}.sample_rate, "two_sided"_a = CusumOptions{}.two_sided,
          "drift: half the shift to be found soonest, in sd; false_alarms_per_hour: accepted, where each resets the "
          "sums; "
          "sample_rate: Hz. OptionsError for a value out of range.")
      .def("step", &Cusum::step, "z"_a, "Takes a sample; `not_finite` leaves all as it is.")
      .def("alarm", &Cusum::alarm, "Whether a sum is above the threshold.")
      .def("upper", &Cusum::upper, "Sum of what was above +drift, sd.")
      .def("lower", &Cusum::lower, "Sum of what was below −drift, sd.")
      .def("threshold", &Cusum::threshold, "sd")
      .def("samples_since_onset", &Cusum::samples_since_onset, "Estimated age of the shift; 0 without one.")
      .def("reset", &Cusum::reset, "Both sums to 0.");
}

}  // namespace antaeus::python
