#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/draw/contour_map.hpp"
#include "antaeus/pose/figures.hpp"
#include "antaeus/pose/pose_map.hpp"

namespace antaeus {

namespace {

/// Where the colour steps. An sd ends at its prior's, four times the limit; 12 N of 5 is where a direction counts as
/// unobservable (docs/validation.md#guards).
std::array<double, 7> steps(PoseQuantity quantity) {
  const bool bounded = quantity == PoseQuantity::sd || quantity == PoseQuantity::sd_moving;
  return {0.3, 0.5, 0.7, 1.0, 1.5, bounded ? 2.4 : 2.5, bounded ? 3.2 : 4.0};
}

std::string title_of(PoseQuantity quantity) {
  switch (quantity) {
    case PoseQuantity::sd: return "Worst-direction sd at rest [N]";
    case PoseQuantity::sd_moving: return "Worst-direction sd moving [N]";
    case PoseQuantity::gain: return "Reference gain [N/(N·m)]";
    case PoseQuantity::force_gain: return "Reference force gain [N/(N·m)]";
    case PoseQuantity::kappa: return "Condition number κ [1]";
    case PoseQuantity::error_force: return "Torque errors read as [N]";
  }
  return "?";
}

/// Share of the map below the limit, in words for who cannot see it.
std::string described(const PoseMap& map, const std::vector<MappedQuantity>& quantities) {
  std::string text;
  for (std::size_t k = 0; k < map.endpoints.size(); ++k) {
    for (const MappedQuantity& quantity : quantities) {
      const auto& samples = map.samples[k];
      const auto below = std::count_if(samples.begin(), samples.end(), [&](const PoseSample& s) {
        return s.value(quantity.quantity) < quantity.limit;
      });
      const double share = 100.0 * static_cast<double>(below) / static_cast<double>(samples.size());
      text += map.labels[k] + ": " + std::string(to_string(quantity.quantity)) + " is below " +
              level_text(quantity.limit) + " in " + display_number(share, 0) + " % of the map. ";
    }
  }
  return text;
}

}  // namespace

std::string draw_pose_map(const PoseMap& map, const std::vector<MappedQuantity>& quantities, const std::string& id) {
  if (quantities.empty()) throw Error("figure '" + id + "'", "no quantities", "give one or more");
  ContourMap drawn;
  drawn.title = "Poses over " + map.joint_x + " and " + map.joint_y;
  drawn.description = described(map, quantities);
  drawn.x = {map.joint_x + " [" + map.unit_x + "]", {map.x.begin(), map.x.end()}};
  drawn.y = {map.joint_y + " [" + map.unit_y + "]", {map.y.begin(), map.y.end()}};
  for (std::size_t k = 0; k < map.endpoints.size(); ++k) {
    MapRow row{map.labels[k], "other joints as in the pose " + map.pose, {}};
    for (const MappedQuantity& quantity : quantities) {
      MapPanel panel{title_of(quantity.quantity), {}, quantity.limit, steps(quantity.quantity)};
      for (const PoseSample& sample : map.samples[k]) panel.values.push_back(sample.value(quantity.quantity));
      row.panels.push_back(std::move(panel));
    }
    drawn.rows.push_back(std::move(row));
  }
  for (const MapMark& mark : map.marks) drawn.points.push_back({mark.name, mark.x, mark.y, !mark.in_plane});
  const bool narrow = quantities.size() == 1;
  drawn.full_label = narrow ? "pose" : "named pose";
  drawn.hollow_label = narrow ? "pose off this plane" : "named pose whose other joints stand elsewhere";
  return draw_contour_map(drawn, id);
}

Figure pose_list_figure(const PoseList& list, const std::vector<MappedQuantity>& quantities, const std::string& id) {
  constexpr std::size_t kNamed = 24;
  constexpr std::array<Marker, 5> kMarkers = {Marker::circle, Marker::diamond, Marker::square, Marker::triangle,
                                              Marker::cross};
  Figure figure;
  figure.id = id;
  figure.title = "Poses and their limits";
  figure.description = "Each pose's numbers against the limits";
  const bool named = list.poses.size() <= kNamed;
  for (const MappedQuantity& quantity : quantities) {
    Panel panel;
    panel.title = title_of(quantity.quantity);
    const std::string limit = "limit " + level_text(quantity.limit);
    // Near a singularity κ and gain have no bound; what lies far beyond the limit need not be distinguished.
    constexpr double kFarBeyond = 8.0;
    double largest = 0;
    for (std::size_t k = 0; k < list.endpoints.size(); ++k) {
      std::vector<double> values;
      for (const PoseSample& sample : list.samples[k]) values.push_back(sample.value(quantity.quantity));
      for (const double value : values) largest = std::max(largest, value);
      if (named) {
        panel.bars.push_back({list.labels[k], std::move(values), series_style(k)});
      } else {
        std::vector<double> rows(values.size());
        std::iota(rows.begin(), rows.end(), 0.0);
        panel.curves.push_back({list.labels[k], std::move(rows), std::move(values),
                                series_style(k, kMarkers[k % kMarkers.size()]), Curve::Join::none});
      }
    }
    if (named) {
      panel.horizontal_bars = panel.value_labels = true;
      for (const LabelledPose& pose : list.poses) panel.categories.push_back(pose.name);
      if (!(largest < kFarBeyond * quantity.limit)) panel.x.maximum = kFarBeyond * quantity.limit;
      const double lanes = static_cast<double>(list.poses.size() * list.endpoints.size());
      panel.height = 24.0 + 15.0 * lanes;
      panel.thresholds.push_back({quantity.limit, true, limit});
    } else {
      panel.y.logarithmic = true;
      panel.height = 190;
      panel.x.label = "row of the list";
      panel.thresholds.push_back({quantity.limit, false, limit});
    }
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

}  // namespace antaeus
