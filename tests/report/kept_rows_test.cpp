// Views of rows that came in blocks: the same samples as of rows that are there.
#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/report/page.hpp"
#include "report/view_samples.hpp"

namespace antaeus {
namespace {

constexpr Eigen::Index kLogRows = 34'000;  ///< 2125 bins of 16 rows

double wave(Eigen::Index row, int channel) {
  if (row % 997 < 40 && channel == 1) return kNaN;
  return std::sin(0.013 * static_cast<double>(row) * (channel + 1)) + 1e-3 * static_cast<double>(row % 7);
}

Views views_from(const Eigen::Index& first) {
  Views views;
  views.runs.push_back({"run", kLogRows, 0, VectorX()});
  views.add([&first](Eigen::Index row) { return wave(first + row, 0); });
  views.add([&first](Eigen::Index row) { return wave(first + row, 1); });
  views.add([&first](Eigen::Index row) { return wave(first + row, 2); }, Channel::Bin::one_row);
  views.add([&first](Eigen::Index row) { return wave(first + row, 0) > 0.99 ? 1.0 : 0.0; }, Channel::Bin::largest);
  views.add([](Eigen::Index) { return kNaN; });
  return views;
}

std::string written(Views views) {
  Page page;
  page.views = std::move(views);
  page.sections.push_back({"explore", "Look closer", {ViewsPlace{}}});
  return html_page(page);
}

TEST(KeptRows, AreTheSamplesOfRowsThatAreThere) {
  // Focuses whose window ends with a bin, so that both are binned alike; at the end, the window is cut.
  for (const Eigen::Index focus : {Eigen::Index{16 * 1000 - 1001}, Eigen::Index{16 * 70 - 1001}, kLogRows - 3}) {
    for (const Eigen::Index block : {Eigen::Index{4096}, Eigen::Index{4099}, kLogRows}) {
      const Eigen::Index none = 0;
      Views whole = views_from(none);
      whole.focus = focus;
      whole.runs[0].time = VectorX::LinSpaced(kLogRows, 3.0, 3.0 + 0.005 * (kLogRows - 1));
      Eigen::Index first = 0;
      Views views = views_from(first);
      views.focus = focus;
      detail::RowKeeper keeper(kLogRows);
      const VectorX time = whole.runs[0].time;
      const auto at = [&](Eigen::Index row) { return time[first + row]; };
      for (first = 0; first < kLogRows; first += block) {
        keeper.take(views.channels, at, first, std::min(block, kLogRows - first));
      }
      const auto [begin, end] = keeper.open_window(focus);
      for (first = begin / block * block; first < end; first += block) {
        keeper.take_again(views.channels, at, first, std::min(block, kLogRows - first));
      }
      views.runs[0].kept = keeper.finish(views.channels);
      EXPECT_EQ(views.runs[0].kept->any, (std::vector<bool>{true, true, true, true, false}));
      EXPECT_TRUE(written(views) == written(whole)) << focus << " in blocks of " << block;
    }
  }
}

TEST(KeptRows, BinsBehindAnyFocusAreWhole) {
  for (const Eigen::Index focus : {Eigen::Index{-1}, Eigen::Index{0}, Eigen::Index{12'345}, kLogRows - 1}) {
    const detail::Sampling sampling = detail::sample_rows(kLogRows, focus, true);
    Eigen::Index row = 0;
    for (const detail::Sampling::Block& block : sampling.blocks) {
      EXPECT_EQ(block.begin, row) << "no row is left out";
      row = block.end;
      const bool is_bin = block.end - block.begin > 1 && block.begin > sampling.whole_end;
      EXPECT_EQ(is_bin ? block.begin % sampling.bin : 0, 0);
    }
    EXPECT_EQ(row, kLogRows);
  }
}

}  // namespace
}  // namespace antaeus
