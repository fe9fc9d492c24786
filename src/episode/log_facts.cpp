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
    bool whole = true;
    for (Eigen::Index c = 0; c < values.cols(); ++c) {
      const double value = values(row, c);
      if (!is_sample(value)) {
        whole = false;
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

void find_broken_rows(const RawLog& log, LogFacts& facts) {
  std::vector<int> now;
  for (Eigen::Index row = 0; row < log.steps(); ++row) {
    now.clear();
    for (std::size_t i = 0; i < log.channels.size(); ++i) {
      if (facts.channels[i].broken_rows == 0 || facts.channels[i].empty) continue;
      const SampleMatrix& values = log.channels[i].values;
      for (Eigen::Index c = 0; c < values.cols(); ++c) {
        if (facts.channels[i].columns[static_cast<std::size_t>(c)].finite == 0 || is_sample(values(row, c))) continue;
        now.push_back(static_cast<int>(i));
        break;
      }
    }
    if (now.empty()) continue;
    ++facts.broken_rows;
    const bool follows =
        !facts.broken.empty() && facts.broken.back().to == row - 1 && facts.broken.back().channels == now;
    if (follows || facts.broken.size() == kMostBroken) {
      facts.broken.back().to = row;
    } else {
      facts.broken.push_back({row, row, now});
    }
  }
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
