// What the force-control lab's filter and its damping of the normal do to its force loop, each alone and both, on two
// contacts.
#include <algorithm>
#include <array>

#include "studies/arm_run.hpp"
#include "studies/force_story.hpp"

namespace antaeus {

FilterStudy filter_study(const ForceSetup& published, const Progress& progress) {
  constexpr std::array<double, 5> kShares = {0.05, 0.1, 0.2, 0.5, 1.0};
  constexpr std::array<double, 4> kDamping = {0.0, 30.0, 100.0, 300.0};
  struct Ground {
    const char* name;
    double solref, friction;
  };
  constexpr std::array<Ground, 2> kGrounds = {
      {{"soft: solref 0.02 s, friction 0.3", 0.02, 0.3}, {"stiff pads: solref 0.004 s, friction 0.7", 0.004, 0.7}}};
  FilterStudy study;
  study.table.title = "The lab's filter and damping of the normal, holding";
  study.table.heads = {"filter's share"};
  for (const double damping : kDamping) study.table.heads.push_back("K_dz " + value_text(damping) + " [%]");
  study.table.note =
      "Share within 1 N, from 0.25 s after the touch to the end of the hold, after a landing at 20 mm/s. A share of 1 "
      "is no filter.";
  Figure figure;
  figure.id = "filter-damping";
  figure.title = "The lab's filter and damping of the normal";
  figure.description = "Share of a hold within 1 N over the filter's share of the newest sample, by damping.";
  figure.columns = 2;
  int done = 0;
  double filter_alone = 1.0, damping_alone = 0.0;
  for (const Ground& ground : kGrounds) {
    Panel panel;
    panel.title = ground.name;
    panel.x = {.label = "filter's share of the newest force (1: none)", .logarithmic = true};
    panel.y = {.label = "within 1 N [%]", .minimum = 0.0, .maximum = 105.0};
    std::vector<Variant> rows;
    for (const double share : kShares) rows.push_back({ground.name, {share}, false});
    for (std::size_t d = 0; d < kDamping.size(); ++d) {
      Curve curve{"K_dz " + value_text(kDamping[d]), {}, {}, series_style(d, Marker::circle)};
      for (std::size_t row = 0; row < kShares.size(); ++row) {
        const double share = kShares[row];
        ForceSetup setup = published;
        setup.scene.solref = ground.solref, setup.scene.friction = ground.friction;
        setup.control.law = ForceLaw::source;
        setup.control.source.alpha_filter = share, setup.control.source.K_dz = kDamping[d];
        setup.control.hold_time = 1.5;
        ArmRig rig = make_rig(setup.scene, setup.plant, setup.seed);
        const ForceRun run = run_force_task(rig, setup, false);
        const ForceFigures f = run.figures(run.touched + 0.25, run.ended);
        curve.x.push_back(share), curve.y.push_back(100.0 * f.within_1N);
        if (share == 0.2 && kDamping[d] == 0.0) filter_alone = std::min(filter_alone, f.within_1N);
        if (share == 1.0 && kDamping[d] > 0.0) damping_alone = std::max(damping_alone, f.within_1N);
        rows[row].values.push_back(100.0 * f.within_1N);
        if (progress) progress(++done / 40.0);
      }
      panel.curves.push_back(std::move(curve));
    }
    figure.panels.push_back(std::move(panel));
    study.table.variants.insert(study.table.variants.end(), rows.begin(), rows.end());
  }
  study.figure = named(figure,
                       "The lab's force loop in a hold, by its filter (across) and its damping of the normal "
                       "(lines). The figure shows one controller on two simulated contacts.");
  study.finding =
      "The force-control lab says that filter or damping alone chatters. Here its filter (share 0.2) without "
      "damping keeps " +
      value_text(100.0 * filter_alone) + " % within 1 N on the worse contact, and damping without the filter at most " +
      value_text(100.0 * damping_alone) + " % on the better.";
  return study;
}

}  // namespace antaeus
