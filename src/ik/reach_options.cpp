#include "antaeus/core/option_table.hpp"
#include "antaeus/ik/reach.hpp"

namespace antaeus {

const OptionTable& options_of(const ReachOptions&) {
  using O = ReachOptions;
  static const OptionTable table(
      "ik", {
                option("position_only", "", "whether only the frame's origin is requested", "all", &O::position_only),
                option("position_tolerance", "m", "error of the position below which a target is reached",
                       "the peers' comparison", &O::position_tolerance, kPositive),
                option("rotation_tolerance", "rad", "error of the orientation below which a target is reached",
                       "the peers' comparison", &O::rotation_tolerance, kPositive),
                option("iteration_budget", "1", "iterations of attempts within the limits, for one target",
                       "all starts need about 4000", &O::iteration_budget, kPositive),
                option("deadline", "s",
                       "time after which no stage of a failing solve is begun: answers depend on the clock; 0: none",
                       "none: iterations bound the work", &O::deadline),
                option("table_samples", "1", "configurations from which the table of starts is made",
                       "three times as many gain a tenth of the iterations and lose it to the cache", &O::table_samples,
                       kPositive),
                option("explain", "", "whether a failure is explained: out of reach, or blocked by limits", "on",
                       &O::explain),
            });
  return table;
}

namespace {
const OptionGroup kGroup(ReachOptions{});
}

}  // namespace antaeus
