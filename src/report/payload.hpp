#pragma once
// What the page's viewer draws, as JSON that may stand inside a <script> element. viewer/src/data.ts reads it.
#include <string>
#include <vector>

#include "antaeus/report/html_report.hpp"

namespace antaeus::parts {

/// Up to so many steps an episode is drawn whole.
inline constexpr Eigen::Index kWholeSteps = 20000;
/// Beyond that: so many bins at most, each drawn by its least and its largest value …
inline constexpr Eigen::Index kOverviewBins = 8000;
/// … and every step within this distance of the focus step.
inline constexpr Eigen::Index kWindowSteps = 2000;

/// The samples that stand for an episode: single steps, and pairs (minimum, maximum) of a bin.
struct Sampling {
  struct Block {
    Eigen::Index begin = 0, end = 0;  ///< rows
  };
  std::vector<Block> blocks;
  std::vector<std::int32_t> rows;               ///< per sample, the row at which it is drawn
  Eigen::Index bin = 1;                         ///< steps of a bin; 1: every step is there
  Eigen::Index whole_begin = 0, whole_end = 0;  ///< rows that are there one by one
  Eigen::Index samples() const noexcept { return static_cast<Eigen::Index>(rows.size()); }
};
/// \param focus row that is drawn in full with its surroundings; negative: none
Sampling sample_steps(Eigen::Index steps, Eigen::Index focus);

/// One line of JSON without a single "<". \param meshes drawn as triangles; null: no mesh is drawn
std::string viewer_payload(const Audit& audit, const MeshFiles* meshes = nullptr);

}  // namespace antaeus::parts
