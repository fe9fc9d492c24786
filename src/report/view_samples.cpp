#include "report/view_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace antaeus::detail {

namespace {

/// The samples of one channel in the making.
struct Samples {
  std::vector<float> numbers;
  std::vector<std::uint8_t> codes;
};

std::uint8_t code_of(double largest) { return static_cast<std::uint8_t>(std::clamp(largest, 0.0, 255.0)); }

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
      out.codes.insert(out.codes.end(), single ? 1 : 2, code_of(largest));
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

/// The same of rows that are gone.
void read_kept(const KeptRows& kept, std::size_t c, const Channel& channel, const Sampling::Block& block,
               Samples& out) {
  if (!kept.is_bin(block.begin, block.end)) {
    const std::vector<float>& rows = kept.single[c];
    const Channel single{
        [&](Eigen::Index row) { return static_cast<double>(rows[static_cast<std::size_t>(row - kept.first)]); },
        channel.bin};
    read_block(single, block, out);
    return;
  }
  const auto& [one, two] = kept.bins[c][static_cast<std::size_t>(block.begin / kept.bin)];
  const bool single = block.end - block.begin == 1;
  if (channel.bin == Channel::Bin::largest) {
    out.codes.insert(out.codes.end(), single ? 1 : 2, code_of(one));
    return;
  }
  out.numbers.push_back(one);
  if (!single) out.numbers.push_back(two);
}

Eigen::Index bin_of(Eigen::Index rows) { return (rows + kOverviewBins - 1) / kOverviewBins; }

}  // namespace

double KeptRows::time(Eigen::Index row) const {
  if (row >= first && row < end) return single_time[static_cast<std::size_t>(row - first)];
  const std::array<double, 2>& known = times[static_cast<std::size_t>(row / bin)];
  return known[row % bin == 0 ? 0 : 1];
}

RowKeeper::RowKeeper(Eigen::Index rows) {
  kept_.rows = rows;
  kept_.bin = std::max<Eigen::Index>(1, bin_of(rows));
  kept_.times.assign(static_cast<std::size_t>((rows + kept_.bin - 1) / kept_.bin), {kNaN, kNaN});
}

void RowKeeper::take(const std::vector<Channel>& channels, const Time& time, Eigen::Index first, Eigen::Index count) {
  if (kept_.bins.empty()) {
    kept_.bins.resize(channels.size());
    kept_.any.assign(channels.size(), false);
    for (std::size_t c = 0; c < channels.size(); ++c) {
      std::array<float, 2> none = {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
      if (channels[c].bin == Channel::Bin::largest) none = {0.0F, 0.0F};
      kept_.bins[c].assign(kept_.times.size(), none);
    }
  }
  const Eigen::Index end = first + count;
  for (Eigen::Index b = first / kept_.bin; b * kept_.bin < end; ++b) {
    const Eigen::Index begin = b * kept_.bin, behind = std::min(kept_.rows, begin + kept_.bin);
    const std::array<Eigen::Index, 2> named = {begin, (begin + behind) / 2};
    const auto at = static_cast<std::size_t>(b);
    const auto each_named = [&](auto&& take) {
      for (std::size_t i = 0; i < named.size(); ++i) {
        if (named[i] >= first && named[i] < end) take(i, named[i] - first);
      }
    };
    each_named([&](std::size_t i, Eigen::Index row) { kept_.times[at][i] = time(row); });
    for (std::size_t c = 0; c < channels.size(); ++c) {
      std::array<float, 2>& bin = kept_.bins[c][at];
      if (channels[c].bin == Channel::Bin::one_row) {
        each_named([&](std::size_t i, Eigen::Index row) {
          const double value = channels[c].value(row);
          bin[i] = static_cast<float>(value);
          if (std::isfinite(value)) kept_.any[c] = true;
        });
        continue;
      }
      const bool codes = channels[c].bin == Channel::Bin::largest;
      double least = kInfinity, most = codes ? 0.0 : -kInfinity;
      for (Eigen::Index row = std::max(begin, first); row < std::min(behind, end); ++row) {
        const double value = channels[c].value(row - first);  // NaN as the second of two is passed over
        least = std::min(least, value);
        most = std::max(most, value);
      }
      kept_.any[c] = kept_.any[c] || std::isfinite(least) || std::isfinite(most);
      bin = {codes ? std::max(bin[0], static_cast<float>(most)) : std::min(bin[0], static_cast<float>(least)),
             std::max(bin[1], static_cast<float>(most))};
    }
  }
}

std::pair<Eigen::Index, Eigen::Index> RowKeeper::open_window(Eigen::Index focus) {
  // With what is left of the bins that the rows around the focus begin and end in.
  const Sampling sampling = sample_rows(kept_.rows, focus, true);
  kept_.first = sampling.whole_begin / kept_.bin * kept_.bin;
  kept_.end = std::min(kept_.rows, (sampling.whole_end + kept_.bin - 1) / kept_.bin * kept_.bin);
  const auto rows = static_cast<std::size_t>(kept_.end - kept_.first);
  kept_.single.assign(kept_.bins.size(), std::vector<float>(rows, static_cast<float>(kNaN)));
  kept_.single_time.assign(rows, kNaN);
  return {kept_.first, kept_.end};
}

void RowKeeper::take_again(const std::vector<Channel>& channels, const Time& time, Eigen::Index first,
                           Eigen::Index count) {
  for (Eigen::Index row = std::max(first, kept_.first); row < std::min(first + count, kept_.end); ++row) {
    const auto at = static_cast<std::size_t>(row - kept_.first);
    kept_.single_time[at] = time(row - first);
    for (std::size_t c = 0; c < channels.size(); ++c) {
      kept_.single[c][at] = static_cast<float>(channels[c].value(row - first));
    }
  }
}

std::shared_ptr<const KeptRows> RowKeeper::finish(const std::vector<Channel>& channels) {
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (channels[c].bin != Channel::Bin::extremes) continue;
    for (std::array<float, 2>& bin : kept_.bins[c]) {
      if (bin[0] > bin[1]) bin = {static_cast<float>(kNaN), static_cast<float>(kNaN)};
    }
  }
  return std::make_shared<const KeptRows>(std::move(kept_));
}

Sampling sample_rows(Eigen::Index rows, Eigen::Index focus, bool kept) {
  Sampling sampling;
  sampling.whole_end = rows;
  if (rows > kWholeRows) {
    sampling.bin = bin_of(rows);
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
  Eigen::Index behind = sampling.whole_end;
  if (kept && behind % sampling.bin != 0) {
    const Eigen::Index next = std::min(rows, (behind / sampling.bin + 1) * sampling.bin);
    sampling.blocks.push_back({behind, next});
    behind = next;
  }
  binned(behind, rows);
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
    const KeptRows* kept = views.runs[run].kept.get();
    for (const Sampling::Block& block : samplings[run].blocks) {
      for (const std::size_t c : own) {
        kept ? read_kept(*kept, c, views.channels[c], block, all[c]) : read_block(views.channels[c], block, all[c]);
      }
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
