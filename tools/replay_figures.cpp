#include "replay_figures.hpp"

#include <algorithm>
#include <cstdio>

#include "antaeus/core/error.hpp"
#include "antaeus/core/instruction_set.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/io/table.hpp"

namespace antaeus {

namespace {

/// One line of the table's measurements.
struct Series {
  std::vector<double> x, y;
};

Series series_of(const Table& table, const std::string& measure, InstructionSet set) {
  const auto* measures = std::get_if<TextColumn>(&table.column("measure").data);
  const auto* sets = std::get_if<TextColumn>(&table.column("set").data);
  if (!measures || !sets) throw Error("replay-scaling.csv", "no texts as measure and set", "run replay_scaling");
  const std::vector<double> x = table.numbers("x"), value = table.numbers("value");
  Series series;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if ((*measures)[row] != measure || (*sets)[row] != to_string(set)) continue;
    series.x.push_back(x[row]);
    series.y.push_back(value[row]);
  }
  return series;
}

struct Line {
  double intercept = 0.0, slope = 0.0, r2 = 1.0;
};
/// By least squares, from \p least on.
Line line_through(const Series& all, double least) {
  Series series;
  for (std::size_t i = 0; i < all.x.size(); ++i) {
    if (all.x[i] < least) continue;
    series.x.push_back(all.x[i]);
    series.y.push_back(all.y[i]);
  }
  const auto n = static_cast<double>(series.x.size());
  double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;
  for (std::size_t i = 0; i < series.x.size(); ++i) x += series.x[i] / n, y += series.y[i] / n;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    const double dx = series.x[i] - x, dy = series.y[i] - y;
    xx += dx * dx, xy += dx * dy, yy += dy * dy;
  }
  return {y - xy / xx * x, xy / xx, xy * xy / (xx * yy)};
}

Curve curve_of(Series series, const std::string& label, Style style) {
  return {label, std::move(series.x), std::move(series.y), style, Curve::Join::lines};
}

Style style_of(InstructionSet set, bool dashed) {
  constexpr Tone kTones[] = {Tone::orange, Tone::green, Tone::blue};
  constexpr Marker kMarkers[] = {Marker::triangle, Marker::square, Marker::circle};
  const auto at = static_cast<std::size_t>(set);
  return {kTones[at], dashed ? Dash::dotted : Dash::solid, dashed ? Marker::none : kMarkers[at]};
}

}  // namespace

NamedFigure replay_figure(const std::filesystem::path& file) {
  const Table table = read_csv(file);
  Panel threads, blocks, joints;
  threads.title = "Threads";
  threads.x = {.label = "threads", .minimum = 0.5};
  threads.y = {.label = "speed-up", .include_zero = true};
  blocks.title = "States a block";
  blocks.x = {.label = "states a block", .minimum = 10.0, .maximum = 30000.0, .logarithmic = true};
  blocks.y = {.label = "CPU time of a state [ns]", .include_zero = true};
  joints.title = "Joints of a chain";
  joints.x = {.label = "joints", .include_zero = true};
  joints.y = {.label = "CPU time of a state [ns]", .include_zero = true};
  double most = 1.0;
  std::string slopes;
  for (const InstructionSet set : all_values<InstructionSet>()) {
    const std::string name(to_string(set));
    const Series speed = series_of(table, "speed-up", set), by_cpu = series_of(table, "speed-up by CPU time", set);
    if (speed.x.empty()) continue;
    most = std::max(most, speed.x.back());
    threads.curves.push_back(curve_of(speed, name, style_of(set, false)));
    Curve possible = curve_of(by_cpu, "", {style_of(set, false).tone, Dash::solid, Marker::cross});
    possible.join = Curve::Join::none;
    threads.curves.push_back(std::move(possible));
    const Series block = series_of(table, "block", set);
    blocks.curves.push_back(curve_of(block, name, style_of(set, false)));
    const Series solved = series_of(table, "joints", set), torques = series_of(table, "joints, torques", set);
    joints.curves.push_back(curve_of(solved, name, style_of(set, false)));
    joints.curves.push_back(curve_of(torques, "", style_of(set, true)));
    std::printf("replay-scaling, %s: %g threads %.2f times as fast, by CPU time %.2f\n", name.c_str(), speed.x.back(),
                speed.y.back(), by_cpu.y.back());
    const auto best = std::ranges::min_element(block.y);
    std::printf("  block: %.0f ns at %g states, least %.0f at %g, %.0f at %g\n", block.y.front(), block.x.front(),
                *best, block.x[static_cast<std::size_t>(best - block.y.begin())], block.y.back(), block.x.back());
    for (const Series* one : {&solved, &torques}) {
      // Fewer than six joints have fewer singular values to find.
      const Line line = line_through(*one, 6.0);
      std::printf("  %s: %.1f ns + %.2f ns a joint, R2 %.4f\n", one == &solved ? "with the wrench" : "torques alone",
                  line.intercept, line.slope, line.r2);
      if (one != &solved) continue;
      slopes += (slopes.empty() ? "" : ", ") + name + " " + display_number(line.slope, 1);
    }
  }
  threads.x.maximum = threads.y.maximum = most + 0.5;
  joints.x.maximum = 64.0;
  threads.curves.push_back({"by CPU time", {}, {}, {Tone::ink, Dash::solid, Marker::cross}, Curve::Join::none});
  threads.curves.push_back({"as many times as threads", {1.0, most}, {1.0, most}, {Tone::muted, Dash::dashed}});
  joints.curves.push_back({"torques alone", {}, {}, {Tone::ink, Dash::dotted}});

  Figure figure;
  figure.id = "replay-scaling";
  figure.title = "How the cost of a replay grows";
  figure.description =
      "Speed-up against threads, CPU time of a state against the size of a block and against the number of joints, of "
      "each instruction set.";
  figure.columns = 3;
  figure.panel_height = 220;
  figure.panels = {threads, blocks, joints};
  return {
      figure.id, figure.title,
      "Threads and blocks: both wrists of the H1-2, gravity. Joints: chains, with the wrench at their end; one joint "
      "more costs, in ns: " +
          slopes + ".",
      draw_figure(figure)};
}

}  // namespace antaeus
