#pragma once
// The rows that stand for a run in the page, and its channels' numbers there.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "antaeus/core/api.hpp"
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
/// \param kept  bins behind those rows begin at multiples of their size, too, as bins do that were kept of all rows
ANTAEUS_API Sampling sample_rows(Eigen::Index rows, Eigen::Index focus, bool kept = false);

/// What stands for rows that are gone: bins from the first row on, and some rows one by one.
struct ANTAEUS_API KeptRows {
  Eigen::Index rows = 0, bin = 1;
  /// Of each channel and bin: least and largest value, or those of its first and its middle row, or twice its code.
  std::vector<std::vector<std::array<float, 2>>> bins;
  std::vector<std::array<double, 2>> times;  ///< of the first and the middle row of each bin
  Eigen::Index first = 0, end = 0;           ///< rows that are there one by one
  std::vector<std::vector<float>> single;    ///< of each channel
  std::vector<double> single_time;
  std::vector<bool> any;  ///< of each channel: a row has a number

  double time(Eigen::Index row) const;
  /// A whole bin, from its first row on.
  bool is_bin(Eigen::Index begin, Eigen::Index to) const {
    return begin % bin == 0 && to == std::min(rows, begin + bin) && !(begin >= first && to <= end);
  }
};

/// Makes that of rows that come in blocks, in order. Rows of channels count from the block's first.
class ANTAEUS_API RowKeeper {
 public:
  using Time = std::function<double(Eigen::Index)>;
  explicit RowKeeper(Eigen::Index rows);
  void take(const std::vector<Channel>& channels, const Time& time, Eigen::Index first, Eigen::Index count);
  /// After all rows: which are wanted once more, [first, end), to be there one by one.
  std::pair<Eigen::Index, Eigen::Index> open_window(Eigen::Index focus);
  void take_again(const std::vector<Channel>& channels, const Time& time, Eigen::Index first, Eigen::Index count);
  std::shared_ptr<const KeptRows> finish(const std::vector<Channel>& channels);

 private:
  KeptRows kept_;
};

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
