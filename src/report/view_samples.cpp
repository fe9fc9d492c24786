#include "report/view_samples.hpp"

#include <algorithm>

namespace antaeus::detail {

namespace {

/// The samples of one channel in the making.
struct Samples {
  std::vector<float> numbers;
  std::vector<std::uint8_t> codes;
};

void read_block(const Channel& channel, const Sampling::Block& block, Samples& out) {
  const bool single = block.end - block.begin == 1;
  switch (channel.bin) {
    case Channel::Bin::one_row:
      out.numbers.push_back(static_cast<float>(channel.value(block.begin)));
      if (!single) out.numbers.push_back(static_cast<float>(channel.value((block.begin + block.end) / 2)));
      return;
    case Channel::Bin::largest: {
      double largest = 0.0;
      for (Eigen::Index row = block.begin; row < block.end; ++row) largest = std::max(largest, channel.value(row));
      const auto code = static_cast<std::uint8_t>(std::clamp(largest, 0.0, 255.0));
      out.codes.insert(out.codes.end(), single ? 1 : 2, code);
      return;
    }
    case Channel::Bin::extremes: {
      double least = kInfinity, most = -kInfinity;
      for (Eigen::Index row = block.begin; row < block.end; ++row) {
        const double v = channel.value(row);  // NaN as the second of two is passed over
        least = std::min(least, v);
        most = std::max(most, v);
      }
      if (least > most) least = most = kNaN;
      out.numbers.push_back(static_cast<float>(least));
      if (!single) out.numbers.push_back(static_cast<float>(most));
      return;
    }
  }
}

}  // namespace

Sampling sample_rows(Eigen::Index rows, Eigen::Index focus) {
  Sampling sampling;
  sampling.whole_end = rows;
  if (rows > kWholeRows) {
    sampling.bin = (rows + kOverviewBins - 1) / kOverviewBins;
    sampling.whole_begin = focus < 0 ? 0 : std::clamp<Eigen::Index>(focus - kWindowRows, 0, rows);
    sampling.whole_end = focus < 0 ? 0 : std::clamp<Eigen::Index>(focus + kWindowRows + 1, 0, rows);
  }
  const auto binned = [&](Eigen::Index begin, Eigen::Index end) {
    for (Eigen::Index at = begin; at < end; at += sampling.bin) {
      sampling.blocks.push_back({at, std::min(at + sampling.bin, end)});
    }
  };
  binned(0, sampling.whole_begin);
  for (Eigen::Index row = sampling.whole_begin; row < sampling.whole_end; ++row) {
    sampling.blocks.push_back({row, row + 1});
  }
  binned(sampling.whole_end, rows);
  for (const Sampling::Block& block : sampling.blocks) {
    sampling.rows.push_back(static_cast<std::int32_t>(block.begin));
    if (block.end - block.begin > 1) sampling.rows.push_back(static_cast<std::int32_t>((block.begin + block.end) / 2));
  }
  return sampling;
}

/// Block by block, so that a long log is walked through once while its rows are near.
Json channels_json(const Views& views, const std::vector<Sampling>& samplings) {
  std::vector<Samples> all(views.channels.size());
  for (std::size_t run = 0; run < samplings.size(); ++run) {
    std::vector<std::size_t> own;
    for (std::size_t c = 0; c < all.size(); ++c) {
      if (views.channels[c].run == static_cast<int>(run)) own.push_back(c);
    }
    for (const Sampling::Block& block : samplings[run].blocks) {
      for (const std::size_t c : own) read_block(views.channels[c], block, all[c]);
    }
  }
  Json list = Json::array();
  for (std::size_t c = 0; c < all.size(); ++c) {
    Json channel =
        views.channels[c].bin == Channel::Bin::largest ? packed("u8", all[c].codes) : packed("f32", all[c].numbers);
    list.push_back(channel.set("run", views.channels[c].run));
  }
  return list;
}

}  // namespace antaeus::detail
