#pragma once
/// \file
/// Numbers over two quantities as filled contours, against a limit.
///
/// Like every figure one SVG serves light, dark and print, and equal input gives equal bytes. Set-up code: allocates.

#include <array>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"

namespace antaeus {

/// One axis of a map, the same in all its panels.
struct MapAxis {
  std::string label;           ///< with its unit in brackets
  std::vector<double> values;  ///< of the grid's points, rising, two or more
};

/// One field over the grid.
struct MapPanel {
  std::string title;           ///< with its unit in brackets
  std::vector<double> values;  ///< x fastest: [iy · x.values.size() + ix]; positive, NaN where nothing is known
  double limit = 1.0;          ///< > 0; drawn as a line of its own
  /// Where the colour steps, as shares of the limit, rising; the fourth is the limit itself.
  std::array<double, 7> steps = {0.3, 0.5, 0.7, 1.0, 1.5, 2.5, 4.0};
};

/// Panels side by side under a common title.
struct MapRow {
  std::string title, note;
  std::vector<MapPanel> panels;
};

/// A named point, marked in every panel. A hollow one lies near the plane that is drawn, not in it.
struct MapPoint {
  std::string name;
  double x = 0.0, y = 0.0;
  bool hollow = false;
};

struct ContourMap {
  std::string title;        ///< for screen readers
  std::string description;  ///< what the map shows, for readers who cannot see it
  MapAxis x, y;
  std::vector<MapRow> rows;
  std::vector<MapPoint> points;
  std::string limit_label = "limit", full_label = "point", hollow_label = "point off this plane";  ///< in the legend
};

/// Filled contours of each panel. Blue is below the limit and orange above it, farther is stronger; the bar under each
/// panel names the steps. Between the grid's points the logarithm is interpolated; what is NaN or below
/// zero is shown as far above.
/// Source of the contours: marching squares, saddles decided by the mean of the four corners.
/// \param id  of the figure, [a-z0-9-]
/// \throws Error for an id of other characters, without panels, for fewer than two values on an axis, or for a panel of
///         another size than the grid
ANTAEUS_API std::string draw_contour_map(const ContourMap& map, const std::string& id);

/// "0.25", "1.5", "12": a level with as many digits as it needs, two at most.
ANTAEUS_API std::string level_text(double value);

}  // namespace antaeus
