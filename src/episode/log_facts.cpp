#include <algorithm>
#include <cmath>

#include "antaeus/episode/raw_log.hpp"

namespace antaeus {

namespace {

constexpr double kGap = 3.0;  ///< median steps
constexpr std::size_t kMostBroken = 10'000;

ChannelFacts facts_of(const SampleMatrix& values) {
  ChannelFacts facts;
  facts.columns.resize(static_cast<std::size_t>(values.cols()));
  for (Eigen::Index row = 0; row < values.rows(); ++row) {
    bool whole = true, drawable = true;
    for (Eigen::Index c = 0; c < values.cols(); ++c) {
      const double value = values(row, c);
      if (!is_sample(value)) {
        (std::isfinite(value) ? drawable : whole) = false;
        continue;
      }
      ColumnFacts& column = facts.columns[static_cast<std::size_t>(c)];
      if (column.finite++ == 0 || value < column.least) {
        column.least = value;
        column.least_step = row;
      }
      if (column.finite == 1 || value > column.largest) {
        column.largest = value;
        column.largest_step = row;
      }
    }
    if (!whole) ++facts.broken_rows;
    if (!drawable) ++facts.too_large_rows;
  }
  facts.empty =
      std::all_of(facts.columns.begin(), facts.columns.end(), [](const ColumnFacts& c) { return c.finite == 0; });
  facts.frozen = values.rows() > 1 &&
                 std::all_of(facts.columns.begin(), facts.columns.end(),
                             [&](const ColumnFacts& c) { return c.finite == values.rows() && c.least == c.largest; });
  return facts;
}

void find_clock_facts(const VectorX& time, LogFacts& facts) {
  if (time.size() < 2) return;
  facts.duration = time[time.size() - 1] - time[0];
  std::vector<double> steps(static_cast<std::size_t>(time.size() - 1));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i] = time[static_cast<Eigen::Index>(i) + 1] - time[static_cast<Eigen::Index>(i)];
  }
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  facts.sample_time = *middle;
  if (!(facts.sample_time > 0.0)) return;
  for (Eigen::Index i = 1; i < time.size(); ++i) {
    if (time[i] - time[i - 1] > kGap * facts.sample_time) facts.gaps.push_back({i, time[i] - time[i - 1]});
  }
}

/// Rows in which `is_wrong` holds for a number of a column that `counts`; a channel has `rows` of them.
template <class IsWrong, class Counts>
Eigen::Index find_rows(const RawLog& log, const LogFacts& facts, Eigen::Index ChannelFacts::* rows, IsWrong&& is_wrong,
                       Counts&& counts, std::vector<BrokenRows>& found) {
  Eigen::Index all = 0;
  std::vector<int> now;
  for (Eigen::Index row = 0; row < log.steps(); ++row) {
    now.clear();
    for (std::size_t i = 0; i < log.channels.size(); ++i) {
      if (facts.channels[i].*rows == 0) continue;
      const SampleMatrix& values = log.channels[i].values;
      for (Eigen::Index c = 0; c < values.cols(); ++c) {
        if (!is_wrong(values(row, c)) || !counts(i, static_cast<std::size_t>(c))) continue;
        now.push_back(static_cast<int>(i));
        break;
      }
    }
    if (now.empty()) continue;
    ++all;
    const bool follows = !found.empty() && found.back().to == row - 1 && found.back().channels == now;
    if (follows || found.size() == kMostBroken) {
      found.back().to = row;
    } else {
      found.push_back({row, row, now});
    }
  }
  return all;
}

void find_broken_rows(const RawLog& log, LogFacts& facts) {
  const auto has_samples = [&](std::size_t i, std::size_t c) { return facts.channels[i].columns[c].finite > 0; };
  const auto always = [](std::size_t, std::size_t) { return true; };
  const auto not_finite = [](double value) { return !std::isfinite(value); };
  facts.broken_rows = find_rows(log, facts, &ChannelFacts::broken_rows, not_finite, has_samples, facts.broken);
  const auto too_large = [](double value) { return std::isfinite(value) && !is_sample(value); };
  facts.too_large_rows = find_rows(log, facts, &ChannelFacts::too_large_rows, too_large, always, facts.too_large);
}

}  // namespace

std::pair<double, double> ChannelFacts::range() const noexcept {
  double least = kNaN, largest = kNaN;
  for (const ColumnFacts& column : columns) {
    if (column.finite == 0) continue;
    least = std::isnan(least) ? column.least : std::min(least, column.least);
    largest = std::isnan(largest) ? column.largest : std::max(largest, column.largest);
  }
  return {least, largest};
}

LogFacts log_facts(const RawLog& log) {
  LogFacts facts;
  for (const RawChannel& channel : log.channels) facts.channels.push_back(facts_of(channel.values));
  find_clock_facts(log.time, facts);
  find_broken_rows(log, facts);
  return facts;
}

}  // namespace antaeus
