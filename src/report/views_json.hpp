#pragma once
// What the page's viewer draws, as JSON that may stand inside a <script> element. viewer/src/payload.ts reads it.
#include <string>
#include <vector>

#include "antaeus/report/views.hpp"

namespace antaeus::detail {

/// Up to so many rows a run is drawn whole.
inline constexpr Eigen::Index kWholeRows = 20000;
/// Beyond that: so many bins at most, each drawn by its least and its largest value …
inline constexpr Eigen::Index kOverviewBins = 8000;
/// … and every row within this distance of the focus.
inline constexpr Eigen::Index kWindowRows = 2000;

/// The samples that stand for a run: single rows, and pairs of a bin.
struct Sampling {
  struct Block {
    Eigen::Index begin = 0, end = 0;  ///< rows
  };
  std::vector<Block> blocks;
  std::vector<std::int32_t> rows;               ///< per sample, the row at which it is drawn
  Eigen::Index bin = 1;                         ///< rows of a bin; 1: every row is there
  Eigen::Index whole_begin = 0, whole_end = 0;  ///< rows that are there one by one
};
/// \param focus row that is drawn in full with its surroundings; negative: none
Sampling sample_rows(Eigen::Index rows, Eigen::Index focus);

/// One line of JSON without a single "<": every struct an object with the names of its fields.
std::string views_json(const Views& views);

}  // namespace antaeus::detail
