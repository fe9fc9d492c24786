#pragma once
// The rows that stand for a run in the page, and its channels' numbers there.
#include <bit>
#include <cstdint>
#include <vector>

#include "antaeus/io/base64.hpp"
#include "antaeus/io/json.hpp"
#include "antaeus/report/views.hpp"

namespace antaeus::detail {

/// Up to so many rows a run is drawn whole: of a humanoid with four endpoints 8 MB.
inline constexpr Eigen::Index kWholeRows = 6400;
/// Beyond that: so many bins at most, more than a screen has columns, each drawn by its least and its largest value …
inline constexpr Eigen::Index kOverviewBins = 2200;
/// … and every row within this distance of the focus.
inline constexpr Eigen::Index kWindowRows = 1000;

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
template <class Visit>
constexpr void visit_fields(const Sampling*, Visit&& visit) {
  visit_members(visit, "bin", &Sampling::bin, "whole_begin", &Sampling::whole_begin, "whole_end", &Sampling::whole_end);
}
/// \param focus row that is drawn in full with its surroundings; negative: none
Sampling sample_rows(Eigen::Index rows, Eigen::Index focus);

static_assert(std::endian::native == std::endian::little, "the arrays of the page are little-endian");
/// An array as the viewer unpacks it. \param type  "f32", "f64", "i32" or "u8"
template <class Number>
Json packed(const char* type, const std::vector<Number>& values) {
  return Json::object()
      .set("type", type)
      .set("data", to_base64({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number)}));
}

/// All channels, each over the samples of its run.
Json channels_json(const Views& views, const std::vector<Sampling>& samplings);

}  // namespace antaeus::detail
